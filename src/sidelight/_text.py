"""Words for people: nouns and verbs that fit a number, and texts cut to what fits a line."""

from __future__ import annotations

MANY = {"person": "people", "is": "are", "has": "have", "was": "were", "holds": "hold", "breaks": "break"}
MANY |= {"repeats": "repeat", "counts": "count", "adversary": "adversaries"}
"""What is said of several, where it is not just an s more."""


def counted(number: int, noun: str) -> str:
    """Say how many there are.

    >>> counted(1, "group"), counted(2, "group"), counted(1200, "person")
    ('1 group', '2 groups', '1,200 people')
    """
    return f"{number:,} {form(noun, number)}"


def form(word: str, number: int) -> str:
    """Give the form of a noun or a verb that goes with a number.

    >>> form("is", 1), form("is", 0), form("limit", 3)
    ('is', 'are', 'limits')
    """
    return word if number == 1 else MANY.get(word, f"{word}s")


def shortened(text: str, most: int) -> str:
    """Show a text in a message: in one line, and not all of a long one.

    >>> shortened("Ann" + chr(10) + "Lee has Flu", most=10)
    'Ann Lee h…'
    """
    line = " ".join(text.splitlines())
    return line if len(line) <= most else f"{line[: most - 1]}…"
