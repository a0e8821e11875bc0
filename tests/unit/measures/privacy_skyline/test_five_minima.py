"""The five minima: the kernel next to exact numbers, and merging in any order.

Odds in one group: logarithms next to the same numbers as fractions, and decimals next to both.
"""

import math
from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import permutations, product
from math import perm, prod

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.measures.exact import DECIMALS, FRACTIONS, tolerance
from sidelight.measures.privacy_skyline.five_minima import (
    ARRANGEMENTS,
    SERIES_FROM,
    Factors,
    FiveMinima,
    Knowledge,
    ValueInGroup,
    _log_stirling_rest,
    _once_per_pair,
    five_products,
    index_of_least,
    log_missing_all,
    log_none_has,
    log_odds_against,
    log_products,
    ruled_out_weights,
    top_width,
    weigh_ruled_out,
)
from sidelight.rounding import log
from sidelight.table.table import Counts
from sidelight.testing import releases

SEMANTICS = ("single", "set", "multiset")


@st.composite
def draws(draw):
    """n, a, m with a + m ≤ n: a few people among any number, also with hardly anybody left."""
    few = draw(st.integers(1, 40))
    many = draw(st.integers(1, 10 ** draw(st.integers(1, 12))))
    rest = draw(st.integers(0, 70) | st.integers(0, 10 ** draw(st.integers(1, 12))))
    a, m = (few, many) if draw(st.booleans()) else (many, few)
    return a + m + rest, a, m


@example((10**9, 3, 5))
@example((2, 1, 1))
@example((1024, 1, 1))
@given(draws())
def test_it_is_as_exact_as_it_says(drawn):
    n, a, m = drawn
    few, many = sorted((a, m))
    exact = log(Fraction(perm(n - many, few), perm(n, few)))
    approximate = float(log_missing_all(np.array([n]), np.array([a]), m)[0])
    with localcontext(prec=60):
        off = abs(Decimal(approximate) - exact)
    assert off <= 8e-15 * few + 4e-15 * abs(float(exact)) + 1e-11 * (n < 1024) + 1e-13


@pytest.mark.parametrize("factor", [10**3, 10**6, 10**9])
def test_it_does_not_grow_worse_with_many_factors(factor):
    """a = m = few: the product of n−few−i over n−i, doubled, is the same as for one draw after the other."""
    n, few = 10**6 * factor, 1000
    once = log_missing_all(np.array([n]), np.array([few]), few)[0]
    steps = np.log1p(-few / (n - np.arange(few))).sum()
    assert once == pytest.approx(steps, abs=8e-15 * few)


def test_long_arithmetic_agrees_with_short():
    for semantics in SEMANTICS:
        group = ValueInGroup(semantics, 40, 6, (7, 3))
        exact = group.odds_against(5, FRACTIONS) * group.none_has(4, 6, FRACTIONS)
        with DECIMALS.precision():
            rounded = group.odds_against(5, DECIMALS) * group.none_has(4, 6, DECIMALS)
            risk = DECIMALS.risk(rounded)
            assert DECIMALS.exceeds(rounded, exact) is False, semantics  # what cannot be told apart does not hold
            assert DECIMALS.exceeds(rounded, exact * Fraction(999, 1000))
        assert math.isclose(rounded, exact, rel_tol=1e-15)
        assert 0 <= Fraction(risk) - FRACTIONS.risk(exact) < Fraction(1, 10**15)


def odds_by_definition(semantics, n, a, ruled_out, k):
    """T as the table of the module has it."""
    if semantics == "single":
        return Fraction(max(n - a - sum(ruled_out) - k, 0), a)
    if semantics == "set":
        return Fraction(max(n - a - k, 0), a) * prod(Fraction(n - count, n) for count in ruled_out)
    if n - k <= 1:
        return Fraction(0)
    q = Fraction(n - k - 1, n - k) ** a
    return q / (1 - q) * Fraction(n - 1, n) ** sum(ruled_out)


def none_has_by_definition(semantics, n, a, m, k):
    """V as the table of the module has it; of nobody it is certain."""
    if m == 0:
        return Fraction(1)
    if semantics == "multiset":
        return Fraction(n - k - m, n - k) ** a if n - k > m else Fraction(0)
    if n - a - k - (m - 1) <= 0:
        return Fraction(0)
    return prod((Fraction(n - a - k - i, n - k - i) for i in range(m)), start=Fraction(1))


