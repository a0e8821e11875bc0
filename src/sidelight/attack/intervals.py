"""Intervals and sets as they are printed: only read where somebody says that labels mean them."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sidelight.measures.exact import Floats
from sidelight.table.days import as_day
from sidelight.table.labels import MISSING, as_number

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
