"""Find in floats, decide in exact numbers: which row of many has the worst value?

A formula is written once, over an `Arithmetic`: `FLOATS` runs it for all groups at once (NumPy's float64), `EXACT` for
the few rows whose floats are too near the worst to tell (object arrays of Python's whole numbers, of fractions and,
after logarithms, of decimals with 60 digits).  A formula may use +, −, ×, comparisons and what NumPy makes of them
(sum, cumsum, sort, max), and everything else it takes from its arithmetic.

Let e(r) be the exact value of row r and s(r) its float.  Formulas here are short, so |s(r) − e(r)| is far below
`NEAR`·max(|e(r)|, 1)/2.  Hence the worst row is among those with a float within `NEAR` of the worst float
(`near_worst`), and only those are computed again.  Of rows of one kind (the whole numbers that decide the value are
the same) one stands for all, so that the exact part costs the number of different kinds near the worst.

Products of many ratios, one at a time, are computed over a `RatioArithmetic` instead (`compute_exactly`): in fractions
as long as those are short enough, in decimals of 60 digits, rounded towards caution, beyond.

A screen is what a search sees of a measure: a row of floats per group, and rows that join to the row of a release.

A summary answers once and exactly; a screen answers for thousands of candidate releases at once and roughly (to about
1e-12).  Both come from the same formula: an audit runs it over all groups and decides the nearest ones exactly, a
search keeps its rows and joins them along whatever tree it walks.

    value(join of the rows of groups g₁, g₂, …) = the measure's value of the release {g₁, g₂, …}, up to `slack`

Joining is associative and commutative, so that rows may be joined in any order.  A search decides by its screens where
they are clear of the limit by more than `slack`, and asks the measure itself (`summarize`, exact) where they are not;
of groups that are of one kind (`kinds`) it asks about one.
"""

from __future__ import annotations

import math
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from math import comb, gcd, lcm, prod
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from sidelight.arrays import Flags, Floats, Integers, first_of_each, number_vectors, reduce_fractions
from sidelight.rounding import PRECISE, log, round_up

if TYPE_CHECKING:
    from sidelight.measures.criterion import Amount
    from sidelight.release.groups import Groups

Number = TypeVar("Number", Fraction, Decimal)
Computed = TypeVar("Computed")

Numbers: TypeAlias = npt.NDArray[Any]
"""Numbers of one arithmetic: float64 (or whole numbers on their way to it), or objects that are exact."""

NEAR = 1e-9
"""Distance from the worst float (relative above 1) within which a group may have the worst exact value."""


@dataclass(frozen=True, eq=False)
class Arithmetic:
    """The operations of formulas over arrays besides +, − and ×: in floats, or in exact numbers."""

    whole: Callable[[Integers], Numbers]  # takes whole numbers into this arithmetic
    ratio: Callable[[Any, Any], Numbers]  # element by element; infinite where something is divided by 0
    log: Callable[[Numbers], Numbers]
    exp: Callable[[Numbers], Numbers]
    times_log: Callable[[Numbers], Numbers]  # c·ln c of every count c, and 0 of none


def _times_log(counts: Integers) -> Floats:
    largest = counts.max(initial=0)
    if largest < 1 << 16:  # look small counts up in half a megabyte, in a seventh of the time of taking logarithms
        every = np.arange(largest + 1)
        table: Floats = np.multiply(every, np.log(np.maximum(every, 1)), dtype=np.float64)
        return table[counts]
    return np.multiply(counts, np.log(np.maximum(counts, 1)), dtype=np.float64)


def _times_exact_log(counts: Numbers) -> Numbers:
    different, index = np.unique(counts, return_inverse=True)  # a logarithm takes as long as 100 additions
    logs: Numbers = np.array([count * Decimal(max(count, 1)).ln() for count in different], object)
    return logs[index]


FLOATS = Arithmetic(lambda numbers: numbers, np.true_divide, np.log, np.exp, _times_log)
EXACT = Arithmetic(
    whole=lambda numbers: numbers.astype(object),
    ratio=np.frompyfunc(lambda above, below: Fraction(above, below) if below else math.inf, 2, 1),
    log=np.frompyfunc(log, 1, 1),
    exp=np.frompyfunc(Decimal.exp, 1, 1),
    times_log=_times_exact_log,
)