GROUPS = [(n, a) for n in range(1, 7) for a in range(1, n + 1)]


@pytest.mark.parametrize("semantics", ["single", "set", "multiset"])
def test_odds_are_those_of_the_table_in_fractions_decimals_and_logarithms(semantics):
    cases = list(product(GROUPS, [(), (1,), (2, 1)], range(8)))
    cases = [case for case in cases if case[0][0] >= max(case[1], default=0)]
    for (n, a), ruled_out, k in cases:
        exact = odds_by_definition(semantics, n, a, ruled_out, k)
        group = ValueInGroup(semantics, n, a, ruled_out)
        assert group.odds_against(k, FRACTIONS) == exact
        with DECIMALS.precision():
            assert group.odds_against(k, DECIMALS) == pytest.approx(Decimal(float(exact)), rel=Decimal("1e-15"))
        weight = sum(weigh_ruled_out(semantics, np.array([count]), np.array([n]))[0] for count in ruled_out)
        log_odds = log_odds_against(semantics, np.array([n]), np.array([a]), np.array([weight]), k)[0]
        assert log_odds == pytest.approx(math.log(exact) if exact else -math.inf, abs=1e-12)


@pytest.mark.parametrize("semantics", ["single", "set", "multiset"])
def test_that_none_has_it_is_as_likely_as_in_the_table(semantics):
    for (n, a), m, k in product(GROUPS, range(8), range(8)):
        exact = none_has_by_definition(semantics, n, a, m, k)
        group = ValueInGroup(semantics, n, a, ())
        assert group.none_has(m, k, FRACTIONS) == exact
        with DECIMALS.precision():
            assert group.none_has(m, k, DECIMALS) == pytest.approx(Decimal(float(exact)), rel=Decimal("1e-15"))
        log_none = log_none_has(semantics, np.array([n]), np.array([a]), m, k)
        assert log_none[0] == pytest.approx(math.log(exact) if exact else -math.inf, abs=1e-12)


@pytest.mark.parametrize("semantics", ["single", "set", "multiset"])
def test_points_of_their_own_amounts_give_what_each_gives_alone(semantics):
    """A column of k and m for a row of groups, as skylines ask."""
    n, a = np.array(GROUPS).T
    k, m = np.indices((4, 5)).reshape(2, -1, 1)
    weight = weigh_ruled_out(semantics, np.ones_like(n), n)
    target, family = log_odds_against(semantics, n, a, weight, k), log_none_has(semantics, n, a, m, k)
    for point in range(len(k)):
        assert (target[point] == log_odds_against(semantics, n, a, weight, int(k[point, 0]))).all()
        assert (family[point] == log_none_has(semantics, n, a, int(m[point, 0]), int(k[point, 0]))).all()


def test_bits_count_the_factors_and_are_enough():
    def bits(n, a, ruled_out=(), m=0):
        return [ValueInGroup(semantics, n, a, ruled_out).bits(m) for semantics in SEMANTICS]

    assert bits(1023, 3) == [10, 10, 30]
    assert bits(1024, 3, (5, 2), 7) == [66, 66, 143]
    assert bits(1023, 7, m=3) == [40, 40, 140]
    for semantics in SEMANTICS:
        group = ValueInGroup(semantics, 900, 70, (300, 200))
        exact = group.odds_against(5, FRACTIONS) * group.none_has(40, 6, FRACTIONS)
        assert max(exact.numerator, exact.denominator).bit_length() <= group.bits(40)


@pytest.mark.parametrize("few", [1, 3])
def test_where_the_series_begins_nothing_changes(few):
    """In one array: numbers below, at and above its first one, of people left beside few and many."""
    rest = np.arange(SERIES_FROM + 10)
    many = np.full_like(rest, 2000)
    logs = log_missing_all(many + few + rest, many, few)
    exchanged = log_missing_all(many + few + rest, np.full_like(rest, few), many)
    for left, log_missing, other in zip(rest.tolist(), logs.tolist(), exchanged.tolist(), strict=True):
        exact = prod(Fraction(left + few - i, 2000 + left + few - i) for i in range(few))
        assert log_missing == other == pytest.approx(math.log(exact), abs=1e-12)


