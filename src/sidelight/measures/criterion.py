"""A measure's finding: an exact number, and the witness that reaches it.

*Invariants.*  `finding.value` is exact (or a float rounded towards caution), and a bound is decided on it.
`finding.replay(release)` computes it again from the witness, by another path.

The four comparisons are one table of their signs and words.  A measure with the bound it must keep is a criterion:

    measure, comparison, bound ─▶ criterion ─decide(finding)─▶ judgement

`CriterionCheck` decides thousands of groups at once, exactly where it is close:

Symbols     m̃ = the screen of a measure m: m in floats, a row of numbers per group that joins to that of a release;
            b = the criterion's bound; ε = how far off m̃ may be, relative to max(|b|, 1).
Decision    m̃ beyond b by more than ε decides.  Within ε of b the measure itself is computed in exact arithmetic.
Invariant   A release is within the policy by exact values only; floats save time.
Ends        An infinite value is not rounded.  A bound that is the worst value (a probability of at most 1) is idle: no
            release breaks it, and nothing is computed for it.
Cost        One vectorised screen per block of groups; exactly, one group of each kind that is close, remembered, as a
            search meets the same kinds again and again.

A bound is the number that it is in decimal, and is decided in exact arithmetic.  Measures and criteria have a text of
one line, in the grammar that `policy/limits` parses again.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import reduce
from typing import TYPE_CHECKING, Self, TypeAlias

import numpy as np

from sidelight.arrays import Flags, Floats, number_vectors
from sidelight.errors import BadPolicy, NotTrueOrFalse, TooHard, expect
from sidelight.knowledge.tokens import quote
from sidelight.measures.exact import Screen, join_all
from sidelight.rounding import as_printed, exact_number, in_words, short_amount
from sidelight.table.labels import Label, shown
from sidelight.text import html_table

if TYPE_CHECKING:
    import altair as alt

    from sidelight.measures.measure import Measure, Summary
    from sidelight.release.generalise import AnyGroups
    from sidelight.release.groups import GroupName, Groups
    from sidelight.release.release import Release


SIGNS = "[]"
"""The signs of limits besides those of facts."""

LEFT_OUT = "…"
"""Stands for a setting that is too long to be written; it is refused when the limit is parsed."""

Amount: TypeAlias = Fraction | float
"""A `Fraction`, `math.inf`, or, where logarithms make it irrational, a float rounded towards caution."""


@dataclass(frozen=True, slots=True, repr=False)
class Witness:
    """The worst case: a group and, where one decides, a value.  Measures with more to say extend it."""

    group: GroupName
    value: Label = None

    def describe(self) -> str:
        """Return the group and the value, in words."""
        return str(self.group) + (f": {self.value}" if self.value is not None else "")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.describe()}>"


@dataclass(frozen=True, slots=True, repr=False)
class Finding:
    """The value of a measure for a release: an exact number and the witness that reaches it.

    >>> from sidelight.measures.classics import GroupSize
    >>> GroupSize().measure(Release.from_counts([{"Flu": 2, "Cold": 1}, {"Flu": 2}]))
    <Finding: group size is 2, in group 2>
    """

    measure: Measure
    value: Amount
    witness: Witness | None
    notes: tuple[str, ...] = ()
    kindest: Amount | None = None
    """The other end of the range where the value is not exact or estimates differ; `value` is the cautious end."""

    def explain(self) -> str:
        """Return the finding in a sentence or two, for the person who approves the release."""
        return self.measure.explain(self)

    def replay(self, release: Release) -> Amount:
        """Compute the value again from the witness alone, by the definition or by counting worlds."""
        if self.witness is None:
            return self.value
        return self.measure.check_and_replay(self.witness, release)

    def plot(self, release: Release) -> alt.TopLevelMixin:
        """Draw the finding on its release.

        The risk against how much is known, with this finding marked; the sizes of groups; or the values of the group
        that decides beside those of everybody.  An Altair chart, which needs the extra `plot`: a notebook shows
        it, `chart.save("finding.svg")` writes it.
        """
        from sidelight.report.charts.groups import finding_chart  # noqa: PLC0415 - it stands below

        return finding_chart(self, release)

    def __repr__(self) -> str:
        where = f", in {self.witness.group}" if self.witness else ""
        return f"<Finding: {self.measure} is {self.value_in_words()}{where}>"

    def _repr_html_(self) -> str:
        row = (self.measure, self.value_in_words(), self.worst_off())
        note = " ".join((self.explain(), *self.notes))
        return html_table("Finding", ["measure", "found", "who is worst off"], [row], note=note)

    def worst_off(self) -> str:
        """Return the witness in a few words; nothing where there is none."""
        return "" if self.witness is None else self.witness.describe()

    def value_in_words(self) -> str:
        """Return the value in words, rounded towards caution: risks up, sizes and diversities down."""
        value = in_words(self.value, large_is_bad=self.measure.large_is_bad)
        return f"{value}, an estimate" if self.measure.estimate else value


class Comparison(Enum):
    """A comparison of a value with a bound; the names are those of policy.toml.

    >>> Comparison("at_least").sign, Comparison.AT_LEAST.typed_sign, Comparison.AT_LEAST.words
    ('≥', '>=', 'at least')
    """

    AT_LEAST = "at_least", "≥", ">=", "at least", "at most", operator.ge
    ABOVE = "above", ">", ">", "more than", "less than", operator.gt
    AT_MOST = "at_most", "≤", "<=", "at most", "at least", operator.le
    BELOW = "below", "<", "<", "below", "more than", operator.lt

    sign: str  # in print: ≥ > ≤ <
    typed_sign: str  # on a keyboard: >= > <= <
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
        """Return the two that suit a measure: from above for risks, from below for sizes and diversities."""
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
        """Return whether a value keeps a bound, exactly; floats are what they print, so that a copied limit holds."""
        return self.compare(as_printed(value), as_printed(bound))


Bound: TypeAlias = int | float | Fraction | Decimal
"""The types of a bound; 0.1 means a tenth (see `exact`)."""


@dataclass(frozen=True, slots=True, repr=False)
class Criterion:
    """A measure and the bound it must keep.

    Its text is a limit, which `policy/limits` parses again.

    >>> from sidelight.measures.classics import GroupSize
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
            raise BadPolicy(
                f"the limit {self.bound} of '{self.measure.name}' is out of range; it lies between {least} and {most}"
            )
        # a bound on the wrong side would hold for the worst of releases: refused, not turned around
        if self.comparison.from_above != self.measure.large_is_bad:
            right = Comparison.for_measure(large_is_bad=self.measure.large_is_bad)
            words = " or ".join(each.value.replace("_", " ") for each in right)
            raise BadPolicy(f"a policy keeps '{self.measure.name}' {words} a limit, not {self.comparison.sign}")

    def judge(self, release: Release) -> Judgement:
        """Measure a release and decide."""
        return self.decide(self.measure.measure(release))

    def about(self, of: str | None = None, *, known: str | Sequence[str] = ()) -> Criterion:
        """Return the same criterion about one of several sensitive columns (see `Measure.about`).

        >>> from sidelight.measures.classics import DistinctValues
        >>> print((DistinctValues() >= 2).about("income"))
        distinct values(of=income) ≥ 2
        """
        return replace(self, measure=self.measure.about(of, known=known))

    def decide(self, finding: Finding) -> Judgement:
        """Decide on a finding; raises `TooHard` where it is not exact enough."""
        holds = self.comparison.holds(finding.value, exact(self.bound))
        # both ends of the range must be on one side of the bound, or nothing is decided
        if finding.kindest is not None and self.comparison.holds(finding.kindest, exact(self.bound)) != holds:
            low, high = sorted((float(finding.kindest), float(finding.value)))
            between = f"lies between {low:.9g} and {high:.9g}"
            raise TooHard(
                f"'{self}' cannot be told: the estimate {between}, on both sides of the limit; set another limit"
                if self.measure.estimate
                else f"'{self}' {self.measure.undecided.format(between=between)}"
            )
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
        raise NotTrueOrFalse(
            f"'{self}' is a criterion, not true or false; ask .judge(release).holds or put it into a Policy"
        )


