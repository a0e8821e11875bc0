"""Does a release that a search found fall to attackers whom its policy does not name?

Attackers that say so (`Attacker.asked_by_search`) are asked beside every search, each with bounded effort by its own
`answer_search`: `protect` must not take much longer for it.  One whom the policy names is judged by the policy.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from sidelight.measures.attacker import AttackerAnswer, FoundRelease
from sidelight.measures.criterion import exact
from sidelight.measures.measure import Measure
from sidelight.policy.measure_names import asked_attackers
from sidelight.progress import Progress, quiet
from sidelight.release.release import Members, Release
from sidelight.search.method import SearchResult
from sidelight.search.value_limits import ShareLimit, belief_limit, limits_values

Ask: TypeAlias = str
"""Which attackers are asked of what a search found: "both" all of them, the name of one, or "nobody"."""


def ask_choices() -> tuple[str, ...]:
    """Return what `ask` may be, with the attackers that somebody else declared."""
    return ("both", *(kind.name for kind in asked_attackers()), "nobody")


def ask_attackers(found: SearchResult, ask: Ask = "both", *, progress: Progress = quiet) -> tuple[AttackerAnswer, ...]:
    """Return what each attacker would reach of a release, quickly; those not in `ask` were not asked.

    >>> import sidelight as sl
    >>> adult = sl.datasets.adult(quasi=["age", "sex"])
    >>> found = sl.protect(adult.table, sl.GroupSize() >= 50, by=adult.hierarchies)
    >>> [(each.reader, each.outcome) for each in ask_attackers(found)]
    [('learner', 'not asked'), ('insider', 'nothing to learn')]
    """
    kinds = asked_attackers()
    if not found.outcome.recoding.holds_keys:
        reason = "nobody wished so" if ask == "nobody" else "the table was streamed, and who has what is not held"
        return tuple(AttackerAnswer(kind.attacker, "not asked", reason) for kind in kinds)
    question = found_release(found, progress)
    return tuple(
        _find_judgement(found, kind) or kind.answer_search(question)
        if ask in ("both", kind.name)
        else AttackerAnswer(kind.attacker, "not asked", "nobody wished so")
        for kind in kinds
    )


def found_release(found: SearchResult, progress: Progress = quiet) -> FoundRelease:
    """Return what a search's result lets attackers see, with the limit on anybody's belief."""
    deals = found.method.recodes == "buckets"  # which counts alone decide, but models learn from
    values = limits_values(found.policy)
    limit = belief_limit(found.policy)
    # without a limit on beliefs, attackers are measured against what the release alone shows
    if limit is None and (values or deals):
        limit = ShareLimit(largest_share(found.release))
    return FoundRelease(
        found.release,
        None if limit is None else limit.share,
        strict=limit is not None and limit.strict,
        values_decide=values and not deals,
        with_people=lambda: with_people(found),
        count_truth=lambda: found.true_counts,
        result=found,
        progress=progress,
    )


def largest_share(release: Release) -> Fraction:
    """Return the largest share of a group that has a value: what somebody believes who sees the release alone."""
    row, _, count = release.groups.counts.entries()
    size = release.groups.sizes[row]
    share = count / size
    near = share >= share.max(initial=0) - 5e-10  # floats find the few that can be the largest; fractions decide
    # few distinct pairs of count and size are close to the largest, and only those become fractions
    pairs = np.unique(np.stack([count[near], size[near]]), axis=1).T.tolist()
    return max((min(Fraction(many, people), Fraction(1)) for many, people in pairs), default=Fraction(0))


def _find_judgement(found: SearchResult, kind: type[Measure]) -> AttackerAnswer | None:
    judgement = next((each for each in found.verdict.judgements if isinstance(each.criterion.measure, kind)), None)
    if judgement is None:
        return None
    bound = Fraction(exact(judgement.criterion.bound))
    return AttackerAnswer(kind.attacker, "asked", "as the policy asks", judgement.finding.value, bound)


def with_people(found: SearchResult) -> Release:
    """Return the release that was found with who is in which group, as whoever has a list of the people knows."""
    if found.release.members is not None:
        return found.release
    table, group = found.outcome.recoding.table, found.release_rows
    keys = np.flatnonzero((group >= 0) & (table.sizes > 0))
    keys = keys[np.argsort(group[keys], kind="stable")]
    members = Members(
        tuple(each.take(keys) for each in table.quasi), group[keys], np.arange(len(keys)), table.sizes[keys]
    )
    return replace(found.release, members=members)
