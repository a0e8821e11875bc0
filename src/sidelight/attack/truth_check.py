"""How right is the attacker, and how sure with what right?  A tally beside the attack, where the truth is known.

Being right is counted among located people whose value is known.  Where people have several values each, what is true
is a pair of a person and a value, and the attacker is right about somebody who has the likeliest value.

Calibration: of the people of whom somebody claims a value with 70 %, do 70 % have it?  People are put into ten bins by
the belief in their likeliest value; the expected calibration error is Σ_bins share of people · |mean belief − right|.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sidelight.arrays import Flags, Floats, Integers, unpack_bits
from sidelight.attack.posterior import CommonDomain, View, rows_in_some_group
from sidelight.attack.targets import People

BINS = 10
"""How many bins a reliability curve has, all equally wide."""


@dataclass(frozen=True, slots=True)
class CalibrationBin:
    """People of whom the likeliest value is believed about equally much, `low` ≤ belief < `high`."""

    low: Fraction
    high: Fraction
    people: int
    claimed: float  # the belief, on average
    right: Fraction  # the share of them who have that value


@dataclass(frozen=True, slots=True)
class Calibration:
    """The reliability curve of an attacker: what is claimed, and how often it is right; without bins of nobody."""

    bins: tuple[CalibrationBin, ...]

    @property
    def people(self) -> int:
        """How many people something is claimed about."""
        return sum(each.people for each in self.bins)

    @property
    def claimed(self) -> float:
        """How sure the attacker is of the likeliest value, on average."""
        return math.fsum(each.people * each.claimed for each in self.bins) / max(self.people, 1)

    @property
    def right(self) -> Fraction:
        """How often that value is the true one."""
        return sum((each.people * each.right for each in self.bins), Fraction(0)) / max(self.people, 1)

    @property
    def expected_error(self) -> float:
        """How far claims are from what is right, on average over people (expected calibration error)."""
        apart = math.fsum(each.people * abs(each.claimed - float(each.right)) for each in self.bins)
        return apart / max(self.people, 1)


@dataclass(frozen=True, slots=True)
class TruthCheck:
    """How right the attacker is, among located people whose values are known; all shares are of those people.

    With several values per person `hits`, `hits_by_release` and the beliefs are over pairs of a person and a value that
    the person has; `log_belief` is over all pairs, whether the person has it or not.
    """

    people: int
    hits: Fraction  # the true value is among the candidates
    hits_by_release: tuple[Fraction, ...]  # … among those of one release alone
    given_away: Fraction  # it is certain
    guessed: Fraction  # it is what the attacker believes most
    belief: float  # in the true value, on average
    belief_before: float  # … before any release is looked at
    log_belief: float  # the mean of ln belief in what is so: −∞ once that was ruled out
    calibration: Calibration

    @property
    def gain(self) -> float:
        """How much surer of the true value the attacker gets, on average."""
        return self.belief - self.belief_before


class TruthTally:
    """Counts how often the attacker is right, block by block; an entry is a row, a value, and how many have it."""

    def __init__(self, people: People, views: Sequence[View], common: CommonDomain, prior: Sequence[Fraction]) -> None:
        """Look up what is true."""
        self._views, nothing = views, np.empty(0, np.int64)
        self._values = len(common.domain)
        self._rows, self._codes, self._counts = nothing, nothing, nothing
        self._people = np.zeros(len(people), np.int64)  # of whom the truth is known, by row
        self._hits = self._given_away = self._guessed = 0
        self._by_release = [0] * len(views)
        self._before = self._belief = self._log_belief = 0.0
        self._bins: list[list[float]] = [[0, 0.0, 0] for _ in range(BINS)]  # people, beliefs, how many are right
        if people.truth is None:
            return
        row, value, count = people.truth.counts.entries()
        placed = rows_in_some_group(views)
        known = np.array([text is not None for text in people.truth.domain])[value] & placed[row]
        self._rows, self._counts = row[known], count[known]
        self._codes = common.codes(people.truth.domain)[value][known]
        one_each = np.bincount(self._rows, self._counts, minlength=len(people)).astype(np.int64)
        self._people = one_each if views[0].semantics == "single" else np.where(placed, people.sizes, 0)
        before = np.array([*map(float, prior), 0.0])  # at −1: values that occur nowhere
        self._before = float(self._counts @ before[self._codes])

    def add(self, rows: Integers, may_have: Flags, certain: Flags, posterior: Floats, likeliest: Integers) -> None:
        """Count one block of consecutive rows; flags and beliefs are (rows, values)."""
        # entries of the truth are sorted by row, so those of a block are a slice
        start, stop = np.searchsorted(self._rows, [rows[0], rows[-1] + 1])
        at, code, count = self._rows[start:stop] - rows[0], self._codes[start:stop], self._counts[start:stop]
        # a value that occurs nowhere has code −1, which would index the last one
        there = code >= 0
        hit = may_have[at, code] & there
        top = there & (likeliest[at] == code) & ~np.isnan(posterior[at, code])
        # nan is a contradiction: nothing is believed there, and so the true value gets 0
        belief = np.where(hit, np.nan_to_num(posterior[at, code]), 0.0)
        self._hits += int(count[hit].sum())
        self._guessed += int(count[top].sum())
        self._given_away += int(count[top & certain[at]].sum())
        self._belief += float(count @ belief)
        self._log_belief += self._log_beliefs(rows, (at, code, count), belief, posterior)
        for number, view in enumerate(self._views):
            alone = unpack_bits(view.values(rows), may_have.shape[1])[at, code] & there
            self._by_release[number] += int(count[alone].sum())
        right = np.bincount(at[top], count[top], minlength=len(rows)).astype(np.int64)
        self._put_into_bins(posterior[np.arange(len(rows)), likeliest], self._people[rows], right)

    def _log_beliefs(
        self, rows: Integers, entries: tuple[Integers, Integers, Integers], belief: Floats, posterior: Floats
    ) -> float:
        """Add up ln belief in what is so; with several values each, also in what is not."""
        at, code, count = entries
        with np.errstate(divide="ignore", invalid="ignore"):
            so = float(count @ np.log(belief)) if len(count) else 0.0
            if self._views[0].semantics == "single":
                return so
            has_it = np.zeros(posterior.shape, np.int64)
            np.add.at(has_it, (at[code >= 0], code[code >= 0]), count[code >= 0])
            without = self._people[rows, np.newaxis] - has_it
            return so + float(np.where(without > 0, without * np.log(1 - np.nan_to_num(posterior, nan=1.0)), 0.0).sum())

    def _put_into_bins(self, belief: Floats, people: Integers, right: Integers) -> None:
        claimed = ~np.isnan(belief)
        belief, people, right = belief[claimed], people[claimed], right[claimed]
        # a belief of exactly 1 belongs to the last bin
        place = np.minimum((belief * BINS).astype(np.int64), BINS - 1)
        for at, each in enumerate(self._bins):
            inside = place == at
            each[0] += int(people[inside].sum())
            each[1] += float(people[inside] @ belief[inside])
            each[2] += int(right[inside].sum())

    def result(self) -> TruthCheck | None:
        """Return the shares."""
        people, pairs = int(self._people.sum()), int(self._counts.sum())
        if pairs == 0:
            return None
        return TruthCheck(
            people=people,
            hits=Fraction(self._hits, pairs),
            hits_by_release=tuple(Fraction(each, pairs) for each in self._by_release),
            given_away=Fraction(self._given_away, people),
            guessed=Fraction(self._guessed, people),
            belief=self._belief / pairs,
            belief_before=self._before / pairs,
            log_belief=self._log_belief / (pairs if self._views[0].semantics == "single" else people * self._values),
            calibration=Calibration(
                tuple(
                    CalibrationBin(
                        Fraction(at, BINS), Fraction(at + 1, BINS), int(n), beliefs / n, Fraction(int(right), int(n))
                    )
                    for at, (n, beliefs, right) in enumerate(self._bins)
                    if n
                )
            ),
        )
