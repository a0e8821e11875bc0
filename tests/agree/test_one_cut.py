"""One cut of a group, counted by products of polynomials, agrees with going through all left halves."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from sidelight.worlds.closed_forms import OneCut
from tests.support.examples import examples


@st.composite
def cuts(draw: st.DrawFn) -> OneCut:
    counts = draw(st.lists(st.integers(0, 3), min_size=1, max_size=4).filter(lambda some: sum(some) >= 2))
    people = sum(counts)
    left = draw(st.integers(1, people - 1))
    most_left, most_right = draw(st.integers(0, left)), draw(st.integers(0, people - left))
    return OneCut.build(counts, left, most_left, most_right, different=draw(st.integers(0, 3)))


def by_listing(cut: OneCut) -> tuple[int, list[int]]:
    """Go through all left halves: how many pass, and how many people have each value there."""
    people = [value for value, count in enumerate(cut.counts) for _ in range(count)]
    passing, totals = 0, [0] * len(cut.counts)
    for half in combinations(people, cut.left):
        left = [half.count(value) for value in range(len(cut.counts))]
        right = [count - here for count, here in zip(cut.counts, left, strict=True)]
        bounded = all(low <= here <= high for low, here, high in zip(cut.low, left, cut.high, strict=True))
        if bounded and min(sum(map(bool, left)), sum(map(bool, right))) >= cut.different:
            passing += 1
            totals = [total + here for total, here in zip(totals, left, strict=True)]
    return passing, totals


@examples(300)
@given(cuts())
def test_counts_of_passing_halves(cut: OneCut) -> None:
    passing, totals = by_listing(cut)
    assert (cut.passing, list(cut.left_expectations)) == (passing, totals)
    failing = cut.halves - passing
    if failing:
        left, right = cut.shares_when_failing(), cut.shares_when_failing(right=True)
        assert sum(left) == sum(right) == 1
        for count, one, other in zip(cut.counts, left, right, strict=True):
            assert one * cut.left + other * (cut.people - cut.left) == count
