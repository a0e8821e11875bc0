"""How sure somebody gets who weighs releases together, and the values they have in common."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

import sidelight as sl
from sidelight.errors import BadRelease

ZIPS = [{"zip": "1"}, {"zip": "2"}]
ONE = sl.Release.from_counts([{"a": 1, "b": 1}, {"a": 1, "c": 2}], labels=ZIPS)
TWO = sl.Release.from_counts([{"a": 1, "c": 2}, {"b": 3}], labels=ZIPS)
PEOPLE = pl.DataFrame(
    {"zip": ["1", "2", "2", "9"], "name": ["Ann", "Bea", "Cat", "Dan"], "real": ["a", "b", "c", None]}
)


def exposed(**options):
    return sl.intersect([ONE, TWO], people=PEOPLE, **options)


def test_whoever_is_found_nowhere_is_believed_what_was_believed_before():
    exposure = exposed()
    assert exposure.witness({"zip": "9"}).beliefs == dict(zip(exposure.domain, exposure.prior, strict=True))
    assert exposure.prior == (Fraction(3, 11), Fraction(4, 11), Fraction(4, 11))
    assert exposed(prior="uniform").prior == (Fraction(1, 3),) * 3


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
    assert named.truth.hits == Fraction(1, 3)


def test_more_than_64_values():
    values = [f"v{number:03}" for number in range(150)]
    one = sl.Release.from_counts([dict.fromkeys(values[:100], 1)], labels=ZIPS[:1], domain=values)
    two = sl.Release.from_counts([dict.fromkeys(values[99:], 1)], labels=ZIPS[:1], domain=values)
    exposure = sl.intersect([one, two], people=PEOPLE)
    assert exposure.candidates[0] == ("v099",)
    assert exposure.values_by_release[:, 0].tolist() == [100, 51]
    assert exposure.values_left.tolist() == [1, 150, 150]


def test_posteriors_of_sets_where_counts_are_silent_are_those_of_the_other_release():
    zips, rows = [*ZIPS, {"zip": "3"}], np.arange(3)
    release = sl.Release.from_counts([{"a": 2, "b": 1}, {"b": 1}, {"a": 1}], sizes=[2, 2, 2], values="set", labels=zips)
    people = pl.DataFrame(zips)
    both = sl.intersect([release, release], people=people, evidence="independent")
    alone = sl.intersect([release], people=people, evidence="independent").posterior(rows)
    silent = np.array([True, False, True])
    posterior = replace(both.together, silent={1: silent}).posteriors(both.views, both.prior, rows)
    assert posterior[silent] == pytest.approx(alone[silent])
    assert posterior[~silent] == pytest.approx(both.posterior(rows)[~silent])
