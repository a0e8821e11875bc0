"""Skylines in policies: which points are kept, and what they ask of a release.

Undominated groups: how few they are, and that they decide as all groups do; the risk at many amounts at once: the same as one by one, also at the edges.
"""

import html
import math
from fractions import Fraction
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadMeasure, BadPolicy, BadTable, UnknownValue, WrongKind
from sidelight.measures.privacy_skyline import five_minima
from sidelight.measures.privacy_skyline import skyline as pareto
from sidelight.measures.privacy_skyline.five_minima import Knowledge
from sidelight.measures.privacy_skyline.skyline import (
    RiskMap,
    Skylines,
    _cut_groups,
    _list_pairs,
    _other_counts,
    _running_sums,
    _shorten_integers,
    dominates,
    find_undominated,
    largest_passed,
    merge_pairs,
)
from sidelight.policy.policy_file import read_policy_text
from sidelight.report.plots import table_behind
from sidelight.search.full_domain import FullDomain
from sidelight.testing import releases


def applies_to_no_value(finding):
    return any(mentions(note, "every value", "limit", "own", "left out", "no value") for note in finding.notes)


def test_a_group_with_more_people_and_no_more_of_the_value_does_not_matter():
    release = sl.Release.from_counts([{"a": 2, "b": 3}, {"a": 2, "b": 6}, {"a": 1, "b": 9, "c": 1}])
    groups = RiskMap.from_groups(release.groups, 0)
    assert (groups.family_sizes.tolist(), groups.family_counts.tolist()) == ([5], [2])
    assert groups.sizes[0].tolist() == [5]


def test_what_is_ruled_out_can_make_a_large_group_matter():
    release = sl.Release.from_counts([{"a": 1, "b": 1, "c": 1, "d": 1}, {"a": 1, "b": 8}])
    groups = RiskMap.from_groups(release.groups, 0)
    assert sorted(set(groups.sizes[0].tolist())) == [4]
    assert sorted(set(groups.sizes[1].tolist())) == [4, 9]


def test_in_sets_a_frequent_value_that_is_ruled_out_weighs_more_than_a_few_people():
    release = sl.Release.from_counts([{"a": 1}, {"a": 1, "b": 11}], sizes=[9, 12], values="set")
    groups = RiskMap.from_groups(release.groups, 0)
    odds = np.exp(groups.log_odds(np.array([[0, 0, 0], [1, 0, 0]])))
    assert odds.tolist() == pytest.approx([8, 11 / 12])  # (12 − 1)/1 · (12 − 11)/12


def test_to_a_family_few_people_matter_and_many_with_the_value():
    release = sl.Release.from_counts([{"a": 1, "b": 3}, {"a": 2, "b": 98}, {"a": 2, "b": 99}, {"a": 1, "b": 99}])
    families = RiskMap.from_groups(release.groups, 0).families()
    assert [(each.people, each.count) for each in families] == [(4, 1), (100, 2)]


def test_groups_without_the_value_never_matter():
    release = sl.Release.from_counts([{"b": 2}], domain=["a", "b"])
    assert not RiskMap.from_groups(release.groups, 0).anybody


@pytest.mark.parametrize("semantics", ["single", "set", "multiset"])
def test_a_limit_that_the_risk_reaches_exactly_is_not_passed(semantics):
    bags = [{"a": 2, "b": 3, "c": 3}, {"a": 1, "b": 4, "c": 4}]
    release = sl.Release.from_counts(bags, sizes=[8, 9], values=semantics)
    groups = RiskMap.from_groups(release.groups, 0)
    risk = sl.Acquaintance(1, 2, 1, value="a").measure(release).value
    point = np.array([[1, 2, 1]])
    for limit, passes in ((risk, False), (risk + Fraction(1, 10**15), True), (risk - Fraction(1, 10**15), False)):
        assert groups.resists(point, limit).tolist() == [passes]


