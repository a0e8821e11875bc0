"""Measures whose release is as bad as its worst group, and the one formula that audits and searches share.

    value of a release = the worst over its groups g of  φ(t_g)

t_g, the *statistic* of a group, are the whole numbers that decide its value (its size; its largest count and the sum of
its rarer ones; all its counts), and φ is a formula over an arithmetic (see `exact`).  A measure declares the two; the
rest is here:

- an audit computes φ of all groups in floats, and exactly for the kinds of groups near the worst (`summarize`);
- a search keeps φ in floats, one number a group (`screen`), and asks for the exact value near its limit.

Groups that have nothing to measure (no value, so no shares) give nan and are passed over.  The shares that several
formulas are made of, q of a value within its group and p within the release, are here too.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from sidelight.arrays import Floats, Integers, reduce_fractions
from sidelight.errors import BadMeasure
from sidelight.measures.criterion import Amount, Witness
from sidelight.measures.exact import EXACT, FLOATS, Arithmetic, Numbers, Screen, worst_of_each_part, worst_row
from sidelight.measures.measure import Measure, Worst
from sidelight.rounding import PRECISE, round_cautiously

if TYPE_CHECKING:
    from sidelight.release.groups import Groups


class GroupByGroup(Measure):
    """A measure of each group; a release is as bad as its worst group."""

    if_nothing_to_measure: ClassVar[Fraction] = Fraction(0)
    whole_numbers: ClassVar[bool] = False  # whether its floats are exact

    @abstractmethod
    def scores(self, groups: Groups) -> Floats:
        """Return every group's value as a float; nan where there is nothing to measure."""

    @abstractmethod
    def kinds(self, groups: Groups) -> Integers:
        """Return whole numbers that decide the groups' values: groups that share them are equally bad."""

    @abstractmethod
    def summarize(self, groups: Groups) -> Worst:
        """Keep the worst group."""

    def notes(self, groups: Groups) -> tuple[str, ...]:
        """Return what one should know about the finding, whichever group is the worst."""
        del groups
        return ()

    @property
    def counts_decide(self) -> bool:
        """Whether a group's counts decide, so that groups can be judged before anything is printed about them."""
        return True

    @property
    def equal_groups_count_once(self) -> bool:
        """As their counts decide, equal groups are equally bad, and the first of them is named."""
        return self.counts_decide and self.register is None and not self.needs_weights

    def screen(self) -> WorstGroup:
        if not self.counts_decide:
            message = f"'{self}' looks at what groups print; search without it and judge what is found by it"
            raise BadMeasure(message)
        return WorstGroup(self)

    @classmethod
    def worst_of_parts(
        cls, measures: Sequence[Self], groups: Groups, starts: Integers
    ) -> Iterator[Sequence[Amount | None]]:
        """Return, for each of some measures of this class, the worst value of each part of the groups, exactly.

        The parts are groups of the same people, put together in different ways; part i begins at row `starts[i]`, and
        none is empty.  None: nothing to measure.
        """
        stops = [*starts.tolist()[1:], len(groups)]
        parts = [slice(start, stop) for start, stop in zip(starts.tolist(), stops, strict=True)]
        for measure in measures:
            yield [measure.summarize(groups.take(rows)).value for rows in parts]


