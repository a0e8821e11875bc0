"""Which boxes hold which points?  People are points, groups are boxes.

Symbols     point r stands at segment s_c(r) of each column c; box g covers there the segments from first_c(g) to
            last_c(g), or a set of them that is no interval ("pieces").  A segment is a stretch of labels that the same
            boxes cover, so there are never more of them than labels, and few where groups are few.
Wanted      all pairs (r, g) with s_c(r) covered by g in every column c.
Lookup      Boxes that cover one segment or all of them in every column (all columns printed at one level, some as `*`)
            are found by equal numbers: one number for the segments of the columns that are not `*`, pattern by pattern.
Cutting     for all other boxes: a part (R, G) with |R|·|G| > PAIRS_AT_ONCE is cut at a segment t of one column:
            R₁ = {s ≤ t} meets G₁ = {first ≤ t}, R₂ = {s > t} meets G₂ = {last > t}.  The column is the one with least
            |R₁|·|G₁| + |R₂|·|G₂|, t the median of its points (both judged on a sample of R).  All parts of a level are
            cut at once, in arrays that hold them one after the other.
Comparing   Where parts are small, each point is compared with each box, again for all such parts at once; a large one
            of which every cut leaves nearly all boxes on both sides is compared by itself.
Invariant   every wanted pair is in exactly one of the open parts or among those found: a point goes to one side, and
            all boxes that reach it go with it.
Cost        |R|·log|G| + pairs found, by lookup (a pattern) or when boxes are small or apart; |R|·|G| comparisons, a
            lot at a time, at worst.  Threads share much work, as NumPy needs no interpreter for long arrays.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import prod

import numpy as np
import numpy.typing as npt

from sidelight.arrays import KEY_LIMIT, Flags, Integers, ranges
from sidelight.errors import TooHard, parameter
from sidelight.release.label_order import Stretch, Stretches

PAIRS_AT_ONCE = 1 << 10
"""Pairs of a point and a box in a part that are compared one by one, rather than cut once more."""

COPIES = 1 << 22
"""Boxes that may lie in open parts next to the first of each: wide ones are copied by many cuts."""

WORK_ALONE = 1 << 32
"""Pairs of a point and a box from which on threads share the work; below, they cost more than they save."""

LOT = 1 << 20
"""Pairs that are laid out in memory at a time."""

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
        return cls.build(points, positions, Stretches.build(covered), boxes)

    @classmethod
    def build(cls, points: Integers, positions: int, covered: Stretches, boxes: Integers) -> Cover:
        """Put it together from stretches of many labels."""
        # a label that covers no position gets first > last, which no segment can lie between
        nothing = covered.start >= covered.stop
        first = np.where(nothing, positions, covered.start)
        last = np.where(nothing, -1, covered.stop - 1)
        scattered = np.zeros((len(covered.pieces), positions), bool)
        for row, stretches in enumerate(covered.pieces.values()):
            for start, stop in stretches:
                scattered[row, start:stop] = True
        pieces = np.full(len(first), -1)
        pieces[[*covered.pieces]] = np.arange(len(covered.pieces))
        # positions that no box tells apart become one segment, which makes ranges short and profiles few
        segment, starts = _segments(first, last, scattered, positions)
        first, last = np.append(segment, len(starts))[first], segment[last]
        last[nothing] = -1
        return cls(segment[points], first[boxes], last[boxes], pieces[boxes], scattered[:, starts])

    def overlap(self, points: Integers, boxes: Integers) -> float:
        """Return about which share of the points a box covers on average: the column where it is least is cut first."""
        at = self.segment[points]
        low, high = int(at.min(initial=0)), int(at.max(initial=0))
        covered = np.minimum(self.last[boxes], high) - np.maximum(self.first[boxes], low) + 1
        return float(covered.mean()) / (high - low + 1)

    @property
    def width(self) -> int:
        """Return how many segments points stand at; a box may cover others, where nobody is."""
        return max(int(self.segment.max(initial=0)), int(self.first.max(initial=0))) + 1


def _segments(first: Integers, last: Integers, scattered: Flags, positions: int) -> tuple[Integers, Integers]:
    """Number the stretches of positions that nothing tells apart; gives each position's, and where they start."""
    changes = np.zeros(positions + 1, bool)
    some = first <= last
    # shape (positions + 1,): a segment begins where some box begins, ends, or changes a piece
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
    nobody = np.empty(0, np.int64), np.empty(0, np.int64)
    pairs = [nobody, *(_pairs_by_lookup([covers[at] for at in columns], points, those) for columns, those in patterns)]
    if len(points) and len(others):
        pairs += _pairs_by_cutting(_Columns.build(covers, points, others), points, others)
    point, box = (np.concatenate(parts) for parts in zip(*pairs, strict=True))
    return point, box


