"""Presence and absence: δ-presence from both sides."""

from fractions import Fraction

import pyarrow as pa

import sidelight as sl
from sidelight.policy.measure_names import name_here

RELEASE = sl.Release.from_counts([{"Flu": 2}, {"Cold": 1}], labels=[{"age": "30-39"}, {"age": "50-59"}])


def test_delta_presence_is_two_limits():
    register = pa.table({"age": ["31", "34", "38", "52", "57"]})
    policy = sl.Policy(sl.Presence(register) <= Fraction(2, 3), sl.Absence(register) <= Fraction(1, 2))
    assert policy.judge(RELEASE).safe
    assert [finding.witness.group.number for finding in policy.judge(RELEASE).findings] == [1, 2]
    assert name_here("δ-presence") == "; δ-presence is 'presence' or 'absence' here"
    assert name_here("k map") == "; k-map is 'journalist risk' here"


def test_cells_that_nobody_of_the_release_has_are_absent_for_sure():
    finding = sl.Absence(pa.table({"age": ["31", "34", "52", "77", "78"]})).measure(RELEASE)
    assert finding.value == 1
    assert finding.witness is None
    assert finding.explain() == "2 people of the register have cells that no group has, and are not in the release."
    assert finding.replay(RELEASE) == 1


def test_whoever_may_be_suppressed_is_not_absent_for_sure():
    release = sl.Release.from_counts([{"a": 2}, {"a": 1}], labels=[{"age": "30-39"}, {"age": "*"}])
    assert sl.Absence(pa.table({"age": ["31", "34", "52", "77"]})).measure(release).value == Fraction(1, 2)
