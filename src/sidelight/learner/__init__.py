"""What would somebody believe who trains a model on the release itself (the deFinetti attack)?

Here belongs everything between a release with a roster (who is in which group) and a model's beliefs about each person:
one concrete attacker, and no worst case.  Nothing that is told from outside does (`knowledge`, `max_entropy`), nor who
knows how the release was made.

Read `learned` for the way in, what users get (also of somebody known exactly, without a roster) and the measure (how
sure at most); then `roster` (who is in which group, what each may have, and what is true), `training` (naive Bayes and
logistic, in rounds of expectation and maximisation, and how much of a model holds for groups that it never saw),
`assignments` (the expectation: exactly, by scaling where a group has too many states, and by a slow twin).

Source: Kifer, Attacks on privacy and deFinetti's theorem, SIGMOD 2009.
"""
