"""Training in rounds of expectation and maximisation, from the release's own shares.

Start       W_is = n_g(s)/n_g: nothing is random, so that equal people stay equal.
Round       the model learns from W, then W_is = Pr(x_i = s) over the assignments with the published counts.
Stop        at max |ΔW| < 1e-4, or after as many rounds as help with groups that were held out, and
            `ROUNDS` at most: more rounds claim more without knowing more.
Tempered    The model's scores are multiplied by the temperature of the calibration before the last expectation.
Invariant   For naive Bayes with every group computed exactly, ln likelihood + α·Σ ln m never falls.

*Models* estimate the probability of each value of a person with these quasi-identifiers, from beliefs.

Symbols     people i with labels q_ij in columns j, values s, beliefs W_is; V_j labels in column j.
naive Bayes P_i(s) = Π_j m_j(q_ij | s), with m_j(v | s) = (α + Σ_i [q_ij = v]·W_is) / (α·V_j + Σ_i W_is), α = 1.
            P(s) and P(q) are the same for all assignments of a group, and cancel.  Of sets, the odds of a value are
            Π_j m_j(q_ij | s) / m_j(q_ij | not s); of multisets, the rate is Π_j m_j(q_ij | s) / m_j(q_ij), as people
            are compared with each other.
logistic    ln P_i(s) = Σ_j θ_j(q_ij, s), up to what makes it add up to 1 over the values; of sets, ln odds; of
            multisets, ln rate.  θ maximises the expected log likelihood − ½ Σ θ², by 15 steps of L-BFGS from the
            last θ.

A missing label is a label like any other, and numbers are labels.  People with the same key are one row: a step costs
keys × columns × values.

*Calibration*: the rounds and temperature that hold for groups the model never saw, chosen without the truth.

A model that is trained on a release fits chance too: on values that have nothing to do with the columns it would claim
to know 80% of them.  It is therefore tested on groups that it was not trained on.

Folds       Groups are assigned to `FOLDS` folds by their content (the keys of their people, their counts), so that the
            order of groups, people and columns decides nothing.  For each fold a model learns from the groups of the
            others.
Gain        ln Pr(counts of the held-out groups | their people), over the same for t = 0, by
                P_t(s | q) ∝ exp(a_s + t·ln P(s | q)),
            where t is the temperature and a_s maximises the likelihood: the frequencies of values are fitted in any
            case, and only differences between people can gain.  Of sets a_s shifts the odds, of multisets the rates.
Chosen      the number of rounds and the t ≤ 1 of the largest gain.  Rounds go on until 3 of them gain nothing.
Chance      Where values have nothing to do with columns, exp(gain) is 1 on average for a t and a model that were fixed
            before the groups were seen, and a gain of ln(1/α) has probability α at most (Markov).  t and the rounds are
            chosen by the same groups, and the models of two folds share groups, so α = 0.001 is a guide and no
            proof; of 350 releases without any relation the largest gain was 5.5, and ln(1/0.001) is 6.9.  A model
            that gains less claims nothing: t = 0, which believes n_g(s)/n_g.

Not covered Gains come from how counts differ between groups.  If columns and values go together otherwise inside groups
            than between them, no counts show it, and a calibrated belief may still be wrong.

The final model learns from all groups, for as many rounds, and its scores are multiplied by t.

*Without a roster* an attacker knows one person exactly, and nobody else: naive Bayes.

Symbols     group g prints a region R_gj in each column j; m_j(R | s) = Σ_{v ∈ R} m_j(v | s).
Belief      Pr(x_t = s) ∝ n_g(s) · Π_j m_j(q_tj | s) / m_j(R_gj | s), for the group g of target t.
Learning    m_j(v | s) = (α + c_j(v, s)) / (α·V_j + Σ_v c_j(v, s)), where c_j spreads the n_g(s) over the labels of R_gj
            in proportion to m_j as it was: Σ_g n_g(s) · [v ∈ R_gj] · m_j(v | s) / m_j(R_gj | s).  It begins even.

Groups that print the same label in a column are one there, so that a round costs labels × printed labels × values.  A
label that the targets have and no group prints cannot be: they are in no group.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from sidelight.arrays import Bits, Flags, Floats, Integers, sum_by
from sidelight.errors import BadMeasure, as_given, parameter
from sidelight.learner.assignments import Assignments, Occurrences, SetAssignments, expect_by_products
from sidelight.learner.roster import LABELS_ALONE, Roster
from sidelight.progress import Progress, quiet
from sidelight.release.label_order import LabelOrder
from sidelight.text import counted

if TYPE_CHECKING:
    from sidelight.release.printed_labels import Nodes
    from sidelight.table.labels import Column, Label, Semantics


ModelName: TypeAlias = Literal["logistic", "naive bayes"]
"""The model that is trained."""


def model_name(name: object) -> ModelName:
    """Return the name of a model; raise `BadMeasure` if there is no such model.

    >>> model_name("Bayes")
    Traceback (most recent call last):
    sidelight.errors.BadMeasure: no model="Bayes"; choose "logistic" or "naive bayes"
    """
    for known in get_args(ModelName):
        if isinstance(name, str) and name == known:
            return known  # type: ignore[no-any-return]
    raise BadMeasure(f'no {parameter("model", as_given(name))}; choose "logistic" or "naive bayes"')


@dataclass(eq=False)
class Model(ABC):
    """A model in training: `learn` from expected numbers per cell, then `scores` are ln P_i(s) per cell."""

    roster: Roster
    training_lines: Flags | None = None  # the lines that it learns from; None: all of them

    def __post_init__(self) -> None:
        roster = self.roster
        self.values, self.keys = len(roster.release.domain), roster.members.key_count
        self.semantics: Semantics = roster.release.semantics
        # the key and value of each cell, as one number
        self.key_value = roster.members.key[roster.line] * self.values + roster.value
        # the label of each key, column by column
        self.codes = tuple(column.codes[: self.keys] for column in roster.columns)
        # how many people of each key it learns from: (keys, 1)
        self.people = roster.people_by_key(self.training_lines)[:, np.newaxis]

    def by_key(self, expected: Floats) -> Floats:
        """Return the expected number of people (or occurrences) per key and value: (keys, values) float64."""
        roster = self.roster
        people = roster.people if self.training_lines is None else roster.people * self.training_lines[roster.line]
        summed = sum_by(self.key_value, expected * people, self.keys * self.values)
        return summed.reshape(self.keys, self.values)

    @abstractmethod
    def learn(self, expected: Floats) -> None:
        """Fit the parameters to expected numbers (the maximisation)."""

    @abstractmethod
    def scores_by_column(self) -> list[Floats]:
        """Return the scores of each column: (labels, values) float64."""

    def scores(self) -> Floats:
        """Return ln P_i(s) per cell, up to a constant per person; of several values, the logarithm of odds or rates."""
        scores: Floats = self.add_columns(self.scores_by_column()).ravel()[self.key_value]
        return scores

    def add_columns(self, by_column: list[Floats]) -> Floats:
        """Return the sum over columns of the scores of each key's labels: (keys, values) float64."""
        total = np.zeros((self.keys, self.values))
        for codes, score in zip(self.codes, by_column, strict=True):
            total += score[codes]
        return total

    def log_prior(self) -> float | None:
        """Return the term with which the log likelihood of a round never falls; None where it may."""
        return None

    @cached_property
    def held_cells(self) -> Integers:
        """The cells of the lines that are held out."""
        assert self.training_lines is not None
        return np.flatnonzero(~self.training_lines[self.roster.line])

    @cached_property
    def _held_out(self) -> tuple[Integers, Floats, Integers, Floats]:
        """The keys held out and their people, (keys, 1); the values that occur there and how often."""
        assert self.training_lines is not None
        people = self.roster.people_by_key(~self.training_lines)
        entries = np.unique(self.roster.entry[self.held_cells])
        totals = sum_by(self.roster.entries[1][entries], self.roster.entries[2][entries], self.values)
        keys, values = np.flatnonzero(people), np.flatnonzero(totals)
        return keys, people[keys, np.newaxis], values, totals[values]

    def log_normaliser(self, by_key: Floats) -> float:
        """Return max over a of Σ_s a_s·N_s − ln of the normaliser of exp(a_s + score), over the held-out people."""
        # (keys held out, values that occur there): others have no part in the sums
        keys, people, values, totals = self._held_out
        score, everybody = by_key[np.ix_(keys, values)], float(people.sum())
        offsets = _log_odds(totals, everybody) if self.semantics == "set" else np.log(totals / everybody)
        best = -math.inf
        # offsets that are not the best ones only lower a gain, so that few passes are enough
        for _ in range(50):
            log_total, mean = normaliser(score + offsets, people, self.semantics)
            sums = mean.sum(axis=0)
            best = max(best, float((offsets * totals).sum()) - log_total)
            if np.abs(sums / totals - 1).max(initial=0.0) < 1e-4:
                break
            if self.semantics == "set":
                offsets = offsets + _log_odds(totals, everybody) - _log_odds(sums, everybody)
            else:
                offsets = offsets + np.log(totals / np.maximum(sums, np.finfo(float).tiny))
        return best


