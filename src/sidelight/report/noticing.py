"""What a data owner would want to notice in a release, from its counts alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from sidelight.errors import BadMeasure
from sidelight.measures.criterion import Judgement
from sidelight.measures.finding import Witness
from sidelight.release.release import Release
from sidelight.report.report import BrokenBy
from sidelight.search.policy_check import Limit
from sidelight.table.labels import Label

ALONE = "the group that is worst off has one person: its line here describes that person; do not share this report"

SHOWN = 3
"""How many sets of values that look alike are named of a column."""


def broken_by(judgement: Judgement, release: Release) -> BrokenBy | None:
    """Who is in groups that break a limit on their own?  None where groups cannot be judged one by one.

    >>> from sidelight.measures.group_size import GroupSize
    >>> release = Release.from_counts([{"Flu": 2}, {"Flu": 3}, {"Flu": 9}])
    >>> broken_by((GroupSize() >= 5).judge(release), release)
    BrokenBy(groups=2, people=5)
    """
    criterion = judgement.criterion
    try:
        outline = criterion.measure.outline()
    except BadMeasure:  # it looks at whole releases only
        return None
    if not outline.group_by_group:
        return None
    if judgement.holds:
        return BrokenBy(groups=0, people=0)
    groups = release.groups
    broken = ~Limit(criterion, outline, outline.slack(int(groups.sizes.max()))).each(groups)
    return BrokenBy(groups=int(np.count_nonzero(broken)), people=int(groups.sizes[broken].sum()))


def alone(witness: Witness | None, release: Release) -> tuple[str, ...]:
    """Warn when the group that is worst off is one person."""
    if witness is None or release.group(witness.group).sizes[0] > 1:
        return ()
    return (ALONE,)


def look_alikes(release: Release) -> Iterator[str]:
    """Name values of a column that differ only in case or in the spaces around them.

    >>> release = Release.from_counts([{"Flu": 2, "flu ": 1, "Cold": 1}])
    >>> list(look_alikes(release))
    ["value: 'Flu', 'flu ' look alike; they count as different values"]
    """
    columns = [(column.name, column.compact().labels) for column in release.groups.columns]
    for name, labels in (*columns, (release.sensitive, release.domain)):
        alike = [", ".join(map(repr, texts)) for texts in _alike(labels)]
        more = f" (and {len(alike) - SHOWN:,} more such)" if len(alike) > SHOWN else ""
        if alike:
            yield f"{name}: {'; '.join(alike[:SHOWN])}{more} look alike; they count as different values"


def _alike(labels: Iterable[Label]) -> list[list[str]]:
    kinds: dict[str, list[str]] = {}
    for text in labels:
        if text is not None:
            kinds.setdefault(text.strip().casefold(), []).append(text)
    return [texts for texts in kinds.values() if len(texts) > 1]
