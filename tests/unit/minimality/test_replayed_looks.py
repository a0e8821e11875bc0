"""One look per group, replayed from published counts alone."""

from fractions import Fraction

import numpy as np
import pytest

import sidelight as sl
from sidelight.errors import BadRelease
from sidelight.minimality.group_question import RosterLines
from sidelight.minimality.replayed_looks import _any_world, refuse_other_than_looks
from sidelight.search.mondrian import one_look
from sidelight.search.value_limits import covered_limits
from sidelight.table.table import Column

POLICY = sl.Policy(sl.GroupSize() >= 2, sl.Implications(0) <= Fraction(3, 4))


def lines(*people_by_group: list[int]) -> RosterLines:
    """Lines with ages from 1 on, so many people each."""
    people = np.array([people for group in people_by_group for people in group])
    group = np.repeat(np.arange(len(people_by_group)), [len(each) for each in people_by_group])
    return RosterLines((Column.of("age", [str(1 + at) for at in range(len(people))]),), group, people)


def replay(roster: RosterLines, release: sl.Release) -> None:
    refuse_other_than_looks(roster, release, one_look(covered_limits(POLICY), POLICY, release.size), {}, None)


def test_values_are_dealt_so_that_every_group_has_its_counts():
    roster, release = lines([2, 3], [1], [4]), sl.Release.from_counts([{"a": 3, "b": 2}, {"b": 1}, {"a": 4}])
    table = _any_world(roster, release)
    assert table.counts.dense().sum(axis=1).tolist() == [2, 3, 1, 4]
    rolled = table.counts.roll_up(roster.group, groups=3)
    assert (rolled.dense() == release.groups.counts.dense()).all()


def test_millions_of_people_replay():
    million = 1_000_000
    halves = sl.Release.from_counts([{"a": million, "b": million}] * 2)
    replay(lines([2 * million], [2 * million]), halves)
    # equal halves with so many of either value fail next to never, and yet some world has all of one on a side
    replay(lines([2 * million, 2 * million]), sl.Release.from_counts([{"a": 2 * million, "b": 2 * million}]))


def test_a_group_that_the_cut_at_the_median_parts_is_named():
    release = sl.Release.from_counts([{"a": 1, "b": 1}, {"a": 3, "b": 3}])
    with pytest.raises(BadRelease, match="group 2 is none that one look"):
        replay(lines([1, 1], [1, 1, 1, 1, 1, 1]), release)


def test_people_alike_in_two_groups_were_never_cut_apart():
    release = sl.Release.from_counts([{"a": 1, "b": 1}] * 2)
    alike = RosterLines((Column.of("age", ["30", "30"]),), np.array([0, 1]), np.array([2, 2]))
    with pytest.raises(BadRelease, match="group 1 is none that one look"):
        replay(alike, release)
