"""Which files are meant, and what the first line of a text file says."""

import gzip

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.patients import cells, read, refused, written
from support.words import mentions

import sidelight as sl
from sidelight.engines import read as reading
from sidelight.engines.files import columns_of
from sidelight.errors import BadTable, UnknownColumn


@pytest.fixture
def folder(tmp_path):
    return tmp_path


def test_the_delimiter_is_found_and_texts_stay_texts(folder):
    text = 'zip;sex;"a;\r\nb";disease\r\n00734;f;"x;\ny";Flu\r\n1;m;;"Hay ""fever"""\r\n\r\n'
    table = read(written(folder, text))
    assert cells(table) == [("1", "m"), ("00734", "f")]
    assert table.domain == ("Flu", 'Hay "fever"')
    assert table.intake.columns_dropped == ("a;\r\nb",)


def test_a_byte_order_mark_and_empty_cells(folder):
    table = read(written(folder, '\ufeffzip\tsex\tdisease\n\tf\tFlu\n""\tf\tFlu\n', "a.tsv"))
    assert cells(table) == [(None, "f")]
    assert table.sizes.tolist() == [2]


def test_several_files_may_differ_in_delimiter_and_order(folder):
    written(folder, "zip,sex,disease\n1,f,Flu\n", "a.csv")
    (folder / "b.csv.gz").write_bytes(gzip.compress(b"disease;more;sex;zip\nFlu;x;f;1\n"))
    table = read([folder / "b.csv.gz", str(folder / "a.csv")])
    assert table.sizes.tolist() == [2]
    assert table.intake.columns_dropped == ("more",)
    assert read(str(folder / "*.csv*")).sizes.tolist() == [2]
    assert read([folder / "a.csv", folder / "." / "a.csv", folder / ".." / folder.name / "a.csv"]).sizes.tolist() == [1]


def test_names_that_sql_or_globs_would_misread(folder):
    rows = pa.table({'z"ip; --': ["1"], "sex": ["f"], "disease": ["Flu"]})
    pq.write_table(rows, folder / "it's [1]*.parquet")
    assert read(folder / "it's [1]*.parquet", quasi=['z"ip; --', "sex"]).people == 1


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", ("empty", "names")),
        ("zip,sex,disease\n", ("no rows",)),
        ("zip,sex,disease\n1,f,p1\n2,p2\n", ("line 3", "2 cells", 3)),
        ("zip,sex,disease\n1,f,p1\n2,f,p2,p3\n", ("line 3", "4 cells", 3)),
        ('zip,sex,disease\n1,f,p1\n2,f,"p2\n', ("cannot be read", "CSV")),
        ("zip,sex,disease\r\n1,f,p1\n2,f,p2\r\n", ("cannot be read", "CSV", "quotes", "line ends")),
        (b"zip,sex,disease\n1,f,p1\n2,\xe9,p2\n", ("not UTF-8", "byte 25")),
        (b"zip,s\xe9x,disease\n1,f,p1\n", ("not UTF-8", "byte 5")),
        ("zip,sex,sex,disease\n1,f,f,p1\n", ("two columns", "'sex'")),
        ("zip,gender,disease\n1,f,p1\n", ("no column 'sex'",)),
        ("\n \n\r\n", ("empty", "names")),
        ("\n\nzip,sex,disease\n1,f,p1\n", ("first line", "blank", "names")),
        ('zip,"sex,disease\n1,f,p1\n', ("quote", "first line", "never closed", "repair")),
        ('zip,"sex,disease\n' + "1,f,p1\n" * 200 + '"', ("quote", "first line", "never closed")),
        ('zip,"se\nx",disease\r\n1,f,p1\r\n', ("column name", "line end", "another kind")),
        ('zip,"se\r\nx",disease\n1,f,p1\n', ("column name", "name in one line", "one kind")),
        ("zip,sex,disease\n1,f,p1\n2,f," + "x" * 2_100_000, ("line 3", "more than 2,000,000 bytes")),
        ("zip,sex," + "x" * 2_100_000 + "\n1,f,p1\n", ("first line", "more than 2,000,000 characters")),
        (
            "zip,sex," + "x" * 200_000 + "\n1,f,p1\n",
            ("more than 131,072 characters", "beginning"),
        ),
    ],
)
def test_a_bad_csv_gets_one_line(folder, text, named):
    file, packed = written(folder, text, "a.csv"), folder / "a.csv.gz"
    packed.write_bytes(gzip.compress(file.read_bytes()))
    for source in (file, packed):
        message = refused((BadTable, UnknownColumn), source=source)
        assert mentions(message, source.name)
        assert mentions(message, *named)


