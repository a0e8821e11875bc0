"""Beliefs of one group: listed, by one cut's left halves, or drawn; all say the same."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from support.eleven import eleven_question, table_of

import sidelight as sl
from sidelight.minimality import group_beliefs
from sidelight.minimality.group_beliefs import CountingEffort, believe, draw


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


def test_intervals_hold_what_is_counted():
    question, limits = eleven_question()
    counted = believe(question, limits, "group 1")
    counts = np.append(question.counts[counted.values], question.size - question.counts[counted.values].sum())
    drawn = draw(question, limits, counted.values, counts)
    exact = counted.shares.astype(float)
    assert (drawn.at_least <= exact).all()
    assert (exact <= drawn.at_most).all()
    assert np.abs(drawn.estimate - exact).max() < 0.05
    assert abs(drawn.kept / drawn.draws - 1 / 165) < 0.001
    again = draw(question, limits, counted.values, counts)
    assert (again.estimate == drawn.estimate).all()


def test_too_few_kept_draws_tell_nothing():
    question, limits = eleven_question()
    values = np.flatnonzero(question.counts)[:1]
    assert draw(question, limits, values, np.array([3, 8]), CountingEffort(cells=1_000)) is None


def test_more_values_than_there_are_numbers_for_tell_nothing():
    question, limits = eleven_question()
    values = np.flatnonzero(question.counts)
    counts = np.append(question.counts[values], 0)
    assert len(counts) == 7
    assert draw(question, limits, values, counts, CountingEffort(value_bits=2)) is None
    few = CountingEffort(tables=0, value_bits=2)
    assert believe(question, replace(limits, distinct=2), "group 1", few).how == "could not tell"
    assert draw(question, limits, values, counts, CountingEffort(value_bits=3)) is not None


def test_as_many_values_as_there_are_numbers_for_are_told_apart():
    random = np.random.default_rng(1)
    dealt = np.arange(8, dtype=np.uint64)
    hands = group_beliefs._shuffle(dealt, 50, random, 3)
    assert (np.sort(hands, axis=1) == dealt).all()
