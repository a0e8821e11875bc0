"""Implications and negations against trying everything somebody might know, in every world."""

from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples

import sidelight as sl
from sidelight.testing import releases, splits
from sidelight.worlds.brute_force import worst_implications, worst_implications_with_one_conclusion, worst_negations

small = releases(semantics="single", max_groups=2, max_people=4, max_values=4)
one_group = releases(semantics="single", max_groups=1, max_people=6, max_values=4)
several = releases(semantics="single", min_groups=3, max_groups=3, max_people=3, max_values=3)
tiny = releases(semantics="single", max_groups=2, max_people=2, max_values=2) | releases(
    semantics="single", max_groups=1, max_people=3, max_values=2
)


def some_value(data, release):
    return data.draw(st.sampled_from([None, *(value for value in release.domain if value is not None)]), "value")


@examples(60)
@given(st.data(), small | one_group | several, st.integers(0, 3))
def test_the_worst_implications(data, release, k):
    value = some_value(data, release)
    finding = sl.Implications(k, value).measure(release)
    assert finding.value == worst_implications_with_one_conclusion(release, k, value)
    assert finding.replay(release) == finding.value
    assert finding.explain()


@examples(24)
@given(st.data(), tiny, st.integers(0, 2))
def test_no_other_implications_are_worse(data, release, k):
    """The theorem itself: implications of any form do no more harm than those with one shared conclusion."""
    value = some_value(data, release)
    assert sl.Implications(k, value).measure(release).value == worst_implications(release, k, value)


@examples(60)
@given(st.data(), small | one_group | several, st.integers(0, 3))
def test_the_worst_negations(data, release, k):
    value = some_value(data, release)
    finding = sl.Negations(k, value).measure(release)
    assert finding.value == worst_negations(release, k, value)
    assert finding.replay(release) == finding.value
    assert finding.explain()


@pytest.mark.parametrize("measure", [sl.Implications, sl.Negations])
@given(st.data(), st.integers(0, 6))
def test_parts_in_any_order_give_the_same_finding(measure, data, k):
    release = data.draw(releases(semantics="single", max_groups=8, max_people=12, max_values=6))
    adversary = measure(k, some_value(data, release))
    parts = [adversary.summarize(part) for part in data.draw(splits(release))]
    assert reduce(lambda one, other: one.merge(other), parts).finding() == adversary.measure(release)
