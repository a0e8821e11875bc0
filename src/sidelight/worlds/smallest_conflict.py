"""A minimum unsatisfiable subset: the fewest of some things that cannot all hold.

    Oracle       unsatisfiable(S): can the things of S not all hold?  Monotone: a superset of such a set is one too.
    MSS          a maximal satisfiable set; its complement is a *correction set*.
    Duality      an unsatisfiable set meets every correction set, so it is a hitting set of all of them.
    Loop         take a smallest hitting set H of the correction sets known so far.  If H is unsatisfiable, it is a
                 minimum: any other would be a hitting set that is smaller.  Else grow H to an MSS: its complement is a
                 correction set that H does not hit.
    Cost         exponential at worst; after `MOST_STEPS` the set that was shrunk at first is taken, which is minimal
                 (nothing of it can be left out) but may not be a minimum.

Source: Ignatiev, Previti, Liffiton, Marques-Silva, Smallest MUS extraction with minimal hitting set dualization, 2015.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Oracle: TypeAlias = Callable[[Sequence[int]], bool]
"""Says of some things, by number and in order, whether they cannot all hold."""

MOST_STEPS, ORACLE_STEPS = 100_000, 100
"""After so many steps, of which asking the oracle takes many, a minimal set that may not be a minimum will do."""


class _OutOfSteps(Exception):
    """It took too long."""


def minimum_unsatisfiable_subset(number: int, unsatisfiable: Oracle) -> list[int]:
    """Return a smallest part of 0, 1, …, number − 1 that is unsatisfiable, as all of them are.

    Of many, it may not be the smallest, but nothing of it can be left out.

    >>> minimum_unsatisfiable_subset(9, lambda some: {2, 5, 7} <= {*some} or {3, 8} <= {*some})
    [3, 8]
    """
    minimal = _shrink(number, unsatisfiable)
    try:
        return _HittingSetSearch(number, unsatisfiable).minimum(minimal)
    except _OutOfSteps:
        return minimal


def _shrink(number: int, unsatisfiable: Oracle) -> list[int]:
    """Leave out what can be left out, many at once first: most are innocent."""
    # invariant: `needed` is unsatisfiable
    needed, many = list(range(number)), (number + 1) // 2
    while many:
        for start in range(0, number, many):
            rest = [each for each in needed if not start <= each < start + many]
            if len(rest) < len(needed) and unsatisfiable(rest):
                needed = rest
        many = (many + 1) // 2 if many > 1 else 0
    return needed


@dataclass(slots=True)
class _HittingSetSearch:
    number: int
    unsatisfiable: Oracle
    steps: int = 0

    def minimum(self, minimal: list[int]) -> list[int]:
        """Return a smaller set than this one, if there is one."""
        corrections: list[list[int]] = []
        size = 1  # no unsatisfiable set is smaller than this
        while size < len(minimal):
            # invariant: every unsatisfiable set hits all `corrections` and has at least `size` elements
            chosen = self._hitting_set(corrections, size, frozenset())
            if chosen is None:
                size += 1
            elif self._is_unsatisfiable(chosen):
                return sorted(chosen)
            else:
                corrections.append(self._correction_set(chosen))
        return minimal

    def _correction_set(self, satisfiable: frozenset[int]) -> list[int]:
        """Grow a satisfiable set to a maximal one, many at once; give what stays out."""
        maximal, outside = satisfiable, list[int]()
        blocks = [[each for each in range(self.number) if each not in satisfiable]]
        while blocks:
            block = blocks.pop()
            if not self._is_unsatisfiable(maximal.union(block)):
                maximal = maximal.union(block)
            # invariant: `maximal` is satisfiable, and with any of `outside` it is not
            elif len(block) == 1:
                outside += block
            else:
                half = len(block) // 2
                blocks += [block[half:], block[:half]]
        return outside

    def _hitting_set(self, corrections: list[list[int]], size: int, chosen: frozenset[int]) -> frozenset[int] | None:
        """Choose at most so many, one of each correction set among them; the first ones where there is a choice."""
        missed = [correction for correction in corrections if chosen.isdisjoint(correction)]
        self._spend(1)
        if not missed or len(chosen) == size:
            return None if missed else chosen
        for each in min(missed, key=len):
            hitting = self._hitting_set(missed, size, chosen | {each})
            if hitting is not None:
                return hitting
        return None

    def _is_unsatisfiable(self, some: frozenset[int]) -> bool:
        self._spend(ORACLE_STEPS)
        return self.unsatisfiable(sorted(some))

    def _spend(self, steps: int) -> None:
        self.steps += steps
        if self.steps > MOST_STEPS:
            raise _OutOfSteps
