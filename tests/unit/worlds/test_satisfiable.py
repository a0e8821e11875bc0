"""A minimum unsatisfiable subset is as small as going through all subsets shows.

And facts that one world can or cannot satisfy.
"""

from itertools import combinations, combinations_with_replacement

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.knowledge.parse import read_facts
from sidelight.worlds import estimate as smallest_conflict
from sidelight.worlds.counting.compile import Effort, Meter, OverEffort
from sidelight.worlds.estimate import ORACLE_STEPS, minimum_unsatisfiable_subset, smaller_subset, world_search
from sidelight.worlds.identify import identify

CONFLICTS = st.lists(st.frozensets(st.integers(0, 7), min_size=1, max_size=6), min_size=1, max_size=6)


def oracle(conflicts):
    return lambda some: any(conflict <= {*some} for conflict in conflicts)


@given(CONFLICTS)
def test_none_is_smaller(conflicts):
    subset = minimum_unsatisfiable_subset(8, oracle(conflicts))
    every = (some for size in range(1, 9) for some in combinations(range(8), size))
    assert len(subset) == len(next(some for some in every if oracle(conflicts)(some)))
    assert oracle(conflicts)(subset)
    assert subset == sorted(subset)


def test_a_small_one_is_subset_among_many():
    """Of thirty, a triple and four larger sets that share things with it and each other."""
    conflicts = [{3, 17, 28}, {0, 1, 2, 3}, {4, 5, 6, 17}, {0, 7, 8, 28}, {*range(9, 15)}]
    questions = 0

    def unsatisfiable(some):
        nonlocal questions
        questions += 1
        return oracle(conflicts)(some)

    assert minimum_unsatisfiable_subset(30, unsatisfiable) == [3, 17, 28]
    assert questions < 1_000  # there are 4,060 triples


def test_when_too_much_was_asked_no_fact_is_blamed_needlessly(monkeypatch):
    monkeypatch.setattr(smallest_conflict, "MOST_STEPS", 500)
    conflicts = [{0, 1}, {2, 3, 4}]
    subset = minimum_unsatisfiable_subset(5, oracle(conflicts))
    assert {*subset} in conflicts


@pytest.mark.parametrize("number", range(1, 7))
def test_what_is_found_at_first_can_do_without_nothing(number, monkeypatch):
    """With no step left for a minimum, each pair of conflicts still leaves a minimal one."""
    monkeypatch.setattr(smallest_conflict, "MOST_STEPS", 0)
    every = [{*some} for size in range(1, number + 1) for some in combinations(range(number), size)]
    for one, other in combinations_with_replacement(every, 2):
        subset = minimum_unsatisfiable_subset(number, oracle([one, other]))
        assert {*subset} in (one, other)
        assert not (one < {*subset})
        assert not (other < {*subset})


def test_the_last_step_allowed_still_finds_the_minimum(monkeypatch):
    conflicts = oracle([{0, 2}, {1, 2, 3}])
    assert smaller_subset(4, conflicts, [1, 2, 3]) == [0, 2]

    def with_steps(most):
        monkeypatch.setattr(smallest_conflict, "MOST_STEPS", most)
        return minimum_unsatisfiable_subset(4, conflicts)

    needed = next(most for most in range(3 * ORACLE_STEPS, 20 * ORACLE_STEPS) if with_steps(most) == [0, 2])
    assert needed > 3 * ORACLE_STEPS  # all questions together
    assert with_steps(needed - 1) == [1, 2, 3]


@pytest.mark.parametrize("number", range(4))
def test_where_nothing_can_hold_at_all_nothing_is_blamed(number):
    assert minimum_unsatisfiable_subset(number, lambda _: True) == []


def test_a_set_stays_where_none_is_smaller():
    conflicts = oracle([{0, 1}, {2, 3}])
    assert smaller_subset(4, conflicts, [2, 3]) == [2, 3]
    assert smaller_subset(4, conflicts, [0, 1]) == [0, 1]


@given(CONFLICTS, st.sets(st.integers(0, 255)))
def test_what_cannot_be_told_is_not_blamed(conflicts, unknown):
    """Some questions have no answer; that everything conflicts is known."""

    def unsatisfiable(some):
        known = len(some) == 8 or sum(1 << each for each in some) not in unknown
        return known and oracle(conflicts)(some)

    subset = minimum_unsatisfiable_subset(8, unsatisfiable)
    assert oracle(conflicts)(subset) or len(subset) == 8


