"""Orders in which little is open at a time."""

from hypothesis import given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.knowledge.parse_facts import read_facts
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


def schedule(release, *facts, **options):
    known = read_facts(facts)
    entities = identify(release, dict.fromkeys(who for fact in known for who in fact.people()))
    return Schedule.of(compile_facts(release, entities, known), meter(), **options)


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
