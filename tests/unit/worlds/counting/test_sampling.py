"""Sampled worlds satisfy what they should, and formulas are evaluated in all of them at once."""

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
    sampler = WorldSampler(Frontier(Schedule.of(problem, meter, exhaustive=True)), meter)
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
