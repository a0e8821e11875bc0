"""From a file whose columns nobody has described to a proposal: which column is what, and how to coarsen it.

Read in this order: `profile` (one pass over every column), `cells` and `dates` (how cells are written), `roles` (who is
told apart by which columns), `safe_harbour` (the identifiers of HIPAA) and `hierarchy_drafts`.

Not here: what a name of a column says (`table/column_names`), or a draft of a policy (`policy/policy_draft`).
"""
