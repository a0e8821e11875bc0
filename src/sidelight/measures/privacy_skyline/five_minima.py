"""Five minima over groups, which decide the risk of an acquaintance: the mergeable summary of `Acquaintance`.

Symbols     knowledge (ℓ, k, m): values ruled out, other people, family; T and V of a group as below.
Claim       NR(σ), the smallest odds against a target having σ, is the least of three products of five minima:

                min_g T(g,ℓ,k)·V(g,m,k+1)               all in the target's group
                min_g T(g,ℓ,k) · min_f V(f,m,0)         the k with the target, the family elsewhere
                min_g T(g,ℓ,0) · min_f V(f,m,k)         the k with the family, elsewhere

            because it is enough to let the k people sit in one group, and so the m (congregation).  Risk = 1/(1+NR).
Invariant   the five minima of a union of groups are the smaller ones of its parts: `merge` is associative and
            commutative.  Which group is smallest was decided exactly; of equal ones the smallest number stands for it.
Cost        one pass; of groups × values that have the same n, a and weight ruled out only one is looked at, and exact
            arithmetic meets only those that floats cannot tell from the smallest.
Source      Chen, LeFevre, Ramakrishnan, Privacy Skyline, VLDB 2007: Theorems 1 and 2.  (In the printed
            SkylineAnonymize the fifth minimum is updated from the fourth; here each from itself.)

`log_products` is the mathematics of the measure, once: audits (`FiveMinima`), searches (`AcquaintanceScreen`) share it.

How do a few facts about the people of one group change the odds?  In logarithms for many groups, exactly for one.

Symbols     n people of a group, a of them with the value σ (in `multiset`: a occurrences of σ); k others of the group
            are known not to have σ; ℓ values c_1 ≥ c_2 ≥ … (how many people have each) are ruled out for the target;
            m people of the group are family.
T(ℓ, k)     odds against the target having σ                       `log_odds_against`, `ValueInGroup.odds_against`
V(m, k)     probability that none of the m has σ                   `log_none_has`, `ValueInGroup.none_has`

                     T                                                    V
    single     (n − a − Σc_i − k) / a                               Π_{i<m} (n−a−k−i)/(n−k−i)
    set        (n − a − k) / a · Π (n−c_i)/n                        the same
    multiset   q/(1−q) · ((n−1)/n)^Σc_i,  q = ((n−k−1)/(n−k))^a     ((n−k−m)/(n−k))^a

A numerator of 0 or less, or nobody left, means that the knowledge is decisive: T or V is 0, its logarithm −∞.  Groups
without σ have T = ∞ and V = 1; they are left to the callers, and a ≥ 1 here.

The ℓ values contribute a sum in every semantics (of counts, or of ln((n−c)/n) in `set`), which callers pass as one
number, the weight ruled out.

Invariant   a logarithm is −∞ exactly where T or V is 0, and otherwise off by at most `tolerance`.
Cost        a few vectorised operations per group and value, whatever k and m are.
Source      Chen, LeFevre, Ramakrishnan, Privacy Skyline, VLDB 2007: Propositions 1 and 2, Lemma 1, section 5.1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import lgamma, prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sidelight.arrays import Flags, Floats, Integers, first_of_each, number_vectors, smallest_of_each
from sidelight.measures.exact import BITS_REPORTED, Number, RatioArithmetic, compare_exactly, compute_exactly, tolerance
from sidelight.table.table import CELLS_AT_ONCE, Counts

if TYPE_CHECKING:
    from sidelight.measures.criterion import Amount
    from sidelight.release.groups import Groups
    from sidelight.table.labels import Label, Semantics

SETTLED = -np.inf
"""The logarithm of odds of zero."""


# Logarithms of T and V for many groups at once: arrays that broadcast.


def weigh_ruled_out(
    semantics: Semantics, counts: npt.NDArray[np.integer], sizes: Integers
) -> Floats | npt.NDArray[np.integer]:
    """Return the weight of ruling out one value with these counts; weights add up."""
    # of sets ln((n − c)/n): −∞ for a value that everybody has
    return _log_or_settled(sizes - counts) - np.log(sizes) if semantics == "set" else counts


def log_odds_against(
    semantics: Semantics, n: Integers, a: Integers, ruled_out: Floats | Integers, k: int | Integers
) -> Floats:
    """Return the logarithm of T; `ruled_out` are added weights."""
    if semantics == "single":
        return _log_or_settled(n - a - ruled_out - k) - np.log(a)
    if semantics == "set":
        return _log_or_settled(n - a - k) - np.log(a) + ruled_out
    left = np.asarray(n - k)
    log_q = a * np.log1p(-1 / np.maximum(left, 2))
    logs = log_q - np.log(-np.expm1(log_q)) + ruled_out * np.log1p(-1 / np.maximum(n, 2))
    return np.where(left <= 1, SETTLED, logs)


def log_none_has(semantics: Semantics, n: Integers, a: Integers, m: int | Integers, k: int | Integers) -> Floats:
    """Return the logarithm of V."""
    left = np.asarray(n - k)
    # where it is settled, any numbers will do that keep the logarithm finite until SETTLED replaces it
    if semantics == "multiset":
        settled: Flags = np.less_equal(left, m)
        logs: Floats = np.asarray(a * np.log1p(-np.where(settled, 0.5, m / np.maximum(left, 1))), np.float64)
    else:
        needed = a + m
        settled, logs = np.less(left, needed), log_missing_all(np.maximum(left, needed), a, m)
    return np.where(np.equal(m, 0), 0.0, np.where(settled, SETTLED, logs))


def _log_or_settled(amount: Floats | Integers) -> Floats:
    """Return the logarithm of positive amounts, SETTLED of others."""
    return np.asarray(np.log(amount, out=np.full(np.shape(amount), SETTLED), where=np.asarray(amount) > 0))


# Logarithms of V.
#
#     Π_{i<m} (n−a−i)/(n−i)  =  (n−m)!·(n−a)! / (n!·(n−a−m)!)
#
# A difference of log-factorials loses as many digits as n has.  With x! = x^(x+½)·e^(c−x+s(x)) (Stirling, s(x) ≈ 1/12x)
# all that is large cancels on paper instead:
#
#     (n−m+½)·ln(1−m/n) + m·ln((n−a)/n) − (n−a−m+½)·ln(1−m/(n−a)) + s(n−m) + s(n−a) − s(n) − s(n−a−m)
#
# where no term is above a few times m: that is how much rounding may weigh.  It is the same with a and m exchanged.

SERIES_FROM = 64
"""From here on three terms of the series for s(x) are exact in floats."""

_LOG_FACTORIAL = np.array([lgamma(1 + number) for number in range(1024)])
"""Small groups lose too few digits to matter, and a table is quicker."""

_STIRLING_REST = np.array(
    [_LOG_FACTORIAL[x] - (x + 0.5) * np.log(max(x, 1)) + x - np.log(2 * np.pi) / 2 for x in range(SERIES_FROM)]
)


def log_missing_all(n: Integers, a: Integers, m: int | Integers) -> Floats:
    """Return the logarithm of the probability that m of n people are none of a; whole numbers, a + m ≤ n, n > 0."""
    if np.max(n, initial=0) < len(_LOG_FACTORIAL):
        return np.asarray(_LOG_FACTORIAL[n - m] + _LOG_FACTORIAL[n - a] - _LOG_FACTORIAL[n] - _LOG_FACTORIAL[n - a - m])
    more, fewer = np.maximum(a, m), np.minimum(a, m)  # rounding weighs a few times the smaller one
    others, rest = n - more, n - more - fewer
    others_or_one, rest_or_one = np.maximum(others, 1), np.maximum(rest, 1)  # 0! is 1!
    cancelled: Floats = (
        (n - fewer + 0.5) * np.log1p(-fewer / n)
        + fewer * np.log(others_or_one / n)
        - (rest + 0.5) * np.log1p((rest_or_one - others_or_one) / others_or_one)
        + (_log_stirling_rest(n - fewer) - _log_stirling_rest(n))
        + (_log_stirling_rest(others) - _log_stirling_rest(rest))
    )
    return cancelled


def _log_stirling_rest(x: Integers) -> Floats:
    """Return s(x), what Stirling's formula leaves out."""
    inverse = 1 / np.maximum(x, SERIES_FROM)
    square = inverse * inverse
    series = inverse * (1 / 12 - square * (1 / 360 - square / 1260))
    # as a rule all numbers are large, and the table is not needed
    if np.min(x, initial=SERIES_FROM) >= SERIES_FROM:
        return np.asarray(series)
    return np.where(x < SERIES_FROM, _STIRLING_REST[np.minimum(x, SERIES_FROM - 1)], series)


