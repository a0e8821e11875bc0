"""Several questions asked of one release: each block of its groups is looked at once, for all of them.

    release ─▶ blocks ─▶ every measure's summary of a block ─▶ merge, measure by measure ─▶ findings

*Invariant.*  The findings are those of each measure asked by itself; those of a release that is streamed, those that it
would have in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial, reduce

from sidelight.errors import BadMeasure, parameter
from sidelight.measures.measure import Finding, Measure, Summary, Views
from sidelight.release.groups import Groups
from sidelight.release.release import Release
from sidelight.release.streamed import AnyRelease, GroupBlock, StreamedRelease


def findings(measures: Sequence[Measure], release: AnyRelease) -> tuple[Finding, ...]:
    """Answer several questions at once: counts are spread out once for all of them, blocks in parallel.

    The same as asking each measure by itself; measures that go their own way over a release still do.  A release that
    is streamed is gone through once, and has the findings that it would have in memory.

    >>> from sidelight.measures.k_anonymity import GroupSize
    >>> from sidelight.measures.l_diversity import DistinctValues
    >>> release = Release.from_counts([{"Flu": 2, "Cold": 1}, {"Flu": 2}])
    >>> [str(finding.value) for finding in findings([GroupSize(), DistinctValues()], release)]
    ['2', '1']
    """
    if isinstance(release, StreamedRelease):
        return _streamed(measures, release)
    ordinary = [measure for measure in measures if type(measure).measure is Measure.measure]
    for measure in ordinary:
        measure.check(release)
        release = measure.prepared(release)
    by_measure = dict(zip(map(id, ordinary), _in_one_pass(ordinary, release), strict=True))
    views: Views = {}
    return tuple(by_measure.get(id(measure)) or measure.measure_view(release, views) for measure in measures)


def _in_one_pass(measures: list[Measure], release: Release) -> list[Finding]:
    if not measures:
        return []
    blocks = list(release.groups.blocks())
    if len(blocks) == 1:
        return [measure.summarize(blocks[0]).finding() for measure in measures]

    def summaries(block: Groups) -> list[Summary]:
        # counts that are dense differ from group to group as a rule
        few = block.first_of_each_kind() if block.counts.cells is None else block
        spread, few = (replace(each, counts=each.counts.spread_out()) for each in (block, few))
        return [measure.summarize(few if measure.equal_groups_count_once else spread) for measure in measures]

    with ThreadPoolExecutor(max_workers=min(len(blocks), 8)) as pool:
        parts = list(pool.map(summaries, blocks))
    merged = (reduce(lambda one, other: one.merge(other), each) for each in zip(*parts, strict=True))
    return [summary.finding() for summary in merged]


def _streamed(measures: Sequence[Measure], release: StreamedRelease) -> tuple[Finding, ...]:
    """Go through a release once, and forget each block when all measures have summarised it."""
    for measure in measures:
        if not measure.streams:
            message = (
                f"'{measure}' looks at a whole release at once, which does not go with {parameter('memory')}; "
                f"leave it out, or read the release without {parameter('memory')}"
            )
            raise BadMeasure(message)
        measure.check(release.outline)
    if not measures:
        return ()
    merged = release.reduce(partial(_summaries, tuple(measures)), _merged)
    return tuple(
        measure.completed(summary.finding(), release.outline) for measure, summary in zip(measures, merged, strict=True)
    )


def _summaries(measures: tuple[Measure, ...], block: GroupBlock) -> list[Summary]:
    return [_of_block(measure, block) for measure in measures]


def _merged(some: list[Summary], others: list[Summary]) -> list[Summary]:
    return [one.merge(other) for one, other in zip(some, others, strict=True)]


def _of_block(measure: Measure, block: GroupBlock) -> Summary:
    groups = block.kinds if measure.equal_groups_count_once else block.all
    measure.check_groups(groups)
    return reduce(lambda one, other: one.merge(other), map(measure.summarize, groups.blocks()))