@dataclass(frozen=True, slots=True)
class CriterionCheck:
    """One criterion with the screen of its measure."""

    criterion: Criterion
    screen: Screen
    bound: float
    margin: float  # how far from the bound a value must be for floats to decide
    of_parts: CriterionCheck | None = None  # where groups fall into parts that can be judged one by one
    decided: dict[Hashable, dict[bytes, bool]] = field(default_factory=dict, compare=False, repr=False)  # exactly

    @classmethod
    def from_criterion(cls, criterion: Criterion, people: int) -> CriterionCheck:
        """Build the check of a criterion, for groups of up to that many people."""
        screen, bound, measure = criterion.measure.screen(), float(exact(criterion.bound)), criterion.measure
        if measure.large_is_bad and criterion.comparison.holds(exact(measure.limits[1]), exact(criterion.bound)):
            bound = math.inf  # as bad as can be is within the bound: a probability of at most 1
        # infinity is never a matter of rounding
        margin = screen.margin(bound, people) if math.isfinite(bound) else 0.0
        # whole numbers up to 2⁵³ are floats; beyond, or beside limits such as 5 + 10⁻³⁰, the next float decides nothing
        beyond = people if people > 1 << 53 else 0
        if math.isfinite(bound) and (bound != exact(criterion.bound) or beyond):
            margin = max(margin, math.ulp(max(abs(bound), beyond)))
        question, of_parts = screen.question_of_parts, None
        if question is not None:
            of_parts = cls.from_criterion(replace(criterion, measure=question), people)
        return cls(criterion, screen, bound, margin, of_parts)

    @property
    def is_idle(self) -> bool:
        """Whether no release breaks it."""
        return self.bound == math.inf and self.criterion.comparison is Comparison.AT_MOST

    @property
    def group_by_group(self) -> bool:
        """Whether groups can be judged one by one."""
        return self.screen.group_by_group or self.is_idle

    @property
    def binds_each_group(self) -> bool:
        """Whether each group on its own must keep it."""
        return self.screen.breaks_with_one_group or self.is_idle

    def clearly_holds(self, values: Floats) -> Flags:
        """Return which values keep the bound by more than rounding."""
        # the value moved by the margin towards breaking the bound: if it still holds, so does the exact one
        comparison = self.criterion.comparison
        worst = values + self.margin if comparison.from_above else values - self.margin
        return np.asarray(comparison.holds(worst, self.bound))  # type: ignore[arg-type]

    def is_close(self, values: Floats) -> Flags:
        """Return which values are so near the bound that only exact arithmetic can tell."""
        comparison = self.criterion.comparison
        best = values - self.margin if comparison.from_above else values + self.margin
        near = (values >= self.bound - self.margin) & (values <= self.bound + self.margin)
        # as sums are rounded, a value at the margin's edge may be near by one of them only: none is left between
        near |= np.asarray(comparison.holds(best, self.bound))  # type: ignore[arg-type]
        return ~self.clearly_holds(values) & near & np.isfinite(values)

    def holds_in_each(self, groups: Groups, *, if_close: bool = False) -> Flags:
        """Judge each group as if it were the whole release; `if_close` lets pass what meets a limit that may be met."""
        if self.is_idle:
            return np.ones(len(groups), bool)
        if if_close and not self.criterion.comparison.strict:
            values = [self.screen.group_values(block) for block in self.criterion.measure.blocks(groups)]
            return np.concatenate([self.clearly_holds(block) | self.is_close(block) for block in values])
        if self.of_parts is not None:
            parts, group = self.screen.parts(groups)
            holds = np.ones(len(groups), bool)
            holds[group[~self.of_parts.holds_in_each(parts)]] = False
            return holds
        return np.concatenate([self._block_holds_in_each(block) for block in self.criterion.measure.blocks(groups)])

    def _block_holds_in_each(self, groups: Groups) -> Flags:
        values = self.screen.group_values(groups)
        holds = self.clearly_holds(values)
        close = np.flatnonzero(self.is_close(values))
        if len(close):
            kinds = self.screen.kinds(groups.take(close))
            kind, first = number_vectors(kinds)
            # what a kind is worth depends on the release that it is compared with, and on what its counts count; a
            # search meets the same kind again and again
            known = self.decided.setdefault((groups.domain, groups.whole.tobytes()), {})
            for at in first:
                if kinds[at].tobytes() not in known:
                    known[kinds[at].tobytes()] = self.holds_exactly(groups.take(close[at : at + 1]))
            holds[close] = np.array([known[kinds[at].tobytes()] for at in first])[kind]
        return holds

    def holds(self, groups: AnyGroups) -> bool:
        """Judge groups together as one release, in exact arithmetic only where floats cannot tell."""
        # clearly within, or too close and exactly within; clearly outside needs no exact arithmetic either
        rows = [join_all(self.screen, self.screen.rows(block)) for block in groups.blocks()]
        value = self.screen.value(join_all(self.screen, np.concatenate(rows)))
        return bool(self.clearly_holds(value)[0]) or (bool(self.is_close(value)[0]) and self.holds_exactly(groups))

    def holds_of_nothing(self, groups: AnyGroups) -> bool:
        """A group with nothing to measure breaks no limit; a release of such groups alone may."""
        measure = self.criterion.measure
        if measure.large_is_bad and self.bound > measure.limits[0]:
            return True
        best = -math.inf if measure.large_is_bad else math.inf
        for block in groups.blocks():
            # as a rule the first group has something to measure, and the others need not be looked at
            for groups_here in (block.take(slice(0, 1)), block):
                if not (self.screen.value(self.screen.rows(groups_here)) == best).all():
                    return True
        return self.holds_exactly(groups)

    def holds_exactly(self, groups: AnyGroups) -> bool:
        """Judge groups together as one release, in exact arithmetic."""
        return self.decides(self.summary(groups))

    def finding(self, groups: AnyGroups) -> Finding:
        """Measure groups together as one release."""
        return self.summary(groups).finding()

    def decides(self, summary: Summary) -> bool:
        """Judge the release that a summary is of, in exact arithmetic."""
        return self.criterion.decide(summary.finding()).holds

    def summary(self, groups: AnyGroups) -> Summary:
        """Summarise groups exactly; summaries of groups of one release merge."""
        return merge_summaries(map(self.criterion.measure.summarize, groups.blocks()))

    def badness(self, groups: Groups) -> Floats:
        """Return a number to sort each group by: the worst have the smallest."""
        values = self.screen.value(self.screen.rows(groups))
        return -values if self.criterion.measure.large_is_bad else values


