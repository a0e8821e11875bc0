"""Beliefs about each kind of people, over all groups, and their distance from the truth.

Symbols     q a kind of people: all with a key, those of a part that statements distinguish, or one whom they name;
            P*(s | q) = Σ_b P*(q, s, b) / P(q), over all groups b.
Error       Σ_q P(q) Σ_s P(s | q) ln( P(s | q) / P*(s | q) ): infinite where something true is believed impossible.

`KeyBeliefs` has P*(s | q) for all kinds, over all groups; `ReleaseBeliefs` follow from a release with statements, of
one value per person (`maxent.Beliefs`) or of sets of them (`maxent.SetBeliefs`).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa

from sidelight.arrays import Floats, Integers, add_up, number_keys, sum_by
from sidelight.errors import BadMeasure, expect, parameter
from sidelight.max_entropy.variables import NEGLIGIBLE_PEOPLE, NOBODY, Variables
from sidelight.rounding import whole_number
from sidelight.table.labels import (
    Column,
    Label,
    Tabular,
    arrow_labels,
    number_equal_rows,
    show_in_list,
    shown,
    unused_name,
)
from sidelight.table.table import Table
from sidelight.text import MOST_ROWS, counted, html_table

if TYPE_CHECKING:
    import altair as alt

    from sidelight.knowledge.statements import Statement
    from sidelight.max_entropy.problem import Problem
    from sidelight.max_entropy.subproblems import Solution
    from sidelight.release.release import Members, Release

OTHERS = -2
"""In place of a person: all with a key, or of a part, except those whom statements name."""

KindEntries: TypeAlias = tuple[Integers, Integers, Floats]
"""Kinds of people, values, and how many people of the kind have the value."""

KindsOfPeople: TypeAlias = "np.recarray[Any, Any]"
"""Kinds of people: the key `printed` about each, and a `part` that it is, −1 for everybody with the key.

