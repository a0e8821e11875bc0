"""The local explorer: a page that one person opens on their own machine, over the same functions as the command line.

Here belong the server (`app`, `security`), what it holds and what an address says (`workspace`) and what is drawn
(`pages`, one file per view in `views/` with its template).  Not here: any probability.  A view asks the library, and
draws the document that it answers with.

Read `workspace` first, then one view, such as `views/readers`, then `app`; `security` says what is refused.  `jobs`
(work that takes long, in processes), `searches` (what was searched for, found and signed), `pages` and `uploads` serve
the views.
"""
