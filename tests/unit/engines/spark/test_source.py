"""What Spark needs and what it fails with, said in one line; nothing here starts it."""

import os
import re
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.words import mentions

import sidelight as sl
from sidelight.engines.files import spark_file, suffix_of
from sidelight.engines.formats.write import WRITERS, Sheet, writer_of
from sidelight.engines.spark import source as spark_source
from sidelight.errors import BadTable, NoRoom, NotAvailable, NotPublished
from sidelight.files import digest
from sidelight.table.labels import Column
from sidelight.table.roles import Roles

REPORTS = {
    "Job aborted due to stage failure: Task 0 in stage 3.0 failed 4 times: ExecutorLostFailure (executor 7 exited)": (
        BadTable,
        r"lost its executors.*rows\.csv.*nothing",
    ),
    "ModuleNotFoundError: No module named 'sidelight'": (
        NotAvailable,
        "executors.*no sidelight.*install",
    ),
    "[PYTHON_VERSION_MISMATCH] Python in worker has different version": (
        NotAvailable,
        "run another Python than this one",
    ),
    "java.lang.OutOfMemoryError: Java heap space": (NoRoom, "raise spark.driver.memory and spark.executor.memory"),
    "java.io.IOException: No space left on device": (NoRoom, "set spark.local.dir to a larger one"),
    "[MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION] Ann,34,HIV": (
        BadTable,
        r"rows\.csv cannot be read.*CSV",
    ),
    "[PATH_NOT_FOUND] Path does not exist: file:/none": (BadTable, r"finds no rows\.csv.*path"),
    "Could not parse Master URL: 'here'": (BadTable, r"master=.*local\[2\]"),
    "[SOMETHING_ELSE] of Ann's row": (BadTable, r"not count rows\.csv.*\bSOMETHING_ELSE\b"),
}


@pytest.mark.parametrize("report", REPORTS)
def test_what_spark_fails_with_is_one_line_without_cells(report):
    kind, words = REPORTS[report]
    error = spark_source._explain("rows.csv", report)
    assert type(error) is kind
    assert re.search(words, str(error))
    assert "Ann" not in str(error)
    assert "\n" not in str(error)


def test_without_pyspark_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(NotAvailable, match=r'pyspark.*pip install "sidelight\[spark\]"'):
        spark_source.spark_session("local[1]")


def test_without_java_its_version_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(NotAvailable, match=r"Spark 4\.1.*Java 17\b.*none"):
        spark_source._require_java(17, "4.1")


def test_an_old_java_is_refused(monkeypatch, tmp_path):
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'openjdk version \"1.8.0_402\"' >&2\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(NotAvailable, match=r"Java 17\b.*'.*' is Java 8\b"):
        spark_source._require_java(17, "4.1")
    spark_source._require_java(8, "3.5")


@pytest.mark.parametrize("path", ["people.xlsx", ["people.csv", "people.parquet"]])
def test_files_that_spark_does_not_read_here(path):
    with pytest.raises(BadTable, match=r"Spark.*Parquet, CSV and TSV"):
        spark_file(path, Roles())


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
        ({"zip": Typed("array")}, "'zip' holds array.*into text"),
        ({"zip": Typed("variant")}, "column 'zip' holds variant cells"),
        ({"zip": Typed("time(6)")}, "column 'zip' holds time"),
        (
            {"zip": Typed("string", "UTF8_LCASE")},
            "'zip'.*UTF8_LCASE",
        ),
        ({"zip": Typed("string"), "ZIP": Typed("string")}, "cannot tell.*name.*'zip'"),
        ({"zip.code": Typed("string")}, r"cannot tell.*name.*'zip\.code'"),
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


def test_a_name_without_an_ending_is_a_folder_only_where_spark_is(tmp_path):
    with pytest.raises(NotPublished, match=r"\.parquet or \.csv"):
        writer_of(tmp_path / "release", None, in_spark=False)
    with pytest.raises(NotPublished, match=r"\.parquet or \.csv"):
        writer_of(tmp_path / "release", "csv", in_spark=True)
    with pytest.raises(NotPublished, match=r"exists.*never replaced.*another name"):
        writer_of(tmp_path, None, in_spark=True)


@pytest.mark.parametrize(
    ("name", "wished", "in_spark", "kind"),
    [
        ("release", None, True, "parts"),
        ("release", "parquet", True, "parts"),
        ("release.csv", None, True, "csv"),
        ("release.csv", "arx", True, "arx"),
        ("release.parquet", "parquet", True, "parquet"),
        ("release.parquet", None, False, "parquet"),
    ],
)
def test_an_ending_says_that_it_is_a_file(tmp_path, name, wished, in_spark, kind):
    writer = writer_of(tmp_path / name, wished, in_spark=in_spark)
    parts = replace(WRITERS["parquet"], write_parts=spark_source.write_folder)
    assert writer == (parts if kind == "parts" else WRITERS[kind])


