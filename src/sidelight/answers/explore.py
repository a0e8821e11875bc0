"""How much may an attacker know before this release discloses a value?"""

from __future__ import annotations

import json
import math
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field

import sidelight as sl
from sidelight.answers.recipe import Name, write_call, write_python, write_release
from sidelight.answers.request import Request
from sidelight.answers.sources import PeopleLookup, inputs_of, open_release
from sidelight.documents.document import DocumentPart, number
from sidelight.errors import BadMeasure, TooHard
from sidelight.measures.criterion import Comparison, Criterion, Finding, exact
from sidelight.measures.disclosure_curve import DisclosureCurve, KnowledgeAxis, disclosure_curve
from sidelight.measures.privacy_skyline.skyline import knowledge_skyline
from sidelight.policy.limits import read_limit, read_number
from sidelight.progress import Progress, quiet
from sidelight.report.answer import Answer, Live
from sidelight.report.page import Block, Blocks, Grid, PageSection, Paragraph
from sidelight.rounding import ROUNDED, round_down
from sidelight.text import form

if TYPE_CHECKING:
    from sidelight.measures.measure import Measure
    from sidelight.report.plots import Drawing
    from sidelight.table.roles import Roles

KNOWLEDGE = {"rules_out": "values ruled out", "others": "other people", "family": "family"}
"""The three kinds of knowledge of an acquaintance, by parameter."""

EVERY_AMOUNT_UP_TO = 50  # curves have every amount of knowledge up to here; beyond, some

LINES_PRINTED = 20  # of a skyline; the document has all


@dataclass(frozen=True, slots=True)
class ExploreRequest(Request):
    """Which file, and which of its values is explored how far."""

    file: str
    roles: Roles
    value: tuple[str, ...]
    below: str
    up_to: int
    belief: tuple[str, ...]
    people: str | None  # the original, to name the people whose values would disclose one
    name: str | None
    lookup: PeopleLookup

    def __post_init__(self) -> None:
        if (self.people is None) != (self.name is None):
            message = "--people is the original and --name its column that names people; give both"
            raise BadMeasure(message)
        if self.people is None and (self.lookup.folder or self.lookup.suppressed):
            option = "--hierarchies" if self.lookup.folder else f"--suppressed '{self.lookup.suppressed}'"
            message = f"{option} is for finding the people of --people; give that too, or leave it out"
            raise BadMeasure(message)

    @property
    def target(self) -> str | tuple[str, ...]:
        return self.value[0] if len(self.value) == 1 else self.value

    @property
    def limit(self) -> int | float | Fraction:
        try:
            return read_number(self.below)
        except ValueError as error:
            message = f"cannot read --below {self.below}; {error}"
            raise BadMeasure(message) from None

    @property
    def belief_limits(self) -> list[Criterion]:
        limits = [read_limit(text) for text in self.belief]
        for text, each in zip(self.belief, limits, strict=True):
            if not isinstance(each.measure, sl.PriorBelief) or each.comparison is not Comparison.AT_MOST:
                message = f"--belief wants a limit such as 'prior belief(stubbornness=inf) <= 3', not '{text}'"
                raise BadMeasure(message)
        return limits

    def check(self) -> None:
        _ = self.limit, self.belief_limits  # what cannot be read is refused before anything else

    def files(self) -> tuple[Path, ...]:
        return (*inputs_of(self.file, *([] if self.people is None else [self.people])), *self.lookup.files())

    def python(self) -> str:
        release, target = Name("release"), self.target
        skyline = write_call("sl.knowledge_skyline", release, value=target, below=self.limit)
        curve = write_call("sl.disclosure_curve", release, Name("sl.Implications"), Name("range(7)"), value=target)
        return write_python(
            f"release = {write_release(self.file, self.roles)}", f"print({skyline})", f"print({curve}.to_arrow())"
        )


class Exploration(DocumentPart):
    """How much a release withstands: the most that may be known, and how the risk grows."""

    sensitive: str | tuple[str, ...]
    value: str | tuple[str, ...]
    below: str
    knowledge_skyline: tuple[dict[str, int | None], ...] = Field(description="an amount without end is null")
    complete: bool
    curves: tuple[dict[str, Any], ...]
    belief_skylines: tuple[dict[str, Any], ...]


