"""A release judged with groups cut is the release of all other groups and the halves, judged anew."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples

import sidelight as sl
from sidelight.release.groups import stack_groups
from sidelight.search.mondrian_acceptance import ExactRelease
from sidelight.search.mondrian_store import AT_ONCE
from sidelight.search.policy_check import CriterionCheck
from sidelight.testing import releases

MEASURES = (sl.Acquaintance(1, 1, 1), sl.Acquaintance(0, 0, 2), sl.Implications(1), sl.Implications(2))


@examples(15)
@given(
    releases(min_groups=2, max_groups=9, max_people=5, semantics="single"),
    st.sampled_from(MEASURES),
    st.data(),
    st.sampled_from([1, 2, 3, 512]),
)
def test_cuts_are_judged_as_the_release_that_they_make(release, measure, data, at_once):
    groups = replace(release.groups, columns=())
    rows = st.integers(0, len(groups) - 1)
    for _ in range(2):
        cut = np.array(sorted(data.draw(st.sets(rows, min_size=1))))
        halves = groups.take(np.array(data.draw(st.lists(rows, min_size=1, max_size=4))))
        halves = replace(halves, numbers=len(groups) + 1 + np.arange(len(halves)))
        made = stack_groups([groups.take(np.setdiff1d(np.arange(len(groups)), cut)), halves])
        # the value itself is met, and just about kept
        value = CriterionCheck.from_criterion(measure <= 1, 10).finding(made).value
        for bound in {value, min(Fraction(value) + Fraction(1, 10**20), 1), Fraction(1, 2)}:
            check = CriterionCheck.from_criterion(measure < bound, 10)
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(AT_ONCE, "groups", at_once)
                exact = ExactRelease(check, groups)
                assert exact.holds == check.holds_exactly(groups)
                for _ in range(2):  # at first, and of what is kept
                    assert exact.holds_after(cut, [halves]) == check.holds_exactly(made) == (value < bound)
