"""A smallest set of things that do not go together, found by asking of some of them whether they do.

By hitting sets: whatever stays out of a largest set that goes together, each set that does not must have one of it.  So
the smallest set that takes one of each such rest is tried next; if it goes together, it tells of one more rest, and if
it does not, nothing smaller can.

Source: Ignatiev, Previti, Liffiton, Marques-Silva, Smallest MUS extraction with minimal hitting set dualization, 2015.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sidelight.errors import Contradiction
from sidelight.knowledge.facts import Fact
from sidelight.knowledge.tokens import in_short
from sidelight.worlds.counting.counter import Counting
from sidelight.worlds.effort import Effort, Meter, OverEffort
from sidelight.worlds.satisfiable import Possible

Clash: TypeAlias = Callable[[Sequence[int]], bool]

MOST_STEPS, QUESTION = 100_000, 100
"""After so many steps, of which a question takes many, a set that may not be the smallest will do."""


class _Enough(Exception):
    """It took too long."""


def smallest_clash(number: int, clash: Clash) -> list[int]:
    """Find a smallest part of 0, 1, …, number − 1, all of which clash; `clash` says so of some in order.

    Of many, it may not be the smallest, but nothing of it can be left out.

    >>> smallest_clash(9, lambda some: {2, 5, 7} <= {*some} or {3, 8} <= {*some})
    [3, 8]
    """
    needed = _shrunk(number, clash)
    try:
        return _Search(number, clash).smaller(needed)
    except _Enough:
        return needed


def _shrunk(number: int, clash: Clash) -> list[int]:
    """Leave out what can be left out, many at once first: most are innocent."""
    needed, many = list(range(number)), (number + 1) // 2
    while many:
        for start in range(0, number, many):
            fewer = [each for each in needed if not start <= each < start + many]
            if len(fewer) < len(needed) and clash(fewer):
                needed = fewer
        many = (many + 1) // 2 if many > 1 else 0
    return needed


@dataclass(slots=True)
class _Search:
    number: int
    clash: Clash
    steps: int = 0

    def smaller(self, needed: list[int]) -> list[int]:
        rests: list[list[int]] = []
        size = 1
        while size < len(needed):
            chosen = self._hitting(rests, size, frozenset())
            if chosen is None:
                size += 1
            elif self._clash(chosen):
                return sorted(chosen)
            else:
                rests.append(self._rest(chosen))
        return needed

    def _rest(self, chosen: frozenset[int]) -> list[int]:
        """Add to some that go together whatever goes with them, many at once; give what does not."""
        together, rest = chosen, []
        blocks = [[each for each in range(self.number) if each not in chosen]]
        while blocks:
            block = blocks.pop()
            if not self._clash(together.union(block)):
                together = together.union(block)
            elif len(block) == 1:
                rest += block
            else:
                half = len(block) // 2
                blocks += [block[half:], block[:half]]
        return rest

    def _hitting(self, rests: list[list[int]], size: int, chosen: frozenset[int]) -> frozenset[int] | None:
        """Choose at most so many, one of each rest among them; the first ones where there is a choice."""
        missed = [rest for rest in rests if chosen.isdisjoint(rest)]
        self._spend(1)
        if not missed or len(chosen) == size:
            return None if missed else chosen
        for each in min(missed, key=len):
            found = self._hitting(missed, size, chosen | {each})
            if found is not None:
                return found
        return None

    def _clash(self, some: frozenset[int]) -> bool:
        self._spend(QUESTION)
        return self.clash(sorted(some))

    def _spend(self, steps: int) -> None:
        self.steps += steps
        if self.steps > MOST_STEPS:
            raise _Enough


# ----------------------------------------------------------------------------------------------------
# Which facts cannot all be so?
# ----------------------------------------------------------------------------------------------------


MOST_SECONDS = 3
"""After that, a set of facts that may not be the smallest will do."""


def contradiction(counting: Counting, facts: Sequence[Fact]) -> Contradiction:
    """Make the error that names a smallest set of facts that no world fits."""
    meter = Meter(Effort(counting.meter.effort.states, MOST_SECONDS))
    possible = Possible(counting.release, counting.entities, meter)

    def impossible(chosen: Sequence[int]) -> bool:
        some = [facts[place] for place in chosen]
        if meter.is_late():
            return False  # it is not known, so it is not blamed
        try:
            return not possible.all_of(some)
        except OverEffort:
            return _never(counting, some)

    blamed = [facts[place] for place in smallest_clash(len(facts), impossible)]
    told = " and ".join(f"'{in_short(str(fact))}'" for fact in blamed[:5]) + (" and others" if len(blamed) > 5 else "")
    cannot = "cannot be so" if len(blamed) == 1 else "cannot all be so"
    message = (
        f"no world fits the release and the facts: {told} {cannot}; take {'it' if len(blamed) == 1 else 'one'} back"
    )
    return Contradiction(message, facts=tuple(map(str, blamed)))


def _never(counting: Counting, facts: Sequence[Fact]) -> bool:
    try:
        return counting.share(facts) == 0
    except OverEffort:
        return False  # it is not known, so it is not blamed
