"""What does an attacker believe who trains a model on a release, and how often is that right?

Belief      max_s W_is of each person; the guess is its value, of equal ones the first of the domain.
Gain        W_is − n_g(s)/n_g, over what the release says by itself.
Right       with the truth: the share of people whose guess is true; among people at or above c; in ten equal bins.
Calibration error  Σ over the bins of their share of people · |share right − mean claimed|.

Without the truth a belief is only *claimed*.

`learn` is the way in: a release, a roster and a model become beliefs about each person.

What does an attacker believe about a person known exactly, knowing nobody else?  No roster, naive Bayes.

Symbols     group g prints a region R_gj in each column j; m_j(R | s) = Σ_{v ∈ R} m_j(v | s).
Belief      Pr(x_t = s) ∝ n_g(s) · Π_j m_j(q_tj | s) / m_j(R_gj | s), for the group g of target t.
Learning    m_j(v | s) = (α + c_j(v, s)) / (α·V_j + Σ_v c_j(v, s)), where c_j spreads the n_g(s) over the labels of R_gj
            in proportion to m_j as it was: Σ_g n_g(s) · [v ∈ R_gj] · m_j(v | s) / m_j(R_gj | s).  It begins even.

Groups that print the same label in a column are one there, so that a round costs labels × printed labels × values.  A
label that the targets have and no group prints cannot be: they are in no group.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from sidelight.arrays import Floats, Integers, sum_by
from sidelight.errors import BadMeasure, as_given, expect, parameter
from sidelight.learner.roster import LABELS_ALONE, Roster, Truth, truth_of
from sidelight.learner.training import (
    CLOSE_BELIEFS,
    ROUNDS,
    ModelName,
    Trained,
    expect_settings,
    log_label_shares,
    model_name,
    train_on,
)
from sidelight.progress import Progress, quiet
from sidelight.release.label_order import LabelOrder
from sidelight.release.locate import Lookup
from sidelight.release.release import Members, Release
from sidelight.rounding import exact_number
from sidelight.table.labels import Column, Tabular, arrow_labels, unused_name
from sidelight.table.table import Table, expect_one_sensitive
from sidelight.text import counted, html_table

if TYPE_CHECKING:
    import altair as alt
    import pyarrow as pa

    from sidelight.arrays import Flags, Floats, Integers
    from sidelight.release.printed_labels import Nodes
    from sidelight.table.hierarchy import Hierarchy


class PrintedColumn:
    """One column: which labels each printed one covers, and how often each value occurs where it is printed.

    `covers` is (printed labels, labels), `counts` (printed labels, values); `at_label` and `at_region` are the indices
    of each cell of the roster: of its label and value, and of what its group prints and value.
    """

    def __init__(self, known: Column, printed: Column, nodes: Nodes | None, roster: Roster) -> None:
        values, members = len(roster.release.domain), roster.members
        order = LabelOrder(known.labels, nodes)
        covered = order.find_each_covered(printed.labels)
        covers = np.zeros((len(printed.labels), len(known.labels)))
        for at in range(len(printed.labels)):
            for start, stop in covered.list_stretches(at):
                covers[at, start:stop] = 1.0
        # columns of `covers` stood in the order of labels, and go back to that of their codes
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
    """Train on what the groups print, and return the beliefs about the targets, which are the lines of `roster`."""
    release = roster.release
    if release.semantics != "single":
        message = (
            f"without a roster only people with one value each can be judged, and this release has "
            f"{parameter('values', release.semantics)}; give {parameter('roster')}"
        )
        raise BadMeasure(message)
    printed = {column.name: column for column in release.groups.columns}
    values = len(release.domain)
    columns = [
        PrintedColumn(known, printed[known.name], nodes.get(known.name), roster)
        for known in roster.columns
        if known.name in printed
    ]
    # even at first: no label is likelier than another, whatever the value
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


CALIBRATION_BINS = 10
"""Beliefs are compared with the truth in so many equal bins."""

SURE_BELIEF = 0.9
"""A belief from which on people are spoken of."""


@dataclass(frozen=True, slots=True)
class BeliefBin:
    """People whose largest belief is from `low` to `high`: how many, the mean of what is claimed, the share right."""

    low: float
    high: float
    people: int
    claimed: float
    right: float


@dataclass(frozen=True, eq=False, repr=False)
class Learned(Tabular):
    """The beliefs about each person of a release that an attacker has after training a model on it (see `learn`).

    `right`, `calibration_error` and `right_above` are None without the truth: then everything is only claimed.
    """

    release: Release
    model: ModelName
    roster: Roster
    trained: Trained
    truth: Floats | None = None  # how many people of each cell's line have its value
    notes: tuple[str, ...] = ()
    alone: bool = False  # whether only the targets are known, and nobody else

    @property
    def beliefs(self) -> Floats:
        """The belief in each cell of the roster (see `table`): (cells,) float64."""
        return self.trained.beliefs

    @property
    def rounds(self) -> int:
        """How many rounds it took."""
        return self.trained.rounds

    @property
    def claimed(self) -> float:
        """The mean over all people of the belief in the value that is guessed."""
        return _average_people(self._belief, self._people)

    @property
    def right(self) -> float | None:
        """The share of people whose value is guessed."""
        return self.right_above(0.0)

    @property
    def by_release(self) -> float:
        """The mean over all people of what the release alone says: the largest n_g(s)/n_g."""
        largest = np.zeros(len(self.roster))
        np.maximum.at(largest, self.roster.line, self._release_shares)
        return _average_people(largest, self._people)

    @property
    def gain(self) -> float:
        """The mean over all people of the belief in the guess minus its share in the group."""
        gains = (self.beliefs - self._release_shares)[self._guess]
        return float((gains * self._people[self._guessable_lines]).sum() / self._people.sum())

    @property
    def largest(self) -> float:
        """The largest belief about anybody."""
        return float(self._belief.max())

    def people_above(self, belief: float) -> int:
        """Count the people whose value is believed at or above this."""
        return int(self._people[self._above(belief)].sum())

    def right_above(self, belief: float) -> float | None:
        """Return the share of those people whose value is the one believed; None without the truth, or of nobody."""
        above = self._above(belief)
        if self.truth is None or not above.any():
            return None
        return float(self._true[above].sum() / self._people[above].sum())

    @property
    def calibration(self) -> tuple[BeliefBin, ...]:
        """How right beliefs are, in ten equal bins; those with nobody are left out.  Empty without the truth."""
        if self.truth is None:
            return ()
        # rounded first: 0.3 less its last bit belongs to the bin from 0.3 on; 1 belongs to the last bin
        bin_of = np.minimum((np.round(self._belief, 9) * CALIBRATION_BINS).astype(np.int64), CALIBRATION_BINS - 1)
        people = np.bincount(bin_of, self._people, CALIBRATION_BINS)
        claimed = np.bincount(bin_of, self._people * self._belief, CALIBRATION_BINS)
        right = np.bincount(bin_of, self._true, CALIBRATION_BINS)
        return tuple(
            BeliefBin(
                at / CALIBRATION_BINS,
                (at + 1) / CALIBRATION_BINS,
                int(people[at]),
                float(claimed[at] / people[at]),
                float(right[at] / people[at]),
            )
            for at in np.flatnonzero(people).tolist()
        )

    @property
    def calibration_error(self) -> float | None:
        """By how much the share right and what is claimed differ, on average over people, in ten equal bins."""
        if self.truth is None:
            return None
        return sum(each.people * abs(each.right - each.claimed) for each in self.calibration) / float(
            self._people.sum()
        )

    @property
    def _people(self) -> Integers:
        return self.roster.members.people

    @cached_property
    def _release_shares(self) -> Floats:
        """What the release says by itself, per cell."""
        return self.roster.believed(self.roster.shares)

    @cached_property
    def _guessable_lines(self) -> Integers:
        """The lines of which there is something to guess: somebody of the group has a value."""
        return np.flatnonzero(np.diff(self.roster.cell_starts))

    @cached_property
    def _guess(self) -> Integers:
        roster = self.roster
        # by line, then the largest belief, then the first value of the domain; beyond nine decimals is rounding
        order = np.lexsort((roster.value, -np.round(self.beliefs, 9), roster.line))
        return order[roster.cell_starts[self._guessable_lines]]

    @cached_property
    def _belief(self) -> Floats:
        belief = np.zeros(len(self.roster))
        belief[self._guessable_lines] = self.beliefs[self._guess]
        return belief

    @cached_property
    def _true(self) -> Floats:
        assert self.truth is not None
        true = np.zeros(len(self.roster))
        true[self._guessable_lines] = self.truth[self._guess]
        return true

    def _above(self, belief: float) -> Flags:
        if not 0 <= exact_number(belief, BadMeasure, "a belief") <= 1:
            message = f"a belief lies between 0 and 1, and {as_given(belief)} does not; give such a number"
            raise BadMeasure(message)
        # half a unit of the last decimal that counts, so that rounding takes nobody below the limit
        return np.asarray(self._belief >= float(belief) - 0.5e-9)

    def plot(self) -> alt.TopLevelMixin:
        """Draw what is claimed against how often it is right; without the truth, only what is claimed.

        An Altair chart, which needs the extra `plot`: a notebook shows it, `chart.save("learned.svg")` writes it.
        """
        from sidelight.report.charts.attackers import calibration_chart  # noqa: PLC0415 - it stands below

        return calibration_chart(self)

    def table(self) -> pa.Table:
        """Return a row per line of the roster and value of its group: the group, what is known, people and belief.

        "share" is what the release says by itself, "guess" whether it is the value believed most; with the truth,
        "true" is how many of the people have the value.
        """
        import pyarrow as pa  # noqa: PLC0415 - only where tables are handed out

        roster, members = self.roster, self.roster.members
        known = {column.name: arrow_labels(column, members.key[roster.line]) for column in members.columns}
        taken = {*known, self.release.sensitive}
        values = Column(self.release.sensitive, tuple(self.release.domain), roster.value.astype(np.int32))
        guess = np.zeros(len(roster.line), bool)
        guess[self._guess] = True
        columns = {
            unused_name("group", taken): pa.array(self.release.groups.numbers[members.group[roster.line]]),
            **known,
            unused_name("people", taken): pa.array(members.people[roster.line]),
            self.release.sensitive: arrow_labels(values),
            unused_name("belief", taken): pa.array(self.beliefs),
            unused_name("share", taken): pa.array(self._release_shares),
            unused_name("guess", taken): pa.array(guess),
        }
        if self.truth is not None:
            columns[unused_name("true", taken)] = pa.array(self.truth)
        return pa.table(columns)

    to_arrow = table  # the name that dataframes have for it

    def explain(self) -> str:
        """Return what an attacker would believe, and how often that is right."""
        return " ".join(self.sentences())

    def sentences(self) -> tuple[str, ...]:
        """Return the sentences of `explain`."""
        people = counted(int(self._people.sum()), "person")
        above = self.people_above(SURE_BELIEF)
        knows = "one of these people, and nobody else," if self.alone else "who is in which group"
        learns = f"Somebody who trains a {self.model} model on the release and knows {knows}"
        who = "Somebody who sees the release alone" if LABELS_ALONE in self.notes else learns
        first = (
            f"{who} claims to know the value of {people} with {self.claimed:.3f} on average, where the release says "
            f"{self.by_release:.3f}; of {above:,} with at least {SURE_BELIEF}."
        )
        notes = [f"{note[:1].upper()}{note[1:]}." for note in self.notes]
        if self.truth is None:
            return (first, "Without the truth this is only claimed.", *notes)
        assert self.right is not None
        share = self.right_above(SURE_BELIEF)
        of_sure = "" if share is None else f", of those {above:,} {share:.1%}"
        second = (
            f"{self.right:.1%} are guessed right{of_sure}; claims are off by {self.calibration_error:.3f} on average."
        )
        return (first, second, *notes)

    def __repr__(self) -> str:
        right = "" if self.right is None else f", right {self.right:.3f}"
        people = counted(int(self._people.sum()), "person")
        return f"<Learned by {self.model}: {people}, claimed {self.claimed:.3f}{right}>"

    def _repr_html_(self) -> str:
        rows = [
            ("claimed", f"{self.claimed:.3f}"),
            (f"people at or above {SURE_BELIEF}", f"{self.people_above(SURE_BELIEF):,}"),
        ]
        if self.right is not None:
            rows += [("right", f"{self.right:.3f}"), ("calibration error", f"{self.calibration_error:.3f}")]
        return html_table("Learned", ["what", "how much"], rows, total=len(rows), note=self.explain())


def _average_people(amounts: Floats, people: Integers) -> float:
    """Return the mean over people; in one order, whatever the machine."""
    return float((amounts * people).sum() / people.sum())


def learn(
    release: Release,
    model: ModelName = "logistic",
    *,
    truth: Truth | None = None,
    roster: Table | None = None,
    targets: Table | None = None,
    by: Mapping[str, Hierarchy] | None = None,
    rounds: int = ROUNDS,
    exact_up_to: int | None = None,
    calibrated: bool = True,
    progress: Progress = quiet,
) -> Learned:
    """What would somebody believe about each person who trains a model on the release itself?

    The deFinetti attack: from who is in which group, and how often each value occurs there, a model learns how
    quasi-identifiers and values go together; what it says then tells the people of a group apart.  It is one concrete
    attacker, and no worst case: what it does not learn, another may.

    Who is in which group is said by the release (its `members`, as anatomy has them), by a `roster` (a table of the
    people, whose sensitive column is not looked at), or else by the table that is given as `truth`.  With `targets`
    the attacker has no roster: each of these people is known exactly, and of the others only what is printed (naive
    Bayes).  With none of them, all people of a group look alike and nothing moves.

    Args:
        release: what is seen.
        model: "logistic", or "naive bayes", which is quicker and claims more than it knows.
        truth: the table that the release is of, or the result of the search that made it: says how right beliefs are.
            A table does not say who of several people with one key is in which group; of them, what is expected.
        roster: who is in which group, where the release does not say so.
        targets: people who are known exactly, by an attacker who knows nobody else.
        by: hierarchies that say what printed labels stand for.
        rounds: so many rounds at most; more claim more without knowing more.
        exact_up_to: groups with up to so many states are gone through exactly, others by Sinkhorn's scaling; unless
            told, all groups of up to 1,000 states and those up to 100,000 that take little time.
        calibrated: whether to believe only as much of the model as holds for groups that it was not trained on;
            otherwise all that it says after the last round, which is too much where there is little to learn.  People
            known without a roster are judged as the model says in either case.
        progress: is told how far it is.

    >>> ward = Release.from_buckets([
    ...     ([{"sex": "f"}, {"sex": "m"}], ["Anorexia", "Flu"]), ([{"sex": "f"}, {"sex": "m"}], ["Anorexia", "Flu"]),
    ...     ([{"sex": "m"}, {"sex": "m"}], ["Flu", "Flu"])] * 5)
    >>> learned = learn(ward, model="naive bayes")
    >>> learned.people_above(0.9), round(learned.claimed, 3), learned.right is None
    (30, 0.997, True)

    Source: Kifer, Attacks on privacy and deFinetti's theorem, SIGMOD 2009; Cormode, KDD 2011.
    """
    expect(Release, release, "what is seen")
    expect_one_sensitive(release, "a learner")
    name, lookup = model_name(model), Lookup.build(by)
    rounds, exact_up_to = expect_settings(rounds, exact_up_to)
    if roster is not None:
        expect(Table, roster, "the roster")
    # without a roster there are no groups to hold out, so that targets are judged without calibration
    if targets is not None:
        if release.members is not None or roster is not None:
            alone = f"{parameter('targets')} are people of whom nobody says who is with them"
            message = f"{alone}; leave them or the roster out"
            raise BadMeasure(message)
        if name != "naive bayes":
            judged = f"{parameter('targets')} without a roster are judged by {parameter('model', 'naive bayes')}"
            message = f"{judged}; say so"
            raise BadMeasure(message)
        people = Roster.from_table(release, targets, lookup, whole=False)
        trained = train_without_roster(people, lookup.nodes(release), rounds=rounds, progress=progress)
    else:
        people = roster_of(release, truth if roster is None else roster, lookup)
        trained = train_on(
            people, name, rounds=rounds, exact_up_to=exact_up_to, calibrated=calibrated, progress=progress
        )
    held, doubts = (None, ()) if truth is None else truth_of(people, truth)
    notes = (*people.notes, *trained.notes, *doubts)
    return Learned(release, name, people, trained, held, notes, alone=targets is not None)


def roster_of(release: Release, table: object, lookup: Lookup) -> Roster:
    """Return who is in which group: as the release does, or a table; else people are what is printed about them."""
    if release.members is not None:
        return Roster.of_members(release, release.members)
    if isinstance(table, Table):
        return Roster.from_table(release, table, lookup)
    return Roster.of_members(release, Members.as_printed(release.groups))
