"""How improbable can atoms of a given price make it that none of them holds, when some values cost more than others?

Symbols     q(v) > 0 the price of an atom "somebody has v", a whole number; n(V) how many people have a value of the set
            V, q(V) its price; σ the target's value, which the target's own atom has for nothing.
Chains      Ask the i-th person of a group of n about the values V_i.  For two people and sets A, B, asking one about
            A ∪ B and the other about A ∩ B costs the same and is no more likely to come to nothing: whatever all others
            have, the two draw from m occurrences in (m − a)(m − b) − (m − n(A ∪ B)) ways that avoid A and B; a + b
            stays while a and b move apart.  So the best sets are a chain V₀ ⊇ V₁ ⊇ …, the target first, and none of the
            atoms holds with probability

                Π_i max(n − i − n(V_i), 0) / (n − i)        at the price  Σ_i q(V_i)  (less q(σ) with the target).

            Among values of one price the more frequent come first, so that V_i is told by how many values of each price
            it has: its *kind*.  With one price for all there is one kind per number of values: MINIMIZE1.
Recurrence  G(i, κ, j) the least product for people from the i-th on, within kind κ and price j:

                G(i, κ, j) = min( G(i, κ − one value, j),  max(n − i − n(κ), 0)/(n − i) · G(i+1, κ, j − q(κ)) )

            f(j) = G(0, largest, j), and f^σ(j) = min over κ ∋ σ of (n − n(κ))/n · G(1, κ, j − q(κ) + q(σ)).
Invariant   Before the i-th person i·q(κ) is spent, so that states hold i·q(κ) + j ≤ J for a budget of J.
Cost        Σ_i (kinds of price up to J/i) × J, each for all groups at once.  Kinds are few where prices are; in general
            the question contains the knapsack problem, so there are limits (`MOST_KINDS`).

`least_logs` runs it in logarithms over all groups, `ExactGroup` in whole numbers for the few that decide, with chains.

Source: ours; Martin et al., Worst-case background knowledge, ICDE 2007, has the case of one price.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple, TypeAlias

import numpy as np

from sidelight.arrays import Floats, Integers
from sidelight.errors import TooHard
from sidelight.measures.ck_safety.minimize_within_group import LOG_OF_ZERO

MOST_KINDS = 2_000
"""So many kinds of sets are weighed: some seconds for ten thousand groups."""

Kind: TypeAlias = tuple[int, ...]
"""How many values of each price a set has, the most frequent first; the last number says whether it has σ."""

Prices: TypeAlias = tuple[int, ...]


@dataclass(frozen=True)
class Kinds:
    """All kinds of sets within a price, the target's value being free once, and those one value smaller."""

    prices: Prices  # of the values of each class; the last that of σ, or 0 where there is no target

    @classmethod
    def list_within(cls, price: int, prices: Prices, largest: Kind) -> tuple[Kinds, list[Kind]]:
        """List the kinds within the largest from the smallest on: whatever is within a kind stands before it."""
        kinds = cls(prices)
        listed: list[Kind] = [()]
        for own, most in zip(prices, largest, strict=True):
            free = own if len(listed[0]) == len(prices) - 1 else 0  # σ costs the target nothing
            # the last number varies slowest, so that a kind stands after all kinds within it
            listed = [
                (*kind, many)
                for many in range(most + 1)
                for kind in listed
                if kinds.price((*kind, many)) - free * many <= price
            ]
            if len(listed) > MOST_KINDS:
                message = (
                    f"with so many different prices there are more than {MOST_KINDS:,} kinds of knowledge to weigh; "
                    "give fewer different prices, or a lower 'reach'"
                )
                raise TooHard(message)
        return kinds, listed

    def price(self, kind: Kind) -> int:
        """Add up what the values of a set cost."""
        return sum(own * many for own, many in zip(self.prices, kind, strict=False))

    @staticmethod
    def smaller(kind: Kind) -> Iterator[Kind]:
        """Return the kinds with one value less."""
        for place, many in enumerate(kind):
            if many:
                yield (*kind[:place], many - 1, *kind[place + 1 :])


@dataclass(frozen=True, eq=False)
class PricedGroups:
    """Groups as far as prices look at them, one row each: counts by class in falling order, and the target's."""

    sizes: Integers
    counts: tuple[Integers, ...]  # for each class a row per group, in falling order
    target: Integers  # how often σ occurs; it is not among the counts.  0 where nobody has it
    prices: Prices  # of the classes, and of σ

    def take(self, rows: Integers | slice) -> PricedGroups:
        """Keep some groups."""
        return PricedGroups(self.sizes[rows], tuple(each[rows] for each in self.counts), self.target[rows], self.prices)

    def rows(self) -> Integers:
        """Return all that is known of a group, side by side: a row of whole numbers per group."""
        return np.column_stack((self.sizes, *self.counts, self.target))

    @property
    def largest(self) -> Kind:
        """How many values of each class there are, and whether anybody has σ."""
        return (*(each.shape[1] for each in self.counts), int(self.target.any()))

    @cached_property
    def sums(self) -> tuple[Integers, ...]:
        """How many people have one of the a most frequent values of a class: a row per group, a column per a."""
        return tuple(np.cumsum(np.pad(each, ((0, 0), (1, 0))), axis=1) for each in self.counts)

    def people_with(self, kind: Kind) -> Integers:
        """Return n(κ)."""
        parts = [sums[:, many] for sums, many in zip(self.sums, kind, strict=False)]
        people: Integers = np.sum([*parts, kind[-1] * self.target], axis=0)
        return people


