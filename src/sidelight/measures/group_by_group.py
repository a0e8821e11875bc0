"""Measures that are as bad as their worst group, and the one formula that audits and searches share.

    value of a release = the worst over its groups g of  φ(t_g)

t_g, the *statistic* of a group, are the whole numbers that decide its value (its size; its largest count and the sum of
its rarer ones; all its counts), and φ is a formula over an arithmetic (see `exact`).  A measure declares the two; the
rest is here:

- an audit computes φ of all groups in floats, and exactly for the kinds of groups near the worst (`summarize`);
- a search keeps φ in floats, one number a group (`screen`), and asks for the exact value near its limit.

Groups with nothing to measure (no value, so no shares) are nan and are skipped.  The shares that several formulas are
made of, q of a value within its group and p within the release, are here too.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from sidelight.arrays import Floats, Integers, add_up, reduce_fractions
from sidelight.errors import BadMeasure
from sidelight.measures.criterion import Amount, Witness
from sidelight.measures.exact import EXACT, FLOATS, NEAR, Arithmetic, Numbers, Screen, worst_of_each_part, worst_row
from sidelight.measures.measure import Measure, Summary, summarize_worst
from sidelight.rounding import PRECISE, in_words, round_cautiously
from sidelight.table.labels import Label, shown
from sidelight.table.table import Counts

if TYPE_CHECKING:
    from sidelight.release.groups import Groups


class GroupByGroup(Measure):
    """A measure of each group; a release is as bad as its worst group."""

    if_nothing_to_measure: ClassVar[Fraction] = Fraction(0)
    whole_numbers: ClassVar[bool] = False  # whether its floats are exact
    off: ClassVar[float] = NEAR  # how far off other floats may be, relative above 1

    why_nothing: ClassVar[str] = "no group has any value to measure"
    # whether a group's counts decide, so that groups can be judged before anything is printed about them
    counts_decide: ClassVar[bool] = True

    @abstractmethod
    def scores(self, groups: Groups) -> Floats:
        """Return every group's value as a float; nan where there is nothing to measure."""

    @abstractmethod
    def kinds(self, groups: Groups) -> Integers:
        """Return whole numbers that decide the groups' values: groups that share them are equally bad."""

    def notes(self, groups: Groups) -> tuple[str, ...]:
        """Return notes on the finding that hold whichever group is the worst."""
        return ()

    @property
    def equal_groups_count_once(self) -> bool:  # type: ignore[override]
        """As their counts decide, equal groups are equally bad, and the first of them is the witness."""
        return self.counts_decide and self.register is None and not self.needs_weights

    def screen(self) -> WorstGroup:
        if not self.counts_decide:
            raise BadMeasure(f"'{self}' looks at what groups print; search without it and judge what is found by it")
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
            findings = (measure.summarize(groups.take(rows)).finding() for rows in parts)
            yield [None if each.witness is None else each.value for each in findings]


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
        """Return the witness of this group as the worst."""
        return Witness(groups.name(row))

    def canonical(self, statistic: Integers) -> Integers:
        """Return one form of all statistics with the same value, itself a statistic with this value."""
        return reduce_fractions(statistic) if self.scale_free else statistic

    def settle(self, number: Fraction | Decimal | int, statistic: list[int]) -> Amount:
        """Convert an exact result of the formula to the value that is reported."""
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

    def summarize(self, groups: Groups) -> Summary:
        groups = groups.sort_by_number()
        # floats for all groups, and exact numbers for the few near the worst
        worst = worst_row(
            self.scores(groups),
            large_is_bad=self.large_is_bad,
            kinds=lambda rows: self.canonical(self.statistic(groups.take(rows))),
            exactly=lambda kinds: self.exact_values(kinds, groups),
        )
        notes = self.notes(groups)
        if worst is None:
            return summarize_worst(self, otherwise=self.if_nothing_to_measure, why=self.why_nothing, notes=notes)
        row, value = worst
        return summarize_worst(self, value, self.witness(groups, row), notes=notes)

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

    measure: Any  # with `scores`, `kinds` and `whole_numbers`, as of `GroupByGroup`; perhaps with `off`
    group_by_group = True

    @property
    def exact(self) -> bool:  # type: ignore[override]
        return bool(self.measure.whole_numbers)

    def slack(self, people: int) -> float:
        return 0.0 if self.exact else getattr(self.measure, "off", NEAR)

    def rows(self, groups: Groups) -> Floats:
        """Return each group's own value; the best value for a group with nothing to measure."""
        # nan would spread through `join`: nothing to measure becomes the value that never decides
        best = -np.inf if self.measure.large_is_bad else np.inf
        scores: Floats = np.nan_to_num(self.measure.scores(groups), nan=best, posinf=np.inf, neginf=-np.inf)
        return scores[:, np.newaxis]

    def kinds(self, groups: Groups) -> Integers:
        return np.asarray(self.measure.kinds(groups))

    def join(self, one: Floats, other: Floats) -> Floats:
        return np.maximum(one, other) if self.measure.large_is_bad else np.minimum(one, other)

    def value(self, rows: Floats) -> Floats:
        return rows[:, 0]


# Shares of the values: q within a group, p within the whole release.


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ShareWitness(Witness):
    """A value that a group has more or less often than the whole release: q and p."""

    here: Fraction
    overall: Fraction

    def shares_in_words(self, there: str = "") -> str:
        """Return the value with its shares: `'Flu' is 1/2 of the values and 1/5 of all`."""
        here, overall = in_words(self.here), in_words(self.overall)
        return f"'{shown(self.value)}' is {here} of the values{there} and {overall} of all"


