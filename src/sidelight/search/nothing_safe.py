"""When even one group of everybody is outside the policy, nothing can be published: say why, and what would pass."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import fields, replace

import numpy as np

from sidelight.errors import BadMeasure, NothingSafe
from sidelight.measures.criterion import Comparison, Criterion, Judgement
from sidelight.measures.finding import in_words
from sidelight.policy.policy import Policy
from sidelight.release.release import Release
from sidelight.search.recoding import released
from sidelight.table.table import Table


def everybody(table: Table) -> Release:
    """Put everybody into one group that says nothing: the least that can be published."""
    return released(table, np.zeros(len(table.sizes), np.int64), (), 1)


def refuse_if_nothing_is(table: Table, policy: Policy) -> None:
    """Raise `NothingSafe` when one group of everybody is outside the policy."""
    release = everybody(table)
    broken = policy.judge(release).broken
    if not broken:
        return
    blocked = tuple(f"{each.criterion} (it is {in_words(each.finding.value)})" for each in broken)
    closest = tuple(line for each in broken for line in _closest(each, release))
    would = f"; what would pass: {'; '.join(closest)}" if closest else "; leave that out of the policy"
    message = f"not even one group of everybody is within policy: {'; '.join(blocked)}{would}"
    raise NothingSafe(message, blocked_by=blocked, closest=closest)


def _closest(judgement: Judgement, release: Release) -> Iterator[str]:
    """Say which limit would pass, if there is such a one, and which smaller amounts of what the measure counts."""
    criterion, found = judgement.criterion, judgement.finding.value
    word = {
        Comparison.AT_LEAST: "at most",
        Comparison.ABOVE: "less than",
        Comparison.AT_MOST: "at least",
        Comparison.BELOW: "more than",
    }[criterion.comparison]
    least, most = criterion.measure.limits
    strict = criterion.comparison in (Comparison.ABOVE, Comparison.BELOW)
    if least <= found <= most and found != math.inf and not (strict and found in (least, most)):
        yield f"{criterion.measure} with a limit of {word} {in_words(found)}"
    yield from (str(other) for other in _smaller_amounts(criterion, release))


def _smaller_amounts(criterion: Criterion, release: Release) -> Iterator[Criterion]:
    """Lower one whole-number parameter of the measure at a time until the criterion holds."""
    measure = criterion.measure
    for each in fields(measure):  # type: ignore[arg-type]
        amount = getattr(measure, each.name)
        if not isinstance(amount, int) or isinstance(amount, bool):
            continue
        for less in reversed(range(amount)):
            other = _holding(criterion, {each.name: less}, release)
            if other is not None:
                yield other
                break


def _holding(criterion: Criterion, changed: dict[str, int], release: Release) -> Criterion | None:
    """Change a parameter, and give the criterion if it then makes sense and holds."""
    try:
        other = Criterion(replace(criterion.measure, **changed), criterion.comparison, criterion.bound)  # type: ignore[type-var]
        return other if other.judge(release).holds else None
    except BadMeasure:
        return None
