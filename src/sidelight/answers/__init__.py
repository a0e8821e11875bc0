"""What may be asked of files: a typed request, a function that asks it, and the answer as a document.

A question is asked once, here, and every surface draws the same answer: the terminal, a page (HTML, Markdown, PDF), the
local web page, JSON.  Nothing here knows of terminals or HTTP; a request says which words of a command it is made of,
verbs and views ask and draw.

Read `request` (what requests share) and `questions` (all requests, as they are said), `sources` (the files that are
asked) and `recipe` (the Python that does it again), `report/answer` (what all answers share), then a question:
`audit` (and the report that is signed), `believe`, `explore` (and the skyline that a page drags a point over); of a
table: `inspect` (and drafts of hierarchies), `protect` (and how else it could be published); `attack`: several releases
together, or one attacker of one release; `exposure`: two releases on a page, or of samples; `noise`: published, added
up, weighed, and what it costs and promises; asked by the local page alone: `candidates` (what a search found, and what
could be published instead), `columns`, `attackers` (limits as they are typed and tuned), `signing`, `what_if`.
"""
