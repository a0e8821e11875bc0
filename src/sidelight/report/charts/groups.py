"""Charts of groups: their sizes, the values of their people, columns that make people unique; and of a finding.

People are counted by the size of their group, in steps 1, 2, 5, 10, 20, 50, …, with one more at the limit, so that no
step holds groups on both sides of it.  A finding is shown by the risk against what is known, by the sizes of groups, or
by the group that decides.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from sidelight.arrays import Integers, add_up
from sidelight.documents.document import DocumentPart
from sidelight.errors import BadMeasure, TooHard, expect
from sidelight.measures.classics import GroupSize
from sidelight.measures.criterion import Amount, Bound, Criterion, Finding, exact, value_text
from sidelight.measures.disclosure_curve import DisclosureCurve, KnowledgeAxis
from sidelight.release.groups import GroupName
from sidelight.release.release import Release
from sidelight.report.charts.risk_curves import risk_chart
from sidelight.report.plots import (
    BLUE,
    INK,
    VERMILION,
    Change,
    Drawing,
    TableBehind,
    altair,
    draw_bars,
    draw_rows,
    dumbbell_chart,
    finish_chart,
    share_axis,
)
from sidelight.rounding import exact_text, in_words, round_up
from sidelight.table.labels import Label, shown
from sidelight.text import capitalize, counted, form

if TYPE_CHECKING:
    import altair as alt

    from sidelight.measures.column_subsets.identifying_columns import IdentifyingColumns
    from sidelight.measures.measure import Measure

# So many values have a bar of their own; the others are one.
MOST_VALUES = 20


class SizeBand(DocumentPart):
    """The number of groups in a range of sizes, and their people."""

    sizes: str
    groups: int
    people: int
    low: int = 0
    high: int = 0


def size_steps(sizes: Integers, limit: int | None = None) -> tuple[SizeBand, ...]:
    """Count groups and their people by size.

    >>> [(step.sizes, step.people) for step in size_steps(np.array([1, 3, 3, 12]), 3)]
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
    rows = zip(*(each[first:].tolist() for each in (lows, highs, groups, people)), strict=True)
    return tuple(
        SizeBand(
            sizes=f"{low:,}" if low == high else f"{low:,}–{high:,}", groups=inside, people=persons, low=low, high=high
        )
        for low, high, inside, persons in rows
    )


def count_sizes(release: Release, least: int | None = None) -> tuple[tuple[SizeBand, ...], int, int]:
    """Count people by the size of their group; also return the smallest size, and the median size by person."""
    sizes: Integers = release.groups.sizes[release.groups.sizes > 0]
    largest_first = np.sort(sizes)[::-1]
    # the first size at which the largest groups hold half of the people; doubled, to stay in whole numbers
    half = int(largest_first[np.searchsorted(np.cumsum(largest_first) * 2, largest_first.sum())])
    return size_steps(sizes, least), int(sizes.min()), half


def sizes_chart(release: Release, *, limit: Bound | None = None) -> alt.TopLevelMixin:
    """Draw the number of people by the size of their group; `limit` is the smallest size allowed."""
    # sizes are whole, so that at least 4.5 is at least 5
    least = None if limit is None else math.ceil(exact(limit))
    return size_steps_chart(*count_sizes(release, least), least)


def size_steps_chart(steps: Sequence[SizeBand], smallest: int, half_in: int, least: int | None) -> alt.TopLevelMixin:
    """Draw people by the size of their group from counts."""
    total = counted(sum(step.people for step in steps), "person")
    groups = counted(sum(step.groups for step in steps), "group")
    few = 0 if least is None else sum(step.people for step in steps if step.high < least)
    title = f"The smallest group has {counted(smallest, 'person')}"
    if least is not None:
        title = f"Nobody of {total} is in a group of fewer than {least:,}; the smallest has {smallest:,}"
    return finish_chart(
        _size_bars(steps, least),
        title=f"{few:,} of {total} are in groups of fewer than {least:,}" if few else title,
        subtitle=f"{total} in {groups}; half of the people are in groups of {half_in:,} or more.",
        table=TableBehind(
            ("size of the group", "groups", "people in them"),
            tuple((step.sizes, step.groups, step.people) for step in steps),
        ),
        width=600,
    )


def _size_bars(steps: Sequence[SizeBand], least: int | None) -> Drawing:
    library = altair()
    below = [least is not None and step.high < least for step in steps]
    rows = [
        {"size": step.sizes, "people": step.people, "text": f"{step.people:,}", "below": is_below}
        for step, is_below in zip(steps, below, strict=True)
    ]
    width = max(440, 44 * len(rows))
    base = draw_rows(rows, width, 220)
    # long labels would overlap, and are broken after the dash
    two_lines = "split(replace(datum.label, '–', '–|'), '|')"
    axis = library.Axis(
        title="size of the group (people)", labelAngle=0, labelExpr=two_lines, labelOverlap=False, grid=False
    )
    x = library.X("size:N").sort([step.sizes for step in steps]).axis(axis)
    y = library.Y("people:Q").axis(title="people in groups of that size", format=",d", tickCount=5, tickMinStep=1)
    colour = library.condition("datum.below", library.value(VERMILION), library.value(BLUE))
    layers = [
        base.mark_bar(size=26).encode(x, y, color=colour),
        base.mark_text(dy=-8, color=INK, fontSize=11).encode(x, y, text="text:N"),
    ]
    if least is not None:
        limit = draw_rows([{"text": f"limit: at least {least:,}"}])
        # bars are equally wide: the edge stands after as many as are below the limit
        edge = library.value(width * sum(below) / len(rows))
        words = limit.mark_text(color=INK, fontSize=12, align="left", dx=4, baseline="bottom")
        layers += [
            limit.mark_rule(color=INK, strokeWidth=1.5).encode(x=edge, y=library.value(-6), y2=library.value(220)),
            words.encode(x=edge, y=library.value(-8), text="text:N"),
        ]
    return library.layer(*layers)


