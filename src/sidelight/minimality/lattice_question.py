"""What do finer releases tell that were not published?  Full domain: a level per column, as fine as the policy allows.

Minimality  Where merging groups cannot break the policy, the published node v is minimal: the release at each of its
            direct predecessors T (one level lower in one column) breaks the policy.  That loses no possible world.
Parts       A predecessor u cuts each group g of v into parts.  It is *fine* in g when all its parts there keep the
            policy; the release at u keeps it when it is fine in all groups.  Groups are independent.
Counting    Pr(A, all fail) = Σ_{U⊆T} (−1)^|U| Pr_g(A, U fine) · Π_{h≠g} Pr_h(U fine),  A about the people of g.
By size     A predecessor with a part that is too small fails in every world and tells nothing: it is left out of T.
Bounds      Where a group has too many tables: ε = Σ_{u∈T} Pr(u fine), and for a printed share π
            π − ε ≤ belief ≤ π/(1 − ε).  Groups that cannot be counted are taken to be fine, which only raises ε.

Cost        Tables of each group as in `group_tables`, each told by the set of predecessors that are fine in it; 2^|T|
            products over the groups.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sidelight.arrays import Floats, Integers, add_up
from sidelight.errors import BadRelease
from sidelight.minimality.group_beliefs import GroupBeliefs, Intervals
from sidelight.minimality.group_question import GroupQuestion, atoms_of
from sidelight.minimality.group_tables import TableList, TableSums, arrangements, list_tables, sum_tables
from sidelight.minimality.witness import InsiderWitness, tables_one_by_one
from sidelight.release.generalise import Node, coarser
from sidelight.rounding import round_up
from sidelight.table.counts import Counts
from sidelight.table.table import number_equal_rows

if TYPE_CHECKING:
    from sidelight.minimality.group_question import RosterLines
    from sidelight.minimality.half_limits import HalfLimits
    from sidelight.table.hierarchy import Hierarchy


@dataclass(frozen=True, eq=False, slots=True)
class FinerRelease:
    """A release one level finer in one column: which part each line of the roster would be in."""

    column: str
    level: int
    part: Integers  # per line, numbered over all groups
    sizes: Integers  # people per part


def finer_releases(
    roster: RosterLines, node: Node, by: Mapping[str, Hierarchy], limits: HalfLimits
) -> Iterator[FinerRelease]:
    """Yield the direct predecessors of a node that do not fail by size."""
    for at, level in enumerate(node):
        if level == 0:
            continue
        finer = [each - (place == at) for place, each in enumerate(node)]
        columns = tuple(coarser(column, by, to) for column, to in zip(roster.columns, finer, strict=True))
        part, first = number_equal_rows(columns, len(roster.group))
        sizes = add_up(part, roster.people, len(first))
        if limits.large_enough(sizes).all():
            yield FinerRelease(roster.columns[at].name, level - 1, part, sizes)


def believe_finer_fail(
    roster: RosterLines, finer: tuple[FinerRelease, ...], counts: Counts, limits: HalfLimits
) -> tuple[GroupBeliefs, ...] | Fraction:
    """Work out what is believed when all these releases broke the policy; or, where that is too much, ε."""
    groups = [_GroupParts.build(row, roster, finer, counts, limits) for row in range(counts.rows)]
    # Sets of more predecessors than this are not gone through; only bounds are given.
    if len(finer) > 12 or not all(each.is_counted for each in groups):
        # union bound: ε = Σ Pr(u fine) is no less than the probability that any of them is fine
        alone = (prod((each.fine(1 << at) for each in groups), start=Fraction(1)) for at in range(len(finer)))
        return sum(alone, Fraction(0))
    subsets = range(1 << len(finer))
    # inclusion and exclusion over sets of predecessors
    signs = [(-1) ** subset.bit_count() for subset in subsets]
    chances = [[each.fine(subset) for each in groups] for subset in subsets]
    others = [_products_of_others(each) for each in chances]
    all_fail = sum((sign * prod(each) for sign, each in zip(signs, chances, strict=True)), Fraction(0))
    if all_fail == 0:
        message = (
            "a finer release keeps the policy, whatever values people have: this method and policy did not make this "
            "release of these people; give those that did"
        )
        raise BadRelease(message)
    beliefs = []
    for at, each in enumerate(groups):
        joint = sum(signs[subset] * others[subset][at] * each.hits(subset) for subset in subsets)
        # people of an atom are exchangeable: expected people with a value / m_j is one person's probability
        shares = joint / (each.question.people[:, np.newaxis].astype(object) * all_fail)
        beliefs.append(GroupBeliefs(each.question, each.telling, all_fail, shares))
    return tuple(beliefs)


def bound_by(roster: RosterLines, counts: Counts, epsilon: Fraction) -> tuple[GroupBeliefs, ...]:
    """Bound everybody's beliefs around the printed shares, for ε < 1."""
    slack = round_up(epsilon)
    return tuple(
        _build_bounded(each, np.maximum(share - slack, 0.0), np.minimum(share / (1 - slack), 1.0), 1 - slack)
        for each, share in _printed_shares(roster, counts)
    )


