"""What is true, as a table or a search says it."""

import pyarrow as pa
import pytest

import sidelight as sl
from sidelight.errors import BadRelease

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
    assert learned.notes == ()
