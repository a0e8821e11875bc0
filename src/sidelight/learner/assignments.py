"""Who of a group has which value, when every assignment with the published counts weighs Π_i P_i(x_i)?

Symbols     a group has people 1 … n and values s with counts n_s, Σ n_s = n; P_i(s) is what a model says of person i.
State       u = how many of each value the first i people have used: |u| = i, u_s ≤ n_s, so Π_s (n_s + 1) states.
Forward     F(0) = 1,  F(u) = Σ_s F(u − e_s) · P_{|u|}(s)
Backward    B(n) = 1,  B(u) = Σ_s P_{|u|+1}(s) · B(u + e_s)
Belief      Pr(x_i = s) = P_i(s) · Σ_{|u|=i−1} F(u) · B(u + e_s) / F(n), and F(n) is the group's likelihood.

All groups of one *pattern* (the counts, largest first) go through it at once: a state is one number of mixed radix, a
step adds the value's stride.  A step beyond a count carries into a state of a layer that is not computed yet, which
still holds 0: no step needs to be checked.

Cost        2 · values · Π (n_s + 1) per group.
Scaling     A person's P_i may be multiplied by anything, and a layer's F or B too, as beliefs of a person add up to 1.
            So each is kept near 1, and what was taken out is added to the logarithm of the likelihood.

Groups with too many states (`gone_through`) are scaled (`Sinkhorn`): W_is = r_i · P_i(s) · λ_s, with row sums 1 and
column sums n_s, by scaling rows and columns in turn.  That gives the assignment probabilities of large groups nearly:
of random groups of 5, 12, 30 and 60 people the largest error is 0.17, 0.08, 0.02 and 0.01, towards doubt.  Not for
small groups: of two people it gives √r/(1 + √r) in place of r/(1 + r).  The likelihood of a scaled group is taken for
its capacity, min over λ of Π_i (Σ_s P_i(s)·λ_s) / Π_s λ_s^n_s, which is never less.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from sidelight.arrays import Flags, Floats, Integers, number_vectors, starts_of, sum_by
from sidelight.learner.roster import Roster

ALWAYS_EXACT = 1_000
"""Groups of up to so many states are gone through exactly, however many there are."""

AFFORDABLE = 2_000_000
"""Larger groups are, the smallest first, as long as values × states of all groups add up to no more."""

AT_ONCE = 1 << 21
"""So many states of groups are gone through at once."""

VANISHES = 500.0
"""Logarithms of a group that differ by less in all leave no probability too small for a float."""

LEAST = 1e-280
"""A probability below this, beside the largest of the same person, is taken for this: none vanishes."""


@dataclass(frozen=True, eq=False)
class Pattern:
    """Groups that have the same counts: where the cells of each person and value stand."""

    counts: tuple[int, ...]
    cells: Integers  # people × values × groups
    groups: Integers

    def blocks(self) -> Iterator[slice]:
        """Cut the groups so that their states fit into memory."""
        step = max(AT_ONCE // (states_of(self.counts) * len(self.counts)), 1)
        for start in range(0, len(self.groups), step):
            yield slice(start, start + step)


@lru_cache(maxsize=4096)
def layers_of(counts: tuple[int, ...]) -> tuple[tuple[Integers, ...], Integers]:
    """List the states by how many people they have used, and the stride of each value.

    >>> layers, strides = layers_of((2, 1))
    >>> [layer.tolist() for layer in layers], strides.tolist()
    ([[0], [1, 2], [3, 4], [5]], [2, 1])
    """
    # mixed radix, the last value fastest: stride_s = Π_{t>s} (n_t + 1), so that a state is one index
    radix = np.array(counts) + 1
    strides = np.concatenate((np.cumprod(radix[:0:-1])[::-1], [1])).astype(np.int64)
    state = np.arange(states_of(counts))
    # (states, 1) // (values,) → (states, values): how many of each value a state has used
    used = ((state[:, np.newaxis] // strides) % radix).sum(axis=1)
    order = np.argsort(used, kind="stable")
    return tuple(np.split(order, np.cumsum(np.bincount(used))[:-1])), strides


def states_of(counts: tuple[int, ...]) -> int:
    """Count the states.

    >>> states_of((2, 1))
    6
    """
    return int(np.prod([count + 1.0 for count in counts]))


def forward_backward(weights: Floats, counts: tuple[int, ...]) -> tuple[Floats, Floats]:
    """Return Pr(x_i = s) for people × values × groups, and the logarithm of each group's likelihood.

    >>> weights = np.array([[[2.0], [1.0]], [[1.0], [1.0]]])  # two people, two values, one group
    >>> beliefs, log_likelihood = forward_backward(weights, (1, 1))
    >>> beliefs[:, 0, 0].round(6).tolist(), np.exp(log_likelihood).round(6).tolist()
    ([0.666667, 0.333333], [3.0])
    """
    people, _, groups = weights.shape
    layers, strides = layers_of(counts)
    guard, states = int(strides[0]), states_of(counts)
    # on both sides a guard of zeros, so that no step leaves the array
    forward = np.zeros((states + 2 * guard, groups))
    backward = np.zeros_like(forward)
    forward[guard] = 1.0
    backward[guard + states - 1] = 1.0
    log_likelihood = np.zeros(groups)
    for layer in range(1, people + 1):
        at = layers[layer] + guard
        # (layer states, values, groups): the state before, for each value that this person may take
        before = forward.take(at[:, np.newaxis] - strides, axis=0)
        here = _sum_over_values(before, weights[layer - 1])
        # the largest of a layer becomes 1, or long products would vanish; the likelihood takes the factor back
        scale = here.max(axis=0)
        forward[at] = here / scale
        log_likelihood += np.log(scale)
    beliefs = np.empty_like(weights)
    for layer in range(people - 1, -1, -1):
        at = layers[layer] + guard
        # a step beyond the count is to a layer that is not computed yet: still 0
        after = backward.take(at[:, np.newaxis] + strides, axis=0)
        here = _sum_over_values(after, weights[layer])
        beliefs[layer] = weights[layer] * np.einsum("ug,uvg->vg", forward[at], after)
        backward[at] = here / here.max(axis=0)
    # layers were scaled by factors of their own, which cancel within a person
    beliefs /= beliefs.sum(axis=1, keepdims=True)
    return beliefs, log_likelihood


def balance_values(scores: Floats, counts: tuple[int, ...]) -> tuple[Floats, float]:
    """Add ln λ_s to ln P_i(s) where a probability would vanish otherwise; also return Σ n_s·ln λ_s of all groups.

    All P_i(s) of a value may be multiplied by one number: every assignment gains Π λ_s^n_s, and beliefs stay.  With
    column sums near n_s no state that matters is far from the largest of its layer.
    """
    spread = (scores.max(axis=1) - scores.min(axis=1)).sum(axis=0)
    far = np.flatnonzero(spread > VANISHES)
    # balancing costs 100 passes, so only groups whose scores are far apart pay for it
    if not len(far):
        return scores, 0.0
    log_counts = np.log(counts)[:, np.newaxis]
    log_factor = np.zeros((len(counts), len(far)))
    # no test of convergence: any λ leaves the beliefs as they are, and these only have to keep them representable
    for _ in range(100):
        likely = scores[:, :, far] + log_factor
        likely -= np.logaddexp.reduce(likely, axis=1, keepdims=True)
        log_factor += log_counts - np.logaddexp.reduce(likely, axis=0)
    scores = scores.copy()
    scores[:, :, far] += log_factor
    return scores, float((log_factor * np.exp(log_counts)).sum())


def _sum_over_values(steps: Floats, weights: Floats) -> Floats:
    """Return the sum over values, (states, groups), of `steps`, (states, values, groups), times `weights`."""
    if weights.shape[1] == 1:  # one group alone is a product of a matrix and a vector
        return (steps[:, :, 0] @ weights[:, 0])[:, np.newaxis]
    joined: Floats = np.einsum("uvg,vg->ug", steps, weights)
    return joined


def gone_through(states: Floats, values: Integers | int, exact_up_to: int | None) -> Flags:
    """Return which groups are computed state by state: up to so many states each, or (None) what can be afforded.

    >>> gone_through(np.array([4.0, 2_000.0, 90_000.0, 90_000.0]), 20, None).tolist()
    [True, True, False, False]
    >>> gone_through(np.array([4.0, 90_000.0]), 20, 10).tolist()
    [True, False]
    """
    # states come from exp of a sum of logarithms: rounded, so that equal groups compare equal
    rounded = np.rint(states)
    if exact_up_to is not None:
        flags: Flags = rounded <= exact_up_to
        return flags
    order = np.argsort(rounded, kind="stable")
    beyond = np.flatnonzero(np.cumsum((rounded * values)[order]) > AFFORDABLE)
    # strictly below the first size that no longer fits the budget: groups of one size are treated the same
    below = rounded[order[beyond[0]]] if len(beyond) else np.inf
    return (rounded <= ALWAYS_EXACT) | ((rounded <= 100_000) & (rounded < below))


@dataclass(frozen=True, eq=False)
class Sinkhorn:
    """Cells of some groups; the λ of one round are where the next one begins, and a line of p people counts p times."""

    cells: Integers  # their places among all cells
    line: Integers  # numbered from 0
    entry: Integers  # numbered from 0
    people: Floats  # of the line, per cell
    counts: Floats  # per entry
    log_scale: Floats  # ln λ per entry
    size: int  # how many cells there are in all

    @classmethod
    def from_groups(cls, roster: Roster, groups: Flags) -> Sinkhorn:
        """Build from the cells of these groups: `groups` is (groups,) bool."""
        cells = np.flatnonzero(groups[roster.members.group[roster.line]])
        _, line = np.unique(roster.line[cells], return_inverse=True)
        entries, entry = np.unique(roster.entry[cells], return_inverse=True)
        counts = roster.entries[2][entries].astype(float)
        return cls(cells, line, entry, roster.people[cells], counts, np.log(counts), len(roster.line))

    def expect(self, scores: Floats) -> tuple[Floats, float]:
        """Return the beliefs of these cells among all cells, 0 elsewhere, and the logarithm of the groups' capacity."""
        beliefs = np.zeros(self.size)
        if not len(self.cells):
            return beliefs, 0.0
        score, lines = scores[self.cells], int(self.line[-1]) + 1
        # cells are sorted by line, so that `reduceat` finds the largest score of each line
        starts = np.flatnonzero(np.diff(self.line, prepend=-1))
        score = score + self.log_scale[self.entry]
        weight = np.exp(score - np.maximum.reduceat(score, starts)[self.line])
        for _ in range(1000):
            weight /= np.bincount(self.line, weight, lines)[self.line]
            sums = sum_by(self.entry, weight * self.people, len(self.counts))
            # column sums that are right to this share of a person: training cannot tell the rest
            if np.abs(sums - self.counts).max() < 1e-4:
                break
            scale = self.counts / np.maximum(sums, np.finfo(float).tiny)
            self.log_scale[:] += np.log(scale)
            weight *= scale[self.entry]
        beliefs[self.cells] = weight
        score = scores[self.cells] + self.log_scale[self.entry]
        by_line = np.logaddexp.reduceat(score, starts) * self.people[starts]
        return beliefs, float(by_line.sum() - (self.counts * self.log_scale).sum())


