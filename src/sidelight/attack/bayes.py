"""How sure does somebody get who weighs all releases together?"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import prod
from typing import Literal, TypeAlias

import numpy as np

from sidelight.attack.posterior import View
from sidelight.measures.exact import Floats
from sidelight.table.columns import Integers

Prior: TypeAlias = Literal["pooled", "uniform"]
"""What is believed before: how often each value occurs in all releases together, or all values alike."""


def prior_of(views: Sequence[View], prior: Prior) -> tuple[Fraction, ...]:
    """Give the belief in each value before anybody is located; never 0, as each value occurs somewhere."""
    totals = np.sum([view.counts.totals() for view in views], axis=0).tolist()
    if prior == "uniform":
        return (Fraction(1, len(totals)),) * len(totals)
    return tuple(Fraction(total, sum(totals)) for total in totals)


def weighed(shares: Sequence[Floats], there: Sequence[np.typing.NDArray[np.bool_]], prior: Floats) -> Floats:
    """Posterior ∝ Π_j Pr_j(s) / prior(s)^(n−1), row by row, over the n releases that a row is found in.

    By Bayes' rule, for releases that are independent given the person's value: each tells Pr_j(s) / prior(s).  A row
    that no value fits is nan: the releases contradict each other.

    >>> shares = [np.array([[0.5, 0.5, 0.0]]), np.array([[0.5, 0.25, 0.25]])]
    >>> weighed(shares, [np.array([True])] * 2, np.array([0.5, 0.25, 0.25])).tolist()
    [[0.5, 0.5, 0.0]]
    """
    odds = np.ones_like(shares[0])
    for share, here in zip(shares, there, strict=True):
        told = np.where(here[:, np.newaxis], share / prior, 1.0)
        odds *= told / np.maximum(told.max(axis=1, keepdims=True), np.finfo(float).tiny)
    odds *= prior
    total = odds.sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        posterior: Floats = odds / total
    return posterior


def posteriors(views: Sequence[View], prior: Sequence[Fraction], rows: Integers) -> Floats:
    """Give the posterior of some rows of people, row × value."""
    there = [view.located.matches[view.located.place[rows]] > 0 for view in views]
    return weighed([view.shares(rows) for view in views], there, np.array([float(each) for each in prior]))


def exact_posterior(views: Sequence[View], prior: Sequence[Fraction], row: int) -> tuple[Fraction, ...] | None:
    """Give the posterior of one row of people exactly; none, when the releases contradict each other."""
    told = [exact_shares(view, row) for view in views if len(view.located.groups_of(row))]
    odds = [prod((share[x] / each for share in told), start=each) for x, each in enumerate(prior)]
    total = sum(odds, start=Fraction(0))
    return tuple(each / total for each in odds) if total else None


def exact_shares(view: View, row: int) -> tuple[Fraction, ...]:
    """Give Pr_j(s) of one row of people that is located."""
    groups, weights = view.located.groups_of(row), view.located.weights_of(row).tolist()
    sizes = view.groups.sizes[groups].tolist()
    counts = view.counts.take(groups).dense().tolist()
    return tuple(
        sum((Fraction(w * counts[g][x], n) for g, (w, n) in enumerate(zip(weights, sizes, strict=True))), Fraction(0))
        / sum(weights)
        for x in range(view.counts.width)
    )
