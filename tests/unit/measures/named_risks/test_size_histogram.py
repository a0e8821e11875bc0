"""The histogram of (f, F): counted by or sorted, it is the same, and it adds up."""

from collections import Counter
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples

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
