import datetime as dt
import gzip
import re
import subprocess
import sys
from types import SimpleNamespace
from zipfile import ZipFile

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest
from support.command_line import invoke
from support.words import mentions

import sidelight as sl
from sidelight.engines.files import columns_of
from sidelight.engines.formats.in_memory import replace_codes
from sidelight.errors import BadTable, NotAvailable, UnknownColumn

PEOPLE = [("Köln", 34, "Grippe"), ("Köln", 34, "Erkältung"), ("Bonn", 51, "Grippe")]
QUASI = {"quasi": ["city", "age"], "sensitive": "disease"}


def text_of(people=PEOPLE):
    return "".join(f"{','.join(map(str, row))}\n" for row in [("city", "age", "disease"), *people])


def cells(table):
    return {column.name: column.labels for column in table.quasi}, table.domain, table.people


EXPECTED = ({"city": ("Bonn", "Köln"), "age": ("34", "51")}, ("Erkältung", "Grippe"), 3)


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-8-sig", "mac_roman"])
def test_text_in_another_encoding(tmp_path, encoding):
    file = tmp_path / "patients.csv"
    file.write_bytes(text_of().encode(encoding))
    assert cells(sl.read_table(file, **QUASI, encoding=encoding)) == EXPECTED
    release = sl.read_release(file, group=["city", "age"], sensitive="disease", encoding=encoding)
    assert (release.size, release.intake.files) == (3, (file,))


def test_a_packed_file_in_another_encoding(tmp_path):
    file = tmp_path / "patients.csv.gz"
    with pa.output_stream(str(file)) as stream:
        stream.write(text_of().encode("latin-1"))
    assert cells(sl.read_table(file, **QUASI, encoding="latin-1")) == EXPECTED


@pytest.mark.parametrize(
    ("written", "named"), [("latin-1", 'encoding="windows-1252"'), ("utf-16", 'encoding="utf-16"')]
)
def test_a_refusal_names_the_likely_encoding(tmp_path, written, named):
    file = tmp_path / "patients.csv"
    file.write_bytes(text_of().encode(written))
    with pytest.raises(BadTable) as caught:
        sl.read_table(file, **QUASI)
    assert str(caught.value).startswith("patients.csv is not UTF-8: byte ")
    assert named in str(caught.value)


def test_the_command_line_names_and_takes_the_encoding(tmp_path):
    file = tmp_path / "patients.csv"
    file.write_bytes(text_of().encode("latin-1"))
    words = ["audit", str(file), "-g", "city", "-s", "disease"]
    refusal = invoke(words)
    assert (refusal.exit_code, '--encoding "windows-1252"' in refusal.stderr) == (2, True)
    assert invoke([*words, "--encoding", "windows-1252", "--limit", "group size >= 1"]).exit_code == 0


@pytest.mark.parametrize(
    ("encoding", "wrong"),
    [
        ("klingon", 'no encoding="klingon"; give a name such as'),
        ("ascii", "is not UTF-8"),
        ("utf-16", "not written in"),
    ],
)
def test_encodings_that_do_not_fit(tmp_path, encoding, wrong):
    file = tmp_path / "patients.csv"
    file.write_bytes(text_of().encode("latin-1"))
    with pytest.raises(BadTable, match=wrong):
        sl.read_table(file, **QUASI, encoding=encoding)


def sheet(tmp_path, rows, *, name="patients.xlsx", more=()):
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    for title in more:
        book.create_sheet(title).append(["something"])
    book.save(tmp_path / name)
    return tmp_path / name


def test_a_spreadsheet(tmp_path):
    file = sheet(tmp_path, [("city", "age", "disease"), *PEOPLE])
    assert cells(sl.read_table(file, **QUASI)) == EXPECTED
    assert columns_of(file) == ("city", "age", "disease")


