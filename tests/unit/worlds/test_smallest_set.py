"""A smallest set that clashes is as small as going through all sets finds."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from sidelight.worlds import smallest_conflict as smallest_set
from sidelight.worlds.smallest_conflict import minimum_unsatisfiable_subset

CLASHES = st.lists(st.frozensets(st.integers(0, 7), min_size=1, max_size=6), min_size=1, max_size=6)


def asking(clashes):
    return lambda some: any(clash <= {*some} for clash in clashes)


@given(CLASHES)
def test_none_is_smaller(clashes):
    found = minimum_unsatisfiable_subset(8, asking(clashes))
    every = (some for size in range(1, 9) for some in combinations(range(8), size))
    assert len(found) == len(next(some for some in every if asking(clashes)(some)))
    assert asking(clashes)(found)
    assert found == sorted(found)


def test_a_small_one_is_found_among_many():
    """Of thirty, a triple and four larger sets that share things with it and each other."""
    clashes = [{3, 17, 28}, {0, 1, 2, 3}, {4, 5, 6, 17}, {0, 7, 8, 28}, {*range(9, 15)}]
    asked = 0

    def clash(some):
        nonlocal asked
        asked += 1
        return asking(clashes)(some)

    assert minimum_unsatisfiable_subset(30, clash) == [3, 17, 28]
    assert asked < 1_000  # there are 4,060 triples


def test_when_too_much_was_asked_no_fact_is_blamed_needlessly(monkeypatch):
    monkeypatch.setattr(smallest_set, "MOST_STEPS", 500)
    clashes = [{0, 1}, {2, 3, 4}]
    found = minimum_unsatisfiable_subset(5, asking(clashes))
    assert {*found} in clashes


@given(CLASHES, st.sets(st.integers(0, 255)))
def test_what_cannot_be_told_is_not_blamed(clashes, unknown):
    """Some questions have no answer; that everything clashes is known."""

    def clash(some):
        known = len(some) == 8 or sum(1 << each for each in some) not in unknown
        return known and asking(clashes)(some)

    found = minimum_unsatisfiable_subset(8, clash)
    assert asking(clashes)(found) or len(found) == 8
