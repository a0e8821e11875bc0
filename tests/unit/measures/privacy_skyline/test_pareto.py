"""Undominated groups: how few they are, and that they decide as all groups do; the risk at many amounts at once: the same as one by one, also at the edges."""

from fractions import Fraction
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import sidelight as sl
from sidelight.errors import BadTable, UnknownValue, WrongKind
from sidelight.measures.privacy_skyline import pareto
from sidelight.measures.privacy_skyline.pareto import (
    RiskMap,
    RiskTest,
    UndominatedGroups,
    _blocks,
    _other_counts,
    _Pairs,
    _running_sums,
    _shorten_integers,
    find_undominated,
    largest_passed,
)


def test_a_group_with_more_people_and_no_more_of_the_value_does_not_matter():
    release = sl.Release.from_counts([{"a": 2, "b": 3}, {"a": 2, "b": 6}, {"a": 1, "b": 9, "c": 1}])
    groups = UndominatedGroups.from_groups(release.groups, 0)
    assert (groups.family_sizes.tolist(), groups.family_counts.tolist()) == ([5], [2])
    assert groups.sizes[0].tolist() == [5]


def test_what_is_ruled_out_can_make_a_large_group_matter():
    release = sl.Release.from_counts([{"a": 1, "b": 1, "c": 1, "d": 1}, {"a": 1, "b": 8}])
    groups = UndominatedGroups.from_groups(release.groups, 0)
    assert sorted(set(groups.sizes[0].tolist())) == [4]
    assert sorted(set(groups.sizes[1].tolist())) == [4, 9]


def test_in_sets_a_frequent_value_that_is_ruled_out_weighs_more_than_a_few_people():
    release = sl.Release.from_counts([{"a": 1}, {"a": 1, "b": 11}], sizes=[9, 12], values="set")
    groups = UndominatedGroups.from_groups(release.groups, 0)
    nothing = np.zeros((2, 1), np.int64)
    odds = np.exp(groups.log_odds(np.arange(2), nothing, nothing))
    assert odds.tolist() == pytest.approx([8, 11 / 12])  # (12 − 1)/1 · (12 − 11)/12


def test_to_a_family_few_people_matter_and_many_with_the_value():
    release = sl.Release.from_counts([{"a": 1, "b": 3}, {"a": 2, "b": 98}, {"a": 2, "b": 99}, {"a": 1, "b": 99}])
    families = UndominatedGroups.from_groups(release.groups, 0).families()
    assert [(each.people, each.count) for each in families] == [(4, 1), (100, 2)]


def test_groups_without_the_value_never_matter():
    release = sl.Release.from_counts([{"b": 2}], domain=["a", "b"])
    assert UndominatedGroups.from_groups(release.groups, 0) is None


@pytest.mark.parametrize("semantics", ["single", "set", "multiset"])
def test_a_limit_that_the_risk_reaches_exactly_is_not_passed(semantics):
    bags = [{"a": 2, "b": 3, "c": 3}, {"a": 1, "b": 4, "c": 4}]
    release = sl.Release.from_counts(bags, sizes=[8, 9], values=semantics)
    groups = UndominatedGroups.from_groups(release.groups, 0)
    risk = sl.Acquaintance(1, 2, 1, value="a").measure(release).value
    point = (np.array([1]), np.array([2]), np.array([1]))
    for limit, passes in ((risk, False), (risk + Fraction(1, 10**15), True), (risk - Fraction(1, 10**15), False)):
        assert RiskTest(release.groups, 0, groups, 1 / limit - 1).passes(*point).tolist() == [passes]


def test_long_numbers_decide_next_to_a_limit_too():
    """Odds of 60,000 bits, twice: more than fractions are written out for."""
    people, often = 1 << 15, 4100
    release = sl.Release.from_counts([{"a": often, "b": 5}], sizes=[people], values="multiset")
    groups, point = UndominatedGroups.from_groups(release.groups, 0), (np.zeros(1, np.int64),) * 3
    none = Fraction(people - 1, people) ** often
    odds = none / (1 - none)
    for limit, passes in (
        (odds, False),
        (odds * (1 - Fraction(1, 10**12)), True),
        (odds * (1 + Fraction(1, 10**12)), False),
    ):
        assert RiskTest(release.groups, 0, groups, limit).passes(*point).tolist() == [passes]