def test_cells_of_a_spreadsheet_say_what_they_show(tmp_path):
    rows = [
        ("day", "weight", "code", "smokes", "disease"),
        (dt.date(2024, 3, 9), 70.5, "00734", True, "Flu"),
        (None, 71, 734, False, None),
    ]
    table = sl.read_table(
        sheet(tmp_path, rows), quasi=["day", "weight", "code", "smokes"], sensitive="disease", missing="a value"
    )
    labels = [column.labels for column in table.quasi]
    assert labels == [("2024-03-09", None), ("70.5", "71"), ("00734", "734"), ("false", "true")]


def test_which_sheet_is_asked_where_there_are_several(tmp_path):
    file = sheet(tmp_path, [("city", "age", "disease"), *PEOPLE], more=["Notes"])
    with pytest.raises(BadTable, match=r"patients\.xlsx.*\b2 sheets.*sheet=.*Sheet, Notes"):
        sl.read_table(file, **QUASI)
    assert cells(sl.read_table(file, **QUASI, sheet="Sheet")) == EXPECTED
    with pytest.raises(BadTable, match=r"no sheet 'People'.*patients\.xlsx.*Sheet, Notes"):
        sl.read_table(file, **QUASI, sheet="People")


@pytest.mark.parametrize("names", [("2019", "2020"), (2019, 2020), ("note", None)], ids=str)
def test_whoever_names_columns_of_a_sheet_reads_it_whatever_others_are_called(tmp_path, names):
    rows = [("age", *names, "disease"), (34, 1, 2, "Flu"), (34, 1, 2, "Cold"), (51, 1, 2, "Flu")]
    file = sheet(tmp_path, rows)
    release = sl.read_release(file, group="age", sensitive="disease")
    assert sorted(group.size for group in release) == [1, 2]
    assert release.intake.columns_dropped == tuple("" if name is None else str(name) for name in names)
    with pytest.raises(BadTable, match=r"no line.*names"):
        sl.read_release(file, group="agee", sensitive="disease")


def test_columns_of_a_sheet_that_are_called_alike_are_said_to_be(tmp_path):
    rows = [("age", "disease", "age", "note", "note"), (34, "Flu", 35, 1, 2), (51, "Cold", 52, 1, 2)]
    with pytest.raises(BadTable, match=r"two columns.*patients\.xlsx.*'age'.*rename"):
        sl.read_release(sheet(tmp_path, rows), group="age", sensitive="disease")
    with pytest.raises(BadTable, match=r"two columns.*patients\.xlsx.*alike.*\b4\b.*\b5\b"):
        sl.read_release(
            sheet(tmp_path, [("age", "disease", "sex", "note", "note"), *rows[1:]]), group="age", sensitive="disease"
        )


def test_formulas_that_nothing_has_computed_are_refused(tmp_path):
    rows = [("age", "disease"), ("=30+4", "Flu"), ("=50+1", "Cold")]
    message = r"patients\.xlsx.*formulas without a value.*\bA2\b"
    with pytest.raises(BadTable, match=message):
        sl.read_release(sheet(tmp_path, rows), group="age", sensitive="disease")


@pytest.mark.parametrize("cell", ['<c r="A2"><f>30+4</f><v>34</v></c>', '<c r="A2" t="str"><f>""</f><v></v></c>'])
def test_formulas_with_their_values_are_read(tmp_path, cell):
    rows = [("age", "disease"), ("=30+4", "Flu"), (51, "Cold")]
    file, again = sheet(tmp_path, rows), tmp_path / "again.xlsx"
    with ZipFile(file) as book, ZipFile(again, "w") as copy:
        for part in book.namelist():
            text = book.read(part).decode()
            computed = re.sub(r'<c r="A2">.*?</c>', cell, text) if part == "xl/worksheets/sheet1.xml" else text
            copy.writestr(part, computed)
    release = sl.read_release(again, group="age", sensitive="disease")
    first = "34" if "34" in cell else None
    assert {release.groups.columns[0].cell(row) for row in range(2)} == {first, "51"}


