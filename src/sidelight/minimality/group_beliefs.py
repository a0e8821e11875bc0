"""The beliefs about the people of one group, given that all its cuts failed.

Three ways, in this order: all tables are listed (`list_tables`); where there is one cut only, its left halves are
counted by generating functions (`worlds.closed_forms`); arrangements are drawn.  Values that cannot break a limit
are counted as one, and the belief in them is divided by how often they occur: n_s of n.

Drawing     Values are assigned to people at random; a *kept* draw is one in which every cut fails.  Its table (atoms ×
            values) is averaged over the people of an atom: the estimate.
Interval    In kept draws one person of the atom has a value or has not: successes among trials, whose exact binomial
            interval (Clopper and Pearson) holds with confidence 1 − 0.01/(atoms × values) for each, so 0.99 for all.
Largest     The largest belief in one set of draws is biased upwards, and is estimated again on fresh draws.
Too rare    With fewer than 300 kept draws nothing is computed.  Such groups must not be dropped: the rarest conditions
            reveal most.

The seed is fixed, so that an answer repeats; nothing here is secret.

*Counting* the arrangements of a group's values in which all its cuts fail.

Symbols     Atom j has m_j people whom no cut distinguishes; x_js of them have value s; Σ_s x_js = m_j, Σ_j x_js = n_s.
Weight      A table x stands for  Π_j m_j! / Π_s x_js!  arrangements of values among people; all tables together for
            n! / Π_s n_s!.
Belief      Pr(a person of atom j has s | all cuts fail) = Σ w(x)·x_js / (m_j · Σ w(x)), over the tables x so.
Listing     Value by value and atom by atom, every choice within what is left: each prefix is the prefix of a table, so
            nothing is listed in vain, and a group with too many tables is known as soon as its prefixes are too many.
Exactness   Weights are whole numbers of any length; their sums with the small x_js are taken in pieces of 24 bits,
            which matrix products of floats add up without rounding: 2²⁴ · 2¹⁶ tables · 2¹² people is below 2⁵³.

*Full domain*: a level per column, as fine as the policy allows; finer releases were not published.

Minimality  Where merging groups cannot break the policy, the published node v is minimal: the release at each of its
            direct predecessors T (one level lower in one column) breaks the policy.  That loses no possible world.
Parts       A predecessor u cuts each group g of v into parts.  It is *fine* in g when all its parts there keep the
            policy; the release at u keeps it when it is fine in all groups.  Groups are independent.
Counting    Pr(A, all fail) = Σ_{U⊆T} (−1)^|U| Pr_g(A, U fine) · Π_{h≠g} Pr_h(U fine),  A about the people of g.
By size     A predecessor with a part that is too small fails in every world and reveals nothing: it is left out of T.
Bounds      Where a group has too many tables: ε = Σ_{u∈T} Pr(u fine), and for a printed share π
            π − ε ≤ belief ≤ π/(1 − ε).  Groups that cannot be counted are taken to be fine, which only raises ε.

Cost        Tables of each group as above, by the set of predecessors that are fine in them; 2^|T| products over the
            groups.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise
from math import prod
from operator import mul
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from sidelight.arrays import Floats, Integers, add_up, number_vectors, ranges
from sidelight.errors import BadRelease, TooHard
from sidelight.minimality.group_question import GroupQuestion, HalfLimits, RosterLines, atoms_of
from sidelight.minimality.measure import LISTED_TABLES, InsiderWitness
from sidelight.release.generalise import Node, coarser
from sidelight.rounding import round_up
from sidelight.table.labels import number_equal_rows
from sidelight.worlds.closed_forms import OneCut

if TYPE_CHECKING:
    from sidelight.table.hierarchy import Hierarchy
    from sidelight.table.table import Counts


How: TypeAlias = Literal["counted", "drawn", "bounded", "could not tell"]
"""How a belief was computed: exactly, by draws and then in an interval, between proven bounds, or not at all."""

Beyond: TypeAlias = Literal["drawn", "left out"]
"""Whether groups with too many tables to list are drawn."""


MOST_DEALT = 12_000_000
"""Drawing ends with this many values assigned to people."""

VALUE_BITS = 12
"""The bits of a number that hold the value; the others, 52, are random.  Groups with more values cannot be drawn."""


def draw(question: GroupQuestion, limits: HalfLimits, values: Integers, counts: Integers) -> GroupBeliefs | None:
    """Return beliefs from drawn arrangements; `counts` are those of `values`, and at last that of all others.

    None where too few draws are kept, or where there are more values than `VALUE_BITS` hold.
    """
    if len(counts) > 1 << VALUE_BITS:
        return None
    first = _kept_draws(question, limits, values, counts, seed=2007)
    if first is None:
        return None
    estimate, hits, kept, draws = first
    # a doubt of 0.01 divided among atoms × values, so that all intervals hold together with confidence 0.99
    at_least, at_most = _interval(hits, kept, 0.01 / hits.size)
    # the last column lumps several values, and is a guess only where it is the only one
    guesses = estimate[:, :-1] if len(values) else estimate
    likeliest = np.unravel_index(int(np.argmax(guesses)), guesses.shape)
    # chosen for being largest, the first estimate is biased upwards; draws from another seed are not
    fresh = _kept_draws(question, limits, values, counts, seed=2008)
    if fresh is not None:
        again, hits, fresh_kept, _ = fresh
        low, high = _interval(hits, fresh_kept, 0.01 / hits.size)
        estimate[likeliest], at_least[likeliest], at_most[likeliest] = again[likeliest], low[likeliest], high[likeliest]
    # the interval is about one person of an atom, the estimate averages all of them: it is widened to contain it
    between = (estimate, np.minimum(at_least, estimate), np.maximum(at_most, estimate))
    return GroupBeliefs(question, values, kept / draws, None, between, draws)


def _kept_draws(
    question: GroupQuestion, limits: HalfLimits, values: Integers, counts: Integers, *, seed: int, enough: int = 2_000
) -> tuple[Floats, Floats, int, int] | None:
    """Return averages and hits, each (atoms, values), the kept draws (about `enough`) and all; None where too few."""
    random = np.random.default_rng([seed, question.row])
    kinds = len(counts)
    dealt = np.repeat(np.arange(kinds, dtype=np.uint64), counts)
    member = np.repeat(np.eye(len(question.people), dtype=np.float32), question.people, axis=0)  # person × atom
    # the first person of each atom stands for it: people in one draw are not independent, those of several draws are
    starts = np.concatenate(([0], np.cumsum(question.people)[:-1]))
    at_once = max(300_000 // len(dealt), 1)
    sums, hits = np.zeros((len(starts), kinds)), np.zeros((len(starts), kinds))
    kept = draws = 0
    while kept < enough and draws * len(dealt) < MOST_DEALT:
        hands = _shuffle(dealt, at_once, random, VALUE_BITS)
        # (values − 1, draws, atoms): people of each atom with each value; the last value is what remains
        tables = np.stack([(hands == kind).astype(np.float32) @ member for kind in range(kinds - 1)])
        some = question.all_fail(tables, limits, values, counts[:-1])
        draws, kept = draws + at_once, kept + len(some)
        # summed over kept draws, (values − 1, atoms), then transposed to (atoms, values − 1)
        sums[:, :-1] += tables[:, some].sum(axis=1).T
        person = hands[some][:, starts]
        hits += np.stack([(person == kind).sum(axis=0) for kind in range(kinds)], axis=1)
    if kept < 300:  # too rare
        return None
    sums[:, -1] = kept * question.people - sums.sum(axis=1)
    return sums / (kept * question.people[:, np.newaxis]), hits, kept, draws


def _shuffle(
    dealt: npt.NDArray[np.uint64], times: int, random: np.random.Generator, bits: int
) -> npt.NDArray[np.uint16]:
    """Return (times, numbers) shuffles of small numbers: sorted by random bits above them, all different."""
    low = np.uint64((1 << bits) - 1)
    # random high bits order each row; the low bits carry the value along through the sort
    hands = random.integers(0, (1 << 64) - 1, (times, len(dealt)), dtype=np.uint64, endpoint=True)
    hands &= ~low
    hands |= dealt
    hands.sort(axis=1)
    hands &= low
    return hands.astype(np.uint16)


def _interval(hits: Floats, kept: int, doubt: float) -> tuple[Floats, Floats]:
    """Return bounds on the probability of each hit, both of which hold but with probability `doubt`."""
    from scipy.special import betaincinv  # noqa: PLC0415 - only here, and slow to import

    # no quantile exists at 0 hits or at `kept` hits; the bounds are 0 and 1 there, set below
    low = betaincinv(np.maximum(hits, 1), kept - np.maximum(hits, 1) + 1, doubt / 2)
    high = betaincinv(np.minimum(hits, kept - 1) + 1, kept - np.minimum(hits, kept - 1), 1 - doubt / 2)
    return np.where(hits > 0, low, 0.0), np.where(hits < kept, high, 1.0)


@dataclass(frozen=True, eq=False)
class GroupBeliefs:
    """The beliefs about each atom and value of one group; `values` are counted each, all others as one."""

    question: GroupQuestion
    values: Integers
    all_fail: Fraction | float  # the probability that all cuts fail; nan where it was not computed
    shares: npt.NDArray[np.object_] | None = None  # (atoms, values + 1), the others last: exact fractions
    # estimates, and the lower and the upper ends of their intervals: (atoms, values + 1), the others last
    between: tuple[Floats, Floats, Floats] | None = None
    draws: int = 0

    @property
    def how(self) -> How:
        """How the beliefs were computed."""
        if self.shares is not None:
            return "counted"
        return "could not tell" if self.between is None else "drawn" if self.draws else "bounded"

    @property
    def is_informative(self) -> bool:
        """Whether the failed cuts reveal anything: not where they fail in every arrangement."""
        return self.all_fail != 1

    @cached_property
    def _others(self) -> Integers:
        return np.setdiff1d(np.flatnonzero(self.question.counts), self.values)

    def exact_belief(self, atom: int, value: int) -> Fraction:
        """Return the exact belief that a person of an atom has a value of the domain."""
        assert self.shares is not None
        counts = self.question.counts
        if not counts[value]:
            return Fraction(0)
        if value in self.values:
            return Fraction(self.shares[atom, int(np.searchsorted(self.values, value))])
        # lumped values share the rest by how often each occurs: within it they are exchangeable
        return Fraction(self.shares[atom, -1]) * Fraction(int(counts[value]), int(counts[self._others].sum()))

    @cached_property
    def estimate(self) -> Floats:
        """The beliefs: (atoms, values of the domain) float64."""
        if self.shares is not None:
            return self._spread(self.shares.astype(float))
        return self._spread(np.full((1, 1), np.nan) if self.between is None else self.between[0])

    @cached_property
    def at_least(self) -> Floats:
        """The lower ends of the beliefs' intervals."""
        return self._find_ends(1)

    @cached_property
    def at_most(self) -> Floats:
        """The upper ends of the beliefs' intervals."""
        return self._find_ends(2)

    def _find_ends(self, end: int) -> Floats:
        if self.shares is not None:
            return self.estimate
        if self.between is not None:
            return self._spread(self.between[end])
        # not computed: from 0 to 1, of values that occur
        occurs = np.where(self.question.counts > 0, end - 1.0, 0.0)
        return np.tile(occurs, (len(self.question.people), 1))

    def _spread(self, kept_apart: Floats) -> Floats:
        counts, others = self.question.counts, self._others
        beliefs = np.zeros((len(self.question.people), len(counts)))
        beliefs[:, self.values] = kept_apart[:, : len(self.values)]
        beliefs[:, others] = kept_apart[:, -1:] * (counts[others] / max(counts[others].sum(), 1))
        return beliefs

    @cached_property
    def likeliest(self) -> Integers:
        """The likeliest value of each atom; of equal ones the first of the domain."""
        if self.shares is None:
            best: Integers = (self.at_most if self.between is None else self.estimate).argmax(axis=1)
            return best
        # as close as this, exact fractions decide
        near = self.estimate >= self.estimate.max(axis=1, keepdims=True) - 1e-9
        best = near.argmax(axis=1).astype(np.int64)
        for atom in np.flatnonzero(near.sum(axis=1) > 1).tolist():
            best[atom] = max(np.flatnonzero(near[atom]).tolist(), key=lambda value: self.exact_belief(atom, value))
        return best