def test_long_numbers_decide_next_to_a_limit_too():
    """Odds of 60,000 bits, twice: more than fractions are written out for."""
    people, often = 1 << 15, 4100
    release = sl.Release.from_counts([{"a": often, "b": 5}], sizes=[people], values="multiset")
    groups = RiskMap.from_groups(release.groups, 0)
    none = Fraction(people - 1, people) ** often
    odds = none / (1 - none)
    for limit, passes in (
        (odds, False),
        (odds * (1 - Fraction(1, 10**12)), True),
        (odds * (1 + Fraction(1, 10**12)), False),
    ):
        assert groups._stays_above(Knowledge(0, 0, 0), limit) is passes


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
    for at_once in (five_minima.CELLS_AT_ONCE, 1):
        monkeypatch.setattr(five_minima, "CELLS_AT_ONCE", at_once)
        groups = RiskMap.from_groups(release.groups, release.groups.code_of("v3"))
        assert len(groups.sizes) == 4  # none, or up to all three of the other values that occur with it, are ruled out
        risks = 1 / (1 + np.exp(groups.log_odds(points)))
        assert risks.tolist() == pytest.approx(list(map(float, exact)), abs=1e-9)


@pytest.mark.parametrize("semantics", ["single", "set", "multiset"])
@pytest.mark.parametrize("limit", [Fraction(1, 3), Fraction(1, 2), Fraction(1)])
def test_points_pass_one_by_one_as_measured(monkeypatch, semantics, limit):
    bags = [{"a": 2, "b": 3, "c": 3}, {"a": 1, "b": 4, "c": 4}, {"a": 1, "b": 1, "c": 2}]
    release = sl.Release.from_counts(bags, sizes=[8, 9, 4], values=semantics)
    seen = RiskMap.from_groups(release.groups, 0)
    points = np.array([*product(range(3), range(4), range(2))])
    expected = [sl.Acquaintance(*point, value="a").measure(release).value < limit for point in points.tolist()]
    assert len(set(expected)) == 2
    for at_once in (1, 7, pareto.POINTS_AT_ONCE):
        monkeypatch.setattr(pareto, "POINTS_AT_ONCE", at_once)
        assert seen.resists(points, limit).tolist() == expected


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
    assert RiskMap.from_groups(large.groups, 0).ruled_out.ravel().tolist() == [0, 2**30, 2**31, 3 * 2**30]


@pytest.mark.parametrize(
    ("at_once", "value", "lengths"),
    [(33, "a", [4, 4]), (1, "a", [1] * 8), (33, "v3", [1]), (1, "v3", [1]), (33, "nobody's", [0])],
)
def test_sparse_groups_with_the_value_are_cut_by_the_most_values_that_one_of_them_has(
    monkeypatch, at_once, value, lengths
):
    monkeypatch.setattr(five_minima, "CELLS_AT_ONCE", at_once)
    bags = [{"a": 1, "nobody's": 0, **{f"v{9 * row + number}": 1 for number in range(9)}} for row in range(8)]
    groups = sl.Release.from_counts(bags).groups
    assert groups.counts.cells is None
    blocks = list(_cut_groups(groups, groups.code_of(value)))
    assert [len(block) for block in blocks] == lengths
    numbers = np.concatenate([block.numbers for block in blocks]).tolist()
    assert numbers == [row + 1 for row, bag in enumerate(bags) if bag.get(value)]


def test_pairs_of_people_and_of_those_with_the_value_are_sorted_and_different():
    bags = [{"a": 1, "b": 4}, {"a": 3, "b": 1}, {"a": 1, "b": 2, "c": 2}, {"a": 1, "b": 3}, {"b": 4}, {"a": 3, "c": 1}]
    pairs = _list_pairs(sl.Release.from_counts(bags).groups, 0)
    assert list(zip(*(each.tolist() for each in pairs), strict=True)) == [
        (4, 1, [0, 3, 3]),
        (4, 3, [0, 1, 1]),
        (5, 1, [0, 4, 4]),
    ]