@dataclass(eq=False)
class NaiveBayes(Model):
    """Labels are independent, given the value."""

    log_shares: list[Floats] = field(default_factory=list)  # ln m_j(v | s)
    log_other: list[Floats] = field(default_factory=list)  # of the people compared with; none where it cancels

    def learn(self, expected: Floats) -> None:
        """Count labels by value."""
        by_key = self.by_key(expected)
        self.log_shares = self._log_shares(by_key)
        if self.semantics == "set":
            # people (keys, 1) − by_key (keys, values): those who do not have the value
            self.log_other = self._log_shares(self.people - by_key)
        elif self.semantics == "multiset":
            self.log_other = self._log_shares(self.people)

    def _log_shares(self, by_key: Floats) -> list[Floats]:
        shares = []
        for codes, column in zip(self.codes, self.roster.columns, strict=True):
            sums = [np.bincount(codes, of_value, len(column.labels)) for of_value in by_key.T]
            shares.append(log_label_shares(np.stack(sums, axis=1)))
        return shares

    def scores_by_column(self) -> list[Floats]:
        """Return ln m_j(v | s), less that of the people it is compared with."""
        if not self.log_other:
            return self.log_shares
        return [one - other for one, other in zip(self.log_shares, self.log_other, strict=True)]

    def log_prior(self) -> float | None:
        """Return α · Σ ln m; of sets also the weight of all people as if they had nothing."""
        if self.semantics == "multiset":
            return None
        prior = float(sum(shares.sum() for shares in (*self.log_shares, *self.log_other)))
        return prior + (float((self.people * self.add_columns(self.log_other)).sum()) if self.log_other else 0.0)


