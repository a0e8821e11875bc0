"""Sampled worlds satisfy what they should, and formulas are evaluated in all of them at once.

What is said when counting takes too long: bounds that hold the truth, estimates that cover it.
"""

import math
from fractions import Fraction
from itertools import combinations
from math import comb
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadMeasure, TooHard
from sidelight.knowledge.facts import Has, Same, Someone, all_of
from sidelight.knowledge.parse import read_facts
from sidelight.worlds import estimate as module
from sidelight.worlds.counting.compile import Effort, Meter, OverEffort, compile_facts
from sidelight.worlds.counting.counter import WorldCounter
from sidelight.worlds.counting.frontier import Frontier, Schedule
from sidelight.worlds.estimate import (
    Attempts,
    Estimate,
    as_generator,
    estimate_probabilities,
    evaluate,
    sample_any,
    world_sampler,
)
from sidelight.worlds.identify import identify
from sidelight.worlds.posterior import posterior

FACTS = read_facts(["#1.1 = a -> #2.1 = a", "same(#1.2, #2.1) or #1.1 = b"])


def problem_of(semantics, facts, watched=()):
    release = sl.Release.from_counts([{"a": 2, "b": 1, "c": 1}, {"a": 1, "b": 2}], sizes=[4, 3], values=semantics)
    people = dict.fromkeys(who for fact in (*facts, *watched) for who in fact.people())
    return compile_facts(release, identify(release, people), facts, watched=watched)


@pytest.mark.parametrize("semantics", ["single", "set", "multiset"])
def test_every_sampled_world_satisfies_the_constraints(semantics):
    problem, meter = problem_of(semantics, FACTS), Meter(Effort())
    sampler = world_sampler(Frontier(Schedule.build(problem, meter, exhaustive=True)), meter)
    worlds = sampler(500, np.random.default_rng(1))
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
    sampler = world_sampler(Frontier(Schedule.build(problem, Meter(Effort()), exhaustive=True)), Meter(Effort()))
    draws = np.array([0, np.nextafter(0.5, 0), 0.5, np.nextafter(1, 0)])
    first, second = sampler(4, SimpleNamespace(random=lambda number: draws[:number])).values()
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


NAMED = sl.Release.from_groups(
    [
        (["Bob", "Charlie", "Dave", "Ed", "Frank"], ["Flu", "Flu", "Lung", "Lung", "Heart"]),
        (["Gloria", "Hannah", "Irma", "Jane", "Karen"], ["Flu", "Flu", "Breast", "Ovarian", "Heart"]),
    ]
)


CROWD = sl.Release.from_counts([{f"v{value:02d}": 5 for value in range(20)}] * 2)
DIFFER = [~Same(Someone(1, one), Someone(2, other)) for one, other in combinations(range(1, 9), 2)]


def test_too_hard_says_what_is_known():
    known = [fact for fact in DIFFER if fact.people()[0].number < 4 and fact.people()[1].number < 6]
    with pytest.raises(TooHard, match=r"32,000 states; .*between 0.* and 0\.\d+; ") as caught:
        posterior(CROWD, Has(Someone(1), "v00"), given=known, effort=Effort(states=32_000))
    assert 0 <= caught.value.low < caught.value.high < Fraction(1, 2)


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
        estimate = posterior(
            release,
            "#2 = a",
            given=known,
            effort=Effort(states=states),
            approximate=True,
            rng=seed,
            confidence=0.8,
            samples=40,
        )
        missed += not estimate.low <= truth <= estimate.high
    assert missed <= 15  # 8 expected at most; more than 15 by chance once in 200


def test_estimates_repeat_and_say_when_they_are_exact():
    estimates = [
        posterior(
            CROWD, Has(Someone(1), "v00"), given=DIFFER, effort=Effort(states=50), approximate=True, rng=7, samples=50
        )
        for _ in range(2)
    ]
    assert estimates[0] == estimates[1]
    assert estimates[0].worlds == 50
    easy = posterior(NAMED, "Bob = Flu", approximate=True, rng=1)
    assert easy == Estimate(Fraction(2, 5), 0.4, 0.4, 0.95)
    assert easy.worlds == 0
    with pytest.raises(BadMeasure, match="rng="):
        posterior(NAMED, "Bob = Flu", approximate=True)
    with pytest.raises(BadMeasure, match="confidence"):
        posterior(NAMED, "Bob = Flu", approximate=True, rng=1, confidence=1)


