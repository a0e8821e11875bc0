"""The command line: `sidelight audit | protect | explore | believe | attack | noise | demo`.

Here belong the words of commands, exit statuses, help pages, and what is drawn in a terminal; no mathematics, and
nothing that a user of the library would miss.  Read `app` (all verbs on one screen), `options` (what they take), then
the file of a verb; `run` (how every verb ends, and where its answer goes) serves all of them,
and so do `help_pages`, `completion`, `column_options` and `noise_options`.

Verbs: `columns`, `audit`, `protect`, `report`, `serve`; `hierarchies`, `compare`, `generalisations`, `explore`,
`believe`, `attack` (and `simulate`); `noise` (and `count`, `attack-noise`), `ledger` (and `promise`); `demo` with
`demo_files`.
"""
