"""Singling out, linkability and inference: the three risks that WP216 names, by some of the columns.

What can be known about the people of a release are the cells that distinguish them, and how many share them.  Where a
release knows its members (buckets, whose people are printed one by one), those are their cells; else people have what
is printed about their group.

*Singling out.*  A fact is a cell that an attacker knows: the person's label in a column.  A person is singled out by at
most j facts where they are unique on some subset of j columns or fewer, that is where they have a minimal sample unique
of at most j columns.  A person who is unique on S is unique on every larger set, so that the subsets of exactly
min(j, M) columns decide.

Claim       the share never rises when labels of a column are joined wherever they occur (tests/claims).  Where labels
            are joined in some rows only it can: people who keep a label may then be unique with it.  So it has no
            monotonicity in merging groups.
Not asked   facts that are ranges or negations.  And a unique person is no proof of a failure by itself: a predicate
            chosen blindly, of weight 1/n, isolates a person with probability 1/e (Cohen and Nissim).

*Linkability.*  Two attackers hold the same people, one with columns A, the other with columns B; each has n records
without names.  The release tells how many people have which cells in both.

Symbols     n_a, n_b, n_ab people with cells a in A, b in B, both.
Guess       for one of the n_a records with a: the record of the n_b with b, right with n_ab / (n_a · n_b).  The best b
            makes that largest, whatever a's other records are matched with.
Value       Σ_a n_a · max_b n_ab / (n_a n_b) / n  =  Σ_a max_b (n_ab / n_b) / n; without the release 1/n.
Certain     n_ab = n_a = n_b = 1: the only record with a is the only one with b.
Exactly     distinct ratios of numbers below 2^26 are distinct floats; with more people, ties are decided in fractions.
Claim       never rises when labels of a column are joined wherever they occur (tests/claims).  That two groups meet in
            one record is not linkability: it is uniqueness on A ∪ B.

*Inference*: how often a secret is correctly guessed from the known columns, and how often from everybody else's rows.

Symbols     groups g of people with equal cells in the known columns; n_g(s) of them with secret s; n people.
Right       Σ_g max_s n_g(s) / n: the best attacker guesses the most frequent secret of the group.
Control     the same guess from everybody else: a person is left out, the most frequent secrets of the rest of the group
            are guessed (ties shared), and where nobody is left those of the rest of the release.
Residual    (right − control) / (1 − control): what the person's own row adds (Anonymeter's formula).
One group   only people with the secret that is most frequent without a tie, m₁ times, are correctly guessed from the
            others: certainly where m₁ − 1 > m₂, the second largest count; with 1/(k₂ + 1) where m₁ − 1 = m₂, which k₂
            secrets have.  With m₁ = 1 and m₂ = 0 nobody is left, and the release takes the group's place.
Merge       right and control are sums over groups, so that they merge where the groups of the release are asked about.
Claims      right never rises when groups are merged; with some columns only, when labels of a column are joined
            wherever they occur (tests/claims).  The residual may rise.

Source: Article 29 Working Party, Opinion 05/2014 on Anonymisation Techniques (WP216); Elliot, Manning and Ford, 2002
(special uniques); Giomi et al., A Unified Framework for Quantifying Privacy Risk in Synthetic Data (Anonymeter), 2023;
Bayes vulnerability: Alvim et al., 2020; the exact attacker of linkability is ours.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import combinations
from typing import ClassVar

import numpy as np

from sidelight.arrays import Flags, Floats, Integers, add_up, number_rows, reduce_fractions
from sidelight.errors import (
    BadMeasure,
    UnknownColumn,
    as_names,
    did_you_mean,
    expect,
    expect_or_none,
    listed,
    parameter,
)
from sidelight.measures.column_subsets.subsets import (
    find_unique_on_each,
    indices_of,
    minimal,
    names_in_words,
    subset_limit,
)
from sidelight.measures.criterion import Amount, Finding, Witness
from sidelight.measures.exact import Screen, SumScreen, sum_of_ratios
from sidelight.measures.measure import (
    Attacker,
    Measure,
    Monotonicity,
    Settings,
    Summary,
    Tally,
    amount_in,
    join_tallies,
    read,
    whole,
)
from sidelight.release.groups import GroupName, Groups, roll_up, whole_groups
from sidelight.release.release import Members, Release
from sidelight.rounding import decimal_text, round_up, short_decimal
from sidelight.table.labels import Column, Label, Semantics, number_equal_rows, show_in_list
from sidelight.table.table import Counts
from sidelight.text import capitalize, counted


def known_cells(release: Release) -> Members:
    """Return rows of people: the cells of each, its number of people, and the row of their group."""
    # a release that does not say who is in a group has its printed labels for all of them
    members = release.members or Members.as_printed(release.groups)
    columns = tuple(column.take(members.key) for column in members.columns)
    return replace(members, columns=columns, key=np.arange(len(members.key)))


def read_row(row: int, columns: Iterable[Column]) -> tuple[tuple[str, Label], ...]:
    """Return the cells of a row in some columns, with their names."""
    return tuple((column.name, column.cell(row)) for column in columns)


def column_named(columns: Sequence[Column], name: str) -> Column:
    """Return the column with this name; raise `UnknownColumn` if none is printed."""
    for column in columns:
        if column.name == name:
            return column
    raise UnknownColumn(
        f"no column '{name}' is printed about people{did_you_mean(name, [each.name for each in columns])}"
    )


def cells_in_words(cells: Sequence[tuple[str, str | None]]) -> str:
    """List cells with the names of their columns.

    >>> cells_in_words([("age", "89"), ("sex", None)])
    'age 89 and sex (missing)'
    """
    return names_in_words([f"{column} {show_in_list(text)}" for column, text in cells])


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SinglingOutWitness(Witness):
    """A person's group, cells on which they are unique, and how many people can be singled out."""

    cells: tuple[tuple[str, Label], ...]
    people: int
    everybody: int

    def describe(self) -> str:
        return f"{self.group}: {cells_in_words(self.cells)}"


