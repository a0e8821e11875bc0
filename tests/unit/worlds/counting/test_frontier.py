"""The dynamic program on problems small enough to count by hand."""

from fractions import Fraction
from math import comb
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.errors import TooHard
from sidelight.knowledge.facts import holds
from sidelight.knowledge.parse_facts import read_fact, read_facts
from sidelight.knowledge.people import Someone
from sidelight.worlds.brute_force import probability
from sidelight.worlds.counting import frontier as module
from sidelight.worlds.counting.compile import compile_facts, ways_to_have
from sidelight.worlds.counting.frontier import Frontier, advance, completions
from sidelight.worlds.counting.order import Schedule
from sidelight.worlds.effort import Effort, Meter, OverEffort
from sidelight.worlds.identify import identify

RELEASE = sl.Release.from_counts([{"a": 2, "b": 1, "c": 1}, {"a": 1, "b": 1}])


def frontier(*facts, target=None, release=RELEASE, **options):
    known, target_fact = read_facts(facts), None if target is None else read_fact(target)
    everything = (*known, *(() if target_fact is None else (target_fact,)))
    entities = identify(release, dict.fromkeys(who for fact in everything for who in fact.people()))
    problem = compile_facts(release, entities, known, target=target_fact)
    return Frontier(Schedule.build(problem, Meter(Effort()), **options))


def test_constraints_and_target_are_counted_at_once():
    program = frontier("#1.1 = a -> #1.2 = a", target="#1.1 = a")
    assert program.probabilities(Meter(Effort())) == (Fraction(8, 12), Fraction(2, 12))


@pytest.mark.parametrize("semantics", ["single", "set", "multiset"])
@pytest.mark.parametrize(
    "facts",
    [
        ["#1.2 = b or #1.3 = b", "#1.1 = a or #1.3 = a"],
        ["#1.2 = b or #1.3 = b", "#1.2 = a or #2.1 = b", "#1.3 = a or #2.1 != b"],
        ["#1.1 = a or #1.3 = a", "#1.1 != b or #1.3 = b"],
        ["#1.1 = b", "same(#1.1, #2.1)"],
        ["#1.1 = b", "same(#1.1, #1.3) or #1.3 = c"],
        ["not same(#1.1, #1.4)", "not same(#1.1, #1.3)"],
        ["not same(#1.1, #1.2) or #1.4 = c", "#1.4 = c or not same(#1.4, #1.1)"],
        ["not same(#1.2, #1.3) or #2.1 = b", "same(#1.1, #1.2) or #1.3 != a", "#1.1 = a or same(#1.4, #2.2)"],
    ],
    ids="; ".join,
)
def test_worlds_are_counted_as_going_through_all_shows(semantics, facts):
    release = sl.Release.from_counts([{"a": 2, "b": 1, "c": 1}, {"a": 1, "b": 1}], sizes=[4, 2], values=semantics)
    known, target = read_facts(facts), read_fact("#1.1 = a or same(#1.2, #2.1)")

    def share(wanted):
        people = {key: Someone(key[0], key[1] + 1) for key in [(1, 0), (1, 1), (1, 2), (1, 3), (2, 0), (2, 1)]}
        return probability(
            release,
            lambda world: all(holds(fact, {people[key]: has for key, has in world.items()}) for fact in wanted),
        )

    both = (share(known), share([*known, target]))
    assert frontier(*facts, release=release).probabilities(Meter(Effort()))[0] == both[0]
    assert frontier(*facts, target=str(target), release=release).probabilities(Meter(Effort())) == both


def test_facts_that_cannot_hold_are_not_counted():
    program = frontier("#1.1 = a", "#1.1 != a", "#1.2 = a or #1.3 = b")
    assert program.start() == {}
    assert program.probabilities(Meter(Effort(1, None))) == (0, 0)


@pytest.mark.parametrize("states", [1, 2, 1_023, 1_024, 1_025, 2_500])
def test_every_state_is_one_of_the_effort(states):
    meter = Meter(Effort())
    onwards = SimpleNamespace(mask=0, memo={0: [(0, 1)]})
    assert advance(dict.fromkeys(range(states), 1), onwards, meter) == dict.fromkeys(range(states), 1)
    assert meter.states == states


