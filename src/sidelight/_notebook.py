"""How a value shows itself in a notebook: one small table, everything in it escaped.

A `_repr_html_` gives a title and rows of cells; labels and values come from other people's files and are never trusted
as HTML.  Only what is published anyway, or counts, may be shown: never the rows of a person.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from html import escape
from itertools import islice

MOST_ROWS = 20
"""How many rows are shown of a long table."""


def html_table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[object]], *, total: int | None = None, note: str = ""
) -> str:
    """Draw a table with a title, and what is left out of it where there are more than `MOST_ROWS` rows.

    `rows` may be lazy: only the first are drawn from it, so `total` says how many there are.

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
