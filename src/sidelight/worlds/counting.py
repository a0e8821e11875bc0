"""In which share of all worlds are some facts so?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod
from typing import TypeAlias

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

Shares: TypeAlias = tuple[Fraction, Fraction]
"""In which share of all worlds the facts are so, and in which the target is so as well."""


@dataclass(slots=True)
class Counting:
    """Counts worlds of a release, within a budget; what was counted is remembered."""

    release: Release
    cast: Cast
    meter: Meter
    known: dict[tuple[frozenset[Fact], Fact | None], Shares] = field(default_factory=dict)

    def share(self, facts: Iterable[Fact]) -> Fraction:
        """Say in which share of all worlds all of these are so: facts about different groups are independent."""
        return self._product(self._linked(facts))

    def shares(self, facts: Iterable[Fact], target: Fact) -> Shares:
        """Say in which share of all worlds all facts are so, and in which the target is so as well."""
        near, far = self._near(facts, target.people())
        others, (possible, both) = self._product(far), self._counted(near, target)
        return others * possible, others * both

    def values(self, facts: Iterable[Fact], who: Who) -> dict[Label, Fraction]:
        """Say for each value of a person's group in which share of worlds the person has it and the facts are so."""
        near, far = self._near(facts, [who])
        others, values = self._product(far), values_of(self.release, self.cast, near, who, self.meter)
        return {value: others * share for value, share in values.items()}

    def _product(self, linked: Iterable[Sequence[Fact]]) -> Fraction:
        return prod((self._counted(facts)[0] for facts in linked), start=Fraction(1))

    def _counted(self, facts: Sequence[Fact], target: Fact | None = None) -> Shares:
        key = (frozenset(facts), target)
        if key not in self.known:
            try:
                made = ground(self.release, self.cast, facts, tracked=target)
                self.known[key] = Frontier(Schedule.of(made)).shares(self.meter)
            except RecursionError:  # facts within facts within facts
                raise OverBudget from None
        return self.known[key]

    def _near(self, facts: Iterable[Fact], people: Iterable[Who]) -> tuple[list[Fact], list[list[Fact]]]:
        """Tell the facts that are linked with the groups of some people from those that are not."""
        rows = {self.cast.rows[who] for who in people}
        near: list[Fact] = []
        far: list[list[Fact]] = []
        for linked in self._linked(facts):
            if any(self.cast.rows[who] in rows for fact in linked for who in fact.people()):
                near += linked
            else:
                far.append(linked)
        return near, far

    def _linked(self, facts: Iterable[Fact]) -> list[list[Fact]]:
        """Put facts together that share a group."""
        each = list(dict.fromkeys(part for fact in facts for part in conjuncts(fact)))
        rows = [[self.cast.rows[who] for who in fact.people()] for fact in each]
        first = joined(dict.fromkeys(row for some in rows for row in some), rows)
        linked: dict[int, list[Fact]] = {}
        for fact, some in zip(each, rows, strict=True):
            linked.setdefault(first[some[0]], []).append(fact)
        return list(linked.values())
