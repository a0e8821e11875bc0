"""Rows that Spark counts, of a DataFrame or of files that a session of ours reads; and releases, written in parts.

The needs of a session (the extra, Java, the same Python on both sides) are checked before it is started, and Spark's
errors become one line: its own messages are traces of Java, and may show cells.

    codes, and the repeats of each row ──▶ executors: rows, labels, a random place for each
                                       ──▶ partitions by place, each sorted by it ──▶ part-….parquet

*Invariants.*  A row's position depends on its place alone, so that every order is equally likely.  Places are drawn
from a seed and the partition: a task that is run again, because an executor was lost, draws the same ones, and no row
is lost or written twice.

Executors write into a folder that they share with this process.  It is one published file: its digest is that of its
parts and their names; it is read back, judged and moved into place as one; it is never replaced.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from sidelight.arrays import repeat_rows
from sidelight.engines.dataframes.source import frame_rows
from sidelight.engines.formats.write import Sheet, written_labels
from sidelight.errors import BadTable, NoRoom, NotAvailable, NotPublished, SidelightError, parameter
from sidelight.files import flush_to_disk
from sidelight.table.labels import Column
from sidelight.text import read_data

if TYPE_CHECKING:
    from sidelight.engines.source import TextRows
    from sidelight.table.roles import Roles


@contextmanager
def spark_errors(name: str) -> Iterator[None]:
    """Raise Spark's errors as one line of our own, and silence its warnings about pandas."""
    from py4j.protocol import Py4JError  # noqa: PLC0415 - of an extra
    from pyspark.errors import PySparkException  # noqa: PLC0415

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except (Py4JError, PySparkException, ConnectionError) as problem:
        raise _explain(name, str(problem)) from None
    except (AttributeError, RuntimeError) as problem:
        if "SparkContext" not in str(problem) and "NoneType" not in str(problem):  # of a session that was stopped
            raise
        raise _explain(name, "stopped SparkContext") from None


def _explain(name: str, report: str) -> SidelightError:
    classes: dict[str, type[SidelightError]] = {"BadTable": BadTable, "NoRoom": NoRoom, "NotAvailable": NotAvailable}
    # first match wins: the list goes from particular causes to general ones such as a lost executor
    for failure in read_data("sidelight.engines.spark", "failures.toml")["failures"]:
        seen = re.search(failure["pattern"], report)
        if seen:
            module = seen[1] if seen.groups() else ""
            words: str = failure["words"]
            return classes[failure["error"]](words.format(name=name, module=module, master=parameter("master")))
    condition = re.search(r"\[([A-Z][A-Z_.]+)\]", report)
    why = f" ({condition[1]})" if condition else ""
    return BadTable(f"Spark could not count {name}{why}; check that a query of these columns runs there")


def spark_session(master: str | None = None) -> Any:  # noqa: ANN401 - a session of Spark, which is an extra
    """Return the active session, or start one; `master` is that of `spark-submit`."""
    try:
        import pyspark  # noqa: PLC0415 - an extra
        from pyspark.sql import SparkSession  # noqa: PLC0415
    except ImportError:
        raise NotAvailable.without(package="pyspark", what="Spark", extra="spark") from None
    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    _require_java(8 if pyspark.__version__.startswith("3.") else 17, pyspark.__version__)
    settings: dict[str, bool | float | int | str | None] = {
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
    }
    if master is not None and master.startswith("local"):  # executors are on this machine: they run what runs here
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        os.environ.setdefault("SPARK_HOME", pyspark.__path__[0])
        ours = str(Path(__file__).parents[3])  # the folder that the package is in
        known = [each for each in os.environ.get("PYTHONPATH", "").split(os.pathsep) if each]
        settings["spark.executorEnv.PYTHONPATH"] = os.pathsep.join(dict.fromkeys((ours, *known)))
    with spark_errors("the cluster"):
        builder = SparkSession.builder.appName("sidelight").config(map=settings)
        return (builder if master is None else builder.master(master)).getOrCreate()


def _require_java(least: int, version: str) -> None:
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java") if home is None else shutil.which(str(Path(home) / "bin" / "java"))
    needs = f"Spark {version} needs Java {least} or newer"
    if java is None:
        raise NotAvailable(
            f"{needs}, and there is none; install it (Debian: apt-get install default-jre-headless) or set JAVA_HOME"
        )
    written = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)  # noqa: S603
    number = re.search(r'version "(?:1\.)?(\d+)', written.stderr + written.stdout)
    if number and int(number[1]) < least:
        raise NotAvailable(f"{needs}, and '{java}' is Java {number[1]}; install a newer one, or set JAVA_HOME")


# Types of Spark whose cells are grouped and have a label
GROUPED_TYPES = {
    *("string", "char", "varchar", "boolean", "byte", "short", "integer", "long", "decimal", "float", "double"),
    *("date", "timestamp", "timestamp_ntz", "daytimeinterval", "binary"),
}


@dataclass(frozen=True, slots=True)
class SparkFile:
    """Files that Spark reads; in text files, cells have no type."""

    frame: Any
    name: str
    files: tuple[Path, ...]
    typed: bool


def is_spark(source: object) -> bool:
    """Return whether Spark holds the rows, without importing it.

    >>> is_spark("patients.parquet")
    False
    """
    return isinstance(source, SparkFile) or type(source).__module__.startswith("pyspark.sql.")


