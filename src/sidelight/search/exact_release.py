"""A release that is judged exactly again and again, each time with other groups cut.

Symbols     S = the exact summary of groups, ⊕ = merging; a release of blocks B_1 … B_p of groups; a cut of group g of
            block B_i into the halves a, b.
Claim       Summaries merge in any order, so the release after the cut has
            S(B_1 … B_p without B_i)  ⊕  S(B_i without g)  ⊕  S(a, b),  and its value decides.  The first is kept.
Cost        Once p summaries of `GROUPS_AT_ONCE` groups; p mergings for each block of which a group is cut; then per cut
            one summary of a block and one of two halves, however many groups the release has.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property, reduce

import numpy as np

from sidelight.arrays import Integers
from sidelight.measures.measure import Summary
from sidelight.release.groups import Groups
from sidelight.search.policy_check import CriterionCheck

GROUPS_AT_ONCE = 512
"""So many groups have a summary of their own."""


@dataclass(frozen=True, eq=False)
class ExactRelease:
    """A release as it is, and one criterion."""

    check: CriterionCheck
    groups: Groups
    _beside: dict[int, list[Summary]] = field(default_factory=dict)  # per block: the summary of all others, if any

    @cached_property
    def holds(self) -> bool:
        """Whether the release keeps the criterion."""
        return self.check.decides(_merged(self._blocks))

    def holds_after(self, cut: Integers, halves: Iterable[Groups]) -> bool:
        """Say whether it would with some groups cut (their rows, and what they fall into)."""
        parts = [*self._without(cut), *(self.check.summary(each) for each in halves)]
        return self.check.decides(_merged(parts))

    @cached_property
    def _blocks(self) -> list[Summary]:
        starts = range(0, len(self.groups), GROUPS_AT_ONCE)
        return [self.check.summary(self.groups.take(slice(start, start + GROUPS_AT_ONCE))) for start in starts]

    def _without(self, cut: Integers) -> list[Summary]:
        """Summarise all groups but these."""
        block = np.arange(len(self.groups)) // GROUPS_AT_ONCE
        blocks = np.unique(block[cut])
        kept = np.isin(block, blocks)
        kept[cut] = False
        rest = np.flatnonzero(kept)
        return [*self._others(blocks.tolist()), *([self.check.summary(self.groups.take(rest))] if len(rest) else [])]

    def _others(self, blocks: list[int]) -> list[Summary]:
        """Summarise all blocks but these."""
        if len(blocks) == block_count(len(self.groups)):
            return []
        if len(blocks) == 1 and blocks[0] in self._beside:
            return self._beside[blocks[0]]
        others = [_merged([each for at, each in enumerate(self._blocks) if at not in set(blocks)])]
        if len(blocks) == 1:
            self._beside[blocks[0]] = others
        return others


def block_count(groups: int) -> int:
    """Count the blocks of so many groups."""
    return -(-groups // GROUPS_AT_ONCE)


def _merged(summaries: Iterable[Summary]) -> Summary:
    return reduce(lambda one, other: one.merge(other), summaries)
