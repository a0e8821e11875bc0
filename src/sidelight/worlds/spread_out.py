"""Acquaintance by dynamic programming, with the others and the family spread over the groups in any way.

The fast measure lets them sit together (congregation); this does not assume it.  The baseline of the benchmark, and the
twin for releases too large to go through their worlds.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from sidelight.release.groups import Groups
from sidelight.table.columns import Integers
from sidelight.table.table import Semantics

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