def _patterns(covers: Sequence[Cover], boxes: Integers) -> tuple[list[tuple[list[int], Integers]], Integers]:
    """Sort out boxes that cover one segment or all of each column, by the columns that tell; and give the others."""
    for cover in covers:  # a box that covers nobody in a column is done with
        boxes = boxes[cover.first[boxes] <= cover.last[boxes]]
    pattern, simple = np.zeros(len(boxes), np.int64), np.ones(len(boxes), bool)
    # patterns are bits of one number
    if len(covers) > 60 or prod(cover.width for cover in covers) >= KEY_LIMIT:
        return [], boxes
    for at, cover in enumerate(covers):
        first, last, whole = cover.first[boxes], cover.last[boxes], cover.pieces[boxes] < 0
        one = whole & (first == last)
        # simple boxes fix a column or leave it open: all with one pattern are found by a single look-up of each point
        simple &= one | (whole & (first == 0) & (last >= cover.segment.max(initial=0)))
        pattern |= one.astype(np.int64) << at
    kinds = np.unique(pattern[simple])
    if len(kinds) > 64:  # each costs a lookup of all points
        return [], boxes
    columns = [[at for at in range(len(covers)) if kind >> at & 1] for kind in kinds.tolist()]
    return [(those, boxes[simple & (pattern == kind)]) for those, kind in zip(columns, kinds, strict=True)], boxes[
        ~simple
    ]


def _pairs_by_lookup(covers: Sequence[Cover], points: Integers, boxes: Integers) -> tuple[Integers, Integers]:
    """Pair points with the boxes that cover just their segments in these columns."""
    of_points, of_boxes = np.zeros(len(points), np.int64), np.zeros(len(boxes), np.int64)
    for cover in covers:
        # mixed radix; `_patterns` has made sure that the product of widths stays below KEY_LIMIT
        of_points = of_points * cover.width + cover.segment[points]
        of_boxes = of_boxes * cover.width + cover.first[boxes]
    order = np.argsort(of_boxes, kind="stable")
    start = np.searchsorted(of_boxes[order], of_points, "left")
    stop = np.searchsorted(of_boxes[order], of_points, "right")
    _refuse_many(int((stop - start).sum()))
    point, box = ranges(start, stop)
    return points[point], boxes[order[box]]


def _refuse_many(pairs: int) -> None:
    if pairs > MOST_PAIRS:
        message = f"people fit too many groups each; name more columns that the attacker knows in {parameter('quasi')}"
        raise TooHard(message)


@dataclass(frozen=True, eq=False, slots=True)
class _Columns:
    """All covers, the one that tells most apart first; numbers side by side and as short as they may be."""

    covers: Sequence[Cover]
    segment: npt.NDArray[np.integer]  # per column and point
    first: npt.NDArray[np.integer]  # per column and box
    last: npt.NDArray[np.integer]

    @classmethod
    def build(cls, covers: Sequence[Cover], points: Integers, boxes: Integers) -> _Columns:
        """Put covers side by side."""
        # the most selective column first, so that most pairs are dropped by a single comparison
        covers = sorted(covers, key=lambda cover: cover.overlap(points, boxes))
        width = max(cover.width for cover in covers)
        short: np.dtype[np.signedinteger] = next(
            np.dtype(kind) for kind in (np.int16, np.int32, np.int64) if width < np.iinfo(kind).max
        )
        segment = np.array([cover.segment for cover in covers], short)
        first = np.array([np.minimum(cover.first, width) for cover in covers], short)
        last = np.array([np.minimum(cover.last, width) for cover in covers], short)
        return cls(covers, segment, first, last)

    def __len__(self) -> int:
        return len(self.covers)

    def inside(self, point: Integers, box: Integers, among: Iterable[int]) -> tuple[Integers, Integers]:
        """Keep the pairs of a point and a box that covers it in these columns."""
        for column in among:
            at = self.segment[column][point]
            covered = (self.first[column][box] <= at) & (at <= self.last[column][box])
            cover = self.covers[column]
            if len(cover.scattered):
                pieces = cover.pieces[box]
                some = np.flatnonzero(pieces >= 0)
                covered[some] = cover.scattered[pieces[some], at[some]]
            those = np.flatnonzero(covered)
            point, box = point[those], box[those]
        return point, box


