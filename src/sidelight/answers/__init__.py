"""What may be asked of files, one module per question: a typed request, `ask(request)`, and the answer as a document.

A question is asked once, here, and every surface draws the same answer: the terminal, a page (HTML, Markdown, PDF), the
local web page, JSON.  Nothing here knows of terminals or HTTP; verbs and views parse, ask and draw.

Read `report/answer` (what all answers share), `request` (what requests share), `sources` (the files that are asked)
and `recipe` (the Python that does it again), then a question: `audit`, `believe`, `compare`, `explore`,
`generalisations`, `hierarchies`, `inspect`, `protect`, `report`; several releases: `attack`; one attacker of one
release: `attacker`; samples: `simulate`; noise that is published: `noise`, what it says: `noisy_counts`, what it costs
and promises: `ledger`; asked by the local page alone: `exposure` (two releases, and which would pass), `skyline`.
"""
