"""Where do the target and k atoms do most harm, over all groups?

    min over the target's group t and h_g ≥ 0 with Σ h_g = k of  n_t/n_t(σ) · f_t^σ(h_t) · Π_{g≠t} f_g(h_g)

by a program over the groups with the state (atoms spent, target placed?): first in floats (logarithms, for which no
product is too small), forwards and backwards, which gives for every choice of every group the best of all solutions
that make it; then in fractions, but only over the choices that are near the best.  The exact best solution makes only
such choices, so it is not lost; and whatever the fractions find is a solution, so it is not missed from below.

Source: Martin et al., Worst-case background knowledge, ICDE 2007 (MINIMIZE2, corrected: the program starts with the
target not yet placed and ends with 1 when it is placed, with infinity when it is not).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from typing import NamedTuple, TypeAlias

import numpy as np

from sidelight._arrays import Floats, Integers
from sidelight.errors import TooHard
from sidelight.measures.ck_safety.minimize_within_group import Bags, ExactGroup, Way, least_chances, reach

Exactly: TypeAlias = Callable[["Choice"], Fraction]


class Choice(NamedTuple):
    """What one group is given: some atoms, and perhaps the target."""

    group: int
    atoms: int
    target: bool


class Solution(NamedTuple):
    """A product of chances, and the choices that make it (groups with nothing are left out)."""

    product: Fraction
    choices: tuple[Choice, ...] = ()


def best_solution(others: Floats, targets: Floats, exactly: Exactly) -> Solution:
    """Find the smallest product, given logarithms: rows are h = 0…k, columns groups; `exactly` gives one's chance.

    No chance is zero.

    >>> table = {False: [Fraction(1), Fraction(3, 5)], True: [Fraction(3, 2), Fraction(1, 2)]}
    >>> floats = [np.log([[float(x)] * 2 for x in table[target]]) for target in (False, True)]
    >>> best_solution(*floats, lambda choice: table[choice.target][choice.atoms])
    Solution(product=Fraction(1, 2), choices=(Choice(group=0, atoms=1, target=True),))
    """
    reached = {(0, False): Solution(Fraction(1))}
    for choices in _near_best(others, targets):
        chances = [exactly(choice) if choice.atoms or choice.target else Fraction(1) for choice in choices]
        before, reached = reached, {}
        for (spent, placed), solution in before.items():
            for choice, chance in zip(choices, chances, strict=True):
                state = (spent + choice.atoms, placed or choice.target)
                if state[0] < len(others) and not (placed and choice.target):
                    _improve(reached, state, solution, choice, chance)
    return reached[len(others) - 1, True]


def _improve(
    reached: dict[tuple[int, bool], Solution], state: tuple[int, bool], old: Solution, choice: Choice, chance: Fraction
) -> None:
    made = choice.atoms or choice.target
    new = Solution(old.product * chance, (*old.choices, choice) if made else old.choices)
    if state not in reached or new < reached[state]:  # of equal products the one with the first groups
        reached[state] = new


def _near_best(others: Floats, targets: Floats) -> Iterator[list[Choice]]:
    """List each group's choices that some solution near the best makes; groups that only get nothing are skipped."""
    forwards = _products(others, targets)
    backwards = _products(others[:, ::-1], targets[:, ::-1])[::-1]  # [t]: of the groups from t on
    best = forwards[-1][1, -1]
    limit = best + reach(best)
    for group, (before, after) in enumerate(zip(forwards[:-1], backwards[1:], strict=True)):
        # the target stands before, after or in this group
        around = np.minimum(_spread(before[0], after[1]), _spread(before[1], after[0]))[::-1]
        without = np.flatnonzero(others[:, group] + around <= limit)
        placed = np.flatnonzero(targets[:, group] + _spread(before[0], after[0])[::-1] <= limit)
        if len(placed) or without.any():
            yield [Choice(group, int(h), target=False) for h in without] + [
                Choice(group, int(h), target=True) for h in placed
            ]


def _products(others: Floats, targets: Floats) -> list[Floats]:
    """Give the best products over the first 0, 1, 2, … groups: row 1 with the target among them; columns atoms."""
    best = np.full((2, len(others)), np.inf)
    best[0, 0] = 0
    found = [best]
    for other, target in zip(others.T, targets.T, strict=True):
        best = np.stack((_spread(best[0], other), np.minimum(_spread(best[1], other), _spread(best[0], target))))
        found.append(best)
    return found


def _spread(one: Floats, other: Floats) -> Floats:
    """Split 0, 1, …, k atoms between two: the smallest product for each number of atoms."""
    many = len(one)
    padded = np.concatenate((np.full(many - 1, np.inf), one))
    windows = np.lib.stride_tricks.sliding_window_view(padded, many)[:, ::-1]  # [a, h]: one[a − h]
    smallest: Floats = (windows + other).min(axis=1)
    return smallest


# ----------------------------------------------------------------------------------------------------
# The worst case over some groups: how sure one can get, and how the atoms are spent on which groups.
# ----------------------------------------------------------------------------------------------------


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