def test_where_fewer_values_occur_ruling_out_more_rules_out_nothing_more():
    few = (np.array([4, 8]), np.array([1, 2]), np.array([[0, 3], [0, 6]]))
    more = (np.array([6, 8]), np.array([1, 2]), np.array([[0, 2, 5], [0, 3, 7]]))
    for sizes, counts, most in (merge_pairs([few, more]), merge_pairs([more, few])):
        assert (sizes.tolist(), counts.tolist()) == ([4, 6, 8], [1, 1, 2])
        assert most.tolist() == [[0, 3, 3], [0, 2, 5], [0, 6, 7]]


def test_sums_run_from_nothing():
    assert _running_sums(np.array([[3, 2, 0], [1, 1, 1]])).tolist() == [[0, 3, 5, 5], [0, 1, 2, 3]]
    assert _running_sums(np.empty((2, 0))).tolist() == [[0], [0]]
    for kind in (np.int32, np.int64, np.float64):  # short ones stay short, and whole ones whole
        assert _running_sums(np.ones((1, 2), kind)).dtype == kind


def test_short_rows_are_filled_with_their_own_groups():
    """Of the second group something is ruled out that the first one does not have: it matters to ℓ = 1 alone."""
    release = sl.Release.from_counts([{"a": 2, "b": 2, "c": 2}, {"a": 2, "b": 9}, {"a": 2, "b": 5, "c": 5, "d": 5}])
    groups = RiskMap.from_groups(release.groups, 0)
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
    assert RiskMap.from_release(WARD, "Flu").resists(point, 0.5).tolist() == [False]
    assert RiskMap.from_release(WARD, "Flu").resists(point, 0.5000001).tolist() == [True]
    assert RiskMap.from_release(WARD, "Flu").resists(point, 0).tolist() == [False]


def test_what_nobody_has_is_never_a_risk():
    nobody = RiskMap.from_release(sl.Release.from_counts([{"Flu": 0, "Cold": 3}]), "Flu")
    assert nobody.risks(np.array([[1, 5, 5]])).tolist() == [0]
    assert nobody.resists(np.array([[1, 5, 5]]), 0.1).tolist() == [True]


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
    assert ward.resists(POINTS, below).tolist() == [tuple(point) in withstood for point in POINTS.tolist()]
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
    assert RiskMap.from_release(WARD, "AIDS").resists(point, below).tolist() == [holds]
    assert RiskMap.from_release(nobody, "Flu").resists(point, below).tolist() == [holds]
    assert RiskMap.from_release(WARD, "AIDS").resists(np.array([[0, 9, 9]]), below).tolist() == [below > 1]


def test_no_points_have_no_risks():
    none = np.empty((0, 3), np.int64)
    assert RiskMap.from_release(WARD, "AIDS").risks(none).tolist() == []
    assert RiskMap.from_release(WARD, "AIDS").resists(none, 0.5).tolist() == []


def test_what_is_no_release_of_one_column_is_refused():
    with pytest.raises(WrongKind, match=r"a Release, not a dict; .*sl\.read_release"):
        RiskMap.from_release({"Flu": 2}, "Flu")
    two = pa.table({"zip": ["1", "1"], "job": ["a", "b"], "ill": ["c", "d"]})
    with pytest.raises(BadTable, match=r"one sensitive column, .* job, ill; ") as refused:
        RiskMap.from_release(sl.read_release(two, group="zip", sensitive=["job", "ill"]), "a")
    assert refused.value.parameters == ("sensitive",)


TWO_WARDS = sl.Release.from_counts([{"Flu": 4, "Cold": 3, "AIDS": 1}, {"Flu": 5, "Cold": 2, "AIDS": 1}])

points = st.tuples(*[st.integers(0, 2)] * 3, st.sampled_from([0.25, 0.5, Fraction(3, 4)]))