@dataclass(frozen=True)
class SinglingOut(Measure):
    """How many people can be singled out by whoever knows a few facts about them?

    The share of people who are unique on some `facts` columns or fewer.

    >>> import sidelight as sl
    >>> finding = sl.SinglingOut(facts=2).measure(sl.group(sl.datasets.adult().table))
    >>> finding.value
    Fraction(10, 7537)
    >>> print(finding.explain())
    Age 86 alone singles out 1 person; with at most 2 facts 60 of 45,222 people can be singled out.

    Source: Article 29 Working Party, Opinion 05/2014 (WP216); Elliot, Manning and Ford, 2002 (special uniques).
    """

    facts: int = field(metadata=whole())

    name: ClassVar[str] = "singling out"
    example_settings = ({"facts": 1}, {"facts": 2}, {"facts": 5})
    attacker = Attacker(
        "somebody who knows a few columns",
        lambda settings: f"any {counted(amount_in(settings, 'facts'), 'column')} of a person",
        "the share of people who are alone on such columns",
        "columns",
    )
    also_called = ("special uniques", "SUDA", "suda2", "MSU", "minimal sample uniques", "sample uniques")
    about_values: ClassVar[bool] = False
    mergeable: ClassVar[bool] = False
    limits = (0, 1)
    when_groups_merge = Monotonicity.UNKNOWN  # it can rise where labels are joined in some rows only
    more_is_worse = ("facts",)

    def measure(self, release: Release) -> Finding:
        self.check(release)
        cells = known_cells(release)
        if not self.facts or not cells.columns:
            return Finding(self, Fraction(0), None, ("no facts can be known about anybody",))
        most, everybody = subset_limit(len(cells.columns), self.facts, "facts"), int(cells.people.sum())
        alone, first = 0, None
        for rows, bitmaps in find_unique_on_each(cells.columns, cells.people, up_to=most):
            for subset, bitmap in minimal(bitmaps):
                if first is None or len(subset) < len(first[0]):
                    first = subset, int(rows[indices_of(bitmap)[0]])
            # a bit per person: unique on any subset counts once, however many there are
            anywhere = np.bitwise_or.reduce(list(bitmaps.values())) if bitmaps else np.zeros(0, np.uint8)
            alone += int(np.unpackbits(anywhere).sum())
        notes = ("a fact is a cell that somebody knows exactly; ranges and negations are not tried",)
        if first is None:
            return Finding(self, Fraction(0), None, notes)
        subset, row = first
        witness = SinglingOutWitness(
            release.groups.name(int(cells.group[row])),
            cells=read_row(row, (cells.columns[index] for index in subset)),
            people=alone,
            everybody=everybody,
        )
        return Finding(self, Fraction(alone, everybody), witness, notes)

    def explain(self, finding: Finding) -> str:
        at_most = f"with at most {counted(self.facts, 'fact')}"
        witness = finding.witness
        if not isinstance(witness, SinglingOutWitness):
            return f"Nobody can be singled out {at_most}."
        cells = capitalize(cells_in_words(witness.cells))
        few = "alone singles" if len(witness.cells) == 1 else "together single"
        share = f"{witness.people:,} of {counted(witness.everybody, 'person')}"
        return f"{cells} {few} out 1 person; {at_most} {share} can be singled out."

    def replay(self, witness: Witness, release: Release) -> Amount:
        """Count the people with the witness's cells, then the unique people on every `facts` columns."""
        assert isinstance(witness, SinglingOutWitness)
        cells = known_cells(release)
        says = np.logical_and.reduce([_says(cells, name, text) for name, text in witness.cells])
        if int(cells.people[says].sum()) != 1:
            return Fraction(0)
        alone = np.zeros(len(cells.people), bool)
        # subsets of the largest size are enough: people who are unique on fewer columns are unique there
        for some in combinations(cells.columns, min(self.facts, len(cells.columns))):
            number, _ = number_equal_rows(some, len(cells.people))
            alone |= np.bincount(number, weights=cells.people)[number] == 1
        return Fraction(int(np.count_nonzero(alone)), int(cells.people.sum()))


