"""The attack from end to end: the check against the truth, and what is refused."""

from fractions import Fraction

import polars as pl
import pytest

import sidelight as sl
from sidelight.errors import BadMeasure, BadRelease, BadTable, WrongKind

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


IN_ONE = PEOPLE.with_columns(in_one=pl.Series(["yes", "no", "TRUE", "0"]), in_two=pl.Series([1, 1, 1, 1]))


def test_a_column_says_who_is_in_a_release():
    exposure = sl.intersect([ONE, TWO], people=IN_ONE, person="name", truth="real", present=["in_one", "in_two"])
    assert exposure.witness("Ann").candidates == ("a",)
    assert exposure.witness("Bea").candidates == ("b",)  # not in the first one, which has no b there
    assert exposure.witness("Cat").candidates == ()
    assert str(exposure.witness("Bea").sightings[0]).endswith("; known not to be in it")
    assert exposure.unlocated == (0, 1)  # Dan is known not to be in the first one
    told = exposure.explain()
    assert "Column 'in_one' says who is in release 1: 2 of 4 people." in told
    assert "Everybody who is looked for was taken to be in release 2." in told


def told_of(exposure):
    return " ".join(exposure.explain().split())


def test_a_probability_rules_out_nothing():
    exposure = exposed(present=[1, 0.25], truth="real")
    assert exposure.candidates[0] == ("a", "b")
    assert exposure.values_by_release[1].tolist() == [3, 3, 3]
    assert exposure.contradicted == 0
    assert "in it with probability 1/4, so nothing is ruled out" in exposure.witness(0).explain()
    assert "Everybody was taken to be in release 2 with probability 1/4." in exposure.explain()
    assert (exposure.perfect, exposure.if_present) == (0, Fraction(1, 3))  # Ann, who fits only "a" in both
    assert exposure.open >= exposure.if_present
    assert "If they are in all releases that may hold them, 1 of 3 people (33.4 %) more are given away." in told_of(
        exposure
    )
    nobody = exposed(present=0, evidence="independent")
    assert nobody.witness({"zip": "1"}).beliefs == dict(zip(nobody.domain, nobody.prior, strict=True))
    assert nobody.unlocated == (0, 0)
    assert nobody.located_nowhere == 0


def test_everybody_in_all_of_them_is_what_is_assumed():
    assert "Everybody who is looked for was taken to be in every release" in exposed().explain()
    assert exposed(present=1).values_left.tolist() == exposed().values_left.tolist()


@pytest.mark.parametrize(
    ("present", "message"),
    [
        ([1], "says who is in 1 release of 2"),
        (1.5, "present=1.5 is no probability"),
        ([-1, 1], "is no probability"),
        ("where", "no column 'where'"),
        ("name", r"column 'name' \(present=\) says something else about some people; write yes or no"),
        ("real", r"column 'real' \(present=\) says"),
    ],
)
def test_who_is_present_is_said_clearly(present, message):
    with pytest.raises(BadTable, match=message):
        exposed(present=present)
    with pytest.raises(BadTable, match="says nothing about some people"):
        sl.intersect([ONE], people=PEOPLE.with_columns(there=pl.Series([1, 1, 1, None])), present="there")


SETS = [
    sl.Release.from_counts([{"a": 2, "b": 1}, {"a": 1, "c": 3}], sizes=[3, 3], labels=ZIPS, values="set"),
    sl.Release.from_counts([{"a": 2, "b": 2}, {"b": 1, "c": 1}], sizes=[2, 4], labels=ZIPS, values="set"),
]
SEVERAL = pl.DataFrame(
    {"zip": ["1", "1", "2", "2"], "name": ["Ann", "Ann", "Bea", "Cat"], "has": ["a", "b", "c", None]}
)


def test_people_with_several_values():
    exposure = sl.intersect(SETS, people=SEVERAL, person="name", truth="has", same_values={})
    assert exposure.people.total == 3
    assert exposure.semantics == "set"
    ann = exposure.witness("Ann")
    assert ann.certain == ("a", "b")
    assert ann.candidates == ("a", "b")
    assert ann.explain().splitlines()[2].endswith("2 values: a, b; everybody there has a, b")
    assert ann.explain().endswith("Certain: a, b.")
    assert exposure.witness("Bea").explain().endswith("Certain: c.")
    assert exposure.perfect == 1
    assert exposure.truth.hits == 1
    assert exposure.truth.people == 3
    assert exposure.truth.guessed == exposure.truth.given_away == Fraction(2, 3)
    assert "make a value certain for 3 of 3 people" in exposure.explain()
    assert exposure.values_left.tolist() == [0, 0]
    with pytest.raises(BadMeasure, match=r"partial counts candidates for one value.*sure\(…\)"):
        exposure.partial(0.5)
    with pytest.raises(BadMeasure, match="confidence counts"):
        _ = exposure.confidence
    assert exposure.sure(1) == 1


def test_a_value_that_one_makes_certain_and_another_rules_out():
    other = sl.Release.from_counts([{"b": 2}], sizes=[2], labels=ZIPS[:1], values="set")
    wrong = sl.Release.from_counts([{"a": 2}], sizes=[2], labels=ZIPS[:1], values="set")
    exposure = sl.intersect([other, wrong], people=SEVERAL[:1], same_values={})
    assert exposure.contradicted == 1
    assert exposure.perfect == 0
    assert "what one makes certain another rules out" in exposure.explain()
    assert "nobody has in another" in exposure.witness(0).explain()


def test_true_values_of_several_each_need_to_say_whose_they_are():
    with pytest.raises(BadTable, match="give person="):
        sl.intersect(SETS, people=SEVERAL, truth="has", same_values={})
    cells = pl.DataFrame({"zip": ["1", "2", "2"], "has": ["a|b", "c", None]})
    split = sl.intersect(SETS, people=cells, truth="has", split="|", same_values={})
    assert (split.people.total, split.truth.hits) == (3, 1)


def test_people_with_several_rows_are_people_once():
    assert sl.intersect(SETS, people=SEVERAL, person="name", same_values={}).people.total == 3
    moved = SEVERAL.with_columns(zip=pl.Series(["1", "2", "2", "2"]))
    with pytest.raises(BadTable, match="1 person"):
        sl.intersect(SETS, people=moved, person="name", same_values={})


def test_occurrences_go_to_anybody():
    bags = sl.Release.from_counts([{"a": 2, "b": 1}], sizes=[2], labels=ZIPS[:1], values="multiset")
    witness = sl.intersect([bags], people=SEVERAL[:1]).witness(0)
    assert witness.beliefs == {"a": Fraction(3, 4), "b": Fraction(1, 2)}
    assert witness.certain == ()  # both of a's may be the other one's
