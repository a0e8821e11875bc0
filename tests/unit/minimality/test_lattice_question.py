"""Finer full-domain releases that were not published: counted where groups are small, bounded where they are not."""

from fractions import Fraction

import pytest
from support.eleven import LIMITS, eleven

import sidelight as sl
from sidelight.minimality import lattice_question

BY = {"q0": sl.Hierarchy.suppression("q0", ["0", "1"]), "q1": sl.Hierarchy.suppression("q1", ["0", "1"])}


def test_by_hand_the_finer_releases_are_the_two_cuts():
    found = sl.protect(eleven(), LIMITS, by=BY, ask="nobody")
    learnt = sl.insider(found)
    assert found.levels == {"q0": 1, "q1": 1}
    assert (learnt.worst, learnt.witness.all_fail) == (1, Fraction(1, 165))
    assert learnt.replay(learnt.witness) == 1
    assert learnt.witness.finer == ("q0 at level 0", "q1 at level 0")
    assert "2 finer releases that sizes allow were not published" in learnt.explain()


def test_groups_that_cannot_be_listed_are_bounded_or_not_told(monkeypatch):
    found = sl.protect(eleven(), LIMITS, by=BY, ask="nobody")
    exact = sl.insider(found).groups[0]
    monkeypatch.setattr(lattice_question, "list_tables", lambda *_: None)
    assert sl.insider(found).outcome == "could not tell"
    roster, counts = sl.insider(found, method=sl.Mondrian()).roster, found.release.groups.counts
    (bounded,) = lattice_question.bound_by(roster, counts, 1 - exact.all_fail)
    assert bounded.how == "bounded"
    assert bounded.at_least.min() >= 0
    assert bounded.at_most.max() == pytest.approx(1)
    assert (bounded.at_least[0] <= exact.at_least.min(axis=0)).all()
    assert (bounded.at_most[0] >= exact.at_most.max(axis=0) - 1e-12).all()