VALUES = "abcd"


def search(release, *texts):
    known = read_facts(texts)
    people = dict.fromkeys(who for fact in known for who in fact.people())
    return world_search(release, identify(release, people), known, Meter(Effort()))(range(len(known)))


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


def test_people_who_all_differ_are_counted_against_the_values():
    release = sl.Release.from_counts([dict.fromkeys("abcdefgh", 3)])
    differ = [f"not same(#1.{one}, #1.{other})" for one in range(1, 9) for other in range(1, one)]
    assert search(release, *differ)
    assert not search(release, *differ, *(f"not same(#1.9, #1.{other})" for other in range(1, 9)))


def test_it_is_given_up_when_the_time_is_over():
    release = sl.Release.from_counts([dict.fromkeys("abcdefghijklmnopqrst", 9)])
    known = read_facts([f"#1.{number} = a or #1.{number + 1} = b" for number in range(1, 100)])
    people = dict.fromkeys(who for fact in known for who in fact.people())
    with pytest.raises(OverEffort):
        world_search(release, identify(release, people), known, Meter(Effort(seconds=1e-9)))(range(len(known)))


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


def test_a_missing_value_is_a_value_like_others():
    release = sl.Release.from_counts([{None: 2, "a": 2, "b": 2}])
    differ = ["not same(#1.1, #1.2)", "not same(#1.2, #1.3)", "not same(#1.1, #1.3)"]
    assert search(release, *differ)
    assert not search(release, *differ, "#1.1 in {a, b} and #1.2 in {a, b} and #1.3 in {a, b}")


IMPOSSIBLE = (
    "#1.{0} in {{b, c}} and #1.{1} in {{b, c}} and #1.{2} in {{b, c}} and not same(#1.{0}, #1.{1}) "
    "and not same(#1.{1}, #1.{2}) and not same(#1.{0}, #1.{2})"
)


@pytest.mark.parametrize("texts", [["0", "1", "#1 = a"], ["0", "#1 = a", "1"], ["#1 = a", "0", "1"]])
def test_whatever_is_left_is_tried_when_the_first_goes_wrong(texts):
    """Three people all differ and have two values: that is only found by trying."""
    ways = {"0": f"({IMPOSSIBLE.format(2, 3, 4)})", "1": f"({IMPOSSIBLE.format(3, 4, 5)})"}
    assert search(FOUR, " or ".join(ways.get(text, text) for text in texts))
    assert not search(FOUR, " or ".join(ways.get(text, text) for text in texts), "#1 != a")


@pytest.mark.parametrize("semantics", ["set", "multiset"])
@pytest.mark.parametrize(
    ("texts", "possible"),
    [
        (["#1 in {a, b}", "#1 != b"], True),
        (["#1 in {a, b}", "#1 != b", "#1 != a"], False),
        (["#1 not in {a, b}"], True),
        (["#1 not in {a, b}", "#1 = b"], False),
        (["#1 in {a, b}", "#1 = a", "#1 = b"], True),
        (["same(#1, #2)", "#1 = b"], False),  # which nobody has there
        (["same(#1, #2)", "#2 = c"], False),
        (["same(#1, #2)", "#1 = a"], True),
        (["same(#1, #2)", "#1 = a", "#2 != a"], False),
        (["not same(#1, #2)", "#1 != a", "#2 != a", "#1 != b", "#2 != c"], False),
        (["not same(#1, #2)", "#1 != a", "#2 != a", "#1 != b"], True),
        (["not same(#1, #2)", "#1 = a", "#2 = a", "#1 != b"], True),
        (["#1 = c"], False),
        (["#1 in {b, c}"], True),
        (["#1 not in {c}"], True),
    ],
)
def test_people_of_two_groups_with_several_values(semantics, texts, possible):
    release = sl.Release.from_counts([{"a": 1, "b": 1}, {"a": 1, "c": 1}], sizes=[3, 3], values=semantics)
    assert search(release, *texts) == search(release, *texts[::-1]) == possible


def test_an_occurrence_more_may_be_of_somebody_who_has_the_value_already():
    release = sl.Release.from_counts([{"a": 2}], sizes=[3], values="multiset")
    lack = ["#1.1 != a", "#1.2 != a"]
    assert search(release, *lack)
    assert not search(release, *lack, "#1.3 != a")
    assert not search(sl.Release.from_counts([{"a": 2}], sizes=[3], values="set"), *lack)
