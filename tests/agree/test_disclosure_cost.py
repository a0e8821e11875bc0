"""Weights and prices against trying everything somebody might know, in every world."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples
from support.worst_cases import cheapest_implications, worst_implications_with_one_conclusion, worst_negations

import sidelight as sl
from sidelight.testing import releases

WEIGHTS = st.sampled_from([0, 1, 2, Fraction(1, 3), 5])
PRICES = st.sampled_from([1, 2, Fraction(1, 2), 3, 7])
REACHES = st.sampled_from([Fraction(1, 3), Fraction(1, 2), Fraction(2, 3), Fraction(9, 10), Fraction(19, 20), 1])
small = releases(semantics="single", max_groups=2, max_people=4, max_values=4)
narrow = releases(semantics="single", max_groups=3, max_people=3, max_values=3) | releases(
    semantics="single", max_groups=1, max_people=5, max_values=3
)
tiny = releases(semantics="single", max_groups=1, max_people=3, max_values=3) | releases(
    semantics="single", max_groups=2, max_people=2, max_values=2
)


def tariff(data, release, numbers):
    return data.draw(st.dictionaries(st.sampled_from(release.domain), numbers, max_size=len(release.domain)), "tariff")


@examples(60)
@given(st.data(), small, st.integers(0, 2), st.sampled_from(["implications", "negations"]))
def test_the_worst_weighted_disclosure(data, release, k, knows):
    weights = tariff(data, release, WEIGHTS)
    finding = sl.DisclosureCost(k, weights, otherwise=Fraction(1, 2), knows=knows).measure(release)
    worst = worst_negations if knows == "negations" else worst_implications_with_one_conclusion
    expected = [
        weights.get(value, Fraction(1, 2)) * worst(release, k, value)
        for value in release.domain
        if value is not None  # the twin's None is any value
    ]
    if None not in release.domain:
        assert finding.value == max(expected)
    assert finding.value >= max(expected, default=0)
    assert finding.replay(release) == finding.value


def priced(data, release):
    prices, otherwise = tariff(data, release, PRICES), data.draw(PRICES, "otherwise")
    targets = data.draw(st.sets(st.sampled_from(release.domain), min_size=1), "targets")
    others = tuple(value for value in release.domain if value not in targets)
    return prices, otherwise, targets, others


@examples(80)
@given(st.data(), narrow, REACHES)
def test_the_cheapest_knowledge(data, release, reach):
    prices, otherwise, targets, others = priced(data, release)
    finding = sl.CheapestKnowledge(reach, prices, otherwise, apart_from=others).measure(release)
    expected = cheapest_implications(release, reach, lambda value: Fraction(prices.get(value, otherwise)), targets)
    assert finding.value == (float("inf") if expected is None else expected)
    assert finding.replay(release) == finding.value
    assert finding.explain()


@examples(24)
@given(st.data(), tiny, REACHES)
def test_no_other_implications_are_cheaper(data, release, reach):
    """Implications between any two atoms: those with one conclusion are never dearer."""
    prices, otherwise, targets, others = priced(data, release)
    expected = cheapest_implications(
        release, reach, lambda value: Fraction(prices.get(value, otherwise)), targets, one_conclusion=False
    )
    finding = sl.CheapestKnowledge(reach, prices, otherwise, apart_from=others).measure(release)
    assert finding.value == (float("inf") if expected is None else expected)


@examples(60)
@given(releases(semantics="single", max_groups=8, max_people=12, max_values=6), REACHES)
def test_with_one_price_it_is_the_smallest_k(release, reach):
    k = sl.CheapestKnowledge(reach).measure(release).value
    assert sl.Implications(int(k)).measure(release).value >= reach
    assert k == 0 or sl.Implications(int(k) - 1).measure(release).value < reach
