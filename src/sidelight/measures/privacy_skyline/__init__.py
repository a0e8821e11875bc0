"""Privacy skyline (Chen, LeFevre, Ramakrishnan, VLDB 2007): an attacker who knows the target, others and the family.

Here is three-dimensional knowledge (ℓ, k, m): the measure `Acquaintance`, its witness, the criteria that a policy makes
of it, and the knowledge skyline of a release.  Counting worlds does not (`worlds/closed_forms.py`), nor do
searches, which take `Acquaintance.screen()` like that of any other measure.

Read `five_minima` (the odds of one group, and of all), `acquaintance` (the measure, and from minima back to people),
then `skyline` (what a policy requires, what a release resists, and the few groups that decide it).
"""
