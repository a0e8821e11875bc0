"""The worst investigation: who sits where, and what it says as facts."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.testing import releases
from sidelight.worlds.closed_forms import Family, Others


@given(releases(max_groups=2, max_people=4, max_values=3), st.tuples(*[st.integers(0, 2)] * 3))
def test_as_facts_it_has_the_same_posterior(release, knows):
    finding = sl.Acquaintance(*knows).measure(release)
    if finding.witness is None:
        return
    target, facts = finding.witness.as_facts()
    assert sl.posterior(release, target, given=facts) == finding.value


def test_known_people_have_the_most_frequent_values_that_are_not_ruled_out():
    release = sl.Release.from_counts([{"a": 1, "b": 4, "c": 2, "d": 1}])
    witness = sl.Acquaintance(rules_out=1, others=3, value="a").measure(release).witness
    assert witness.rules_out == ("b",)
    assert witness.others.values == (("c", 2), ("d", 1))
    assert witness.family is None


def test_a_family_that_settles_it_needs_nothing_else():
    release = sl.Release.from_counts([{"a": 1, "b": 4, "c": 2}, {"a": 2, "b": 1}])
    witness = sl.Acquaintance(rules_out=0, others=0, family=5, value="a").measure(release).witness
    assert (witness.rules_out, witness.others, witness.family.people) == ((), None, 1)


@pytest.mark.parametrize("semantics", ["set", "multiset"])
def test_where_people_have_several_values_others_are_known_to_lack_it(semantics):
    release = sl.Release.from_counts([{"a": 2, "b": 1}], sizes=[9], values=semantics)
    witness = sl.Acquaintance(others=2, family=1, value="a").measure(release).witness
    group = release.groups.name(0)
    assert (witness.others, witness.family) == (Others(group, 2), Family(group, 1))
    assert witness.explain(Fraction(1, 2)).startswith("In group 1 anyone, the target, could be shown to have a")


@pytest.mark.parametrize("measure", [sl.Acquaintance(rules_out=2), sl.Negations(2)])
def test_values_that_hold_a_comma_stand_in_quotes(measure):
    release = sl.Release.from_counts([{"Flu": 3, "Ulcer, bleeding": 2, "Cold": 1, "Gout": 1}])
    assert "'Ulcer, bleeding' or Cold" in measure.measure(release).explain()