PI = Decimal("3.14159265358979323846264338327950288419716939937510")


@pytest.mark.parametrize("x", [SERIES_FROM, SERIES_FROM + 1, 100, 1000])
def test_three_terms_of_the_series_are_as_good_as_floats_get(x):
    with localcontext(prec=60):
        exact = log(Fraction(math.factorial(x))) - (x + Decimal("0.5")) * log(Fraction(x)) + x - (2 * PI).ln() / 2
        off = abs(Decimal(float(_log_stirling_rest(np.array([x]))[0])) - exact)
    assert off < Decimal("2e-16")


@pytest.mark.parametrize("people", [20, 2000])
def test_of_no_families_nothing_is_said(people):
    assert log_missing_all(np.array([people]), np.array([3]), np.empty((0, 1), np.int64)).shape == (0, 1)
    assert log_missing_all(np.empty(0, np.int64), np.empty(0, np.int64), 1).shape == (0,)


knowledge = st.builds(Knowledge, st.integers(0, 3), st.integers(0, 4), st.integers(0, 4))


@given(releases(max_people=9), knowledge)
def test_the_kernel_is_the_logarithm_of_the_exact_products(release, knows):
    groups = release.groups
    counts = groups.counts.dense()
    weights = ruled_out_weights(groups, counts, knows.rules_out)
    logs = log_products(groups.semantics, groups.sizes[:, np.newaxis], np.maximum(counts, 1), weights, knows)
    for row, value in np.argwhere(counts > 0).tolist():
        place = ValueInGroup.from_row(groups, row, value, knows.rules_out)
        for factors, logarithm in zip(five_products(knows), logs, strict=True):
            exact = place.product(factors, knows.family, FRACTIONS)
            assert np.exp(np.broadcast_to(logarithm, counts.shape)[row, value]) == pytest.approx(float(exact), rel=1e-9)


@given(releases(max_groups=4, max_people=6), knowledge)
def test_parts_merge_in_any_order(release, knows):
    values = np.arange(len(release.domain))
    parts = [
        FiveMinima.from_groups(release.groups.take(slice(row, row + 1)), values, knows)
        for row in range(len(release.groups))
    ]
    whole = FiveMinima.from_groups(release.groups, values, knows)
    for order in list(permutations(parts))[:6]:
        merged = order[0]
        for part in order[1:]:
            merged = merged.merge(part)
        assert merged.worst() == whole.worst()
        assert (merged.numbers() == whole.numbers()).all()


def test_a_value_that_nobody_has_has_no_worst():
    release = sl.Release.from_counts([{"a": 2}], domain=["a", "b"])
    assert FiveMinima.from_groups(release.groups, np.array([1]), Knowledge(1, 1, 1)).worst() is None


def test_where_no_value_is_in_question_there_is_no_worst():
    release = sl.Release.from_counts([{"a": 2, "b": 1}])
    assert FiveMinima.from_groups(release.groups, np.empty(0, np.int64), Knowledge(1, 1, 1)).worst() is None


def test_of_equal_arrangements_the_one_with_the_fewest_groups_speaks():
    release = sl.Release.from_counts([{"a": 1, "b": 3}, {"a": 1, "b": 3}])
    worst = FiveMinima.from_groups(release.groups, np.array([0]), Knowledge(0, 0, 0)).worst()
    assert worst == (0, ARRANGEMENTS.index((0,)), Fraction(1, 4))


@pytest.mark.parametrize("knows", [Knowledge(0, 0, 0), Knowledge(0, 2, 0), Knowledge(0, 0, 1), Knowledge(0, 2, 1)])
@pytest.mark.parametrize("semantics", ["single", "set", "multiset"])
def test_every_product_has_an_entry_for_every_pair(semantics, knows):
    """Also those that are the same everywhere: without a family V is 1."""
    sizes, counts, weight = np.array([[9], [12]]), np.array([1, 2, 3]), np.array([0])
    products = log_products(semantics, sizes, counts, weight, knows)
    assert [each.shape for each in products] == [(2, 3)] * 5
    if knows.family == 0:
        assert (products[2] == 0).all()
        assert (products[4] == 0).all()


