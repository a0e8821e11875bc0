"""What somebody found out about one person and a few others, and how sure that makes them: worlds, counted.

Everyone who is not mentioned is counted in one lump, so that groups of many people cost no more than small ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from math import comb, factorial, perm, prod
from typing import TypeVar

from sidelight.errors import BadMeasure
from sidelight.release.groups import Groups
from sidelight.release.release import Release
from sidelight.table.labels import Label
from sidelight.worlds.brute_force import Event, World, probability

Number = TypeVar("Number", Fraction, Decimal)

AT_ONCE = 256
"""So many factors are multiplied as whole numbers before they are divided; longer ones are slow to divide."""


@dataclass(frozen=True, slots=True)
class Others:
    """People of one group of whom something is known: their values, or only that they lack the target's value."""

    group: int
    people: int
    values: tuple[tuple[Label, int], ...] = ()  # in `single`: value, how many of them have it


@dataclass(frozen=True, slots=True)
class Family:
    """People of one group of whom is known: if one of them has the value, so has the target."""

    group: int
    people: int


@dataclass(frozen=True, slots=True)
class Investigation:
    """One person of a group (by number), a value, and all that was found out.

    In `single` the target does not have the values ruled out; otherwise, if she has one, she has `value` too.
    """

    group: int
    value: Label
    rules_out: tuple[Label, ...] = ()
    others: Others | None = None
    family: Family | None = None


@dataclass(frozen=True, slots=True)
class _Inside:
    """What is known inside one group."""

    people: int
    counts: dict[Label, int]
    value: Label
    rules_out: tuple[Label, ...]
    known: tuple[tuple[Label, int], ...]
    without: int  # others known to lack the value
    family: int
    target: bool = field(default=False)


def odds(release: Release, found: Investigation, ratio: Callable[[int, int], Number]) -> tuple[Number, Number]:
    """Count worlds that fit what was found out: those in which the target has the value : those in which not.

    Worlds are counted up to a factor that both numbers share, in the arithmetic of `ratio`, which divides.

    >>> release = Release.from_counts([{"Flu": 2, "Cold": 1, "Heart": 1}])
    >>> odds(release, Investigation(1, "Flu", rules_out=("Cold",)), Fraction)
    (Fraction(2, 1), Fraction(1, 1))
    """
    has = lacks = ratio(1, 1)
    for number in _groups(found):
        with_it, without_it = _COUNT[release.semantics](_inside(release.group(number), number, found), ratio)
        has, lacks = has * with_it, lacks * without_it
    if has == lacks == 0:
        message = "no world fits both the release and what was found out; is it another release?"
        raise BadMeasure(message)
    return has, lacks


def by_every_world(release: Release, found: Investigation) -> Fraction:
    """Go through the worlds one by one: the slow, obvious twin of `odds`."""
    numbers = _groups(found)
    small = Release.from_counts(
        [_counts(release.group(number)) for number in numbers],
        sizes=[int(release.group(number).sizes[0]) for number in numbers],
        values=release.semantics,
        domain=release.domain,
    )
    target = (numbers.index(found.group) + 1, 0)
    return probability(
        small, lambda world: found.value in world[target], given=_knowledge(small.semantics, found, numbers)
    )


def few_worlds(release: Release, found: Investigation, most: int) -> bool:
    """Say whether the groups in question have at most so many worlds."""
    groups = [release.group(number) for number in _groups(found)]
    small = all(part.sizes[0] + part.counts.row(0).sum() <= 64 for part in groups)  # else do not even count them
    return small and prod(_worlds(part) for part in groups) <= most


def _worlds(group: Groups) -> int:
    people = int(group.sizes[0])
    counts: list[int] = group.counts.row(0).tolist()
    if group.semantics == "single":
        return factorial(people) // prod(factorial(count) for count in counts)
    if group.semantics == "set":
        return prod(comb(people, count) for count in counts)
    return int(people ** sum(counts))


def _groups(found: Investigation) -> list[int]:
    elsewhere = [part.group for part in (found.others, found.family) if part is not None]
    return list(dict.fromkeys([found.group, *elsewhere]))


def _counts(groups: Groups) -> dict[Label, int]:
    return {text: count for text, count in zip(groups.domain, groups.counts.row(0).tolist(), strict=True) if count}


