"""Candidates are answer in floats and decided exactly, and of many that are alike one is recomputed."""

import math
from decimal import Decimal, getcontext, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import bernoulli

import sidelight as sl
from sidelight.arrays import first_of_each, reduce_fractions
from sidelight.errors import BadMeasure
from sidelight.measures.exact import (
    BITS_REPORTED,
    DECIMALS,
    EXACT,
    FLOATS,
    FRACTIONS,
    NEAR,
    Screen,
    bernoulli_number,
    compute_exactly,
    join_all,
    join_backwards,
    join_forwards,
    near_worst,
    worst_of_each_part,
    worst_row,
)
from sidelight.rounding import PRECISE

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


@pytest.mark.parametrize(
    ("worst", "distance"), [(0.5, NEAR), (-0.5, NEAR), (0.0, NEAR), (1.0, NEAR), (10.0, 10 * NEAR), (-10.0, 10 * NEAR)]
)
def test_near_is_relative_above_one(worst, distance):
    """0.9 of the distance is near, 1.1 of it is not; infinity is near nothing else."""
    for large_is_bad in (True, False):
        away = -distance if large_is_bad else distance
        scores = np.array([worst + 1.1 * away, worst + 0.9 * away, np.nan, worst])
        assert near_worst(scores, large_is_bad=large_is_bad).tolist() == [1, 3]
        worse, unasked = (Fraction(8), Fraction(80)) if large_is_bad else (Fraction(6), Fraction(-6))
        exactly = {"kinds": ROWS.__getitem__, "exactly": of([unasked, worse, None, Fraction(7)])}
        each = worst_of_each_part(scores, np.array([0]), large_is_bad=large_is_bad, **exactly)
        assert each == [worse]
        assert worst_row(scores, large_is_bad=large_is_bad, **exactly) == (1, worse)
    assert near_worst(np.array([1e300, np.inf, 5.0]), large_is_bad=True).tolist() == [1]
    assert near_worst(np.array([np.inf, np.inf]), large_is_bad=False).tolist() == [0, 1]
    assert near_worst(np.array([np.nan]), large_is_bad=True).dtype == np.int64


def test_what_is_exactly_so_far_away_is_near():
    for large_is_bad, away in ((True, -NEAR), (False, NEAR)):
        worse = Fraction(2) if large_is_bad else Fraction(0)
        scores, exactly = np.array([0.0, away]), {"kinds": ROWS.__getitem__, "exactly": of([Fraction(1), worse])}
        assert near_worst(scores, large_is_bad=large_is_bad).tolist() == [0, 1]
        assert worst_row(scores, large_is_bad=large_is_bad, **exactly) == (1, worse)
        assert worst_of_each_part(scores, np.array([0]), large_is_bad=large_is_bad, **exactly) == [worse]


def test_a_good_infinity_is_a_value_like_others():
    scores, exactly = np.array([np.inf, np.inf, 1.0]), of([math.inf, math.inf, Fraction(1)])
    parts = worst_of_each_part(scores, np.array([0, 2]), large_is_bad=False, kinds=ROWS.__getitem__, exactly=exactly)
    assert parts == [math.inf, Fraction(1)]
    assert worst_row(scores[:2], large_is_bad=False, kinds=ROWS.__getitem__, exactly=exactly) == (0, math.inf)


def test_kinds_of_several_parts_are_computed_once():
    calls = []

    def exactly(kinds):
        calls.append(kinds.tolist())
        return [Fraction(*kind) for kind in kinds.tolist()]

    kinds = np.array([[1, 2], [1, 3], [1, 2], [0, 0], [1, 2]])
    scores = np.array([1 / 2, 1 / 3, 1 / 2, np.inf, 1 / 2])
    found = worst_of_each_part(
        scores, np.array([0, 2, 3, 4]), large_is_bad=True, kinds=kinds.__getitem__, exactly=exactly
    )
    assert found == [Fraction(1, 2), Fraction(1, 2), math.inf, Fraction(1, 2)]
    assert calls == [[[1, 2]]]


