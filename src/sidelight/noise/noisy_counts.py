"""Differentially private counts of the sensitive values, over a domain that was declared in advance.

    measured = exact counts + noise,   noise calibrated to ε and δ (`mechanism`)
    counts   = post-processing of measured: whole numbers of at least 0 with the same total (`estimates`)

The noise hides a `PrivacyUnit`: a person whose rows are identified by a column, which is checked, or a row that the
publisher says is a person.  Where people have several values, or several rows, the number that is counted is capped,
and the noise is calibrated to the cap.

Nothing in the data decides whether counts come out, once the arguments are valid: what was not declared is counted
apart (`outside="other"`), and an empty table gives counts of noise.  The largest number of people is declared too, as
with a δ the promise depends on it; it is not checked against the data, but the measured counts, at no further cost, may
contradict it.

Order: everything that can be refused is refused first, then the budget is spent, then noise is drawn; so that a crash
may cost budget, and never publishes what was not paid for.  Post-processing looks at the measured counts only, and
costs no privacy: anyone who sees them can do the same.
"""

from __future__ import annotations

import itertools
import math
import os
from abc import abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from sidelight.errors import BadNoise, did_you_mean, parameter
from sidelight.knowledge.statements import Noise, P, Statement
from sidelight.noise.accountant import Account, CountedColumns, Spending, epsilon_of_noise, promise_of
from sidelight.noise.domain import (
    CELLS_AT_MOST,
    COUNT,
    ESTIMATE,
    MEASURED,
    OTHER,
    ChosenLevels,
    Domain,
    Outside,
    accept_levels,
    expect_countable,
)
from sidelight.noise.estimates import Marginal, Measurements, NoisyAnswer, fit_marginals, postprocess
from sidelight.noise.ledger import Ledger, open_ledger, paying, warn_without_ledger
from sidelight.noise.mechanism import (
    Amount,
    Mechanism,
    Neighbours,
    PrivacyCost,
    PrivacyUnit,
    better_without_delta,
    units_changed,
    whole_cap,
)
from sidelight.noise.workload import TOTAL, CellLayout, CoarserLevel, Queries, read_queries, split_noise
from sidelight.release.groups import whole_groups
from sidelight.release.release import Release
from sidelight.table.labels import Column, Label, Tabular, arrow_labels, label, shown
from sidelight.table.table import Counts, Events, Table
from sidelight.text import counted, html_table

if TYPE_CHECKING:
    from sidelight.arrays import Floats, Integers
    from sidelight.attack.posterior import ExpectedCounts
    from sidelight.noise.semantic_privacy import SemanticPrivacy
    from sidelight.publish.noise import PublishedNoise
    from sidelight.table.hierarchy import Hierarchy
    from sidelight.table.roles import Missing

# Why there is no promise in beliefs
PEOPLE_NOT_DECLARED = (
    "what a delta means in beliefs depends on how many people there are at most, which nobody declared"
)

PARTS = 10**6  # expected counts are in millionths of a person: none is 0, as noise rules nothing out