def bound_at(roster: RosterLines, counts: Counts, most: Fraction) -> tuple[GroupBeliefs, ...]:
    """Bound all beliefs by a limit, which the printed shares keep; nothing else is known."""
    return tuple(
        _build_bounded(each, np.zeros_like(share), np.where(share > 0, float(most), 0.0), math.nan)
        for each, share in _printed_shares(roster, counts)
    )


def _printed_shares(roster: RosterLines, counts: Counts) -> Iterator[tuple[GroupQuestion, Floats]]:
    starts = np.searchsorted(roster.group, np.arange(counts.rows + 1)).tolist()
    for row in range(counts.rows):
        here = counts.row(row)
        question = GroupQuestion.whole(row, np.arange(starts[row], starts[row + 1]), here)
        yield question, np.append(here[here > 0] / here.sum(), 0.0)[np.newaxis]


def _build_bounded(question: GroupQuestion, at_least: Floats, at_most: Floats, all_fail: float) -> GroupBeliefs:
    values = np.flatnonzero(question.counts)
    share = np.append(question.counts[values] / question.size, 0.0)[np.newaxis]
    return GroupBeliefs(question, values, all_fail, None, Intervals(share, at_least, at_most))


def list_again(
    roster: RosterLines, finer: tuple[FinerRelease, ...], counts: Counts, limits: HalfLimits, who: InsiderWitness
) -> Fraction:
    """Work out a belief by listing the arrangements of every group, one by one, and judging each part exactly."""
    target, value = who.group.number - 1, limits.release.code_of(who.value)
    together = {(1 << len(finer)) - 1: (1, 1)}  # finer releases that are fine so far → arrangements, those with A
    for row in range(counts.rows):
        group = _GroupParts.build(row, roster, finer, counts, limits)
        question, values = group.question, np.flatnonzero(counts.row(row))
        parts = np.stack([each.part[question.lines] for each in finer])
        of_atom = [parts[:, question.atom == atom][:, 0].tolist() for atom in range(len(question.people))]
        here: dict[int, tuple[int, int]] = {}
        for table, ways in tables_one_by_one(tuple(question.people.tolist()), tuple(counts.row(row)[values].tolist())):
            fine = sum(
                1 << at
                for at in range(len(finer))
                if all(limits.judge_part(values, part) for part in _parts_of(table, [each[at] for each in of_atom]))
            )
            hits = ways * table[who.atom][values.tolist().index(value)] if row == target else ways
            weight, hit = here.get(fine, (0, 0))
            here[fine] = (weight + ways, hit + hits)
        # a release is fine when it is fine in all groups: sets of fine ones intersect
        joined: dict[int, tuple[int, int]] = {}
        for one, (weight, hit) in together.items():
            for other, (more_weight, more_hit) in here.items():
                before = joined.get(one & other, (0, 0))
                joined[one & other] = (before[0] + weight * more_weight, before[1] + hit * more_hit)
        together = joined
    # the worlds in which no finer release is fine
    weight, hit = together[0]
    return Fraction(hit, weight * who.atoms[who.atom])


