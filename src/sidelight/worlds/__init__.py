"""What one who saw a release and knows some facts concludes: all worlds that fit are equally likely.

Here: who is meant by the people of a fact, whether facts can all hold, how likely something is then (exactly, bounded
or estimated), and the slow twins that enumerate every world.  Not here: the worst case over what an attacker may know
(`measures`), and knowledge about shares instead of people (`max_entropy`).

Read `posterior` first, then `identify`, `reports` (soft facts) and `counting` (the exact count, and its effort);
`estimate` for when that is too much.  `closed_forms` and `brute_force` are for measures and their replays.
"""
