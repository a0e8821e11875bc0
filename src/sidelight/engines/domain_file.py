"""Which sensitive values could there be?  A list of them in a file, so that nobody types a thousand codes.

A text file has one value per line, in quotes or not.  A table (CSV, TSV, Parquet, a spreadsheet) has them in a column,
in natural order.  The list comes from a code book, never from the table that is to be published: values that nobody
happens to have belong in it too.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sidelight.engines.read import columns_in_words, columns_of, nearest_column, tabulate
from sidelight.errors import BadTable, UnknownColumn, expect_or_none, listed, parameter
from sidelight.files import read_whole
from sidelight.table.labels import Label
from sidelight.table.roles import Domain, Roles

# Endings of files that hold a value per line
LINES = {".txt", ".list", ".lst", ""}


def read_domain(path: str | Path, column: str | None = None, *, encoding: str | None = None) -> tuple[Label, ...]:
    r"""Return the values that a file lists.

    Args:
        path: a text file (.txt) with one value per line, or a CSV, TSV, Parquet or other table with a column of them.
        column: which column of a table; default: the only one.
        encoding: how the letters of a text file are written; default: UTF-8.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "diagnoses.txt")
    ...     _ = file.write_text("Flu\nCold, common\n\nAIDS\n")
    ...     read_domain(file)
    ('Flu', 'Cold, common', 'AIDS')
    """
    expect_or_none(str, column, parameter("column"))
    file = Path(path)
    values = _lines(file, encoding) if file.suffix.lower() in LINES else _cells(file, column, encoding)
    if not values:
        message = f"{file.name} lists no values; give one per line"
        raise BadTable(message)
    return values


def read_declared(path: Path, sensitive: Sequence[str], listed_too: Sequence[Label] = ()) -> Domain:
    """Read the values of the sensitive columns: of one, from its column, or the only one; of several, from theirs.

    Values of one column that are listed elsewhere too come first.
    """
    if len(sensitive) > 1:
        if listed_too:
            message = (
                f"{path.name} lists the values of {listed(sensitive)}; do not list some by {parameter('domain')} too"
            )
            raise BadTable(message)
        return {name: read_domain(path, name) for name in sensitive}
    there = columns_of(path) if path.suffix.lower() not in LINES else ()
    named = [name for name in sensitive if name in there]
    return (*listed_too, *read_domain(path, named[0] if named else None))


def _lines(file: Path, encoding: str | None) -> tuple[Label, ...]:
    try:
        text = read_whole(file).decode(encoding or "utf-8-sig")
    except (UnicodeDecodeError, LookupError):
        message = f"{file.name} is not {encoding or 'UTF-8'}; say how it is written with {parameter('encoding')}"
        raise BadTable(message) from None
    except (OSError, ValueError) as error:  # a name with a zero byte
        reason = getattr(error, "strerror", None) or "no such name"
        message = f"cannot read '{file}': {reason}; give the path of a file that lists the values"
        raise BadTable(message) from None
    # a dictionary drops repeated values and keeps the order of the file, which becomes the order of the domain
    return tuple(dict.fromkeys(_unquote(line.strip()) for line in text.splitlines() if line.strip()))


def _unquote(line: str) -> str:
    """Take a line that was copied out of a CSV file as that file means it."""
    inside = line[1:-1]
    # a lone quote inside means that the line was not quoted by a CSV writer, so its quotes belong to the value
    quoted = len(line) > 2 and line[0] == line[-1] == '"' and '"' not in inside.replace('""', "")
    return inside.replace('""', '"') if quoted else line


def _cells(file: Path, column: str | None, encoding: str | None) -> tuple[Label, ...]:
    names = columns_of(file, Roles(encoding=encoding))
    if column is None and len(names) > 1:
        there = columns_in_words(file, Roles(encoding=encoding))
        message = f"which column of {file.name} lists the values? it has: {there}"
        raise BadTable(message)
    listing = names[0] if column is None else column
    if listing not in names:
        message = f"no column '{listing}' in {file.name}{nearest_column(listing, file, Roles(encoding=encoding))}"
        raise UnknownColumn(message)
    # the column is both quasi-identifier and sensitive, as nothing is grouped: its labels are all that is asked for
    roles = Roles((listing,), listing, values="single", missing="a value", suppressed="a group", encoding=encoding)
    return tuple(text for text in tabulate(file, roles).domain if text is not None)
