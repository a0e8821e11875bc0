"""Counts with noise: differential privacy, what it costs, what it promises, and how it compares with grouping.

Here belongs what is specific to noise: which counts are published, how the noise is calibrated, drawn (by OpenDP; none
of our own) and paid for.  Grouping people does not (`search`), nor attacks on groups (`attack`), which `comparison`
only sets beside the one on noise.

Read `noisy_counts` for what is published; then `level_choice` (levels that are fixed in advance, or chosen for a
price), `domain` (the cells that are declared in advance), `parameters` (ε, δ, neighbours), `mechanism` (the noise;
`gaussian` says what it costs), `stable_counts` (cells that nobody can declare),
`workload` (queries that are measured beside the cells; `marginals` says what these are, and `nested_least_squares` puts
levels together), `answers` (what counts add up to, and how far off that is),
`postprocessing` (whole counts of at least 0), `accountant` (what several releases cost together) and `ledger` (the file
that keeps the budget).  What it all means: `privacy_profile` (every ε and δ at once; those of other
libraries: `library_profiles`), `semantic_privacy` (in beliefs), `disclosure_risk` (as a test, and as a risk), `attack`
(somebody who weighs all releases), `comparison` (side by side with groups).
"""
