"""The beliefs of an attacker who trains a model on a release, and how often they are right.

Belief      max_s W_is of each person; the guess is its value, of equal ones the first of the domain.
Gain        W_is − n_g(s)/n_g, over the release alone.
Right       with the truth: the share of people whose guess is true; among people at or above c; in ten equal bins.
Calibration error  Σ over the bins of their share of people · |share right − mean claimed|.

Without the truth a belief is only *claimed*.

`learn` is the entry point: a release, a roster and a model become beliefs about each person.

`Learner` is the measure: the largest belief about anybody.  A model learns from all groups at once, so that it is not
mergeable: searches go without it and judge their result.  It is one concrete attacker: a release within its limit may
fall to a better model.

The value is rounded up at the sixth decimal, or n_g(s)/n_g exactly where that is the belief.  It is replayed by
training again, with every group multiplied out; but scaled groups are scaled again, as a note says, and occurrences of
multisets have one formula only.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from sidelight.errors import BadMeasure, BadTable, as_given, expect, parameter
from sidelight.learner.roster import LABELS_ALONE, Roster, Truth, truth_of
from sidelight.learner.training import ROUNDS, Model, ModelName, Trained, model_name, train_on, train_without_roster
from sidelight.measures.criterion import Amount, Finding, Witness
from sidelight.measures.measure import (
    ROW,
    Attacker,
    AttackerAnswer,
    FoundRelease,
    Measure,
    Monotonicity,
    in_policy,
    read,
    whole_amount,
)
from sidelight.progress import Progress, quiet
from sidelight.release.locate import Lookup
from sidelight.release.release import Members, Release
from sidelight.rounding import MOST_OF_ANYTHING, exact_number, in_words, to_places
from sidelight.table.labels import Column, Label, Semantics, Tabular, arrow_labels, show_in_list, shown, unused_name
from sidelight.table.table import Table, expect_one_sensitive
from sidelight.text import counted, html_table

if TYPE_CHECKING:
    import altair as alt
    import pyarrow as pa

    from sidelight.arrays import Flags, Floats, Integers
    from sidelight.table.hierarchy import Hierarchy


CALIBRATION_BINS = 10
"""The number of equal bins in which beliefs are compared with the truth."""

SURE_BELIEF = 0.9
"""The belief from which on people are counted in explanations."""


@dataclass(frozen=True, slots=True)
class BeliefBin:
    """People whose largest belief is from `low` to `high`: their number, the mean belief, the share that is right."""

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
    alone: bool = False  # whether the attacker knows the targets, and nobody else

    @property
    def beliefs(self) -> Floats:
        """The belief in each cell of the roster (see `table`): (cells,) float64."""
        return self.trained.beliefs

    @property
    def rounds(self) -> int:
        """The number of rounds of training."""
        return self.trained.rounds

    @property
    def claimed(self) -> float:
        """The mean over all people of the belief in the guess."""
        return self._average(self._belief)

    @property
    def right(self) -> float | None:
        """The share of people whose guess is right."""
        return self.right_above(0.0)

    @property
    def by_release(self) -> float:
        """The mean over all people of the largest share n_g(s)/n_g that the release alone gives."""
        largest = np.zeros(len(self.roster))
        np.maximum.at(largest, self.roster.line, self._release_shares)
        return self._average(largest)

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
        """Return the share of those people whose guess is right; None without the truth, or of nobody."""
        above = self._above(belief)
        if self.truth is None or not above.any():
            return None
        return float(self._true[above].sum() / self._people[above].sum())

    @property
    def calibration(self) -> tuple[BeliefBin, ...]:
        """The share of right guesses by belief, in ten equal bins without the empty ones; () without the truth."""
        if self.truth is None:
            return ()
        # rounded first: 0.3 less its last bit belongs to the bin from 0.3 on; 1 belongs to the last bin
        bin_of = np.minimum((np.round(self._belief, 9) * CALIBRATION_BINS).astype(np.int64), CALIBRATION_BINS - 1)
        people = np.bincount(bin_of, self._people, CALIBRATION_BINS)
        claimed = np.bincount(bin_of, self._people * self._belief, CALIBRATION_BINS)
        right = np.bincount(bin_of, self._true, CALIBRATION_BINS)
        bins = []
        for at in np.flatnonzero(people).tolist():
            ends, many = (at / CALIBRATION_BINS, (at + 1) / CALIBRATION_BINS), int(people[at])
            bins.append(BeliefBin(*ends, many, float(claimed[at] / many), float(right[at] / many)))
        return tuple(bins)

    @property
    def calibration_error(self) -> float | None:
        """The mean difference of the share right and the belief, over people, in ten equal bins."""
        if self.truth is None:
            return None
        off = sum(each.people * abs(each.right - each.claimed) for each in self.calibration)
        return off / float(self._people.sum())

    @property
    def _people(self) -> Integers:
        return self.roster.members.people

    def _average(self, amounts: Floats) -> float:
        """Return the mean over people of an amount per line; in one order, whatever the machine."""
        return float((amounts * self._people).sum() / self._people.sum())

    @cached_property
    def _release_shares(self) -> Floats:
        """The beliefs by the release alone, per cell."""
        return self.roster.believed(self.roster.shares)

    @cached_property
    def _guessable_lines(self) -> Integers:
        """The lines with something to guess: a person of the group has a value."""
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
            raise BadMeasure(f"a belief lies between 0 and 1, and {as_given(belief)} does not; give such a number")
        # half a unit of the last decimal that counts, so that rounding leaves nobody below the limit
        return np.asarray(self._belief >= float(belief) - 0.5e-9)

    def plot(self) -> alt.TopLevelMixin:
        """Draw beliefs against how often they are right; without the truth, beliefs alone.

        An Altair chart, which needs the extra `plot`: a notebook shows it, `chart.save("learned.svg")` writes it.
        """
        from sidelight.report.charts.attackers import calibration_chart  # noqa: PLC0415 - it stands below

        return calibration_chart(self)

    def table(self) -> pa.Table:
        """Return a row per line of the roster and value of its group: the group, known columns, people and belief.

        "share" is the belief by the release alone, "guess" whether it is the likeliest value; with the truth, "true" is
        how many of the people have the value.
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
        """Describe what an attacker would believe, and how often that is right."""
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
    """Return what an attacker believes about each person after training a model on the release itself.

    The deFinetti attack: from who is in which group, and how often each value occurs there, a model learns how
    quasi-identifiers and values go together, which distinguishes the people of a group.  It is one concrete attacker,
    and no worst case: what it does not learn, another may.

    Who is in which group comes from the release (its `members`, as anatomy has them), from a `roster` (a table of the
    people, whose sensitive column is ignored), or else from the table in `truth`.  With `targets` the attacker has no
    roster, and knows each of these people exactly, and of the others only what is printed (naive Bayes).  With none of
    them, all people of a group look alike and nothing is learned.

    Args:
        release: the published release.
        model: "logistic", or "naive bayes", which is faster and overconfident.
        truth: the table that the release is of, or the result of the search that made it: for how often beliefs are
            right.  A table does not tell who of several people with one key is in which group; these are expected.
        roster: the people of each group, where the release does not have them.
        targets: people who are known exactly, by an attacker who knows nobody else.
        by: hierarchies that define printed labels.
        rounds: the largest number of rounds; more claim more without knowing more.
        exact_up_to: groups with up to this many states are computed exactly, others by Sinkhorn's scaling.  By default
            all groups of up to 1,000 states, and those up to 100,000 that take little time.
        calibrated: whether to believe only as much of the model as holds for groups that it was not trained on;
            otherwise the scores of the last round, which are overconfident where there is little to learn.  Targets
            without a roster are never calibrated.
        progress: called with the stage, the steps done and the number of steps.

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
            raise BadMeasure(f"{alone}; leave them or the roster out")
        if name != "naive bayes":
            judged = f"{parameter('targets')} without a roster are judged by {parameter('model', 'naive bayes')}"
            raise BadMeasure(f"{judged}; say so")
        people = Roster.from_table(release, targets, lookup, complete=False)
        trained = train_without_roster(people, lookup.nodes(release), rounds=rounds, progress=progress)
    else:
        people = roster_of(release, truth if roster is None else roster, lookup)
        trained = train_on(
            people, name, rounds=rounds, exact_up_to=exact_up_to, calibrated=calibrated, progress=progress
        )
    true_people, doubts = (None, ()) if truth is None else truth_of(people, truth)
    notes = (*people.notes, *trained.notes, *doubts)
    return Learned(release, name, people, trained, true_people, notes, alone=targets is not None)


def roster_of(release: Release, table: object, lookup: Lookup) -> Roster:
    """Build the roster from the release's members, or a table; else from printed labels."""
    if release.members is not None:
        return Roster.of_members(release, release.members)
    if isinstance(table, Table):
        return Roster.from_table(release, table, lookup)
    return Roster.of_members(release, Members.as_printed(release.groups))