@dataclass(frozen=True, eq=False, slots=True)
class _Parts:
    """Points and boxes, part after part: as many as `points[i]` and `boxes[i]` belong to part i."""

    point: Integers
    points: Integers
    box: Integers
    boxes: Integers

    def __len__(self) -> int:
        return len(self.points)

    def take(self, some: Flags) -> _Parts:
        """Return some of the parts."""
        if some.all():
            return self
        return _Parts(
            self.point[np.repeat(some, self.points)],
            self.points[some],
            self.box[np.repeat(some, self.boxes)],
            self.boxes[some],
        )

    def one_by_one(self) -> Iterator[_Parts]:
        """Return each part by itself."""
        points, boxes = (np.cumsum(sizes)[:-1] for sizes in (self.points, self.boxes))
        for point, box in zip(np.split(self.point, points), np.split(self.box, boxes), strict=True):
            yield _Parts(point, np.array([len(point)]), box, np.array([len(box)]))


def _pairs_by_cutting(columns: _Columns, points: Integers, boxes: Integers) -> Iterator[tuple[Integers, Integers]]:
    """Pair points with boxes, by as many threads as there are parts to begin with."""
    whole = _Parts(points.astype(np.int32), np.array([len(points)]), boxes.astype(np.int32), np.array([len(boxes)]))
    shares = [whole]
    if len(points) * len(boxes) >= WORK_ALONE:
        threads = min(os.cpu_count() or 1, 8)
        # cut into at least as many parts as threads; NumPy releases the lock while they compare
        while len(shares) < threads:
            halves = [half for share in shares for half in _cut_once(columns, share)]
            if len(halves) == len(shares):
                break
            shares = halves
    with ThreadPoolExecutor(len(shares)) as pool:
        for pairs in pool.map(lambda share: [*_pairs_of(columns, share)], shares):
            yield from pairs


def _cut_once(columns: _Columns, part: _Parts) -> list[_Parts]:
    column, cut = _best_cuts(columns, part)
    return [part] if column[0] < 0 else [*_halves(columns, part, column, cut).one_by_one()]


def _pairs_of(columns: _Columns, parts: _Parts) -> Iterator[tuple[Integers, Integers]]:
    """Cut level by level, and compare what is small or cannot be cut."""
    most_boxes, count = len(parts.box) + COPIES, 0
    while len(parts):
        column, cut = _best_cuts(columns, parts)
        # cutting on would cost more than to compare these few pairs
        small = parts.points * parts.boxes <= PAIRS_AT_ONCE
        uncut = ~small & ((column < 0) | (len(parts.box) > most_boxes))
        for point, box in (*_compare(columns, parts.take(small)), *_compare_large(columns, parts.take(uncut))):
            count += len(point)
            _refuse_many(count)
            yield point, box
        open_ = ~small & ~uncut
        parts = _halves(columns, parts.take(open_), column[open_], cut[open_])