def _says(cells: Members, name: str, text: Label) -> Flags:
    column = column_named(cells.columns, name)
    return np.asarray(np.array([each == text for each in column.labels], bool)[column.codes])


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class LinkWitness(Witness):
    """The most probable link: the cells of both holders, the three counts, and the sum of all links."""

    one: tuple[tuple[str, Label], ...]
    other: tuple[tuple[str, Label], ...]
    both: int  # n_ab
    with_one: int  # n_a
    with_other: int  # n_b
    matched: Amount  # people whom the best guesses match, on average
    certain: int
    everybody: int

    def describe(self) -> str:
        return f"{self.group}: {cells_in_words(self.one)}, linked to {cells_in_words(self.other)}"


def _two_files(settings: Settings) -> str:
    parts = [settings.get(name) for name in ("one", "other")]
    one, other = (", ".join(part) if isinstance(part, list) else str(part or "the other columns") for part in parts)
    return f"two files about the same people, one with {one}, the other with {other}"


@dataclass(frozen=True)
class Linkability(Measure):
    """How many people can two holders of different columns match with each other?

    One holds the columns `one`, another the columns `other` (by default all the rest) of the same people; the release
    tells which records could belong together.  The value is the expected share of people whom the best guesses match.

    >>> import sidelight as sl
    >>> release = sl.group(sl.datasets.adult().table)
    >>> finding = sl.Linkability(["age", "race"], ["sex", "marital-status"]).measure(release)
    >>> print(finding.explain())
    Who holds age and race and who holds sex and marital-status can match 4.1179 of 45,222 people, 0 for sure.

    Source: Article 29 Working Party, Opinion 05/2014 (WP216).
    """

    one: str | Sequence[str] = field(default=(), metadata=read(as_names, hint=tuple[str, ...]))
    other: str | Sequence[str] | None = field(default=None, metadata=read(as_names, hint=tuple[str, ...] | None))

    name: ClassVar[str] = "linkability"
    example_settings = ({}, {"other": ()})
    attacker = Attacker(
        "somebody who holds two files", _two_files, "the share of people whose rows are linked", "columns"
    )
    also_called = ("linkage risk",)
    about_values: ClassVar[bool] = False
    mergeable: ClassVar[bool] = False
    limits = (0, 1)
    when_groups_merge = Monotonicity.UNKNOWN  # never rises where labels are joined for everybody

    def __post_init__(self) -> None:
        super().__post_init__()
        shared = sorted(set(self.one) & set(self.other or ()))
        if shared:
            raise BadMeasure(
                f"both hold {listed(shared)}; give {parameter('one')} and {parameter('other')} different columns"
            )

    def measure(self, release: Release) -> Finding:
        self.check(release)
        cells = known_cells(release)
        holders, everybody = self._choose_columns(cells), int(cells.people.sum())
        (a, first_a), (b, first_b) = (number_equal_rows(columns, len(cells.people)) for columns in holders)
        pair, row = number_rows([a, b], [len(first_a), len(first_b)], rows=len(a))
        # of each pair of cells that people have: n_ab, n_a and n_b
        both = add_up(pair, cells.people, len(row))
        with_one = add_up(a, cells.people, len(first_a))[a[row]]
        with_other = add_up(b, cells.people, len(first_b))[b[row]]
        best = find_best_pairs(a[row], both, with_other)
        matched = sum_of_ratios(*_by_denominator(both[best], with_other[best]))
        # 1 only where both halves of the pair belong to one and the same person
        probability = both / (with_one * with_other)
        likeliest = int(probability.argmax())
        one, other = (read_row(int(row[likeliest]), columns) for columns in holders)
        witness = LinkWitness(
            release.groups.name(int(cells.group[row[likeliest]])),
            one=one,
            other=other,
            both=int(both[likeliest]),
            with_one=int(with_one[likeliest]),
            with_other=int(with_other[likeliest]),
            matched=matched,
            certain=int(np.count_nonzero(probability == 1)),
            everybody=everybody,
        )
        return Finding(self, _share_matched(matched, everybody), witness)

    def _choose_columns(self, cells: Members) -> list[tuple[Column, ...]]:
        """Return the columns of both holders."""
        one, rest = as_names(self.one), [column.name for column in cells.columns if column.name not in self.one]
        other = rest if self.other is None else as_names(self.other)
        return [tuple(column_named(cells.columns, name) for name in names) for names in (one, other)]

    def explain(self, finding: Finding) -> str:
        witness = finding.witness
        assert isinstance(witness, LinkWitness)
        one, other = (names_in_words([name for name, _ in cells]) for cells in (witness.one, witness.other))
        matched = short_decimal(Fraction(witness.matched))
        return (
            f"Who holds {one} and who holds {other} can match {matched} of "
            f"{counted(witness.everybody, 'person')}, {witness.certain:,} for sure."
        )

    def replay(self, witness: Witness, release: Release) -> Amount:
        """Recompute the value, with ratios ranked as fractions."""
        cells = known_cells(release)
        one, other = (number_equal_rows(columns, len(cells.people))[0] for columns in self._choose_columns(cells))
        pair, first = number_rows([one, other], [int(one.max()) + 1, int(other.max()) + 1], rows=len(one))
        both = add_up(pair, cells.people, len(first))
        a, below = one[first], add_up(other, cells.people, int(other.max()) + 1)[other[first]]
        kinds, kind = np.unique(np.column_stack((both, below)), axis=0, return_inverse=True)
        ratios = [Fraction(*each) for each in kinds.tolist()]
        rising = np.array(sorted(range(len(ratios)), key=ratios.__getitem__))
        # `argsort` of an order is its inverse: the rank of each ratio
        largest = np.full(int(a.max()) + 1, -1)
        np.maximum.at(largest, a, np.argsort(rising)[kind.ravel()])
        over, under = kinds[rising[largest]].T
        return _share_matched(sum_of_ratios(*_by_denominator(over, under)), int(cells.people.sum()))


