"""Days as whole numbers: to be ordered, cut and averaged like other numbers, and printed as days again."""

from __future__ import annotations

import datetime as dt
import re

from sidelight.table.labels import Label

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def as_day(text: Label) -> int | None:
    """Read a day as its number, or say that it is none.

    >>> as_day("1984-03-09"), as_day("1984-03"), as_day("1984-02-31"), as_day(None)
    (724344, None, None, None)
    """
    if text is None or _DAY.fullmatch(text) is None:
        return None
    try:
        return dt.date.fromisoformat(text).toordinal()
    except ValueError:
        return None


def as_text(day: float) -> str:
    """Print the day of a number, the nearest one of those that there are.

    >>> as_text(724344.4)
    '1984-03-09'
    """
    return dt.date.fromordinal(min(max(round(day), 1), dt.date.max.toordinal())).isoformat()
