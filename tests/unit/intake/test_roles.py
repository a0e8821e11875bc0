"""Suggested roles: what a column is taken for, why, and what somebody says who knows better."""

import pyarrow as pa
import pytest
from support.messy import write_visits
from support.words import mentions

import sidelight as sl
from sidelight.engines.formats import text
from sidelight.errors import BadTable, UnknownColumn
from sidelight.intake.roles import suggest_roles


@pytest.fixture(scope="module")
def visits(tmp_path_factory):
    return write_visits(tmp_path_factory.mktemp("visits") / "visits.csv")


@pytest.fixture(scope="module")
def suggested(visits):
    return suggest_roles(visits)


@pytest.mark.parametrize(
    ("column", "role", "why"),
    [
        ("visit_id", "leave out", "numbers rows"),
        ("patient_id", "person", "numbers people: 300 people have"),
        ("Full name", "leave out", "called like a person's name"),
        ("eMail", "leave out", "written like an e-mail address"),
        ("birth_date", "quasi", "called like an age or a birth"),
        ("sex", "quasi", "called like a sex"),
        ("zip", "quasi", "called like where somebody lives"),
        ("visit_date", "leave out", "differs between the rows of"),
        ("ward", "leave out", "differs between the rows of"),
        ("diagnosis", "sensitive", "called like health, with 4 values"),
        ("creatinine", "leave out", "a measurement"),
        ("notes", "leave out", "free text"),
        ("country", "leave out", "the same in every row"),
        ("flag", "leave out", "differs between the rows of"),
    ],
)
def test_each_column_of_a_messy_file_has_its_role_and_reason(suggested, column, role, why):
    assert (suggested[column].role, why in suggested[column].reason) == (role, True), suggested[column].reason


def test_what_was_suggested_reads_the_file(visits, suggested):
    assert suggested.keywords == {
        "quasi": ("birth_date", "sex", "zip"),
        "sensitive": "diagnosis",
        "person": "patient_id",
        "values": "set",
        "missing": "no value",
        "missing_marks": ("?",),
    }
    assert sl.read_table(visits, **suggested.keywords).people == 300


def test_kinds_are_told(suggested):
    assert [suggested[name].kind for name in ("birth_date", "zip", "creatinine")] == ["date", "category", "number"]


def test_reasons_never_show_a_label(suggested, visits):
    text = repr(suggested) + " ".join(suggested.notes)
    cells = {cell for line in visits.read_text().splitlines()[1:] for cell in line.split(",")}
    told = {cell for cell in cells if len(cell) > 3 and cell in text}
    assert told == set()


def test_your_own_roles_have_the_last_word(visits):
    suggested = suggest_roles(visits, quasi=["sex", "country"], sensitive="notes")
    assert suggested.named("quasi") == ("sex", "country")
    assert suggested.named("sensitive") == ("notes",)
    assert suggested["zip"].role == "leave out"
    assert mentions(suggested["zip"].reason, "you named", "quasi", "not this one")
    assert suggested["sex"].reason == "you said so"


def test_each_row_a_person_is_the_publishers_word(visits):
    suggested = suggest_roles(visits, person="each row")
    assert suggested.roles.person == "each row"
    assert suggested["patient_id"].role == "leave out"
    assert suggested.roles.values is None


def test_a_column_that_is_not_there_is_named():
    with pytest.raises(UnknownColumn, match="did you mean 'sex'"):
        suggest_roles(pa.table({"sex": ["f"]}), quasi="sax")
    with pytest.raises(UnknownColumn, match="no column 'age'"):
        suggest_roles(pa.table({"sex": ["f"]}))["age"]


def test_work_is_the_secret_of_a_table_without_another():
    rows = pa.table({"age": list(range(30)), "occupation": ["a", "b", "c"] * 10, "workclass": ["a", "b"] * 15})
    suggested = suggest_roles(rows)
    assert (suggested["occupation"].role, suggested["workclass"].role) == ("sensitive", "quasi")


def test_no_secret_at_all_is_noted():
    suggested = suggest_roles(pa.table({"age": list(range(30))}))
    assert suggested.roles.sensitive is None
    assert any("told in confidence" in note for note in suggested.notes)


def test_many_columns_that_nobody_knows_are_left_out_to_begin_with():
    rows = pa.table({f"q{number}x": ["a", "b"] * 10 for number in range(30)} | {"age": list(range(20))})
    assert suggest_roles(rows).named("quasi") == ("age",)


@pytest.mark.parametrize(
    ("labels", "marks"),
    [
        (["1", "2", "NA"], ("NA",)),  # a gap among numbers
        (["DE", "FR", "NA"], ()),  # Namibia
        (["a", "?"], ("?",)),
        (["low", "high"], ()),
    ],
)
def test_marks_of_missing_cells_are_told_from_codes(labels, marks):
    assert suggest_roles(pa.table({"x": labels * 10, "age": ["1"] * 10 * len(labels)})).roles.missing_marks == marks


def test_a_number_of_people_with_gaps_is_no_person():
    rows = pa.table({"patient_id": [*range(99), None], "age": [*range(100)]})
    assert suggest_roles(rows).roles.person is None


def test_a_person_who_is_written_in_two_ways_has_several_rows(tmp_path):
    file = tmp_path / "visits.csv"
    rows = [f"{row},{row % 40 + 20},{'abc'[row % 3]}\n" for row in range(60)] + ["7.0,27,c\n"]
    file.write_text("patient_id,age,disease\n" + "".join(rows))
    suggested = suggest_roles(file)
    assert suggested.roles.values == "set"
    assert sl.read_table(file, **suggested.keywords).people == 60


