"""Several questions asked of one release: each block of its groups is looked at once, for all of them.

    release ─▶ blocks ─▶ every measure's summary of a block ─▶ merge, measure by measure ─▶ findings

*Invariant.*  The findings are those of each measure asked by itself; those of a release that is streamed, those that it
would have in memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TypeAlias

from sidelight.measures.about import About
from sidelight.measures.finding import Finding
from sidelight.measures.measure import Measure, Summary, Views
from sidelight.release.groups import GroupBlock, Groups, ReleaseBlocks


def findings(measures: Sequence[Measure], release: ReleaseBlocks) -> tuple[Finding, ...]:
    """Return the findings of several measures: counts are spread out once for all of them, blocks in parallel.

    The same as asking each measure by itself; measures that go their own way over a held release still do.  A release
    that is streamed is gone through once, and has the findings that it would have in memory.
    """
    release = prepare_release(measures, release)
    asked = tuple(measure for measure in measures if _goes_by_blocks(measure, release))
    by_measure = {}
    if asked:
        # parts are numbered throughout the release: each block has to know how many come before it
        before = count_parts_before(asked, release)
        merged = release.reduce(partial(_summarize, asked, before), _merge)
        found = (each.complete(summary.finding(), release.outline) for each, summary in zip(asked, merged, strict=True))
        # by identity, as a measure may hold what cannot be hashed
        by_measure = dict(zip(map(id, asked), found, strict=True))
    views: Views = {}
    return tuple(
        by_measure.get(id(measure)) or measure.measure_view(release.held(str(measure)), views) for measure in measures
    )


def _goes_by_blocks(measure: Measure, release: ReleaseBlocks) -> bool:
    """Return whether a measure is asked block by block: always of a stream, else unless it has a quicker way.

    Of groups at hand, the few largest counts of each are found without spreading any out (`acquaintance`), and a view
    is made once for all measures of it (`about`): both several times as fast as block by block.
    """
    return not release.is_held or type(measure).measure is Measure.measure


def prepare_release(measures: Sequence[Measure], release: ReleaseBlocks) -> ReleaseBlocks:
    """Return the release with what measures need: people of populations; held, if one looks at all groups at once."""
    needs_all = next((measure for measure in measures if not measure.streams), None)
    if needs_all is not None:
        release = release.held(str(needs_all))
    for measure in measures:
        if _goes_by_blocks(measure, release):
            measure.check(release.outline)
    # who knows other columns looks a population up by those, too: in a view, not here
    compared = (each.register for each in measures if not _known_columns(each))
    for register in dict.fromkeys(each for each in compared if each is not None):
        release = register.attach_to(release)
    return release


PartsBefore: TypeAlias = Mapping[tuple[str, ...], Mapping[int, int]]
"""By what the attacker knows, and the first group of a block: how many parts all groups before it fall into."""


def count_parts_before(measures: Sequence[Measure], release: ReleaseBlocks) -> PartsBefore:
    """Count the parts of all groups before each block, for each measure about an attacker who knows more."""
    return {known: release.parts_before(known) for known in {*map(_known_columns, measures)} if known}


def _known_columns(measure: Measure) -> tuple[str, ...]:
    return measure.known if isinstance(measure, About) else ()


def view_block(
    measure: Measure, before: PartsBefore, block: GroupBlock, *, every: bool = False
) -> tuple[Measure, Groups]:
    """Return the plain measure, and the groups of a block as it looks at them, numbered as those of the whole view.

    Of groups that it finds equally bad the first is enough, unless `every` one is to be counted.
    """
    once = measure.question.equal_groups_count_once if isinstance(measure, About) else measure.equal_groups_count_once
    once = once and not every
    if isinstance(measure, About) and measure.known:
        view = block.view(measure.of, measure.known, before[measure.known][block.first])
        return measure.question, view.first_of_each_kind() if once else view
    groups = block.kinds if once else block.all
    return (measure.question, groups.about(measure.of)) if isinstance(measure, About) else (measure, groups)


def _summarize(measures: tuple[Measure, ...], before: PartsBefore, block: GroupBlock) -> list[Summary]:
    seen = (view_block(measure, before, block) for measure in measures)
    return [plain.summarize_blocks(groups) for plain, groups in seen]


def _merge(some: list[Summary], others: list[Summary]) -> list[Summary]:
    return [one.merge(other) for one, other in zip(some, others, strict=True)]
