"""What measures claim about small groups: searches prune on it, these tests try to refute it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples

import sidelight as sl
from sidelight.policy.measure_names import all_measures
from sidelight.testing import measures, releases


@pytest.mark.parametrize("semantics", ["single", "set", "multiset"])
def test_a_group_of_fewer_people_is_as_bad_as_can_be(semantics):
    @examples(120)
    @given(st.data())
    def hunt(data):
        release = data.draw(releases(semantics=semantics, max_groups=1, max_people=5))
        measure = data.draw(measures(release, mergeable=True))
        if int(release.groups.sizes.min()) < measure.least_people(semantics):
            assert measure.measure(release).value == measure.limits[1 if measure.large_is_bad else 0], measure

    hunt()


@given(st.integers(0, 4), st.integers(0, 2), st.integers(0, 2), st.lists(st.integers(0, 3), min_size=1, max_size=6))
def test_whoever_knows_everybody_else_knows_the_target(others, rules_out, family, values):
    measure = sl.Acquaintance(rules_out, others, family)
    release = sl.Release.from_counts([{value: values.count(value) for value in values}])
    if len(values) < measure.least_people("single"):
        assert measure.measure(release).value == 1


def test_few_measures_claim_it():
    claiming = {
        kind.name
        for kind in all_measures()
        for measure in kind.examples(("Flu", "Cold"))
        if measure.least_people("single") > 1
    }
    assert claiming == {"acquaintance"}
