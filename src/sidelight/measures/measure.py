"""What every measure is: a question, a mergeable summary, a finding; and with a bound, a criterion.

    release ─▶ blocks of groups ─▶ summarize ─▶ merge ─▶ finding (value, witness) ─▶ criterion.decide ─▶ judgement

A measure's mathematics is written once, vectorised over groups, and is used in two ways: an audit reduces groups to a
`Summary`, whose finding is exact; a search asks for a `Screen`, rows of floats that join (see `exact`).  Measures
that are as bad as their worst group need only a statistic and a formula (see `group_by_group`).

*Invariants.*  Summaries merge in any order to the same finding, witness included.  `finding.value` is exact (or a float
rounded towards caution), and a bound is decided on it.  `finding.replay(release)` computes it again from the witness,
by another path.  `when_groups_merge` and `more_is_worse` are claims that searches rely on and tests try to refute.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from types import MappingProxyType
from typing import Protocol, Self, TypeAlias

from sidelight.measures.attacker import Attacker
from sidelight.measures.comparison import Comparison
from sidelight.measures.criterion import Bound, Criterion
from sidelight.measures.exact import Amount
from sidelight.measures.fields import read_fields
from sidelight.measures.finding import Finding, Witness
from sidelight.measures.measure_parts import Claims, Formula, Words
from sidelight.release.release import Release
from sidelight.text import as_names

Views: TypeAlias = dict[tuple[str | None, tuple[str, ...]], Release]
"""Views of a release with several sensitive columns, by the column and what is known."""


class Monotonicity(Enum):
    """What merging groups does to a measure's value: a claim, and `tests/claims` hunts for counterexamples to it."""

    NON_INCREASING = "never rises"
    NON_DECREASING = "never falls"
    UNKNOWN = "unknown"


class Measure(Formula, Claims, Words):
    """One question asked of a release.  Each measure is a frozen dataclass in a file of its own.

    Comparing a measure with a number gives a criterion: `GroupSize() >= 5`.  A measure has four parts (see
    `measure_parts`); only `name`, `when_groups_merge`, `summarize` (or `measure`), `explain` and `replay` have to be
    filled in:

    - the question: `name`, the settings (its fields), `semantics`, and what it is `about`;
    - the formula: `summarize` and the merging of summaries, `measure`, `screen`, and `replay` of a witness;
    - the claims: `when_groups_merge`, `limits`, `more_is_worse`, `share_at`, `belief_at`;
    - the words: `explain`, `also_called`, its text in a limit.
    """

    def __init_subclass__(cls) -> None:
        """Register a measure under its name as soon as it is declared; classes without one are steps towards some."""
        super().__init_subclass__()
        if "name" in vars(cls):
            _DECLARED[cls.name] = cls
            cls.attacker = replace(getattr(cls, "attacker", Attacker.unknown(cls.name)), name=cls.name)

    def __post_init__(self) -> None:
        """Read the fields that are declared with a reader (see `fields`)."""
        read_fields(self)

    def about(self, of: str | None = None, *, known: str | Sequence[str] = ()) -> Measure:
        """Return the measure about one of several sensitive columns, for an attacker who knows the columns `known`."""
        from sidelight.measures.about import About  # noqa: PLC0415 - which is a measure too

        return About(self, of, as_names(known))

    def resolve(self, release: Release) -> tuple[Measure, Release]:
        """Return the plain measure, and the release that it is asked of: this one, or a view of it (see `about`)."""
        return self, release

    def __ge__(self, bound: Bound) -> Criterion:
        return Criterion(self, Comparison.AT_LEAST, bound)

    def __gt__(self, bound: Bound) -> Criterion:
        return Criterion(self, Comparison.ABOVE, bound)

    def __le__(self, bound: Bound) -> Criterion:
        return Criterion(self, Comparison.AT_MOST, bound)

    def __lt__(self, bound: Bound) -> Criterion:
        return Criterion(self, Comparison.BELOW, bound)


_DECLARED: dict[str, type[Measure]] = {}


def declared_measures() -> Mapping[str, type[Measure]]:
    """Return all measures that were declared so far, ours or not, by their names."""
    return MappingProxyType(_DECLARED)


class Summary(Protocol):
    """Many groups reduced to a small value; summaries merge in any order."""

    def merge(self, other: Self) -> Self:
        """Combine with the summary of other groups of the same release."""

    def finding(self) -> Finding:
        """Read the finding off."""


@dataclass(frozen=True, slots=True)
class Worst:
    """The summary of measures that look at one group at a time: the worst group so far.

    Ties go to the group with the smallest number, so that merging in any order gives the same witness.
    """

    measure: Measure
    value: Amount | None = None  # None: no group had anything to say
    witness: Witness | None = None
    otherwise: Amount = Fraction(0)  # the value when no group has anything to say
    why: str = "no group has any value to measure"  # said about that value
    notes: tuple[str, ...] = ()  # what to know about the finding, the same for all groups

    def merge(self, other: Worst) -> Worst:
        return min(self, other, key=Worst._rank)

    def finding(self) -> Finding:
        if self.value is None:
            return Finding(self.measure, self.otherwise, None, (self.why, *self.notes))
        return Finding(self.measure, self.value, self.witness, self.notes)

    def _rank(self) -> tuple[bool, Amount, int]:
        # a summary with nothing to measure ranks behind all others
        if self.value is None or self.witness is None:
            return (True, 0, 0)
        return (False, -self.value if self.measure.large_is_bad else self.value, self.witness.group.number)
