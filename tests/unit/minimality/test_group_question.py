"""Which halves keep a policy: by shares, numbers of values, other limits, and limits on several groups together."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples

import sidelight as sl
from sidelight.minimality.group_question import HalfLimits
from sidelight.search.policy_check import PolicyCheck

POLICIES = (
    (sl.RecursiveDiversity(2) <= 1,),
    (sl.Implications(0) < Fraction(1, 2),),
    (sl.DistinctValues() >= 2, sl.Implications(0) <= Fraction(3, 4)),
    (sl.EntropyDiversity() >= 1.5,),
    (sl.Closeness() <= Fraction(1, 3),),
    (sl.Implications(1) <= Fraction(3, 4),),
    (sl.BetaLikeness() <= 1, sl.GroupSize() >= 2),
)


@given(st.data(), st.sampled_from(POLICIES))
@examples(30)
def test_halves_pass_as_the_exact_measures_say(data, policy):
    counts = data.draw(st.lists(st.integers(0, 4), min_size=3, max_size=3).filter(sum))
    release = sl.Release.from_counts([dict(zip("abc", counts, strict=True)), {"a": 3, "b": 2, "c": 2}], domain="abc")
    left = [data.draw(st.integers(0, count)) for count in counts]
    right = [count - here for count, here in zip(counts, left, strict=True)]
    if min(sum(left), sum(right)) == 0:
        return
    limits = HalfLimits.from_check(PolicyCheck.from_policy(policy, release.size), release.groups)
    values = np.flatnonzero(counts)
    one, other = np.array([left])[:, values], np.array([right])[:, values]
    sizes = (sum(left), sum(right))
    passes = limits.large_enough(np.array(sizes)).all() and limits.passes(0, values, one, other, sizes)[0]
    assert passes == limits.judge(0, values, one[0].tolist(), other[0].tolist())


def test_values_that_can_break_no_share_need_not_be_told_apart():
    release = sl.Release.from_counts([{"a": 3, "b": 2, "c": 2, "d": 2, "e": 1, "f": 1}])
    shares = HalfLimits.from_check(PolicyCheck.from_policy([sl.RecursiveDiversity(2) <= 1], 11), release.groups)
    assert shares.decisive(release.groups.counts.row(0), 5).tolist() == [True] + [False] * 5
    distinct = HalfLimits.from_check(PolicyCheck.from_policy([sl.DistinctValues() >= 2], 11), release.groups)
    assert distinct.decisive(release.groups.counts.row(0), 5).all()
    sizes = HalfLimits.from_check(PolicyCheck.from_policy([sl.GroupSize() >= 2], 11), release.groups)
    assert sizes.limits_sizes_alone