def believe_group(
    question: GroupQuestion, limits: HalfLimits, name: object, most: int = LISTED_TABLES, beyond: Beyond = "drawn"
) -> GroupBeliefs:
    """Return the beliefs in a group; raise `BadRelease`, naming it, where its cuts cannot all have failed."""
    decisive = np.flatnonzero(limits.decisive(question.counts, int(question.sides.min())))
    # the last count lumps all values that cannot break a limit
    counts = np.append(question.counts[decisive], question.size - question.counts[decisive].sum())
    tables = list_tables(question.people, counts, most)
    if tables is not None:
        # (tables, atoms, values) → (values, tables, atoms)
        fail = question.all_fail(tables.transpose(2, 0, 1), limits, decisive, counts[:-1])
        weight, hits = sum_tables(tables[fail], question.people)
        if weight == 0:
            refuse_open_cut(name)
        rows = zip(hits.tolist(), question.people.tolist(), strict=True)
        shares = np.array([[Fraction(each, weight * people) for each in row] for row, people in rows], object)
        return GroupBeliefs(question, decisive, Fraction(weight, arrangements(counts)), shares)
    if len(question.left) == 1 and limits.limits_shares_and_distinct:
        # the left halves of the only cut are counted
        occurring = np.flatnonzero(question.counts)
        ((left, right),) = question.sides.tolist()
        most_left, most_right = map(limits.values.most_of, (left, right))
        different = limits.values.different if limits.values.different > 1 else 0
        cut = OneCut.build(question.counts[occurring].tolist(), left, most_left, most_right, different=different)
        if cut.passing == cut.halves:
            refuse_open_cut(name)
        beside = [cut.shares_when_failing(right=not is_left) for is_left in question.left[0].tolist()]
        shares = np.array([[*each, Fraction(0)] for each in beside], object)
        return GroupBeliefs(question, occurring, 1 - cut.probability, shares)
    drawn = draw(question, limits, decisive, counts) if beyond == "drawn" else None
    return GroupBeliefs(question, decisive, math.nan) if drawn is None else drawn


