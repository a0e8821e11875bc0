"""Names and texts as SQL writes them."""

from __future__ import annotations

import re
from pathlib import Path


def quoted_name(name: str) -> str:
    """Write a column's name.

    >>> print(quoted_name('5" tall'))
    "5"" tall"
    """
    return '"' + name.replace('"', '""') + '"'


def quoted_text(text: str) -> str:
    """Write a text.

    >>> quoted_text("it's")
    "'it''s'"
    """
    return "'" + text.replace("'", "''") + "'"


def quoted_path(file: Path) -> str:
    """Write the path of one file, so that DuckDB does not take it for a pattern.

    >>> quoted_path(Path("part[1].csv"))
    "'part[[]1].csv'"
    """
    return quoted_text(re.sub(r"([*?\[])", r"[\1]", str(file)))
