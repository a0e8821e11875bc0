"""Where rows come from.  The only folder that sees dataframes and engines; raw rows never leave them, counts do.

Read in this order: `source` (what every engine gives; is the first line a header?); `formats/`, the kinds of files, and
`files`, which of them are meant; `read` (one GROUP BY, and declared values).  `dataframes/`,
`duckdb/`, `postgres/` and `spark/` each have a `source`, with sessions where there is something to connect to.
`read_stream` and `streamed_table`: in bounded memory.  `read_events`: rows of people who have several, for noise only.

Not here: the model of a table (`table`), or advice about its columns (`intake`).
"""
