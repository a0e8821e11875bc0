"""Leave out the people of offending groups, as few as possible, so that the rest is within policy."""

from __future__ import annotations

import numpy as np

from sidelight.release.groups import Groups
from sidelight.search.limits import Flags, Limits


def offending(groups: Groups, limits: Limits, room: int) -> Flags | None:
    """Choose groups to suppress, of at most `room` people together, or say that it cannot be done.

    First every group that breaks a limit on its own, until none does (the release's totals change with what is left
    out); then, for limits that depend on several groups together, the group that the worst case is about, one at a
    time.

    >>> import sidelight as sl
    >>> groups = sl.Release.from_counts([{"a": 3}, {"a": 1}, {"b": 4}]).groups
    >>> offending(groups, Limits.of(sl.Policy(sl.GroupSize() >= 3)), room=1).tolist()
    [False, True, False]
    """
    out = np.zeros(len(groups), bool)
    while True:
        left = np.flatnonzero(~out)
        if len(left) == 0 or groups.sizes[out].sum() > room:
            return None
        rest = on_their_own(groups, left)
        bad = ~limits.alone(rest)
        if not bad.any():
            row = _worst_together(rest, limits)
            if row is None:
                return out
            bad[row] = True
        out[left[bad]] = True


def on_their_own(groups: Groups, rows: np.typing.NDArray[np.int64]) -> Groups:
    """Take groups for a whole release: what they are compared with is then only themselves."""
    some = groups.take(rows)
    return Groups(
        some.domain,
        some.sizes,
        some.counts,
        some.columns,
        some.semantics,
        some.counts.totals(),
        np.arange(1, len(some) + 1),
    )


def _worst_together(groups: Groups, limits: Limits) -> int | None:
    for limit in limits.shared:
        finding = limit.criterion.measure.summarize(groups).finding()
        if not limit.criterion.decide(finding).holds and finding.witness is not None:
            return finding.witness.group.number - 1
    return None
