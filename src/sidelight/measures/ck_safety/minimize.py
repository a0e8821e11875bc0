"""Where do the target and k atoms do most harm: within one group (MINIMIZE1), and over all groups (MINIMIZE2)?

MINIMIZE1: how improbable can j atoms about people of one group make it that none of them holds?

An atom says that a person has a value.  The first of a group's n people gets atoms for the k₀ most frequent values, the
second for the k₁ most frequent, and so on, k₀ ≥ k₁ ≥ … ≥ 1: an allocation of k₀ + k₁ + … atoms.

Symbols     n(x₁) ≥ n(x₂) ≥ … the counts of the group's values; Sₘ = n(x₁) + … + n(xₘ); σ the target's value;
            f(j) the least probability, over all allocations of at most j atoms, that none of them holds:
            Π_i max(n − i − S_{k_i}, 0) / (n − i).
Recurrence  G(i, m, j) the same for people from the i-th on (from 0), at most m values each, so that f(j) = G(0, j, j):

                G(i, m, j) = min( G(i, m−1, j),  max(n − i − Sₘ, 0)/(n − i) · G(i+1, m, j−m) )

            When the target must get an atom for σ, that person and perhaps the next ones get atoms for σ and the a most
            frequent other values, whose counts add up to U_{a+1} = min(S_{a+1}, S_a + n(σ)), and the rest as above:

                f^σ(j) = min over a ≥ 0, i ≥ 1 of  Π_{p<i} max(n − p − U_{a+1}, 0)/(n − p) · G(i, a, j + 1 − i·(a+1))

            for j atoms besides the target's own.  With σ = x₁ this is f(j+1).
Invariant   Before the i-th person i·m atoms are gone, so that states hold i·m + j ≤ J for J atoms in all.
Cost        about J²/2·ln J states, each for all groups at once.

MINIMIZE2: f_g(h) and f_g^σ(h) of every group g; t is the target's group, h_g atoms are spent on group g.

Objective   the risk is 1/(1 + r) with

                r = min over t and h_g ≥ 0 with Σ h_g = k of  n_t/n_t(σ) · f_t^σ(h_t) · Π_{g≠t} f_g(h_g)

Recurrence  For a set A of groups, a(h) without the target in A and a⁺(h) with it; joined with a disjoint set B:

                (a ∘ b)(h)  = min over i of a(i) · b(h − i)
                (a ∘ b)⁺(h) = min over i of the smaller of a⁺(i) · b(h − i) and a(i) · b⁺(h − i)

            One group has a = f, a⁺ = n/n(σ)·f^σ; no group has a = (1, ∞, …), a⁺ = ∞; then r = a⁺(k) of all groups.
Cost        O(k²) for each joining.  It is associative and commutative, so that an audit joins groups in a scan, and a
            search along any tree: `ImplicationsScreen` is this recurrence, in logarithms.

An exact answer takes three steps.  Forwards and backwards over the groups in logarithms, which gives for every choice
(a group, its atoms, the target or not) the best of all assignments that make it; the choices near the best; and the
same program in fractions over those choices alone.
Invariant   The exact best assignment makes only choices near the best, so it is not lost; and whatever the fractions
            find is an assignment, so it is not missed from below.
That program goes over choices, not over rows as `join` does: it also settles which of several equal assignments is
reported, and all rows in fractions would take four times as long (18 ms instead of 4 at k = 12, 50,000 groups).

Which groups can take part in the worst case?  Only a few, however many there are.

*Claim.*  For the worst case over k atoms and the target it is enough to look at, for each h = 1 … k, the k − h + 2
groups with the smallest f(h), and, for each h = 0 … k, the k − h + 1 groups with the smallest n/n(σ)·f^σ(h).

*Proof.*  Take an assignment with the smallest product, and let group g, without the target, hold h ≥ 1 of the atoms.
k − h atoms are left, so at most k − h other groups hold any, and one more may be the target's: at most k − h + 1 other
groups take part.  If g is not among the k − h + 2 with the smallest f(h), one of those is free, and giving it g's h
atoms instead does not make the product larger.  Likewise, if g is the target's group with h atoms, at most k − h others
take part, and one of the k − h + 1 with the smallest n/n(σ)·f^σ(h) is free to take its place.  Each exchange moves one
part of the assignment onto its list and none off it, so they end.  ∎  Of equal groups the first by number stays on a
list, and `best_assignment` takes the first, so that the witness is the same however the groups are split.

All these lists together, at most (k + 1)(k + 2) groups, are the summary: they merge like any list of the smallest.

*Ties.*  Very many groups may share one probability: of groups of 100 people, all in which 10 have the most frequent
value.  Lists are cut in logarithms; where these cannot tell, the exact probability decides, once per kind of group.
`deciding_sums` finds which Sₘ decide it, so that groups that differ only in others are of one kind.

Cost: the logarithms of all groups, O(G·k² ln k), and a partial sort for each list.

Source: Martin et al., Worst-case background knowledge, ICDE 2007 (MINIMIZE2, corrected: the program starts with the
target not yet placed and ends with 1 when it is placed, with infinity when it is not; the paper runs it over all
groups).  f^σ and the short lists are ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import groupby, product
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from sidelight.arrays import Flags, Floats, Integers, first_of_each, number_vectors
from sidelight.errors import TooHard
from sidelight.measures.exact import EXACT, Numbers, Screen, join_backwards, join_forwards, tolerance, worst_ratio
from sidelight.measures.targets import Targets

if TYPE_CHECKING:
    from sidelight.release.groups import Groups

LOG_OF_ZERO = -1e100
"""Stands for the logarithm of 0, when one of the atoms must hold: finite, so that it adds to anything."""

MOST = 400
"""The most implications that are weighed exactly: some 5 s and 200 MB; both grow with the cube of their number."""


@dataclass(frozen=True, eq=False)
class TopCounts:
    """The counts of groups that implications need, one row each."""

    sizes: Integers  # n
    counts: Integers  # the J largest n(x), in falling order
    target: Integers  # how often the target's value occurs: n(σ), the largest of those in question

    @classmethod
    def from_groups(cls, groups: Groups, atoms: int, targets: Targets) -> TopCounts:
        """Build from groups, for this many atoms; of several targets a group's most frequent one is the worst.

        (With more of σ both n/n(σ) and all U are no better for the group, and so are the products.)
        """
        # an allocation of some atoms needs no more values than atoms
        counts = groups.counts.largest(min(atoms, groups.counts.width))
        most = counts[:, 0] if targets.every_value else groups.counts.highest(targets.indices(groups))
        return cls(groups.sizes, counts, most)

    def take(self, rows: npt.NDArray[np.integer] | slice) -> TopCounts:
        return TopCounts(self.sizes[rows], self.counts[rows], self.target[rows])

    def for_atoms(self, atoms: int) -> TopCounts:
        return TopCounts(self.sizes, self.counts[:, :atoms], self.target)

    def rows(self) -> Integers:
        """Return all that decides a group's probabilities, side by side: (groups, counts + 2) int64."""
        return np.column_stack((self.sizes, self.counts, self.target))

    @cached_property
    def any_value(self) -> bool:
        return bool((self.target == self.counts[:, 0]).all())

    @cached_property
    def sums(self) -> Integers:
        """S₁, S₂, …: one row per number of values, one column per group."""
        # (values, groups), contiguous by value: the program goes row by row over all groups
        return np.cumsum(np.ascontiguousarray(self.counts.T), axis=0)

    @cached_property
    def sums_with_target(self) -> Integers:
        """U₁, U₂, …: how many people have σ or one of the most frequent other values."""
        if self.any_value:
            return self.sums
        # σ is one of the a + 1 most frequent values, or counts in place of the last of them
        before = np.vstack((np.zeros_like(self.target), self.sums[:-1]))
        return np.asarray(np.minimum(self.sums, before + self.target))

    def people_to_ask(self, *, target: bool) -> Integers:
        """Return how many people with m values each leave too few others, n − Sₘ + 1, or n − Uₘ + 1 with the target."""
        return self.sizes + 1 - (self.sums_with_target if target else self.sums)

    def certain(self, *, target: bool) -> Integers:
        """Return how many atoms, the target's among them or not, it takes to be sure that one of them holds."""
        people = self.people_to_ask(target=target)
        atoms: Integers = (people * np.arange(1, len(people) + 1)[:, np.newaxis]).min(axis=0)
        return np.where(self.target > 0, atoms, np.iinfo(np.int64).max) if target else atoms


