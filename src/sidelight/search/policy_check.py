"""A policy made ready for a search: thousands of candidate groups judged at once (`criterion.CriterionCheck`).

Two kinds   A criterion *group by group* is as bad as its worst group: a release keeps it exactly when each of its
            groups does.  The others depend on several groups *together*: each group on its own is then a necessary
            condition (an attack on one group is an attack on the release), and the joined rows decide.
            An average over people is no such condition of each group (`binds_each_group`): only the joined rows decide.

One group of everybody is the least that can be published; what does it say about a search?

Claims      A criterion that merging groups cannot break (`holds_upwards`) is broken by every release of everybody if
            one group of everybody breaks it: nothing needs to be searched.
Others      Of a criterion without that claim, and of releases that leave people out, one group of everybody says
            nothing: they are searched, and it only helps to explain why nothing was found.

What does a policy ask of the values of each single group, where that is a share or a number of values?

Shares      No value above share c: of a people at most ⌊c·a⌋ have the same value; fewer where the limit is strict.
            Measures say which of their limits are that (`share_at`).
Distinct    At least a number of different values.

Such limits are decided by counts alone, in whole numbers, and random worlds that keep them can be counted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial, reduce
from typing import TYPE_CHECKING

import numpy as np

from sidelight.errors import BadMeasure, BadPolicy, NothingSafe, TooHard, parameter
from sidelight.measures.classics import DistinctValues, GroupSize
from sidelight.measures.criterion import Amount, Comparison, Criterion, CriterionCheck, Judgement, exact
from sidelight.measures.measure import Monotonicity
from sidelight.policy.policy import Policy
from sidelight.release.groups import Groups, whole_groups
from sidelight.release.release import Release
from sidelight.table.table import Counts, Table

if TYPE_CHECKING:
    from sidelight.arrays import Flags, Integers
    from sidelight.release.generalise import AnyGroups
    from sidelight.streams.streamed_table import AnyTable
    from sidelight.table.labels import Label, Semantics


@dataclass(frozen=True, slots=True)
class PolicyCheck:
    """All criteria of a policy, cheap ones first, apart by whether groups can be judged one by one."""

    by_group: tuple[CriterionCheck, ...]  # as bad as the worst group
    together: tuple[CriterionCheck, ...]  # depends on several groups together

    @classmethod
    def from_policy(cls, policy: Policy | Iterable[Criterion], people: int) -> PolicyCheck:
        """Build the checks of a policy, or of some criteria, for groups of up to `people`."""
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
        """The least size of groups, where that is limited: more than 5 is at least 6.

        >>> PolicyCheck.from_policy([GroupSize() > 5], people=10).least_group_size
        6
        """
        criteria = [check.criterion for check in self.by_group if isinstance(check.criterion.measure, GroupSize)]
        return max((least_whole(exact(each.bound), each.comparison) for each in criteria), default=None)

    def least_people(self, semantics: Semantics) -> int:
        """Return the least size of groups, whatever their values.

        >>> from sidelight.measures.privacy_skyline.acquaintance import Acquaintance
        >>> PolicyCheck.from_policy([Acquaintance(others=3) <= 0.9], people=10).least_people("single")
        5
        """
        binding = (check for check in self.checks if check.binds_each_group and not check.is_idle)
        return max((check.criterion.measure.least_people(semantics) for check in binding), default=1)

    @property
    def only_group_sizes(self) -> bool:
        """Whether it limits nothing but the sizes of groups."""
        return all(isinstance(check.criterion.measure, GroupSize) for check in self.checks)

    def mentions(self, domain: tuple[Label, ...]) -> Flags:
        """Return which values the policy names: these stay in the domain even where nobody has them."""
        named = (check.criterion.measure.names_values(domain) for check in self.checks)
        return reduce(np.logical_or, named, np.zeros(len(domain), bool))

    def holds_in_each(self, groups: Groups, *, if_close: bool = False) -> Flags:
        """Return which groups keep all criteria on their own: needed of each, enough where none is judged together.

        `if_close`, for searches that judge releases together: what is close to such a limit, to be met, holds.
        """
        holds = np.ones(len(groups), bool)
        for check in (each for each in self.checks if each.binds_each_group):
            # what one criterion refuses the next ones need not look at
            left = np.flatnonzero(holds)
            if len(left) == 0:
                break
            some = groups if len(left) == len(groups) else groups.take(left)
            holds[left] = check.holds_in_each(some, if_close=if_close and not check.group_by_group)
        return holds

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


def least_whole(bound: Amount, comparison: Comparison) -> int:
    """Return the smallest whole number that is at least, or above, a bound."""
    return math.floor(bound) + 1 if comparison is Comparison.ABOVE else math.ceil(bound)


def holds_upwards(criterion: Criterion, semantics: Semantics) -> bool:
    """Return whether merging groups can never break a criterion: what pruning relies on."""
    good = Monotonicity.NON_INCREASING if criterion.measure.large_is_bad else Monotonicity.NON_DECREASING
    return criterion.measure.monotonicity(semantics) is good


def one_group(table: AnyTable) -> Release:
    """Return the release that puts everybody into one group and prints nothing about them."""
    keys = table if isinstance(table, Table) else table.outline
    everybody = whole_groups(
        domain=keys.domain,
        sizes=[keys.people],
        counts=Counts.from_cells([keys.counts.totals()]),
        semantics=keys.semantics,
        weights=None if keys.weights is None else keys.weights.sum(keepdims=True),
    )
    return Release(everybody, sensitive=keys.sensitive, intake=keys.intake)


def refuse_impossible(table: AnyTable, policy: Policy, *, leaves_people_out: bool) -> None:
    """Raise `NothingSafe` if measures claim that no release keeps the policy, because one group of everybody breaks it.

    No claim is about releases that leave people out.
    """
    everybody = one_group(table)
    broken = policy.judge(everybody).broken  # also refuses limits that are invalid for this table
    hopeless = [each for each in broken if holds_upwards(each.criterion, table.semantics)]
    if hopeless and not leaves_people_out:
        raise _refusal("not even one group of everybody is within policy", hopeless, everybody)


def nothing_found(failure: str, table: AnyTable, policy: Policy) -> NothingSafe | None:
    """Return the refusal of a search that found nothing, and what would pass; None if one group of everybody passes."""
    everybody = one_group(table)
    broken = policy.judge(everybody).broken
    return _refusal(f"{failure}, and neither is one group of everybody", broken, everybody) if broken else None


def list_blocking(broken: Iterable[Judgement]) -> tuple[str, ...]:
    """Return each broken limit with what was found, for an error."""
    return tuple(f"{each.criterion} (it is {each.finding.value_in_words()})" for each in broken)


def _refusal(what: str, broken: Iterable[Judgement], everybody: Release) -> NothingSafe:
    broken = tuple(broken)
    blocked, closest = list_blocking(broken), tuple(line for each in broken for line in _closest(each, everybody))
    remedy = f"; what would pass: {'; '.join(closest)}" if closest else "; leave that out of the policy"
    return NothingSafe(f"{what}: {'; '.join(blocked)}{remedy}", blocked_by=blocked, closest=closest)


def _closest(judgement: Judgement, release: Release) -> Iterator[str]:
    """Yield the limit that would pass, if there is one, and smaller amounts of what the measure counts."""
    criterion, value = judgement.criterion, judgement.finding.value
    least, most = criterion.measure.limits
    if least <= value <= most and value != math.inf and not (criterion.comparison.strict and value in (least, most)):
        # rounded towards caution, so that the limit as printed passes: never beyond the value
        limit = f"{criterion.comparison.converse_words} {judgement.finding.value_in_words()}"
        yield f"{criterion.measure} with a limit of {limit}"

    def replace_amount(name: str, amount: int) -> Criterion:
        return replace(criterion, measure=criterion.measure.replace_settings(**{name: amount}))

    def holds(name: str, amount: int) -> bool | None:
        try:
            return replace_amount(name, amount).judge(release).holds
        except TooHard:  # what nobody can work out is not known to hold
            return False
        except BadMeasure:
            return None

    # one whole-number parameter after the other is lowered until the criterion holds
    for name, amount in criterion.measure.amounts().items():
        more_is_worse = name in criterion.measure.more_is_worse
        less = largest_smaller(partial(holds, name), amount, more_is_worse=more_is_worse)
        if less is not None:
            yield str(replace_amount(name, less))


def largest_smaller(
    holds: Callable[[int], bool | None], amount: int, *, more_is_worse: bool, steps: int = 24
) -> int | None:
    """Return an amount below another that holds; `holds` is None where an amount is too small to be valid.

    Where more is never better (`more_is_worse`), what holds ends at one amount: halving finds it, the largest, in
    log₂(amount) judgements.  Where nothing is known, amounts are tried downwards, all of a few, and of many at most
    `steps` in steps that grow geometrically; then those above what was found, by halving, at most `steps` again.

    >>> judged = []
    >>> largest_smaller(lambda amount: judged.append(amount) or amount < 1_234, 1_000_000, more_is_worse=True)
    1233
    >>> len(judged)
    20
    """
    within, beyond, largest = -1, amount, None
    if not more_is_worse:
        # so that the steps reach down to 0, each a fixed share of the one before
        share = max(2.0, amount ** (1 / (steps - 2)))
        distant = dict.fromkeys(int(amount / share**step) for step in range(1, steps + 1))
        for less in reversed(range(amount)) if amount <= steps else distant:
            if holds(less):
                within = largest = less
                break
            beyond = less
        else:
            return None
    rounds = 0
    while beyond - within > 1 and (more_is_worse or rounds < steps):
        middle, rounds = (within + beyond) // 2, rounds + 1
        verdict = holds(middle)
        largest = middle if verdict else largest
        # None, too small to be valid, moves the search upwards, as what holds does
        within, beyond = (within, middle) if verdict is False else (middle, beyond)
    return largest


@dataclass(frozen=True)
class ValueLimits:
    """Limits on the values of each group: the largest share of any value, and the least number of values.

    Of several limits on shares the lowest decides: it keeps all others.
    """

    belief: Fraction = Fraction(1)  # nobody's value has a larger share
    strict: bool = False  # whether a share that meets the limit breaks it
    different: int = 0  # the least number of values
    known: dict[int, int] = field(default_factory=dict, compare=False, repr=False)  # by size: the most of a value

    @property
    def limits_shares(self) -> bool:
        """Whether any share would be too large."""
        return self.belief < 1 or self.strict

    @property
    def order(self) -> tuple[Fraction, bool]:
        """The sort key of limits on shares: of equal ones the strict one is lower."""
        return self.belief, not self.strict

    def most(self, people: Integers) -> Integers:
        """Return how many people of groups of these sizes may have the same value."""
        # a generation has few different sizes among its groups
        sizes, index = np.unique(people, return_inverse=True)
        return np.array([self.most_of(size) for size in sizes.tolist()], np.int64)[index]

    def most_of(self, people: int) -> int:
        """Return how many people of a group of this size may have the same value.

        >>> ValueLimits(Fraction(1, 2)).most_of(4), ValueLimits(Fraction(1, 2), strict=True).most_of(4)
        (2, 1)
        """
        if people not in self.known:
            # where it is strict, belief · people itself is already too many
            share = self.belief * people
            self.known[people] = math.ceil(share) - 1 if self.strict else math.floor(share)
        return self.known[people]

    def holds_in_each(self, counts: Integers, people: Integers) -> Flags:
        """Return which groups keep the limits, by their counts."""
        rare = counts.max(axis=1, initial=0) <= self.most(people)
        return np.asarray(rare & (np.count_nonzero(counts, axis=1) >= self.different))


def share_limit(criterion: Criterion) -> ValueLimits | None:
    """Return a criterion as a limit on the share of any value, where it is one.

    >>> from sidelight.measures.classics import RecursiveDiversity
    >>> share_limit(RecursiveDiversity(1) < 0.6)
    ValueLimits(belief=Fraction(3, 5), strict=True, different=0)
    """
    bound = exact(criterion.bound)
    share = criterion.measure.share_at(bound) if isinstance(bound, Fraction) else None
    return None if share is None else ValueLimits(share, criterion.comparison.strict)


def covered_limits(policy: Policy) -> ValueLimits | None:
    """Return what a policy asks of values, or refuse what no veil covers; None where it asks nothing of them.

    >>> from sidelight.measures.classics import RecursiveDiversity
    >>> covered_limits(Policy(DistinctValues() >= 2, RecursiveDiversity(2) <= 1))
    ValueLimits(belief=Fraction(1, 2), strict=False, different=2)
    """
    about_values = [each for each in policy.criteria if _depends_on_values(each)]
    limits, others = split_value_limits(about_values)
    uncovered = next((each for each in others if exact(each.bound) != math.inf), None)
    if uncovered is not None:
        raise BadPolicy(
            f"{parameter('resists', 'insider')} covers limits on sizes, on the share of any value and on distinct "
            f"values, and '{uncovered}' is none of these; leave one of the two out"
        )
    if not about_values:
        return None
    if not any(map(share_limit, about_values)):
        raise BadPolicy(
            f"{parameter('resists', 'insider')} needs a limit on how sure anybody may get, and '{about_values[0]}' is "
            "none; add one, such as implications(k=0) <= 0.5"
        )
    return limits


def split_value_limits(criteria: Iterable[Criterion]) -> tuple[ValueLimits, list[Criterion]]:
    """Return the limits on shares and on numbers of values, and the criteria that are none of these."""
    shares, different, others = [ValueLimits()], 0, []
    for each in criteria:
        bound, measure = exact(each.bound), each.measure
        if (share := share_limit(each)) is not None:
            shares.append(share)
        elif isinstance(measure, DistinctValues) and not measure.apart_from and bound != math.inf:
            different = max(different, least_whole(bound, each.comparison))
        else:
            others.append(each)
    return replace(min(shares, key=lambda each: each.order), different=different), others


def _depends_on_values(criterion: Criterion) -> bool:
    """Whether the true values decide, beside what is published: for limits on a whole release, the release does."""
    measure = criterion.measure
    return measure.about_values if measure.mergeable else measure.knows_true_values


def limits_values(policy: Policy) -> bool:
    """Return whether a policy limits anything but sizes."""
    return any(_depends_on_values(each) for each in policy.criteria)


def belief_limit(policy: Policy) -> ValueLimits | None:
    """Return the lowest limit on beliefs that a policy promises; None where it promises none.

    A limit for those who know more holds for those who know less; limits on one value say nothing of the others.

    >>> from sidelight.measures.ck_safety.implications import Implications
    >>> from sidelight.measures.classics import RecursiveDiversity
    >>> belief_limit(Policy(DistinctValues() >= 2, Implications(3) < 0.6, RecursiveDiversity(3) <= 2))
    ValueLimits(belief=Fraction(3, 5), strict=True, different=0)
    """
    limits = []
    for each in policy.criteria:
        bound = exact(each.bound)
        belief = each.measure.belief_at(bound) if isinstance(bound, Fraction) else None
        if belief is not None and belief < 1:
            limits.append(ValueLimits(belief, each.comparison.strict))
    return min(limits, key=lambda each: each.order, default=None)
