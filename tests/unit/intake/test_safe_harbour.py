"""The check of columns for identifiers of the HIPAA safe harbour rule: found, or could not tell; never safe."""

import pyarrow as pa
import pytest
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadTable, NotTrueOrFalse, UnknownColumn
from sidelight.intake.safe_harbour import compare_digits, read_zip_population

CENSUS = {"zip": ["02139", "02140", "05901", "94110-1234", "036**"], "people": [20_000, 1, 20_000, 70_000, 12]}


def checked(zips, population=None, **settings):
    check = sl.presets.hipaa_safe_harbour(pa.table({"zip3": zips}), population=population, **settings)
    return check.suspects[0].answer, check.suspects[0].reason


def test_codes_with_the_same_three_digits_are_added_up():
    counted = read_zip_population(pa.table(CENSUS), residents="people")
    assert counted == {"021": 20_001, "059": 20_000, "941": 70_000, "036": 12}


def test_rows_are_people_unless_a_column_says_how_many():
    people = pa.table({"zip": ["02139"] * 3 + ["05901", None, "2139"]})
    assert read_zip_population(people) == {"021": 3, "059": 1}


@pytest.mark.parametrize("three", ["059", "059**", "059XX", " 059 "])
def test_three_digits_of_20000_people_are_found(three):
    answer, reason = checked(["021", three], pa.table(CENSUS), residents="people")
    assert answer == "found"
    assert mentions(reason, 1, 2, "three digits", "ZIP codes", "20,000 people")
    assert "059" not in reason


def test_more_people_prove_nothing():
    answer, reason = checked(["021", "941", "000"], pa.table(CENSUS), residents="people")
    assert answer == "could not tell"
    assert mentions(reason, "more than 20,000", "need not be", "Census")


@pytest.mark.parametrize("three", ["999", "21", "n/a"])
def test_three_digits_that_the_population_lacks_could_not_be_told(three):
    answer, reason = checked(["021", three], pa.table(CENSUS), residents="people")
    assert answer == "could not tell"
    assert mentions(reason, 1, 2, "three digits", "ZIP codes", "not in the population")


def test_five_digits_are_found_whoever_lives_there():
    answer, reason = checked(["94110"], pa.table(CENSUS), residents="people")
    assert answer == "found"
    assert mentions(reason, "ZIP codes", "more than", "three digits")


def test_codes_that_lost_their_zeros_are_not_taken_for_others():
    """02139 as the number 2139 is not one of 213."""
    people = read_zip_population(pa.table({"zip": [2139, 94110], "people": [50_000, 50_000]}), residents="people")
    assert people == {"941": 50_000}
    assert compare_digits(["213"], people) == (1, 0, 1)


@pytest.mark.parametrize(
    ("population", "settings", "error", "message"),
    [
        ({"town": ["a"]}, {}, BadTable, "no column called like ZIP codes"),
        ({"zip": ["02139"], "zcta": ["02139"]}, {}, BadTable, "several columns of ZIP codes"),
        ({"zip": ["02139"]}, {"residents": "people"}, UnknownColumn, "no column 'people'"),
        ({"zip": ["02139"], "people": ["many"]}, {"residents": "people"}, BadTable, "no whole number of people"),
        ({"zip": ["02139"], "people": [-5]}, {"residents": "people"}, BadTable, "no whole number of people"),
        (None, {"residents": "people"}, BadTable, "give both, or none"),
    ],
)
def test_populations_that_cannot_be_used(population, settings, error, message):
    with pytest.raises(error, match=message):
        checked(["021"], None if population is None else pa.table(population), **settings)


def test_a_population_that_nothing_is_compared_with():
    with pytest.raises(BadTable, match=r"no column.*ZIP codes"):
        sl.presets.hipaa_safe_harbour(pa.table({"sex": ["f"]}), population=pa.table(CENSUS))


def check(**columns):
    return sl.presets.hipaa_safe_harbour(pa.table(columns))


