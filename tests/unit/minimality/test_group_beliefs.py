"""Beliefs of one group: listed, by one cut's left halves, or drawn; all say the same.

Tables of atoms × values: all of them are listed, and what they stand for is added up exactly.

Finer full-domain releases that were not published: counted where groups are small, bounded where they are not.
"""

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.eleven import LIMITS, eleven, eleven_question, table_of
from support.examples import examples
from support.words import mentions

import sidelight as sl
from sidelight.minimality import group_beliefs
from sidelight.minimality.group_beliefs import (
    arrangements,
    believe_group,
    count_tables,
    draw,
    list_tables,
    sum_tables,
)


def test_by_hand():
    question, limits = eleven_question()
    beliefs = believe_group(question, limits, "group 1")
    assert beliefs.how == "counted"
    assert beliefs.all_fail == Fraction(1, 165)
    shared = int(np.flatnonzero(question.left.all(axis=0) | (~question.left).all(axis=0))[0])
    assert {beliefs.exact_belief(atom, 0) for atom in range(4)} == {Fraction(0), Fraction(1)}
    assert sum(beliefs.exact_belief(shared, value) for value in range(6)) == 1


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
    counted = believe_group(question, limits, "group 1")
    counts = np.append(question.counts[counted.values], question.size - question.counts[counted.values].sum())
    drawn = draw(question, limits, counted.values, counts)
    exact, (estimate, at_least, at_most) = counted.shares.astype(float), drawn.between
    assert (at_least <= exact).all()
    assert (exact <= at_most).all()
    assert np.abs(estimate - exact).max() < 0.05
    assert (drawn.how, abs(drawn.all_fail - 1 / 165) < 0.001) == ("drawn", True)
    again = draw(question, limits, counted.values, counts)
    assert (again.estimate == drawn.estimate).all()


def test_too_few_kept_draws_tell_nothing(monkeypatch):
    monkeypatch.setattr(group_beliefs, "MOST_DEALT", 1_000)
    question, limits = eleven_question()
    values = np.flatnonzero(question.counts)[:1]
    assert draw(question, limits, values, np.array([3, 8])) is None


def test_more_values_than_there_are_numbers_for_tell_nothing(monkeypatch):
    monkeypatch.setattr(group_beliefs, "VALUE_BITS", 2)
    question, limits = eleven_question()
    values = np.flatnonzero(question.counts)
    counts = np.append(question.counts[values], 0)
    assert len(counts) == 7
    assert draw(question, limits, values, counts) is None
    assert (
        believe_group(question, replace(limits, values=replace(limits.values, different=2)), "group 1", 0).how
        == "could not tell"
    )
    monkeypatch.setattr(group_beliefs, "VALUE_BITS", 3)
    assert draw(question, limits, values, counts) is not None


def test_as_many_values_as_there_are_numbers_for_are_told_apart():
    random = np.random.default_rng(1)
    dealt = np.arange(8, dtype=np.uint64)
    hands = group_beliefs._shuffle(dealt, 50, random, 3)
    assert (np.sort(hands, axis=1) == dealt).all()


@st.composite
def sums(draw):
    """Sizes of atoms, and counts of values, with the same total."""
    people = draw(st.lists(st.integers(1, 3), min_size=1, max_size=4).filter(lambda atoms: sum(atoms) <= 7))
    cuts = sorted(draw(st.lists(st.integers(0, sum(people)), min_size=1, max_size=3)))
    counts = np.diff([0, *cuts, sum(people)])
    return np.array(people), counts.astype(np.int64)


@given(sums())
@examples(30)
def test_tables_stand_for_all_arrangements(both):
    people, counts = both
    values = np.repeat(np.arange(len(counts)), counts).tolist()
    atom = np.repeat(np.arange(len(people)), people)
    listed = {
        tuple(tuple(np.bincount(np.array(dealt)[atom == at], minlength=len(counts))[:-1]) for at in range(len(people)))
        for dealt in set(itertools.permutations(values))
    }
    tables = list_tables(people, counts)
    assert {tuple(map(tuple, table.tolist())) for table in tables} == {tuple(map(tuple, each)) for each in listed}
    assert len(tables) == count_tables(people, counts) == len(listed)
    weight, hits = sum_tables(tables, people)
    assert weight == arrangements(counts)
    expected = [[Fraction(int(m) * int(n) * weight, int(people.sum())) for n in counts] for m in people]
    assert (hits == np.array(expected, object)).all()


def test_long_numbers_are_added_up_exactly():
    people, counts = np.array([15, 75]), np.array([11, 23, 10, 12, 14, 20])
    weight, hits = sum_tables(list_tables(people, counts), people)
    assert weight == arrangements(counts) == math.factorial(90) // math.prod(map(math.factorial, counts.tolist()))
    assert hits.tolist()[0] == [weight * 15 * count // 90 for count in counts.tolist()]


def test_too_many_tables_are_not_listed():
    assert list_tables(np.full(8, 3), np.full(6, 4)) is None
    assert list_tables(np.array([5_000, 1]), np.array([5_000, 1])) is None
    assert count_tables(np.full(8, 3), np.full(6, 4), most=100) > 100


BY = {"q0": sl.Hierarchy.suppression("q0", ["0", "1"]), "q1": sl.Hierarchy.suppression("q1", ["0", "1"])}


def test_by_hand_the_finer_releases_are_the_two_cuts():
    found = sl.protect(eleven(), LIMITS, by=BY, ask="nobody")
    learnt = sl.insider(found)
    assert found.levels == {"q0": 1, "q1": 1}
    assert (learnt.worst, learnt.witness.all_fail) == (1, Fraction(1, 165))
    assert learnt.replay(learnt.witness) == 1
    assert learnt.witness.finer == ("q0 at level 0", "q1 at level 0")
    assert mentions(learnt.explain(), "2 finer releases", "not published")


def test_groups_that_cannot_be_listed_are_bounded_or_not_told(monkeypatch):
    found = sl.protect(eleven(), LIMITS, by=BY, ask="nobody")
    exact = sl.insider(found).groups[0]
    monkeypatch.setattr(group_beliefs, "list_tables", lambda *_: None)
    assert sl.insider(found).outcome == "could not tell"
    roster, counts = sl.insider(found, method=sl.Mondrian()).roster, found.release.groups.counts
    (bounded,) = group_beliefs.bound_around_shares(roster, counts, 1 - exact.all_fail)
    assert bounded.how == "bounded"
    assert bounded.at_least.min() >= 0
    assert bounded.at_most.max() == pytest.approx(1)
    assert (bounded.at_least[0] <= exact.at_least.min(axis=0)).all()
    assert (bounded.at_most[0] >= exact.at_most.max(axis=0) - 1e-12).all()
