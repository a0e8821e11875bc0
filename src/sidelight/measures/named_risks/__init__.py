"""Risks by the names that must be reported: prosecutor, journalist and marketer, and others that regulators ask for.

Here are the measures of how likely people are *found*, not of what is learned about them: an attacker who looks a
person up in a release, or in a register beside it, meets a group of people with the same values, and their numbers
decide.  Not here: how small a group is (`classics`), and what a group reveals about values (all other measures).

Nearly all is read off one summary, the histogram of how many people groups have in the release and in the population.
Read `size_risk` first: the histogram, the measures on it, their witness and screens; the prosecutor, then the attackers
who compare with other people (journalist, marketer, presence and absence).  Without a population there are `estimates`,
called so: by models of a population, and by sampling weights.
"""
