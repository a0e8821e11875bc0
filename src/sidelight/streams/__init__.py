"""Keys in order that are never held all at once: what makes memory bounded.

Read in this order: `packed_keys` (a key as a few machine words), `sorted_runs` (temporary files of sorted keys),
`memory` (how much may be used), `key_stream` (blocks of keys with their counts), `rolled_up` (the same keys, coarser),
`streamed_cells` (lists in cells) and `carried` (columns that are published along).

Not here: where rows come from (`engines`), or groups of people (`release`).
"""
