"""Several questions asked of a release in one pass over its groups."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import reduce

from sidelight.measures.finding import Finding
from sidelight.measures.measure import Measure, Summary
from sidelight.release.groups import Groups
from sidelight.release.release import Release


def findings(measures: Sequence[Measure], release: Release) -> tuple[Finding, ...]:
    """Answer several questions at once: counts are spread out once for all of them, blocks in parallel.

    The same as asking each measure by itself; measures that go their own way over a release still do.

    >>> from sidelight.measures.group_size import GroupSize
    >>> from sidelight.measures.distinct_values import DistinctValues
    >>> release = Release.from_counts([{"Flu": 2, "Cold": 1}, {"Flu": 2}])
    >>> [str(finding.value) for finding in findings([GroupSize(), DistinctValues()], release)]
    ['2', '1']
    """
    together = [measure for measure in measures if type(measure).measure is Measure.measure]
    for measure in together:
        measure.check(release)
    found = {id(measure): finding for measure, finding in zip(together, _in_one_pass(together, release), strict=True)}
    return tuple(found.get(id(measure)) or measure.measure(release) for measure in measures)


def _in_one_pass(measures: list[Measure], release: Release) -> list[Finding]:
    if not measures:
        return []
    blocks = list(release.groups.blocks())
    if len(blocks) == 1:
        return [measure.summarize(blocks[0]).finding() for measure in measures]

    def summaries(block: Groups) -> list[Summary]:
        spread = replace(block, counts=block.counts.spread_out())
        return [measure.summarize(spread) for measure in measures]

    with ThreadPoolExecutor(max_workers=min(len(blocks), 8)) as pool:
        parts = list(pool.map(summaries, blocks))
    merged = (reduce(lambda one, other: one.merge(other), each) for each in zip(*parts, strict=True))
    return [summary.finding() for summary in merged]
