"""The settings of a measure, taken as they are meant or refused."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index

from sidelight.errors import BadMeasure, as_given, did_you_mean, parameter

LARGEST_AMOUNT = 10**1000
"""Any number may be asked about that Python writes."""


def whole_amount(measure: str, name: str, amount: object, *, most: int = LARGEST_AMOUNT) -> int:
    """Take a whole number of at least 0, or say what is wrong with it.

    >>> whole_amount("implications", "k", 3)
    3
    >>> whole_amount("implications", "k", -1)
    Traceback (most recent call last):
    ...
    sidelight.errors.BadMeasure: 'implications' needs k to be a whole number of at least 0, not -1
    """
    try:
        whole = -1 if isinstance(amount, bool) else index(amount)  # type: ignore[arg-type]
    except TypeError:
        whole = -1
    if whole < 0:
        message = f"'{measure}' needs {name} to be a whole number of at least 0, not {as_given(amount)}"
        raise BadMeasure(message)
    if whole > most:
        message = f"'{measure}' needs {name} to be at most {as_given(most)}, not {as_given(amount)}"
        raise BadMeasure(message)
    return int(whole)


def refuse_unknown(measure: str, name: str, chosen: object, choices: Sequence[str]) -> None:
    """Refuse what is none of the choices that a setting has.

    >>> refuse_unknown("prosecutor risk", "statistic", "averag", ("highest", "average"))
    Traceback (most recent call last):
    sidelight.errors.BadMeasure: 'prosecutor risk' has no statistic="averag"; did you mean 'average'?
    """
    if not isinstance(chosen, str) or chosen not in choices:
        message = f"'{measure}' has no {parameter(name, as_given(chosen))}{did_you_mean(as_given(chosen), choices)}"
        raise BadMeasure(message)
