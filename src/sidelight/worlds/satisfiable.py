"""Can some facts all be so?  One world is looked for, which is far less than counting them.

Each person is a variable that takes a value of the group (where people have several: one variable per value, which says
whether the person has it), and a group has room for only so many of each.  Facts narrow down what is left to the
variables; where they do not, one of them is tried both ways.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from sidelight.knowledge.facts import Fact, Has, OneOf, Same, fold, named_values
from sidelight.knowledge.people import Who
from sidelight.release.release import Release
from sidelight.table.labels import Label
from sidelight.worlds.effort import Effort, Meter, OverEffort
from sidelight.worlds.identify import Entities

MOST_TRIED = 5_000
"""So often something is tried before it is given up."""

Lots: TypeAlias = frozenset[Hashable]
Variable: TypeAlias = int
Left: TypeAlias = dict[Variable, Lots]  # what each variable may still be


@dataclass(frozen=True, slots=True)
class _In:
    """A variable is one of these."""

    variable: Variable
    lots: Lots


@dataclass(frozen=True, slots=True)
class _Tie:
    """Two variables are the same, or not."""

    one: Variable
    other: Variable
    same: bool


@dataclass(frozen=True, slots=True)
class _Some:
    """All of these are so, or at least one of them."""

    parts: tuple[Claim, ...]
    every: bool = False


Claim: TypeAlias = _In | _Tie | _Some


@dataclass(slots=True)
class Possible:
    """Answers whether facts can all be so in a release; `entities` says who is in which group."""

    release: Release
    entities: Entities
    meter: Meter = field(default_factory=lambda: Meter(Effort()))  # its time
    rooms: dict[Hashable, dict[Hashable, int]] = field(default_factory=dict)  # how many may be what
    room_of: list[Hashable] = field(default_factory=list)  # of each variable
    variables: dict[Hashable, Variable] = field(default_factory=dict)

    def all_of(self, facts: Iterable[Fact]) -> bool:
        """Say whether there is a world in which all of them are so."""
        claims = [self._claim(fact) for fact in facts]
        for who in self.entities.group_of if self.release.semantics == "single" else ():
            self._variable(who)
        waiting: list[tuple[Left, list[Claim]]] = [
            ({each: self._lots(each) for each in self.variables.values()}, claims)
        ]
        for _ in range(MOST_TRIED):
            if not waiting:
                return False
            self.meter.check_time()
            left, claims = waiting.pop()
            open_claims = _narrowed(left, claims)
            if open_claims is None or not self._fit(left):
                continue
            if not open_claims:
                return True
            waiting += [({**left}, [*open_claims, tried]) for tried in _ways(open_claims[-1], left)]
        raise OverEffort

    def _claim(self, fact: Fact) -> Claim:
        return fold(
            fact,
            self._simple,
            conjunction=lambda parts: _Some(tuple(parts), every=True),
            disjunction=lambda parts: _Some(tuple(parts)),
        )

    def _simple(self, fact: Has | OneOf | Same, so: bool) -> Claim:  # noqa: FBT001 - as it is fold
        if isinstance(fact, Same):
            return self._same(fact.person, fact.other, so=so)
        return self._one_of(fact.person, named_values(fact), so=so)

    def _one_of(self, who: Who, values: Sequence[Label], *, so: bool) -> Claim:
        if self.release.semantics == "single":
            variable = self._variable(who)
            named = self._lots(variable).intersection(values)
            return _In(variable, named if so else self._lots(variable) - named)
        bag = self._bag(who)
        return _Some(
            tuple(_In(self._variable((who, value)), frozenset([so])) for value in values if value in bag), not so
        )

    def _same(self, one: Who, other: Who, *, so: bool) -> Claim:
        if self.release.semantics == "single":
            return _Tie(self._variable(one), self._variable(other), so)
        mine, theirs = self._bag(one), self._bag(other)
        both = [_Tie(self._variable((one, each)), self._variable((other, each)), so) for each in mine if each in theirs]
        alone = [(one, each) for each in mine if each not in theirs] + [
            (other, each) for each in theirs if each not in mine
        ]
        return _Some((*both, *(_In(self._variable(each), frozenset([not so])) for each in alone)), so)

    def _bag(self, who: Who) -> dict[Hashable, int]:
        row = self.entities.group_of[who]
        counts = self.release.groups.counts.row(row).tolist()
        return {value: count for value, count in zip(self.release.domain, counts, strict=True) if count}

    def _variable(self, about: Hashable) -> Variable:
        """Add a variable, and the room that it shares with others of the group."""
        if about not in self.variables:
            who, value = about if isinstance(about, tuple) else (about, None)
            row, single = self.entities.group_of[who], self.release.semantics == "single"
            room = (row,) if single else (row, value)
            if room not in self.rooms:
                self.rooms[room] = self._bag(who) if single else self._has_or_lacks(row, self._bag(who)[value])
            self.variables[about] = len(self.room_of)
            self.room_of.append(room)
        return self.variables[about]

    def _has_or_lacks(self, row: int, count: int) -> dict[Hashable, int]:
        people = int(self.release.groups.sizes[row])
        return {True: count, False: people - (count if self.release.semantics == "set" else 1)}

    def _lots(self, variable: Variable) -> Lots:
        return frozenset(lot for lot, room in self.rooms[self.room_of[variable]].items() if room)

    def _fit(self, left: Left) -> bool:
        """Say whether everybody finds room, each by itself: who comes makes others move on."""
        sharing: dict[Hashable, list[Variable]] = {}
        for variable in left:
            sharing.setdefault(self.room_of[variable], []).append(variable)
        try:
            return all(_all_seated(variables, left, self.rooms[room]) for room, variables in sharing.items())
        except RecursionError:  # thousands of people of one group
            raise OverEffort from None


def _all_seated(variables: list[Variable], left: Left, room: Mapping[Hashable, int]) -> bool:
    if len(variables) <= min(room.values()):
        return True
    seated: dict[Hashable, list[Variable]] = {lot: [] for lot in room}

    def seat(variable: Variable, tried: set[Hashable]) -> bool:
        for lot in left[variable] - tried:
            tried.add(lot)
            if len(seated[lot]) < room[lot]:
                seated[lot].append(variable)
                return True
            for place, other in enumerate(seated[lot]):
                if seat(other, tried):
                    seated[lot][place] = variable
                    return True
        return False

    return all(seat(variable, set()) for variable in variables)


def _narrowed(left: Left, claims: Iterable[Claim]) -> list[Claim] | None:
    """Narrow down what is left, as long as claims do so; give the claims that are open, or none if one fails."""
    claims, before = list(claims), -1
    while before != (before := sum(map(len, left.values())) * (len(claims) + 1)):
        kept: list[Claim] = []
        while claims:
            claim = claims.pop()
            truth = _truth(claim, left)
            if truth is False:
                return None
            if truth is None:
                claims_of = [*_told(claim, left)]
                if claims_of == [claim]:
                    kept.append(claim)
                else:
                    claims += claims_of
        claims = kept[::-1]
    return claims


def _told(claim: Claim, left: Left) -> Iterator[Claim]:
    """Act on a claim that is open: what it says at once is taken from what is left, and it is put more simply."""
    if isinstance(claim, _In):
        left[claim.variable] &= claim.lots
    elif isinstance(claim, _Tie):
        if claim.same:
            left[claim.one] = left[claim.other] = left[claim.one] & left[claim.other]
        else:
            for one, other in ((claim.one, claim.other), (claim.other, claim.one)):
                if len(left[one]) == 1:
                    left[other] -= left[one]
        if _truth(claim, left) is None:
            yield claim
    elif claim.every:
        yield from claim.parts
    else:
        undecided = tuple(part for part in claim.parts if _truth(part, left) is None)
        yield undecided[0] if len(undecided) == 1 else claim if undecided == claim.parts else _Some(undecided)


def _truth(claim: Claim, left: Left) -> bool | None:
    """Say whether a claim is so, whatever is chosen of what is left; `None` if that depends."""
    if isinstance(claim, _In):
        mine = left[claim.variable]
        return True if mine <= claim.lots else False if mine.isdisjoint(claim.lots) else None
    if isinstance(claim, _Tie):
        mine, theirs = left[claim.one], left[claim.other]
        alike = claim.one == claim.other or (len(mine) == len(theirs) == 1 and mine == theirs)
        return claim.same if alike else not claim.same if mine.isdisjoint(theirs) else None
    told = {_truth(part, left) for part in claim.parts}
    if (not claim.every) in told:
        return not claim.every
    return None if None in told else claim.every


def _ways(claim: Claim, left: Left) -> list[Claim]:
    """Give two claims, of which one must be so, to go on with an open one; the last is tried first."""
    if isinstance(claim, _Some):
        first = claim.parts[0]
        return [_Some(claim.parts[1:], claim.every), first]
    assert isinstance(claim, _Tie)
    variable = min((claim.one, claim.other), key=lambda each: len(left[each]))
    one = min(left[variable], key=str)  # in the same order each time
    return [_In(variable, left[variable] - {one}), _In(variable, frozenset([one]))]