def log_label_shares(counts: Floats) -> Floats:
    """Return ln (α + count) / (α·V + Σ count), for labels × values.

    >>> np.exp(log_label_shares(np.array([[3.0], [0.0]]))).ravel().round(3).tolist()
    [0.8, 0.2]
    """
    smoothed = counts + 1.0  # Laplace's rule, α = 1
    shares: Floats = np.log(smoothed) - np.log(smoothed.sum(axis=0))
    return shares


def _dot(one: Floats, other: Floats) -> float:
    """Return the sum of products of two matrices in a fixed order: that of BLAS depends on its threads."""
    return float(np.einsum("ij,ij->", one, other))


def normaliser(score: Floats, people: Floats, semantics: Semantics) -> tuple[float, Floats]:
    """Return the logarithm of the normaliser, and the expected numbers: (keys, values); `people` is (keys, 1)."""
    if semantics == "single":
        highest = score.max(axis=1, keepdims=True)
        likely = np.exp(score - highest)
        total = likely.sum(axis=1, keepdims=True)
        likely *= people / total
        return _dot(people, np.log(total) + highest), likely
    if semantics == "set":
        return float((people * np.logaddexp(0.0, score)).sum()), people / (1 + np.exp(-score))
    # capped: a long step of the optimiser would overflow exp
    rates = people * np.exp(np.minimum(score, 50.0))
    return float(rates.sum()), rates


