"""Posteriors: the papers' example, impossible and too hard knowledge, estimates, people's names."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.errors import BadKnowledge, BadMeasure, Contradiction, TooHard, UnknownValue
from sidelight.knowledge.facts import Has, Same
from sidelight.knowledge.people import Someone
from sidelight.worlds.effort import Effort
from sidelight.worlds.estimate import Estimate
from sidelight.worlds.posterior import posterior

NAMED = sl.Release.from_groups(
    [
        (["Bob", "Charlie", "Dave", "Ed", "Frank"], ["Flu", "Flu", "Lung", "Lung", "Heart"]),
        (["Gloria", "Hannah", "Irma", "Jane", "Karen"], ["Flu", "Flu", "Breast", "Ovarian", "Heart"]),
    ]
)
PRINTED = sl.Release.from_counts(
    [{"Flu": 2, "Cold": 2}, {"Flu": 1, "Cold": 3}, {"Flu": 4}],
    labels=[{"age": "20-29", "zip": "816**"}, {"age": "30-39", "zip": "816**"}, {"age": "30-39", "zip": "9*"}],
)


def test_what_the_neighbour_concludes():
    assert posterior(NAMED, "Charlie = Flu") == Fraction(2, 5)
    assert posterior(NAMED, "Charlie = Flu", given="Hannah = Flu -> Charlie = Flu") == Fraction(10, 19)
    assert posterior(NAMED, "Charlie = Flu", given=["Charlie != Lung", "Charlie != Heart"]) == 1
    assert posterior(NAMED, Has("Charlie", "Flu"), given=Has("Bob", "Flu") & Has("Dave", "Heart")) == Fraction(1, 3)
    assert posterior(NAMED, "same(Bob, Hannah)") == Fraction(1, 5)  # Flu 4/25, Heart 1/25


def test_impossible_knowledge_names_a_smallest_contradiction():
    facts = ["Hannah = Flu", "Bob = Lung", "Dave = Lung", "Gloria = Flu", "Ed = Lung", "Irma != Flu"]
    with pytest.raises(Contradiction) as caught:
        posterior(NAMED, "Charlie = Flu", given=facts)
    assert caught.value.facts == ("Bob = Lung", "Dave = Lung", "Ed = Lung")
    with pytest.raises(Contradiction, match="'Bob = Breast' cannot be so; take it back"):
        posterior(NAMED, "Charlie = Flu", given=[*facts, "Bob = Breast"])


@given(st.permutations(["Bob = Flu", "Bob = Lung -> Ed = Lung", "Ed = Heart", "Frank = Heart", "Bob in {Lung, Heart}"]))
def test_the_smallest_is_found_in_any_order(facts):
    with pytest.raises(Contradiction) as caught:
        posterior(NAMED, "Charlie = Flu", given=facts)
    assert len(caught.value.facts) == 2


def three_cnf(clauses, variables):
    """The paper's construction: a bucket {T, F} per variable, a bucket {T, T, T, F, F} per clause."""
    groups = [([f"{x}", f"-{x}"], "TF") for x in range(1, variables + 1)]
    groups += [([f"C{c}.{place}" for place in range(5)], "TTTFF") for c in range(len(clauses))]
    facts = []
    for c, clause in enumerate(clauses):
        for place, literal in enumerate(clause):
            one, other = Has(f"{literal}", "T"), Has(f"C{c}.{place}", "T")
            facts += [one.implies(other), other.implies(one)]
        facts.append(Has(f"C{c}.3", "T").implies(Has(f"C{c}.4", "T")))
    return sl.Release.from_groups([(names, list(bag)) for names, bag in groups]), facts


def weight(signs, clause):
    """Worlds of a clause's bucket: three of five are T, and if the first dummy is T, so is the second."""
    true = sum(signs[abs(literal)] == (literal > 0) for literal in clause)
    return {3: 1, 2: 1, 1: 1, 0: 0}[true]


