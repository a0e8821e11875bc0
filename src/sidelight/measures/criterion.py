"""The answer to a measure's question: an exact number, and the witness that reaches it.

*Invariants.*  `finding.value` is exact (or a float rounded towards caution), and a bound is decided on it.
`finding.replay(release)` computes it again from the witness, by another path.

The four comparisons are one table of their signs and words.  A measure with the bound it must keep is a criterion:

    measure, comparison, bound ─▶ criterion ─decide(finding)─▶ judgement

A bound means what it says in decimal and is decided in exact arithmetic.  Measures and criteria write themselves in
one line of text, by the grammar that `policy/limits` reads again.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import TYPE_CHECKING, Self, TypeAlias

from sidelight.errors import BadPolicy, NotTrueOrFalse, TooHard, expect
from sidelight.knowledge.tokens import quote
from sidelight.rounding import as_printed, exact_number, in_words, short_amount
from sidelight.table.labels import shown
from sidelight.text import html_table

if TYPE_CHECKING:
    import altair as alt

    from sidelight.measures.measure import Measure
    from sidelight.release.groups import GroupName
    from sidelight.release.release import Release
    from sidelight.table.labels import Label


SIGNS = "[]"
"""What is a sign in a limit besides the signs of facts."""

LEFT_OUT = "…"
"""Stands for a setting that is too long to be written; nobody reads it again as if it were one."""

Amount: TypeAlias = Fraction | float
"""A `Fraction`, `math.inf`, or, where logarithms make it irrational, a float rounded towards caution."""


@dataclass(frozen=True, slots=True, repr=False)
class Witness:
    """Who is worst off: a group and, where one decides, a value.  Measures that know more extend it."""

    group: GroupName
    value: Label = None

    def describe(self) -> str:
        """Return the group and the value, in words."""
        return str(self.group) + (f": {self.value}" if self.value is not None else "")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.describe()}>"


@dataclass(frozen=True, slots=True, repr=False)
class Finding:
    """The answer to one question about a release: an exact number and the witness that reaches it.

    >>> from sidelight.measures.classics import GroupSize
    >>> GroupSize().measure(Release.from_counts([{"Flu": 2, "Cold": 1}, {"Flu": 2}]))
    <Finding: group size is 2, in group 2>
    """

    measure: Measure
    value: Amount
    witness: Witness | None
    notes: tuple[str, ...] = ()
    kindest: Amount | None = None
    """Where the time was up before it was exact, or estimates differ: the kind end; `value` is the cautious one."""

    def explain(self) -> str:
        """Return it in a sentence or two, for someone who has to sign."""
        return self.measure.explain(self)

    def replay(self, release: Release) -> Amount:
        """Compute the value again from the witness alone, by the definition or by counting worlds."""
        if self.witness is None:
            return self.value
        return self.measure.check_and_replay(self.witness, release)

    def plot(self, release: Release) -> alt.TopLevelMixin:
        """Draw it on the release that it is of.

        The risk against how much is known, with what was asked about marked; the sizes of groups; or the values of the
        group that decides beside those of everybody.  An Altair chart, which needs the extra `plot`: a notebook shows
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
        """Return who is worst off, in a few words; nothing where nobody is."""
        return "" if self.witness is None else self.witness.describe()

    def value_in_words(self) -> str:
        """Return the value for a person, rounded towards caution: risks up, sizes and diversities down."""
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


Bound: TypeAlias = int | float | Fraction | Decimal
"""What a limit may be given as; 0.1 means a tenth (see `exact`)."""


@dataclass(frozen=True, slots=True, repr=False)
class Criterion:
    """A measure and the bound it must keep.

    Its text is a limit, which a policy's reader reads again.

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
        """Decide on a finding that is at hand; raises `TooHard` where it is not exact enough to."""
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
    """Return a measure, or its text, with its bound; `typed` with the sign that a keyboard has.

    >>> limit_text("group size", Comparison.AT_LEAST, 5), limit_text("group size", Comparison.AT_LEAST, 5, typed=True)
    ('group size ≥ 5', 'group size >= 5')
    """
    return f"{measure} {comparison.typed_sign if typed else comparison.sign} {bound}"


def call_text(name: str, settings: Mapping[str, object], *, longest: int = 120) -> str:
    """Return a measure with its settings; what takes more characters, such as a whole hierarchy, is left out."""
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
    """Draw judgements for a notebook, under the headings that an audit has in a terminal."""
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
    """Return the number that a bound says in decimal: 0.1 is 1/10, not the nearest binary number."""
    return exact_number(bound, BadPolicy, "a limit")