@given(arrays(np.int64, (3, 7), elements=st.integers(0, 3)))
def test_undominated_rows_have_no_row_below_them(columns):
    rows = columns.T.tolist()

    def dominated(row):
        below = [other for other in range(7) if all(x <= y for x, y in zip(rows[other], rows[row], strict=True))]
        return any(rows[other] != rows[row] or other < row for other in below)

    assert find_undominated(*columns).tolist() == [row for row in range(7) if not dominated(row)]


@pytest.mark.parametrize("too_many", [0, 1, 2, 7, 8])
def test_the_largest_number_that_passes_is_found_for_many_questions_at_once(too_many):
    largest = np.arange(-1, too_many)  # every answer that there can be, and the numbers tried are none below 0
    asked = []

    def passes(numbers):
        asked.extend(numbers.tolist())
        return numbers <= largest

    found = largest_passed(passes, np.full(len(largest), too_many))
    assert found.tolist() == largest.tolist()
    assert all(0 <= number < max(too_many, 1) for number in asked)


def test_questions_may_end_at_different_numbers():
    ends = np.array([0, 1, 5, 100])
    assert largest_passed(lambda numbers: numbers < ends, ends).tolist() == [-1, 0, 4, 99]
    assert largest_passed(lambda numbers: numbers < 3, ends).tolist() == [-1, 0, 2, 2]


WIDE = [{f"v{number}": 1 + number % 3 for number in range(3 * row, 3 * row + 4)} for row in range(8)]
"""Every value in at most two of eight groups, so that the counts are sparse."""


@pytest.mark.parametrize("semantics", ["single", "set", "multiset"])
@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_undominated_groups_have_the_odds_of_all(monkeypatch, semantics, kind):
    dense = [{"v3": 2, "b": 3, "c": 3, "d": 1}, {"v3": 1, "b": 4, "c": 1}, {"b": 5, "c": 1}, {"v3": 2, "b": 6, "c": 1}]
    bags = dense if kind == "dense" else WIDE
    release = sl.Release.from_counts(bags, sizes=[sum(bag.values()) for bag in bags], values=semantics)
    assert (release.groups.counts.cells is None) == (kind == "sparse")
    points = np.array([*product(range(4), range(3), range(3))])
    exact = [sl.Acquaintance(*point, value="v3").measure(release).value for point in points.tolist()]
    for at_once in (pareto.CELLS_AT_ONCE, 1):
        monkeypatch.setattr(pareto, "CELLS_AT_ONCE", at_once)
        groups = UndominatedGroups.from_groups(release.groups, release.groups.code_of("v3"))
        assert len(groups.sizes) == 4  # none, or up to all three of the other values that occur with it, are ruled out
        risks = 1 / (1 + np.exp(groups.log_odds(points[:, 0], points[:, 1:2], points[:, 2:])))
        assert risks.tolist() == pytest.approx(list(map(float, exact)), abs=1e-9)


@pytest.mark.parametrize("semantics", ["single", "set", "multiset"])
@pytest.mark.parametrize("limit", [Fraction(1, 3), Fraction(1, 2), Fraction(1)])
def test_points_pass_one_by_one_as_measured(monkeypatch, semantics, limit):
    bags = [{"a": 2, "b": 3, "c": 3}, {"a": 1, "b": 4, "c": 4}, {"a": 1, "b": 1, "c": 2}]
    release = sl.Release.from_counts(bags, sizes=[8, 9, 4], values=semantics)
    test = RiskTest(release.groups, 0, UndominatedGroups.from_groups(release.groups, 0), 1 / limit - 1)
    points = np.array([*product(range(3), range(4), range(2))])
    expected = [sl.Acquaintance(*point, value="a").measure(release).value < limit for point in points.tolist()]
    assert len(set(expected)) == 2
    for at_once in (1, 7, pareto.POINTS_AT_ONCE):
        monkeypatch.setattr(pareto, "POINTS_AT_ONCE", at_once)
        assert test.passes(*points.T).tolist() == expected