@pytest.mark.parametrize(("hits", "worlds"), [(1, 4), (3, 4), (7, 20), (20, 40)])
def test_the_interval_leaves_half_of_the_doubt_on_each_side(hits, worlds):
    """Clopper and Pearson: at `low` so many hits or more, at `high` so many or fewer, are as unlikely as 1/20."""
    estimate = Estimate.from_hits(hits, worlds, confidence=0.9)

    def chance(numbers, share):
        return sum(comb(worlds, number) * share**number * (1 - share) ** (worlds - number) for number in numbers)

    assert (estimate.value, estimate.worlds, estimate.confidence) == (Fraction(hits, worlds), worlds, 0.9)
    assert chance(range(hits, worlds + 1), estimate.low) == pytest.approx(0.05)
    assert chance(range(hits + 1), estimate.high) == pytest.approx(0.05)


def test_no_hit_and_only_hits_leave_one_side_open():
    none, every = Estimate.from_hits(0, 1, 0.9), Estimate.from_hits(1, 1, 0.9)
    assert (none.value, none.low, none.high) == (0, 0.0, pytest.approx(0.95))
    assert (every.value, every.low, every.high) == (1, pytest.approx(0.05), 1.0)


def test_an_estimate_is_cut_to_what_is_certain():
    estimate = Estimate(Fraction(1, 2), 0.25, 0.75, 0.9, 10)
    assert estimate.clip(0, 1) == estimate
    assert estimate.clip(Fraction(5, 8), 1) == Estimate(Fraction(5, 8), 0.625, 0.75, 0.9, 10)
    assert estimate.clip(0, Fraction(3, 8)) == Estimate(Fraction(3, 8), 0.25, 0.375, 0.9, 10)


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: Estimate.from_hits(1, 2, 1), ["confidence", "between 0 and 1", "not 1"]),
        (lambda: Estimate.from_hits(1, 2, 0), ["confidence", "between 0 and 1", "not 0"]),
        (lambda: Estimate.exactly(Fraction(1), 1.5), ["confidence", "between 0 and 1", "not 1.5"]),
        (lambda: Estimate.exactly(Fraction(1), "high"), ["confidence", "number", "not 'high'"]),
        (lambda: Estimate.from_hits(3, 2, 0.9), ["worlds fit", 3, "whole number", "from 0 to 2"]),
        (lambda: Estimate.from_hits(-1, 2, 0.9), ["worlds fit", -1, "whole number", "at least 0"]),
        (lambda: Estimate.from_hits(0, 0, 0.9), ["worlds", 0, "whole number", "at least 1"]),
        (lambda: as_generator(-1), ["rng", -1, "whole number", "at least 0"]),
        (lambda: as_generator(None), ["rng", "seed", "NumPy generator", "repeated"]),
        (lambda: Estimate.from_hits(0.5, 2, 0.9), ["worlds fit", "0.5", "whole number", "at least 0"]),
    ],
)
def test_what_is_no_estimate_is_refused(make, named):
    with pytest.raises(BadMeasure) as refused:
        make()
    assert mentions(refused.value, *named)


TWO_WARDS = sl.Release.from_counts([{"a": 2, "b": 2}, {"a": 1, "b": 2, "c": 1}])
HARD = read_facts("(#1.1 = a and #2.1 = b) or (#1.2 = a and #2.2 = c) or (#1.3 = b and #2.3 = a)")
EASY, LITTLE, MUCH = Has(Someone(1), "a"), Effort(160, None), Effort(100_000, None)


def attempts(effort, *facts):
    entities = identify(TWO_WARDS, dict.fromkeys(who for fact in facts for who in fact.people()))
    return Attempts(WorldCounter(TWO_WARDS, entities, Meter(effort)), Meter(effort))


def test_bounds_meet_where_everything_is_counted():
    truth = posterior(TWO_WARDS, EASY, given=HARD)
    assert attempts(MUCH, EASY, *HARD).bounds(EASY, HARD) == (truth, truth)
    assert attempts(LITTLE, EASY).bounds(EASY, []) == (Fraction(1, 2), Fraction(1, 2))


def test_a_fact_that_cannot_be_counted_may_break_every_world():
    """Little is enough for each target alone, but for no fact beside it."""
    never = Has(Someone(1), "c")
    assert attempts(LITTLE, never).bounds(never, []) == (0, 0)
    for target in (EASY, never):
        asked = attempts(LITTLE, target, *HARD)
        assert asked.split(target, HARD)[1] == HARD
        assert asked.bounds(target, HARD) == (0, 1)


