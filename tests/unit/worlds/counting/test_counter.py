"""Probabilities of facts: independence, differences, what is remembered."""

from fractions import Fraction
from itertools import combinations

import pytest

import sidelight as sl
from sidelight.knowledge.facts import Has, Or, Same
from sidelight.knowledge.people import Someone
from sidelight.worlds.brute_force import probability
from sidelight.worlds.counting import counter as module
from sidelight.worlds.counting.counter import WorldCounter
from sidelight.worlds.effort import Effort, Meter, OverEffort
from sidelight.worlds.identify import identify

RELEASE = sl.Release.from_counts([{"a": 2, "b": 1, "c": 1}, {"a": 1, "b": 1}])
PEOPLE = [Someone(1), Someone(1, 2), Someone(2)]


def counter(states=10_000):
    return WorldCounter(RELEASE, identify(RELEASE, PEOPLE), Meter(Effort(states, None)))


def test_facts_about_different_groups_are_independent():
    one, other = Has(PEOPLE[0], "a"), Has(PEOPLE[2], "a")
    assert counter().probability([one, other]) == Fraction(1, 2) * Fraction(1, 2)
    assert counter().joint([other], one) == (Fraction(1, 2), Fraction(1, 4))


def test_marginals_sum_to_the_probability_of_the_facts():
    facts = [Has(PEOPLE[0], "a") | Same(PEOPLE[1], PEOPLE[2])]
    exact = counter()
    for who in PEOPLE:
        assert sum(exact.marginals(facts, who).values()) == exact.probability(facts)


def test_what_was_counted_costs_nothing_again():
    exact, facts = counter(), [Has(PEOPLE[0], "a") | Has(PEOPLE[1], "b")]
    answer = exact.probability(facts)
    poor = exact.with_effort(Meter(Effort(1, None)))
    assert poor.probability(facts) == answer
    with pytest.raises(OverEffort):
        poor.probability([Has(PEOPLE[0], "b") | Has(PEOPLE[1], "a")])


def test_facts_that_share_no_group_are_remembered_one_by_one():
    exact, one, other = counter(), Has(PEOPLE[0], "a") | Has(PEOPLE[1], "b"), Has(PEOPLE[2], "a")
    answer = exact.probability([one, other])
    poor = exact.with_effort(Meter(Effort(1, None)))
    assert poor.probability([one]) * poor.probability([other]) == answer


def test_too_many_differences_are_refused_beforehand(monkeypatch):
    wide = Or(tuple(Same(PEOPLE[0], PEOPLE[2]) for _ in range(5)))
    same, target = Same(PEOPLE[0], PEOPLE[2]), Has(PEOPLE[0], "a")
    assert counter().probability([wide]) == counter().probability([same])
    assert counter().joint([wide], target) == counter().joint([same], target)
    monkeypatch.setattr(module, "MOST_DIFFERENCES", 1)
    assert counter().probability([wide]) == counter().probability([same])
    monkeypatch.setattr(module, "MOST_DIFFERENCES", 0)
    with pytest.raises(OverEffort):
        counter().probability([wide])


def test_that_one_of_many_pairs_is_the_same_takes_little_effort():
    """The partitions of four people for each of three values, by an eighth, and not what is left of six pairs."""
    release = sl.Release.from_counts([dict.fromkeys("abc", 2)], sizes=[4], values="set")
    people = [Someone(1, number) for number in range(1, 5)]
    pairs = Or(tuple(Same(*pair) for pair in combinations(people, 2)))
    exact = WorldCounter(release, identify(release, people), Meter(Effort(10, None)))
    assert exact.probability([pairs]) == probability(release, lambda world: len({*world.values()}) < 4)


def test_no_facts_are_always_so():
    assert counter().probability([]) == 1
    assert isinstance(counter().probability([]), Fraction)


def test_what_was_counted_of_people_is_remembered_by_all_who_count():
    exact, facts = counter(), [[Has(PEOPLE[0], value) | Has(PEOPLE[1], value)] for value in "ab"]
    poor = exact.with_effort(Meter(Effort(1, None)))
    marginals = [exact.marginals(each, PEOPLE[0]) for each in facts]
    assert [poor.marginals(each, PEOPLE[0]) for each in facts] == marginals


def test_of_people_who_are_compared_all_are_counted_together():
    exact, facts = counter(), [Has(PEOPLE[0], "a") | Same(PEOPLE[1], PEOPLE[2])]
    exact.marginals(facts, PEOPLE[1])
    poor = exact.with_effort(Meter(Effort(1, None)))
    assert poor.marginals(facts, PEOPLE[2]) == counter().marginals(facts, PEOPLE[2])
    with pytest.raises(OverEffort):
        poor.marginals(facts, PEOPLE[0])


@pytest.mark.parametrize("semantics", ["single", "set", "multiset"])
@pytest.mark.parametrize("who", PEOPLE)
def test_marginals_are_those_of_every_world_where_people_differ(semantics, who):
    release = sl.Release.from_counts([{"a": 2, "b": 1, "c": 1}, {"a": 1, "b": 1}], sizes=[4, 2], values=semantics)
    exact = WorldCounter(release, identify(release, PEOPLE), Meter(Effort()))
    differ = [~Same(PEOPLE[0], PEOPLE[1]), ~Same(PEOPLE[1], PEOPLE[2])]

    def fits(world):
        return world[1, 0] != world[1, 1] != world[2, 0]

    assert exact.probability(differ) == probability(release, fits)
    assert exact.marginals(differ, who) == {
        value: probability(
            release, lambda world, value=value: fits(world) and value in world[who.group, who.number - 1]
        )
        for value in ("abc" if who.group == 1 else "ab")
    }


@pytest.mark.parametrize("known", [1, 2])
def test_who_is_only_known_to_lack_a_value_leaves_it_to_the_others(known):
    """Of four people two have a; with one or two more who lack it, #1.3 has it with 2/3 or 1."""
    lacking, who = [~Has(Someone(1, number), "a") for number in range(1, known + 1)], Someone(1, 3)
    exact = WorldCounter(RELEASE, identify(RELEASE, [Someone(1), Someone(1, 2), who]), Meter(Effort()))
    possible = exact.probability(lacking)
    assert possible == (Fraction(1, 2) if known == 1 else Fraction(1, 6))
    rest = (1 - Fraction(2, 4 - known)) / 2
    assert exact.marginals(lacking, who) == {
        "a": possible * Fraction(2, 4 - known),
        "b": possible * rest,
        "c": possible * rest,
    }
