"""Find the most useful release within policy."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from typing import Literal, TypeAlias

import numpy as np

from sidelight._progress import Progress, quiet
from sidelight.errors import BadMeasure, BadPolicy, NothingSafe, SidelightError, did_you_mean, parameter
from sidelight.measures.k_anonymity import GroupSize
from sidelight.measures.measure import Comparison, Criterion, Judgement, in_words
from sidelight.policy.policy import Policy, Verdict
from sidelight.release.release import Release
from sidelight.search.anatomy import Anatomy
from sidelight.search.full_domain import FullDomain
from sidelight.search.method import Method, SearchResult
from sidelight.search.microaggregation import Microaggregation
from sidelight.search.mondrian import Mondrian
from sidelight.search.recoding import released
from sidelight.search.utility import UTILITIES, Utilities, UtilityName
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.table import Table

MethodName: TypeAlias = Literal["lattice", "mondrian", "anatomy", "microaggregation"]

METHODS: Mapping[str, type[Method]] = {each.name: each for each in (FullDomain, Mondrian, Anatomy, Microaggregation)}


def protect(
    table: Table,
    policy: Policy,
    *,
    by: Mapping[str, Hierarchy] | None = None,
    method: MethodName | Method = "lattice",
    utility: UtilityName = "discernibility",
    suppress: float = 0,
    progress: Progress = quiet,
) -> SearchResult:
    """What is the most useful release of this table that keeps the policy?

    `method` is a name or, to set its options, a method such as `FullDomain(suppress=0.04, suppressed="left out")`,
    `Mondrian(towards="income")`, `Anatomy(l=4)` or `Microaggregation(k=5)`; `by` are the hierarchies; `suppress` is
    the share of people whose rows may be suppressed (lattice only).  Raises `NothingSafe`, saying what would pass,
    when not even one group of everybody is within policy.  Measures that look at a whole release at once (`MaxEnt`)
    judge what was found within the other limits.

    >>> import sidelight as sl
    >>> adult = sl.datasets.adult(quasi=["age", "sex"])
    >>> found = protect(adult.table, sl.Policy(sl.GroupSize() >= 50), by=adult.hierarchies)
    >>> found.levels, found.verdict.safe
    ({'age': 3, 'sex': 1}, True)
    """
    chosen = _method(method, suppress)
    if utility not in UTILITIES:
        message = f"no utility '{utility}'{did_you_mean(utility, UTILITIES)}"
        raise BadPolicy(message)
    policy = informed(policy, table)
    limits = searchable(policy)
    refuse_if_nothing_is(table, limits)
    outcome = chosen.search(table, limits, by=by or {}, utility=utility, progress=progress)
    return SearchResult(
        outcome.release,
        policy,
        judged(policy, outcome.release),
        chosen,
        outcome,
        Utilities(outcome.recoding),
        {column.name: by[column.name] for column in table.quasi if by and column.name in by},
    )


def _method(method: str | Method, suppress: float) -> Method:
    if isinstance(method, Method):
        return method
    if method not in METHODS:
        message = f"no method '{method}'{did_you_mean(method, METHODS)}"
        raise BadPolicy(message)
    if suppress and method != FullDomain.name:
        message = (
            f"method '{method}' does not suppress; "
            f"leave {parameter('suppress')} out, or use {parameter('method', 'lattice')}"
        )
        raise BadPolicy(message)
    return FullDomain(suppress=suppress) if method == FullDomain.name else METHODS[method]()


# ----------------------------------------------------------------------------------------------------
# When even one group of everybody is outside the policy, nothing can be published: say why, and what would pass.
# ----------------------------------------------------------------------------------------------------


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


# ----------------------------------------------------------------------------------------------------
# Measures that look at a whole release at once: a search goes without them, and what it finds is judged by them.
# ----------------------------------------------------------------------------------------------------


def informed(policy: Policy, table: Table) -> Policy:
    """Let measures that ask what somebody knows of the original take the table."""
    return Policy(*(replace(each, measure=each.measure.informed(table)) for each in policy.criteria))


def searchable(policy: Policy) -> Policy:
    """Keep the limits that a search can follow; where there are none, everything may be found."""
    kept = tuple(each for each in policy.criteria if each.measure.mergeable)
    return Policy(*kept) if kept else Policy(GroupSize() >= 1)


def judged(policy: Policy, release: Release) -> Verdict:
    """Judge what was found by everything; raises `NothingSafe` when the last look says no."""
    verdict = policy.judge(release)
    broken = [each for each in verdict.broken if not each.criterion.measure.mergeable]
    if broken:
        blocked = tuple(f"{each.criterion} (it is {in_words(each.finding.value)})" for each in broken)
        message = (
            f"the most useful release within the other limits is not within policy: {'; '.join(blocked)}; "
            "set the other limits tighter, so that groups are larger or more diverse"
        )
        raise NothingSafe(message, blocked_by=blocked)
    if not verdict.safe:
        message = (
            f"the search ended outside the policy ({verdict}): a fault of Sidelight's; try another method, and tell us"
        )
        raise SidelightError(message)
    return verdict
