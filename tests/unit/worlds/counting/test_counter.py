"""Probabilities of facts: independence, differences, what is remembered."""

from fractions import Fraction

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
    poor = exact.within(Meter(Effort(1, None)))
    assert poor.probability(facts) == answer
    with pytest.raises(OverEffort):
        poor.probability([Has(PEOPLE[0], "b") | Has(PEOPLE[1], "a")])


def test_too_many_differences_are_refused_beforehand(monkeypatch):
    wide = Or(tuple(Same(PEOPLE[0], PEOPLE[2]) for _ in range(5)))
    same, target = Same(PEOPLE[0], PEOPLE[2]), Has(PEOPLE[0], "a")
    assert counter().probability([wide]) == counter().probability([same])
    assert counter().joint([wide], target) == counter().joint([same], target)
    monkeypatch.setattr(module, "MOST_DIFFERENCES", 0)
    with pytest.raises(OverEffort):
        counter().probability([wide])


def test_of_people_who_are_compared_all_are_counted_together():
    exact, facts = counter(), [Has(PEOPLE[0], "a") | Same(PEOPLE[1], PEOPLE[2])]
    exact.marginals(facts, PEOPLE[1])
    poor = exact.within(Meter(Effort(1, None)))
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
