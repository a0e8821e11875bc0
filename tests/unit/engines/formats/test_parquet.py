"""Pages of Parquet: what Arrow finds damaged when it checks, we find damaged; what is whole is read."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples
from support.words import mentions

import sidelight as sl
from sidelight.engines.formats.parquet import check_pages, read_header
from sidelight.errors import BadTable

ROWS = pa.table(
    {
        "age": [n % 9 for n in range(60)],
        "a note": ["x" * 3000 + str(n % 7) if n % 9 else None for n in range(60)],  # statistics longer than a look
        "disease": ["Flu", "Cold", "Ulcer"] * 20,
    }
)
WRITTEN = {
    "snappy": {"compression": "snappy"},
    "version 2": {"compression": "zstd", "data_page_version": "2.0"},
    "plain": {"compression": "none", "use_dictionary": False, "data_page_size": 200},
}


def noticed_by_arrow(file):
    try:
        pq.read_table(file, page_checksum_verification=True)
    except (OSError, ValueError, pa.ArrowException) as problem:
        return "CRC checksum verification failed" in str(problem)
    return False


def check(file, columns):
    check_pages(file, pq.read_metadata(file), columns)


def noticed(file, columns):
    try:
        check(file, columns)
    except BadTable as problem:
        return mentions(problem, "damaged", "page", "checksum")
    return False


@pytest.fixture(scope="module", params=WRITTEN)
def written(request, tmp_path_factory):
    file = tmp_path_factory.mktemp("pages") / "people.parquet"
    pq.write_table(ROWS, file, row_group_size=25, write_page_checksum=True, **WRITTEN[request.param])
    assert not noticed(file, ROWS.column_names)
    return file.read_bytes(), file.with_name("damaged.parquet")


@examples(60)
@given(where=st.floats(0, 0.999), change=st.integers(1, 255))
def test_what_arrow_finds_damaged_is_refused(written, where, change):
    good, file = written
    damaged = bytearray(good)
    damaged[int(where * len(good))] ^= change
    file.write_bytes(damaged)
    if noticed_by_arrow(file):
        assert noticed(file, ROWS.column_names)


def test_a_damaged_page_is_one_line_where_it_is_read_and_no_harm_where_not(tmp_path):
    file = tmp_path / "people.parquet"
    pq.write_table(ROWS, file, write_page_checksum=True, compression="none")
    chunk = pq.read_metadata(file).row_group(0).column(1)
    damaged = bytearray(file.read_bytes())
    damaged[chunk.dictionary_page_offset + chunk.total_compressed_size // 2] ^= 1
    file.write_bytes(damaged)
    with pytest.raises(BadTable, match=r"people\.parquet is damaged.*page"):
        sl.read_table(file, quasi=["age", "a note"], sensitive="disease")
    assert sl.read_table(file, quasi="age", sensitive="disease").people == 60


def test_files_without_checksums_are_read(tmp_path):
    pq.write_table(ROWS, tmp_path / "people.parquet")
    check(tmp_path / "people.parquet", ROWS.column_names)


def test_releases_have_checksums(tmp_path):
    found = sl.protect(
        sl.read_table(ROWS, quasi="age", sensitive="disease"), sl.GroupSize() >= 5, ask="nobody", method="mondrian"
    )
    path = found.publish(tmp_path / "release.parquet").path
    damaged = bytearray(path.read_bytes())
    chunk = pq.read_metadata(path).row_group(0).column(0)
    damaged[(chunk.dictionary_page_offset or chunk.data_page_offset) + chunk.total_compressed_size - 1] ^= 1
    path.write_bytes(damaged)
    assert noticed(path, ["age"])


def test_what_is_no_header_of_a_page_is_told(tmp_path):
    with pytest.raises(ValueError, match="no page's header"):
        read_header(bytes([0x15, 0, 0]))
    pq.write_table(ROWS.rename_columns(["age", "note", "disease"]), tmp_path / "people.parquet", store_schema=False)
    damaged = (tmp_path / "people.parquet").read_bytes().replace(b"note", b"n\xf8te")
    (tmp_path / "people.parquet").write_bytes(damaged)
    with pytest.raises(BadTable, match=r"people\.parquet cannot be read"):
        sl.read_table(tmp_path / "people.parquet", quasi="age", sensitive="disease")


@pytest.mark.parametrize("checked", [True, False])
def test_files_written_one_after_the_other_into_one_are_refused(tmp_path, checked):
    for name, age in (("a", "1"), ("b", "2")):
        table = pa.table({"age": [age] * 5, "disease": ["flu"] * 5})
        pq.write_table(table, tmp_path / f"{name}.parquet", write_page_checksum=checked)
    first, second = ((tmp_path / f"{name}.parquet").read_bytes() for name in "ab")
    for together in (first + second, second + second, first + first + second):
        (tmp_path / "both.parquet").write_bytes(together)
        with pytest.raises(BadTable, match=r"both\.parquet") as refused:
            sl.read_release(tmp_path / "both.parquet", group=["age"], sensitive="disease")
        assert "\n" not in str(refused.value)
    (tmp_path / "both.parquet").write_bytes(second + second)
    with pytest.raises(BadTable, match=r"both\.parquet.*several Parquet files"):
        check(tmp_path / "both.parquet", ["age"])


@pytest.mark.parametrize("before", [0, 1, 5, 9])
def test_several_files_are_seen_across_blocks(tmp_path, monkeypatch, before):
    pq.write_table(pa.table({"age": ["1"] * (5 + before)}), tmp_path / "a.parquet")
    (tmp_path / "both.parquet").write_bytes((tmp_path / "a.parquet").read_bytes() * 2)
    for block in (1, 2, 3, 7, 64):
        monkeypatch.setattr("sidelight.engines.formats.parquet.SCANNED_AT_ONCE", block)
        check(tmp_path / "a.parquet", ["age"])
        with pytest.raises(BadTable, match="several"):
            check(tmp_path / "both.parquet", ["age"])
