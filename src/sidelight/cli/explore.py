"""`sidelight explore`: how much may somebody know before this file gives a value away?"""

from __future__ import annotations

import json
import math
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

import sidelight as sl
from sidelight.cli.inputs import PeopleLookup, inputs_of, open_release
from sidelight.cli.options import ExploreOptions
from sidelight.cli.run import Output, Status, bar
from sidelight.documents.document import Envelope, number
from sidelight.errors import BadMeasure, TooHard
from sidelight.measures.comparison import Comparison
from sidelight.measures.criterion import Criterion, exact
from sidelight.measures.disclosure_curve import DisclosureCurve, KnowledgeAxis, disclosure_curve
from sidelight.measures.finding import Finding
from sidelight.measures.measure import Measure
from sidelight.measures.privacy_skyline.skyline import KnowledgeSkyline, knowledge_skyline
from sidelight.policy.limit_text import read_limit
from sidelight.policy.settings import read_number
from sidelight.progress import Progress, quiet
from sidelight.rounding import ROUNDED, round_down
from sidelight.table.roles import Roles
from sidelight.text import form

if TYPE_CHECKING:
    from sidelight.report.plots import Drawing

SCHEMA_VERSION = 2
"""Raised whenever a reader of the document would have to change."""

DIRECTIONS = ("rules_out", "others", "family")
"""The three kinds of knowledge of an acquaintance."""

HEADINGS = ("values ruled out", "other people", "family")
"""The same for people."""

EVERY_AMOUNT_UP_TO = 50
"""Up to here curves have every amount of knowledge; beyond, some."""

LINES_PRINTED = 20
"""How many lines of a skyline are printed."""


@dataclass(frozen=True, slots=True)
class ExploreRequest:
    """Which file, and which of its values is explored how far."""

    file: str
    roles: Roles
    options: ExploreOptions
    lookup: PeopleLookup = field(default_factory=PeopleLookup)

    def __post_init__(self) -> None:
        if (self.options.people is None) != (self.options.name is None):
            message = "--people is the original and --name its column that names people; give both"
            raise BadMeasure(message)
        if self.options.people is None and (self.lookup.folder or self.lookup.suppressed):
            option = "--hierarchies" if self.lookup.folder else f"--suppressed '{self.lookup.suppressed}'"
            message = f"{option} is for finding the people of --people; give that too, or leave it out"
            raise BadMeasure(message)


@dataclass(frozen=True, slots=True)
class Exploration:
    """How much a release withstands: the most that may be known, and how the risk grows."""

    file: str
    options: ExploreOptions
    release: sl.Release
    skyline: KnowledgeSkyline
    curves: tuple[tuple[str, DisclosureCurve], ...]  # what is known, risk against how much of it
    beliefs: tuple[tuple[Criterion, tuple[sl.BeliefPoint, ...]], ...] = ()  # how stubborn somebody may be, per limit

    def document(self) -> Envelope[Any]:
        """Give it as data; amounts without end are null."""
        points = [
            {name: None if amount == math.inf else amount for name, amount in zip(DIRECTIONS, point, strict=True)}
            for point in self.skyline
        ]
        answer = {
            "sensitive": self.release.sensitive,
            "value": self.options.target,
            "below": self.options.below,
            "knowledge_skyline": points,
            "complete": self.skyline.complete,
            "curves": [json.loads(curve.to_json()) for _, curve in self.curves],
            "belief_skylines": [
                {"limit": str(criterion), "points": [_as_data(point) for point in points]}
                for criterion, points in self.beliefs
            ],
        }
        return Envelope(kind="explore", schema_version=SCHEMA_VERSION, source=self.file, answer=answer)


def explore(request: ExploreRequest, output: Output) -> Status:
    """Read, explore, print."""
    file, options = request.file, request.options
    limit = _limit(options.below)
    limits = [_belief_limit(text) for text in options.belief]
    output.refuse((*inputs_of(file, *([] if options.people is None else [options.people])), *request.lookup.files()))
    if options.people is not None and output.as_json:
        message = "--people names people on the terminal alone; leave --json out"
        raise BadMeasure(message)
    release = open_release(file, request.roles)
    with bar("exploring") as progress:
        progress("what may be known", 0, None)
        skyline = knowledge_skyline(release, options.target, limit)
        beliefs = tuple((each, sl.belief_skyline(release, _belief(each), each.bound)) for each in limits)
        exploration = Exploration(file, options, release, skyline, tuple(curves(release, options, progress)), beliefs)
    named = name_people(exploration, limit, request.lookup)
    output.write(
        exploration.document(), draw(exploration), charts=lambda: [_chart(exploration, limit)], here_alone=named
    )
    return Status.WITHIN_POLICY


def _chart(exploration: Exploration, limit: float | Fraction) -> Drawing:
    from sidelight.report.charts.risk_curves import risk_chart  # noqa: PLC0415 - slow, and an extra

    return risk_chart([curve for _, curve in exploration.curves], limit=limit)


def name_people(exploration: Exploration, limit: float | Fraction, lookup: PeopleLookup) -> Iterator[RenderableType]:
    """Name the fewest people whose values give somebody away; what is drawn here stands in no document."""
    options, release = exploration.options, exploration.release
    if options.people is None or options.name is None:
        return
    amounts = range(options.up_to + 1)
    enough = bisect_left(amounts, x=True, key=lambda amount: _knowing_others(exploration, amount).value >= exact(limit))
    yield Text("\nWhose values it takes (told here alone, and in no document)", style="bold")
    if enough == len(amounts):
        others = f"{options.up_to:,} other {form('person', options.up_to)}"
        yield Text(f"Knowing {others} is not enough; --up-to goes further.")
        return
    finding = _knowing_others(exploration, enough)
    named = sl.name_witness(
        finding, release, options.people, person=options.name, by=lookup.by(), suppressed=lookup.suppressed
    )
    yield Text(named.explain())