def count_left(n: Numbers, person: int) -> Numbers:
    """Return n − i, or 1 where nobody is left: an earlier person must have had one of the values."""
    return np.asarray(np.maximum(n - person, 1))


def avoid(left: Numbers, known: Numbers, *, exact: bool) -> Numbers:
    """Return ln max(n − i − Sₘ, 0)/(n − i); exactly the whole number above, which stands for its part of n − i."""
    rest = left - known
    np.maximum(rest, 0, out=rest)
    if exact:
        return EXACT.whole(rest)
    logs: Numbers = rest / left
    # where one of the atoms must hold, ln 0 is cut off: sums of logarithms stay finite
    with np.errstate(divide="ignore"):
        np.log(logs, out=logs)
    return np.maximum(logs, LOG_OF_ZERO, out=logs)


def probability_one(n: Numbers, people: int, *, exact: bool) -> list[Numbers]:
    """Return what stands for probability 1 from the i-th of `people` on: ln 1, or exactly Π_{i ≤ p} (n − p)."""
    if not exact:
        return [np.zeros(len(n))] * (people + 1)
    # whole numbers over one scale: fractions would be reduced at every step, and here once at the end
    products: list[Numbers] = [EXACT.whole(np.ones(len(n), np.int64))]
    for person in range(people - 1, -1, -1):
        products.append(products[-1] * count_left(n, person))
    return products[::-1]


