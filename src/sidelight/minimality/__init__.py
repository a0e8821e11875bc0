"""What does somebody learn who also knows how a release was made: the method, and the policy it had to keep?

Here belongs the attacker who reasons "a finer release would have been published, had it been within policy; so it was
not": minimality, turned into each person's probability.  It needs the method's own candidates (`search`), so it stands
below that room; what a method prefers stands there, never here.  Attackers who train a model are in `learner`, and
those who have several releases in `attack`.

Read `insider` first (who is asked, of what), then `half_limits` (which halves keep the policy), `group_question` (a
group, who is in it, the cuts that failed in it, and the people they do not tell apart), `group_tables` (counting them
all), `group_beliefs` (of the people of one group; drawn where there are too many tables), `lattice_question`
(full-domain releases), `replayed_looks` (releases made to withstand this attacker), `beliefs` (the answer), `witness`
(of whom, and why) and `measure`.
"""
