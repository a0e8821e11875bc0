"""Who can be singled out, by which few columns, and which columns do it?

What can be known about the people of a release are the cells that tell them apart, and how many share them.  Where a
release says who its members are (buckets, whose people are printed one by one), those are their cells; else all that is
known about people is what is printed about their group.

*Who is alone on which subset of columns?*  One sort per subset, and a bit per person.

Symbols     U_S = the people who are alone in what the columns S say (f = 1 on S).
Marks       each key carries one number: which person it is, or 0 where it is several.  Equal keys become one with 0, so
            that no counts are needed, and a person's number stands in a subset's keys exactly where they are alone.
Nobody      where nobody is alone on S nobody is on a part of it: the walk stops there.
Minimal     S is a minimal sample unique (MSU) of a person who is in U_S and in no U_{S∖c}, c ∈ S: a smaller part of S
            lies in one of these, and who is alone on it is alone there.
Blocks      bitmaps of all subsets for a block of people at a time; whoever is not of the block counts as several.
Cost        a sort of the distinct rows per subset and block; |S| operations on bitmaps.

Source: Elliot, Manning and Ford, A Computational Algorithm for Handling the Special Uniques Problem, 2002.

*Who is special?*  Minimal sample uniques and their scores.

Symbols        M columns; an MSU (minimal sample unique) S of a person: alone on S, and on no smaller part of it.
Score          Σ over the person's MSUs of (M − |S|)!.  It never rises when labels of a column are joined: an MSU of k
               columns that goes makes room for at most M − k new ones, of (M − k − 1)! each.  (The older weight
               (2^{M−k} − 1)·k!·(M−k)!/M! can rise from 5 columns on, and is not offered.)
Contribution   of a column: Σ of the weights of MSUs that contain it / Σ of all weights; these sum to more than 1.
Fair share     each MSU's weight divided among its columns: these sum to 1.
DIS-SUDA       1 / (1 + (2 c₂ (1 − π) / π) / (score^q · Σ score^−q)), q = 1 + (8 − M)/20, c₂ pairs of people alike in
               all columns, π the share of the population that is in the table: a rule of thumb, never a limit.
Missing        a missing cell is a label like any other.

Source: Elliot, Manning and Ford, 2002; Elliot, Mackey, O'Hara and Tudor, The Anonymisation Decision-Making Framework,
2016; DIS-SUDA: Elliot, Integrating File and Record Level Disclosure Risk Assessment, 2002.

*How many people are alone with few facts about them?*  A fact is a cell that somebody knows: this column says this of
the person.  A person is singled out by at most j facts where they are alone on some subset of j columns or fewer, that
is where they have a minimal sample unique of at most j columns.  Who is alone on S is alone on every larger set, so
that the subsets of exactly min(j, M) columns decide.

Claim       the share never rises when labels of a column are joined wherever they occur (tests/claims).  Where labels
            are joined in some rows only it can: those who keep a label may then be alone with it.  So it has no
            monotonicity in merging groups.
Not asked   facts that are ranges or negations.  And that somebody is alone is no proof of a failure by itself: a
            predicate chosen blindly, of weight 1/n, isolates somebody with chance 1/e (Cohen and Nissim).

Source: Article 29 Working Party, Opinion 05/2014 on Anonymisation Techniques (WP216); Elliot, Manning and Ford, 2002.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from math import factorial
from operator import index
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from sidelight.arrays import Flags, Floats, Integers, add_up, run_starts
from sidelight.errors import BadTable, UnknownColumn, as_given, did_you_mean, expect, parameter
from sidelight.measures.column_subsets.subsets import (
    KnownRows,
    Layout,
    SubsetWalk,
    leaving_order,
    names_in_words,
    subset_count,
    subset_limit,
)
from sidelight.measures.criterion import Finding, Witness
from sidelight.measures.measure import Attacker, Measure, Monotonicity, amount_in, whole
from sidelight.release.release import Members, Release
from sidelight.rounding import exact_number, short_decimal
from sidelight.table.labels import Column, Label, Tabular, arrow_labels, number_equal_rows, show_in_list, unused_name
from sidelight.table.table import Table
from sidelight.text import as_names, counted, html_table

if TYPE_CHECKING:
    import pyarrow as pa

    from sidelight.measures.criterion import Amount


@dataclass(frozen=True, slots=True)
class KnownCells:
    """Rows of people: what each says in every column, how many people it has, and which group they are in."""

    columns: tuple[Column, ...]
    people: Integers
    group: Integers  # its row in the release

    @classmethod
    def of(cls, release: Release) -> KnownCells:
        # a release that does not say who is in a group has its printed labels for all of them
        members = release.members or Members.as_printed(release.groups)
        columns = tuple(column.take(members.key) for column in members.columns)
        return cls(columns, members.people, members.group)

    @property
    def everybody(self) -> int:
        return int(self.people.sum())

    def named(self, names: Sequence[str]) -> tuple[Column, ...]:
        return tuple(column_named(self.columns, name) for name in names)


def column_named(columns: Sequence[Column], name: str) -> Column:
    """Find a column that is printed."""
    for column in columns:
        if column.name == name:
            return column
    message = f"no column '{name}' is printed about people{did_you_mean(name, [each.name for each in columns])}"
    raise UnknownColumn(message)


def cells_in_words(cells: Sequence[tuple[str, str | None]]) -> str:
    """Return what some columns say.

    >>> cells_in_words([("age", "89"), ("sex", None)])
    'age 89 and sex (missing)'
    """
    return names_in_words([f"{column} {show_in_list(text)}" for column, text in cells])


Bitmap = npt.NDArray[np.uint8]
"""A bit per person of a block."""

BITMAPS = 1 << 28
"""How many bytes the bitmaps of a block may take."""


@dataclass(frozen=True, slots=True)
class MarkedKeys(KnownRows):
    """Distinct rows as sorted keys, each with the number of the one person it is, from 1, or 0."""

    layout: Layout
    words: list[Integers]
    person: Integers

    @classmethod
    def of(cls, columns: Sequence[Column], person: Integers) -> MarkedKeys:
        """Pack rows, given column by column; equal ones are several people."""
        order = leaving_order(columns)
        layout = Layout.of({place: len(columns[place].labels) for place in order})
        words = layout.pack([columns[place].codes for place in order])
        return cls(layout, *_mark_equal(words, person, layout.bits))

    def without(self, columns: Sequence[int]) -> MarkedKeys:
        """Cut the bits of the columns out, sort, and let equal keys be several people."""
        layout, words = self.layout, self.words
        for place in reversed(columns):
            layout, words = layout.cut(place, words)
        return MarkedKeys(layout, *_mark_equal(words, self.person, layout.bits))

    def alone(self) -> Integers:
        return self.person[self.person > 0] - 1


def _mark_equal(words: list[Integers], person: Integers, bits: int) -> tuple[list[Integers], Integers]:
    """Sort keys; of equal ones keep one, and forget who it was."""
    # the number of a person stands in the bits below the key, and is sorted along with it
    low = int(person.max(initial=0)).bit_length()
    if len(words) == 1 and bits + low < 63:  # one plain sort beats an argsort
        both = (words[0] << low) | person
        both.sort()
        ordered, person = [both >> low], both & ((1 << low) - 1)
    else:
        order = np.lexsort(words[::-1])
        ordered, person = [word[order] for word in words], person[order]
    new = run_starts(ordered)
    starts = np.flatnonzero(new)
    if len(starts) == len(person):
        return ordered, person
    # unique: the key before differs, and so does the one after
    alone = new & np.append(new[1:], True)
    return [word[starts] for word in ordered], np.where(alone, person, 0)[starts]


def find_unique_on_each(
    columns: Sequence[Column], people: Integers, *, up_to: int
) -> Iterator[tuple[Integers, dict[tuple[int, ...], Bitmap]]]:
    """Yield, for blocks of people who may be unique, the bitmap of each subset on which some are.

    `people` are those of each row.  With a block come the rows that its bits stand for; a subset is the places of its
    columns, rising.
    """
    once = np.flatnonzero(people == 1)
    # a bit per person and subset: as many people at a time as fit into so many bytes
    size = max(8 * BITMAPS // max(subset_count(len(columns), up_to), 1), 64)
    for start in range(0, len(once), size):
        block = once[start : start + size]
        person = np.zeros(len(people), np.int64)
        # numbers from 1 on, as 0 marks a key of several people
        person[block] = np.arange(1, len(block) + 1)
        yield block, _find_unique_on_subsets(columns, person, len(block), up_to)


def _find_unique_on_subsets(
    columns: Sequence[Column], person: Integers, block: int, up_to: int
) -> dict[tuple[int, ...], Bitmap]:
    bitmaps: dict[tuple[int, ...], Bitmap] = {}

    def visit(subset: tuple[int, ...], keys: MarkedKeys) -> bool:
        alone = keys.alone()
        if not len(alone):
            # pruned: people who are not unique on these columns are not on fewer
            return False
        flags = np.zeros(block, bool)
        flags[alone] = True
        bitmaps[tuple(sorted(subset))] = np.packbits(flags)
        return True

    SubsetWalk(visit, up_to).run(MarkedKeys.of(columns, person), leaving_order(columns))
    return bitmaps


def minimal(bitmaps: dict[tuple[int, ...], Bitmap]) -> Iterator[tuple[tuple[int, ...], Bitmap]]:
    """Yield the subsets that are minimal sample uniques of some people, with their bitmap, smallest subsets first."""
    for subset in sorted(bitmaps, key=lambda places: (len(places), places)):
        alone = bitmaps[subset].copy()
        # sets with one column fewer settle it: a person who is unique on fewer columns is unique on more
        for left_out in range(len(subset)):
            smaller = bitmaps.get(subset[:left_out] + subset[left_out + 1 :])
            if smaller is not None:
                alone &= ~smaller
        if alone.any():
            yield subset, alone


def places_of(bitmap: Bitmap) -> Integers:
    """Return the indices of the bits that are set."""
    return np.flatnonzero(np.unpackbits(bitmap))


@dataclass(frozen=True, eq=False, slots=True)
class MinimalUniques(Tabular):
    """The minimal sample uniques of a table's people, their scores, and what each column contributes.

    `key[i]` is the table's key (which has one person) of MSU i, and `subset[i]` which of `subsets` it is.
    """

    cells: Table  # the columns that were looked at
    largest: int  # no MSU has more columns
    subsets: tuple[tuple[str, ...], ...]  # those that are an MSU of somebody, smallest first
    key: Integers
    subset: Integers
    fraction: Fraction | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that were looked at."""
        return tuple(column.name for column in self.cells.quasi)

    @property
    def scores(self) -> npt.NDArray[np.int64] | npt.NDArray[np.object_]:
        """The score of each key of the table: 0 where its people are not alone, or have no MSU so small.

        Whole numbers of 64 bits where they suffice, else of any length: 21 columns have weights of 20! and more.
        """
        weights = self._weights
        # the largest sum that a key may have: its most MSUs, all of the largest weight
        most = max(weights, default=0) * int(np.bincount(self.key).max(initial=0))
        if most < 1 << 63:
            return add_up(self.key, np.array(weights, np.int64)[self.subset], len(self.cells.sizes))
        scores = np.zeros(len(self.cells.sizes), object)
        np.add.at(scores, self.key, np.array(weights, object)[self.subset])
        return scores

    @property
    def singled_out(self) -> int:
        """How many people have an MSU at all."""
        return len(np.unique(self.key))

    @property
    def contributions(self) -> dict[str, Fraction]:
        """The share of all weights that belongs to MSUs with the column."""
        return self._shares(fair=False)

    @property
    def fair_shares(self) -> dict[str, Fraction]:
        """The share of all weights when each MSU's is divided among its columns: they sum to 1."""
        return self._shares(fair=True)

    def by_size(self) -> dict[int, int]:
        """Count the MSUs by how many columns they have."""
        often = self._often
        sizes = [len(each) for each in self.subsets]
        return {
            size: sum(count for count, other in zip(often, sizes, strict=True) if other == size)
            for size in sorted(set(sizes))
        }

    def of(self, key: int) -> tuple[tuple[str, ...], ...]:
        """List the MSUs of the person with one key of the table."""
        return tuple(self.subsets[place] for place in self.subset[self.key == index(key)].tolist())

    def dis_suda(self) -> Floats:
        """Return DIS-SUDA of each key: an estimate of how surely a match with it is right; 0 where the score is 0."""
        if self.fraction is None:
            message = f"DIS-SUDA needs {parameter('fraction')}, the share of the population that is in the table"
            raise BadTable(message)
        # only ratios of scores matter: with weights relative to the largest one, none is too long for a float
        sizes = np.array([len(each) for each in self.subsets], np.int64)
        # relative[k] = (M − k)!/(M − 1)!, for sizes k from 1
        relative = np.cumprod([1.0, 1.0, *(1 / (len(self.columns) - k) for k in range(1, len(self.columns)))])
        scores = np.bincount(self.key, relative[sizes][self.subset], minlength=len(self.cells.sizes))
        alone = scores > 0
        exponent = 1 + (8 - len(self.columns)) / 20
        pairs = int(np.count_nonzero(self.cells.sizes == 2))
        odds = 2 * pairs * float((1 - self.fraction) / self.fraction)
        powers = scores[alone] ** exponent
        estimates = np.zeros(len(scores))
        estimates[alone] = 1 / (1 + odds / (powers * (1 / powers).sum()))
        return estimates

    def table(self) -> pa.Table:
        """Return a row per person who has an MSU (see `to_arrow`)."""
        return self.to_arrow()

    def to_arrow(self) -> pa.Table:
        """Return a row per person who has an MSU: their cells, MSUs, score and, with a fraction, DIS-SUDA.

        It is about single people, and meant for who holds the table.
        """
        import pyarrow as pa  # noqa: PLC0415 - only where tables are handed out

        order = np.argsort(self.key, kind="stable")
        keys, starts = np.unique(self.key[order], return_index=True)
        sets = np.split(self.subset[order], starts[1:]) if len(keys) else []
        cells = {column.name: arrow_labels(column, keys) for column in self.cells.quasi}
        listed = [[list(self.subsets[place]) for place in each.tolist()] for each in sets]
        estimate = {} if self.fraction is None else {"DIS-SUDA": pa.array(self.dis_suda()[keys])}
        further = {
            "minimal uniques": pa.array(listed, pa.list_(pa.list_(pa.string()))),
            "score": _arrow_scores(self.scores[keys]),
            **estimate,
        }
        return pa.table(cells | {unused_name(name, cells): each for name, each in further.items()})

    def explain(self) -> str:
        """Return in words how many people are special, and which column contributes most."""
        limit = "" if self.largest == len(self.columns) else f" by at most {counted(self.largest, 'column')}"
        people = f"{self.singled_out:,} of {counted(self.cells.people, 'person')} can be singled out{limit}"
        if not self.subsets:
            return f"{people}."
        shares = self.fair_shares
        worst = max(shares, key=lambda name: shares[name])
        return f"{people}; {short_decimal(shares[worst])} of what does it is due to {worst}."

    def __repr__(self) -> str:
        return f"<MinimalUniques: {self.explain()}>"

    def _repr_html_(self) -> str:
        contributions, shares = self.contributions, self.fair_shares
        rows = [
            (name, short_decimal(contributions[name]), short_decimal(shares[name]))
            for name in sorted(self.columns, key=lambda name: -shares[name])
        ]
        return html_table("Minimal uniques", ["column", "contribution", "fair share"], rows, note=self.explain())

    @property
    def _often(self) -> list[int]:
        often: list[int] = np.bincount(self.subset).tolist()
        return often

    @property
    def _weights(self) -> list[int]:
        return [factorial(len(self.columns) - len(each)) for each in self.subsets]

    def _shares(self, *, fair: bool) -> dict[str, Fraction]:
        weights = [count * weight for count, weight in zip(self._often, self._weights, strict=True)]
        total = max(sum(weights), 1)
        return {
            name: sum(
                (
                    Fraction(weight, len(each) if fair else 1)
                    for weight, each in zip(weights, self.subsets, strict=True)
                    if name in each
                ),
                Fraction(0),
            )
            / total
            for name in self.columns
        }