def worst_row(
    scores: Floats,
    *,
    large_is_bad: bool,
    kinds: Callable[[Integers], Integers],
    exactly: Callable[[Integers], Sequence[Amount]],
) -> tuple[int, Amount] | None:
    """Find the row with the worst exact value; of equal ones the first.

    `scores` are the values as floats (nan: nothing to measure; a bad infinity is exact).  `kinds(rows)` gives
    the whole numbers that decide the value of each of these rows, and `exactly(kinds)` the values that they decide.

    >>> counts = np.array([[1, 3], [2, 6], [3, 10]])
    >>> worst_row(counts[:, 0] / counts[:, 1], large_is_bad=True, kinds=counts.__getitem__,
    ...           exactly=lambda kinds: [Fraction(*kind) for kind in kinds.tolist()])
    (0, Fraction(1, 3))
    """
    near = near_worst(scores, large_is_bad=large_is_bad)
    if len(near) == 0:
        return None
    if large_is_bad and scores[near[0]] == math.inf:
        return int(near[0]), math.inf
    every = kinds(near)
    first = first_of_each(every)  # in the order of the rows: of equal values the first row is kept
    values = exactly(every[first])
    worst = max(values) if large_is_bad else min(values)
    return int(near[first[values.index(worst)]]), worst


def worst_ratio(over: Integers, under: Integers, *, large_is_bad: bool = True) -> tuple[int, Fraction] | None:
    """Find the row with the largest ratio of two whole numbers, or the smallest; 0/0 is skipped."""
    pairs = np.column_stack((over, under))
    with np.errstate(invalid="ignore"):
        scores = over / under
    worst = worst_row(
        scores,
        large_is_bad=large_is_bad,
        kinds=lambda rows: reduce_fractions(pairs[rows]),
        exactly=lambda kinds: [Fraction(*kind) for kind in kinds.tolist()],
    )
    return None if worst is None else (worst[0], Fraction(worst[1]))


def near_worst(scores: Floats, *, large_is_bad: bool) -> Integers:
    """List the rows whose floats are too near the worst to tell which one it is."""
    # `fmax` and `fmin` skip nan, where there is nothing to measure
    worst = np.fmax.reduce(scores) if large_is_bad else np.fmin.reduce(scores)
    if math.isnan(worst):
        return np.empty(0, np.int64)
    # an infinite worst is exact: nothing else is near it
    distance = NEAR * max(abs(worst), 1.0) if math.isfinite(worst) else 0.0
    return np.flatnonzero(scores >= worst - distance if large_is_bad else scores <= worst + distance)


OFF_PER_RELATIVE = 8e-15
"""What one more person of a family adds to how far off a logarithm may be (see `five_minima`)."""


def tolerance(logs: Floats | float, family: int = 0) -> Floats:
    """Return how far apart logarithms of equal probabilities, or odds, may be."""
    return np.asarray(NEAR * np.maximum(np.abs(logs), 1) + OFF_PER_RELATIVE * family)


def worst_of_each_part(
    scores: Floats,
    starts: Integers,
    *,
    large_is_bad: bool,
    kinds: Callable[[Integers], Integers],
    exactly: Callable[[Integers], Sequence[Amount]],
) -> list[Amount | None]:
    """Find the worst exact value of each part of the rows, as `worst_row` does of all; None: nothing to measure.

    Part i begins at row `starts[i]`, and none is empty.  Kinds that are near the worst of several parts are computed
    once.
    """
    worst = (np.fmax if large_is_bad else np.fmin).reduceat(scores, starts)
    values: list[Amount | None] = [math.inf if large_is_bad and each == math.inf else None for each in worst.tolist()]
    distance = np.where(np.isfinite(worst), NEAR * np.maximum(np.abs(worst), 1.0), 0.0)
    part = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(scores)))
    near = scores >= (worst - distance)[part] if large_is_bad else scores <= (worst + distance)[part]  # nan is not
    rows = np.flatnonzero(near & (scores != math.inf) if large_is_bad else near)
    if len(rows):
        # a kind that is near the worst of several parts is computed once
        kind, first = number_vectors(kinds(rows))
        exact = exactly(kinds(rows[first]))
        rank = np.empty(len(exact), np.int64)
        # exact values are compared once, as whole numbers afterwards: their ranks
        rank[sorted(range(len(exact)), key=exact.__getitem__)] = np.arange(len(exact))
        begin = np.flatnonzero(np.diff(part[rows], prepend=-1))
        ranks = (np.maximum if large_is_bad else np.minimum).reduceat(rank[kind], begin)
        by_rank = dict(zip(rank.tolist(), exact, strict=True))
        for index, worst_rank in zip(part[rows[begin]].tolist(), ranks.tolist(), strict=True):
            values[index] = by_rank[worst_rank]
    return values


