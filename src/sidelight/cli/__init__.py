"""The command line: `sidelight audit | protect | explore | believe | attack | noise | demo`.

Here belong the words of commands, exit statuses, help pages, and what is drawn in a terminal; no mathematics, and
nothing that a user of the library would miss.  Read `app` (all verbs on one screen; what they take are the requests of
`answers/`) and `run` (how every verb ends, and where its answer goes); `serve` has two verbs of their own, that and
`demo`, and `help_pages` stands at the end of each help page.
"""