def find_best_pairs(a: Integers, both: Integers, below: Integers) -> Integers:
    """Return, for each a, the index of the pair with the largest n_ab / n_b; pairs are sorted by a.

    >>> find_best_pairs(np.array([0, 0, 1]), np.array([1, 2, 1]), np.array([3, 4, 3])).tolist()
    [1, 2]
    """
    ratio = both / below
    # pairs are sorted by a, so that each a is a run
    firsts = np.arange(int(a.max()) + 1)
    highest = np.maximum.reduceat(ratio, np.searchsorted(a, firsts))
    candidates = np.flatnonzero(ratio == highest[a])
    best = candidates[np.searchsorted(a[candidates], firsts)]
    # in lowest terms, so that equal ratios have equal terms
    terms = reduce_fractions(np.column_stack((both, below)))
    # equal floats of different ratios: none below 2^26 people, and few beyond
    unlike = candidates[(terms[candidates] != terms[best[a[candidates]]]).any(axis=1)]
    for pair in unlike.tolist():
        if Fraction(*terms[pair].tolist()) > Fraction(*terms[best[a[pair]]].tolist()):
            best[a[pair]] = pair
    return best


def _by_denominator(over: Integers, under: Integers) -> tuple[list[int], list[int]]:
    denominators, which = np.unique(under, return_inverse=True)
    return add_up(which, over, len(denominators)).tolist(), denominators.tolist()


