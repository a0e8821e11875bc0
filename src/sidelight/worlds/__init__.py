"""What one who saw a release and knows some facts concludes: all worlds that fit are equally likely.

Here: who is meant by the people of a fact, whether facts can all hold, how likely something is then (exactly, bounded
or estimated), and the slow twins that go through every world.  Not here: the worst that anybody might know
(`measures`), and knowledge about shares instead of people (`max_entropy`).

Read `posterior` first (and `surest`), then `identify`, `reports` (soft facts), `effort` and `counting` (the exact
count); `satisfiable`, `smallest_conflict`, `estimate` and `estimated_belief` for when that is too much; `covering`
(which worst case covers this).  `closed_forms` and `brute_force` are for measures and their replays, `one_cut` (a group
cut in two) for whoever knows how a release was made.
"""