@pytest.mark.parametrize("bags", [[{"a": 3, "b": 0, "c": 5, "d": 1}, {"a": 2, "b": 4, "c": 0, "d": 0}], WIDE])
def test_counts_of_others_are_sorted_as_far_as_there_are_any(bags):
    groups = sl.Release.from_counts(bags).groups
    rows = np.flatnonzero(groups.counts.column(0))[::-1]
    every = [sorted(groups.counts.row(row)[1:].tolist(), reverse=True) for row in rows]
    width = max(sum(count > 0 for count in row) for row in every)
    assert _other_counts(groups, 0, rows).tolist() == [row[:width] for row in every]


def test_short_integers_are_for_sums_that_fit():
    for most, width, kind in ((2**30 - 1, 2, np.int32), (2**30, 2, np.int64), (2**29, 4, np.int64), (0, 0, np.int32)):
        cells = np.full((1, width), most)
        short = _shorten_integers(cells)
        assert (short.dtype, short.tolist()) == (kind, cells.tolist())
    large = sl.Release.from_counts([{"a": 1, "b": 2**30, "c": 2**30, "d": 2**30}])
    assert UndominatedGroups.from_groups(large.groups, 0).ruled_out.ravel().tolist() == [0, 2**30, 2**31, 3 * 2**30]


@pytest.mark.parametrize(
    ("at_once", "value", "lengths"),
    [(33, "a", [4, 4]), (1, "a", [1] * 8), (33, "v3", [1]), (1, "v3", [1]), (33, "nobody's", [0])],
)
def test_sparse_groups_with_the_value_are_cut_by_the_most_values_that_one_of_them_has(
    monkeypatch, at_once, value, lengths
):
    monkeypatch.setattr(pareto, "CELLS_AT_ONCE", at_once)
    bags = [{"a": 1, "nobody's": 0, **{f"v{9 * row + number}": 1 for number in range(9)}} for row in range(8)]
    groups = sl.Release.from_counts(bags).groups
    assert groups.counts.cells is None
    blocks = list(_blocks(groups, groups.code_of(value)))
    assert [len(block) for block in blocks] == lengths
    numbers = np.concatenate([block.numbers for block in blocks]).tolist()
    assert numbers == [row + 1 for row, bag in enumerate(bags) if bag.get(value)]


def test_pairs_of_people_and_of_those_with_the_value_are_sorted_and_different():
    bags = [{"a": 1, "b": 4}, {"a": 3, "b": 1}, {"a": 1, "b": 2, "c": 2}, {"a": 1, "b": 3}, {"b": 4}, {"a": 3, "c": 1}]
    pairs = _Pairs.from_groups(sl.Release.from_counts(bags).groups, 0)
    assert list(zip(pairs.sizes.tolist(), pairs.counts.tolist(), pairs.most.tolist(), strict=True)) == [
        (4, 1, [0, 3, 3]),
        (4, 3, [0, 1, 1]),
        (5, 1, [0, 4, 4]),
    ]


def test_where_fewer_values_occur_ruling_out_more_rules_out_nothing_more():
    few = _Pairs(np.array([4, 8]), np.array([1, 2]), np.array([[0, 3], [0, 6]]))
    more = _Pairs(np.array([6, 8]), np.array([1, 2]), np.array([[0, 2, 5], [0, 3, 7]]))
    for joined in (_Pairs.merge([few, more]), _Pairs.merge([more, few])):
        assert (joined.sizes.tolist(), joined.counts.tolist()) == ([4, 6, 8], [1, 1, 2])
        assert joined.most.tolist() == [[0, 3, 3], [0, 2, 5], [0, 6, 7]]


def test_sums_run_from_nothing():
    assert _running_sums(np.array([[3, 2, 0], [1, 1, 1]])).tolist() == [[0, 3, 5, 5], [0, 1, 2, 3]]
    assert _running_sums(np.empty((2, 0))).tolist() == [[0], [0]]
    for kind in (np.int32, np.int64, np.float64):  # short ones stay short, and whole ones whole
        assert _running_sums(np.ones((1, 2), kind)).dtype == kind


