"""Orders in which little is open at a time.

The dynamic program on problems small enough to count by hand.
"""

from fractions import Fraction
from itertools import permutations
from math import comb
from random import Random
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.errors import TooHard
from sidelight.knowledge.facts import Someone, holds
from sidelight.knowledge.parse import read_fact, read_facts
from sidelight.worlds.brute_force import probability
from sidelight.worlds.counting import frontier as module
from sidelight.worlds.counting.compile import Effort, Meter, OverEffort, compile_facts, ways_to_have
from sidelight.worlds.counting.frontier import Frontier, Schedule, advance, small_frontier_order, weigh_completions
from sidelight.worlds.identify import identify


def meter():
    return Meter(Effort())


def widest(things, order):
    """Brute force: how many links are open at a time, at most."""
    links = {thing: {link for end in ends for link in end} for thing, ends in things.items()}
    return max(
        len(set().union(*(links[each] for each in order[:n])) & set().union(*(links[each] for each in order[n:])))
        for n in range(1, len(order))
    )


@given(st.permutations(range(8)))
def test_a_chain_is_followed_from_either_end(names):
    things = {name: [{place, place + 1} - {0, 8}] for place, name in enumerate(names)}
    assert widest(things, small_frontier_order(things, meter())) == 1


def test_things_without_links_come_up_too():
    assert sorted(small_frontier_order({"a": [], "b": [set()], "c": [{1}]}, meter())) == ["a", "b", "c"]


def cost(things, came, thing, late):
    """By definition: how much is open once a thing came up too, whether it opens `late`, how many open links it has."""
    ends = [frozenset(end) for each in (*came, thing) for end in things[each]]
    to_come = [frozenset(end) for each in things if each not in (*came, thing) for end in things[each]]
    opened = frozenset().union(*ends) & frozenset().union(*to_come)
    before = frozenset(link for each in came for end in things[each] for link in end)
    own = frozenset(link for end in things[thing] for link in end)
    return min(sum(bool(end & opened) for end in ends), len(opened)), late in own, -len(own & before)


@pytest.mark.parametrize("seed", range(30))
def test_next_comes_what_leaves_least_open(seed):
    draw, late = Random(seed), 0  # many things with many links: small ones leave little to choose
    things = {
        thing: [frozenset(draw.sample(range(12), draw.randint(0, 5))) for _ in range(draw.randint(0, 2))]
        for thing in range(8)
    }
    links = {thing: frozenset().union(*several) for thing, several in things.items()}
    order = small_frontier_order(things, meter(), late=late)
    assert sorted(order) == list(things)
    for place, thing in enumerate(order):
        came, left = order[:place], order[place:]
        opened = frozenset().union(*(links[each] for each in came))
        near = [each for each in left if links[each] & opened] or left
        assert thing in near
        assert cost(things, came, thing, late) == min(cost(things, came, each, late) for each in near)


@pytest.mark.parametrize(
    ("things", "late", "order"),
    [
        ({"a": [{1, "t"}], "b": [{2}], "c": [{2}], "d": [{1, "t"}]}, None, "adbc"),
        ({"a": [{1, "t"}], "b": [{2}], "c": [{2}], "d": [{1, "t"}]}, "t", "bcad"),
        ({"a": [{1}], "b": [{1, 2}], "c": [{1}], "d": [{2}]}, None, "acbd"),
        # once a came up, d would close what is left of b's end, and costs no more than c
        ({"a": [{1}, {3}], "b": [{3, 5}], "c": [{0, 1, 2}], "d": [{0, 2, 5}]}, None, "badc"),
        ({}, None, ""),
    ],
)
def test_orders_worked_out_by_hand(things, late, order):
    assert "".join(small_frontier_order(things, meter(), late=late)) == order


def schedule(release, *facts, target=None, **options):
    known, asked = read_facts(facts), None if target is None else read_fact(target)
    everything = known if asked is None else (*known, asked)
    entities = identify(release, dict.fromkeys(who for fact in everything for who in fact.people()))
    return Schedule.build(compile_facts(release, entities, known, target=asked), meter(), **options)


ONE_GROUP = sl.Release.from_counts([{"a": 2, "b": 2, "c": 2}])


def test_people_of_whom_one_thing_is_known_are_only_tallied():
    plan = schedule(ONE_GROUP, "#1.1 != a", "#1.2 != a", "#1.3 = b")
    assert [variables for _, variables in plan.stages] == [[], []]
    assert sorted(people for tally in plan.tallied.values() for people in tally.items()) == [
        ((0, False), 2),
        ((0, True), 1),
    ]
    assert plan.people_at(*plan.scheduled) == {0: 3}


