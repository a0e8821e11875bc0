"""(c,k)-safety: how confident can an attacker be who knows any k implications (or, more mildly, any k negations)?

Martin, Kifer, Machanavajjhala, Gehrke and Halpern, Worst-case background knowledge, ICDE 2007.  Here belong the two
adversaries, their witnesses and the programs that find the worst case; not the counting of worlds that replays it
(`worlds/`), nor facts about named people (`knowledge/`).

Read `implications` (the adversaries, their summary and their witnesses, and values that are worse to learn), then the
two programs behind it, as the paper numbers them MINIMIZE1 and MINIMIZE2, in `minimize`, then `several_values` (sets
and multisets of them) and `cheapest_knowledge` (where some values cost more to learn).
"""
