"""A minimum unsatisfiable subset is as small as going through all subsets shows."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from sidelight.worlds import smallest_conflict
from sidelight.worlds.smallest_conflict import minimum_unsatisfiable_subset

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


@given(CONFLICTS, st.sets(st.integers(0, 255)))
def test_what_cannot_be_told_is_not_blamed(conflicts, unknown):
    """Some questions have no answer; that everything conflicts is known."""

    def unsatisfiable(some):
        known = len(some) == 8 or sum(1 << each for each in some) not in unknown
        return known and oracle(conflicts)(some)

    subset = minimum_unsatisfiable_subset(8, unsatisfiable)
    assert oracle(conflicts)(subset) or len(subset) == 8
