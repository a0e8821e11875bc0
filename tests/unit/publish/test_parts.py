"""A release as a folder of parts; that Spark writes them is shown with a real one (tests/engines)."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sidelight as sl
from sidelight.errors import BadTable, NotPublished
from sidelight.publish import parts
from sidelight.publish.formats import Sheet
from sidelight.publish.sidecar import digest
from sidelight.table.table import Column


def test_a_name_without_an_ending_is_a_folder_only_where_spark_is(tmp_path):
    with pytest.raises(NotPublished, match=r"name it \.parquet or \.csv"):
        parts.parts_or_file(tmp_path / "release", None, in_spark=False)
    with pytest.raises(NotPublished, match=r"name it \.parquet or \.csv"):
        parts.parts_or_file(tmp_path / "release", "csv", in_spark=True)
    with pytest.raises(NotPublished, match="exists, and a folder is never replaced; give another name"):
        parts.parts_or_file(tmp_path, None, in_spark=True)


def test_spark_that_has_ended_writes_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(parts, "running_spark", lambda: None)
    with pytest.raises(NotPublished, match=r"for Spark to write, which has ended; name it \.parquet"):
        parts.ParquetParts().write_to(tmp_path / "release", Sheet({"age": Column.of("age", ["1"])}))
    assert not (tmp_path / "release").exists()


def test_executors_that_write_elsewhere_publish_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(parts, "running_spark", object)
    monkeypatch.setattr(parts, "write_parts", lambda *_: [])
    with pytest.raises(NotPublished, match="wrote no part of 'release' where this process looks; choose a folder"):
        parts.ParquetParts().write_to(tmp_path / "release", Sheet({"age": Column.of("age", ["1"])}))


def test_executors_that_fail_publish_nothing(tmp_path, monkeypatch):
    def failing(*_):
        message = "Spark lost its executors"
        raise BadTable(message)

    monkeypatch.setattr(parts, "running_spark", object)
    monkeypatch.setattr(parts, "write_parts", failing)
    with pytest.raises(NotPublished, match="could not write 'release', and nothing was published; see that"):
        parts.ParquetParts().write_to(tmp_path / "release", Sheet({"age": Column.of("age", ["1"])}))


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
