"""Rows that Spark counts: a DataFrame of Spark, or files that a session of ours has it read.

Rows stay in the executors.  What a session needs (the extra, Java, the same Python on both sides) is looked for before
it is started, and what Spark says when something fails becomes one line: its own messages are traces of Java, and may
show cells.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sidelight.engines.files import PACKERS, PARQUET, TEXT, FirstLine
from sidelight.errors import BadTable, NoRoom, NotAvailable, SidelightError, parameter
from sidelight.table.roles import Roles

GROUPABLE = {
    *("string", "char", "varchar", "boolean", "byte", "short", "integer", "long", "decimal", "float", "double"),
    *("date", "timestamp", "timestamp_ntz", "daytimeinterval", "binary"),
}
"""Types of Spark whose cells are grouped and have a label."""

BY_BYTES = "UTF8_BINARY"
"""The collation of texts that are the same only if all their bytes are."""

JAVA = {4: 17, 3: 8}
"""Which Java each Spark needs at least."""

LOST = (
    "ExecutorLostFailure|executor .* (?:lost|exited)|LOST_EXECUTOR|FetchFailed|ran out of executors|shut ?down|"
    "stopped SparkContext|Connection refused|Answer from Java|Error while sending or receiving|"
    "SESSION_OR_CONTEXT_NOT_EXISTS"
)
"""How Spark says that executors, or the whole of it, are gone."""

FAILED: tuple[tuple[str, type[SidelightError], str], ...] = (
    (
        "No module named '?(sidelight|numpy|pyarrow|narwhals|duckdb)",
        NotAvailable,
        "the executors of Spark have no {module}; install it there, or say by PYSPARK_PYTHON which Python has it",
    ),
    (
        "PYTHON_VERSION_MISMATCH|PySpark cannot run with different minor versions",
        NotAvailable,
        "the executors of Spark run another Python than this one; say by PYSPARK_PYTHON which is the same",
    ),
    (
        "Cannot run program|CANNOT_RUN_PROGRAM",
        NotAvailable,
        "the executors of Spark find no Python; say by PYSPARK_PYTHON where it is",
    ),
    (
        "OutOfMemoryError|maxResultSize|exceeding memory limits|Cannot grow BufferHolder",
        NoRoom,
        "Spark has not enough memory to count {name}; raise spark.driver.memory and spark.executor.memory",
    ),
    ("No space left on device", NoRoom, "the disk of Spark is full; set spark.local.dir to a larger one"),
    (
        "MALFORMED|FAILFAST|malformed",
        BadTable,
        "{name} cannot be read as CSV by Spark; repair its lines, or store it as Parquet",
    ),
    ("PATH_NOT_FOUND|Path does not exist", BadTable, "Spark finds no {name}; check the path, as its executors see it"),
    (
        "FAILED_READ_FILE|CANNOT_READ_FILE|is not a Parquet file|UNABLE_TO_INFER_SCHEMA",
        BadTable,
        "Spark cannot read {name}; check that it is whole, and the same wherever executors look for it",
    ),
    (
        "unresponsive|Could not parse Master URL|INVALID_MASTER|master URL",
        BadTable,
        "Spark has no master as {master} says; write it like local[2] or spark://host:7077",
    ),
    (
        LOST,
        BadTable,
        "Spark lost its executors while {name} was read, and nothing was kept; see why they end, and read it again",
    ),
)
"""What Spark says when it fails, and what we do."""


@dataclass(frozen=True, slots=True)
class SparkFile:
    """Files that Spark reads; cells of text files have no type."""

    frame: Any
    name: str
    files: tuple[Path, ...]
    typed: bool


def is_spark(source: object) -> bool:
    """Whether Spark holds the rows; nothing is imported for it.

    >>> is_spark("patients.parquet")
    False
    """
    return isinstance(source, SparkFile) or type(source).__module__.startswith("pyspark.sql.")


def refuse_columns(fields: Sequence[Any], roles: Roles) -> None:
    """Refuse columns that Spark cannot name or group, or whose texts it takes for the same that are not."""
    used, names = set(roles.used.values()), [each.name.lower() for each in fields]
    for each in fields:
        if each.name not in used:
            continue
        kind, collation = each.dataType.typeName(), getattr(each.dataType, "collation", BY_BYTES)
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
        if collation != BY_BYTES:
            message = (
                f"column '{each.name}' compares texts by {collation}, which takes different ones for the same; make it "
                f"a plain one, with CAST({each.name} AS STRING)"
            )
            raise BadTable(message)


@contextmanager
def spark_errors(name: str) -> Iterator[None]:
    """Say in one line what Spark fails with, and keep what it says about pandas to itself."""
    from py4j.protocol import Py4JError  # noqa: PLC0415 - of an extra
    from pyspark.errors import PySparkException  # noqa: PLC0415

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except (Py4JError, PySparkException, ConnectionError) as problem:
        raise _explained(name, str(problem)) from None
    except (AttributeError, RuntimeError) as problem:
        if "SparkContext" not in str(problem) and "NoneType" not in str(problem):  # of a session that was stopped
            raise
        raise _explained(name, "stopped SparkContext") from None


def _explained(name: str, report: str) -> SidelightError:
    for pattern, kind, words in FAILED:
        seen = re.search(pattern, report)
        if seen:
            module = seen[1] if seen.groups() else ""
            return kind(words.format(name=name, module=module, master=parameter("master")))
    condition = re.search(r"\[([A-Z][A-Z_.]+)\]", report)
    why = f" ({condition[1]})" if condition else ""
    return BadTable(f"Spark could not count {name}{why}; check that a query of these columns runs there")


def spark_file(source: str | Sequence[str], roles: Roles, master: str | None = None) -> SparkFile:
    """Have Spark read Parquet, CSV or TSV files, where its executors find them.

    Cells of text files are what DuckDB has them say: texts, nothing where nothing stands.
    """
    paths = [source] if isinstance(source, str) else list(source)
    kinds = {_kind(path) for path in paths}
    if len(kinds) > 1 or not kinds <= {*TEXT, *PARQUET, ""}:
        message = f"Spark reads Parquet, CSV and TSV files here, not '{paths[0]}'; leave {parameter('engine')} out"
        raise BadTable(message)
    text = kinds <= {*TEXT}
    session = spark_session(master)
    name = Path(paths[0]).name
    with spark_errors(name):
        frame = _texts(session, paths, roles) if text else session.read.parquet(*paths)
    local = tuple(Path(path) for path in paths if Path(path).is_file())
    return SparkFile(frame, name, local, typed=not text)


def _kind(path: str) -> str:
    """Give the ending, without that of a packer; a folder has none."""
    named = Path(path.rstrip("/"))
    inner = named.with_suffix("") if named.suffix.lower() in PACKERS else named
    return inner.suffix.lower()


def _texts(session: Any, paths: list[str], roles: Roles) -> Any:  # noqa: ANN401 - of Spark, which is an extra
    from pyspark.sql import functions  # noqa: PLC0415

    delimiter, first = TEXT[_kind(paths[0])], Path(paths[0])
    if delimiter is None and first.is_file():
        delimiter = FirstLine.of(first, None).delimiter
    reader = session.read.options(
        header=True,
        inferSchema=False,
        sep=delimiter or ",",
        quote='"',
        escape='"',
        multiLine=True,
        mode="FAILFAST",
        columnPruning=False,
        encoding=roles.encoding or "UTF-8",
    )
    frame = reader.csv(paths)
    cells = [functions.col(f"`{name.replace('`', '``')}`") for name in frame.columns]
    return frame.select(
        *(functions.when(cell != "", cell).alias(name) for cell, name in zip(cells, frame.columns, strict=True))
    )


def spark_session(master: str | None = None) -> Any:  # noqa: ANN401 - a session of Spark, which is an extra
    """Start Spark, or take the session that there is; the master is what `spark-submit` takes."""
    try:
        import pyspark  # noqa: PLC0415 - an extra
        from pyspark.sql import SparkSession  # noqa: PLC0415
    except ImportError:
        raise NotAvailable.without(package="pyspark", what="Spark", extra="spark") from None
    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    _require_java(JAVA.get(int(pyspark.__version__.partition(".")[0]), max(JAVA.values())), pyspark.__version__)
    settings: dict[str, bool | float | int | str | None] = {
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
    }
    if master is not None and master.startswith("local"):  # executors are on this machine: they run what runs here
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        os.environ.setdefault("SPARK_HOME", pyspark.__path__[0])
        ours = str(Path(__file__).parents[2])
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
        message = (
            f"{needs}, and there is none; install it (Debian: apt-get install default-jre-headless) or set JAVA_HOME"
        )
        raise NotAvailable(message)
    written = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)  # noqa: S603
    number = re.search(r'version "(?:1\.)?(\d+)', written.stderr + written.stdout)
    if number and int(number[1]) < least:
        message = f"{needs}, and '{java}' is Java {number[1]}; install a newer one, or set JAVA_HOME"
        raise NotAvailable(message)