def refuse_open_cut(name: object) -> None:
    """Raise `BadRelease`, as no arrangement is left: the release was made otherwise."""
    raise BadRelease(
        f"in {name} a cut that keeps the policy was not made, whatever values its people have: this method and policy "
        "did not make this release of these people; give those that did"
    )


TableList: TypeAlias = npt.NDArray[np.int16]
"""Table × atom × value, without the last value."""

TableSums: TypeAlias = tuple[int, npt.NDArray[np.object_]]
"""The number of arrangements of some tables, and in these the people of each atom with each value."""

WholeNumbers: TypeAlias = npt.NDArray[np.int64] | npt.NDArray[np.object_]
"""Whole numbers, of any length where they may get long."""


def list_tables(people: Integers, counts: Integers, most: int = LISTED_TABLES) -> TableList | None:
    """Return all tables of atoms × values with these sums; None where there are more than `most`.

    The last value has the rest of each atom.

    >>> list_tables(np.array([1, 2]), np.array([2, 1]))[:, :, 0].tolist()
    [[0, 2], [1, 1]]
    """
    atoms, free = len(people), len(counts) - 1
    # Larger groups are not listed, however few their tables.
    if int(people.sum()) > (1 << 12) or count_tables(people, counts, most) > most:
        return None
    tables = np.zeros((1, atoms, free), np.int16)
    left = counts[np.newaxis]  # of each value, not yet handed out
    # the last atom takes whatever is left, so only the others branch
    for atom, size in enumerate(people[:-1].tolist()):
        which, after = _assign_values(size, left)
        tables = tables[which]
        tables[:, atom] = (left[which] - after)[:, :free]
        left = after
    tables[:, atoms - 1] = left[:, :free]
    return tables


