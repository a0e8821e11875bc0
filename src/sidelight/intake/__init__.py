"""From a file that nobody has described to a proposal: what each column is, how to coarsen it, which policy to set.

Read in this order: `profile` (one pass over every column, and how cells are written), `roles` (which column is what),
`safe_harbour` (the identifiers of HIPAA), `hierarchy_drafts` and `presets` (the limits that regulators, statistical
offices and other tools ask for, and a policy to begin with).

Not here: what the name of a column says (`table/roles`), or how a policy is written and judged (`policy/`).
"""