@pytest.mark.parametrize(
    ("semantics", "facts", "states"),
    [
        # #1.1 takes a or not; then one of the two does, or both; then that is over, and so is the count
        ("set", ["#1.1 = a or #1.2 = a"], [1, 2, 2, 1, 1]),
        # #1.1 takes b, or is left free, with or without a term that takes b after all; one of the two does, or both;
        # b is there once, so both cannot
        ("single", ["#1.1 = b or #1.2 = b"], [1, 3, 2, 1, 1, 1]),
        # #1.1 is left free, less the term in which it takes a; both until it takes anything that is left
        ("single", ["#1.1 != a"], [1, 2, 2, 1, 1]),
    ],
)
def test_no_more_is_remembered_than_matters(semantics, facts, states):
    release = sl.Release.from_counts([{"a": 2, "b": 1, "c": 1}], sizes=[4], values=semantics)
    program = frontier(*facts, release=release)
    assert [len(layer) for layer in program.layers(Meter(Effort()))] == states


def test_what_no_constraint_asks_is_not_decided():
    """#1.1 has a, and #1.2 need not; or #1.1 has not, and #1.2 has: one move each."""
    program = frontier("#1.1 = a or #1.2 = a")
    program.probabilities(Meter(Effort()))
    assert [len(moves) for moves in program.transitions[1].memo.values()] == [1, 1]


def test_freedom_is_paid_for_by_exclusion():
    """A free variable decides about one block only; the signed terms make up for the others."""
    program = frontier("#1.1 = a or #1.2 = b")
    assert any(weight < 0 for layer in program.layers(Meter(Effort())) for weight in layer.values())
    exhaustive = frontier("#1.1 = a or #1.2 = b", exhaustive=True)
    assert all(weight > 0 for layer in exhaustive.layers(Meter(Effort())) for weight in layer.values())
    assert program.probabilities(Meter(Effort())) == exhaustive.probabilities(Meter(Effort()))


@pytest.mark.parametrize("facts", [["same(#1.1, #2.1) or #1.2 = a"], ["#1.1 = a -> #2.1 != a", "#1.2 != c"]])
def test_weights_times_completions_stay_the_same(facts):
    """The invariant: at each transition, Σ weight × completions = worlds in which the constraints hold."""
    program, meter = frontier(*facts), Meter(Effort())
    layers = program.layers(meter)
    after = {0: 1}
    sums = [sum(weight * after.get(state, 0) for state, weight in layers[-1].items())]
    for transition, weights in zip(reversed(program.transitions), reversed(layers[:-1]), strict=True):
        after = completions(weights, transition, after)
        sums.append(sum(weight * after[state] for state, weight in weights.items()))
    assert len(set(sums)) == 1


def test_too_many_rests_of_a_constraint_are_too_much(monkeypatch):
    monkeypatch.setattr(module, "MOST_BITS", 1)
    with pytest.raises(OverEffort):
        frontier("#1.1 = a and #1.2 = b or #2.1 = a and #1.3 = c").probabilities(Meter(Effort()))
    with pytest.raises(OverEffort):
        frontier("not same(#1.3, #2.1)", "#1.1 = a and #1.2 = b or #1.4 = c").probabilities(Meter(Effort()))
    with pytest.raises(TooHard):
        sl.posterior(RELEASE, "#1.1 = a", given="#1.1 = a and #1.2 = b or #2.1 = a and #1.3 = c")


@given(st.integers(1, 6), st.integers(0, 6), st.integers(0, 6))
def test_all_ways_to_have_a_value_are_all_ways_to_spread_it(people, count, deciding):
    deciding = min(deciding, people)
    for semantics, total in (("set", comb(people, count)), ("multiset", people**count)):
        ways = [
            comb(deciding, having)
            * ways_to_have(semantics, people=people, count=count, deciding=deciding, having=having)
            for having in range(deciding + 1)
        ]
        assert sum(ways) == total


def test_a_constraint_may_leave_many_rests():
    """Six people, of whom three have a and two have b: nobody has both in C(3, 2) of C(6, 2) worlds."""
    release = sl.Release.from_counts([{"a": 3, "b": 2}], sizes=[6], values="set")
    both = " or ".join(f"#1.{number} = a and #1.{number} = b" for number in range(1, 7))
    program = frontier(both, release=release)
    assert program.probabilities(Meter(Effort()))[0] == 1 - Fraction(3, 15)


@pytest.mark.parametrize("semantics", ["single", "set", "multiset"])
@pytest.mark.parametrize("text", ["same(#1.1, #1.2)", "not same(#1.1, #2.1)", "#1.1 = a or same(#1.2, #2.1)"])
def test_what_is_decided_last_is_weighed_too(semantics, text):
    release = sl.Release.from_counts([{"a": 2, "b": 1, "c": 1}, {"a": 1, "b": 1}], sizes=[4, 2], values=semantics)
    fact = read_fact(text)
    assert sl.posterior(release, fact, given=fact.with_probability(Fraction(9, 10))) == Fraction(9, 10)