def _knowing_others(exploration: Exploration, amount: int) -> Finding:
    """Measure how sure of the value one can get who knows so many others: with more of them, never less."""
    return sl.Acquaintance(others=amount, value=exploration.options.target).measure(exploration.release)


def _limit(below: str) -> int | float | Fraction:
    try:
        return read_number(below)
    except ValueError as error:
        message = f"cannot read --below {below}; {error}"
        raise BadMeasure(message) from None


def _belief_limit(text: str) -> Criterion:
    """Read a limit on a prior belief."""
    criterion = read_limit(text)
    if not isinstance(criterion.measure, sl.PriorBelief) or criterion.comparison is not Comparison.AT_MOST:
        message = f"--belief wants a limit such as 'prior belief(stubbornness=inf) <= 3', not '{text}'"
        raise BadMeasure(message)
    return criterion


def _belief(criterion: Criterion) -> sl.PriorBelief:
    assert isinstance(criterion.measure, sl.PriorBelief)
    return criterion.measure


def _as_data(point: sl.BeliefPoint) -> dict[str, object]:
    """Give a point as data: no end is null, and a stubbornness is rounded down."""
    sure = None if point.stubbornness == math.inf else round_down(point.stubbornness)
    return {"stubbornness": sure, "known_people": point.known_people}


def curves(
    release: sl.Release, options: ExploreOptions, progress: Progress = quiet
) -> Iterator[tuple[str, DisclosureCurve]]:
    """Compute the risk of the value against each kind of knowledge alone."""
    kinds: list[tuple[str, type[Measure], str]] = [
        (family.name, family, "k") for family in (sl.Implications, sl.Negations)
    ]
    kinds += [(title, sl.Acquaintance, name) for name, title in zip(DIRECTIONS, HEADINGS, strict=True)]
    amounts = amounts_up_to(options.up_to)
    for title, family, name in kinds:
        parts = []
        for done, amount in enumerate(amounts):
            progress(title, done, len(amounts))
            with suppress(TooHard):  # few amounts are, and more of the same is not: it makes sure
                parts.append(disclosure_curve(release, family, {name: [amount]}, value=options.target))
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


def draw(exploration: Exploration) -> Iterator[RenderableType]:
    """Give the parts of the page, from top to bottom."""
    values, below = exploration.options.value, exploration.options.below
    value = f"'{values[0]}'" if len(values) == 1 else f"any of {', '.join(map(repr, values))}"
    yield Text(f"How sure can somebody get that a person has {value}?", style="bold")
    yield _curve_table(exploration)
    yield Text(f"{ROUNDED}\n")
    yield from map(_belief_table, exploration.beliefs)
    yield Text(f"What somebody may know and still be less than {below} sure", style="bold")
    if not exploration.skyline:
        yield Text("Nothing: even someone who knows nothing can be as sure as that.")
        return
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for heading in HEADINGS:
        table.add_column(heading, justify="right")
    for point in exploration.skyline[:LINES_PRINTED]:
        table.add_row(*("no end" if amount == math.inf else f"{amount:,}" for amount in point))
    yield table
    if len(exploration.skyline) > LINES_PRINTED:
        more = len(exploration.skyline) - LINES_PRINTED
        yield Text(f"… and {more:,} more such lines; --json has {'all' if exploration.skyline.complete else 'these'}.")
    if not exploration.skyline.complete:
        yield Text(
            "These are some of the lines, evenly spaced: families of millions are withstood, and there are too many."
        )
    yield Text("Each line is the most: with more of any one of the three, somebody may be surer.")


def _belief_table(skyline: tuple[Criterion, tuple[sl.BeliefPoint, ...]]) -> RenderableType:
    """Draw how stubborn somebody may be who knows so many people."""
    criterion, points = skyline
    title = Text(f"How stubborn somebody may be, who knows so many people, with {criterion}", style="bold")
    if not points:
        return Group(title, Text("Not at all: even the least stubborn, who knows nobody, finds out more than that.\n"))
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for heading in ("stubbornness", "other people known"):
        table.add_column(heading, justify="right")
    for point in points[:LINES_PRINTED]:
        sure = "no end" if point.stubbornness == math.inf else f"{math.floor(point.stubbornness * 100) / 100:,}"
        table.add_row(sure, f"{point.known_people:,}")
    return Group(title, table)


def _curve_table(exploration: Exploration) -> Table:
    """Draw the curves; far out, where nothing changes any more, the last line is enough."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("knows", justify="right")
    for title, _ in exploration.curves:
        table.add_column(title, justify="right")
    rows = [
        (amount, [_risk(curve, amount) for _, curve in exploration.curves])
        for amount in amounts_up_to(exploration.options.up_to)
    ]
    for (_, before), (amount, risks) in pairwise([(-1, []), *rows]):
        if amount <= EVERY_AMOUNT_UP_TO or amount == exploration.options.up_to or not before == risks == rows[-1][1]:
            table.add_row(f"{amount:,}", *risks)
    return table


def _risk(curve: DisclosureCurve, amount: int) -> str:
    (axis,) = curve.axes
    return number(curve.at(**{axis.name: amount}), large_is_bad=True).text if amount in axis.amounts else "too hard"
