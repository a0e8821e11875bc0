"""Orders in which little is open at a time."""

from itertools import permutations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.knowledge.parse_facts import read_fact, read_facts
from sidelight.worlds.counting.compile import compile_facts
from sidelight.worlds.counting.order import Schedule, small_frontier_order
from sidelight.worlds.effort import Effort, Meter
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


RELEASE = sl.Release.from_counts([{"a": 2, "b": 2, "c": 2}])


def test_people_of_whom_one_thing_is_known_are_only_tallied():
    plan = schedule(RELEASE, "#1.1 != a", "#1.2 != a", "#1.3 = b")
    assert [variables for _, variables in plan.stages] == [[], []]
    assert sorted(people for tally in plan.tallied.values() for people in tally.items()) == [
        ((0, False), 2),
        ((0, True), 1),
    ]
    assert plan.people() == {0: 3}


def test_variables_are_free_unless_they_are_compared_or_everything_is_scheduled():
    facts = "#1.1 = a -> #1.2 = a", "same(#1.2, #1.3) or #1.1 = b"
    plan, full = schedule(RELEASE, *facts), schedule(RELEASE, *facts, exhaustive=True)
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
