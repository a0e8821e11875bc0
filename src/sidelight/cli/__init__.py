"""The command line: `sidelight audit | protect | explore | believe | attack | noise | demo`.

This room has commands, exit statuses, help pages and drawing in a terminal; no mathematics, and nothing that a user of
the library would miss.  Read `app` (all verbs; their options are the requests of `answers/`) and `run` (how a verb
ends, and where its answer goes); `serve` has the verbs `serve` and `demo`, and `help_pages` the end of each help page.
"""
