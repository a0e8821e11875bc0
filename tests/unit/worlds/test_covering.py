"""Which k covers just this knowledge."""

import pyarrow as pa
import pytest

import sidelight as sl
from sidelight.errors import BadKnowledge, BadTable, Contradiction, UnknownValue, WrongKind

RELEASE = sl.Release.from_groups(
    [(["Ann", "Bob", "Cleo"], ["Flu", "Cold", "Heart"]), (["Dan", "Eve"], ["Flu", "Cold"])]
)


@pytest.mark.parametrize(
    ("facts", "k"),
    [
        (None, 0),
        ("Dan = Flu", 1),
        ("Ann = Flu", 2),
        ("Ann != Flu", 1),
        ("Dan = Flu -> Ann = Flu", 1),
        ("same(Dan, Eve)", None),
    ],
)
def test_people_can_only_have_what_occurs_in_their_group(facts, k):
    if k is None:
        with pytest.raises(Contradiction):
            sl.covering_k(RELEASE, facts)
    else:
        assert sl.covering_k(RELEASE, facts) == k


def test_values_that_nobody_has_and_several_values_are_refused():
    with pytest.raises(UnknownValue, match="did you mean 'Flu'"):
        sl.covering_k(RELEASE, "Ann = Fluu")
    with pytest.raises(BadKnowledge, match="everybody has one value"):
        sl.covering_k(sl.Release.from_counts([{"a": 1}], sizes=[2], values="set"), "#1 = a")


def test_what_is_refused_is_named():
    with pytest.raises(WrongKind, match=r"^the release should be a Release, not "):
        sl.covering_k({"Ann": "Flu"}, "Ann = Flu")
    with pytest.raises(
        BadKnowledge, match=r"^what Implications\(k\) covers is about facts that hold; 'Ann = Flu with 0.8'"
    ):
        sl.covering_k(RELEASE, "Ann = Flu with 0.8")
    two = pa.table({"zip": ["1", "1"], "job": ["a", "b"], "ill": ["c", "d"]})
    with pytest.raises(BadTable, match=r"^what somebody believes is about one sensitive column, and there are "):
        sl.covering_k(sl.read_release(two, group="zip", sensitive=["job", "ill"]), None)
