"""What does somebody learn who also knows how a release was made: the method, and the policy it had to keep?

Here belongs the attacker who reasons "a finer release would have been published, had it been within policy; so it was
not": minimality, turned into each person's probability.  It needs the method's own candidates (`search`), so it stands
below that room; what a method prefers stands there, never here.  Attackers who train a model are in `learner`, and
those who have several releases in `attack`.

Read `insider` first (who is asked, of what; releases made to withstand this attacker; and the answer), then
`group_question` (a group, the cuts that failed in it, the people whom they do not tell apart, and which halves keep the
policy), `group_beliefs` (of the people of one group, listed or drawn; of full-domain releases) and `measure` (with its
witness: of whom, and why).
"""
