"""The histogram of (f, F): counted by or sorted, it is the same, and it adds up."""

import math
from collections import Counter
from decimal import localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples

from sidelight.measures.exact import BITS_REPORTED
from sidelight.measures.named_risks import size_histogram
from sidelight.measures.named_risks.size_histogram import SMALL, SizeHistogram, sum_of_ratios

SIZES = st.one_of(st.integers(1, 4), st.sampled_from([SMALL - 1, SMALL, SMALL * SMALL, 10**7]))
PAIRS = st.lists(st.tuples(SIZES, SIZES), min_size=1, max_size=12)


def as_counter(histogram):
    pairs = zip(histogram.people.tolist(), histogram.population.tolist(), strict=True)
    return dict(zip(pairs, histogram.groups.tolist(), strict=True))


@examples(60)
@given(PAIRS, PAIRS)
def test_it_counts_pairs_and_adds_up(one, other):
    histograms = [SizeHistogram.of(*map(np.array, zip(*pairs, strict=True))) for pairs in (one, other)]
    assert as_counter(histograms[0]) == Counter(one)
    assert as_counter(histograms[0] + histograms[1]) == Counter(one) + Counter(other)
    assert as_counter(histograms[1] + histograms[0]) == as_counter(histograms[0] + histograms[1])


@examples(30)
@given(st.lists(SIZES, min_size=1, max_size=12))
def test_without_a_population_nobody_else_could_be_meant(sizes):
    assert as_counter(SizeHistogram.of(np.array(sizes))) == Counter((size, size) for size in sizes)


@examples(60)
@given(PAIRS)
def test_expected_matches_are_the_sum_of_all_ratios(pairs):
    histogram = SizeHistogram.of(*map(np.array, zip(*pairs, strict=True)))
    assert histogram.expected_matches() == sum(Fraction(f, population) for f, population in pairs)


def test_sums_of_thousands_of_denominators_are_rounded_up():
    under = list(range(1, 20_001))
    total = sum_of_ratios([1] * len(under), under)
    assert isinstance(total, float)
    assert abs(total - float(np.sum(1 / np.array(under)))) < 1e-9


def test_a_sum_that_is_rounded_is_the_next_float_above():
    under = [10**9 + place for place in range(1, 700)]
    over = [place % 5 + 1 for place in range(1, 700)]
    total, exact = sum_of_ratios(over, under), sum(map(Fraction, over, under))
    assert isinstance(total, float)
    assert np.nextafter(total, 0) < exact <= total


def test_sums_are_written_out_up_to_so_many_bits():
    longest = 2 ** (BITS_REPORTED - 1)
    assert sum_of_ratios([1, 1], [longest, longest]) == Fraction(2, longest)
    assert isinstance(sum_of_ratios([1], [2 * longest]), float)
    assert sum_of_ratios([4 * longest, 3], [2 * longest, 6]) == Fraction(5, 2)  # in lowest terms
    assert sum_of_ratios([], []) == 0
    assert isinstance(sum_of_ratios([], []), Fraction)


def test_whole_numbers_are_written_out_in_one_bit(monkeypatch):
    monkeypatch.setattr(size_histogram, "BITS_REPORTED", 1)
    assert sum_of_ratios([6, 4], [3, 4]) == 3
    assert isinstance(sum_of_ratios([6, 4], [3, 4]), Fraction)


def test_what_is_rounded_is_above_in_whatever_precision_others_compute(monkeypatch):
    """Also where the sum is a float, as its digits do not say so."""
    monkeypatch.setattr(size_histogram, "BITS_REPORTED", 0)
    assert sum_of_ratios([1], [2]) == math.nextafter(0.5, 1)
    third = sum_of_ratios([1], [3])
    assert math.nextafter(third, 0) < Fraction(1, 3) < third
    with localcontext(prec=5):
        assert sum_of_ratios([1], [3]) == third


def test_what_is_read_off():
    histogram = SizeHistogram.of(np.array([1, 3, 1, 2]), np.array([4, 3, 2, 4]))
    assert as_counter(histogram) == {(1, 2): 1, (1, 4): 1, (2, 4): 1, (3, 3): 1}
    assert histogram.people.tolist() == [1, 1, 2, 3]  # by people, then by population
    assert histogram.population.tolist() == [2, 4, 4, 3]
    assert (histogram.everybody, histogram.all_groups, histogram.population_met) == (7, 4, 13)
    assert [histogram.of_size(people) for people in (0, 1, 2, 3, 4)] == [0, 2, 1, 1, 0]
    assert [histogram.people_with_population_below(people) for people in (2, 3, 4, 5, None)] == [0, 1, 4, 7, 7]
    assert histogram.expected_matches() == Fraction(1, 2) + Fraction(3, 4) + 1


@pytest.mark.parametrize("edge", [SMALL, SMALL * SMALL])
def test_small_and_large_numbers_are_counted_alike(edge):
    sizes = np.array([edge, 1, edge - 1, edge, edge + 1, 1, 10**12])
    entries = [(1, 2), (edge - 1, 1), (edge, 2), (edge + 1, 1), (10**12, 1)]
    alone, compared = SizeHistogram.of(sizes), SizeHistogram.of(sizes, sizes.copy())
    for histogram in (alone, compared):
        assert histogram.people.tolist() == histogram.population.tolist() == [size for size, _ in entries]
        assert histogram.groups.tolist() == [groups for _, groups in entries]
        assert {each.dtype for each in (histogram.people, histogram.population, histogram.groups)} == {np.dtype(int)}
    assert as_counter(SizeHistogram.of(np.array([1, 1]), np.array([edge - 1, edge]))) == {
        (1, edge - 1): 1,
        (1, edge): 1,
    }


def test_no_groups_at_all():
    nothing = np.empty(0, np.int64)
    for histogram in (SizeHistogram.of(nothing), SizeHistogram.of(nothing, nothing)):
        assert (histogram.everybody, histogram.all_groups, histogram.population_met) == (0, 0, 0)
        assert as_counter(histogram + SizeHistogram.of(np.array([2]))) == {(2, 2): 1}
