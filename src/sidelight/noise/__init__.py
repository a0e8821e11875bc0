"""Counts with noise: differential privacy, what it costs, what it promises, and how it compares with grouping.

Here belongs what is specific to noise: which counts are published, how the noise is calibrated, drawn (by OpenDP; none
of our own) and paid for.  Grouping people does not (`search`), nor attacks on groups (the room `attack`), which
are only set beside the one on noise.

Read `noisy_counts` for what is published; then

what is counted   `domain` (the cells that are declared in advance, at levels that are fixed, or chosen for a price),
                  `stable_counts` (cells that nobody can declare);
noise             `mechanism` (ε, δ, whom they are promised to, and the noise that keeps them), `workload` (queries that
                  are measured beside the cells, and for how much each), `estimates` (what all that was measured says
                  together, how far off that is, and whole counts of at least 0);
what it costs     `accountant` (what several releases cost together; a budget, and whether one more fits), `ledger` (the
                  file that keeps it);
what it means     `privacy_profile` (every ε and δ at once, those of other libraries too), `semantic_privacy` (in
                  beliefs, as a test, and as a risk), `attack` (an attacker who weighs all releases; side by side with
                  groups).
"""
