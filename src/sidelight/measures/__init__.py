"""One file (or folder) per question about a release: how large is the risk, or how small the crowd?

Here belong measures and what they share; not what is done with their values (bounds of a whole policy are in
`policy/`, searches in `search/`), and nothing that reads tables or prints.  A new measure is a new file here (it
registers itself under its name when it is declared), a public name in `sidelight/__init__.pyi`, and a line in
`policy/measure_names`, which lists ours with their modules, in the order of pages and schemas; that list is their map.

Read `measure` first (a question, its attacker, its settings, its summary, what attackers learn of a search),
then `criterion` (the finding and its witness, ≥ > ≤ <, a measure with a bound, and how both are written) and `about`
(one of several sensitive columns; several measures at once).  Then `exact` and `group_by_group` (find in floats, decide
in fractions; what searches look at), `targets` (which values are in question, and which numbers they stand for), the
measures `classics`, `closeness`, `expected_candidates` and `sums`, `disclosure_curve` (risk against knowledge), and the
adversaries: `ck_safety/`, `privacy_skyline/`, `epsilon_privacy/`; `named_risks/` are what regulators ask for by name,
`column_subsets/` is about some of the columns at a time.
"""