@dataclass(eq=False)
class Logistic(Model):
    """Each label speaks for or against each value."""

    weights: Floats = field(default_factory=lambda: np.zeros(0))

    @cached_property
    def one_hot(self) -> Any:  # noqa: ANN401 - a sparse matrix of SciPy's, which is imported when it is needed
        """The labels of each key: (keys, labels of all columns)."""
        from scipy.sparse import csr_array  # noqa: PLC0415 - slow to import, and only here

        before = np.concatenate(([0], np.cumsum(self._widths)))
        columns = [codes + start for codes, start in zip(self.codes, before[:-1].tolist(), strict=True)]
        codes = np.stack(columns, axis=1) if columns else np.zeros((self.keys, 0), np.int32)
        # a row of CSR has a single 1 for each column of the table
        starts = np.arange(self.keys + 1) * len(columns)
        return csr_array((np.ones(codes.size), codes.ravel(), starts), shape=(self.keys, int(before[-1])))

    @cached_property
    def transposed(self) -> Any:  # noqa: ANN401 - as above
        """The transpose: (labels of all columns, keys)."""
        return self.one_hot.T.tocsr()

    @property
    def _widths(self) -> list[int]:
        return [len(column.labels) for column in self.roster.columns]

    def learn(self, expected: Floats) -> None:
        """Improve the last weights."""
        from scipy.optimize import minimize  # noqa: PLC0415 - slow to import, and only here

        if not self.weights.size:
            self.weights = np.zeros(self.one_hot.shape[1] * self.values)
        # rounded: hundreds of steps would amplify last bits
        by_key = self.by_key(np.rint(expected * 2**20) / 2**20)
        towards = self.transposed @ by_key

        def loss(weights: Floats) -> tuple[float, Floats]:
            matrix = weights.reshape(-1, self.values)
            score = self.one_hot @ matrix
            log_total, mean = normaliser(score, self.people, self.semantics)
            # the prior −½ Σ θ² keeps θ finite where a label determines a value
            objective = log_total - _dot(by_key, score) + 0.5 * _dot(matrix, matrix)
            gradient = self.transposed @ mean - towards + matrix
            return float(objective), gradient.ravel()

        if self.weights.size:
            # a fixed number of steps: a stop by tolerance would depend on last bits, and twins would differ
            self.weights = minimize(
                loss, self.weights, jac=True, method="L-BFGS-B", options={"maxiter": 15, "ftol": 0.0, "gtol": 0.0}
            ).x

    def scores_by_column(self) -> list[Floats]:
        """Return θ_j(v, s)."""
        matrix = self.weights.reshape(-1, self.values)
        return np.split(matrix, np.cumsum(self._widths)[:-1]) if self._widths else []


CLOSE_BELIEFS = 1e-4
"""Training stops once no belief moves by more."""

ROUNDS = 30
"""The largest number of rounds."""

Expected: TypeAlias = Assignments | SetAssignments | Occurrences
"""How scores become expected numbers, by the semantics of a release."""


@dataclass(frozen=True, eq=False, slots=True)
class Trained:
    """The result of training: beliefs per cell, the model, and the number of rounds.

    `temperature` is the factor of the model's scores: 1 where they were taken as they are, 0 where none was believed.
    """

    beliefs: Floats
    model: Model | None  # None: nothing was trained, or not by a roster
    rounds: int
    likelihoods: tuple[float, ...] = ()
    notes: tuple[str, ...] = ()
    temperature: float = 1.0