def _parts_of(table: Sequence[Sequence[int]], part: list[int]) -> list[tuple[int, ...]]:
    """Add up the atoms of each part."""
    rows: dict[int, list[Sequence[int]]] = {}
    for of, row in zip(part, table, strict=True):
        rows.setdefault(of, []).append(row)
    return [tuple(map(sum, zip(*each, strict=True))) for each in rows.values()]


def _products_of_others(chances: list[Fraction]) -> list[Fraction]:
    """Multiply, for each of them, all the others."""
    # products of prefixes and suffixes instead of quotients: a probability may be 0
    before, after = [Fraction(1)], [Fraction(1)]
    for chance in chances[:-1]:
        before.append(before[-1] * chance)
    for chance in chances[:0:-1]:
        after.append(after[-1] * chance)
    return [one * other for one, other in zip(before, reversed(after), strict=True)]


@dataclass(frozen=True, eq=False)
class _GroupParts:
    """One group: its tables by the set of finer releases that are fine in them."""

    question: GroupQuestion
    telling: Integers
    whole: int  # arrangements
    by_fine: dict[int, TableSums] | None  # set of finer releases, as bits → tables; None: too many to list

    @classmethod
    def build(
        cls, row: int, roster: RosterLines, finer: tuple[FinerRelease, ...], counts: Counts, limits: HalfLimits
    ) -> _GroupParts:
        start, stop = np.searchsorted(roster.group, [row, row + 1]).tolist()
        lines = np.arange(start, stop)
        parts = np.stack([each.part[lines] for each in finer])
        atom, people, example = atoms_of(parts, roster.people[lines])
        no_cut = np.zeros((0, len(people)), bool)
        question = replace(GroupQuestion.whole(row, lines, counts.row(row)), atom=atom, people=people, left=no_cut)
        smallest = min(int(each.sizes[each.part[lines]].min()) for each in finer)
        telling = np.flatnonzero(limits.telling(question.counts, smallest))
        totals = np.append(question.counts[telling], question.size - question.counts[telling].sum())
        tables = list_tables(people, totals)
        whole = arrangements(totals)
        if tables is None:
            return cls(question, telling, whole, None)
        fine = _fine_sets(tables, parts[:, example], people, limits, telling)
        sums = {each: sum_tables(tables[fine == each], people) for each in np.unique(fine).tolist()}
        return cls(question, telling, whole, sums)

    @property
    def is_counted(self) -> bool:
        return self.by_fine is not None

    def fine(self, subset: int) -> Fraction:
        """Return how likely all of a set of finer releases are fine here; 1 where that cannot be counted."""
        if self.by_fine is None:
            return Fraction(1)
        return Fraction(sum(each.weight for fine, each in self.by_fine.items() if fine & subset == subset), self.whole)

    def hits(self, subset: int) -> npt.NDArray[np.object_]:
        """Return the expected people of each atom with each value where all of a set of finer releases are fine."""
        assert self.by_fine is not None
        hits = np.full((len(self.question.people), len(self.telling) + 1), Fraction(0), object)
        for fine, each in self.by_fine.items():
            if fine & subset == subset:
                hits = hits + each.people
        expected: npt.NDArray[np.object_] = hits / np.array(self.whole, object)
        return expected


def _fine_sets(tables: TableList, parts: Integers, people: Integers, limits: HalfLimits, telling: Integers) -> Integers:
    """Return which finer releases (bits) are fine in each table; `parts` are finer release × atom."""
    fine = np.zeros(len(tables), np.int64)
    for at, part_of in enumerate(parts):
        kept = np.ones(len(tables), bool)
        for part in np.unique(part_of).tolist():
            inside = part_of == part
            # (tables, atoms, values) → (tables, values): the people of the part
            counts = tables[kept][:, inside].sum(axis=1, dtype=np.int64)
            kept[kept] = limits.keep(telling, counts, int(people[inside].sum()))
        fine |= kept.astype(np.int64) << at
    return fine
