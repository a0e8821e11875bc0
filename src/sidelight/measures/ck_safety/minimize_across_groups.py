"""MINIMIZE2: where do the target and k atoms do most harm, over all groups?

Symbols     f_g(h) and f_g^σ(h) from `minimize_within_group`; t the target's group; h_g atoms spent on group g.
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

Source: Martin et al., Worst-case background knowledge, ICDE 2007 (MINIMIZE2, corrected: the program starts with the
target not yet placed and ends with 1 when it is placed, with infinity when it is not).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import NamedTuple, TypeAlias

import numpy as np

from sidelight.arrays import Floats, Integers
from sidelight.errors import TooHard
from sidelight.measures.ck_safety.minimize_within_group import (
    Allocation,
    ExactProgram,
    TopCounts,
    allocate,
    least_log_probabilities,
    tolerance,
)
from sidelight.measures.exact import Screen, join_backwards, join_forwards
from sidelight.measures.targets import Targets
from sidelight.release.groups import Groups

MOST = 400
"""So many implications are weighed exactly: some 5 s and 200 MB; both grow with the cube of their number."""


@dataclass(frozen=True)
class ImplicationsScreen(Screen):
    """Per group ln f(0 … k) and ln n/n(σ)·f^σ(0 … k), joined by the recurrence above."""

    k: int
    targets: Targets

    @property
    def group_by_group(self) -> bool:
        """When nothing is known, other groups do not matter."""
        return self.k == 0

    def rows(self, groups: Groups) -> Floats:
        """Return each group's least probabilities, without and with the target."""
        if groups.semantics != "single":
            from sidelight.measures.ck_safety.several_values import log_rows  # noqa: PLC0415 - brings SciPy

            return _rows(*log_rows(groups, self.k, self.targets))
        return _rows(*least_log_probabilities(self._top_counts(groups)))

    def kinds(self, groups: Groups) -> Integers:
        """The size, the largest counts, and how often the value occurs."""
        return self._top_counts(groups).rows() if groups.semantics == "single" else super().kinds(groups)

    def _top_counts(self, groups: Groups) -> TopCounts:
        top = TopCounts.from_groups(self.targets.view(groups), self.k + 1, self.targets)
        # zeros on the right where there are fewer values than atoms: sums then stay what they are
        return TopCounts(top.sizes, np.pad(top.counts, ((0, 0), (0, self.k + 1 - top.counts.shape[1]))), top.target)

    def join(self, one: Floats, other: Floats) -> Floats:
        """Spend h atoms on both together: the target is on one side, or on neither."""
        k = self.k + 1
        # rows 0 … k are without the target, rows k + 1 … 2k + 1 with it; columns are groups
        joined = np.full(one.shape[::-1], np.inf)
        for here in range(k):  # atoms spent on the one; on the other any number of those left
            for at, left, right in ((0, 0, 0), (k, k, 0), (k, 0, k)):
                least = joined[at + here : at + k]
                np.minimum(least, one.T[left + here] + other.T[right : right + k - here], out=least)
        return joined.T

    def value(self, rows: Floats) -> Floats:
        """Return 1/(1+r), r the least product with the target and k atoms."""
        risk: Floats = 1 / (1 + np.exp(rows[:, -1]))  # r is at most n, or infinite; SciPy's expit costs 0.2 s of import
        return risk


def _rows(others: Floats, targets: Floats) -> Floats:
    return np.vstack((others, targets)).T


class Choice(NamedTuple):
    """What one group gets: some atoms, and perhaps the target."""

    group: int
    atoms: int
    target: bool


class Assignment(NamedTuple):
    """A product of probabilities, and the choices that make it (groups that get nothing are left out)."""

    product: Fraction
    choices: tuple[Choice, ...] = ()


Weighed: TypeAlias = dict[Choice, Fraction]
"""Choices and their exact probabilities: f(h), or n/n(σ)·f^σ(h) with the target."""

Spent: TypeAlias = list[tuple[int, Allocation]]
"""Groups (rows) and how atoms are spent on them; a row may stand there twice."""


def worst_case(groups: TopCounts, k: int) -> tuple[Fraction, Spent]:
    """Find the largest probability that k implications can give somebody's value, at least one group having it."""
    # certainty first: a product of 0 has no logarithm, and needs no program
    certain = _certain(groups, k)
    if certain:
        return Fraction(1), certain
    if k > MOST:
        message = f"{k:,} implications are too many to weigh where they do not make sure; give at most {MOST}"
        raise TooHard(message)
    choices = choices_near_best(*least_log_probabilities(groups))
    best = best_assignment(weigh(groups, choices), k)
    spent = [
        (choice.group, allocate(groups.take(np.array([choice.group])), choice.atoms, target=choice.target))
        for choice in best.choices
    ]
    return 1 / (1 + best.product), spent


