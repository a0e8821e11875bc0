"""A policy made ready for a search: thousands of candidate groups judged at once, exactly where it is close.

Symbols     m̃ = the screen of a measure m: m in floats, a row of numbers per group that joins to that of a release;
            b = the criterion's bound; ε = how far off m̃ may be, relative to max(|b|, 1).
Decision    m̃ beyond b by more than ε decides.  Within ε of b the measure itself is worked out in exact arithmetic.
Invariant   Whatever is called within the policy here is so by the exact value; floats only save time.
Two kinds   A criterion *group by group* is as bad as its worst group: a release keeps it exactly when each of its
            groups does.  The others depend on several groups *together*: each group on its own is then a necessary
            condition (what somebody can do to one group they can do to the release), and the joined rows decide.
            An average over people is no such condition of each group (`needed_of_each`): only the joined rows decide.
Ends        An infinite value is no matter of rounding.  A bound as bad as can be (a probability of at most 1) is idle:
            no release breaks it, and nothing is computed for it.
Cost        One vectorised screen per block of groups; exactly, one group of each kind that is close, remembered, as a
            search meets the same kinds again and again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from sidelight.arrays import Flags, Floats, Integers, number_vectors
from sidelight.measures.about import ViewScreen
from sidelight.measures.comparison import Comparison
from sidelight.measures.criterion import Criterion, exact
from sidelight.measures.exact import Amount, Screen, join_all
from sidelight.measures.finding import Finding
from sidelight.measures.k_anonymity import GroupSize
from sidelight.measures.measure import Summary
from sidelight.policy.policy import Policy
from sidelight.release.groups import Groups
from sidelight.table.counts import Counts
from sidelight.table.labels import Label, Semantics
from sidelight.table.table import Table

if TYPE_CHECKING:
    from sidelight.release.streamed_lattice import AnyGroups


WHOLE_IN_FLOATS = 1 << 53
"""Whole numbers up to here are floats; beyond, or beside limits such as 5 + 10⁻³⁰, the next float decides nothing."""


@dataclass(frozen=True, slots=True)
class CriterionCheck:
    """One criterion with the screen of its measure."""

    criterion: Criterion
    screen: Screen
    bound: float
    margin: float  # how far from the bound a value must be for floats to decide
    of_parts: CriterionCheck | None = None  # where groups fall into parts that can be judged one by one
    decided: dict[Hashable, dict[bytes, bool]] = field(default_factory=dict, compare=False, repr=False)  # exactly

    @classmethod
    def from_criterion(cls, criterion: Criterion, people: int) -> CriterionCheck:
        """Build the check of a criterion, for groups of up to so many people."""
        screen, bound, measure = criterion.measure.screen(), float(exact(criterion.bound)), criterion.measure
        if measure.large_is_bad and criterion.comparison.holds(exact(measure.limits[1]), exact(criterion.bound)):
            bound = math.inf  # as bad as can be is within the bound: a probability of at most 1
        # infinity is never a matter of rounding
        margin = screen.margin(bound, people) if math.isfinite(bound) else 0.0
        if math.isfinite(bound) and (bound != exact(criterion.bound) or people > WHOLE_IN_FLOATS):
            margin = max(margin, math.ulp(max(abs(bound), people if people > WHOLE_IN_FLOATS else 0)))
        of_parts = None
        if isinstance(screen, ViewScreen) and screen.about.known and screen.group_by_group:
            of_parts = cls.from_criterion(replace(criterion, measure=screen.about.question), people)
        return cls(criterion, screen, bound, margin, of_parts)

    @property
    def is_idle(self) -> bool:
        """Whether no release breaks it."""
        return self.bound == math.inf and self.criterion.comparison is Comparison.AT_MOST

    @property
    def group_by_group(self) -> bool:
        """Whether groups can be judged one by one."""
        return self.screen.group_by_group or self.is_idle

    @property
    def binds_each_group(self) -> bool:
        """Whether each group on its own must keep it."""
        return self.screen.breaks_with_one_group or self.is_idle

    def clearly_holds(self, values: Floats) -> Flags:
        """Return which values keep the bound by more than rounding."""
        # the value moved by the margin towards breaking the bound: if it still holds, so does the exact one
        comparison = self.criterion.comparison
        worst = values + self.margin if comparison.from_above else values - self.margin
        return np.asarray(comparison.holds(worst, self.bound))  # type: ignore[arg-type]

    def is_close(self, values: Floats) -> Flags:
        """Return which values are so near the bound that only exact arithmetic can tell."""
        comparison = self.criterion.comparison
        best = values - self.margin if comparison.from_above else values + self.margin
        near = (values >= self.bound - self.margin) & (values <= self.bound + self.margin)
        # as sums are rounded, a value at the margin's edge may be near by one of them only: none is left between
        near |= np.asarray(comparison.holds(best, self.bound))  # type: ignore[arg-type]
        return ~self.clearly_holds(values) & near & np.isfinite(values)

    def holds_in_each(self, groups: Groups) -> Flags:
        """Judge each group as if it were the whole release."""
        if self.is_idle:
            return np.ones(len(groups), bool)
        if self.of_parts is not None and isinstance(self.screen, ViewScreen):
            parts, group = self.screen.parts(groups)
            holds = np.ones(len(groups), bool)
            holds[group[~self.of_parts.holds_in_each(parts)]] = False
            return holds
        return np.concatenate([self._holds_in_each(block) for block in self.criterion.measure.blocks(groups)])

    def may_hold_in_each(self, groups: Groups) -> Flags:
        """Judge each group as if it were the whole release, but let pass what meets a limit that may be met."""
        if self.criterion.comparison.strict or self.is_idle:
            return self.holds_in_each(groups)
        values = [self.screen.group_values(block) for block in self.criterion.measure.blocks(groups)]
        return np.concatenate([self.clearly_holds(block) | self.is_close(block) for block in values])

    def _holds_in_each(self, groups: Groups) -> Flags:
        values = self.screen.group_values(groups)
        holds = self.clearly_holds(values)
        close = np.flatnonzero(self.is_close(values))
        if len(close):
            kinds = self.screen.kinds(groups.take(close))
            kind, first = number_vectors(kinds)
            # what a kind is worth depends on the release that it is compared with, and on what its counts count
            decided_here = self.decided.setdefault((groups.domain, groups.whole.tobytes()), {})
            decided = [self._decide_once(kinds[at], groups, close[at], decided_here) for at in first]
            holds[close] = np.array(decided)[kind]
        return holds

    def _decide_once(self, kind: Integers, groups: Groups, row: int, decided: dict[bytes, bool]) -> bool:
        """Judge one group exactly; a search meets the same kind again and again."""
        known = kind.tobytes()
        if known not in decided:
            decided[known] = self.holds_exactly(groups.take(np.array([row])))
        return decided[known]

    def holds(self, groups: AnyGroups) -> bool:
        """Judge groups together as one release, in exact arithmetic only where floats cannot tell."""
        # clearly within, or too close and exactly within; clearly outside needs no exact arithmetic either
        rows = [join_all(self.screen, self.screen.rows(block)) for block in groups.blocks()]
        value = self.screen.value(join_all(self.screen, np.concatenate(rows)))
        return bool(self.clearly_holds(value)[0]) or (bool(self.is_close(value)[0]) and self.holds_exactly(groups))

    def holds_of_nothing(self, groups: AnyGroups) -> bool:
        """A group with nothing to measure breaks no limit; a release of such groups alone may."""
        measure = self.criterion.measure
        if measure.large_is_bad and self.bound > measure.limits[0]:
            return True
        best = -math.inf if measure.large_is_bad else math.inf
        for block in groups.blocks():
            # as a rule the first group has something to measure, and the others need not be looked at
            for groups_here in (block.take(slice(0, 1)), block):
                if not (self.screen.value(self.screen.rows(groups_here)) == best).all():
                    return True
        return self.holds_exactly(groups)

    def holds_exactly(self, groups: AnyGroups) -> bool:
        """Judge groups together as one release, in exact arithmetic."""
        return self.decides(self.summary(groups))

    def finding(self, groups: AnyGroups) -> Finding:
        """Measure groups together as one release."""
        return self.summary(groups).finding()

    def decides(self, summary: Summary) -> bool:
        """Judge the release that a summary is of, in exact arithmetic."""
        return self.criterion.decide(summary.finding()).holds

    def summary(self, groups: AnyGroups) -> Summary:
        """Summarise groups exactly; summaries of groups of one release merge."""
        summaries = (self.criterion.measure.summarize(block) for block in groups.blocks())
        return reduce(lambda one, other: one.merge(other), summaries)

    def worst_first(self, groups: Groups) -> Integers:
        """Sort groups by their own values, the worst first."""
        return np.argsort(self.badness(groups), kind="stable")

    def badness(self, groups: Groups) -> Floats:
        """Return a number to sort each group by: the worst have the smallest."""
        values = self.screen.value(self.screen.rows(groups))
        return -values if self.criterion.measure.large_is_bad else values


@dataclass(frozen=True, slots=True)
class PolicyCheck:
    """All criteria of a policy, cheap ones first, apart by whether groups can be judged one by one."""

    by_group: tuple[CriterionCheck, ...]  # as bad as the worst group
    together: tuple[CriterionCheck, ...]  # depends on several groups together

    @classmethod
    def from_policy(cls, policy: Policy | Iterable[Criterion], people: int) -> PolicyCheck:
        """Build the checks of a policy, or of some criteria, for groups of up to so many people."""
        criteria = policy.criteria if isinstance(policy, Policy) else policy
        checks = [CriterionCheck.from_criterion(criterion, people) for criterion in criteria]
        # screens that are exact are the cheap ones, and need no second look
        checks.sort(key=lambda check: not check.screen.exact)
        return cls(
            tuple(check for check in checks if check.group_by_group),
            tuple(check for check in checks if not check.group_by_group),
        )

    @property
    def checks(self) -> tuple[CriterionCheck, ...]:
        """All of them, cheap ones first within each kind."""
        return (*self.by_group, *self.together)

    @property
    def least_group_size(self) -> int | None:
        """How many people every group needs at least, where its size is limited: more than 5 is at least 6.

        >>> PolicyCheck.from_policy([GroupSize() > 5], people=10).least_group_size
        6
        """
        criteria = [check.criterion for check in self.by_group if isinstance(check.criterion.measure, GroupSize)]
        return max((least_whole(exact(each.bound), each.comparison) for each in criteria), default=None)

    def least_people(self, semantics: Semantics) -> int:
        """How many people every group needs at least, whoever has what.

        >>> from sidelight.measures.privacy_skyline.acquaintance import Acquaintance
        >>> PolicyCheck.from_policy([Acquaintance(others=3) <= 0.9], people=10).least_people("single")
        5
        """
        binding = (check for check in self.checks if check.binds_each_group and not check.is_idle)
        return max((check.criterion.measure.least_people(semantics) for check in binding), default=1)

    @property
    def only_group_sizes(self) -> bool:
        """Whether it limits nothing but how many people a group has."""
        return all(isinstance(check.criterion.measure, GroupSize) for check in self.checks)

    def mentions(self, domain: tuple[Label, ...]) -> Flags:
        """Return which values the policy names: those are spoken of, whoever has them."""
        named = (check.criterion.measure.names_values(domain) for check in self.checks)
        return reduce(np.logical_or, named, np.zeros(len(domain), bool))

    def holds_in_each(self, groups: Groups) -> Flags:
        """Return which groups keep all criteria on their own: needed of each, enough where none is judged together."""
        return _all_hold(groups, [check.holds_in_each for check in self.checks if check.binds_each_group])

    def may_hold_in_each(self, groups: Groups) -> Flags:
        """Return the same for searches that judge releases together; what is close to a limit to be met holds."""
        one_by_one = (check.holds_in_each for check in self.by_group)
        together = (check.may_hold_in_each for check in self.together if check.binds_each_group)
        return _all_hold(groups, [*one_by_one, *together])

    def holds(self, groups: AnyGroups) -> bool:
        """Judge groups together as one release, exactly; stop at the first that does not keep a criterion."""
        by_group = [check for check in self.by_group if not check.is_idle]
        return (
            all(
                check.holds_in_each(block).all()
                for block in (groups.blocks() if by_group else ())
                for check in by_group
            )
            and all(check.holds_of_nothing(groups) for check in by_group)
            and all(check.holds(groups) for check in self.together)
        )


def _all_hold(groups: Groups, judgements: Iterable[Callable[[Groups], Flags]]) -> Flags:
    holds = np.ones(len(groups), bool)
    for judge in judgements:
        # what one criterion refuses the next ones need not look at
        left = np.flatnonzero(holds)
        if len(left) == 0:
            break
        holds[left] = judge(groups if len(left) == len(groups) else groups.take(left))
    return holds


def least_whole(bound: Amount, comparison: Comparison) -> int:
    """Return the smallest whole number that is at least, or above, a bound."""
    return math.floor(bound) + 1 if comparison is Comparison.ABOVE else math.ceil(bound)


def candidate_groups(table: Table, sizes: Integers, counts: Counts, whole: Integers | None = None) -> Groups:
    """Build groups that a search may make of a table, not yet printed, which know the whole table's totals."""
    numbers = np.arange(1, len(sizes) + 1)
    whole = table.counts.totals() if whole is None else whole
    return Groups(table.domain, sizes, counts, (), table.semantics, whole, numbers)