def test_logarithms_of_equal_odds_are_apart_by_their_size_and_the_family():
    assert tolerance(0.0, 0) == tolerance(1.0, 0) == tolerance(-0.5, 0) == 1e-9
    assert tolerance(np.array([-20.0, 300.0]), 0).tolist() == pytest.approx([2e-8, 3e-7], rel=1e-12)
    assert tolerance(0.0, 10**6) == pytest.approx(1e-9 + 8e-9, rel=1e-12)


@pytest.mark.parametrize(
    ("n", "a", "computed"),
    [
        ([3, 4, 3, 4, 4], [1, 2, 2, 1, 1], (2, 2)),  # four pairs in their ranges, five entries
        ([3, 4, 3, 4], [1, 2, 2, 1], (4,)),
        ([7, 7], [1, 1], (1, 1)),
        ([7, 10**9], [1, 1], (2,)),
    ],
)
def test_what_two_numbers_decide_is_computed_once_per_pair_where_that_is_less(n, a, computed):
    shapes = []

    def compute(sizes, counts):
        shapes.append(np.broadcast_shapes(sizes.shape, counts.shape))
        return sizes * 10.0 + counts

    logs = _once_per_pair(compute, np.array(n), np.array(a))
    assert logs.tolist() == [10 * size + count for size, count in zip(n, a, strict=True)]
    assert shapes == [computed]
    assert _once_per_pair(compute, np.empty((0, 2), int), np.empty((0, 2), int)).shape == (0, 2)


def test_a_group_is_seen_from_a_value_with_what_would_be_ruled_out():
    groups = sl.Release.from_counts([{"a": 9, "b": 9}, {"a": 2, "b": 0, "c": 3, "d": 5}]).groups
    seen = [ValueInGroup.from_row(groups, 1, 0, rules_out) for rules_out in (0, 1, 2, 3, 50)]
    assert [each.ruled_out for each in seen] == [(), (5,), (5, 3), (5, 3), (5, 3)]
    assert {(each.semantics, each.people, each.count) for each in seen} == {("single", 10, 2)}
    assert ValueInGroup.from_row(groups, 1, 3, 1) == ValueInGroup("single", 10, 5, (3,))


def test_what_is_ruled_out_makes_numbers_longer():
    assert [ValueInGroup(each, 1023, 3, (5, 2)).bits(0) for each in ("single", "set", "multiset")] == [30, 30, 100]
    release = sl.Release.from_counts([{"a": 3, "b": 20_000}], sizes=[1000], values="multiset")
    values = [sl.Acquaintance(rules_out, value="a").measure(release).value for rules_out in (0, 1)]
    assert [type(value) for value in values] == [Fraction, float]


@pytest.mark.parametrize("semantics", ["single", "set"])
def test_one_more_person_ruled_out_decides_though_floats_cannot_tell(semantics):
    many = 10**10
    bags = [{"a": 5, "b": many, "c": many}, {"a": 5, "b": many + 1, "c": many - 1}]
    release = sl.Release.from_counts(bags, sizes=[2 * many + 5] * 2, values=semantics)
    finding = sl.Acquaintance(rules_out=1, value="a").measure(release)
    left = many - 1 if semantics == "single" else Fraction(2 * many * (many + 4), 2 * many + 5)
    assert (finding.witness.group.number, finding.value) == (2, 1 / (1 + Fraction(left, 5)))
    first, second = (
        FiveMinima.from_groups(release.groups.take(slice(row, row + 1)), np.array([0]), Knowledge(1, 0, 0))
        for row in (0, 1)
    )
    for merged in (first.merge(second), second.merge(first)):
        assert merged.numbers().ravel().tolist() == [2, 2, 1, 2, 1]  # without a family V is 1 in both
        assert merged.worst()[2] == finding.value


@pytest.mark.parametrize("semantics", ["single", "set"])
def test_one_more_person_with_the_value_decides_though_floats_cannot_tell(semantics):
    many = 10**10
    bags = [{"a": many - 1, "b": many + 1}, {"a": many, "b": many}]
    release = sl.Release.from_counts(bags, sizes=[2 * many] * 2, values=semantics)
    finding = sl.Acquaintance(value="a").measure(release)
    assert (finding.witness.group.number, finding.value) == (2, Fraction(1, 2))
    for family in (1, 2):  # each value is in most danger where it is more frequent
        minima = FiveMinima.from_groups(release.groups, np.arange(2), Knowledge(0, 0, family))
        assert minima.numbers().tolist() == [[2, 1]] * 5