# Numbers that decide: fractions as long as they are short enough, else decimals of 60 digits.
#
# A probability such as (99999/100000)^100000 is a fraction of half a million digits: nobody reads it, and reducing it
# takes minutes.  Beyond `BITS_REPORTED` a risk is therefore a float rounded towards caution, as where logarithms make
# it irrational.

BITS_REPORTED = 14_000
"""The most bits of a fraction that is reported: what Python writes out (4,300 digits)."""

ROUNDING_ERROR = Decimal("1e-50")
"""Far more than the relative error of rounding to 60 digits; terms of a series below it do not matter."""


@dataclass(frozen=True, eq=False)
class RatioArithmetic(Generic[Number]):
    """Ratios of whole numbers, their products and powers: exact, or to 60 digits with errors on the side of caution."""

    ratio: Callable[[int, int], Number]
    product: Callable[[Iterable[tuple[int, int]]], Number]  # of many ratios
    risk: Callable[[Number], Amount]  # odds against to a probability, 1 / (1 + odds): exact, or rounded up
    exceeds: Callable[[Number, Fraction], bool]  # whether odds are above a limit; False where decimals cannot decide
    precision: Callable[[], AbstractContextManager[object]]  # compute inside this


def _multiply_fractions(ratios: Iterable[tuple[int, int]]) -> Fraction:
    pairs = list(ratios)  # multiply first and reduce once: reducing is the slow part
    return Fraction(prod(over for over, _ in pairs), prod(under for _, under in pairs))


FRACTIONS: RatioArithmetic[Fraction] = RatioArithmetic(
    ratio=Fraction,
    product=_multiply_fractions,
    risk=lambda against: 1 / (1 + against),
    exceeds=operator.gt,
    precision=nullcontext,
)
DECIMALS: RatioArithmetic[Decimal] = RatioArithmetic(
    ratio=lambda over, under: Decimal(over) / Decimal(under),
    product=lambda ratios: prod((Decimal(over) / Decimal(under) for over, under in ratios), start=Decimal(1)),
    risk=lambda against: min(round_up((1 + ROUNDING_ERROR) * (1 / (1 + against))), 1.0),
    exceeds=lambda odds, limit: odds * (1 - ROUNDING_ERROR) > Decimal(limit.numerator) / Decimal(limit.denominator),
    precision=lambda: localcontext(PRECISE),
)


def compute_exactly(bits: int, most: int, compute: Callable[[RatioArithmetic[Any]], Computed]) -> Computed:
    """Compute in fractions where they have at most so many bits, else in decimals."""
    arithmetic: RatioArithmetic[Any] = FRACTIONS if bits <= most else DECIMALS
    with arithmetic.precision():
        return compute(arithmetic)


def compare_exactly(bits: int, compare: Callable[[RatioArithmetic[Any]], Computed]) -> Computed:
    """Compute in fractions, which may have about 40,000 digits as they are only compared, else in decimals."""
    return compute_exactly(bits, 1 << 17, compare)


