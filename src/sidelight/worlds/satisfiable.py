"""A minimum unsatisfiable subset: the fewest of some things that cannot all hold.

    Oracle       unsatisfiable(S): can the things of S not all hold?  Monotone: a superset of such a set is one too.
    MSS          a maximal satisfiable set; its complement is a *correction set*.
    Duality      an unsatisfiable set meets every correction set, so it is a hitting set of all of them.
    Loop         take a smallest hitting set H of the correction sets known so far.  If H is unsatisfiable, it is a
                 minimum: any other would be a hitting set that is smaller.  Else grow H to an MSS: its complement is a
                 correction set that H does not hit.
    Cost         exponential at worst; after `MOST_STEPS` the set that was shrunk at first is taken, which is minimal
                 (nothing of it can be left out) but may not be a minimum.

Source: Ignatiev, Previti, Liffiton, Marques-Silva, Smallest MUS extraction with minimal hitting set dualization, 2015.

Can some facts all hold?  One world is searched for, which takes far less than counting them.

    Variable     `single`: a person, whose domain are the values of the group.
                 else:     (person, value), whose domain says whether the person may have it: True, False.
    Pool         variables that compete for the same occurrences: those of a group, or of a group and a value.  At most
                 capacity(pool, v) of them may be v; people whom no fact mentions take whatever is left.
    Propagation  a constraint narrows domains until none changes: x ∈ S intersects; x = y intersects both; x ≠ y takes
                 from one what the other must be; a disjunction with one part left is that part.
    Matching     after propagation each pool must have room for all of its variables, each within its domain: a
                 bipartite matching with capacities, decided by maximum flow.  Variables of the same domain are one
                 node.
    Branching    an open constraint is split in two, depth first, with an explicit stack.
    Cost         at each node, constraints until nothing changes, and one maximum flow for each pool that changed;
                 exponentially many nodes at worst: given up after `MOST_NODES`.
    Source       ours; matching with capacities by flow as Régin's, Generalized arc consistency for global cardinality
                 constraint, AAAI 1996.

With no constraint open and room in every pool there is a world; with nothing left to try there is none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sidelight.knowledge.facts import Atom, Fact, Same, Who, fold, named_values
from sidelight.worlds.counting.compile import Effort, Meter, OverEffort

if TYPE_CHECKING:
    from sidelight.release.release import Release
    from sidelight.worlds.identify import Entities

Oracle: TypeAlias = Callable[[Sequence[int]], bool]
"""Says of some things, by number and in order, whether they cannot all hold."""

MOST_STEPS, ORACLE_STEPS = 100_000, 100
"""After so many steps, of which asking the oracle takes many, a minimal set that may not be a minimum will do."""


def minimum_unsatisfiable_subset(number: int, unsatisfiable: Oracle) -> list[int]:
    """Return a smallest part of 0, 1, …, number − 1 that is unsatisfiable, as all of them are.

    Of many, it may not be the smallest, but nothing of it can be left out.

    >>> minimum_unsatisfiable_subset(9, lambda some: {2, 5, 7} <= {*some} or {3, 8} <= {*some})
    [3, 8]
    """
    # invariant: `needed` is unsatisfiable; many are left out at once first, as most are innocent
    needed, many = list(range(number)), (number + 1) // 2
    while many:
        for start in range(0, number, many):
            rest = [each for each in needed if not start <= each < start + many]
            if len(rest) < len(needed) and unsatisfiable(rest):
                needed = rest
        many = (many + 1) // 2 if many > 1 else 0
    try:
        return _HittingSetSearch(number, unsatisfiable).minimum(needed)
    except OverEffort:
        return needed


@dataclass(slots=True)
class _HittingSetSearch:
    number: int
    unsatisfiable: Oracle
    steps: int = 0

    def minimum(self, minimal: list[int]) -> list[int]:
        """Return a smaller set than this one, if there is one."""
        corrections: list[list[int]] = []
        size = 1  # no unsatisfiable set is smaller than this
        while size < len(minimal):
            # invariant: every unsatisfiable set hits all `corrections` and has at least `size` elements
            chosen = self._hitting_set(corrections, size, frozenset())
            if chosen is None:
                size += 1
            elif self._is_unsatisfiable(chosen):
                return sorted(chosen)
            else:
                corrections.append(self._correction_set(chosen))
        return minimal

    def _correction_set(self, satisfiable: frozenset[int]) -> list[int]:
        """Grow a satisfiable set to a maximal one, many at once; give what stays out."""
        maximal, outside = satisfiable, list[int]()
        blocks = [[each for each in range(self.number) if each not in satisfiable]]
        while blocks:
            block = blocks.pop()
            if not self._is_unsatisfiable(maximal.union(block)):
                maximal = maximal.union(block)
            # invariant: `maximal` is satisfiable, and with any of `outside` it is not
            elif len(block) == 1:
                outside += block
            else:
                half = len(block) // 2
                blocks += [block[half:], block[:half]]
        return outside

    def _hitting_set(self, corrections: list[list[int]], size: int, chosen: frozenset[int]) -> frozenset[int] | None:
        """Choose at most so many, one of each correction set among them; the first ones where there is a choice."""
        missed = [correction for correction in corrections if chosen.isdisjoint(correction)]
        self._spend(1)
        if not missed or len(chosen) == size:
            return None if missed else chosen
        for each in min(missed, key=len):
            hitting = self._hitting_set(missed, size, chosen | {each})
            if hitting is not None:
                return hitting
        return None

    def _is_unsatisfiable(self, some: frozenset[int]) -> bool:
        self._spend(ORACLE_STEPS)
        return self.unsatisfiable(sorted(some))

    def _spend(self, steps: int) -> None:
        self.steps += steps
        if self.steps > MOST_STEPS:
            raise OverEffort


MOST_NODES = 5_000
"""After so many nodes of the search tree it is given up."""

Variable: TypeAlias = int

VariableDomain: TypeAlias = frozenset[Hashable]

VariableDomains: TypeAlias = dict[Variable, VariableDomain]

Capacities: TypeAlias = Mapping[Hashable, int]


# Each kind of constraint has
#     truth     whether it holds, whatever is chosen of the domains; `None` if that depends;
#     apply     narrows domains while it is open, and returns what is left of it;
#     branches  two constraints, of which one must hold, to go on with an open one; the last is tried first.


@dataclass(frozen=True, slots=True)
class _Within:
    variable: Variable
    domain: VariableDomain

    def truth(self, domains: VariableDomains) -> bool | None:
        domain = domains[self.variable]
        return True if domain <= self.domain else False if domain.isdisjoint(self.domain) else None

    def apply(self, domains: VariableDomains) -> Sequence[Constraint]:
        domains[self.variable] &= self.domain
        return ()

    def branches(self, domains: VariableDomains) -> Sequence[Constraint]:
        del domains
        return (self,)  # never open after it was applied


@dataclass(frozen=True, slots=True)
class _Equality:
    one: Variable
    other: Variable
    equal: bool

    def truth(self, domains: VariableDomains) -> bool | None:
        first, second = domains[self.one], domains[self.other]
        if self.one == self.other or (len(first) == len(second) == 1 and first == second):
            return self.equal
        return not self.equal if first.isdisjoint(second) else None

    def apply(self, domains: VariableDomains) -> Sequence[Constraint]:
        if self.equal:
            domains[self.one] = domains[self.other] = domains[self.one] & domains[self.other]
        else:
            for decided, free in ((self.one, self.other), (self.other, self.one)):
                if len(domains[decided]) == 1:
                    domains[free] -= domains[decided]
        return (self,) if self.truth(domains) is None else ()

    def branches(self, domains: VariableDomains) -> Sequence[Constraint]:
        # the smaller domain is decided in fewer branches
        variable = min((self.one, self.other), key=lambda each: len(domains[each]))
        value = min(domains[variable], key=str)  # in the same order each time
        return _Within(variable, domains[variable] - {value}), _Within(variable, frozenset([value]))


@dataclass(frozen=True, slots=True)
class _Junction:
    """All of these hold (`every`), or at least one."""

    parts: Sequence[Constraint]
    every: bool

    def truth(self, domains: VariableDomains) -> bool | None:
        truths = {part.truth(domains) for part in self.parts}
        # one that is false decides a conjunction, one that is true a disjunction
        return (not self.every) if (not self.every) in truths else None if None in truths else self.every

    def apply(self, domains: VariableDomains) -> Sequence[Constraint]:
        if self.every:
            return self.parts
        undecided = [part for part in self.parts if part.truth(domains) is None]
        # the only part that may still hold has to: it takes the place of the disjunction
        if len(undecided) == 1:
            return undecided
        return (self,) if len(undecided) == len(self.parts) else (_any_of(undecided),)

    def branches(self, domains: VariableDomains) -> Sequence[Constraint]:
        del domains
        return _any_of(self.parts[1:]), self.parts[0]  # a conjunction is never open after it was applied


Constraint: TypeAlias = _Within | _Equality | _Junction


_all_of, _any_of = partial(_Junction, every=True), partial(_Junction, every=False)


@dataclass(slots=True)
class WorldSearch:
    """Searches worlds of a release; what it learned of the people is kept from question to question."""

    release: Release
    entities: Entities
    meter: Meter = field(default_factory=lambda: Meter(Effort()))  # its time
    _capacities: dict[Hashable, dict[Hashable, int]] = field(default_factory=dict)  # pool → value → most
    _pool_of: list[Hashable] = field(default_factory=list)  # of each variable
    _pools: dict[Hashable, list[Variable]] = field(default_factory=dict)  # and the other way round
    _variables: dict[Hashable, Variable] = field(default_factory=dict)
    _has_room: dict[tuple[Hashable, frozenset[tuple[VariableDomain, int]]], bool] = field(default_factory=dict)

    def satisfiable(self, facts: Iterable[Fact]) -> bool:
        """Return whether there is a world in which all of them hold."""
        constraints = [fold(fact, self._literal, conjunction=_all_of, disjunction=_any_of) for fact in facts]
        start = {variable: self._whole_domain(variable) for variable in self._variables.values()}
        stack: list[tuple[VariableDomains, list[Constraint]]] = [(start, constraints)]
        for _ in range(MOST_NODES):
            if not stack:
                return False
            self.meter.check_time()
            domains, constraints = stack.pop()
            still_open = _propagate(domains, constraints)
            if still_open is None or not self._all_have_room(domains):
                continue
            if not still_open:
                return True
            # depth first; each branch has domains of its own
            stack += [({**domains}, [*still_open, branch]) for branch in still_open[-1].branches(domains)]
        raise OverEffort

    def _literal(self, atom: Atom, positive: bool) -> Constraint:  # noqa: FBT001 - as facts are folded
        if isinstance(atom, Same):
            return self._same(atom.person, atom.other, equal=positive)
        who, values = atom.person, named_values(atom)
        if self.release.semantics == "single":
            variable = self._variable(who)
            named = self._whole_domain(variable).intersection(values)
            return _Within(variable, named if positive else self._whole_domain(variable) - named)
        counts = self._counts(who)
        has = [self._variable((who, value)) for value in values if value in counts]
        parts: list[Constraint] = [_Within(each, frozenset([positive])) for each in has]
        return _any_of(parts) if positive else _all_of(parts)

    def _same(self, one: Who, other: Who, *, equal: bool) -> Constraint:
        if self.release.semantics == "single":
            return _Equality(self._variable(one), self._variable(other), equal)
        mine, theirs = self._counts(one), self._counts(other)
        both = [(self._variable((one, value)), self._variable((other, value))) for value in mine if value in theirs]
        # a value that only one of the two groups has: two people who are the same cannot have it
        alone = [(one, value) for value in mine if value not in theirs]
        alone += [(other, value) for value in theirs if value not in mine]
        parts: list[Constraint] = [_Equality(*pair, equal) for pair in both]
        parts += [_Within(self._variable(each), frozenset([not equal])) for each in alone]
        return _all_of(parts) if equal else _any_of(parts)

    def _counts(self, who: Who) -> dict[Hashable, int]:
        return dict[Hashable, int](self.release.groups.value_counts(self.entities.group_of[who]).items())

    def _variable(self, about: Hashable) -> Variable:
        """Add a variable, and the pool that it shares with others of the group."""
        if about not in self._variables:
            who, value = about if isinstance(about, tuple) else (about, None)
            group, single = self.entities.group_of[who], self.release.semantics == "single"
            pool = (group, value)
            if pool not in self._capacities:
                capacities = self._counts(who)
                if not single:
                    # in a multiset one person may have all occurrences, so all others may lack the value
                    count, people = capacities[value], int(self.release.groups.sizes[group])
                    capacities = {True: count, False: people - (count if self.release.semantics == "set" else 1)}
                self._capacities[pool] = capacities
            self._variables[about] = len(self._pool_of)
            self._pools.setdefault(pool, []).append(len(self._pool_of))
            self._pool_of.append(pool)
        return self._variables[about]

    def _whole_domain(self, variable: Variable) -> VariableDomain:
        capacities = self._capacities[self._pool_of[variable]]
        return frozenset(value for value, capacity in capacities.items() if capacity)

    def _all_have_room(self, domains: VariableDomains) -> bool:
        for pool, variables in self._pools.items():
            capacities = self._capacities[pool]
            if len(variables) <= min(capacities.values()):
                continue  # there is room, whatever they need
            demands = Counter(map(domains.__getitem__, variables))
            key = (pool, frozenset(demands.items()))
            if key not in self._has_room:  # from node to node, most pools stay as they are
                self._has_room[key] = has_room(demands, capacities)
            if not self._has_room[key]:
                return False
        return True


def has_room(demands: Mapping[VariableDomain, int], capacities: Capacities) -> bool:
    """Return whether all can be matched: domain → how many must find a value in it; value → how many may have it.

    Source → domains → values → sink: a flow as large as the demand is such a matching, and there is one only if the
    maximum flow is (Ford and Fulkerson).

    >>> a, ab = frozenset("a"), frozenset("ab")
    >>> has_room({a: 1, ab: 2}, {"a": 1, "b": 2}), has_room({a: 2, ab: 1}, {"a": 1, "b": 2})
    (True, False)
    """
    rooms = {domain: sum(capacities[value] for value in domain) for domain in demands}
    # a domain without room for its own demand settles it without a flow
    if any(number > rooms[domain] for domain, number in demands.items()):
        return False
    scarce, total = dict(demands), sum(demands.values())
    # widest first: with room for all that is left, a domain can be served last, and needs no flow
    for domain in sorted(rooms, key=rooms.__getitem__, reverse=True):
        if rooms[domain] < total:
            break
        total -= scarce.pop(domain)  # whoever is matched after all others finds a place there
    return not scarce or _maximum_flow(scarce, capacities) == total


def _maximum_flow(demands: Mapping[VariableDomain, int], capacities: Capacities) -> int:
    from scipy.sparse import csr_array  # noqa: PLC0415 - only here, and slow to import
    from scipy.sparse.csgraph import maximum_flow  # noqa: PLC0415

    values = {value: 1 + len(demands) + number for number, value in enumerate(capacities)}
    source, sink, total = 0, 1 + len(demands) + len(values), sum(demands.values())
    edges = [(source, node, number) for node, number in enumerate(demands.values(), start=1)]
    edges += [
        (node, values[value], number)
        for node, (domain, number) in enumerate(demands.items(), start=1)
        for value in domain
    ]
    edges += [(node, sink, min(capacities[value], total)) for value, node in values.items()]
    tails, heads, limits = np.array(edges, np.int32).T
    graph = csr_array((limits, (tails, heads)), shape=(sink + 1, sink + 1))
    return int(maximum_flow(graph, source, sink).flow_value)


def _propagate(domains: VariableDomains, constraints: Iterable[Constraint]) -> list[Constraint] | None:
    """Narrow domains as long as constraints do so; return those that are open, or None if one fails."""
    constraints, before = list(constraints), -1
    # domains only shrink, so this ends; the product notices constraints that were simplified, too
    while before != (before := sum(map(len, domains.values())) * (len(constraints) + 1)):
        still_open: list[Constraint] = []
        while constraints:
            constraint = constraints.pop()
            truth = constraint.truth(domains)
            if truth is False:
                return None
            if truth is None:
                # open: it may narrow domains, or be replaced by something simpler
                rest = constraint.apply(domains)
                if len(rest) == 1 and rest[0] is constraint:
                    still_open.append(constraint)
                else:
                    constraints += rest
        constraints = still_open[::-1]
    return constraints