@pytest.mark.parametrize("seed", range(6))
def test_the_hardness_construction_is_answered_right_or_refused(seed):
    rng = np.random.default_rng(seed)
    variables, many = (3, 30) if seed == 0 else (6, 8 + 2 * seed)  # the first has no solution
    clauses = [
        tuple(int(x) * int(rng.choice([-1, 1])) for x in rng.choice(range(1, variables + 1), 3, replace=False))
        for _ in range(many)
    ]
    worlds = []
    for bits in range(1 << variables):
        signs = {x: bool(bits >> (x - 1) & 1) for x in range(1, variables + 1)}
        if all(weight(signs, clause) for clause in clauses):
            worlds.append(signs)
    release, facts = three_cnf(clauses, variables)
    if worlds:
        expected = Fraction(sum(signs[1] for signs in worlds), len(worlds))
        assert posterior(release, "1 = T", given=facts) == expected
    else:
        with pytest.raises(Contradiction):
            posterior(release, "1 = T", given=facts)


CROWD = sl.Release.from_counts([{f"v{value:02d}": 5 for value in range(20)}] * 2)
DIFFER = [~Same(Someone(1, one), Someone(2, other)) for one, other in combinations(range(1, 9), 2)]


def test_too_hard_says_what_is_known():
    known = [fact for fact in DIFFER if fact.people()[0].number < 4 and fact.people()[1].number < 6]
    with pytest.raises(TooHard, match=r"effort of 32,000 states; what is known: between 0.* and 0\.\d+; ") as caught:
        posterior(CROWD, Has(Someone(1), "v00"), given=known, effort=Effort(states=32_000))
    assert 0 <= caught.value.low < caught.value.high < Fraction(1, 2)


def test_seconds_limit_the_effort_too():
    with pytest.raises(TooHard):
        posterior(CROWD, Has(Someone(1), "v00"), given=DIFFER, effort=Effort(seconds=0.05))
    with pytest.raises(BadMeasure):
        Effort(states=0)


@given(st.integers(1, 40), st.sampled_from(["single", "set", "multiset"]))
def test_bounds_hold_the_truth(states, semantics):
    release = sl.Release.from_counts([{"a": 2, "b": 1, "c": 1}] * 2, sizes=[4, 4], values=semantics)
    known = ["same(#1, #2)", "#1 = a -> #2.2 = b", "#1.2 = b or #2.2 = c", "not same(#1.2, #2.2)"]
    truth = posterior(release, "#1 = a", given=known)
    try:
        assert posterior(release, "#1 = a", given=known, effort=Effort(states=states)) == truth
    except TooHard as told:
        assert told.low <= truth <= told.high  # noqa: PT017


@pytest.mark.parametrize("semantics", ["single", "set", "multiset"])
@pytest.mark.parametrize("states", [1, 12])
def test_estimates_cover_the_truth_as_often_as_they_say(semantics, states):
    release = sl.Release.from_counts([{"a": 2, "b": 1, "c": 1}] * 2, sizes=[4, 4], values=semantics)
    known = ["same(#1, #2) or #1 = b", "#1 = a -> #2.2 = b", "#1.2 = b or #2.2 = c"]
    truth = posterior(release, "#2 = a", given=known)
    missed = 0
    for seed in range(40):
        told = posterior(
            release,
            "#2 = a",
            given=known,
            effort=Effort(states=states),
            approximate=True,
            rng=seed,
            confidence=0.8,
            samples=40,
        )
        missed += not told.low <= truth <= told.high
    assert missed <= 15  # 8 expected at most; more than 15 by chance once in 200


def test_estimates_repeat_and_say_when_they_are_exact():
    told = [
        posterior(
            CROWD, Has(Someone(1), "v00"), given=DIFFER, effort=Effort(states=50), approximate=True, rng=7, samples=50
        )
        for _ in range(2)
    ]
    assert told[0] == told[1]
    assert told[0].worlds == 50
    easy = posterior(NAMED, "Bob = Flu", approximate=True, rng=1)
    assert easy == Estimate(Fraction(2, 5), 0.4, 0.4, 0.95)
    assert easy.worlds == 0
    with pytest.raises(BadMeasure, match="rng="):
        posterior(NAMED, "Bob = Flu", approximate=True)
    with pytest.raises(BadMeasure, match="confidence"):
        posterior(NAMED, "Bob = Flu", approximate=True, rng=1, confidence=1)


