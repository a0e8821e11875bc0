"""What an exposure says, and what it refuses."""

import json
import math
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

import sidelight as sl
from sidelight.errors import BadMeasure, BadRelease, BadTable, UnknownColumn

ZIPS = [{"zip": "1"}, {"zip": "2"}]
ONE = sl.Release.from_counts([{"a": 1, "b": 1}, {"a": 1, "c": 2}], labels=ZIPS)
TWO = sl.Release.from_counts([{"a": 1, "c": 2}, {"b": 3}], labels=ZIPS)
PEOPLE = pl.DataFrame(
    {"zip": ["1", "2", "2", "9"], "name": ["Ann", "Bea", "Cat", "Dan"], "real": ["a", "b", "c", None]}
)


def exposed(**options):
    return sl.intersect([ONE, TWO], people=PEOPLE, **options)


def test_contradictions_and_strangers_are_counted_apart():
    exposure = exposed(truth="real")
    assert exposure.perfect == Fraction(1, 4)
    assert exposure.contradicted == Fraction(1, 2)  # nothing is left to zip 2
    assert exposure.vulnerable == Fraction(1, 4)
    assert exposure.unlocated == (1, 1)
    assert exposure.located_nowhere == 1
    assert exposure.partial(Fraction(1, 100)) == Fraction(1, 2)  # contradictions are never a breach
    assert exposure.distribution("after") == {0: 2, 1: 1, 3: 1}
    assert np.isnan(exposure.confidence[1])
    assert math.isnan(exposure.belief[1])
    assert "contradict each other" in exposure.explain()
    assert "1 of 4 people fit no group of release 1." in exposure.explain()
    assert "contradict" in exposure.witness(1).explain()
    assert exposure.witness(2).sightings[0].groups == ()
    assert "not located" in exposure.witness(2).explain()


def test_whoever_is_found_nowhere_is_believed_what_was_believed_before():
    exposure = exposed()
    assert exposure.witness({"zip": "9"}).beliefs == dict(zip(exposure.domain, exposure.prior, strict=True))
    assert exposure.prior == (Fraction(3, 11), Fraction(4, 11), Fraction(4, 11))
    assert exposed(prior="uniform").prior == (Fraction(1, 3),) * 3


def test_the_truth_is_checked_where_it_is_known():
    truth = exposed(truth="real").truth
    assert truth.people == 3
    assert truth.hits == truth.given_away == truth.guessed == Fraction(1, 3)
    assert truth.hits_by_release == (Fraction(2, 3), Fraction(2, 3))
    assert truth.belief == pytest.approx(1 / 3)
    assert exposed().truth is None


def test_shares_and_beliefs_at_a_confidence():
    exposure = exposed()
    assert exposure.partial(1) == exposure.perfect
    assert exposure.sure(1) == exposure.perfect
    assert exposure.sure(0.1) == Fraction(1, 2)
    for wrong in (0, -1, 1.5):
        with pytest.raises(BadMeasure, match="confidence"):
            exposure.partial(wrong)


def test_it_is_handed_out_as_a_table_and_as_json():
    exposure = exposed(truth="real")
    rows = exposure.table().to_pylist()
    assert rows[0] == {
        "zip": "1",
        "people": 1,
        "before 1": 2,
        "before 2": 2,
        "after": 1,
        "belief": 1.0,
        "candidates": ["a"],
    }
    assert rows[1]["belief"] is None
    told = json.loads(exposure.to_json())
    assert told["perfect"] == {"exact": "1/4", "value": 0.25}
    assert told["truth"]["hits"]["exact"] == "1/3"
    assert told["truth"]["hits"]["value"] >= 1 / 3
    assert [each["unlocated"] for each in told["releases"]] == [1, 1]
    assert repr(exposure) == "<Exposure of 4 people in 2 releases: 1 given away>"


def test_candidates_by_row():
    candidates = exposed().candidates
    assert list(candidates) == [("a",), (), ("a", "b", "c")]
    assert candidates[-1] == ("a", "b", "c")
    assert candidates.matrix(np.array([0])).tolist() == [[True, False, False]]
    with pytest.raises(IndexError):
        candidates[3]


def test_somebody_is_asked_for_by_name_by_what_is_known_or_by_row():
    exposure = exposed(person="name")
    assert exposure.witness("Ann") == exposure.witness({"zip": 1})
    assert exposed().witness(0) == exposure.witness("Ann")
    with pytest.raises(BadTable, match="nobody among the people has that name"):
        exposure.witness("Zoe")
    with pytest.raises(BadTable, match="give person="):
        exposed().witness("Ann")
    with pytest.raises(BadTable, match="0 rows of people fit that"):
        exposure.witness({"zip": "7"})
    with pytest.raises(UnknownColumn, match="did you mean 'zip'"):
        exposure.witness({"zipp": "7"})
    with pytest.raises(BadTable, match="no row 17"):
        exposed().witness(17)


