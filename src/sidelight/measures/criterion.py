"""A measure with the bound it must keep, and the judgement of a finding by it.

    measure, comparison, bound ─▶ criterion ─decide(finding)─▶ judgement

A bound means what it says in decimal and is decided in exact arithmetic.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

from sidelight.errors import BadPolicy, NotTrueOrFalse, TooHard, expect
from sidelight.measures.comparison import Comparison
from sidelight.measures.exact import Amount
from sidelight.measures.finding import Finding
from sidelight.measures.limit_grammar import limit_text
from sidelight.release.release import Release
from sidelight.rounding import at_a_glance, exact_number
from sidelight.text import html_table

if TYPE_CHECKING:
    import altair as alt

    from sidelight.measures.measure import Measure

Bound: TypeAlias = int | float | Fraction | Decimal
"""What a limit may be given as; 0.1 means a tenth (see `exact`)."""


@dataclass(frozen=True, slots=True, repr=False)
class Criterion:
    """A measure and the bound it must keep.

    Its text is a limit, which a policy's reader reads again.

    >>> from sidelight.measures.k_anonymity import GroupSize
    >>> from sidelight.measures.privacy_skyline.acquaintance import Acquaintance
    >>> print(GroupSize() >= 5, "and", Acquaintance(others=3, apart_from=("Lung cancer", "AIDS")) < 0.5)
    group size ≥ 5 and acquaintance(others=3, apart_from=[Lung cancer, AIDS]) < 0.5
    """

    measure: Measure
    comparison: Comparison
    bound: Bound

    def __post_init__(self) -> None:
        from sidelight.measures.measure import Measure  # noqa: PLC0415 - which makes criteria

        expect(Measure, self.measure, "the measure")  # type: ignore[type-abstract]
        expect(Comparison, self.comparison, "the comparison")
        # compared exactly: as a float 0.1 would not be a tenth
        bound, (least, most) = exact(self.bound), self.measure.limits
        if not least <= bound <= most:
            message = (
                f"the limit {self.bound} of '{self.measure.name}' is out of range; it lies between {least} and {most}"
            )
            raise BadPolicy(message)
        # a bound on the wrong side would hold for the worst of releases: refused, not turned around
        if self.comparison.from_above != self.measure.large_is_bad:
            right = Comparison.for_measure(large_is_bad=self.measure.large_is_bad)
            words = " or ".join(each.value.replace("_", " ") for each in right)
            message = f"a policy keeps '{self.measure.name}' {words} a limit, not {self.comparison.sign}"
            raise BadPolicy(message)

    def judge(self, release: Release) -> Judgement:
        """Measure a release and decide."""
        return self.decide(self.measure.measure(release))

    def about(self, of: str | None = None, *, known: str | Sequence[str] = ()) -> Criterion:
        """Return the same criterion about one of several sensitive columns (see `Measure.about`).

        >>> from sidelight.measures.l_diversity import DistinctValues
        >>> print((DistinctValues() >= 2).about("income"))
        distinct values(of=income) ≥ 2
        """
        return replace(self, measure=self.measure.about(of, known=known))

    def decide(self, finding: Finding) -> Judgement:
        """Decide on a finding that is at hand; raises `TooHard` where it is not exact enough to."""
        holds = self.comparison.holds(finding.value, exact(self.bound))
        # both ends of the range must be on one side of the bound, or nothing is decided
        if finding.kindest is not None and self.comparison.holds(finding.kindest, exact(self.bound)) != holds:
            low, high = sorted((float(finding.kindest), float(finding.value)))
            between = f"lies between {low:.9g} and {high:.9g}"
            message = (
                f"'{self}' cannot be told: the estimate {between}, on both sides of the limit; set another limit"
                if self.measure.estimate
                else f"'{self}' {self.measure.undecided.format(between=between)}"
            )
            raise TooHard(message)
        return Judgement(self, finding, holds)

    def __str__(self) -> str:
        return limit_text(self.measure, self.comparison, self.bound)

    def __repr__(self) -> str:
        return f"<Criterion: {self}>"

    def _repr_html_(self) -> str:
        return html_table("Criterion", ["measure", "wanted"], [(self.measure, self.bound_text)])

    @property
    def bound_text(self) -> str:
        """The bound by itself: ≥ 5."""
        return f"{self.comparison.sign} {'infinite' if self.bound == math.inf else self.bound}"

    def __bool__(self) -> bool:
        message = f"'{self}' is a criterion, not true or false; ask .judge(release).holds or put it into a Policy"
        raise NotTrueOrFalse(message)


@dataclass(frozen=True, slots=True, repr=False)
class Judgement:
    """A criterion applied to a finding."""

    criterion: Criterion
    finding: Finding
    holds: bool

    def plot(self, release: Release) -> alt.TopLevelMixin:
        """Draw the finding with the limit, on the release that was judged (see `Finding.plot`)."""
        from sidelight.report.charts.finding import finding_chart  # noqa: PLC0415 - it stands below

        return finding_chart(self.finding, release, criterion=self.criterion)

    def __repr__(self) -> str:
        where = f" in {self.finding.witness.group}" if self.finding.witness else ""
        holds = "holds" if self.holds else "does not hold"
        return f"<Judgement: {self.criterion} {holds}, it is {self.finding.value_in_words()}{where}>"

    def _repr_html_(self) -> str:
        return judgements_table("Judgement", [self], note=" ".join((self.finding.explain(), *self.finding.notes)))


def judgements_table(title: str, judgements: Sequence[Judgement], *, note: str = "") -> str:
    """Draw judgements for a notebook, under the headings that an audit has in a terminal."""
    rows = [
        (
            each.finding.measure,
            each.criterion.bound_text,
            at_a_glance(each.finding.value, large_is_bad=each.criterion.measure.large_is_bad),
            "✓ yes" if each.holds else "✗ no",
            each.finding.worst_off(),
        )
        for each in judgements
    ]
    columns = ["measure", "wanted", "found", "within policy?", "who is worst off"]
    return html_table(title, columns, rows, total=len(rows), note=note)


def exact(bound: Bound) -> Amount:
    """Return the number that a bound says in decimal: 0.1 is 1/10, not the nearest binary number."""
    return exact_number(bound, BadPolicy, "a limit")