def test_each_value_has_its_own_points_and_the_others_the_default():
    required = sl.skyline({"AIDS": [(1, 0, 0, 0.3), (0, 2, 0, 0.3)]}, default=[(0, 0, 0, Fraction(2, 3))])
    assert tuple(required) == (
        sl.Acquaintance(1, value="AIDS") < 0.3,
        sl.Acquaintance(others=2, value="AIDS") < 0.3,
        sl.Acquaintance(apart_from=("AIDS",)) < Fraction(2, 3),
    )
    verdict = sl.Policy(*required).judge(TWO_WARDS)
    assert [judgement.holds for judgement in verdict.judgements] == [False, True, True]
    assert [str(finding.value) for finding in verdict.findings] == ["1/3", "1/6", "5/8"]


@given(releases(), st.data())
def test_a_default_applies_to_the_values_that_have_no_points_of_their_own(release, data):
    texts = [text for text in release.domain if text is not None]
    named = data.draw(st.lists(st.sampled_from(texts), unique=True)) if texts else []
    own, default = {value: [data.draw(points)] for value in named}, [data.draw(points)]
    policy = sl.Policy(*sl.skyline(own, default=default))
    others = [value for value in release.domain if value not in named]
    # the slow way: a limit for each of the other values, or none
    asked = [({"value": value} if value is not None else {"value": [None]}) for value in others]
    *knowledge, below = default[0]
    each = [sl.Acquaintance(*knowledge, **target).measure(release).value < below for target in asked]
    for judged in (policy, read_policy_text(policy.to_toml()).policy):
        last = judged.judge(release).judgements[-1]
        assert last.holds == all(each)
        assert applies_to_no_value(last.finding) == (not others)


@pytest.mark.parametrize("kind", [sl.Acquaintance, sl.Implications, sl.Negations])
@pytest.mark.parametrize("making", [{}, {"method": FullDomain(suppress=0.2)}, {"method": "mondrian"}])
def test_a_search_keeps_a_default_of_no_value(kind, making):
    table = sl.read_table(
        pa.table({"age": ["30", "40"] * 6, "disease": ["Flu", "Cold", "AIDS"] * 4}), quasi=["age"], sensitive="disease"
    )
    by = {"age": sl.Hierarchy.suppression("age", ["30", "40"])}
    limits = [kind(0, value=value) < 0.9 for value in ("Flu", "Cold", "AIDS")]
    default = kind(0, apart_from=["Flu", "Cold", "AIDS"]) < 0.5
    found = sl.protect(table, [*limits, default], by=by, ask="nobody", **making)
    assert applies_to_no_value(found.verdict.judgements[-1].finding)
    for alone in ([default], [sl.DistinctValues() >= 1, default], [kind(0) < 0.9, default]):
        with pytest.raises(BadMeasure, match="leaves no value"):
            sl.protect(table, alone, by=by, ask="nobody", **making)
        with pytest.raises(BadMeasure, match="leaves no value"):
            sl.Policy(*alone).judge(found.release)


def test_a_default_of_no_value_is_per_sensitive_column():
    table = pa.table({"age": ["30"] * 4, "ill": ["Flu", "Cold", "Flu", "Cold"], "pay": ["low", "high"] * 2})
    release = sl.read_release(table, group="age", sensitive=["ill", "pay"])
    limits = [(sl.Acquaintance(value=value) < 0.9).about("ill") for value in ("Flu", "Cold")]
    default = sl.Acquaintance(apart_from=["Flu", "Cold"]) < 0.9
    verdict = sl.Policy(*limits, default.about("ill")).judge(release)
    assert applies_to_no_value(verdict.judgements[-1].finding)
    of_pay = [(sl.Acquaintance(value="low") < 0.9).about("pay"), default.about("ill")]
    with pytest.raises(BadMeasure, match="leaves no value"):
        sl.Policy(*of_pay).judge(release)


def test_without_a_default_other_values_are_not_asked_about():
    assert len(tuple(sl.skyline({"AIDS": [(0, 0, 0, 0.5)]}))) == 1
    assert tuple(sl.skyline({}, default=[(0, 0, 0, 0.5)])) == (sl.Acquaintance() < 0.5,)


