"""Measures that look at one group at a time: a release is as bad as its worst group."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from sidelight._arrays import Floats, Integers, in_lowest_terms
from sidelight.measures.exact import Amount, worst_row
from sidelight.measures.measure import Measure, Witness, Worst
from sidelight.measures.screening import WorstGroup
from sidelight.release.groups import Groups
from sidelight.release.release import Release
from sidelight.table.labels import Label


class GroupByGroup(Measure):
    """A measure of each group's shares of the values, and the worst group's for the release.

    Groups in which nobody has a value have no shares and are passed over.
    """

    if_nothing_to_measure: ClassVar[Fraction] = Fraction(0)
    whole_numbers: ClassVar[bool] = False  # whether its floats are exact

    @abstractmethod
    def scores(self, groups: Groups) -> Floats:
        """Give every group's value as a float; nan where there is nothing to measure."""

    @abstractmethod
    def exactly(self, groups: Groups, row: int) -> Amount:
        """Give one group's value in exact arithmetic."""

    def witness(self, groups: Groups, row: int) -> Witness:
        """Point at what makes this group the worst."""
        return Witness(groups.name(row))

    def notes(self, groups: Groups) -> tuple[str, ...]:
        """Say what one should know about the finding, whichever group is the worst."""
        del groups
        return ()

    def alike(self, groups: Groups, rows: Integers) -> Integers:
        """Give integers that decide the groups' values: by default all their counts, in lowest terms."""
        return in_lowest_terms(groups.counts.take(rows).dense())

    def screen(self) -> WorstGroup:
        """One number per group."""
        return WorstGroup(self.scores, self._kinds, self.large_is_bad, whole_numbers=self.whole_numbers)

    def _kinds(self, groups: Groups) -> Integers:
        return self.alike(groups, np.arange(len(groups)))

    def summarize(self, groups: Groups) -> Worst:
        """Keep the worst group."""
        groups = groups.in_order()
        scores = self.scores(groups)
        found = worst_row(
            scores,
            large_is_bad=self.large_is_bad,
            alike=scores.astype(np.int64)[:, np.newaxis]
            if self.whole_numbers
            else lambda rows: self.alike(groups, rows),
            exactly=lambda row: self.exactly(groups, row),
        )
        if found is None:
            return Worst(self, otherwise=self.if_nothing_to_measure, notes=self.notes(groups))
        row, value = found
        return Worst(self, value, self.witness(groups, row), notes=self.notes(groups))


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareWitness(Witness):
    """A value that a group has more or less often than the whole release: q and p."""

    here: Fraction
    overall: Fraction


def float_shares(groups: Groups) -> tuple[Floats, Floats]:
    """Give q of every group and value (nan in groups without values), and p of every value."""
    counts = groups.counts.dense()
    with np.errstate(invalid="ignore"):
        return counts / counts.sum(axis=1, keepdims=True), groups.whole / groups.whole.sum()


def float_factors(groups: Groups) -> Floats:
    """Give q/p of every group and value (nan in groups without values); 1 for values that occur nowhere."""
    factors, overall = float_shares(groups)
    nowhere = groups.whole == 0
    factors += nowhere
    factors /= np.where(nowhere, 1, overall)
    return factors


def exact_shares(release: Release, witness: Witness) -> tuple[dict[Label, Fraction], dict[Label, Fraction]]:
    """Give q of the witness's group and p of the release, value by value, as they are defined.

    >>> release = Release.from_counts([{"Flu": 2, "Cold": 1}, {"Flu": 3}])
    >>> exact_shares(release, Witness(release.groups.name(0)))[0]["Flu"]
    Fraction(2, 3)
    """
    group = release.group(witness.group).counts.row(0).tolist()
    whole = release.groups.whole.tolist()
    here = [Fraction(count, sum(group)) for count in group]
    overall = [Fraction(count, sum(whole)) for count in whole]
    return dict(zip(release.domain, here, strict=True)), dict(zip(release.domain, overall, strict=True))


def share_witness(groups: Groups, row: int, place: int) -> ShareWitness:
    """Point at a group and a value, and say how often it is there and everywhere."""
    group, whole = groups.counts.row(row), groups.whole
    return ShareWitness(
        groups.name(row),
        groups.domain[place],
        here=Fraction(int(group[place]), int(group.sum())),
        overall=Fraction(int(whole[place]), int(whole.sum())),
    )