class FormulaMeasure(GroupByGroup):
    """A measure that is a formula of each group's statistic."""

    scale_free: ClassVar[bool] = True  # whether a group k times as large, in the same proportions, has the same value
    sparse_statistic: ClassVar[bool] = False  # whether its statistic is as wide as the values that a group has

    def statistic(self, groups: Groups) -> Integers:
        """Return, per group, the whole numbers that decide its value: by default how often each value occurs."""
        return groups.counts.dense()

    @abstractmethod
    def formula(self, statistic: Numbers, groups: Groups, arithmetic: Arithmetic) -> Numbers:
        """Return the value of each row of statistics, of these groups' release, in this arithmetic."""

    def witness(self, groups: Groups, row: int) -> Witness:
        """Return what makes this group the worst."""
        return Witness(groups.name(row))

    def canonical(self, statistic: Integers) -> Integers:
        """Return one form of all statistics with the same value, itself a statistic with this value."""
        return reduce_fractions(statistic) if self.scale_free else statistic

    def settle(self, number: Fraction | Decimal | int, statistic: list[int]) -> Amount:
        """Turn what the formula gave in exact numbers into the value that is reported."""
        del statistic
        if isinstance(number, Decimal) and number:  # irrational: logarithms of fractions are, but for ln 1 = 0
            return round_cautiously(number, large_is_bad=self.large_is_bad)
        return number if isinstance(number, float) else Fraction(number)

    def scores(self, groups: Groups) -> Floats:
        """Return the formula's floats for all groups, computed in blocks of rows that fit into memory."""
        scores = np.empty(len(groups))
        for rows in groups.counts.packed_blocks() if self.sparse_statistic else groups.counts.blocks():
            part = groups.take(rows)
            scores[rows] = self._floats(self.statistic(part), part)
        return scores

    def blocks(self, groups: Groups) -> Iterable[Groups]:
        return (groups,) if self.sparse_statistic and groups.counts.is_wide else super().blocks(groups)

    def kinds(self, groups: Groups) -> Integers:
        statistic = self.statistic(groups)
        return self.canonical(statistic) if statistic.shape[1] else statistic

    def exact_values(self, statistic: Integers, groups: Groups) -> Sequence[Amount]:
        """Run the formula in exact numbers, for a few statistics of finite value."""
        with localcontext(PRECISE):
            values = self.formula(EXACT.whole(statistic), groups, EXACT).tolist()
            return [self.settle(value, row) for value, row in zip(values, statistic.tolist(), strict=True)]

    def summarize(self, groups: Groups) -> Worst:
        groups = groups.sort_by_number()
        # floats for all groups, and exact numbers for the few near the worst
        worst = worst_row(
            self.scores(groups),
            large_is_bad=self.large_is_bad,
            kinds=lambda rows: self.canonical(self.statistic(groups.take(rows))),
            exactly=lambda kinds: self.exact_values(kinds, groups),
        )
        if worst is None:
            return Worst(self, otherwise=self.if_nothing_to_measure, notes=self.notes(groups))
        row, value = worst
        return Worst(self, value, self.witness(groups, row), notes=self.notes(groups))

    @classmethod
    def worst_of_parts(
        cls, measures: Sequence[Self], groups: Groups, starts: Integers
    ) -> Iterator[Sequence[Amount | None]]:
        """Run the formula in floats for all parts at once, and exactly for the kinds of groups near their worst."""
        for measure in measures:
            statistic = measure.statistic(groups)
            yield worst_of_each_part(
                measure._floats(statistic, groups),
                starts,
                large_is_bad=measure.large_is_bad,
                kinds=lambda rows, one=measure, numbers=statistic: one.canonical(numbers[rows]),  # type: ignore[misc]
                exactly=lambda kinds, one=measure: one.exact_values(kinds, groups),  # type: ignore[misc]
            )

    def _floats(self, statistic: Integers, groups: Groups) -> Floats:
        if statistic.shape[1] == 0:  # no values at all, in no group
            return np.full(len(statistic), np.nan)
        with np.errstate(divide="ignore", invalid="ignore"):  # no values in a group: 0/0, nothing to measure
            return self.formula(FLOATS.whole(statistic), groups, FLOATS).astype(np.float64, copy=False)


@dataclass(frozen=True)
class WorstGroup(Screen):
    """The screen of a measure that looks at one group at a time: one number per group."""

    measure: Any  # with `scores`, `kinds` and `whole_numbers`, as of `GroupByGroup`
    group_by_group = True

    @property
    def exact(self) -> bool:
        return bool(self.measure.whole_numbers)

    def rows(self, groups: Groups) -> Floats:
        """Return each group's own value; a group with nothing to say gives the best there is."""
        # nan would spread through `join`: a group with nothing to say has the value that never decides
        best = -np.inf if self.measure.large_is_bad else np.inf
        scores: Floats = np.nan_to_num(self.measure.scores(groups), nan=best, posinf=np.inf, neginf=-np.inf)
        return scores[:, np.newaxis]

    def kinds(self, groups: Groups) -> Integers:
        kinds: Integers = self.measure.kinds(groups)
        return kinds

    def join(self, one: Floats, other: Floats) -> Floats:
        return np.maximum(one, other) if self.measure.large_is_bad else np.minimum(one, other)

    def value(self, rows: Floats) -> Floats:
        return rows[:, 0]
