"""Risk by the names that people must report: prosecutor, journalist and marketer, and what else regulators ask for.

Here live the measures that ask how surely people are *found*, not what is learnt about them: whoever looks somebody up
in a release, or in a register beside it, meets a group of people who look alike, and their numbers decide.  Not here:
how small a group is (`classics`), and what a group reveals about values (all other measures).

Nearly all of it is read off one summary, the histogram of how many people groups have in the release and in the
population.  Read `size_risk` first: the histogram, and from it to a measure, its witness and screens; the prosecutor,
then those who compare with other people (journalist, marketer, presence and absence).  Without a population there are
`estimates`, called so: by models of a population, and by sampling weights.
"""
