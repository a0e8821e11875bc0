"""What is refused where memory is bounded, and how rows come in."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sidelight as sl
from sidelight.engines import read_stream
from sidelight.errors import BadTable, MissingValues, WrongKind

ROWS = pa.table({"zip": ["1", "2", "1"], "disease": ["Flu", None, "Cold"]})
ROLES = {"group": "zip", "sensitive": "disease"}


def test_missing_values_are_an_error_with_their_number():
    with pytest.raises(MissingValues, match="1 of 3 rows has no 'disease'"):
        sl.stream_release(ROWS, **ROLES)


def test_a_dataframe_is_in_memory_already():
    pandas = pytest.importorskip("pandas")
    with pytest.raises(WrongKind, match="read it without memory=, or write it to a Parquet file"):
        sl.stream_release(pandas.DataFrame({"zip": ["1"], "disease": ["Flu"]}), **ROLES)


@pytest.mark.parametrize("read", [sl.read_release, sl.stream_release])
@pytest.mark.parametrize("cells", [[["1"], ["2"]], [{"a": 1}, {"a": 2}]], ids=["lists", "records"])
def test_a_column_type_that_the_engine_cannot_group(read, cells):
    rows = pa.table({"zip": cells, "disease": ["Flu", "Cold"]})
    with pytest.raises(BadTable, match=r"column 'zip' holds .* cells; turn it into text first"):
        read(rows, **ROLES)


def test_no_rows():
    with pytest.raises(BadTable, match="has no rows"):
        sl.stream_release(ROWS.slice(0, 0), **ROLES)


@pytest.mark.parametrize("name", ["rows.csv", "rows.parquet"])
def test_files(tmp_path, name):
    file = tmp_path / name
    if name.endswith("csv"):
        file.write_text("zip,disease\n1,Flu\n2,Flu\n1,Cold\n")
    else:
        pq.write_table(pa.table({"zip": ["1", "2", "1"], "disease": ["Flu", "Flu", "Cold"]}), file)
    release = sl.stream_release(file, **ROLES)
    assert [block.all.group(row).size for block in release.blocks() for row in range(len(block))] == [2, 1]
    assert [each.name for each in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize(("zips", "repeat"), [("1212", True), ("1234", False)])
def test_the_engine_counts_what_repeats(monkeypatch, zips, repeat):
    answers = []
    plain = read_stream._words
    monkeypatch.setattr(
        read_stream, "_words", lambda batch, *rest: answers.append(batch.schema.names) or plain(batch, *rest)
    )
    rows = pa.table({"zip": list(zips), "disease": ["Flu"] * 4})
    assert len(sl.stream_release(rows, **ROLES)) == len(set(zips))
    assert ("rows" in answers[0]) is repeat
