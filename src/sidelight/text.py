"""Text for people: plurals, tables of notebooks, shortened labels; numbers and names in texts.

`read_data` reads a TOML file beside the code: lists of words, and sentences.
"""

from __future__ import annotations

import re
import shlex
import tomllib
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache
from html import escape
from importlib.resources import files
from itertools import islice
from typing import Any

MANY = {"person": "people", "is": "are", "has": "have", "was": "were", "holds": "hold", "breaks": "break"}
MANY |= {"repeats": "repeat", "says": "say", "counts": "count", "adversary": "adversaries", "hierarchy": "hierarchies"}
MANY |= {"entry": "entries", "utility": "utilities", "stands": "stand"}
"""Plurals that are not formed by an s."""


@cache
def read_data(package: str, name: str) -> dict[str, Any]:
    """Return the content of a TOML file beside the code of a room."""
    return tomllib.loads(files(package).joinpath(name).read_text(encoding="utf-8"))


def counted(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "group"), counted(2, "group"), counted(1200, "person")
    ('1 group', '2 groups', '1,200 people')
    """
    return f"{number:,} {form(noun, number)}"


def form(word: str, number: int) -> str:
    """Return the form of a noun or a verb that goes with a number.

    >>> form("is", 1), form("is", 0), form("limit", 3)
    ('is', 'are', 'limits')
    """
    return word if number == 1 else MANY.get(word, f"{word}s")


# A notebook shows a value as one small table, in which everything is escaped: labels and values come from foreign files
# and are never trusted as HTML.  `_repr_html_` may show counts, and what is published anyway: never rows of people.


# The most rows that are shown of a table
MOST_ROWS = 20


def html_table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[object]], *, total: int | None = None, note: str = ""
) -> str:
    """Render a table with a title, and the number of rows beyond the first `MOST_ROWS`.

    `rows` may be lazy: only the first are drawn from it, so `total` is their number.

    >>> print(html_table("<Pets>", ["name"], [("R&D",)]))
    <table><caption>&lt;Pets&gt;</caption><thead><tr><th>name</th></tr></thead><tbody><tr><td>R&amp;D</td></tr></tbody></table>
    """
    shown = list(islice(rows, MOST_ROWS))
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in shown)
    parts = [f"<table><caption>{escape(title)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"]
    if total is not None and total > len(shown):
        parts.append(f"<p>… and {total - len(shown):,} more</p>")
    if note:
        parts.append(f"<p>{escape(note)}</p>")
    return "\n".join(parts)


def _cell(content: object) -> str:
    if isinstance(content, int | float | Fraction) and not isinstance(content, bool):
        text = f"{content:,}" if isinstance(content, int) else str(content)
        return f'<td style="text-align: right">{escape(text)}</td>'
    return f"<td>{escape(str(content))}</td>"


# The deepest nesting of lists and tables, and the most parts of a dotted key of TOML
MOST_NESTED = 100


def is_deeply_nested(text: str) -> bool:
    """Return whether JSON or TOML is nested too deeply for parsers.

    >>> is_deeply_nested('{"a": [1]}'), is_deeply_nested("[" * 1000), is_deeply_nested("a.a." * 1000 + "a = 1")
    (False, True, True)
    """
    # counted without parsing: brackets inside strings only make it refuse sooner
    opened = 0
    for letter in (each for each in text if each in "[]{}"):
        opened += 1 if letter in "[{" else -1
        if opened > MOST_NESTED:
            return True
    return any(line.partition("=")[0].count(".") > MOST_NESTED for line in text.splitlines() if "." in line)


def one_or_several(names: Sequence[str]) -> str | tuple[str, ...]:
    """Return one name as itself, several as a tuple; `as_names` reads both.

    >>> one_or_several(["income"]), one_or_several(["disease", "income"])
    ('income', ('disease', 'income'))
    """
    return names[0] if len(names) == 1 else tuple(names)


def bytes_in_words(many: int) -> str:
    """Return an amount of memory in words, rounded up.

    >>> bytes_in_words(1_600_000_000), bytes_in_words(12_000_001)
    ('1.6 GB', '13 MB')
    """
    if many >= 10**9:
        return f"{-(-many // 10**8) / 10:g} GB"
    return f"{-(-many // 10**6)} MB"


def shell(words: Sequence[str]) -> str:
    """Write a command, broken between options if it is long."""
    lines = [""]
    for word in words:
        begins = word.startswith("-") and len(lines[-1]) > 60
        if begins:
            lines.append("")
        lines[-1] = f"{lines[-1]} {shlex.quote(word)}".lstrip()
    return " \\\n    ".join(lines)


def join_words(words: Sequence[str], last: str = "and") -> str:
    """Join words for a sentence.

    >>> join_words(["age", "sex", "zip"]), join_words(["age"])
    ('age, sex and zip', 'age')
    """
    *others, end = words or [""]
    return f"{', '.join(others)} {last} {end}" if others else end


def capitalize(sentence: str) -> str:
    """Return a sentence that begins with a capital letter."""
    return sentence[:1].upper() + sentence[1:]


def shorten_label(label: str, longest: int = 60) -> str:
    """Shorten a long label in the middle: a set to two of its members and the last, other texts to their ends.

    >>> shorten_label("{" + ", ".join(f"2024-01-{day:02}" for day in range(1, 32)) + "}")
    '{2024-01-01, 2024-01-02, … and 28 more, 2024-01-31}'
    >>> shorten_label("Flu"), len(shorten_label("long " * 100))
    ('Flu', 60)
    """
    if len(label) <= longest:
        return label
    members = label[1:-1].split(", ")
    if label[0] + label[-1] == "{}" and len(members) > 3:
        label = f"{{{', '.join(members[:2])}, … and {len(members) - 3:,} more, {members[-1]}}}"
    half = (longest - 1) // 2
    return label if len(label) <= longest else f"{label[: longest - 1 - half]}…{label[-half:]}"


def first_repeated(names: Sequence[str]) -> str | None:
    """Return the first name that occurs more than once; None if there is none.

    >>> first_repeated(["age", "sex", "age"])
    'age'
    """
    return next((name for name, times in Counter(names).items() if times > 1), None)


# The most letters of a written number, and the most digits of its power of ten
LONGEST_NUMBER, LONGEST_POWER = 2_000, 3


def fraction_in(text: str) -> Fraction | None:
    """Parse a number exactly; None for other texts, and for numbers that would fill the memory with zeros.

    >>> fraction_in("0.1"), fraction_in(" 3/4"), fraction_in("1e3"), fraction_in("many"), fraction_in("1/0")
    (Fraction(1, 10), Fraction(3, 4), Fraction(1000, 1), None, None)
    >>> fraction_in("0e99999999"), fraction_in("1e-999999999"), fraction_in("9" * 5_000)
    (None, None, None)
    """
    power = re.search(r"[eE][+-]?0*([0-9]+)", text)
    if len(text) > LONGEST_NUMBER or "_" in text or (power is not None and len(power[1]) > LONGEST_POWER):
        return None
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        return None
