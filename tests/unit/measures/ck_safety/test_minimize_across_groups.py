"""Where atoms and the target go over all groups: certainty first, then the exact best of what is near the best."""

from fractions import Fraction
from functools import reduce

import numpy as np
import pytest

import sidelight as sl
from sidelight.errors import TooHard
from sidelight.measures.ck_safety.minimize_across_groups import (
    Choice,
    ImplicationsScreen,
    best_assignment,
    choices_near_best,
    weigh,
    worst_case,
)
from sidelight.measures.ck_safety.minimize_within_group import Allocation, TopCounts, least_log_probabilities
from sidelight.measures.exact import joined_after, joined_all, joined_before
from sidelight.measures.targets import Targets

HOSPITAL = sl.Release.from_counts(
    [
        {"Flu": 2, "Lung cancer": 2, "Heart disease": 1},
        {"Flu": 2, "Breast cancer": 1, "Ovarian cancer": 1, "Heart disease": 1},
    ]
)


def test_more_implications_than_there_are_values():
    finding = sl.Implications(10**6).measure(HOSPITAL)
    assert finding.value == 1
    assert len(finding.witness.premises()) == 1


def test_more_implications_than_can_be_weighed():
    rare = sl.Release.from_counts([{f"value {number}": 1 for number in range(2000)}])
    with pytest.raises(TooHard, match=r"1,000 implications are too many to weigh .*; give at most 400"):
        sl.Implications(1000, value="value 0").measure(rare)
    assert sl.Implications(1999, value="value 0").measure(rare).value == 1
    sure, unsure, nobody = {"a": 1, "b": 900}, {f"v{at}": 1 for at in range(950)} | {"a": 1}, {"c": 3000}
    for groups in ([sure, unsure, nobody], [unsure, sure], [nobody, unsure, {"d": 500}]):
        release = sl.Release.from_counts(groups)
        parts = [
            sl.Implications(900, value="a").summarize(release.groups.take(slice(at, at + 1)))
            for at in range(len(groups))
        ]
        assert reduce(lambda one, other: one.merge(other), parts).finding().value == 1
    nowhere = sl.Release.from_counts([{"c": 3000, "d": 3000}], domain=["a", "c", "d"])
    assert sl.Implications(900, value="a").measure(nowhere).value == 0


def test_certainty_comes_before_weighing():
    groups = TopCounts(np.array([10, 3]), np.array([[4, 3], [3, 0]]), np.array([4, 3]))
    assert worst_case(groups, k=1) == (1, [(1, Allocation((1,), 1))])


def test_of_equal_groups_the_first_is_taken():
    twins = TopCounts(np.array([5, 5, 5]), np.array([[2, 2]] * 3), np.array([2] * 3))
    choices = choices_near_best(*least_log_probabilities(twins))
    assert {choice.group for choice in choices} == {0, 1, 2}
    best = best_assignment(weigh(twins, choices), k=1)
    assert best.product == Fraction(1, 2)
    assert best.choices == (Choice(0, 1, True),)


def test_rows_join_in_any_order_to_the_risk():
    screen = ImplicationsScreen(2, Targets())
    release = sl.Release.from_counts(
        [{"a": 5, "b": 4, "c": 3, "d": 2}, {"a": 3, "b": 3, "d": 6}, {"c": 9, "a": 8, "b": 1}]
    )
    rows = screen.of(release.groups)
    expected = float(sl.Implications(2).measure(release).value)
    for joined in (joined_all(screen, rows), joined_before(screen, rows)[-1:], joined_after(screen, rows)[:1]):
        assert screen.value(joined)[0] == pytest.approx(expected)