@pytest.mark.parametrize(
    ("rows", "wrong"),
    [
        ([], "is empty"),
        ([("city", "age", "disease")], "no rows below"),
        ([("Ann", 34, "Flu"), ("Bea", 35, "Flu")], "no line.*names"),
    ],
)
def test_sheets_without_people_or_names(tmp_path, rows, wrong):
    with pytest.raises(BadTable, match=wrong) as caught:
        sl.read_table(sheet(tmp_path, rows), **QUASI)
    assert "Ann" not in str(caught.value)


def test_what_only_looks_like_a_spreadsheet(tmp_path):
    file = tmp_path / "patients.xlsx"
    file.write_text("city,age\n")
    with pytest.raises(BadTable, match="cannot be read as a spreadsheet"):
        sl.read_table(file, **QUASI)


def test_a_column_that_a_sheet_lacks(tmp_path):
    with pytest.raises(UnknownColumn, match=r"'age'.*patients\.xlsx"):
        sl.read_table(sheet(tmp_path, [("city", "disease"), ("Bonn", "Flu")]), **QUASI)


class TestStatistics:
    @pytest.fixture(params=[".dta", ".sav", ".zsav", ".xpt"])
    def file(self, request, tmp_path):
        import pandas as pd  # noqa: PLC0415

        frame = pd.DataFrame(PEOPLE, columns=["city", "age", "disease"])
        file = tmp_path / f"patients{request.param}"
        write = {".dta": pyreadstat.write_dta, ".xpt": pyreadstat.write_xport}.get(request.param, pyreadstat.write_sav)
        write(frame, str(file), **({"compress": True} if request.param == ".zsav" else {}))
        return file

    def test_are_read(self, file):
        assert cells(sl.read_table(file, **QUASI)) == EXPECTED

    def test_codes_say_their_labels(self, tmp_path):
        import pandas as pd  # noqa: PLC0415

        frame = pd.DataFrame({"sex": [1, 2, 2], "income": [100, 999, 998], "disease": ["Flu", "", "Cold"]})
        labels = {"sex": {1: "male", 2: "female"}, "income": {999: "Refused", 998: "Refused"}}
        pyreadstat.write_sav(frame, str(tmp_path / "a.sav"), variable_value_labels=labels)
        table = sl.read_table(tmp_path / "a.sav", quasi=["sex", "income"], sensitive="disease", missing="a value")
        assert table.column("sex").labels == ("female", "male")
        assert table.column("income").labels == ("100", "Refused (998)", "Refused (999)")
        assert table.domain == ("Cold", "Flu", None)

    def test_that_are_cut_are_refused(self, file):
        whole = file.read_bytes()
        for length in (300, len(whole) // 2 - 1):  # .xpt shows it only where a record is cut
            file.write_bytes(whole[:length])
            with pytest.raises(BadTable, match="check that it was written completely"):
                sl.read_table(file, **QUASI)


@pytest.mark.parametrize(("package", "name"), [("pyreadstat", "a.dta"), ("python_calamine", "a.xlsx")])
def test_a_library_that_is_not_there_is_named(tmp_path, monkeypatch, package, name):
    monkeypatch.setitem(sys.modules, package, None)
    (tmp_path / name).write_bytes(b"x")
    with pytest.raises(NotAvailable, match=r'pip install "sidelight\[files\]"'):
        sl.read_table(tmp_path / name, **QUASI)


@pytest.mark.parametrize("names", [("city", "disease"), ("city", "Age", "disease")], ids=str)
def test_each_of_several_sheets_has_the_columns_that_are_used(tmp_path, names):
    sheet(tmp_path, [("city", "age", "disease"), *PEOPLE], name="a.xlsx")
    rows = [dict(zip(("city", "age", "disease"), row, strict=True)) for row in PEOPLE]
    sheet(tmp_path, [names, *(tuple(row[name.lower()] for name in names) for row in rows)], name="b.xlsx")
    with pytest.raises(UnknownColumn, match=r"'age'.*b\.xlsx"):
        sl.read_table(str(tmp_path / "*"), **QUASI)


@pytest.mark.parametrize(
    ("ages", "labels"),
    [
        ([34, 35.5], ("34", "35.5")),
        ([34, "34"], ("34",)),
        ([34, None], ("34", None)),
        ([34, None, 35.5], ("34", "35.5", None)),
        ([None, None], (None,)),
        ([True, 1], ("1", "true")),
        ([dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 1, 5)], ("2020-01-01", "2020-01-01 05:00:00")),
        ([dt.datetime(2020, 1, 1), "2020-01-01", None], ("2020-01-01", None)),
    ],
    ids=str,
)
def test_columns_of_several_sheets_say_what_their_cells_do_whatever_their_kinds(tmp_path, ages, labels):
    for number, age in enumerate(ages):
        note = number if number % 2 else "unused"
        sheet(tmp_path, [("city", "age", "disease", "note"), ("Ulm", age, "Flu", note)], name=f"{number}.xlsx")
    table = sl.read_table(str(tmp_path / "*"), **QUASI)
    assert (table.people, table.quasi[1].labels) == (len(ages), labels)
    assert table.intake.columns_dropped == ("note",)


