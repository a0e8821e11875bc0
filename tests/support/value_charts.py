"""A chart of the values of a release, as reports draw it of those that are common."""

from __future__ import annotations

from typing import Any

from sidelight.release.release import Release
from sidelight.report.charts.groups import MOST_VALUES, value_bars_chart
from sidelight.table.labels import shown


def values_chart(release: Release) -> Any:
    """Draw how many people have each value; beyond `MOST_VALUES` together."""
    people = release.groups.whole.tolist()
    order = sorted(range(len(people)), key=lambda at: (-people[at], shown(release.domain[at])))
    rows = [(shown(release.domain[at]), int(people[at])) for at in order]
    if len(rows) > MOST_VALUES:
        kept, others = rows[: MOST_VALUES - 1], rows[MOST_VALUES - 1 :]
        rows = [*kept, (f"{len(others):,} other values", sum(number for _, number in others))]
    several = release.semantics != "single"
    return value_bars_chart(release.sensitive, rows, people=release.size, values=len(people), several=several)
