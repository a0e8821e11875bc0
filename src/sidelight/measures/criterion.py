"""A measure with a bound: `Implications(3) < 0.5`."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from numbers import Rational, Real
from typing import TYPE_CHECKING, TypeAlias

from sidelight.errors import BadPolicy, NotTrueOrFalse
from sidelight.measures.finding import Amount, Finding

if TYPE_CHECKING:
    from sidelight.measures.measure import Measure
    from sidelight.release.release import Release

Bound: TypeAlias = int | float | Fraction | Decimal


class Comparison(Enum):
    """How a measure is bounded; the words are those of policy.toml."""

    AT_LEAST = "at_least"
    ABOVE = "above"
    AT_MOST = "at_most"
    BELOW = "below"

    @property
    def sign(self) -> str:
        """The usual sign: ≥ > ≤ <."""
        return {"at_least": "≥", "above": ">", "at_most": "≤", "below": "<"}[self.value]

    @property
    def from_above(self) -> bool:
        """Whether it keeps the value from getting large."""
        return self in (Comparison.AT_MOST, Comparison.BELOW)

    def holds(self, value: Amount, bound: Amount) -> bool:
        """Decide, in exact arithmetic."""
        compare: dict[Comparison, Callable[[Amount, Amount], bool]] = {
            Comparison.AT_LEAST: operator.ge,
            Comparison.ABOVE: operator.gt,
            Comparison.AT_MOST: operator.le,
            Comparison.BELOW: operator.lt,
        }
        return compare[self](value, bound)


def exact(bound: Bound) -> Amount:
    """Take a bound to mean what it says in decimal: 0.1 is 1/10, not the nearest binary number.

    >>> exact(0.1), exact(5), exact(math.inf)
    (Fraction(1, 10), Fraction(5, 1), inf)
    """
    if not isinstance(bound, Real | Decimal) or math.isnan(bound):
        message = f"a limit is a number, not {bound!r}; give a number"
        raise BadPolicy(message)
    if math.isinf(bound):
        return float(bound)
    if isinstance(bound, Rational):  # NumPy's whole numbers too
        return Fraction(int(bound.numerator), int(bound.denominator))
    return Fraction(str(bound))


@dataclass(frozen=True, slots=True)
class Judgement:
    """A criterion applied to a finding."""

    criterion: Criterion
    finding: Finding
    holds: bool


@dataclass(frozen=True, slots=True)
class Criterion:
    """A measure and the bound it must keep.

    >>> from sidelight.measures.group_size import GroupSize
    >>> print(GroupSize() >= 5)
    group size ≥ 5
    """

    measure: Measure
    comparison: Comparison
    bound: Bound

    def __post_init__(self) -> None:
        bound, (least, most) = exact(self.bound), self.measure.limits
        if not least <= bound <= most:
            message = (
                f"the limit {self.bound} of '{self.measure.name}' is out of range; it lies between {least} and {most}"
            )
            raise BadPolicy(message)
        if self.comparison.from_above != self.measure.large_is_bad:
            word = ("at most", "below") if self.measure.large_is_bad else ("at least", "above")
            message = f"a policy keeps '{self.measure.name}' {word[0]} or {word[1]} a limit, not {self.comparison.sign}"
            raise BadPolicy(message)

    def judge(self, release: Release) -> Judgement:
        """Measure a release and decide."""
        return self.decide(self.measure.measure(release))

    def decide(self, finding: Finding) -> Judgement:
        """Decide on a finding that is at hand."""
        return Judgement(self, finding, self.comparison.holds(finding.value, exact(self.bound)))

    def __str__(self) -> str:
        return f"{self.measure} {self.comparison.sign} {self.bound}"

    def __bool__(self) -> bool:
        message = f"'{self}' is a criterion, not true or false; ask .judge(release).holds or put it into a Policy"
        raise NotTrueOrFalse(message)
