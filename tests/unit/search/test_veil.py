"""The veil: what it covers, where it is nothing, and that floats and bounds are never below whole numbers."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.errors import BadPolicy
from sidelight.search.policy_check import ValueLimits, covered_limits, share_limit
from sidelight.search.veil import Veil, exact_veil, float_veil, unknown_to_all
from sidelight.worlds.closed_forms import OneCut
from tests.support.examples import examples

HALF = Fraction(1, 2)


def veil(counts: list[int], left: int, share: Fraction = HALF, different: int = 0) -> float:
    return float(Veil(ValueLimits(share, different=different)).compute_veils(np.array([counts]), np.array([left]))[0])


def test_equal_halves_need_no_veil() -> None:
    assert veil([4, 3, 1], 4) == 0


def test_a_cut_that_cannot_fail_needs_none() -> None:
    assert veil([2, 2, 2, 2], 4) == veil([1] * 7, 3) == 0


def test_a_cut_that_must_fail_is_not_looked_at() -> None:
    assert veil([4, 4, 1], 3, share=Fraction(4, 9)) == 1


def test_where_a_value_has_its_share_nothing_may_move() -> None:
    assert veil([4, 2, 2], 3) == 1
    assert veil([4, 2, 2], 4) == 0


def test_the_fives_of_eleven_people() -> None:
    # F = 10/165, p = 3/5, n_s/n = 3/11
    odds = Fraction(10, 165) * (Fraction(3, 5) - HALF) / (HALF - Fraction(3, 11))
    assert veil([3, 2, 2, 2, 1, 1], 5) == pytest.approx(float(odds / (1 + odds)), rel=1e-12)
    assert veil([3, 2, 2, 2, 1, 1], 5) >= odds / (1 + odds)
    assert veil([3, 2, 2, 2, 1, 1], 5) == veil([3, 2, 2, 2, 1, 1], 6)


def test_a_million_people() -> None:
    assert 0 < veil([400_000, 350_000, 250_000], 499_000) < 1e-100
    assert 0 < veil([499_000, 301_000, 200_000], 200_000) < 0.1


@st.composite
def cuts(draw: st.DrawFn) -> tuple[OneCut, Fraction]:
    share = draw(st.sampled_from([Fraction(1, 2), Fraction(2, 3), Fraction(2, 5)]))
    rest = draw(st.lists(st.integers(1, 25), min_size=2, max_size=5))
    top = draw(st.integers(1, max(int(share / (1 - share) * sum(rest)) - 1, 1)))
    counts = [top, *rest]
    if max(counts) >= share * sum(counts):
        counts = [2, 2, 2, 2]
    left = draw(st.integers(1, sum(counts) - 1))
    right = sum(counts) - left
    different = draw(st.sampled_from([0, 0, 2]))
    return OneCut.build(counts, left, int(share * left), int(share * right), different=different), share


@examples(150)
@given(cuts())
def test_bounds_and_floats_are_never_below_whole_numbers(drawn: tuple[OneCut, Fraction]) -> None:
    cut, share = drawn
    exactly = exact_veil(cut, share)
    if exactly < 1:
        in_floats = float_veil(cut, share)
        assert in_floats >= exactly
        assert cut.different or in_floats <= exactly + 1e-6
    right = cut.people - cut.left
    most = np.array([int(share * cut.left)]), np.array([int(share * right)])
    limits = ValueLimits(share, different=cut.different)
    counts = -np.sort(-np.array([cut.counts]), axis=1)
    bound = Veil(limits)._union_bound(counts, np.array([cut.left]), most)[0]
    assert bound >= (1 - cut.probability) * (1 - Fraction(1, 10**9))


def test_limits_that_are_covered() -> None:
    policy = sl.Policy(
        sl.GroupSize() >= 5, sl.RecursiveDiversity(2) <= 2, sl.Negations(0) < 0.7, sl.DistinctValues() > 2
    )
    limits = covered_limits(policy)
    assert limits == ValueLimits(Fraction(2, 3), different=3)
    assert limits.belief == Fraction(2, 3)
    assert covered_limits(sl.Policy(sl.GroupSize() >= 5)) is None


@pytest.mark.parametrize(
    "criterion",
    [
        sl.Implications(1) <= 0.5,
        sl.Implications(0, value="Flu") <= 0.5,
        sl.EntropyDiversity() >= 2,
        sl.Closeness() <= 0.3,
        sl.RecursiveDiversity(3) <= 2,
        sl.DistinctValues(apart_from=["Flu"]) >= 2,
        sl.BetaLikeness() <= 1,
    ],
)
def test_other_limits_are_refused_by_name(criterion: sl.Criterion) -> None:
    with pytest.raises(BadPolicy, match="covers limits on sizes"):
        covered_limits(sl.Policy(criterion, sl.Implications(0) <= 0.5))


def test_without_a_limit_on_shares_nothing_says_how_sure_anybody_may_get() -> None:
    with pytest.raises(BadPolicy, match=r"needs a limit.*how sure"):
        covered_limits(sl.Policy(sl.DistinctValues() >= 3))


def test_coins_of_the_operating_system() -> None:
    falls = unknown_to_all(np.array([0.0, 1.0] * 200))
    assert falls.tolist() == [False, True] * 200


@examples(100)
@given(
    st.lists(st.integers(0, 9), min_size=2, max_size=5).filter(any),
    st.fractions(Fraction(1, 4), Fraction(1), max_denominator=12),
    st.integers(0, 7),
)
def test_limits_read_as_shares_are_kept_by_the_same_groups(counts: list[int], share: Fraction, which: int) -> None:
    measure = (sl.Implications(0), sl.Negations(0), sl.RecursiveDiversity(1), sl.RecursiveDiversity(2))[which // 2]
    criterion = measure <= share if which % 2 else measure < share
    limit = share_limit(criterion)
    assert limit is not None
    release = sl.Release.from_counts([dict(zip("abcde", counts, strict=False))])
    assert (max(counts) <= limit.most_of(sum(counts))) == criterion.judge(release).holds
