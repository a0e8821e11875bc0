"""How many people can two holders of different columns match with each other, by the release?

Two holders have the same people, one with columns A, the other with columns B; each has n records without names.  The
release says how many people have which cells in both.

Symbols     n_a, n_b, n_ab people with cells a in A, b in B, both.
Guess       for one of the n_a records with a: the record of the n_b with b, right with n_ab / (n_a · n_b).  The best b
            makes that largest, whatever a's other records are matched with.
Value       Σ_a n_a · max_b n_ab / (n_a n_b) / n  =  Σ_a max_b (n_ab / n_b) / n; without the release 1/n.
Certain     n_ab = n_a = n_b = 1: the only record with a is the only one with b.
Exactly     distinct ratios of numbers below 2^26 are distinct floats; with more people, ties are decided in fractions.
Claim       never rises when labels of a column are joined wherever they occur (tests/claims).  That two groups meet in
            one record is not linkability: it is uniqueness on A ∪ B.

Source: Article 29 Working Party, Opinion 05/2014 on Anonymisation Techniques (WP216); the exact reader is ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from sidelight.arrays import Integers, add_up, number_rows
from sidelight.errors import BadMeasure, listed, parameter
from sidelight.measures.column_subsets.singling_out import (
    KnownCells,
    cells_in_words,
)
from sidelight.measures.column_subsets.subsets import names_in_words
from sidelight.measures.criterion import Finding, Witness
from sidelight.measures.exact import sum_of_ratios
from sidelight.measures.measure import Attacker, Measure, Monotonicity, Settings, read
from sidelight.rounding import round_up, short_decimal
from sidelight.table.labels import Label, number_equal_rows
from sidelight.text import as_names, counted

if TYPE_CHECKING:
    from sidelight.measures.criterion import Amount
    from sidelight.release.release import Release


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class LinkWitness(Witness):
    """The surest link: the cells of both holders, the three counts, and what all links come to."""

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
    says who could be whom.  The value is the share of people whom the best guesses match, on average.

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
            message = f"both hold {listed(shared)}; give {parameter('one')} and {parameter('other')} different columns"
            raise BadMeasure(message)

    def measure(self, release: Release) -> Finding:
        self.check(release)
        cells = KnownCells.of(release)
        links = Links.of(cells, *self._choose_columns(cells))
        best = links.best()
        matched = sum_of_ratios(*_by_denominator(links.both[best], links.with_other[links.b[best]]))
        # 1 only where both halves of the pair belong to one and the same person
        sure = links.both / (links.with_one[links.a] * links.with_other[links.b])
        row = int(links.row[int(sure.argmax())])
        pair = int(sure.argmax())
        one, other = (
            tuple((column.name, column.cell(row)) for column in cells.named(names))
            for names in self._choose_columns(cells)
        )
        witness = LinkWitness(
            release.groups.name(int(cells.group[row])),
            one=one,
            other=other,
            both=int(links.both[pair]),
            with_one=int(links.with_one[links.a[pair]]),
            with_other=int(links.with_other[links.b[pair]]),
            matched=matched,
            certain=int(np.count_nonzero(sure == 1)),
            everybody=cells.everybody,
        )
        return Finding(self, _share(matched, cells.everybody), witness)

    def _choose_columns(self, cells: KnownCells) -> tuple[tuple[str, ...], tuple[str, ...]]:
        one = as_names(self.one)
        if self.other is not None:
            return one, as_names(self.other)
        return one, tuple(column.name for column in cells.columns if column.name not in one)

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
        """Number the cells of each holder by themselves, and rank the ratios as fractions."""
        del witness
        cells = KnownCells.of(release)
        one, other = (
            number_equal_rows(cells.named(names), len(cells.people))[0] for names in self._choose_columns(cells)
        )
        pair, first = number_rows([one, other], [int(one.max()) + 1, int(other.max()) + 1], rows=len(one))
        both = add_up(pair, cells.people, len(first))
        a, below = one[first], add_up(other, cells.people, int(other.max()) + 1)[other[first]]
        kinds, kind = np.unique(np.column_stack((both, below)), axis=0, return_inverse=True)
        ratios = [Fraction(*each) for each in kinds.tolist()]
        # `argsort` of an order is its inverse: the rank of each ratio
        rank = np.argsort(sorted(range(len(ratios)), key=ratios.__getitem__))
        largest = np.full(int(a.max()) + 1, -1)
        np.maximum.at(largest, a, rank[kind.ravel()])
        times = np.bincount(largest, minlength=len(ratios))
        in_order = [kinds[place].tolist() for place in np.argsort(rank)]
        over = [count * over for count, (over, _) in zip(times.tolist(), in_order, strict=True) if count]
        under = [under for count, (_, under) in zip(times.tolist(), in_order, strict=True) if count]
        return _share(sum_of_ratios(*_by_denominator(np.array(over), np.array(under))), cells.everybody)


@dataclass(frozen=True, slots=True)
class Links:
    """Pairs of cells (a, b) that people have: `both` people, the first `row` of them; people by a and by b."""

    a: Integers
    b: Integers
    both: Integers
    row: Integers
    with_one: Integers
    with_other: Integers

    @classmethod
    def of(cls, cells: KnownCells, one: Sequence[str], other: Sequence[str]) -> Links:
        rows = len(cells.people)
        a, first_a = number_equal_rows(cells.named(one), rows)
        b, first_b = number_equal_rows(cells.named(other), rows)
        pair, row = number_rows([a, b], [len(first_a), len(first_b)], rows=rows)
        return cls(
            a[row],
            b[row],
            add_up(pair, cells.people, len(row)),
            row,
            add_up(a, cells.people, len(first_a)),
            add_up(b, cells.people, len(first_b)),
        )

    def best(self) -> Integers:
        """Return, for each a, the index of the pair with the largest n_ab / n_b; pairs are sorted by a."""
        below = self.with_other[self.b]
        ratio = self.both / below
        # pairs are sorted by a, so that each a is a run
        starts = np.searchsorted(self.a, np.arange(len(self.with_one)))
        highest = np.maximum.reduceat(ratio, starts)
        candidates = np.flatnonzero(ratio == highest[self.a])
        place = np.searchsorted(self.a[candidates], np.arange(len(self.with_one)))
        best = candidates[place]
        # in lowest terms, so that equal ratios have equal terms
        shared = np.gcd(self.both, below)
        terms = np.column_stack((self.both // shared, below // shared))
        # equal floats of different ratios: none below 2^26 people, and hardly any beyond
        unlike = candidates[(terms[candidates] != terms[best[self.a[candidates]]]).any(axis=1)]
        for pair in unlike.tolist():
            now = best[self.a[pair]]
            if Fraction(*terms[pair].tolist()) > Fraction(*terms[now].tolist()):
                best[self.a[pair]] = pair
        return best


def _by_denominator(over: Integers, under: Integers) -> tuple[list[int], list[int]]:
    denominators, which = np.unique(under, return_inverse=True)
    return add_up(which, over, len(denominators)).tolist(), denominators.tolist()


def _share(matched: Amount, everybody: int) -> Amount:
    return matched / everybody if isinstance(matched, Fraction) else round_up(Fraction(matched) / everybody)