def test_variables_are_free_unless_they_are_compared_or_everything_is_scheduled():
    facts = "#1.1 = a -> #1.2 = a", "same(#1.2, #1.3) or #1.1 = b"
    plan, full = schedule(ONE_GROUP, *facts), schedule(RELEASE, *facts, exhaustive=True)
    assert [plan.is_free(variable) for variable in range(3)] == [True, False, False]
    assert not any(full.is_free(variable) for variable in range(3))
    assert len(full.stages) == 3


@pytest.mark.parametrize(("semantics", "people"), [("single", [2]), ("set", [])])
def test_who_decides_several_times_may_have_taken_their_one_value(semantics, people):
    release = sl.Release.from_counts([{"a": 2, "b": 2, "c": 2}], sizes=[6], values=semantics)
    plan = schedule(release, "#1.1 = a or #1.2 = a", "#1.2 = b or #1.3 = b")
    names = {variable: who.number for who, variable in plan.problem.variable_of.items()}
    assert [names[variable] for variable in plan.several_times()] == people


def test_stages_of_one_chain_come_one_after_the_other():
    """Each of three people of group 1 is asked about two values, each time together with somebody of group 2."""
    release = sl.Release.from_counts([dict.fromkeys("abcdef", 1), dict.fromkeys("rstuvwxyz", 1)])
    facts = [f"#1.{n} = {'abc'[n - 1]} or #2.{n} = {'rst'[n - 1]}" for n in (1, 2, 3)]
    facts += [f"#1.{n} = {'def'[n - 1]} or #2.{n + 3} = {'uvw'[n - 1]}" for n in (1, 2, 3)]
    facts += [f"#1.{n + 3} = {'def'[n - 1]} or #2.{n + 6} = {'xyz'[n - 1]}" for n in (1, 2, 3)]
    plan = schedule(release, *facts)
    chain_of = dict(zip("abcdefrstuvwxyz", 5 * "123", strict=True))
    order = [chain_of[value] for (_, block), _ in plan.stages for value in plan.problem.block_values[block]]
    assert "".join(order) in {"".join(5 * each for each in chains) for chains in permutations("123")}


@pytest.mark.parametrize(("target", "order"), [(None, "adbc"), ("#1.1 = a and #1.2 = d", "bcad")])
def test_what_the_target_asks_about_comes_late(target, order):
    release = sl.Release.from_counts([dict.fromkeys("abcd", 2)], sizes=[4], values="set")
    plan = schedule(release, "#1.1 = a or #1.2 = d", "#1.3 = b or #1.4 = c", target=target)
    assert "".join(value for (_, block), _ in plan.stages for value in plan.problem.block_values[block]) == order


def test_variables_of_one_chain_come_one_after_the_other_at_every_stage():
    """At a, each is linked with the next of 1, 3, 5, 2, 4; at b, each with nobody else of the group."""
    release = sl.Release.from_counts([{"a": 3, "b": 3}, {"c": 5}], sizes=[5, 5], values="set")
    chain = [f"#1.{one} = a or #1.{other} = a" for one, other in ((1, 3), (2, 4), (5, 2), (3, 5))]
    plan = schedule(release, *chain, *(f"#1.{number} = b or #2.{number} = c" for number in range(1, 6)))
    names = {variable: who.number for who, variable in plan.problem.variable_of.items() if who.group == 1}
    orders = [
        [names[variable] for variable in variables if variable in names]
        for _, variables in plan.stages
        if len({*variables} & {*names}) > 1
    ]
    assert len(orders) == 2
    assert all(order in ([1, 3, 5, 2, 4], [4, 2, 5, 3, 1]) for order in orders)


@pytest.mark.parametrize(("semantics", "assigned"), [("single", True), ("set", False)])
def test_a_decision_leaves_open_what_asks_about_it(semantics, assigned):
    release = sl.Release.from_counts([{"a": 2, "b": 2}], sizes=[4], values=semantics)
    plan = schedule(release, "#1.1 = b or #1.2 = b", "same(#1.3, #1.4) or #1.1 = b")
    links = {
        who.number: plan._links(variable, plan.problem.block_numbers[frozenset("b")])
        - ({("assigned", variable)} if assigned else set())
        for who, variable in plan.problem.variable_of.items()
    }
    assert links == {1: {0, 1}, 2: {0}, 3: {1}, 4: {1}}


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
        after = weigh_completions(weights, transition, after)
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
