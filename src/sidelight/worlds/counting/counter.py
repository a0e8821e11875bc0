"""In which share of all worlds are some facts so?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod
from typing import TypeAlias

from sidelight.knowledge.facts import Fact, Has, Same
from sidelight.knowledge.people import Who
from sidelight.release.release import Release
from sidelight.table.labels import Label
from sidelight.worlds.counting.compile import Ground, conjuncts, ground, joined
from sidelight.worlds.counting.distinct import Differing, all_differ, some_of_many_are_the_same
from sidelight.worlds.counting.frontier import Drawing, Frontier, States, Step, every_way, to_come, ways_to_have
from sidelight.worlds.counting.order import Schedule
from sidelight.worlds.effort import Meter, OverEffort
from sidelight.worlds.identify import Entities

Shares: TypeAlias = tuple[Fraction, Fraction]
"""In which share of all worlds the facts are so, and in which the target is so as well."""


@dataclass(slots=True)
class Counting:
    """Counts worlds of a release, within an effort allowed; what was counted is remembered."""

    release: Release
    entities: Entities
    meter: Meter
    known: dict[tuple[frozenset[Fact], Fact | None], Shares] = field(default_factory=dict)
    distributions: dict[tuple[frozenset[Fact], Who], dict[Label, Fraction]] = field(default_factory=dict)
    differing: Differing = field(default_factory=Differing)

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
        others, values = self._product(far), self._values(near, who)
        return {value: others * share for value, share in values.items()}

    def _values(self, facts: Sequence[Fact], who: Who) -> dict[Label, Fraction]:
        key = (frozenset(facts), who)
        if key not in self.distributions:
            if self.differing.fits(ground(self.release, self.entities, facts)):
                there = self.release.groups.counts.row(self.entities.group_of[who]).nonzero()[0].tolist()
                targets = {value: Has(who, value) for value in map(self.release.domain.__getitem__, there)}
                found = {who: {value: self._counted(facts, target)[1] for value, target in targets.items()}}
            else:
                compared = [same.about() for fact in facts for same in fact.atoms() if isinstance(same, Same)]
                linked = dict.fromkeys(other for pair in compared for other in pair)
                people = list(linked) if who in linked else [who]
                found = values_of(self.release, self.entities, facts, people, self.meter)
            self.distributions |= {(key[0], each): values for each, values in found.items()}
        return self.distributions[key]

    def _product(self, linked: Iterable[Sequence[Fact]]) -> Fraction:
        return prod((self._counted(facts)[0] for facts in linked), start=Fraction(1))

    def _counted(self, facts: Sequence[Fact], target: Fact | None = None) -> Shares:
        key = (frozenset(facts), target)
        if key not in self.known:
            try:
                self.known[key] = self._by_method(facts, target)
            except RecursionError:  # facts within facts within facts
                raise OverEffort from None
        return self.known[key]

    def _by_method(self, facts: Sequence[Fact], target: Fact | None) -> Shares:
        alike = next((fact for fact in facts if some_of_many_are_the_same(fact)), None)
        if alike is not None:  # all worlds, less those in which they all differ
            others = [fact for fact in facts if fact != alike]
            every, less = self._counted(others, target), self._counted([*others, *all_differ(alike)], target)
            return every[0] - less[0], every[1] - less[1]
        made = ground(self.release, self.entities, facts)
        if made.never:
            return Fraction(0), Fraction(0)
        if self.differing.fits(made):
            if target is not None:
                return self._counted(facts)[0], self._counted([*facts, *conjuncts(target)])[0]
            return self.differing.share(made, self.meter), Fraction(0)
        if target is not None:
            made = ground(self.release, self.entities, facts, tracked=target)
        return Frontier(Schedule.of(made, self.meter)).shares(self.meter)

    def _near(self, facts: Iterable[Fact], people: Iterable[Who]) -> tuple[list[Fact], list[list[Fact]]]:
        """Tell the facts that are linked with the groups of some people from those that are not."""
        rows = {self.entities.group_of[who] for who in people}
        near: list[Fact] = []
        far: list[list[Fact]] = []
        for linked in self._linked(facts):
            if any(self.entities.group_of[who] in rows for fact in linked for who in fact.people()):
                near += linked
            else:
                far.append(linked)
        return near, far

    def _linked(self, facts: Iterable[Fact]) -> list[list[Fact]]:
        """Put facts together that share a group."""
        each = list(dict.fromkeys(part for fact in facts for part in conjuncts(fact)))
        rows = [[self.entities.group_of[who] for who in fact.people()] for fact in each]
        first = joined(dict.fromkeys(row for some in rows for row in some), rows)
        linked: dict[int, list[Fact]] = {}
        for fact, some in zip(each, rows, strict=True):
            linked.setdefault(first[some[0]], []).append(fact)
        return list(linked.values())


# ----------------------------------------------------------------------------------------------------
# How likely is each value of some people, all at once?
#
# The worlds are counted forwards, and what may still come backwards; both meet at each turn of such a person.
# ----------------------------------------------------------------------------------------------------


def values_of(
    release: Release, entities: Entities, facts: Sequence[Fact], people: Sequence[Who], meter: Meter
) -> dict[Who, dict[Label, Fraction]]:
    """Say for each person and each value of the group in which share of worlds the person has it and all facts are so.

    People whom the facts compare cost no more together than one of them alone.
    """
    made = ground(release, entities, facts, people=people)
    total, drawn = _lots_of(made, {made.party_of[who] for who in people}, meter)
    return {who: _values(release, made, entities.group_of[who], total, drawn[made.party_of[who]]) for who in people}


def _values(
    release: Release, made: Ground, row: int, total: Fraction, drawn: dict[int, Fraction]
) -> dict[Label, Fraction]:
    count_of = dict(zip(release.domain, release.groups.counts.row(row).tolist(), strict=True))
    shares = _with_the_others(made, row, total, drawn)
    return {
        value: shares[lot] * Fraction(count_of[value], made.counts[row, lot])  # some lots are of several values
        for lot in made.lots[row]
        for value in made.said[lot]
    }


def _lots_of(made: Ground, parties: set[int], meter: Meter) -> tuple[Fraction, dict[int, dict[int, Fraction]]]:
    """Count the worlds that fit, and for each party and lot that anybody is asked about those where it draws it."""
    frontier = Frontier(Schedule.of(made, meter, watched=parties))
    layers = frontier.layers(meter)
    every, total = frontier.every_way(), layers.pop().get(0, 0)
    turns = {place: who for who, place in frontier.drawings.items()}
    drawn: dict[int, dict[int, Fraction]] = {party: {} for party in parties}
    after: States = {0: 1}
    for place, step in reversed(list(enumerate(frontier.steps))):
        states = layers.pop()
        party, lot = turns.get(place, (-1, -1))
        if party in parties:
            drawn[party][lot] = Fraction(_having(states, step, after), every)
        after = to_come(states, step, after)
        meter.check_time()
    return Fraction(total, every), drawn


def _having(states: States, step: Step, after: States) -> int:
    """Count the worlds in which the party draws the lot at this step."""
    assert isinstance(step, Drawing)
    known = {looked_at: step.having(looked_at) for looked_at in {state & step.mask for state in states}}
    return sum(
        ways * more * after.get(state - (state & step.mask) + added, 0)
        for state, ways in states.items()
        for added, more in known[state & step.mask]
    )


def _with_the_others(made: Ground, row: int, total: Fraction, drawn: dict[int, Fraction]) -> dict[int, Fraction]:
    """Add the lots that nobody is asked about."""
    drawn = {lot: share for lot, share in drawn.items() if lot in made.lots[row]}
    others = [lot for lot in made.lots[row] if lot not in drawn]
    counts = {lot: made.counts[row, lot] for lot in others}
    if made.semantics == "single":  # they share what is left by their numbers
        left = total - sum(drawn.values())
        return drawn | {lot: left * Fraction(count, sum(counts.values())) for lot, count in counts.items()}
    people = made.sizes[row]
    return drawn | {
        lot: total
        * Fraction(
            ways_to_have(made.semantics, people=people, count=count, asked=1, having=1),
            every_way(made.semantics, people=people, count=count),
        )
        for lot, count in counts.items()
    }
