"""What may be asked of files, one module per question: a typed request, `ask(request)`, and the answer as a document.

A question is asked once, here, and every surface draws the same answer: the terminal, a page (HTML, Markdown, PDF), the
local web page, JSON.  Nothing here knows of terminals or HTTP; verbs and views parse, ask and draw.

Read `report/answer` (what all answers share), `request` (what requests share), `sources` (the files that are asked)
and `recipe` (the Python that does it again), then a question: `audit` (and the report that is signed), `believe`,
`explore`; of a table: `inspect` (and drafts of hierarchies), `protect`, `compare` (and all generalisations); `attack`:
several releases together, or one attacker of one release; `simulate`: of samples; `noise`: published, added up,
weighed; `ledger`: what it costs and promises; asked by the local page alone:
`exposure` (two releases, and which would pass), `skyline`, `candidates` (what a search found, and what could be
published instead), `columns`, `readers` (limits as they are typed and tuned), `signing`,
`what_if`.
"""
