"""Exact counting of the worlds in which any facts hold.

Here: facts compiled into variables and constraints, and every way to count, or to sample, the worlds that satisfy them.
Not here: who is meant (`identify`), what to do when counting takes too long (`posterior`, `estimate`), whether a world
fits at all (`satisfiable`), formulas for facts of one fixed shape (`closed_forms`).

Read `compile` (the problem), `order` (in which order), `frontier` (the dynamic program), `distinct` (the other method,
for people who differ), `counter` (which method when, and probabilities of facts and values), `sampling`.
"""