def test_facts_about_other_groups_do_not_bear_on_a_target():
    (other,) = read_facts("#2.1 = a -> #2.2 = b")
    asked = attempts(MUCH, EASY, other, *HARD)
    assert asked.split(EASY, [other])[0] == ()
    assert asked.split(EASY, [other, *HARD])[0] == (other, *HARD)


@pytest.mark.parametrize("effort", [LITTLE, MUCH])
def test_sampled_worlds_fit_all_facts_whether_they_were_counted_or_not(effort):
    targets = [EASY, Has(Someone(2), "b")]
    estimates = estimate_probabilities(
        attempts(effort, *targets, *HARD),
        targets,
        HARD,
        rng=np.random.default_rng(1),
        samples=400,
        confidence=0.9999,
    )
    for target, estimate in zip(targets, estimates, strict=True):
        assert estimate.worlds == 400
        assert estimate.low <= posterior(TWO_WARDS, target, given=HARD) <= estimate.high


@pytest.mark.parametrize("effort", [Effort(1, None), MUCH])
def test_where_no_world_fits_it_is_given_up(effort):
    facts = read_facts(["#1 = a", "#1 = b"])
    rng, asked = np.random.default_rng(1), attempts(effort, *facts)
    assert not estimate_probabilities(asked, [EASY], facts, rng=rng, samples=5, confidence=0.9)


def test_a_seed_may_be_any_whole_number_and_a_generator_is_taken_as_it_is():
    own = np.random.default_rng(3)
    assert as_generator(own) is own
    for seed in (0, np.int64(3), 10**30):
        assert as_generator(seed).random() == np.random.default_rng(int(seed)).random()


class Picky:
    """Counts what it likes to, and remembers what it was asked."""

    def __init__(self, likes, *facts):
        entities = identify(TWO_WARDS, dict.fromkeys(who for fact in facts for who in fact.people()))
        self.counter, self.likes, self.asked = WorldCounter(TWO_WARDS, entities, Meter(Effort())), likes, []
        self.entities = entities

    def with_effort(self, meter):
        meter.spend(7)
        return self

    def joint(self, facts, target):
        facts = tuple(facts)
        self.asked.append(facts)
        if not self.likes(facts):
            raise OverEffort
        return self.counter.joint(facts, target)


PAIRS = [(1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4), (4, 1)]
SEVEN = read_facts([f"#1.{one} = a -> #1.{other} = a" for one, other in PAIRS])


def test_facts_are_taken_twice_as_many_at_a_time_until_it_goes_wrong():
    for bad, taken in (
        (set(), [[0], [1, 2], [3, 4, 5, 6]]),
        ({3, 5}, [[0], [1, 2], [3, 4, 5, 6], [3, 4], [3], [4], [5, 6], [5], [6]]),
        ({0, 1}, [[0], [1], [2], [3, 4], [5, 6]]),
    ):
        picky = Picky(lambda some, bad=bad: not {SEVEN[each] for each in bad} & {*some}, EASY, *SEVEN)
        split = Attempts(picky, Meter(Effort(seconds=None))).split(EASY, SEVEN)
        assert split[1] == tuple(SEVEN[each] for each in sorted(bad))
        assert split[0] == tuple(fact for place, fact in enumerate(SEVEN) if place not in bad)
        known, asked = [], []
        for some in picky.asked:
            new = [SEVEN.index(each) for each in some if SEVEN.index(each) not in known]
            asked.append(new)
            known += [] if bad & {*new} else new
        assert asked == taken


def test_what_was_counted_is_spent_whether_it_was_enough_or_not():
    picky = Picky(lambda some: not some, EASY, *HARD)
    asked = Attempts(picky, Meter(Effort(80, None)))
    assert asked.meter().effort == Effort(10, None)
    assert asked.joint((), EASY) == (1, Fraction(1, 2))
    assert asked.joint(HARD, EASY) is None
    assert asked.spent.states == 14
    assert asked.meter().effort == Effort(8, None)


TOGETHER = read_facts("#1.1 = a or #1.2 = a")
FIRST, SECOND = read_facts(["#1.1 = a -> #2.1 = b", "#1.1 = b -> #2.2 != c"])


def share(*facts):
    """How many of all worlds fit."""
    return posterior(TWO_WARDS, all_of(facts))


