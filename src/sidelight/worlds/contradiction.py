"""Which facts cannot all be so?"""

from __future__ import annotations

from collections.abc import Sequence

from sidelight.errors import Contradiction
from sidelight.knowledge.facts_part import Fact
from sidelight.knowledge.tokens import in_short
from sidelight.worlds.counting.counter import Counting
from sidelight.worlds.effort import Budget, Meter, OverBudget
from sidelight.worlds.satisfiable import Possible
from sidelight.worlds.smallest_conflict import smallest_clash

MOST_SECONDS = 3
"""After that, a set of facts that may not be the smallest will do."""


def contradiction(counting: Counting, facts: Sequence[Fact]) -> Contradiction:
    """Make the error that names a smallest set of facts that no world fits."""
    meter = Meter(Budget(counting.meter.budget.states, MOST_SECONDS))
    possible = Possible(counting.release, counting.cast, meter)

    def impossible(chosen: Sequence[int]) -> bool:
        some = [facts[place] for place in chosen]
        if meter.is_late():
            return False  # it is not known, so it is not blamed
        try:
            return not possible.all_of(some)
        except OverBudget:
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
    except OverBudget:
        return False  # it is not known, so it is not blamed