def train(
    model: Model,
    expect: Callable[[Floats], tuple[Floats, float]],
    *,
    exact: bool,
    rounds: int = ROUNDS,
    progress: Progress = quiet,
) -> Trained:
    """Learn and expect in turn; `exact` is whether every group is computed state by state."""
    roster, likelihoods = model.roster, []
    expected = roster.shares
    beliefs = roster.believed(expected)
    for done in range(1, rounds + 1):
        progress("training rounds", done - 1, rounds)
        model.learn(expected)
        expected, likelihood = expect(model.scores())
        # only exact expectations promise that the likelihood never falls: scaled groups have a bound in its place
        prior = model.log_prior() if exact else None
        if prior is not None:
            likelihoods.append(likelihood + prior)
            # up to a share of a likelihood that rounding may take
            assert len(likelihoods) < 2 or likelihoods[-1] >= likelihoods[-2] - 1e-9 * (1 + abs(likelihoods[-2]))
        before, beliefs = beliefs, roster.believed(expected)
        if np.abs(beliefs - before).max(initial=0.0) < CLOSE_BELIEFS:
            return Trained(beliefs, model, done, tuple(likelihoods))
    return Trained(beliefs, model, rounds, tuple(likelihoods))


def new_model(roster: Roster, name: ModelName, *, training_lines: Flags | None = None) -> Model:
    """Build an untrained model, which will learn from some lines (None: from all)."""
    return Logistic(roster, training_lines) if name == "logistic" else NaiveBayes(roster, training_lines)


def expectation_of(roster: Roster, exact_up_to: int | None = None) -> Expected:
    """Build the expectation for the semantics of a release."""
    if roster.release.semantics == "single":
        return Assignments(roster, exact_up_to)
    return SetAssignments(roster, exact_up_to) if roster.release.semantics == "set" else Occurrences(roster)


def scaled_note(roster: Roster, expectation: Expected) -> tuple[str, ...]:
    """Return a note on how many groups are not computed exactly, or none."""
    scaled = ~expectation.is_exact
    if not scaled.any():
        return ()
    what = "group" if roster.release.semantics == "single" else "value in a group"
    least = min(round(expectation.states[scaled].min()), 10**9)
    many = counted(int(scaled.sum()), what)
    scaling = "by Sinkhorn's scaling, which errs towards doubt, and which a replay repeats and does not check"
    return (f"{many} of {least:,} states or more {scaling}",)


FOLDS = 3
"""The number of parts in which groups are held out: more take longer and rarely change the choice."""

TEMPERATURE_STEPS = 20
"""Temperatures are multiples of 1/TEMPERATURE_STEPS, at most 1: nothing is claimed beyond what the model says."""

NOTICED = 1e-3
"""Gains that differ by less are equal: last bits decide nothing."""

NOTHING_HOLDS = (
    "the model does not predict groups that it was not trained on better than chance, so it claims nothing beyond the "
    "release"
)
"""The note where a model was trained and is not believed."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """The rounds to train, the factor of the scores, and the gain in log likelihood of groups held out."""

    rounds: int
    temperature: float
    gain: float
    tried: int  # rounds

    @property
    def is_beyond_chance(self) -> bool:
        """Whether a model that knows nothing would gain as much with probability 0.001 at most."""
        return self.gain > math.log(1 / 0.001)


def fold_of_groups(roster: Roster) -> Integers:
    """Return the fold of each group, by its content: equal groups are assigned to different folds.

    Neither the order of groups, people and columns nor their numbers move a group's content to another fold.

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
    # in turn in the order of the hashes: equal groups are neighbours, and go to different folds
    folds[np.argsort(_mix_bits(digest), kind="stable")] = np.arange(len(digest)) % FOLDS
    return folds


def _hash_labels(labels: Sequence[Label]) -> Bits:
    """Return 64 bits of each label, the same in every run."""
    digests = (blake2b(repr(label).encode(errors="surrogatepass"), digest_size=8).digest() for label in labels)
    return np.frombuffer(b"".join(digests), "<u8").astype(np.uint64)


def _mix_bits(numbers: Bits) -> Bits:
    """Return 64 well mixed bits for each number (splitmix64), so that different sets have different sums."""
    bits = numbers + np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        bits = (bits ^ (bits >> np.uint64(shift))) * np.uint64(factor)
    mixed: Bits = bits ^ (bits >> np.uint64(31))
    return mixed