def merge_summaries(summaries: Iterable[Summary]) -> Summary:
    """Return the summary of all groups that these are of."""
    return reduce(lambda one, other: one.merge(other), summaries)


@dataclass(frozen=True, slots=True, repr=False)
class Judgement:
    """A criterion applied to a finding."""

    criterion: Criterion
    finding: Finding
    holds: bool

    def plot(self, release: Release) -> alt.TopLevelMixin:
        """Draw the finding with the limit, on the release that was judged (see `Finding.plot`)."""
        from sidelight.report.charts.groups import finding_chart  # noqa: PLC0415 - it stands below

        return finding_chart(self.finding, release, criterion=self.criterion)

    def __repr__(self) -> str:
        where = f" in {self.finding.witness.group}" if self.finding.witness else ""
        holds = "holds" if self.holds else "does not hold"
        return f"<Judgement: {self.criterion} {holds}, it is {self.finding.value_in_words()}{where}>"

    def _repr_html_(self) -> str:
        return judgements_table("Judgement", [self], note=" ".join((self.finding.explain(), *self.finding.notes)))


def limit_text(measure: object, comparison: Comparison, bound: object, *, typed: bool = False) -> str:
    """Return a measure, or its text, with its bound; `typed`: with the sign on a keyboard.

    >>> limit_text("group size", Comparison.AT_LEAST, 5), limit_text("group size", Comparison.AT_LEAST, 5, typed=True)
    ('group size ≥ 5', 'group size >= 5')
    """
    return f"{measure} {comparison.typed_sign if typed else comparison.sign} {bound}"


