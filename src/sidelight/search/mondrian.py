"""Mondrian: cut the people in two, again and again, as long as the release stays within policy.

Greedy      From one group of everybody, each group is cut at the first of its candidate cuts (`mondrian_cuts`) that
            leaves the release within policy; a group without such a cut is published.
Accepted    As `mondrian_acceptance` says: groups on their own, or cut by cut where criteria depend on several groups.
Cost        One pass over the keys per generation, and what accepting takes.
Stores      A table whose keys are never all held is cut by the same machine on another store (`mondrian_store`).

With one look per group, all groups of a generation are cut, or closed, behind their veils:

Order       As in `mondrian_cuts`, which quasi-identifiers decide: the first cut that sizes allow and that has a veil
            ρ < 1 is the one that is looked at (`veil` says why only one, and why that keeps beliefs within the limit).
Decision    It fails, or a coin falls on the veil's side: the group is closed for good.  Else it is cut there.
Looks       Which cut a group looks at depends on its counts and on sizes, never on who has what.

Source: LeFevre et al., Mondrian, ICDE 2006; Chen et al., Privacy Skyline, VLDB 2007 (SkylineAnonymize).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from sidelight.arrays import Flags, Floats
from sidelight.engines.streamed_table import AnyTable, StreamedTable
from sidelight.errors import BadPolicy, NothingSafe, as_given, expect_or_none, parameter
from sidelight.measures.named_risks.presence import Absence
from sidelight.policy.policy import Policy
from sidelight.progress import Progress, quiet
from sidelight.search.cut_tree import CutTree
from sidelight.search.method import Method, Recodes, Resistance, SearchOutcome
from sidelight.search.mondrian_acceptance import Acceptance, cut_groups
from sidelight.search.mondrian_cuts import Cuts, Proposals
from sidelight.search.mondrian_frontier import Generation, KeyStore, place_populations
from sidelight.search.mondrian_store import CutGroups, Store
from sidelight.search.orders import Order, column_orders
from sidelight.search.policy_check import PolicyCheck
from sidelight.search.recoding import Regions, region_labels, release_of
from sidelight.search.utility import UtilityName
from sidelight.search.value_limits import ValueLimits, covered_limits
from sidelight.search.veil import Coins, Veil, unknown_to_all
from sidelight.table.counts import Counts
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.labels import ColumnKind
from sidelight.table.table import Table

if TYPE_CHECKING:
    from sidelight.search.value_limits import ValueLimits


@dataclass(frozen=True, eq=False)
class OneLook:
    """Looks at one cut of each group, and says which are made."""

    veil: Veil
    sizes: PolicyCheck  # limits that values do not decide
    coins: Coins = unknown_to_all

    @property
    def least(self) -> int:
        """How many people a half must have at least."""
        return self.sizes.least_group_size or 1

    def cuts(self, generation: CutGroups, orders: tuple[Order, ...], target: Counts | None) -> list[Cuts]:
        """Return the cuts to make, at most one of each group."""
        assert isinstance(generation, Generation)  # single keys decide, so that they are held
        return [self._keep_unveiled(cuts, veils, generation) for cuts, veils in self.looks(generation, orders, target)]

    def looks(
        self, generation: Generation, orders: tuple[Order, ...], target: Counts | None
    ) -> Iterator[tuple[Cuts, Floats]]:
        """Yield the cuts that are looked at, at most one of each group, and their veils."""
        counts = generation.counts.roll_up(generation.group, groups=generation.groups)
        proposals = Proposals(generation, orders, target, self.least)
        undecided = proposals.undecided
        for proposed in proposals.rounds():
            allowed = proposed.take(generation.may_hold_in_halves(proposed, self.sizes))
            allowed = allowed.take(undecided[allowed.group])
            while len(allowed):
                first = allowed.first_of_each()
                cuts = allowed.take(first)
                veils = self.veil.compute_veils(counts.take(cuts.group).dense(), cuts.left)
                # with ρ = 1 a cut would never be made, so that the next one is tried
                looked = veils < 1
                undecided[cuts.group[looked]] = False
                yield cuts.take(looked), veils[looked]
                later = np.ones(len(allowed), bool)
                later[first] = False
                allowed = allowed.take(later & undecided[allowed.group])
                # of the few groups that are left, all cuts that bounds rule out go at once
                allowed = allowed.take(self.veil.may_be_looked_at(counts, allowed.group, allowed.left))

    def _keep_unveiled(self, cuts: Cuts, veils: Floats, generation: Generation) -> Cuts:
        passing = np.flatnonzero(self.passes(cuts, generation))
        return cuts.take(passing[~self.coins(veils[passing])])

    def passes(self, cuts: Cuts, generation: Generation) -> Flags:
        """Return which cuts keep the limits on values in both halves."""
        passes = np.zeros(len(cuts), bool)
        for rows, halves in generation.halves(cuts):
            # (2 · cuts,), left halves before right ones → (2, cuts)
            left, right = self.veil.limits.holds_in_each(halves.counts.dense(), halves.sizes).reshape(2, -1)
            passes[rows] = left & right
        return passes


def one_look(limits: ValueLimits, policy: Policy, people: int, coins: Coins = unknown_to_all) -> OneLook:
    """Build the look at one cut per group under a policy with these limits on values, the others being on sizes."""
    on_sizes = [each for each in policy.criteria if not each.measure.about_values]
    sizes = PolicyCheck.from_policy(on_sizes, people)
    if sizes.together:
        message = (
            f"{parameter('resists', 'insider')} covers limits on sizes that each group keeps on its own, and "
            f"'{sizes.together[0].criterion}' is on several together; leave one of the two out"
        )
        raise BadPolicy(message)
    return OneLook(Veil(limits), sizes, coins)


@dataclass(frozen=True)
class Mondrian(Method):
    """Cut the people in two along one column, again and again, each cut only if the release stays within policy.

    Numbers and days are cut at the median, then at other places; categories along their hierarchy, or in sorted order
    without one, which is arbitrary; ordered labels along their order (`kinds=` of `read_table` says what is what).  The
    column along which a group spreads most widely comes first or, `towards` a column, the one whose cut tells most
    about it.  Numbers and days are printed as intervals, others as hierarchy labels or sets of labels.  Under measures
    that merging never makes worse the result is minimal: no group can be cut any further.  That a group was not cut
    tells one who knows the method something; `resists="insider"` keeps what it tells within the limits (see `veil`).

    Source: LeFevre et al., Mondrian, ICDE 2006; Chen et al., Privacy Skyline, VLDB 2007 (SkylineAnonymize).
    """

    towards: str | None = None
    resists: str | None = None  # "insider": looks at one cut per group, behind a veil

    name: ClassVar[str] = "mondrian"
    description: ClassVar[str] = (
        "people are divided into ever smaller groups of similar people, as long as the policy allows, and each group "
        "prints what its people have in common"
    )
    recodes: ClassVar[Recodes] = "regions"
    withstands: ClassVar[tuple[str, ...]] = ("insider",)
    carries_populations: ClassVar[bool] = True
    puts_numbers_together: ClassVar[bool] = True
    heeds_hierarchies_of: ClassVar[tuple[ColumnKind, ...]] = ("category", "ordered")

    def __post_init__(self) -> None:
        expect_or_none(str, self.towards, parameter("towards"))
        expect_or_none(str, self.resists, parameter("resists"))
        if self.resists is not None and self.resists not in self.withstands:
            message = (
                f"{parameter('resists')} names a reader, 'insider', and this is {as_given(self.resists, quoted=True)}"
            )
            raise BadPolicy(message)

    def search(
        self, table: AnyTable, policy: Policy, *, by: Mapping[str, Hierarchy], utility: UtilityName, progress: Progress
    ) -> SearchOutcome:
        """Cut until nothing can be cut."""
        del utility  # greedy: the cuts themselves are what is chosen
        orders, check = column_orders(table.quasi, by), PolicyCheck.from_policy(policy, table.people)

        def show(groups: int) -> None:
            progress(f"{groups:,} groups", groups, None)

        if isinstance(table, StreamedTable):
            from sidelight.search.mondrian_streamed import MemoryBudget, StreamedStore  # noqa: PLC0415 - needs Spark's

            budget = MemoryBudget.from_memory(table.memory)
            streamed = StreamedStore(table, check, orders, progress, budget)
            cut_everybody(streamed, check, progress=show)
            return streamed.outcome()
        if any(isinstance(measure, Absence) for measure in policy.measures):
            # people between the groups: cuts do not tell who is in none
            message = (
                f"method '{self.name}' does not count who of a population is in no group, as 'absence' asks; "
                f"use {parameter('method', 'lattice')}, or leave that limit out"
            )
            raise BadPolicy(message)
        limits = None if self.resists is None else self._find_covered_limits(table, policy)
        keys, populations = place_populations(table, policy.registers) if policy.registers else (table, ())
        store = KeyStore.from_table(keys, orders, populations)
        if populations:
            # before any cut: what a population has in one group of everybody
            everybody = store.release()
        cut_everybody(
            store,
            check,
            target=None if self.towards is None else label_counts(keys, self.towards),
            look=None if limits is None else one_look(limits, policy, table.people),
            progress=show,
        )
        if populations and len(store) == 1 and not check.holds(everybody):  # it prints the table's labels alone
            message = (
                f"method '{self.name}' prints no more than the table's own labels, and too few of the population "
                f"have those; use {parameter('method', 'lattice')}, which may print *"
            )
            raise NothingSafe(message)
        # keys that only a population has stand below those of the table
        start, stop, group = store.start, store.stop, store.group[: len(table.sizes)]
        columns = tuple(region_labels(order, start[:, at], stop[:, at]) for at, order in enumerate(orders))
        plain = partial(replace(self, resists=None).search, table, policy, by=by, utility="loss", progress=quiet)
        return SearchOutcome(
            release_of(table, group, columns, len(store)),
            Regions.from_keys(table, orders, group, start, stop),
            resistance=None
            if self.resists is None
            else Resistance(self.resists, None if limits is None else limits.belief, plain),
            cuts=CutTree(orders, store.record, table.people, start, stop),
        )

    def refuse_policy(self, policy: Policy) -> None:
        """Raise `BadPolicy` for limits that no veil covers, those that only judge the end too."""
        if self.resists is not None:
            covered_limits(policy)

    def explain_choice_by_values(self, sensitive: tuple[str, ...], utility: str | None) -> str | None:
        """Return how sensitive values may decide which cuts are made: by the order of cuts towards them."""
        del utility
        return f"cuts were chosen by what they tell about '{self.towards}'" if self.towards in sensitive else None

    def needs_all_keys(self, utility: UtilityName) -> str | None:
        """Return the option that looks at single keys, if one is set; only such options need all keys."""
        del utility
        options = {"towards": self.towards, "resists": self.resists}
        return next((parameter(option) for option, setting in options.items() if setting is not None), None)

    def _find_covered_limits(self, table: Table, policy: Policy) -> ValueLimits | None:
        """Return the limits that a veil covers, or refuse."""
        if self.towards in table.sensitive_columns:
            remedy = f"leave {parameter('resists')} out, or cut towards another column"
            message = f"cuts towards '{self.towards}', which is sensitive, tell of it by their order; {remedy}"
            raise BadPolicy(message)
        limits = covered_limits(policy)
        if limits is not None and (table.semantics != "single" or len(table.sensitive_columns) > 1):
            message = (
                f"{parameter('resists', 'insider')} covers one sensitive column with one value per person; "
                f"leave {parameter('resists')} out"
            )
            raise BadPolicy(message)
        return limits


def label_counts(table: Table, name: str) -> Counts:
    """Count the labels of a column, a quasi-identifier or the sensitive one, in each key of the table."""
    if name in table.sensitive_columns:
        return table.about(name).counts
    column = table.column(name)
    keys = np.arange(len(table.sizes))
    return Counts.from_entries(keys, column.codes, table.sizes, (len(keys), len(column.labels)))


def cut_everybody(
    store: Store,
    policy: PolicyCheck,
    *,
    target: Counts | None = None,
    look: OneLook | None = None,
    progress: Callable[[int], None] = lambda _groups: None,
) -> None:
    """Cut until no group can be cut any more, one generation of groups at a time.

    Each group tries the cut nearest the median in its most spread-out column first, then in the next, then all
    other cuts; with one look, just one of them.
    """
    acceptance = Acceptance(policy, store, target)
    runs = acceptance.cuts if look is None else partial(look.cuts, orders=store.orders, target=target)
    cut_groups(store, runs, acceptance.least, progress)
