"""What Spark needs and what it fails with, said in one line; nothing here starts it."""

import re
import sys
from types import SimpleNamespace

import pytest

from sidelight.engines.formats.registry import suffix_of
from sidelight.engines.spark import session
from sidelight.engines.spark import source as spark_source
from sidelight.errors import BadTable, NoRoom, NotAvailable
from sidelight.table.roles import Roles

REPORTS = {
    "Job aborted due to stage failure: Task 0 in stage 3.0 failed 4 times: ExecutorLostFailure (executor 7 exited)": (
        BadTable,
        "Spark lost its executors while rows.csv was read, and nothing was kept",
    ),
    "ModuleNotFoundError: No module named 'sidelight'": (
        NotAvailable,
        "the executors of Spark have no sidelight; install",
    ),
    "[PYTHON_VERSION_MISMATCH] Python in worker has different version": (
        NotAvailable,
        "run another Python than this one",
    ),
    "java.lang.OutOfMemoryError: Java heap space": (NoRoom, "raise spark.driver.memory and spark.executor.memory"),
    "java.io.IOException: No space left on device": (NoRoom, "set spark.local.dir to a larger one"),
    "[MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION] Ann,34,HIV": (
        BadTable,
        "rows.csv cannot be read as CSV by Spark",
    ),
    "[PATH_NOT_FOUND] Path does not exist: file:/none": (BadTable, "Spark finds no rows.csv; check the path"),
    "Could not parse Master URL: 'here'": (BadTable, r"Spark has no master as master= says; write it like local\[2\]"),
    "[SOMETHING_ELSE] of Ann's row": (BadTable, r"Spark could not count rows.csv \(SOMETHING_ELSE\); check that"),
}


@pytest.mark.parametrize("report", REPORTS)
def test_what_spark_fails_with_is_one_line_without_cells(report):
    kind, words = REPORTS[report]
    error = session._explain("rows.csv", report)
    assert type(error) is kind
    assert re.search(words, str(error))
    assert "Ann" not in str(error)
    assert "\n" not in str(error)


def test_without_pyspark_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(NotAvailable, match=r'Spark needs pyspark; install it with: pip install "sidelight\[spark\]"'):
        session.spark_session("local[1]")


def test_without_java_its_version_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(NotAvailable, match=r"Spark 4\.1 needs Java 17 or newer, and there is none; install it"):
        session._require_java(17, "4.1")


def test_an_old_java_is_refused(monkeypatch, tmp_path):
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'openjdk version \"1.8.0_402\"' >&2\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(NotAvailable, match=r"needs Java 17 or newer, and '.*' is Java 8; install a newer one"):
        session._require_java(17, "4.1")
    session._require_java(8, "3.5")


@pytest.mark.parametrize("path", ["people.xlsx", ["people.csv", "people.parquet"]])
def test_files_that_spark_does_not_read_here(path):
    with pytest.raises(BadTable, match="Spark reads Parquet, CSV and TSV files here"):
        spark_source.spark_file(path, Roles())


@pytest.mark.parametrize(("path", "kind"), [("a/b.csv.gz", ".csv"), ("s3a://x/y.parquet", ".parquet"), ("folder/", "")])
def test_the_kind_of_a_path(path, kind):
    assert suffix_of(path) == kind


class Typed:
    """What Spark says of a type."""

    def __init__(self, name, collation="UTF8_BINARY"):
        self.typeName = lambda: name
        self.collation = collation


@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        ({"zip": Typed("array")}, "column 'zip' holds array cells, which Spark cannot group; turn it into text"),
        ({"zip": Typed("variant")}, "column 'zip' holds variant cells"),
        ({"zip": Typed("time(6)")}, "column 'zip' holds time"),
        (
            {"zip": Typed("string", "UTF8_LCASE")},
            "column 'zip' compares texts by UTF8_LCASE, which takes different ones",
        ),
        ({"zip": Typed("string"), "ZIP": Typed("string")}, "Spark cannot tell by its name which column 'zip' is"),
        ({"zip.code": Typed("string")}, r"Spark cannot tell by its name which column 'zip\.code' is"),
    ],
)
def test_columns_that_spark_would_mistake(columns, problem):
    fields = [SimpleNamespace(name=name, dataType=kind) for name, kind in columns.items()]
    with pytest.raises(BadTable, match=problem):
        spark_source._refuse_columns(fields, Roles.of(quasi=next(iter(columns)), sensitive="disease"))


def test_columns_that_nobody_uses_may_be_odd():
    fields = [
        SimpleNamespace(name=name, dataType=Typed(kind)) for name, kind in (("zip", "decimal(9,2)"), ("a.b", "map"))
    ]
    spark_source._refuse_columns(fields, Roles.of(quasi="zip", sensitive="disease"))