def sum_of_ratios(over: list[int], under: list[int]) -> Amount:
    """Add up ratios over one denominator; rounded up to a float where that is too long to be reported.

    >>> sum_of_ratios([1, 2], [3, 4])
    Fraction(5, 6)
    """
    # in lowest terms: groups that are whole in themselves (f = F) are whole numbers, however large they are
    ratios = [
        (above // (shared := gcd(above, below)), below // shared) for above, below in zip(over, under, strict=True)
    ]
    common = 1
    for _, below in ratios:
        common = lcm(common, below)
        if common.bit_length() > BITS_REPORTED:
            break
    else:
        return Fraction(sum(above * (common // below) for above, below in ratios), common)
    with localcontext(PRECISE):
        total = sum((Decimal(above) / below for above, below in ratios), Decimal(0))
        return round_up(total * (1 + ROUNDING_ERROR))


class Screen(ABC):
    """A measure in floats: numbers per group (rows) that join to the numbers of a release."""

    # whether a release is as bad as its worst group, so that groups can be judged one by one
    group_by_group: ClassVar[bool] = False
    # whether a release breaks a bound as soon as one of its groups, treated as a release, does: an attack on one group
    # is one on the release; an average, however, is not decided by one group
    breaks_with_one_group: ClassVar[bool] = True
    # whether its floats carry the values exactly, as they do small whole numbers
    exact: ClassVar[bool] = False
    # the measure that decides parts of groups, where these can be judged one by one
    question_of_parts: ClassVar[Any] = None

    @abstractmethod
    def rows(self, groups: Groups) -> Floats:
        """Return each group's row of numbers."""

    def parts(self, groups: Groups) -> tuple[Groups, Integers]:
        """Return the parts that groups are judged by, and the group of each."""
        return groups, np.arange(len(groups))

    def slack(self, people: int) -> float:
        """Return how far off a value may be (relative above 1) in releases whose groups have at most `people`."""
        return 0.0 if self.exact else NEAR

    def margin(self, bound: float, people: int) -> float:
        """Return how far from a bound a value must be to be on the same side of it as the exact one."""
        return self.slack(people) * max(abs(bound), 1.0)

    def harmless(self, release: Floats, rows: Floats) -> Flags:
        """Return which rows may join a release's, while groups leave, so that its exact value is certainly no worse."""
        return np.zeros(len(rows), bool)

    def kinds(self, groups: Groups) -> Integers:
        """Return whole numbers that decide each group's own value: groups that share them are of one kind."""
        return np.column_stack((groups.sizes, groups.counts.dense()))

    @abstractmethod
    def join(self, one: Floats, other: Floats) -> Floats:
        """Join rows pairwise: row i of the result stands for the groups of row i of both."""

    @abstractmethod
    def value(self, rows: Floats) -> Floats:
        """Read the measure's value off each row."""

    def group_values(self, groups: Groups) -> Floats:
        """Return the value of each group treated as a release, (groups,) float64: by its row, or a quicker way."""
        return self.value(self.rows(groups))


def divide_sums(sums: Floats) -> Floats:
    """Return the ratio of the first two sums of each row."""
    return np.asarray(sums[:, 0] / sums[:, 1])


@dataclass(frozen=True)
class SumScreen(Screen):
    """Numbers of each group that add up, and a ratio of their sums: one bad group does not break it."""

    addends: Callable[[Groups], Floats]  # (groups, numbers) float64
    ratio: Callable[[Floats], Floats] = divide_sums
    kinds_of: Callable[[Groups], Integers] | None = None
    breaks_with_one_group = False

    def rows(self, groups: Groups) -> Floats:
        return self.addends(groups)

    def kinds(self, groups: Groups) -> Integers:
        return super().kinds(groups) if self.kinds_of is None else self.kinds_of(groups)

    def join(self, one: Floats, other: Floats) -> Floats:
        return one + other

    def value(self, rows: Floats) -> Floats:
        return self.ratio(rows)


def join_all(screen: Screen, rows: Floats) -> Floats:
    """Join all rows to one, by halves."""
    while len(rows) > 1:
        # rows of the first half meet those of the second; an odd one waits for the next round
        half = len(rows) // 2
        rows = np.concatenate((screen.join(rows[:half], rows[half : 2 * half]), rows[2 * half :]))
    return rows


def join_forwards(screen: Screen, rows: Floats) -> Floats:
    """Join, for each row, all rows up to and including it (a scan, in log₂ steps over all rows at once)."""
    joined, step = rows.copy(order="K"), 1
    while step < len(rows):  # row i stands for the rows i − step + 1 … i
        # copied, as the slices overlap: rows that are joined already must not be read
        joined[step:] = screen.join(joined[step:], joined[:-step].copy())
        step *= 2
    return joined


def join_backwards(screen: Screen, rows: Floats) -> Floats:
    """Join, for each row, all rows from it on."""
    return join_forwards(screen, rows[::-1])[::-1]


@cache
def bernoulli_number(k: int) -> Fraction:
    """Return B_k by the recurrence Σ_{j<k} C(k, j)·B_j = 0."""
    if k == 0:
        return Fraction(1)
    return -sum((comb(k + 1, j) * bernoulli_number(j) for j in range(k)), Fraction(0)) / (k + 1)


PI = Decimal(
    "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798214808651328230664709"
)


def ln_gamma(number: Decimal) -> Decimal:
    """Return ln Γ(x) for x > 0 to as many digits as the context has, up to 110: by Stirling's series, from 150 on."""
    before = Decimal(1)
    # Γ(x + 1) = x·Γ(x) moves the argument to where the series converges
    while number < 150:
        before *= number
        number += 1
    series = (number - Decimal("0.5")) * number.ln() - number + (2 * PI).ln() / 2 - before.ln()
    for k in range(1, 61):
        bernoulli = bernoulli_number(2 * k)
        coefficient = Decimal(bernoulli.numerator) / (bernoulli.denominator * 2 * k * (2 * k - 1))
        series += coefficient / number ** (2 * k - 1)
    return series
