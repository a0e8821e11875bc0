"""Drawn beliefs hold the exact ones, and too few draws tell nothing."""

from dataclasses import replace

import numpy as np
from support.eleven import eleven_question

from sidelight.minimality import draws
from sidelight.minimality.group_beliefs import CountingEffort, believe


def test_intervals_hold_what_is_counted():
    question, limits = eleven_question()
    counted = believe(question, limits, "group 1")
    counts = np.append(question.counts[counted.values], question.size - question.counts[counted.values].sum())
    drawn = draws.draw(question, limits, counted.values, counts)
    exact = counted.shares.astype(float)
    assert (drawn.at_least <= exact).all()
    assert (exact <= drawn.at_most).all()
    assert np.abs(drawn.estimate - exact).max() < 0.05
    assert abs(drawn.kept / drawn.draws - 1 / 165) < 0.001
    again = draws.draw(question, limits, counted.values, counts)
    assert (again.estimate == drawn.estimate).all()


def test_too_few_kept_draws_tell_nothing(monkeypatch):
    monkeypatch.setattr(draws, "MOST_CELLS", 1_000)
    question, limits = eleven_question()
    values = np.flatnonzero(question.counts)[:1]
    assert draws.draw(question, limits, values, np.array([3, 8])) is None


def test_more_values_than_there_are_numbers_for_tell_nothing(monkeypatch):
    monkeypatch.setattr(draws, "VALUE_BITS", 2)
    question, limits = eleven_question()
    values = np.flatnonzero(question.counts)
    counts = np.append(question.counts[values], 0)
    assert len(counts) == 7
    assert draws.draw(question, limits, values, counts) is None
    few = CountingEffort(tables=0)
    assert believe(question, replace(limits, distinct=2), "group 1", few).how == "could not tell"
    monkeypatch.setattr(draws, "VALUE_BITS", 3)
    assert draws.draw(question, limits, values, counts) is not None


def test_as_many_values_as_there_are_numbers_for_are_told_apart(monkeypatch):
    monkeypatch.setattr(draws, "VALUE_BITS", 3)
    random = np.random.default_rng(1)
    dealt = np.arange(8, dtype=np.uint64)
    hands = draws._shuffle(dealt, 50, random)
    assert (np.sort(hands, axis=1) == dealt).all()
