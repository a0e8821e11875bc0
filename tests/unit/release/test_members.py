"""Releases that tell the people of a group apart."""

import numpy as np
import pyarrow as pa
import pytest

import sidelight as sl
from sidelight.errors import BadRelease, BadTable
from sidelight.release.release import Members
from sidelight.table.table import Column

ROWS = pa.table(
    {
        "bucket": ["1", "1", "1", "2", "2"],
        "sex": ["m", "f", "m", "f", "f"],
        "age": ["30", "30", "30", "40", "41"],
        "disease": ["Flu", "Cold", "Flu", "Flu", "HIV"],
    }
)


def said(release: sl.Release) -> list[tuple[int, tuple[object, ...], int]]:
    who = release.members
    return [
        (int(group), tuple(column.cell(line) for column in who.columns), int(people))
        for group, line, people in zip(who.group, who.key, who.people, strict=True)
    ]


def test_a_bucketized_file_keeps_who_is_in_which_bucket():
    release = sl.read_release(ROWS, group="bucket", quasi=["sex", "age"], sensitive="disease")
    assert len(release) == 2
    assert [column.name for column in release.groups.columns] == ["bucket"]
    assert said(release) == [(0, ("f", "30"), 1), (0, ("m", "30"), 2), (1, ("f", "40"), 1), (1, ("f", "41"), 1)]


def test_grouping_keeps_all_quasi_identifiers():
    table = sl.read_table(ROWS, quasi=["bucket", "sex", "age"], sensitive="disease")
    release = sl.group(table, by="bucket")
    assert said(release)[1] == (0, ("1", "m", "30"), 2)
    assert sl.group(table, by=["bucket", "sex", "age"]).members is None


def test_a_published_release_has_no_members_and_anatomy_has():
    table = sl.read_table(ROWS, quasi=["sex", "age"], sensitive="disease")
    assert sl.read_release(ROWS, group=["sex"], sensitive="disease").members is None
    found = sl.protect(table, sl.Policy(sl.DistinctValues() >= 2), method="anatomy")
    assert found.release.members.people.sum() == 5


def test_buckets_by_hand_count_people_who_look_alike():
    release = sl.Release.from_buckets([([{"sex": "m"}, {"sex": "f"}, {"sex": "m"}], ["a", "b", "b"])])
    assert said(release) == [(0, ("f",), 1), (0, ("m",), 2)]


def test_members_add_up_to_the_groups():
    groups = sl.Release.from_counts([{"a": 2}]).groups
    who = Members.of((Column.of("sex", ["m"]),), np.array([0]), np.array([1]))
    with pytest.raises(BadRelease, match="add up"):
        sl.Release(groups, members=who)
    with pytest.raises(BadRelease, match="add up"):
        sl.Release.from_buckets([([{"sex": "m"}], ["a", "b"])])


def test_rows_of_counts_cannot_tell_people_apart():
    with pytest.raises(BadTable, match="tell them apart"):
        sl.read_release(ROWS, group="bucket", quasi="sex", sensitive="disease", rows="counts")
