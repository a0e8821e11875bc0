"""What is believed of the people of one group, once all its cuts are known to have failed.

Three ways, in this order: all tables are listed (`group_tables`); where there is one cut only, its left halves are
counted by generating functions (`worlds.one_cut`); arrangements are drawn.  Values that cannot break a limit
are counted as one, and what is believed of them is shared out by how often they occur: n_s of n.

Drawing     Values are dealt to people at random; a *kept* draw is one in which every cut fails.  Its table (atoms ×
            values) is averaged over the people of an atom: the estimate.
Interval    In kept draws one person of the atom has a value or has not: successes among trials, whose exact binomial
            interval (Clopper and Pearson) holds with confidence 1 − 0.01/(atoms × values) for each, so 0.99 for all.
Surest      The surest person of one set of draws was chosen by luck too, and is estimated again on fresh draws.
Too rare    With fewer than 300 kept draws nothing is told.  Such groups must not be dropped: the rarest conditions
            tell most.

The seed is fixed, so that an answer repeats; nothing here is secret.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from sidelight.errors import BadRelease
from sidelight.minimality.group_tables import MOST_TABLES, arrangements, list_tables, sum_tables
from sidelight.worlds.one_cut import OneCut

if TYPE_CHECKING:
    from sidelight.arrays import Floats, Integers
    from sidelight.minimality.group_question import GroupQuestion
    from sidelight.minimality.half_limits import HalfLimits

How: TypeAlias = Literal["counted", "drawn", "bounded", "could not tell"]
"""How a belief came about: exactly, by draws and then in an interval, between proven bounds, or not at all."""

Beyond: TypeAlias = Literal["drawn", "left out"]
"""What becomes of groups with too many tables to list."""


@dataclass(frozen=True, slots=True)
class CountingEffort:
    """How much is done to know what is believed in a group."""

    tables: int = MOST_TABLES  # that are listed at most
    beyond: Beyond = "drawn"  # what becomes of groups that have more
    fewest: int = 300  # kept draws: with fewer nothing is told
    enough: int = 2_000  # kept draws with which drawing ends
    cells: int = 12_000_000  # values dealt to people with which drawing ends
    value_bits: int = 12  # that tell a group's values apart, the others, 52, are random: more values cannot be drawn


@dataclass(frozen=True, eq=False, slots=True)
class Intervals:
    """What is believed of each atom and value of a group, as an estimate and within an interval, drawn or proven."""

    estimate: Floats  # atom × value kept apart, the rest last
    at_least: Floats
    at_most: Floats
    kept: int = 0
    draws: int = 0


def draw(
    question: GroupQuestion,
    limits: HalfLimits,
    values: Integers,
    counts: Integers,
    effort: CountingEffort | None = None,
) -> Intervals | None:
    """Draw arrangements of a group; `values` are kept apart, `counts` are theirs and at last that of all others.

    None where too few are kept, or where there are more values than numbers for them.
    """
    effort = effort or CountingEffort()
    if len(counts) > 1 << effort.value_bits:
        return None
    first = _kept_draws(question, limits, values, counts, effort, seed=2007)
    if first is None:
        return None
    estimate, hits, kept, draws = first
    # a doubt of 0.01 divided among atoms × values, so that all intervals hold together with confidence 0.99
    at_least, at_most = _interval(hits, kept, 0.01 / hits.size)
    # the last column lumps several values, and is no guess; where it is the only one, it is all there is
    surest = np.unravel_index(
        int(np.argmax(estimate[:, :-1] if len(values) else estimate)), (len(estimate), max(len(values), 1))
    )
    # chosen for being largest, the first estimate is biased upwards; draws from another seed are not
    fresh = _kept_draws(question, limits, values, counts, effort, seed=2008)
    if fresh is not None:
        again, hits, fresh_kept, _ = fresh
        low, high = _interval(hits, fresh_kept, 0.01 / hits.size)
        estimate[surest], at_least[surest], at_most[surest] = again[surest], low[surest], high[surest]
    # the interval is about one person of an atom, the estimate averages all of them: it is widened to contain it
    return Intervals(estimate, np.minimum(at_least, estimate), np.maximum(at_most, estimate), kept, draws)


def _kept_draws(
    question: GroupQuestion,
    limits: HalfLimits,
    values: Integers,
    counts: Integers,
    effort: CountingEffort,
    *,
    seed: int,
) -> tuple[Floats, Floats, int, int] | None:
    """Return averages and hits, each (atoms, values), the kept draws and all draws; None with too few kept draws."""
    random = np.random.default_rng([seed, question.row])
    kinds = len(counts)
    dealt = np.repeat(np.arange(kinds, dtype=np.uint64), counts)
    member = np.repeat(np.eye(len(question.people), dtype=np.float32), question.people, axis=0)  # person × atom
    # the first person of each atom stands for it: people in one draw are not independent, those of several draws are
    starts = np.concatenate(([0], np.cumsum(question.people)[:-1]))
    at_once = max(300_000 // len(dealt), 1)
    sums, hits = np.zeros((len(starts), kinds)), np.zeros((len(starts), kinds))
    kept = draws = 0
    while kept < effort.enough and draws * len(dealt) < effort.cells:
        hands = _shuffle(dealt, at_once, random, effort.value_bits)
        # (values − 1, draws, atoms): people of each atom with each value; the last value is what remains
        tables = np.stack([(hands == kind).astype(np.float32) @ member for kind in range(kinds - 1)])
        some = question.all_fail(tables, limits, values, counts[:-1])
        draws, kept = draws + at_once, kept + len(some)
        # summed over kept draws, (values − 1, atoms), then transposed to (atoms, values − 1)
        sums[:, :-1] += tables[:, some].sum(axis=1).T
        person = hands[some][:, starts]
        hits += np.stack([(person == kind).sum(axis=0) for kind in range(kinds)], axis=1)
    if kept < effort.fewest:
        return None
    sums[:, -1] = kept * question.people - sums.sum(axis=1)
    return sums / (kept * question.people[:, np.newaxis]), hits, kept, draws


def _shuffle(
    dealt: npt.NDArray[np.uint64], times: int, random: np.random.Generator, bits: int
) -> npt.NDArray[np.uint16]:
    """Shuffle small numbers, many times: sorted by random bits above them, of which no two are the same."""
    low = np.uint64((1 << bits) - 1)
    # random high bits order each row; the low bits carry the value along through the sort
    hands = random.integers(0, (1 << 64) - 1, (times, len(dealt)), dtype=np.uint64, endpoint=True)
    hands &= ~low
    hands |= dealt
    hands.sort(axis=1)
    hands &= low
    return hands.astype(np.uint16)


def _interval(hits: Floats, kept: int, doubt: float) -> tuple[Floats, Floats]:
    """Bound the chance of each hit; both ends together are wrong with probability `doubt` at most."""
    from scipy.special import betaincinv  # noqa: PLC0415 - only here, and slow to import

    # no quantile exists at 0 hits or at `kept` hits; the bounds are 0 and 1 there, set below
    low = betaincinv(np.maximum(hits, 1), kept - np.maximum(hits, 1) + 1, doubt / 2)
    high = betaincinv(np.minimum(hits, kept - 1) + 1, kept - np.minimum(hits, kept - 1), 1 - doubt / 2)
    return np.where(hits > 0, low, 0.0), np.where(hits < kept, high, 1.0)


@dataclass(frozen=True, eq=False)
class GroupBeliefs:
    """What is believed of each atom and value of one group; `values` are kept apart, all others are one."""

    question: GroupQuestion
    values: Integers
    all_fail: Fraction | float  # how likely it is that all cuts fail; nan where that could not be told
    shares: npt.NDArray[np.object_] | None = None  # atom × value kept apart, the others last: exact fractions
    between: Intervals | None = None

    @property
    def how(self) -> How:
        """How it came about."""
        if self.shares is not None:
            return "counted"
        return "could not tell" if self.between is None else "drawn" if self.between.draws else "bounded"

    @property
    def says_something(self) -> bool:
        """Whether the failed cuts tell anything: not where they fail in every arrangement."""
        return self.all_fail != 1

    @cached_property
    def _others(self) -> Integers:
        """The values that are counted as one."""
        return np.setdiff1d(np.flatnonzero(self.question.counts), self.values)

    def exactly(self, atom: int, value: int) -> Fraction:
        """Return the exact belief that somebody of an atom has a value of the domain."""
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
        """The beliefs, atom × value of the domain, in floats."""
        if self.shares is not None:
            return self._spread(self.shares.astype(float))
        return self._spread(np.full((1, 1), np.nan) if self.between is None else self.between.estimate)

    @cached_property
    def at_least(self) -> Floats:
        """The lower ends of their intervals."""
        return self.estimate if self.shares is not None else self._ends(0.0, "at_least")

    @cached_property
    def at_most(self) -> Floats:
        """The upper ends."""
        return self.estimate if self.shares is not None else self._ends(1.0, "at_most")

    def _ends(self, otherwise: float, name: str) -> Floats:
        if self.between is not None:
            return self._spread(getattr(self.between, name))
        occurs = np.where(self.question.counts > 0, otherwise, 0.0)
        return np.tile(occurs, (len(self.question.people), 1))

    def _spread(self, kept_apart: Floats) -> Floats:
        """Share out what is believed of the values that are counted as one."""
        counts, others = self.question.counts, self._others
        beliefs = np.zeros((len(self.question.people), len(counts)))
        beliefs[:, self.values] = kept_apart[:, : len(self.values)]
        beliefs[:, others] = kept_apart[:, -1:] * (counts[others] / max(counts[others].sum(), 1))
        return beliefs

    @cached_property
    def surest(self) -> Integers:
        """The value that is believed most of each atom; between equals the first of the domain."""
        if self.shares is None:
            best: Integers = (self.at_most if self.between is None else self.estimate).argmax(axis=1)
            return best
        near = (
            self.estimate >= self.estimate.max(axis=1, keepdims=True) - 1e-9
        )  # as close as this, exact fractions decide
        best = near.argmax(axis=1).astype(np.int64)
        for atom in np.flatnonzero(near.sum(axis=1) > 1).tolist():
            best[atom] = max(np.flatnonzero(near[atom]).tolist(), key=lambda value: self.exactly(atom, value))
        return best


def believe(
    question: GroupQuestion, limits: HalfLimits, name: object, effort: CountingEffort | None = None
) -> GroupBeliefs:
    """Work out what is believed in a group; raises `BadRelease`, naming it, where its cuts cannot all have failed."""
    effort = effort or CountingEffort()
    telling = np.flatnonzero(limits.telling(question.counts, int(question.sides.min())))
    # the last count lumps all values that cannot break a limit
    counts = np.append(question.counts[telling], question.size - question.counts[telling].sum())
    tables = list_tables(question.people, counts, effort.tables)
    if tables is not None:
        # (tables, atoms, values) → (values, tables, atoms)
        fail = question.all_fail(tables.transpose(2, 0, 1), limits, telling, counts[:-1])
        sums = sum_tables(tables[fail], question.people)
        if sums.weight == 0:
            refuse_open_cut(name)
        whole = [sums.weight * people for people in question.people.tolist()]
        shares = np.array(
            [[Fraction(each, of) for each in row] for row, of in zip(sums.people.tolist(), whole, strict=True)], object
        )
        return GroupBeliefs(question, telling, Fraction(sums.weight, arrangements(counts)), shares)
    if len(question.left) == 1 and limits.limits_shares_and_distinct:
        return _one_cut(question, limits, name)
    drawn = draw(question, limits, telling, counts, effort) if effort.beyond == "drawn" else None
    if drawn is None:
        return GroupBeliefs(question, telling, float("nan"))
    return GroupBeliefs(question, telling, drawn.kept / drawn.draws, None, drawn)


def _one_cut(question: GroupQuestion, limits: HalfLimits, name: object) -> GroupBeliefs:
    """Count the left halves of the only cut."""
    occurring = np.flatnonzero(question.counts)
    ((left, right),) = question.sides.tolist()
    caps = [min((each.most(side) for each in limits.shares), default=side) for side in (left, right)]
    counts = question.counts[occurring].tolist()
    different = limits.distinct if limits.distinct > 1 else 0
    cut = OneCut.build(counts, left, caps[0], caps[1], different=different)
    if cut.passing == cut.halves:
        refuse_open_cut(name)
    beside = [cut.shares_when_failing(right=not is_left) for is_left in question.left[0].tolist()]
    shares = np.array([[*each, Fraction(0)] for each in beside], object)
    return GroupBeliefs(question, occurring, 1 - cut.probability, shares)


def refuse_open_cut(name: object) -> None:
    """No arrangement is left: what is said of the making is not true."""
    message = (
        f"in {name} a cut that keeps the policy was not made, whatever values its people have: this method and policy "
        "did not make this release of these people; give those that did"
    )
    raise BadRelease(message)
