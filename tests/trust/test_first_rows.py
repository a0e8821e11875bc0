"""A first line that is not names for sure is told by its number of cells, whoever asks and whatever the line ends are."""

import pytest
from support.command_line import invoke
from support.words import mentions
from trust.fuzz.bars import MARK
from trust.fuzz.near_valid import LINE_ENDS

ROWS = [(f"{MARK} a", f"{MARK} b", f"{MARK}itis"), (f"{MARK} c", f"{MARK} d", f"{MARK} fever")]


@pytest.mark.parametrize("end", LINE_ENDS, ids=ascii)
@pytest.mark.parametrize("more", [(), ("--quasi", "citty")], ids=str)
def test_columns_tells_no_row_as_names(end, more, tmp_path):
    file = tmp_path / "people.csv"
    file.write_bytes(end.join(map(",".join, ROWS * 4)).encode() + b"\n")
    outcome = invoke(["columns", file, *more])
    assert (outcome.exit_code, outcome.stdout, outcome.stderr.count("\n")) == (2, "", 1)
    assert MARK not in outcome.stderr


def test_whoever_names_one_of_them_is_told_all(tmp_path):
    file = tmp_path / "people.csv"
    file.write_text("grad,ort,leiden\n" + "a,b,c\nd,e,f\n" * 4)
    assert mentions(invoke(["columns", file]).stderr, "3 columns", "first line", "may be somebody's row")
    assert invoke(["columns", file, "--quasi", "ort"]).exit_code == 0


def test_columns_called_alike_are_told_by_their_numbers(tmp_path):
    file = tmp_path / "people.csv"
    file.write_text(f"age,{MARK},disease,{MARK}\n" + "1,x,Flu,y\n" * 4)
    outcome = invoke(["audit", file, "-g", "age", "-s", "disease", "-m", "group size"])
    assert mentions(outcome.stderr, "alike", "column 2", "column 4")
    assert MARK not in outcome.output


def test_a_list_of_values_tells_no_row_as_names(tmp_path):
    table, values = tmp_path / "people.csv", tmp_path / "values.csv"
    table.write_text("age,disease\n" + "1,Flu\n" * 4)
    values.write_text("\n".join(map(",".join, ROWS * 4)))
    outcome = invoke(["audit", table, "-g", "age", "-s", "disease", "--domain-file", values, "-m", "group size"])
    assert (outcome.exit_code, outcome.stderr.count("\n")) == (2, 1)
    assert MARK not in outcome.stderr


@pytest.mark.parametrize(
    ("first", "others"),
    [
        (f"Ann\t20,m,{MARK}ville,{MARK}itis", f"Bea,21,f,{MARK}-on-Sea,{MARK}itis"),  # two cells in one
        (f"e|{MARK}itis|well", f"Bea|21|f|{MARK}itis|well"),  # the file's beginning is lost
        (f"name,age,sex,disease{MARK}ville,{MARK}itis", f"Bea,21,f,{MARK}itis"),  # the names' line end is lost
    ],
)
def test_a_first_line_of_other_cells_than_the_rows_have_is_not_told(first, others, tmp_path):
    file = tmp_path / "people.csv"
    file.write_text("\n".join([first, *[others] * 9]))
    for words in (["audit", file, "-g", "ages", "-s", "disease", "-m", "group size"], ["audit", file]):
        outcome = invoke(words)
        assert (outcome.exit_code, outcome.stderr.count("\n")) == (2, 1)
        assert MARK not in outcome.output


@pytest.mark.parametrize("rest", ["", f"\nBea {MARK},21,f,{MARK}itis"])
def test_names_that_run_on_into_rows_are_not_told_to_whoever_names_one(rest, tmp_path):
    file = tmp_path / "people.csv"
    file.write_text(f"name,age,sex,disease?Ann {MARK},20,m,{MARK}itis{rest}")
    outcome = invoke(["audit", file, "-g", "age", "-s", "diseas", "-m", "group size"])
    assert (outcome.exit_code, outcome.stderr.count("\n")) == (2, 1)
    assert MARK not in outcome.output
