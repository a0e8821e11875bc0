"""One group's chances in exact arithmetic, and the way to spend the atoms that reaches them."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise
from math import prod
from typing import NamedTuple, TypeAlias

State: TypeAlias = tuple[int, int, int]
"""(i, m, j): people from the i-th on, at most m values each, j atoms in all."""


class Way(NamedTuple):
    """How atoms are spent on one group: how many of the most frequent values each person is asked about.

    With a target, the first `with_target` people are asked about the target's value and the most frequent others.
    """

    chance: Fraction  # f(h); for the target's group n/n(σ)·f^σ(h)
    parts: tuple[int, ...]
    with_target: int = 0


@dataclass(frozen=True)
class ExactGroup:
    """The program of `group` for one group and at most k+1 atoms, in integers.

    >>> group = ExactGroup(size=5, counts=(2, 2, 1), own=2)
    >>> group.best(1), group.best_with_target(1)
    (Way(chance=Fraction(3, 5), parts=(1,), with_target=0), Way(chance=Fraction(1, 2), parts=(2,), with_target=1))
    """

    size: int
    counts: tuple[int, ...]  # the k+1 largest, in falling order
    own: int
    _done: dict[State, tuple[int, tuple[int, ...]]] = field(default_factory=dict, repr=False, compare=False)

    def best(self, atoms: int) -> Way:
        """Spend atoms on a group without the target: f(j)."""
        ways, parts = self._least(0, atoms, atoms)
        return Way(Fraction(ways, self._rest(0)), parts)

    def best_with_target(self, further: int) -> Way:
        """Spend the target's atom and some further ones on its group: n/n(σ)·f^σ(j)."""
        tried = [
            self._with_target(people, values, known, further)
            for values, known in enumerate(self._with_own, start=1)
            for people in range(1, min((further + 1) // values, self.size) + 1)
        ]
        return min(tried, key=lambda way: way.chance)

    def _with_target(self, people: int, values: int, known: int, further: int) -> Way:
        rest, parts = self._least(people, values - 1, further + 1 - people * values)
        ways = rest * prod(max(self.size - person - known, 0) for person in range(people))
        return Way(Fraction(self.size * ways, self.own * self._rest(0)), (values,) * people + parts, people)

    def _least(self, person: int, values: int, atoms: int) -> tuple[int, tuple[int, ...]]:
        """G(i, m, j)·Π_{p ≥ i} (n − p), an integer, and the way that reaches it."""
        values = min(values, atoms)
        if values == 0 or person >= self.size:
            return self._rest(person), ()
        state = (person, values, atoms)
        if state not in self._done:
            rest, parts = self._least(person + 1, values, atoms - values)
            ask = max(self.size - person - self._prefix[values], 0) * rest, (values, *parts)
            self._done[state] = min(self._least(person, values - 1, atoms), ask, key=lambda done: done[0])
        return self._done[state]

    def _rest(self, person: int) -> int:
        """Π_{p ≥ i} (n − p) over as many people as atoms could be spent on."""
        return prod(range(self.size - person, max(self.size - len(self.counts), 0), -1))

    @cached_property
    def _prefix(self) -> list[int]:
        return [0, *accumulate(self.counts)]

    @cached_property
    def _with_own(self) -> list[int]:
        return [min(upto, before + self.own) for before, upto in pairwise(self._prefix)]