def call_text(name: str, settings: Mapping[str, object], *, longest: int = 120) -> str:
    """Return a measure with its settings; longer ones, such as a whole hierarchy, are left out."""
    texts = {setting: value_text(value) for setting, value in settings.items() if value is not None}
    parts = [f"{setting}={text if len(text) <= longest else LEFT_OUT}" for setting, text in texts.items()]
    return f"{name}({', '.join(parts)})" if parts else name


def value_text(value: object) -> str:
    """Return the value of a setting as text.

    >>> value_text({"a stomach disease": ["Ulcer", "Dyspepsia"]}), value_text(("[30-40]", "5", True))
    ('{a stomach disease=[Ulcer, Dyspepsia]}', '["[30-40]", 5, true]')
    """
    if isinstance(value, str):
        return quote(value, signs=SIGNS)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        keys = [quote(shown(key) if key is None else str(key), signs=SIGNS) for key in value]
        return (
            "{" + ", ".join(f"{key}={value_text(each)}" for key, each in zip(keys, value.values(), strict=True)) + "}"
        )
    if isinstance(value, Sequence | AbstractSet):
        return "[" + ", ".join(value_text(each) for each in value) + "]"
    return quote(shown(value), signs=SIGNS) if value is None else str(value)


def judgements_table(title: str, judgements: Sequence[Judgement], *, note: str = "") -> str:
    """Return judgements as a table for a notebook, with the headings of an audit in a terminal."""
    rows = [
        (
            each.finding.measure,
            each.criterion.bound_text,
            short_amount(each.finding.value, large_is_bad=each.criterion.measure.large_is_bad),
            "✓ yes" if each.holds else "✗ no",
            each.finding.worst_off(),
        )
        for each in judgements
    ]
    columns = ["measure", "wanted", "found", "within policy?", "who is worst off"]
    return html_table(title, columns, rows, total=len(rows), note=note)


def exact(bound: Bound) -> Amount:
    """Return the number that a bound is in decimal: 0.1 is 1/10, not the nearest binary number."""
    return exact_number(bound, BadPolicy, "a limit")