def test_short_rows_are_filled_with_their_own_groups():
    """Of the second group something is ruled out that the first one does not have: it matters to ℓ = 1 alone."""
    release = sl.Release.from_counts([{"a": 2, "b": 2, "c": 2}, {"a": 2, "b": 9}, {"a": 2, "b": 5, "c": 5, "d": 5}])
    groups = UndominatedGroups.from_groups(release.groups, 0)
    assert [sorted(set(row)) for row in groups.sizes.tolist()] == [[6], [6, 11], [6], [6]]
    assert groups.ruled_out.shape == groups.counts.shape == groups.sizes.shape == (4, 2)
    assert [each.ruled_out for each in groups.targets(1)] == [(2,), (9,)]
    assert [(each.people, each.count, each.ruled_out) for each in groups.families()] == [(6, 2, ())]


WARD = sl.Release.from_counts([{"Flu": 4, "Cold": 3, "AIDS": 1}])
HOSPITAL = sl.Release.from_counts([{"Flu": 4, "Cold": 3, "AIDS": 1}, {"Flu": 2, "Cold": 7, "Gout": 2, "AIDS": 1}])
POINTS = np.array([*product(range(4), range(5), range(4))])


def test_amounts_of_a_million_settle_it():
    assert RiskMap.from_release(WARD, "AIDS").risks(
        np.array([[0, 10**6, 0], [10**6, 0, 0], [0, 0, 10**6]])
    ).tolist() == [1, 1, 1]


def test_a_limit_that_is_met_is_not_kept():
    point = np.array([[0, 0, 0]])
    assert RiskMap.from_release(WARD, "Flu").withstands(point, 0.5).tolist() == [False]
    assert RiskMap.from_release(WARD, "Flu").withstands(point, 0.5000001).tolist() == [True]
    assert RiskMap.from_release(WARD, "Flu").withstands(point, 0).tolist() == [False]


def test_what_nobody_has_is_never_a_risk():
    nobody = RiskMap.from_release(sl.Release.from_counts([{"Flu": 0, "Cold": 3}]), "Flu")
    assert nobody.risks(np.array([[1, 5, 5]])).tolist() == [0]
    assert nobody.withstands(np.array([[1, 5, 5]]), 0.1).tolist() == [True]


def test_where_nothing_is_withstood_there_is_no_most():
    assert RiskMap.from_release(WARD, "Flu").most_alone(0.4) == (-1, -1, -1)


def test_an_unknown_value_is_named():
    with pytest.raises(UnknownValue, match="AIDS"):
        RiskMap.from_release(WARD, "AIDA")


def exact_risks(release, value, points):
    return [sl.Acquaintance(*point, value=value).measure(release).value for point in points.tolist()]


@pytest.mark.parametrize("at_once", [1, 7, 1 << 19])
@pytest.mark.parametrize("value", ["AIDS", "Flu", ("AIDS", "Gout")])
def test_risks_are_those_of_the_measure_a_little_raised(monkeypatch, value, at_once):
    monkeypatch.setattr(pareto, "POINTS_AT_ONCE", at_once)
    points = POINTS[::3]
    risks = RiskMap.from_release(HOSPITAL, value).risks(points)
    for risk, exact in zip(risks.tolist(), exact_risks(HOSPITAL, value, points), strict=True):
        if exact == 1:
            assert risk == 1
        else:  # by what logarithms may be off, 1e-9 and more, times the slope
            assert 0.9e-9 * exact * (1 - exact) < Fraction(risk) - exact < 1e-8


def test_small_risks_are_raised_by_what_large_logarithms_may_be_off():
    rare = sl.Release.from_counts([{"a": 1, "b": 10**9}])
    (risk,) = RiskMap.from_release(rare, "a").risks(np.array([[0, 0, 0]])).tolist()
    assert 2.0e-8 < Fraction(risk) * (10**9 + 1) - 1 < 2.2e-8  # ln 10⁹ is 20.7


def test_the_most_of_each_kind_are_told_apart():
    release = sl.Release.from_counts([{"Flu": 2, "Cold": 3, "Heart": 2, "Ulcer": 2}])
    assert RiskMap.from_release(release, "Flu").most_alone(Fraction(3, 5)) == (2, 5, 4)