def _share_matched(matched: Amount, everybody: int) -> Amount:
    return matched / everybody if isinstance(matched, Fraction) else round_up(Fraction(matched) / everybody)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class InferenceWitness(Witness):
    """The group with the most probable guess, its counts, and how many guesses are right in all."""

    count: int  # people of the group who have the value
    people: int
    right: int
    control: Fraction
    everybody: int
    secret: str = field(default="", compare=False)  # its name, where the release is known

    @property
    def residual(self) -> Fraction:
        right = Fraction(self.right, self.everybody)
        return (right - self.control) / (1 - self.control) if self.control < 1 else Fraction(0)


def _columns_in_words(settings: Settings) -> str:
    columns = settings.get("columns")
    return f"{', '.join(columns) if isinstance(columns, list) else columns or 'the columns'} of a person"


@dataclass(frozen=True)
class Inference(Measure):
    """How often is a secret guessed right from what is known about people?

    The attacker knows the `columns` of everybody: some of those that are printed, by default all.  The `secret` is the
    sensitive value, or another printed column.  The value is the share of people whose secret is the most frequent one
    of their group; beside it stands how often it would be guessed from everybody else's rows.

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
        _columns_in_words,
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
            raise BadMeasure(f"'{self.secret}' is known and also the secret; name other columns")

    @property
    def of_groups(self) -> bool:
        return self.columns is None and self.secret is None

    @property
    def mergeable(self) -> bool:  # type: ignore[override]
        """Whether parts of a release merge: not where groups by some columns have people of many parts."""
        return self.of_groups

    @property
    def about_values(self) -> bool:  # type: ignore[override]
        """Whether it is about the sensitive values, and not about a named secret."""
        return self.secret is None

    @property
    def when_groups_merge(self) -> Monotonicity:
        """Never rising where groups merge: a merged group's largest count is at most the sum of theirs."""
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
        """Return the release that an attacker with these columns sees: people by these, and their secrets."""
        if self.secret in release.sensitive_columns:
            release = release.about(self.secret)
        elif self.secret is not None:
            groups, values = release.groups, column_named(release.groups.columns, self.secret)
            # a group's printed label is the value of all its people: one entry per group
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

    def summarize(self, groups: Groups) -> Summary:
        if not self.of_groups:
            raise BadMeasure(f"'{self.name}' by some columns looks at a whole release at once; measure the release")
        groups = groups.sort_by_number()
        guesses = Guesses.of(groups.counts)
        totals = int(guesses.most.sum()), int(groups.sizes.sum()), guesses.count_guesses_from_others(groups)
        best = _most_probable(groups, guesses) if len(groups) else None
        return Summary((totals, best, None), join_tallies, self.read_tally)

    def read_tally(self, tally: Tally) -> Finding:
        """Return the finding: the share of right guesses, and the group with the most probable one."""
        totals, worst, _ = tally
        if worst is None:
            return Finding(self, Fraction(0), None, ("nobody is in the release",))
        (right, everybody, without), (name, value, count, people) = totals, worst[1]
        control = sum((Fraction(times, ties) for ties, times in without.items()), Fraction(0)) / everybody
        witness = InferenceWitness(
            name, value, count=count, people=people, right=right, control=control, everybody=everybody
        )
        return Finding(self, Fraction(right, everybody), witness)

    def screen(self) -> Screen:
        """Return the screen: the right guesses and the people of groups add up, (groups, 2) float64."""
        return SumScreen(_count_guesses) if self.of_groups else super().screen()

    def explain(self, finding: Finding) -> str:
        witness = finding.witness
        if not isinstance(witness, InferenceWitness):
            return "Nobody is in the release, so nothing is guessed."
        right, control = (decimal_text(Fraction(share), up=True) for share in (finding.value, witness.control))
        secret = capitalize(witness.secret or "the sensitive value")
        return f"{secret} is guessed right for {right} of all people, and for {control} from everybody else's rows."

    def replay(self, witness: Witness, release: Release) -> Amount:
        """Recompute the value one sensitive value after the other, with the largest count so far of each group."""
        groups = self.seen(release).groups
        most = np.zeros(len(groups), np.int64)
        for value in range(len(groups.domain)):
            most = np.maximum(most, groups.counts.column(value))
        return Fraction(int(most.sum()), int(groups.sizes.sum()))


