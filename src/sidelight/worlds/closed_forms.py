"""Worlds counted by formulas, for knowledge of one fixed shape: exactly, however large the groups.

`probability_of_avoiding` (for `Implications`, `Negations`): some people of a group have none of some values, one value
per person.  State: how many people of each kind (by what they avoid) still have nothing; values that nobody avoids, and
people who are not mentioned, are counted at once.

`odds` (for `Acquaintance`): what somebody found out about one person, some others and a family.  With n people, m of
them with the value and a of them mentioned, none of the a has it in C(n−m, a) / C(n, a) of the worlds (`set`,
`single`), or in ((n−a)/n)^m (`multiset`); groups are independent, so their odds are multiplied.

`spread_out`: the worst risk of `Acquaintance` by dynamic programming over groups, with the others and the family spread
over them in any way.  The fast measure lets them sit together (congregation); this does not assume it.  It is the twin
for releases too large to go through their worlds, and the baseline of the benchmark.

    placed[i, j]   smallest odds against, when i others, j of the family and the target sit in the groups so far
    waiting[i, j]  the same without the target;  each group takes (i', j') of them: (min, ×)-convolution
    Cost           groups × (others × family)² × values
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

import numpy as np
import numpy.typing as npt

from sidelight._arrays import Integers
from sidelight.errors import BadMeasure
from sidelight.release.groups import Groups
from sidelight.release.release import Release
from sidelight.table.labels import Label
from sidelight.table.table import Semantics

Avoided: TypeAlias = frozenset[Label]


def probability_of_avoiding(bag: Mapping[Label, int], avoided: Sequence[Avoided]) -> Fraction:
    """Give the probability that the i-th of some people of a group has none of `avoided[i]` (one value per person).

    Ways to hand different occurrences of the bag's values to these people so that nobody gets one to be avoided /
    ways to hand them any.

    >>> bag = {"Flu": 2, "Lung cancer": 2, "Heart disease": 1}
    >>> probability_of_avoiding(bag, [frozenset(["Flu", "Lung cancer"])])
    Fraction(1, 5)
    >>> probability_of_avoiding(bag, [frozenset(["Flu"]), frozenset(["Flu"])])
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
            for after, more in _hand_out(waiting, may, amount):
                left[after] += ways * more
    # whoever still waits takes any of the values that nobody avoids
    others = sum(bag.values()) - sum(named.values())
    return sum(ways * perm(others, sum(waiting)) for waiting, ways in left.items())


