"""Full-domain generalisation: one level per column for everybody, as fine as the policy allows.

A node of the lattice is one level per column.  `FullDomain` finds all minimal nodes within policy (`lattice_search`;
with suppression, where some rows may be given up), weighs them by a utility and publishes the best.

`NodeRecodings` says what a node makes of the table without making its release: per column and level, which label each
original one becomes and which stretch of ranks that covers, worked out once and shared by all nodes with that level.
Weighing a node then costs one pass over its groups, which the lattice has at hand, in memory or on disk.

A table that is streamed has the same nodes, checks and weights, on groups that are on disk until they fit
(`release.generalise`): it ends with the same release.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

import numpy as np

from sidelight.arrays import Flags, Integers, add_up
from sidelight.errors import (
    BadHierarchy,
    BadPolicy,
    NothingSafe,
    SidelightError,
    as_given,
    did_you_mean,
    expect_mapping,
    in_python,
    is_one_of,
    parameter,
)
from sidelight.progress import Progress, quiet
from sidelight.release.generalise import Lattice, Node, coarser
from sidelight.release.groups import Groups
from sidelight.rounding import whole_number
from sidelight.search.effort import EFFORT
from sidelight.search.lattice_search import (
    CheckedNodes,
    SuppressedNode,
    search_lattice,
    search_with_suppression,
    suppress_at,
)
from sidelight.search.method import LevelChoice, Method, Recodes, SearchOutcome
from sidelight.search.orders import order_along
from sidelight.search.policy_check import PolicyCheck, list_blocking, nothing_found
from sidelight.search.utility import (
    DEFAULT_UTILITY,
    OF_VALUES,
    QUICK_UTILITIES,
    UTILITIES,
    Marginals,
    Regions,
    UtilityName,
    UtilityNames,
)
from sidelight.table.labels import Column, number_equal_rows
from sidelight.table.table import Table, held
from sidelight.text import counted

if TYPE_CHECKING:
    from sidelight.policy.policy import Policy
    from sidelight.release.population import Population
    from sidelight.streams.streamed_table import AnyTable
    from sidelight.table.hierarchy import Hierarchy

Suppressed: TypeAlias = Literal["as *", "left out"]
"""How suppressed people are published: as one group that prints `*`, or not at all."""


@dataclass(frozen=True)
class FullDomain(Method):
    """Publish each column at one level of its hierarchy, the same for everybody.

    Finds all minimal level vectors within policy and, among them, the most useful.  `suppress` is the share of people
    whose rows may be suppressed to save detail for the others: printed as `*`, one more group that is within policy
    too, or left out.  `nodes` bounds how many generalisations are looked at; past it, or on Ctrl-C, the best one found
    so far is given, and marked as not complete.  With `levels`, one per column (0 where none is named), nothing is
    searched: these are judged, and refused where they are not within policy.

    Source: Samarati, 2001; LeFevre et al., Incognito, 2005; halving of paths: Kohlmayer et al., Flash, 2012.
    """

    suppress: float | Fraction = 0
    suppressed: Suppressed = "as *"
    nodes: int | None = 100_000
    levels: Mapping[str, int] | None = None

    name: ClassVar[str] = "lattice"
    description: ClassVar[str] = (
        "each column is printed at one level of its hierarchy, the same for everybody; of all choices of levels within "
        "the policy the most useful one was taken"
    )
    recodes: ClassVar[Recodes] = "levels"
    carries_populations: ClassVar[bool] = True

    def __post_init__(self) -> None:
        number = isinstance(self.suppress, int | float | Fraction) and not isinstance(self.suppress, bool)
        if not number or not 0 <= self.suppress <= 1:
            share = parameter("suppress", self.suppress)
            raise BadPolicy(f"{share} is not a share of the people; give a number from 0 to 1, such as 0.04")
        if not is_one_of(self.suppressed, Suppressed):
            raise BadPolicy(
                f"FullDomain(suppressed={as_given(self.suppressed, quoted=True)}): choose 'as *' or 'left out'"
            )
        if self.nodes is not None:
            whole_number(self.nodes, BadPolicy, parameter("nodes"))
        if self.levels is not None:
            expect_mapping(self.levels, parameter("levels"), '{"age": 1}')

    def needs_all_keys(self, utility: UtilityName) -> str | None:
        """Return the utility where it compares each key with the release; others do not need all keys."""
        return parameter("utility", utility) if utility in OF_VALUES else None

    def search(
        self,
        table: AnyTable,
        policy: Policy,
        *,
        by: Mapping[str, Hierarchy],
        utilities: UtilityNames,
        progress: Progress,
    ) -> dict[UtilityName, SearchOutcome]:
        """Find the minimal nodes, then the best of them by each utility."""
        lattice = lattice_of(table, by, policy.registers)
        recodings = NodeRecodings(lattice, by)
        weighed = dict.fromkeys((*utilities, *QUICK_UTILITIES))  # those that cost next to nothing too

        def weigh(node: Node, chosen: SuppressedNode | None = None) -> Mapping[str, float]:
            recoding = recodings.recode(node, chosen)
            return {name: UTILITIES[name](recoding) for name in weighed}

        nodes = self.find_nodes(lattice, policy, lambda chosen: weigh(chosen.node, chosen), progress)
        if self.suppress and self.levels is None:
            # all nodes within policy: a coarser one that suppresses fewer people may be worth more
            worths = {node: chosen.worth for node, chosen in nodes.chosen.items()}
        else:
            # every other node within policy prints less than a minimal one
            worths = {node: weigh(node, nodes.chosen.get(node)) for node in nodes.minimal or nodes.within}
        if not worths:
            raise self._refusal(table, policy, complete=nodes.complete)
        return {each: _take_best(lattice, recodings, nodes, worths, each) for each in utilities}

    def find_nodes(
        self,
        lattice: Lattice,
        policy: Policy,
        worth: Callable[[SuppressedNode], Mapping[str, float]] = lambda _: {},
        progress: Progress = quiet,
    ) -> CheckedNodes:
        """Find the nodes within policy, and with suppression their worth; or judge the levels that were chosen."""
        if self.levels is not None:
            return self._judge_levels(lattice, policy)
        if not self.suppress:
            return search_lattice(lattice, policy, max_checks=self.nodes, progress=progress)
        return search_with_suppression(
            lattice,
            policy,
            max_suppressed=self.max_suppressed(lattice.table),
            as_group=self.suppressed == "as *",
            worth=worth,
            max_checks=self.nodes,
            progress=progress,
        )

    def _judge_levels(self, lattice: Lattice, policy: Policy) -> CheckedNodes:
        """Judge the levels that were chosen, exactly; columns that are not named stay at level 0."""
        levels, names = self.levels or {}, [column.name for column in lattice.table.quasi]
        for name, level in levels.items():
            if name not in names:
                raise BadPolicy(
                    f"{parameter('levels')} names '{name}', which is no quasi-identifier{did_you_mean(name, names)}"
                )
            most = lattice.heights[names.index(name)] - 1
            if isinstance(level, bool) or not isinstance(level, int) or not 0 <= level <= most:
                raise BadPolicy(
                    f"'{name}' has no level {as_given(level)}; {parameter('levels')} takes 0 (as it is) to {most}"
                )
        node = tuple(levels.get(name, 0) for name in names)
        if not self.suppress:
            _refuse_broken(lattice, node, policy)
            return CheckedNodes((), (node,), 1, complete=True)
        check = PolicyCheck.from_policy(policy, lattice.table.people)
        most = self.max_suppressed(lattice.table)
        chosen = suppress_at(lattice, node, check, most, as_group=self.suppressed == "as *")
        if chosen is None:
            _refuse_broken(lattice, node, policy, f", and suppressing at most {counted(most, 'person')} does not help")
        assert chosen is not None
        return CheckedNodes((), (node,), 1, complete=True, chosen={node: chosen})

    def _refusal(self, table: AnyTable, policy: Policy, *, complete: bool) -> SidelightError:
        """Return why nothing was found: the search was stopped, hierarchies do not reach up to `*`, or nothing is."""
        if not complete:
            message = (
                "the search was stopped before it found anything within policy; "
                f"give it more time or more {parameter('nodes')}"
            )
            return SidelightError(message)
        most = self.max_suppressed(table)
        spared = f" with at most {counted(most, 'person')} suppressed" if most else ""
        failure = f"no generalisation of these hierarchies is within policy{spared}"
        remedy = f"add a level * to them, or allow {'more ' if most else ''}{parameter('suppress')}"
        refusal = nothing_found(failure, table, policy)
        return refusal or NothingSafe(f"{failure}, though one group of everybody is; {remedy}")

    def explain_choice_by_values(self, sensitive: tuple[str, ...], utility: str | None) -> str | None:
        """Return how sensitive values may decide which node is taken: by the utility that nodes were weighed by."""
        if self.levels is None and utility is None:
            return "nothing says by which utility it was chosen, and some depend on who has which value"
        if self.levels is None and utility in OF_VALUES:
            return f"it was chosen by '{utility}', which depends on who has which value"
        return None

    def max_suppressed(self, table: AnyTable) -> int:
        """Return how many people of a table may be suppressed."""
        # by its decimal text: 0.29 of 100 people is 29, while the float is a little less
        return int(Fraction(str(self.suppress)) * table.people)


def _take_best(
    lattice: Lattice,
    recodings: NodeRecodings,
    nodes: CheckedNodes,
    worths: Mapping[Node, Mapping[str, float]],
    utility: UtilityName,
) -> SearchOutcome:
    """Return the outcome of the node that is best by a utility; between equals, by the default one."""
    minimal = set(nodes.minimal)
    # the node settles what is still a tie, so that the answer repeats
    best, *others = sorted(worths, key=lambda node: (worths[node][utility], worths[node][DEFAULT_UTILITY], node))
    listed = [best, *(node for node in others if node in minimal)]
    suppressed = {node: chosen.people for node, chosen in nodes.chosen.items()}
    chosen = nodes.chosen.get(best)
    return SearchOutcome(
        lattice.release_at(best) if chosen is None else chosen.release(lattice),
        recodings.recode(best, chosen, hold=True),
        levels=lattice.levels(best),
        minimal=tuple(lattice.levels(node) for node in nodes.minimal),
        choices=tuple(LevelChoice(lattice.levels(node), suppressed.get(node, 0), worths[node]) for node in listed),
        suppressed=suppressed.get(best, 0),
        checked=nodes.checked,
        complete=nodes.complete,
        spilled=lattice.spilled,
    )


def _refuse_broken(lattice: Lattice, node: Node, policy: Policy, more: str = "") -> None:
    broken = policy.judge(lattice.release_to_judge(node)).broken
    if not broken:
        return
    blocked = list_blocking(broken)
    printed = ", ".join(f"{name} {level}" for name, level in lattice.levels(node).items())
    raise NothingSafe(
        f"the levels {printed} are not within policy: {'; '.join(blocked)}{more}; "
        f"leave {parameter('levels')} out to see which are",
        blocked_by=blocked,
    )


def lattice_of(table: AnyTable, by: Mapping[str, Hierarchy], populations: Sequence[Population] = ()) -> Lattice:
    """Build the lattice; raise `BadHierarchy` where a quasi-identifier has no hierarchy."""
    bare = [column.name for column in table.quasi if column.name not in by]
    if bare:
        raise BadHierarchy(
            f"no hierarchy for '{bare[0]}'; give one in {parameter('by')}"
            f"{in_python(f', such as Hierarchy.suppression({bare[0]!r}, values) to publish it as it is or as *')}"
        )
    lattice = Lattice(table, by, populations=populations)
    refuse_too_many(lattice)
    return lattice


def refuse_too_many(lattice: Lattice) -> None:
    """Refuse a lattice that is too large to search."""
    if len(lattice) > EFFORT.lattice_nodes:
        raise BadHierarchy(
            f"these hierarchies make {len(lattice):,} generalisations, more than can be searched; "
            f"leave levels or columns out, or use {parameter('method', 'mondrian')}"
        )


def count_preferred(
    table: Table, by: Mapping[str, Hierarchy], node: Node, utility: str | None, are_large: Callable[[Integers], Flags]
) -> tuple[int, int] | None:
    """Count the nodes that a utility prefers to one, and of those the ones of which all groups are large enough.

    None where they depend on values, or are too many to weigh.
    """
    chosen_by = next((name for name in UTILITIES if name == utility and name not in OF_VALUES), None)
    lattice = lattice_of(table, by)
    if chosen_by is None or len(lattice) > 2_000:  # weighing them all would take too long
        return None
    recodings = NodeRecodings(lattice, by)

    def rank(at: Node) -> tuple[float, float, Node]:
        recoding = recodings.recode(at)
        return UTILITIES[chosen_by](recoding), UTILITIES[DEFAULT_UTILITY](recoding), at

    published = rank(node)
    better = [at for at in lattice.nodes() if at != node and rank(at) < published]
    # nodes with a group that is too small fail in every world; the others may have failed by their values
    return len(better), sum(bool(are_large(lattice.sizes_at(at)).all()) for at in better)


class NodeRecodings:
    """Recodings of nodes; the groups stand in the order in which the lattice has them."""

    def __init__(self, lattice: Lattice, by: Mapping[str, Hierarchy]) -> None:
        self._lattice, self._by = lattice, by
        table = lattice.table
        self._orders = tuple(order_along(column, by.get(column.name)) for column in table.quasi)
        self._levels: dict[tuple[int, int], tuple[Column, Integers, Integers]] = {}
        self._marginals = Marginals.from_table(table, self._orders)

    def recode(self, node: Node, chosen: SuppressedNode | None = None, *, hold: bool = False) -> Regions:
        """Recode the table at a node, or with some of its groups suppressed.

        Groups that the lattice has on disk are read through and only added up, unless they are to be held.
        """
        lattice, hidden = self._lattice, None if chosen is None else chosen.flags(self._lattice)
        groups = lattice.held_groups_at(node) if hold else lattice.groups_at(node)
        kept = np.arange(len(groups)) if hidden is None else np.flatnonzero(~hidden)

        def look_up() -> Integers:
            # the lattice numbers its groups as the table's keys are numbered here: by their recoded labels
            keys, number_of = held(lattice.table), np.full(len(groups), -1)
            number_of[kept] = np.arange(len(kept))
            levels = [self._level(column, level)[0] for column, level in enumerate(node)]
            columns = [column.recode(to.labels, to.codes) for column, to in zip(keys.quasi, levels, strict=True)]
            return number_of[number_equal_rows(tuple(columns), len(keys.sizes))[0]]

        codes, sizes = [np.zeros(0, np.int32)] * len(node), np.zeros(0, np.int64)
        blocks: Iterable[Groups]
        if isinstance(groups, Groups):
            blocks = [groups if hidden is None else groups.take(kept)]
            codes, sizes = [column.codes for column in blocks[0].columns], blocks[0].sizes
        else:
            blocks = replace(groups, hidden=hidden).unpack_groups()
        _, starts, stops = zip(*(self._level(column, level) for column, level in enumerate(node)), strict=True)
        label_people = tuple(np.zeros(len(start), np.int64) for start in starts)
        number = pairs = people = 0
        for block in blocks:
            for total, column in zip(label_people, block.columns, strict=True):
                np.add(total, add_up(column.codes, block.sizes, len(total)), out=total)
            number += len(block)
            pairs += int((block.sizes * block.sizes).sum())
            people += int(block.sizes.sum())
        return Regions(
            lattice.table,
            self._orders,
            self._marginals,
            sizes,
            lattice.table.people - people,
            # (columns, groups) → (groups, columns)
            np.stack([start[code] for start, code in zip(starts, codes, strict=True)]).T,
            np.stack([stop[code] for stop, code in zip(stops, codes, strict=True)]).T,
            look_up,
            stretches=tuple(zip(starts, stops, label_people, strict=True)),
            totals=(number, pairs),
        )

    def _level(self, at: int, level: int) -> tuple[Column, Integers, Integers]:
        """Return what becomes of each label of a column at a level, and the stretch of ranks that each one covers."""
        # kept, as thousands of nodes share it
        if (at, level) not in self._levels:
            column, order = self._lattice.table.quasi[at], self._orders[at]
            # recode each label once, as a column in which every label stands once, instead of every row of the table
            labels = Column(column.name, column.labels, np.arange(len(column.labels), dtype=np.int32))
            recoded = coarser(labels, self._by, level)
            start, stop = np.zeros((2, len(recoded.labels)), np.int64)
            # a node's ranks are neighbours, so the numbers along the ranks never fall and two searches find both ends
            nodes = order.levels[min(level, len(order.levels) - 1)]
            ascending, own = np.maximum.accumulate(nodes), nodes[order.rank.astype(np.int64)]
            start[recoded.codes] = np.searchsorted(ascending, own, side="left")
            stop[recoded.codes] = np.searchsorted(ascending, own, side="right")
            self._levels[at, level] = recoded, start, stop
        return self._levels[at, level]
