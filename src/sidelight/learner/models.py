"""What does a model say of a person with these quasi-identifiers, and how does it learn from beliefs?

Symbols     people i with labels q_ij in columns j, values s, beliefs W_is; V_j labels in column j.
naive Bayes P_i(s) = Π_j m_j(q_ij | s), with m_j(v | s) = (α + Σ_i [q_ij = v]·W_is) / (α·V_j + Σ_i W_is), α = 1.
            P(s) and P(q) are the same for all assignments of a group, and cancel.  Of sets, the odds of a value are
            Π_j m_j(q_ij | s) / m_j(q_ij | not s); of multisets, the rate is Π_j m_j(q_ij | s) / m_j(q_ij), as people
            are compared with each other.
logistic    ln P_i(s) = Σ_j θ_j(q_ij, s), up to what makes it add up to 1 over the values; of sets, ln odds; of
            multisets, ln rate.  θ maximises the expected log likelihood − ½ Σ θ², by `STEPS` steps of L-BFGS from the
            last θ.

A missing label is a label like any other, and numbers are labels.  People with the same key are one row: a step costs
keys × columns × values.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from sidelight._arrays import Codes, Floats, Integers, sum_by
from sidelight.errors import BadMeasure, parameter
from sidelight.learner.roster import Roster

if TYPE_CHECKING:
    from sidelight.table.table import Semantics

ModelName: TypeAlias = Literal["logistic", "naive bayes"]
"""Which model is trained."""

ALPHA = 1.0
"""Added to every count of naive Bayes (Laplace's rule)."""

STEPS = 15
"""So many steps of L-BFGS a round."""

OPTIONS = {"maxiter": STEPS, "ftol": 0.0, "gtol": 0.0}
"""As many steps in any case: a stop by tolerance would hang on the last bits, and twins would differ."""

LEARNT_PARTS = 2**20
"""Logistic learns from expected numbers rounded to such parts: hundreds of steps would make much of last bits.  Sums of
them are exact, in whatever order groups and people stand."""

LARGEST_SCORE = 50.0
"""No rate is taken to be larger than e to this."""


def model_name(name: object) -> ModelName:
    """Take the name of a model, or say which there are.

    >>> model_name("Bayes")
    Traceback (most recent call last):
    sidelight.errors.BadMeasure: no model="Bayes"; choose "logistic" or "naive bayes"
    """
    for known in get_args(ModelName):
        if name == known:
            return known  # type: ignore[no-any-return]
    message = f'no {parameter("model", str(name))}; choose "logistic" or "naive bayes"'
    raise BadMeasure(message)


@dataclass(eq=False)
class Model(ABC):
    """A model in training: `learn` from expected numbers per cell, then `scores` says ln P_i(s) per cell."""

    roster: Roster

    @cached_property
    def values(self) -> int:
        """How many values there are."""
        return len(self.roster.release.domain)

    @cached_property
    def keys(self) -> int:
        """How many keys there are."""
        return self.roster.members.key_count

    @property
    def semantics(self) -> Semantics:
        """How many values a person may have."""
        return self.roster.release.semantics

    @cached_property
    def key_value(self) -> Integers:
        """The key and value of each cell, as one number."""
        return self.roster.members.key[self.roster.line] * self.values + self.roster.value

    @cached_property
    def codes(self) -> tuple[Codes, ...]:
        """The label of each key, column by column."""
        return tuple(column.codes[: self.keys] for column in self.roster.columns)

    @cached_property
    def people(self) -> Floats:
        """How many people have each key: a column of a matrix."""
        members = self.roster.members
        return sum_by(members.key, members.people, self.keys)[:, np.newaxis]

    def by_key(self, expected: Floats) -> Floats:
        """Add up: how many values of each kind the people of each key are expected to have."""
        summed = sum_by(self.key_value, expected * self.roster.people, self.keys * self.values)
        return summed.reshape(self.keys, self.values)

    @abstractmethod
    def learn(self, expected: Floats) -> None:
        """Fit the parameters to expected numbers (the maximisation)."""

    @abstractmethod
    def scores_by_column(self) -> list[Floats]:
        """Give, per column, the score of each label and value."""

    def scores(self) -> Floats:
        """Give ln P_i(s) per cell, up to a constant per person; of several values, the logarithm of odds or rates."""
        scores: Floats = self.add_columns(self.scores_by_column()).ravel()[self.key_value]
        return scores

    def add_columns(self, by_column: list[Floats]) -> Floats:
        """Give Σ_j of what each key's labels have, keys × values."""
        total = np.zeros((self.keys, self.values))
        for codes, score in zip(self.codes, by_column, strict=True):
            total += score[codes]
        return total

    def log_prior(self) -> float | None:
        """Give what is added to the log likelihood of a round so that it never falls; None where it may."""
        return None


@dataclass(eq=False)
class NaiveBayes(Model):
    """Labels are independent, given the value."""

    log_shares: list[Floats] = field(default_factory=list)  # ln m_j(v | s)
    log_other: list[Floats] = field(default_factory=list)  # of whoever a value is compared with; none where cancelled

    def learn(self, expected: Floats) -> None:
        """Count labels by value."""
        by_key = self.by_key(expected)
        self.log_shares = self._log_shares(by_key)
        if self.semantics == "set":
            self.log_other = self._log_shares(self.people - by_key)
        elif self.semantics == "multiset":
            self.log_other = self._log_shares(self.people)

    def _log_shares(self, by_key: Floats) -> list[Floats]:
        return [
            log_label_shares(_sums(codes, by_key, len(column.labels)))
            for codes, column in zip(self.codes, self.roster.columns, strict=True)
        ]

    def scores_by_column(self) -> list[Floats]:
        """Give ln m_j(v | s), over that of whoever it is compared with."""
        if not self.log_other:
            return self.log_shares
        return [one - other for one, other in zip(self.log_shares, self.log_other, strict=True)]

    def log_prior(self) -> float | None:
        """α · Σ ln m; of sets also what all people weigh as if they had nothing."""
        if self.semantics == "multiset":
            return None
        prior = ALPHA * float(sum(shares.sum() for shares in (*self.log_shares, *self.log_other)))
        return prior + (float((self.people * self.add_columns(self.log_other)).sum()) if self.log_other else 0.0)


def log_label_shares(counts: Floats) -> Floats:
    """Give ln (α + count) / (α·V + Σ count), for labels × values.

    >>> np.exp(log_label_shares(np.array([[3.0], [0.0]]))).ravel().round(3).tolist()
    [0.8, 0.2]
    """
    smoothed = counts + ALPHA
    shares: Floats = np.log(smoothed) - np.log(smoothed.sum(axis=0))
    return shares


def _sums(codes: Codes, by_key: Floats, labels: int) -> Floats:
    sums = np.empty((labels, by_key.shape[1]))
    for value in range(by_key.shape[1]):
        sums[:, value] = np.bincount(codes, by_key[:, value], labels)
    return sums


@dataclass(eq=False)
class Logistic(Model):
    """Each label speaks for or against each value."""

    weights: Floats = field(default_factory=lambda: np.zeros(0))

    @cached_property
    def one_hot(self) -> Any:  # noqa: ANN401 - a sparse matrix of SciPy's, which is imported when it is needed
        """Keys × labels of all columns."""
        from scipy.sparse import csr_array  # noqa: PLC0415 - slow to import, and only here

        before = np.concatenate(([0], np.cumsum(self._widths)))
        places = [codes + start for codes, start in zip(self.codes, before[:-1].tolist(), strict=True)]
        codes = np.stack(places, axis=1) if places else np.zeros((self.keys, 0), np.int32)
        starts = np.arange(self.keys + 1) * len(places)
        return csr_array((np.ones(codes.size), codes.ravel(), starts), shape=(self.keys, int(before[-1])))

    @cached_property
    def transposed(self) -> Any:  # noqa: ANN401 - as above
        """Labels of all columns × keys."""
        return self.one_hot.T.tocsr()

    @property
    def _widths(self) -> list[int]:
        return [len(column.labels) for column in self.roster.columns]

    def learn(self, expected: Floats) -> None:
        """Climb from the last weights."""
        from scipy.optimize import minimize  # noqa: PLC0415 - slow to import, and only here

        if not self.weights.size:
            self.weights = np.zeros(self.one_hot.shape[1] * self.values)
        by_key = self.by_key(np.rint(expected * LEARNT_PARTS) / LEARNT_PARTS)
        towards = self.transposed @ by_key

        def loss(weights: Floats) -> tuple[float, Floats]:
            matrix = weights.reshape(-1, self.values)
            score = self.one_hot @ matrix
            normaliser, mean = self._normaliser(score)
            objective = normaliser - np.vdot(by_key, score) + 0.5 * np.vdot(weights, weights)
            gradient = self.transposed @ mean - towards + matrix
            return float(objective), gradient.ravel()

        if self.weights.size:
            self.weights = minimize(loss, self.weights, jac=True, method="L-BFGS-B", options=OPTIONS).x

    def _normaliser(self, score: Floats) -> tuple[float, Floats]:
        """Give what makes probabilities add up, and what is expected: keys × values."""
        people = self.people
        if self.semantics == "single":
            highest = score.max(axis=1, keepdims=True)
            likely = np.exp(score - highest)
            total = likely.sum(axis=1, keepdims=True)
            likely *= people / total
            return float(np.vdot(people, np.log(total) + highest)), likely
        if self.semantics == "set":
            return float((people * np.logaddexp(0.0, score)).sum()), people / (1 + np.exp(-score))
        rates = people * np.exp(np.minimum(score, LARGEST_SCORE))
        return float(rates.sum()), rates

    def scores_by_column(self) -> list[Floats]:
        """Give θ_j(v, s)."""
        matrix = self.weights.reshape(-1, self.values)
        return np.split(matrix, np.cumsum(self._widths)[:-1]) if self._widths else []
