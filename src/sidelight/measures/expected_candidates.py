"""How many values would remain possible for a person once another organisation has published the same way?

A prediction, before publishing, of what an intersection attack with an unseen second release leaves (Ganta et al.'s
effective anonymity |S_i|).  "The same way": the second release puts the person among as many people, of whom nobody
else is known to be in both.

Symbols     n people in the person's group, c_s of them with value s; p_s its share in the whole release; β people who
            are `borrowed` from everybody.
Model       The values around the person are m ~ Dirichlet(β·p) before the first group is seen; its n − 1 others are
            draws from m, and so are the n − 1 others of the second group (Pólya's urn, as in `attack.common_ground`).
One value   Pr(s is not among the second group's others) = Π_{t=0}^{n−2} (b + t) / (a + t), a = β + n − 1 and
            b = a − β·p_s − c_s, for a value s that is not the person's own.
Together    E|S_i| = 1 + Σ_{s in the group, not the person's} Pr(s is in the second group): the person's own value is
            in both.  The worst case is the value most likely to occur again: 1 + Σ_s Pr(s) − max_s Pr(s).
Cost        one logarithm of a ratio of gamma functions per group and value; 60 digits for the groups near the worst.

Source: the question is of Ganta, Kasiviswanathan and Smith, KDD 2008; the model is ours, and measured against simulated
second releases in docs/understand/measures/expected-candidates.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from functools import cache, partial
from math import factorial, prod
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from sidelight.errors import BadMeasure, parameter
from sidelight.measures.criterion import Amount, Finding, Witness
from sidelight.measures.exact import FRACTIONS, Arithmetic, Numbers, ln_gamma
from sidelight.measures.group_by_group import FormulaMeasure
from sidelight.measures.measure import Attacker, Monotonicity, read
from sidelight.rounding import PRECISE, in_words, round_down, whole_number
from sidelight.table.labels import Semantics, shown

if TYPE_CHECKING:
    from sidelight.arrays import Floats, Integers
    from sidelight.release.groups import Groups
    from sidelight.release.release import Release


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CandidateWitness(Witness):
    """A person with the value, and how many values this release alone leaves possible."""

    candidates: int


@dataclass(frozen=True)
class ExpectedCandidates(FormulaMeasure):
    """How many values would be left of a person, on average, once a second release like this one is published?

    min over groups and their people of E|S_i| = 1 + Σ Pr(value s of the group is in the person's group of the second
    release too), over the values s that are not the person's own.  A prediction, not a promise: the second release is
    taken to put the person among as many others, drawn from people like those of the group and `borrowed` people like
    everybody.  Exactly 1 where a group has one value, else a float rounded down.

    >>> release = Release.from_counts([{"Flu": 3, "HIV": 1}, {"Flu": 2, "HIV": 1, "Cold": 1}])
    >>> finding = ExpectedCandidates().measure(release)
    >>> round(finding.value, 4), finding.witness.group.number
    (1.5798, 1)
    >>> print(finding.explain())
    Somebody in group 1 who has 'Flu' may have 2 values now, and 1.5798 on average once a second release is published.

    Source: the question is of Ganta, Kasiviswanathan and Smith, Composition Attacks, KDD 2008; the model is ours.
    """

    borrowed: int = field(
        default=10, metadata=read(partial(whole_number, error=BadMeasure, name=parameter("borrowed"), least=1))
    )

    name: ClassVar[str] = "expected candidates"
    example_settings = ({}, {"borrowed": 1})
    attacker = Attacker(
        "somebody with a second release about the same people",
        "another release of the same kind, borrowed from this one",
        "how many values are left, on average",
        "other",
    )
    also_called = ("effective anonymity", "composition")
    large_is_bad: ClassVar[bool] = False
    scale_free: ClassVar[bool] = False
    limits = (1, float("inf"))
    semantics: ClassVar[tuple[Semantics, ...]] = ("single",)
    when_groups_merge = Monotonicity.UNKNOWN  # none was found that lowers it, and nothing is proven
    if_nothing_to_measure: ClassVar[Fraction] = Fraction(1)

    def formula(self, statistic: Numbers, groups: Groups, arithmetic: Arithmetic) -> Numbers:
        """1 + Σ Pr(s) − max Pr(s), in floats; `exact_values` has 60 digits."""
        people = statistic.sum(axis=1, keepdims=True)
        drawn = people - 1
        overall = groups.whole / max(int(groups.whole.sum()), 1)
        seen = self.borrowed * overall + statistic  # β·p + c
        # negative where a group has one value, whose result is replaced below
        rest = np.maximum(self.borrowed * (1 - overall) + drawn - statistic, 0)  # b
        # `expm1` keeps the digits of values that are hardly ever in the second group
        present = -np.expm1(_log_absent(rest, seen, drawn))
        present = np.where(statistic > 0, present, 0)
        # the worst case is the value likeliest to occur again: a person's own is not counted
        several = 1 + present.sum(axis=1) - present.max(axis=1)
        values = np.count_nonzero(statistic, axis=1)
        return np.where(values > 1, several, np.where(values == 1, 1.0, np.nan))

    def exact_values(self, statistic: Integers, groups: Groups) -> Sequence[Amount]:
        """Compute the formula to 60 digits, for a few groups; rounded down."""
        return [self._exact_value(row, groups.whole.tolist()) for row in statistic.tolist()]

    def _exact_value(self, counts: list[int], totals: list[int]) -> Amount:
        absent = self._absent(counts, totals)
        if len(absent) == 1:
            return Fraction(1)
        surest = min(absent, key=absent.__getitem__)
        others = [index for index in absent if index != surest]
        drawn, everybody = sum(counts) - 1, sum(totals)
        with localcontext(PRECISE):
            left = sum((1 - absent[index] for index in others), Decimal(1))
        rests = [self._rest(drawn, counts[index], totals[index], everybody) for index in others]
        return self._rounded_down(left, rests, drawn)

    def _rest(self, drawn: int, here: int, everywhere: int, everybody: int) -> Fraction:
        """Return b = β + n − 1 − β·p − c of a value."""
        return self.borrowed + drawn - Fraction(self.borrowed * everywhere, everybody) - here

    def _rounded_down(self, left: Decimal, rests: Sequence[Fraction], drawn: int) -> float:
        """Round E|S_i| down; where it is as good as a float, fractions decide, if there are few enough factors."""
        with localcontext(PRECISE):
            # a number this near a float, relatively, may be that float: rounding is far below
            near = Decimal("1e-40")
            below, above = round_down(left * (1 - near)), round_down(left * (1 + near))
        if below == above or drawn > MULTIPLIED:
            return below
        return round_down(1 + sum(1 - ratio_exactly(rest, self.borrowed + drawn, drawn) for rest in rests))

    def _absent(self, counts: list[int], totals: list[int]) -> dict[int, Decimal]:
        """Return Γ(b + n − 1)·Γ(a) / (Γ(b)·Γ(a + n − 1)) of each value that occurs in the group, by index."""
        drawn, everybody = sum(counts) - 1, sum(totals)
        absent = {}
        with localcontext(PRECISE):
            rising = log_rising(Fraction(self.borrowed + drawn), drawn)
            for index, count in enumerate(counts):
                if not count:
                    continue
                rest = self._rest(drawn, count, totals[index], everybody)
                # nothing is left where everybody has the value, here or everywhere
                absent[index] = (log_rising(rest, drawn) - rising).exp() if rest > 0 else Decimal(0)
        return absent

    def witness(self, groups: Groups, row: int) -> CandidateWitness:
        absent = self._absent(groups.counts.row(row).tolist(), groups.whole.tolist())
        surest = min(absent, key=lambda index: (absent[index], index))
        return CandidateWitness(groups.name(row), groups.domain[surest], candidates=len(absent))

    def explain(self, finding: Finding) -> str:
        witness = finding.witness
        if not isinstance(witness, CandidateWitness):
            return "Nobody in the release has any value, so nothing can be left of it."
        where, value = witness.group, shown(witness.value)
        if witness.candidates == 1:
            return f"Everybody in {where} has '{value}': no second release is needed to know it."
        left = in_words(finding.value, large_is_bad=False)
        return (
            f"Somebody in {where} who has '{value}' may have {witness.candidates} values now, and {left} on average "
            "once a second release is published."
        )

    def replay(self, witness: Witness, release: Release) -> Amount:
        """Multiply Π (b + t) / (a + t) out, value by value, for a person with the witness's value.

        Beyond `MULTIPLIED` factors: by Spouge's formula for Γ, which measuring does not use.
        """
        counts = release.group(witness.group).value_counts(0)
        totals = dict(zip(release.domain, release.groups.whole.tolist(), strict=True))
        others = {value: count for value, count in counts.items() if value != witness.value}
        if not others:
            return Fraction(1)
        drawn, everybody = sum(counts.values()) - 1, sum(totals.values())
        ratio = ratio_multiplied if drawn <= MULTIPLIED else ratio_by_spouge
        rests = [self._rest(drawn, count, totals[value], everybody) for value, count in others.items()]
        with localcontext(PRECISE):
            left = sum((1 - ratio(rest, self.borrowed + drawn, drawn) for rest in rests), Decimal(1))
        return self._rounded_down(left, rests, drawn)


# Γ(x + m) / Γ(x), in floats for many and in 60 digits for some; and again by other ways, to check it.


def _log_absent(rest: Floats, seen: Floats, drawn: Floats) -> Floats:
    """Return ln Γ(b + m)·Γ(a) / (Γ(b)·Γ(a + m)) with a = b + d: by Stirling's formula, term by term.

    The large parts of the four logarithms cancel before they are computed, or a group of a million people would lose
    nine digits.  −∞ where b is 0.
    """
    total = rest + seen
    with np.errstate(divide="ignore", invalid="ignore"):
        # `log1p` where the quotient is near 1, and would lose its digits
        log_ratio = np.where(seen < rest, np.log1p(-seen / total), np.log(rest / total))
        far_ratio = np.log1p(-seen / (total + drawn))
        main = (rest + drawn - 0.5) * far_ratio - (rest - 0.5) * log_ratio - seen * np.log1p(drawn / total)
        beyond = _stirling_rest(rest + drawn) - _stirling_rest(rest)
        beyond += _stirling_rest(total) - _stirling_rest(total + drawn)
    return np.where(rest > 0, main + beyond, -np.inf)


def _stirling_rest(x: Floats) -> Floats:
    """Return ln Γ(x) − (x − 1/2)·ln x + x, up to the constant ln √(2π)."""
    from scipy.special import gammaln  # noqa: PLC0415 - only here, and slow to import

    far = 64.0  # from here on three terms of Stirling's series have all digits of a float
    large = np.maximum(x, far)
    series = (1 / 12 - (1 / 360 - 1 / 1260 / large**2) / large**2) / large
    small = np.minimum(x, far)
    exactly = gammaln(small) - (small - 0.5) * np.log(small) + small - np.log(2 * np.pi) / 2
    return np.asarray(np.where(x >= far, series, exactly))


def log_rising(start: Fraction, steps: int) -> Decimal:
    """Return ln of start·(start + 1)· … ·(start + steps − 1), to about 60 digits, in the context of `PRECISE`."""
    first = Decimal(start.numerator) / start.denominator
    if steps <= 64:  # sooner multiplied than by two values of ln Γ
        return prod((first + step for step in range(steps)), start=Decimal(1)).ln()
    return ln_gamma(first + steps) - ln_gamma(first)


MULTIPLIED = 10_000
"""The most factors that are multiplied out; more would take too long."""


def ratio_multiplied(first: Fraction, total: int, steps: int) -> Decimal:
    """Return Π_{t < steps} (first + t) / (total + t), factor by factor, in the context of `PRECISE`."""
    start, product = Decimal(first.numerator) / first.denominator, Decimal(1)
    for step in range(steps):
        product *= (start + step) / (total + step)
    return product


def ratio_exactly(first: Fraction, total: int, steps: int) -> Fraction:
    """Return `ratio_multiplied` as a fraction.

    >>> ratio_exactly(Fraction(7, 2), 5, 2)
    Fraction(21, 40)
    """
    over, under = first.numerator, first.denominator
    return FRACTIONS.product((over + step * under, (total + step) * under) for step in range(steps))


SPOUGE, SPOUGE_DIGITS = 100, Context(prec=160)
"""100 terms of Spouge's formula give 80 digits; they are as large as e**100, and cancel."""


