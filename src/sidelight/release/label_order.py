"""Which of the labels that people have does each printed label cover?  All labels of a column at a time.

`release.printed_labels` says what one printed label covers.  A `LabelOrder` puts the labels of a column in an order in
which most printed labels cover neighbours, so that what is covered comes as stretches of it: two searches an interval,
and no look at the labels inside.  Thousands of printed intervals are read at once.

Which boxes hold which points?  People are points, groups are boxes.

Symbols     point r stands at segment s_c(r) of each column c; box g covers there the segments from first_c(g) to
            last_c(g), or a set of them that is no interval ("pieces").  A segment is a stretch of labels that the same
            boxes cover, so there are never more of them than labels, and few where groups are few.
Wanted      all pairs (r, g) with s_c(r) covered by g in every column c.
Lookup      Boxes that cover one segment or all of them in every column (all columns printed at one level, some as `*`)
            are found by equal numbers: one number for the segments of the columns that are not `*`, pattern by pattern.
Cutting     for all other boxes: a part (R, G) with |R|·|G| > pairs_at_once is cut at a segment t of one column:
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

import datetime as dt
import os
from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from math import prod
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sidelight.arrays import KEY_LIMIT, Flags, Integers, ranges
from sidelight.errors import TooHard, parameter
from sidelight.release.printed_labels import (
    OUR_DAYS,
    OUR_NUMBERS,
    PLAIN_NUMBER,
    Nodes,
    PrintedLabel,
    day_of,
    plain_form,
    read_label,
)
from sidelight.table.labels import SUPPRESSED, Label, as_number, shown

Stretch: TypeAlias = tuple[int, int]
"""Neighbours in an order: where they start, and where the rest begins."""


@dataclass(frozen=True, eq=False, slots=True)
class Stretches:
    """What each of several labels covers: all from `start` to `stop`, or only the `pieces` of it; nothing, if alike."""

    start: Integers
    stop: Integers
    pieces: Mapping[int, list[Stretch]]  # by the number of the label, where there are several

    @classmethod
    def build(cls, covered: Sequence[list[Stretch]]) -> Stretches:
        """Take the stretches of each label, rising and apart."""
        start = np.array([each[0][0] if each else 0 for each in covered], np.int64)
        stop = np.array([each[-1][1] if each else 0 for each in covered], np.int64)
        return cls(start, stop, {at: [*each] for at, each in enumerate(covered) if len(each) > 1})

    def list_stretches(self, at: int) -> list[Stretch]:
        """Return the stretches of one label."""
        start, stop = int(self.start[at]), int(self.stop[at])
        return self.pieces.get(at) or ([(start, stop)] if start < stop else [])


class LabelOrder:
    """The labels that people have in one column, in an order in which most printed labels cover neighbours.

    Numbers stand first, by size; then days; then other labels, along the hierarchy where there is one; a missing one
    last.  What is covered comes as stretches of this order, rising and apart, so that an interval costs two searches
    and no look at the labels inside.

    >>> ages = LabelOrder(("7", "Ann", "31", None, "29"))
    >>> ages.labels, ages.find_covered("20-39"), ages.find_covered("{7, (missing)}")
    (('7', '29', '31', 'Ann', None), [(1, 3)], [(0, 1), (4, 5)])
    """

    def __init__(self, labels: tuple[Label, ...], nodes: Nodes | None = None) -> None:
        # invariant: numbers at positions 0 … n-1 rising, days behind them rising, so that an interval of either is one
        # stretch; hierarchies of numbers and days mostly cut along the same line, and need not hold for it to be right
        self._above: Mapping[Label, tuple[Label, ...]] = {} if nodes is None else nodes.above
        self._opaque: Container[Label] = () if nodes is None else nodes
        above = [self._above.get(text, ()) for text in labels]
        keys = [_order_key(text, coarser) for text, coarser in zip(labels, above, strict=True)]
        order = sorted(range(len(labels)), key=keys.__getitem__)
        self.labels = tuple(labels[code] for code in order)
        self.position = np.empty(len(labels), np.int64)  # by the code of a label
        self.position[order] = np.arange(len(labels))
        self._numbers, self._days = ([keys[code][1] for code in order if keys[code][0] == kind] for kind in (0, 1))
        self._position_of = {text: position for position, text in enumerate(self.labels)}
        # labels that the hierarchy lacks: only for them may its own nodes be read as intervals
        self._strangers = np.flatnonzero([text not in self._above for text in self.labels])
        self._under: dict[Label, list[int]] = {}
        for position, code in enumerate(order):
            for node in dict.fromkeys(above[code]):
                self._under.setdefault(node, []).append(position)

    def find_by_name(self, text: Label) -> list[Stretch]:
        """Find what a printed label covers as a name: itself, what the hierarchy has under it, `*` all."""
        if text == SUPPRESSED:
            return [(0, len(self.labels))]
        return merge_stretches(self._known_as(text))

    def find_covered(self, text: Label) -> list[Stretch]:
        """Find what a printed label covers in any of its forms; among labels of the hierarchy, what that says.

        Labels that it has are opaque: it decides which of its labels 20-29 covers, even if that is odd.  Labels that it
        lacks are covered by the form alone.
        """
        if not self._above:
            return merge_stretches(self._read(text, ()))
        stretches = [*self._read(text, self._opaque)]
        for start, stop in self._read(text, ()) if len(self._strangers) else ():
            low, high = np.searchsorted(self._strangers, (start, stop))
            stretches += ((position, position + 1) for position in self._strangers[low:high].tolist())
        return merge_stretches(stretches)

    def find_each_covered(self, texts: Sequence[Label]) -> Stretches:
        """Find what each of many printed labels covers; 17-36 and days from one to another, all of them at once.

        >>> covered = LabelOrder(("7", "Ann", "31", "29")).find_each_covered(["20-39", "{Ann, 7}"])
        >>> covered.start.tolist(), covered.stop.tolist(), covered.pieces
        ([1, 0], [3, 4], {1: [(0, 1), (3, 4)]})
        """
        # −1: not found yet, to be read one by one below
        start, stop = np.full(len(texts), -1), np.zeros(len(texts), np.int64)
        if not self._above:  # else the hierarchy says what 20-29 means
            days = ((self._numbers, 0, False), (self._days, len(self._numbers), True))
            for rising, before, of_days in days:
                index, low, high = _find_ranges(texts, days=of_days)
                start[index] = np.searchsorted(rising, low, "left") + before
                stop[index] = np.searchsorted(rising, high, "right") + before
            start[[text in self._position_of for text in texts]] = -1  # people are known by this very label
        one_by_one = np.flatnonzero(start < 0).tolist()
        rest = Stretches.build([self.find_covered(texts[at]) for at in one_by_one])
        start[one_by_one], stop[one_by_one] = rest.start, rest.stop
        return Stretches(start, stop, {one_by_one[at]: pieces for at, pieces in rest.pieces.items()})

    def _read(self, text: Label, opaque: Container[Label]) -> Iterator[Stretch]:
        printed = read_label(text, opaque)
        if printed.suppressed:
            yield 0, len(self.labels)
        else:
            yield from self._exactly(printed)
            yield from (interval.stretch(self._numbers) for interval in printed.numbers)
            before = len(self._numbers)
            for start, stop in (interval.stretch(self._days) for interval in printed.days):
                yield start + before, stop + before  # days, or moments of days
            yield from chain.from_iterable(map(self._match_mask, printed.masks))

    def positions(self, labels: Sequence[Label]) -> Integers:
        """Find labels exactly as they are, −1 for those that nobody has."""
        return np.fromiter((self._position_of.get(text, -1) for text in labels), np.int64, len(labels))

    def _known_as(self, name: Label) -> list[Stretch]:
        position = self._position_of.get(name)
        itself = [] if position is None else [(position, position + 1)]
        return itself + [(position, position + 1) for position in self._under[name]] if name in self._under else itself

    def _exactly(self, printed: PrintedLabel) -> Iterator[Stretch]:
        if len(printed.parts) == len(printed.labels) == 1 and PLAIN_NUMBER.fullmatch(printed.parts[0]) is None:
            yield from self._known_as(printed.parts[0])
            return
        # a name with commas inside is a run of as many parts: only lengths that some name has need to be tried
        for size in self._sizes if len(printed.parts) > 1 else (1,):
            for start in range(len(printed.parts) - size + 1):
                yield from self._known_as(", ".join(printed.parts[start : start + size]))
        for label in printed.labels.difference(printed.parts):
            yield from self._known_as(label)
        for label in printed.labels if len(self._numbers) else ():
            yield from ((position, position + 1) for position in self._plain_forms.get(label, ()))

    def _match_mask(self, mask: str) -> Iterator[Stretch]:
        beginning = mask.rstrip(SUPPRESSED)

        # beginnings of sorted texts are sorted, so texts with the same beginning are neighbours
        def begin(text: str) -> str:
            return text[: len(beginning)]

        low = bisect_left(self._sorted_texts, beginning, key=begin)
        high = bisect_right(self._sorted_texts, beginning, key=begin)
        yield from (
            (self._position_of[text], self._position_of[text] + 1)
            for text in self._sorted_texts[low:high]
            if len(text) == len(mask)
        )

    @cached_property
    def _sorted_texts(self) -> list[str]:
        return sorted(text for text in self.labels if text is not None)

    @cached_property
    def _plain_forms(self) -> dict[Label, list[int]]:
        """Return the positions of labels by their plain form, as 34 and 34.0 are one number; texts keep their own."""
        plain: dict[Label, list[int]] = {}
        for position, text in enumerate(self.labels[: len(self._numbers)]):
            plain.setdefault(plain_form(text), []).append(position)
        return plain

    @cached_property
    def _sizes(self) -> list[int]:
        """Return how many parts of a set a name may be: one, and one more for each comma inside."""
        names = (*self.labels, *self._under)
        return sorted({1, *(name.count(", ") + 1 for name in names if name is not None)})


def _find_ranges(texts: Sequence[Label], *, days: bool) -> tuple[Integers, Integers, Integers]:
    """Find all texts like 17-36, or from one day to another: where they stand, and their ends; many at once.

    A day that is none leaves all to be read one by one.
    """
    form = OUR_DAYS if days else OUR_NUMBERS
    # Arrow's regular expressions run without the interpreter; rows that do not match are null
    ends = pc.extract_regex(pa.array(texts, pa.string()), pattern=f"^{form.pattern}$")
    index = np.flatnonzero(ends.is_valid().to_numpy(zero_copy_only=False))
    both = [ends.drop_null().field(side) for side in ("low", "high")]
    try:
        if days:
            both = [each.cast(pa.date32()).cast(pa.int32()) for each in both]
        low, high = (each.cast(pa.int64()).to_numpy() for each in both)
    except pa.ArrowInvalid:
        return (np.zeros(0, np.int64),) * 3
    if days:
        first_of_1970 = dt.date(1970, 1, 1).toordinal()
        low, high = low + first_of_1970, high + first_of_1970
        index, low, high = index[low > 0], low[low > 0], high[low > 0]  # there is no year 0
    kept = low <= high
    return index[kept], low[kept], high[kept]


def merge_stretches(stretches: Iterable[Stretch]) -> list[Stretch]:
    """Join stretches that overlap or touch; empty ones go.

    >>> merge_stretches([(4, 5), (0, 2), (1, 3), (3, 3), (5, 6)])
    [(0, 3), (4, 6)]
    """
    joined: list[Stretch] = []
    # sorted by start, so a stretch can only touch the last one that was joined
    for start, stop in sorted(stretches):
        if start == stop:
            continue
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(joined[-1][1], stop)
        else:
            joined.append((start, stop))
    return joined


def _order_key(text: Label, above: Sequence[Label]) -> tuple[int, float, list[str]]:
    """Return where a label stands: its kind (0: number, 1: day, 2: other, 3: missing), size, way down the hierarchy."""
    if text is None:
        return 3, 0.0, []
    number = as_number(text)
    if number is not None:
        return 0, number, [text]
    day = day_of(text)
    if day is not None:
        return 1, day, [text]
    return 2, 0.0, [*(shown(node) for node in reversed(above)), text]


# what a join of points and boxes may take
PAIRS_COMPARED = 1 << 10  # pairs of a part that are compared one by one, rather than cut once more
COPIES = 1 << 22  # boxes that may lie in open parts next to the first of each: wide ones are copied by cuts
PAIRS_ALONE = 1 << 32  # pairs from which on threads share the work; below, they cost more than they save
PAIRS_LAID_OUT = 1 << 20  # pairs that are laid out in memory at a time
PAIRS_HELD = 1 << 27  # more pairs of a point and a box that holds it do not fit into memory


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
    def build(cls, points: Integers, positions: int, covered: Stretches, boxes: Integers) -> Cover:
        """Put it together from each point's position, the stretches that labels cover, and each box's label."""
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

    >>> ages = Cover.build(np.array([0, 1, 2]), 3, Stretches.build([[(0, 2)], [(1, 3)]]), np.array([0, 1]))
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
    if pairs > PAIRS_HELD:
        raise TooHard(
            f"people fit too many groups each; name more columns that the attacker knows in {parameter('quasi')}"
        )


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
    whole = _Parts(points.astype(np.int32), np.array([len(points)]), boxes.astype(np.int32), np.array([len(boxes)]))
    shares = [whole]

    def cut_once(part: _Parts) -> list[_Parts]:
        column, cut = _best_cuts(columns, part)
        return [part] if column[0] < 0 else [*_halves(columns, part, column, cut).one_by_one()]

    if len(points) * len(boxes) >= PAIRS_ALONE:
        threads = min(os.cpu_count() or 1, 8)
        # cut into at least as many parts as threads; NumPy releases the lock while they compare
        while len(shares) < threads:
            halves = [half for share in shares for half in cut_once(share)]
            if len(halves) == len(shares):
                break
            shares = halves
    with ThreadPoolExecutor(len(shares)) as pool:
        for pairs in pool.map(lambda share: [*_pairs_of(columns, share)], shares):
            yield from pairs


def _pairs_of(columns: _Columns, parts: _Parts) -> Iterator[tuple[Integers, Integers]]:
    most_boxes, count = len(parts.box) + COPIES, 0
    while len(parts):
        column, cut = _best_cuts(columns, parts)
        # cutting on would cost more than to compare these few pairs
        small = parts.points * parts.boxes <= PAIRS_COMPARED
        uncut = ~small & ((column < 0) | (len(parts.box) > most_boxes))
        for point, box in (*_compare_pairs(columns, parts.take(small)), *_compare_large(columns, parts.take(uncut))):
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


def _compare_pairs(columns: _Columns, parts: _Parts) -> Iterator[tuple[Integers, Integers]]:
    times = np.repeat(parts.boxes, parts.points)
    start = np.repeat(np.cumsum(parts.boxes) - parts.boxes, parts.points)
    # cut between points where the number of pairs passes a multiple of a lot
    lots = np.flatnonzero(np.diff(np.cumsum(times) // PAIRS_LAID_OUT)) + 1
    for points, starts, boxes in zip(*(np.split(each, lots) for each in (parts.point, start, times)), strict=True):
        which, at = ranges(starts, starts + boxes)
        yield columns.inside(points[which], parts.box[at], range(len(columns)))


def _compare_large(columns: _Columns, parts: _Parts) -> Iterator[tuple[Integers, Integers]]:
    """Pair each part's points and boxes in the column that tells most apart, where a box covers neighbours."""
    for part in parts.one_by_one() if len(parts) else ():
        boxes, overlaps = part.box, [cover.overlap(part.point, part.box) for cover in columns.covers]
        column = int(np.argmin(overlaps))
        in_pieces = bool((columns.covers[column].pieces[boxes] >= 0).any())
        others = [each for each in range(len(columns)) if each != column or in_pieces]
        for block in np.array_split(part.point, max(len(part.point) * len(boxes) // (4 * PAIRS_LAID_OUT), 1)):
            points = block[np.argsort(columns.segment[column][block], kind="stable")]
            along = columns.segment[column][points]
            start = np.searchsorted(along, columns.first[column][boxes], "left")
            stop = np.searchsorted(along, columns.last[column][boxes], "right")
            which, at = ranges(start, np.maximum(start, stop))
            yield columns.inside(points[at], boxes[which], others)