def shares(counts: Numbers, groups: Groups, arithmetic: Arithmetic) -> tuple[Numbers, Numbers]:
    """Return q of every row of counts and value (nan in groups without values), and p of every value."""
    totals = arithmetic.whole(groups.whole)
    return arithmetic.ratio(counts, counts.sum(axis=1, keepdims=True)), arithmetic.ratio(totals, totals.sum())


@dataclass(frozen=True)
class ShareRuns:
    """The shares that occur in groups, equal ones once: all that a sum or a maximum over values needs.

    Of a group: n, how many values its people have, and its *runs*: `times` values occur c = `here` times in the group
    and w = `overall` times in the release.  What is not in the group has no run, so that a million values of which
    each group has a few cost as much as those few.  Rows are padded by runs of 0 values.

    n, here, overall, times: (groups, 1) and (groups, runs), whole numbers of an arithmetic.
    """

    n: Numbers
    here: Numbers
    overall: Numbers
    times: Numbers

    @classmethod
    def unpack(cls, statistic: Numbers) -> ShareRuns:
        here, overall, times = np.split(statistic[:, 1:], 3, axis=1)
        # padding has 0 of 0 overall: 1 in its place avoids 0/0, and it counts 0 times
        return cls(statistic[:, :1], here, np.where(times > 0, overall, 1), times)

    def shares(self, groups: Groups, arithmetic: Arithmetic) -> tuple[Numbers, Numbers]:
        """Return q and p of each run; nan in groups without values."""
        everything = arithmetic.whole(np.array([groups.whole.sum()]))
        return arithmetic.ratio(self.here, self.n), arithmetic.ratio(self.overall, everything)


def share_runs(groups: Groups, *codings: Integers) -> Integers:
    """Return n and the runs of every group, (groups, 1 + 3·runs), over the values in question.

    A coding gives each value a number, or −1 to leave it out; values with one number count together.  With several
    codings (the levels of a hierarchy) the runs are those of all.

    >>> from sidelight.release.release import Release
    >>> groups = Release.from_counts([{"a": 1, "b": 1, "c": 2}, {"c": 3}]).groups
    >>> share_runs(groups, np.arange(3)).tolist()
    [[4, 1, 2, 1, 5, 2, 1], [3, 3, 0, 5, 0, 1, 0]]
    """
    rows, values, counts = groups.counts.entries()
    entries_by_coding = [np.zeros((0, 3), np.int64)]
    for coding in codings:
        kept = coding[values] >= 0
        # values with one number in the coding count together, in the groups and overall
        totals = add_up(coding[coding >= 0], groups.whole[coding >= 0], int(coding.max(initial=-1)) + 1)
        part = Counts.from_entries(rows[kept], coding[values[kept]], counts[kept], shape=(len(groups), len(totals)))
        row, code, here = part.entries()
        entries_by_coding.append(np.column_stack((row, here, totals[code])))
    every = np.concatenate(entries_by_coding)
    # rows (group, count here, count overall), sorted so that equal ones stand together: a run each
    every = every[np.lexsort(every.T[::-1])]
    first = np.flatnonzero(np.concatenate(([True], (every[1:] != every[:-1]).any(axis=1)))[: len(every)])
    entries, times = every[first], np.diff(first, append=len(every))
    row = entries[:, 0]
    # runs stand by group, so that the first of a group is where its number is first found
    number = np.arange(len(row)) - np.searchsorted(row, row)  # of the run within its group
    runs = int(number.max(initial=0)) + 1
    # (groups, 1 + 3 · runs): n, then the counts here, those overall, and how many values have them
    statistic = np.zeros((len(groups), 1 + 3 * runs), np.int64)
    statistic[:, 0] = groups.counts.per_row()
    for block, numbers in enumerate((entries[:, 1], entries[:, 2], times)):
        statistic[row, 1 + block * runs + number] = numbers
    return statistic


def reduce_share_runs(statistic: Integers) -> Integers:
    """Divide n and the counts of each group by what they share, which leaves its shares as they are."""
    # n and the counts here share a factor; counts overall and lengths of runs stay as they are
    runs = (statistic.shape[1] - 1) // 3
    return np.hstack((reduce_fractions(statistic[:, : 1 + runs]), statistic[:, 1 + runs :]))


def occurring_shares(groups: Groups, row: int) -> list[tuple[int, Fraction, Fraction]]:
    """Return index, q and p of each value that occurs in a group, in the order of the domain."""
    indices, counts = groups.counts.occurring(row)
    here, overall = int(counts.sum()), int(groups.whole.sum())
    numbers = zip(indices.tolist(), counts.tolist(), groups.whole[indices].tolist(), strict=True)
    return [(index, Fraction(count, here), Fraction(total, overall)) for index, count, total in numbers]


def share_witness(groups: Groups, row: int, index: int) -> ShareWitness:
    """Return the witness of a group and a value, with its shares there and overall."""
    group, totals = groups.counts.row(row), groups.whole
    return ShareWitness(
        groups.name(row),
        groups.domain[index],
        here=Fraction(int(group[index]), int(group.sum())),
        overall=Fraction(int(totals[index]), int(totals.sum())),
    )


def exact_shares(groups: Groups, witness: Witness) -> tuple[dict[Label, Fraction], dict[Label, Fraction]]:
    """Return q of the witness's group and p of the release for each value, by their definition: for replays."""
    group = groups.counts.row(witness.group.number - 1).tolist()
    totals = groups.whole.tolist()
    here = [Fraction(count, sum(group)) for count in group]
    overall = [Fraction(count, sum(totals)) for count in totals]
    return dict(zip(groups.domain, here, strict=True)), dict(zip(groups.domain, overall, strict=True))
