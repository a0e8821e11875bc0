"""Facts as basic implications: equivalent by truth table, and few."""

from functools import cache, reduce
from itertools import combinations, product
from operator import and_, or_

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples

from sidelight.errors import BadKnowledge, TooHard
from sidelight.knowledge.facts import Has, OneOf, Same, all_of, any_of, holds
from sidelight.knowledge.parse import read_fact
from sidelight.testing.strategies import facts

PEOPLE = ("Ann", "Bob", "Cleo")
VALUES = ("Flu", "Cold", "Heart")


def table(fact, values=VALUES):
    rows = product(values, repeat=len(PEOPLE))
    return [holds(fact, {who: frozenset([value]) for who, value in zip(PEOPLE, row, strict=True)}) for row in rows]


@given(facts(PEOPLE, VALUES))
def test_they_say_the_same(fact):
    implications = fact.basic_implications(VALUES)
    assert all(each.premises and each.conclusions for each in implications)
    assert table(all_of([each.fact() for each in implications])) == table(fact) if implications else all(table(fact))


@given(facts(PEOPLE, VALUES[:2]))
def test_they_say_the_same_whatever_other_values_there_are(fact):
    try:
        implications = fact.basic_implications()
    except BadKnowledge as refused:
        assert "values=" in str(refused)  # noqa: PT017
        return
    assert table(all_of([each.fact() for each in implications])) == table(fact) if implications else all(table(fact))


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
    implications = fact.basic_implications({"Ann": ["Flu", "Cold"], "Bob": ["Flu", "Cold", "Heart"]})
    assert [str(each) for each in implications] == ["Ann = Flu -> Bob = Flu", "Ann = Cold -> Ann = Flu"]
    with pytest.raises(BadKnowledge, match="1 of the people"):
        fact.basic_implications({"Ann": ["Flu", "Cold"]})


@pytest.mark.parametrize("fact", [Has("Ann", "Flu"), ~Has("Ann", "Flu"), Same("Ann", "Bob"), OneOf("Ann", ["a", "b"])])
def test_values_that_are_needed_are_asked_for(fact):
    with pytest.raises(BadKnowledge, match="values="):
        fact.basic_implications()


def test_what_is_never_so_where_there_is_one_value_cannot_be_said():
    with pytest.raises(BadKnowledge, match="values="):
        (~Has("Ann", "Flu")).basic_implications(["Flu"])


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([], "at least one value"),
        ("Flu", r"values= .*a list .*may have"),
        (5, r"values= .*a list .*may have"),
        ({"Ann": []}, "at least one value"),
        ({"Ann": "Flu"}, r"values= .*a list .*may have"),
        (["Cold", "Heart"], "'Flu', .*not among values="),
    ],
)
def test_values_that_make_no_sense_are_refused(values, message):
    with pytest.raises(BadKnowledge, match=message):
        (~Has("Ann", "Flu")).basic_implications(values)


def test_many_people_are_no_trouble():
    everyone = [Has(f"P{number}", "Flu") for number in range(40)]
    assert len(all_of(everyone).basic_implications(VALUES)) == 80
    assert len((~all_of(everyone) | Has("Ann", "Cold")).basic_implications(VALUES)) == 1
    assert len(all_of(everyone).implies(OneOf("Ann", ["Flu", "Cold"])).basic_implications()) == 1


def test_facts_that_take_too_many_are_refused():
    pairs = [Has(f"P{number}", "Flu") & Has(f"Q{number}", "Flu") for number in range(14)]
    with pytest.raises(TooHard, match="say it in several facts"):
        any_of(pairs).basic_implications(VALUES)


FOUR = (*VALUES, "Lung")


def forbidding(sizes):
    """Each set of combinations that one basic implication forbids, as bits: by trying all of them."""
    rows = [*product(*map(range, sizes))]
    atoms = [(place, value) for place, size in enumerate(sizes) for value in range(size)]
    some = [chosen for many in range(1, len(atoms) + 1) for chosen in combinations(atoms, many)]
    holds = {atom: sum(1 << number for number, row in enumerate(rows) if row[atom[0]] == atom[1]) for atom in atoms}
    premises = {reduce(and_, (holds[atom] for atom in chosen)) for chosen in some}
    conclusions = {reduce(or_, (holds[atom] for atom in chosen)) for chosen in some}
    return {premise & ~conclusion for premise in premises for conclusion in conclusions} - {0}


@cache
def smallest(sizes):
    """For each set of combinations, how many basic implications it takes to forbid it: by trying all of them."""
    needed, known = {0: 0}, {0}
    while known:
        known = {old | one for old in known for one in forbidding(sizes)} - {*needed}
        needed |= dict.fromkeys(known, max(needed.values()) + 1)
    return needed


@given(st.sampled_from([(3, 3), (2, 2, 2), (2, 4), (4,), (2, 2, 3)]), st.data())
@examples(80)
def test_they_are_the_fewest(sizes, data):
    rows = [*product(*map(range, sizes))]
    forbidden = data.draw(st.sets(st.sampled_from(rows)))
    fact = all_of(
        [
            ~all_of([Has(PEOPLE[place], FOUR[value]) for place, value in enumerate(row)])
            for row in [*forbidden, *forbidden]
        ]
        or [Has("Ann", "Flu") | ~Has("Ann", "Flu")]
    )
    values = {person: FOUR[: sizes[place]] for place, person in enumerate(PEOPLE[: len(sizes)])}
    expected = smallest(sizes)[sum(1 << number for number, row in enumerate(rows) if row in forbidden)]
    assert len(fact.basic_implications(values)) == expected
