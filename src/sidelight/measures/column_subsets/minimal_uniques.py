"""Who is special: by which few columns can a person be told from everybody else, and which columns do it?

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
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import factorial
from operator import index
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sidelight.arrays import Floats, Integers, add_up
from sidelight.errors import BadTable, as_given, expect, parameter
from sidelight.measures.column_subsets.subsets import subset_limit
from sidelight.measures.column_subsets.unique_rows import alone_on_each, minimal, places_of
from sidelight.rounding import exact_number, short_decimal
from sidelight.table.labels import Tabular, arrow_labels, unused_name
from sidelight.table.table import Table
from sidelight.text import as_names, counted, html_table

if TYPE_CHECKING:
    import pyarrow as pa

LONGEST = 76
"""How many digits the longest numbers have that Arrow's decimals hold."""


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
    for rows, bitmaps in alone_on_each(cells.quasi, cells.sizes, up_to=most):
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
    if max(scores) >= 10**LONGEST:
        message = f"scores of so many columns are longer than {LONGEST} digits; ask about fewer columns"
        raise BadTable(message)
    return pa.array(map(Decimal, scores), pa.decimal256(LONGEST))


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
