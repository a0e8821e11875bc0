"""The local explorer: a page that one person opens on their own machine, over the same functions as the command line.

Here are the server (`app`, `security`), its data and the state in an address (`workspace`), and rendering (`pages`, one
file per view in `views/` with its template).  No probability is computed here: a view asks the library and renders the
document that it returns.

Read `workspace` first, then one view, such as `views/attackers`, then `app`; `security` lists what is refused.  `jobs`
(long work, in processes), `searches` (searches, their results and reports on them), `pages` and `uploads` serve the
views.
"""