def test_errors_show_nobody_s_data():
    twice = pl.concat([PEOPLE, PEOPLE])
    with pytest.raises(BadTable, match="4 people have more than one row") as error:
        sl.intersect([ONE, TWO], people=twice, person="name")
    assert "Ann" not in str(error.value)


def test_different_values_need_a_mapping():
    other = sl.Release.from_counts([{"a": 1, "Flu": 2}], labels=ZIPS[:1])
    with pytest.raises(BadRelease, match=r"same_values=\{'b': 'Flu'\}"):
        sl.intersect([ONE, other], people=PEOPLE)
    apart = sl.intersect([ONE, other], people=PEOPLE, same_values={})
    assert set(apart.domain) == {"a", "b", "c", "Flu"}
    assert apart.candidates[0] == ("a",)
    same = sl.intersect([ONE, other], people=PEOPLE, same_values={"Flu": "b"})
    assert same.candidates[0] == ("a", "b")
    assert same.witness(0).replay([ONE, other], same_values={"Flu": "b"}) == ("a", "b")


def test_a_release_may_lack_values_of_another():
    fewer = sl.Release.from_counts([{"a": 1}], labels=ZIPS[:1])
    assert sl.intersect([ONE, fewer], people=PEOPLE).candidates[0] == ("a",)


def test_values_that_occur_nowhere_are_nobody_s():
    declared = sl.Release.from_counts([{"a": 2}], labels=ZIPS[:1], domain=["a", "never"])
    exposure = sl.intersect([declared], people=pl.DataFrame({"zip": ["1", "5"]}))
    assert list(exposure.candidates) == [("a",), ("a",)]


def test_a_true_value_that_no_release_has_heard_of_is_refused():
    strange = PEOPLE.with_columns(real=pl.lit("Gout"))
    with pytest.raises(BadRelease, match="'Gout' is true of somebody"):
        sl.intersect([ONE, TWO], people=strange, truth="real")
    named = sl.intersect([ONE, TWO], people=strange, truth="real", same_values={"Gout": "a"})
    assert named.truth.hits == Fraction(1, 2)


def test_only_one_value_per_person():
    several = sl.Release.from_counts([{"a": 1, "b": 2}], sizes=[2], values="set", labels=ZIPS[:1])
    with pytest.raises(BadRelease, match='release 2 has values="set"'):
        sl.intersect([ONE, several], people=PEOPLE)
    table = sl.read_table(PEOPLE, quasi=["zip"], sensitive="real", person="name", values="set", missing="a value")
    with pytest.raises(BadTable, match="one value each"):
        sl.intersect([ONE, TWO], people=table)


def test_nothing_to_do_is_refused():
    with pytest.raises(BadRelease, match="no releases"):
        sl.intersect([], people=PEOPLE)
    with pytest.raises(BadRelease, match='no prior="mine"'):
        exposed(prior="mine")
    with pytest.raises(BadTable, match="print no columns"):
        sl.intersect([sl.Release.from_counts([{"a": 1}])], people=PEOPLE)


def test_more_than_64_values():
    values = [f"v{number:03}" for number in range(150)]
    one = sl.Release.from_counts([dict.fromkeys(values[:100], 1)], labels=ZIPS[:1], domain=values)
    two = sl.Release.from_counts([dict.fromkeys(values[99:], 1)], labels=ZIPS[:1], domain=values)
    exposure = sl.intersect([one, two], people=PEOPLE)
    assert exposure.candidates[0] == ("v099",)
    assert exposure.before[:, 0].tolist() == [100, 51]
    assert exposure.after.tolist() == [1, 150, 150]


def test_people_who_look_alike_are_one_row():
    many = pl.DataFrame({"zip": ["1"] * 1_000 + ["2"] * 500})
    exposure = sl.intersect([ONE], people=many)
    assert exposure.people.sizes.tolist() == [1_000, 500]
    assert exposure.mean("after") == Fraction(2)


def test_marks_of_missing_cells():
    gap = sl.Release.from_counts([{"a": 1}], labels=[{"zip": None}])
    people = pl.DataFrame({"zip": ["?"]})
    assert sl.intersect([gap], people=people).unlocated == (1,)
    assert sl.intersect([gap], people=people, missing_marks="?").unlocated == (0,)


def test_from_files(tmp_path):
    path = tmp_path / "people.csv"
    PEOPLE.write_csv(path)
    exposure = sl.intersect([ONE, TWO], people=path, person="name", truth="real")
    assert exposure.after.tolist() == exposed().after.tolist()
    assert exposure.witness("Ann").candidates == ("a",)
