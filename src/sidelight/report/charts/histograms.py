"""How large are the groups, which values do people have, and how does one group differ from everybody?

People are counted by the size of their group, in steps 1, 2, 5, 10, 20, 50, …, with one more at the limit, so that no
step holds groups on both sides of it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from sidelight.arrays import Integers, add_up
from sidelight.measures.criterion import Bound, exact
from sidelight.release.groups import GroupName
from sidelight.report.charts.dumbbell import Change, dumbbell_chart
from sidelight.report.plots import BLUE, INK, VERMILION, Drawing, TableBehind, altair, finish_chart
from sidelight.rounding import in_words, round_up
from sidelight.table.labels import Label, shown
from sidelight.text import counted

if TYPE_CHECKING:
    import altair as alt

    from sidelight.release.release import Release

MOST_VALUES = 20
"""So many values have a bar of their own; the others are one."""


@dataclass(frozen=True, slots=True)
class SizeStep:
    """People in groups of `low` to `high` people."""

    low: int
    high: int
    groups: int
    people: int

    @property
    def label(self) -> str:
        """The step in words: 10–19."""
        return f"{self.low:,}" if self.low == self.high else f"{self.low:,}–{self.high:,}"


def size_steps(sizes: Integers, limit: int | None = None) -> tuple[SizeStep, ...]:
    """Count groups and their people by size.

    >>> [(step.label, step.people) for step in size_steps(np.array([1, 3, 3, 12]), 3)]
    [('1', 1), ('2', 0), ('3–4', 6), ('5–9', 0), ('10–12', 12)]
    """
    most = int(sizes.max())
    edges = {lead * 10**power for power in range(len(str(most))) for lead in (1, 2, 5)}
    edges |= set() if limit is None else {limit}
    lows = np.array(sorted(edge for edge in edges if 1 <= edge <= most))
    highs = np.append(lows[1:] - 1, most)
    first = max(int(np.searchsorted(lows, sizes.min(), side="right")) - 1, 0)
    # the step below the smallest group stays, so that an empty one is seen to be empty
    first = min(first, int(np.searchsorted(lows, limit)) - 1 if limit is not None and limit > 1 else first)
    # (groups,): the last step that begins at or below the size of each group
    step = np.searchsorted(lows, sizes, side="right") - 1
    groups = np.bincount(step, minlength=len(lows))
    people = add_up(step, sizes, len(lows))
    return tuple(
        SizeStep(*map(int, row))
        for row in zip(lows[first:], highs[first:], groups[first:], people[first:], strict=True)
    )


@dataclass(frozen=True, slots=True)
class SizesDrawn:
    """How large the groups of a release are: in steps, the smallest, and the one that half of the people are in."""

    steps: tuple[SizeStep, ...]
    smallest: int
    half_in: int  # half of the people are in groups of so many or more

    @classmethod
    def count(cls, sizes: Integers, least: int | None = None) -> SizesDrawn:
        """Count people by the size of their group."""
        largest_first = np.sort(sizes)[::-1]
        # the first size at which the largest groups hold half of the people; doubled, to stay in whole numbers
        half = int(largest_first[np.searchsorted(np.cumsum(largest_first) * 2, largest_first.sum())])
        return cls(size_steps(sizes, least), int(sizes.min()), half)

    @property
    def people(self) -> int:
        """All of them."""
        return sum(step.people for step in self.steps)


def sizes_chart(release: Release, *, limit: Bound | None = None) -> alt.TopLevelMixin:
    """Draw how many people are in groups of which size; `limit` is the smallest that a group may be."""
    # sizes are whole, so that at least 4.5 is at least 5
    least = None if limit is None else math.ceil(exact(limit))
    return size_steps_chart(SizesDrawn.count(release.groups.sizes[release.groups.sizes > 0], least), least)


def size_steps_chart(drawn: SizesDrawn, least: int | None) -> alt.TopLevelMixin:
    """Draw sizes that were counted already."""
    groups = sum(step.groups for step in drawn.steps)
    among = f"{counted(drawn.people, 'person')} in {counted(groups, 'group')}"
    return finish_chart(
        _bars(drawn.steps, least),
        title=_sizes_title(drawn, least),
        subtitle=f"{among}; half of the people are in groups of {drawn.half_in:,} or more.",
        table=TableBehind(
            ("size of the group", "groups", "people in them"),
            tuple((step.label, step.groups, step.people) for step in drawn.steps),
        ),
        width=600,
    )


def _sizes_title(drawn: SizesDrawn, least: int | None) -> str:
    total, smallest = counted(drawn.people, "person"), drawn.smallest
    if least is None:
        return f"The smallest group has {counted(smallest, 'person')}"
    few = sum(step.people for step in drawn.steps if step.high < least)
    if few:
        return f"{few:,} of {total} are in groups of fewer than {least:,}"
    return f"Nobody of {total} is in a group of fewer than {least:,}; the smallest has {smallest:,}"


def _bars(steps: Sequence[SizeStep], least: int | None) -> Drawing:
    library = altair()
    rows = [
        {
            "size": step.label,
            "people": step.people,
            "text": f"{step.people:,}",
            "below": least is not None and step.high < least,
        }
        for step in steps
    ]
    order = [step.label for step in steps]
    base = library.Chart(library.Data(values=rows), width=max(440, 44 * len(rows)), height=220)
    # long labels would overlap, and are broken after the dash
    two_lines = "split(replace(datum.label, '–', '–|'), '|')"
    axis = library.Axis(
        title="size of the group (people)", labelAngle=0, labelExpr=two_lines, labelOverlap=False, grid=False
    )
    x = library.X("size:N").sort(order).axis(axis)
    y = library.Y("people:Q").axis(title="people in groups of that size", format=",d", tickCount=5, tickMinStep=1)
    below = sum(step.high < least for step in steps) if least is not None else 0
    bars = base.mark_bar(size=26).encode(
        x, y, color=library.condition("datum.below", library.value(VERMILION), library.value(BLUE))
    )
    words = base.mark_text(dy=-8, color=INK, fontSize=11).encode(x, y, text="text:N")
    # bars are equally wide: the edge stands after as many as are below the limit
    limits = [] if least is None else _limit_edge(base.width * below / len(rows), least)
    return library.layer(bars, words, *limits)


def _limit_edge(at: float, least: int) -> list[Drawing]:
    library = altair()
    base = library.Chart(library.Data(values=[{"text": f"limit: at least {least:,}"}]))
    place = library.value(at)
    return [
        base.mark_rule(color=INK, strokeWidth=1.5).encode(x=place, y=library.value(-6), y2=library.value(220)),
        base.mark_text(color=INK, fontSize=12, align="left", dx=4, baseline="bottom").encode(
            x=place, y=library.value(-8), text="text:N"
        ),
    ]


@dataclass(frozen=True, slots=True)
class ValuesDrawn:
    """How many of some people have each value, most first; what is rare is one line at the end."""

    column: str
    people: int
    values: int
    rows: tuple[tuple[str, int], ...]
    several: bool  # whether people may have several, or none

    @classmethod
    def count(cls, release: Release) -> ValuesDrawn:
        """Count the people of each value; beyond `MOST_VALUES` together."""
        whole = release.groups.whole.tolist()
        order = sorted(range(len(whole)), key=lambda at: (-whole[at], shown(release.domain[at])))
        rows = [(shown(release.domain[at]), int(whole[at])) for at in order]
        if len(rows) > MOST_VALUES:
            kept, others = rows[: MOST_VALUES - 1], rows[MOST_VALUES - 1 :]
            rows = [*kept, (f"{len(others):,} other values", sum(people for _, people in others))]
        return cls(release.sensitive, release.size, len(whole), tuple(rows), release.semantics != "single")


def values_chart(release: Release) -> alt.TopLevelMixin:
    """Draw how many people have each value."""
    return value_bars_chart(ValuesDrawn.count(release))


def value_bars_chart(drawn: ValuesDrawn) -> alt.TopLevelMixin:
    """Draw values that were counted already."""
    library = altair()
    rows = drawn.rows
    data = [{"value": name, "people": people, "text": f"{people:,}"} for name, people in rows]
    base = library.Chart(library.Data(values=data), width=420, height=20 * len(data))
    y = library.Y("value:N").sort([name for name, _ in rows]).axis(title=None, grid=False, labelLimit=220)
    x = library.X("people:Q").axis(title="people who have it", format=",d", tickCount=5, tickMinStep=1)
    chart = library.layer(
        base.mark_bar(color=BLUE, size=13).encode(y, x),
        base.mark_text(align="left", dx=4, color=INK, fontSize=11).encode(y, x, text="text:N"),
    )
    name, most = rows[0]
    several = " People may have several, or none." if drawn.several else ""
    return finish_chart(
        chart,
        title=f"{name} is the commonest {drawn.column}: {most:,} of {counted(drawn.people, 'person')} have it",
        subtitle=f"{counted(drawn.values, 'value')} of {drawn.column}.{several}",
        table=TableBehind(
            (drawn.column, "people", "share of all, rounded up"),
            tuple((each, people, round_up(Fraction(people, drawn.people))) for each, people in rows),
        ),
        width=600,
    )


def group_chart(release: Release, group: GroupName | int, *, value: Label | None = None) -> alt.TopLevelMixin:
    """Draw how the values of one group differ from those of everybody; `value` stands on top."""
    number = group.number if isinstance(group, GroupName) else group
    groups = release.group(number)
    size, counts = int(groups.sizes[0]), groups.counts.row(0).tolist()
    whole = release.groups.whole.tolist()
    changes = [
        Change(shown(text), Fraction(everybody, release.size), Fraction(here, size))
        for text, everybody, here in zip(release.domain, whole, counts, strict=True)
    ]
    top = shown(value) if value is not None else max(changes, key=lambda each: (each.after, each.name)).name
    worst = next(each for each in changes if each.name == top)
    share = f"{_share_words(worst.after)} of a group" if worst.after else "nobody of a group"
    words = f"{share} has {top}, and {_share_words(worst.before)} of everybody"
    name = str(groups.name(0))
    return dumbbell_chart(
        changes,
        title=words[:1].upper() + words[1:],
        subtitle=f"{name[:1].upper()}{name[1:]}: {counted(size, 'person')} of {release.size:,}.",
        ends=("everybody", "this group"),
        axis="share of people who have it",
        top=top,
    )


def _share_words(share: Fraction | float) -> str:
    return "all" if share == 1 else in_words(share)
