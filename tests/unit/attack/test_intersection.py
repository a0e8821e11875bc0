"""The attack from end to end: the check against the truth, and what is refused."""

from fractions import Fraction

import polars as pl
import pytest

import sidelight as sl
from sidelight.errors import BadRelease, BadTable, WrongKind

ZIPS = [{"zip": "1"}, {"zip": "2"}]
ONE = sl.Release.from_counts([{"a": 1, "b": 1}, {"a": 1, "c": 2}], labels=ZIPS)
TWO = sl.Release.from_counts([{"a": 1, "c": 2}, {"b": 3}], labels=ZIPS)
PEOPLE = pl.DataFrame(
    {"zip": ["1", "2", "2", "9"], "name": ["Ann", "Bea", "Cat", "Dan"], "real": ["a", "b", "c", None]}
)


def exposed(**options):
    return sl.intersect([ONE, TWO], people=PEOPLE, **options)


def test_the_truth_is_checked_where_it_is_known():
    truth = exposed(truth="real").truth
    assert truth.people == 3
    assert truth.hits == truth.given_away == truth.guessed == Fraction(1, 3)
    assert truth.hits_by_release == (Fraction(2, 3), Fraction(2, 3))
    assert truth.belief == pytest.approx(1 / 3)
    assert exposed().truth is None


def test_one_value_per_person_and_several_are_not_mixed():
    several = sl.Release.from_counts([{"a": 1, "b": 2}], sizes=[2], values="set", labels=ZIPS[:1])
    with pytest.raises(BadRelease, match='release 1 has values="single" and release 2 values="set"'):
        sl.intersect([ONE, several], people=PEOPLE)
    table = sl.read_table(PEOPLE, quasi=["zip"], sensitive="real", person="name", values="set", missing="a value")
    with pytest.raises(BadTable, match="one value each"):
        sl.intersect([ONE, TWO], people=table)


def test_nothing_to_do_is_refused():
    with pytest.raises(BadRelease, match="no releases"):
        sl.intersect([], people=PEOPLE)
    with pytest.raises(BadRelease, match='no prior="mine"'):
        exposed(prior="mine")
    with pytest.raises(BadRelease, match='no evidence="mine"'):
        exposed(evidence="mine")
    with pytest.raises(BadTable, match="print no columns"):
        sl.intersect([sl.Release.from_counts([{"a": 1}])], people=PEOPLE)


def test_things_of_another_kind_get_one_line_with_the_remedy():
    with pytest.raises(WrongKind, match="not one; put it into a list"):
        sl.intersect(ONE, people=PEOPLE)
    with pytest.raises(WrongKind, match="release 2 should be a Release, not a polars DataFrame; read one with"):
        sl.intersect([ONE, PEOPLE], people=PEOPLE)
    table = sl.read_table(PEOPLE.drop_nulls(), quasi=["zip"], sensitive="real")
    with pytest.raises(WrongKind, match="release 1 should be a Release, not a Table; group it first"):
        sl.intersect([table], people=PEOPLE)


def test_releases_may_come_one_by_one():
    assert sl.intersect(iter([ONE, TWO]), people=PEOPLE).perfect == exposed().perfect


@pytest.mark.parametrize("releases", [None, "general.csv", {"one": 1}, pl.DataFrame({"zip": ["130**"]})])
def test_what_is_no_list_of_releases_gets_one_line(releases):
    with pytest.raises(WrongKind, match=r"releases should be a list, each a Release, not .*sl\.read_release"):
        sl.intersect(releases, people=pl.DataFrame({"zip": ["13053"]}))
