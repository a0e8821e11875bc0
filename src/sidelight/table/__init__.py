"""What the publisher holds, as counts: the model of a table.

Read in this order: `table` (Table, Column, JointDomain for several sensitive columns), `counts`, `labels` (what a cell
says, and whether it is a number or a category), `roles` (which column is what) and `column_names` (what a name says),
`cell_lists` (several values in a cell).  `hierarchy` with `hierarchy_rules` and `hierarchy_io`: how a column is
published more coarsely, and `coarser_values`: the sensitive one.  `label_distances`: how far labels are apart.
`events`: rows of people who have several, for noise only.  `true_counts`: who has what, by the group that they were put
in.

Not here: engines and files (`engines`), streams of keys (`streams`), advice (`intake`), or grouping people by what is
published (`release`).
"""