def least_logs(groups: PricedGroups, budget: int, *, target: bool) -> Floats:
    """Return ln f(j), or with the target ln n/n(σ)·f^σ(j) (infinite without σ), for j = 0 … budget; columns groups."""
    step = 2048  # groups whose states are held at once
    blocks = [slice(start, start + step) for start in range(0, len(groups.sizes), step)]
    return np.hstack([_least_logs(groups.take(rows), budget, target=target) for rows in blocks])


def _least_logs(groups: PricedGroups, budget: int, *, target: bool) -> Floats:
    largest = groups.largest if target else (*groups.largest[:-1], 0)
    kinds, listed = Kinds.list_within(budget, groups.prices, largest)
    people = {kind: groups.people_with(kind) for kind in listed}
    prices = {kind: kinds.price(kind) for kind in listed}
    later: dict[Kind, Floats] = {}
    # down to person 1 where there is a target, whom `_place_target` puts first; else down to person 0
    for person in range(_most_people(prices, budget), int(target) - 1, -1):
        now: dict[Kind, Floats] = {}
        for kind in listed:
            # invariant: before the i-th person i·q(κ) is gone, but for the σ that the target has for nothing
            price = prices[kind]
            left = budget - person * price + kind[-1] * kinds.prices[-1]
            if left >= 0:
                # kinds with one value less have the least of all kinds within them already
                smaller = [now[each] for each in kinds.smaller(kind)] or [np.zeros((left + 1, len(groups.sizes)))]
                now[kind] = _smallest(smaller, left + 1)
                if kind in later:
                    avoiding = _log_avoid(groups, person, people[kind]) + later[kind]
                    np.minimum(now[kind][price:], avoiding, out=now[kind][price:])
        later = now
    return _place_target(groups, kinds, later, budget) if target else np.minimum.reduce([*later.values()])


def _smallest(states: list[Floats], rows: int) -> Floats:
    """Return the smallest of what smaller kinds reach, for prices up to what can be left."""
    best = states[0][:rows].copy()
    for other in states[1:]:
        np.minimum(best, other[:rows], out=best)
    return best


def _place_target(groups: PricedGroups, kinds: Kinds, later: dict[Kind, Floats], budget: int) -> Floats:
    """Return the least logarithms with the target first, who has σ for nothing and any values besides."""
    least = np.full((budget + 1, len(groups.sizes)), np.inf)
    for kind, states in later.items():
        if kind[-1]:  # what such a kind costs is within the budget, and its states are for all that is left of it
            price = kinds.price(kind) - kinds.prices[-1]
            avoiding = _log_avoid(groups, 0, groups.people_with(kind)) + states
            np.minimum(least[price:], avoiding, out=least[price:])
    least += np.log(groups.sizes / np.maximum(groups.target, 1))
    least[:, groups.target == 0] = np.inf
    return least


def _log_avoid(groups: PricedGroups, person: int, people: Integers) -> Floats:
    left = np.maximum(groups.sizes - person, 1)
    with np.errstate(divide="ignore"):
        logs: Floats = np.maximum(np.log(np.maximum(left - people, 0) / left), LOG_OF_ZERO)
    return logs


class Chain(NamedTuple):
    """The least product, and the kinds of the sets that people are asked about, the first person's first."""

    product: Fraction
    kinds: tuple[Kind, ...] = ()


@dataclass(frozen=True)
class ExactGroup:
    """One group, in whole numbers: what is held of G(i, κ, j) is G(i, κ, j) · Π_{i ≤ p < people} (n − p)."""

    size: int
    counts: tuple[tuple[int, ...], ...]
    target: int
    prices: Prices

    @classmethod
    def from_row(cls, groups: PricedGroups, row: int) -> ExactGroup:
        """Build from one row, without values that nobody has."""
        counts = tuple(tuple(count for count in each[row].tolist() if count) for each in groups.counts)
        return cls(int(groups.sizes[row]), counts, int(groups.target[row]), groups.prices)

    def products(self, budget: int, *, target: bool) -> list[Fraction]:
        """Compute f(j), or n/n(σ)·f^σ(j) with the target, for j = 0 … budget."""
        program = _ExactProgram.from_group(self, budget, target=target)
        for _, states in program.people():
            first = states
        return [program.product(min(program.first_choices(first, price))[0]) for price in range(budget + 1)]

    def least(self, price: int, *, target: bool) -> Chain:
        """Return f(price), or n/n(σ)·f^σ(price), with the chain; of equal ones the shortest, with the fewest values."""
        program = _ExactProgram.from_group(self, price, target=target)
        return program.chain(dict(program.people()))


