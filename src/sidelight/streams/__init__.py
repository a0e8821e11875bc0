"""Keys in order that are never held all at once: what makes memory bounded.

Read in this order: `sorted_runs` (a key as a few machine words, temporary files of sorted keys), `memory` (how much may
be used), `key_stream` (blocks of keys with their counts, lists in cells, the same keys coarser, columns that are
published along) and `streamed_table` (a table that is gone through row by row).

Not here: where rows come from (`engines`), or groups of people (`release`).
"""