def bounds(likes, facts, target=EASY, **effort):
    picky = Picky(likes, target, *facts)
    return Attempts(picky, Meter(Effort(**effort), started=-math.inf)).bounds(target, facts)


@pytest.mark.parametrize("counts_with_others", [True, False])
def test_worlds_that_break_what_cannot_be_counted_are_taken_away(counts_with_others):
    """Each of the two facts left out breaks at most so many; counted among those that fit, or among all worlds."""
    facts, left_out = (*TOGETHER, FIRST, SECOND), (FIRST, SECOND)

    def likes(some):
        broken = [~fact for fact in left_out if ~fact in some]
        return not {*left_out} & {*some} and (counts_with_others or not broken or len(some) == 1)

    known = TOGETHER if counts_with_others else ()
    least = [
        max(share(*side, *TOGETHER) - sum(share(*side, *known, ~fact) for fact in left_out), Fraction(0))
        for side in ([EASY], [~EASY])
    ]
    most = [share(EASY, *TOGETHER), share(~EASY, *TOGETHER)]
    low, high = bounds(likes, facts, seconds=None)
    assert low == least[0] / (least[0] + most[1])
    assert high == most[0] / (most[0] + least[1])
    assert low <= posterior(TWO_WARDS, EASY, given=facts) <= high
    assert low < Fraction(1, 2) < high


def test_where_worlds_may_break_by_the_rest_anything_may_be():
    assert bounds(lambda _: False, TOGETHER, seconds=None) == (0, 1)
    assert bounds(lambda some: FIRST not in some and ~FIRST not in some, (FIRST,), seconds=None) == (0, 1)


def test_when_the_time_is_over_no_fact_is_taken_and_each_may_break_everything():
    assert bounds(lambda _: True, TOGETHER, seconds=None) != (0, 1)
    assert bounds(lambda _: True, TOGETHER, seconds=1) == (0, 1)


def test_what_always_or_never_holds_is_bounded_by_that():
    never = Has(Someone(1), "c")
    always = ~never
    for facts, likes in ((TOGETHER, lambda _: True), ((), lambda _: True)):
        assert bounds(likes, facts, always, seconds=None) == (1, 1)
        assert bounds(likes, facts, never, seconds=None) == (0, 0)
    for target in (always, never):
        assert bounds(lambda some: FIRST not in some and ~FIRST not in some, (FIRST,), target, seconds=None) == (0, 1)


@pytest.fixture
def drawn(monkeypatch):
    """How many worlds are drawn each time."""
    numbers, original = [], module._sampler

    def recording(*arguments):
        problem, sample = original(*arguments)
        return problem, lambda number, rng: numbers.append(number) or sample(number, rng)

    monkeypatch.setattr(module, "_sampler", recording)
    return numbers


def estimates(facts, samples, *, seconds=None, started=0.0):
    effort = Effort(1, seconds)
    entities = identify(TWO_WARDS, dict.fromkeys(who for fact in (EASY, *facts) for who in fact.people()))
    asked = Attempts(WorldCounter(TWO_WARDS, entities, Meter(effort)), Meter(effort, started=started))
    return estimate_probabilities(asked, [EASY], facts, rng=np.random.default_rng(1), samples=samples, confidence=0.9)


@pytest.mark.parametrize(("truths", "drawn_at_once"), [(90, 10), (89, 9), (81, 9), (1, 1), (10**9, 25)])
def test_as_many_worlds_are_drawn_at_once_as_fit_into_memory(monkeypatch, drawn, truths, drawn_at_once):
    """Four people and two values, and one more: nine for each world."""
    monkeypatch.setattr(module, "MOST_TRUTHS", truths)
    (answer,) = estimates(read_facts("#1.1 in {a, b} and #1.2 in {a, b} and #1.3 in {a, b} and #1.4 in {a, b}"), 25)
    assert {*drawn} == {drawn_at_once}
    assert answer.worlds == 25
    assert len(drawn) == -(-25 // drawn_at_once)


def test_worlds_are_drawn_fifty_times_for_each_that_is_asked_for(drawn):
    assert estimates(read_facts(["#1 = a", "#1 = b"]), 5) == []
    assert drawn == [5] * 50


def test_when_the_time_is_over_worlds_are_drawn_once(drawn):
    (answer,) = estimates(read_facts("#1 = a -> #1.2 = a"), 5, seconds=1, started=-math.inf)
    assert drawn == [5]
    assert 0 < answer.worlds <= 5
