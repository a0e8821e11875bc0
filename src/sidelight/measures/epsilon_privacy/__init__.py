"""ε-privacy (Machanavajjhala, Gehrke, Götz, VLDB 2009): someone who believed something before the release.

Here lives all about Dirichlet adversaries: what may be said of a prior belief, the measure `PriorBelief`, and what a
release withstands.  Grouping and rolling up do not (`release/generalise.py`), nor does the table of all generalisations
(`search/generalisation_table.py`) or going through sequences of values (`worlds/brute_force.py`), by which small
findings are replayed.

Read `prior` (what is believed before, and in words), `worst_case` (how much more is believed after, for all groups, and
once more for a witness; what each person wants kept; who expects other things elsewhere), `prior_belief` (the measure),
`skyline` (what a release withstands), `numeric_belief` (numbers).
"""
