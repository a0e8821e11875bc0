"""An exposure in words, and as a document."""

import json
from fractions import Fraction

import polars as pl
from support.words import mentions

import sidelight as sl
from sidelight.attack.report import exposure_document, percent, sentences, witness_document

ZIPS = [{"zip": "1"}, {"zip": "2"}]
ONE = sl.Release.from_counts([{"a": 1, "b": 1}, {"a": 1, "c": 2}], labels=ZIPS)
TWO = sl.Release.from_counts([{"a": 1, "c": 2}, {"b": 3}], labels=ZIPS)
PEOPLE = pl.DataFrame(
    {"zip": ["1", "2", "2", "9"], "name": ["Ann", "Bea", "Cat", "Dan"], "real": ["a", "b", "c", None]}
)


def exposed(**options):
    return sl.intersect([ONE, TWO], people=PEOPLE, **options)


def test_one_release_is_told_alone():
    first, second, *rest = sentences(sl.intersect([ONE], people=PEOPLE.filter(pl.col("zip") != "9")))
    assert mentions(first, "release alone", "gives away", "0 of 3 people", "0 %")
    assert mentions(second, "average", "2.6 people", "2.0 values")
    (assumed,) = rest
    assert mentions(assumed, "Everybody", "in every release")
    assert not any("ogether" in each or "best" in each for each in (first, second))  # there is no other release


def test_the_truth_is_told_where_it_is_known():
    *_, last, claims = sentences(exposed(truth="real"))
    assert mentions(last, "true value", "among the candidates", "1 of 3 people", "33.4 %")
    assert mentions(claims, "1 of 3 people", "100.0 % sure")
    assert exposure_document(exposed())["truth"] is None


def test_shares_are_rounded_up():
    assert percent(Fraction(1, 10_000)) == "0.1 %"
    assert percent(Fraction(1)) == "100.0 %"
    third = exposure_document(exposed(truth="real"))["truth"]["hits"]
    assert third["exact"] == "1/3"
    assert third["value"] >= 1 / 3


def test_a_witness_is_plain_data():
    told = witness_document(exposed(person="name").witness("Ann"))
    assert json.loads(json.dumps(told)) == told
    assert told["known"] == {"zip": "1"}
    assert told["candidates"] == [{"candidate": "a", "exact": "1", "value": 1.0}]