def test_factors_that_are_not_asked_for_are_left_out():
    place = ValueInGroup("single", 10, 2, (4, 1))
    target, family = Fraction(10 - 2 - 5 - 1, 2), Fraction(7 * 6, 9 * 8)  # T with one other; V of two, beside one
    products = {(1, None): target, (None, 1): family, (1, 1): target * family, (None, None): 1}
    for factors, expected in products.items():
        assert place.product(Factors(*factors), 2, FRACTIONS) == expected


def test_of_equal_products_the_first_is_the_least():
    third, also_third, half = (ValueInGroup("single", n, a, ()) for n, a in ((4, 3), (8, 6), (3, 2)))
    for rivals, least in (((half, third, also_third), 1), ((also_third, third), 0), ((half,), 0)):
        assert index_of_least(rivals, Factors(0, None), 0) == least


def test_a_value_that_has_not_occurred_points_nowhere():
    groups = sl.Release.from_counts([{"a": 2, "b": 1}, {"a": 1, "b": 1}], domain=["a", "b", "c"]).groups
    minima = FiveMinima.from_groups(groups, np.arange(3), Knowledge(1, 1, 1))
    for each in (minima, minima.merge(minima), FiveMinima.from_groups(groups, np.array([2]), Knowledge(0, 0, 0))):
        assert (each.part[:, -1] == -1).all()
        assert (each.row[:, -1] == -1).all()
        assert np.isposinf(each.logs[:, -1]).all()
        assert (each.numbers()[:, -1] == 0).all()
        assert (each.part[:, :-1] >= 0).all()


def test_where_one_part_lacks_a_value_the_other_one_speaks():
    release = sl.Release.from_counts([{"a": 1, "b": 3}, {"b": 1, "c": 4}])
    first, second = (
        FiveMinima.from_groups(release.groups.take(slice(row, row + 1)), np.arange(3), Knowledge(0, 0, 1))
        for row in (0, 1)
    )
    for merged in (first.merge(second), second.merge(first)):
        assert merged.numbers()[:, [0, 2]].tolist() == [[1, 2]] * 5
        assert merged.worst() == FiveMinima.from_groups(release.groups, np.arange(3), Knowledge(0, 0, 1)).worst()


def test_parts_of_several_groups_merge_to_those_of_the_whole():
    release = sl.Release.from_counts([{"a": 1, "b": 9}, {"a": 3, "b": 4}, {"a": 5, "b": 3}, {"a": 1, "b": 19}])
    for knows in (Knowledge(0, 0, 0), Knowledge(0, 1, 1)):
        whole = FiveMinima.from_groups(release.groups, np.arange(2), knows)
        first, second = (
            FiveMinima.from_groups(release.groups.take(part), np.arange(2), knows) for part in (slice(2), slice(2, 4))
        )
        for merged in (first.merge(second), second.merge(first)):
            assert merged.numbers().tolist() == whole.numbers().tolist()
            assert (merged.worst(), merged.domain) == (whole.worst(), whole.domain) == (whole.worst(), ("a", "b"))


def test_only_groups_that_are_pointed_at_are_kept():
    release = sl.Release.from_counts([{"a": 1, "b": 9}, {"a": 1, "b": 1}, {"a": 1, "b": 4}, {"b": 3, "a": 2}])
    minima = FiveMinima.from_groups(release.groups, np.array([0]), Knowledge(0, 0, 1))
    assert [groups.numbers.tolist() for groups in minima.groups] == [[2]]
    both = FiveMinima.from_groups(release.groups, np.arange(2), Knowledge(0, 0, 1))
    assert [groups.numbers.tolist() for groups in both.groups] == [[1, 2]]
    for column, number in ((0, 2), (1, 1)):
        assert both.group(0, column).numbers.tolist() == [number]


