"""The attacker who also knows how a release was made: the method, and the policy it had to keep.

This attacker reasons "a finer release would have been published, had it been within policy; so it was not": minimality,
turned into each person's probability.  That needs the method's own candidates (`search`), so the room stands below that
one; what a method prefers stands there, never here.  Attackers who train a model are in `learner`, and those who have
several releases in `attack`.

Read `insider` first (the question, releases made to resist this attacker, and the answer), then `group_question` (a
group, the cuts that failed in it, the people whom they do not distinguish, and which halves keep the policy),
`group_beliefs` (about the people of one group, listed or drawn; of full-domain releases) and `measure` (with its
witness: a person, and the reason).
"""