def ratio_by_spouge(first: Fraction, total: int, steps: int) -> Decimal:
    """Return `ratio_multiplied` from four values of ln Γ, in a time that does not depend on the steps."""
    with localcontext(SPOUGE_DIGITS):
        start, end = Decimal(first.numerator) / first.denominator, Decimal(total)
        log_ratio = _log_gamma(start + steps) - _log_gamma(start) - _log_gamma(end + steps) + _log_gamma(end)
    return log_ratio.exp()


def _log_gamma(x: Decimal) -> Decimal:
    """Return ln Γ(x) = ln Γ(x + 1) − ln x for x > 0.

    Γ(x + 1) = (x + A)^(x + 1/2)·e^(−x − A)·(c₀ + Σ_{0<k<A} c_k / (x + k)), but for a share of it less than (2π)^(−A).

    Source: Spouge, Computation of the Gamma, Digamma, and Trigamma Functions, SIAM Journal on Numerical Analysis, 1994.
    """
    constant, *others = _spouge()
    terms = sum((each / (x + k) for k, each in enumerate(others, start=1)), constant)
    return (x + Decimal("0.5")) * (x + SPOUGE).ln() - x - SPOUGE + terms.ln() - x.ln()


@cache
def _spouge() -> tuple[Decimal, ...]:
    """Return c₀, c₁, …: c_k = (−1)^(k − 1)·(A − k)^(k − 1/2)·e^(A − k) / (k − 1)!, and c₀ = √(2π), from Γ(1) = 1."""
    with localcontext(SPOUGE_DIGITS):
        others = [
            (-1) ** (k - 1)
            * Decimal(SPOUGE - k) ** (k - 1)
            * Decimal(SPOUGE - k).sqrt()
            / factorial(k - 1)
            * Decimal(SPOUGE - k).exp()
            for k in range(1, SPOUGE)
        ]
        at_one = Decimal(SPOUGE).exp() / Decimal(SPOUGE).sqrt()
        return at_one - sum((each / k for k, each in enumerate(others, start=1)), Decimal(0)), *others
