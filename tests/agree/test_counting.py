"""The ways to count worlds agree with going through every world, and with each other."""

from fractions import Fraction
from functools import reduce
from itertools import combinations
from operator import or_

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples

from sidelight.errors import Contradiction
from sidelight.knowledge.facts import Has, OneOf, Same, Someone, holds
from sidelight.release.release import Release
from sidelight.testing import releases
from sidelight.worlds.brute_force import every_world
from sidelight.worlds.counting.compile import Effort, Meter, compile_facts
from sidelight.worlds.counting.counter import WorldCounter, partitions_of, people_only_differ, probability_of_differing
from sidelight.worlds.counting.frontier import Frontier, Schedule, small_frontier_order
from sidelight.worlds.estimate import evaluate, sample_any, world_sampler
from sidelight.worlds.identify import identify
from sidelight.worlds.posterior import posterior

SEMANTICS = ["single", "set", "multiset"]


def everyone(release):
    return [Someone(row + 1, number + 1) for row, size in enumerate(release.groups.sizes) for number in range(size)]


def probability_by_worlds(release, facts):
    """In which share of all worlds are the facts so?"""
    fitting = every = 0
    for world in every_world(release):
        has = {Someone(group, place + 1): values for (group, place), values in world.items()}
        every += 1
        fitting += all(holds(fact, has) for fact in facts)
    return Fraction(fitting, every)


def counting(release):
    return WorldCounter(release, identify(release, everyone(release)), Meter(Effort()))


@st.composite
def people_who_differ(draw):
    """Facts that people differ, that some of them are the same, and what some of them have or lack."""
    release = draw(releases(max_groups=2, max_people=4, max_values=3))
    people = everyone(release)
    person, value = st.sampled_from(people), st.sampled_from(release.domain)
    pairs = st.tuples(person, person).map(lambda pair: Same(*pair))
    has = st.builds(Has, person, value)
    facts = draw(st.lists(pairs.map(lambda pair: ~pair), min_size=1, max_size=6))
    facts += draw(st.lists(has | has.map(lambda fact: ~fact) | pairs, max_size=3))
    facts += draw(st.lists(st.lists(pairs, min_size=2, max_size=7).map(lambda some: reduce(or_, some)), max_size=1))
    return release, facts


@examples(20)
@given(people_who_differ())
def test_people_who_differ(question):
    release, facts = question
    assert counting(release).probability(facts) == probability_by_worlds(release, facts)


@given(people_who_differ())
def test_both_ways_to_count_people_who_differ(question):
    release, facts = question
    entities = identify(release, everyone(release))
    compiled = compile_facts(release, entities, facts)
    if people_only_differ(compiled):
        meter = Meter(Effort())
        assert (
            probability_of_differing(compiled, meter)
            == Frontier(Schedule.build(compiled, meter)).probabilities(meter)[0]
        )


@given(people_who_differ(), st.data())
def test_a_target_is_counted_with_the_facts_or_after_them(question, data):
    release, facts = question
    person, value = data.draw(st.sampled_from(everyone(release))), data.draw(st.sampled_from(release.domain))
    for target in (Has(person, value), ~OneOf(person, release.domain[:2]), Same(person, Someone(1))):
        possible, both = counting(release).joint(facts, target)
        assert (possible, both) == (
            counting(release).probability(facts),
            counting(release).probability([*facts, target]),
        )


@given(people_who_differ(), st.data())
def test_a_person_has_each_value_as_often_as_it_is_counted(question, data):
    release, facts = question
    person = data.draw(st.sampled_from(everyone(release)))
    for value, share in counting(release).marginals(facts, person).items():
        assert share == counting(release).probability([*facts, Has(person, value)])


@pytest.mark.parametrize("semantics", SEMANTICS)
@pytest.mark.parametrize("method", ["by the facts", "of all worlds"])
def test_worlds_are_drawn_as_often_as_they_are(semantics, method):
    release = Release.from_counts([{"a": 2, "b": 1, "c": 1}, {"a": 1, "b": 2}], sizes=[4, 3], values=semantics)
    people = [Someone(1), Someone(1, 2), Someone(2)]
    known = [Has(people[0], "a") | Same(people[1], people[2])] if method == "by the facts" else []
    targets = [Has(person, value) for person in people for value in "ab"] + [Same(people[0], people[2])]
    entities = identify(release, people)
    compiled = compile_facts(release, entities, known, watched=targets)
    terms, rng = [compiled.formula(target) for target in targets], np.random.default_rng(3)
    if known:
        frontier = Frontier(Schedule.build(compiled, Meter(Effort()), formulas=terms, exhaustive=True))
        worlds = world_sampler(frontier, Meter(Effort()))(20_000, rng)
    else:
        worlds = sample_any(compiled, 20_000, rng)
    exact = WorldCounter(release, entities, Meter(Effort()))
    for target, term in zip(targets, terms, strict=True):
        possible, both = exact.joint(known, target)
        assert abs(evaluate(term, worlds, compiled).mean() - both / possible) < 0.015  # four times the usual error


@given(st.dictionaries(st.integers(0, 9), st.lists(st.frozensets(st.integers(0, 6)), max_size=3)))
def test_everything_comes_up_once(things):
    assert sorted(small_frontier_order(things, Meter(Effort()))) == sorted(things)


def test_many_who_differ_are_not_counted_by_their_partitions():
    pairs = [1 << place - 1 | 1 << place + 1 for place in range(1, 60)]
    assert partitions_of((0b10, *pairs, 1 << 59)) is None


@pytest.mark.parametrize("semantics", SEMANTICS)
def test_a_fact_that_is_never_so_is_found_among_many_that_are_too_hard(semantics):
    counts = {f"v{number}": 3 for number in range(100)}
    release = Release.from_counts([counts], sizes=[300], values=semantics)
    people = [Someone(1, number) for number in range(1, 60)]
    hard = [~Same(one, other) for one, other in combinations(people, 2)][::7]
    with pytest.raises(Contradiction) as raised:
        posterior(release, Has(people[0], "v1"), given=[*hard, ~Same(people[3], people[3])], effort=Effort(states=50))
    assert raised.value.facts == ("not same(#1.4, #1.4)",)
