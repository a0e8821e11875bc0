"""`sidelight explore`: how much may somebody know before this file gives a value away?"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from sidelight.commands.output import Output
from sidelight.commands.reading import read
from sidelight.commands.running import Status
from sidelight.errors import BadMeasure
from sidelight.measures.acquaintance.adversary import Acquaintance
from sidelight.measures.disclosure_curve import DisclosureCurve, disclosure_curve
from sidelight.measures.implications.adversary import Implications
from sidelight.measures.knowledge_skyline import Point, knowledge_skyline
from sidelight.measures.negations import Negations
from sidelight.policy.policy_file import Roles, read_policy_file
from sidelight.policy.section import read_number
from sidelight.release.release import Release
from sidelight.report.making import number

DIRECTIONS = ("rules_out", "others", "family")
"""The three kinds of knowledge of an acquaintance."""


LINES = 20
"""How many lines of a skyline are printed."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is explored: a file, a value in it, a limit, and how far the curves go."""

    file: str
    value: str
    below: str
    up_to: int
    roles: Roles

    @property
    def limit(self) -> int | float | Fraction:
        """The limit as a number."""
        try:
            return read_number(self.below)
        except ValueError as error:
            message = f"cannot read --below {self.below}; {error}"
            raise BadMeasure(message) from None


@dataclass(frozen=True, slots=True)
class Explored:
    """What was found."""

    question: Question
    release: Release
    skyline: tuple[Point, ...]
    curves: tuple[tuple[str, DisclosureCurve], ...]  # what is known, risk against how much of it

    def to_json(self) -> str:
        """Write it as JSON; amounts without end are null."""
        points = [
            {name: None if amount == math.inf else amount for name, amount in zip(DIRECTIONS, point, strict=True)}
            for point in self.skyline
        ]
        document = {
            "version": 1,
            "source": self.question.file,
            "sensitive": self.release.sensitive,
            "value": self.question.value,
            "below": self.question.below,
            "knowledge_skyline": points,
            "curves": [json.loads(curve.to_json()) for _, curve in self.curves],
        }
        return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def explore(question: Question, output: Output) -> Status:
    """Read, explore, tell."""
    output.refuse(question.file)
    release = read(question.file, question.roles)
    skyline = knowledge_skyline(release, question.value, question.limit)
    tell(Explored(question, release, skyline, tuple(curves(release, question))), output)
    return Status.WITHIN_POLICY


def roles_of(policy: Path | None, roles: Roles) -> Roles:
    """Take the roles of a policy file; options have the last word."""
    return roles if policy is None else read_policy_file(policy).roles.updated(roles)


def curves(release: Release, question: Question) -> Iterator[tuple[str, DisclosureCurve]]:
    """Compute the risk of the value against each kind of knowledge alone."""
    amounts = range(question.up_to + 1)
    if release.semantics in Implications.semantics:
        yield "implications", disclosure_curve(release, Implications, amounts, value=question.value)
    if release.semantics in Negations.semantics:
        yield "negations", disclosure_curve(release, Negations, amounts, value=question.value)
    for direction, said in zip(DIRECTIONS, ("values ruled out", "other people", "family"), strict=True):
        yield said, disclosure_curve(release, Acquaintance, {direction: amounts}, value=question.value)


def tell(found: Explored, output: Output) -> None:
    """Print it, as JSON or for people, and write it to a file if asked."""
    output.tell(found.to_json(), drawn(found))


def drawn(found: Explored) -> Iterator[RenderableType]:
    """Give the parts of the page, from top to bottom."""
    value, below = found.question.value, found.question.below
    yield Text(f"How sure can somebody get that a person has '{value}'?", style="bold")
    yield _curves(found)
    yield Text("Decimals are rounded up; --json has the exact fractions.\n")
    yield Text(f"What somebody may know and still be less than {below} sure", style="bold")
    if not found.skyline:
        yield Text("Nothing: even someone who knows nothing can be as sure as that.")
        return
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for heading in ("values ruled out", "other people", "family"):
        table.add_column(heading, justify="right")
    for point in found.skyline[:LINES]:
        table.add_row(*("no end" if amount == math.inf else f"{amount:,}" for amount in point))
    yield table
    if len(found.skyline) > LINES:
        yield Text(f"… and {len(found.skyline) - LINES:,} more such lines; --json has all.")
    yield Text("Each line is the most: with more of any one of the three, somebody may be surer.")


def _curves(found: Explored) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("knows", justify="right")
    for said, _ in found.curves:
        table.add_column(said, justify="right")
    for amount in range(found.question.up_to + 1):
        table.add_row(str(amount), *(number(curve.risks[amount], large_is_bad=True).said for _, curve in found.curves))
    return table
