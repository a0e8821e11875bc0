"""How much of what a model says holds for groups that it never saw?  Rounds and temperature, chosen without the truth.

A model that is trained on a release fits chance too: on values that have nothing to do with the columns it would claim
to know 80% of them.  What it says is therefore tested on groups that it was not taught.

Folds       Groups are dealt to `FOLDS` folds by what they say (the keys of their people, their counts), so that the
            order of groups, people and columns decides nothing.  For each fold a model learns from the groups of the
            others.
Gain        ln Pr(counts of the held-out groups | their people), over the same for t = 0, by
                P_t(s | q) ∝ exp(a_s + t·ln P(s | q)),
            where t is the temperature and a_s maximises the likelihood: values are as frequent as they are, and only
            what tells people apart can gain.  Of sets a_s shifts the odds, of multisets the rates.
Chosen      the number of rounds and the t ≤ 1 of the largest gain.  Rounds go on until 3 of them gain nothing.
Chance      Where values have nothing to do with columns, exp(gain) is 1 on average for a t and a model that were fixed
            before the groups were seen, and a gain of ln(1/α) has probability α at most (Markov).  t and the rounds are
            chosen by the same groups, and the models of two folds share groups, so α = 0.001 is a guide and no
            proof; of 350 releases without any relation the largest gain was 5.5, and ln(1/0.001) is 6.9.  A model
            that gains less claims nothing: t = 0, which believes n_g(s)/n_g.

What it does not cover: gains come from how counts differ between groups.  If columns and values go together otherwise
inside groups than between them, no counts show it, and a calibrated belief may still be wrong.

The model that is believed learns from all groups, for as many rounds, and what it says is multiplied by t.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from sidelight.arrays import Flags, Floats, Integers, sum_by
from sidelight.learner.roster import Roster
from sidelight.learner.training import (
    ROUNDS,
    Expectation,
    Expected,
    Model,
    ModelName,
    Trained,
    expectation_of,
    new_model,
    normaliser,
    scaled_note,
    train,
    train_on,
)
from sidelight.progress import Progress, quiet
from sidelight.table.labels import Label

Bits: TypeAlias = npt.NDArray[np.uint64]
"""Numbers of 64 bits, whose sums and products wrap around."""

FOLDS = 3
"""The number of parts in which groups are held out: more take longer and hardly change the choice."""

STEPS = 20
"""Temperatures are multiples of 1/STEPS, at most 1: nothing is claimed beyond what the model says."""

NOTICED = 1e-3
"""A gain that is larger by less is as good: last bits decide nothing."""

NOTHING_HOLDS = (
    "the model does not predict groups that it was not trained on better than chance, so it claims nothing beyond the "
    "release"
)
"""Said where a model was trained and is not believed."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """How long to train, by what to multiply the scores, and how much likelier that makes groups held out."""

    rounds: int
    temperature: float
    gain: float  # in natural logarithms
    tried: int  # rounds

    @property
    def is_beyond_chance(self) -> bool:
        """Whether a model that knows nothing would hardly gain as much."""
        # how often a model that knows nothing is believed, or less often
        return self.gain > math.log(1 / 0.001)


def fold_of_groups(roster: Roster) -> Integers:
    """Return the fold of each group, by what it says: equal groups are dealt to different folds.

    Neither the order of groups, people and columns nor how they are numbered moves a group's content to another fold.

    >>> from sidelight.release.release import Release
    >>> pair = ([{"sex": "f"}, {"sex": "m"}], ["Flu", "Cold"])
    >>> ward = Release.from_buckets([pair] * 6)
    >>> sorted(fold_of_groups(Roster.of_members(ward, ward.members)).tolist())
    [0, 0, 1, 1, 2, 2]
    """
    members, (row, value, count) = roster.members, roster.entries
    keys = np.zeros(members.key_count, np.uint64)
    for column in roster.columns:
        codes = column.codes[: members.key_count]
        # labels are hashed together with the name of their column, and sums ignore the order of columns and people
        keys += _mix_bits(_hash_labels(column.labels)[codes] + _hash_labels((column.name,)))
    digest = np.zeros(len(roster.release), np.uint64)
    np.add.at(digest, members.group, _mix_bits(keys)[members.key] * members.people.astype(np.uint64))
    np.add.at(digest, row, _hash_labels(roster.release.domain)[value] * count.astype(np.uint64))
    folds = np.empty(len(digest), np.int64)
    # dealt in turn in the order of the hashes: equal groups are neighbours, and go to different folds
    folds[np.argsort(_mix_bits(digest), kind="stable")] = np.arange(len(digest)) % FOLDS
    return folds


def _hash_labels(labels: Sequence[Label]) -> Bits:
    """Return 64 bits of each label, the same in every run."""
    digests = (blake2b(repr(label).encode(errors="surrogatepass"), digest_size=8).digest() for label in labels)
    return np.frombuffer(b"".join(digests), "<u8").astype(np.uint64)


def _mix_bits(numbers: Bits) -> Bits:
    """Return 64 well mixed bits for each number (splitmix64), so that sums of them tell sets of numbers apart."""
    bits = numbers + np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        bits = (bits ^ (bits >> np.uint64(shift))) * np.uint64(factor)
    mixed: Bits = bits ^ (bits >> np.uint64(31))
    return mixed


@dataclass(eq=False)
class Fold:
    """Groups that are held out, and the model that learns from all others."""

    model: Model
    held: Flags  # lines

    @cached_property
    def cells(self) -> Integers:
        """The cells of the groups that are held out."""
        return np.flatnonzero(self.held[self.model.roster.line])

    @cached_property
    def _people(self) -> Floats:
        return self.model.roster.people_by_key(self.held)

    @cached_property
    def _keys(self) -> Integers:
        return np.flatnonzero(self._people)

    @cached_property
    def _totals(self) -> Floats:
        """How often each value occurs in the groups held out."""
        roster = self.model.roster
        entries = np.unique(roster.entry[self.cells])
        return sum_by(roster.entries[1][entries], roster.entries[2][entries], self.model.values)

    @cached_property
    def _values(self) -> Integers:
        return np.flatnonzero(self._totals)

    def log_normaliser(self, by_key: Floats) -> float:
        # (keys held out, values that occur there): others have no part in what adds up
        """Return max over a of Σ_s a_s·N_s − ln of what makes exp(a_s + score) add up; `by_key`: (keys, values)."""
        score, semantics = by_key[np.ix_(self._keys, self._values)], self.model.semantics
        people, totals = self._people[self._keys, np.newaxis], self._totals[self._values]
        everybody = float(people.sum())
        offsets = _log_odds(totals, everybody) if semantics == "set" else np.log(totals / everybody)
        best = -math.inf
        # offsets that are not the best ones only lower a gain, so that few passes do
        for _ in range(50):
            log_total, mean = normaliser(score + offsets, people, semantics)
            sums = mean.sum(axis=0)
            best = max(best, float((offsets * totals).sum()) - log_total)
            if np.abs(sums / totals - 1).max(initial=0.0) < 1e-4:
                break
            if semantics == "set":
                offsets = offsets + _log_odds(totals, everybody) - _log_odds(sums, everybody)
            else:
                offsets = offsets + np.log(totals / np.maximum(sums, np.finfo(float).tiny))
        return best


def _log_odds(totals: Floats, people: float) -> Floats:
    # shares of exactly 0 or 1 have no logarithm of odds
    share = np.clip(totals / people, 1e-9, 1 - 1e-9)
    odds: Floats = np.log(share) - np.log1p(-share)
    return odds


def calibrate(
    roster: Roster, name: ModelName, expectation: Expectation, *, rounds: int, progress: Progress = quiet
) -> Calibration:
    """Choose how many rounds to train, `rounds` at most, and the temperature, by groups held out."""
    line_fold = fold_of_groups(roster)[roster.members.group]
    held = [line_fold == fold for fold in np.unique(line_fold).tolist()]
    folds = [Fold(new_model(roster, name, taught=~lines), lines) for lines in held]
    expected = [roster.shares] * len(folds)
    # the search begins at temperature 1, and in later rounds where the last one ended
    best, tried, step = Calibration(0, 0.0, 0.0, 0), 0, STEPS
    search = _Search(expectation, folds)
    # training stops after so many rounds without a gain
    while len(folds) > 1 and tried < rounds and tried - best.rounds < 3:
        progress("training rounds", tried, rounds)
        tried += 1
        for at, fold in enumerate(folds):
            fold.model.learn(expected[at])
        search.take()
        expected = [expectation.expect(fold.model.scores())[0] for fold in folds]
        step = search.climb(step)
        if search.gain(step) > best.gain + NOTICED:
            best = Calibration(tried, step / STEPS, search.gain(step), tried)
    return Calibration(best.rounds, best.temperature, best.gain, tried)


class _Search:
    """The gains of temperatures, for what the models of the folds say in this round."""

    def __init__(self, expectation: Expectation, folds: list[Fold]) -> None:
        self.expectation, self.folds = expectation, folds
        self.by_key: list[Floats] = [np.zeros((fold.model.keys, fold.model.values)) for fold in folds]
        self.none = self._log_likelihood(0.0) if len(folds) > 1 else 0.0
        self.gains: dict[int, float] = {}

    def take(self) -> None:
        """Read the scores of all models after this round, and forget the gains of the last one."""
        self.by_key = [fold.model.add_columns(fold.model.scores_by_column()) for fold in self.folds]
        # at temperature 0 a model says nothing, and the gain is 0 by definition
        self.gains = {0: 0.0}

    def gain(self, step: int) -> float:
        """Return the gain of a temperature."""
        if step not in self.gains:
            self.gains[step] = self._log_likelihood(step / STEPS) - self.none
        return self.gains[step]

    def climb(self, step: int) -> int:
        """Return the temperature from which no neighbour gains more, beginning at one."""
        while True:
            near = [each for each in (step - 1, step + 1) if 0 <= each <= STEPS]
            better = max(near, key=self.gain)
            # less than `NOTICED` is no gain, so that rounding cannot send the climb back and forth
            if self.gain(better) <= self.gain(step) + NOTICED:
                return step
            step = better

    def _log_likelihood(self, temperature: float) -> float:
        scores = np.zeros(len(self.folds[0].model.key_value))
        log_total = 0.0
        for fold, by_key in zip(self.folds, self.by_key, strict=True):
            tempered = temperature * by_key
            scores[fold.cells] = tempered.ravel()[fold.model.key_value[fold.cells]]
            log_total += fold.log_normaliser(tempered)
        return self.expectation.expect(scores)[1] + log_total


def train_calibrated(
    roster: Roster,
    name: ModelName,
    *,
    rounds: int = ROUNDS,
    exact_up_to: int | None = None,
    by: Callable[[Expected], Expectation] = lambda quick: quick,
    progress: Progress = quiet,
) -> Trained:
    """Train a model on a roster and believe as much of it as holds for groups held out; `by` is a twin to train by."""
    if not roster.tells_apart:
        return train_on(roster, name)
    quick = expectation_of(roster, exact_up_to)
    calibration = calibrate(roster, name, quick, rounds=rounds, progress=progress)
    notes = scaled_note(roster, quick)
    if not calibration.is_beyond_chance:
        unmoved = roster.believed(roster.shares)
        return Trained(unmoved, None, calibration.tried, notes=(NOTHING_HOLDS, *notes), temperature=0.0)
    expectation = by(expectation_of(roster, exact_up_to))  # begun anew: scaling remembers where it ended
    model = new_model(roster, name)
    trained = train(model, expectation, rounds=calibration.rounds)
    expected, _ = expectation.expect(calibration.temperature * model.scores())
    beliefs = roster.believed(expected)
    return replace(trained, beliefs=beliefs, temperature=calibration.temperature).noting(*notes)