@dataclass(frozen=True, eq=False, slots=True, repr=False, kw_only=True)
class DrawnCounts(Tabular):
    """Counts with noise, of declared cells or of those that occur: what they cost and promise."""

    spending: Spending
    unit: PrivacyUnit
    people_at_most: int | None = None  # as declared
    ledger: Ledger | None = None  # what it was paid from
    budget: Account | None = None  # that ledger's, without its entries
    receipt: str | None = None

    def __repr__(self) -> str:
        return f"<{self._title()}>"

    @abstractmethod
    def _title(self) -> str: ...

    @abstractmethod
    def cells(self) -> Mapping[str, Column | Integers | Floats]:
        """Return the columns of `table()`: labels, values and numbers."""

    def _repr_html_(self) -> str:
        cells = self.cells()
        rows = (
            [shown(each.cell(row)) if isinstance(each, Column) else each[row].item() for each in cells.values()]
            for row in range(len(cells[MEASURED]))
        )
        return html_table(self._title(), [*cells], rows, total=len(cells[MEASURED]))

    def table(self) -> pa.Table:
        """Return a row per cell: `cells()`."""
        cells = self.cells()
        arrays = [arrow_labels(each) if isinstance(each, Column) else pa.array(each) for each in cells.values()]
        return pa.Table.from_arrays(arrays, names=[*cells])

    to_arrow = table  # by the name that dataframes have for it

    @property
    def mechanism(self) -> Mechanism:
        """The noise of each cell, with its exact scale."""
        assert self.spending.mechanism is not None
        return self.spending.mechanism

    @property
    def spendings(self) -> tuple[Spending, ...]:
        """What was paid for: the counts, and the choice of their levels if these were chosen from the data."""
        return (self.spending,)

    def promise(self, *, chance: Amount | None = None) -> SemanticPrivacy:
        """Return what this release alone promises to each `unit`, including the choice of its levels.

        With a δ, or a `chance` that the promise may be broken, it depends on `people_at_most`, as declared.  With a
        chance it is read off the noise itself where that promises more (`promise_of`).
        """
        if self.people_at_most is None and (self.spending.delta or chance is not None):
            raise BadNoise(f"{PEOPLE_NOT_DECLARED}; say it with {parameter('people_at_most')}")
        return promise_of(self.spendings, people=self.people_at_most, chance=chance)

    def promise_in_words(self) -> str:
        """Write the promise in a sentence; without beliefs where no largest number of people was declared.

        >>> import sidelight as sl
        >>> adult = sl.datasets.adult(quasi=["sex"])
        >>> noisy = sl.noisy_counts(
        ...     adult.table, by=adult.hierarchies, levels={"sex": 0}, domain=["Sales", "Tech-support"], epsilon=1,
        ...     ledger="no ledger")
        >>> noisy.promise_in_words()  # doctest: +ELLIPSIS
        'If no two rows are about one person, which nobody checked: whatever anyone knew before, what they believe ...'
        """
        if self.spending.delta and self.people_at_most is None:
            return f"{self.spending.guarantee()}; {PEOPLE_NOT_DECLARED}."
        return self.promise().as_declared()

    def publish(self, path: str | Path, *, force: bool = False) -> PublishedNoise:
        """Write the counts, and beside them a document with ε, δ, the noise, any threshold and what it promises.

        Both files appear, or none.  It may be done again: the noise was drawn once, and nothing more is spent.

        Args:
            path: where to; `.parquet` or `.csv`.
            force: replace a file that exists.

        >>> import sidelight as sl
        >>> from tempfile import TemporaryDirectory
        >>> adult = sl.datasets.adult(quasi=["sex"])
        >>> noisy = sl.noisy_counts(
        ...     adult.table, by=adult.hierarchies, levels={"sex": 0}, domain=sl.datasets.OCCUPATIONS, epsilon=1,
        ...     ledger="no ledger")
        >>> with TemporaryDirectory() as folder:
        ...     noisy.publish(f"{folder}/counts.csv")
        <PublishedNoise counts.csv: 45 counts, epsilon 1>
        """
        from sidelight.publish.noise import publish_noise  # noqa: PLC0415 - it stands below: it needs the formats

        return publish_noise(self, path, force=force)  # type: ignore[arg-type]  # one of its two kinds


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class NoisyCounts(DrawnCounts):
    """The number of people of each group with each value, with noise: a row per group, a column per value.

    `unit` is whom the noise hides, and the cap on the values, or rows, of one person.

    `measured` is what OpenDP drew for each cell: unbiased, and it may be negative.  `marginals` were measured beside
    the cells, where queries were declared; `estimates` are the best estimate of the cells from all of it
    (`estimates`), and without marginals they are `measured`.  `count` adds them up, and bounds the error.

    `counts` are post-processed: whole, at least 0, and adding up to the same total.  They are nearer to the truth cell
    by cell, and sums of them are not right on average: where most cells are empty, large groups lose what empty ones
    gain.  All of it may be published; that is all the budget pays for.
    """

    declared_domain: Domain
    sensitive: str
    measured: Integers
    counts: Integers
    paid_choice: Spending | None = None  # what choosing the levels cost, where that was chosen from the data
    missing: Missing | None = None  # how missing sensitive values were treated
    marginals: tuple[Marginal, ...] = ()  # what was measured beside the cells
    coarser: tuple[CoarserLevel, ...] = ()  # that marginals may be by
    measurements: Measurements = field(init=False)  # all that was drawn, by columns: the cells, and marginals
    estimates: Integers | Floats = field(init=False)

    def __post_init__(self) -> None:
        layout = CellLayout(self.declared_domain.sizes, self.coarser)
        cells = Marginal(layout.every, self.mechanism, self.measured.reshape(layout.shape))
        drawn = Measurements(layout, (cells, *self.marginals))
        object.__setattr__(self, "measurements", drawn)
        object.__setattr__(self, "estimates", drawn.estimates.reshape(self.declared_domain.shape))

    @property
    def spendings(self) -> tuple[Spending, ...]:
        """What was paid for: the counts, and the choice of their levels if that was chosen from the data."""
        return (self.spending,) if self.paid_choice is None else (self.spending, self.paid_choice)

    @property
    def domain(self) -> tuple[Label, ...]:
        """The sensitive values that were declared, in order."""
        return self.declared_domain.values

    @property
    def outside(self) -> Outside:
        """How people with an undeclared label or value were treated."""
        return self.declared_domain.outside

    @property
    def levels(self) -> Mapping[str, int]:
        """The level of each column that is published."""
        return self.declared_domain.levels

    @property
    def columns(self) -> tuple[Column, ...]:
        """The labels of each group, by column."""
        return self.declared_domain.columns

    def __len__(self) -> int:
        return len(self.declared_domain)

    def _title(self) -> str:
        groups, values = self.declared_domain.shape
        cost = self.spending.cost()
        return f"NoisyCounts of {self.sensitive}: {counted(groups, 'group')} x {counted(values, 'value')}, {cost}"

    def cells(self) -> dict[str, Column | Integers | Floats]:
        """Return labels and value of each cell, `count` (post-processed) and `measured` (as drawn).

        Where queries were measured too, `estimate` is the best estimate from all of it.  Add up `estimate` or
        `measured`: sums of `count` are not right on average.
        """
        groups, values = self.declared_domain.shape
        # values run fastest, as in `measured.ravel()`
        row = np.repeat(np.arange(groups), values)
        of_values = Column(self.sensitive, self.domain, np.tile(np.arange(values, dtype=np.int32), groups))
        estimates = {ESTIMATE: self.estimates.ravel()} if self.marginals else {}
        return {
            **{column.name: column.take(row) for column in self.columns},
            self.sensitive: of_values,
            COUNT: self.counts.ravel(),
            MEASURED: self.measured.ravel(),
            **estimates,
        }

    def how_to_add_up(self) -> str:
        """Return which column to add up: sums of post-processed counts are biased."""
        column = ESTIMATE if self.marginals else MEASURED
        return (
            f"add up '{column}', which is right on average; '{COUNT}' is post-processed (whole, at least 0), and sums "
            "of it are not right on average"
        )

    def columns_of(self, marginal: Marginal) -> dict[str, CoarserLevel | None]:
        """Name the columns that a marginal is by, and the coarser level of each, if it is not as published."""
        names, layout = [*self.levels, self.sensitive], self.measurements.layout
        return {
            names[layout.column(axis)]: layout.coarser[axis - len(names)] if axis >= len(names) else None
            for axis in marginal.axes
        }

    def margin(self, confidence: float = 0.95) -> float:
        """Return how far the estimate of a cell is from the truth at most, with this confidence."""
        if not self.marginals:
            return self.mechanism.margin(confidence)
        return self.measurements.margin(self.measurements.layout.every, confidence)

    def margins_of_queries(self, confidence: float = 0.95) -> dict[str, float]:
        """Return how far one count of each measured query is from the truth at most, with this confidence."""
        margins = {}
        for each in self.marginals:
            columns = self.columns_of(each).items()
            texts = (name if coarser is None else f"{name}={coarser.level}" for name, coarser in columns)
            margins[", ".join(texts) or TOTAL] = self.measurements.margin(each.axes, confidence)
        return margins

    def count(self, /, *values: object, **says: object) -> NoisyAnswer:
        """Estimate how many people have one of these values and these cells, with the error of the estimate.

        `noisy.count("Sales", sex="Female")`; several values or labels are added up, as in
        `noisy.count("Sales", "Tech-support", race=["Black", "Other"])`; without values any value counts, and without
        columns everybody: `noisy.count()` is the total.  A label of a coarser level that was a query stands for all
        labels under it.

        `estimates` are added up, not the post-processed `counts`: setting counts below 0 to 0, and lowering others for
        it, biases their sums.  Where people have several values or rows, those are counted.

        >>> import sidelight as sl
        >>> adult = sl.datasets.adult(quasi=["sex"])
        >>> noisy = sl.noisy_counts(
        ...     adult.table, by=adult.hierarchies, levels={"sex": 0}, domain=sl.datasets.OCCUPATIONS, epsilon=1,
        ...     ledger="no ledger")
        >>> women = noisy.count(sex="Female")
        >>> round(women.sd, 2), women.margin(0.95), abs(women.count - 14_695) < 60  # 14,695 is the truth
        (5.26, 10, True)
        """
        # all labels of a column unless it is restricted; the sensitive values are the last axis
        places = [np.arange(size) for size in self.declared_domain.sizes]
        for name, labels in says.items():
            if name not in self.levels:
                raise BadNoise(f"no column '{name}' in the noisy counts; there are: {', '.join(self.levels) or 'none'}")
            number = [*self.levels].index(name)
            places[number] = _find_places(labels, self.columns[number].labels, self._labels_under(number), f"'{name}'")
        if values:
            places[-1] = _find_places(list(values), self.domain, self._labels_under(len(self.levels)), self.sensitive)
        of = "people" if self.unit.once else f"{self.unit.counted_things}s"
        total, noise = self.measurements.answer(places)
        return NoisyAnswer(total, of, noise)

    def _labels_under(self, column: int) -> dict[Label, Integers]:
        """Return the labels under each coarser label that a query is by; of two levels with one label, the finer."""
        queried = (self.columns_of(each).values() for each in self.marginals)
        levels = (each for each in itertools.chain.from_iterable(queried) if each is not None and each.column == column)
        # later keys of the dictionary replace earlier ones, so that the finer level wins
        coarsest_first = sorted(levels, key=lambda each: -each.level)
        return {
            text: np.flatnonzero(each.place == index)
            for each in coarsest_first
            for index, text in enumerate(each.labels)
        }

    def warnings(self) -> tuple[str, ...]:
        """Return warnings: of a promise of nothing, or of counts that contradict what was declared."""
        warnings = [*self.unit.warnings(self.spending.delta)]
        if not self.spending.delta or self.people_at_most is not None:
            warnings += self.promise().warnings
        # the advice compares one noise with another: it does not apply to shares of a budget, nor to a ρ
        single = not self.marginals and self.spending.charged_rho is None
        advice = better_without_delta(self.mechanism, self.spending.epsilon) if single else None
        if advice is not None:
            warnings.append(advice)
        return (*warnings, *self._check_declarations())

    def _check_declarations(self) -> Iterator[str]:
        def surely(measured: Integers) -> int:
            """Bound the true sum of some measured counts from below, but for one false alarm in 1e9."""
            return int(measured.sum()) - self.mechanism.margin_of_total(max(measured.size, 1), 1e-9)

        # a person is counted at most `at_most` times
        if self.people_at_most is not None and surely(self.measured) > self.people_at_most * self.unit.at_most:
            yield (
                f"the measured counts speak against at most {counted(self.people_at_most, 'person')}, as was declared: "
                "what is promised for so many is not promised for more"
            )
        declared = np.outer(self.declared_domain.declared_groups, self.declared_domain.declared_values)
        if surely(self.measured[~declared]) > 0.02 * max(self.measured.sum(), 1):  # few are not worth a warning
            yield (
                f"by the measured counts, about {self.measured[~declared].sum():,} of {self.measured.sum():,} are "
                f"{OTHER}: something was not declared, or is written in another way than it was declared"
            )

    def statements(self, people: int) -> tuple[Statement, ...]:
        """Return the measured counts as statements for `maxent`: likelihoods, of a release of `people` people.

        Each is `P(value, column=cell, …) ~ laplace(count / people, scale / people)`, or normal: the noise of one count,
        of a cell or of a query by values at published levels; of those whose labels and value were declared.

        >>> import sidelight as sl
        >>> adult = sl.datasets.adult(quasi=["sex"])
        >>> noisy = sl.noisy_counts(
        ...     adult.table, by=adult.hierarchies, levels={"sex": 0}, domain=sl.datasets.OCCUPATIONS, epsilon=1,
        ...     ledger="no ledger")
        >>> len(noisy.statements(adult.table.people)), noisy.statements(adult.table.people)[0].noise
        (28, 'laplace')
        """
        self._expect_people("statements are about people; there are none")
        people = whole_cap("people", people)
        drawn, last = self.measurements, len(self.declared_domain.sizes) - 1
        by_values = (each for each in drawn.marginals if last in each.axes and not drawn.layout.coarse(each.axes))
        return tuple(itertools.chain.from_iterable(self._state(each, people) for each in by_values))

    def _expect_people(self, reason: str) -> None:
        if not self.unit.once:
            raise BadNoise(f"these are counts of {self.unit.counted_things}s, and {reason}")

    def _state(self, marginal: Marginal, people: int) -> Iterator[Statement]:
        noise: Noise = "laplace" if marginal.mechanism.kind == "discrete Laplace" else "normal"
        scale, names = Fraction(marginal.mechanism.scale) / people, [*self.columns_of(marginal)]
        labels = (*self.declared_domain.labels, self.domain)
        for indices, count in np.ndenumerate(marginal.measured):
            texts = [labels[axis][number] for axis, number in zip(marginal.axes, indices, strict=True)]
            # the labels behind "(other)" are unknown, so nothing can be stated about it
            if self.declared_domain.outside != "other" or OTHER not in texts:
                where = dict(zip(names[:-1], texts[:-1], strict=True))
                yield P(texts[-1], where=where).measured(Fraction(int(count), people), scale=scale, noise=noise)

    def as_release(self) -> Release:
        """Return the post-processed counts as a release, as if they had no noise, without empty groups.

        Measures then bound an attacker who ignores the noise.  What the noise promises holds in any case.
        """
        self._expect_people("nobody counted the people of each group; there is no release of them")
        sizes = self.counts.sum(axis=1)
        kept = np.flatnonzero(sizes > 0)
        if not len(kept):
            raise BadNoise(
                "every post-processed count is 0, and there is no release without people; "
                "spend more, or take fewer cells"
            )
        groups = whole_groups(
            domain=self.domain,
            sizes=sizes[kept],
            counts=Counts.from_cells(self.counts[kept]),
            columns=tuple(column.take(kept) for column in self.columns),
        )
        return Release(groups, sensitive=self.sensitive)

    def expected_counts(self) -> ExpectedCounts:
        """Return the expected number of people behind each count, for an attack: see `intersect`, `posterior_means`.

        >>> import sidelight as sl
        >>> adult = sl.datasets.adult(quasi=["age", "sex"])
        >>> counted = {"by": adult.hierarchies, "levels": {"sex": 0}, "domain": sl.datasets.OCCUPATIONS, "epsilon": 1}
        >>> noisy = sl.noisy_counts(adult.table, **counted, ledger="no ledger")
        >>> found = sl.protect(adult.table, sl.Policy(sl.GroupSize() >= 50), by=adult.hierarchies)
        >>> sl.intersect([found, noisy], people=adult.table, by=adult.hierarchies)
        <Exposure of 45,222 people in 2 releases: 0 given away>
        """
        from sidelight.attack.posterior import ExpectedCounts  # noqa: PLC0415 - only for an attack
        from sidelight.noise.attack import posterior_means  # noqa: PLC0415 - it stands below

        self._expect_people("nobody counted people; attack counts of people")
        declared = self.declared_domain
        groups, values = np.flatnonzero(declared.declared_groups), np.flatnonzero(declared.declared_values)
        means = posterior_means(self)[np.ix_(groups, values)]
        # whole parts, as releases count in integers; never 0, which would rule a value out
        counts = np.maximum(np.rint(means * PARTS), 1).astype(np.int64)
        whole = whole_groups(
            domain=tuple(self.domain[value] for value in values.tolist()),
            sizes=counts.sum(axis=1),
            counts=Counts.from_cells(counts),
            columns=tuple(column.take(groups) for column in self.columns),
        )
        return ExpectedCounts(Release(whole, sensitive=self.sensitive), PARTS)