class Knowledge(NamedTuple):
    """The amounts of knowledge: ℓ, k, m."""

    rules_out: int
    others: int
    family: int


class Factors(NamedTuple):
    """The factors of a product to minimise: T with this many others, V with this many (`None`: not a factor)."""

    target: int | None
    family: int | None


def five_products(knowledge: Knowledge) -> tuple[Factors, ...]:
    """Return the factors of the five products."""
    k = knowledge.others
    return Factors(k, k + 1), Factors(k, None), Factors(None, 0), Factors(0, None), Factors(None, k)


ARRANGEMENTS = ((0,), (1, 2), (3, 4))
"""The minima that are multiplied; of equal arrangements the first is reported, which needs the fewest groups."""

ALL_TOGETHER, OTHERS_WITH_TARGET, OTHERS_WITH_FAMILY = range(len(ARRANGEMENTS))


# The mathematics of the measure, for many groups and values at once.


def log_products(
    semantics: Semantics, n: Integers, a: Integers, ruled_out: Floats | Integers, knowledge: Knowledge
) -> tuple[Floats, ...]:
    """Return the logarithms of the five products, for arrays that broadcast; a ≥ 1.

    >>> n, a = np.array([10, 10]), np.array([2, 5])
    >>> logs = log_products("single", n, a, np.array([4, 3]), Knowledge(rules_out=1, others=1, family=0))
    >>> np.exp(logs[1]).round(9).tolist()
    [1.5, 0.2]
    """
    _, k, m = knowledge
    # T with k others is a factor of two products, and without others k = 0 makes it the third's: computed once
    target = log_odds_against(semantics, n, a, ruled_out, k)
    lone_target = target if k == 0 else log_odds_against(semantics, n, a, ruled_out, 0)
    if m == 0:  # V is 1
        certain = np.zeros(np.broadcast_shapes(n.shape, a.shape))
        return target, target, certain, lone_target, certain

    def none_has(known: int) -> Floats:
        return _once_per_pair(lambda n, a: log_none_has(semantics, n, a, m, known), n, a)

    lone_family = none_has(0)
    return target + none_has(k + 1), target, lone_family, lone_target, lone_family if k == 0 else none_has(k)


