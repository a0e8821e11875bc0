"""How sure does somebody get who trains a model on the release itself?

    Learner     max over people i and values s of W_is, as `learn` believes it

A model learns from all groups at once, so that it is not mergeable: searches go without it and judge what they found.
It is one concrete attacker: a release within its limit may fall to a better model.

The value is rounded up at the sixth decimal, or n_g(s)/n_g exactly where that is believed.  It is replayed by training
again, where every group is gone through assignment by assignment, or multiplied out; but scaled groups
are scaled again, which a note says, and occurrences of multisets have one formula only.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from sidelight.errors import BadTable
from sidelight.learner.learned import Learned, learn, roster_of
from sidelight.learner.roster import LABELS_ALONE, Roster
from sidelight.learner.training import ROUNDS, Model, ModelName, Trained, expect_settings, model_name, train_on
from sidelight.measures.attacker_answer import AttackerAnswer, FoundRelease, is_beyond_chance
from sidelight.measures.criterion import Finding, Witness
from sidelight.measures.measure import ROW, Attacker, Measure, Monotonicity, in_policy, read
from sidelight.release.locate import Lookup
from sidelight.rounding import in_words, to_places
from sidelight.table.labels import Label, Semantics, show_in_list, shown
from sidelight.table.table import Table

if TYPE_CHECKING:
    from sidelight.arrays import Floats
    from sidelight.measures.criterion import Amount
    from sidelight.release.release import Release


@dataclass(frozen=True, slots=True)
class MateBelief:
    """How surely people of the same group who say this are believed to have the value too."""

    says: tuple[tuple[str, Label], ...]
    people: int
    belief: float


@dataclass(frozen=True, slots=True)
class TellingLabel:
    """How much a label speaks for the value: ln of how much likelier it makes it than the group's other values."""

    column: str
    label: Label
    weight: float


@dataclass(frozen=True, slots=True, repr=False)
class LearntBelief(Witness):
    """Of whom a model is surest: `line` is the place in the roster; what the person says, and what speaks for it."""

    line: int = 0
    says: tuple[tuple[str, Label], ...] = ()
    mates: tuple[MateBelief, ...] = ()
    telling: tuple[TellingLabel, ...] = ()


@dataclass(frozen=True, repr=False)
class Learner(Measure):
    """How sure does somebody get of a value of a person who trains a model on the release itself?

    The largest belief of `learn` about anybody: who is in which group is said by the release, or by the original
    `table` (which `protect` puts in by itself).  Where neither does, a model learns nothing from printed labels: the
    value lies between the largest share of a group and 1, and a limit between them cannot be told.  One concrete
    attacker, and no worst case.  It looks at a whole release at once, so searches go without it and judge
    what they found by it.  `model` is "logistic" or "naive bayes"; `rounds` is how long it trains at most.

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
        del domain
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
        cls, found: FoundRelease, *, most_cells: int = 600_000, rounds: int = 10, exact_up_to: int = 100
    ) -> AttackerAnswer:
        """Train naive Bayes for few `rounds`; not on more than `most_cells` people times values of their groups.

        More rounds claim more without knowing more; groups of more than `exact_up_to` states are scaled.
        """
        if found.limit is None:
            return AttackerAnswer(cls.attacker, "not asked", "the policy limits sizes alone, and nobody's belief")
        if len(found.release.sensitive_columns) > 1:
            return AttackerAnswer(cls.attacker, "could not tell", "the release has several sensitive columns")
        release = found.with_people()
        assert release.members is not None
        # one belief per line and value of its group: the size of the arrays that training would hold
        values = np.bincount(release.groups.counts.entries()[0], minlength=len(release))
        cells = int(values[release.members.group].sum())
        if cells > most_cells:
            many = f"{cells:,} beliefs are too many to be gone through beside a search"
            return AttackerAnswer(cls.attacker, "not asked", many)
        try:
            truth = found.count_truth()
        except BadTable:  # counts of several values per person, without the rows
            reason = "the table has counts only, and does not say who has which values"
            return AttackerAnswer(cls.attacker, "could not tell", reason)
        learned = learn(
            release, "naive bayes", truth=truth, rounds=rounds, exact_up_to=exact_up_to, progress=found.progress
        )
        above = found.just_above_limit
        people, right = learned.people_above(above), learned.right_above(above)
        return AttackerAnswer(
            cls.attacker,
            "asked",
            "naive Bayes",
            cls(model="naive bayes").finding(learned).value,
            found.limit,
            people,
            right=right,
            falls=right is not None and is_beyond_chance(people, right, float(found.limit)),
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
        """Train again, with every group listed or multiplied out; only what was scaled is scaled again."""
        assert isinstance(witness, LearntBelief)
        self.check(release)
        if not self._knows_people(release):
            return Fraction(1)
        roster = roster_of(release, self.table, Lookup.build())
        value = release.groups.code_of(witness.value)
        (cell,) = np.flatnonzero((roster.line == witness.line) & (roster.value == value))
        trained = train_on(roster, self.model, rounds=self.rounds, exact_up_to=self.exact_up_to, enumerated=True)
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
    """Return a belief: a share exactly where nothing was learnt about the person, else rounded up."""
    belief = Fraction(float(trained.beliefs[cell]))
    share = Fraction(int(roster.count[cell]), int(roster.group_size[cell]))
    # the share itself, exactly, where nothing was learnt; of a multiset the belief is no share
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
        MateBelief(
            roster.says(int(members.key[roster.line[at]])),
            int(members.people[roster.line[at]]),
            float(trained.beliefs[at]),
        )
        for at in same.tolist()
    )
    key = int(members.key[line])
    telling = () if trained.model is None else _telling(roster, trained.model, key, cell)
    return LearntBelief(release.groups.name(group), release.domain[value], line, roster.says(key), mates, telling)


def _telling(roster: Roster, model: Model, key: int, cell: int) -> tuple[TellingLabel, ...]:
    """Name the columns that speak most for a value, beside the mean of the group's other values, by their counts."""
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
    # a label with less weight says nothing; the three that speak most are named
    speaking = [each for each in weights if each.weight > 1e-6]
    return tuple(sorted(speaking, key=lambda each: -each.weight)[:3])