def choices_near_best(others: Floats, targets: Floats) -> list[Choice]:
    """List the choices that some assignment near the best makes, group by group.

    Rows are h = 0 … k, columns groups, all logarithms.  Of groups that only get nothing, nothing is said.
    """
    k = len(others) - 1
    screen = ImplicationsScreen(k, Targets())
    rows, nothing = _rows(others, targets), np.full((1, 2 * k + 2), np.inf)
    nothing[0, 0] = 0
    # before[g] joins the groups before g and after[g] those from g on, so that around g is before[g] ∘ after[g + 1]
    before = np.vstack((nothing, join_forwards(screen, rows)))
    after = np.vstack((join_backwards(screen, rows), nothing))
    best = before[-1, -1]
    around = screen.join(before[:-1], after[1:])[:, ::-1].T  # of all other groups, with k − h atoms for h here
    limit = best + tolerance(best)
    without, placed = others + around[: k + 1] <= limit, targets + around[k + 1 :] <= limit
    taking_part = np.flatnonzero(placed.any(axis=0) | without[1:].any(axis=0)).tolist()
    return [
        Choice(group, atoms, target)
        for group in taking_part
        for target, near in ((False, without), (True, placed))
        for atoms in np.flatnonzero(near[:, group]).tolist()
    ]


def weigh(groups: TopCounts, choices: Iterable[Choice]) -> Weighed:
    """Return the choices' exact probabilities, of groups that may get equally many atoms at once."""
    largest: dict[int, int] = {}
    weighed: Weighed = {}
    listed = list(choices)
    for choice in listed:
        largest[choice.group] = max(largest.get(choice.group, 0), choice.atoms)
    for atoms in sorted(set(largest.values())):
        rows = [row for row, most in largest.items() if most == atoms]
        some = groups.take(np.array(rows)).for_atoms(atoms + 1)
        others, targets = ExactProgram.from_groups(some).probabilities(some)
        column = {row: place for place, row in enumerate(rows)}
        weighed |= {
            choice: (targets if choice.target else others)[choice.atoms, column[choice.group]]
            for choice in listed
            if choice.group in column
        }
    return {choice: weighed[choice] for choice in listed}


def best_assignment(weighed: Weighed, k: int) -> Assignment:
    """Find the smallest product of one choice a group that spends k atoms and places the target once.

    No probability is zero.
    """
    # a state is how many atoms are spent, and whether the target is placed
    reached = {(0, False): Assignment(Fraction(1))}
    for _, choices in groupby(weighed, key=lambda choice: choice.group):
        reached = _add_group(reached, [(choice, weighed[choice]) for choice in choices], k)
    return reached[k, True]


def _add_group(
    before: dict[tuple[int, bool], Assignment], choices: Sequence[tuple[Choice, Fraction]], k: int
) -> dict[tuple[int, bool], Assignment]:
    reached: dict[tuple[int, bool], Assignment] = {}
    for (spent, placed), assignment in before.items():
        for choice, probability in choices:
            state = (spent + choice.atoms, placed or choice.target)
            # pruned: too many atoms, or a second target
            if state[0] > k or (placed and choice.target):
                continue
            listed = (choice,) if choice.atoms or choice.target else ()
            new = Assignment(assignment.product * probability, assignment.choices + listed)
            if state not in reached or new < reached[state]:  # of equal products the one with the first groups
                reached[state] = new
    return reached


def _certain(groups: TopCounts, k: int) -> Spent:
    """Return atoms for so many people and values that one of them must have one, if k implications suffice."""
    atoms = groups.certain_with_target()
    row = int(atoms.argmin())
    if atoms[row] <= k + 1:
        values = _one_must(groups.sizes[row], groups.sums_with_target[:, row])
        return [(row, Allocation(values, len(values)))]
    atoms = groups.certain_without_target()
    row = int(atoms.argmin())
    if atoms[row] <= k:
        # the premises are elsewhere, so that anybody with the value will do as the target
        target = int(groups.target.nonzero()[0][0])
        return [(target, Allocation((1,), 1)), (row, Allocation(_one_must(groups.sizes[row], groups.sums[:, row])))]
    return []


def _one_must(size: Integers, known: Integers) -> tuple[int, ...]:
    """Spread the fewest atoms: m values for each of n − Sₘ + 1 people."""
    people: list[int] = (size - known + 1).tolist()
    values = min(range(1, len(people) + 1), key=lambda many: many * people[many - 1])
    return (values,) * people[values - 1]
