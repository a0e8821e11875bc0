"""The attacker who trains a model on the release itself (the deFinetti attack).

Everything between a release with a roster (who is in which group) and a model's beliefs about each person is here: one
concrete attacker, and no worst case.  Not here: knowledge from outside (`knowledge`, `max_entropy`), and attackers who
know how the release was made (`minimality`).

Read `learned` for the entry point, its result (also about a person known exactly, without a roster) and the measure;
then `roster` (who is in which group, the values that each may have, and the truth), `training` (naive Bayes and
logistic, in rounds of expectation and maximisation, and how much of a model holds for groups that it never saw),
`assignments` (the expectation: exactly, by scaling where a group has too many states, and by a slow twin).

Source: Kifer, Attacks on privacy and deFinetti's theorem, SIGMOD 2009.
"""
