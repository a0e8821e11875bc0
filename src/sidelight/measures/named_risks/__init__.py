"""Risk by the names that people must report: prosecutor, journalist and marketer, and what else regulators ask for.

Here live the measures that ask how surely people are *found*, not what is learnt about them: whoever looks somebody up
in a release, or in a register beside it, meets a group of people who look alike, and their numbers decide.  Not here:
how small a group is (`k_anonymity`), and what a group reveals about values (all other measures).

Nearly all of it is read off one summary, the histogram of how many people groups have in the release and in the
population (`size_histogram`).  Read that first, then `size_risk` (from the histogram to a measure, its witness and its
screens), then `prosecutor`; then `against_population`, `journalist` and `presence`, which compare with other people.
Without a population there are estimates, called so: `uniques` (by the models of `population_models`) and, by sampling
weights, `individual_risk`.
"""