def count_tables(people: Integers, counts: Integers, most: int = LISTED_TABLES) -> int:
    """Count the tables with these sums, up to the first number above `most`: prefixes that leave the same are one.

    >>> count_tables(np.array([1, 2]), np.array([2, 1]))
    2
    """
    left, ways = counts[np.newaxis], np.ones(1, np.int64)
    for size in people[:-1].tolist():
        which, left = _assign_values(size, left, most)
        ways = ways[which]  # where the list was cut short, there are more already
        if int(ways.sum()) > most:
            return int(ways.sum())
        # prefixes that leave the same values go on in the same ways: they are merged, and their ways added up
        kind, first = number_vectors(left)
        left, ways = left[first], add_up(kind, ways, len(first))
    return int(ways.sum())


def _assign_values(size: int, left: Integers, most: int = LISTED_TABLES) -> tuple[Integers, Integers]:
    """Assign values from `left`, (prefixes, values), to `size` people in all ways; return each one's prefix and rest.

    Stops short once there are more than `most` ways.
    """
    which, room = np.arange(len(left)), np.full(len(left), size)
    for value in range(left.shape[1] - 1):
        # what the values after this one cannot fill has to be filled by this one
        least = np.maximum(room - left[:, value + 1 :].sum(axis=1), 0)
        at, amount = ranges(least, np.minimum(room, left[:, value]) + 1)
        which, left, room = which[at], left[at], room[at] - amount
        left[:, value] -= amount
        if len(which) > most:
            return which, left
    left = left.copy()
    # the last value has no choice: it fills the room that remains
    left[:, -1] -= room
    return which, left


