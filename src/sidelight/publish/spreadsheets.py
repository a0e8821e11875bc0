"""Texts that a spreadsheet would take for formulas."""

from __future__ import annotations

from sidelight.table.labels import as_number

STARTS = "=+-@\t\r\n＝＋－＠"
"""A cell that begins so may be run when the file is opened (OWASP, CSV injection)."""


def as_text(label: str) -> str:
    """Put a `'` before a text that a spreadsheet would run; numbers and single signs are left alone.

    >>> [as_text(label) for label in ("=1+1", "-5", "-", "-5-0", "it's", "'=1")]
    ["'=1+1", '-5', '-', "'-5-0", "it's", "''=1"]
    """
    return "'" + label if _runs(label.lstrip("'")) else label


def from_text(cell: str) -> str:
    """Take the `'` away that `as_text` put there.

    >>> [from_text(as_text(label)) for label in ("=1+1", "-5", "'=1", "'")]
    ['=1+1', '-5', "'=1", "'"]
    """
    return cell[1:] if cell.startswith("'") and _runs(cell.lstrip("'")) else cell


def _runs(text: str) -> bool:
    return len(text) > 1 and text[0] in STARTS and as_number(text) is None
