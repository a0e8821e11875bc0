"""Which halves of a group keep the policy, whatever values its people have?

Symbols     A cut leaves a of the n people of a group on its left; L_s of the n_s people with value s are there.
Sizes       Limits on sizes alone depend on the cut, not on who has which value: they say which cuts are *admissible*.
Shares      No value above share c:  L_s ≤ ⌊c·a⌋  and  n_s − L_s ≤ ⌊c·(n − a)⌋  for all s (`ShareLimit`).  A value with
            n_s ≤ ⌊c · smallest side⌋ can break that nowhere, so that all such values may be counted as one.
Distinct    At least l values on either side.
Others      Every other limit on single groups is asked of the halves themselves, by the search's own check.
Together    A limit on several groups, which merging never makes worse, is asked of the release with this cut made and
            all other groups as published.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sidelight.arrays import Flags, Floats, Integers, number_vectors
from sidelight.measures.exact import join_backwards, join_forwards
from sidelight.release.groups import Groups, stack_groups
from sidelight.search.lattice_search import holds_upwards
from sidelight.search.policy_check import CriterionCheck, PolicyCheck
from sidelight.search.value_limits import ShareLimit, distinct_limit, share_limit
from sidelight.table.counts import Counts


@dataclass(frozen=True, eq=False)
class HalfLimits:
    """What both halves of a cut have to keep, apart by how it is decided."""

    release: Groups
    check: PolicyCheck
    shares: tuple[ShareLimit, ...]
    distinct: int
    others: tuple[CriterionCheck, ...]  # of single groups
    together: tuple[TogetherLimit, ...]
    by_size: tuple[CriterionCheck, ...]  # of single groups, whatever their values

    @classmethod
    def from_check(cls, check: PolicyCheck, release: Groups) -> HalfLimits:
        """Sort the limits of a policy."""
        about_values = [each for each in check.by_group if each.criterion.measure.about_values and not each.is_idle]
        shares = [share_limit(each.criterion) for each in about_values]
        distinct = [distinct_limit(each.criterion) for each in about_values]
        others = [
            each
            for each, share, few in zip(about_values, shares, distinct, strict=True)
            if share is None and few is None
        ]
        return cls(
            release,
            check,
            tuple(each for each in shares if each is not None),
            max((each for each in distinct if each is not None), default=1),
            tuple(others),
            tuple(TogetherLimit.from_check(each, release) for each in check.together),
            tuple(each for each in check.by_group if not each.criterion.measure.about_values),
        )

    @property
    def limits_sizes_alone(self) -> bool:
        """Whether no limit looks at values: then nobody learns from a cut that was not made."""
        return (
            not self.shares
            and self.distinct <= 1
            and not self.others
            and not any(each.check.criterion.measure.about_values for each in self.together)
        )

    @property
    def limits_shares_and_distinct(self) -> bool:
        """Whether shares and numbers of values are all that is limited, besides sizes."""
        return not self.others and not self.together

    @property
    def may_lump(self) -> bool:
        """Whether values that cannot break a share limit may be counted as one."""
        return self.distinct <= 1 and self.limits_shares_and_distinct

    def admissible(self, left: Integers, people: Integers) -> Flags:
        """Return which cuts leave enough people on both sides, by their numbers alone."""
        return self.large_enough(left) & self.large_enough(people - left)

    def large_enough(self, sizes: Integers) -> Flags:
        """Return which parts have enough people, by their numbers alone."""
        enough: Flags = sizes >= 1
        for check in self.by_size:
            if enough.any():
                enough[enough] = check.holds_in_each(_make_groups_of_sizes(self.release, sizes[enough]))
        return enough

    def telling(self, counts: Integers, smallest: int) -> Flags:
        """Return which values must be kept apart, as they could break a limit on a side of `smallest` people."""
        if not self.may_lump:
            # distinct values and other limits look at each value, so that none may be lumped
            return counts > 0
        return counts > min((each.most(smallest) for each in self.shares), default=int(counts.sum()))

    def passes(self, row: int, values: Integers, left: Integers, right: Integers, sizes: tuple[int, int]) -> Flags:
        """Return in which arrangements a cut of a group (a row of the release) keeps the policy.

        `left` and `right` count the `values` (places in the domain) on the cut's sides, an arrangement per row; both
        sides have as many people in each.
        """
        # the costly limits look only at right halves whose left half keeps the policy
        kept = self.keep(values, right, sizes[1], among=self.keep(values, left, sizes[0]))
        if self.together and kept.any():
            some = np.flatnonzero(kept)
            kept[some] = self._fit_together(row, values, left[some], right[some])
        return kept

    def keep(self, values: Integers, counts: Integers, people: int, *, among: Flags | None = None) -> Flags:
        """Return which parts of a group (all, or some), of so many people each, keep all limits on single groups."""
        kept = np.ones(len(counts), bool) if among is None else among.copy()
        for limit in self.shares:
            kept &= (counts <= limit.most(people)).all(axis=1)
        if self.distinct > 1:
            kept &= np.count_nonzero(counts, axis=1) >= self.distinct
        if self.others and kept.any():
            some = np.flatnonzero(kept)
            kind, first = number_vectors(counts[some])
            parts = _make_groups_of_values(self.release, values, counts[some][first])
            kept[some] = np.logical_and.reduce([check.holds_in_each(parts) for check in self.others])[kind]
        return kept

    def judge(self, row: int, values: Integers, left: Sequence[int], right: Sequence[int]) -> bool:
        """Judge one pair of halves of a group by the policy's own exact measures, and nothing else."""
        halves = _make_groups_of_values(self.release, values, np.array([left, right]))
        if not all(check.holds_exactly(halves) for check in self.check.by_group):
            return False
        others = self.release.take(np.delete(np.arange(len(self.release)), row))
        return all(check.holds_exactly(_one_release([others, halves])) for check in self.check.together)

    def judge_part(self, values: Integers, counts: Sequence[int]) -> bool:
        """Judge one part of a group by the policy's own exact measures, and nothing else."""
        part = _make_groups_of_values(self.release, values, np.array([counts]))
        return all(check.holds_exactly(part) for check in self.check.by_group)

    def _fit_together(self, row: int, values: Integers, left: Integers, right: Integers) -> Flags:
        """Return whether the release keeps the limits with this cut made; judge each pair of halves once."""
        kind, first = number_vectors(left)
        one, other = (_make_groups_of_values(self.release, values, side[first]) for side in (left, right))
        fits: Flags = np.logical_and.reduce([limit.holds(row, one, other) for limit in self.together])
        return fits[kind]