def arrangements(counts: Integers) -> int:
    """Count the arrangements of values among people: n! / Π n_s!.

    >>> arrangements(np.array([2, 1]))
    3
    """
    total, ways = 0, 1
    for count in counts.tolist():
        total += count
        ways *= math.comb(total, count)
    return ways


def sum_tables(tables: TableList, people: Integers) -> TableSums:
    """Return the number of arrangements of some tables, and in these the people of each atom with each value.

    >>> weight, hits = sum_tables(list_tables(np.array([1, 2]), np.array([2, 1])), np.array([1, 2]))
    >>> weight, hits.tolist()
    (3, [[2, 1], [4, 2]])
    """
    _, atoms, free = tables.shape
    weight, hits = 0, np.zeros(atoms * free, object)
    rows = 1 << 16
    for start in range(0, len(tables), rows):
        block = tables[start : start + rows]
        # (tables, atoms · values)
        cells = block.reshape(len(block), -1).astype(float)
        weights, shift, bits = _count_arrangements(block, people), 0, 24
        while (weights > 0).any():
            # the lowest bits, which matrix products of floats add up without rounding
            piece = (weights & ((1 << bits) - 1)).astype(float)
            weight += int(piece.sum()) << shift
            hits += np.array([int(each) << shift for each in (piece @ cells).tolist()], object)
            weights, shift = weights >> bits, shift + bits
    listed = hits.reshape(atoms, free)
    rest = np.array([weight * int(each) for each in people], object) - listed.sum(axis=1)
    return weight, np.column_stack((listed, rest))