def value_bars_chart(
    column: str, rows: Sequence[tuple[str, int]], *, people: int, values: int, several: bool
) -> alt.TopLevelMixin:
    """Draw how many people have each value, most first; `several`: a person may have several values, or none."""
    x = altair().X("people:Q").axis(title="people who have it", format=",d", tickCount=5, tickMinStep=1)
    bars = [{"name": name, "people": number, "text": f"{number:,}"} for name, number in rows]
    name, most = rows[0]
    more = " People may have several, or none." if several else ""
    return finish_chart(
        draw_bars(bars, x, width=420, step=20, label=220),
        title=f"{name} is the commonest {column}: {most:,} of {counted(people, 'person')} have it",
        subtitle=f"{counted(values, 'value')} of {column}.{more}",
        table=TableBehind(
            (column, "people", "share of all, rounded up"),
            tuple((each, number, round_up(Fraction(number, people))) for each, number in rows),
        ),
        width=600,
    )


def group_chart(release: Release, group: GroupName | int, *, value: Label | None = None) -> alt.TopLevelMixin:
    """Draw how the values of one group differ from those of all people; `value` is on top."""
    groups = release.group(group.number if isinstance(group, GroupName) else group)
    size, counts = int(groups.sizes[0]), groups.counts.row(0).tolist()
    changes = [
        Change(shown(text), Fraction(everybody, release.size), Fraction(here, size))
        for text, everybody, here in zip(release.domain, release.groups.whole.tolist(), counts, strict=True)
    ]
    top = shown(value) if value is not None else max(changes, key=lambda each: (each.after, each.name)).name
    worst = next(each for each in changes if each.name == top)
    before, after = ("all" if share == 1 else in_words(share) for share in (worst.before, worst.after))
    share = f"{after} of a group" if worst.after else "nobody of a group"
    return dumbbell_chart(
        changes,
        title=capitalize(f"{share} has {top}, and {before} of everybody"),
        subtitle=f"{capitalize(str(groups.name(0)))}: {counted(size, 'person')} of {release.size:,}.",
        ends=("everybody", "this group"),
        axis="share of people who have it",
        top=top,
    )


def columns_chart(columns: IdentifyingColumns, most_sets: int = 15) -> alt.TopLevelMixin:
    """Draw the column sets on which most people are unique, of equals the smaller ones first; all are in the table."""
    ordered = sorted(columns.subsets, key=lambda each: (-each.unique, len(each.columns), each.columns))
    drawn = ordered[:most_sets]
    rows = [
        {"name": ", ".join(each.columns), "share": round_up(each.unique_share), "text": f"{each.unique:,}"}
        for each in drawn
    ]
    x = share_axis(altair().X("share:Q"), "share of the people who are alone")
    worst, everybody = drawn[0], counted(columns.people, "person")
    left_out = len(ordered) - len(drawn)
    more = f" {counted(left_out, 'set')} by which fewer are alone: in the table." if left_out else ""
    return finish_chart(
        draw_bars(rows, x, width=320, step=24, label=300, ticks=False),
        title=f"By {', '.join(worst.columns)}, {worst.unique:,} of {everybody} {form('is', worst.unique)} alone"
        if worst.unique
        else f"Nobody of {everybody} is alone by any of these sets of columns",
        subtitle=f"For each set of up to {counted(columns.up_to, 'column')}, people with whom nobody shares it.{more}",
        table=TableBehind(
            ("columns", "people who are alone", "share, exactly"),
            tuple((", ".join(each.columns), each.unique, exact_text(each.unique_share)) for each in ordered),
        ),
        width=640,
    )


def finding_chart(finding: Finding, release: Release, *, criterion: Criterion | None = None) -> alt.TopLevelMixin:
    """Draw a finding on its release, with the limit of a criterion where there is one."""
    expect(Release, release, "what a finding is drawn on")
    measure, view = finding.measure.resolve(release)
    known = [name for name in measure.more_is_worse if name in measure.amounts()]
    if known and 0 <= finding.value <= 1:
        curves = [_measure_around(measure, view, name) for name in known]
        return risk_chart(curves, limit=criterion, own=tuple(measure.amounts()[name] for name in known))
    if isinstance(measure, GroupSize):
        return sizes_chart(view, limit=None if criterion is None else criterion.bound)
    if finding.witness is None:
        raise BadMeasure(
            f"nobody is worst off by '{measure.name}', so there is no picture of it; finding.explain() says it"
        )
    return group_chart(view, finding.witness.group, value=finding.witness.value)


def _measure_around(
    measure: Measure, release: Release, name: str, few: int = 8, most_steps: int = 25
) -> DisclosureCurve:
    """Measure a release at amounts from 0 to beyond the measure's own, with the other amounts fixed."""
    own = measure.amounts()[name]
    end = max(few, own + own // 3)
    step = max(1, -(-end // most_steps))  # rounded up, so that there are no more than so many steps
    amounts, risks = [], list[Amount]()
    for amount in sorted({*range(0, end + 1, step), own}):
        try:
            risks.append(measure.replace_settings(**{name: amount}).measure(release).value)
        except (TooHard, BadMeasure):  # few amounts are too hard; small ones may be invalid
            continue
        amounts.append(amount)
    settings = {key: value for key, value in measure.settings().items() if key != name}
    texts = tuple((key, value if isinstance(value, str) else value_text(value)) for key, value in settings.items())
    return DisclosureCurve(measure.name, texts, (KnowledgeAxis(name, tuple(amounts)),), tuple(risks))
