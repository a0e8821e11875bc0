"""The publisher's table, as counts.

Read in this order: `labels` (the text of a cell; Column, JointDomain for several sensitive columns), `table` (Table,
Counts, and Events for noise only), `roles` (which column is what, and what its name says), `cell_lists`
(several values in a cell), `hierarchy` with `hierarchy_io` (coarser labels of a column, also of the
sensitive one).

Not here: engines and files (`engines`), streams of keys (`streams`), advice (`intake`), or grouping people by what is
published (`release`).
"""