def test_an_unnamed_first_column_numbers_rows(tmp_path):
    file = tmp_path / "pandas.csv"
    file.write_text(",age,disease\n" + "".join(f"{row},{row % 7},{'ab'[row % 2]}\n" for row in range(40)))
    assert suggest_roles(file)[""].role == "leave out"


@pytest.mark.parametrize("engine", ["pandas", "polars"])
def test_dataframes_are_suggested_for_alike(engine, visits):
    library = pytest.importorskip(engine)
    frame = library.read_csv(visits, **({"dtype": str} if engine == "pandas" else {"infer_schema_length": 0}))
    assert suggest_roles(frame).named("quasi") == ("birth_date", "sex", "zip")


def test_a_file_without_names_is_refused_and_no_cell_shown(tmp_path):
    file = tmp_path / "rows.csv"
    file.write_text("34,f,Flu\n35,m,Cold\n")
    with pytest.raises(BadTable, match=r"no line.*names") as caught:
        suggest_roles(file)
    assert "Flu" not in str(caught.value)


def test_a_file_without_rows_is_refused(tmp_path):
    file = tmp_path / "none.csv"
    file.write_text("age,sex\n")
    with pytest.raises(BadTable):
        suggest_roles(file)


@pytest.mark.parametrize(
    ("column", "cells", "role", "why"),
    [
        ("discharge_status", [1, 2, 20], "quasi", "a day or an event"),
        ("hh_size", [1, 2, 3], "quasi", "called like a family"),
        ("Manager ID", list(range(40)), "leave out", "numbers rows or something else"),
        ("wgt", [row / 7 for row in range(1, 100)], "leave out", "called like a sampling weight"),
        ("weight", [row / 7 for row in range(1, 120)], "leave out", "could not tell whether a body's weight"),
        ("points", list(range(100, 180)), "leave out", "amounts or codes, and nothing says which"),
        ("comment", ["fine", "well"], "leave out", "free text"),
        ("dob", [f"{row % 12 + 1:02}/{row % 28 + 1:02}/19{row % 60 + 20}" for row in range(119)], "quasi", "a birth"),
        ("hire date", [f"{row % 28 + 1}-Feb-20{row % 20:02}" for row in range(100)], "quasi", "a day or an event"),
    ],
)
def test_what_messy_columns_are_taken_for(column, cells, role, why):
    rows = pa.table(
        {column: [cells[row % len(cells)] for row in range(120)], "disease": [*"aab", *"cabc"] * 17 + ["a"]}
    )
    suggested = suggest_roles(rows)[column]
    assert (suggested.role, why in suggested.reason) == (role, True), suggested.reason


def test_numbers_of_places_are_codes():
    rows = pa.table({"birthplace": [*range(1, 50)] * 4, "age": [*range(20, 69)] * 4, "disease": ["a", "b"] * 98})
    suggested = suggest_roles(rows)
    assert suggested.roles.kinds == (("birthplace", "category"),)
    assert (suggested["birthplace"].kind, suggested["age"].kind) == ("category", "number")
    assert suggest_roles(rows, kinds={"birthplace": "number"}).roles.kinds == (("birthplace", "number"),)


def test_columns_of_few_rows_or_that_all_differ_do_not_tell_each_other():
    few = pa.table({"sex": ["f", "m"] * 3, "city": ["a", "b"] * 3})
    assert suggest_roles(few).named("quasi") == ("sex", "city")
    different = pa.table({"age": [*range(30)], "zip": [f"{row:05}" for row in range(30)]})
    assert suggest_roles(different).named("quasi") == ("age", "zip")


def test_what_tells_the_secret_label_by_label_is_not_published():
    rows = pa.table({"disease": ["Flu", "Cold", "Ulcer"] * 20, "ward": ["A", "B", "C"] * 20, "age": [*range(60)]})
    suggested = suggest_roles(rows)
    assert mentions(suggested["ward"].reason, "tells", "disease", "label by label")
    assert suggested.named("sensitive") == ("disease",)


def test_marks_behind_ten_thousand_labels_are_found(tmp_path):
    file = tmp_path / "long.csv"
    file.write_text("age,x\n" + "".join(f"{row % 90},{row}\n" for row in range(10_050)) + "7,NA\n")
    suggested = suggest_roles(file)
    assert suggested.roles.missing_marks == ("NA",)
    assert suggested["x"].profile.missing == 1


def test_numbers_that_mean_unanswered_are_noted():
    rows = pa.table({"vote": ["Red", "Blue", "-99"] * 20, "age": [*range(60)], "change": [-99, -5, 3] * 20})
    notes = " ".join(suggest_roles(rows).notes)
    assert mentions(notes, "vote", "numbers", "-99")
    assert "change" not in notes


def test_a_file_is_read_once_however_many_columns_it_has(tmp_path, monkeypatch):
    views = []
    csv_view = text.csv_view
    monkeypatch.setattr(text, "csv_view", lambda *given: views.append(given) or csv_view(*given))
    file = tmp_path / "wide.csv"
    names = [f"c{place}" for place in range(12)]
    file.write_text(
        ",".join(names) + "\n" + "".join(f"{','.join(['?', 'a', str(row % 7)] * 4)}\n" for row in range(50))
    )
    suggest_roles(file)
    assert len(views) == 1