def test_people_are_found_by_description_when_it_fits_one_group():
    assert posterior(PRINTED, "{age = 24} = Flu") == Fraction(1, 2)
    assert posterior(PRINTED, "{age = 31, zip = 81612} = Flu", given="#2 = Flu") == 0
    assert posterior(PRINTED, "{age = 24} = Flu", given="{age = 25} = Flu") == Fraction(1, 3)


BUCKETS = sl.Release.from_buckets(
    [
        ([{"sex": "male", "age": 34}, {"sex": "female", "age": 34}], ["Flu", "Cold"]),
        ([{"sex": "male", "age": 40}, {"sex": "male", "age": None}, {"sex": "male", "age": 34.5}], ["Flu"] * 3),
    ]
)


def test_people_of_buckets_are_found_by_what_is_known_about_them():
    assert posterior(BUCKETS, "{sex = female} = Flu") == Fraction(1, 2)
    assert posterior(BUCKETS, Has({"sex": "male", "age": 34.0}, "Flu")) == Fraction(1, 2)
    assert posterior(BUCKETS, "{age = 34, sex = male} = Flu", given="{age = 34, sex = female} = Cold") == 1
    assert posterior(BUCKETS, Has({"age": None}, "Flu")) == 1
    with pytest.raises(BadKnowledge, match="fits 2 groups"):
        posterior(BUCKETS, "{sex = male} = Flu")
    with pytest.raises(BadKnowledge, match=r"no column 'ag'; did you mean 'age'\?"):
        posterior(BUCKETS, "{ag = 34} = Flu")


def test_ranges_that_may_overlap_may_be_the_same_person():
    hidden = sl.Release.from_counts([{"Flu": 2, "Cold": 2}], labels=[{"age": "*"}])
    with pytest.raises(BadKnowledge, match="may be the same person"):
        posterior(hidden, "{age = 20-29} = Flu", given="{age = 25-35} = Flu")
    assert posterior(hidden, "{age = 20-29} = Flu", given="{age = 34} = Flu") == Fraction(1, 3)


@pytest.mark.parametrize("person", ["#1", "#1.2"])
def test_the_text_of_someone_is_a_name_in_python(person):
    for release in (NAMED, PRINTED):
        with pytest.raises(BadKnowledge, match=r"someone in a group is sl\.Someone\(1(, 2)?\)"):
            posterior(release, Has(person, "Flu"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{age = 31} = Flu", "fits 2 groups"),
        ("{age = 50} = Flu", "fits no group"),
        ("{aeg = 31} = Flu", "no column 'aeg'; did you mean 'age'"),
        ("Bob = Flu", "names nobody"),
        ("#4 = Flu", "numbered 1 to 3"),
        ("#1.5 = Flu", "has 4 people; there is no #1.5"),
        ("same({age = 24}, {zip = 81667, age = 24})", "may be the same person"),
    ],
)
def test_people_who_cannot_be_found_are_refused(text, said):
    with pytest.raises(BadKnowledge, match=said):
        posterior(PRINTED, text)


def test_unknown_people_and_values_are_refused_without_naming_anybody_else():
    with pytest.raises(BadKnowledge, match="nobody in the release is called 'Bbo'") as caught:
        posterior(NAMED, "Bbo = Flu")
    assert "Bob" not in str(caught.value)
    with pytest.raises(UnknownValue, match="did you mean 'Flu'"):
        posterior(NAMED, "Bob = Fluu")
    everyone = " and ".join(f"#1.{number} = Flu" for number in range(1, 6)) + " and Bob = Flu"
    with pytest.raises(BadKnowledge, match="has 5 people; the facts speak of 6"):
        posterior(NAMED, everyone)


def test_huge_groups_cost_no_more():
    release = sl.Release.from_counts([{"a": 10**6, "b": 3 * 10**6}])
    assert posterior(release, "#1 = a", given="#1.2 = a") == Fraction(10**6 - 1, 4 * 10**6 - 1)


def test_many_people_of_one_group():
    release = sl.Release.from_counts([{"a": 500, "b": 500, "c": 500}])
    nobody = [f"#1.{number} != a" for number in range(2, 400)]
    assert posterior(release, "#1 = a", given=nobody) == Fraction(500, 1500 - 398)
    star = [f"#1.{number} = a -> #1 = a" for number in range(2, 400)]
    told = posterior(release, "#1 = a", given=star)
    assert told > Fraction(999, 1000)