@pytest.mark.parametrize("semantics", ["single", "set"])
@pytest.mark.parametrize(("lack", "have"), [(1, 3), (2, 3), (5, 7), (1, 2), (2, 1)])
def test_equal_odds_are_equal_though_floats_differ(lack, have, semantics):
    """Of equal ones the group with the smallest number stands for all, whichever comes first and is less in floats."""
    factors = (3, 5, 7, 11, 13, 49)
    bags = [{"a": factor * have, "b": factor * lack} for factor in factors]
    groups = sl.Release.from_counts(bags, sizes=[sum(bag.values()) for bag in bags], values=semantics).groups
    value, nothing = np.array([0]), Knowledge(0, 0, 0)
    parts = [FiveMinima.from_groups(groups.take(slice(row, row + 1)), value, nothing) for row in range(len(factors))]
    assert len({float(part.logs[0, 0]) for part in parts}) > 1
    for one, other in permutations(range(len(factors)), 2):
        assert (parts[one].merge(parts[other]).numbers() == min(one, other) + 1).all()
    whole = FiveMinima.from_groups(groups, value, nothing)
    assert (whole.numbers() == 1).all()
    assert whole.worst()[2] == Fraction(have, lack + have)


@pytest.mark.parametrize("semantics", ["single", "set", "multiset"])
def test_what_is_settled_is_exactly_one_however_large_the_groups(semantics):
    """Products of so many factors are not written out as fractions, but nothing is left of this one."""
    counts = {"a": 20_000, "b": 20_000}
    release = sl.Release.from_counts([counts], sizes=[40_000], values=semantics)
    worst = FiveMinima.from_groups(release.groups, np.arange(2), Knowledge(0, 0, 40_000)).worst()
    assert (worst[0], worst[2]) == (0, 1)
    assert isinstance(worst[2], Fraction)


@pytest.mark.parametrize("semantics", ["set", "multiset"])
@pytest.mark.parametrize("measure", [sl.Implications(1), sl.Acquaintance(rules_out=1, others=1, family=1)])
def test_groups_in_which_nobody_has_any_value_are_a_part_like_others(semantics, measure):
    release = sl.Release.from_counts([{"a": 2, "b": 1}, {}], sizes=[4, 3], values=semantics)
    some, nobody = (measure.summarize(release.groups.take(slice(row, row + 1))) for row in (0, 1))
    assert nobody.finding().value == 0
    assert some.merge(nobody).finding() == nobody.merge(some).finding() == measure.measure(release)


def test_where_there_is_no_value_none_is_in_question():
    groups = sl.Release.from_counts([{"a": 1}, {}], sizes=[4, 3], values="set").groups.take(slice(1, 2))
    without = replace(groups, domain=(), counts=Counts.from_cells(np.zeros((1, 0))), whole=np.zeros(0, np.int64))
    assert FiveMinima.from_groups(without, np.empty(0, np.int64), Knowledge(2, 1, 1)).worst() is None


@given(releases(max_groups=4, max_people=6), st.integers(0, 2), st.integers(0, 2))
def test_ruling_out_more_values_than_any_group_has_is_ruling_out_all_of_them(release, others, family):
    most = release.groups.counts.most_in_a_row
    found = [sl.Acquaintance(rules_out, others, family).measure(release) for rules_out in (most, most + 1, 10**6)]
    assert len({each.value for each in found}) == 1
    assert len({each.witness and (each.witness.group.number, each.witness.value) for each in found}) == 1


@pytest.mark.parametrize("rules_out", [0, 2, 5, 4_999])
def test_counts_ruled_out_are_no_more_than_a_group_has(rules_out):
    """Of 5,000 values with 3 in each group: the ℓ + 1 largest counts, at most the 3 and one zero beside them."""
    groups = sl.Release.from_counts([{f"v{g}": 2, f"v{g + 1}": 1, f"v{g + 2}": 1} for g in range(4_998)]).groups
    assert top_width(groups.counts, rules_out) == min(rules_out, 3) + 1


def test_parts_where_nobody_has_a_family_merge_without_exact_numbers(monkeypatch):
    """V is 1 in both parts, whatever their sizes and counts; the odds against the target are clearly apart."""
    release = sl.Release.from_counts([{f"v{n}": 2 + n for n in range(9)}, {f"v{n}": 50 + n for n in range(9)}])
    parts = [FiveMinima.from_groups(release.groups.take([row]), np.arange(9), Knowledge(1, 1, 0)) for row in (0, 1)]
    monkeypatch.delattr(FiveMinima, "_yields")
    merged = parts[1].merge(parts[0])
    assert merged.numbers()[[2, 4]].tolist() == [[1] * 9] * 2
