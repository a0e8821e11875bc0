"""Implications in floats, group by group: logarithms of chances that join by spending atoms here or there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from sidelight.measures.ck_safety.minimize_within_group import Bags, least_chances
from sidelight.measures.exact import Floats
from sidelight.measures.most_frequent import largest_counts
from sidelight.measures.screening import Outline
from sidelight.release.groups import Groups
from sidelight.table.columns import Integers
from sidelight.table.labels import Label


@dataclass(frozen=True)
class ImplicationsOutline(Outline):
    """Per group f(0…k) and n/n(σ)·f^σ(0…k) as logarithms; of two sets of groups, the least sums for i and h − i.

    This is the dynamic program over groups itself, a group at a time: it may be run along any tree.
    """

    k: int
    about: Label

    def of(self, groups: Groups) -> Floats:
        """Give each group its chances, without and with the target."""
        return np.vstack(least_chances(self._bags(groups))).T

    def alike(self, groups: Groups) -> Integers:
        """The size, the largest counts, and how often the value occurs."""
        bags = self._bags(groups)
        return np.column_stack((bags.sizes, bags.counts, bags.own))

    def _bags(self, groups: Groups) -> Bags:
        counts = largest_counts(groups.counts, min(self.k + 1, groups.counts.width))
        counts = np.pad(counts, ((0, 0), (0, self.k + 1 - counts.shape[1])))
        own = counts[:, 0] if self.about is None else groups.counts.column(groups.place(self.about))
        return Bags(groups.sizes, counts, own)

    def join(self, one: Floats, other: Floats) -> Floats:
        """Spend h atoms on both together: the target is on one side, or on neither."""
        k = self.k + 1
        joined = np.full(one.shape[::-1], np.inf)
        for here in range(k):  # atoms spent on the one; on the other any number of those left
            for at, left, right in ((0, 0, 0), (k, k, 0), (k, 0, k)):
                least = joined[at + here : at + k]
                np.minimum(least, one.T[left + here] + other.T[right : right + k - here], out=least)
        return joined.T

    def value(self, rows: Floats) -> Floats:
        """Give 1/(1+r), r the least chance with the target and k atoms."""
        risk: Floats = expit(-rows[:, -1])
        return risk