def test_a_label_that_is_a_code_without_one_stays_another_value(tmp_path):
    import pandas as pd  # noqa: PLC0415

    coded = pd.DataFrame({"city": [1.0, 1.0, 1.0], "disease": [1.0, 2.0, 3.0]})
    labels = {"disease": {1.0: "3", 2.0: "Flu"}}
    pyreadstat.write_sav(coded, str(tmp_path / "a.sav"), variable_value_labels=labels)
    table = sl.read_table(tmp_path / "a.sav", quasi="city", sensitive="disease")
    assert {*table.domain} == {"3 (1)", "Flu", "3"}


def test_codes_with_labels_in_one_file_and_none_in_another_are_refused(tmp_path):
    import pandas as pd  # noqa: PLC0415

    coded = pd.DataFrame({"city": [1.0], "disease": [2.0], "note": [1.0]})
    labels = {"disease": {2.0: "Flu"}, "note": {1.0: "seen"}}
    pyreadstat.write_sav(coded, str(tmp_path / "a.sav"), variable_value_labels=labels)
    pyreadstat.write_sav(coded, str(tmp_path / "b.sav"))
    with pytest.raises(BadTable, match=r"'disease'.*different types.*as text"):
        sl.read_table(str(tmp_path / "*"), quasi="city", sensitive="disease")
    pyreadstat.write_sav(coded, str(tmp_path / "b.sav"), variable_value_labels={"disease": {2.0: "Flu"}})
    assert sl.read_table(str(tmp_path / "*"), quasi="city", sensitive="disease").domain == ("Flu",)


def test_files_of_different_kinds_are_not_mixed(tmp_path):
    (tmp_path / "a.csv").write_text(text_of())
    sheet(tmp_path, [("city", "age", "disease"), *PEOPLE], name="b.xlsx")
    with pytest.raises(BadTable, match=r"some.*spreadsheets.*some.*text"):
        sl.read_table(str(tmp_path / "*"), **QUASI)


@pytest.mark.parametrize("kind", ["csv", "gz", "parquet", "xlsx"])
def test_standard_input(tmp_path, kind):
    frame = pa.table({"city": ["Bonn", "Bonn"], "age": [34, 34], "disease": ["Flu", "Cold"]})
    if kind == "csv":
        (tmp_path / "a").write_text("city,age,disease\nBonn,34,Flu\nBonn,34,Cold\n")
    elif kind == "gz":
        (tmp_path / "a").write_bytes(gzip.compress(b"city,age,disease\nBonn,34,Flu\nBonn,34,Cold\n"))
    elif kind == "parquet":
        pq.write_table(frame, tmp_path / "a")
    else:
        sheet(tmp_path, [("city", "age", "disease"), ("Bonn", 34, "Flu"), ("Bonn", 34, "Cold")]).rename(tmp_path / "a")
    words = ["audit", "-", "-g", "city", "-g", "age", "-s", "disease", "--limit", "group size >= 2"]
    with (tmp_path / "a").open("rb") as given:
        ended = subprocess.run(
            [sys.executable, "-m", "sidelight", *words], stdin=given, capture_output=True, check=False
        )
    assert (ended.returncode, ended.stderr) == (0, b"")