def spark_rows(source: object, roles: Roles) -> TextRows:
    """Open a DataFrame of Spark as rows to count; nothing is computed yet."""
    frame: Any = source.frame if isinstance(source, SparkFile) else source
    _refuse_columns(frame.schema.fields, roles)
    rows = frame_rows(frame, roles)
    if isinstance(source, SparkFile):
        own = replace(rows.source, name=source.name, files=source.files)
        rows = replace(rows, source=own if source.typed else replace(own, texts=frozenset()))
    return rows


def _refuse_columns(fields: Sequence[Any], roles: Roles) -> None:
    """Raise `BadTable` for columns that Spark cannot name or group, or whose collation equates different texts."""
    used, names = set(roles.used.values()), [each.name.lower() for each in fields]
    for each in fields:
        if each.name not in used:
            continue
        kind, collation = each.dataType.typeName(), getattr(each.dataType, "collation", "UTF8_BINARY")
        if {".", "`"} & {*each.name} or names.count(each.name.lower()) > 1:
            raise BadTable(
                f"Spark cannot tell by its name which column '{each.name}' is; give it a name of its own, in any case, "
                "without dots and backticks"
            )
        if kind.partition("(")[0] not in GROUPED_TYPES:
            raise BadTable(
                f"column '{each.name}' holds {kind} cells, which Spark cannot group; turn it into text first, such as "
                f"with CAST({each.name} AS STRING)"
            )
        if collation != "UTF8_BINARY":  # by which texts are the same only if all their bytes are
            raise BadTable(
                f"column '{each.name}' compares texts by {collation}, which takes different ones for the same; make it "
                f"a plain one, with CAST({each.name} AS STRING)"
            )


# About how many rows a part has at most
ROWS_PER_PART = 1 << 21

Batches = Iterator[pa.RecordBatch]


def running_spark() -> Any:  # noqa: ANN401 - a session of Spark, which is an extra
    """Return the active session of this process; None if there is none."""
    sql = sys.modules.get("pyspark.sql")
    return None if sql is None else sql.SparkSession.getActiveSession()


def write_folder(path: Path, sheet: Sheet) -> None:
    """Have Spark write Parquet into a new folder, in several files that are one table."""
    session = running_spark()
    if session is None:
        raise NotPublished(
            f"'{path.name}' is for Spark to write, which has ended; name it .parquet, or start Spark again"
        )
    try:
        parts = write_parts(session, sheet, path)
    except BadTable:
        raise NotPublished(
            f"Spark could not write '{path.name}', and nothing was published; see that its executors live and may "
            "write into this folder, or name it .parquet"
        ) from None
    if not parts:
        raise NotPublished(
            f"Spark wrote no part of '{path.name}' where this process looks; choose a folder that executors share"
        )
    for other in {*path.iterdir()} - {*parts}:  # Spark's own checksums
        other.unlink()
    # the files before the folder: the folder's entries must not survive a crash without the bytes they name
    for part in (*parts, path):
        flush_to_disk(part)


def write_parts(session: Any, sheet: Sheet, folder: Path) -> list[Path]:  # noqa: ANN401
    """Have executors write a sheet into a new folder; return the parts that this process finds there."""
    columns, kinds = [*sheet.columns.values()], sheet.arrow_kinds()
    times = np.ones(len(sheet), np.int64) if sheet.times is None else sheet.times
    codes = [f"c{number}" for number in range(len(columns))]
    words = {pa.string(): "string", pa.int64(): "long", pa.float64(): "double", pa.date32(): "date"}
    types = ", ".join(f"{code} {words[kind]}" for code, kind in zip(codes, kinds, strict=True))
    labels = [
        written_labels(column, kind) if isinstance(column, Column) else None
        for column, kind in zip(columns, kinds, strict=True)
    ]
    seed, cells = secrets.randbits(128), (each.codes if isinstance(each, Column) else each for each in columns)
    table = pa.table([*map(pa.array, cells), pa.array(times)], names=[*codes, "times"])
    parts = max(-(-int(times.sum()) // ROWS_PER_PART), 1)
    settings = {"compression": "zstd", "mapreduce.fileoutputcommitter.marksuccessfuljobs": "false"}

    def place(batches: Batches) -> Batches:
        # in an executor: each row, repeated and with labels, and its place
        from pyspark import TaskContext  # noqa: PLC0415 - of an extra

        context = TaskContext.get()
        assert context is not None
        # the partition is part of the seed, else all executors would draw the same places
        rng = np.random.default_rng([seed, context.partitionId()])
        for batch in batches:
            *codes, times = batch.columns
            for chosen in repeat_rows(times.to_numpy(), ROWS_PER_PART):
                here = [column.take(pa.array(chosen)) for column in codes]
                words = [each if own is None else own.take(each) for own, each in zip(labels, here, strict=True)]
                drawn = pa.array(rng.integers(-(1 << 63), (1 << 63) - 1, len(chosen), endpoint=True))
                yield pa.RecordBatch.from_arrays([*words, drawn], names=[*batch.schema.names[:-1], "place"])

    with spark_errors(folder.name):
        rows = session.createDataFrame(table).mapInArrow(place, f"{types}, place long")
        # 64 random bits per row decide its part (by Spark's hash) and its place there: the order of the input is lost
        shuffled = rows.repartition(parts, "place").sortWithinPartitions("place").drop("place")
        shuffled.toDF(*sheet.columns).write.options(**settings).parquet(folder.resolve().as_uri())
    return sorted(folder.glob("part-*.parquet"))
