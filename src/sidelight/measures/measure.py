"""What every measure is: a question, a mergeable summary, a finding."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import MISSING, dataclass, fields
from fractions import Fraction
from functools import reduce
from typing import ClassVar, Protocol, Self

from sidelight.errors import BadMeasure
from sidelight.measures.criterion import Bound, Comparison, Criterion
from sidelight.measures.finding import Amount, Finding, Witness
from sidelight.measures.screening import Outline
from sidelight.measures.trend import Trend
from sidelight.release.groups import Groups
from sidelight.release.release import Release
from sidelight.table.labels import Label
from sidelight.table.table import Semantics, Table


class Summary(Protocol):
    """Many groups reduced to a small value; summaries merge in any order."""

    def merge(self, other: Self) -> Self:
        """Combine with the summary of other groups of the same release."""

    def finding(self) -> Finding:
        """Read the finding off."""


class Measure(ABC):
    """One question asked of a release.  Each measure is a frozen dataclass in a file of its own.

    Comparing a measure with a number gives a criterion: `GroupSize() >= 5`.

    In a policy file and on the command line a measure's settings are the parameters of its class.  Where those
    hold what TOML cannot say, the class offers a class method `from_settings`, whose annotated signature then is
    what the file may say, and a method `settings()` for the way back.
    """

    name: ClassVar[str]  # in the user's words, as in policy.toml: "group size"
    large_is_bad: ClassVar[bool] = True  # a risk (bounded from above), or a size or diversity (from below)
    limits: ClassVar[tuple[Bound, Bound]] = (0, math.inf)  # what a bound may be
    semantics: ClassVar[tuple[Semantics, ...]] = ("single", "set", "multiset")  # where the question makes sense
    mergeable: ClassVar[bool] = True  # whether summaries of parts make up the whole; otherwise only whole releases

    @property
    @abstractmethod
    def when_groups_merge(self) -> Trend:
        """A claim; a plain class attribute, or a property where it depends on the parameters."""

    def trend(self, semantics: Semantics) -> Trend:
        """Say what merging groups does to the value under these semantics."""
        del semantics
        return self.when_groups_merge

    @abstractmethod
    def summarize(self, groups: Groups) -> Summary:
        """Reduce groups to what the finding needs, vectorised over the groups."""

    def measure(self, release: Release) -> Finding:
        """Answer the question for a release."""
        self.check(release)
        parts = (self.summarize(block) for block in release.groups.blocks())
        return reduce(lambda one, other: one.merge(other), parts).finding()

    def check(self, release: Release) -> None:
        """Refuse releases for which the question makes no sense."""
        if release.semantics not in self.semantics:
            message = (
                f"'{self.name}' is defined for {' and '.join(self.semantics)} values, "
                f"and this release has values=\"{release.semantics}\"; leave it out or use 'acquaintance'"
            )
            raise BadMeasure(message)

    def informed(self, table: Table) -> Measure:
        """Take the original table, where the question is about somebody who knows something of it."""
        del table
        return self

    def outline(self) -> Outline:
        """Give the measure in floats and in a form that joins, for searches."""
        message = f"'{self.name}' looks at a whole release at once; search without it and judge what is found by it"
        raise BadMeasure(message)

    @abstractmethod
    def explain(self, finding: Finding) -> str:
        """Say a finding of this measure in words."""

    @abstractmethod
    def replay(self, witness: Witness, release: Release) -> Amount:
        """Compute the value again from the witness, by another path than `summarize`."""

    @classmethod
    def examples(cls, domain: tuple[Label, ...]) -> tuple[Measure, ...]:
        """Give a few of these measures that suit releases with these values: every contract test tries them."""
        del domain
        required = [each.name for each in fields(cls) if each.default is each.default_factory is MISSING]  # type: ignore[arg-type]
        return (cls(**dict.fromkeys(required, 1)),)

    def parameters(self) -> dict[str, object]:
        """Give the parameters that differ from their defaults."""
        given = {each.name: getattr(self, each.name) for each in fields(self)}  # type: ignore[arg-type]
        return {each.name: given[each.name] for each in fields(self) if given[each.name] != each.default}  # type: ignore[arg-type]

    def __str__(self) -> str:
        said = ", ".join(f"{name} {value}" for name, value in self.parameters().items())
        return f"{self.name} ({said})" if said else self.name

    def __ge__(self, bound: Bound) -> Criterion:
        return Criterion(self, Comparison.AT_LEAST, bound)

    def __gt__(self, bound: Bound) -> Criterion:
        return Criterion(self, Comparison.ABOVE, bound)

    def __le__(self, bound: Bound) -> Criterion:
        return Criterion(self, Comparison.AT_MOST, bound)

    def __lt__(self, bound: Bound) -> Criterion:
        return Criterion(self, Comparison.BELOW, bound)


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
        """Keep the worse of the two."""
        return min(self, other, key=Worst._rank)

    def finding(self) -> Finding:
        """Report the worst group."""
        if self.value is None:
            return Finding(self.measure, self.otherwise, None, (self.why, *self.notes))
        return Finding(self.measure, self.value, self.witness, self.notes)

    def _rank(self) -> tuple[bool, Amount, int]:
        if self.value is None or self.witness is None:
            return (True, 0, 0)
        return (False, -self.value if self.measure.large_is_bad else self.value, self.witness.group.number)
