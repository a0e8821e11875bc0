"""Exact counting of the worlds in which any facts hold.

Here: facts compiled into variables and constraints, and every way to count the worlds that satisfy them.  Not here: who
is meant (`identify`), what to do when counting takes too long (`posterior`, `estimate`), formulas for facts of one
fixed shape (`closed_forms`).

Read `compile` (the problem, and the effort that may be spent), `frontier` (the dynamic program, and in which order),
`counter` (which method when, and probabilities of facts and values).
"""
