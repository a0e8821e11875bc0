"""Read a table about people from files or any dataframe."""

from __future__ import annotations

from collections.abc import Sequence

from sidelight.table.roles import Missing, Roles, as_domain, as_marks, as_names
from sidelight.table.sources import rows_of
from sidelight.table.table import Semantics, Table
from sidelight.table.tallying import tabulate


def read_table(
    source: object,
    *,
    quasi: str | Sequence[str],
    sensitive: str,
    person: str | None = None,
    values: Semantics = "single",
    missing: Missing = "an error",
    missing_marks: str | Sequence[object] = (),
    domain: Sequence[object] | None = None,
) -> Table:
    """Read what a publisher holds: who has which sensitive value, by quasi-identifiers.

    Args:
        source: a path, glob or list of paths of CSV, TSV or Parquet files (also `.gz`, `.zst`), or a pandas,
            polars, pyarrow, DuckDB or Spark table.  Rows stay there; only counts come out.
        quasi: the columns that an outsider may know.  A missing cell is a label of its own.
        sensitive: the column that nobody should learn.
        person: the column that says whose row it is; needed when people have several values.
        values: "single" (one value, one row per person), "set" (a repeated value of a person counts once) or
            "multiset" (every row counts).
        missing: what a missing sensitive value means: "an error", "a value" or "drop".
        missing_marks: texts that mean missing, such as "?".
        domain: all values that could occur, in order; default: those that occur, sorted.

    >>> import pyarrow as pa
    >>> rows = pa.table({"zip": ["00734", "00734", None], "sex": ["f", "f", "m"], "disease": ["Flu", "Cold", "Flu"]})
    >>> read_table(rows, quasi=["zip", "sex"], sensitive="disease")
    <Table of 3 people: zip, sex → disease (2 values)>
    """
    roles = Roles(
        quasi=as_names(quasi),
        sensitive=sensitive,
        person=person,
        values=values,
        missing=missing,
        missing_marks=as_marks(missing_marks),
        domain=as_domain(domain),
    )
    return counted(source, roles)


def counted(source: object, roles: Roles) -> Table:
    """Have the engine that holds the rows count them."""
    with rows_of(source, roles) as rows:
        return tabulate(rows, roles)