@dataclass(frozen=True, eq=False)
class Assignments:
    """The expectation of people with one value each: what a model says of a person becomes a belief."""

    roster: Roster
    exact_up_to: int | None = None

    @cached_property
    def states(self) -> Floats:
        """How many states each group has."""
        row, _, count = self.roster.entries
        # capped before exp: the states of a large group would overflow
        return np.exp(np.minimum(sum_by(row, np.log1p(count), len(self.roster.release)), 50.0))

    @cached_property
    def exactly(self) -> Flags:
        """Which groups are gone through state by state."""
        return gone_through(self.states, np.diff(self.roster.group_starts), self.exact_up_to)

    @cached_property
    def patterns(self) -> tuple[Pattern, ...]:
        """The groups that are gone through state by state, by their counts; those of one value need nothing."""
        roster, starts = self.roster, self.roster.group_starts
        several = np.flatnonzero(self.exactly & (np.diff(starts) > 1))
        if len(several) == 0:
            return ()
        width = int(np.diff(starts)[several].max())
        slot = np.arange(width)
        inside = slot < np.diff(starts)[several, np.newaxis]
        places = np.minimum(starts[several, np.newaxis] + slot, len(roster.entries[2]) - 1)
        # (groups, width), padded with zeros on the right, so that equal patterns are equal rows
        counts = np.where(inside, roster.entries[2][places], 0)
        number, first = number_vectors(counts)
        by_pattern = np.argsort(number, kind="stable")
        bounds = starts_of(number, len(first))
        # one entry per person, so that a line of p people stands p times
        person_line = np.repeat(np.arange(len(roster)), roster.members.people)
        person_starts = starts_of(roster.members.group[person_line], len(roster.release))
        patterns = []
        for which, row in enumerate(first.tolist()):
            groups = several[by_pattern[bounds[which] : bounds[which + 1]]]
            pattern = tuple(count for count in counts[row].tolist() if count)
            # lines are (people, groups); with an axis for the values, cells are (people, values, groups)
            lines = person_line[person_starts[groups] + np.arange(sum(pattern))[:, np.newaxis]]
            cells = roster.cell_starts[lines][:, np.newaxis, :] + np.arange(len(pattern))[:, np.newaxis]
            patterns.append(Pattern(pattern, cells, groups))
        return tuple(patterns)

    @cached_property
    def sinkhorn(self) -> Sinkhorn:
        """The groups that have too many states."""
        return Sinkhorn.from_groups(self.roster, ~self.exactly)

    def expect(self, scores: Floats) -> tuple[Floats, float]:
        """Return Pr(x_i = s) per cell, where `scores` are ln P_i(s), and the logarithm of the likelihood.

        The likelihood of a group that is not gone through state by state is taken for its capacity.
        """
        beliefs, likelihood = self.sinkhorn.expect(scores)
        likelihood += self._add_certain_values(scores)
        for pattern in self.patterns:
            for block in pattern.blocks():
                likelihood += self._expect_block(scores, pattern.cells[:, :, block], pattern.counts, beliefs)
        return self._share_within_lines(beliefs), likelihood

    def _expect_block(self, scores: Floats, cells: Integers, counts: tuple[int, ...], beliefs: Floats) -> float:
        score, log_factor = balance_values(scores[cells], counts)
        # the largest P_i(s) of each person becomes 1, so that exp does not overflow; the likelihood takes it back
        highest = score.max(axis=1, keepdims=True)
        believed, log_likelihood = forward_backward(np.maximum(np.exp(score - highest), LEAST), counts)
        # people of one line are alike; their beliefs differ in the last bits, and are added up to be shared
        np.add.at(beliefs, cells, believed)
        return float(log_likelihood.sum() + highest.sum() - log_factor)

    def _add_certain_values(self, scores: Floats) -> float:
        roster = self.roster
        alone = (roster.count == roster.group_size) & self.exactly[roster.members.group[roster.line]]
        return float((scores * roster.people)[alone].sum())

    def _share_within_lines(self, beliefs: Floats) -> Floats:
        """Return the beliefs per person, where those of the people of a line were added up."""
        roster = self.roster
        several = (roster.count < roster.group_size) & self.exactly[roster.members.group[roster.line]]
        shared = np.where(several, beliefs / roster.people, beliefs)
        shared[roster.count == roster.group_size] = 1.0
        return shared
