"""How sure could somebody become of a value who knows so much, and how much may be known before that is too sure?

One point (values ruled out, other people, family) is measured exactly, with its witness; the picture around it is drawn
from a map of risks that is made once per value (`RiskMap`), so that a point can be dragged.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import Field

from sidelight.answers.recipe import FileRecipe, Name, write_call
from sidelight.documents.document import DocumentPart
from sidelight.errors import BadMeasure, SidelightError, UnknownValue, did_you_mean
from sidelight.measures.criterion import Bound, Comparison, Criterion
from sidelight.measures.measure import whole_amount
from sidelight.measures.privacy_skyline.acquaintance import Acquaintance
from sidelight.policy.limits import Word, read_number
from sidelight.policy.policy import Policy
from sidelight.report.answer import Recipe
from sidelight.report.charts.skyline import DIRECTIONS, LiveSkyline
from sidelight.report.report import AuditFinding, audit_report
from sidelight.table.labels import Label, shown, written_label
from sidelight.text import counted, form, shell

if TYPE_CHECKING:
    from sidelight.release.release import Release

MOST_DIGITS = 9


@dataclass(frozen=True, slots=True)
class SkylineRequest:
    """A value, how sure nobody should get of it, and what somebody knows, as they were typed."""

    value: str = ""
    below: str = "0.95"
    rules_out: str = "0"
    others: str = "0"
    family: str = "0"

    @classmethod
    def from_criterion(cls, criterion: Criterion, find_value: Callable[[], str]) -> SkylineRequest | None:
        """Return the point that a limit asks about; None of a limit that is about no acquaintance."""
        measure = criterion.measure
        if not isinstance(measure, Acquaintance):
            return None
        amounts = {name: str(amount) for name, amount in measure.amounts().items()}
        own = measure.value if isinstance(measure.value, str) else find_value()
        return cls(value=own, below=str(criterion.bound), **amounts)

    @property
    def point(self) -> tuple[int, int, int]:
        """Rules out, others, family."""
        rules_out, others, family = (self.read_amount(name) for name in DIRECTIONS)
        return rules_out, others, family

    @property
    def bound(self) -> Bound:
        """How sure nobody should get."""
        try:
            bound = read_number(Word(self.below))
        except ValueError as error:
            message = f"cannot read '{self.below[:40]}'; {error}"
            raise BadMeasure(message) from None
        if not 0 < bound <= 1:
            message = f"nobody is ever {self.below[:40]} sure; give a number above 0 and up to 1, such as 0.95 or 3/4"
            raise BadMeasure(message)
        return bound

    @property
    def criterion(self) -> Criterion:
        """The limit that is asked about."""
        return Criterion(Acquaintance(*self.point, value=self.value), Comparison.BELOW, self.bound)

    def read_amount(self, name: str) -> int:
        """Read an amount of knowledge."""
        text: str = getattr(self, name)
        digits = text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS
        return whole_amount(Acquaintance.name, name, int(text) if digits else text[:40] or "nothing")

    def find_value(self, release: Release) -> Label:
        """Return the value as the release has it."""
        value = written_label(self.value)
        if value not in release.domain:
            names = [shown(each) for each in release.domain]
            message = f"no sensitive value '{self.value[:80]}' in the release{did_you_mean(self.value, names)}"
            raise UnknownValue(message)
        return value

    def problems(self, release: Release) -> Iterator[tuple[str, SidelightError]]:
        """Yield of each field what is wrong with it."""
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
        """Write how the point is found and the skyline."""
        point = file.judging([self.criterion])
        command = point.command
        if not file.levels:
            command += "\n" + shell([*file.words("explore"), "--value", self.value, "--below", self.below])
        skyline = write_call("sl.knowledge_skyline", Name("release"), value=self.value, below=self.bound)
        return Recipe(command, f"{point.python}\n\nskyline = {skyline}\nskyline.plot(own={self.point})")


class SkylineAnswer(DocumentPart):
    """What somebody could find out who knows so much, and the most of each kind that may be known by itself."""

    sentence: str
    holds: bool | None
    people: int
    groups: int
    finding: AuditFinding
    alone: dict[str, int | None] = Field(description="the most of each by itself; none where there is no end")


def ask(request: SkylineRequest, release: Release, live: LiveSkyline) -> SkylineAnswer:
    """Measure the point; `live` is the map around it."""
    (finding,) = audit_report(release, verdict=Policy(request.criterion).judge(release)).answer.findings
    return SkylineAnswer(
        sentence=_conclude(request, release, finding),
        holds=finding.holds,
        people=release.size,
        groups=len(release),
        finding=finding,
        alone={
            name: None if amount == math.inf else int(amount)
            for name, amount in zip(DIRECTIONS, live.alone, strict=True)
        },
    )


def _conclude(request: SkylineRequest, release: Release, finding: AuditFinding) -> str:
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
