"""A policy made ready for a search: floats where they are clear, exact arithmetic where they are not."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import sidelight as sl
from sidelight.search.policy_check import CriterionCheck, PolicyCheck

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
    assert check.worst_first(GROUPS).tolist() == [0, 2, 1]


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
        assert check.may_hold_in_each(met).tolist() == [may, False]
    policy = PolicyCheck.from_policy([sl.GroupSize() >= 2, sl.Acquaintance(family=1) <= Fraction(9, 10)], people=10)
    assert policy.may_hold_in_each(GROUPS).tolist() == policy.holds_in_each(GROUPS).tolist()


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
