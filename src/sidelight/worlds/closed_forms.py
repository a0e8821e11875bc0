"""Count the worlds in which some people of a group have none of some values: exactly, however large the group.

Only the people who are mentioned and the values they are asked about matter; everybody and everything else is lumped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import comb, perm, prod
from typing import TypeAlias

from sidelight.table.labels import Label

Avoided: TypeAlias = frozenset[Label]


def chance_of_avoiding(bag: Mapping[Label, int], avoided: Sequence[Avoided]) -> Fraction:
    """Give the probability that the i-th of some people of a group has none of `avoided[i]` (one value per person).

    Ways to hand different occurrences of the bag's values to these people so that nobody gets one to be avoided /
    ways to hand them any.

    >>> bag = {"Flu": 2, "Lung cancer": 2, "Heart disease": 1}
    >>> chance_of_avoiding(bag, [frozenset(["Flu", "Lung cancer"])])
    Fraction(1, 5)
    >>> chance_of_avoiding(bag, [frozenset(["Flu"]), frozenset(["Flu"])])
    Fraction(3, 10)
    """
    return Fraction(ways_to_avoid(bag, avoided), perm(sum(bag.values()), len(avoided)))


def ways_to_avoid(bag: Mapping[Label, int], avoided: Sequence[Avoided]) -> int:
    """Go through the values that somebody avoids, one by one, and say who of the others gets how many of it.

    People who avoid the same values are alike: a state is how many of each kind still have nothing.

    >>> ways_to_avoid({"a": 1, "b": 1}, [frozenset("a"), frozenset("b")])
    1
    """
    kinds = Counter(avoided)
    left = {tuple(kinds.values()): 1}
    named = {value: amount for value, amount in bag.items() if any(value in kind for kind in kinds)}
    for value, amount in named.items():
        may = [value not in kind for kind in kinds]
        before, left = left, Counter[tuple[int, ...]]()
        for waiting, ways in before.items():
            for after, more in _handed(waiting, may, amount):
                left[after] += ways * more
    others = sum(bag.values()) - sum(named.values())
    return sum(ways * perm(others, sum(waiting)) for waiting, ways in left.items())


def _handed(waiting: tuple[int, ...], may: list[bool], amount: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """Hand out a value of which there are `amount`: who still waits afterwards, and in how many ways."""
    most = [min(people, amount) if allowed else 0 for people, allowed in zip(waiting, may, strict=True)]
    for given in product(*(range(many + 1) for many in most)):
        if sum(given) <= amount:
            who = prod(comb(people, many) for people, many in zip(waiting, given, strict=True))
            yield (
                tuple(people - many for people, many in zip(waiting, given, strict=True)),
                who * perm(amount, sum(given)),
            )