def test_points_that_follow_are_dropped_with_a_note():
    required = sl.skyline({"AIDS": [(0, 1, 0, 0.9), (1, 1, 0, 0.9), (1, 1, 0, 0.9), (1, 1, 0, 0.5)]})
    assert tuple(required) == (sl.Acquaintance(1, 1, value="AIDS") < 0.5,)
    first, second = required.notes
    assert mentions(first, "'AIDS'", "(0, 1, 0) below 0.9", "(1, 1, 0) below 0.9", "dropped")
    assert mentions(second, "'AIDS'", "(1, 1, 0) below 0.9", "(1, 1, 0) below 0.5", "dropped")


@given(st.lists(points, min_size=1, max_size=6))
def test_dropping_changes_no_verdict(given_points):
    skyline = Skylines.from_points(given_points, "AIDS")
    required = [sl.Acquaintance(*amounts, "AIDS") < below for *amounts, below in given_points]
    assert sl.Policy(*skyline.criteria).judge(TWO_WARDS).safe == sl.Policy(*required).judge(TWO_WARDS).safe
    asked = [(each.measure, each.bound) for each in skyline]
    kept = [(measure.rules_out, measure.others, measure.family, below) for measure, below in asked]
    assert not any(dominates(one, other) for one in kept for other in kept if one != other)
    assert len(kept) + len(skyline.notes) == len(set(given_points))


def test_points_that_make_no_sense():
    with pytest.raises(BadPolicy, match=r"point .*\(rules_out, others, family, limit\), not \(1, 0\.5\)"):
        sl.skyline({"AIDS": [(1, 0.5)]})
    with pytest.raises(BadMeasure, match=r"others .*whole number"):
        sl.skyline({"AIDS": [(1, -1, 0, 0.5)]})
    with pytest.raises(BadPolicy, match="between 0 and 1"):
        tuple(sl.skyline({"AIDS": [(1, 1, 0, 2)]}))


@pytest.mark.parametrize("below", [-0.1, 1.5, math.inf])
def test_limits_of_a_skyline_are_probabilities(below):
    with pytest.raises(BadMeasure, match="between 0 and 1"):
        sl.knowledge_skyline(TWO_WARDS, "Flu", below=below)


