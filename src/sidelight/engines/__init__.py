"""Where rows come from.  The only folder that sees dataframes and engines; raw rows never leave them, counts do.

Read in this order: `source` (what every engine and every kind of file gives); `dataframes/`, `duckdb/`, `postgres/` and
`spark/`, which each have a `source`, with sessions where there is something to connect to; `formats/`, the kinds of
files; `files` (which of them are meant, and who opens them); `tally` (from counts to sorted keys) and `read` (tables,
held and in bounded memory, and declared values).  `read_events`: rows of people who have several, for noise only.

Not here: the model of a table (`table`), or advice about its columns (`intake`).
"""