def expect_settings(rounds: object, exact_up_to: object) -> tuple[int, int | None]:
    """Parse the numbers of rounds and of states; raise `BadMeasure` if they are invalid."""
    many = whole_amount("learner", "rounds", rounds)
    if many < 1:
        raise BadMeasure(f"{parameter('rounds', many)} is no training; give 1 or more")
    if exact_up_to is None:
        return many, None
    return many, whole_amount("learner", "exact_up_to", exact_up_to, most=MOST_OF_ANYTHING)


@dataclass(frozen=True, slots=True)
class MateBelief:
    """The belief that people of the same group with these labels have the value too."""

    says: tuple[tuple[str, Label], ...]
    people: int
    belief: float


@dataclass(frozen=True, slots=True)
class TellingLabel:
    """A label that speaks for the value: `weight` is ln of how much likelier it makes it than the group's others."""

    column: str
    label: Label
    weight: float


@dataclass(frozen=True, slots=True, repr=False)
class LearntBelief(Witness):
    """The person with the largest belief: their line of the roster and labels, and the labels that speak for it."""

    line: int = 0
    says: tuple[tuple[str, Label], ...] = ()
    mates: tuple[MateBelief, ...] = ()
    telling: tuple[TellingLabel, ...] = ()


def is_beyond_chance(people: int, right: float, limit: float) -> bool:
    """Return whether `people` guesses of confidence above c are right more often than c + √(ln 100 / people).

    Guesses that know nothing are so once in a hundred times at most, even where people stand in pairs of which both are
    right or none (Hoeffding's bound on n/2 pairs).

    >>> is_beyond_chance(10, 0.9, 0.5), is_beyond_chance(1000, 0.6, 0.5)
    (False, True)
    """
    return people > 0 and right - limit > math.sqrt(math.log(100) / people)


