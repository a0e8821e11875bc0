"""Counts of cells that nobody could declare: only those that occur get noise, and only large ones are published.

    measured(cell) = count(cell) + discrete Laplace noise of scale b,   for each cell with people
    published      = the cells with measured(cell) ≥ T

Where all possible labels can be listed, this is the wrong tool: small cells are missing, and it takes a δ.  It is for
free text, search words, or codes of which no list exists.

*Claim.* Let one person be in at most c cells, with Σ count ≤ c, and a = e^(−1/b).  A cell in which only this person is,
v times, is published with p(v) = a^(T − v) / (1 + a), for T > v; so one of theirs is with a chance of at most

    δ = max(p(c), c·p(1)),   or c·p(1) where nobody is in a cell twice

as Σ p(v_k) with Σ v_k ≤ c is convex.  Then the release is (ε, δ)-differentially private, ε = c/b, if δ ≤ 1 − e^(−1/b);
for neighbours of which one person is replaced, ε = 2c/b.

*Proof.* D' has one person more, who is w times in cells that D has not, and at most c − w times in others.  Q is the
law of the release of D' without those cells; their noise is drawn apart, so that for all O, with E for "none of them is
published", P'(O) ≥ P'(O ∩ E) = Q(O)·P'(E), and P'(E) ≥ 1 − δ.  Both ways P and Q are within e^((c−w)/b).  So
P'(O) ≤ P'(O ∩ E) + δ ≤ e^ε·P(O) + δ; and P(O) ≤ e^((c−w)/b)·P'(O) / (1 − δ) ≤ e^ε·P'(O), as w ≥ 1 (or E is sure) and
1/(1 − δ) ≤ e^(1/b).  Where D' has another person instead, P'(O ∩ E) = Q'(O)·P'(E) ≤ e^((2c−w−w')/b)·Q(O), of which the
second step bounds Q(O) by e^(w/b)·P(O): so δ is paid once. ∎

OpenDP draws the noise; the threshold is ours, since OpenDP's own releases counts *at* its threshold and leaves them out
of its δ (opendp/opendp#2922).  Which cells occur, and how many, is not disclosed beyond what is published.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from sidelight.arrays import Floats, Integers, number_rows
from sidelight.errors import BadNoise, parameter
from sidelight.noise.accountant import CountedColumns, Spending
from sidelight.noise.domain import MEASURED, collect_holdings, count_cells, expect_countable, rank_labels
from sidelight.noise.ledger import Ledger, open_ledger, paying, warn_without_ledger
from sidelight.noise.mechanism import (
    SMALLEST_DELTA,
    Amount,
    Neighbours,
    PrivacyUnit,
    amount_text,
    calibrate,
    exact_delta,
    exact_epsilon,
    whole_cap,
)
from sidelight.noise.noisy_counts import DrawnCounts
from sidelight.rounding import PRECISE
from sidelight.table.labels import Column
from sidelight.text import counted

if TYPE_CHECKING:
    from sidelight.table.table import Events, Table


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class StableCounts(DrawnCounts):
    """The number of people with each combination of labels and value, with noise, of cells that occur and are large.

    Row i of `measured` is about the labels of `columns` and `value` there.  A missing cell may be empty or small.
    """

    columns: tuple[Column, ...]
    value: Column
    measured: Integers
    threshold: int

    def __len__(self) -> int:
        return len(self.measured)

    def _title(self) -> str:
        cells = f"{counted(len(self), 'cell')} of at least {self.threshold}"
        return f"StableCounts of {self.sensitive}: {cells}, {self.spending.cost()}"

    def cells(self) -> dict[str, Column | Integers | Floats]:
        """Return labels and value of each published cell, and `measured`."""
        return {**{each.name: each for each in (*self.columns, self.value)}, MEASURED: self.measured}

    @property
    def sensitive(self) -> str:
        """The column whose values are counted."""
        return self.value.name

    def margin(self, confidence: float = 0.95) -> int:
        """Return how far a measured count is from the truth at most, with this confidence, before the threshold.

        It does not hold for counts not far above the threshold: of these, cells with high noise are published.
        """
        return self.mechanism.margin(confidence)

    def count(self, value: object, **says: str) -> int | None:
        """Return the count of a value and these labels, one for each column; None if it was not published."""
        cell = {**says, self.sensitive: value}
        columns = {column.name: column for column in (*self.columns, self.value)}
        if cell.keys() != columns.keys():
            raise BadNoise(f"say what each column says: {', '.join(column.name for column in self.columns)}")
        rows = np.ones(len(self), bool)
        for name, text in cell.items():
            column = columns[name]
            rows &= column.codes == (column.labels.index(text) if text in column.labels else -1)
        return int(self.measured[rows][0]) if rows.any() else None

    def warnings(self) -> tuple[str, ...]:
        """Return warnings about missing cells, biased counts and the promise."""
        missing = (
            f"cells with fewer than {self.threshold} measured are missing, and so is what they add up to: what is not "
            "here may be empty or small"
        )
        too_large = (
            f"counts not far above {self.threshold} are too large on average, and the margin does not hold for them: "
            "of cells like these, those are here whose noise was high"
        )
        vacuous = () if self.people_at_most is None else self.promise().warnings
        return (missing, too_large, *self.unit.warnings(self.spending.delta), *vacuous)


def stable_counts(
    table: Table | Events,
    *,
    columns: Sequence[str],
    epsilon: Amount,
    delta: Amount,
    neighbours: Neighbours = "add or remove",
    values_per_person: int | None = None,
    rows_per_person: int | None = None,
    people_at_most: int | None = None,
    ledger: Ledger | str | os.PathLike[str] | None = None,
) -> StableCounts:
    """Publish counts where the possible labels cannot be listed.

    Cells that occur get noise, and those that are large enough with it are published: a cell of one person alone is,
    with a chance of δ.  Small cells are missing.  Where labels can be listed, `noisy_counts` is better: it publishes
    all cells, and needs no δ.

    Args:
        table: as in `noisy_counts`.
        columns: the columns that are published beside the sensitive one, fixed in advance, as they stand in the table.
        epsilon: how much the counts may depend on one person; smaller means more noise.
        delta: the chance that a cell of one person alone is published, far below 1 / people; above 0.
        neighbours: as in `noisy_counts`.
        values_per_person: as in `noisy_counts`.
        rows_per_person: as in `noisy_counts`.
        people_at_most: as in `noisy_counts`.
        ledger: as in `noisy_counts`.

    >>> import sidelight as sl
    >>> adult = sl.datasets.adult(quasi=["native-country"])
    >>> found = stable_counts(
    ...     adult.table, columns=["native-country"], epsilon=1, delta="1e-9", ledger="no ledger")
    >>> found.threshold, 30 < len(found) < 80, abs(found.count("Sales", **{"native-country": "Mexico"}) - 45) < 40
    (22, True, True)

    Source: Korolova, Kenthapadi, Mishra and Ntoulas, WWW 2009; Rogers, A Unifying Privacy Analysis Framework for
    Unknown Domain Algorithms, 2023; the bound is ours.
    """
    expect_countable(table)
    cost = exact_epsilon(epsilon), exact_delta(delta)
    if cost[1] < SMALLEST_DELTA:
        raise BadNoise(
            f"{parameter('delta')} is {amount_text(cost[1])}; cells that nobody declared may show one person with that "
            "chance, and it is never 0: give one far below 1 / people, such as 1e-9, or declare the domain"
        )
    paid_from = open_ledger(ledger)
    if isinstance(columns, str) or not isinstance(columns, Sequence):
        raise BadNoise(f'{parameter("columns")} should be a list of columns, such as ["city"]')
    names = tuple(dict.fromkeys(columns))
    for name in names:
        table.column(name)  # names the nearest column if there is none
    if MEASURED in (*names, table.sensitive):
        raise BadNoise(f"a column is called '{MEASURED}', which is what the published counts are called; rename it")
    unit = PrivacyUnit.of(table, values_per_person, rows_per_person=rows_per_person)
    people_at_most = None if people_at_most is None else whole_cap("people_at_most", people_at_most)
    mechanism = calibrate(cost[0], Fraction(0), unit.sensitivity(neighbours))
    threshold = smallest_threshold(mechanism.scale, cost[1], unit)
    cells, exact_counts = _count_cells(table, names, unit)
    # how many cells there are is not for the ledger to tell
    counts = CountedColumns(table.sensitive, tuple((name, 0) for name in names), 0, unit)
    spending = Spending(counts.describe_undeclared(), *cost, neighbours, mechanism, counts)
    budget = None if paid_from is None else paid_from.read_budget()
    warn_without_ledger(ledger)
    with paying(paid_from, spending) as receipt:
        measured = mechanism.add_noise(exact_counts)
        # the noisy count decides, never the exact one: δ was computed for that
        kept = np.flatnonzero(measured >= threshold)
        every, measured = [], measured[kept]
        for column in cells:
            # only labels in use, sorted: neither the order of rows nor unpublished labels may show
            labels, codes = rank_labels(column.labels, column.codes[kept], missing_first=True)
            every.append(Column(column.name, tuple(labels), codes.astype(np.int32)))
        # sorted by labels, the first column deciding: the order in which cells occur would disclose something
        order = np.lexsort([column.codes for column in reversed(every)])
        *shown_columns, value = (column.take(order) for column in every)
        return StableCounts(
            tuple(shown_columns),
            value,
            measured[order],
            threshold,
            spending=spending,
            unit=unit,
            people_at_most=people_at_most,
            ledger=paid_from,
            budget=budget,
            receipt=receipt,
        )


def smallest_threshold(scale: float, delta: Fraction, unit: PrivacyUnit) -> int:
    """Return the smallest threshold at which a cell of one person alone is published with a chance of at most δ."""
    most, changes_by_ones = unit.at_most, unit.values == "set" and unit.rows_per_person is None
    with localcontext(PRECISE):
        a = (-1 / Decimal(scale)).exp()
        # also below 1 − e^(−1/b), as the proof needs; a last few digits are kept back for rounding
        allowed = min(Decimal(delta.numerator) / Decimal(delta.denominator), 1 - a) * (1 - Decimal("1e-30"))
        # c·p(1) and p(c), at T = c + 1 + steps
        lonely = Decimal(most) * a**most / (1 + a)
        together = a / (1 + a) if not changes_by_ones else Decimal(0)
        worst = max(lonely, together)
        steps = 0 if worst <= allowed else int(((allowed / worst).ln() / a.ln()).to_integral_value("ROUND_CEILING"))
        while worst * a**steps > allowed:
            steps += 1
    return most + 1 + steps


def _count_cells(table: Table | Events, names: Sequence[str], unit: PrivacyUnit) -> tuple[list[Column], Integers]:
    """Return the cells with people, and their exact counts, which must not be published."""
    people, row, key, value, count = collect_holdings(table)
    keyed = [column.take(key) for column in map(table.column, names)]
    labelled = [
        unify_numbers(column) for column in (*keyed, Column(table.sensitive, table.domain, value.astype(np.int32)))
    ]
    codes = [column.codes.astype(np.int64) for column in labelled]
    ranges = [len(column.labels) for column in labelled]
    cell, first = number_rows(codes, ranges, rows=len(row))
    holdings = people, row, cell, count
    totals = count_cells(*holdings, cells=len(first), semantics=table.semantics, at_most=unit.at_most)
    # a cell whose values were all left out by the cap does not occur
    there = np.flatnonzero(totals > 0)
    return [column.take(first[there]) for column in labelled], totals[there]


def unify_numbers(column: Column) -> Column:
    """Write 30.0 as 30: programs write a whole column so once a single number of it is missing.

    Otherwise the spelling of everybody's labels would disclose that one person's number is.

    >>> column = unify_numbers(Column("age", ("30", "30.0", "007", "2.50", None), np.arange(5, dtype=np.int32)))
    >>> column.labels, column.codes.tolist()
    (('30', '007', '2.50', None), [0, 0, 1, 2, 3])
    """
    texts = [None if each is None else re.sub(r"^(-?(?:0|[1-9][0-9]*))\.0$", r"\1", each) for each in column.labels]
    index = {each: number for number, each in enumerate(dict.fromkeys(texts))}
    return Column(column.name, tuple(index), np.array([index[each] for each in texts], np.int32)[column.codes])