ROWS = "zip,sex,disease\n" + "".join(f"{number},f,p{number % 7}\n" for number in range(40_000))
FRAMES = {
    ".gz": gzip.compress,
    ".zst": lambda part: pa.Codec("zstd").compress(part, asbytes=True),
}


@pytest.mark.parametrize("packer", [".gz", ".zst", ".GZ", ".Zst"])
def test_a_packed_file_that_is_cut_is_never_taken_for_whole(folder, packer):
    frames = [FRAMES[packer.lower()](part.encode()) for part in (ROWS[:100_000], ROWS[100_000:])]
    file, packed = folder / f"a.csv{packer}", b"".join(frames)
    file.write_bytes(packed)
    assert read(file).people == 40_000
    for length in {1, 3, 10, len(frames[0]) - 1, len(frames[0]) + 1, len(frames[0]) + 9, *range(1, len(packed), 4096)}:
        file.write_bytes(packed[:length])
        message = refused(BadTable, source=file)
        assert mentions(message, f"a.csv{packer}", "cannot be unpacked", "ending", "completely"), length


@pytest.mark.parametrize(("at", "what"), [(-8, "its checksum"), (-1, "its length"), (-5000, "its rows")])
def test_a_packed_file_that_is_damaged_is_refused(folder, at, what):
    packed = bytearray(gzip.compress(ROWS.encode()))
    packed[at] ^= 1
    (folder / "a.csv.gz").write_bytes(packed)
    assert "a.csv.gz cannot be unpacked" in refused(BadTable, source=folder / "a.csv.gz"), what
    (folder / "b.csv.gz").write_bytes(gzip.compress(ROWS.encode()) + b"more")
    assert "b.csv.gz cannot be unpacked" in refused(BadTable, source=folder / "b.csv.gz")


def test_endings_in_capitals_are_known_beside_others(folder):
    written(folder, "zip,sex,disease\n1,f,Flu\n", "a.CSV")
    for packer, pack in FRAMES.items():
        (folder / f"a.Csv{packer.upper()}").write_bytes(pack(b"zip,sex,disease\n1,f,Flu\n"))
    assert read(sorted(folder.iterdir())).sizes.tolist() == [3]


@pytest.mark.parametrize(
    "text",
    [
        "34,f,Flu\n35,m,Cold\n",  # a number
        "Ann,1990-02-28,Flu\n",  # a date, and nothing below it
        "Ann;28.2.1990;Flu\n",
        "Ann,,Flu\nBea,f,Cold\n",  # nothing
        "Ann,Flu,Flu\nBea,f,Cold\n",  # the same twice
        "Ann,f,Flu\nBea,m,Cold\nCat,f,Gout\n",  # a cell that another row says too
        "Ann,f,Flu\n",  # one line, which may be anything
        'Ann,"f\nBea",Flu\nCat,f,Gout\n',  # a broken line
    ],
)
def test_a_first_line_that_may_be_a_row_is_not_shown(folder, text):
    file = written(folder, text, "a.csv")
    for refuse in (lambda: refused((BadTable, UnknownColumn), source=file), lambda: _of_columns(file)):
        message = refuse()
        assert mentions(message, "a.csv", "no line", "names") or mentions(message, "a.csv", "one line only", "names")
        assert not any(cell in message for cell in ("Ann", "Bea", "34", "Flu", "1990"))


def _of_columns(file):
    with pytest.raises(BadTable) as caught:
        columns_of(file)
    return str(caught.value)


def test_names_of_a_dataframe_that_may_be_a_row_are_not_shown():
    rows = pl.DataFrame({"Ann": ["Bea"], "34": ["35"], "Flu": ["Cold"]})
    message = refused(UnknownColumn, source=rows)
    assert mentions(message, "'zip'", "the table", "no line", "names")
    assert not any(name in message for name in rows.columns)


