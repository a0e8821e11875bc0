"""Room for everybody by maximum flow, and facts that one world can or cannot satisfy."""

from collections import Counter
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.knowledge.parse_facts import read_facts
from sidelight.worlds import satisfiable
from sidelight.worlds.effort import OverEffort
from sidelight.worlds.identify import identify
from sidelight.worlds.satisfiable import WorldSearch, has_room

VALUES = "abcd"
DOMAINS = st.frozensets(st.sampled_from(VALUES), min_size=1)


@given(st.lists(DOMAINS, min_size=1, max_size=5), st.tuples(*[st.integers(0, 3)] * len(VALUES)))
def test_there_is_room_where_trying_everything_finds_it(domains, limits):
    capacities = dict(zip(VALUES, limits, strict=True))
    fits = any(not Counter(chosen) - Counter(capacities) for chosen in product(*domains))
    assert has_room(Counter(domains), capacities) == fits


def search(release, *texts):
    known = read_facts(texts)
    return WorldSearch(release, identify(release, dict.fromkeys(w for f in known for w in f.people()))).satisfiable(
        known
    )


def test_thousands_of_people_of_one_group_are_matched():
    release = sl.Release.from_counts([{"a": 1000, "b": 1000, "c": 1000}])
    two_of_three = [f"#1.{number} in {{a, b}}" for number in range(1, 2001)]
    assert search(release, *two_of_three)
    assert not search(release, *two_of_three, "#1.2001 != c")


def test_people_who_all_differ_need_as_many_values():
    release = sl.Release.from_counts([{"a": 2, "b": 2, "c": 2}])
    differ = ["not same(#1.1, #1.2)", "not same(#1.2, #1.3)", "not same(#1.1, #1.3)"]
    assert search(release, *differ)
    assert not search(release, *differ, "#1.1 != c and #1.2 != c and #1.3 != c")


@pytest.mark.parametrize("semantics", ["set", "multiset"])
def test_where_people_have_several_values_same_means_the_same_set(semantics):
    release = sl.Release.from_counts([{"a": 3, "b": 1}], sizes=[3], values=semantics)
    assert search(release, "same(#1.1, #1.2)", "#1.1 != b")
    if semantics == "set":
        assert not search(release, "same(#1.1, #1.2)", "#1.1 = b")  # b is there once
        assert not search(release, "#1.1 != a")  # all three have it


def test_it_is_given_up_after_many_nodes(monkeypatch):
    monkeypatch.setattr(satisfiable, "MOST_NODES", 3)
    release = sl.Release.from_counts([dict.fromkeys(VALUES, 2)])
    with pytest.raises(OverEffort):
        search(release, *(f"not same(#1.{one}, #1.{other})" for one in range(1, 6) for other in range(1, one)))


FOUR = sl.Release.from_counts([dict.fromkeys(VALUES, 2)])


@pytest.mark.parametrize(
    ("texts", "possible"),
    [
        (["#1 in {a, b}", "#1 in {b, c}"], True),
        (["#1 in {a, b}", "#1 in {b, c}", "#1 in {a, c}"], False),
        (["same(#1.1, #1.2)", "#1.1 in {a, b}", "#1.2 in {c, d}"], False),
        (["#1.2 in {c, d}", "#1.1 in {a, b}", "same(#1.1, #1.2)"], False),
        (["not same(#1.1, #1.2)", "#1.1 in {a, b}", "#1.2 in {c, d}"], True),
        (["same(#1.1, #1.2)", "#1.1 in {a, b}", "#1.2 in {b, d}"], True),
        (["same(#1.1, #1.2)", "#1.1 in {a, b}", "#1.2 in {b, d}", "#1.1 != b"], False),
        (["not same(#1.1, #1.2)", "#1.1 = a", "#1.2 = a"], False),
        (["not same(#1.1, #1.1)"], False),
        (["same(#1.1, #1.1)"], True),
        (["#1.1 = a or #1.2 = a", "#1.1 != a", "#1.2 != a"], False),
        (["#1.1 = a or #1.2 = a", "#1.1 != a"], True),
        (["#1.1 = a -> #1.2 = b", "#1.2 = b -> #1.1 = c", "#1.1 = a"], False),
        (["#1.1 = a", "#1.2 = a"], True),
        (["#1.1 = a", "#1.2 = a", "#1.3 = a"], False),
    ],
)
def test_facts_of_one_group_hold_in_some_world_or_in_none(texts, possible):
    assert search(FOUR, *texts) == search(FOUR, *texts[::-1]) == possible
