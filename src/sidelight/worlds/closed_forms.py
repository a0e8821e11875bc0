"""Count the worlds in which some people of a group have none of some values: exactly, however large the group.

Only the people who are mentioned and the values they are asked about matter; everybody and everything else is lumped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from itertools import product
from math import comb, factorial, perm, prod
from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from sidelight._arrays import Integers
from sidelight.errors import BadMeasure
from sidelight.release.groups import Groups
from sidelight.release.release import Release
from sidelight.table.labels import Label
from sidelight.table.table import Semantics
from sidelight.worlds.brute_force import Event, World, probability

Avoided: TypeAlias = frozenset[Label]


def chance_of_avoiding(bag: Mapping[Label, int], avoided: Sequence[Avoided]) -> Fraction:
    """Give the probability that the i-th of some people of a group has none of `avoided[i]` (one value per person).

    Ways to hand different occurrences of the bag's values to these people so that nobody gets one to be avoided /
    ways to hand them any.

    >>> bag = {"Flu": 2, "Lung cancer": 2, "Heart disease": 1}
    >>> chance_of_avoiding(bag, [frozenset(["Flu", "Lung cancer"])])
    Fraction(1, 5)
    >>> chance_of_avoiding(bag, [frozenset(["Flu"]), frozenset(["Flu"])])
    Fraction(3, 10)
    """
    return Fraction(ways_to_avoid(bag, avoided), perm(sum(bag.values()), len(avoided)))


def ways_to_avoid(bag: Mapping[Label, int], avoided: Sequence[Avoided]) -> int:
    """Go through the values that somebody avoids, one by one, and say who of the others gets how many of it.

    People who avoid the same values are alike: a state is how many of each kind still have nothing.

    >>> ways_to_avoid({"a": 1, "b": 1}, [frozenset("a"), frozenset("b")])
    1
    """
    kinds = Counter(avoided)
    left = {tuple(kinds.values()): 1}
    named = {value: amount for value, amount in bag.items() if any(value in kind for kind in kinds)}
    for value, amount in named.items():
        may = [value not in kind for kind in kinds]
        before, left = left, Counter[tuple[int, ...]]()
        for waiting, ways in before.items():
            for after, more in _handed(waiting, may, amount):
                left[after] += ways * more
    others = sum(bag.values()) - sum(named.values())
    return sum(ways * perm(others, sum(waiting)) for waiting, ways in left.items())


def _handed(waiting: tuple[int, ...], may: list[bool], amount: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """Hand out a value of which there are `amount`: who still waits afterwards, and in how many ways."""
    most = [min(people, amount) if allowed else 0 for people, allowed in zip(waiting, may, strict=True)]
    for given in product(*(range(many + 1) for many in most)):
        if sum(given) <= amount:
            who = prod(comb(people, many) for people, many in zip(waiting, given, strict=True))
            yield (
                tuple(people - many for people, many in zip(waiting, given, strict=True)),
                who * perm(amount, sum(given)),
            )


# ----------------------------------------------------------------------------------------------------
# What somebody found out about one person and a few others, and how sure that makes them: worlds, counted.
#
# Everyone who is not mentioned is counted in one lump, so that groups of many people cost no more than small ones.
# ----------------------------------------------------------------------------------------------------


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


# ----------------------------------------------------------------------------------------------------
# Acquaintance by dynamic programming, with the others and the family spread over the groups in any way.
#
# The fast measure lets them sit together (congregation); this does not assume it.  The baseline of the benchmark, and
# the twin for releases too large to go through their worlds.
# ----------------------------------------------------------------------------------------------------


Numbers: TypeAlias = npt.NDArray[np.object_] | npt.NDArray[np.float64]
Divide: TypeAlias = Callable[[Integers | int, Integers | int], Numbers]


def in_fractions(over: Integers | int, under: Integers | int) -> Numbers:
    """Divide exactly."""
    pairs = np.broadcast(over, under)
    return np.array([Fraction(int(a), int(b)) for a, b in pairs], object).reshape(pairs.shape)


def in_floats(over: Integers | int, under: Integers | int) -> Numbers:
    """Divide quickly."""
    return np.asarray(np.true_divide(over, under))


def spread_out(groups: Groups, *, rules_out: int, others: int, family: int, divide: Divide = in_fractions) -> Numbers:
    """Give the worst risk of each value.

    `placed[i, j]` are the smallest odds against when i others, j of the family and the target sit in the groups so
    far, `waiting[i, j]` the same without the target.

    >>> from sidelight.release.release import Release
    >>> release = Release.from_counts([{"Flu": 2, "Cold": 1, "Heart": 1}])
    >>> spread_out(release.groups, rules_out=1, others=0, family=0).tolist()
    [Fraction(1, 2), Fraction(2, 3), Fraction(1, 2)]
    """
    one = divide(np.ones((others + 1, family + 1, len(groups.domain)), np.int64), 1)
    waiting, placed, seen = one, one, np.zeros(len(groups.domain), bool)
    for row in range(len(groups)):
        counts = groups.counts.row(row)
        none = chances(groups.semantics, int(groups.sizes[row]), counts, (others + 1, family), divide)
        odds = against(groups.semantics, int(groups.sizes[row]), counts, (rules_out, others), divide)
        elsewhere = _sharing(placed, none[:-1])
        here = _sharing(waiting, odds[:, np.newaxis] * none[1:])
        # a target needs a group with the value: here, in one before, or in either
        placed = np.where(counts == 0, elsewhere, np.where(seen, np.minimum(elsewhere, here), here))
        waiting = _sharing(waiting, none[:-1])
        seen |= counts > 0
    least = placed[-1, -1]
    return np.array([1 / (1 + each) if there else 0 * each for each, there in zip(least, seen, strict=True)])


def _sharing(before: Numbers, here: Numbers) -> Numbers:
    """Let i others and j of the family sit in one more group, the rest in those before: the best way for each sum."""
    least: Numbers = before * here[0, 0]
    for i, j in np.ndindex(before.shape[:2]):
        rest = before[: before.shape[0] - i, : before.shape[1] - j]
        np.minimum(least[i:, j:], rest * here[i, j], out=least[i:, j:])
    return least


def chances(semantics: Semantics, people: int, counts: Integers, most: tuple[int, int], divide: Divide) -> Numbers:
    """V[i, j]: the probability that none of j people has the value, i others being known to lack it."""
    table = divide(np.ones((most[0] + 1, most[1] + 1, len(counts)), np.int64), 1)
    for i, j in np.ndindex(most[0] + 1, most[1]):
        left = people - i - j
        if semantics == "multiset":
            step = divide(np.maximum(left - 1, 0), max(left, 1)) ** counts
        else:
            step = divide(np.maximum(left - counts, 0), max(left, 1))
        table[i, j + 1] = np.where(counts == 0, 1, table[i, j] * step)
    return table


def against(semantics: Semantics, people: int, counts: Integers, most: tuple[int, int], divide: Divide) -> Numbers:
    """T[i]: the odds against the target having the value, i others being known to lack it (where anybody has it)."""
    top = [np.sort(np.delete(counts, value))[::-1][: most[0]] for value in range(len(counts))]
    ruled_out = np.array([each.sum() for each in top], np.int64)
    table = divide(np.ones((most[1] + 1, len(counts)), np.int64), 1)
    for i in range(most[1] + 1):
        if semantics == "single":
            table[i] = divide(np.maximum(people - counts - ruled_out - i, 0), np.maximum(counts, 1))
        elif semantics == "set":
            kept = np.array([divide(people - each, people).prod() for each in top])
            table[i] = divide(np.maximum(people - counts - i, 0), np.maximum(counts, 1)) * kept
        else:
            table[i] = _multiset_odds(people, counts, i, divide) * divide(people - 1, people) ** ruled_out
    return table


def _multiset_odds(people: int, counts: Integers, i: int, divide: Divide) -> Numbers:
    """q/(1−q) with q = ((n−i−1)/(n−i))^a."""
    q = divide(max(people - i - 1, 0), max(people - i, 1)) ** np.maximum(counts, 1)
    odds: Numbers = q / (1 - q)
    return odds
