"""How many people are alone with few facts about them?

A fact is a cell that somebody knows: this column says this of the person.  A person is singled out by at most j facts
where they are alone on some subset of j columns or fewer, that is where they have a minimal sample unique of at most j
columns.  Who is alone on S is alone on every larger set, so that the subsets of exactly min(j, M) columns decide.

Claim       the share never rises when labels of a column are joined wherever they occur (tests/claims).  Where labels
            are joined in some rows only it can: those who keep a label may then be alone with it.  So it has no
            monotonicity in merging groups.
Not asked   facts that are ranges or negations.  And that somebody is alone is no proof of a failure by itself: a
            predicate chosen blindly, of weight 1/n, isolates somebody with chance 1/e (Cohen and Nissim).

Source: Article 29 Working Party, Opinion 05/2014 on Anonymisation Techniques (WP216); Elliot, Manning and Ford, 2002.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from typing import ClassVar

import numpy as np

from sidelight.arrays import Flags
from sidelight.measures.attacker import Attacker, amount_in
from sidelight.measures.column_subsets.known_cells import KnownCells, OfWholeReleases, cells_in_words
from sidelight.measures.column_subsets.subsets import subset_limit
from sidelight.measures.column_subsets.unique_rows import alone_on_each, minimal, places_of
from sidelight.measures.exact import Amount
from sidelight.measures.fields import whole
from sidelight.measures.finding import Finding, Witness
from sidelight.measures.measure import Measure, Monotonicity
from sidelight.release.release import Release
from sidelight.table.labels import Label, number_equal_rows
from sidelight.text import counted

ONLY_EQUALITIES = "a fact is a cell that somebody knows exactly; ranges and negations are not tried"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SinglingOutWitness(Witness):
    """A person's group, cells with which they are alone, and how many people can be singled out."""

    cells: tuple[tuple[str, Label], ...]
    people: int
    everybody: int

    def describe(self) -> str:
        """Return the group and the cells in words."""
        return f"{self.group}: {cells_in_words(self.cells)}"


@dataclass(frozen=True)
class SinglingOut(OfWholeReleases):
    """How many people can be singled out by whoever knows a few facts about them?

    The share of people who are alone with what they say in some `facts` columns or fewer.

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
    attacker = Attacker(
        "somebody who knows a few columns",
        lambda settings: f"any {counted(amount_in(settings, 'facts'), 'column')} of a person",
        "the share of people who are alone on such columns",
        "columns",
    )
    also_called = ("special uniques", "SUDA", "suda2", "MSU", "minimal sample uniques", "sample uniques")
    about_values: ClassVar[bool] = False
    limits = (0, 1)
    when_groups_merge = Monotonicity.UNKNOWN  # it can rise where labels are joined in some rows only
    more_is_worse = ("facts",)

    @classmethod
    def examples(cls, domain: tuple[Label, ...]) -> tuple[Measure, ...]:
        """With one fact, and with more than most releases print."""
        del domain
        return cls(facts=1), cls(facts=2), cls(facts=5)

    def measure(self, release: Release) -> Finding:
        """Go through all subsets of so many columns."""
        self.check(release)
        cells = KnownCells.of(release)
        if not self.facts or not cells.columns:
            return Finding(self, Fraction(0), None, ("no facts can be known about anybody",))
        most = subset_limit(len(cells.columns), self.facts, "facts")
        alone, first = 0, None
        for rows, bitmaps in alone_on_each(cells.columns, cells.people, up_to=most):
            for subset, bitmap in minimal(bitmaps):
                if first is None or len(subset) < len(first[0]):
                    first = subset, int(rows[places_of(bitmap)[0]])
            # a bit per person: unique on any subset counts once, however many there are
            anywhere = np.bitwise_or.reduce(list(bitmaps.values())) if bitmaps else np.zeros(0, np.uint8)
            alone += int(np.unpackbits(anywhere).sum())
        notes = (ONLY_EQUALITIES,)
        if first is None:
            return Finding(self, Fraction(0), None, notes)
        subset, row = first
        witness = SinglingOutWitness(
            release.groups.name(int(cells.group[row])),
            cells=tuple((cells.columns[place].name, cells.columns[place].cell(row)) for place in subset),
            people=alone,
            everybody=cells.everybody,
        )
        return Finding(self, Fraction(alone, cells.everybody), witness, notes)

    def explain(self, finding: Finding) -> str:
        """Return in words the fewest cells, and how many people can be singled out."""
        at_most = f"with at most {counted(self.facts, 'fact')}"
        witness = finding.witness
        if not isinstance(witness, SinglingOutWitness):
            return f"Nobody can be singled out {at_most}."
        cells = cells_in_words(witness.cells)
        few = "alone singles" if len(witness.cells) == 1 else "together single"
        share = f"{witness.people:,} of {counted(witness.everybody, 'person')}"
        return f"{cells[:1].upper()}{cells[1:]} {few} out 1 person; {at_most} {share} can be singled out."

    def replay(self, witness: Witness, release: Release) -> Amount:
        """Count the people with the witness's cells, then number the rows of every so many columns by themselves."""
        assert isinstance(witness, SinglingOutWitness)
        cells = KnownCells.of(release)
        says = np.logical_and.reduce([_says(cells, name, text) for name, text in witness.cells])
        if int(cells.people[says].sum()) != 1:
            return Fraction(0)
        alone = np.zeros(len(cells.people), bool)
        # subsets of the largest size are enough: people who are unique on fewer columns are unique there
        for some in combinations(cells.columns, min(self.facts, len(cells.columns))):
            number, _ = number_equal_rows(some, len(cells.people))
            alone |= np.bincount(number, weights=cells.people)[number] == 1
        return Fraction(int(np.count_nonzero(alone)), cells.everybody)


def _says(cells: KnownCells, name: str, text: Label) -> Flags:
    (column,) = cells.named([name])
    flags: Flags = np.array([each == text for each in column.labels], bool)[column.codes]
    return flags
