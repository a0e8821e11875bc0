"""The command line: `sidelight audit | protect | explore | believe | attack | noise | demo`.

Here belong the words of commands, exit statuses, help pages, and what is drawn in a terminal; no mathematics, and
nothing that a user of the library would miss.  Read `app` (all verbs on one screen), `options` and `column_options`
(what they take), `run` (how every verb ends, and where its answer goes) and `verbs` (those that write more than an
answer); `serve` and `demo` are verbs of their own, `help_pages` and `completion` help at the prompt.
"""
