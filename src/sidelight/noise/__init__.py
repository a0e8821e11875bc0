"""Counts with noise: differential privacy, what it costs, what it promises, and how it compares with grouping.

Here belongs what is specific to noise: which counts are published, how the noise is calibrated, drawn (by OpenDP; none
of our own) and paid for.  Grouping people does not (`search`), nor attacks on groups (the room `attack`), which
are only set beside the one on noise.

Read `noisy_counts` for what is published; then

what is counted   `parameters` (ε, δ, neighbours, whom it is promised to), `domain` (the cells that are declared in
                  advance), `level_choice` (levels that are fixed in advance, or chosen for a price), `stable_counts`
                  (cells that nobody can declare);
noise             `mechanism` (how it is drawn, and what that costs), `workload` (queries that are measured beside the
                  cells, and for how much each), `estimates` (what all that was measured says together, and whole
                  counts of at least 0), `answers` (what counts add up to, and how far off that is);
what it costs     `accountant` (what several releases cost together; a budget, and whether one more fits), `ledger` (the
                  file that keeps it);
what it means     `privacy_profile` (every ε and δ at once, those of other libraries too), `semantic_privacy` (in
                  beliefs, as a test, and as a risk), `attack` (somebody who weighs all releases; side by side with
                  groups).
"""
