"""What the publisher holds, as counts: the model of a table.

Read in this order: `labels` (what a cell says; Column, JointDomain for several sensitive columns), `table` (Table,
Counts, and Events for noise only), `roles` (which column is what, and what its name says), `cell_lists`
(several values in a cell), `hierarchy` with `hierarchy_io` (how a column is published more coarsely, the sensitive one
too).

Not here: engines and files (`engines`), streams of keys (`streams`), advice (`intake`), or grouping people by what is
published (`release`).
"""
