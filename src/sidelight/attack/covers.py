"""Which labels of people a printed label covers: as a stretch of places wherever it is one."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sidelight._arrays import Flags, Floats, Integers
from sidelight.search.orders import Order
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.labels import MISSING, SUPPRESSED, Label, as_day, as_number, shown
from sidelight.table.table import Column


@dataclass(frozen=True, eq=False, slots=True)
class Cover:
    """One column: `segment[i]` is where row i of the people stands, `first[g]` to `last[g]` what group g covers.

    Labels that the same groups cover are one segment.  What a group covers in pieces is `odd[pieces[g]]`, a flag per
    segment (pieces −1: it covers all from first to last).
    """

    segment: Integers  # per row of people
    first: Integers  # per group
    last: Integers
    pieces: Integers
    odd: Flags

    @classmethod
    def of(cls, rows: Integers, labels: int, covered: list[Integers], groups: Integers) -> Cover:
        """Put it together from each row's place, and the places that each printed label covers."""
        first = np.array([each[0] if len(each) else labels for each in covered], np.int64)
        last = np.array([each[-1] if len(each) else -1 for each in covered], np.int64)
        whole = last - first + 1 == np.array([len(each) for each in covered])
        scattered = np.flatnonzero(~whole & (first <= last))
        odd = np.zeros((len(scattered), labels), bool)
        for row, text in enumerate(scattered.tolist()):
            odd[row, covered[text]] = True
        pieces = np.full(len(covered), -1)
        pieces[scattered] = np.arange(len(scattered))
        segment, starts = _segments(first, last, odd, labels)
        nothing = first > last
        first, last = np.append(segment, len(starts))[first], segment[last]
        last[nothing] = -1
        return cls(segment[rows], first[groups], last[groups], pieces[groups], odd[:, starts])

    def holds(self, rows: Integers, groups: Integers) -> Flags:
        """Say which of the groups cover which of the rows, row × group."""
        at = self.segment[rows, np.newaxis]
        inside: Flags = (self.first[groups] <= at) & (at <= self.last[groups])
        for place in np.flatnonzero(self.pieces[groups] >= 0).tolist():
            inside[:, place] = self.odd[self.pieces[groups[place]], self.segment[rows]]
        return inside


def _segments(first: Integers, last: Integers, odd: Flags, labels: int) -> tuple[Integers, Integers]:
    """Number the stretches of places that nothing tells apart; gives each place's number, and where they start."""
    changes = np.zeros(labels + 1, bool)
    some = first <= last
    changes[first[some]] = changes[last[some] + 1] = True
    changes[1:labels] |= (odd[:, 1:] != odd[:, :-1]).any(axis=0)
    changes[0] = True
    return np.cumsum(changes[:labels]) - 1, np.flatnonzero(changes[:labels])


class Places:
    """The labels of people in an order in which most printed labels cover neighbours, and what texts mean there."""

    def __init__(self, labels: tuple[Label, ...], hierarchy: Hierarchy | None) -> None:
        self.order = sorted(range(len(labels)), key=lambda code: _key(labels[code], hierarchy))
        self.labels = tuple(labels[code] for code in self.order)
        numbers = [as_number(text) for text in self.labels]
        self._numbers = np.array([number for number in numbers if number is not None])  # they stand first
        days = [as_day(text) for text in self.labels]
        self._days = np.array([np.nan if day is None else day for day in days])
        self._meaning: dict[Label, list[int]] = {}
        for place, text in enumerate(self.labels):
            for name in dict.fromkeys([text, *_above(text, hierarchy)]):
                self._meaning.setdefault(name, []).append(place)

    @property
    def place(self) -> Integers:
        """Give the place of each label, by its code."""
        place = np.empty(len(self.order), np.int64)
        place[self.order] = np.arange(len(self.order))
        return place

    def label(self, text: Label) -> Integers:
        """Find the labels that a printed one covers: itself, what the hierarchy has under it, `*` all."""
        if text == SUPPRESSED:
            return np.arange(len(self.labels))
        return np.array(self._meaning.get(text, ()), np.int64)

    def interval(self, text: Label) -> Integers:
        """Also read `17-36`, `{Divorced, Widowed}`, `17-36 or (missing)` and `day to day`, as Mondrian prints them."""
        if text is None or text == SUPPRESSED or text in self._meaning:
            return self.label(text)
        parts = members(text)
        if parts is not None:
            named = [name for name in self._meaning if shown(name) in parts]
            return self._union(self._meaning[name] for name in named)
        numbers, missing = read_interval(text)
        days = read_days(text)
        found = [] if numbers is None else self.between(numbers).tolist()
        return self._union(
            [
                found,
                [] if days is None else self.days_between(days).tolist(),
                self._meaning.get(None, []) if missing else [],
            ]
        )

    def between(self, numbers: Interval) -> Integers:
        """Find the labels that are numbers in an interval."""
        return np.flatnonzero(numbers.holds(self._numbers))

    def days_between(self, days: Interval) -> Integers:
        """Find the labels that are days in an interval of their numbers."""
        return np.flatnonzero(days.holds(self._days))

    def stretch(self, order: Order, start: int, stop: int) -> Integers:
        """Find the labels in a stretch of a search's order; of numbers and days, also those between its ends."""
        texts = order.labels[start:stop]
        places = [place for text in texts for place in self._meaning.get(text, ()) if self.labels[place] == text]
        if order.numeric and texts[0] is not None:
            end = stop - 1 if texts[-1] is not None else stop - 2
            whole = Interval(float(order.position[start]), float(order.position[end]))
            places += (self.days_between(whole) if order.days else self.between(whole)).tolist()
        return self._union([places])

    def _union(self, parts: Iterable[list[int]]) -> Integers:
        return np.array(sorted({place for part in parts for place in part}), np.int64)


