"""Differentially private counts of the sensitive values, over a grouping that was fixed in advance."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa

from sidelight._arrays import Integers
from sidelight.dp.accountant import Spending
from sidelight.dp.domain import CELLS, Grid, Outside, counted_on, declared_grid
from sidelight.dp.ledger import Ledger
from sidelight.dp.levels import ChosenLevels, fixed_in_advance
from sidelight.dp.mechanism import Amount, Mechanism, Neighbours, calibrated, exact_delta, exact_epsilon
from sidelight.errors import BadNoise
from sidelight.release.release import Release, whole_groups
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.labels import Label, shown
from sidelight.table.table import Column, Counts, Table

COUNT, MEASURED = "count", "measured"
"""What the columns of tidied counts, and of counts as they were drawn, are called."""


@dataclass(frozen=True, eq=False, slots=True)
class NoisyCounts:
    """How many people of each group have each value, with noise: a row per group, a column per value.

    `measured` is what OpenDP drew: right on average, and it may be negative.  `counts` are tidied: whole, at least 0,
    and adding up to the same total.  Both may be published; that is all the budget pays for.
    """

    grid: Grid = field(repr=False)
    sensitive: str
    levels: Mapping[str, int]
    measured: Integers = field(repr=False)
    counts: Integers = field(repr=False)
    spending: Spending
    paid_choice: Spending | None = None  # what choosing the levels cost, where that was chosen from the data

    @property
    def mechanism(self) -> Mechanism:
        """Which noise, and its exact scale."""
        assert self.spending.mechanism is not None
        return self.spending.mechanism

    @property
    def domain(self) -> tuple[Label, ...]:
        """The sensitive values that were declared, in order."""
        return self.grid.domain

    @property
    def columns(self) -> tuple[Column, ...]:
        """What is printed about each group."""
        return self.grid.columns

    def __len__(self) -> int:
        return len(self.grid)

    def margin(self, confidence: float = 0.95) -> int:
        """How far is a measured count from the truth, at most, with this confidence?"""
        return self.mechanism.margin(confidence)

    def count(self, value: object, **says: str) -> int:
        """How many people have a value, among those of whom the columns say this?  The tidied counts, added up.

        `noisy.count("Sales", sex="Female")`; without columns: everybody.
        """
        chosen = np.ones(len(self), bool)
        for name, text in says.items():
            column = self._column(name)
            if text not in column.labels:
                message = f"'{name}' has no label '{text}'; it has: {', '.join(map(shown, column.labels[:10]))}"
                raise BadNoise(message)
            chosen &= column.codes == column.labels.index(text)
        if value not in self.domain:
            message = f"'{value}' is not in the declared domain of {self.sensitive}"
            raise BadNoise(message)
        return int(self.counts[chosen, self.domain.index(value)].sum())

    def as_release(self) -> Release:
        """Take the tidied counts for a release, as a reader would who forgets the noise; empty groups are left out.

        Measures then say what such a reader would conclude.  What the noise promises is another thing, and holds
        whatever they say: see `semantic_privacy`.
        """
        sizes = self.counts.sum(axis=1)
        kept = np.flatnonzero(sizes > 0)
        if not len(kept):
            message = "every tidied count is 0, and there is no release without people; spend more, or take fewer cells"
            raise BadNoise(message)
        groups = whole_groups(
            domain=self.domain,
            sizes=sizes[kept],
            counts=Counts.from_cells(self.counts[kept]),
            columns=tuple(column.take(kept) for column in self.columns),
        )
        return Release(groups, sensitive=self.sensitive)

    def table(self) -> pa.Table:
        """Give a row per group and value: its columns, the value, `count` (tidied) and `measured` (as drawn)."""
        groups, values = self.grid.shape
        row = np.repeat(np.arange(groups), values)
        texts = [*(column.take(row) for column in self.columns), self.values_column()]
        arrays = [pa.array(each.labels, pa.string()).take(pa.array(each.codes)) for each in texts]
        names = [each.name for each in texts]
        numbers = [pa.array(self.counts.ravel()), pa.array(self.measured.ravel())]
        return pa.Table.from_arrays([*arrays, *numbers], names=[*names, COUNT, MEASURED])

    def values_column(self) -> Column:
        """Say the value of each row of `table()`."""
        groups, values = self.grid.shape
        return Column(self.sensitive, self.domain, np.tile(np.arange(values, dtype=np.int32), groups))

    def _column(self, name: str) -> Column:
        for column in self.columns:
            if column.name == name:
                return column
        message = f"no column '{name}' in the noisy counts; there are: {', '.join(self.levels) or 'none'}"
        raise BadNoise(message)


def noisy_counts(
    table: Table,
    *,
    by: Mapping[str, Hierarchy],
    levels: Mapping[str, int] | ChosenLevels,
    domain: Sequence[object],
    epsilon: Amount,
    delta: Amount = 0,
    neighbours: Neighbours = "add or remove",
    outside: Outside = "an error",
    ledger: Ledger | str | os.PathLike[str] | None = None,
    cells: int = CELLS,
) -> NoisyCounts:
    """Which counts can be published so that nobody can tell whether any one person was counted?

    ε-differentially private (δ = 0, discrete Laplace noise) or (ε, δ)-differentially private (discrete Gaussian).
    Pr(counts | with you) ≤ e^ε · Pr(counts | without you) + δ, and the other way round.  One person is in one group
    and has one value, so one count changes by one: that is the sensitivity.

    Args:
        table: one value per person (`values="single"`); name `person=` when reading it, and that is checked.
        by: hierarchies that list every label there could be, whether it occurs or not.
        levels: the level of each column that is published, fixed before looking at the data; other columns are not
            published.  Levels that a search picked are refused; `choose_levels` picks some and pays for it.
        domain: every sensitive value that there could be, whether it occurs or not.
        epsilon: how much the counts may depend on one person; smaller means more noise.
        delta: the chance that it is more than that, far below 1 / people; 0 for never.
        neighbours: "add or remove" one person, or "replace" one by another, which needs twice the noise.
        outside: "an error" when somebody has a label or value that was not declared, or "leave out".
        ledger: where the budget is kept; it is spent before noise is drawn.
        cells: how many counts there may be at most.

    >>> import sidelight as sl
    >>> adult = sl.datasets.adult(quasi=["age", "sex"])
    >>> noisy = noisy_counts(
    ...     adult.table, by=adult.hierarchies, levels={"age": 4, "sex": 0}, domain=adult.table.domain, epsilon=1
    ... )
    >>> noisy.measured.shape, noisy.mechanism.kind, noisy.mechanism.scale
    ((6, 14), 'discrete Laplace', 1.0)
    >>> int(noisy.counts.min()) >= 0, abs(int(noisy.counts.sum()) - 45_222) < 1_000
    (True, True)

    Source: Dwork, McSherry, Nissim and Smith, TCC 2006; Canonne, Kamath and Steinke, NeurIPS 2020.
    """
    fixed, paid = fixed_in_advance(levels)
    wanted = exact_epsilon(epsilon), exact_delta(delta)
    _check_columns(table, fixed)
    grid = declared_grid(by, fixed, domain, cells=cells)
    mechanism = calibrated(*wanted, neighbours)
    exactly = counted_on(grid, table, by, fixed, outside)
    spending = Spending(_what(table.sensitive, fixed, grid), *wanted, neighbours, mechanism)
    if ledger is not None:
        _account(ledger, paid).spend(spending)
    measured = mechanism.drawn(exactly)
    return NoisyCounts(grid, table.sensitive, fixed, measured, tidied(measured), spending, paid)


def _check_columns(table: Table, levels: Mapping[str, int]) -> None:
    for name in levels:
        table.column(name)  # names the nearest column if there is none
    taken = {COUNT, MEASURED}.intersection([*levels, table.sensitive])
    if taken:
        message = f"a column is called '{min(taken)}', which is what the published counts are called; rename it"
        raise BadNoise(message)


def _account(ledger: Ledger | str | os.PathLike[str], paid: Spending | None) -> Ledger:
    account = ledger if isinstance(ledger, Ledger) else Ledger(Path(ledger))
    if paid is not None and paid not in account.read().spendings:
        message = (
            f"choosing these levels was not paid from the ledger '{account.path.name}'; give it to choose_levels too"
        )
        raise BadNoise(message)
    return account


def _what(sensitive: str, levels: Mapping[str, int], grid: Grid) -> str:
    said = ", ".join(f"{name} (level {level})" for name, level in levels.items()) or "nothing else"
    return f"{grid.shape[0] * grid.shape[1]:,} counts of {sensitive} by {said}"


# ----------------------------------------------------------------------------------------------------
# Post-processing: whole counts of at least 0 that add up, from counts with noise.  It looks at nothing else.
# ----------------------------------------------------------------------------------------------------


def tidied(measured: Integers) -> Integers:
    """Which whole counts of at least 0 with the same total are nearest to the measured ones?

    The total stays that of the measured counts (0 where it is negative), so that nothing is gained by setting
    negative counts to 0: min Σ (x − measured)², x ≥ 0 and whole, Σ x = Σ measured.  The solution lowers all counts
    by the same t, those that would fall below 0 to 0; what is left over by whole steps is taken from the largest.

    It costs no privacy: whoever sees the measured counts can do the same.

    >>> tidied(np.array([7, -2, 4, 1])).tolist()
    [6, 0, 3, 1]
    """
    total = int(measured.sum())
    if total <= 0:
        return np.zeros_like(measured)
    flat = measured.ravel()
    lowered = np.maximum(flat - _step(flat, total), 0)
    over = int(lowered.sum()) - total
    largest = np.argsort(-flat, kind="stable")[:over]
    lowered[largest] -= 1
    return lowered.reshape(measured.shape)


def _step(counts: Integers, total: int) -> int:
    """Find the largest t with Σ max(count − t, 0) ≥ total, by halving."""
    low, high = 0, int(counts.max()) + 1  # at low enough is left, at high too little
    while high - low > 1:
        middle = (low + high) // 2
        if int(np.maximum(counts - middle, 0).sum()) >= total:
            low = middle
        else:
            high = middle
    return low
