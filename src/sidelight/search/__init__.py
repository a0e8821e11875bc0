"""Searches for the most useful release of a table that stays within a policy.

Here belongs how releases are made, tried and weighed, always on counts of keys (distinct combinations of
quasi-identifier values), never on rows.  What a measure is stands in `measures`, what a generalised table is in
`release`, how a release is written in `publish`, and whom it exposes in `attack`.

Read `protect` first, then `method` (what a search is handed and hands back), `policy_check` (many groups judged at
once) and `orders` (what a stretch of labels is); then one method: `full_domain` with `lattice_search` and
`suppression`; `mondrian` with `mondrian_cuts` (the rules), `mondrian_acceptance` (which cuts may be made),
`mondrian_store` (where people are kept: in memory `mondrian_frontier`, else `mondrian_streamed` with
`mondrian_histograms`), and against insiders `veil` and `value_limits`; `anatomy`; or
`microaggregation`, both with `merging` (which groups are near).  `recoding` and `utility` say what a release is
still good for; `one_group` (what everybody in one group says), `cut_tree`
(the top of Mondrian's cuts) and `asked_attackers` (whom policies seldom name) serve them;
`generalisation_table` and `compare` put many side by side.
"""