def _best_cuts(columns: _Columns, parts: _Parts) -> tuple[Integers, Integers]:
    """Choose the cut with fewest boxes on both sides: its column for each part (−1 if none helps) and where it is."""
    # about 2^16 points of all parts of a level are looked at, and of each part from 9 to 512
    number = min(max((1 << 16) // len(parts), 9), 512)
    starts = np.cumsum(parts.points) - parts.points
    sample = parts.point[starts[:, np.newaxis] + np.arange(number) * parts.points[:, np.newaxis] // number]
    best_column, best_cut = np.full(len(parts), -1), np.zeros(len(parts), columns.segment.dtype)
    # a cut must save at least a tenth of the boxes, else copies of wide boxes eat up what it gains
    least_work = 0.9 * parts.boxes
    for column in range(len(columns)):
        # (parts, number): the median of the sample is the cut, moved down by one where it is the highest segment
        along = np.sort(columns.segment[column][sample], axis=1)
        differ = along[:, 0] < along[:, -1]
        cut = np.minimum(along[:, (number - 1) // 2], along[:, -1] - differ)
        # expected boxes per point: those that reach below the cut for points below it, and likewise above
        before = (along <= cut[:, np.newaxis]).mean(axis=1)
        of_box = np.repeat(cut, parts.boxes)
        low = _count(columns.first[column][parts.box] <= of_box, parts.boxes)
        high = _count(columns.last[column][parts.box] > of_box, parts.boxes)
        work = before * low + (1 - before) * high
        better = differ & (work < least_work)
        best_column[better], best_cut[better], least_work[better] = column, cut[better], work[better]
    return best_column, best_cut


def _count(flags: Flags, sizes: Integers) -> Integers:
    """Count the flags of each part."""
    if len(sizes) == 0:
        return sizes
    counts: Integers = np.add.reduceat(flags, np.cumsum(sizes) - sizes, dtype=np.int64)  # no part is empty
    return counts


def _halves(columns: _Columns, parts: _Parts, column: Integers, cut: Integers) -> _Parts:
    """Cut each part: a box that reaches over the cut goes to both sides, a point to one."""
    # (columns, points) is read as one flat array, as each part looks at a column of its own
    row = np.repeat(column * columns.segment.shape[1], parts.points)
    above = columns.segment.ravel()[row + parts.point] > np.repeat(cut, parts.points)
    row, at = np.repeat(column * columns.first.shape[1], parts.boxes) + parts.box, np.repeat(cut, parts.boxes)
    point, points = _low_and_high(parts.point, parts.points, ~above, above)
    box, boxes = _low_and_high(parts.box, parts.boxes, columns.first.ravel()[row] <= at, columns.last.ravel()[row] > at)
    return _Parts(point, points, box, boxes).take((points > 0) & (boxes > 0))


def _low_and_high(number: Integers, sizes: Integers, low: Flags, high: Flags) -> tuple[Integers, Integers]:
    """Put the low ones of each part before the high ones; gives them, and how many there are of each."""
    # (parts, 2) → (2 · parts,): low and high of each part in turn, which are the parts of the next level
    halves = np.stack((_count(low, sizes), _count(high, sizes)), axis=1).ravel()
    is_low = np.repeat(np.arange(len(halves)) % 2 == 0, halves)
    result = np.empty(len(is_low), number.dtype)
    result[is_low], result[~is_low] = number[low], number[high]
    return result, halves


def _compare(columns: _Columns, parts: _Parts) -> Iterator[tuple[Integers, Integers]]:
    """Compare each point with each box of its part, a lot of pairs at a time."""
    times = np.repeat(parts.boxes, parts.points)
    start = np.repeat(np.cumsum(parts.boxes) - parts.boxes, parts.points)
    # cut between points where the number of pairs passes a multiple of LOT
    lots = np.flatnonzero(np.diff(np.cumsum(times) // LOT)) + 1
    for points, starts, boxes in zip(*(np.split(each, lots) for each in (parts.point, start, times)), strict=True):
        which, at = ranges(starts, starts + boxes)
        yield columns.inside(points[which], parts.box[at], range(len(columns)))


def _compare_large(columns: _Columns, parts: _Parts) -> Iterator[tuple[Integers, Integers]]:
    """Pair each part's points and boxes in the column that tells most apart, where a box covers neighbours."""
    for part in parts.one_by_one() if len(parts) else ():
        overlaps = [cover.overlap(part.point, part.box) for cover in columns.covers]
        column = int(np.argmin(overlaps))
        for block in np.array_split(part.point, max(len(part.point) * len(part.box) // (4 * LOT), 1)):
            yield _compare_along(columns, column, block, part.box)


def _compare_along(columns: _Columns, column: int, points: Integers, boxes: Integers) -> tuple[Integers, Integers]:
    points = points[np.argsort(columns.segment[column][points], kind="stable")]
    along = columns.segment[column][points]
    start = np.searchsorted(along, columns.first[column][boxes], "left")
    stop = np.searchsorted(along, columns.last[column][boxes], "right")
    which, at = ranges(start, np.maximum(start, stop))
    in_pieces = bool((columns.covers[column].pieces[boxes] >= 0).any())
    others = (each for each in range(len(columns)) if each != column or in_pieces)
    return columns.inside(points[at], boxes[which], others)
