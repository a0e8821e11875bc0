"""Presence and absence: δ-presence from both sides."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

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


def test_where_nobody_is_in_words():
    measure = sl.Absence(pa.table({"age": ["31", "34", "52"]}))
    nobody = measure.prepare(RELEASE).groups.take(np.empty(0, np.int64))
    assert measure.summarize(nobody).finding().explain() == "Nobody is in the release."


def test_whoever_may_be_suppressed_is_not_absent_for_sure():
    release = sl.Release.from_counts([{"a": 2}, {"a": 1}], labels=[{"age": "30-39"}, {"age": "*"}])
    assert sl.Absence(pa.table({"age": ["31", "34", "52", "77"]})).measure(release).value == Fraction(1, 2)


def one_group(people):
    return sl.Release.from_counts([{"Flu": people}], labels=[{"age": "30-39"}])


@pytest.mark.parametrize(
    ("people", "register", "present", "absent"),
    [
        (
            1,
            1,
            "1 of the register's 1 person is in the release.",
            "0 of the register's 1 person are not in the release.",
        ),
        (
            2,
            3,
            "2 of the register's 3 people are in the release.",
            "1 of the register's 3 people is not in the release.",
        ),
        (
            1_100,
            2_400,
            "1,100 of the register's 2,400 people are in the release.",
            "1,300 of the register's 2,400 people are not in the release.",
        ),
    ],
)
def test_words(people, register, present, absent):
    release, known = one_group(people), pa.table({"age": ["31"] * register})
    for measure, value, words in (
        (sl.Presence(known), Fraction(people, register), present),
        (sl.Absence(known), 1 - Fraction(people, register), absent),
    ):
        finding = measure.measure(release)
        assert finding.value == value == finding.replay(release)
        assert finding.explain() == f"In group 1 (age 30-39), {words}"
        assert finding.notes == ()


def test_the_worst_of_several_groups():
    register = pa.table({"age": ["31"] * 4 + ["52"] * 2})
    presence, absence = (kind(register).measure(RELEASE) for kind in (sl.Presence, sl.Absence))
    assert (presence.value, presence.witness.group.number) == (Fraction(1, 2), 1)
    fewer = sl.Presence(pa.table({"age": ["31"] * 4 + ["52"]})).measure(RELEASE)
    assert (fewer.value, fewer.witness.group.number, fewer.replay(RELEASE)) == (1, 2, 1)
    more = sl.Absence(pa.table({"age": ["31"] * 5 + ["52"] * 2})).measure(RELEASE)
    assert (more.value, more.witness.group.number, more.replay(RELEASE)) == (Fraction(3, 5), 1, Fraction(3, 5))
    assert absence.value == Fraction(1, 2)


def test_in_a_release_of_nobody():
    register = pa.table({"age": ["31", "34", "52", "57", "77"]})
    presence, absence = sl.Presence(register), sl.Absence(register)
    nobody = [each.prepare(RELEASE).groups.take(np.empty(0, np.int64)) for each in (presence, absence)]
    finding = presence.summarize(nobody[0]).finding()
    assert finding.explain() == "Nobody is in the release, so nobody of the population is."
    assert absence.summarize(nobody[1]).finding().value == 1


def test_whoever_is_nowhere_is_noted_before_whoever_is_not_in_the_register():
    finding = sl.Absence(pa.table({"age": ["31", "52", "77"]}), "as in the release").measure(RELEASE)
    assert finding.notes == (
        "1 person of the register has cells that no group has, and is not in the release",
        "1 person of the release is not in the population, and counted in it",
    )
    assert finding.explain() == "1 person of the register has cells that no group has, and is not in the release."


@pytest.mark.parametrize(
    ("ages", "values", "somebody"), [([], [0.5, 0.75], 0), (["77"], [1, 1], 1), (["77", "78"], [1, 1], 1)]
)
def test_the_screen_of_absence_is_1_where_somebody_is_nowhere(ages, values, somebody):
    measure = sl.Absence(pa.table({"age": ["31"] * 4 + ["52"] * 4 + ages}))
    groups = measure.prepare(RELEASE).groups
    screen = measure.screen()
    assert screen.rows(groups).tolist() == [[value] for value in values]
    assert screen.kinds(groups).tolist() == [[2, 4, somebody], [1, 4, somebody]]


def test_as_a_policy_says_it():
    for kind in (sl.Presence, sl.Absence):
        assert kind.from_settings() == kind(None, "an error")
        assert kind.from_settings("people.csv", "as in the release") == kind("people.csv", "as in the release")
        assert kind.from_settings("people.csv").settings() == {"population": "people.csv"}
