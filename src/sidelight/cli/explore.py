"""`sidelight explore`: how much may somebody know before this file gives a value away?"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from sidelight._progress import Progress, quiet
from sidelight.cli.inputs import read
from sidelight.cli.output import Output, bar
from sidelight.cli.run import Status
from sidelight.errors import BadMeasure, TooHard
from sidelight.measures.ck_safety.implications import Implications
from sidelight.measures.ck_safety.negations import Negations
from sidelight.measures.disclosure_curve import DisclosureCurve, KnowledgeAxis, disclosure_curve
from sidelight.measures.measure import Measure
from sidelight.measures.privacy_skyline.acquaintance import Acquaintance
from sidelight.measures.privacy_skyline.skyline import KnowledgePoint, knowledge_skyline
from sidelight.policy.policy_file import read_policy_file
from sidelight.policy.settings import read_number
from sidelight.release.release import Release
from sidelight.report.report import number
from sidelight.table.roles import Roles

DIRECTIONS = ("rules_out", "others", "family")
"""The three kinds of knowledge of an acquaintance."""

HEADINGS = ("values ruled out", "other people", "family")
"""The same for people."""

EVERY = 50
"""Up to here curves have every amount of knowledge; beyond, some."""

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
    skyline: tuple[KnowledgePoint, ...]
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
    with bar("exploring") as progress:
        progress("what may be known", 0, None)
        skyline = knowledge_skyline(release, question.value, question.limit)
        found = Explored(question, release, skyline, tuple(curves(release, question, progress)))
    tell(found, output)
    return Status.WITHIN_POLICY


def roles_of(policy: Path | None, roles: Roles) -> Roles:
    """Take the roles of a policy file; options have the last word."""
    return roles if policy is None else read_policy_file(policy).roles.updated(roles)


def curves(release: Release, question: Question, progress: Progress = quiet) -> Iterator[tuple[str, DisclosureCurve]]:
    """Compute the risk of the value against each kind of knowledge alone."""
    kinds: list[tuple[str, type[Measure], str]] = [
        (family.name, family, "k") for family in (Implications, Negations) if release.semantics in family.semantics
    ]
    kinds += [(said, Acquaintance, name) for name, said in zip(DIRECTIONS, HEADINGS, strict=True)]
    amounts = amounts_up_to(question.up_to)
    for said, family, name in kinds:
        parts = []
        for done, amount in enumerate(amounts):
            progress(said, done, len(amounts))
            with suppress(TooHard):  # few amounts are, and more of the same is not: it makes sure
                parts.append(disclosure_curve(release, family, {name: [amount]}, value=question.value))
        tried = tuple(amount for part in parts for amount in part.axes[0].amounts)
        risks = tuple(risk for part in parts for risk in part.risks)
        yield said, replace(parts[0], axes=(KnowledgeAxis(name, tried),), risks=risks)


def amounts_up_to(most: int) -> list[int]:
    """Choose amounts of knowledge: every one at first, then each a quarter more than the last.

    >>> amounts_up_to(3), amounts_up_to(100)[48:]
    ([0, 1, 2, 3], [48, 49, 50, 62, 77, 96, 100])
    """
    amounts = list(range(min(most, EVERY) + 1))
    while amounts[-1] < most:
        amounts.append(min(amounts[-1] * 5 // 4, most))
    return amounts


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
    for heading in HEADINGS:
        table.add_column(heading, justify="right")
    for point in found.skyline[:LINES]:
        table.add_row(*("no end" if amount == math.inf else f"{amount:,}" for amount in point))
    yield table
    if len(found.skyline) > LINES:
        yield Text(f"… and {len(found.skyline) - LINES:,} more such lines; --json has all.")
    yield Text("Each line is the most: with more of any one of the three, somebody may be surer.")


def _curves(found: Explored) -> Table:
    """Draw the curves; far out, where nothing changes any more, the last line is enough."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("knows", justify="right")
    for said, _ in found.curves:
        table.add_column(said, justify="right")
    rows = [
        (amount, [_risk(curve, amount) for _, curve in found.curves]) for amount in amounts_up_to(found.question.up_to)
    ]
    for (_, before), (amount, risks) in pairwise([(-1, []), *rows]):
        if amount <= EVERY or amount == found.question.up_to or not before == risks == rows[-1][1]:
            table.add_row(f"{amount:,}", *risks)
    return table


def _risk(curve: DisclosureCurve, amount: int) -> str:
    (axis,) = curve.axes
    return number(curve.at(**{axis.name: amount}), large_is_bad=True).said if amount in axis.amounts else "too hard"