def _count_arrangements(tables: TableList, people: Integers) -> WholeNumbers:
    """Return each table's number of arrangements: a product of binomial coefficients, value by value in each atom."""
    weights: WholeNumbers = np.ones(len(tables), np.int64)
    largest = 1
    for atom, size in enumerate(people.tolist()):
        room = np.full(len(tables), size)
        for value in range(tables.shape[2]):
            chosen = tables[:, atom, value]
            factor = _binomials(room, chosen, size)
            # a bound on the products, which decides to leave int64 before anything can overflow
            largest *= int(factor.max(initial=1))
            if largest >= 1 << 63 and weights.dtype != object:
                weights = weights.astype(object)
            weights = weights * factor
            if weights.dtype != object:
                largest = int(weights.max(initial=1))
            room = room - chosen
    return weights


def _binomials(of: Integers, chosen: npt.NDArray[np.int16], most: int) -> WholeNumbers:
    # Every binomial coefficient of so many things fits into 63 bits.
    kind = np.int64 if most <= 61 else object
    # one number per pair, as chosen ≤ of ≤ most: each coefficient is computed once and looked up
    pairs = of * (most + 1) + chosen
    ways: WholeNumbers = np.zeros((most + 1) ** 2, kind)
    for pair in np.flatnonzero(np.bincount(pairs)).tolist():
        ways[pair] = math.comb(*divmod(pair, most + 1))
    chosen_ways: WholeNumbers = ways[pairs]
    return chosen_ways


FinerReleases: TypeAlias = Mapping[str, Integers]
"""The part of each line of the roster in releases one level finer in one column, by their description."""


def finer_releases(
    roster: RosterLines, node: Node, by: Mapping[str, Hierarchy], limits: HalfLimits
) -> dict[str, Integers]:
    """Return the direct predecessors of a node that do not fail by size; parts are numbered over all groups."""
    parts = {}
    for at, level in enumerate(node):
        if level > 0:
            finer = [each - (index == at) for index, each in enumerate(node)]
            columns = tuple(coarser(column, by, to) for column, to in zip(roster.columns, finer, strict=True))
            part, first = number_equal_rows(columns, len(roster.group))
            if limits.large_enough(add_up(part, roster.people, len(first))).all():
                parts[f"{roster.columns[at].name} at level {level - 1}"] = part
    return parts


def believe_finer_fail(
    roster: RosterLines, finer: FinerReleases, counts: Counts, limits: HalfLimits
) -> tuple[GroupBeliefs, ...] | Fraction:
    """Return the beliefs given that all these releases broke the policy; or, where that is too much, ε."""
    groups = [_GroupParts.build(row, roster, finer, counts, limits) for row in range(counts.rows)]
    # subsets of more predecessors than this are too many; only bounds are computed
    if len(finer) > 12 or any(each.by_fine is None for each in groups):
        # union bound: ε = Σ Pr(u fine) is no less than the probability that any of them is fine
        alone = (prod((each.fine(1 << at) for each in groups), start=Fraction(1)) for at in range(len(finer)))
        return sum(alone, Fraction(0))
    subsets = range(1 << len(finer))
    # inclusion and exclusion over sets of predecessors
    signs = [(-1) ** subset.bit_count() for subset in subsets]
    chances = [[each.fine(subset) for each in groups] for subset in subsets]
    # the product of all others, of prefixes and suffixes instead of quotients: a probability may be 0
    others = []
    for row in chances:
        before = [Fraction(1), *accumulate(row[:-1], mul)]
        after = [Fraction(1), *accumulate(row[:0:-1], mul)]
        others.append([one * other for one, other in zip(before, reversed(after), strict=True)])
    all_fail = sum((sign * prod(each) for sign, each in zip(signs, chances, strict=True)), Fraction(0))
    if all_fail == 0:
        raise BadRelease(
            "a finer release keeps the policy, whatever values people have: this method and policy did not make this "
            "release of these people; give those that did"
        )
    beliefs = []
    for at, each in enumerate(groups):
        joint = sum(signs[subset] * others[subset][at] * each.hits(subset) for subset in subsets)
        # people of an atom are exchangeable: expected people with a value / m_j is one person's probability
        shares = joint / (each.question.people[:, np.newaxis].astype(object) * all_fail)
        beliefs.append(GroupBeliefs(each.question, each.decisive, all_fail, shares))
    return tuple(beliefs)


