"""Whether a text says what it has to, whatever its wording."""

from __future__ import annotations

import re


def mentions(text: object, *parts: object) -> bool:
    """Return whether all parts stand in the text in this order, each as a word or number of its own.

    An assertion names what a reader needs (who, which column, how many, which option mends it), and no phrase: so
    the wording can improve without touching tests.

    >>> mentions("no column 'aeg' in ward.csv; did you mean 'age'?", "aeg", "ward.csv", "age")
    True
    >>> mentions("12 of 1,200 people", 2), mentions("12 of 1,200 people", "people", 12)
    (False, False)
    """
    whole = [rf"(?<![\w.,]){re.escape(str(part))}(?![\w]|[.,]\w)" for part in parts]
    return re.search(".*".join(whole), str(text), re.DOTALL) is not None


def says(text: object, *parts: object) -> bool:
    """Return whether one sentence, line or element of a longer text or page mentions all parts.

    >>> text = "12 people were asked. Nobody is alone."
    >>> says(text, 12, "asked"), says(text, 12, "alone")
    (True, False)
    """
    return any(mentions(each, *parts) for each in re.split(r"(?<=[.!?])\s+|\n+|<", str(text)))