def _once_per_pair(compute: Callable[[Integers, Integers], Floats], n: Integers, a: Integers) -> Floats:
    """Compute a function of n and a alone: once per pair where their ranges have fewer pairs than there are entries."""
    if a.size == 0:
        return np.empty(a.shape)
    least, most, count = int(n.min()), int(n.max()), int(a.max())
    if (most - least + 1) * count >= a.size:
        return compute(n, a)
    sizes, counts = np.arange(least, most + 1), np.arange(1, count + 1)
    return np.asarray(compute(sizes[:, np.newaxis], counts)[n - least, a - 1])


def least_product(minima: Floats | Sequence[Floats]) -> Floats:
    """Combine the logarithms of the five minima to ln NR."""
    all_together, target, lone_family, lone_target, family = minima
    return np.asarray(np.minimum(all_together, np.minimum(target + lone_family, lone_target + family)))


# One group seen from one value, exactly.


@dataclass(frozen=True, slots=True)
class ValueInGroup:
    """A group seen from a value: its people (n), those with the value (a), the counts that are ruled out (c_i)."""

    semantics: Semantics
    people: int
    count: int
    ruled_out: tuple[int, ...]

    @classmethod
    def from_row(cls, groups: Groups, row: int, value: int, rules_out: int) -> ValueInGroup:
        values, counts = groups.counts.occurring(row)
        count = int(counts[values == value].sum())
        top = sorted(counts[values != value].tolist(), reverse=True)[:rules_out]
        return cls(groups.semantics, int(groups.sizes[row]), count, tuple(top))

    def odds_against(self, k: int, arithmetic: RatioArithmetic[Number]) -> Number:
        """Return T."""
        n: int = self.people
        a: int = self.count
        if self.semantics == "single":
            return arithmetic.ratio(max(n - a - sum(self.ruled_out) - k, 0), a)
        if self.semantics == "set":  # values that no one has rule out no one
            return arithmetic.product([(max(n - a - k, 0), a), *((n - each, n) for each in self.ruled_out if each)])
        if n - k <= 1:
            return arithmetic.ratio(0, 1)
        q = arithmetic.ratio(n - k - 1, n - k) ** a
        return q / (1 - q) * arithmetic.ratio(n - 1, n) ** sum(self.ruled_out)

    def none_has(self, m: int, k: int, arithmetic: RatioArithmetic[Number]) -> Number:
        """Return V."""
        n, a = self.people, self.count
        if m == 0:
            return arithmetic.ratio(1, 1)
        if self.semantics == "multiset":
            return arithmetic.ratio(max(n - k - m, 0), max(n - k, 1)) ** a
        if n - a - k - m < 0:
            return arithmetic.ratio(0, 1)
        # the product is the same with a and m exchanged: as few factors as possible
        fewer, more = sorted((a, m))
        return arithmetic.product((n - k - more - i, n - k - i) for i in range(fewer))

    def bits(self, m: int) -> int:
        """Estimate how many bits T·V has as a fraction."""
        if self.semantics == "multiset":
            return self.people.bit_length() * (self.count + sum(self.ruled_out) + (self.count if m else 0))
        return self.people.bit_length() * (min(self.count, m) + len(self.ruled_out) + 1)

    def product(self, factors: Factors, m: int, arithmetic: RatioArithmetic[Number]) -> Number:
        result = arithmetic.ratio(1, 1)
        if factors.target is not None:
            result *= self.odds_against(factors.target, arithmetic)
        if factors.family is not None:
            result *= self.none_has(m, factors.family, arithmetic)
        return result