@dataclass(frozen=True, eq=False)
class Program:
    """The recurrences for some groups (columns) and J atoms, in logarithms or, `exact`, in whole numbers.

    Logarithms serve all groups of a release, or of a search's candidates (probabilities get far smaller than floats
    go); whole numbers, of which G(i, m, j) · Π_{i ≤ p < J} (n − p) is held, the few groups that floats cannot tell
    apart.  States of a person are [G(i, 0, ·), G(i, 1, ·), …], each with a row per j.
    """

    n: Numbers
    sums: Numbers  # Sₘ in row m − 1
    sums_with_target: Numbers  # Uₘ in row m − 1
    exact: bool = False

    @classmethod
    def from_groups(cls, groups: TopCounts, rows: slice = slice(None), *, exact: bool = False) -> Program:
        """Build from some groups; copies, so that the states of a block stay in the cache."""
        some = groups.sizes[rows], groups.sums[:, rows], groups.sums_with_target[:, rows]
        n, sums, sums_with_target = (each.astype(object if exact else float) for each in some)
        return cls(n, sums, sums_with_target, exact)

    @property
    def atoms(self) -> int:
        return len(self.sums)

    @cached_property
    def scale(self) -> list[Numbers]:
        return probability_one(self.n, self.atoms, exact=self.exact)

    @property
    def times(self) -> np.ufunc:
        """How probabilities are multiplied."""
        return np.multiply if self.exact else np.add

    def nobody(self, person: int) -> Numbers:
        """Return G(i, 0, ·): people from the i-th on get no atoms."""
        return np.broadcast_to(self.scale[person], (self.atoms + 1, len(self.n)))

    def people(self, *, until: int) -> Iterator[tuple[int, list[Numbers]]]:
        # from the last person down: the states of a person need those of the next one only
        now = [self.nobody(self.atoms)]
        yield self.atoms, now
        for person in range(self.atoms - 1, until - 1, -1):
            later, now, left = now, [self.nobody(person)], count_left(self.n, person)
            # the people up to this one hold at least m atoms each, so that m is at most J/(i + 1)
            for values in range(1, self.atoms // (person + 1) + 1):
                before, length = now[-1], self.atoms - person * values + 1
                best: Numbers = np.empty((length, len(self.n)), self.n.dtype)
                best[:values] = before[:values]  # too few atoms for one more person with m values
                # of j atoms m are spent on this person, and the j − m left on later ones
                rest = clip_states(later, values)[: length - values]
                self.times(avoid(left, self.sums[values - 1], exact=self.exact), rest, out=best[values:])
                np.minimum(best[values:], before[values:length], out=best[values:])
                now.append(best)
            yield person, now

    def least(self) -> Numbers:
        """Return f(0), …, f(J)."""
        for _, states in self.people(until=1):
            later = states
        return self._first_person(later)

    def _first_person(self, later: list[Numbers]) -> Numbers:
        """Compute f from the states of the next person; of G(0, m, j) only m = j is needed: one row per j will do."""
        least, left = self.nobody(0).copy(), count_left(self.n, 0)
        for values, known in enumerate(self.sums, start=1):
            rest = clip_states(later, values)[: len(least) - values]
            np.minimum(least[values:], self.times(avoid(left, known, exact=self.exact), rest), out=least[values:])
        return least

    def least_with_target(self) -> tuple[Numbers, Numbers]:
        """Return f(0), …, f(J − 1), and f^σ(0), …, f^σ(J − 1)."""
        own: Numbers = np.full(self.sums.shape, np.inf, self.n.dtype)
        beginnings = self.beginnings()
        for person, states in self.people(until=1):
            for _, first, probabilities in self.endings(beginnings[person], person, states):
                np.minimum(own[first:], probabilities, out=own[first:])
            later = states
        return self._first_person(later)[:-1], own

    def beginnings(self) -> list[list[Numbers]]:
        """Return Π_{p<i} of the people with atoms for σ and a others: for each number of people i a list by a."""
        products = [[self.times.identity + np.zeros_like(self.n)] * self.atoms]
        for people in range(1, self.atoms + 1):
            left, before = count_left(self.n, people - 1), products[-1]
            products.append(
                [
                    self.times(avoid(left, self.sums_with_target[besides], exact=self.exact), before[besides])
                    for besides in range(self.atoms // people)
                ]
            )
        return products

    def endings(
        self, beginning: list[Numbers], people: int, states: list[Numbers]
    ) -> Iterator[tuple[int, int, Numbers]]:
        """Yield, after i people with the target among them, a, the least j this takes, and f^σ from that j on."""
        for besides, before in enumerate(beginning if people else ()):
            first = people * (besides + 1) - 1
            yield besides, first, self.times(before, clip_states(states, besides)[: self.atoms - first])


def clip_states(states: list[Numbers], values: int) -> Numbers:
    """Return G(i, m, ·); where m is more than the atoms left allow, the largest m that they allow is the same."""
    return states[min(values, len(states) - 1)]


def least_probabilities(groups: TopCounts) -> tuple[Numbers, Numbers]:
    """Return f(h), and n/n(σ)·f^σ(h) (infinite without σ), for h = 0 … J − 1, as fractions."""
    program = Program.from_groups(groups, exact=True)
    others, own = program.least_with_target()
    scale, target = program.scale[0], EXACT.whole(groups.target)
    return EXACT.ratio(others, scale), EXACT.ratio(own * program.n, target * scale)


def least_log_probabilities(groups: TopCounts) -> Floats:
    """Return ln f(h), and ln of n/n(σ)·f^σ(h) for the target's group (infinite without σ): (2, k + 1, groups) float64.

    Where one of the atoms must hold they are `LOG_OF_ZERO` or even less.
    """
    atoms = groups.counts.shape[1]
    logs = np.empty((2, atoms, len(groups.sizes)))
    step = int(np.clip(500_000 // atoms**2, 512, 4096))  # the states of one block stay in the cache
    for start in range(0, len(groups.sizes), step):
        rows = slice(start, start + step)
        program = Program.from_groups(groups, rows)
        if groups.any_value:  # f^σ(h) = f(h+1)
            least = program.least()
            logs[:, :, rows] = least[:-1], least[1:]
        else:
            logs[:, :, rows] = program.least_with_target()
    # divided by Pr(the target has σ) = n(σ)/n
    logs[1] += np.log(groups.sizes / np.maximum(groups.target, 1))
    logs[1, :, groups.target == 0] = np.inf
    return logs


class Allocation(NamedTuple):
    """How atoms are spent on one group: how many of the most frequent values each person gets atoms for.

    With a target, the first `with_target` people get atoms for the target's value and the most frequent others.
    """

    values: tuple[int, ...]
    with_target: int = 0


def allocate(group: TopCounts, atoms: int, *, target: bool) -> Allocation:
    """Find the allocation behind f(atoms), or behind f^σ(atoms) with the target, of one group in which both are > 0.

    Of equally good ones it is the one with the fewest values for the first person, then the second, and so on.
    """
    program = Program.from_groups(group.for_atoms(atoms + target), exact=True)
    states = dict(program.people(until=1))
    if not target:
        return Allocation(_spend(program, states, 0, atoms, atoms))
    beginnings = program.beginnings()
    choices = [
        (probabilities[atoms - first][0], besides, people)
        for people in states
        for besides, first, probabilities in program.endings(beginnings[people], people, states[people])
        if first <= atoms
    ]
    # of equal products the fewest values besides σ, then the fewest people
    _, besides, people = min(choices)
    rest = _spend(program, states, people, besides, atoms + 1 - people * (besides + 1))
    return Allocation((besides + 1,) * people + rest, people)


def _spend(program: Program, states: dict[int, list[Numbers]], person: int, most: int, atoms: int) -> tuple[int, ...]:
    """Follow the recurrence from G(i, m, j) down: how many values each person from the i-th on gets atoms for."""
    options, left = [(program.nobody(person)[0][0], 0)], count_left(program.n, person)
    for values in range(1, min(most, atoms) + 1):
        rest = clip_states(states[person + 1], values)[atoms - values]
        options.append((avoid(left, program.sums[values - 1], exact=True)[0] * rest[0], values))
    _, most = min(options)  # of equal products the fewest values
    return (most, *_spend(program, states, person + 1, most, atoms - most)) if most else ()


@dataclass(frozen=True)
class ImplicationsScreen(Screen):
    """Per group ln f(0 … k) and ln n/n(σ)·f^σ(0 … k), joined by the recurrence of MINIMIZE2."""

    k: int
    targets: Targets

    @property
    def group_by_group(self) -> bool:  # type: ignore[override]
        return self.k == 0

    def rows(self, groups: Groups) -> Floats:
        if groups.semantics != "single":
            from sidelight.measures.ck_safety.several_values import log_rows  # noqa: PLC0415 - which asks this file

            return _rows(log_rows(groups, self.k, self.targets))
        return _rows(least_log_probabilities(self._top_counts(groups)))

    def kinds(self, groups: Groups) -> Integers:
        return self._top_counts(groups).rows() if groups.semantics == "single" else super().kinds(groups)

    def _top_counts(self, groups: Groups) -> TopCounts:
        top = TopCounts.from_groups(self.targets.view(groups), self.k + 1, self.targets)
        # zeros on the right where there are fewer values than atoms: sums then stay what they are
        return TopCounts(top.sizes, np.pad(top.counts, ((0, 0), (0, self.k + 1 - top.counts.shape[1]))), top.target)

    def join(self, one: Floats, other: Floats) -> Floats:
        k = self.k + 1
        # rows 0 … k are without the target, rows k + 1 … 2k + 1 with it; columns are groups
        joined = np.full(one.shape[::-1], np.inf)
        for here in range(k):  # atoms spent on the one; on the other any number of those left
            for at, left, right in ((0, 0, 0), (k, k, 0), (k, 0, k)):
                least = joined[at + here : at + k]
                np.minimum(least, one.T[left + here] + other.T[right : right + k - here], out=least)
        return joined.T

    def value(self, rows: Floats) -> Floats:
        risk: Floats = 1 / (1 + np.exp(rows[:, -1]))  # r is at most n, or infinite; SciPy's expit costs 0.2 s of import
        return risk


def _rows(logs: Floats) -> Floats:
    """Return a row per group of the logarithms without the target and with it: (groups, 2k + 2)."""
    return np.concatenate(logs).T


class Choice(NamedTuple):
    """What one group gets: some atoms, and perhaps the target."""

    group: int
    atoms: int
    target: bool


Assignment: TypeAlias = tuple[Fraction, tuple[Choice, ...]]
"""A product of probabilities, and the choices that make it (groups that get nothing are left out)."""

Weighed: TypeAlias = dict[Choice, Fraction]
"""Choices and their exact probabilities: f(h), or n/n(σ)·f^σ(h) with the target."""

Spent: TypeAlias = list[tuple[int, Allocation]]
"""Groups (rows) and how atoms are spent on them; a row may stand there twice."""


def worst_case(groups: TopCounts, k: int) -> tuple[Fraction, Spent]:
    """Find the largest probability of a person's value given k implications; at least one group has the value."""
    # certainty first: a product of 0 has no logarithm, and needs no program
    if certain := _certain(groups, k):
        return Fraction(1), certain
    if k > MOST:
        raise TooHard(f"{k:,} implications are too many to weigh where they do not make sure; give at most {MOST}")
    best, choices = best_assignment(weigh_choices(groups, choices_near_best(least_log_probabilities(groups))), k)
    spent = [
        (choice.group, allocate(groups.take(np.array([choice.group])), choice.atoms, target=choice.target))
        for choice in choices
    ]
    return 1 / (1 + best), spent


def _certain(groups: TopCounts, k: int) -> Spent:
    """Return the fewest atoms of which one must hold, m values for each of n − Sₘ + 1 people, if k implications do."""
    for target in (True, False):
        atoms = groups.certain(target=target)
        row = int(atoms.argmin())
        if atoms[row] <= k + target:
            people: list[int] = groups.people_to_ask(target=target)[:, row].tolist()
            values = min(range(1, len(people) + 1), key=lambda many, people=people: many * people[many - 1])  # type: ignore[misc]
            spread = (values,) * people[values - 1]
            if target:
                return [(row, Allocation(spread, len(spread)))]
            # the premises are elsewhere, so that anybody with the value will do as the target
            return [(int(groups.target.nonzero()[0][0]), Allocation((1,), 1)), (row, Allocation(spread))]
    return []


def choices_near_best(logs: Floats) -> list[Choice]:
    """List the choices that some assignment near the best makes, group by group.

    `logs`: (2, k + 1, groups), without the target and with it.  Groups that only get nothing are left out.
    """
    k = logs.shape[1] - 1
    screen = ImplicationsScreen(k, Targets())
    rows, nothing = _rows(logs), np.full((1, 2 * k + 2), np.inf)
    nothing[0, 0] = 0
    # before[g] joins the groups before g and after[g] those from g on, so that around g is before[g] ∘ after[g + 1]
    before = np.vstack((nothing, join_forwards(screen, rows)))
    after = np.vstack((join_backwards(screen, rows), nothing))
    best = before[-1, -1]
    # of all other groups, with k − h atoms for h here; with the target where it is not here
    around = screen.join(before[:-1], after[1:])[:, ::-1].T.reshape(logs.shape)
    near = logs + around <= best + tolerance(best)
    taking_part = np.flatnonzero(near[1].any(axis=0) | near[0, 1:].any(axis=0)).tolist()
    return [
        Choice(group, atoms, target)
        for group in taking_part
        for target in (False, True)
        for atoms in np.flatnonzero(near[int(target), :, group]).tolist()
    ]


def weigh_choices(groups: TopCounts, choices: Sequence[Choice]) -> Weighed:
    """Return the choices' exact probabilities, of groups that may get equally many atoms at once."""
    largest: dict[int, int] = {}
    for choice in choices:
        largest[choice.group] = max(largest.get(choice.group, 0), choice.atoms)
    weighed: Weighed = {}
    for atoms in sorted(set(largest.values())):
        column = {row: index for index, row in enumerate(row for row, most in largest.items() if most == atoms)}
        probabilities = least_probabilities(groups.take(np.array([*column])).for_atoms(atoms + 1))
        weighed |= {
            choice: probabilities[choice.target][choice.atoms, column[choice.group]]
            for choice in choices
            if choice.group in column
        }
    return {choice: weighed[choice] for choice in choices}


def best_assignment(weighed: Weighed, k: int) -> Assignment:
    """Find the smallest product of one choice a group that spends k atoms and places the target once.

    No probability is zero.
    """
    # a state is how many atoms are spent, and whether the target is placed
    reached: dict[tuple[int, bool], Assignment] = {(0, False): (Fraction(1), ())}
    for _, choices in groupby(weighed, key=lambda choice: choice.group):
        before, reached = reached, {}
        for choice, ((spent, placed), (probability, chosen)) in product(choices, before.items()):
            state = (spent + choice.atoms, placed or choice.target)
            # pruned: too many atoms, or a second target
            if state[0] > k or (placed and choice.target):
                continue
            listed = (choice,) if choice.atoms or choice.target else ()
            new = probability * weighed[choice], chosen + listed
            if state not in reached or new < reached[state]:  # of equal products the one with the first groups
                reached[state] = new
    return reached[k, True]


def shortlist(groups: TopCounts, k: int) -> Integers:
    """Return the rows that can take part, (rows,) int64, in the order of the groups' numbers, which settles ties."""
    # one group in which so many implications make certain decides alone
    certain = groups.certain(target=True)
    if (certain <= k + 1).any():
        return np.array([certain.argmin()])
    certain = groups.certain(target=False)
    if (certain <= k).any():
        return np.unique([certain.argmin(), *_likeliest_target(groups)])
    if k > MOST:  # too many to be weighed; another group may still make certain
        return np.array(_likeliest_target(groups), np.int64)
    return _smallest_everywhere(groups, k)


def _likeliest_target(groups: TopCounts) -> list[int]:
    worst = worst_ratio(groups.target, groups.sizes)
    return [] if worst is None or not worst[1] else [worst[0]]


def _smallest_everywhere(groups: TopCounts, k: int) -> Integers:
    logs = least_log_probabilities(groups)
    # the cuts of a sample hold for all groups: what comes after k + 1 others there is on no list
    rows = np.flatnonzero(_possible(logs[0, 1:], k + 1) | _possible(logs[1], k + 1))
    # no list has more than k + 1 groups, so that more of one kind are not needed
    rows = rows[first_of_each(groups.take(rows).rows(), k + 1)]
    groups, logs = groups.take(rows), logs[:, :, rows]
    kept, crowded = np.zeros(len(rows), bool), []
    for atoms, target in (*product(range(1, k + 1), [False]), *product(range(k + 1), [True])):
        many = k - atoms + (1 if target else 2)
        sure, near = near_the_cut(logs[int(target), atoms], many)
        kept[sure] = True
        # where all candidates fit on the list, they need not be told from each other
        if len(near) <= many - len(sure):
            kept[near] = True
        else:
            crowded.append((Choice(-1, atoms, target), near, many - len(sure)))
    kept[_fill_room(crowded, groups)] = True
    return rows[kept]


def _possible(logs: Floats, many: int) -> Flags:
    """Leave out the groups that for every number of atoms come after `many` others of a sample of the groups."""
    sample = logs[:, : 100 * many]
    if sample.shape[1] < 100 * many:
        return np.ones(logs.shape[1], bool)
    cut = np.partition(sample, many - 1, axis=1)[:, many - 1, np.newaxis]
    return np.asarray((logs <= cut + tolerance(cut)).any(axis=0))


def near_the_cut(logs: Floats, many: int) -> tuple[Integers, Integers]:
    """List the rows that are surely among the `many` smallest, and those too near the cut to tell."""
    # by a partial sort, in time proportional to the groups
    cut = np.partition(logs, many - 1)[many - 1] if len(logs) > many else np.inf
    # fewer groups are finite than the list has places: all of them are on it
    if np.isinf(cut):
        return np.flatnonzero(np.isfinite(logs)), np.empty(0, np.int64)
    below = logs < cut - tolerance(cut)
    return np.flatnonzero(below), np.flatnonzero(~below & (logs <= cut + tolerance(cut)))


def _fill_room(crowded: list[tuple[Choice, Integers, int]], groups: TopCounts) -> Integers:
    """Fill the room on lists with too many candidates, by exact comparison of one group of each kind.

    Of each list: what its groups would get, the candidates, and for how many there is room.
    """
    if not crowded:
        return np.empty(0, np.int64)
    rows = np.flatnonzero(np.bincount(np.concatenate([near for _, near, _ in crowded])))
    some = groups.take(rows)
    masks = deciding_sums(some)
    numbered: list[tuple[Integers, list[Choice]]] = []
    for each, near, _ in crowded:
        here = np.searchsorted(rows, near)
        kinds = _kinds(some.take(here), masks[int(each.target), each.atoms, here], target=each.target)
        # as a rule all are of one kind, which is far quicker to see than by sorting
        same = (kinds == kinds[0]).all()
        kind, first = (np.zeros(len(kinds), np.int64), np.zeros(1, np.int64)) if same else number_vectors(kinds)
        choices = [Choice(int(row), each.atoms, each.target) for row in near[first]]
        numbered.append((kind.ravel(), choices))
    exact = weigh_choices(groups, [choice for _, choices in numbered if len(choices) > 1 for choice in choices])
    return np.concatenate(
        [
            near[smallest_kinds([exact.get(choice, Fraction(0)) for choice in choices], kind, room)]
            for (_, near, room), (kind, choices) in zip(crowded, numbered, strict=True)
        ]
    )


def smallest_kinds(probabilities: list[Fraction], kind: Integers, many: int) -> Integers:
    """Keep the `many` smallest of rows whose kinds have these probabilities; of equal ones the first."""
    # exact numbers are compared once; rows are sorted by small whole numbers
    rank = {probability: index for index, probability in enumerate(sorted(set(probabilities)))}
    ranks = np.array([rank[probability] for probability in probabilities])
    return np.argsort(ranks[kind], kind="stable")[:many]


def _kinds(groups: TopCounts, mask: Integers, *, target: bool) -> Integers:
    """Return whole numbers that decide the exact probability: n, n(σ) if it matters, and the Sₘ that matter."""
    # beyond 62 sums all bits of a mask are set (−1), and the shift stops at its sign
    bits = np.minimum(np.arange(1, len(groups.sums) + 1), 63)[:, np.newaxis]
    deciding = np.where(mask >> bits & 1, groups.sums, 0)
    return np.vstack((groups.sizes, groups.target * target, mask, deciding)).T


def deciding_sums(groups: TopCounts) -> Integers:
    """Return which Sₘ decide the exact f(h), and with n(σ) the exact f^σ(h): bit m of a mask, (2, h, groups) int64.

    The exact best allocation is among those near the best in logarithms.  When a whole allocation is near the best, so
    is what it does from any state on, compared with the best from there on: both share what was done before.  So a mask
    that gathers the choices near the best, state by state, has every m of the exact best allocation.  Groups of one
    size that agree on the mask and on the Sₘ in it have the same f(h), exactly.
    """
    masks = np.full((2, groups.counts.shape[1], len(groups.sizes)), -1)
    if groups.counts.shape[1] <= 62:  # otherwise more than a mask can hold: all may decide
        for start in range(0, len(groups.sizes), 1024):
            rows = slice(start, start + 1024)
            masks[:, :, rows] = _deciding(Program.from_groups(groups, rows))
    return masks


def _deciding(program: Program) -> tuple[Integers, Integers]:
    """Run the program with, beside each state, the mask of the m that some choice near its best takes."""
    atoms, shape = program.atoms, (program.atoms + 1, len(program.n))
    beginnings = program.beginnings()
    later, later_masks = [np.zeros(shape)], [np.zeros(shape, np.int64)]
    own, own_mask = np.full(shape, np.inf)[1:], np.zeros(shape, np.int64)[1:]
    for person, states in program.people(until=0):
        masks = _masks(program, person, states, later, later_masks)
        for besides, first, logs in program.endings(beginnings[person], person, states):
            marked = clip_states(masks, besides)[: len(logs)] | (3 << besides)  # U_{a+1} is made of S_a and S_{a+1}
            best = np.minimum(own[first:], logs)
            near = best + tolerance(best)
            # the masks of choices that are clearly worse go, those of equally good ones are joined
            own_mask[first:] = np.where(own[first:] <= near, own_mask[first:], 0) | np.where(logs <= near, marked, 0)
            own[first:] = best
        later, later_masks = states, masks
    return np.stack([later_masks[j][j] for j in range(atoms)]), own_mask


def _masks(
    program: Program, person: int, states: list[Floats], later: list[Floats], later_masks: list[Integers]
) -> list[Integers]:
    masks, left = [np.zeros(states[0].shape, np.int64)], count_left(program.n, person)
    for values, best in enumerate(states[1:], start=1):
        near, rest = best + tolerance(best), len(best) - values
        mask = np.where(states[values - 1][: len(best)] <= near, masks[-1][: len(best)], 0)
        logs = avoid(left, program.sums[values - 1], exact=False) + clip_states(later, values)[:rest]
        marked = clip_states(later_masks, values)[:rest] | (1 << values)
        mask[values:] |= np.where(logs <= near[values:], marked, 0)
        masks.append(mask)
    return masks