def test_a_file_that_is_utf8_stays_so_beside_others(tmp_path):
    # releases and people are read with one encoding
    file = tmp_path / "patients.csv"
    file.write_text(text_of(), encoding="utf-8")
    assert cells(sl.read_table(file, **QUASI, encoding="latin-1")) == EXPECTED


@pytest.mark.parametrize("number", [2**53, -(2**53), 2**63, 1e300])
@pytest.mark.parametrize("beside", [7, "A7", None], ids=str)
def test_whole_numbers_that_a_spreadsheet_rounds_are_refused_by_their_column(tmp_path, number, beside):
    rows = [("code", "note", "disease"), (number, number, "Flu"), (beside, number, "Cold"), (number + 1, 1, "Flu")]
    file = sheet(tmp_path, rows)
    with pytest.raises(BadTable, match=r"'code'.*patients\.xlsx.*whole numbers.*\b9,007,199,254,740,992\b"):
        sl.read_table(file, quasi="code", sensitive="disease")
    assert columns_of(file) == ("code", "note", "disease")
    below = sheet(tmp_path, [*rows[:1], (2**53 - 1, number, "Flu"), (2**53 - 2, number, "Cold")])
    assert sl.read_table(below, quasi="code", sensitive="disease").quasi[0].labels == (str(2**53 - 2), str(2**53 - 1))


def odd_sheet(tmp_path, *, blank=(), errors=(), merged=(), longer=0, people=6, above=0):
    """Write people from column B on, below `above` empty lines; rows are counted from 1, as Excel does."""
    book = openpyxl.Workbook()
    lines = [("city", "note", "disease"), *((f"city {i}", f"note {i}", f"disease {i}") for i in range(people))]
    for number, line in enumerate(lines, above + 1):
        for column, cell in enumerate(line, 2):
            if number not in blank:
                book.active.cell(number, column, cell)
    for place, error in errors:
        book.active[place] = error
    for cells in merged:
        book.active.merge_cells(cells)
    for cells in book.active.merged_cells.ranges:
        cells.expand(down=longer)
    book.save(tmp_path / "patients.xlsx")
    return tmp_path / "patients.xlsx"


def odd_notes(table):
    return [note for note in table.intake.notes() if "patients.xlsx" in note]


CITY = {"quasi": "city", "sensitive": "disease"}


@pytest.mark.parametrize("above", [0, 3])
@pytest.mark.parametrize("blank", [(2,), (4,), (4, 6)], ids=str)
def test_blank_rows_are_refused_until_missing_says_what_they_are(tmp_path, blank, above):
    file = odd_sheet(tmp_path, blank=[above + row for row in blank], above=above)
    many = len(blank)
    with pytest.raises(BadTable, match=rf"patients\.xlsx.*\b{many} blank rows?\b") as caught:
        sl.read_table(file, **CITY)
    assert caught.value.parameters == ("missing",)
    dropped = sl.read_table(file, **CITY, missing="drop")
    assert (dropped.people, dropped.intake.rows, dropped.intake.rows_without_value) == (6 - many, 6, many)
    counted = sl.read_table(file, **CITY, missing="a value")
    assert (counted.people, counted.intake.rows) == (6, 6)
    for table in (dropped, counted):
        (note,) = odd_notes(table)
        assert mentions(note, "blank rows", "patients.xlsx", "missing", many)


def test_blank_rows_below_the_last_person_are_none(tmp_path):
    file = odd_sheet(tmp_path, blank=[6, 7])
    table = sl.read_table(file, **CITY)
    assert (table.people, odd_notes(table)) == (4, [])


