"""Facts as basic implications: equivalent by truth table, and few."""

from itertools import product

import pytest
from hypothesis import given

from sidelight.errors import BadKnowledge, TooHard
from sidelight.knowledge.facts import Has, OneOf, Same, all_of
from sidelight.knowledge.facts_text import read_fact
from sidelight.knowledge.truth import is_so
from sidelight.testing.fact_strategies import facts

PEOPLE = ("Ann", "Bob", "Cleo")
VALUES = ("Flu", "Cold", "Heart")


def table(fact, values=VALUES):
    rows = product(values, repeat=len(PEOPLE))
    return [is_so(fact, {who: frozenset([value]) for who, value in zip(PEOPLE, row, strict=True)}) for row in rows]


@given(facts(PEOPLE, VALUES))
def test_they_say_the_same(fact):
    said = fact.basic_implications(VALUES)
    assert all(each.premises and each.conclusions for each in said)
    assert table(all_of([each.fact() for each in said])) == table(fact) if said else all(table(fact))


@given(facts(PEOPLE, VALUES[:2]))
def test_they_say_the_same_whatever_other_values_there_are(fact):
    try:
        said = fact.basic_implications()
    except BadKnowledge as refused:
        assert "values=" in str(refused)  # noqa: PT017
        return
    assert table(all_of([each.fact() for each in said])) == table(fact) if said else all(table(fact))


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("Ann = Flu -> Bob = Flu", 1),
        ("Ann = Flu and Bob = Flu -> Cleo = Flu or Cleo = Cold", 1),
        ("Ann != Flu", 1),
        ("Ann = Flu", 2),
        ("Ann in {Flu, Cold}", 1),
        ("Ann = Flu and Bob = Cold", 3),
        ("Ann = Flu or Bob = Flu", 2),
        ("same(Ann, Bob)", 3),
        ("not same(Ann, Bob)", 3),
        ("not (Ann = Flu and Bob = Flu)", 1),
        ("(Ann = Flu -> Bob = Flu) and (Bob = Flu -> Ann = Flu)", 2),
        ("Ann = Flu or Ann != Flu", 0),
    ],
)
def test_they_are_few(text, number):
    assert len(read_fact(text).basic_implications(VALUES)) == number


def test_values_may_differ_between_people():
    fact = Has("Ann", "Flu") & Has("Bob", "Flu")
    said = fact.basic_implications({"Ann": ["Flu", "Cold"], "Bob": ["Flu", "Cold", "Heart"]})
    assert [str(each) for each in said] == ["Ann = Flu -> Bob = Flu", "Ann = Cold -> Ann = Flu"]
    with pytest.raises(BadKnowledge, match="1 of the people"):
        fact.basic_implications({"Ann": ["Flu", "Cold"]})


@pytest.mark.parametrize("fact", [Has("Ann", "Flu"), ~Has("Ann", "Flu"), Same("Ann", "Bob"), OneOf("Ann", ["a", "b"])])
def test_values_that_are_needed_are_asked_for(fact):
    with pytest.raises(BadKnowledge, match="values="):
        fact.basic_implications()


def test_what_is_never_so_where_there_is_one_value_cannot_be_said():
    with pytest.raises(BadKnowledge, match="values="):
        (~Has("Ann", "Flu")).basic_implications(["Flu"])


def test_too_many_combinations_are_refused():
    everyone = [Has(f"P{number}", "Flu") for number in range(12)]
    with pytest.raises(TooHard, match="say it in several facts"):
        (~all_of(everyone) | Has("Ann", "Cold")).basic_implications(VALUES)
    assert len(all_of(everyone).basic_implications(VALUES)) == 24
