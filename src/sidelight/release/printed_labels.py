"""May a printed cell stand for what is known about somebody?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sidelight.table.labels import MISSING, SUPPRESSED, Label, as_number

_NUMBER = r"-?[0-9]+(?:\.[0-9]+)?"
_RANGE = re.compile(rf"([\[(\]]?)\s*({_NUMBER})\s*(?:-|–|\.\.|,|;|:|to)\s*({_NUMBER})\s*([\])\[]?)")
_AT_LEAST = re.compile(rf"(?:>=|≥)\s*({_NUMBER})|({_NUMBER})\s*\+")
_ABOVE, _AT_MOST, _BELOW = (re.compile(rf"(?:{sign})\s*({_NUMBER})") for sign in (">", "<=|≤", "<"))
_PLAIN_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")
_DAY = re.compile(r"([0-9]{4})-([0-9]{2})-[0-9]{2}.*")
_DAYS = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2}) to ([0-9]{4}-[0-9]{2}-[0-9]{2})")


def covers(printed: Label, text: Label) -> bool:
    """Say whether a printed cell may stand for what is known: the same, suppressed, a range, a set, a masked code.

    >>> [covers(printed, "34") for printed in ("34", "34.0", "*", "30-39", "[30, 40)", "(33, 34]", "3*", ">=30")]
    [True, True, True, True, True, True, True, True]
    >>> [covers(printed, "34") for printed in ("034", "[20, 34)", "]34, 40]", "3**", "44", "30", None)]
    [False, False, False, False, False, False, False]
    >>> covers("{Divorced, Widowed}", "Widowed"), covers("30-39 or (missing)", None), covers("2024-Q1", "2024-03-09")
    (True, True, True)
    >>> covers("1984-03-09 to 1990-11-30", "1990-11-30"), covers("1984-03-09 to 1990-11-30", "1990-12-01")
    (True, False)
    """
    if printed in {text, SUPPRESSED}:
        return True
    if printed is None:
        return False
    alternatives = [*_alternatives(printed)]
    if len(alternatives) > 1:
        return any(covers(each, text) for each in alternatives)
    return text is not None and (_masks(printed, text) or _spans(printed, text) or _in_period(printed, text))


def says_one_thing(text: Label) -> bool:
    """Say whether a cell is neither suppressed, nor a mask, a set, a range."""
    if text is None:
        return True
    several = len([*_alternatives(text)]) > 1 or text.endswith("*")
    return not several and not any(
        kind.fullmatch(text) for kind in (_RANGE, _DAYS, _AT_LEAST, _ABOVE, _AT_MOST, _BELOW)
    )


def _alternatives(printed: str) -> Iterator[Label]:
    """Take apart what a search prints where people of a group differ: {a, b}, 30-39 or (missing)."""
    if printed.startswith("{") and printed.endswith("}"):
        for part in printed[1:-1].split(", "):
            yield None if part == MISSING else part
    elif printed.endswith(f" or {MISSING}"):
        yield from (printed.removesuffix(f" or {MISSING}"), None)
    else:
        yield printed


def _masks(printed: str, text: str) -> bool:
    """81667 may be printed as 816**."""
    return printed.endswith("*") and len(printed) == len(text) and text.startswith(printed.rstrip("*"))


def _spans(printed: str, text: str) -> bool:
    number = as_number(text)
    if number is None:
        return False
    if _PLAIN_NUMBER.fullmatch(printed) and _PLAIN_NUMBER.fullmatch(text):  # 34 is 34.0; 034 is a code
        return number == as_number(printed)
    if found := _RANGE.fullmatch(printed):
        low, high = float(found[2]), float(found[3])
        above = low < number if found[1] in ("(", "]") else low <= number
        return above and (number < high if found[4] in (")", "[") else number <= high)
    if found := _AT_LEAST.fullmatch(printed):
        return number >= float(found[1] or found[2])
    for kind, fits in ((_ABOVE, number.__gt__), (_AT_MOST, number.__le__), (_BELOW, number.__lt__)):
        if found := kind.fullmatch(printed):
            return bool(fits(float(found[1])))
    return False


def _in_period(printed: str, text: str) -> bool:
    """A day may be printed as its month, quarter or year, or as days from one to another."""
    day = _DAY.fullmatch(text)
    if day is None:
        return False
    if between := _DAYS.fullmatch(printed):
        return between[1] <= text[:10] <= between[2]
    year, month = day[1], day[2]
    return printed in (year, f"{year}-{month}", f"{year}-Q{(int(month) + 2) // 3}")