def bound_around_shares(roster: RosterLines, counts: Counts, epsilon: Fraction) -> tuple[GroupBeliefs, ...]:
    """Return bounds on everybody's beliefs around the printed shares, for ε < 1."""
    slack = round_up(epsilon)
    bounds = lambda share: (np.maximum(share - slack, 0.0), np.minimum(share / (1 - slack), 1.0))  # noqa: E731
    return bound_beliefs(roster, counts, bounds, 1 - slack)


def bound_beliefs(
    roster: RosterLines, counts: Counts, bounds: Callable[[Floats], tuple[Floats, Floats]], all_fail: float = math.nan
) -> tuple[GroupBeliefs, ...]:
    """Return everybody's beliefs between `bounds`, which maps a group's printed shares to both ends."""
    beliefs = []
    starts = np.searchsorted(roster.group, np.arange(counts.rows + 1)).tolist()
    for row in range(counts.rows):
        question = GroupQuestion.whole(row, np.arange(starts[row], starts[row + 1]), counts.row(row))
        values = np.flatnonzero(question.counts)
        # the values that occur, and last the rest, which nobody has
        share = np.append(question.counts[values] / question.size, 0.0)[np.newaxis]
        beliefs.append(GroupBeliefs(question, values, all_fail, None, (share, *bounds(share))))
    return tuple(beliefs)


DividedGroup: TypeAlias = tuple[int, tuple[int, ...], list[list[int]]]
"""A row of the release, the people of its atoms, and for each cut or finer release the part of each atom."""


def divide_groups(roster: RosterLines, finer: FinerReleases, groups: int) -> Iterator[DividedGroup]:
    """Yield every group as finer releases divide it."""
    starts = np.searchsorted(roster.group, np.arange(groups + 1))
    for row, (start, stop) in enumerate(pairwise(starts.tolist())):
        parts = np.stack([part[start:stop] for part in finer.values()])
        _, people, example = atoms_of(parts, roster.people[start:stop])
        yield row, tuple(people.tolist()), parts[:, example].tolist()


def list_belief(groups: Sequence[DividedGroup], limits: HalfLimits, who: InsiderWitness) -> Fraction:
    """Recompute a belief by listing the arrangements of some groups one by one, and judging all parts exactly."""
    target, value, release = who.group.number - 1, limits.release.code_of(who.value), limits.release
    together = {-1: (1, 1)}  # sets of divisions that are fine so far, as bits → arrangements, those with the value
    for row, atoms, divisions in groups:
        values = np.flatnonzero(release.counts.row(row))
        judged: dict[tuple[tuple[int, ...], ...], bool] = {}
        here: dict[int, tuple[int, int]] = {}
        for listed, (table, ways) in enumerate(
            tables_one_by_one(atoms, tuple(release.counts.row(row)[values].tolist()))
        ):
            if listed >= LISTED_TABLES:
                raise TooHard(
                    f"{release.name(row)} has more than {LISTED_TABLES:,} arrangements to list; replay smaller groups"
                )
            fine = 0
            for at, division in enumerate(divisions):
                parts = _add_up_parts(table, division)
                if parts not in judged:
                    judged[parts] = limits.judge(row, values, *parts)
                fine |= judged[parts] << at
                # where a group is the only one, a single fine division is enough
                if fine and len(groups) == 1:
                    break
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
    # the worlds in which no division is fine
    weight, hit = together[0]
    return Fraction(hit, weight * who.atoms[who.atom])


def _add_up_parts(table: Sequence[Sequence[int]], division: list[int]) -> tuple[tuple[int, ...], ...]:
    rows: dict[int, list[Sequence[int]]] = {}
    for part, row in zip(division, table, strict=True):
        rows.setdefault(part, []).append(row)
    return tuple(tuple(map(sum, zip(*each, strict=True))) for each in rows.values())


