"""Which statements would an attacker know?  The strongest association rules of the original table.

A rule is a condition Q on some quasi-identifiers and a value s: "who says Q has s" of strength P(s | Q), or "who says Q
has not s" of strength P(¬s | Q); its support is how many people follow it.  Top-(K₊, K₋) are the K₊ strongest rules of
the first kind and the K₋ strongest of the second, among those with enough support; the pair bounds the attacker.
Conditions may be denied: ¬Q ⇒ s and ¬Q ⇒ ¬s, where n(s, ¬Q) = n(s) − n(s, Q).  An attacker of vagueness ε knows each
probability p as [p − ε, p + ε], and ε is part of the bound.

Every subset of the quasi-identifiers is counted once, condition × value, and only rules that beat the weakest of the
best so far are kept: invariant, `_Strongest` holds the best of all subsets seen, ordered by strength, then support,
then first seen.  Cost: Σ over subsets of conditions × values, and a partial sort of those that join.

Source: Du, Teng and Zhu, Privacy-MaxEnt, SIGMOD 2008.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from operator import index
from typing import Literal, TypeAlias

import numpy as np

from sidelight.arrays import Flags, Floats, Integers
from sidelight.errors import BadKnowledge, SidelightError, expect, is_one_of, parameter
from sidelight.knowledge.events import Event, all_hold, event_of, negate
from sidelight.knowledge.statements import ConditionalProbability, Number, Rule, as_fraction
from sidelight.rounding import exact_number, whole_number
from sidelight.table.labels import Column, Label, number_equal_rows
from sidelight.table.table import Counts, Table, expect_one_sensitive

Kind: TypeAlias = Literal["has", "has not"]

RuleConditions: TypeAlias = Literal["Q", "not Q", "both"]
"""Which conditions rules have: what people say, what they do not say, or either."""


def check_rules(conditions: object, vagueness: object, error: type[SidelightError]) -> None:
    """Refuse conditions that rules do not have, and a vagueness that no probability has."""
    if not is_one_of(conditions, RuleConditions):
        message = f"no {parameter('conditions', conditions)}; choose 'Q', 'not Q' or 'both'"
        raise error(message)
    if not 0 <= exact_number(vagueness, error, parameter("vagueness")) <= 1:
        message = f"{parameter('vagueness', vagueness)} is how far off a probability may be known; give 0 to 1"
        raise error(message)


def strongest_rules(
    table: Table,
    *,
    positive: int = 0,
    negative: int = 0,
    sizes: Iterable[int] | None = None,
    support: int = 3,
    conditions: RuleConditions = "Q",
    vagueness: Number = 0,
) -> tuple[Rule, ...]:
    """Return the rules that say most about who has what; how many of them are known bounds an attacker.

    All conditions Q on some quasi-identifiers (`sizes`: on how many at once; all, if left out): the `positive` rules
    "who says Q has s" with the largest P(s | Q), then the `negative` ones "who says Q has not s" with the largest
    P(not s | Q), of those that at least `support` people follow.  Of equally strong ones first those that more people
    follow, then those of fewer columns, in the order of the columns, labels and values.  Each is a statement with its
    true probability, give or take `vagueness`, to be given to `maxent`.  With `conditions="not Q"` rules are about
    everybody who does not say Q, with "both" about either; where a column has two labels, who does not say the one says
    the other, and only that is a rule.

    >>> import sidelight as sl
    >>> table = sl.datasets.adult(quasi=["sex", "race"]).table
    >>> for rule in strongest_rules(table, positive=1, negative=1):
    ...     print(rule, rule.kind, rule.support)
    P(Adm-clerical | race=Asian-Pac-Islander, sex=Female) = 29/109 has 116
    P(Armed-Forces | sex=Female) = 0 has not 14695
    >>> for rule in strongest_rules(table, positive=1, conditions="not Q", vagueness=0.01):
    ...     print(rule.about, round(float(rule.low), 3), round(float(rule.high), 3))
    P(Adm-clerical | sex != Male) 0.244 0.264

    Source: Du, Teng and Zhu, Privacy-MaxEnt, SIGMOD 2008 (Top-(K₊, K₋) strongest associations).
    """
    expect(Table, table, "what rules are mined from")
    expect_one_sensitive(table, "a rule")
    widths = range(1, len(table.quasi) + 1) if sizes is None else sorted(set(sizes))
    if table.semantics != "single":
        message = f"rules need one value per person, and this table has {parameter('values', table.semantics)}"
        raise BadKnowledge(message)
    check_rules(conditions, vagueness, BadKnowledge)
    positive, negative = index(positive), index(negative)
    support = whole_number(support, BadKnowledge, parameter("support"))
    if positive < 0 or negative < 0 or any(not 1 <= size <= len(table.quasi) for size in widths):
        message = f"give how many rules (0, 1, 2, …) and sizes between 1 and {len(table.quasi)}, the quasi-identifiers"
        raise BadKnowledge(message)
    has, has_not = _Strongest.none(positive), _Strongest.none(negative)
    subsets = [subset for size in widths for subset in combinations(range(len(table.quasi)), size)]
    sources = [
        _Source(subset, denied)
        for denied in (False, True)
        for subset in subsets
        if conditions in ("both", "not Q" if denied else "Q")
        # of two labels, not to say the one is to say the other: those rules are there already
        and not (conditions == "both" and denied and len(subset) == 1 and _labels(table.quasi[subset[0]]) == 2)
    ]
    for number, source in enumerate(sources):
        counts = source.counts(table)
        has = has.add_source(number, counts, support, "has", denied=source.denied)
        has_not = has_not.add_source(number, counts, support, "has not", denied=source.denied)
    epsilon = as_fraction(vagueness)
    return (*has.rules(table, sources, "has", epsilon), *has_not.rules(table, sources, "has not", epsilon))


def _labels(column: Column) -> int:
    return len(np.unique(column.codes))


@dataclass(frozen=True, slots=True)
class _Source:
    """Where rules come from: a subset of the quasi-identifiers, and whether conditions on them are denied."""

    subset: tuple[int, ...]
    denied: bool

    def counts(self, table: Table) -> Counts:
        """Count values by condition, before any is denied."""
        number, first = number_equal_rows(self._columns(table), len(table.sizes))
        return table.counts.roll_up(number, groups=len(first))

    def conditions(self, table: Table) -> tuple[Column, ...]:
        """Return the columns, with a row per condition."""
        columns = self._columns(table)
        _, first = number_equal_rows(columns, len(table.sizes))
        return tuple(column.take(first) for column in columns)

    def _columns(self, table: Table) -> tuple[Column, ...]:
        return tuple(table.quasi[place] for place in self.subset)

    def describe(self, cells: Iterable[tuple[str, Label]]) -> Event:
        """Return the people whom a rule is about, as an event."""
        event = event_of(cells)
        return event_of([negate(all_hold(event))]) if self.denied else event


@dataclass(frozen=True, eq=False, slots=True)
class _Strongest:
    """The strongest rules so far: strength, people who follow it, and which source, condition and value it is."""

    most: int
    strength: Floats
    support: Integers
    source: Integers
    condition: Integers
    value: Integers

    @classmethod
    def none(cls, most: int) -> _Strongest:
        """Return the strongest of no rules."""
        empty = np.empty(0, np.int64)
        return cls(most, np.empty(0), empty, empty, empty, empty)

    def add_source(self, source: int, counts: Counts, support: int, kind: Kind, *, denied: bool) -> _Strongest:
        """Return the strongest rules, with those of one subset of columns: of who says it, or of who does not."""
        best, people, totals = self, counts.per_row(), counts.totals()
        for rows in counts.blocks():
            if self.most == 0:
                break
            cells, size = counts.take(rows).dense(), people[rows, np.newaxis]
            if denied:
                # conditions that are denied: everybody but those who say it
                cells, size = totals - cells, totals.sum() - size
            follow = cells if kind == "has" else size - cells
            strength = follow / np.maximum(size, 1)
            condition, value = np.nonzero((follow >= max(support, 1)) & (totals > 0) & best.may_join(strength, follow))
            best = best.merge(
                source, rows.start + condition, value, strength[condition, value], follow[condition, value]
            )
        return best

    def may_join(self, strength: Floats, follow: Integers) -> Flags:
        """Return which are stronger than the weakest so far; of equal ones, those that came first stay."""
        if len(self.strength) < self.most:
            return np.ones(strength.shape, bool)
        weakest, followed = self.strength[-1], self.support[-1]
        stronger: Flags = (strength > weakest) | ((strength == weakest) & (follow > followed))
        return stronger

    def merge(
        self, source: int, condition: Integers, value: Integers, strength: Floats, support: Integers
    ) -> _Strongest:
        """Return the strongest rules, with those of one more source."""
        kept = _strongest(strength, support, self.most)
        strength = np.concatenate((self.strength, strength[kept]))
        support = np.concatenate((self.support, support[kept]))
        # stable, so that among equals earlier sources, conditions and values come first
        order = np.lexsort((-support, -strength))[: self.most]
        return _Strongest(
            self.most,
            strength[order],
            support[order],
            np.concatenate((self.source, np.full(len(kept), source)))[order],
            np.concatenate((self.condition, condition[kept]))[order],
            np.concatenate((self.value, value[kept]))[order],
        )

    def rules(self, table: Table, sources: Sequence[_Source], kind: Kind, vagueness: Fraction) -> Iterator[Rule]:
        """Yield them as statements."""
        conditions = {number: sources[number].conditions(table) for number in np.unique(self.source).tolist()}
        for place in range(len(self.strength)):
            number, row = int(self.source[place]), int(self.condition[place])
            known = sources[number].describe((column.name, column.cell(row)) for column in conditions[number])
            follow = int(self.support[place])
            # follow / strength is the size of the condition, a whole number
            share = Fraction(follow, round(follow / float(self.strength[place])))
            share = share if kind == "has" else 1 - share
            about = ConditionalProbability((table.domain[int(self.value[place])],), known)
            low = high = share
            if vagueness:
                low, high = max(share - vagueness, Fraction(0)), min(share + vagueness, Fraction(1))
            yield Rule(about, low, high, support=follow, kind=kind)


def _strongest(strength: Floats, support: Integers, most: int) -> Integers:
    """Return at most so many: the strongest, of equally strong ones those with more support, of those the first."""
    if len(strength) <= most:
        return np.arange(len(strength))
    # everything above the limit is in; of those at it, as many as there is room for
    limit = np.partition(strength, len(strength) - most)[len(strength) - most]
    above, level = np.flatnonzero(strength > limit), np.flatnonzero(strength == limit)
    followed = level[np.argsort(-support[level], kind="stable")[: most - len(above)]]
    return np.sort(np.concatenate((above, followed)))
