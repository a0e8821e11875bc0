"""How much may an attacker know before this release discloses a value?

For the page, one point (values ruled out, other people, family) is measured exactly, with its witness; the picture
around it is drawn from a map of risks that is computed once per value (`RiskMap`), so that a point can be dragged.
"""

from __future__ import annotations

import json
import math
from bisect import bisect_left
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field

import sidelight as sl
from sidelight.answers.recipe import FileRecipe, Name, write_call, write_python, write_release
from sidelight.answers.sources import open_release, read_asked_hierarchies
from sidelight.documents.document import DocumentPart, number
from sidelight.errors import BadMeasure, SidelightError, TooHard, UnknownValue, did_you_mean
from sidelight.measures.criterion import Bound, Comparison, Criterion, Finding, exact
from sidelight.measures.disclosure_curve import DisclosureCurve, KnowledgeAxis, disclosure_curve
from sidelight.measures.measure import Measure, whole_amount
from sidelight.policy.limits import Word, read_limit, read_number
from sidelight.report.answer import FlatAnswer, Live, Recipe
from sidelight.report.charts.skyline import DIRECTIONS, LiveSkyline
from sidelight.report.page import Block, Blocks, Grid, PageSection, Paragraph
from sidelight.report.report import AuditFinding, audit_report
from sidelight.rounding import ROUNDED, round_down
from sidelight.table.labels import Label, shown, written_label
from sidelight.text import counted, form, shell

if TYPE_CHECKING:
    from sidelight.answers.questions import ExploreRequest
    from sidelight.progress import Progress
    from sidelight.release.release import Release
    from sidelight.report.plots import Drawing

KNOWLEDGE = {"rules_out": "values ruled out", "others": "other people", "family": "family"}
"""The three kinds of knowledge of an acquaintance, by parameter."""

EVERY_AMOUNT_UP_TO = 50  # curves have every amount up to here, and some beyond

LINES_PRINTED = 20  # of a skyline; the JSON has all


def _read_bound(request: ExploreRequest) -> int | float | Fraction:
    try:
        return read_number(request.below)
    except ValueError as error:
        raise BadMeasure(f"cannot read --below {request.below}; {error}") from None


def _read_belief_limits(request: ExploreRequest) -> list[Criterion]:
    limits = [read_limit(text) for text in request.belief]
    for text, each in zip(request.belief, limits, strict=True):
        if not isinstance(each.measure, sl.PriorBelief) or each.comparison is not Comparison.AT_MOST:
            raise BadMeasure(f"--belief wants a limit such as 'prior belief(stubbornness=inf) <= 3', not '{text}'")
    return limits


def write_explore(request: ExploreRequest) -> str:
    """Write the Python that comes to the same."""
    release, target = Name("release"), request.target
    skyline = write_call("sl.knowledge_skyline", release, value=target, below=_read_bound(request))
    curve = write_call("sl.disclosure_curve", release, Name("sl.Implications"), Name("range(7)"), value=target)
    return write_python(
        f"release = {write_release(request.file, request.roles)}",
        f"print({skyline})",
        f"print({curve}.to_arrow())",
    )