def tables_one_by_one(
    atoms: tuple[int, ...], left: tuple[int, ...]
) -> Iterator[tuple[tuple[tuple[int, ...], ...], int]]:
    """Yield the tables of atoms × values, and the number of arrangements of each: one atom after another."""
    if not atoms:
        yield (), 1
        return
    for row in _assign_people(atoms[0], left):
        ways = math.factorial(atoms[0]) // math.prod(map(math.factorial, row))
        rest = tuple(have - use for have, use in zip(left, row, strict=True))
        for table, more in tables_one_by_one(atoms[1:], rest):
            yield (row, *table), ways * more


def _assign_people(people: int, left: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield the ways to give `people` values out of those left."""
    if not left:
        if people == 0:
            yield ()
        return
    if people > sum(left):
        return
    for amount in range(min(people, left[0]) + 1):
        for row in _assign_people(people - amount, left[1:]):
            yield (amount, *row)


@dataclass(frozen=True, eq=False)
class _GroupParts:
    """One group: its tables by the set of finer releases that are fine in them."""

    question: GroupQuestion
    decisive: Integers
    whole: int  # arrangements
    by_fine: dict[int, TableSums] | None  # set of finer releases, as bits → tables; None: too many to list

    @classmethod
    def build(
        cls, row: int, roster: RosterLines, finer: FinerReleases, counts: Counts, limits: HalfLimits
    ) -> _GroupParts:
        start, stop = np.searchsorted(roster.group, [row, row + 1]).tolist()
        lines = np.arange(start, stop)
        parts = np.stack([part[lines] for part in finer.values()])
        atom, people, example = atoms_of(parts, roster.people[lines])
        no_cut = np.zeros((0, len(people)), bool)
        question = replace(GroupQuestion.whole(row, lines, counts.row(row)), atom=atom, people=people, left=no_cut)
        # a part holds people of one group only
        sizes = (np.bincount(part - part.min(), roster.people[lines]) for part in parts)
        smallest = min(int(each[each > 0].min()) for each in sizes)
        decisive = np.flatnonzero(limits.decisive(question.counts, smallest))
        totals = np.append(question.counts[decisive], question.size - question.counts[decisive].sum())
        tables = list_tables(people, totals)
        whole = arrangements(totals)
        if tables is None:
            return cls(question, decisive, whole, None)
        fine = np.zeros(len(tables), np.int64)
        for at, part_of in enumerate(parts[:, example]):
            kept = np.ones(len(tables), bool)
            for part in np.unique(part_of).tolist():
                inside = part_of == part
                # (tables, atoms, values) → (tables, values): the people of the part
                inner = tables[kept][:, inside].sum(axis=1, dtype=np.int64)
                kept[kept] = limits.keep(decisive, inner, int(people[inside].sum()))
            fine |= kept.astype(np.int64) << at
        sums = {each: sum_tables(tables[fine == each], people) for each in np.unique(fine).tolist()}
        return cls(question, decisive, whole, sums)

    def fine(self, subset: int) -> Fraction:
        """Return the probability that all of a set of finer releases are fine here; 1 where it cannot be counted."""
        if self.by_fine is None:
            return Fraction(1)
        weights = (weight for fine, (weight, _) in self.by_fine.items() if fine & subset == subset)
        return Fraction(sum(weights), self.whole)

    def hits(self, subset: int) -> npt.NDArray[np.object_]:
        """Return the expected people of each atom with each value where all of a set of finer releases are fine."""
        assert self.by_fine is not None
        hits = np.full((len(self.question.people), len(self.decisive) + 1), Fraction(0), object)
        for fine, (_, people) in self.by_fine.items():
            if fine & subset == subset:
                hits = hits + people
        expected: npt.NDArray[np.object_] = hits / np.array(self.whole, object)
        return expected
