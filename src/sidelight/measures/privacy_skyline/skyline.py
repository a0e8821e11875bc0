"""How much knowledge must a release withstand (a policy's skyline), and how much does it (its knowledge skyline)?

A point is (ℓ, k, m): values ruled out, other people, family.  More of any coordinate is more risk, so what is withstood
is a set closed downwards, and its maximal points, the skyline, say all of it.  A policy's points carry a limit each;
a point follows from another with as much knowledge or more and no higher limit.

The knowledge skyline is found by halving: for each (ℓ, m) the largest k at which the risk is below the limit, for all
(ℓ, m) at once, in log₂(people) rounds of `pareto.RiskTest`.  ℓ ends where all values that occur with σ are ruled out,
k and m at the largest group, which settles it.  Where (ℓ, m) are too many, as for a value that 3 of 10⁸ people have,
only evenly spaced m are asked about, and each k found is followed to the largest m that allows it.  What is found are
points of the skyline, and between two of them it goes down.

Source: Chen, LeFevre, Ramakrishnan, Privacy Skyline, VLDB 2007, sections 4.2 and 4.3.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from sidelight.errors import BadMeasure, BadPolicy, WrongKind, as_given, expect
from sidelight.measures.criterion import Bound, Criterion, exact
from sidelight.measures.fields import whole_amount
from sidelight.measures.privacy_skyline.acquaintance import Acquaintance
from sidelight.measures.privacy_skyline.pareto import RiskTest, UndominatedGroups, largest_passed
from sidelight.measures.targets import Predicate, Targets, Value, read_value
from sidelight.release.release import Release
from sidelight.rounding import MOST_OF_ANYTHING
from sidelight.table.labels import Label, written_label
from sidelight.table.table import expect_one_sensitive
from sidelight.text import html_table

if TYPE_CHECKING:
    import altair as alt

    from sidelight.arrays import Integers
    from sidelight.measures.exact import Amount

SkylineKey = TypeVar("SkylineKey", str, tuple[str, ...], Predicate)
"""A value, or several."""

Amounts: TypeAlias = tuple[int, int, int, Bound]
"""Rules out, others, family, and the limit that the risk stays below."""


@dataclass(frozen=True, slots=True)
class SkylinePoint:
    """An amount of knowledge, and the limit that the risk against it must stay below."""

    rules_out: int = 0
    others: int = 0
    family: int = 0
    below: Bound = 1

    def __post_init__(self) -> None:
        for each in ("rules_out", "others", "family"):
            whole_amount("skyline", each, getattr(self, each), most=MOST_OF_ANYTHING)

    def dominates(self, other: SkylinePoint) -> bool:
        """Return whether this point implies the other: as much knowledge or more, no higher limit."""
        # against more knowledge the risk is never smaller, so that the point with more implies the other
        more = self.rules_out >= other.rules_out and self.others >= other.others and self.family >= other.family
        return more and exact(self.below) <= exact(other.below)

    def __str__(self) -> str:
        return f"({self.rules_out}, {self.others}, {self.family}) below {self.below}"


@dataclass(frozen=True, slots=True, repr=False)
class Skyline:
    """The points for one value or any of several, or, without a value, for all values apart from some."""

    required: tuple[SkylinePoint, ...]
    value: Label | Predicate = None
    apart_from: tuple[Label, ...] = ()
    points: tuple[SkylinePoint, ...] = field(init=False)  # none of which dominates another

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", tuple(point for point in self._distinct() if not self._dominating(point)))

    @property
    def criteria(self) -> tuple[Criterion, ...]:
        """One criterion per point."""
        return tuple(
            Acquaintance(point.rules_out, point.others, point.family, self.value, apart_from=self.apart_from)
            < point.below
            for point in self.points
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """Return which points were dropped, and why."""
        dropped = [(point, self._dominating(point)) for point in self._distinct() if point not in self.points]
        return tuple(f"skyline {self._whose()}: {point} follows from {by} and was dropped" for point, by in dropped)

    def __repr__(self) -> str:
        return f"<Skyline {self._whose()}: {', '.join(map(str, self.points))}>"

    def _whose(self) -> str:
        return f"of '{self.value}'" if self.value is not None else "of the other values"

    def _distinct(self) -> tuple[SkylinePoint, ...]:
        # a point that is given twice has one criterion
        return tuple(dict.fromkeys(self.required))

    def _dominating(self, point: SkylinePoint) -> SkylinePoint | None:
        return next((each for each in self._distinct() if each != point and each.dominates(point)), None)


@dataclass(frozen=True, slots=True, repr=False)
class Skylines:
    """Skylines of several values; going through them gives the criteria of a policy."""

    skylines: tuple[Skyline, ...]

    def __iter__(self) -> Iterator[Criterion]:
        return (criterion for skyline in self.skylines for criterion in skyline.criteria)

    def __repr__(self) -> str:
        return f"<Skylines: {'; '.join(map(str, self))}>"

    def _repr_html_(self) -> str:
        rows = [(each.measure, each.bound_text) for each in self]
        return html_table("Skylines", ["measure", "wanted"], rows, total=len(rows), note=" ".join(self.notes))

    @property
    def notes(self) -> tuple[str, ...]:
        """Return which points were dropped, and why."""
        return tuple(note for each in self.skylines for note in each.notes)


def skyline(
    values: Mapping[SkylineKey, Iterable[Amounts]], *, default: Iterable[Amounts] = (), apart_from: Sequence[Label] = ()
) -> Skylines:
    """Which amounts of knowledge must a release withstand, value by value?

    For each value points (rules_out, others, family, limit): the risk of the value stays below the limit against
    whoever knows at most that much.  `default` is for every other value of the release, `apart_from` some.  A point
    that follows from another (as much knowledge or more, no higher limit) is dropped, with a note.  Several values as
    a tuple are a category, whose points are about having any; each of them alone is still one of the other values.

    >>> required = skyline({"AIDS": [(1, 5, 2, 0.5), (0, 3, 0, 0.5)]}, default=[(4, 0, 0, 0.75)])
    >>> for criterion in required:
    ...     print(criterion)
    acquaintance(rules_out=1, others=5, family=2, value=AIDS) < 0.5
    acquaintance(rules_out=4, apart_from=[AIDS]) < 0.75
    >>> required.notes
    ("skyline of 'AIDS': (0, 3, 0) below 0.5 follows from (1, 5, 2) below 0.5 and was dropped",)

    Put it into a policy: `Policy(GroupSize() >= 5, *skyline({...}))`.
    """
    named = [Skyline(_points(points), read_value(value)) for value, points in _read_values(values).items()]
    others = _points(default)
    if others:
        own: tuple[Label, ...] = single_values([each.value for each in named])
        named.append(Skyline(others, apart_from=(*own, *map(written_label, apart_from))))
    return Skylines(tuple(named))


def single_values(targets: Iterable[Label | Predicate]) -> tuple[Label, ...]:
    """Leave out categories, whose values are judged one by one like any others.

    >>> single_values(["AIDS", Predicate.any_of("Flu", "Cold"), Predicate.any_of(None)])
    ('AIDS', None)
    """
    several = (each.values if isinstance(each, Predicate) else (each,) for each in targets)
    return tuple(values[0] for values in several if len(values) == 1)


def _read_values(values: object) -> Mapping[Any, object]:
    if not isinstance(values, Mapping):
        message = f'a skyline is a mapping value → points, such as {{"AIDS": [(1, 5, 2, 0.5)]}}, not {as_given(values)}'
        raise BadPolicy(message)
    return values


def _points(points: object) -> tuple[SkylinePoint, ...]:
    if not isinstance(points, Iterable):
        message = f"the points of a skyline are a list such as [(1, 5, 2, 0.5)], not {as_given(points)}"
        raise BadPolicy(message)
    return tuple(_point(each) for each in points)


def _point(amounts: object) -> SkylinePoint:
    if not isinstance(amounts, Sequence):  # one point where a list of them belongs
        message = (
            f"a point of a skyline is (rules_out, others, family, limit), not {as_given(amounts)}; list points in [...]"
        )
        raise BadPolicy(message)
    if len(amounts) != 4:
        message = f"a point of a skyline is (rules_out, others, family, limit), not {tuple(amounts)}"
        raise BadPolicy(message)
    return SkylinePoint(*amounts)  # what they are is checked there


KnowledgePoint: TypeAlias = tuple[int | float, int | float, int | float]
"""Rules out, others, family; `math.inf` where there is no end."""


MOST_POINTS, SPACED = 1 << 20, 1 << 12
"""The most (ℓ, m) for which a knowledge skyline is computed whole, and how many evenly spaced ones stand for more."""


class KnowledgeSkyline(tuple[KnowledgePoint, ...]):  # noqa: SLOT001 - a tuple of any length has no slots
    """Maximal points: a tuple that knows of which release, value and limit (see `knowledge_skyline`).

    `complete` is False where only some of them were computed, as there are too many.
    """

    release: Release
    value: Value
    below: Bound
    complete: bool

    @classmethod
    def build(
        cls, points: Iterable[KnowledgePoint], *, release: Release, value: Value, below: Bound, complete: bool
    ) -> KnowledgeSkyline:
        """Return the points together with what they are about."""
        skyline = cls(points)
        skyline.release, skyline.value, skyline.below, skyline.complete = release, value, below, complete
        return skyline

    def plot(self, *, own: KnowledgePoint | None = None) -> alt.TopLevelMixin:
        """Draw the risk at each amount of knowledge, and the line up to which it stays below the limit.

        `own` is a point to mark: the one that a policy asks for.  An Altair chart, which needs the extra `plot`: a
        notebook shows it, `chart.save("skyline.svg")` writes it.
        """
        from sidelight.report.charts.skyline import skyline_chart  # noqa: PLC0415 - it stands below

        given: object = own
        if given is not None and not (isinstance(given, tuple) and len(given) == 3):
            message = f"own= is a point (rules_out, others, family), not {as_given(given)}"
            raise WrongKind(message)
        return skyline_chart(self, own=own)


def knowledge_skyline(release: Release, value: Value, below: Bound) -> KnowledgeSkyline:
    """How much may somebody know before the risk of `value` (or of any of several) is no longer below a limit?

    All maximal (ℓ, k, m) = (rules_out, others, family) of `Acquaintance` at which Pr(t has σ | knowledge) < `below`:
    at or under one of them the release holds, above them all it does not.  Empty when it does not hold against
    somebody who knows nothing.  Where families of millions are withstood, `complete` is False and the points are some
    of the maximal ones, evenly spread over the sizes of families.

    >>> release = Release.from_counts([{"Flu": 2, "Cold": 3, "Heart": 2, "Ulcer": 2}])
    >>> knowledge_skyline(release, "Flu", below=0.6)
    ((0, 0, 4), (0, 1, 3), (0, 2, 2), (0, 4, 1), (0, 5, 0), (1, 0, 3), (1, 1, 2), (1, 2, 0), (2, 0, 1))

    Source: Chen, LeFevre, Ramakrishnan, Privacy Skyline, VLDB 2007; there the loop has no bound, and stops at
    risk > limit instead of ≥.
    """
    expect(Release, release, "what is explored")
    expect_one_sensitive(release, "a skyline")
    limit = exact(below)
    if not 0 <= limit <= 1:
        message = f"a risk is never below {as_given(below)}; give a limit between 0 and 1"
        raise BadMeasure(message)
    points, complete = _knowledge_points(release, value, limit)
    return KnowledgeSkyline.build(points, release=release, value=value, below=below, complete=complete)


def _knowledge_points(release: Release, value: Value, limit: Amount) -> tuple[tuple[KnowledgePoint, ...], bool]:
    targets = Targets(read_value(value))
    groups = targets.view(release.groups)
    place, most = int(targets.indices(groups)[0]), len(groups.domain) - 1
    undominated = UndominatedGroups.from_groups(groups, place)
    if limit == 0:
        return (), True
    if undominated is None:
        return ((most, math.inf, math.inf),), True
    test = RiskTest(groups, place, undominated, 1 / Fraction(limit) - 1)
    others, family = _most_alone(test)
    last = len(undominated.sizes) - 1  # who can rule out all values that occur with it can rule out the others too
    complete = (last + 1) * (family + 1) <= MOST_POINTS
    points = _maximal(_most_others(test, others, family)) if complete else _some_maximal(test, others, family)
    return tuple((most if point[0] == last else point[0], *point[1:]) for point in points), complete


def _most_alone(test: RiskTest) -> tuple[int, int]:
    """Return the largest k without a family and the largest m without others (−1: none), nothing being ruled out."""
    # one more than the people of the largest group leaves nothing open
    settled = np.array([test.undominated.sizes.max() + 1])  # so many others, or so large a family, always settle it
    nothing = np.zeros(1, np.int64)
    others = largest_passed(lambda k: test.passes(nothing, k, nothing), settled)
    family = largest_passed(lambda m: test.passes(nothing, nothing, m), settled)
    return int(others[0]), int(family[0])


def _most_others(test: RiskTest, others: int, family: int) -> Integers:
    """Return the largest k for each ℓ and m (−1: none): (ℓ, m up to `family`)."""
    # (ℓ · m,): all pairs are halved at once
    rules_out, families = np.indices((len(test.undominated.sizes), family + 1)).reshape(2, -1)
    most = largest_passed(lambda k: test.passes(rules_out, k, families), np.full(len(families), others + 1))
    return most.reshape(len(test.undominated.sizes), family + 1)


def _some_maximal(test: RiskTest, others: int, family: int) -> tuple[KnowledgePoint, ...]:
    """Return the maximal points that evenly spaced m lead to, each from its largest k on to the largest m for it."""
    rows = len(test.undominated.sizes)
    # the more ℓ there are, the fewer families for each: about SPACED pairs in all
    spaced = np.unique(np.linspace(0, family, max(SPACED // rows, 2)).astype(np.int64))
    rules_out, families = (each.ravel() for each in np.meshgrid(np.arange(rows), spaced, indexing="ij"))
    most = largest_passed(lambda k: test.passes(rules_out, k, families), np.full(len(families), others + 1))
    # of points with the same ℓ and k one is enough, as the largest m for them is found next
    rules_out, most = np.unique(np.stack((rules_out, most), axis=1)[most >= 0], axis=0).T
    largest = largest_passed(lambda m: test.passes(rules_out, most, m), np.full(len(most), family + 1))
    # maximal only where one more value ruled out is too much, with the same k and m
    next_one = np.minimum(rules_out + 1, rows - 1)
    kept = (rules_out == rows - 1) | ~test.passes(next_one, most, largest)
    return tuple(sorted(zip(*(each[kept].tolist() for each in (rules_out, most, largest)), strict=True)))


def _maximal(most: Integers) -> tuple[KnowledgePoint, ...]:
    """Return the (ℓ, k, m) for which neither a larger ℓ nor a larger m allows the same k."""
    beyond = np.pad(most, ((0, 1), (0, 1)), constant_values=-1)
    # k falls as ℓ or m rises, so a point is maximal exactly when both next ones allow fewer others
    kept = (most > beyond[1:, :-1]) & (most > beyond[:-1, 1:])
    rules_out, family = np.nonzero(kept)
    return tuple(sorted(zip(rules_out.tolist(), most[kept].tolist(), family.tolist(), strict=True)))
