"""Sampled worlds satisfy what they should, and formulas are evaluated in all of them at once."""

from types import SimpleNamespace

import numpy as np
import pytest

import sidelight as sl
from sidelight.knowledge.parse_facts import read_facts
from sidelight.worlds.counting.compile import compile_facts
from sidelight.worlds.counting.frontier import Frontier
from sidelight.worlds.counting.order import Schedule
from sidelight.worlds.counting.sampling import WorldSampler, evaluate, sample_any
from sidelight.worlds.effort import Effort, Meter
from sidelight.worlds.identify import identify

FACTS = read_facts(["#1.1 = a -> #2.1 = a", "same(#1.2, #2.1) or #1.1 = b"])


def problem_of(semantics, facts, watched=()):
    release = sl.Release.from_counts([{"a": 2, "b": 1, "c": 1}, {"a": 1, "b": 2}], sizes=[4, 3], values=semantics)
    people = dict.fromkeys(who for fact in (*facts, *watched) for who in fact.people())
    return compile_facts(release, identify(release, people), facts, watched=watched)


@pytest.mark.parametrize("semantics", ["single", "set", "multiset"])
def test_every_sampled_world_satisfies_the_constraints(semantics):
    problem, meter = problem_of(semantics, FACTS), Meter(Effort())
    sampler = WorldSampler(Frontier(Schedule.build(problem, meter, exhaustive=True)), meter)
    worlds = sampler.sample(500, np.random.default_rng(1))
    assert all(evaluate(constraint, worlds, problem).all() for constraint in problem.constraints)


@pytest.mark.parametrize("semantics", ["single", "set", "multiset"])
def test_formulas_are_evaluated_world_by_world(semantics):
    problem = problem_of(semantics, (), FACTS)
    worlds = sample_any(problem, 300, np.random.default_rng(2))
    first, second = (evaluate(problem.formula(fact), worlds, problem) for fact in FACTS)
    make = problem.formulas
    both = make.conjoin(map(problem.formula, FACTS))
    assert (evaluate(both, worlds, problem) == (first & second)).all()
    assert (evaluate(make.negate(both), worlds, problem) == ~(first & second)).all()
    assert evaluate(make.true, worlds, problem).all()
    if semantics == "single":  # everybody takes one block
        variables = {variable for variable, _ in worlds}
        for variable in variables:
            assert (sum(truths.astype(int) for (who, _), truths in worlds.items() if who == variable) == 1).all()


@pytest.mark.parametrize("semantics", ["single", "set", "multiset"])
@pytest.mark.parametrize("text", ["same(#1.1, #2.1)", "same(#1.1, #1.2)"])
def test_two_are_equal_in_the_worlds_in_which_they_have_the_same(semantics, text):
    (same,) = facts = read_facts(text)
    problem = problem_of(semantics, (), facts)
    worlds = sample_any(problem, 200, np.random.default_rng(3))
    one, other = (
        [
            {block for (who, block), truths in worlds.items() if who == variable and truths[world]}
            for world in range(200)
        ]
        for variable in map(problem.variable_of.__getitem__, same.about())
    )
    expected = [mine == yours for mine, yours in zip(one, other, strict=True)]
    assert evaluate(problem.formula(same), worlds, problem).tolist() == expected
    assert {*expected} == {True, False}


def test_a_draw_below_its_share_takes_the_value():
    """One of two has a, each with 1/2: the first in the lower half of all draws, to which 1/2 itself does not belong."""
    release, facts = sl.Release.from_counts([{"a": 1}], sizes=[2], values="set"), read_facts("#1.1 = a or #1.2 = a")
    problem = compile_facts(release, identify(release, facts[0].people()), facts)
    sampler = WorldSampler(Frontier(Schedule.build(problem, Meter(Effort()), exhaustive=True)), Meter(Effort()))
    draws = np.array([0, np.nextafter(0.5, 0), 0.5, np.nextafter(1, 0)])
    first, second = sampler.sample(4, SimpleNamespace(random=lambda number: draws[:number])).values()
    assert first.tolist() == [True, True, False, False]
    assert second.tolist() == [False, False, True, True]


@pytest.mark.parametrize("semantics", ["set", "multiset"])
def test_people_who_have_nothing_are_the_same(semantics):
    release = sl.Release.from_counts([{"a": 2, "b": 2}, {}], sizes=[3, 3], values=semantics)
    facts = read_facts(["#1.1 = a or same(#1.1, #1.2)", "same(#2.1, #2.2)", "#2.1 = a"])
    people = dict.fromkeys(who for fact in facts for who in fact.people())
    problem = compile_facts(release, identify(release, people), (), watched=facts)
    worlds = sample_any(problem, 50, np.random.default_rng(4))
    first, same, has = (evaluate(problem.formula(fact), worlds, problem) for fact in facts)
    assert (same.tolist(), has.tolist()) == ([True] * 50, [False] * 50)
    assert (
        evaluate(problem.formulas.conjoin(map(problem.formula, facts[:2])), worlds, problem).tolist() == first.tolist()
    )


@pytest.mark.parametrize("semantics", ["set", "multiset"])
def test_where_nobody_has_anything_all_worlds_are_one(semantics):
    release = sl.Release.from_counts([{}], sizes=[3], values=semantics, domain=["a"])
    facts = read_facts(["same(#1.1, #1.2) or same(#1.1, #1.3)"])
    problem = compile_facts(release, identify(release, facts[0].people()), (), watched=facts)
    worlds = sample_any(problem, 50, np.random.default_rng(5))
    assert evaluate(problem.formula(facts[0]), worlds, problem).tolist() == [True]
    assert evaluate(problem.formulas.false, worlds, problem).tolist() == [False]


@pytest.mark.parametrize("semantics", ["set", "multiset"])
def test_what_is_too_hard_is_estimated_beside_people_who_have_nothing(semantics):
    release = sl.Release.from_counts([{"a": 2, "b": 2}, {}], sizes=[3, 3], values=semantics)
    known = ["same(#2.1, #2.2)", "same(#1.1, #1.2) or #1.3 = a or same(#2.1, #2.3) and #1.2 = b"]
    exact = sl.posterior(release, "#1.1 = a", given=known)
    estimate = sl.posterior(
        release, "#1.1 = a", given=known, effort=sl.Effort(states=1), approximate=True, rng=1, samples=500
    )
    assert estimate.worlds == 500
    assert estimate.low < exact < estimate.high


@pytest.mark.parametrize("semantics", ["single", "set", "multiset"])
def test_each_value_goes_to_as_many_as_have_it(semantics):
    everybody = read_facts([f"#1.{number} = a or #1.{number} = b or #1.{number} = c" for number in range(1, 5)])
    problem = problem_of(semantics, (), everybody)
    worlds = sample_any(problem, 200, np.random.default_rng(6))
    for block in problem.blocks[0]:
        takers = sum(truths.astype(int) for (_, taken), truths in worlds.items() if taken == block)
        count = problem.counts[0, block]
        assert {*takers.tolist()} == ({count} if semantics != "multiset" else {*range(1, count + 1)})
