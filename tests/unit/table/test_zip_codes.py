"""People by the first three digits of their ZIP codes, of a population that somebody gives."""

import pyarrow as pa
import pytest

import sidelight as sl
from sidelight.errors import BadTable, UnknownColumn
from sidelight.table.zip_codes import ThreeDigits, ZipPopulation

CENSUS = {"zip": ["02139", "02140", "05901", "94110-1234", "036**"], "people": [20_000, 1, 20_000, 70_000, 12]}


def checked(zips, population=None, **settings):
    check = sl.presets.hipaa_safe_harbour(pa.table({"zip3": zips}), population=population, **settings)
    return check.suspects[0].answer, check.suspects[0].reason


def test_codes_with_the_same_three_digits_are_added_up():
    counted = ZipPopulation.read(pa.table(CENSUS), residents="people").people
    assert counted == {"021": 20_001, "059": 20_000, "941": 70_000, "036": 12}


def test_rows_are_people_unless_a_column_says_how_many():
    people = pa.table({"zip": ["02139"] * 3 + ["05901", None, "2139"]})
    assert ZipPopulation.read(people).people == {"021": 3, "059": 1}


@pytest.mark.parametrize("three", ["059", "059**", "059XX", " 059 "])
def test_three_digits_of_20000_people_are_found(three):
    answer, reason = checked(["021", three], pa.table(CENSUS), residents="people")
    assert answer == "found"
    assert reason.startswith("1 of its 2 three digits of ZIP codes has 20,000 people")
    assert "059" not in reason


def test_more_people_prove_nothing():
    answer, reason = checked(["021", "941", "000"], pa.table(CENSUS), residents="people")
    assert answer == "could not tell"
    assert "need not be those whom the Census counts now" in reason


@pytest.mark.parametrize("three", ["999", "21", "n/a"])
def test_three_digits_that_the_population_lacks_could_not_be_told(three):
    answer, reason = checked(["021", three], pa.table(CENSUS), residents="people")
    assert answer == "could not tell"
    assert reason.startswith("1 of its 2 three digits of ZIP codes is not in the population")


def test_five_digits_are_found_whoever_lives_there():
    assert checked(["94110"], pa.table(CENSUS), residents="people") == (
        "found",
        "ZIP codes with more than their first three digits",
    )


def test_codes_that_lost_their_zeros_are_not_taken_for_others():
    """02139 as the number 2139 is not one of 213."""
    numbers = ZipPopulation.read(pa.table({"zip": [2139, 94110], "people": [50_000, 50_000]}), residents="people")
    assert numbers.people == {"941": 50_000}
    assert numbers.compare(["213"]) == ThreeDigits(different=1, too_few=0, unknown=1)


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
    with pytest.raises(BadTable, match="no column is called like ZIP codes"):
        sl.presets.hipaa_safe_harbour(pa.table({"sex": ["f"]}), population=pa.table(CENSUS))