def cover_of_labels(known: Column, printed: Column, hierarchy: Hierarchy | None, *, intervals: bool) -> Cover:
    """Read what a release prints in one column; labels stay opaque unless intervals are to be read."""
    places = Places(known.labels, hierarchy)
    meaning = places.interval if intervals else places.label
    covered = [meaning(text) for text in printed.labels]
    return Cover.of(places.place[known.codes], len(places.labels), covered, printed.codes.astype(np.int64))


def cover_of_stretches(known: Column, order: Order, start: Integers, stop: Integers) -> Cover:
    """Take the stretches of one column that a search has given its groups."""
    places = Places(known.labels, None)
    width = len(order.labels) + 1
    stretches, codes = np.unique(start * width + stop, return_inverse=True)
    covered = [places.stretch(order, *divmod(int(key), width)) for key in stretches]
    return Cover.of(places.place[known.codes], len(places.labels), covered, codes.astype(np.int64))


def _key(text: Label, hierarchy: Hierarchy | None) -> tuple[object, ...]:
    """Numbers by size, then other labels along the hierarchy, a missing one last."""
    number = as_number(text)
    if number is not None:
        return (0, number, text)
    above = [shown(name) for name in reversed(_above(text, hierarchy))]
    return (2,) if text is None else (1, *above, text)


def _above(text: Label, hierarchy: Hierarchy | None) -> list[Label]:
    """List what a hierarchy prints for a label, level by level; nothing for labels that it does not have."""
    if hierarchy is None or not hierarchy.has(text):
        return []
    return [hierarchy.generalise(text, level) for level in range(1, hierarchy.height)]


# ----------------------------------------------------------------------------------------------------
# Intervals and sets as they are printed: only read where somebody says that labels mean them.
# ----------------------------------------------------------------------------------------------------


BRACKETS = re.compile(r"^([\[(])\s*([^,;]+?)\s*[,;]\s*([^,;]+?)\s*([\])])$")
DAYS = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?: to ([0-9]{4}-[0-9]{2}-[0-9]{2}))?")
ONE_SIDED = re.compile(r"^(<=|>=|<|>|≤|≥)\s*(.+)$|^(.+)\+$")


@dataclass(frozen=True, slots=True)
class Interval:
    """Numbers from `low` to `high`; an end may be left out."""

    low: float
    high: float
    with_low: bool = True
    with_high: bool = True

    def holds(self, numbers: Floats) -> npt.NDArray[np.bool_]:
        """Say which numbers are inside."""
        above = numbers >= self.low if self.with_low else numbers > self.low
        below = numbers <= self.high if self.with_high else numbers < self.high
        inside: npt.NDArray[np.bool_] = above & below
        return inside


def members(text: str) -> frozenset[str] | None:
    """Read a set of labels; a label may have commas inside, so every run of parts may be one.

    >>> sorted(members("{Divorced, Widowed}")), members("Divorced")
    (['Divorced', 'Divorced, Widowed', 'Widowed'], None)
    """
    if not (text.startswith("{") and text.endswith("}")):
        return None
    parts = text[1:-1].split(", ")
    longest = min(len(parts), 8)  # labels with more commas than that are taken for several
    runs = (parts[start : start + length] for length in range(1, longest + 1) for start in range(len(parts)))
    return frozenset(", ".join(run) for run in runs)


def read_interval(text: str) -> tuple[Interval | None, bool]:
    """Read an interval, and whether a missing number is printed as it too.

    >>> read_interval("17-36 or (missing)")
    (Interval(low=17.0, high=36.0, with_low=True, with_high=True), True)
    >>> read_interval("[20, 30)")[0].with_high, read_interval("90+")[0].low, read_interval("Divorced")
    (False, 90.0, (None, False))
    """
    body = text.removesuffix(f" or {MISSING}")
    missing = body != text or text == MISSING
    return _bracketed(body) or _one_sided(body) or _from_to(body), missing


def read_days(text: str) -> Interval | None:
    """Read days from one to another, as an interval of their numbers.

    >>> read_days("1984-03-09 to 1984-03-11 or (missing)")
    Interval(low=724344, high=724346, with_low=True, with_high=True)
    >>> read_days("17-36")
    """
    match = DAYS.fullmatch(text.removesuffix(f" or {MISSING}"))
    if match is None:
        return None
    low, high = as_day(match[1]), as_day(match[2] or match[1])
    return None if low is None or high is None else Interval(low, high)


def _bracketed(text: str) -> Interval | None:
    match = BRACKETS.match(text)
    if match is None:
        return None
    ends = as_number(match[2]), as_number(match[3])
    if ends[0] is None or ends[1] is None:
        return None
    return Interval(ends[0], ends[1], match[1] == "[", match[4] == "]")


def _one_sided(text: str) -> Interval | None:
    match = ONE_SIDED.match(text)
    number = None if match is None else as_number(match[2] or match[3])
    if match is None or number is None:
        return None
    sign = match[1] or ">="
    strict = sign in ("<", ">")
    if sign in ("<", "<=", "≤"):
        return Interval(-math.inf, number, with_high=not strict)
    return Interval(number, math.inf, with_low=not strict)


def _from_to(text: str) -> Interval | None:
    """Read `17-36`, `-5--3` and a single number."""
    alone = as_number(text)
    if alone is not None:
        return Interval(alone, alone)
    for dash in re.finditer("[-–]", text):
        low, high = as_number(text[: dash.start()]), as_number(text[dash.end() :])
        if low is not None and high is not None and low <= high:
            return Interval(low, high)
    return None