@pytest.mark.parametrize(
    ("column", "cells"),
    [
        ("last_name", ["Miller", "Smith"]),
        ("contact", ["ann@example.org", "bea@example.org"]),
        ("contact", ["none", "write to ann@example.org"]),
        ("remarks", ["ssn 123-45-6789", "fine"]),
        ("tel", ["1", "2"]),
        ("zip", ["02139", "94110"]),
        ("ZIPcode", ["021**", "9411*"]),
        ("county", ["Essex", "Kent"]),
        ("admission", ["2024-03-09", "2023-01-30"]),
        ("seen", ["Mar 2024", "Apr 2024"]),
        ("seen", ["2024-03", "2023-01"]),
        ("x", ["19840309", "19900101"]),
        ("x", ["09MAR1984", "1 Jan 1990"]),
        ("age", ["34", "91"]),
        ("age", ["90-94", "95-99"]),
        ("age", ["90+", "95+"]),
        ("patient_id", ["17", "18"]),
        ("person", ["a", "b"]),
        ("mrn", ["17", "18"]),
        ("homepage", ["https://example.org/ann", "https://example.org/bea"]),
        ("ip", ["10.0.0.1", "10.0.0.2"]),
        ("photo", ["a.png", "b.png"]),
    ],
)
def test_identifiers_are_found(column, cells):
    found = check(**{column: cells, "sex": ["f", "m"]})
    assert found.answer == "found"
    assert [each.column for each in found.identifiers] == [column]
    assert found.others == ("sex",)
    for cell in cells:
        if len(cell) > 3:
            assert cell not in repr(found) + str(found.identifiers)


@pytest.mark.parametrize(
    ("column", "cells"),
    [
        ("zip", ["021", "941"]),
        ("birth_year", ["1931", "1980"]),
        ("age", ["85-94", "20-24"]),
        ("age_months", ["91", "120"]),
        ("story", ["came in with a bad cough, then a fever", "fell from a ladder and broke a leg"]),
        ("who", ["Ann Miller", "Bea Smith"]),
        ("residence", ["north", "south"]),
        ("weekday", ["Mon", "Tue"]),
        ("age", ["120 days", "3 years"]),
        ("study_id", ["1", "2"]),
        ("x", ["5551234567", "5551234568"]),
    ],
)
def test_what_may_be_one_could_not_be_told(column, cells):
    suspected = check(**{column: cells})
    assert suspected.answer == "could not tell"
    assert [(each.column, each.answer) for each in suspected.suspects] == [(column, "could not tell")]


@pytest.mark.parametrize(
    ("column", "cells"),
    [("age", ["34", "89"]), ("age", ["85-89", "90+"]), ("age", ["80-84", "90 or older"]), ("year", ["2020", "2021"])],
)
def test_what_looks_like_none_is_never_called_safe(column, cells):
    nothing = check(**{column: cells})
    assert nothing.suspects == ()
    assert nothing.answer == "could not tell"
    assert "proves nothing" in str(nothing)
    assert "safe" not in str(nothing)


def test_a_code_that_differs_in_every_row_could_not_be_told():
    codes = check(code=[f"x{number * 7919 % 1000}" for number in range(40)])
    assert mentions(codes.suspects[0].reason, "nearly all rows differ", "unique code")


def test_a_column_with_more_labels_than_are_looked_at_is_not_cleared():
    many = check(score=[str(number) for number in range(10_500)] * 2)
    assert "not all were looked at" in many.suspects[0].reason


def test_it_is_not_true_or_false():
    with pytest.raises(NotTrueOrFalse):
        bool(check(sex=["f", "m"]))
    assert "HIPAA safe harbour" in check(ssn=["1", "2"])._repr_html_()


def test_real_files():
    assert [each.column for each in sl.presets.hipaa_safe_harbour(sl.datasets.adult().path).identifiers] == ["age"]
    nhefs = sl.presets.hipaa_safe_harbour(sl.datasets.nhefs().path)
    assert [(each.column, each.answer) for each in nhefs.suspects] == [
        ("person", "found"),
        ("birthplace", "could not tell"),
    ]
