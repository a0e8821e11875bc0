"""The four comparisons of a measure with a bound: one table of their signs and words."""

from __future__ import annotations

import operator
from collections.abc import Callable
from enum import Enum
from typing import Self

from sidelight.measures.exact import Amount
from sidelight.rounding import as_printed


class Comparison(Enum):
    """A comparison of a value with a bound; the names are those of policy.toml.

    >>> Comparison("at_least").sign, Comparison.AT_LEAST.typed_sign, Comparison.AT_LEAST.words
    ('≥', '>=', 'at least')
    """

    AT_LEAST = "at_least", "≥", ">=", "at least", "at most", operator.ge
    ABOVE = "above", ">", ">", "more than", "less than", operator.gt
    AT_MOST = "at_most", "≤", "<=", "at most", "at least", operator.le
    BELOW = "below", "<", "<", "below", "more than", operator.lt

    sign: str  # the usual one: ≥ > ≤ <
    typed_sign: str  # as a keyboard has it: >= > <= <
    words: str  # what comes before the bound in a sentence about the value: at least 5
    converse_words: str  # what comes before the value in a sentence about the bound: a value is at least a bound of …
    compare: Callable[[Amount, Amount], bool]

    def __new__(cls, name: str, *row: object) -> Self:
        member = object.__new__(cls)
        member._value_ = name
        member.sign, member.typed_sign, member.words, member.converse_words, member.compare = row  # type: ignore[assignment]
        return member

    @classmethod
    def from_sign(cls, sign: str) -> Comparison | None:
        """Return the comparison that a sign stands for, in print or on a keyboard; None where it is no such sign."""
        return next((each for each in cls if sign in (each.sign, each.typed_sign)), None)

    @classmethod
    def for_measure(cls, *, large_is_bad: bool) -> tuple[Comparison, ...]:
        """Return the two that make sense: from above for risks, from below for sizes and diversities."""
        return tuple(each for each in cls if each.from_above == large_is_bad)

    @property
    def from_above(self) -> bool:
        """Whether it keeps the value from getting large."""
        return self in (Comparison.AT_MOST, Comparison.BELOW)

    @property
    def strict(self) -> bool:
        """Whether a value that meets the bound breaks it."""
        return self in (Comparison.ABOVE, Comparison.BELOW)

    @property
    def negation(self) -> Comparison:
        """The comparison that holds where this one does not."""
        others = Comparison.for_measure(large_is_bad=not self.from_above)
        return next(each for each in others if each.strict != self.strict)

    def holds(self, value: Amount, bound: Amount) -> bool:
        """Decide, in exact arithmetic; a float is what it prints, so that a limit copied from an answer holds."""
        return self.compare(as_printed(value), as_printed(bound))
