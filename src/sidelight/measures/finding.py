"""The answer to one question about a release: an exact number and the witness that reaches it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

from sidelight.release.groups import GroupName
from sidelight.table.labels import Label

if TYPE_CHECKING:
    from sidelight.measures.measure import Measure
    from sidelight.release.release import Release

Amount: TypeAlias = Fraction | float
"""A `Fraction`, `math.inf`, or, where logarithms make it irrational, a float rounded towards caution."""


@dataclass(frozen=True, slots=True)
class Witness:
    """Who is worst off: a group and, where one decides, a value.  Measures that know more extend it."""

    group: GroupName
    value: Label = None


@dataclass(frozen=True, slots=True)
class Finding:
    """What a measure found in a release."""

    measure: Measure
    value: Amount
    witness: Witness | None
    notes: tuple[str, ...] = ()

    def explain(self) -> str:
        """Say it in a sentence or two, for someone who has to sign."""
        return self.measure.explain(self)

    def replay(self, release: Release) -> Amount:
        """Compute the value again from the witness alone, by the definition or by counting worlds."""
        if self.witness is None:
            return self.value
        return self.measure.replay(self.witness, release)


def in_words(value: Amount, *, places: int = 4, large_is_bad: bool = True) -> str:
    """Show an amount to a person: short fractions as such, others also rounded towards caution (risks up).

    >>> in_words(Fraction(2, 3)), in_words(Fraction(7)), in_words(Fraction(12345, 99991)), in_words(math.inf)
    ('2/3', '7', '0.1235 (12345/99991)', 'infinite')
    >>> in_words(Fraction(13736425, 904)), in_words(Fraction(1, 151_515))
    ('15,195.1604', '0.0000067 (1/151515)')
    >>> in_words(1.88988, large_is_bad=False)
    '1.8898'
    """
    if value == math.inf:
        return "infinite"
    exact = Fraction(value)
    if exact.denominator == 1:
        return f"{exact.numerator:,}"
    cautious = math.ceil if large_is_bad else math.floor
    while exact and abs(exact) * 10**places < 10:  # at least two figures
        places += 1
    rounded = f"{Decimal(cautious(exact * 10**places)).scaleb(-places):,f}"
    longer = max(abs(exact.numerator), exact.denominator)
    if not isinstance(value, Fraction) or longer >= 10**6:
        return rounded
    return str(exact) if longer < 1000 else f"{rounded} ({exact})"
