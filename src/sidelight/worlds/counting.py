"""In which share of all worlds are some facts so?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod

from sidelight.knowledge.facts import Fact
from sidelight.knowledge.people import Who
from sidelight.release.release import Release
from sidelight.table.labels import Label
from sidelight.worlds.budget import Meter, OverBudget
from sidelight.worlds.cast import Cast
from sidelight.worlds.frontier import Frontier
from sidelight.worlds.grounding import conjuncts, ground, joined
from sidelight.worlds.marginals import values_of
from sidelight.worlds.schedule import Schedule


@dataclass(slots=True)
class Counting:
    """Counts worlds of a release, within a budget; what was counted is remembered."""

    release: Release
    cast: Cast
    meter: Meter
    known: dict[frozenset[Fact], Fraction] = field(default_factory=dict)

    def share(self, facts: Iterable[Fact]) -> Fraction:
        """Say in which share of all worlds all of these are so: facts about different groups are independent."""
        try:
            return prod((self._share(linked) for linked in self._linked(facts)), start=Fraction(1))
        except RecursionError:  # facts within facts within facts
            raise OverBudget from None

    def values(self, facts: Iterable[Fact], who: Who) -> dict[Label, Fraction]:
        """Say for each value of a person's group in which share of worlds the person has it and the facts are so."""
        row = self.cast.rows[who]
        near: list[Fact] = []
        far = Fraction(1)
        for linked in self._linked(facts):
            if any(self.cast.rows[other] == row for fact in linked for other in fact.people()):
                near += linked
            else:
                far *= self._share(linked)
        return {
            value: far * share for value, share in values_of(self.release, self.cast, near, who, self.meter).items()
        }

    def _share(self, facts: Sequence[Fact]) -> Fraction:
        key = frozenset(facts)
        if key not in self.known:
            self.known[key] = Frontier(Schedule.of(ground(self.release, self.cast, facts))).share(self.meter)
        return self.known[key]

    def _linked(self, facts: Iterable[Fact]) -> list[list[Fact]]:
        """Put facts together that share a group."""
        each = list(dict.fromkeys(part for fact in facts for part in conjuncts(fact)))
        rows = [[self.cast.rows[who] for who in fact.people()] for fact in each]
        first = joined(dict.fromkeys(row for some in rows for row in some), rows)
        linked: dict[int, list[Fact]] = {}
        for fact, some in zip(each, rows, strict=True):
            linked.setdefault(first[some[0]], []).append(fact)
        return list(linked.values())
