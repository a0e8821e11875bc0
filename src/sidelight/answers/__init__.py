"""Questions about files: a typed request, a function that answers it, and the answer as a document.

Each question is answered once, here, and every surface draws the same answer: the terminal, a page (HTML, Markdown,
PDF), the local web page, JSON.  Nothing here depends on terminals or HTTP; a request declares the words of its command,
verbs and views pass it on and draw the answer.

Read `request` (what requests share) and `questions` (all requests), `sources` (the files that are
asked) and `recipe` (the Python that does it again), `report/answer` (what all answers share), then a question:
`audit` (and the report that is signed), `believe`, `explore` (and the skyline that a page drags a point over); of a
table: `inspect` (and drafts of hierarchies), `protect` (and how else it could be published); `attack`: several releases
together, or one attacker of one release; `exposure`: two releases on a page, or of samples; `noise`: published, added
up, weighed, and what it costs and promises; asked by the local page alone: `candidates` (what a search found, and what
could be published instead), `attackers` (limits as they are typed and tuned), `signing`, `what_if`.
"""