@dataclass(frozen=True)
class _ExactProgram:
    """The recurrence for one group within a budget; states of a person are G(i, κ, ·) by kind."""

    group: ExactGroup
    budget: int
    target: bool
    prices: dict[Kind, int]  # of all kinds within the budget, those within a kind before it
    holders: dict[Kind, int]  # n(κ)
    scale: list[int]  # Π_{i ≤ p < people} (n − p) for every i: what stands for probability 1

    @classmethod
    def from_group(cls, group: ExactGroup, budget: int, *, target: bool) -> _ExactProgram:
        kinds, listed = Kinds.list_within(budget, group.prices, (*map(len, group.counts), int(target)))
        prices = {kind: kinds.price(kind) for kind in listed}
        sums = [[0, *accumulate(each)] for each in (*group.counts, (group.target,))]
        holders = {kind: sum(own[many] for own, many in zip(sums, kind, strict=True)) for kind in listed}
        scale = [1]
        for person in range(_most_people(prices, budget) - 1, -1, -1):
            scale.append(scale[-1] * _count_left(group.size, person))
        return cls(group, budget, target, prices, holders, scale[::-1])

    def avoid(self, person: int, kind: Kind) -> int:
        """Return max(n − i − n(κ), 0), which stands for its part of n − i."""
        return max(_count_left(self.group.size, person) - self.holders[kind], 0)

    def product(self, state: int) -> Fraction:
        """Compute f or, with the target, n/n(σ)·f^σ from what is held of it."""
        if not self.target:
            return Fraction(state, self.scale[0])
        return Fraction(state * self.group.size, self.scale[0] * self.group.target)

    def people(self) -> Iterator[tuple[int, dict[Kind, list[int]]]]:
        """Go from the last person down to the first, the target aside, with the states of each."""
        later: dict[Kind, list[int]] = {}
        for person in range(len(self.scale) - 1, int(self.target) - 1, -1):
            now: dict[Kind, list[int]] = {}
            for kind, price in self.prices.items():
                # invariant: as in `_least_logs`
                left = self.budget - person * price + kind[-1] * self.group.prices[-1]
                if left >= 0:
                    smaller = [now[each][: left + 1] for each in Kinds.smaller(kind)]
                    nothing = [self.scale[person]] * (left + 1)
                    now[kind] = [*map(min, nothing, *smaller)] if smaller else nothing
                    if price and kind in later:  # asking about nothing is the same as asking nobody
                        avoiding = self.avoid(person, kind)
                        now[kind][price:] = map(min, now[kind][price:], (avoiding * each for each in later[kind]))
            yield person, now
            later = now

    def first_choices(self, states: dict[Kind, list[int]], price: int) -> Iterator[tuple[int, Kind]]:
        """List what the first person may be asked about, and the least held of it; the target about σ at least."""
        for kind, rest in states.items():
            left = price - self.prices[kind] + self.group.prices[-1]
            if not self.target:
                yield rest[price], ()
            elif kind[-1] and left >= 0:
                yield self.avoid(0, kind) * rest[left], kind

    def chain(self, states: dict[int, dict[Kind, list[int]]]) -> Chain:
        """Follow the recurrence from the whole budget down; of equal products the smallest kind comes first."""
        person, left = int(self.target), self.budget
        least, within = min(self.first_choices(states[person], left))
        kinds = [within] if within else []
        if within:
            left -= self.prices[within] - self.group.prices[-1]
        else:
            within = (*map(len, self.group.counts), 0)
        # once one of the atoms must hold, nobody else need be asked
        while not kinds or self.avoid(person - 1, kinds[-1]):
            options: list[tuple[int, Kind]] = [(self.scale[person], ())]
            for kind, price in self.prices.items():
                if any(kind) and price <= left and all(own <= most for own, most in zip(kind, within, strict=True)):
                    options.append((self.avoid(person, kind) * states[person + 1][kind][left - price], kind))
            _, within = min(options)
            if not within:
                break
            kinds.append(within)
            person, left = person + 1, left - self.prices[within]
        return Chain(self.product(least), tuple(kinds))


def _count_left(size: int, person: int) -> int:
    """Return n − i; where nobody is left, somebody before must have had one of the values, and any number will do."""
    return max(size - person, 1)


def _most_people(prices: dict[Kind, int], budget: int) -> int:
    """Return how many people can be asked about anything, and the target."""
    # each person who is asked about anything costs at least the cheapest kind
    return budget // min((price for kind, price in prices.items() if any(kind)), default=budget + 1) + 1
