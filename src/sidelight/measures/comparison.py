"""The four comparisons of a measure with a bound: one table of their signs and words, which everybody uses."""

from __future__ import annotations

import operator
from collections.abc import Callable
from enum import Enum
from typing import NamedTuple

from sidelight.measures.exact import Amount
from sidelight.rounding import as_printed


class Comparison(Enum):
    """A comparison of a value with a bound; the names are those of policy.toml.

    >>> Comparison("at_least").sign, Comparison.AT_LEAST.typed_sign, Comparison.AT_LEAST.words
    ('≥', '>=', 'at least')
    """

    AT_LEAST = "at_least"
    ABOVE = "above"
    AT_MOST = "at_most"
    BELOW = "below"

    @classmethod
    def from_sign(cls, sign: str) -> Comparison | None:
        """Return the comparison that a sign stands for, in print or on a keyboard; None where it is no such sign."""
        return next((each for each in cls if sign in (each.sign, each.typed_sign)), None)

    @classmethod
    def for_measure(cls, *, large_is_bad: bool) -> tuple[Comparison, ...]:
        """Return the two that make sense: from above for risks, from below for sizes and diversities."""
        return tuple(each for each in cls if each.from_above == large_is_bad)

    @property
    def sign(self) -> str:
        """The usual sign: ≥ > ≤ <."""
        return _TABLE[self].sign

    @property
    def typed_sign(self) -> str:
        """The sign as a keyboard has it: >= > <= <."""
        return _TABLE[self].typed_sign

    @property
    def words(self) -> str:
        """What comes before the bound in a sentence about the value: at least 5."""
        return _TABLE[self].words

    @property
    def converse_words(self) -> str:
        """What comes before the value in a sentence about the bound: a value is at least a bound of at most it."""
        return _TABLE[self].converse_words

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
        return _TABLE[self].compare(as_printed(value), as_printed(bound))


class _Row(NamedTuple):
    sign: str
    typed_sign: str
    words: str
    converse_words: str
    compare: Callable[[Amount, Amount], bool]


_TABLE = {
    Comparison.AT_LEAST: _Row("≥", ">=", "at least", "at most", operator.ge),
    Comparison.ABOVE: _Row(">", ">", "more than", "less than", operator.gt),
    Comparison.AT_MOST: _Row("≤", "<=", "at most", "at least", operator.le),
    Comparison.BELOW: _Row("<", "<", "below", "more than", operator.lt),
}
