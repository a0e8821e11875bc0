"""Where rows come from.  The only folder that sees dataframes and engines; raw rows never leave them, counts do.

Read in this order: `source` (what every engine gives), `read` (one GROUP BY) and `distinct_rows`; `files`,
`foreign_files` (Excel, Stata, SPSS, SAS), `page_checksums` and `names_or_row` (is the first line a header?);
`dataframes/`, `duckdb/`, `postgres/` and `spark/`, each with its `source`.  `read_stream` and `streamed_table`: in
bounded memory.  `read_events`: rows of people who have several, for noise only.  `domain_file`: declared values.

Not here: the model of a table (`table`), or advice about its columns (`intake`).
"""