@given(st.lists(st.integers(0, 20), min_size=3, max_size=3), st.integers(1, 50))
def test_proportions_have_one_lowest_form(row, times):
    assert reduce_fractions(np.array([row])).tolist() == reduce_fractions(np.array([row]) * times).tolist()


@given(st.lists(st.integers(0, 70_000), min_size=1, max_size=6))
def test_both_arithmetics_agree(counts):
    """Also above the counts that are looked up in a table."""
    listed = np.array([counts])
    exact, floats = EXACT.times_log(EXACT.whole(listed)), FLOATS.times_log(FLOATS.whole(listed))
    np.testing.assert_allclose(exact.astype(float), floats, rtol=1e-12)
    ratios = EXACT.ratio(listed.astype(object), 7), FLOATS.ratio(listed, 7)
    np.testing.assert_allclose(ratios[0].astype(float), ratios[1])


def test_logarithms_have_sixty_digits_and_none_have_no_floats():
    with localcontext(PRECISE):
        logs = EXACT.times_log(EXACT.whole(np.array([[0, 1], [2, 2]])))
        assert logs.tolist() == [[0, 0], [2 * Decimal(2).ln(), 2 * Decimal(2).ln()]]
        back = EXACT.exp(EXACT.log(np.array([Fraction(1, 2), Fraction(7)], object)))
        assert max(abs(back - [Decimal("0.5"), 7])) < Decimal("1e-55")
    none = np.empty((0, 3), np.int64)
    assert (EXACT.times_log(EXACT.whole(none)).shape, EXACT.times_log(EXACT.whole(none)).dtype) == ((0, 3), object)
    assert (FLOATS.times_log(none).shape, FLOATS.times_log(none).dtype) == ((0, 3), float)
    assert FLOATS.exp(FLOATS.log(np.array([0.5, 7]))).tolist() == pytest.approx([0.5, 7])


@pytest.mark.parametrize("largest", [1, 65_535, 65_536, 65_537])
def test_counts_in_the_table_and_beyond_it(largest):
    counts = np.array([[0, 1, 2], [largest, 3, 0]])
    expected = [[count * math.log(max(count, 1)) for count in row] for row in counts.tolist()]
    np.testing.assert_allclose(FLOATS.times_log(counts), expected, rtol=1e-15)


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
    assert join_all(screen, rows).tolist() == [[worst(listed)]]
    assert join_forwards(screen, rows).ravel().tolist() == [worst(listed[: at + 1]) for at in range(len(listed))]
    assert join_backwards(screen, rows).ravel().tolist() == [worst(listed[at:]) for at in range(len(listed))]


def test_groups_with_nothing_to_measure_do_not_count():
    release = sl.Release.from_counts([{"b": 9}, {"a": 1, "b": 1}])
    screen = sl.Negations(0, value="a").screen()
    assert screen.value(join_all(screen, screen.rows(release.groups))).tolist() == [0.5]


class Sums(Screen):
    """The least that a screen says: people, joined by addition."""

    def rows(self, groups):
        return groups.sizes[:, np.newaxis].astype(float)

    def join(self, one, other):
        return one + other

    def value(self, rows):
        return 2 * rows[:, 0]


class WholeSums(Sums):
    exact = True


class LooseSums(Sums):
    def slack(self, people):
        return people * NEAR


def test_what_a_screen_says_unless_it_says_otherwise():
    groups = sl.Release.from_counts([{"a": 2}, {"a": 1, "b": 2}]).groups
    screen = Sums()
    assert (screen.group_by_group, screen.breaks_with_one_group, screen.exact) == (False, True, False)
    assert (screen.slack(100), WholeSums().slack(100)) == (NEAR, 0)
    assert [screen.margin(bound, 100) for bound in (0, 0.5, -0.5, 3, -3)] == [NEAR, NEAR, NEAR, 3 * NEAR, 3 * NEAR]
    assert WholeSums().margin(3, 100) == 0
    assert [LooseSums().margin(bound, 100) for bound in (0.5, -4)] == [100 * NEAR, 400 * NEAR]
    harmless = screen.harmless(np.zeros((1, 1)), np.zeros((2, 1)))
    assert (harmless.tolist(), harmless.dtype) == ([False, False], bool)
    assert screen.kinds(groups).tolist() == [[2, 2, 0], [3, 1, 2]]
    assert screen.group_values(groups).tolist() == [4, 6]