def test_a_name_that_is_found_says_that_the_others_are_names_too(folder):
    file = written(folder, "zip,2019,2020,disease\n1,f,m,Flu\n", "a.csv")
    assert mentions(refused(UnknownColumn, source=file), "'sex'", "a.csv", "zip, 2019, 2020, disease")


def test_pandas_nameless_index_is_no_row(folder):
    file = written(folder, ",age,illness\n0,34,Flu\n", "a.csv")
    assert mentions(refused(UnknownColumn, source=file), "'zip'", "a.csv", ", age, illness")
    assert columns_of(file) == ("", "age", "illness")


def test_the_line_and_byte_are_found_in_a_large_file(folder):
    good = "zip,sex,disease\n" + "12345,f,Flu\n" * 200_000
    ragged = written(folder, good + "1,f\n" + "12345,f,Flu\n" * 1000)
    assert mentions(refused(source=ragged), "line 200002", "patients.csv", "2 cells")
    strange = written(folder, good.encode() + b"1,\xff,Flu\n")
    assert f"byte {len(good) + 2:,} (from 0)" in refused(source=strange)


def test_files_that_are_not_what_they_are_called(folder):
    assert "no file" in refused(source=folder / "gone.csv")
    assert "no file matches" in refused(source=str(folder / "*.csv"))
    assert mentions(refused(source=folder), "is a folder", "files")
    assert mentions(refused(source=written(folder, "", "a.docx")), "cannot tell", "a.docx")
    assert mentions(refused(source=written(folder, "", "a.parquet.gz")), "cannot tell", "a.parquet.gz")
    assert mentions(refused(source=written(folder, "zip,sex", "a.parquet")), "a.parquet", "cannot be read", "Parquet")
    assert "b.csv.gz cannot be unpacked" in refused(source=written(folder, "zip,sex", "b.csv.gz"))
    mixed = [written(folder, "zip,sex,disease\n", "c.csv"), folder / "a.parquet"]
    assert mentions(refused(source=mixed), "files", "one kind")


def test_a_file_that_is_written_to_while_it_is_read_is_refused(folder, monkeypatch):
    file = folder / "people.csv"
    file.write_text("age,disease\n20,Flu\n30,Cold\n")
    count = reading.counted_rows

    def written_to(*args, **options):
        file.write_text("age,disease\n30,Flu\n20,Cold\n")
        return count(*args, **options)

    monkeypatch.setattr(reading, "counted_rows", written_to)
    with pytest.raises(BadTable, match=r"people\.csv changed while.*read it again"):
        sl.read_table(file, quasi="age", sensitive="disease")


def test_values_of_people_are_not_taken_from_a_file_that_has_changed(folder):
    file = folder / "visits.csv"
    file.write_text("id,age,disease\n1,20,Flu\n1,20,Cold\n2,30,Flu\n")
    table, again = (sl.read_table(file, quasi="age", sensitive="disease", person="id", values="set") for _ in range(2))
    assert table.profiles().people.sum() == 2
    file.write_text("id,age,disease\n1,20,Flu\n1,20,Flu\n2,30,Flu\n")
    with pytest.raises(BadTable, match=r"visits\.csv changed while"):
        again.profiles()


LINE_ENDS = ("\n", "\r\n", "\r")


@pytest.mark.parametrize("in_name", ["", *LINE_ENDS])
@pytest.mark.parametrize("below_names", LINE_ENDS)
def test_whatever_ends_lines_all_rows_are_read_or_none(folder, below_names, in_name):
    for first, second, in_cell in [("\n", "\n", "\r"), ("\r\n", "\r\n", "\n"), ("\r", "\r", ""), ("\n", "\r\n", "")]:
        text = f'"a{in_name}ge",disease{below_names}1,"F{in_cell}lu"{first}2,Cold{second}'
        file = written(folder, text, "ends.csv")
        if {in_name or below_names, first, second} == {below_names}:
            assert sl.read_release(file, group=[f"a{in_name}ge"], sensitive="disease").groups.sizes.sum() == 2
        else:
            with pytest.raises(BadTable, match="line end"):
                sl.read_release(file, group=[f"a{in_name}ge"], sensitive="disease")
