"""Sessions of Spark: how one is started, and what goes wrong, in one line.

What a session needs (the extra, Java, the same Python on both sides) is looked for before
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
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sidelight.errors import BadTable, NoRoom, NotAvailable, SidelightError, parameter

# What Spark says when it fails, and what we do
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
    (  # executors, or the whole of Spark, are gone
        (
            "ExecutorLostFailure|executor .* (?:lost|exited)|LOST_EXECUTOR|FetchFailed|ran out of executors|shut ?down|"
            "stopped SparkContext|Connection refused|Answer from Java|Error while sending or receiving|"
            "SESSION_OR_CONTEXT_NOT_EXISTS"
        ),
        BadTable,
        "Spark lost its executors while {name} was read, and nothing was kept; see why they end, and read it again",
    ),
)


@contextmanager
def spark_errors(name: str) -> Iterator[None]:
    """Report in one line what Spark fails with, and keep what it says about pandas to itself."""
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
    for pattern, kind, words in FAILED:
        # first match wins: the list goes from particular causes to general ones such as a lost executor
        seen = re.search(pattern, report)
        if seen:
            module = seen[1] if seen.groups() else ""
            return kind(words.format(name=name, module=module, master=parameter("master")))
    condition = re.search(r"\[([A-Z][A-Z_.]+)\]", report)
    why = f" ({condition[1]})" if condition else ""
    return BadTable(f"Spark could not count {name}{why}; check that a query of these columns runs there")


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
    _require_java(8 if pyspark.__version__.startswith("3.") else 17, pyspark.__version__)
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
