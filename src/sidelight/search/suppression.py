"""Leave out the people of offending groups, few of them, so that the rest is within policy."""

from __future__ import annotations

import numpy as np

from sidelight.release.groups import Groups
from sidelight.search.policy_check import Flags, Limits
from sidelight.table.columns import Integers
from sidelight.table.counts import Counts


def offending(groups: Groups, limits: Limits, room: int) -> Flags | None:
    """Choose groups to suppress, of at most `room` people together, or say that it cannot be done.

    Limit by limit, the groups that break it on their own: all at once where only the group itself counts, the worse
    half of them where the others may be fine once those are gone (a release's totals change with what is left out);
    then, for limits that depend on several groups together, the group that the worst case is about, one at a time.

    >>> import sidelight as sl
    >>> groups = sl.Release.from_counts([{"a": 3}, {"a": 1}, {"b": 4}]).groups
    >>> offending(groups, Limits.of(sl.Policy(sl.GroupSize() >= 3), people=8), room=1).tolist()
    [False, True, False]
    """
    out = np.zeros(len(groups), bool)
    while True:
        left = np.flatnonzero(~out)
        if len(left) == 0 or groups.sizes[out].sum() > room:
            return None
        rest = on_their_own(groups, left, limits)
        bad = _breaking(rest, limits)
        if len(bad) == 0:
            return out
        out[left[bad]] = True


def on_their_own(groups: Groups, rows: Integers, limits: Limits) -> Groups:
    """Take groups for a whole release: what they are compared with is then only themselves.

    Values that nobody has any more are not spoken of, unless the policy names them.
    """
    some = groups if len(rows) == len(groups) else groups.take(rows)
    totals = some.counts.totals()
    kept = np.flatnonzero((totals > 0) | (groups.whole == 0) | limits.named(groups.domain))
    counts = some.counts
    if len(kept) < len(totals):
        place = np.full(len(totals), -1)
        place[kept] = np.arange(len(kept))
        row, value, count = counts.entries()
        counts = Counts.from_entries(row, place[value], count, (len(some), len(kept)))
    return Groups(
        tuple(some.domain[place] for place in kept),
        some.sizes,
        counts,
        some.columns,
        some.semantics,
        totals[kept],
        np.arange(1, len(some) + 1),
    )


def _breaking(groups: Groups, limits: Limits) -> Integers:
    """Choose the groups to give up next; none when the policy holds."""
    for limit in (*limits.each, *limits.shared):
        bad = np.flatnonzero(~limit.each(groups))
        if len(bad) and limit.outline.exact:
            return bad
        if len(bad):
            values = limit.outline.value(limit.outline.of(groups.take(bad)))
            worst_first = np.argsort(-values if limit.criterion.measure.large_is_bad else values, kind="stable")
            return bad[worst_first[: (len(bad) + 1) // 2]]
    for limit in limits.shared:
        finding = limit.finding(groups)
        if not limit.criterion.decide(finding).holds and finding.witness is not None:
            return np.array([finding.witness.group.number - 1])
    return np.array([], np.int64)
