"""Worlds counted by formulas, for knowledge of one fixed shape: exactly, however large the groups.

`probability_of_avoiding` (for `Implications`, `Negations`): some people of a group have none of some values, one value
per person.  State: how many people of each kind (by what they avoid) still have nothing; values that nobody avoids, and
people who are not mentioned, are counted at once.

`odds` (for `Acquaintance`): what somebody found out about one person, some others and a family.  With n people, m of
them with the value and a of them mentioned, none of the a has it in C(n−m, a) / C(n, a) of the worlds (`set`,
`single`), or in ((n−a)/n)^m (`multiset`); groups are independent, so their odds are multiplied.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from itertools import product
from math import comb, perm, prod
from typing import TypeAlias, TypeVar

from sidelight.errors import BadMeasure
from sidelight.release.groups import GroupName, Groups
from sidelight.release.release import Release
from sidelight.table.labels import Label

Avoided: TypeAlias = frozenset[Label]


def probability_of_avoiding(counts: Mapping[Label, int], avoided: Sequence[Avoided]) -> Fraction:
    """Return the probability that the i-th of some people of a group has none of `avoided[i]` (one value per person).

    Ways to hand different occurrences of the values to these people so that nobody gets one to be avoided /
    ways to hand them any.

    >>> counts = {"Flu": 2, "Lung cancer": 2, "Heart disease": 1}
    >>> probability_of_avoiding(counts, [frozenset(["Flu", "Lung cancer"])])
    Fraction(1, 5)
    >>> probability_of_avoiding(counts, [frozenset(["Flu"]), frozenset(["Flu"])])
    Fraction(3, 10)
    """
    return Fraction(ways_to_avoid(counts, avoided), perm(sum(counts.values()), len(avoided)))


def ways_to_avoid(counts: Mapping[Label, int], avoided: Sequence[Avoided]) -> int:
    """Count the ways to hand out values so, going through those that somebody avoids one by one.

    People who avoid the same values are alike: a state is how many of each kind still have nothing.

    >>> ways_to_avoid({"a": 1, "b": 1}, [frozenset("a"), frozenset("b")])
    1
    """
    kinds = Counter(avoided)
    states = {tuple(kinds.values()): 1}
    named = {value: amount for value, amount in counts.items() if any(value in kind for kind in kinds)}
    for value, amount in named.items():
        may = [value not in kind for kind in kinds]
        before, states = states, Counter[tuple[int, ...]]()
        for waiting, ways in before.items():
            for after, more in _hand_out(waiting, may, amount):
                # states that are reached in several ways are one, and their ways add up
                states[after] += ways * more
    # whoever still waits takes any of the values that nobody avoids
    others = sum(counts.values()) - sum(named.values())
    return sum(ways * perm(others, sum(waiting)) for waiting, ways in states.items())


def _hand_out(waiting: tuple[int, ...], may: list[bool], amount: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield who still waits after a value of which there are `amount` is handed out, and in how many ways."""
    most = [min(people, amount) if allowed else 0 for people, allowed in zip(waiting, may, strict=True)]
    for served in product(*(range(number + 1) for number in most)):
        if sum(served) <= amount:
            who = prod(comb(people, number) for people, number in zip(waiting, served, strict=True))
            yield (
                tuple(people - number for people, number in zip(waiting, served, strict=True)),
                who * perm(amount, sum(served)),
            )


Number = TypeVar("Number", Fraction, Decimal)

AT_ONCE = 256
"""So many factors are multiplied as whole numbers before they are divided; longer ones are slow to divide."""


@dataclass(frozen=True, slots=True)
class Others:
    """People of one group of whom something is known: their values, or only that they lack the target's value."""

    group: GroupName
    people: int
    values: tuple[tuple[Label, int], ...] = ()  # in `single`: value, how many of them have it


@dataclass(frozen=True, slots=True)
class Family:
    """People of one group of whom is known: if one of them has the value, so has the target."""

    group: GroupName
    people: int


@dataclass(frozen=True, slots=True)
class Investigation:
    """One person of a group, a value, and all that was found out.

    In `single` the target does not have the values ruled out; otherwise, if she has one, she has `value` too.
    """

    group: GroupName
    value: Label
    rules_out: tuple[Label, ...] = ()
    others: Others | None = None
    family: Family | None = None

    def groups(self) -> list[GroupName]:
        """List the groups that it is about, the target's first."""
        elsewhere = [people.group for people in (self.others, self.family) if people is not None]
        return list(dict.fromkeys([self.group, *elsewhere]))


@dataclass(frozen=True, slots=True)
class _InGroup:
    """What is known inside one group."""

    people: int
    counts: dict[Label, int]
    value: Label
    rules_out: tuple[Label, ...]  # of the target
    values_of_others: tuple[tuple[Label, int], ...]
    without: int  # others known to lack the value
    family: int
    target: bool = field(default=False)


