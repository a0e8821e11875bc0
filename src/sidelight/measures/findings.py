"""Several questions asked of one release: each block of its groups is looked at once, for all of them.

    release ─▶ blocks ─▶ every measure's summary of a block ─▶ merge, measure by measure ─▶ findings

*Invariant.*  The findings are those of each measure asked by itself; those of a release that is streamed, those that it
would have in memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial, reduce
from typing import TypeAlias

from sidelight.measures.about import About
from sidelight.measures.finding import Finding
from sidelight.measures.measure import Measure, Summary, Views
from sidelight.release.groups import Groups
from sidelight.release.release import Release
from sidelight.release.streamed import AnyRelease, GroupBlock, StreamedRelease
from sidelight.release.streamed_population import carrying


def findings(measures: Sequence[Measure], release: AnyRelease) -> tuple[Finding, ...]:
    """Answer several questions at once: counts are spread out once for all of them, blocks in parallel.

    The same as asking each measure by itself; measures that go their own way over a release still do.  A release that
    is streamed is gone through once, and has the findings that it would have in memory.
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
    if release.groups.counts.is_wide:
        return [measure.summarize_blocks(release.groups).finding() for measure in measures]
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
    prepared = prepared_stream(measures, release)
    if isinstance(prepared, Release):
        return findings(measures, prepared)
    if not measures:
        return ()
    before = parts_before(measures, prepared)
    merged = prepared.reduce(partial(_summaries, tuple(measures), before), _merged)
    return tuple(
        measure.completed(summary.finding(), release.outline) for measure, summary in zip(measures, merged, strict=True)
    )


def prepared_stream(measures: Sequence[Measure], release: StreamedRelease) -> AnyRelease:
    """Let a release know what measures need: people of populations; held, where one looks at all groups at once."""
    whole = next((measure for measure in measures if not measure.streams), None)
    if whole is not None:
        return release.held(str(whole))
    for measure in measures:
        measure.check(release.outline)
    for register in dict.fromkeys(each.register for each in measures if each.register is not None):
        release = carrying(release, register)
    return release


PartsBefore: TypeAlias = Mapping[tuple[str, ...], Mapping[int, int]]
"""By what somebody knows, and the first group of a block: how many parts all groups before it fall into."""


def parts_before(measures: Sequence[Measure], release: StreamedRelease) -> PartsBefore:
    """Count the parts of all groups before each block, for each measure that is about who knows more."""
    known = {measure.known for measure in measures if isinstance(measure, About) and measure.known}
    return {columns: release.parts_before(columns) for columns in known}


def seen_in_block(
    measure: Measure, before: PartsBefore, block: GroupBlock, *, every: bool = False
) -> tuple[Measure, Groups]:
    """Give the plain measure, and the groups of a block as it looks at them, numbered as those of the whole view.

    Of groups that it finds equally bad the first is enough, unless `every` one is to be counted.
    """
    once = measure.question.equal_groups_count_once if isinstance(measure, About) else measure.equal_groups_count_once
    once = once and not every
    if isinstance(measure, About) and measure.known:
        view = block.view(measure.of, measure.known, before[measure.known][block.block.first])
        return measure.question, view.first_of_each_kind() if once else view
    groups = block.kinds if once else block.all
    return (measure.question, groups.about(measure.of)) if isinstance(measure, About) else (measure, groups)


def _summaries(measures: tuple[Measure, ...], before: PartsBefore, block: GroupBlock) -> list[Summary]:
    return [_of_block(measure, before, block) for measure in measures]


def _merged(some: list[Summary], others: list[Summary]) -> list[Summary]:
    return [one.merge(other) for one, other in zip(some, others, strict=True)]


def _of_block(measure: Measure, before: PartsBefore, block: GroupBlock) -> Summary:
    plain, groups = seen_in_block(measure, before, block)
    return plain.summarize_blocks(groups)
