"""Measures that look at a whole release at once: a search goes without them, and what it finds is judged by them."""

from __future__ import annotations

from dataclasses import replace

from sidelight.errors import NothingSafe, SidelightError
from sidelight.measures.finding import in_words
from sidelight.measures.k_anonymity import GroupSize
from sidelight.policy.policy import Policy, Verdict
from sidelight.release.release import Release
from sidelight.table.table import Table


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