@dataclass(frozen=True, eq=False)
class TogetherLimit:
    """A limit on several groups together, asked of the release with one more cut."""

    check: CriterionCheck
    release: Groups
    before: Floats  # the joined rows of all groups up to each
    after: Floats  # and from each on

    @classmethod
    def from_check(cls, check: CriterionCheck, release: Groups) -> TogetherLimit:
        """Join the rows of all groups of a release."""
        # joins of all rows before and after each one: leaving a group out then costs two joins, not a pass over all
        rows = check.screen.rows(release)
        return cls(check, release, join_forwards(check.screen, rows), join_backwards(check.screen, rows))

    @property
    def is_covered(self) -> bool:
        """Whether merging never makes it worse, so that a cut that failed once fails in the end."""
        return holds_upwards(self.check.criterion, self.release.semantics)

    def holds(self, row: int, left: Groups, right: Groups) -> Flags:
        """Return for which halves of a group the release keeps the limit."""
        screen = self.check.screen
        joined = screen.join(screen.rows(left), screen.rows(right))
        if row > 0:
            joined = screen.join(joined, np.broadcast_to(self.before[row - 1], joined.shape).copy())
        if row < len(self.release) - 1:
            joined = screen.join(joined, np.broadcast_to(self.after[row + 1], joined.shape).copy())
        values = screen.value(joined)
        kept = self.check.clearly_holds(values)
        others = self.release.take(np.delete(np.arange(len(self.release)), row))
        # near the bound floats cannot decide: exact fractions do
        for at in np.flatnonzero(self.check.is_close(values) & ~kept):
            one = np.array([at])
            kept[at] = self.check.holds_exactly(_one_release([others, left.take(one), right.take(one)]))
        return kept


def _one_release(parts: list[Groups]) -> Groups:
    bare = [replace(each, columns=(), populations=(), weights=None) for each in parts if len(each)]
    stacked = stack_groups(bare)
    return replace(stacked, numbers=np.arange(1, len(stacked) + 1))


def _make_groups_of_sizes(release: Groups, sizes: Integers) -> Groups:
    """Groups of so many people, of whose values nothing is said."""
    counts = Counts.from_entries(
        np.arange(len(sizes)), np.zeros(len(sizes), np.int64), sizes, (len(sizes), len(release.domain))
    )
    return Groups(release.domain, sizes, counts, (), release.semantics, release.whole, np.arange(1, len(sizes) + 1))


def _make_groups_of_values(release: Groups, values: Integers, counts: Integers) -> Groups:
    cells = np.zeros((len(counts), len(release.domain)), np.int64)
    cells[:, values] = counts
    numbers = np.arange(1, len(counts) + 1)
    return Groups(release.domain, cells.sum(axis=1), Counts.from_cells(cells), (), "single", release.whole, numbers)
