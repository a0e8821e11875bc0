"""One release as the attacker sees it: where people are, and which values they may have there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import prod
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from sidelight._arrays import Floats, Integers
from sidelight.attack.linkage import Located
from sidelight.errors import BadRelease, parameter
from sidelight.release.groups import Groups
from sidelight.table.labels import Label, label, shown
from sidelight.table.table import Counts

Words: TypeAlias = npt.NDArray[np.uint64]


@dataclass(frozen=True, eq=False, slots=True)
class View:
    """A release with everybody located in it; `counts` are of the values that all releases have in common names.

    `may_have` has the values of each place as bits (S_ij: of several groups, the union), all of them where nobody
    could be located; `choices` counts them (|S_ij|).
    """

    groups: Groups
    counts: Counts
    located: Located
    may_have: Words
    choices: Integers
    right: Fraction | None = None  # the share of people who were looked for in the right group

    @classmethod
    def of(cls, groups: Groups, counts: Counts, located: Located, right: Fraction | None = None) -> View:
        """Look up the values of every place."""
        words = _united(bits(counts), located)
        words[located.matches == 0] = bits(Counts.from_cells(np.ones((1, counts.width))))
        return cls(groups, counts, located, words, np.bitwise_count(words).sum(axis=1).astype(np.int64), right)

    def words(self, rows: Integers | slice) -> Words:
        """Give the values that rows of people may have, as bits."""
        return self.may_have[self.located.place[rows]]

    def before(self) -> Integers:
        """Give |S_ij| for every row of people."""
        return self.choices[self.located.place]

    def group_sizes(self) -> Integers:
        """Give the people among whom every row of people stands; 0 where it is not located."""
        return self.located.summed(self.groups.sizes)[self.located.place]

    def shares(self, rows: Integers) -> Floats:
        """Give Pr_j(s) for rows of people: n_g(s)/n_g; of several groups, the mean by their weights.

        A row that is not located has 0 throughout.
        """
        at = self.located.place[rows]
        matches = self.located.matches[at]
        made = np.zeros((len(rows), self.counts.width))
        alone = matches == 1
        group = self.located.group[self.located.starts[at[alone]]]
        made[alone] = self.counts.take(group).dense() / self.groups.sizes[group, np.newaxis]
        several = np.flatnonzero(matches > 1)
        if len(several):
            made[several] = self._mixed(at[several])
        return made

    def _mixed(self, places: Integers) -> Floats:
        matches = self.located.matches[places]
        starts = np.concatenate(([0], np.cumsum(matches)[:-1]))
        inside = np.arange(matches.sum()) - np.repeat(starts, matches) + np.repeat(self.located.starts[places], matches)
        group, weight = self.located.group[inside], self.located.weight[inside]
        parts = self.counts.take(group).dense() * (weight / self.groups.sizes[group])[:, np.newaxis]
        mixed: Floats = np.add.reduceat(parts, starts) / np.add.reduceat(weight, starts)[:, np.newaxis]
        return mixed


def _united(words: Words, located: Located) -> Words:
    """Take the union over the groups of each place."""
    united = np.zeros((len(located), words.shape[1]), np.uint64)
    some = np.flatnonzero(located.matches)
    if len(some):
        united[some] = np.bitwise_or.reduceat(words[located.group], located.starts[some])
    return united


# ----------------------------------------------------------------------------------------------------
# One domain of sensitive values for several releases.
# ----------------------------------------------------------------------------------------------------


class Values:
    """The values that occur in at least one of the releases, and what each release calls them."""

    def __init__(self, releases: Sequence[Groups], same_values: Mapping[str, str] | None) -> None:
        self._same = {label(one): label(other) for one, other in (same_values or {}).items()}
        named = [dict.fromkeys(self.called(groups.domain)) for groups in releases]
        if same_values is None:
            _refuse_strangers(named)
        occurring = {
            self.called((text,))[0]
            for groups in releases
            for text, total in zip(groups.domain, groups.whole.tolist(), strict=True)
            if total
        }
        self._declared = {text for names in named for text in names}
        self.domain: tuple[Label, ...] = tuple(
            text for text in dict.fromkeys(text for names in named for text in names) if text in occurring
        )
        self._code = {text: code for code, text in enumerate(self.domain)}

    def called(self, texts: Sequence[Label]) -> list[Label]:
        """Give the common name of each value."""
        return [self._same.get(text, text) for text in texts]

    def counts(self, groups: Groups) -> Counts:
        """Count a release's values under their common names."""
        codes = np.array([self._code.get(text, 0) for text in self.called(groups.domain)], np.int64)
        row, value, count = groups.counts.entries()
        return Counts.from_entries(row, codes[value], count, (len(groups), len(self.domain)))

    def codes(self, texts: tuple[Label, ...]) -> Integers:
        """Find true values, −1 for one that no release has; one that none has ever heard of is an error."""
        called = self.called(texts)
        strange = [text for text in called if text is not None and text not in self._declared]
        if strange:
            message = (
                f"'{strange[0]}' is true of somebody and no release has such a value; "
                f"say what it is called there with {parameter('same_values', {strange[0]: ...})}"
            )
            raise BadRelease(message)
        return np.array([self._code.get(text, -1) for text in called], np.int64)


def _refuse_strangers(named: list[dict[Label, None]]) -> None:
    """A release may lack values of another; but when each lacks some of the other's, names may differ."""
    for (i, one), (j, other) in combinations(enumerate(named, start=1), 2):
        mine, its = [text for text in one if text not in other], [text for text in other if text not in one]
        if mine and its:
            first, second = shown(mine[0]), shown(its[0])
            message = (
                f"releases {i} and {j} have different sensitive values: '{first}' is only in {i}, '{second}' only in "
                f"{j}; say which are the same, as in {parameter('same_values', {first: second})}, "
                f"or {parameter('same_values', {})} if none"
            )
            raise BadRelease(message)


def bits(counts: Counts) -> np.typing.NDArray[np.uint64]:
    """Set a bit for each value that a group has: groups × words of 64 values.

    >>> bits(Counts.from_cells([[1, 0, 2], [0, 4, 0]])).tolist()
    [[5], [2]]
    """
    row, value, _ = counts.entries()
    words = np.zeros((counts.rows, counts.width // 64 + 1), np.uint64)
    np.bitwise_or.at(words, (row, value // 64), np.uint64(1) << (value % 64).astype(np.uint64))
    return words


def flags(words: np.typing.NDArray[np.uint64], width: int) -> np.typing.NDArray[np.bool_]:
    """Spread words of bits out, one flag per value.

    >>> flags(np.array([[5]], np.uint64), 3).tolist()
    [[True, False, True]]
    """
    value = np.arange(width)
    spread: np.typing.NDArray[np.bool_] = (words[:, value // 64] >> (value % 64).astype(np.uint64)) & np.uint64(1) == 1
    return spread


# ----------------------------------------------------------------------------------------------------
# How sure does somebody get who weighs all releases together?
# ----------------------------------------------------------------------------------------------------


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