def test_a_folder_that_is_there_is_named(tmp_path):
    with pytest.raises(NotPublished) as refused:
        writer_of(tmp_path, "parquet", in_spark=True)
    assert mentions(refused.value, f"'{tmp_path}' exists", "never replaced", "another name", "remove")


@pytest.mark.parametrize("times", [None, np.array([3, 0])], ids=["as they stand", "dealt"])
def test_spark_is_given_every_column_and_how_often_each_row_is_written(tmp_path, monkeypatch, times):
    given, folder = [], tmp_path / "release"

    def writing(*arguments):
        given.extend(arguments)
        folder.mkdir()
        for name in ("part-0.parquet", ".part-0.parquet.crc", "_SUCCESS"):
            (folder / name).touch()
        return [folder / "part-0.parquet"]

    flushed = []
    monkeypatch.setattr(spark_source, "running_spark", lambda: "a session")
    monkeypatch.setattr(spark_source, "write_parts", writing)
    monkeypatch.setattr(spark_source, "flush_to_disk", flushed.append)
    sheet = Sheet({"age": Column.of("age", ["34", None]), "n": np.array([7, 8])}, times)
    spark_source.write_folder(folder, sheet)
    session, written, place = given
    assert (session, place) == ("a session", folder)
    assert written is sheet
    assert [each.name for each in folder.iterdir()] == ["part-0.parquet"]  # nothing of Spark's own
    assert flushed == [folder / "part-0.parquet", folder]  # what is in a folder before the folder


def test_spark_that_has_ended_writes_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(spark_source, "running_spark", lambda: None)
    with pytest.raises(NotPublished) as refused:
        spark_source.write_folder(tmp_path / "release", Sheet({"age": Column.of("age", ["1"])}))
    assert mentions(refused.value, "'release'", "Spark", "ended", ".parquet", "start Spark")
    assert not (tmp_path / "release").exists()


def test_executors_that_write_elsewhere_publish_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(spark_source, "running_spark", object)
    monkeypatch.setattr(spark_source, "write_parts", lambda *_: [])
    with pytest.raises(NotPublished) as refused:
        spark_source.write_folder(tmp_path / "release", Sheet({"age": Column.of("age", ["1"])}))
    assert mentions(refused.value, "Spark", "no part", "'release'", "executors share")


def test_executors_that_fail_publish_nothing(tmp_path, monkeypatch):
    def failing(*_):
        message = "Spark lost its executors"
        raise BadTable(message)

    monkeypatch.setattr(spark_source, "running_spark", object)
    monkeypatch.setattr(spark_source, "write_parts", failing)
    with pytest.raises(NotPublished) as refused:
        spark_source.write_folder(tmp_path / "release", Sheet({"age": Column.of("age", ["1"])}))
    assert mentions(refused.value, "Spark", "not", "'release'", "nothing was published", "executors", ".parquet")


def test_a_folder_of_parts_is_read_as_one_table_and_has_one_digest(tmp_path):
    rows = pa.table({"age": ["1", "2"], "disease": ["Flu", "HIV"]})
    folder = tmp_path / "release"
    folder.mkdir()
    for name in ("part-0.parquet", "part-1.parquet"):
        pq.write_table(rows, folder / name)
    before = digest(folder)
    assert sl.read_release(folder, group="age", sensitive="disease").size == 4
    (folder / "part-1.parquet").rename(folder / "part-2.parquet")
    assert digest(folder) != before
    (folder / "_SUCCESS").touch()
    assert sl.read_release(f"{folder}/", group="age", sensitive="disease").size == 4
    (folder / "notes.txt").touch()
    with pytest.raises(BadTable, match=r"folder.*its files"):
        sl.read_release(folder, group="age", sensitive="disease")


def test_executors_of_this_machine_are_shown_the_folder_of_the_package(monkeypatch):
    sql = pytest.importorskip("pyspark.sql")
    given = {}

    class Builder:
        def __getattr__(self, name):
            return lambda *_, **settings: given.update(settings) or self

    monkeypatch.setattr(sql, "SparkSession", type("Fake", (), {"getActiveSession": lambda: None, "builder": Builder()}))
    monkeypatch.setattr(spark_source, "_require_java", lambda *_: None)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    for name in ("PYSPARK_PYTHON", "SPARK_HOME"):
        monkeypatch.setenv(name, "as it is")
    spark_source.spark_session("local[1]")
    assert str(Path(sl.__file__).parents[1]) in given["map"]["spark.executorEnv.PYTHONPATH"].split(os.pathsep)
