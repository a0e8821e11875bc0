"""Mondrian with one look per group: all groups of a generation are cut, or closed, behind their veils.

Order       As in `mondrian_cuts`, which quasi-identifiers decide: the first cut that sizes allow and that has a veil
            ρ < 1 is the one that is looked at (`veil` says why only one, and why that keeps beliefs within the limit).
Decision    It fails, or a coin falls on the veil's side: the group is closed for good.  Else it is cut there.
Invariant   Which cut a group looks at depends on its counts and on sizes, never on who has what.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sidelight._arrays import Flags, Floats
from sidelight.errors import BadPolicy, parameter
from sidelight.policy.policy import Policy
from sidelight.search.mondrian_cuts import Cuts, Generation
from sidelight.search.orders import Order
from sidelight.search.policy_check import PolicyCheck
from sidelight.search.veil import Coins, Veil, unknown_to_all
from sidelight.table.table import Counts

if TYPE_CHECKING:
    from sidelight.search.value_limits import ValueLimits


@dataclass(frozen=True, eq=False)
class OneLook:
    """Looks at one cut of each group, and says which are made."""

    veil: Veil
    sizes: PolicyCheck  # limits that values do not decide
    coins: Coins = unknown_to_all

    def cuts(self, generation: Generation, orders: tuple[Order, ...], target: Counts | None) -> list[Cuts]:
        """Give the cuts to make, at most one of each group."""
        return [self._made(cuts, veils, generation) for cuts, veils in self.looks(generation, orders, target)]

    def looks(
        self, generation: Generation, orders: tuple[Order, ...], target: Counts | None
    ) -> Iterator[tuple[Cuts, Floats]]:
        """Give the cuts that are looked at, at most one of each group, and their veils."""
        counts = generation.table.counts.take(generation.keys).roll_up(generation.group, groups=generation.groups)
        undecided = np.ones(generation.groups, bool)
        for proposed in generation.rounds(orders, undecided, target):
            allowed = proposed.take(generation.may_hold_in_halves(proposed, self.sizes))
            allowed = allowed.take(undecided[allowed.group])
            while len(allowed):
                first = allowed.first_of_each()
                cuts = allowed.take(first)
                veils = self.veil.of_cuts(counts.take(cuts.group).dense(), cuts.left)
                looked = veils < 1
                undecided[cuts.group[looked]] = False
                yield cuts.take(looked), veils[looked]
                later = np.ones(len(allowed), bool)
                later[first] = False
                allowed = allowed.take(later & undecided[allowed.group])
                # of the few groups that are left, all cuts that bounds rule out go at once
                allowed = allowed.take(self.veil.may_be_looked_at(counts, allowed.group, allowed.left))

    def _made(self, cuts: Cuts, veils: Floats, generation: Generation) -> Cuts:
        """Keep the cuts that pass and that no coin veils."""
        passing = np.flatnonzero(self.passes(cuts, generation))
        return cuts.take(passing[~self.coins(veils[passing])])

    def passes(self, cuts: Cuts, generation: Generation) -> Flags:
        """Say which cuts keep the limits on values in both halves."""
        passes = np.zeros(len(cuts), bool)
        for rows, halves in generation.halves(cuts):
            left, right = self.veil.limits.holds_in_each(halves.counts.dense(), halves.sizes).reshape(2, -1)
            passes[rows] = left & right
        return passes


def one_look(limits: ValueLimits, policy: Policy, people: int, coins: Coins = unknown_to_all) -> OneLook:
    """Look at one cut per group under a policy with these limits on values, the others being on sizes."""
    on_sizes = [each for each in policy.criteria if not each.measure.about_values]
    sizes = PolicyCheck.of(on_sizes, people)
    if sizes.together:
        message = (
            f"{parameter('resists', 'insider')} covers limits on sizes that each group keeps on its own, and "
            f"'{sizes.together[0].criterion}' is on several together; leave one of the two out"
        )
        raise BadPolicy(message)
    return OneLook(Veil(limits), sizes, coins)
