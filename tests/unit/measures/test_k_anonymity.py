"""The smallest group, in words and where it stands alone."""

from fractions import Fraction

import pytest

import sidelight as sl


@pytest.mark.parametrize(
    ("people", "words"),
    [
        (1, "1 person stands alone"),
        (2, "2 people stand for one another"),
        (30_000, "30,000 people stand for one another"),
    ],
)
def test_words(people, words):
    finding = sl.GroupSize().measure(sl.Release.from_counts([{"a": people}]))
    assert finding.explain() == f"In group 1, {words}; no group is smaller."


def test_people_count_and_not_values():
    """Several values per person: the group has as many people as it has, whatever they have."""
    release = sl.Release.from_counts([{"a": 2, "b": 2}, {"a": 3}], sizes=[2, 3], values="set")
    finding = sl.GroupSize().measure(release)
    assert (finding.value, finding.witness.group.number) == (2, 1)


def test_of_equally_small_groups_the_first_is_named():
    release = sl.Release.from_counts([{"a": 3}, {"a": 2}, {"a": 2}])
    assert sl.GroupSize().measure(release).witness.group.number == 2


def test_a_size_is_counted_again_in_the_group_that_is_named():
    release = sl.Release.from_counts([{"a": 3}, {"a": 1, "b": 1}, {"a": 4}])
    finding = sl.GroupSize().measure(release)
    again = finding.replay(release)
    assert (again, type(again)) == (2, Fraction)
    grown = sl.Release.from_counts([{"a": 3}, {"a": 1, "b": 4}, {"a": 4}])
    assert finding.replay(grown) == 5
