"""Rows that Spark counts: a DataFrame of Spark, or files that a session of ours has it read; rows stay in executors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sidelight.engines.dataframes.source import frame_rows
from sidelight.engines.formats.registry import find_format, suffix_of
from sidelight.engines.source import TextRows, people_written_alike
from sidelight.engines.spark.session import spark_errors, spark_session
from sidelight.errors import BadTable, parameter
from sidelight.table.roles import Roles

# Types of Spark whose cells are grouped and have a label
GROUPABLE = {
    *("string", "char", "varchar", "boolean", "byte", "short", "integer", "long", "decimal", "float", "double"),
    *("date", "timestamp", "timestamp_ntz", "daytimeinterval", "binary"),
}


@dataclass(frozen=True, slots=True)
class SparkFile:
    """Files that Spark reads; cells of text files have no type."""

    frame: Any
    name: str
    files: tuple[Path, ...]
    typed: bool


def is_spark(source: object) -> bool:
    """Return whether Spark holds the rows; nothing is imported for it.

    >>> is_spark("patients.parquet")
    False
    """
    return isinstance(source, SparkFile) or type(source).__module__.startswith("pyspark.sql.")


def spark_file(source: str | Sequence[str], roles: Roles, master: str | None = None) -> SparkFile:
    """Have Spark read files of one kind, where its executors find them; what has no ending is a folder of Parquet."""
    paths = [source] if isinstance(source, str) else list(source)
    endings = {suffix_of(path) for path in paths}
    form = find_format(f"rows{min(endings) or '.parquet'}")
    if len(endings) > 1 or form is None or not form.in_spark:
        message = f"Spark reads Parquet, CSV and TSV files here, not '{paths[0]}'; leave {parameter('engine')} out"
        raise BadTable(message)
    session = spark_session(master)
    name = Path(paths[0]).name
    with spark_errors(name):
        frame = form.read_in_spark(session, paths, roles)
    local = tuple(Path(path) for path in paths if Path(path).is_file())
    return SparkFile(frame, name, local, typed=form.typed)


def spark_rows(source: object, roles: Roles) -> TextRows:
    """Look at a DataFrame of Spark as rows to count; nothing is computed yet."""
    frame: Any = source.frame if isinstance(source, SparkFile) else source
    _refuse_columns(frame.schema.fields, roles)
    rows = frame_rows(frame, roles)
    if isinstance(source, SparkFile):
        own = replace(rows.source, name=source.name, files=source.files)
        rows = replace(rows, source=own if source.typed else replace(own, texts=frozenset()))
    people = people_written_alike(rows)
    assert isinstance(people, TextRows)
    return people


def _refuse_columns(fields: Sequence[Any], roles: Roles) -> None:
    """Refuse columns that Spark cannot name or group, or whose texts it takes for the same that are not."""
    used, names = set(roles.used.values()), [each.name.lower() for each in fields]
    for each in fields:
        if each.name not in used:
            continue
        kind, collation = each.dataType.typeName(), getattr(each.dataType, "collation", "UTF8_BINARY")
        if {".", "`"} & {*each.name} or names.count(each.name.lower()) > 1:
            message = (
                f"Spark cannot tell by its name which column '{each.name}' is; give it a name of its own, in any case, "
                "without dots and backticks"
            )
            raise BadTable(message)
        if kind.partition("(")[0] not in GROUPABLE:
            message = (
                f"column '{each.name}' holds {kind} cells, which Spark cannot group; turn it into text first, such as "
                f"with CAST({each.name} AS STRING)"
            )
            raise BadTable(message)
        if collation != "UTF8_BINARY":  # by which texts are the same only if all their bytes are
            message = (
                f"column '{each.name}' compares texts by {collation}, which takes different ones for the same; make it "
                f"a plain one, with CAST({each.name} AS STRING)"
            )
            raise BadTable(message)
