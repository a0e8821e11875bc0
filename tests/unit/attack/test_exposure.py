"""What an exposure says: shares of people, candidates, a table, and the witness for one person."""

import json
import math
from fractions import Fraction

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadMeasure

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
    assert exposure.located == 3  # shares are of these
    assert exposure.perfect == Fraction(1, 3)
    assert exposure.contradicted == Fraction(2, 3)  # nothing is left to zip 2
    assert exposure.vulnerable == Fraction(1, 3)
    assert exposure.unlocated == (1, 1)
    assert exposure.located_nowhere == 1
    assert exposure.partial(Fraction(1, 100)) == Fraction(1, 3)  # contradictions are never a breach
    assert exposure.distribution("after") == {0: 2, 1: 1}
    assert np.isnan(exposure.confidence[1])
    assert math.isnan(exposure.belief[1])
    assert "contradict each other" in exposure.explain()
    assert any(mentions(line, "1 of 4 people", "no group", "release 1") for line in exposure.explain().splitlines())
    assert "contradict" in exposure.witness(1).explain()
    assert exposure.witness(2).sightings[0].groups == ()
    assert "not located" in exposure.witness(2).explain()


def test_shares_and_beliefs_at_a_confidence():
    exposure = exposed()
    assert exposure.partial(1) == exposure.perfect
    assert exposure.sure(1) == exposure.perfect
    assert exposure.sure(0.1) == Fraction(1, 3)
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
    assert told["perfect"] == {"exact": "1/3", "value": 0.33333333333333337}
    assert told["truth"]["hits"]["exact"] == "1/3"
    assert told["truth"]["hits"]["value"] >= 1 / 3
    assert [each["unlocated"] for each in told["releases"]] == [1, 1]
    assert repr(exposure) == "<Exposure of 3 people in 2 releases: at least 1 given away>"


def test_candidates_by_row():
    candidates = exposed().candidates
    assert list(candidates) == [("a",), (), ("a", "b", "c")]
    assert candidates[-1] == ("a", "b", "c")
    assert candidates.matrix(np.array([0])).tolist() == [[True, False, False]]
    with pytest.raises(IndexError):
        candidates[3]


def test_a_notebook_shows_a_row_for_each_release_and_says_it_in_words():
    exposure = exposed()
    html = exposure._repr_html_()
    assert f"<caption>{repr(exposure).strip('<>')}</caption>" in html
    assert html.count("<tr>") == 1 + 2
    assert exposure.explain() in html
    assert mentions(html, "give away", "at least 1 of 3 people")


def test_a_witness_replays_from_the_groups_that_it_names():
    witness = exposed(person="name").witness("Ann")
    assert witness.replay([ONE, TWO]) == witness.candidates == ("a",)
    assert [each.rules_out for each in witness.sightings] == [("c",), ("b",)]


def test_a_confidence_that_is_no_number_is_not_called_a_limit():
    for ask in (exposed().partial, exposed().sure):
        with pytest.raises(BadMeasure, match="is a number, not 'x'"):
            ask("x")


def test_shown_in_a_notebook_and_handed_out_as_frames():
    exposure = exposed()
    assert repr(exposure) == "<Exposure of 3 people in 2 releases: at least 1 given away>"
    assert exposure.to_arrow().column_names == exposure.to_pandas().columns.tolist() == exposure.to_polars().columns
    witness = exposure.witness({"zip": "1"})
    assert repr(witness) == "<ExposureWitness of 1 person in 2 releases: 1 of 3 values left>"
    assert "<td>a, c</td><td>b</td>" in witness._repr_html_()


def test_values_that_hold_a_comma_are_listed_unambiguously():
    releases = [
        sl.Release.from_counts([{"Ulcer, bleeding": 1, "Flu": 1}], labels=[{"city": "Paris, Texas", "sex": "f"}]),
    ]
    people = pa.table({"city": ["Paris, Texas"], "sex": ["f"]})
    explained = sl.intersect(releases, people=people, quasi=["city", "sex"]).witness(0).explain()
    assert "(city 'Paris, Texas', sex f)" in explained
    assert "2 values: Flu, 'Ulcer, bleeding'" in explained or "2 values: 'Ulcer, bleeding', Flu" in explained


def test_whoever_is_open_decides_whether_few_enough_are_given_away():
    exposure = exposed()  # of four: one given away, two contradicted, one not located
    assert exposure.within(0) is False
    assert exposure.within(Fraction(1, 4)) is False  # one of the three who can be in a release
    assert exposure.within(Fraction(1, 3)) is None
    assert exposure.within(1) is True
    assert exposure.within(Fraction(1, 4), located_alone=True) is False  # one of three
    assert exposure.within(Fraction(1, 3), located_alone=True) is None
