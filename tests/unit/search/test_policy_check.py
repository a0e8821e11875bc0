"""A policy made ready for a search: floats where they are clear, exact arithmetic where they are not.

What one group of everybody says about a search: only what measures claim, and what would pass.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from support.words import mentions

import sidelight as sl
from sidelight.errors import NothingSafe
from sidelight.measures.criterion import CriterionCheck
from sidelight.search.full_domain import FullDomain
from sidelight.search.policy_check import PolicyCheck, largest_smaller, one_group
from sidelight.table.labels import Column
from sidelight.table.table import Counts, Table

GROUPS = sl.Release.from_counts([{"a": 1, "b": 2}, {"a": 2, "b": 4}, {"a": 3, "b": 1}]).groups


def test_floats_decide_only_beyond_the_margin():
    check = CriterionCheck.from_criterion(sl.Implications(0) <= Fraction(2, 3), people=10)
    values = np.array([0.5, 2 / 3, 2 / 3 + check.margin / 2, 0.7])
    assert check.clearly_holds(values).tolist() == [True, False, False, False]
    assert check.is_close(values).tolist() == [False, True, True, False]


def test_what_is_close_is_decided_exactly_and_once_per_kind():
    check = CriterionCheck.from_criterion(sl.Implications(0) <= Fraction(2, 3), people=10)
    assert check.holds_in_each(GROUPS).tolist() == [True, True, False]
    assert 1 <= len(check.decided) <= 2
    strict = CriterionCheck.from_criterion(sl.Implications(0) < Fraction(2, 3), people=10)
    assert strict.holds_in_each(GROUPS).tolist() == [False, False, False]


def test_small_whole_numbers_have_no_margin():
    check = CriterionCheck.from_criterion(sl.GroupSize() >= 3, people=10)
    assert check.margin == 0
    assert check.holds(GROUPS)
    assert np.argsort(check.badness(GROUPS)).tolist() == [0, 2, 1]


def test_cheap_criteria_come_first_and_those_judged_together_apart():
    policy = sl.Policy(sl.EntropyDiversity() >= 1.5, sl.Implications(2) <= 0.9, sl.GroupSize() >= 3)
    check = PolicyCheck.from_policy(policy, people=10)
    assert [each.criterion.measure for each in check.by_group] == [sl.GroupSize(), sl.EntropyDiversity()]
    assert [each.criterion.measure for each in check.together] == [sl.Implications(2)]
    assert PolicyCheck.from_policy(policy.criteria, people=10).checks == check.checks


@pytest.mark.parametrize(
    ("criteria", "least"),
    [
        ([sl.GroupSize() >= 3, sl.GroupSize() >= 4.5], 5),
        ([sl.GroupSize() >= 5], 5),
        ([sl.GroupSize() > 5], 6),
        ([sl.GroupSize() > 4.5], 5),
        ([sl.GroupSize() > 4, sl.GroupSize() >= 3], 5),
        ([sl.DistinctValues() >= 3], None),
    ],
)
def test_the_least_size_is_the_smallest_that_keeps_every_limit_on_sizes(criteria, least):
    assert PolicyCheck.from_policy(criteria, people=10).least_group_size == least
    for size in range(1, 10):
        release = sl.Release.from_counts([{"a": size}])
        holds = all(each.judge(release).holds for each in criteria if each.measure == sl.GroupSize())
        assert holds == (size >= (least or 1))


def test_values_that_the_policy_names_are_known():
    check = PolicyCheck.from_policy([sl.Implications(1, value="b") <= 1, sl.GroupSize() >= 1], people=10)
    assert check.mentions(("a", "b", None)).tolist() == [False, True, False]
    check = PolicyCheck.from_policy([sl.Acquaintance(others=1, apart_from=(None,)) <= 1], people=10)
    assert check.mentions(("a", "b", None)).tolist() == [False, False, True]


def test_nothing_to_keep_is_always_kept():
    check = PolicyCheck.from_policy([], people=10)
    assert check.checks == ()
    assert check.holds(GROUPS)
    assert check.holds_in_each(GROUPS).all()


def test_infinity_is_never_close():
    for criterion, holds in (
        (sl.DeltaDisclosure() < float("inf"), False),
        (sl.DeltaDisclosure() <= float("inf"), True),
    ):
        check = CriterionCheck.from_criterion(criterion, people=10)
        values = np.array([0.5, np.inf])
        assert check.is_close(values).tolist() == [False, False]
        assert check.clearly_holds(values).tolist() == [True, holds]


def test_a_limit_that_nothing_breaks_is_kept_by_every_group():
    idle, strict = (
        CriterionCheck.from_criterion(each, people=10) for each in (sl.Implications(2) <= 1, sl.Implications(2) < 1)
    )
    assert (idle.is_idle, strict.is_idle) == (True, False)
    assert idle.holds_in_each(GROUPS).all()
    assert idle.holds(GROUPS)
    assert not strict.holds(GROUPS)
    assert PolicyCheck.from_policy([sl.Implications(2) <= 1], people=10).together == ()
    assert not CriterionCheck.from_criterion(sl.GroupSize() >= 1, people=10).is_idle


def test_what_meets_a_limit_that_may_be_met_may_pass_until_it_is_judged_with_others():
    met = sl.Release.from_counts([{"a": 1, "b": 1}, {"a": 1}]).groups
    for criterion, may in ((sl.Implications(0) <= Fraction(1, 2), True), (sl.Implications(0) < Fraction(1, 2), False)):
        check = CriterionCheck.from_criterion(criterion, people=10)
        assert check.holds_in_each(met, if_close=True).tolist() == [may, False]
    policy = PolicyCheck.from_policy([sl.GroupSize() >= 2, sl.Acquaintance(family=1) <= Fraction(9, 10)], people=10)
    assert policy.holds_in_each(GROUPS, if_close=True).tolist() == policy.holds_in_each(GROUPS).tolist()


def test_groups_that_fall_into_parts_are_judged_part_by_part():
    people = {"zip": list("1122"), "disease": ["Flu", "Cold", "Flu", "Flu"], "income": ["low", "low", "low", "high"]}
    groups = sl.read_release(pa.table(people), group="zip", sensitive=["disease", "income"]).groups
    half = sl.Implications(0) <= Fraction(1, 2)
    check = CriterionCheck.from_criterion(half.about("disease", known="income"), people=4)
    assert check.of_parts is not None
    assert check.holds_in_each(groups).tolist() == [True, False]
    assert [check.holds_exactly(groups.take(slice(row, row + 1))) for row in range(2)] == [True, False]
    assert CriterionCheck.from_criterion(half.about("disease"), people=4).of_parts is None


def test_at_the_edge_of_the_margin_nothing_is_left_between_clear_and_close():
    """0.75 + 0.2 is not below 0.95 in floats, and 0.95 − 0.2 is above 0.75."""
    check = replace(CriterionCheck.from_criterion(sl.Acquaintance(family=1) < Fraction(19, 20), people=10), margin=0.2)
    values = 0.75 + np.arange(-3, 4) * 2.0**-53
    assert (check.clearly_holds(values) | check.is_close(values)).all()
    assert not (check.clearly_holds(values) & check.is_close(values)).any()


ZIP = {"zip": sl.Hierarchy.suppression("zip", ["1", "2"])}


def two_zips(*diseases, **more):
    """Read a table of two zip codes, with the diseases of the people in each."""
    zips = [zip_code for zip_code, there in zip("12", diseases, strict=True) for _ in there]
    columns = {"zip": zips, "disease": [each for there in diseases for each in there], **more}
    missing = {"missing": "a value"} if more else {}
    return sl.read_table(pa.table(columns), quasi="zip", sensitive=["disease", *more], **missing)


# Merging the two zip codes raises each of these above its limit.
RAISED = {
    "wishes": (
        two_zips(["Ulcer"] * 3, ["Cold", "Flu", "Flu"], wish=[None] * 3 + ["stomach", None, None]),
        sl.PriorBelief(stubbornness=20, wishes="wish", predicates={"stomach": ["Ulcer"]}) <= 2,
    ),
    "sets": (
        Table(
            (Column.of("zip", ["1", "2"]),),
            "disease",
            ("a", "b", "c"),
            np.array([2, 2]),
            Counts.from_cells([[0, 2, 2], [1, 0, 0]]),
            "set",
        ),
        sl.Acquaintance(rules_out=2, value="a") <= 0.5,
    ),
    "numbers": (
        two_zips(["1"] * 4 + ["3"] * 2, ["2"] * 3 + ["4"]),
        sl.NumericBelief(expects=2, spread=1, stubbornness=3, within=1) <= 2,
    ),
}


@pytest.mark.parametrize("method", ["lattice", "mondrian", FullDomain(suppress=0.1)], ids=str)
@pytest.mark.parametrize(("table", "limit"), RAISED.values(), ids=RAISED)
def test_a_limit_that_only_merging_breaks_is_searched(table, limit, method):
    assert limit.measure.monotonicity(table.semantics) is sl.Monotonicity.UNKNOWN
    assert not limit.judge(one_group(table)).holds
    found = sl.protect(table, limit, by=ZIP, method=method, ask="nobody")
    assert found.verdict.safe
    assert len(found.release) == 2


@pytest.mark.parametrize("how", ["compare", "table"])
@pytest.mark.parametrize(("table", "limit"), RAISED.values(), ids=RAISED)
def test_other_searches_rely_on_claims_alone_too(table, limit, how):
    if how == "compare":
        ways = sl.compare(table, limit, by=ZIP, methods=["lattice", "mondrian"], suppress=[0])
        assert all(row.result is not None for row in ways.rows)
    else:
        rows = sl.generalisation_table(table, ZIP, limit.measure, policy=limit)
        assert [row.levels for row in rows] == [{"zip": 0}]


@pytest.mark.parametrize("method", ["lattice", "mondrian", "anatomy", "microaggregation"])
def test_a_search_that_finds_nothing_says_what_would_pass(method):
    table, limit = RAISED["numbers"]
    with pytest.raises(NothingSafe, match=r"neither.*one group.*everybody") as why:
        sl.protect(table, [limit, limit.measure <= 1.01], by=ZIP, method=method, ask="nobody")
    assert len(why.value.blocked_by) == 2
    assert why.value.closest


# Left out, people no longer count: whom everybody together would give away.


LEFT_OUT = FullDomain(suppress=0.3, suppressed="left out")
SKEWED = two_zips(["a"] * 3 + ["b"] * 2 + ["c"], ["a"] * 2)
CERTAIN = sl.Implications(1) < 0.8


def test_people_are_left_out_where_one_group_of_everybody_is_outside_the_policy():
    assert not CERTAIN.judge(one_group(SKEWED)).holds
    found = sl.protect(SKEWED, CERTAIN, by=ZIP, method=LEFT_OUT, ask="nobody")
    assert (found.suppressed, found.release.size, found.verdict.safe) == (2, 6, True)
    ways = sl.compare(SKEWED, CERTAIN, by=ZIP, methods=[LEFT_OUT, "mondrian"], suppress=[0, 0.3])
    assert [row.result is not None for row in ways.rows] == [False, True, False]
    rows = sl.generalisation_table(
        SKEWED, ZIP, CERTAIN.measure, policy=CERTAIN, suppress=0.3, suppressed="left out", minimal=False
    )
    assert [row.suppressed for row in rows] == [2]


@pytest.mark.parametrize("method", [FullDomain(suppress=0.3), FullDomain(suppressed="left out"), "mondrian"], ids=str)
def test_without_leaving_anybody_out_a_claim_refuses_at_once(method, monkeypatch):
    monkeypatch.setattr(FullDomain, "search", None)  # nothing is searched
    with pytest.raises(NothingSafe, match="not even one group"):
        sl.protect(SKEWED, CERTAIN, by=ZIP, method=method, ask="nobody")


def test_leaving_too_few_out_says_how_many_and_what_would_pass():
    few = FullDomain(suppress=0.2, suppressed="left out")
    with pytest.raises(NothingSafe, match=r"at most 1 person.*neither") as why:
        sl.protect(SKEWED, CERTAIN, by=ZIP, method=few, ask="nobody")
    assert mentions(why.value.closest[0], "implications(k=1)", "more than 35/41")


@pytest.mark.parametrize("domain", [None, ["a", "b", "c"]], ids=["two values", "a third that nobody has"])
@pytest.mark.parametrize(
    "limit", [sl.DistinctValues(apart_from=["a"]) >= 2, sl.Implications(1, apart_from=["a"]) < 0.2], ids=str
)
def test_a_release_of_nobody_whom_a_limit_asks_about_is_refused(limit, domain):
    rows = pa.table({"zip": list("1122"), "disease": list("aabb")})
    table = sl.read_table(rows, quasi="zip", sensitive="disease", domain=domain)
    leaving_half_out = FullDomain(suppress=0.5, suppressed="left out")
    if domain and isinstance(limit.measure, sl.Implications):  # a value that was declared is asked about
        assert sl.protect(table, limit, by=ZIP, method=leaving_half_out, ask="nobody").verdict.safe
        return
    with pytest.raises(NothingSafe):
        sl.protect(table, limit, by=ZIP, method=leaving_half_out, ask="nobody")


# The largest amount that would pass is found in a few dozen measurements.


@pytest.mark.parametrize("amount", [1, 2, 5, 24, 25, 1_000, 1_000_000, 10**30])
@pytest.mark.parametrize("last", [-1, 0, 1, 4, 23, 999, 123_456])
def test_halving_finds_the_largest_amount(amount, last):
    tried = []
    within = largest_smaller(lambda each: tried.append(each) or each <= last, amount, more_is_worse=True)
    assert within == (min(last, amount - 1) if last >= 0 else None)
    assert len(tried) <= amount.bit_length() + 1
    assert len(set(tried)) == len(tried)


def test_too_little_is_no_answer():
    assert largest_smaller(lambda each: None if each < 3 else each < 7, 1_000, more_is_worse=True) == 6
    assert largest_smaller(lambda each: None if each < 8 else False, 1_000, more_is_worse=True) is None
    assert largest_smaller(lambda each: None if each < 8 else False, 1_000, more_is_worse=False) is None


@pytest.mark.parametrize("amount", [3, 24, 25, 10**6, 10**30])
def test_where_nothing_is_claimed_few_amounts_are_tried(amount):
    tried = []
    assert largest_smaller(tried.append, amount, more_is_worse=False) is None
    assert len(tried) <= 24
    if amount > 2:
        within = largest_smaller(lambda each: tried.append(each) or 2 <= each <= 100, amount, more_is_worse=False)
        assert within is None or 2 <= within <= 100
        assert within == min(amount - 1, 100) or amount > 10**6
    assert len(tried) <= 72
