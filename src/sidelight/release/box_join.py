"""Which boxes hold which points?  People are points, groups are boxes.

Symbols     point r stands at segment s_c(r) of each column c; box g covers there the segments from first_c(g) to
            last_c(g), or a set of them that is no interval ("pieces").  A segment is a stretch of labels that the same
            boxes cover, so there are never more of them than labels, and few where groups are few.
Wanted      all pairs (r, g) with s_c(r) covered by g in every column c.
Lookup      Boxes that cover one segment or all of them in every column (all columns printed at one level, some as `*`)
            are found by equal numbers: one number for the segments of the columns that are not `*`, pattern by pattern.
Recursion   for all other boxes: (R, G) with |R|·|G| > PAIRS_AT_ONCE is cut at a segment t of one column:
            R₁ = {s ≤ t} meets G₁ = {first ≤ t}, R₂ = {s > t} meets G₂ = {last > t}.  The column is the one with least
            |R₁|·|G₁| + |R₂|·|G₂|, t the median of its points (both judged on a sample of R).  Where every cut
            leaves nearly all boxes on both sides, each point is compared with each box.
Invariant   every wanted pair is in exactly one of the open pieces or among those found: a point goes to one side, and
            all boxes that reach it go with it.
Cost        |R|·log|G| + pairs found, by lookup (a pattern) or when boxes are small or apart; |R|·|G| comparisons, a
            block at a time, at worst.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from sidelight._arrays import KEY_LIMIT, Flags, Integers, ranges
from sidelight.errors import TooHard, parameter
from sidelight.release.label_order import Stretch, Stretches

PAIRS_AT_ONCE = 1 << 17
"""Pairs of a point and a box that are compared one by one, rather than cut once more."""

MOST_COLUMNS, MOST_PATTERNS = 60, 64
"""Patterns of columns that tell are bits of a number, and each costs a lookup of all points."""

POINTS_SAMPLED = 512
"""Points that are looked at to choose where to cut."""

MOST_PAIRS = 1 << 27
"""More pairs of a point and a box that holds it than this do not fit into memory."""


@dataclass(frozen=True, eq=False, slots=True)
class Cover:
    """One column: `segment[r]` is where point r stands, `first[g]` to `last[g]` what box g covers.

    What a box covers in pieces is `scattered[pieces[g]]`, a flag per segment (pieces −1: it covers all from first to
    last).
    """

    segment: Integers  # per point
    first: Integers  # per box
    last: Integers
    pieces: Integers
    scattered: Flags

    @classmethod
    def of(cls, points: Integers, positions: int, covered: Sequence[list[Stretch]], boxes: Integers) -> Cover:
        """Put it together from each point's position, the stretches that printed labels cover, and each box's label."""
        return cls.along(points, positions, Stretches.of(covered), boxes)

    @classmethod
    def along(cls, points: Integers, positions: int, covered: Stretches, boxes: Integers) -> Cover:
        """Put it together from stretches of many labels."""
        nothing = covered.start >= covered.stop
        first = np.where(nothing, positions, covered.start)
        last = np.where(nothing, -1, covered.stop - 1)
        scattered = np.zeros((len(covered.pieces), positions), bool)
        for row, stretches in enumerate(covered.pieces.values()):
            for start, stop in stretches:
                scattered[row, start:stop] = True
        pieces = np.full(len(first), -1)
        pieces[[*covered.pieces]] = np.arange(len(covered.pieces))
        segment, starts = _segments(first, last, scattered, positions)
        first, last = np.append(segment, len(starts))[first], segment[last]
        last[nothing] = -1
        return cls(segment[points], first[boxes], last[boxes], pieces[boxes], scattered[:, starts])

    def holds_pairs(self, points: Integers, boxes: Integers) -> Flags:
        """Say of pairs of a point and a box whether the box covers the point."""
        at = self.segment[points]
        inside: Flags = (self.first[boxes] <= at) & (at <= self.last[boxes])
        if len(self.scattered):
            pieces = self.pieces[boxes]
            some = np.flatnonzero(pieces >= 0)
            inside[some] = self.scattered[pieces[some], at[some]]
        return inside

    def overlap(self, points: Integers, boxes: Integers) -> float:
        """Give about which share of the points a box covers on average, to begin with the column where it is least."""
        at = self.segment[points]
        low, high = int(at.min(initial=0)), int(at.max(initial=0))
        covered = np.minimum(self.last[boxes], high) - np.maximum(self.first[boxes], low) + 1
        return float(covered.mean()) / (high - low + 1)

    @property
    def width(self) -> int:
        """How many segments points stand at; a box may cover others, where nobody is."""
        return max(int(self.segment.max(initial=0)), int(self.first.max(initial=0))) + 1


def _segments(first: Integers, last: Integers, scattered: Flags, positions: int) -> tuple[Integers, Integers]:
    """Number the stretches of positions that nothing tells apart; gives each position's, and where they start."""
    changes = np.zeros(positions + 1, bool)
    some = first <= last
    changes[first[some]] = changes[last[some] + 1] = True
    changes[1:positions] |= (scattered[:, 1:] != scattered[:, :-1]).any(axis=0)
    changes[0] = True
    return np.cumsum(changes[:positions]) - 1, np.flatnonzero(changes[:positions])