@pytest.mark.parametrize("many", [0, 1, 2, 3, 4, 5, 8, 9])
def test_sums_are_joined_each_row_once(many):
    rows = 2.0 ** np.arange(many)[:, np.newaxis]  # a sum says which rows it is of
    listed = rows.ravel().tolist()
    assert join_all(Sums(), rows).ravel().tolist() == [sum(listed)][:many]
    assert join_forwards(Sums(), rows).ravel().tolist() == [sum(listed[: at + 1]) for at in range(many)]
    assert join_backwards(Sums(), rows).ravel().tolist() == [sum(listed[at:]) for at in range(many)]
    assert rows.ravel().tolist() == listed


# Ratios, exactly and in 60 digits.

PAIRS = [(1, 3), (2, 5), (7, 11)]


def test_products_of_ratios():
    assert FRACTIONS.product(PAIRS) == Fraction(14, 165)
    assert FRACTIONS.product(iter(PAIRS)) == Fraction(14, 165)
    assert (FRACTIONS.product([]), DECIMALS.product([])) == (1, 1)
    assert isinstance(DECIMALS.product([]), Decimal)
    assert FRACTIONS.ratio(4, 6) == Fraction(2, 3)
    with DECIMALS.precision():
        assert abs(DECIMALS.product(PAIRS) / (Decimal(14) / 165) - 1) < Decimal("1e-58")
        assert DECIMALS.ratio(2, 3) == Decimal(2) / 3


def test_odds_are_turned_into_risks_exactly_or_up():
    assert [FRACTIONS.risk(Fraction(each)) for each in (0, 1, Fraction(1, 2))] == [1, Fraction(1, 2), Fraction(2, 3)]
    with DECIMALS.precision():
        risks = [DECIMALS.risk(Decimal(each)) for each in ("0", "1", "0.5")]
    assert risks[0] == 1
    for risk, exact in zip(risks[1:], (Fraction(1, 2), Fraction(2, 3)), strict=True):
        assert exact < Fraction(risk)
        assert Fraction(math.nextafter(risk, 0)) <= exact


def test_what_cannot_be_told_apart_does_not_exceed():
    third = Fraction(1, 3)
    assert [FRACTIONS.exceeds(each, third) for each in (third, third + Fraction(1, 10**99), Fraction(1, 4))] == [
        False,
        True,
        False,
    ]
    with DECIMALS.precision():
        odds = [Decimal(1) / 3 * (1 + Decimal(each)) for each in ("0", "1e-51", "1e-49", "-1e-49", "1")]
        assert [DECIMALS.exceeds(each, third) for each in odds] == [False, False, True, False, True]
    nothing = Fraction(0)
    assert not FRACTIONS.exceeds(nothing, nothing)
    assert not DECIMALS.exceeds(Decimal(0), nothing)


def test_fractions_up_to_so_many_bits_and_decimals_beyond():
    def arithmetic_and_digits(arithmetic):
        return arithmetic, getcontext().prec

    usual = getcontext().prec
    assert compute_exactly(BITS_REPORTED, BITS_REPORTED, arithmetic_and_digits) == (FRACTIONS, usual)
    assert compute_exactly(BITS_REPORTED + 1, BITS_REPORTED, arithmetic_and_digits) == (DECIMALS, PRECISE.prec)
    assert getcontext().prec == usual


def test_a_measure_of_whole_releases_has_none():
    with pytest.raises(BadMeasure, match="a whole release"):
        sl.MaxEnt().screen()


def test_bernoullis_numbers():
    """SciPy has them as floats, by another way."""
    numbers = [float(bernoulli_number(k)) for k in range(2, 81, 2)]
    assert numbers == pytest.approx(bernoulli(80)[2::2].tolist(), rel=1e-12)