def _inside(groups: Groups, number: int, found: Investigation) -> _Inside:
    others = found.others if found.others is not None and found.others.group == number else None
    family = found.family if found.family is not None and found.family.group == number else None
    return _Inside(
        people=int(groups.sizes[0]),
        counts=_counts(groups),
        value=found.value,
        rules_out=found.rules_out if found.group == number else (),
        known=others.values if others else (),
        without=others.people if others else 0,
        family=family.people if family else 0,
        target=found.group == number,
    )


def _single(inside: _Inside, ratio: Callable[[int, int], Number]) -> tuple[Number, Number]:
    """Hand occurrences to the people mentioned; the rest can be handed out in equally many ways in both cases."""
    left = dict(inside.counts)
    for text, people in inside.known:
        if left.get(text, 0) < people:
            return ratio(0, 1), ratio(0, 1)
        left[text] -= people
    people, mine = sum(left.values()), left.get(inside.value, 0)
    if not inside.target:
        return ratio(1, 1), _without(people, mine, inside.family, ratio)
    other = sum(count for text, count in left.items() if text != inside.value and text not in inside.rules_out)
    return ratio(mine, 1), other * _without(people - 1, mine, inside.family, ratio)


def _set(inside: _Inside, ratio: Callable[[int, int], Number]) -> tuple[Number, Number]:
    """Choose who has the value, and who has each value that was ruled out."""
    people, mine = inside.people - inside.without, inside.counts.get(inside.value, 0)
    if mine > people:
        return ratio(0, 1), ratio(0, 1)
    if not inside.target:
        return ratio(1, 1), _without(people, mine, inside.family, ratio)
    lacks = (people - mine) * _without(people - 1, mine, inside.family, ratio)
    for text in inside.rules_out:
        lacks *= ratio(inside.people - inside.counts.get(text, 0), inside.people)
    return ratio(mine, 1), lacks


def _without(people: int, mine: int, few: int, ratio: Callable[[int, int], Number]) -> Number:
    """Choose `mine` of the people: which share of the choices leaves out these few?  C(n−m, a) / C(n, a).

    It is a product of m factors, or of a, whichever is less: what is not mentioned costs nothing.
    """
    if few and mine > people - few:
        return ratio(0, 1)
    less, more = sorted((mine, few))
    share = ratio(1, 1)
    for start in range(0, less, AT_ONCE):
        step = min(AT_ONCE, less - start)
        share *= ratio(perm(people - more - start, step), perm(people - start, step))
    return share


def _multiset(inside: _Inside, ratio: Callable[[int, int], Number]) -> tuple[Number, Number]:
    """Let each occurrence of the value choose its person, and each of a value that was ruled out."""
    people, mine = inside.people - inside.without, inside.counts.get(inside.value, 0)

    def chosen(among: int, every: int, times: int) -> Number:
        return ratio(max(among, 0), every) ** times if times else ratio(1, 1)

    if people <= 0 < mine:
        return ratio(0, 1), ratio(0, 1)
    if not inside.target:
        return ratio(1, 1), chosen(people - inside.family, people, mine)
    ruled_out = sum(inside.counts.get(text, 0) for text in inside.rules_out)
    has = 1 - chosen(people - 1, people, mine)
    lacks = chosen(people - 1 - inside.family, people, mine)
    return has, lacks * chosen(inside.people - 1, inside.people, ruled_out)


_COUNT = {"single": _single, "set": _set, "multiset": _multiset}


def _knowledge(semantics: str, found: Investigation, numbers: list[int]) -> Event:
    """Turn what was found out into a question to a world; the target is the first person of her group."""
    target = (numbers.index(found.group) + 1, 0)
    taken = {number: int(number == found.group) for number in numbers}

    def next_people(part: Others | Family | None) -> list[tuple[int, int]]:
        if part is None:
            return []
        start = taken[part.group]
        taken[part.group] += part.people
        return [(numbers.index(part.group) + 1, place) for place in range(start, start + part.people)]

    others, family = next_people(found.others), next_people(found.family)
    listed = found.others.values if found.others else ()
    values = [text for text, people in listed for _ in range(people)]

    def fits(world: World) -> bool:
        has = found.value in world[target]
        ruled_out = any(text in world[target] for text in found.rules_out)
        if semantics == "single":
            known = all(world[person] == {text} for person, text in zip(others, values, strict=True)) and not ruled_out
        else:
            known = all(found.value not in world[person] for person in others) and (has or not ruled_out)
        return known and (has or all(found.value not in world[person] for person in family))

    return fits