class ExploreAnswer(Answer[Exploration]):
    """How much a release withstands, with the curves to draw and, where it was asked, people to name."""

    question: ClassVar[str] = "How much does this release withstand?"

    limit: Live[int | float | Fraction]
    risks: Live[tuple[tuple[str, DisclosureCurve], ...]]  # what is known, risk against how much of it
    beliefs: Live[tuple[tuple[Criterion, tuple[sl.BeliefPoint, ...]], ...]]
    up_to: Live[int]
    named: Live[str | None] = None  # the people whose values it takes, for the terminal alone

    def charts(self) -> Iterator[Drawing]:
        from sidelight.report.charts.risk_curves import risk_chart  # noqa: PLC0415 - slow, and an extra

        yield risk_chart([curve for _, curve in self.risks], limit=self.limit)

    def blocks(self) -> Blocks:
        value, below = self.answer.value, self.answer.below
        text = f"'{value}'" if isinstance(value, str) else f"any of {', '.join(map(repr, value))}"
        yield PageSection(f"How sure can somebody get that a person has {text}?", tuple(self._risks()))
        yield from map(_belief_section, self.beliefs)
        yield PageSection(f"What somebody may know and still be less than {below} sure", tuple(self._skyline()))

    def _risks(self) -> Iterator[Block]:
        """Yield the curves as rows; far out, where nothing changes any more, the last row is enough."""
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
        points, complete = self.answer.knowledge_skyline, self.answer.complete
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


def ask(request: ExploreRequest, progress: Progress = quiet) -> ExploreAnswer:
    """Read the release, and compute the skyline of knowledge and the curves of risk."""
    limit, belief_limits = request.limit, request.belief_limits
    release = open_release(request.file, request.roles)
    progress("what may be known", 0, None)
    skyline = knowledge_skyline(release, request.target, limit)
    beliefs = tuple(
        (each, sl.belief_skyline(release, each.measure, each.bound))
        for each in belief_limits
        if isinstance(each.measure, sl.PriorBelief)
    )
    risks = tuple(_curves(release, request, progress))
    answer = Exploration(
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
                        # no end is null, and a stubbornness is rounded down
                        "stubbornness": None if math.isinf(point.stubbornness) else round_down(point.stubbornness),
                        "known_people": point.known_people,
                    }
                    for point in points
                ],
            }
            for criterion, points in beliefs
        ),
    )
    return ExploreAnswer(
        kind="explore",
        schema_version=2,
        source=request.file,
        answer=answer,
        limit=limit,
        risks=risks,
        beliefs=beliefs,
        up_to=request.up_to,
        named=None
        if request.people is None or request.name is None
        else _name_fewest(release, request, request.people, request.name),
    )


def _name_fewest(release: sl.Release, request: ExploreRequest, people: str, name: str) -> str:
    def measure_others(amount: int) -> Finding:
        return sl.Acquaintance(others=amount, value=request.target).measure(release)

    # Who knows more people is never less sure, so the first amount that is enough is found by bisection.
    amounts = range(request.up_to + 1)
    enough = bisect_left(amounts, x=True, key=lambda amount: measure_others(amount).value >= exact(request.limit))
    if enough == len(amounts):
        others = f"{request.up_to:,} other {form('person', request.up_to)}"
        return f"Knowing {others} is not enough; --up-to goes further."
    lookup = request.lookup
    finding = measure_others(enough)
    return sl.name_witness(
        finding, release, people, person=name, by=lookup.by(), suppressed=lookup.suppressed
    ).explain()


def _curves(release: sl.Release, request: ExploreRequest, progress: Progress) -> Iterator[tuple[str, DisclosureCurve]]:
    """Compute the risk of the value against each kind of knowledge alone."""
    kinds: list[tuple[str, type[Measure], str]] = [
        *((family.name, family, "k") for family in (sl.Implications, sl.Negations)),
        *((title, sl.Acquaintance, name) for name, title in KNOWLEDGE.items()),
    ]
    amounts = amounts_up_to(request.up_to)
    for title, family, name in kinds:
        parts = []
        for done, amount in enumerate(amounts):
            progress(title, done, len(amounts))
            with suppress(TooHard):  # few amounts are, and more of the same is not: it makes sure
                parts.append(disclosure_curve(release, family, {name: [amount]}, value=request.target))
        tried = tuple(amount for part in parts for amount in part.axes[0].amounts)
        risks = tuple(risk for part in parts for risk in part.risks)
        yield title, replace(parts[0], axes=(KnowledgeAxis(name, tried),), risks=risks)


def amounts_up_to(most: int) -> list[int]:
    """Choose amounts of knowledge: every one at first, then each a quarter more than the last.

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
    """Return how stubborn an attacker may be who knows so many people."""
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
