"""How much may somebody know before a release gives a value away?"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from sidelight.errors import BadMeasure
from sidelight.measures.criterion import Bound, exact
from sidelight.measures.privacy_skyline.pareto import Frontier
from sidelight.measures.privacy_skyline.skyline_holds import Flags, Holds
from sidelight.release.release import Release
from sidelight.table.columns import Integers

Point: TypeAlias = tuple[int | float, int | float, int | float]
"""Rules out, others, family; `math.inf` where there is no end."""


def knowledge_skyline(release: Release, value: object, below: Bound) -> tuple[Point, ...]:
    """How much may somebody know before the risk of `value` is no longer below a limit?

    All maximal (ℓ, k, m) = (rules_out, others, family) of `Acquaintance` at which Pr(t has σ | knowledge) < `below`:
    at or under one of them the release holds, above them all it does not.  Empty when it does not hold against
    somebody who knows nothing.

    >>> release = Release.from_counts([{"Flu": 2, "Cold": 3, "Heart": 2, "Ulcer": 2}])
    >>> knowledge_skyline(release, "Flu", below=0.6)
    ((0, 0, 4), (0, 1, 3), (0, 2, 2), (0, 4, 1), (0, 5, 0), (1, 0, 3), (1, 1, 2), (1, 2, 0), (2, 0, 1))

    Source: Chen, LeFevre, Ramakrishnan, Privacy Skyline, VLDB 2007; there the loop has no bound, and stops at
    risk > limit instead of ≥.
    """
    limit = exact(below)
    if not 0 <= limit <= 1:
        message = f"a risk is never below {below}; give a limit between 0 and 1"
        raise BadMeasure(message)
    place, most = release.groups.place(value), len(release.domain) - 1
    frontier = Frontier.of(release.groups, place)
    if limit == 0:
        return ()
    if frontier is None:
        return ((most, math.inf, math.inf),)
    points = _maximal(_most_others(Holds(release.groups, place, frontier, 1 / Fraction(limit) - 1)))
    last = len(frontier.sizes) - 1  # who can rule out all values that occur with it can rule out the others too
    return tuple((most if point[0] == last else point[0], *point[1:]) for point in points)


def _most_others(holds: Holds) -> Integers:
    """Give the largest k for each ℓ and m (−1: none), m up to the largest for which there is any."""
    settled = int(holds.frontier.sizes.max()) + 1  # that many others, or so large a family, always settle it
    nothing = np.zeros(1, np.int64)
    family = int(_largest(lambda m: holds.at(nothing, nothing, m), np.array([settled]))[0])
    others = int(_largest(lambda k: holds.at(nothing, k, nothing), np.array([settled]))[0])
    rules_out, families = np.indices((len(holds.frontier.sizes), family + 1)).reshape(2, -1)
    most = _largest(lambda k: holds.at(rules_out, k, families), np.full(len(families), others + 1))
    return most.reshape(len(holds.frontier.sizes), family + 1)


def _largest(holds: Callable[[Integers], Flags], too_many: Integers) -> Integers:
    """Find, by halving, the largest number (−1: none) that still holds, for many questions at once."""
    low, high = np.full_like(too_many, -1), too_many
    while (high - low > 1).any():
        middle = (low + high) // 2
        well = holds(np.maximum(middle, 0)) & (middle >= 0)
        low, high = np.where(well, middle, low), np.where(well, high, np.maximum(middle, low + 1))
    return low


def _maximal(most: Integers) -> tuple[Point, ...]:
    """Keep (ℓ, k, m) for which neither a larger ℓ nor a larger m allows the same k."""
    beyond = np.pad(most, ((0, 1), (0, 1)), constant_values=-1)
    kept = (most > beyond[1:, :-1]) & (most > beyond[:-1, 1:])
    rules_out, family = np.nonzero(kept)
    return tuple(sorted(zip(rules_out.tolist(), most[kept].tolist(), family.tolist(), strict=True)))
