"""What the world sees: people in disjoint groups, and how often each sensitive value occurs in a group.

Read in this order: `groups` (arrays, all groups at once, or as a stream of blocks), `release` (Release, Members, and a
release with any number of groups), `generalise` (from a table to a release, and all generalisations of it, held or
streamed), `read` (a published file, held or streamed), `printed_labels` (what does a printed label cover, and how did
it come about?), `label_order` (the same for all labels of a column, and the join of people and boxes), `locate` (who
may be in which group?), `population` (how many people of another table have the cells of a group?).

Not here: reading rows (`engines`), any number about risk (`measures`), choosing a release (`search`).
"""