def noisy_counts(
    table: Table | Events,
    *,
    by: Mapping[str, Hierarchy],
    levels: Mapping[str, int] | ChosenLevels,
    domain: Sequence[object] | Hierarchy,
    epsilon: Amount | None = None,
    delta: Amount = 0,
    rho: Amount | None = None,
    neighbours: Neighbours = "add or remove",
    outside: Outside = "other",
    values_per_person: int | None = None,
    rows_per_person: int | None = None,
    people_at_most: int | None = None,
    queries: Queries | None = None,
    ledger: Ledger | str | os.PathLike[str] | None = None,
    cells: int = CELLS_AT_MOST,
) -> NoisyCounts:
    """Publish counts from which an attacker cannot tell whether any one person was counted.

    ε-differentially private (δ = 0, discrete Laplace noise) or (ε, δ)-differentially private (discrete Gaussian).
    Pr(counts | with you) ≤ e^ε · Pr(counts | without you) + δ, and the other way round.  Where everybody has one
    value, one person changes one count by one: that is the sensitivity.  Where people have several, at most
    `values_per_person` of each count, and the noise grows with that.

    Args:
        table: read with `person=`, the column that identifies people, which is checked; or with `person="each row"`,
            by which you say that every row is a person, and the promise is to rows.  By `read_table`, or by
            `read_events` where people may have several rows, or nobody any.
        by: hierarchies that list every label there could be, whether it occurs or not.
        levels: the level of each column that is published, fixed before looking at the data; other columns are not
            published.  Levels that a search picked are refused; `choose_levels` picks some and pays for it.
        domain: every sensitive value that there could be, whether it occurs or not; a list (`sl.read_domain` reads one
            from a file), or a hierarchy of the sensitive column, which lists them all.
        epsilon: how much the counts may depend on one person; smaller means more noise.
        delta: the chance that it is more than that, far below 1 / people; 0 for never.
        rho: in place of ε: Gaussian noise of Δ₂² / (2σ²) = ρ, which a ledger that adds up ρ is charged; `delta` is then
            the one at which its ε is reported.
        neighbours: "add or remove" one person, or "replace" one by another, which needs twice the Laplace noise and √2
            times the Gaussian noise.
        outside: how to treat people with an undeclared label or value: "other" counts them apart, as "(other)", so that
            nothing in the data makes a release fail; or "leave out"; or "an error", which discloses that there are
            some.
        values_per_person: in tables of `values="set"` or "multiset": how many values of one person count at most,
            fixed in advance.  Of people with more, as many are drawn at random; how many are left out is not reported.
        rows_per_person: of rows that were read with `read_events`: how many rows of one person count at most, fixed in
            advance.  Of people with more, as many are drawn at random; how many are left out is not reported.
        people_at_most: the largest number of people, as known in advance and not from the table; with a delta above 0
            the promise in beliefs depends on it, and is not computed without.  It is not checked, as a refusal would
            disclose something about the data; where the measured counts contradict it, there is a warning.
        queries: which counts matter, fixed in advance: a list of what is counted by, such as `["total", "sex",
            ("age", "occupation")]`.  They are measured too, each for a part of ε, so that Σ variance of one count
            of each is smallest, the cells among them.  In a dictionary each has its weight, as in
            `{"total": 1, "cells": 4}`; a query that is listed twice weighs twice.  A column may be counted by at a
            coarser level than published: `[{"age": 3, "sex": 0}]` or `["age=3, sex"]`.
        ledger: where the budget is kept; it is spent before noise is drawn.  Without one nothing adds up what is
            published about these people, and there is a warning; "no ledger" says that this is intended.
        cells: how many counts there may be at most.

    >>> import sidelight as sl
    >>> adult = sl.datasets.adult(quasi=["age", "sex"])
    >>> noisy = noisy_counts(
    ...     adult.table, by=adult.hierarchies, levels={"age": 4, "sex": 0}, domain=sl.datasets.OCCUPATIONS, epsilon=1,
    ...     ledger="no ledger")
    >>> noisy.measured.shape, noisy.mechanism.kind, noisy.mechanism.scale
    ((12, 15), 'discrete Laplace', 1.0)
    >>> int(noisy.counts.min()) >= 0, abs(int(noisy.counts.sum()) - 45_222) < 1_000
    (True, True)

    Up to three conditions each of 1,629 people, who are hidden whatever they have:

    >>> nhefs = sl.datasets.nhefs()
    >>> noisy = noisy_counts(
    ...     nhefs.table, by=nhefs.hierarchies, levels={"sex": 0}, domain=nhefs.hierarchies["condition"], epsilon=1,
    ...     values_per_person=3, ledger="no ledger")
    >>> noisy.unit.sentence(), noisy.mechanism.scale
    ("to each person, by 'person', of whom at most 3 values were counted", 3.0)

    Source: Dwork, McSherry, Nissim and Smith, TCC 2006; Canonne, Kamath and Steinke, NeurIPS 2020.
    """
    expect_countable(table)
    # all that may be refused is refused before the budget is touched
    cost = PrivacyCost.read(epsilon, delta, rho)
    paid_from = open_ledger(ledger)
    budget = None if paid_from is None else paid_from.read_budget()
    # the least noise that keeps ε at δ may cost more ρ than a ledger in ρ charges for that ε
    cost = replace(cost, paid_in_rho=budget is not None and budget.accounting == "concentrated")
    fixed, paid_choice, using = accept_levels(levels, table=table, by=by, neighbours=neighbours, ledger=paid_from)
    for name in fixed:
        table.column(name)  # names the nearest column if there is none
    taken = {COUNT, MEASURED, ESTIMATE}.intersection([*fixed, table.sensitive])
    if taken:
        raise BadNoise(f"a column is called '{min(taken)}', which is what the published counts are called; rename it")
    declared = Domain.declare(by, fixed, domain, outside=outside, cells=cells)
    unit = PrivacyUnit.of(table, values_per_person, rows_per_person=rows_per_person, values=len(declared.values))
    people_at_most = None if people_at_most is None else whole_cap("people_at_most", people_at_most)
    layout = CellLayout(declared.sizes)
    weights = {layout.every: 1.0}
    if queries is not None:
        coarser, axes = declared.coarser_levels(by, domain, table.sensitive)
        layout = CellLayout(declared.sizes, coarser)
        weights = read_queries(queries, [*declared.levels, table.sensitive], axes)
    noise = split_noise(layout, weights, cost, unit.sensitivity(neighbours), units_changed(neighbours))
    exact_counts = declared.count(table, by, at_most=unit.at_most)
    counted_columns = CountedColumns(table.sensitive, tuple(declared.levels.items()), math.prod(declared.shape), unit)
    # the noise of the cells comes first, then that of marginals
    mechanism, *marginal_noise = noise.values()
    charged = epsilon_of_noise([*noise.values()], cost.delta) if cost.epsilon is None else cost.epsilon
    paid = str(counted_columns), charged, cost.delta, neighbours
    spending = Spending(*paid, mechanism, counted_columns, tuple(marginal_noise), cost.rho)
    warn_without_ledger(ledger)
    with paying(paid_from, spending, using=using) as receipt:
        # only now: it is on the ledger
        drawn = Measurements.draw(exact_counts.reshape(declared.sizes), noise, layout.coarser)
        beside = [each.axes for each in drawn.marginals[1:]]
        fitted = fit_marginals(drawn.estimates, beside, layout.coarser) if beside else postprocess(drawn.estimates)
        return NoisyCounts(
            declared,
            table.sensitive,
            drawn.marginals[0].measured.reshape(declared.shape),
            fitted.reshape(declared.shape),
            paid_choice,
            table.intake.roles.get("missing"),
            drawn.marginals[1:],
            layout.coarser,
            spending=spending,
            unit=unit,
            people_at_most=people_at_most,
            ledger=paid_from,
            budget=budget,
            receipt=receipt,
        )


def _find_places(texts: object, among: tuple[Label, ...], under: Mapping[Label, Integers], name: str) -> Integers:
    """Return the indices of one or several labels, or of those under them, each once."""
    several = [*texts] if isinstance(texts, Collection) and not isinstance(texts, str) else [texts]
    labels = dict.fromkeys(label(text) for text in several)
    for text in labels:
        if text not in among and text not in under:
            raise BadNoise(f"{name} has no '{shown(text)}'{did_you_mean(shown(text), among)}")
    index = {text: number for number, text in enumerate(among)}
    every = [np.array([index[text]]) if text in index else under[text] for text in labels]
    return np.unique(np.concatenate([np.zeros(0, np.int64), *every]))