def test_a_skyline_of_one_large_group_is_found_by_halving():
    release = sl.Release.from_counts([{"a": 400_000, "b": 300_000, "c": 300_000}])
    points = sl.knowledge_skyline(release, "a", below=0.95)
    assert points[-1][0] == 1
    for rules_out, others, family in (points[0], points[len(points) // 2], points[-1]):
        assert sl.Acquaintance(rules_out, others, family, value="a").measure(release).value < Fraction(19, 20)
        for more in ((1, 0, 0), (0, 1, 0), (0, 0, 1)):
            beyond = np.add((rules_out, others, family), more).tolist()
            assert sl.Acquaintance(*beyond, value="a").measure(release).value >= Fraction(19, 20)


@pytest.mark.parametrize("values", [{"AIDS": (1, 5, 2, 0.5)}, {"AIDS": 3}, [(1, 5, 2, 0.5)]])
def test_points_that_are_no_list_under_a_value_are_refused_in_one_line(values):
    with pytest.raises(BadPolicy, match=r"\(1, 5, 2, 0.5\)|\(rules_out, others, family, limit\)"):
        sl.skyline(values)


def test_only_a_release_has_a_knowledge_skyline():
    with pytest.raises(WrongKind, match=r"a Release, not a dict; .*sl\.read_release"):
        sl.knowledge_skyline({"Flu": 2}, "Flu", below=0.5)


def test_skylines_show_themselves_in_a_line_and_in_a_table():
    required = sl.skyline({"<AIDS>": [(1, 0, 0, 0.3)]}, default=[(0, 2, 0, 0.5)])
    assert repr(required) == (
        '<Skylines: acquaintance(rules_out=1, value="<AIDS>") < 0.3; '
        'acquaintance(others=2, apart_from=["<AIDS>"]) < 0.5>'
    )
    assert "&lt;AIDS&gt;" in required._repr_html_()
    assert "<AIDS>" not in required._repr_html_()


def test_a_table_of_skylines_has_their_notes_below_it():
    required = sl.skyline({"AIDS": [(1, 0, 0, 0.3), (0, 0, 0, 0.3)]}, default=[(0, 2, 0, 0.5), (0, 1, 0, 0.5)])
    table, below = required._repr_html_().split("\n")
    assert table == (
        "<table><caption>Skylines</caption><thead><tr><th>measure</th><th>wanted</th></tr></thead><tbody>"
        "<tr><td>acquaintance(rules_out=1, value=AIDS)</td><td>&lt; 0.3</td></tr>"
        "<tr><td>acquaintance(others=2, apart_from=[AIDS])</td><td>&lt; 0.5</td></tr></tbody></table>"
    )
    assert below == f"<p>{html.escape(' '.join(required.notes))}</p>"
    of_aids, of_others = required.notes
    assert mentions(of_aids, "'AIDS'", "(0, 0, 0) below 0.3", "(1, 0, 0) below 0.3", "dropped")
    assert mentions(of_others, "other values", "(0, 1, 0) below 0.5", "(0, 2, 0) below 0.5", "dropped")


def test_a_table_of_many_points_says_how_many_more_there_are():
    required = sl.skyline({"AIDS": [(0, others, 30 - others, 0.5) for others in range(23)]})
    assert required._repr_html_().endswith("<p>… and 3 more</p>")


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ([(1, 5, 2, 0.5)], ["value → points", '{"AIDS": [(1, 5, 2, 0.5)]}', "not a list"]),
        ({"AIDS": 3}, ["points", "a list", "[(1, 5, 2, 0.5)]", "not 3"]),
        ({"AIDS": (1, 5, 2, 0.5)}, ["point", "(rules_out, others, family, limit)", "not 1", "[...]"]),
        ({"AIDS": [(1, 0.5)]}, ["point", "(rules_out, others, family, limit)", "not (1, 0.5)"]),
        ({"AIDS": [(1, 2, 3, 4, 5)]}, ["point", "(rules_out, others, family, limit)", "not (1, 2, 3, 4, 5)"]),
    ],
)
def test_what_is_no_skyline_is_refused_in_words(values, named):
    with pytest.raises(BadPolicy) as refused:
        sl.skyline(values)
    assert mentions(refused.value, *named)


def test_values_left_out_of_the_default_are_those_with_points_and_those_named():
    required = sl.skyline(
        {"AIDS": [(0, 0, 0, 0.5)], ("Flu", "Cold"): [(0, 0, 0, 0.9)]}, default=[(1, 0, 0, 0.5)], apart_from=["Gout"]
    )
    assert tuple(required) == (
        sl.Acquaintance(value="AIDS") < 0.5,
        sl.Acquaintance(value=("Flu", "Cold")) < 0.9,
        sl.Acquaintance(1, apart_from=("AIDS", "Gout")) < 0.5,
    )
    assert required.notes == ()


@pytest.mark.parametrize(
    ("one", "other", "implied"),
    [
        ((1, 1, 1, 0.5), (1, 1, 1, 0.5), True),
        ((2, 1, 1, 0.5), (1, 1, 1, 0.5), True),
        ((1, 1, 1, 0.4), (1, 1, 1, 0.5), True),
        ((1, 1, 1, 0.6), (1, 1, 1, 0.5), False),
        ((0, 9, 9, 0.1), (1, 1, 1, 0.5), False),
        ((9, 0, 9, 0.1), (1, 1, 1, 0.5), False),
        ((9, 9, 0, 0.1), (1, 1, 1, 0.5), False),
    ],
)
def test_a_point_dominates_with_as_much_knowledge_and_no_higher_limit(one, other, implied):
    assert dominates(one, other) is implied