class ExploreAnswer(FlatAnswer):
    """How much an attacker may know about a release, with risk curves and, on request, people to name."""

    question: ClassVar[str] = "How much does this release withstand?"

    kind: str = "explore"
    schema_version: int = 2
    sensitive: str | tuple[str, ...]
    value: str | tuple[str, ...]
    below: str
    knowledge_skyline: tuple[dict[str, int | None], ...] = Field(description="an amount without end is null")
    complete: bool
    curves: tuple[dict[str, Any], ...]
    belief_skylines: tuple[dict[str, Any], ...]
    limit: Live[int | float | Fraction]
    risks: Live[tuple[tuple[str, DisclosureCurve], ...]]  # the kind of knowledge, and risk by its amount
    beliefs: Live[tuple[tuple[Criterion, tuple[sl.BeliefPoint, ...]], ...]]
    up_to: Live[int]
    named: Live[str | None] = None  # the people whose values suffice, for the terminal only

    def charts(self) -> Iterator[Drawing]:
        from sidelight.report.charts.risk_curves import risk_chart  # noqa: PLC0415 - slow, and an extra

        yield risk_chart([curve for _, curve in self.risks], limit=self.limit)

    def blocks(self) -> Blocks:
        text = f"'{self.value}'" if isinstance(self.value, str) else f"any of {', '.join(map(repr, self.value))}"
        yield PageSection(f"How sure can somebody get that a person has {text}?", tuple(self._risks()))
        yield from map(_belief_section, self.beliefs)
        yield PageSection(f"What somebody may know and still be less than {self.below} sure", tuple(self._skyline()))

    def _risks(self) -> Iterator[Block]:
        """Yield the curves as rows; beyond the last change only the last row."""
        rows = [
            (amount, [_write_risk(curve, amount) for _, curve in self.risks]) for amount in amounts_up_to(self.up_to)
        ]
        shown = [
            (f"{amount:,}", *risks)
            for (_, before), (amount, risks) in pairwise([(-1, []), *rows])
            if amount <= EVERY_AMOUNT_UP_TO or amount == self.up_to or not before == risks == rows[-1][1]
        ]
        headings = ("knows", *(title for title, _ in self.risks))
        yield Grid(headings, tuple(shown), figures=frozenset(range(len(headings))))
        yield Paragraph(ROUNDED)

    def _skyline(self) -> Iterator[Block]:
        points, complete = self.knowledge_skyline, self.complete
        if not points:
            yield Paragraph("Nothing: even someone who knows nothing can be as sure as that.")
            return
        rows = [
            tuple("no end" if amount is None else f"{amount:,}" for amount in point.values())
            for point in points[:LINES_PRINTED]
        ]
        yield Grid(tuple(KNOWLEDGE.values()), tuple(rows), figures=frozenset(range(3)))
        if len(points) > LINES_PRINTED:
            more = len(points) - LINES_PRINTED
            yield Paragraph(f"… and {more:,} more such lines; --json has {'all' if complete else 'these'}.")
        if not complete:
            yield Paragraph(
                "These are some of the lines, evenly spaced: families of millions are withstood, and there are too "
                "many."
            )
        yield Paragraph("Each line is the most: with more of any one of the three, somebody may be surer.")

    def private_blocks(self) -> Blocks:
        if self.named is not None:
            title = "Whose values it takes (told here alone, and in no document)"
            yield PageSection(title, (Paragraph(self.named),))


def ask_explore(request: ExploreRequest, progress: Progress) -> ExploreAnswer:
    """Read the release, and compute the skyline of knowledge and the risk curves."""
    limit, belief_limits = _read_bound(request), _read_belief_limits(request)
    release = open_release(request.file, request.roles)
    progress("what may be known", 0, None)
    skyline = sl.knowledge_skyline(release, request.target, limit)
    beliefs = tuple(
        (each, sl.belief_skyline(release, each.measure, each.bound))
        for each in belief_limits
        if isinstance(each.measure, sl.PriorBelief)
    )
    risks = tuple(_curves(release, request, progress))
    return ExploreAnswer(
        source=request.file,
        sensitive=release.sensitive,
        value=request.target,
        below=request.below,
        knowledge_skyline=tuple(
            {name: None if amount == math.inf else int(amount) for name, amount in zip(KNOWLEDGE, point, strict=True)}
            for point in skyline
        ),
        complete=skyline.complete,
        curves=tuple(json.loads(curve.to_json()) for _, curve in risks),
        belief_skylines=tuple(
            {
                "limit": str(criterion),
                "points": [
                    {
                        # infinity is null, and a stubbornness is rounded down
                        "stubbornness": None if math.isinf(point.stubbornness) else round_down(point.stubbornness),
                        "known_people": point.known_people,
                    }
                    for point in points
                ],
            }
            for criterion, points in beliefs
        ),
        limit=limit,
        risks=risks,
        beliefs=beliefs,
        up_to=request.up_to,
        named=None if request.people is None else _name_fewest(release, request, limit),
    )