def index_of_least(rivals: Sequence[ValueInGroup], factors: Factors, m: int) -> int:
    """Return the index of the smallest exact product, the first of equal ones."""

    def find(arithmetic: RatioArithmetic[Any]) -> int:
        products = [each.product(factors, m, arithmetic) for each in rivals]
        return products.index(min(products))

    return compare_exactly(max(each.bits(m) for each in rivals), find)


# Groups × values reduced to what can matter: of those that are the same in n, a and what is ruled out, one.


class ValuesInGroups:
    """Values that occur in groups, sorted by value; of those with the same odds the first group's.

    `columns` are indices of the values in question, `rows` those of the groups; `ruled_out` is the added weight
    (`weigh_ruled_out`) of the values ruled out, and `ruled_out_id` a whole number that stands for them.
    """

    def __init__(self, groups: Groups, values: Integers, rules_out: int) -> None:
        top = groups.counts.largest(top_width(groups.counts, rules_out))
        rows, columns, counts = _list_occurring(groups.counts, values)
        if groups.semantics == "set":
            ids = number_vectors(np.column_stack((groups.sizes, top)))[0][rows]
        else:
            ids = _sum_without(top, rows, counts)
        (columns, sizes, ids, counts), rows = smallest_of_each((columns, groups.sizes[rows], ids, counts), rows)
        there = counts > 0
        self.columns, self.sizes, self.counts, self.rows = columns[there], sizes[there], counts[there], rows[there]
        self.ruled_out_id = self.ruled_out = ids[there]
        if groups.semantics == "set":
            self.ruled_out = _log_product_without(top, groups.sizes, self.rows, self.counts)  # type: ignore[assignment]

    def identity(self, factors: Factors) -> Integers:
        decisive = [self.columns, self.sizes, self.counts]
        return np.column_stack(decisive if factors.target is None else [*decisive, self.ruled_out_id])


