"""(c,k)-safety: how sure can someone get who knows any k implications (or, more mildly, any k negations)?

Martin, Kifer, Machanavajjhala, Gehrke and Halpern, Worst-case background knowledge, ICDE 2007.  Here belong the two
adversaries, their witnesses and the programs that find the worst case; not the counting of worlds that replays it
(`worlds/`), nor facts about named people (`knowledge/`).

Read `implications` (the adversaries, their summary and their witnesses), then the two programs behind it as the paper
numbers them, `minimize_within_group` (MINIMIZE1) and `minimize_across_groups` (MINIMIZE2, and which groups take part),
then `several_values` (sets and multisets of them).  Where values differ: `disclosure_cost` (some are worse to learn),
`cheapest_knowledge` (some cost more to learn).
"""
