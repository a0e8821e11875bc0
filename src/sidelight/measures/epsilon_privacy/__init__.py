"""ε-privacy (Machanavajjhala, Gehrke, Götz, VLDB 2009): attackers with a belief from before the release.

Everything about Dirichlet adversaries is here: the settings of a prior belief, the measure `PriorBelief`, and the
attackers that a release resists.  Grouping and rolling up are not (`release/generalise.py`), nor are the table of all
generalisations (`search/generalisation_table.py`) or sequences of values (`worlds/brute_force.py`), by which small
findings are replayed.

Read `prior` (the belief before, and its description), `worst_case` (the belief after, for all groups and again for a
witness; people's wishes; beliefs that depend on a column), `prior_belief` (the measure), `skyline` (the attackers that
a release resists), `numeric_belief` (numbers).
"""