def minimal_uniques(
    table: Table,
    *,
    largest: int | None = None,
    columns: str | Sequence[str] | None = None,
    fraction: float | Fraction | None = None,
) -> MinimalUniques:
    """Who can be told from everybody else by few columns, and which columns do it?

    A set of columns is a *minimal sample unique* (MSU) of a person who is alone with what they say in it, and in no
    smaller part of it.  The SUDA score of a person is the sum of (M − size)! over their MSUs, of M columns; with
    `largest` only MSUs of so many columns count.  With the `fraction` of the population that is in the table there is
    also DIS-SUDA, an estimate.

    >>> import sidelight as sl
    >>> uniques = sl.minimal_uniques(sl.datasets.adult().table)
    >>> int(uniques.scores.sum()), uniques.by_size(), str(uniques.contributions["age"])
    (665, {1: 3, 2: 58, 3: 324, 4: 207}, '132/133')
    >>> print(uniques.explain())
    555 of 45,222 people can be singled out; 0.3516 of what does it is due to age.

    Source: Elliot, Manning and Ford, A Computational Algorithm for Handling the Special Uniques Problem, 2002.
    """
    expect(Table, table, "where people are special")
    cells = table if columns is None else table.only(as_names(columns))
    most = subset_limit(len(cells.quasi), largest, "largest")
    subsets: dict[tuple[int, ...], int] = {}
    key, subset = [], []
    for rows, bitmaps in find_unique_on_each(cells.quasi, cells.sizes, up_to=most):
        for places, bitmap in minimal(bitmaps):
            keys = rows[places_of(bitmap)]
            # a subset comes with several blocks of people, and keeps its number
            number = subsets.setdefault(places, len(subsets))
            key.append(keys)
            subset.append(np.full(len(keys), number))
    names = [column.name for column in cells.quasi]
    nobody = np.zeros(0, np.int64)
    return MinimalUniques(
        cells,
        most,
        tuple(tuple(names[place] for place in places) for places in subsets),
        np.concatenate([nobody, *key]),
        np.concatenate([nobody, *subset]),
        _share(fraction),
    )


