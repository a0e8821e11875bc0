"""Implications and negations against trying everything somebody might know, in every world."""

from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples
from support.worst_cases import worst_implications, worst_implications_with_one_conclusion, worst_negations

import sidelight as sl
from sidelight.testing import releases, splits

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


# Where people have several values: sets and multisets of them.

several_values = pytest.mark.parametrize("semantics", ["set", "multiset"])
FEW = {"max_groups": 2, "max_people": 3, "max_values": 3}


@several_values
def test_the_worst_implications_and_negations_of_several_values(semantics):
    @examples(60)
    @given(st.data(), releases(semantics=semantics, **FEW), st.integers(0, 3))
    def hunt(data, release, k):
        value = some_value(data, release)
        for kind, worst in (
            (sl.Implications, worst_implications_with_one_conclusion),
            (sl.Negations, worst_negations),
        ):
            finding = kind(k, value).measure(release)
            assert finding.value == worst(release, k, value)
            assert finding.replay(release) == finding.value
            assert finding.explain()

    hunt()


@several_values
def test_no_other_implications_about_several_values_are_worse(semantics):
    @examples(24)
    @given(
        st.data(),
        releases(semantics=semantics, max_groups=1, max_people=2, max_values=2)
        | releases(semantics=semantics, max_groups=2, max_people=1, max_values=2),
        st.integers(0, 2),
    )
    def hunt(data, release, k):
        value = some_value(data, release)
        assert sl.Implications(k, value).measure(release).value == worst_implications(release, k, value)

    hunt()


@several_values
@given(st.data(), st.integers(0, 6))
def test_parts_of_several_values_in_any_order(semantics, data, k):
    release = data.draw(releases(semantics=semantics, max_groups=8, max_people=9, max_values=5))
    for kind in (sl.Implications, sl.Negations):
        adversary = kind(k, some_value(data, release))
        parts = [adversary.summarize(part) for part in data.draw(splits(release))]
        assert reduce(lambda one, other: one.merge(other), parts).finding() == adversary.measure(release)


@several_values
@given(st.data(), st.integers(0, 6))
def test_an_acquaintance_is_one_of_those_who_know_implications(semantics, data, k):
    """Her family are k premises about the same value; people whom she knows to lack it are k negations."""
    release = data.draw(releases(semantics=semantics, max_people=9, max_values=5))
    assert sl.Negations(k).measure(release).value == sl.Acquaintance(others=k).measure(release).value
    assert sl.Implications(k).measure(release).value >= sl.Acquaintance(family=k).measure(release).value
