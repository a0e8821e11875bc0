"""Counts with noise: differential privacy, what it costs, what it promises, and how it compares with grouping.

Here belongs what is specific to noise: which counts are published, how the noise is calibrated, drawn (by OpenDP; none
of our own) and paid for.  Grouping people does not (`search`), nor attacks on groups (`attack`), which `comparison`
only sets beside the one on noise.

Read `noisy_counts` for what is published; then

what is counted   `parameters` (ε, δ, neighbours, whom it is promised to), `domain` (the cells that are declared in
                  advance), `level_choice` (levels that are fixed in advance, or chosen for a price), `stable_counts`
                  (cells that nobody can declare);
noise             `mechanism` (how it is drawn; `gaussian` says what that costs), `workload` (queries that are measured
                  beside the cells; `marginals` says what these are, `budget_shares` for how much each is measured,
                  `nested_least_squares` puts levels together), `answers` (what counts add up to, and how far off that
                  is), `postprocessing` (whole counts of at least 0);
what it costs     `accountant` (what several releases cost together), `account` (a budget, and whether one more fits),
                  `ledger` (the file that keeps it), `ledger_document` (what stands in it);
what it means     `privacy_profile` (every ε and δ at once; those of other libraries: `library_profiles`),
                  `semantic_privacy` (in beliefs), `disclosure_risk` (as a test, and as a risk), `attack` (somebody who
                  weighs all releases), `comparison` (side by side with groups).
"""
