"""Facts in Python: values that are joined, not true or false, and mean the same however they are walked."""

import copy
import pickle
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.words import mentions

from sidelight.errors import BadKnowledge, NotTrueOrFalse
from sidelight.knowledge.facts import (
    DEEPEST,
    Compound,
    Described,
    Has,
    OneOf,
    Someone,
    all_of,
    as_who,
    conjuncts,
    fold,
    holds,
    named_values,
    person_text,
)
from sidelight.knowledge.parse import read_fact, read_facts
from sidelight.testing.strategies import facts, facts_of

NAMES = st.text(max_size=6)


PEOPLE = NAMES | st.builds(Someone, st.integers(1, 99), st.integers(1, 3))


@pytest.mark.parametrize(
    "use",
    [
        bool,
        lambda fact: fact and fact,
        lambda fact: fact or fact,
        lambda fact: not fact,
        lambda fact: 1 if fact else 0,
        lambda fact: [1 for _ in "a" if fact],
        lambda fact: all([fact]),
        lambda fact: fact < fact,
        lambda fact: fact <= fact < fact,
        lambda fact: sorted([fact, fact]),
    ],
)
def test_a_fact_is_not_true_or_false(use):
    with pytest.raises(NotTrueOrFalse) as caught:
        use(Has("Ed", "Flu"))
    assert mentions(caught.value, "'Ed = Flu'", "&", "|", "~", ".implies")


@pytest.mark.parametrize("fact", [Has("Ed\nLee", "Flu"), all_of([Has(f"P{each}", "Flu") for each in range(999)])])
def test_messages_are_one_short_line(fact):
    with pytest.raises(NotTrueOrFalse) as caught:
        bool(fact)
    assert len(str(caught.value).splitlines()) == 1
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    "join",
    [
        lambda fact: fact & "Bob = Flu",
        lambda fact: "Bob = Flu" & fact,
        lambda fact: fact | 1,
        lambda fact: "Bob = Flu" | fact,
        lambda fact: fact.implies("Bob = Flu"),
        lambda fact: all_of((fact, "Bob = Flu")),
        lambda _: Compound("not", ("Bob = Flu",)),
        lambda fact: fact.implies(True),
    ],
)
def test_facts_join_with_facts_only(join):
    with pytest.raises(BadKnowledge, match=r"not with an? .*sl\.read_fact"):
        join(Has("Ed", "Flu"))


@given(facts_of(PEOPLE, NAMES | st.none()))
def test_facts_are_values(fact):
    for same in (read_fact(str(fact)), copy.deepcopy(fact), pickle.loads(pickle.dumps(fact))):
        assert same == fact
        assert hash(same) == hash(fact)
        assert repr(same) == repr(fact)
    for name in (field.name for field in fields(fact)):
        with pytest.raises(AttributeError):
            setattr(fact, name, None)


@pytest.mark.parametrize(
    "make",
    [
        lambda: OneOf("Bob", []),
        lambda: OneOf("Bob", "Flu"),
        lambda: OneOf("Bob", 5),
        lambda: OneOf("Bob", [["Flu"]]),
        lambda: Has("Bob", ["Flu", "Cold"]),
        lambda: Has(["Bob", "Ed"], "Flu"),
        lambda: Has({"age": [3, 4]}, "Flu"),
        lambda: Someone("3"),
        lambda: Someone(1.5),
        lambda: Someone(1, -1),
        lambda: read_facts(5),
        lambda: read_facts({"Bob": "Flu"}),
        lambda: read_facts([None]),
        lambda: Compound("and", (Has("a", "b"),)),
        lambda: Has(None, "Flu"),
        lambda: Someone(0),
        lambda: Has({}, "Flu"),
        lambda: Described((("age", "1"), ("age", "2"))),
        lambda: read_fact(5),
    ],
)
def test_what_makes_no_sense_is_refused(make):
    with pytest.raises(BadKnowledge):
        make()


WHO = ("Ann", "Bob")
VALUES = ("Flu", "Cold", "Heart")


@given(facts(WHO, VALUES), st.tuples(*[st.frozensets(st.sampled_from(VALUES))] * len(WHO)), st.booleans())
def test_a_fact_means_the_same_in_negation_normal_form(fact, values, positive):
    world = dict(zip(WHO, values, strict=True))
    literals = []

    def literal(atom, truth):
        literals.append(atom)
        return holds(atom, world) == truth

    assert fold(fact, literal, conjunction=all, disjunction=any, positive=positive) == (holds(fact, world) == positive)
    assert [*fact.atoms()] == literals  # each once, from left to right


def test_deep_facts_are_folded():
    fact = Has("Ann", "Flu")
    for _ in range(DEEPEST - 1):
        fact = (fact & Has("Bob", "Cold") | Has("Bob", "Flu")).implies(Has("Ann", "Cold"))
    size = fold(fact, lambda _atom, _truth: 1, conjunction=sum, disjunction=sum)
    assert size == len([*fact.atoms()])


def test_conjuncts_are_the_facts_that_and_joins():
    a, b, c = Has("Ann", "Flu"), Has("Bob", "Flu"), Has("Cleo", "Flu")
    assert conjuncts(a & (b & c)) == (a, b, c)
    assert conjuncts(a | b) == (a | b,)


def test_values_are_named_by_atoms_only():
    assert [named_values(atom) for atom in (Has("Ann", "Flu").implies(OneOf("Bob", ["Flu", None]))).atoms()] == [
        ("Flu",),
        ("Flu", None),
    ]


def test_a_description_is_the_same_in_any_order_of_columns():
    assert as_who({"zip": 81667, "age": 34}) == as_who({"age": "34", "zip": "81667"})
    assert str(Described.of({"zip": None, "age": 34})) == "{age = 34, zip = (missing)}"


def test_numbers_and_texts_of_numbers_name_the_same_person():
    assert as_who(4711) == as_who("4711") == "4711"
    assert as_who(Someone(3, 2)) == Someone(3, 2)


@pytest.mark.parametrize(
    ("person", "text"), [("Ann Lee", "Ann Lee"), ("#17", '"#17"'), (Someone(17), "#17"), ("in", '"in"')]
)
def test_people_are_written_so_that_they_are_read_again(person, text):
    assert person_text(person) == text


@pytest.mark.parametrize("person", [None, ["Ann", "Bob"], {}, {"age": [3, 4]}])
def test_nobody_several_and_empty_descriptions_are_refused(person):
    with pytest.raises(BadKnowledge):
        as_who(person)
