"""All assignments of values to the people of a small table, and all falls of the coins, through the real method."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import TypeAlias

import numpy as np

from sidelight.arrays import Flags, Floats
from sidelight.policy.policy import Policy
from sidelight.search.mondrian import cut_everybody
from sidelight.search.mondrian_frontier import KeyStore
from sidelight.search.orders import column_orders
from sidelight.search.policy_check import PolicyCheck, ValueLimits, covered_limits
from sidelight.search.veil import Veil
from sidelight.table.labels import Column
from sidelight.table.table import Counts, Table

World: TypeAlias = tuple[int, ...]
Published: TypeAlias = tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]
"""The groups of a release: who is in it, and how often each value occurs."""


@dataclass
class ScriptedCoins:
    """Coins that fall as a script says, then never on the veil's side; keeps the probability of each."""

    script: tuple[bool, ...]
    veils: list[float] = field(default_factory=list)

    def __call__(self, veils: Floats) -> Flags:
        falls = []
        for veil in veils.tolist():
            if veil == 0:
                falls.append(False)
                continue
            at = len(self.veils)
            falls.append(at < len(self.script) and self.script[at])
            self.veils.append(veil)
        return np.array(falls, bool)

    def probability(self) -> Fraction:
        """How likely the coins fall like this."""
        falls = (*self.script, *[False] * (len(self.veils) - len(self.script)))
        chance = Fraction(1)
        for veil, fell in zip(self.veils, falls, strict=True):
            chance *= Fraction(veil) if fell else 1 - Fraction(veil)
        return chance

    def other_scripts(self) -> Iterator[tuple[bool, ...]]:
        """Scripts that differ from this one first at a coin that it does not mention."""
        falls = (*self.script, *[False] * (len(self.veils) - len(self.script)))
        return ((*falls[:at], True) for at in range(len(self.script), len(falls)))


def table_of(people: Sequence[tuple[int, ...]], world: World, values: int) -> Table:
    """Make a table of people with these quasi-identifiers and values."""
    keys = sorted(set(people))
    counts = np.zeros((len(keys), values), np.int64)
    for cells, value in zip(people, world, strict=True):
        counts[keys.index(cells), value] += 1
    quasi = tuple(Column.of(f"q{at}", [str(key[at]) for key in keys]) for at in range(len(keys[0])))
    return Table(quasi, "value", tuple("abcdefg"[:values]), counts.sum(axis=1), Counts.from_cells(counts))


def releases(
    people: Sequence[tuple[int, ...]], policy: Policy, *, values: int, veiled: bool = True
) -> dict[Published, dict[World, Fraction]]:
    """Give, per release, how likely each world becomes it; worlds that cannot be published at all have none.

    Not `veiled`: as if no coin ever fell on the veil's side.
    """
    limits = covered_limits(policy)
    assert limits is not None
    keys = sorted(set(people))
    outcomes: dict[bytes, list[tuple[list[int], Fraction]]] = {}  # worlds with the same counts per key are one table
    likelihood: dict[Published, dict[World, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    for world in product(range(values), repeat=len(people)):
        table = table_of(people, world, values)
        cells = table.counts.dense().tobytes()
        if cells not in outcomes:
            holds = limits.holds_in_each(table.counts.totals()[np.newaxis], np.array([len(people)])).all()
            outcomes[cells] = list(_every_fall(table, policy, limits, veiled=veiled)) if holds else []
        for group, chance in outcomes[cells]:
            published = published_groups([group[keys.index(each)] for each in people], world, values)
            likelihood[published][world] += chance
    return likelihood


def _every_fall(
    table: Table, policy: Policy, limits: ValueLimits, *, veiled: bool
) -> Iterator[tuple[list[int], Fraction]]:
    """Run the method for all falls of its coins: the group of each key, and how likely that is."""
    check, orders = PolicyCheck.from_policy(policy, table.people), column_orders(table.quasi, {})
    scripts: list[tuple[bool, ...]] = [()]
    while scripts:
        coins = ScriptedCoins(scripts.pop())
        veil = Veil.build(limits, policy, table.people, coins)
        store = KeyStore.from_table(table, orders)
        cut_everybody(store, check, veil=veil)
        yield store.group.tolist(), coins.probability() if veiled else Fraction(1)
        if veiled:
            scripts.extend(coins.other_scripts())


def published_groups(group: Sequence[int], world: World, values: int) -> Published:
    """Say who is in which group, and how often each value occurs there."""
    groups = []
    for number in sorted(set(group)):
        inside = tuple(person for person, here in enumerate(group) if here == number)
        having = [world[person] for person in inside]
        groups.append((inside, tuple(having.count(value) for value in range(values))))
    return tuple(sorted(groups))


def largest_belief(worlds: dict[World, Fraction], values: int) -> Fraction:
    """How sure somebody gets of anybody's value, who counts these worlds by how likely they become the release."""
    total = sum(worlds.values())
    people = len(next(iter(worlds)))
    having = [[Fraction(0)] * values for _ in range(people)]
    for world, weight in worlds.items():
        for person, value in enumerate(world):
            having[person][value] += weight
    return max(max(row) for row in having) / total