@pytest.mark.parametrize("each", ["rules_out", "others", "family"])
def test_amounts_of_points_are_whole_numbers(each):
    def point_with(amount):
        return (*({each: amount}.get(name, 0) for name in ("rules_out", "others", "family")), 1)

    with pytest.raises(BadMeasure, match=rf"^'skyline' .*{each} .*whole number"):
        Skylines.from_points([point_with(-1)])
    (criterion,) = Skylines.from_points([point_with(2**53)])
    assert getattr(criterion.measure, each) == 2**53
    with pytest.raises(BadMeasure) as refused:
        Skylines.from_points([point_with(2**53 + 1)])
    assert mentions(refused.value, "'skyline'", each, "at most 9007199254740992", "not 9007199254740993")


@pytest.mark.parametrize("semantics", ["single", "set", "multiset"])
@pytest.mark.parametrize("below", [Fraction(1, 4), Fraction(1, 2), Fraction(9, 10), 1])
def test_at_or_under_a_point_the_release_holds_and_nowhere_else(semantics, below):
    bags = [{"a": 1, "b": 3, "c": 1}, {"a": 2, "b": 3, "c": 3, "d": 1}]
    release = sl.Release.from_counts(bags, sizes=[5, 9], values=semantics)
    skyline = sl.knowledge_skyline(release, "a", below=below)
    assert (skyline.release, skyline.value, skyline.below) == (release, "a", below)
    assert list(skyline) == sorted(set(skyline))
    for point in product(range(4), range(0, 10, 3), range(0, 10, 3)):
        holds = sl.Acquaintance(*point, value="a").measure(release).value < below
        assert holds == any(all(x <= y for x, y in zip(point, most, strict=True)) for most in skyline)
    assert not any(
        all(x <= y for x, y in zip(one, other, strict=True)) for one in skyline for other in skyline if one != other
    )


def test_who_rules_out_all_values_that_occur_with_it_may_rule_out_the_others_too():
    """Sets of 6 people, of whom 2 have a and 3 have b; nobody has a together with c or d."""
    release = sl.Release.from_counts([{"a": 2, "b": 3}, {"c": 3, "d": 1}], sizes=[6, 6], values="set")
    points = sl.knowledge_skyline(release, "a", below=Fraction(2, 3))
    # nothing ruled out: (4 − k)/2 > 1/2 with k others; b ruled out: (4 − k)/4 > 1/2
    assert [point for point in points if point[2] == 0] == [(0, 2, 0), (3, 1, 0)]


def test_limits_that_no_risk_is_below_are_named():
    with pytest.raises(BadMeasure) as refused:
        sl.knowledge_skyline(TWO_WARDS, "Flu", below=1.5)
    assert mentions(refused.value, "never", "1.5", "limit", "between 0 and 1")


def test_a_skyline_is_about_one_sensitive_column():
    two = pa.table({"zip": ["1", "1"], "job": ["a", "b"], "ill": ["c", "d"]})
    with pytest.raises(BadTable, match=r"one sensitive column, .* job, ill; "):
        sl.knowledge_skyline(sl.read_release(two, group="zip", sensitive=["job", "ill"]), "a", below=0.5)
    with pytest.raises(WrongKind, match="a Release, not a dict"):
        sl.knowledge_skyline({"Flu": 2}, "Flu", below=0.5)


def test_a_point_of_ones_own_is_drawn():
    skyline = sl.knowledge_skyline(TWO_WARDS, "AIDS", below=0.5)
    drawn = [{row[:3] for row in table_behind(chart).rows} for chart in (skyline.plot(), skyline.plot(own=(1, 7, 23)))]
    assert [(1, 7, 23) in amounts for amounts in drawn] == [False, True]


@pytest.mark.parametrize(("own", "given"), [((1, 2), "(1, 2)"), (5, "5"), ([1, 2, 3], "[1, 2, 3]")])
def test_a_point_of_ones_own_has_three_amounts(own, given):
    with pytest.raises(WrongKind) as refused:
        sl.knowledge_skyline(TWO_WARDS, "AIDS", below=0.5).plot(own=own)
    assert mentions(refused.value, "own", "(rules_out, others, family)", f"not {given}")