@dataclass(frozen=True, slots=True)
class Guesses:
    """Of each group the largest count, how many values have it, the second largest, and how many have that."""

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
        """Count correct guesses from everybody else, by the number of tied values that are guessed."""
        ties = self.ties()
        right: Counter[int] = Counter()
        for shared in np.unique(ties[ties > 0]).tolist():
            right[shared] += int(self.most[ties == shared].sum())
        # without the only person of a group, the guess is that of the whole release
        lone = np.flatnonzero((self.most == 1) & (groups.sizes == 1))
        overall = Guesses.of(Counts.from_cells(groups.whole[np.newaxis]))
        shared = int(overall.ties()[0])
        if shared and len(lone):
            right[shared] += int(np.count_nonzero(self.value[lone] == overall.value[0]))
        return right

    def ties(self) -> Integers:
        """Return how many values tie for the guess without a person of the most frequent one; 0 where none is right."""
        # without one person the most frequent value has one fewer, and may tie with the second
        left = self.most - 1
        ties = np.select([left > self.second, left == self.second], [1, self.second_tied + 1], 0)
        # with two most frequent values, leaving out a person of one makes the other the guess: never right
        return np.where((self.tied == 1) & (left > 0), ties, 0)


def _highest(row: Integers, count: Integers, rows: int) -> Integers:
    highest = np.zeros(rows, np.int64)
    np.maximum.at(highest, row, count)
    return highest


def _most_probable(
    groups: Groups, guesses: Guesses
) -> tuple[tuple[Fraction, int, int], tuple[GroupName, Label, int, int]]:
    """Return the group with the most probable guess, after its rank: of equal ones the largest, then the first."""
    shares = guesses.most / groups.sizes
    # floats as near as this may be of shares in the other order
    rows = np.flatnonzero(shares >= shares.max() * (1 - 2**-50))
    ratios = reduce_fractions(np.column_stack((guesses.most[rows], groups.sizes[rows])))
    if (ratios != ratios[0]).any():  # different ratios of many people, which may be equal floats
        largest = max(np.unique(ratios, axis=0).tolist(), key=lambda ratio: Fraction(*ratio))
        rows = rows[(ratios == largest).all(axis=1)]
    row = int(rows[groups.sizes[rows].argmax()])  # of the largest the first
    name, count, people = groups.name(row), int(guesses.most[row]), int(groups.sizes[row])
    guess = (name, groups.domain[int(guesses.value[row])], count, people)
    return (-Fraction(count, people), -people, name.number), guess


def _count_guesses(groups: Groups) -> Floats:
    return np.column_stack((groups.counts.largest(1)[:, 0], groups.sizes)).astype(float)
