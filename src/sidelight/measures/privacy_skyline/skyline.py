"""Which amounts of knowledge must a release withstand, value by value?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from sidelight.errors import BadPolicy
from sidelight.measures.amounts import whole_amount
from sidelight.measures.criterion import Bound, Criterion, exact
from sidelight.measures.privacy_skyline.acquaintance import Acquaintance
from sidelight.table.labels import Label, label, shown

Amounts: TypeAlias = tuple[int, int, int, Bound]
"""Rules out, others, family, and the limit that the risk stays below."""


@dataclass(frozen=True, slots=True)
class SkylinePoint:
    """Somebody who knows at most so much must stay below a limit."""

    rules_out: int = 0
    others: int = 0
    family: int = 0
    below: Bound = 1

    def __post_init__(self) -> None:
        for each in ("rules_out", "others", "family"):
            whole_amount("skyline", each, getattr(self, each))

    def dominates(self, other: SkylinePoint) -> bool:
        """Decide whether whoever keeps this one keeps the other: as much knowledge or more, no higher limit."""
        more = self.rules_out >= other.rules_out and self.others >= other.others and self.family >= other.family
        return more and exact(self.below) <= exact(other.below)

    def __str__(self) -> str:
        return f"({self.rules_out}, {self.others}, {self.family}) below {self.below}"


@dataclass(frozen=True, slots=True)
class Skyline:
    """The points for one value, or, without a value, for all values apart from some."""

    given: tuple[SkylinePoint, ...]
    value: Label = None
    apart_from: tuple[Label, ...] = ()
    points: tuple[SkylinePoint, ...] = field(init=False)  # none of which dominates another

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", tuple(point for point in self._different() if not self._beaten(point)))

    @property
    def criteria(self) -> tuple[Criterion, ...]:
        """One criterion per point."""
        return tuple(
            Acquaintance(point.rules_out, point.others, point.family, self.value, self.apart_from) < point.below
            for point in self.points
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """Say which points were dropped, and why."""
        dropped = [(point, self._beaten(point)) for point in self._different() if point not in self.points]
        whose = f"of '{shown(self.value)}'" if self.value is not None else "of the other values"
        return tuple(f"skyline {whose}: {point} follows from {by} and was dropped" for point, by in dropped)

    def _different(self) -> tuple[SkylinePoint, ...]:
        return tuple(dict.fromkeys(self.given))

    def _beaten(self, point: SkylinePoint) -> SkylinePoint | None:
        return next((each for each in self._different() if each != point and each.dominates(point)), None)


@dataclass(frozen=True, slots=True)
class Skylines:
    """Skylines of several values; going through them gives the criteria of a policy."""

    skylines: tuple[Skyline, ...]

    def __iter__(self) -> Iterator[Criterion]:
        return (criterion for skyline in self.skylines for criterion in skyline.criteria)

    @property
    def notes(self) -> tuple[str, ...]:
        """Say which points were dropped, and why."""
        return tuple(note for each in self.skylines for note in each.notes)


def skyline(values: Mapping[str, Iterable[Amounts]], *, default: Iterable[Amounts] = ()) -> Skylines:
    """Which amounts of knowledge must a release withstand, value by value?

    For each value points (rules_out, others, family, limit): the risk of the value stays below the limit against
    whoever knows at most that much.  `default` is for every other value of the release.  A point that follows from
    another (as much knowledge or more, no higher limit) is dropped, with a note.

    >>> asked = skyline({"AIDS": [(1, 5, 2, 0.5), (0, 3, 0, 0.5)]}, default=[(4, 0, 0, 0.75)])
    >>> for criterion in asked:
    ...     print(criterion)
    acquaintance (rules_out 1, others 5, family 2, value AIDS) < 0.5
    acquaintance (rules_out 4, apart_from ('AIDS',)) < 0.75
    >>> asked.notes
    ("skyline of 'AIDS': (0, 3, 0) below 0.5 follows from (1, 5, 2) below 0.5 and was dropped",)

    Put it into a policy: `Policy(GroupSize() >= 5, *skyline({...}))`.
    """
    named = [Skyline(_points(points), label(value)) for value, points in values.items()]
    others = _points(default)
    if others:
        named.append(Skyline(others, apart_from=tuple(each.value for each in named)))
    return Skylines(tuple(named))


def _points(points: Iterable[Amounts]) -> tuple[SkylinePoint, ...]:
    return tuple(_point(each) for each in points)


def _point(amounts: Sequence[Bound]) -> SkylinePoint:
    if len(amounts) != 4:
        message = f"a point of a skyline is (rules_out, others, family, limit), not {tuple(amounts)}"
        raise BadPolicy(message)
    rules_out, others, family, below = amounts
    return SkylinePoint(rules_out, others, family, below)  # type: ignore[arg-type] # checked there