def ruled_out_weights(groups: Groups, counts: Integers, rules_out: int) -> Floats | Integers:
    """Return the weight of the ℓ most frequent other values, for every group and value (with these counts)."""
    top = groups.counts.largest(top_width(groups.counts, rules_out))
    rows = np.broadcast_to(np.arange(len(groups))[:, np.newaxis], counts.shape)
    if groups.semantics == "set":
        return _log_product_without(top, groups.sizes, rows, counts)
    return _sum_without(top, rows, counts)


def top_width(counts: Counts, rules_out: int) -> int:
    """Return how many of the largest counts are needed: ℓ+1, and at most one more than any group has.

    The ℓ largest beside any one value are among them.
    """
    return min(rules_out, counts.most_in_a_row) + 1


def cut_groups(groups: Groups, rules_out: int) -> Iterator[Groups]:
    """Yield blocks of groups; sparse counts are never spread out, so that only their ℓ+1 largest need to fit."""
    if groups.counts.cells is not None:
        yield from groups.blocks()
        return
    step = CELLS_AT_ONCE // top_width(groups.counts, rules_out) + 1
    for start in range(0, max(len(groups), 1), step):
        yield groups.take(slice(start, start + step))


def _list_occurring(counts: Counts, values: Integers) -> tuple[Integers, Integers, Integers]:
    if counts.cells is not None:
        cells = counts.cells if len(values) == counts.width else counts.cells[:, values]
        return np.arange(counts.rows)[:, np.newaxis], np.arange(len(values)), cells
    rows, indices, amounts = counts.entries()
    column = np.full(counts.width, -1)
    column[values] = np.arange(len(values))
    kept = column[indices] >= 0
    return rows[kept], column[indices[kept]], amounts[kept]


def _sum_without(top: Integers, rows: Integers, counts: Integers) -> Integers:
    """Add up the ℓ largest counts of other values: of the ℓ+1 largest of all, leave out σ's own or the last."""
    sums: Integers = np.maximum(counts, top[:, -1][rows])
    np.subtract(top.sum(axis=1)[rows], sums, out=sums)  # in place: fetching fresh memory is what takes the time
    return sums


def _log_product_without(top: Integers, sizes: Integers, rows: Integers, counts: Integers) -> Floats:
    """Add up logarithms likewise, where a value that everybody has must not be subtracted from itself."""
    weights = weigh_ruled_out("set", top, sizes[:, np.newaxis])
    everybody = np.isneginf(weights)
    sums = np.where(everybody, 0.0, weights).sum(axis=1)[rows]
    own = weigh_ruled_out("set", np.maximum(counts, top[:, -1][rows]), sizes[rows])
    certain = everybody.sum(axis=1)[rows] - np.isneginf(own)
    return np.where(certain > 0, -np.inf, sums - np.where(np.isneginf(own), 0.0, own))


# The summary.


UNDECIDED = -2
"""In `set` no whole number stands for a weight ruled out across blocks: equal or not must be decided exactly."""


