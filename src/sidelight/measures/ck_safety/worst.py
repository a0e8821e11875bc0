"""The worst case over some groups: how sure one can get, and how the atoms are spent on which groups."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import TypeAlias

from sidelight.errors import TooHard
from sidelight.measures.ck_safety.exact import ExactGroup, Way
from sidelight.measures.ck_safety.minimize_across_groups import Choice, best_solution
from sidelight.measures.ck_safety.minimize_within_group import Bags, least_chances
from sidelight.table.columns import Integers

Spent: TypeAlias = list[tuple[int, Way]]
"""Rows and how atoms are spent on them; the way with the target says so.  A row may stand there twice."""

CERTAIN = Fraction(0)

MOST = 400
"""So many implications are weighed exactly: some 5 s and 300 MB; both grow with the cube of their number."""


def worst_case(bags: Bags, k: int) -> tuple[Fraction, Spent]:
    """Find the largest probability that k implications can give somebody's value, at least one group having it.

    >>> import numpy as np
    >>> hospital = Bags(np.array([5, 5]), np.array([[2, 2], [2, 1]]), np.array([2, 2]))
    >>> worst_case(hospital, k=1)
    (Fraction(2, 3), [(0, Way(chance=Fraction(1, 2), parts=(2,), with_target=1))])
    """
    certain = _certain(bags, k)
    if certain:
        return Fraction(1), certain
    if k > MOST:
        message = f"{k:,} implications are too many to weigh where they do not make sure; give at most {MOST}"
        raise TooHard(message)

    @cache
    def group(row: int) -> ExactGroup:
        return bags.exact(row)

    def way(choice: Choice) -> Way:
        here = group(choice.group)
        return here.best_with_target(choice.atoms) if choice.target else here.best(choice.atoms)

    product, choices = best_solution(*least_chances(bags), lambda choice: way(choice).chance)
    return 1 / (1 + product), [(choice.group, way(choice)) for choice in choices]


def _certain(bags: Bags, k: int) -> Spent:
    """Ask so many people about so many values that one of them must have one, if k implications suffice."""
    atoms = bags.certain_with_target()
    row = int(atoms.argmin())
    if atoms[row] <= k + 1:
        parts = _one_must(bags.sizes[row], bags.with_own[:, row])
        return [(row, Way(CERTAIN, parts, len(parts)))]
    atoms = bags.certain_without_target()
    row = int(atoms.argmin())
    if atoms[row] <= k:
        target = next(row for row, own in enumerate(bags.own) if own)
        return [(target, Way(CERTAIN, (1,), 1)), (row, Way(CERTAIN, _one_must(bags.sizes[row], bags.prefix[:, row])))]
    return []


def _one_must(size: Integers, known: Integers) -> tuple[int, ...]:
    """Spread the fewest atoms: m values for each of n − Sₘ + 1 people."""
    people: list[int] = (size - known + 1).tolist()
    values = min(range(1, len(people) + 1), key=lambda many: many * people[many - 1])
    return (values,) * people[values - 1]