def _hand_out(waiting: tuple[int, ...], may: list[bool], amount: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """Hand out a value of which there are `amount`: who still waits afterwards, and in how many ways."""
    most = [min(people, amount) if allowed else 0 for people, allowed in zip(waiting, may, strict=True)]
    for served in product(*(range(many + 1) for many in most)):
        if sum(served) <= amount:
            who = prod(comb(people, many) for people, many in zip(waiting, served, strict=True))
            yield (
                tuple(people - many for people, many in zip(waiting, served, strict=True)),
                who * perm(amount, sum(served)),
            )


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

    def groups(self) -> list[int]:
        """Number the groups that it is about, the target's first."""
        elsewhere = [people.group for people in (self.others, self.family) if people is not None]
        return list(dict.fromkeys([self.group, *elsewhere]))


@dataclass(frozen=True, slots=True)
class _InGroup:
    """What is known inside one group."""

    people: int
    counts: dict[Label, int]
    value: Label
    rules_out: tuple[Label, ...]
    values_of_others: tuple[tuple[Label, int], ...]
    without: int  # others known to lack the value
    family: int
    target: bool = field(default=False)


def odds(release: Release, investigation: Investigation, ratio: Callable[[int, int], Number]) -> tuple[Number, Number]:
    """Count worlds that fit what was found out: those in which the target has the value : those in which not.

    Worlds are counted up to a factor that both numbers share, in the arithmetic of `ratio`, which divides.

    >>> release = Release.from_counts([{"Flu": 2, "Cold": 1, "Heart": 1}])
    >>> odds(release, Investigation(1, "Flu", rules_out=("Cold",)), Fraction)
    (Fraction(2, 1), Fraction(1, 1))
    """
    has = lacks = ratio(1, 1)
    for number in investigation.groups():
        with_it, without_it = _COUNT[release.semantics](_in_group(release.group(number), number, investigation), ratio)
        has, lacks = has * with_it, lacks * without_it
    if has == lacks == 0:
        message = "no world fits both the release and what was found out; is it another release?"
        raise BadMeasure(message)
    return has, lacks


def _counts(groups: Groups) -> dict[Label, int]:
    return {text: count for text, count in zip(groups.domain, groups.counts.row(0).tolist(), strict=True) if count}


def _in_group(groups: Groups, number: int, investigation: Investigation) -> _InGroup:
    others = investigation.others if investigation.others is not None and investigation.others.group == number else None
    family = investigation.family if investigation.family is not None and investigation.family.group == number else None
    return _InGroup(
        people=int(groups.sizes[0]),
        counts=_counts(groups),
        value=investigation.value,
        rules_out=investigation.rules_out if investigation.group == number else (),
        values_of_others=others.values if others else (),
        without=others.people if others else 0,
        family=family.people if family else 0,
        target=investigation.group == number,
    )


def _single(known: _InGroup, ratio: Callable[[int, int], Number]) -> tuple[Number, Number]:
    """Hand occurrences to the people mentioned; the rest can be handed out in equally many ways in both cases."""
    left = dict(known.counts)
    for text, people in known.values_of_others:
        if left.get(text, 0) < people:
            return ratio(0, 1), ratio(0, 1)
        left[text] -= people
    people, mine = sum(left.values()), left.get(known.value, 0)
    if not known.target:
        return ratio(1, 1), _without(people, mine, known.family, ratio)
    other = sum(count for text, count in left.items() if text != known.value and text not in known.rules_out)
    return ratio(mine, 1), other * _without(people - 1, mine, known.family, ratio)


def _set(known: _InGroup, ratio: Callable[[int, int], Number]) -> tuple[Number, Number]:
    """Choose who has the value, and who has each value that was ruled out."""
    people, mine = known.people - known.without, known.counts.get(known.value, 0)
    if mine > people:
        return ratio(0, 1), ratio(0, 1)
    if not known.target:
        return ratio(1, 1), _without(people, mine, known.family, ratio)
    lacks = (people - mine) * _without(people - 1, mine, known.family, ratio)
    for text in known.rules_out:
        lacks *= ratio(known.people - known.counts.get(text, 0), known.people)
    return ratio(mine, 1), lacks


def _without(people: int, mine: int, few: int, ratio: Callable[[int, int], Number]) -> Number:
    """Choose `mine` of the people: which share of the choices leaves out these few?  C(n−m, a) / C(n, a).

    It is a product of m factors, or of a, whichever is less: what is not mentioned costs nothing.
    """
    if few and mine > people - few:
        return ratio(0, 1)
    # symmetric in m and a, so the shorter product is taken
    less, more = sorted((mine, few))
    share = ratio(1, 1)
    for start in range(0, less, AT_ONCE):
        step = min(AT_ONCE, less - start)
        share *= ratio(perm(people - more - start, step), perm(people - start, step))
    return share


def _multiset(known: _InGroup, ratio: Callable[[int, int], Number]) -> tuple[Number, Number]:
    """Let each occurrence of the value choose its person, and each of a value that was ruled out."""
    people, mine = known.people - known.without, known.counts.get(known.value, 0)

    def chosen(among: int, every: int, times: int) -> Number:
        return ratio(max(among, 0), every) ** times if times else ratio(1, 1)

    if people <= 0 < mine:
        return ratio(0, 1), ratio(0, 1)
    if not known.target:
        return ratio(1, 1), chosen(people - known.family, people, mine)
    ruled_out = sum(known.counts.get(text, 0) for text in known.rules_out)
    has = 1 - chosen(people - 1, people, mine)
    lacks = chosen(people - 1 - known.family, people, mine)
    return has, lacks * chosen(known.people - 1, known.people, ruled_out)


_COUNT = {"single": _single, "set": _set, "multiset": _multiset}


Numbers: TypeAlias = npt.NDArray[np.object_] | npt.NDArray[np.float64]
Divide: TypeAlias = Callable[[Integers | int, Integers | int], Numbers]


def divide_exactly(over: Integers | int, under: Integers | int) -> Numbers:
    """Divide exactly."""
    pairs = np.broadcast(over, under)
    return np.array([Fraction(int(a), int(b)) for a, b in pairs], object).reshape(pairs.shape)


def divide_in_floats(over: Integers | int, under: Integers | int) -> Numbers:
    """Divide quickly."""
    return np.asarray(np.true_divide(over, under))


def spread_out(groups: Groups, *, rules_out: int, others: int, family: int, divide: Divide = divide_exactly) -> Numbers:
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
        none = none_has(groups.semantics, int(groups.sizes[row]), counts, (others + 1, family), divide)
        odds = odds_against(groups.semantics, int(groups.sizes[row]), counts, (rules_out, others), divide)
        # the target sits in a group before, or in this one
        elsewhere = _convolve(placed, none[:-1])
        here = _convolve(waiting, odds[:, np.newaxis] * none[1:])
        # a target needs a group with the value: here, in one before, or in either
        placed = np.where(counts == 0, elsewhere, np.where(seen, np.minimum(elsewhere, here), here))
        waiting = _convolve(waiting, none[:-1])
        seen |= counts > 0
    least = placed[-1, -1]
    return np.array([1 / (1 + each) if there else 0 * each for each, there in zip(least, seen, strict=True)])


def _convolve(before: Numbers, here: Numbers) -> Numbers:
    """Let i others and j of the family sit in one more group, the rest in those before: the best way for each sum."""
    least: Numbers = before * here[0, 0]
    for i, j in np.ndindex(before.shape[:2]):
        rest = before[: before.shape[0] - i, : before.shape[1] - j]
        np.minimum(least[i:, j:], rest * here[i, j], out=least[i:, j:])
    return least


def none_has(semantics: Semantics, people: int, counts: Integers, most: tuple[int, int], divide: Divide) -> Numbers:
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


def odds_against(semantics: Semantics, people: int, counts: Integers, most: tuple[int, int], divide: Divide) -> Numbers:
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
