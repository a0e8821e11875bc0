"""Which of the labels that people have does each printed label cover?  All labels of a column at a time.

`release.printed_labels` says what one printed label covers.  A `LabelOrder` puts the labels of a column in an order in
which most printed labels cover neighbours, so that what is covered comes as stretches of it: two searches an interval,
and no look at the labels inside.  Thousands of printed intervals are read at once.
"""

from __future__ import annotations

import datetime as dt
import re
from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sidelight.release.printed_labels import (
    OUR_DAYS,
    OUR_NUMBERS,
    PLAIN_NUMBER,
    Interval,
    PrintedLabel,
    day_of,
    plain_form,
    read_label,
)
from sidelight.table.labels import SUPPRESSED, Label, as_number, shown

if TYPE_CHECKING:
    from sidelight.arrays import Integers
    from sidelight.release.printing import Nodes

_NUMBER, _DAY, _OTHER, _GAP = range(4)  # the kinds of labels, as they stand in an order


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
        keys = [_key(text, coarser) for text, coarser in zip(labels, above, strict=True)]
        order = sorted(range(len(labels)), key=keys.__getitem__)
        self.labels = tuple(labels[code] for code in order)
        self.position = np.empty(len(labels), np.int64)  # by the code of a label
        self.position[order] = np.arange(len(labels))
        self._numbers, self._days = (
            [keys[code][1] for code in order if keys[code][0] == kind] for kind in (_NUMBER, _DAY)
        )
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
        """Find what a printed label covers in any of its forms; of labels that the hierarchy has, what that says.

        What it has is opaque: it says which of its labels 20-29 covers, even if it says something odd.  Labels that
        it lacks are covered by the form alone, whoever else is looked for.
        """
        if not self._above:
            return merge_stretches(self._read(text, ()))
        among_strangers = self._find_strangers(self._read(text, ())) if len(self._strangers) else ()
        return merge_stretches([*self._read(text, self._opaque), *among_strangers])

    def find_each_covered(self, texts: Sequence[Label]) -> Stretches:
        """Find what each of many printed labels covers; 17-36 and days from one to another, all of them at once.

        >>> covered = LabelOrder(("7", "Ann", "31", "29")).find_each_covered(["20-39", "{Ann, 7}"])
        >>> covered.start.tolist(), covered.stop.tolist(), covered.pieces
        ([1, 0], [3, 4], {1: [(0, 1), (3, 4)]})
        """
        # −1: not found yet, to be read one by one below
        start, stop = np.full(len(texts), -1), np.zeros(len(texts), np.int64)
        if not self._above:  # else the hierarchy says what 20-29 means
            ranges = ((_number_ranges(texts), self._numbers, 0), (_day_ranges(texts), self._days, len(self._numbers)))
            for (place, low, high), rising, before in ranges:
                start[place] = np.searchsorted(rising, low, "left") + before
                stop[place] = np.searchsorted(rising, high, "right") + before
            start[[text in self._position_of for text in texts]] = -1  # somebody is known by the very label
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
            yield from self._match_forms(printed)

    def _find_strangers(self, stretches: Iterable[Stretch]) -> Iterator[Stretch]:
        for start, stop in stretches:
            low, high = np.searchsorted(self._strangers, (start, stop))
            yield from ((position, position + 1) for position in self._strangers[low:high].tolist())

    def numbers_in(self, interval: Interval) -> Stretch:
        """Find the labels that are numbers in an interval."""
        return interval.stretch(self._numbers)

    def days_in(self, interval: Interval) -> Stretch:
        """Find the labels that are days, or moments of days, in an interval of their numbers."""
        start, stop = interval.stretch(self._days)
        return start + len(self._numbers), stop + len(self._numbers)

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

    def _match_forms(self, printed: PrintedLabel) -> Iterator[Stretch]:
        yield from map(self.numbers_in, printed.numbers)
        yield from map(self.days_in, printed.days)
        for mask in printed.masks:
            yield from self._match_mask(mask)

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


def _number_ranges(texts: Sequence[Label]) -> tuple[Integers, Integers, Integers]:
    """Find all texts like 17-36: where they stand, and their ends; a million of them cost no more than a few."""
    place, low, high = _two_ends(texts, OUR_NUMBERS)
    return _rising(place, low.cast(pa.int64()).to_numpy(), high.cast(pa.int64()).to_numpy())


def _day_ranges(texts: Sequence[Label]) -> tuple[Integers, Integers, Integers]:
    """Find all texts from one day to another, in the same way; a day that is none leaves all to be read one by one."""
    place, low, high = _two_ends(texts, OUR_DAYS)
    try:
        first, last = (each.cast(pa.date32()).cast(pa.int32()).to_numpy() + _FIRST_OF_1970 for each in (low, high))
    except pa.ArrowInvalid:
        return (np.zeros(0, np.int64),) * 3
    return _rising(place[first > 0], first[first > 0], last[first > 0])  # there is no year 0


_FIRST_OF_1970 = dt.date(1970, 1, 1).toordinal()


def _two_ends(texts: Sequence[Label], form: re.Pattern[str]) -> tuple[Integers, pa.Array, pa.Array]:
    # Arrow's regular expressions run without the interpreter; rows that do not match are null
    ends = pc.extract_regex(pa.array(texts, pa.string()), pattern=f"^{form.pattern}$")
    place = np.flatnonzero(ends.is_valid().to_numpy(zero_copy_only=False))
    matching = ends.drop_null()
    return place, matching.field("low"), matching.field("high")


def _rising(place: Integers, low: Integers, high: Integers) -> tuple[Integers, Integers, Integers]:
    kept = low <= high
    return place[kept], low[kept].astype(np.int64), high[kept].astype(np.int64)


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


def _key(text: Label, above: Sequence[Label]) -> tuple[int, float, list[str]]:
    """Return where a label stands: its kind, then its size, then its way down the hierarchy."""
    if text is None:
        return _GAP, 0.0, []
    number = as_number(text)
    if number is not None:
        return _NUMBER, number, [text]
    day = day_of(text)
    if day is not None:
        return _DAY, day, [text]
    return _OTHER, 0.0, [*(shown(node) for node in reversed(above)), text]