def _log_odds(totals: Floats, people: float) -> Floats:
    # shares of exactly 0 or 1 have no logarithm of odds
    share = np.clip(totals / people, 1e-9, 1 - 1e-9)
    odds: Floats = np.log(share) - np.log1p(-share)
    return odds


def calibrate_model(
    roster: Roster, name: ModelName, expectation: Expected, *, rounds: int, progress: Progress = quiet
) -> Calibration:
    """Choose the number of rounds, `rounds` at most, and the temperature, by groups held out."""
    line_fold = fold_of_groups(roster)[roster.members.group]
    # each learns from all but one fold, which it is tested on
    models = [new_model(roster, name, training_lines=line_fold != fold) for fold in np.unique(line_fold).tolist()]
    expected, by_key = [roster.shares] * len(models), [np.zeros((each.keys, each.values)) for each in models]

    def log_likelihood(temperature: float) -> float:
        scores, log_total = np.zeros(len(roster.line)), 0.0
        for model, score in zip(models, by_key, strict=True):
            tempered = temperature * score
            scores[model.held_cells] = tempered.ravel()[model.key_value[model.held_cells]]
            log_total += model.log_normaliser(tempered)
        return expectation.expect(scores)[1] + log_total

    # the search begins at temperature 1, and in later rounds where the last one ended
    best, tried, step = Calibration(0, 0.0, 0.0, 0), 0, TEMPERATURE_STEPS
    nothing = log_likelihood(0.0) if len(models) > 1 else 0.0
    # training stops after so many rounds without a gain
    while len(models) > 1 and tried < rounds and tried - best.rounds < 3:
        progress("training rounds", tried, rounds)
        tried += 1
        for at, model in enumerate(models):
            model.learn(expected[at])
        by_key = [model.add_columns(model.scores_by_column()) for model in models]
        expected = [expectation.expect(model.scores())[0] for model in models]
        # at temperature 0 a model has no influence, and the gain is 0 by definition
        gain = cache(lambda step: log_likelihood(step / TEMPERATURE_STEPS) - nothing if step else 0.0)
        step = _climb_temperatures(gain, step)
        if gain(step) > best.gain + NOTICED:
            best = Calibration(tried, step / TEMPERATURE_STEPS, gain(step), tried)
    return replace(best, tried=tried)


def _climb_temperatures(gain: Callable[[int], float], step: int) -> int:
    while True:
        better = max((each for each in (step - 1, step + 1) if 0 <= each <= TEMPERATURE_STEPS), key=gain)
        # less than `NOTICED` is no gain, so that rounding cannot send the climb back and forth
        if gain(better) <= gain(step) + NOTICED:
            return step
        step = better


def train_on(
    roster: Roster,
    name: ModelName,
    *,
    rounds: int = ROUNDS,
    exact_up_to: int | None = None,
    calibrated: bool = True,
    replayed: bool = False,
    progress: Progress = quiet,
) -> Trained:
    """Train a model on a roster, with as much belief in it as holds for groups held out, or, not `calibrated`, full.

    Where nobody is distinguished, there is nothing to learn.  `replayed` trains by the slow twin of the expectation.
    """
    if not (np.bincount(roster.members.group) > 1).any():  # nobody is distinguished from others of their group
        return Trained(roster.believed(roster.shares), None, 0, notes=(LABELS_ALONE,))
    quick, model = expectation_of(roster, exact_up_to), new_model(roster, name)
    notes, exact = scaled_note(roster, quick), bool(quick.is_exact.all())
    if not calibrated:
        return replace(train(model, quick.expect, exact=exact, rounds=rounds, progress=progress), notes=notes)
    calibration = calibrate_model(roster, name, quick, rounds=rounds, progress=progress)
    if not calibration.is_beyond_chance:
        unmoved = roster.believed(roster.shares)
        return Trained(unmoved, None, calibration.tried, notes=(NOTHING_HOLDS, *notes), temperature=0.0)
    quick = expectation_of(roster, exact_up_to)  # a new one: scaling continues where it ended
    expect = partial(expect_by_products, quick) if replayed else quick.expect
    trained = train(model, expect, exact=exact, rounds=calibration.rounds)
    expected, _ = expect(calibration.temperature * model.scores())
    beliefs, temperature = roster.believed(expected), calibration.temperature
    return replace(trained, beliefs=beliefs, temperature=temperature, notes=notes)


