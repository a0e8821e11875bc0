"""The problem to solve: which amounts of largest entropy fit all sums that are known?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse

from sidelight.table.columns import Integers

Floats: TypeAlias = npt.NDArray[np.float64]
Flags: TypeAlias = npt.NDArray[np.bool_]

A_PERSON = -1
"""Who said a constraint, when nobody did: a named person is one person."""


def summed(place: Integers, amounts: npt.ArrayLike, length: int) -> Floats:
    """Add up amounts by place."""
    return np.bincount(place, np.asarray(amounts, float), length).astype(float)


@dataclass(frozen=True, eq=False)
class Problem:
    """Amounts x ≥ 0 of people, whose sums over rows, over columns and over statements are known.

    Variable v is in row `row[v]` and column `column[v]`; variables stand by row.  Σ over a row is `people`, over a
    column `counts`, and `low` ≤ `statements` · x ≤ `high`.  Of all such x, that with the largest entropy relative to
    `weight` is wanted: x_v = weight_v · exp(α_row + β_column + Σ_k μ_k a_kv).  `said[k]` is the number of the
    statement behind row k, or `A_PERSON`.
    """

    row: Integers
    column: Integers
    weight: Floats
    people: Floats
    counts: Floats
    group: Integers  # of each column
    statements: sparse.csr_array  # statements × variables
    low: Floats
    high: Floats
    said: Integers

    def __len__(self) -> int:
        return len(self.row)

    @cached_property
    def first(self) -> Integers:
        """The first variable of each row (each row has one)."""
        starts: Integers = np.searchsorted(self.row, np.arange(len(self.people)))
        return starts

    def only(self, variables: Flags, statements: Flags) -> tuple[Problem, Integers, Integers]:
        """Keep some variables and statements, and the rows and columns that have any; says which those are."""
        if variables.all() and statements.all():
            return self, np.arange(len(self.people)), np.arange(len(self.counts))
        rows = np.flatnonzero(np.bincount(self.row[variables], minlength=len(self.people)))
        columns = np.flatnonzero(np.bincount(self.column[variables], minlength=len(self.counts)))
        new_row, new_column = np.zeros(len(self.people), np.int64), np.zeros(len(self.counts), np.int64)
        new_row[rows], new_column[columns] = np.arange(len(rows)), np.arange(len(columns))
        kept = Problem(
            new_row[self.row[variables]],
            new_column[self.column[variables]],
            self.weight[variables],
            self.people[rows],
            self.counts[columns],
            np.unique(self.group[columns], return_inverse=True)[1],
            sparse.csr_array(self.statements[np.flatnonzero(statements)][:, np.flatnonzero(variables)]),
            self.low[statements],
            self.high[statements],
            self.said[statements],
        )
        return kept, rows, columns

    def residual(self, amounts: Floats) -> float:
        """Say by how much the worst sum is off, in people; statements about shares count as such people too."""
        off = [
            np.abs(summed(self.row, amounts, len(self.people)) - self.people),
            np.abs(summed(self.column, amounts, len(self.counts)) - self.counts),
            self.beyond(amounts),
        ]
        return float(max((each.max(initial=0.0) for each in off), default=0.0))

    def beyond(self, amounts: Floats) -> Floats:
        """Say by how much each statement is missed."""
        sums: Floats = self.statements @ amounts
        return np.maximum(np.maximum(self.low - sums, sums - self.high), 0.0)