def _arrow_scores(scores: npt.NDArray[np.int64] | npt.NDArray[np.object_]) -> pa.Array:
    """Convert scores to an Arrow array of whole numbers, long ones as decimals."""
    import pyarrow as pa  # noqa: PLC0415 - only where tables are handed out

    if scores.dtype != object:
        return pa.array(scores)
    longest = 76  # digits of the longest numbers that Arrow's decimals hold
    if max(scores) >= 10**longest:
        message = f"scores of so many columns are longer than {longest} digits; ask about fewer columns"
        raise BadTable(message)
    return pa.array(map(Decimal, scores), pa.decimal256(longest))


def _share(fraction: float | Fraction | None) -> Fraction | None:
    if fraction is None:
        return None
    share = exact_number(fraction, BadTable, parameter("fraction"))
    if not 0 < share <= 1:
        message = (
            f"{parameter('fraction')} is {as_given(fraction)}; give the share of the population, above 0 and at most 1"
        )
        raise BadTable(message)
    return Fraction(share)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SinglingOutWitness(Witness):
    """A person's group, cells with which they are alone, and how many people can be singled out."""

    cells: tuple[tuple[str, Label], ...]
    people: int
    everybody: int

    def describe(self) -> str:
        return f"{self.group}: {cells_in_words(self.cells)}"


@dataclass(frozen=True)
class SinglingOut(Measure):
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
        cells = KnownCells.of(release)
        if not self.facts or not cells.columns:
            return Finding(self, Fraction(0), None, ("no facts can be known about anybody",))
        most = subset_limit(len(cells.columns), self.facts, "facts")
        alone, first = 0, None
        for rows, bitmaps in find_unique_on_each(cells.columns, cells.people, up_to=most):
            for subset, bitmap in minimal(bitmaps):
                if first is None or len(subset) < len(first[0]):
                    first = subset, int(rows[places_of(bitmap)[0]])
            # a bit per person: unique on any subset counts once, however many there are
            anywhere = np.bitwise_or.reduce(list(bitmaps.values())) if bitmaps else np.zeros(0, np.uint8)
            alone += int(np.unpackbits(anywhere).sum())
        notes = ("a fact is a cell that somebody knows exactly; ranges and negations are not tried",)
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
