"""A policy made ready for a search: many candidate groups judged at once, exactly where it is close."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import reduce

import numpy as np

from sidelight._arrays import Flags, Floats, Integers
from sidelight.measures.k_anonymity import GroupSize
from sidelight.measures.measure import Criterion, Finding, exact
from sidelight.measures.screening import Screen, joined_all
from sidelight.policy.policy import Policy
from sidelight.release.groups import Groups
from sidelight.table.labels import Label
from sidelight.table.table import Counts, Table


@dataclass(frozen=True, slots=True)
class Limit:
    """One criterion with the screen of its measure."""

    criterion: Criterion
    screen: Screen
    slack: float  # how far off the screen may be
    known: dict[bytes, bool] = field(default_factory=dict, compare=False, repr=False)

    def clear(self, values: Floats) -> Flags:
        """Say which values keep the bound by more than rounding."""
        bound = float(exact(self.criterion.bound))
        room = self.slack * max(abs(bound), 1.0)
        comparison = self.criterion.comparison
        return np.asarray(comparison.holds(values + room if comparison.from_above else values - room, bound))  # type: ignore[arg-type]

    def near(self, values: Floats) -> Flags:
        """Say which values are so near the bound that only exact arithmetic can tell."""
        bound = float(exact(self.criterion.bound))
        return ~self.clear(values) & (np.abs(values - bound) <= self.slack * max(abs(bound), 1.0))

    def each(self, groups: Groups) -> Flags:
        """Judge each group as if it were the whole release."""
        return np.concatenate([self._each(part) for part in groups.blocks()])

    def _each(self, groups: Groups) -> Flags:
        values = self.screen.value(self.screen.of(groups))
        within = self.clear(values)
        near = np.flatnonzero(self.near(values))
        if len(near):
            every = self.screen.kinds(groups.take(near))
            kinds, first, kind = np.unique(every, axis=0, return_index=True, return_inverse=True)
            decided = [self._once(row.tobytes(), groups, near[at]) for row, at in zip(kinds, first, strict=True)]
            within[near] = np.array(decided)[kind]
        return within

    def _once(self, kind: bytes, groups: Groups, row: int) -> bool:
        """Judge one group exactly; a search meets the same kind again and again."""
        if kind not in self.known:
            self.known[kind] = self.exactly(groups.take(np.array([row])))
        return self.known[kind]

    def together(self, groups: Groups) -> bool:
        """Judge groups together as one release, in exact arithmetic only where floats cannot tell."""
        value = self.screen.value(joined_all(self.screen, self.screen.of(groups)))
        return bool(self.clear(value)[0]) or (bool(self.near(value)[0]) and self.exactly(groups))

    def exactly(self, groups: Groups) -> bool:
        """Judge groups together as one release, in exact arithmetic."""
        return self.criterion.decide(self.finding(groups)).holds

    def finding(self, groups: Groups) -> Finding:
        """Measure groups together as one release."""
        parts = [self.criterion.measure.summarize(part) for part in groups.blocks()]
        return reduce(lambda one, other: one.merge(other), parts).finding()


@dataclass(frozen=True, slots=True)
class Limits:
    """All limits of a policy, cheap ones first, apart by whether groups can be judged one by one."""

    each: tuple[Limit, ...]  # as bad as the worst group
    shared: tuple[Limit, ...]  # depends on several groups together

    @classmethod
    def of(cls, policy: Policy, people: int) -> Limits:
        """Make a policy ready, for groups of up to so many people."""
        return cls.of_criteria(policy.criteria, people)

    @classmethod
    def of_criteria(cls, criteria: tuple[Criterion, ...], people: int) -> Limits:
        """Make some criteria of a policy ready."""
        screens = [criterion.measure.screen() for criterion in criteria]
        limits = [
            Limit(criterion, screen, screen.slack(people)) for criterion, screen in zip(criteria, screens, strict=True)
        ]
        limits.sort(key=lambda limit: not limit.screen.exact)
        return cls(
            tuple(limit for limit in limits if limit.screen.group_by_group),
            tuple(limit for limit in limits if not limit.screen.group_by_group),
        )

    @property
    def people_needed(self) -> int:
        """How many people every group needs at least, as far as its size alone is limited."""
        sizes = (exact(each.criterion.bound) for each in self.each if each.criterion.measure == GroupSize())
        return max((math.ceil(size) for size in sizes), default=1)

    def named(self, domain: tuple[Label, ...]) -> Flags:
        """Say which values the limits name: those are spoken of, whoever has them."""
        said = {text for limit in (*self.each, *self.shared) for text in _texts(limit.criterion.measure.parameters())}
        return np.array([text in said for text in domain])

    @property
    def empty(self) -> bool:
        """Whether there is nothing to keep."""
        return not self.each and not self.shared

    def alone(self, groups: Groups) -> Flags:
        """Say which groups keep all limits on their own: needed of every group, enough where nothing is shared."""
        within = np.ones(len(groups), bool)
        for limit in (*self.each, *self.shared):
            left = np.flatnonzero(within)
            if len(left) == 0:
                break
            within[left] = limit.each(groups if len(left) == len(groups) else groups.take(left))
        return within

    def hold(self, groups: Groups) -> bool:
        """Judge groups together as one release, exactly; stop at the first limit that is not kept."""
        return all(limit.each(groups).all() for limit in self.each) and all(
            limit.together(groups) for limit in self.shared
        )


def _texts(parameter: object) -> Iterator[str]:
    """Give all texts inside a parameter."""
    if isinstance(parameter, str):
        yield parameter
    elif isinstance(parameter, Mapping):
        yield from _texts([*parameter.keys(), *parameter.values()])
    elif isinstance(parameter, Iterable):
        for part in parameter:
            yield from _texts(part)


def loose_groups(table: Table, sizes: Integers, counts: Counts) -> Groups:
    """Candidate groups of a table, not yet named, that know the whole table's totals."""
    numbers = np.arange(1, len(sizes) + 1)
    return Groups(table.domain, sizes, counts, (), table.semantics, table.counts.totals(), numbers)