def test_nothing_is_maximal_where_nothing_is_withstood():
    for points in (POINTS, POINTS[:0]):
        assert RiskMap.from_release(WARD, "AIDS").maximal(points, 0).tolist() == [False] * len(points)


@pytest.mark.parametrize("below", [Fraction(1, 3), 0.5, 1])
def test_what_is_withstood_maximal_and_the_most_are_as_measured(below):
    ward = RiskMap.from_release(HOSPITAL, "AIDS")
    withstood = {
        tuple(point)
        for point, risk in zip(POINTS.tolist(), exact_risks(HOSPITAL, "AIDS", POINTS), strict=True)
        if risk < below
    }
    skyline = sl.knowledge_skyline(HOSPITAL, "AIDS", below=below)
    assert ward.withstands(POINTS, below).tolist() == [tuple(point) in withstood for point in POINTS.tolist()]
    assert ward.maximal(POINTS, below).tolist() == [tuple(point) in skyline for point in POINTS.tolist()]
    rules_out, family = np.array([*product(range(4), range(4))]).T
    most = [
        max((k for ell, k, m in skyline if ell >= at and m >= relatives), default=-1)
        for at, relatives in zip(rules_out.tolist(), family.tolist(), strict=True)
    ]
    assert ward.most_others(rules_out, family, below).tolist() == most
    alone = tuple(max((point[axis] for point in skyline), default=-1) for axis in range(3))
    assert ward.most_alone(below) == alone


def test_knowledge_ends_with_the_other_values_and_the_largest_group():
    assert (RiskMap.from_release(HOSPITAL, "AIDS").most_ruled_out, RiskMap.from_release(HOSPITAL, "AIDS").enough) == (
        3,
        9,
    )
    assert RiskMap.from_release(HOSPITAL, ("AIDS", "Gout")).most_ruled_out == 2


def test_where_there_is_no_end_the_most_are_as_many_as_would_settle_it():
    ward = RiskMap.from_release(WARD, "AIDS")
    assert ward.most_others(np.array([0, 2]), np.array([0, 1]), 1.5).tolist() == [ward.enough] * 2 == [9, 9]
    nobody = RiskMap.from_release(sl.Release.from_counts([{"Flu": 0, "Cold": 3}]), "Flu")
    assert nobody.enough == 1
    assert nobody.most_others(np.array([0]), np.array([0]), 0.5).tolist() == [1]
    assert nobody.most_alone(0.5) == (1, 1, 1)


@pytest.mark.parametrize(("below", "holds"), [(-1, False), (0, False), (1, True), (1.5, True)])
def test_no_risk_is_below_nothing_and_every_one_is_below_more_than_one(below, holds):
    point = np.array([[0, 0, 0]])
    nobody = sl.Release.from_counts([{"Flu": 0, "Cold": 3}])
    assert RiskMap.from_release(WARD, "AIDS").withstands(point, below).tolist() == [holds]
    assert RiskMap.from_release(nobody, "Flu").withstands(point, below).tolist() == [holds]
    assert RiskMap.from_release(WARD, "AIDS").withstands(np.array([[0, 9, 9]]), below).tolist() == [below > 1]


def test_no_points_have_no_risks():
    none = np.empty((0, 3), np.int64)
    assert RiskMap.from_release(WARD, "AIDS").risks(none).tolist() == []
    assert RiskMap.from_release(WARD, "AIDS").withstands(none, 0.5).tolist() == []


def test_what_is_no_release_of_one_column_is_refused():
    with pytest.raises(
        WrongKind, match=r"^what is explored should be a Release, not a dict; read one with sl\.read_release"
    ):
        RiskMap.from_release({"Flu": 2}, "Flu")
    two = pa.table({"zip": ["1", "1"], "job": ["a", "b"], "ill": ["c", "d"]})
    with pytest.raises(BadTable, match=r"^a skyline is about one sensitive column, and there are job, ill; pick one"):
        RiskMap.from_release(sl.read_release(two, group="zip", sensitive=["job", "ill"]), "a")