def _name_fewest(release: sl.Release, request: ExploreRequest, limit: float | Fraction) -> str:
    def measure_others(amount: int) -> Finding:
        return sl.Acquaintance(others=amount, value=request.target).measure(release)

    # risk is monotone in the number of people known, so bisection finds the first amount that is enough
    amounts = range(request.up_to + 1)
    enough = bisect_left(amounts, x=True, key=lambda amount: measure_others(amount).value >= exact(limit))
    if enough == len(amounts):
        others = f"{request.up_to:,} other {form('person', request.up_to)}"
        return f"Knowing {others} is not enough; --up-to goes further."
    named = sl.name_witness(
        measure_others(enough),
        release,
        request.people or "",
        person=request.name or "",
        by=read_asked_hierarchies(request) or None,
        suppressed=request.columns.may_hold_people,
    )
    return named.explain()


def _curves(release: sl.Release, request: ExploreRequest, progress: Progress) -> Iterator[tuple[str, DisclosureCurve]]:
    """Compute the risk of the value by each kind of knowledge alone."""
    kinds: list[tuple[str, type[Measure], str]] = [
        *((family.name, family, "k") for family in (sl.Implications, sl.Negations)),
        *((title, sl.Acquaintance, name) for name, title in KNOWLEDGE.items()),
    ]
    amounts = amounts_up_to(request.up_to)
    for title, family, name in kinds:
        curves = []
        for done, amount in enumerate(amounts):
            progress(title, done, len(amounts))
            with suppress(TooHard):  # few amounts are, and larger ones may not be: they make certain
                curves.append(disclosure_curve(release, family, {name: [amount]}, value=request.target))
        computed = tuple(amount for curve in curves for amount in curve.axes[0].amounts)
        risks = tuple(risk for curve in curves for risk in curve.risks)
        yield title, replace(curves[0], axes=(KnowledgeAxis(name, computed),), risks=risks)


