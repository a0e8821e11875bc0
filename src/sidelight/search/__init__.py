"""Searches for the most useful release of a table that stays within a policy.

Here belongs how releases are made, tried and weighed, always on counts of keys (distinct combinations of
quasi-identifier values), never on rows.  What a measure is stands in `measures`, what a generalised table is in
`release`, how a release is written in `publish`, and whom it exposes in `attack`.

Read `protect` first (and in it `compare`, which tries all methods), then `method` (what a search is handed and hands
back), `policy_check` (many groups judged at once) and `orders` (what a stretch of labels is); then one method:
`full_domain` with `lattice_search`; `mondrian` with `mondrian_cuts` (the rules, and what they ask of a store of
people), `mondrian_frontier` (people as keys or as histograms), `mondrian_streamed` (a table that is never all held),
and against insiders `veil`; `anatomy`; or `microaggregation`.  `utility` says what a release is still good for,
`effort` how much is done at a time; `generalisation_table` puts many generalisations side by side.
"""
