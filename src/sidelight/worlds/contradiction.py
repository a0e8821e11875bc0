"""Which facts cannot all be so?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from math import comb
from typing import TypeAlias

from sidelight.errors import Contradiction
from sidelight.knowledge.facts import Fact
from sidelight.worlds.budget import OverBudget
from sidelight.worlds.counting import Counting
from sidelight.worlds.formula import Formula
from sidelight.worlds.grounding import Ground

Impossible: TypeAlias = Callable[[Sequence[int]], bool]

MOST_TRIED = 2_000
"""How many sets of facts are tried to find a smaller one."""


def contradiction(ground: Ground, counting: Counting, facts: Sequence[Fact], known: Sequence[Formula]) -> Contradiction:
    """Make the error that names a smallest set of facts that no world fits."""

    def impossible(chosen: Sequence[int]) -> bool:
        try:
            return counting.worlds(ground.formulas.all_of(known[place] for place in chosen), ground.urns) == 0
        except OverBudget:
            return False  # it is not known, so it is not blamed

    blamed = [facts[place] for place in _smallest(len(facts), impossible)]
    told = " and ".join(f"'{fact}'" for fact in blamed[:5]) + (" and others" if len(blamed) > 5 else "")
    cannot = "cannot be so" if len(blamed) == 1 else "cannot all be so"
    message = (
        f"no world fits the release and the facts: {told} {cannot}; take {'it' if len(blamed) == 1 else 'one'} back"
    )
    return Contradiction(message, facts=tuple(map(str, blamed)))


def _smallest(number: int, impossible: Impossible) -> list[int]:
    """Leave out what can be left out, then look for a smaller set altogether while there are few."""
    needed, many = list(range(number)), (number + 1) // 2
    while many:
        for start in range(0, number, many):  # many at once first: most facts are innocent
            fewer = [each for each in needed if not start <= each < start + many]
            if len(fewer) < len(needed) and impossible(fewer):
                needed = fewer
        many = (many + 1) // 2 if many > 1 else 0
    for size in range(1, len(needed)):
        if comb(number, size) > MOST_TRIED:
            break
        for chosen in combinations(range(number), size):
            if impossible(chosen):
                return list(chosen)
    return needed
