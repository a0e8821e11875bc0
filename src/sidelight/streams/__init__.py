"""Keys in order that are never all held at once, for bounded memory.

Read in this order: `sorted_runs` (a key as a few machine words, temporary files of sorted keys), `memory` (the budget
of memory), `key_stream` (blocks of keys with their counts, lists in cells, roll-ups, carried columns) and
`streamed_table` (a table read row by row).

Not here: where rows come from (`engines`), or groups of people (`release`).
"""
