"""Moments, times of day and durations as text, to the nanosecond."""

from __future__ import annotations

import datetime as dt
from typing import TypeAlias

import numpy as np

Moment: TypeAlias = dt.datetime | dt.time | dt.timedelta


def told(moment: Moment, nanoseconds: int = 0) -> str:
    """Tell a moment (in UTC; a midnight as its date), a time of day or a duration.

    Python's own know microseconds at best; `nanoseconds` says how many there are beyond those, 0 to 999.

    >>> told(dt.datetime(2020, 1, 2)), told(dt.datetime(2020, 1, 2, 3, 4), nanoseconds=5)
    ('2020-01-02', '2020-01-02 03:04:00.000000005')
    >>> told(dt.time(7, 30)), told(dt.timedelta(days=1)), told(dt.timedelta(hours=36, milliseconds=1))
    ('07:30:00', '1 day, 0:00:00', '1 day, 12:00:00.001000')
    """
    microseconds = moment.microseconds if isinstance(moment, dt.timedelta) else moment.microsecond
    below = f".{microseconds:06}" if microseconds or nanoseconds else ""
    below += f"{nanoseconds:03}" if nanoseconds else ""
    if isinstance(moment, dt.timedelta):
        return f"{dt.timedelta(moment.days, moment.seconds)}{below}"
    if isinstance(moment, dt.time):
        return moment.replace(tzinfo=None).isoformat("seconds") + below + moment.strftime("%z")
    moved = moment if moment.tzinfo is None else moment.astimezone(dt.UTC)
    if moved.time() == dt.time() and not below:
        return moved.date().isoformat()
    zone = "" if moment.tzinfo is None else "+00:00"
    return moved.replace(tzinfo=None).isoformat(" ", "seconds") + below + zone


def told_by_numpy(moment: np.datetime64 | np.timedelta64) -> str:
    """Tell a moment or a duration of NumPy.

    >>> told_by_numpy(np.datetime64("2020-01-02")), told_by_numpy(np.timedelta64(-1, "ns"))
    ('2020-01-02', '-1 day, 23:59:59.999999999')
    """
    kind = "datetime64[us]" if isinstance(moment, np.datetime64) else "timedelta64[us]"
    whole = moment.astype(kind)  # rounds down
    return told(whole.item(), int((moment - whole) / np.timedelta64(1, "ns")))


def told_in_nanoseconds(nanoseconds: int) -> str:
    """Tell a duration of so many nanoseconds.

    >>> told_in_nanoseconds(90_000_000_001)
    '0:01:30.000000001'
    """
    microseconds, below = divmod(nanoseconds, 1000)
    return told(dt.timedelta(microseconds=microseconds), below)
