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

    Unknowns     0 or 1: t_xb for variable x takes block b, as `counting.compile` has them, and z_f for each formula f
                 of a constraint, which is 1 only where f holds.
    Formulas     z_f ≤ t_xb or 1 − t_xb for an atom or its negation, z_f ≤ z_p for each part p of a conjunction,
                 z_f ≤ Σ z_p for a disjunction; z_f = 1 for a constraint.
    Supply       in group g, Σ t_xb ≤ n_g(b), counted in people; `single`: Σ_b t_xb = 1.  Else Σ (1 − t_xb) is at most
                 how many people of the group may lack the value.
    Search       integer programming (HiGHS).  Only mentioned people have unknowns: others take whatever is left.
    Cost         exponential at worst: given up after `MOST_NODES`.
    Source       formulas as in Plaisted and Greenbaum, A structure-preserving clause form translation, 1986.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from sidelight.worlds.counting.compile import CountingProblem, Equal, Formula, Meter, OverEffort, Takes, compile_facts

if TYPE_CHECKING:
    from sidelight.knowledge.facts import Fact
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

Row: TypeAlias = tuple[Mapping[Any, int], float, float]
"""Unknowns with their coefficients, and the bounds between which they add up.

An unknown is 0 or 1: an atom `Takes`, a formula that has to hold where it is 1, or that two variables differ somewhere.
"""


class WorldSearch:
    """Searches worlds of a release in which some of these facts hold."""

    def __init__(self, release: Release, entities: Entities, facts: Sequence[Fact], meter: Meter) -> None:
        self.problem = compile_facts(release, entities, (), watched=facts)
        self.meter, self._formulas = meter, [self.problem.formula(fact) for fact in facts]

    def is_satisfiable(self, chosen: Iterable[int]) -> bool:
        """Return whether these facts, by number, hold in some world; raise `OverEffort` where that takes too long."""
        from scipy.optimize import Bounds, LinearConstraint, milp  # noqa: PLC0415 - only here, and slow to import
        from scipy.sparse import csr_array  # noqa: PLC0415

        self.meter.check_time()
        wanted = dict.fromkeys(self._formulas[number] for number in chosen)
        rows = [*_formula_rows(self.problem, wanted)]
        rows += _supply_rows(self.problem, (each for row, _, _ in rows for each in row if type(each) is Takes))
        if not rows:
            return True
        columns = {unknown: number for number, unknown in enumerate(dict.fromkeys(chain(*(row for row, _, _ in rows))))}
        row_of = np.repeat(np.arange(len(rows)), [len(row) for row, _, _ in rows])
        column_of = [columns[unknown] for row, _, _ in rows for unknown in row]
        coefficients = np.array([each for row, _, _ in rows for each in row.values()], float)
        hold = np.array([unknown in wanted for unknown in columns], float)
        answer = milp(
            np.zeros(len(hold)),  # any solution will do
            integrality=np.ones(len(hold)),
            bounds=Bounds(hold, 1),
            constraints=LinearConstraint(
                csr_array((coefficients, (row_of, column_of)), shape=(len(rows), len(columns))),
                *np.array([bounds for _, *bounds in rows], float).T,
            ),
            options={"node_limit": MOST_NODES, "time_limit": self.meter.remaining().seconds or np.inf},
        )
        if answer.status not in (0, 2):  # neither solved nor infeasible
            raise OverEffort
        return bool(answer.status == 0)


def _formula_rows(problem: CountingProblem, formulas: Iterable[Formula]) -> Iterator[Row]:
    """Yield what formulas say, each part z_f ≤ what it is made of."""
    for part in dict.fromkeys(part for formula in formulas for part in formula.bottom_up()):
        atom = problem.atoms[part.atom] if part.is_literal else None
        if isinstance(atom, Takes):
            yield ({atom: 1, part: -1}, 0, np.inf) if part.kind == "atom" else ({atom: 1, part: 1}, -np.inf, 1)
        elif isinstance(atom, Equal):
            yield from _equality_rows(problem, part, atom)
        elif part.kind == "and":
            yield from (({each: 1, part: -1}, 0, np.inf) for each in part.parts)
        elif part.kind != "true":  # false is a disjunction of nothing
            yield dict.fromkeys(part.parts, 1) | {part: -1}, 0, np.inf


def _equality_rows(problem: CountingProblem, part: Formula, atom: Equal) -> Iterator[Row]:
    """Yield that two variables take the same blocks where z is 1, or that they do not."""
    pair = (atom.variable, atom.other)
    blocks = dict.fromkeys(block for each in pair for group in problem.members[each] for block in problem.blocks[group])
    for block in blocks:
        one, other = (Takes(variable, block) for variable in pair)
        if part.kind == "atom":
            yield {one: 1, other: -1, part: 1}, -np.inf, 1
            yield {one: -1, other: 1, part: 1}, -np.inf, 1
        elif problem.semantics == "single":  # everybody takes one block, so no block may be taken by both
            yield {one: 1, other: 1, part: 1}, -np.inf, 2
        else:
            yield {one: 1, other: 1, (part, block): -1}, 0, np.inf
            yield {one: 1, other: 1, (part, block): 1}, -np.inf, 2
    if part.kind == "not" and problem.semantics != "single":
        yield {(part, block): 1 for block in blocks} | {part: -1}, 0, np.inf


def _supply_rows(problem: CountingProblem, asked: Iterable[Takes]) -> Iterator[Row]:
    """Yield that blocks go round: at most as many people take one as there are occurrences, and the others can."""
    single, wanted = problem.semantics == "single", dict.fromkeys(asked)
    variables = dict.fromkeys(atom.variable for atom in wanted) if single else {}
    # people who are the same have to get on in each block, asked about or not
    variables |= {variable: None for variable, members in enumerate(problem.members) if members.total() > 1}
    for variable in variables:
        blocks = dict.fromkeys(block for group in problem.members[variable] for block in problem.blocks[group])
        takes = {Takes(variable, block): 1 for block in blocks}
        wanted |= dict.fromkeys(takes)
        if single:  # everybody takes one block
            yield takes, 1, 1
    takers: dict[tuple[int, int], dict[Takes, int]] = {}
    for atom in wanted:
        for group, people in problem.members[atom.variable].items():
            takers.setdefault((group, atom.block), {})[atom] = people
    for (group, block), people_of in takers.items():
        count, people = problem.counts[group, block], problem.sizes[group]
        # in a multiset one person may have all occurrences, so that all others may lack the value
        lacking = people - (count if problem.semantics == "set" else min(count, 1))
        yield people_of, 0 if single else sum(people_of.values()) - lacking, count