`person` is an index among the names in statements, `NOBODY` where the key has nobody who is named, or `OTHERS`.  The
number of `people` of a kind is part of the estimate, unless it is everybody with a key.
"""


def build_kinds(printed: Integers, part: Integers | int, person: Integers, people: Floats) -> KindsOfPeople:
    """Return kinds of people by their fields."""
    fields = np.broadcast_arrays(printed, part, person, people)
    return np.rec.fromarrays(fields, names="printed, part, person, people")  # type: ignore[call-overload, no-any-return]


@dataclass(frozen=True, slots=True)
class Risk:
    """The probability that people with these cells have a value, by maximum entropy; perhaps also the one before."""

    probability: float
    value: Label
    says: tuple[tuple[str, Label], ...]
    before: float | None = None

    def __str__(self) -> str:
        who = ", ".join(f"{column} {show_in_list(text)}" for column, text in self.says) or "anybody"
        moved = "" if self.before is None else f", and {self.before:.4f} before"
        return f"{shown(self.value)} for {who}: {self.probability:.4f}{moved}"


@dataclass(frozen=True, eq=False)
class KeyBeliefs:
    """P*(s | q): people of kind `key[i]` are believed to have value `value[i]` with `probability[i]`."""

    variables: Variables
    keys: KindsOfPeople
    domain: tuple[Label, ...]
    key: Integers
    value: Integers
    probability: Floats
    names: tuple[str, ...] = ()

    @classmethod
    def from_kinds(
        cls,
        variables: Variables,
        domain: tuple[Label, ...],
        kinds: Sequence[tuple[KindsOfPeople, KindEntries]],
        names: tuple[str, ...] = (),
    ) -> KeyBeliefs:
        """Build beliefs by adding up all groups of a key; entries count every person once per value."""
        keys = np.concatenate([each for each, _ in kinds]).view(np.recarray)
        starts = np.cumsum([0, *(len(each) for each, _ in kinds)])
        numbered = ((start + kind, *others) for start, (_, (kind, *others)) in zip(starts, kinds, strict=False))
        key, value, amounts = map(np.concatenate, zip(*numbered, strict=True))
        people = keys.people
        kept = people[key] > NEGLIGIBLE_PEOPLE
        # key and value packed into one number, so that the same pair is added up over all groups
        pair = key[kept] * len(domain) + value[kept]
        number, first = number_keys(pair, below=len(people) * len(domain))
        key, value = np.divmod(pair[first], len(domain))
        total = sum_by(number, amounts[kept], len(first))
        return cls(variables, keys, domain, key, value, np.clip(total / people[key], 0.0, 1.0), names)

    @property
    def members(self) -> Members:
        """Who is in which group."""
        return self.variables.members

    def says(self, key: int) -> tuple[tuple[str, Label], ...]:
        """Return what is known about a person of this kind: printed cells, those of the part, and the name."""
        printed, part, person, _ = self.keys[key].item()
        says = {column.name: column.cell(printed) for column in self.members.columns}
        says = says if part < 0 else says | self.variables.parts.describe(part)
        if person == NOBODY:
            return tuple(says.items())
        return (*says.items(), ("person", "anybody else" if person == OTHERS else self.names[person]))

    def probabilities_at(self, key: Integers, value: Integers) -> Floats:
        """Return the probabilities of some keys and values; 0 where they do not occur together."""
        known, sought = self.key * len(self.domain) + self.value, key * len(self.domain) + value
        # beyond the last there is nothing to compare with: clamped, and then found to differ
        index = np.minimum(np.searchsorted(known, sought), len(known) - 1)
        return np.where(known[index] == sought, self.probability[index], 0.0)

    def rows_that_moved(self, before: KeyBeliefs) -> tuple[Integers, Floats]:
        """Return the row that moved most of each kind, the largest move first, and all probabilities before.

        `before` is by key.
        """
        kind, value, here = self.key, self.value, self.probability
        there = before.probabilities_at(self.keys.printed[kind], value)
        # ties of the last bits are ties, so that equal moves come by probability, then in the order of kinds
        moved, after = np.round(np.abs(here - there), 12), np.round(here, 12)
        order = np.lexsort((value, kind, -after, -moved))
        return order[np.sort(np.unique(kind[order], return_index=True)[1])], there

    def moved_most(self, before: KeyBeliefs, n: int) -> tuple[Risk, ...]:
        """Return the n kinds whose beliefs moved most, each with the value that moved most; `before` is by key."""
        rows, there = self.rows_that_moved(before)
        return tuple(
            Risk(
                float(self.probability[row]),
                self.domain[self.value[row]],
                self.says(int(self.key[row])),
                float(there[row]),
            )
            for row in rows[:n].tolist()
        )

    def largest(self, n: int) -> Iterator[tuple[int, int, float]]:
        """Yield the n largest, as (key, value, probability); of equal ones the first keys and values."""
        # ties of the last bits are ties, so that equal risks come in the order of keys
        rounded = np.round(self.probability, 12)
        few = np.flatnonzero(rounded >= np.partition(rounded, -n)[-n]) if n < len(rounded) else np.arange(len(rounded))
        order = few[np.lexsort((self.value[few], self.key[few], -rounded[few]))][:n]
        for at in order.tolist():
            yield int(self.key[at]), int(self.value[at]), float(self.probability[at])


def estimation_error(beliefs: KeyBeliefs, original: Table) -> float:
    """Return Σ_q P(q) Σ_s P(s|q) ln( P(s|q) / P*(s|q) ); infinite where something true is believed impossible."""
    expect(Table, original, "the original")
    members, keys = beliefs.members, len(beliefs.keys)
    # the original's rows stacked below the keys: equal rows get equal numbers, and −1 is no key
    both = tuple(column.stack_on(original.column(column.name)) for column in members.columns)
    kind, _ = number_equal_rows(both, keys + len(original.sizes))
    key_of = np.full(int(kind.max()) + 1, -1, np.int64)
    key_of[kind[:keys]] = np.arange(keys)
    of_rows = key_of[kind[keys:]]
    if (of_rows < 0).any():
        raise BadMeasure(
            "the original is not the table that this release is of, or the release prints it more coarsely; beliefs "
            f"are compared with the truth cell by cell: ask it of buckets ({parameter('method', 'anatomy')}), or of "
            "columns that are printed as they are"
        )
    row, value, count = original.counts.entries()
    index = {text: code for code, text in enumerate(beliefs.domain)}
    recode = np.array([index.get(text, -1) for text in original.domain], np.int64)
    amounts = add_up(of_rows, original.sizes, keys)
    if (recode[value] < 0).any() or (amounts != beliefs.keys.people).any():
        raise BadMeasure("the original is not the table that this release is of: other people or values are in it")
    values = len(beliefs.domain)
    pair, number = np.unique(of_rows[row] * values + recode[value], return_inverse=True)
    people = add_up(number, count, len(pair))
    true = people / beliefs.keys.people[pair // values]
    believed = beliefs.probabilities_at(*np.divmod(pair, values))
    with np.errstate(divide="ignore"):
        return max(float((people / original.people) @ (np.log(true) - np.log(believed))), 0.0)


@dataclass(frozen=True, slots=True)
class MeantPeople:
    """The people of a condition: those known to fulfil it, and those whose groups print less than it needs."""

    certain: int
    possible: int
    groups: int  # of those who may be meant
    estimate: float  # how many of them are meant, by maximum entropy

    def __str__(self) -> str:
        known = f"{counted(self.certain, 'person')} for certain" if self.certain else "nobody is meant for certain"
        if not self.possible:
            return known
        return (
            f"{known}; {counted(self.possible, 'person')} in {counted(self.groups, 'group')} may be meant too, "
            f"of whom the estimate takes {self.estimate:{',.0f' if self.estimate >= 100 else '.3g'}} to be"
        )


@dataclass(frozen=True, slots=True)
class Certificate:
    """The conditions of Karush, Kuhn and Tucker, which only the distribution of largest entropy fulfils.

    Where P is positive, log P(q, s, b) = α(q, b) + β(s, b) + Σ_k μ_k a_k(q, s, b), with a_k how often statement k
    counts that entry (once, where it is about a share; in a comparison, people of the smaller side / people of this
    side, negative on the right); μ_k ≥ 0 only where the share is at its lower bound, ≤ 0 only at its upper one.
    Everything else is 0 in every distribution that fits.
    """

    residual: float  # how far off the worst sum is, as a probability
    misplaced: float  # how far a share that pushes is from its bound, as a probability
    multipliers: Mapping[str, float | None]  # statement → μ; None: what it says is forced, and pushes nothing
    forced_zeros: int
    """Entries that are 0 in every distribution that fits, as far as they were looked for; a class counts once.

    `Beliefs.undecided` says of how many the time was up; these are as good as 0, and the statements behind them push
    very hard instead of `None`.
    """

    @classmethod
    def build(cls, problem: Problem, solution: Solution, stated: Sequence[Statement], people: int) -> Certificate:
        """Build the certificate of a solution."""
        multipliers = solution.multipliers
        sums = problem.coefficients @ solution.amounts
        bound = np.where(multipliers > 0, problem.low, problem.high)
        # complementary slackness: a share that pushes is at a bound
        pushing = np.isfinite(multipliers) & (multipliers != 0)
        misplaced = np.abs(sums - bound)[pushing].max(initial=0.0)
        pushes: dict[str, float | None] = {}
        for number, multiplier in zip(problem.statement.tolist(), multipliers.tolist(), strict=True):
            if number >= 0:  # of two bounds of a statement, at most one pushes
                words = stated[number].words
                before = pushes.get(words)
                pushes[words] = before if np.isnan(multiplier) else multiplier + (before or 0.0)
        return cls(solution.residual / people, float(misplaced / people), pushes, int(solution.zero.sum()))

    @property
    def holds(self) -> bool:
        """Whether all conditions are met to 1e-8."""
        return self.residual <= 1e-8 and self.misplaced <= 1e-8


@dataclass(frozen=True, eq=False, repr=False)
class ReleaseBeliefs(Tabular):
    """The common part of `Beliefs` and `SetBeliefs`: rows, a chart, the largest probabilities and changes."""

    variables: Variables
    known: tuple[Statement, ...]

    @property
    def release(self) -> Release:
        """The release that was seen."""
        return self.variables.release

    @property
    @abstractmethod
    def entries(self) -> tuple[Integers, Integers, Floats]:
        """All rows (q, b) with the values of their groups, and how many people have them: row, value, people."""

    @cached_property
    def by_key(self) -> KeyBeliefs:
        """P*(s | q) for all q and s that occur together, over all groups."""
        members, (row, value, amounts) = self.variables.members, self.entries
        people = add_up(members.key, members.people, members.key_count).astype(float)
        keys = build_kinds(np.arange(len(people)), -1, np.full(len(people), NOBODY), people)
        return KeyBeliefs.from_kinds(self.variables, self.release.domain, [(keys, (members.key[row], value, amounts))])

    @property
    @abstractmethod
    def by_kind(self) -> KeyBeliefs:
        """As `by_key`, but people whom statements distinguish or name are kinds of their own."""

    @property
    @abstractmethod
    def notes(self) -> tuple[str, ...]:
        """Notes on whom statements may mean, and which say nothing about this release."""

    @abstractmethod
    def forget_statements(self, seconds: float) -> ReleaseBeliefs:
        """Return what follows from the release alone, about the same people."""

    def estimation_error(self, original: Table) -> float:
        """Return Σ_q P(q) Σ_s P(s|q) ln( P(s|q) / P*(s|q) ), in nats: how far from the truth these beliefs are.

        `original` is the table of the release; 0 where everything is known.  Of one value per person.
        """
        if self.release.semantics != "single":
            raise BadMeasure(
                "the estimation error is of one value per person, and this release has "
                f"{parameter('values', self.release.semantics)}; leave the original out"
            )
        return estimation_error(self.by_key, original)

    def table(self) -> pa.Table:
        """Return P(q, s, b) as an Arrow table: cells of people, the value, "group" and "probability".

        Of sets, the probabilities of all values of a (q, b) add up to the mean number of values of such a person times
        the probability of (q, b).

        >>> import sidelight as sl
        >>> ward = sl.Release.from_counts([{"Flu": 1, "Cold": 3}], labels=[{"age": "30-39"}])
        >>> sl.maxent(ward).table().to_pylist()[0]
        {'age': '30-39', 'value': 'Cold', 'group': 1, 'probability': 0.75}
        """
        release, members, (row, value, amounts) = self.release, self.variables.members, self.entries
        arrays = {each.name: arrow_labels(each, members.key[row]) for each in members.columns}
        values = Column(release.sensitive, release.domain, value.astype(np.int32))
        arrays[unused_name(release.sensitive, arrays)] = arrow_labels(values)
        arrays[unused_name("group", arrays)] = pa.array(release.groups.numbers[members.group[row]])
        arrays[unused_name("probability", arrays)] = pa.array(amounts / release.size)
        return pa.table(arrays)

    to_arrow = table  # by the name that dataframes have for it

    def __repr__(self) -> str:
        people, statements = counted(self.release.size, "person"), counted(len(self.known), "statement")
        return f"<{type(self).__name__} by maximum entropy about {people}, knowing {statements}>"

    def _repr_html_(self) -> str:
        kinds = self.by_kind
        columns = [column.name for column in kinds.members.columns]
        names = [*columns, *(["person"] if kinds.names else []), self.release.sensitive, "probability"]
        rows = (
            (
                *(shown(text) for _, text in risk.says),
                *[""] * (len(names) - 2 - len(risk.says)),
                shown(risk.value),
                f"{risk.probability:.4f}",
            )
            for risk in self.riskiest(MOST_ROWS)
        )
        title = f"Believed most, by maximum entropy, knowing {counted(len(self.known), 'statement')}"
        return html_table(title, names, rows, total=len(kinds.probability), note=" ".join(self.notes))

    def plot(self, before: ReleaseBeliefs | None = None) -> alt.TopLevelMixin:
        """Draw what is believed before and after, value by value, of the people about whom it moves most.

        `before` are other beliefs about the same release; default: what follows from the release alone.  An Altair
        chart, which needs the extra `plot`: a notebook shows it, `chart.save("beliefs.svg")` writes it.
        """
        from sidelight.report.charts.attackers import beliefs_chart  # noqa: PLC0415 - it stands below

        return beliefs_chart(self, None if before is None else self._expect_same_kind(before))

    def riskiest(self, n: int = 10) -> tuple[Risk, ...]:
        """Return the n largest P*(s | q) of kinds of people (`by_kind`).

        >>> import sidelight as sl
        >>> ward = sl.Release.from_counts([{"Flu": 1, "Cold": 3}], labels=[{"age": "30-39"}])
        >>> print(*sl.maxent(ward).riskiest(1))
        Cold for age 30-39: 0.7500
        """
        return tuple(
            Risk(probability, self.release.domain[value], self.by_kind.says(key))
            for key, value, probability in self.by_kind.largest(whole_number(n, BadMeasure, "n"))
        )

    def moved_most(self, before: ReleaseBeliefs, n: int = 10) -> tuple[Risk, ...]:
        """Return the n people about whom these beliefs differ most from others of the same release.

        Each with the value whose probability changed most; of equal changes, the largest probabilities first.

        >>> labels = [{"age": "30-39", "sex": "*"}, {"age": "40-49", "sex": "f"}]
        >>> import sidelight as sl
        >>> ward = sl.Release.from_counts([{"Flu": 2, "Cold": 2}, {"Flu": 4}], labels=labels)
        >>> print(*sl.maxent(ward, "P(Flu | sex=f) = 1").moved_most(sl.maxent(ward), 1))
        Flu for age 30-39, sex f (printed *): 1.0000, and 0.5000 before
        """
        return self.by_kind.moved_most(self._expect_same_kind(before).by_key, whole_number(n, BadMeasure, "n"))

    def _expect_same_kind(self, before: ReleaseBeliefs) -> ReleaseBeliefs:
        return expect(type(self), before, "what is compared with")