class PrintedColumn:
    """One column: the labels that each printed one covers, and how often each value occurs where it is printed.

    `covers` is (printed labels, labels), `counts` (printed labels, values); `at_label` and `at_region` are indices of
    each cell of the roster: of its label and value, and of its group's printed label and value.
    """

    def __init__(self, known: Column, printed: Column, nodes: Nodes | None, roster: Roster) -> None:
        values, members = len(roster.release.domain), roster.members
        order = LabelOrder(known.labels, nodes)
        covered = order.find_each_covered(printed.labels)
        covers = np.zeros((len(printed.labels), len(known.labels)))
        for at in range(len(printed.labels)):
            for start, stop in covered.list_stretches(at):
                covers[at, start:stop] = 1.0
        # from the order of labels back to that of their codes
        self.covers = covers[:, order.position]
        row, value, count = roster.entries
        # entries (group, value) are added up to (printed labels, values)
        by_label = sum_by(printed.codes[row] * values + value, count, len(printed.labels) * values)
        self.counts = by_label.reshape(-1, values)
        self.at_label = known.codes[members.key[roster.line]].astype(np.int64) * values + roster.value
        self.at_region = printed.codes[members.group[roster.line]].astype(np.int64) * values + roster.value

    def learn(self, shares: Floats) -> Floats:
        """Spread the counts in proportion to m_j, and return the next ln m_j: (labels, values) float64."""
        in_region = self.covers @ shares
        # (labels, values), times (labels, printed) by (printed, values)
        spread = shares * (self.covers.T @ (self.counts / np.maximum(in_region, np.finfo(float).tiny)))
        return log_label_shares(spread)

    def scores(self, log_shares: Floats) -> Floats:
        """Return ln m_j(q | s) − ln m_j(R | s) per cell."""
        log_region = np.log(np.maximum(self.covers @ np.exp(log_shares), np.finfo(float).tiny))
        return log_shares.ravel().take(self.at_label) - log_region.ravel().take(self.at_region)


def train_without_roster(roster: Roster, nodes: Mapping[str, Nodes], *, rounds: int, progress: Progress) -> Trained:
    """Train on printed labels, and return the beliefs about the targets, which are the lines of `roster`."""
    release = roster.release
    if release.semantics != "single":
        raise BadMeasure(
            f"without a roster only people with one value each can be judged, and this release has "
            f"{parameter('values', release.semantics)}; give {parameter('roster')}"
        )
    printed = {column.name: column for column in release.groups.columns}
    values = len(release.domain)
    columns = [
        PrintedColumn(known, printed[known.name], nodes.get(known.name), roster)
        for known in roster.columns
        if known.name in printed
    ]
    # uniform at first: no label is likelier than another, whatever the value
    log_shares = [np.full((each.covers.shape[1], values), -np.log(each.covers.shape[1])) for each in columns]
    beliefs = roster.shares
    for done in range(1, rounds + 1):
        progress("training rounds", done - 1, rounds)
        log_shares = [each.learn(np.exp(shares)) for each, shares in zip(columns, log_shares, strict=True)]
        score = np.log(roster.count.astype(float))
        for each, shares in zip(columns, log_shares, strict=True):
            score += each.scores(shares)
        # the largest weight of each line becomes 1, so that exp does not overflow; beliefs of a line add up to 1
        highest = np.full(len(roster), -np.inf)
        np.maximum.at(highest, roster.line, score)
        weight = np.exp(score - highest[roster.line])
        before, beliefs = beliefs, weight / sum_by(roster.line, weight, len(roster))[roster.line]
        if np.abs(beliefs - before).max(initial=0.0) < CLOSE_BELIEFS:
            return Trained(beliefs, None, done)
    return Trained(beliefs, None, rounds)
