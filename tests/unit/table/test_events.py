"""Rows about people who may have several: kept without names, and for nothing but noise."""

import numpy as np
import pytest

import sidelight as sl
from sidelight.errors import UnknownColumn, WrongKind
from sidelight.table.table import Column, Intake

BY = {"ward": sl.Hierarchy("ward", (("A", "B"), ("*", "*")))}
WARD = Column.of("ward", ["A", "B", "A"])


def read():
    """Two entries of one person, one of them twice, and one that two people have."""
    who, value, times, alike = map(np.array, ([0, 0, 1], [0, 1, 1], [2, 1, 1], [1, 2]))
    return sl.Events((WARD,), "disease", ("Cold", "Flu"), who, value, times, alike, intake=Intake(rows=6))


def test_people_and_their_rows_are_counted():
    assert sorted(read().rows_of_each().tolist()) == [1, 1, 3]
    assert read().allow_several_rows() == 1
    assert read().column("ward") is WARD
    with pytest.raises(UnknownColumn, match="did you mean 'ward'"):
        read().column("wards")


def test_events_are_for_nothing_but_counting():
    events = read()
    for use in (
        lambda: sl.group(events, by="ward"),
        lambda: sl.protect(events, sl.Policy(sl.GroupSize() >= 2), by=BY, ask="nobody"),
        lambda: sl.GroupSize().measure(events),
        lambda: sl.generalise(events, by=BY, to={"ward": 0}),
        lambda: sl.attack_noise([], people=events, by=BY),
    ):
        with pytest.raises(WrongKind, match="Events"):
            use()
    assert repr(events) == "<Events: 6 rows about people: ward → disease>"