@dataclass(frozen=True, eq=False, slots=True)
class FiveMinima:
    """For each value in question and each of the five products: the smallest logarithm, and the first group with it.

    `groups` are the parts of the release that hold these groups; `part` and `row` locate them (−1: the value has not
    occurred yet, and its logarithms are infinite).  `identity` holds the whole numbers that decide the odds there.
    """

    knowledge: Knowledge
    domain: tuple[Label, ...]
    values: Integers  # indices in the domain
    logs: Floats  # product × value
    part: Integers
    row: Integers
    identity: Integers
    groups: tuple[Groups, ...]

    @classmethod
    def from_groups(cls, groups: Groups, values: Integers, knowledge: Knowledge) -> FiveMinima:
        """Find the five minima over some groups, for all values at once."""
        groups = groups.sort_by_number()  # the first row is then the group with the smallest number
        occurring = ValuesInGroups(groups, values, knowledge.rules_out)
        logs = np.full((5, len(values)), np.inf)
        row = np.full((5, len(values)), -1)
        identity = np.full((3, 5, len(values)), -1)

        def value_at(index: int) -> ValueInGroup:
            row, value = int(occurring.rows[index]), int(values[occurring.columns[index]])
            return ValueInGroup.from_row(groups, row, value, knowledge.rules_out)

        products = log_products(groups.semantics, occurring.sizes, occurring.counts, occurring.ruled_out, knowledge)
        for number, (factors, scores) in enumerate(zip(five_products(knowledge), products, strict=True)):
            best = _least_of_each_value(scores, occurring, factors, knowledge.family, value_at)
            column = occurring.columns[best]
            logs[number, column], row[number, column] = scores[best], occurring.rows[best]
            identity[:2, number, column] = occurring.sizes[best], occurring.counts[best]
            if factors.target is not None:
                identity[2, number, column] = UNDECIDED if groups.semantics == "set" else occurring.ruled_out_id[best]
        # there is one part so far, 0; −1 stays where no group has the value
        part = np.minimum(row, 0)
        return cls(knowledge, groups.domain, values, logs, part, row, identity, (groups,))._reduce()

    def merge(self, other: FiveMinima) -> FiveMinima:
        # where floats cannot tell which one is smaller
        with np.errstate(invalid="ignore"):  # two zeros have no distance
            apart = np.abs(self.logs - other.logs)
        near = (self.logs == other.logs) | (apart <= tolerance(self.logs, self.knowledge.family))
        close = near & (self.part >= 0) & (other.part >= 0)
        same = (self.identity == other.identity).all(axis=0) & (self.identity[2] != UNDECIDED)
        if self.knowledge.family == 0:  # V is 1 wherever one looks
            same[[factors.target is None for factors in five_products(self.knowledge)]] = True
        first, second = self.numbers(), other.numbers()
        settled = np.isneginf(self.logs) & np.isneginf(other.logs)
        # equal for certain: the smaller number stands for both; not equal for certain: floats, or exact numbers, decide
        take = np.where(close & (same | settled), second < first, other.logs < self.logs)
        for number, column in np.argwhere(close & ~same & ~settled).tolist():
            earlier = bool(first[number, column] < second[number, column])
            take[number, column] = self._yields(number, column, other, earlier=earlier)
        return replace(
            self,
            logs=np.where(take, other.logs, self.logs),
            part=np.where(take, other.part + len(self.groups), self.part),
            row=np.where(take, other.row, self.row),
            identity=np.where(take, other.identity, self.identity),
            groups=self.groups + other.groups,
        )._reduce()

    def worst(self) -> tuple[int, int, Amount] | None:
        """Find the value most at risk, exactly; of equal ones the first in the domain.  `None`: nobody has any.

        Return its index among those in question, the arrangement that reaches the risk, and the risk.
        """
        against = least_product(self.logs)
        low = against.min(initial=np.inf)
        if low == np.inf:
            return None
        candidates = [*product(self._near_worst(against).tolist(), range(len(ARRANGEMENTS)))]
        options = [[(number, column) for number in ARRANGEMENTS[arrangement]] for column, arrangement in candidates]
        best, risk = self.least_odds(options)
        return *candidates[best], Fraction(1) if low == -np.inf else risk

    def least_odds(self, options: Sequence[Sequence[tuple[int, int]]]) -> tuple[int, Amount]:
        """Find the least exact product, of equal ones the first, and its risk; of minima by (number, column)."""
        bits = [sum(self.value_at(*each).bits(self.knowledge.family) for each in option) for option in options]
        # estimated first: fractions with too many bits are compared in decimals instead
        best = compare_exactly(
            max(bits), lambda arithmetic: min(range(len(options)), key=lambda at: self._odds(options[at], arithmetic))
        )
        risk = compute_exactly(
            bits[best], BITS_REPORTED, lambda arithmetic: arithmetic.risk(self._odds(options[best], arithmetic))
        )
        return best, risk

    def group(self, number: int, column: int) -> Groups:
        row = int(self.row[number, column])
        return self.groups[int(self.part[number, column])].take(slice(row, row + 1))

    def numbers(self) -> Integers:
        """Return the number of each group pointed at, in the release."""
        numbers = np.zeros_like(self.part)
        for part, groups in enumerate(self.groups):
            here = self.part == part
            numbers[here] = groups.numbers[self.row[here]]
        return numbers

    def value_at(self, number: int, column: int) -> ValueInGroup:
        groups = self.groups[int(self.part[number, column])]
        return ValueInGroup.from_row(
            groups, int(self.row[number, column]), int(self.values[column]), self.knowledge.rules_out
        )

    def _yields(self, number: int, column: int, other: FiveMinima, *, earlier: bool) -> bool:
        """Return whether the other one's group replaces this one's, exactly; ties go to the `earlier` group."""
        pair = [self.value_at(number, column), other.value_at(number, column)]
        smaller = index_of_least(
            pair if earlier else pair[::-1], five_products(self.knowledge)[number], self.knowledge.family
        )
        return (smaller == 1) == earlier

    def _reduce(self) -> FiveMinima:
        """Return the same minima without the groups that none of them points at."""
        kept: list[Groups] = []
        part, row = np.full_like(self.part, -1), np.full_like(self.row, -1)
        for number, groups in enumerate(self.groups):
            here = self.part == number
            if here.any():
                rows, index = np.unique(self.row[here], return_inverse=True)
                part[here], row[here] = len(kept), index
                kept.append(groups if len(rows) == len(groups) else groups.take(rows))
        return replace(self, part=part, row=row, groups=tuple(kept))

    def _near_worst(self, against: Floats) -> Integers:
        """Return the values that floats cannot tell from the worst; of those decided by the same numbers the first."""
        low = against.min()
        if low == -np.inf:  # floats are −∞ only for odds that are exactly zero
            return np.array([against.argmin()])
        near = np.flatnonzero(against <= low + tolerance(low, self.knowledge.family))
        identity = self.identity[:, :, near]
        if (identity[2] == UNDECIDED).any():
            return near
        return near[first_of_each(identity.reshape(-1, len(near)).T)]

    def _odds(self, option: Sequence[tuple[int, int]], arithmetic: RatioArithmetic[Number]) -> Number:
        factors, m = five_products(self.knowledge), self.knowledge.family
        products = (self.value_at(number, column).product(factors[number], m, arithmetic) for number, column in option)
        return prod(products, start=arithmetic.ratio(1, 1))


