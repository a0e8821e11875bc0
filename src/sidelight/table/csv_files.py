"""CSV files: the query that reads them, and what is wrong with them.

We read the first line ourselves and leave DuckDB's sniffer out: it may skip rows that do not fit its guess.
Every cell is text ("00734" stays), an empty cell is a missing one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import duckdb

from sidelight.errors import BadTable
from sidelight.table.encoding import not_utf8
from sidelight.table.first_line import FirstLine
from sidelight.table.roles import Roles
from sidelight.table.sql import quoted_path, quoted_text


def csv_view(files: list[tuple[Path, str | None]], roles: Roles) -> tuple[str, tuple[str, ...]]:
    """Write the query that reads the used columns of all files; also name the columns not used.

    Files may differ in delimiter and in the order of their columns.
    """
    alike: dict[tuple[str, tuple[str, ...]], list[Path]] = defaultdict(list)
    dropped: dict[str, None] = {}
    for file, said in files:
        first = FirstLine.of(file, said)
        dropped |= dict.fromkeys(roles.dropped(first.names, file.name, rows=first.rows))
        alike[first.delimiter, first.names].append(file)
    parts = [_query(group, delimiter, names, roles) for (delimiter, names), group in alike.items()]
    return " UNION ALL ".join(parts), tuple(dropped)


def _query(files: list[Path], delimiter: str, names: tuple[str, ...], roles: Roles) -> str:
    listed = ", ".join(map(quoted_path, files))
    types = ", ".join(f"c{place}: 'VARCHAR'" for place in range(len(names)))
    columns = ", ".join(f"c{names.index(name)} AS {ours}" for ours, name in roles.used.items())
    return (
        f"SELECT {columns} FROM read_csv([{listed}], auto_detect=false, header=true, columns={{{types}}}, "  # noqa: S608
        f"delim={quoted_text(delimiter)}, quote='\"', escape='\"', strict_mode=true, hive_partitioning=false)"
    )


def explained(files: list[Path], problem: duckdb.Error) -> BadTable:
    """Say in one line what is wrong with a CSV file; DuckDB's own message would show the row."""
    said = str(problem)
    named = re.search(r"^\s*file = (.+)$", said, re.MULTILINE)
    file = next((each for each in files if named and str(each) == named[1].strip()), files[0])
    line = re.search(r"Line: (\d+)", said)
    where = f"line {line[1]} of {file.name}" if line else file.name
    wanted = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", said)
    if wanted:
        return BadTable(f"{where} has {wanted[2]} cells where the header has {wanted[1]}; repair that line")
    long = re.search(r"Maximum line size of (\d+) bytes", said)
    if long:
        most = f"{int(long[1]):,}"
        return BadTable(f"{where} has more than {most} bytes; check that its quotes are closed, or shorten its cells")
    if "utf-8" in said.lower() or "unicode" in said.lower():
        return not_utf8(file)
    if isinstance(problem, duckdb.OutOfMemoryException):
        return BadTable(f"not enough memory, or room for temporary files, to count the rows of {file.name}")
    return BadTable(f"{where} cannot be read as CSV; check quotes and line ends there")
