"""What the publisher holds.  The only folder that sees dataframes and engines; raw rows never leave them, counts do.

Read in this order: `table` (Table, Column, JointDomain for several sensitive columns), `counts`, `labels` (what a
cell says, and whether it is a number or a category), `roles` (which column is what), `read` (one GROUP BY) and
`distinct_rows`, then where rows come from: `source`, `dataframe_source`, `duckdb_source` with `files`, `names_or_row`
and `packed_keys`, `postgres_source` with `database_address`, `spark_source`.  `key_stream`, made by
`read_stream` with `sorted_runs`, `streamed_cells` and `memory`: keys in order, never held; in Spark, `spark_stream`.
`hierarchy` and `hierarchy_io`: how a column is published more coarsely, and `coarser_values`: the sensitive one.
`label_distances`: how far labels are apart.  `column_looks`, `column_profiles` and `suggested_roles`: what a column
seems to be, for somebody who has not said it.  `events` and `read_events`: rows of people who have several, for noise
only. `true_counts`: who has what, by the group that they were put in.

Not here: grouping people by what is published (`release`), or anything about who could learn what.
"""
