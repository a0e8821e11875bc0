"""Who is in which group: equal people are one line, and the order of columns moves nothing but what is shown."""

import pyarrow as pa
import pytest

import sidelight as sl
from sidelight.errors import BadRelease
from sidelight.learner.roster import Roster
from sidelight.learner.training import NOTHING_HOLDS


def test_equal_people_of_a_group_are_one_line_and_keys_stand_by_the_names_of_columns():
    people = [{"town": "y", "age": "2"}, {"town": "x", "age": "3"}, {"town": "y", "age": "2"}]
    release = sl.Release.from_buckets([(people, ["Flu", "Flu", "Cold"])])
    roster = Roster.of_members(release, release.members)
    assert roster.members.people.tolist() == [2, 1]
    assert [column.name for column in roster.columns] == ["age", "town"]
    assert roster.says(0) == (("town", "y"), ("age", "2"))


BUCKETS = [([{"q": "x"}, {"q": "y"}], ["Flu", "Cold"]), ([{"q": "z"}, {"q": "y"}], ["Flu", "Cold"])]


def table(values):
    rows = pa.table({"q": ["x", "y", "z", "y"], "value": values})
    return sl.read_table(rows, quasi="q", sensitive="value")


def test_a_value_that_the_release_does_not_have_names_the_group_of_whoever_has_it():
    with pytest.raises(BadRelease, match="values for group 2"):
        sl.learn(sl.Release.from_buckets(BUCKETS), truth=table(["Flu", "Cold", "FLU", "Cold"]))


def test_people_of_one_key_and_value_are_known_wherever_they_are():
    learned = sl.learn(sl.Release.from_buckets(BUCKETS), "naive bayes", truth=table(["Flu", "Cold", "Flu", "Cold"]))
    true = [(row["group"], row["q"], row["value"]) for row in learned.table().to_pylist() if row["true"] == 1]
    assert sorted(true) == [(1, "x", "Flu"), (1, "y", "Cold"), (2, "y", "Cold"), (2, "z", "Flu")]
    assert learned.notes == (NOTHING_HOLDS,)