def join(covers: Sequence[Cover], points: Integers, boxes: Integers) -> tuple[Integers, Integers]:
    """Find all pairs of a point and a box that covers it in every column.

    >>> ages = Cover.of(np.array([0, 1, 2]), 3, [[(0, 2)], [(1, 3)]], np.array([0, 1]))
    >>> [part.tolist() for part in join([ages], np.arange(3), np.arange(2))]
    [[0, 1, 1, 2], [0, 0, 1, 1]]
    """
    patterns, others = _patterns(covers, boxes)
    pairs = [_pairs_by_lookup([covers[at] for at in columns], points, those) for columns, those in patterns]
    pairs += _pairs(covers, points, others)
    point, box = (np.concatenate(parts) for parts in zip(*pairs, strict=True))
    return point, box


def _patterns(covers: Sequence[Cover], boxes: Integers) -> tuple[list[tuple[list[int], Integers]], Integers]:
    """Sort out boxes that cover one segment or all of each column, by the columns that tell; and give the others."""
    for cover in covers:  # a box that covers nobody in a column is done with
        boxes = boxes[cover.first[boxes] <= cover.last[boxes]]
    pattern, simple = np.zeros(len(boxes), np.int64), np.ones(len(boxes), bool)
    if len(covers) > MOST_COLUMNS or prod(cover.width for cover in covers) >= KEY_LIMIT:
        return [], boxes
    for at, cover in enumerate(covers):
        first, last, whole = cover.first[boxes], cover.last[boxes], cover.pieces[boxes] < 0
        one = whole & (first == last)
        simple &= one | (whole & (first == 0) & (last >= cover.segment.max(initial=0)))
        pattern |= one.astype(np.int64) << at
    kinds = np.unique(pattern[simple])
    if len(kinds) > MOST_PATTERNS:
        return [], boxes
    columns = [[at for at in range(len(covers)) if kind >> at & 1] for kind in kinds.tolist()]
    return [(those, boxes[simple & (pattern == kind)]) for those, kind in zip(columns, kinds, strict=True)], boxes[
        ~simple
    ]


def _pairs_by_lookup(covers: Sequence[Cover], points: Integers, boxes: Integers) -> tuple[Integers, Integers]:
    """Pair points with the boxes that cover just their segments in these columns."""
    of_points, of_boxes = np.zeros(len(points), np.int64), np.zeros(len(boxes), np.int64)
    for cover in covers:
        of_points = of_points * cover.width + cover.segment[points]
        of_boxes = of_boxes * cover.width + cover.first[boxes]
    order = np.argsort(of_boxes, kind="stable")
    start = np.searchsorted(of_boxes[order], of_points, "left")
    stop = np.searchsorted(of_boxes[order], of_points, "right")
    _refuse_many(int((stop - start).sum()))
    point, box = ranges(start, stop)
    return points[point], boxes[order[box]]


def _pairs(covers: Sequence[Cover], points: Integers, boxes: Integers) -> Iterator[tuple[Integers, Integers]]:
    yield np.empty(0, np.int64), np.empty(0, np.int64)
    pieces = [(points, boxes)] if len(points) and len(boxes) else []
    pairs = 0
    while pieces:
        points, boxes = pieces.pop()
        halves = _halves(covers, points, boxes) if len(points) * len(boxes) > PAIRS_AT_ONCE else None
        if halves is not None:
            pieces += [each for each in halves if len(each[0]) and len(each[1])]
            continue
        for block in np.array_split(points, max(len(points) * len(boxes) >> 22, 1)):
            point, box = _compare(covers, block, boxes)
            pairs += len(point)
            _refuse_many(pairs)
            yield point, box


def _refuse_many(pairs: int) -> None:
    if pairs > MOST_PAIRS:
        message = f"people fit too many groups each; name more columns that the attacker knows in {parameter('quasi')}"
        raise TooHard(message)


def _compare(covers: Sequence[Cover], points: Integers, boxes: Integers) -> tuple[Integers, Integers]:
    """Pair them in the column that tells most apart, where a box covers neighbours, and compare pairs in the others."""
    covers = sorted(covers, key=lambda cover: cover.overlap(points, boxes))
    points = points[np.argsort(covers[0].segment[points], kind="stable")]
    along = covers[0].segment[points]
    start = np.searchsorted(along, covers[0].first[boxes], "left")
    stop = np.searchsorted(along, covers[0].last[boxes], "right")
    which, at = ranges(start, np.maximum(start, stop))
    point, box = points[at], boxes[which]
    in_pieces = bool((covers[0].pieces[boxes] >= 0).any())
    for cover in covers if in_pieces else covers[1:]:
        inside = cover.holds_pairs(point, box)
        point, box = point[inside], box[inside]
    return point, box


def _halves(covers: Sequence[Cover], points: Integers, boxes: Integers) -> list[tuple[Integers, Integers]] | None:
    """Cut where fewest boxes lie on both sides; none, when every cut leaves nearly all on both."""
    sample = points[:: len(points) // POINTS_SAMPLED + 1]
    least_work, best = 0.9 * len(boxes), None
    for cover in covers:
        at = np.sort(cover.segment[sample])
        if at[0] == at[-1]:
            continue
        cut = int(min(at[(len(at) - 1) // 2], at[-1] - 1))
        before = float((at <= cut).mean())
        low, high = np.count_nonzero(cover.first[boxes] <= cut), np.count_nonzero(cover.last[boxes] > cut)
        work = before * low + (1 - before) * high
        if work < least_work:
            least_work, best = work, (cover, cut)
    if best is None:
        return None
    cover, cut = best
    below = cover.segment[points] <= cut
    return [  # a box that reaches over the cut goes to both sides, a point to one: no pair is lost or comes twice
        (points[below], boxes[cover.first[boxes] <= cut]),
        (points[~below], boxes[cover.last[boxes] > cut]),
    ]
