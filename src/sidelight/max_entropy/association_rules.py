"""Which statements would an attacker know?  The strongest association rules of the original table.

A rule is a condition Q on some quasi-identifiers and a value s: "who says Q has s" of strength P(s | Q), or "who says Q
has not s" of strength P(¬s | Q); its support is how many people follow it.  Top-(K₊, K₋) are the K₊ strongest rules of
the first kind and the K₋ strongest of the second, among those with enough support; the pair bounds the attacker.
Conditions may be denied: ¬Q ⇒ s and ¬Q ⇒ ¬s, where n(s, ¬Q) = n(s) − n(s, Q).  An attacker of vagueness ε knows each
probability p as [p − ε, p + ε], and ε is part of the bound.

Every subset of the quasi-identifiers is counted once, condition × value, and only rules that beat the weakest of the
best so far are kept: invariant, `Strongest` holds the best of all subsets seen, ordered by strength, then support,
then first seen.  Cost: Σ over subsets of conditions × values, and a partial sort of those that join.

Source: Du, Teng and Zhu, Privacy-MaxEnt, SIGMOD 2008.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from operator import index
from typing import Literal, TypeAlias

import numpy as np

from sidelight.arrays import Floats, Integers
from sidelight.errors import BadKnowledge, SidelightError, expect, is_one_of, parameter
from sidelight.knowledge.events import ConditionalProbability, all_hold, event_of, negate
from sidelight.knowledge.statements import Number, Rule, as_fraction
from sidelight.rounding import exact_number, whole_number
from sidelight.table.labels import Column, number_equal_rows
from sidelight.table.table import Counts, Table, expect_one_sensitive

RuleKind: TypeAlias = Literal["has", "has not"]

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
    subsets = [subset for size in widths for subset in combinations(table.quasi, size)]
    sources = [
        (subset, denied)
        for denied in (False, True)
        for subset in subsets
        if conditions in ("both", "not Q" if denied else "Q")
        # of two labels, not to say the one is to say the other: those rules are there already
        and not (conditions == "both" and denied and len(subset) == 1 and len(np.unique(subset[0].codes)) == 2)
    ]
    empty = np.empty(0, np.int64)
    has = has_not = np.empty(0), empty, empty, empty, empty
    for number, (subset, denied) in enumerate(sources):
        condition, first = number_equal_rows(subset, len(table.sizes))
        counts = table.counts.roll_up(condition, groups=len(first))
        has = _add_source(has, positive, number, counts, max(support, 1), "has", denied=denied)
        has_not = _add_source(has_not, negative, number, counts, max(support, 1), "has not", denied=denied)
    epsilon = as_fraction(vagueness)
    return (*_rules(has, table, sources, "has", epsilon), *_rules(has_not, table, sources, "has not", epsilon))


Strongest: TypeAlias = tuple[Floats, Integers, Integers, Integers, Integers]
"""The strongest rules so far: strength, people who follow it, and which source, condition and value it is."""


def _add_source(  # noqa: PLR0917 - what is known of one source
    best: Strongest, most: int, source: int, counts: Counts, support: int, kind: RuleKind, *, denied: bool
) -> Strongest:
    """Return the strongest rules, with those of one subset of columns: of who says it, or of who does not."""
    people, totals = counts.per_row(), counts.totals()
    for rows in counts.blocks() if most else ():
        cells, size = counts.take(rows).dense(), people[rows, np.newaxis]
        if denied:
            # conditions that are denied: everybody but those who say it
            cells, size = totals - cells, totals.sum() - size
        follow = cells if kind == "has" else size - cells
        strength = follow / np.maximum(size, 1)
        joins = (follow >= support) & (totals > 0)
        if len(best[0]) == most:  # stronger than the weakest so far; of equal ones, those that came first stay
            weakest, followed = best[0][-1], best[1][-1]
            joins &= (strength > weakest) | ((strength == weakest) & (follow > followed))
        condition, value = np.nonzero(joins)
        kept = _strongest(strength[condition, value], follow[condition, value], most)
        condition, value = condition[kept], value[kept]
        of_source = np.full(len(kept), source)
        found = strength[condition, value], follow[condition, value], of_source, rows.start + condition, value
        strengths, follows, *others = (np.concatenate(pair) for pair in zip(best, found, strict=True))
        # stable, so that among equals earlier sources, conditions and values come first
        order = np.lexsort((-follows, -strengths))[:most]
        best = strengths[order], follows[order], others[0][order], others[1][order], others[2][order]
    return best


def _rules(
    best: Strongest, table: Table, sources: Sequence[tuple[Sequence[Column], bool]], kind: RuleKind, vagueness: Fraction
) -> Iterator[Rule]:
    first = {at: number_equal_rows(sources[at][0], len(table.sizes))[1] for at in np.unique(best[2]).tolist()}
    for strength, follow, source, condition, value in zip(*(each.tolist() for each in best), strict=True):
        columns, denied = sources[source]
        known = event_of((column.name, column.cell(int(first[source][condition]))) for column in columns)
        # follow / strength is the size of the condition, a whole number
        share = Fraction(follow, round(follow / strength))
        share = share if kind == "has" else 1 - share
        about = ConditionalProbability((table.domain[value],), event_of([negate(all_hold(known))]) if denied else known)
        low = high = share
        if vagueness:
            low, high = max(share - vagueness, Fraction(0)), min(share + vagueness, Fraction(1))
        yield Rule(((Fraction(1), about),), low, high, support=follow, kind=kind)


def _strongest(strength: Floats, support: Integers, most: int) -> Integers:
    """Return at most so many: the strongest, of equally strong ones those with more support, of those the first."""
    if len(strength) <= most:
        return np.arange(len(strength))
    # everything above the limit is in; of those at it, as many as there is room for
    limit = np.partition(strength, len(strength) - most)[len(strength) - most]
    above, level = np.flatnonzero(strength > limit), np.flatnonzero(strength == limit)
    followed = level[np.argsort(-support[level], kind="stable")[: most - len(above)]]
    return np.sort(np.concatenate((above, followed)))
