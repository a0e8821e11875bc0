"""Negations: which values are ruled out, and of whom."""

from fractions import Fraction

import sidelight as sl


def test_the_most_frequent_other_values_are_ruled_out():
    release = sl.Release.from_counts([{"a": 4, "b": 3, "c": 2, "d": 1}])
    finding = sl.Negations(2).measure(release)
    assert (finding.value, finding.witness.value, finding.witness.ruled_out) == (Fraction(4, 5), "a", ("b", "c"))
    rare = sl.Negations(2, value="d").measure(release)
    assert (rare.value, rare.witness.ruled_out) == (Fraction(1, 3), ("a", "b"))


def test_more_than_there_are_values():
    finding = sl.Negations(9).measure(sl.Release.from_counts([{"a": 2, "b": 2}]))
    assert (finding.value, finding.witness.ruled_out) == (1, ("b",))


def test_groups_without_the_value_are_passed_over():
    release = sl.Release.from_counts([{"b": 9}, {"a": 1, "b": 1}])
    assert sl.Negations(0, value="a").measure(release).witness.group.number == 2
