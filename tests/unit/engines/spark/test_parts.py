"""A release as a folder of parts; that Spark writes them is shown with a real one (tests/engines)."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sidelight as sl
from sidelight.engines.formats.sheet import DealtRows, Sheet, shuffler
from sidelight.engines.spark import parts
from sidelight.errors import BadTable, NotPublished
from sidelight.files import digest
from sidelight.table.labels import Column


def test_a_name_without_an_ending_is_a_folder_only_where_spark_is(tmp_path):
    with pytest.raises(NotPublished, match=r"name it \.parquet or \.csv"):
        parts.parts_or_file(tmp_path / "release", None, in_spark=False)
    with pytest.raises(NotPublished, match=r"name it \.parquet or \.csv"):
        parts.parts_or_file(tmp_path / "release", "csv", in_spark=True)
    with pytest.raises(NotPublished, match="exists, and a folder is never replaced; give another name"):
        parts.parts_or_file(tmp_path, None, in_spark=True)


@pytest.mark.parametrize(
    ("name", "wished", "in_spark", "kind"),
    [
        ("release", None, True, "ParquetParts"),
        ("release", "parquet", True, "ParquetParts"),
        ("release.csv", None, True, "Csv"),
        ("release.csv", "arx", True, "Arx"),
        ("release.parquet", "parquet", True, "ParquetWriter"),
        ("release.parquet", None, False, "ParquetWriter"),
    ],
)
def test_an_ending_says_that_it_is_a_file(tmp_path, name, wished, in_spark, kind):
    assert type(parts.parts_or_file(tmp_path / name, wished, in_spark=in_spark)).__name__ == kind


def test_a_folder_that_is_there_is_named(tmp_path):
    with pytest.raises(NotPublished) as refused:
        parts.parts_or_file(tmp_path, "parquet", in_spark=True)
    assert str(refused.value) == (
        f"'{tmp_path}' exists, and a folder is never replaced; give another name, or remove it first"
    )


@pytest.mark.parametrize("dealt", [None, DealtRows(np.array([3, 0]), shuffler(seed=1))])
def test_spark_is_given_every_column_and_how_often_each_row_is_written(tmp_path, monkeypatch, dealt):
    given, folder = [], tmp_path / "release"

    def writing(*arguments):
        given.extend(arguments)
        folder.mkdir()
        for name in ("part-0.parquet", ".part-0.parquet.crc", "_SUCCESS"):
            (folder / name).touch()
        return [folder / "part-0.parquet"]

    flushed = []
    monkeypatch.setattr(parts, "running_spark", lambda: "a session")
    monkeypatch.setattr(parts, "write_parts", writing)
    monkeypatch.setattr(parts, "flush_to_disk", flushed.append)
    sheet = Sheet({"age": Column.of("age", ["34", None]), "n": np.array([7, 8])}, dealt)
    parts.ParquetParts().write_to(folder, sheet)
    session, written, times, place = given
    assert (session, place, times.tolist()) == ("a session", folder, [1, 1] if dealt is None else [3, 0])
    assert times.dtype == np.int64
    assert written is sheet
    assert [each.name for each in folder.iterdir()] == ["part-0.parquet"]  # nothing of Spark's own
    assert flushed == [folder / "part-0.parquet", folder]  # what is in a folder before the folder


def test_spark_that_has_ended_writes_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(parts, "running_spark", lambda: None)
    with pytest.raises(NotPublished) as refused:
        parts.ParquetParts().write_to(tmp_path / "release", Sheet({"age": Column.of("age", ["1"])}))
    assert str(refused.value) == (
        "'release' is for Spark to write, which has ended; name it .parquet, or start Spark again"
    )
    assert not (tmp_path / "release").exists()


def test_executors_that_write_elsewhere_publish_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(parts, "running_spark", object)
    monkeypatch.setattr(parts, "write_parts", lambda *_: [])
    with pytest.raises(NotPublished) as refused:
        parts.ParquetParts().write_to(tmp_path / "release", Sheet({"age": Column.of("age", ["1"])}))
    assert str(refused.value) == (
        "Spark wrote no part of 'release' where this process looks; choose a folder that executors share"
    )


def test_executors_that_fail_publish_nothing(tmp_path, monkeypatch):
    def failing(*_):
        message = "Spark lost its executors"
        raise BadTable(message)

    monkeypatch.setattr(parts, "running_spark", object)
    monkeypatch.setattr(parts, "write_parts", failing)
    with pytest.raises(NotPublished) as refused:
        parts.ParquetParts().write_to(tmp_path / "release", Sheet({"age": Column.of("age", ["1"])}))
    assert str(refused.value) == (
        "Spark could not write 'release', and nothing was published; see that its executors live and may write into "
        "this folder, or name it .parquet"
    )


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
    with pytest.raises(BadTable, match="is a folder; name its files"):
        sl.read_release(folder, group="age", sensitive="disease")
