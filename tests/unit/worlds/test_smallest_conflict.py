"""A minimum unsatisfiable subset is as small as going through all subsets shows."""

from itertools import combinations, combinations_with_replacement

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.worlds import smallest_conflict
from sidelight.worlds.smallest_conflict import ORACLE_STEPS, _HittingSetSearch, minimum_unsatisfiable_subset

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
    search = _HittingSetSearch(4, conflicts)
    assert search.minimum([1, 2, 3]) == [0, 2]
    assert search.steps > 3 * ORACLE_STEPS  # all questions together
    monkeypatch.setattr(smallest_conflict, "MOST_STEPS", search.steps)
    assert minimum_unsatisfiable_subset(4, conflicts) == [0, 2]
    monkeypatch.setattr(smallest_conflict, "MOST_STEPS", search.steps - 1)
    assert minimum_unsatisfiable_subset(4, conflicts) == [1, 2, 3]


@pytest.mark.parametrize("number", range(4))
def test_where_nothing_can_hold_at_all_nothing_is_blamed(number):
    assert minimum_unsatisfiable_subset(number, lambda _: True) == []


def test_a_set_stays_where_none_is_smaller():
    search = _HittingSetSearch(4, oracle([{0, 1}, {2, 3}]))
    assert search.minimum([2, 3]) == [2, 3]
    assert search.minimum([0, 1]) == [0, 1]


@given(CONFLICTS, st.sets(st.integers(0, 255)))
def test_what_cannot_be_told_is_not_blamed(conflicts, unknown):
    """Some questions have no answer; that everything conflicts is known."""

    def unsatisfiable(some):
        known = len(some) == 8 or sum(1 << each for each in some) not in unknown
        return known and oracle(conflicts)(some)

    subset = minimum_unsatisfiable_subset(8, unsatisfiable)
    assert oracle(conflicts)(subset) or len(subset) == 8
