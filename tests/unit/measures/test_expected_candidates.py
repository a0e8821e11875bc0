"""What a second release would leave: the model, its digits, and how well it predicts."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.definitions import mean_candidates
from support.examples import examples
from support.words import mentions

import sidelight as sl
from sidelight.attack.simulation import draw_samples
from sidelight.errors import BadMeasure
from sidelight.measures import expected_candidates
from sidelight.measures.criterion import Finding
from sidelight.measures.exact import FLOATS
from sidelight.measures.expected_candidates import (
    SPOUGE,
    SPOUGE_DIGITS,
    _log_absent,
    _log_gamma,
    _spouge,
    _stirling_rest,
    log_rising,
    ratio_by_spouge,
    ratio_multiplied,
)
from sidelight.policy.limits import read_limit
from sidelight.rounding import PRECISE, round_down


@examples(40)
@given(
    st.lists(st.integers(0, 3), min_size=3, max_size=3).filter(any),
    st.lists(st.integers(0, 4), min_size=3, max_size=3),
    st.integers(1, 12),
)
def test_it_is_the_mean_over_all_second_groups(group, elsewhere, borrowed):
    rows = [dict(zip("abc", each, strict=True)) for each in (group, elsewhere) if any(each)]
    release = sl.Release.from_counts(rows, domain=list("abc"))
    measure = sl.ExpectedCandidates(borrowed)
    exact = [
        mean_candidates(list(row), release.groups.whole.tolist(), borrowed)
        for row in release.groups.counts.dense().tolist()
    ]
    assert float(measure.measure(release).value) == pytest.approx(float(min(exact)), rel=1e-14)
    assert measure.measure(release).value <= min(exact)
    assert measure.scores(release.groups) == pytest.approx([float(each) for each in exact], rel=1e-13)


def test_a_group_of_one_value_leaves_one():
    release = sl.Release.from_counts([{"Flu": 9}, {"Flu": 1, "HIV": 4}])
    finding = sl.ExpectedCandidates().measure(release)
    assert finding.value == finding.replay(release) == Fraction(1)
    assert isinstance(finding.replay(release), Fraction)
    assert mentions(finding.explain(), "Everybody in group 1", "'Flu'", "no second release")
    assert sl.ExpectedCandidates().measure(sl.Release.from_counts([{"Flu": 1}])).value == 1


def test_each_group_by_its_own_values():
    """Two people with a and b borrow 10 of {a: 4, b: 2, c: 1}; one value leaves itself, and no value says nothing."""
    groups = sl.Release.from_counts([{"a": 1, "b": 1}, {"a": 3}, {"b": 1, "c": 1}], domain=["a", "b", "c"]).groups
    statistic = np.array([[1, 1, 0], [3, 0, 0], [0, 0, 0]])
    scores = sl.ExpectedCandidates().formula(statistic, groups, FLOATS)
    # the second group has one other; a is there with (10·4/7 + 1)/11 and b with (10·2/7 + 1)/11, and the larger is left out
    assert scores[0] == pytest.approx(float(1 + (Fraction(20, 7) + 1) / 11), rel=1e-14)
    assert scores[1] == 1
    assert np.isnan(scores[2])


def test_of_values_that_are_as_surely_there_again_the_first_is_named():
    witness = sl.ExpectedCandidates().measure(sl.Release.from_counts([{"b": 2, "a": 2, "c": 1}])).witness
    assert (witness.value, witness.candidates) == ("a", 3)


def test_of_two_people_whoever_has_the_more_frequent_value_is_worse_off():
    """A is there again with (1/6 + 1)/2; b, of which half are, more surely."""
    release = sl.Release.from_counts([{"a": 1, "b": 1}, {"b": 2, "c": 2}])
    finding = sl.ExpectedCandidates(1).measure(release)
    assert (finding.witness.group.number, finding.witness.value) == (1, "b")
    assert finding.value == round_down(1 + Fraction(7, 12)) == finding.replay(release)


def test_nobody_in_words():
    nobody = Finding(sl.ExpectedCandidates(), Fraction(1), None)
    assert mentions(nobody.explain(), "Nobody", "any value", "nothing")


def test_its_examples_borrow_few_and_more_people():
    assert [each.borrowed for each in sl.ExpectedCandidates.examples(("a",))] == [10, 1]


@examples(60)
@given(st.lists(st.lists(st.integers(0, 6), min_size=3, max_size=3).filter(any), min_size=2, max_size=4))
def test_no_merger_was_found_that_lowers_it(groups):
    """Nothing is claimed all the same, as nothing is proven: a counterexample would be news for the page."""
    named = [dict(zip("abc", each, strict=True)) for each in groups]
    both = {value: named[0][value] + named[1][value] for value in "abc"}
    apart, merged = (sl.Release.from_counts(each, domain=list("abc")) for each in (named, [both, *named[2:]]))
    measure = sl.ExpectedCandidates()
    assert measure.measure(merged).value >= measure.measure(apart).value
    assert measure.when_groups_merge is sl.Monotonicity.UNKNOWN


@pytest.mark.parametrize("start", [Fraction(1, 7), Fraction(1), Fraction(9, 2), Fraction(300)])
@pytest.mark.parametrize("steps", [0, 1, 64, 65, 400])
def test_sixty_digits_of_a_rising_factorial(start, steps):
    with localcontext(PRECISE):
        product = prod((start + step for step in range(steps)), start=Fraction(1))
        expected = Decimal(product.numerator).ln() - Decimal(product.denominator).ln()
        assert abs(log_rising(start, steps) - expected) < Decimal(10) ** -50


@pytest.mark.parametrize("people", [2, 70, 5_000, 10**6])
@pytest.mark.parametrize("count", [1, 3, 50])
def test_floats_keep_their_digits_in_large_groups(people, count):
    share, drawn = Fraction(1, 20), people - 1
    if count > drawn:
        return
    seen = 10 * share + count
    rest = 10 + drawn - seen
    with localcontext(PRECISE):
        exact = log_rising(rest, drawn) - log_rising(rest + seen, drawn)
    floats = _log_absent(*(np.array([float(each)]) for each in (rest, seen, drawn)))
    assert floats[0] == pytest.approx(float(exact), rel=1e-12, abs=1e-13)


def test_it_predicts_what_a_second_release_leaves():
    adult = sl.datasets.adult(quasi=["age", "education", "marital-status", "race", "sex"])
    shared, samples = draw_samples(adult.table, overlap=2_000, people=10_000, releases=2, rng=np.random.default_rng(5))
    found = [
        sl.protect(sample, sl.Policy(sl.GroupSize() >= 5), by=adult.hierarchies, method="mondrian", ask="nobody")
        for sample in samples
    ]
    left = float(sl.intersect(found, people=shared, by=adult.hierarchies).mean("after"))
    groups = found[0].release.groups
    # at least what the worst person of each group is left, on average over people
    predicted = float(groups.sizes @ sl.ExpectedCandidates().scores(groups) / groups.sizes.sum())
    assert 0.9 * left < predicted < 1.05 * left


@pytest.mark.parametrize("borrowed", [0, -1, 2.5, True])
def test_people_are_borrowed_by_whole_numbers(borrowed):
    with pytest.raises(BadMeasure) as refused:
        sl.ExpectedCandidates(borrowed)
    assert refused.value.parameters == ("borrowed",)
    assert mentions(refused.value, borrowed, "whole number", "at least 1")
    assert type(sl.ExpectedCandidates(np.int64(3)).borrowed) is int


@pytest.mark.parametrize(
    ("borrowed", "groups", "exact"),
    [
        (1, [{"a": 1, "b": 1}], Fraction(7, 4)),  # 1 + 1 − (1/2)/2
        (3, [{"a": 2, "b": 1, "c": 1}], Fraction(1111, 512)),
        (62, [{"a": 1, "b": 1, "c": 1}, {"a": 5, "b": 5, "c": 5}], None),
        (7, [{"a": 3, "b": 2}, {"a": 3, "b": 4}], None),
    ],
)
def test_what_is_exactly_a_float_is_that_float(borrowed, groups, exact):
    release = sl.Release.from_counts(groups)
    finding = sl.ExpectedCandidates(borrowed).measure(release)
    least = min(
        mean_candidates(list(row), release.groups.whole.tolist(), borrowed)
        for row in release.groups.counts.dense().tolist()
    )
    assert exact in (None, least)
    assert Fraction(finding.value) <= least < Fraction(math.nextafter(finding.value, 9))
    assert finding.replay(release) == finding.value


def test_what_is_as_good_as_a_float_is_told_by_fractions_or_is_the_one_below(monkeypatch):
    """7/4 is a float; numbers that are nearer to it than rounding may be it, and others are not."""
    measure, below = sl.ExpectedCandidates(1), math.nextafter(1.75, 0)
    rest, drawn = [Fraction(1, 2)], 1  # 1 + 1 − (1/2)/2
    with localcontext(PRECISE):
        numbers = [Decimal("1.75") + Decimal(off) for off in ("0", "1e-41", "-1e-41", "1e-30", "-1e-30")]
    assert [measure._rounded_down(each, rest, drawn) for each in numbers] == [1.75, 1.75, 1.75, 1.75, below]
    assert measure._rounded_down(Decimal("1.75"), [Fraction(1, 2) + Fraction(1, 10**45)], drawn) == below
    monkeypatch.setattr(expected_candidates, "MULTIPLIED", 1)
    assert measure._rounded_down(Decimal("1.75"), rest, 1) == 1.75
    monkeypatch.setattr(expected_candidates, "MULTIPLIED", 0)
    assert measure._rounded_down(Decimal("1.75"), rest, 1) == below


def test_how_many_digits_others_compute_with_does_not_matter():
    release = sl.Release.from_counts([{"a": 3, "b": 2, "c": 2}, {"a": 2, "b": 90, "c": 5}])
    finding = sl.ExpectedCandidates(3).measure(release)
    with localcontext(prec=5):
        again = sl.ExpectedCandidates(3).measure(release)
        assert again == finding
        assert again.replay(release) == finding.value
        number = Decimal("1.123456789012345678901")
        assert sl.ExpectedCandidates(3)._rounded_down(number, [], 0) == round_down(number)


@pytest.mark.parametrize("people", range(1, 30))
def test_groups_of_one_value_score_exactly_1(people):
    groups = sl.Release.from_counts([{"a": people}, {"b": 2}, {"c": 7}]).groups
    assert sl.ExpectedCandidates().scores(groups).tolist() == [1, 1, 1]


def test_where_nothing_is_left_the_logarithm_is_infinite_and_nothing_is_said():
    with np.errstate(all="raise", under="ignore"):
        logs = _log_absent(np.array([0.0, 3.0]), np.array([2.0, 1.0]), np.array([4.0, 1.0]))
    assert logs[0] == -math.inf
    assert math.exp(logs[1]) == pytest.approx(3 / 4)


@pytest.mark.parametrize("x", [64, 64.5, 70, 100, 1000])
def test_far_out_stirlings_series_has_all_digits(x):
    """The first term that is left out is 1/1680/x⁷."""
    with localcontext(SPOUGE_DIGITS):
        half_log = (2 * Decimal("3.14159265358979323846264338327950288419716939937510")).ln() / 2
        exact = _log_gamma(Decimal(x)) - (Decimal(x) - Decimal("0.5")) * Decimal(x).ln() + Decimal(x) - half_log
    assert abs(Fraction(float(_stirling_rest(np.array([x]))[0])) - Fraction(exact)) < Fraction(2, 10**16)


def test_a_policy_bounds_it_in_text_too():
    policy = sl.Policy(read_limit("expected candidates(borrowed=5) >= 2"))
    assert not policy.judge(sl.Release.from_counts([{"Flu": 9}])).safe


@examples(60)
@given(st.integers(1, 400), st.integers(1, 10**6), st.integers(1, 12), st.integers(0, 300))
def test_spouges_formula_says_what_multiplying_out_says(numerator, denominator, total, steps):
    first = Fraction(numerator, denominator)
    with localcontext(PRECISE):
        multiplied = ratio_multiplied(first, total, steps)
        assert abs(ratio_by_spouge(first, total, steps) / multiplied - 1) < Decimal(10) ** -50
    exact = prod((Fraction(first + t) / (total + t) for t in range(steps)), start=Fraction(1))
    assert abs(Fraction(multiplied) / exact - 1) < Fraction(1, 10**50)


def test_spouges_numbers_give_factorials():
    """Γ(5) = 24, and Γ(x + 1) / Γ(x) = x, to 80 digits."""
    _spouge.cache_clear()
    assert len(_spouge()) == SPOUGE
    with localcontext(SPOUGE_DIGITS):
        assert abs(_log_gamma(Decimal(5)) - Decimal(24).ln()) < Decimal("1e-79")
        third = Decimal(1) / 3
        assert abs(_log_gamma(third + 1) - _log_gamma(third) - third.ln()) < Decimal("1e-79")


@pytest.mark.parametrize("people", [2, 40, 700])
def test_replaying_is_the_same_whichever_way(people, monkeypatch):
    release = sl.Release.from_counts([{"a": people, "b": 3, "c": 1}, {"a": 2, "b": people, "c": 2}, {"b": 7, "c": 7}])
    finding = sl.ExpectedCandidates(3).measure(release)
    assert finding.replay(release) == finding.value
    monkeypatch.setattr(expected_candidates, "MULTIPLIED", 0)
    assert finding.replay(release) == finding.value


@pytest.mark.parametrize("people", [10**4, 10**6, 10**8, 10**12, 10**17])
def test_replaying_takes_no_longer_for_more_people(people):
    """Some milliseconds; factor by factor, the first would take seconds, and the others for ever."""
    for counts in ({"a": people, "b": people + 1}, {"a": people, "b": 3, "c": 1}, {"a": people, "b": 1}):
        release = sl.Release.from_counts([counts, {"a": 1, "b": 2, "c": people}])
        for measure in (sl.ExpectedCandidates(), sl.ExpectedCandidates(1)):
            finding = measure.measure(release)
            assert finding.replay(release) == finding.value
