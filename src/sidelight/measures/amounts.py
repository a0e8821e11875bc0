"""Amounts of knowledge: how much somebody may know."""

from __future__ import annotations

from operator import index

from sidelight.errors import BadMeasure


def whole_amount(measure: str, name: str, amount: object) -> int:
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
        message = f"'{measure}' needs {name} to be a whole number of at least 0, not {amount}"
        raise BadMeasure(message)
    return int(whole)