def amounts_up_to(most: int) -> list[int]:
    """Return amounts of knowledge: every one at first, then each a quarter larger than the last.

    >>> amounts_up_to(3), amounts_up_to(100)[48:]
    ([0, 1, 2, 3], [48, 49, 50, 62, 77, 96, 100])
    """
    amounts = list(range(min(most, EVERY_AMOUNT_UP_TO) + 1))
    while amounts[-1] < most:
        amounts.append(min(amounts[-1] * 5 // 4, most))
    return amounts


def _write_risk(curve: DisclosureCurve, amount: int) -> str:
    (axis,) = curve.axes
    return number(curve.at(**{axis.name: amount}), large_is_bad=True).text if amount in axis.amounts else "too hard"


def _belief_section(skyline: tuple[Criterion, tuple[sl.BeliefPoint, ...]]) -> PageSection:
    """Draw a skyline of prior beliefs: the largest stubbornness by the number of people known."""
    criterion, points = skyline
    title = f"How stubborn somebody may be, who knows so many people, with {criterion}"
    if not points:
        text = "Not at all: even the least stubborn, who knows nobody, finds out more than that."
        return PageSection(title, (Paragraph(text),))
    rows = tuple(
        (
            "no end" if point.stubbornness == math.inf else f"{math.floor(point.stubbornness * 100) / 100:,}",
            f"{point.known_people:,}",
        )
        for point in points[:LINES_PRINTED]
    )
    return PageSection(title, (Grid(("stubbornness", "other people known"), rows, figures=frozenset({0, 1})),))


# One point of the skyline


MOST_DIGITS = 9


@dataclass(frozen=True, slots=True)
class SkylineRequest:
    """A sensitive value, a limit on the confidence, and an amount of knowledge, as typed."""

    value: str = ""
    below: str = "0.95"
    rules_out: str = "0"
    others: str = "0"
    family: str = "0"

    @classmethod
    def from_criterion(cls, criterion: Criterion, find_value: Callable[[], str]) -> SkylineRequest | None:
        """Return the point of a limit on acquaintances; None of other limits."""
        measure = criterion.measure
        if not isinstance(measure, sl.Acquaintance):
            return None
        amounts = {name: str(amount) for name, amount in measure.amounts().items()}
        value = measure.value if isinstance(measure.value, str) else find_value()
        return cls(value=value, below=str(criterion.bound), **amounts)

    @property
    def point(self) -> tuple[int, int, int]:
        """Rules out, others, family."""
        rules_out, others, family = (self.read_amount(name) for name in DIRECTIONS)
        return rules_out, others, family

    @property
    def bound(self) -> Bound:
        """The limit on the confidence, above 0 and at most 1."""
        try:
            bound = read_number(Word(self.below))
        except ValueError as error:
            raise BadMeasure(f"cannot read '{self.below[:40]}'; {error}") from None
        if not 0 < bound <= 1:
            raise BadMeasure(
                f"nobody is ever {self.below[:40]} sure; give a number above 0 and up to 1, such as 0.95 or 3/4"
            )
        return bound

    @property
    def criterion(self) -> Criterion:
        """The limit at this point."""
        return Criterion(sl.Acquaintance(*self.point, value=self.value), Comparison.BELOW, self.bound)

    def read_amount(self, name: str) -> int:
        """Parse an amount of knowledge."""
        text: str = getattr(self, name)
        digits = text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS
        return whole_amount(sl.Acquaintance.name, name, int(text) if digits else text[:40] or "nothing")

    def find_value(self, release: Release) -> Label:
        """Return the value as a label of the release."""
        value = written_label(self.value)
        if value not in release.domain:
            names = [shown(each) for each in release.domain]
            raise UnknownValue(
                f"no sensitive value '{self.value[:80]}' in the release{did_you_mean(self.value, names)}"
            )
        return value

    def problems(self, release: Release) -> Iterator[tuple[str, SidelightError]]:
        """Yield the fields that are invalid, with their errors."""
        for name in ("value", "below", "others", "family", "rules_out"):
            try:
                if name == "value":
                    self.find_value(release)
                elif name == "below":
                    _ = self.bound
                else:
                    self.read_amount(name)
            except SidelightError as error:
                yield name, error

    def recipe(self, file: FileRecipe) -> Recipe:
        """Write the command and the Python for the point and the skyline."""
        point = file.judging([self.criterion])
        words = [*file.words("explore"), "--value", self.value, "--below", self.below]
        commands = point.commands if file.levels else (*point.commands, shell(words))
        skyline = write_call("sl.knowledge_skyline", Name("release"), value=self.value, below=self.bound)
        python = f"{point.python}\n\nskyline = {skyline}\nskyline.plot(own={self.point})"
        return Recipe(commands=commands, python=python)


class SkylineAnswer(DocumentPart):
    """The risk at a point, and the largest harmless amount of each kind of knowledge alone."""

    sentence: str
    holds: bool | None
    people: int
    groups: int
    finding: AuditFinding
    alone: dict[str, int | None] = Field(description="the most of each by itself; none where there is no end")


def ask_skyline(request: SkylineRequest, release: Release, live: LiveSkyline) -> SkylineAnswer:
    """Measure the point; `live` is the picture around it."""
    (finding,) = audit_report(release, verdict=sl.Policy(request.criterion).judge(release)).answer.findings
    return SkylineAnswer(
        sentence=_write_conclusion(request, release, finding),
        holds=finding.holds,
        people=release.size,
        groups=len(release),
        finding=finding,
        alone={
            name: None if amount == math.inf else int(amount)
            for name, amount in zip(DIRECTIONS, live.alone, strict=True)
        },
    )


def _write_conclusion(request: SkylineRequest, release: Release, finding: AuditFinding) -> str:
    rules_out, others, family = request.point
    knows = [
        f"the values of {others:,} other {form('person', others)}" if others else "",
        f"{counted(family, 'member')} of the family" if family else "",
        f"{counted(rules_out, 'value')} that they do not have" if rules_out else "",
    ]
    *others_known, last = list(filter(None, knows)) or ["nothing but the release"]
    known = f"{', '.join(others_known)} and {last}" if others_known else last
    whom = f"of {counted(release.size, 'person')} in {counted(len(release), 'group')}"
    return (
        f"Whoever knows {known} could become {finding.result.text} sure that somebody has {request.value}, {whom}: "
        f"{'within' if finding.holds else 'not within'} the limit, below {request.below}."
    )