@dataclass(frozen=True, repr=False)
class Learner(Measure):
    """How sure does somebody get of a value of a person who trains a model on the release itself?

    The largest belief of `learn` about anybody: who is in which group is known from the release, or from the original
    `table` (which `protect` supplies).  Without either, a model learns nothing from printed labels: the value lies
    between the largest share of a group and 1, and a limit between them is not decided.  One concrete attacker, and no
    worst case.  It needs a whole release at once, so searches go without it and judge their result by it.  `model` is
    "logistic" or "naive bayes"; `rounds` is the largest number of rounds of training.

    >>> ward = Release.from_buckets([
    ...     ([{"sex": "f"}, {"sex": "m"}], ["Anorexia", "Flu"]), ([{"sex": "m"}, {"sex": "m"}], ["Flu", "Cold"])] * 10)
    >>> finding = Learner(model="naive bayes").measure(ward)
    >>> print(finding.explain())  # doctest: +ELLIPSIS
    Somebody who trains a naive bayes model on the release would be 0.9953 sure that a person with sex f of group 1 ...

    Source: Kifer, Attacks on privacy and deFinetti's theorem, SIGMOD 2009; as a measure Cormode, Procopiuc and
    Srivastava, 2013.
    """

    model: ModelName = field(default="logistic", metadata=read(model_name))
    rounds: int = ROUNDS
    exact_up_to: int | None = None
    table: Table | None = field(default=None, repr=False, compare=False, metadata=in_policy(None))

    name: ClassVar[str] = "learner"
    attacker = Attacker(
        who="a learner",
        knows=ROW,
        counts="how sure the model is",
        asked_by_search=True,
        deed="who trains a model on the release and on who is in which group",
        in_short="trains a model on it",
        in_report="who trains a model on the file and a list of who is in which group",
        question="What would a model believe that was trained on this release?",
        function="learn",
        remedy="larger or more diverse groups help, and a limit on the learner judges them; noise stops it",
        only_claims=True,
    )
    also_called = ("definetti attack", "de finetti attack")
    limits = (0, 1)
    semantics: ClassVar[tuple[Semantics, ...]] = ("single", "set", "multiset")
    mergeable: ClassVar[bool] = False
    when_groups_merge = Monotonicity.UNKNOWN
    undecided = "cannot be told: nobody says who is in which group, so the value {between}; give the original table"

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, number in zip(("rounds", "exact_up_to"), expect_settings(self.rounds, self.exact_up_to), strict=True):
            object.__setattr__(self, name, number)

    @classmethod
    def examples(cls, domain: tuple[Label, ...]) -> tuple[Measure, ...]:
        """Return one of each model."""
        return (cls(), cls(model="naive bayes", rounds=3))

    def bind_table(self, table: Table) -> Self:
        """Return the measure with this table as its roster, used where a release does not say who is in which group."""
        return replace(self, table=table) if self.table is None else self

    def measure(self, release: Release) -> Finding:
        """Train a model, and return the finding on the person with the largest belief."""
        self.check(release)
        finding = self.finding(
            learn(release, self.model, roster=self.table, rounds=self.rounds, exact_up_to=self.exact_up_to)
        )
        if finding.witness is None or self._knows_people(release):
            return finding
        # printed labels distinguish nobody; an attacker who knows the people may become certain, so 1 is the upper end
        return replace(finding, value=Fraction(1), kindest=finding.value)

    def _knows_people(self, release: Release) -> bool:
        return release.members is not None or self.table is not None

    @classmethod
    def answer_search(
        cls, search: FoundRelease, *, most_cells: int = 600_000, rounds: int = 10, exact_up_to: int = 100
    ) -> AttackerAnswer:
        """Train naive Bayes for a few `rounds`; not on more than `most_cells` people times values of their groups.

        More rounds claim more without knowing more; groups of more than `exact_up_to` states are scaled.
        """
        if search.limit is None:
            return AttackerAnswer(cls.attacker, "not asked", "the policy limits sizes alone, and nobody's belief")
        if len(search.release.sensitive_columns) > 1:
            return AttackerAnswer(cls.attacker, "could not tell", "the release has several sensitive columns")
        release = search.with_people()
        assert release.members is not None
        # one belief per line and value of its group: the size of the arrays that training would hold
        values = np.bincount(release.groups.counts.entries()[0], minlength=len(release))
        cells = int(values[release.members.group].sum())
        if cells > most_cells:
            many = f"{cells:,} beliefs are too many to be gone through beside a search"
            return AttackerAnswer(cls.attacker, "not asked", many)
        try:
            truth = search.count_truth()
        except BadTable:  # counts of several values per person, without the rows
            reason = "the table has counts only, and does not say who has which values"
            return AttackerAnswer(cls.attacker, "could not tell", reason)
        learned = learn(
            release, "naive bayes", truth=truth, rounds=rounds, exact_up_to=exact_up_to, progress=search.progress
        )
        above = search.just_above_limit
        people, right = learned.people_above(above), learned.right_above(above)
        return AttackerAnswer(
            cls.attacker,
            "asked",
            "naive Bayes",
            cls(model="naive bayes").finding(learned).value,
            search.limit,
            people,
            right=right,
            falls=right is not None and is_beyond_chance(people, right, float(search.limit)),
        )

    def finding(self, learned: Learned) -> Finding:
        """Return the finding of what `learn` believes with these settings: the person with the largest belief."""
        roster, trained = learned.roster, learned.trained
        if not len(roster.line):
            return Finding(self, Fraction(0), None, ("nobody has a value", *learned.notes))
        # rounded, so that of beliefs that differ in the last bits alone every machine picks the same cell
        cell = int(np.argmax(np.round(trained.beliefs, 8)))
        return Finding(self, _value(roster, trained, cell), _describe_belief(roster, trained, cell), learned.notes)

    def replay(self, witness: Witness, release: Release) -> Amount:
        """Train again, with every group multiplied out; only scaled groups are scaled again."""
        assert isinstance(witness, LearntBelief)
        self.check(release)
        if not self._knows_people(release):
            return Fraction(1)
        roster = roster_of(release, self.table, Lookup.build())
        value = release.groups.code_of(witness.value)
        (cell,) = np.flatnonzero((roster.line == witness.line) & (roster.value == value))
        trained = train_on(roster, self.model, rounds=self.rounds, exact_up_to=self.exact_up_to, replayed=True)
        return _value(roster, trained, int(cell))

    def explain(self, finding: Finding) -> str:
        """Return the person, what speaks for the belief, and the beliefs about the others of the group, in words."""
        witness = finding.witness
        if not isinstance(witness, LearntBelief):
            return "Nobody can be believed to have anything: nobody has a value."
        if LABELS_ALONE in finding.notes:
            share = finding.value if finding.kindest is None else finding.kindest
            return (
                "Nobody is told apart from others of their group, so that a model learns nothing and was not put to "
                f"the test: {in_words(share)} of {witness.group} have '{shown(witness.value)}', and whoever "
                "knows who is in which group may get surer."
            )
        says = ", ".join(f"{column} {show_in_list(text)}" for column, text in witness.says)
        person = (
            f"a person with {says} of {witness.group}" if witness.mates and says else f"a person of {witness.group}"
        )
        sure = f"be {in_words(finding.value)} sure" if finding.value != 1 else "be sure (1)"
        who = f"Somebody who trains a {self.model} model on the release would {sure}"
        telling = ", ".join(f"{each.column} {show_in_list(each.label)}" for each in witness.telling)
        others = ", ".join(f"{each.belief:.3f}" for each in witness.mates)
        sentences = [f"{who} that {person} has '{shown(witness.value)}'."]
        sentences += [f"What speaks most for it: {telling}."] if telling else []
        sentences += [f"Others of the group are believed to have it with {others}."] if others else []
        return " ".join(sentences)


