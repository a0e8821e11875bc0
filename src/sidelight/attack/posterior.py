"""How sure does somebody get who weighs several releases together?

Symbols     i a person, s a sensitive value, j = 1 … n the releases in which the person is found.
            G_ij the groups of release j that i may be in, w_g how likely each is (Σ w_g = 1 after scaling).
            n_g people in group g, n_g(s) of them with value s; π(s) what is believed before.
One release Pr_j(s) = Σ_g∈G_ij w_g · n_g(s) / n_g: every person of a group is as likely to be i.
            S_ij = {s : Pr_j(s) > 0}; all values, where i is not found in j.
Bayes       The releases are made independently: given i's value they say nothing more about each other.  Hence
            Pr(s | all) ∝ π(s) · Π_j Pr_j(s) / π(s)  =  Π_j Pr_j(s) / π(s)^(n−1).
            Each release multiplies the odds by its likelihood ratio Pr_j(s) / π(s); one that does not have i, by 1.
Support     {s : Pr(s | all) > 0} = ∩_j S_ij = S_i, as π(s) > 0 for every value that occurs.  It may be empty: then the
            releases contradict each other, and the posterior is nan (floats) or None (exactly).
Cost        people × values, a block of rows at a time; sets of values are bits, 64 to a word.
Source      Sets: Ganta, Kasiviswanathan and Smith, KDD 2008.  The form with probabilities is ours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import prod
from typing import Literal, TypeAlias

import numpy as np

from sidelight._arrays import Bits, Flags, Floats, Integers, pack_bits, pack_positions
from sidelight.errors import BadRelease, parameter
from sidelight.release.groups import Groups
from sidelight.release.locate import Linkage
from sidelight.table.labels import Label, label, shown
from sidelight.table.table import Counts

"""Sets of values: rows × words of 64 values."""

Prior: TypeAlias = Literal["pooled", "uniform"]
"""What is believed before: how often each value occurs in all releases together, or all values alike."""


@dataclass(frozen=True, eq=False, slots=True)
class View:
    """One release as the attacker sees it: people linked to groups, and `counts` of values under common names.

    `may_have` has the values of each profile as bits (S_ij: of several groups, the union), all of them where nobody
    could be located; `choices` counts them (|S_ij|).
    """

    groups: Groups
    counts: Counts
    linkage: Linkage
    may_have: Bits
    choices: Integers
    share_linked_right: Fraction | None = None  # the share of people who were looked for in the right group

    @classmethod
    def of(cls, groups: Groups, counts: Counts, linkage: Linkage, share_linked_right: Fraction | None = None) -> View:
        """Look up the values of every profile."""
        row, value, _ = counts.entries()
        may_have = _union(pack_positions(row, value, counts.shape), linkage)
        # nothing is ruled out about somebody who is not there: never "no value is left"
        may_have[linkage.matches == 0] = pack_bits(np.ones((1, counts.width), bool))
        choices = np.bitwise_count(may_have).sum(axis=1).astype(np.int64)
        return cls(groups, counts, linkage, may_have, choices, share_linked_right)

    def values(self, rows: Integers | slice) -> Bits:
        """Give the values that rows of people may have (S_ij)."""
        return self.may_have[self.linkage.profile[rows]]

    def values_by_row(self) -> Integers:
        """Give |S_ij| for every row of people."""
        return self.choices[self.linkage.profile]

    def group_sizes(self) -> Integers:
        """Give the people among whom every row of people stands; 0 where it is not located."""
        return self.linkage.sums(self.groups.sizes)[self.linkage.profile]

    def probabilities(self, rows: Integers) -> Floats:
        """Give Pr_j(s) for rows of people, row × value; a row that is not located has 0 throughout."""
        profile = self.linkage.profile[rows]
        matches = self.linkage.matches[profile]
        probabilities = np.zeros((len(rows), self.counts.width))
        # nearly everybody fits one group, which needs no mixture
        alone = matches == 1
        group = self.linkage.group[self.linkage.starts[profile[alone]]]
        probabilities[alone] = self.counts.take(group).dense() / self.groups.sizes[group, np.newaxis]
        several = np.flatnonzero(matches > 1)
        if len(several):
            probabilities[several] = self._mixture(profile[several])
        return probabilities

    def _mixture(self, profiles: Integers) -> Floats:
        """Average over the groups of each profile, by their weights."""
        matches = self.linkage.matches[profiles]
        starts = np.concatenate(([0], np.cumsum(matches)[:-1]))
        pair = np.arange(matches.sum()) - np.repeat(starts, matches) + np.repeat(self.linkage.starts[profiles], matches)
        group, weight = self.linkage.group[pair], self.linkage.weight[pair]
        parts = self.counts.take(group).dense() * (weight / self.groups.sizes[group])[:, np.newaxis]
        mixture: Floats = np.add.reduceat(parts, starts) / np.add.reduceat(weight, starts)[:, np.newaxis]
        return mixture

    def exact_probabilities(self, row: int) -> tuple[Fraction, ...]:
        """Give Pr_j(s) exactly, for one row of people that is located."""
        groups, weights = self.linkage.groups_of(row), self.linkage.weights_of(row).tolist()
        sizes = self.groups.sizes[groups].tolist()
        counts = self.counts.take(groups).dense().tolist()
        return tuple(
            sum((Fraction(w * count[s], n) for count, w, n in zip(counts, weights, sizes, strict=True)), Fraction(0))
            / sum(weights)
            for s in range(self.counts.width)
        )


def prior_of(views: Sequence[View], prior: Prior) -> tuple[Fraction, ...]:
    """Give the belief in each value before anybody is located; never 0, as each value occurs somewhere."""
    totals = np.sum([view.counts.totals() for view in views], axis=0).tolist()
    if prior == "uniform":
        return (Fraction(1, len(totals)),) * len(totals)
    return tuple(Fraction(total, sum(totals)) for total in totals)


def posteriors(views: Sequence[View], prior: Sequence[Fraction], rows: Integers) -> Floats:
    """Give the posterior of some rows of people, row × value."""
    linked = [view.linkage.matches[view.linkage.profile[rows]] > 0 for view in views]
    return combine([view.probabilities(rows) for view in views], linked, np.array([float(each) for each in prior]))


def combine(probabilities: Sequence[Floats], linked: Sequence[Flags], prior: Floats) -> Floats:
    """Posterior ∝ Π_j Pr_j(s) / prior(s)^(n−1), row by row, over the n releases that a row is linked to.

    A row that no value fits is nan: the releases contradict each other.

    >>> probabilities = [np.array([[0.5, 0.5, 0.0]]), np.array([[0.5, 0.25, 0.25]])]
    >>> combine(probabilities, [np.array([True])] * 2, np.array([0.5, 0.25, 0.25])).tolist()
    [[0.5, 0.5, 0.0]]
    """
    odds = np.ones_like(probabilities[0])
    for each, found_there in zip(probabilities, linked, strict=True):
        likelihood = np.where(found_there[:, np.newaxis], each / prior, 1.0)
        # scaled so that the largest is 1: products of many releases neither vanish nor overflow
        odds *= likelihood / np.maximum(likelihood.max(axis=1, keepdims=True), np.finfo(float).tiny)
    odds *= prior
    total = odds.sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        posterior: Floats = odds / total
    return posterior


def exact_posterior(views: Sequence[View], prior: Sequence[Fraction], row: int) -> tuple[Fraction, ...] | None:
    """Give the posterior of one row of people exactly; none, when the releases contradict each other."""
    by_release = [view.exact_probabilities(row) for view in views if len(view.linkage.groups_of(row))]
    odds = [prod((each[s] / before for each in by_release), start=before) for s, before in enumerate(prior)]
    total = sum(odds, start=Fraction(0))
    return tuple(each / total for each in odds) if total else None


def values_in_all(views: Sequence[View], rows: Integers) -> Bits:
    """Give what all releases leave to rows of people (S_i = ∩_j S_ij)."""
    left: Bits = np.bitwise_and.reduce([view.values(rows) for view in views])
    return left


def _union(words: Bits, linkage: Linkage) -> Bits:
    """Take the union over the groups of each profile."""
    union = np.zeros((len(linkage), words.shape[1]), np.uint64)
    some = np.flatnonzero(linkage.matches)
    if len(some):
        union[some] = np.bitwise_or.reduceat(words[linkage.group], linkage.starts[some])
    return union


# One domain of sensitive values for several releases


class CommonDomain:
    """The values that occur in at least one of the releases, and what each release calls them."""

    def __init__(self, releases: Sequence[Groups], same_values: Mapping[str, str] | None) -> None:
        self._same = {label(one): label(other) for one, other in (same_values or {}).items()}
        domains = [dict.fromkeys(self.common_names(groups.domain)) for groups in releases]
        if same_values is None:
            _refuse_strangers(domains)
        occurring = {
            name
            for groups in releases
            for name, total in zip(self.common_names(groups.domain), groups.whole.tolist(), strict=True)
            if total
        }
        self._declared = dict.fromkeys(text for names in domains for text in names)
        self.domain: tuple[Label, ...] = tuple(text for text in self._declared if text in occurring)
        self._code = {text: code for code, text in enumerate(self.domain)}

    def common_names(self, texts: Sequence[Label]) -> list[Label]:
        """Give the common name of each value."""
        return [self._same.get(text, text) for text in texts]

    def counts(self, groups: Groups) -> Counts:
        """Count a release's values under their common names."""
        # a name that no release uses has no code, and no entry that would need one
        codes = np.array([self._code.get(text, 0) for text in self.common_names(groups.domain)], np.int64)
        row, value, count = groups.counts.entries()
        return Counts.from_entries(row, codes[value], count, (len(groups), len(self.domain)))

    def codes(self, texts: tuple[Label, ...]) -> Integers:
        """Find true values, −1 for one that no release has; one that none has ever heard of is an error."""
        names = self.common_names(texts)
        strange = [text for text in names if text is not None and text not in self._declared]
        if strange:
            message = (
                f"'{strange[0]}' is true of somebody and no release has such a value; "
                f"say what it is called there with {parameter('same_values', {strange[0]: ...})}"
            )
            raise BadRelease(message)
        return np.array([self._code.get(text, -1) for text in names], np.int64)


def _refuse_strangers(domains: Sequence[Mapping[Label, None]]) -> None:
    """A release may lack values of another; but when each lacks some of the other's, names may differ."""
    for (i, one), (j, other) in combinations(enumerate(domains, start=1), 2):
        only_one, only_other = [text for text in one if text not in other], [text for text in other if text not in one]
        if only_one and only_other:
            first, second = shown(only_one[0]), shown(only_other[0])
            message = (
                f"releases {i} and {j} have different sensitive values: '{first}' is only in {i}, '{second}' only in "
                f"{j}; say which are the same, as in {parameter('same_values', {first: second})}, "
                f"or {parameter('same_values', {})} if none"
            )
            raise BadRelease(message)