def odds(release: Release, investigation: Investigation, ratio: Callable[[int, int], Number]) -> tuple[Number, Number]:
    """Count worlds that fit what was found out: those in which the target has the value : those in which not.

    Worlds are counted up to a factor that both numbers share, in the arithmetic of `ratio`, which divides.

    >>> release = Release.from_counts([{"Flu": 2, "Cold": 1, "Heart": 1}])
    >>> odds(release, Investigation(GroupName(1), "Flu", rules_out=("Cold",)), Fraction)
    (Fraction(2, 1), Fraction(1, 1))
    """
    has = lacks = ratio(1, 1)
    for name in investigation.groups():
        with_it, without_it = _COUNT[release.semantics](_find_group(release.group(name), name, investigation), ratio)
        has, lacks = has * with_it, lacks * without_it
    if has == lacks == 0:
        message = "no world fits both the release and what was found out; is it another release?"
        raise BadMeasure(message)
    return has, lacks


def _find_group(groups: Groups, name: GroupName, investigation: Investigation) -> _InGroup:
    others = investigation.others if investigation.others is not None and investigation.others.group == name else None
    family = investigation.family if investigation.family is not None and investigation.family.group == name else None
    return _InGroup(
        people=int(groups.sizes[0]),
        counts=groups.value_counts(0),
        value=investigation.value,
        rules_out=investigation.rules_out,
        values_of_others=others.values if others else (),
        without=others.people if others else 0,
        family=family.people if family else 0,
        target=investigation.group == name,
    )


def _single(known: _InGroup, ratio: Callable[[int, int], Number]) -> tuple[Number, Number]:
    """Hand occurrences to the people mentioned; the rest can be handed out in equally many ways in both cases."""
    remaining = dict(known.counts)
    for text, people in known.values_of_others:
        if remaining.get(text, 0) < people:
            return ratio(0, 1), ratio(0, 1)
        remaining[text] -= people
    people, having = sum(remaining.values()), remaining.get(known.value, 0)
    if not known.target:
        return ratio(1, 1), _probability_of_missing(people, having, known.family, ratio)
    # the target lacks the value by having another one that is not ruled out
    other = sum(count for text, count in remaining.items() if text != known.value and text not in known.rules_out)
    return ratio(having, 1), other * _probability_of_missing(people - 1, having, known.family, ratio)


def _set(known: _InGroup, ratio: Callable[[int, int], Number]) -> tuple[Number, Number]:
    """Choose who has the value, and who has each value that was ruled out."""
    people, having = known.people - known.without, known.counts.get(known.value, 0)
    if having > people:
        return ratio(0, 1), ratio(0, 1)
    if not known.target:
        return ratio(1, 1), _probability_of_missing(people, having, known.family, ratio)
    lacks = (people - having) * _probability_of_missing(people - 1, having, known.family, ratio)
    for text in known.rules_out:
        lacks *= ratio(known.people - known.counts.get(text, 0), known.people)
    return ratio(having, 1), lacks


def _probability_of_missing(people: int, having: int, mentioned: int, ratio: Callable[[int, int], Number]) -> Number:
    """Choose m = `having` of n people: the probability that none of a = `mentioned` is chosen, C(n−m, a) / C(n, a).

    It is a product of m factors, or of a, whichever is less: what is not mentioned costs nothing.
    """
    if mentioned and having > people - mentioned:
        return ratio(0, 1)
    # symmetric in m and a, so the shorter product is taken
    less, more = sorted((having, mentioned))
    probability = ratio(1, 1)
    for start in range(0, less, AT_ONCE):
        step = min(AT_ONCE, less - start)
        probability *= ratio(perm(people - more - start, step), perm(people - start, step))
    return probability


def _multiset(known: _InGroup, ratio: Callable[[int, int], Number]) -> tuple[Number, Number]:
    """Let each occurrence of the value choose its person, and each of a value that was ruled out."""
    people, having = known.people - known.without, known.counts.get(known.value, 0)

    def chosen(among: int, every: int, times: int) -> Number:
        return ratio(max(among, 0), every) ** times if times else ratio(1, 1)

    if people <= 0 < having:
        return ratio(0, 1), ratio(0, 1)
    if not known.target:
        return ratio(1, 1), chosen(people - known.family, people, having)
    ruled_out = sum(known.counts.get(text, 0) for text in known.rules_out)
    # the target has it unless every occurrence chooses another person
    has = 1 - chosen(people - 1, people, having)
    lacks = chosen(people - 1 - known.family, people, having)
    return has, lacks * chosen(known.people - 1, known.people, ruled_out)


_COUNT = {"single": _single, "set": _set, "multiset": _multiset}
