"""Candidates are answer in floats and decided exactly, and of many that are alike one is recomputed."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sidelight as sl
from sidelight._arrays import first_of_each, in_lowest_terms
from sidelight.errors import BadMeasure
from sidelight.measures.exact import (
    EXACT,
    FLOATS,
    joined_after,
    joined_all,
    joined_before,
    near_worst,
    worst_of_each_part,
    worst_row,
)

ROWS = np.arange(10)[:, np.newaxis]  # every row a kind of its own


def of(values):
    """Give the values of kinds that are numbers of rows."""
    return lambda kinds: [values[row] for row in kinds[:, 0].tolist()]


rows = st.lists(st.lists(st.integers(0, 3), min_size=2, max_size=2), max_size=12)


@given(rows)
def test_the_first_of_each_kind_is_kept(kinds):
    kept = first_of_each(np.array(kinds, np.int64).reshape(-1, 2)).tolist()
    assert kept == [place for place, kind in enumerate(kinds) if kinds.index(kind) == place]


@given(st.lists(st.fractions(0, 1, max_denominator=9), min_size=1, max_size=9), st.booleans())
def test_the_worst_row_is_the_first_of_the_worst(values, large_is_bad):
    kinds = np.array([[value.numerator, value.denominator] for value in values])
    scores = np.array([float(value) for value in values])
    answer = worst_row(
        scores,
        large_is_bad=large_is_bad,
        kinds=kinds.__getitem__,
        exactly=lambda kinds: [Fraction(*kind) for kind in kinds.tolist()],
    )
    worst = max(values) if large_is_bad else min(values)
    assert answer == (values.index(worst), worst)


def test_floats_that_cannot_tell_are_decided_exactly():
    """1/3 and a fraction just above it have the same float."""
    values = [Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**30)]
    scores = np.array([float(value) for value in values])
    assert scores[0] == scores[1]
    assert worst_row(scores, large_is_bad=True, kinds=ROWS.__getitem__, exactly=of(values)) == (1, values[1])


def test_floats_with_errors_do_not_mislead():
    """The float of the worse row came out smaller, as sums in another order may."""
    values = [Fraction(3, 10), Fraction(3, 10) + Fraction(1, 10**20)]
    scores = np.array([0.1 + 0.2, 0.3])
    assert scores[0] > scores[1]
    assert worst_row(scores, large_is_bad=True, kinds=ROWS.__getitem__, exactly=of(values)) == (1, values[1])
    better = [Fraction(3, 10), Fraction(3, 10) - Fraction(1, 10**20)]
    assert worst_row(scores[::-1], large_is_bad=False, kinds=ROWS.__getitem__, exactly=of(better)) == (1, better[1])


def test_many_that_are_alike_are_recomputed_once():
    calls = []

    def exactly(kinds):
        calls.append(kinds.tolist())
        return [Fraction(1, 2)]

    kinds = np.ones((10_000, 3), np.int64)
    answer = worst_row(np.full(10_000, 0.5), large_is_bad=True, kinds=kinds.__getitem__, exactly=exactly)
    assert answer == (0, Fraction(1, 2))
    assert calls == [[[1, 1, 1]]]


def test_nothing_to_say_and_infinity():
    nothing = np.array([np.nan, np.nan])
    assert worst_row(nothing, large_is_bad=True, kinds=ROWS.__getitem__, exactly=of([])) is None
    endless = np.array([np.nan, np.inf])
    assert worst_row(endless, large_is_bad=True, kinds=ROWS.__getitem__, exactly=of([])) == (1, math.inf)
    assert near_worst(np.array([1.0, np.nan, 1.0]), large_is_bad=False).tolist() == [0, 2]


@given(st.lists(st.integers(0, 20), min_size=3, max_size=3), st.integers(1, 50))
def test_proportions_have_one_lowest_form(row, times):
    assert in_lowest_terms(np.array([row])).tolist() == in_lowest_terms(np.array([row]) * times).tolist()


@given(st.lists(st.integers(0, 70_000), min_size=1, max_size=6))
def test_both_arithmetics_agree(counts):
    """Also above the counts that are looked up in a table."""
    listed = np.array([counts])
    exact, floats = EXACT.times_log(EXACT.whole(listed)), FLOATS.times_log(FLOATS.whole(listed))
    np.testing.assert_allclose(exact.astype(float), floats, rtol=1e-12)
    ratios = EXACT.ratio(listed.astype(object), 7), FLOATS.ratio(listed, 7)
    np.testing.assert_allclose(ratios[0].astype(float), ratios[1])


def test_something_over_nothing_is_infinite():
    with np.errstate(divide="ignore"):
        assert EXACT.ratio(1, 0) == FLOATS.ratio(1, 0) == math.inf


def test_whole_numbers_do_not_overflow_when_exact():
    huge = EXACT.whole(np.array([2**62]))
    assert (huge * huge).tolist() == [2**124]


scored = st.one_of(st.none(), st.just(math.inf), st.fractions(0, 1, max_denominator=9))


@given(st.lists(st.lists(scored, min_size=1, max_size=4), min_size=1, max_size=5), st.booleans())
def test_each_part_has_the_worst_of_its_own_rows(parts, large_is_bad):
    """None says nothing, which is nan; a small value may not be infinite."""
    flat = [None if each == math.inf and not large_is_bad else each for part in parts for each in part]
    scores = np.array([math.nan if each is None else float(each) for each in flat])
    kinds = np.array([[0, 0] if each in (None, math.inf) else [each.numerator, each.denominator] for each in flat])
    starts = np.cumsum([0, *(len(part) for part in parts[:-1])])
    stops = [*starts[1:], len(flat)]
    either = {"large_is_bad": large_is_bad, "exactly": lambda kinds: [Fraction(*kind) for kind in kinds.tolist()]}
    alone = [
        worst_row(scores[start:stop], kinds=kinds[start:stop].__getitem__, **either)
        for start, stop in zip(starts, stops, strict=True)
    ]
    together = worst_of_each_part(scores, starts, kinds=kinds.__getitem__, **either)
    assert together == [None if each is None else each[1] for each in alone]


numbers = st.lists(st.integers(1, 9), min_size=1, max_size=20)


@given(numbers, st.sampled_from([sl.GroupSize(), sl.Negations(1)]))
def test_scans_are_what_they_say(listed, measure):
    screen = measure.screen()
    worst = max if measure.large_is_bad else min
    rows = np.array(listed, float)[:, np.newaxis]
    assert joined_all(screen, rows).tolist() == [[worst(listed)]]
    assert joined_before(screen, rows).ravel().tolist() == [worst(listed[: at + 1]) for at in range(len(listed))]
    assert joined_after(screen, rows).ravel().tolist() == [worst(listed[at:]) for at in range(len(listed))]


def test_groups_with_nothing_to_measure_do_not_count():
    release = sl.Release.from_counts([{"b": 9}, {"a": 1, "b": 1}])
    screen = sl.Negations(0, value="a").screen()
    assert screen.value(joined_all(screen, screen.of(release.groups))).tolist() == [0.5]


def test_a_measure_of_whole_releases_has_none():
    with pytest.raises(BadMeasure, match="looks at a whole release at once"):
        sl.MaxEnt().screen()