@pytest.mark.parametrize("error", ["#N/A", "#REF!", "#DIV/0!", "#VALUE!", "#NAME?", "#NUM!", "#NULL!"])
def test_error_cells_are_counted_in_a_note(tmp_path, error):
    places = ["B3", "B5", "C4"]  # the last in a column that is not used
    file = odd_sheet(tmp_path, errors=[(place, error) for place in places])
    table = sl.read_table(file, **CITY)
    assert (table.people, table.quasi[0].labels.count(None)) == (6, 1)
    (note,) = odd_notes(table)
    assert mentions(note, "cells", "patients.xlsx", "errors", "missing", 2)


def test_merged_cells_are_counted_in_a_note(tmp_path):
    file = odd_sheet(tmp_path, merged=["B2:B4", "C5:C6"], above=0)
    table = sl.read_table(file, **CITY)
    assert (table.people, {*table.quasi[0].labels}) == (6, {"city 0", "city 3", "city 4", "city 5", None})
    (note,) = odd_notes(table)
    assert mentions(note, "cells", "patients.xlsx", "merged", "missing", 2)


def test_a_last_row_of_nothing_but_errors_is_somebody(tmp_path):
    file = odd_sheet(tmp_path, errors=[(f"{column}7", "#N/A") for column in "BCD"])
    with pytest.raises(BadTable, match="1 blank row among the others"):
        sl.read_table(file, **CITY)
    assert sl.read_table(file, **CITY, missing="a value").people == 6


def test_merged_columns_are_as_long_as_the_sheet(tmp_path):
    file = odd_sheet(tmp_path, merged=["B3:B7"], longer=1_048_569)
    table = sl.read_table(file, **CITY)
    assert table.people == 6
    (note,) = odd_notes(table)
    assert mentions(note, "cells", "patients.xlsx", "merged", "missing", 4)


def test_notes_of_several_sheets_and_of_streams_are_kept(tmp_path):
    odd_sheet(tmp_path, errors=[("B3", "#N/A")]).rename(tmp_path / "a.xlsx")
    odd_sheet(tmp_path, errors=[("B3", "#N/A"), ("B4", "#REF!")]).rename(tmp_path / "b.xlsx")
    table = sl.read_table(str(tmp_path / "*"), **CITY)
    stream = sl.stream_table(str(tmp_path / "*"), **CITY)
    events = sl.read_events(str(tmp_path / "*"), **CITY, person="each row")
    for intake in (table.intake, stream.intake, events.intake):
        first, second = (note for note in intake.notes() if "xlsx" in note)
        assert mentions(first, "cells", "a.xlsx", "errors", "missing", 1)
        assert mentions(second, "cells", "b.xlsx", "errors", "missing", 2)


class Panic(BaseException):
    """As a library in Rust raises it."""


@pytest.mark.parametrize(
    "problem", [IndexError("list assignment index out of range"), OverflowError(), Panic()], ids=repr
)
@pytest.mark.parametrize("kind", ["dta", "xlsx"])
def test_whatever_a_library_raises_of_a_damaged_file_is_one_line(tmp_path, monkeypatch, kind, problem):
    def raising(*_, **__):
        raise problem

    monkeypatch.setattr("pyreadstat.read_dta", raising)
    monkeypatch.setattr("python_calamine.CalamineWorkbook", SimpleNamespace(from_path=raising))
    (tmp_path / f"people.{kind}").write_bytes(b"damaged")
    with pytest.raises(BadTable, match=rf"^people\.{kind} cannot be read"):
        sl.read_table(tmp_path / f"people.{kind}", quasi="age", sensitive="disease")


def test_a_label_made_of_a_code_is_no_other_codes_label():
    labels = {1.0: "A", 2.0: "A", 3.0: "A (1)"}
    said = replace_codes([1.0, 2.0, 3.0, "A (2)"], labels)
    assert len({*said}) == 4
