"""What the world sees: people in disjoint groups, and how often each sensitive value occurs in a group.

Read in this order: `groups` (arrays, all groups at once), `blocks` (a release as a stream of blocks, held or not),
`release` (Release, Members), `generalise` (from a table to a release, and all generalisations of it), `streamed` (a
release with any number of groups), `read` (somebody's published file, held or streamed), `printed_labels` (what does a
printed label cover?), `label_order` (the same for all labels of a column), `printing` (how labels came about, and what
a column then is), `locate` (who may be in which group? `box_join` and `nearest` are its algorithms), `population` (how
many people of another table have the cells of a group?), `streamed_lattice` (all generalisations of a table whose keys
do not fit in memory), `bounds` (the ends of printed intervals).

Not here: reading rows (`engines`), any number about risk (`measures`), choosing a release (`search`).
"""
