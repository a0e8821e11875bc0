"""Values that are listed in a file."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sidelight as sl
from sidelight.engines.domain_file import read_declared
from sidelight.errors import BadTable, UnknownColumn


def test_a_value_per_line_in_the_order_of_the_file(tmp_path):
    (tmp_path / "codes.txt").write_text("\ufeffJ10\nA00, cholera\r\n\n J10 \n007\n", encoding="utf-8")
    assert sl.read_domain(tmp_path / "codes.txt") == ("J10", "A00, cholera", "007")


def test_lines_copied_out_of_a_csv_file_lose_their_quotes(tmp_path):
    lines = ['"Cold, common"', '"the ""flu"""', '"', '""', '"flu" or "cold"', '5" cut']
    (tmp_path / "codes.txt").write_text("\n".join(lines))
    assert sl.read_domain(tmp_path / "codes.txt") == ("Cold, common", 'the "flu"', *lines[2:])


def test_a_column_of_a_table(tmp_path):
    (tmp_path / "codes.csv").write_text("code,text\n007,Flu\n10,Cold\n,none\n")
    pq.write_table(pa.table({"code": ["b", "a", None, "b"]}), tmp_path / "codes.parquet")
    assert sl.read_domain(tmp_path / "codes.csv", "code") == ("007", "10")
    assert sl.read_domain(tmp_path / "codes.parquet") == ("a", "b")
    assert read_declared(tmp_path / "codes.csv", ("text",)) == ("Cold", "Flu", "none")
    assert read_declared(tmp_path / "codes.csv", ("code", "text")) == {
        "code": ("007", "10"),
        "text": ("Cold", "Flu", "none"),
    }
    assert read_declared(tmp_path / "codes.parquet", ("disease",), ("z",)) == ("z", "a", "b")
    with pytest.raises(BadTable, match=r"which column of codes\.csv lists the values\? it has: 2 columns"):
        read_declared(tmp_path / "codes.csv", ("disease",))
    with pytest.raises(UnknownColumn, match=r"no column 'codes' in codes\.csv, which has 2 columns"):
        sl.read_domain(tmp_path / "codes.csv", "codes")


@pytest.mark.parametrize(
    ("name", "content", "says"), [("empty.txt", b"\n\n", "lists no values"), ("odd.txt", b"\xff\n", "is not UTF-8")]
)
def test_bad_files_get_one_line(tmp_path, name, content, says):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(BadTable, match=says):
        sl.read_domain(tmp_path / name)


def test_no_file(tmp_path):
    with pytest.raises(BadTable, match="cannot read"):
        sl.read_domain(tmp_path / "nothing.txt")


def test_other_letters(tmp_path):
    (tmp_path / "codes.txt").write_bytes("Übelkeit\n".encode("cp1252"))
    assert sl.read_domain(tmp_path / "codes.txt", encoding="cp1252") == ("Übelkeit",)
