"""One [[skyline]] of a policy file: points of knowledge for one value, or for all values that have none of their own.

[[skyline]]
value = "AIDS"
points = [{rules_out = 1, others = 5, family = 2, below = 0.5}, {others = 20, below = 0.9}]

[[skyline]]                                   # no value: every other value
points = [{rules_out = 4, below = "3/4"}]
"""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field, PrivateAttr, StrictInt

from sidelight.errors import BadPolicy
from sidelight.measures.criterion import Criterion
from sidelight.measures.privacy_skyline.skyline import Skyline, SkylinePoint
from sidelight.policy.section import Number, Section, Text
from sidelight.table.labels import Label, shown


class PointSection(Section):
    """Somebody who knows at most so much must stay below a limit."""

    rules_out: StrictInt = Field(default=0, json_schema_extra={"minimum": 0})
    others: StrictInt = Field(default=0, json_schema_extra={"minimum": 0})
    family: StrictInt = Field(default=0, json_schema_extra={"minimum": 0})
    below: Number


class SkylineSection(Section):
    """Points of knowledge that a release must withstand, for one value or for all that have none of their own."""

    value: Text | None = None
    points: tuple[PointSection, ...] = Field(json_schema_extra={"minItems": 1})
    _elsewhere: tuple[Label, ...] = PrivateAttr(default=())  # the values of the other skylines

    def criteria(self) -> tuple[Criterion, ...]:
        """One per point that follows from no other."""
        if not self.points:
            message = "there are no points; add at least one, such as {rules_out = 4, below = 0.75}"
            raise BadPolicy(message)
        if self.value in self._elsewhere:
            whose = f"for '{shown(self.value)}'" if self.value is not None else "without a value"
            message = f"there are two skylines {whose}; put all their points into one"
            raise BadPolicy(message)
        return self._skyline().criteria

    def notes(self) -> tuple[str, ...]:
        """Points that were dropped."""
        return self._skyline().notes

    def _skyline(self) -> Skyline:
        points = tuple(SkylinePoint(each.rules_out, each.others, each.family, each.below) for each in self.points)
        return Skyline(points, self.value, self._elsewhere if self.value is None else ())


def _acquainted(sections: tuple[SkylineSection, ...]) -> tuple[SkylineSection, ...]:
    """Let each skyline know which values have another: one without a value leaves them out."""
    for section in sections:
        section._elsewhere = tuple(each.value for each in sections if each is not section)
    return sections


SkylineSections = Annotated[tuple[SkylineSection, ...], AfterValidator(_acquainted)]
"""All skylines of a policy file."""
