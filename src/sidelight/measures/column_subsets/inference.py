"""How often is a secret guessed right from what is known about people, and how often from everybody else's rows?

Symbols     groups g of people who say the same in the columns that are known; n_g(s) of them with secret s; n people.
Right       Σ_g max_s n_g(s) / n: the best reader guesses the most frequent secret of the group.
Control     the same guess from everybody else: a person is left out, the most frequent secrets of the rest of the group
            are guessed (ties shared), and where nobody is left those of the rest of the release.
Residual    (right − control) / (1 − control): what the person's own row adds (Anonymeter's formula).
One group   only who has the secret that is most frequent without a tie, m₁ times, is guessed right with themselves left
            out: surely where m₁ − 1 > m₂, the second largest count; with 1/(k₂ + 1) where m₁ − 1 = m₂, which k₂
            secrets have.  With m₁ = 1 and m₂ = 0 nobody is left, and the same is asked of the release.
Merge       right and control are sums over groups, so that they merge where the groups of the release are asked about.
Claims      right never rises when groups are merged; with some columns only, when labels of a column are joined
            wherever they occur (tests/claims).  The residual may rise.

Source: Article 29 Working Party, Opinion 05/2014 on Anonymisation Techniques (WP216); Giomi et al., A Unified Framework
for Quantifying Privacy Risk in Synthetic Data (Anonymeter), 2023; Bayes vulnerability: Alvim et al., 2020.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from sidelight.errors import BadMeasure, expect, expect_or_none, parameter
from sidelight.measures.column_subsets.singling_out import column_named
from sidelight.measures.criterion import Amount, Finding, Witness
from sidelight.measures.exact import Screen, SumScreen
from sidelight.measures.measure import Attacker, Measure, Monotonicity, Settings, Tally, read
from sidelight.release.generalise import roll_up
from sidelight.release.release import Release, whole_groups
from sidelight.rounding import decimal_text
from sidelight.table.labels import Label, Semantics
from sidelight.table.table import Counts
from sidelight.text import as_names

if TYPE_CHECKING:
    from sidelight.arrays import Floats, Integers
    from sidelight.release.groups import GroupName, Groups


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class InferenceWitness(Witness):
    """The group with the surest guess, its counts, and how many guesses are right in all."""

    count: int  # people of the group who have the value; without one of them it is one less, of one person less
    people: int
    right: int
    control: Fraction
    everybody: int
    secret: str = field(default="", compare=False)  # its name, where the release was at hand

    @property
    def residual(self) -> Fraction:
        right = Fraction(self.right, self.everybody)
        return (right - self.control) / (1 - self.control) if self.control < 1 else Fraction(0)


def _known_columns(settings: Settings) -> str:
    columns = settings.get("columns")
    return f"{', '.join(columns) if isinstance(columns, list) else columns or 'the columns'} of a person"


@dataclass(frozen=True)
class Inference(Measure):
    """How often is a secret guessed right from what is known about people?

    `columns` are what is known of everybody: some of those that are printed, by default all.  The `secret` is the
    sensitive value, or another printed column.  The value is the share of people whose secret is guessed right by the
    most frequent one of their group; beside it stands how often it would be guessed from everybody else's rows.

    >>> import sidelight as sl
    >>> release = sl.group(sl.datasets.adult().table)
    >>> finding = sl.Inference(["age", "sex"]).measure(release)
    >>> print(finding.explain())
    Occupation is guessed right for 0.2243 of all people, and for 0.2158 from everybody else's rows.
    >>> finding.witness.residual < finding.value
    True

    Source: Article 29 Working Party, Opinion 05/2014 (WP216); Giomi et al., Anonymeter, 2023 (control and residual).
    """

    columns: str | Sequence[str] | None = field(default=None, metadata=read(as_names, hint=tuple[str, ...] | None))
    secret: str | None = None

    name: ClassVar[str] = "inference"
    attacker = Attacker(
        "somebody who knows a few columns",
        _known_columns,
        "the share of people of whom another column is certain",
        "columns",
    )
    also_called = ("attribute inference", "Bayes vulnerability")
    limits = (0, 1)
    semantics: ClassVar[tuple[Semantics, ...]] = ("single",)

    def __post_init__(self) -> None:
        super().__post_init__()
        expect_or_none(str, self.secret, parameter("secret"))
        if self.columns is not None and self.secret in self.columns:
            message = f"'{self.secret}' is known and also the secret; name other columns"
            raise BadMeasure(message)

    @property
    def of_groups(self) -> bool:
        return self.columns is None and self.secret is None

    @property
    def mergeable(self) -> bool:  # type: ignore[override]
        """Own groups are summed up one by one; groups by some columns have people of many."""
        return self.of_groups

    @property
    def about_values(self) -> bool:  # type: ignore[override]
        """Whether it is about the sensitive values, and not about a secret that is named."""
        return self.secret is None

    @property
    def when_groups_merge(self) -> Monotonicity:
        """The most frequent of two groups together is no more frequent than that of each."""
        return Monotonicity.NON_INCREASING if self.of_groups else Monotonicity.UNKNOWN

    def check(self, release: Release) -> None:
        expect(Release, release, "what is measured")
        super().check(release if self.secret is None else self.seen(release))

    def measure(self, release: Release) -> Finding:
        self.check(release)
        seen = self.seen(release)
        finding = super().measure(seen) if self.of_groups else Inference().measure(seen)
        return self.complete(finding, seen)

    def complete(self, finding: Finding, release: Release) -> Finding:
        if not isinstance(finding.witness, InferenceWitness):
            return replace(finding, measure=self)
        return replace(finding, measure=self, witness=replace(finding.witness, secret=release.sensitive))

    def seen(self, release: Release) -> Release:
        """Return the release as an attacker who knows the columns sees it: people by these, and their secrets."""
        if self.secret in release.sensitive_columns:
            release = release.about(self.secret)
        elif self.secret is not None:
            groups, values = release.groups, column_named(release.groups.columns, self.secret)
            # the label that a group prints is the value of all its people: one entry per group
            shape = len(groups), len(values.labels)
            counts = Counts.from_entries(np.arange(len(groups)), values.codes, groups.sizes, shape)
            printed = whole_groups(domain=values.labels, sizes=groups.sizes, counts=counts)
            others = tuple(column for column in groups.columns if column.name != self.secret)
            release = Release(roll_up(printed, others), sensitive=self.secret, intake=release.intake)
        if self.columns is None:
            return release
        # people and members go: they belong to groups that are rolled up here
        columns = tuple(column_named(release.groups.columns, name) for name in self.columns)
        return replace(release, groups=roll_up(release.groups, columns), people=None, members=None)

    def summarize(self, groups: Groups) -> Tally:
        if not self.of_groups:
            message = f"'{self.name}' by some columns looks at a whole release at once; measure the release"
            raise BadMeasure(message)
        groups = groups.sort_by_number()
        guesses = Guesses.of(groups.counts)
        totals = int(guesses.most.sum()), int(groups.sizes.sum()), guesses.count_guesses_from_others(groups)
        return Tally(self.read_tally, totals, _surest(groups, guesses) if len(groups) else None)

    def read_tally(self, tally: Tally) -> Finding:
        """Return the finding: how many guesses are right, and the group with the surest one."""
        if tally.worst is None:
            return Finding(self, Fraction(0), None, ("nobody is in the release",))
        (right, everybody, without), (name, value, count, people) = tally.totals, tally.worst[1]
        control = sum((Fraction(times, ties) for ties, times in without.items()), Fraction(0)) / everybody
        witness = InferenceWitness(
            name, value, count=count, people=people, right=right, control=control, everybody=everybody
        )
        return Finding(self, Fraction(right, everybody), witness)

    def screen(self) -> Screen:
        """The right guesses and the people of groups add up: (groups, 2) float64."""
        return SumScreen(_count_guesses) if self.of_groups else super().screen()

    def explain(self, finding: Finding) -> str:
        witness = finding.witness
        if not isinstance(witness, InferenceWitness):
            return "Nobody is in the release, so nothing is guessed."
        right, control = (decimal_text(Fraction(share), up=True) for share in (finding.value, witness.control))
        secret = witness.secret or "the sensitive value"
        return (
            f"{secret[:1].upper()}{secret[1:]} is guessed right for {right} of all people, "
            f"and for {control} from everybody else's rows."
        )

    def replay(self, witness: Witness, release: Release) -> Amount:
        """Go through the values one by one, and keep the most frequent so far of each group."""
        del witness
        groups = self.seen(release).groups
        most = np.zeros(len(groups), np.int64)
        for value in range(len(groups.domain)):
            most = np.maximum(most, groups.counts.column(value))
        return Fraction(int(most.sum()), int(groups.sizes.sum()))


@dataclass(frozen=True, slots=True)
class Guesses:
    """Per group: its largest count, how many values have it, the second largest, and how many have that."""

    most: Integers
    tied: Integers
    second: Integers
    second_tied: Integers
    value: Integers  # the first value with the largest count

    @classmethod
    def of(cls, counts: Counts) -> Guesses:
        row, value, count = counts.entries()
        most = _highest(row, count, counts.rows)
        at_most = count == most[row]
        tied = np.bincount(row[at_most], minlength=counts.rows)
        rest = ~at_most
        second = _highest(row[rest], count[rest], counts.rows)
        at_second = rest & (count == second[row])
        # of tied values the first of the domain is the guess
        first = np.full(counts.rows, counts.width)
        np.minimum.at(first, row[at_most], value[at_most])
        return cls(most, tied, second, np.bincount(row[at_second], minlength=counts.rows), first)

    def count_guesses_from_others(self, groups: Groups) -> Counter[int]:
        """Count guesses from everybody else that are right, by how many values are guessed at a time."""
        ties = self.ties()
        right: Counter[int] = Counter()
        for shared in np.unique(ties[ties > 0]).tolist():
            right[shared] += int(self.most[ties == shared].sum())
        # one person alone in a group: without them, the guess is that of the whole release
        lone = np.flatnonzero((self.most == 1) & (groups.sizes == 1))
        whole = Guesses.of(Counts.from_cells(groups.whole[np.newaxis]))
        shared = int(whole.ties()[0])
        if shared and len(lone):
            right[shared] += int(np.count_nonzero(self.value[lone] == whole.value[0]))
        return right

    def ties(self) -> Integers:
        """Return how many values tie for the guess without a person of the most frequent one; 0: never right."""
        # without one person the most frequent value has one fewer, and may tie with the second
        left = self.most - 1
        surely = (left > self.second) & (left > 0)
        shares = (left == self.second) & (left > 0)
        ties = np.where(surely, 1, np.where(shares, self.second_tied + 1, 0))
        # with two most frequent values, leaving out a person of one makes the other the guess: never right
        return np.where(self.tied == 1, ties, 0)


def _highest(row: Integers, count: Integers, rows: int) -> Integers:
    highest = np.zeros(rows, np.int64)
    np.maximum.at(highest, row, count)
    return highest


def _surest(groups: Groups, guesses: Guesses) -> tuple[tuple[Fraction, int, int], tuple[GroupName, Label, int, int]]:
    """Return the group with the surest guess, by its rank: of equally sure ones the largest, then the first."""
    sure = guesses.most / groups.sizes
    # floats that are so near to each other may be of shares in the other order
    rows = np.flatnonzero(sure >= sure.max() * (1 - 2**-50))
    most, sizes = guesses.most[rows], groups.sizes[rows]
    ratios = np.column_stack((most, sizes)) // np.gcd(most, sizes)[:, np.newaxis]
    if (ratios != ratios[0]).any():  # different ones of many people, which floats may take for the same
        surest = max(np.unique(ratios, axis=0).tolist(), key=lambda ratio: Fraction(*ratio))
        rows = rows[(ratios == surest).all(axis=1)]
    row = int(rows[groups.sizes[rows].argmax()])  # of the largest the first
    name, count, people = groups.name(row), int(guesses.most[row]), int(groups.sizes[row])
    told = (name, groups.domain[int(guesses.value[row])], count, people)
    return (-Fraction(count, people), -people, name.number), told


def _count_guesses(groups: Groups) -> Floats:
    return np.column_stack((groups.counts.largest(1)[:, 0], groups.sizes)).astype(float)
