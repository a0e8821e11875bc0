"""Rounds of expectation and maximisation, from no belief but the release's own.

Start       W_is = n_g(s)/n_g: no chance anywhere, so that equal people stay equal.
Round       the model learns from W, then W_is = Pr(x_i = s) over the assignments with the published counts.
Stop        at max |ΔW| < `CLOSE`, or after `ROUNDS` rounds: more rounds claim more without knowing more.
Invariant   For naive Bayes with every group gone through exactly, ln likelihood + α·Σ ln m never falls.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol, TypeAlias

import numpy as np

from sidelight._arrays import Flags, Floats
from sidelight._progress import Progress, quiet
from sidelight._text import counted
from sidelight.errors import BadMeasure, parameter
from sidelight.learner.assignments import Assignments
from sidelight.learner.models import Logistic, Model, ModelName, NaiveBayes
from sidelight.learner.roster import LABELS_ALONE, Roster
from sidelight.learner.several_values import Occurrences, SetAssignments
from sidelight.measures.measure import whole_amount

CLOSE = 1e-4
"""Training stops once no belief moves by more."""

ROUNDS = 30
"""So many rounds at most."""

ROUNDING = 1e-9
"""The share of a likelihood that rounding may take."""

MANY = 10**9
"""A number of states beyond which nobody wants to know."""

Expected: TypeAlias = Assignments | SetAssignments | Occurrences


class Expectation(Protocol):
    """What a model says becomes what is expected."""

    @property
    def exactly(self) -> Flags:
        """Which groups, or values in groups, it goes through exactly."""

    def expect(self, scores: Floats) -> tuple[Floats, float]:
        """Give expected numbers per cell, and the logarithm of their likelihood where all is gone through exactly."""


@dataclass(frozen=True, eq=False, slots=True)
class Trained:
    """What training ended with: beliefs per cell, the model, and how many rounds it took."""

    beliefs: Floats
    model: Model | None  # None: nothing was trained, or not by a roster
    rounds: int
    likelihoods: tuple[float, ...] = ()
    notes: tuple[str, ...] = ()

    def noting(self, *notes: str) -> Trained:
        """Add what a reader has to know."""
        return replace(self, notes=(*self.notes, *notes))


def train(model: Model, expectation: Expectation, *, rounds: int = ROUNDS, progress: Progress = quiet) -> Trained:
    """Learn and expect in turn."""
    roster, likelihoods = model.roster, []
    expected = roster.shares
    beliefs, exact = roster.believed(expected), bool(expectation.exactly.all())
    for done in range(1, rounds + 1):
        progress("training rounds", done - 1, rounds)
        model.learn(expected)
        expected, likelihood = expectation.expect(model.scores())
        prior = model.log_prior() if exact else None
        if prior is not None:
            likelihoods.append(likelihood + prior)
            assert _never_falls(likelihoods), "the likelihood fell"
        before, beliefs = beliefs, roster.believed(expected)
        if np.abs(beliefs - before).max(initial=0.0) < CLOSE:
            return Trained(beliefs, model, done, tuple(likelihoods))
    return Trained(beliefs, model, rounds, tuple(likelihoods))


def _never_falls(likelihoods: list[float]) -> bool:
    """Compare the last two, but for rounding."""
    return len(likelihoods) < 2 or likelihoods[-1] >= likelihoods[-2] - ROUNDING * (1 + abs(likelihoods[-2]))


def train_on(
    roster: Roster,
    name: ModelName,
    *,
    rounds: int = ROUNDS,
    exact_up_to: int | None = None,
    progress: Progress = quiet,
) -> Trained:
    """Train a model on a roster; where nobody is told apart, there is nothing to learn."""
    if not roster.tells_apart:
        return Trained(roster.believed(roster.shares), None, 0, notes=(LABELS_ALONE,))
    expectation = expectation_of(roster, exact_up_to)
    trained = train(new_model(roster, name), expectation, rounds=rounds, progress=progress)
    return trained.noting(*_scaled(roster, expectation))


def expect_settings(rounds: object, exact_up_to: object) -> tuple[int, int | None]:
    """Take how long to train and how much to go through exactly, or say what is wrong with them."""
    many = whole_amount("learner", "rounds", rounds)
    if many < 1:
        message = f"{parameter('rounds', many)} is no training; give 1 or more"
        raise BadMeasure(message)
    return many, None if exact_up_to is None else whole_amount("learner", "exact_up_to", exact_up_to)


def new_model(roster: Roster, name: ModelName) -> Model:
    """Make a model that has learnt nothing yet."""
    return Logistic(roster) if name == "logistic" else NaiveBayes(roster)


def expectation_of(roster: Roster, exact_up_to: int | None = None) -> Expected:
    """Choose how expectations are computed, by how many values people have."""
    if roster.release.semantics == "single":
        return Assignments(roster, exact_up_to)
    return SetAssignments(roster, exact_up_to) if roster.release.semantics == "set" else Occurrences(roster)


def _scaled(roster: Roster, expectation: Expected) -> tuple[str, ...]:
    scaled = ~expectation.exactly
    if not scaled.any():
        return ()
    what = "group" if roster.release.semantics == "single" else "value in a group"
    least = min(round(expectation.states[scaled].min()), MANY)
    many = counted(int(scaled.sum()), what)
    return (f"{many} of {least:,} states or more by Sinkhorn's scaling, which errs towards doubt",)