def _value(roster: Roster, trained: Trained, cell: int) -> Amount:
    """Return a belief: a share exactly where nothing was learned about the person, else rounded up."""
    belief = Fraction(float(trained.beliefs[cell]))
    share = Fraction(int(roster.count[cell]), int(roster.group_size[cell]))
    # the share itself, exactly, where nothing was learned; of a multiset the belief is not a share
    last_bits = Fraction(1, 10**8)  # what rounding may add to a belief
    if abs(belief - share) <= last_bits and roster.release.semantics != "multiset":
        return share
    # taken off before rounding up, or an error in the last bits would cost a whole decimal
    return min(max(float(to_places(belief - last_bits, 6)), 0.0), 1.0)


def _describe_belief(roster: Roster, trained: Trained, cell: int) -> LearntBelief:
    line, value = int(roster.line[cell]), int(roster.value[cell])
    members, release = roster.members, roster.release
    group = int(members.group[line])
    same = np.flatnonzero((members.group[roster.line] == group) & (roster.value == value) & (roster.line != line))
    same = same[np.argsort(-trained.beliefs[same], kind="stable")][:5]
    mates = tuple(
        MateBelief(roster.says(int(members.key[other])), int(members.people[other]), float(trained.beliefs[at]))
        for at, other in zip(same.tolist(), roster.line[same].tolist(), strict=True)
    )
    key = int(members.key[line])
    telling = () if trained.model is None else _telling(roster, trained.model, key, cell)
    return LearntBelief(release.groups.name(group), release.domain[value], line, roster.says(key), mates, telling)


def _telling(roster: Roster, model: Model, key: int, cell: int) -> tuple[TellingLabel, ...]:
    """Return the labels that speak most for a value, against the weighted mean of the group's other values."""
    line = int(roster.line[cell])
    cells = np.arange(roster.cell_starts[line], roster.cell_starts[line + 1])
    values, counts = roster.value[cells], roster.count[cells].astype(float)
    counts[values == roster.value[cell]] = 0.0
    if not counts.any():  # nothing needs to speak for the only value of a group
        return ()
    weights = []
    for column, scores in zip(roster.columns, model.scores_by_column(), strict=True):
        score: Floats = scores[column.codes[key]]
        others = float(counts @ score[values] / counts.sum())
        weights.append(TellingLabel(column.name, column.cell(key), float(score[roster.value[cell]]) - others))
    # a label with less weight is noise; the three that speak most are named
    speaking = [each for each in weights if each.weight > 1e-6]
    return tuple(sorted(speaking, key=lambda each: -each.weight)[:3])
