"""Beliefs of one group: listed, by one cut's left halves, or drawn; all say the same."""

from fractions import Fraction

import numpy as np
import pytest
from support.eleven import eleven_question, table_of

import sidelight as sl
from sidelight.minimality import group_beliefs
from sidelight.minimality.group_beliefs import believe


def test_by_hand():
    question, limits = eleven_question()
    beliefs = believe(question, limits, "group 1")
    assert beliefs.how == "counted"
    assert beliefs.all_fail == Fraction(1, 165)
    shared = int(np.flatnonzero(question.left.all(axis=0) | (~question.left).all(axis=0))[0])
    assert {beliefs.exactly(atom, 0) for atom in range(4)} == {Fraction(0), Fraction(1)}
    assert sum(beliefs.exactly(shared, value) for value in range(6)) == 1


@pytest.mark.parametrize("limit", [sl.RecursiveDiversity(2) <= 1, sl.DistinctValues() >= 3])
def test_one_cut_is_counted_by_its_left_halves_too(limit, monkeypatch):
    people = table_of([(0,)] * 4 + [(1,)] * 5, list("aaab") + list("abbcc"))
    found = sl.protect(people, limit, method="mondrian", ask="nobody")
    listed = sl.insider(found)
    monkeypatch.setattr(group_beliefs, "list_tables", lambda *_: None)
    halves = sl.insider(found)
    assert len(found.release) == 1
    assert [each.how for each in halves.groups] == ["counted"]
    assert halves.worst == listed.worst
    assert halves.groups[0].all_fail == listed.groups[0].all_fail
    assert np.allclose(halves.groups[0].estimate, listed.groups[0].estimate)