def _least_of_each_value(
    scores: Floats, occurring: ValuesInGroups, factors: Factors, m: int, value_at: Callable[[int], ValueInGroup]
) -> Integers:
    # floats propose: all within tolerance of the smallest of their value (a zero is exact, and has no tolerance)
    starts = np.flatnonzero(np.diff(occurring.columns, prepend=-1))
    low = np.minimum.reduceat(scores, starts)
    finite = np.where(np.isneginf(low), 0.0, low)
    limit = low + tolerance(finite, m)
    near = np.flatnonzero(scores <= np.repeat(limit, np.diff(starts, append=len(occurring.columns))))
    # of those decided by the same whole numbers the first group stands for all
    near = near[np.lexsort((occurring.rows[near], occurring.columns[near]))]
    near = near[first_of_each(occurring.identity(factors)[near])]
    runs = np.flatnonzero(np.diff(occurring.columns[near], prepend=-1))
    rivals = np.split(near, runs[1:])
    best = near[runs]
    if factors.target is None and m == 0:  # V is 1 wherever one looks: all are equal, and the first is meant
        return best
    # exact numbers decide between those that are left
    for value in np.flatnonzero((np.diff(runs, append=len(near)) > 1) & ~np.isneginf(low)).tolist():
        best[value] = rivals[value][index_of_least([value_at(each) for each in rivals[value].tolist()], factors, m)]
    return best
