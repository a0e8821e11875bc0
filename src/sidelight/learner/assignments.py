"""The probability of each person's value in a group, where assignments with the published counts weigh Π_i P_i(x_i).

Symbols     a group has people 1 … n and values s with counts n_s, Σ n_s = n; P_i(s) is a model's belief about person i.
State       u = how many of each value the first i people have used: |u| = i, u_s ≤ n_s, so Π_s (n_s + 1) states.
Forward     F(0) = 1,  F(u) = Σ_s F(u − e_s) · P_{|u|}(s)
Backward    B(n) = 1,  B(u) = Σ_s P_{|u|+1}(s) · B(u + e_s)
Belief      Pr(x_i = s) = P_i(s) · Σ_{|u|=i−1} F(u) · B(u + e_s) / F(n), and F(n) is the group's likelihood.

All groups of one *pattern* (the counts, largest first) go through it at once: a state is one number of mixed radix, a
step adds the value's stride.  A step beyond a count carries into a state of a layer that is not computed yet, which
still holds 0: no step needs to be checked.

Cost        2 · values · Π (n_s + 1) per group.
Scaling     A person's P_i may be multiplied by anything, and a layer's F or B too, as beliefs about a person add up to
            1.  So each is kept near 1, and its factor is added to the logarithm of the likelihood.

Groups with too many states (`gone_through`) are scaled (Sinkhorn): W_is = r_i · P_i(s) · λ_s, with row sums 1 and
column sums n_s, by scaling rows and columns in turn.  That approximates the assignment probabilities of large groups:
of random groups of 5, 12, 30 and 60 people the largest error is 0.17, 0.08, 0.02 and 0.01, towards doubt.  Not for
small groups: of two people it gives √r/(1 + √r) in place of r/(1 + r).  In place of the likelihood of a scaled group
stands its capacity, min over λ of Π_i (Σ_s P_i(s)·λ_s) / Π_s λ_s^n_s, which is never less.

*Several values per person*, value by value.

Sets        exactly n of the N people have the value; with odds o_i, W_i = o_i · e_{n−1}(o without i) / e_n(o), where e
            are the elementary symmetric polynomials.  Forward and backward over how many have it among the first i:
                F_0(u) = [u = 0],  F_i(u) = F_{i−1}(u) + o_i·F_{i−1}(u − 1)
                B_N(u) = [u = n],  B_{i−1}(u) = B_i(u) + o_i·B_i(u + 1)
            for all values of all groups of one size at once; W_i = o_i · Σ_u F_{i−1}(u)·B_i(u + 1) / F_N(n).  With too
            many states W_i = λ·o_i / (1 + λ·o_i), with λ such that they add up to n, and Π_i (1 + λ·o_i) / λ^n, which
            is never less, stands for e_n(o).
Multisets   the n occurrences go to people at rates; r_i = rate_i / Σ rates, and Pr(person i has some) is
            1 − (1 − r_i)^n.  A group has n occurrences at the rate Σ rates, which its likelihood is of.

*The slow twin* of the expectation, which a replay trains by: groups by the definition as a polynomial, a coefficient of
the product of everybody else's:

    Pr(x_i = s) ∝ P_i(s) · [Π_t z_t^n_t / z_s] Π_{k≠i} Σ_t P_k(t)·z_t

Products without one person are multiplied out by halves: n·⌈log₂ n⌉ factors in place of n².  Cost n·⌈log₂ n⌉ · values ·
Π (n_s + 1) per group.  Scaled groups (Sinkhorn), and occurrences of multisets, which are a formula, come from the fast
one again: there a replay repeats, and does not check.  A note of the finding says which groups were scaled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from sidelight.arrays import Flags, Floats, Integers, number_vectors, starts_of, sum_by

if TYPE_CHECKING:
    from sidelight.learner.roster import Roster

STATES_AT_ONCE = 1 << 21
"""The number of states of groups that are computed at once."""

LEAST_PROBABILITY = 1e-280
"""The least probability relative to the largest of the same person, so that none vanishes."""


@lru_cache(maxsize=4096)
def layers_of(counts: tuple[int, ...]) -> tuple[tuple[Integers, ...], Integers]:
    """Return the states by how many people they have used, and the stride of each value.

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
    """Return the number of states.

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
    """Return ln P_i(s) + ln λ_s where a probability would vanish otherwise, and Σ n_s·ln λ_s of all groups.

    All P_i(s) of a value may be multiplied by one number: every assignment gains Π λ_s^n_s, and beliefs stay.  With
    column sums near n_s no state that matters is far from the largest of its layer.
    """
    spread = (scores.max(axis=1) - scores.min(axis=1)).sum(axis=0)
    # smaller differences of logarithms leave no probability too small for a float
    far = np.flatnonzero(spread > 500.0)
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


def gone_through(
    states: Floats, values: Integers | int, exact_up_to: int | None, *, always: int = 1_000, affordable: int = 2_000_000
) -> Flags:
    """Return which groups are computed state by state: those of up to `exact_up_to` states, or (None) the affordable.

    Groups of up to `always` states are, and of larger ones the smallest, as long as values × states of all groups add
    up to no more than is `affordable`.

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
    beyond = np.flatnonzero(np.cumsum((rounded * values)[order]) > affordable)
    # strictly below the first size that no longer fits the budget: groups of one size are treated the same
    below = rounded[order[beyond[0]]] if len(beyond) else np.inf
    return (rounded <= always) | ((rounded <= 100_000) & (rounded < below))


@dataclass(frozen=True, eq=False)
class Assignments:
    """The expectation of people with one value each: a model's scores become beliefs."""

    roster: Roster
    exact_up_to: int | None = None

    @cached_property
    def states(self) -> Floats:
        """The number of states of each group."""
        row, _, count = self.roster.entries
        # capped before exp: the states of a large group would overflow
        return np.exp(np.minimum(sum_by(row, np.log1p(count), len(self.roster.release)), 50.0))

    @cached_property
    def is_exact(self) -> Flags:
        """Which groups are computed state by state."""
        return gone_through(self.states, np.diff(self.roster.group_starts), self.exact_up_to)

    @cached_property
    def patterns(self) -> tuple[tuple[tuple[int, ...], Integers], ...]:
        """The groups that are computed state by state, by their counts; those of one value need nothing.

        Counts, and the indices of the cells of each person and value: (people, values, groups) int64.
        """
        roster, starts = self.roster, self.roster.group_starts
        several = np.flatnonzero(self.is_exact & (np.diff(starts) > 1))
        if len(several) == 0:
            return ()
        width = int(np.diff(starts)[several].max())
        slot = np.arange(width)
        inside = slot < np.diff(starts)[several, np.newaxis]
        indices = np.minimum(starts[several, np.newaxis] + slot, len(roster.entries[2]) - 1)
        # (groups, width), padded with zeros on the right, so that equal patterns are equal rows
        counts = np.where(inside, roster.entries[2][indices], 0)
        number, first = number_vectors(counts)
        by_pattern = np.argsort(number, kind="stable")
        bounds = starts_of(number, len(first))
        patterns = []
        for which, row in enumerate(first.tolist()):
            groups = several[by_pattern[bounds[which] : bounds[which + 1]]]
            pattern = tuple(count for count in counts[row].tolist() if count)
            lines = roster.lines_of_people(groups, sum(pattern))
            # with an axis for the values, cells are (people, values, groups)
            cells = roster.cell_starts[lines][:, np.newaxis, :] + np.arange(len(pattern))[:, np.newaxis]
            patterns.append((pattern, cells))
        return tuple(patterns)

    @cached_property
    def _scaling(self) -> tuple[Integers, Integers, Integers, Floats, Floats]:
        """Of groups with too many states: cells, their lines and entries numbered from 0, counts of entries, and ln λ.

        The ln λ are kept: those of one round are where the next one begins.
        """
        roster = self.roster
        cells = np.flatnonzero(~self.is_exact[roster.members.group[roster.line]])
        line = np.unique(roster.line[cells], return_inverse=True)[1]
        entries, entry = np.unique(roster.entry[cells], return_inverse=True)
        counts = roster.entries[2][entries].astype(float)
        return cells, line, entry, counts, np.log(counts)

    def _scale(self, scores: Floats) -> tuple[Floats, float]:
        """Return the beliefs in groups with too many states, 0 elsewhere, and the logarithm of their capacity."""
        cells, line, entry, counts, log_scale = self._scaling
        beliefs, people = np.zeros(len(scores)), self.roster.people[cells]  # a line of p people counts p times
        if not len(cells):
            return beliefs, 0.0
        # cells are sorted by line, so that `reduceat` finds the largest score of each line
        starts = np.flatnonzero(np.diff(line, prepend=-1))
        score = scores[cells] + log_scale[entry]
        weight = np.exp(score - np.maximum.reduceat(score, starts)[line])
        for _ in range(1000):
            weight /= np.bincount(line, weight)[line]
            sums = sum_by(entry, weight * people, len(counts))
            # column sums right to this share of a person: training cannot tell the difference
            if np.abs(sums - counts).max() < 1e-4:
                break
            scale = counts / np.maximum(sums, np.finfo(float).tiny)
            log_scale += np.log(scale)
            weight *= scale[entry]
        beliefs[cells] = weight
        by_line = np.logaddexp.reduceat(scores[cells] + log_scale[entry], starts) * people[starts]
        return beliefs, float(by_line.sum() - (counts * log_scale).sum())

    def expect(self, scores: Floats) -> tuple[Floats, float]:
        """Return Pr(x_i = s) per cell, where `scores` are ln P_i(s), and the logarithm of the likelihood.

        In place of the likelihood of a scaled group stands its capacity.
        """
        roster = self.roster
        certain, exact = roster.count == roster.group_size, self.is_exact[roster.members.group[roster.line]]
        beliefs, likelihood = self._scale(scores)
        likelihood += float((scores * roster.people)[certain & exact].sum())
        for counts, all_cells in self.patterns:
            step = max(STATES_AT_ONCE // (states_of(counts) * len(counts)), 1)
            for start in range(0, all_cells.shape[2], step):
                cells = all_cells[:, :, start : start + step]
                score, log_factor = balance_values(scores[cells], counts)
                # the largest P_i(s) of each person becomes 1, or exp would overflow; the likelihood takes it back
                highest = score.max(axis=1, keepdims=True)
                weights = np.maximum(np.exp(score - highest), LEAST_PROBABILITY)
                believed, log_likelihood = forward_backward(weights, counts)
                # beliefs about the people of one line differ in the last bits, and are averaged below
                np.add.at(beliefs, cells, believed)
                likelihood += float(log_likelihood.sum() + highest.sum() - log_factor)
        shared = np.where(exact & ~certain, beliefs / roster.people, beliefs)
        shared[certain] = 1.0
        return shared, likelihood


def symmetric_beliefs(scores: Floats, counts: Integers) -> tuple[Floats, Floats]:
    """Return W_i for people × values, where `scores` are ln o_i and `counts` have each value; and ln e_n(o).

    >>> beliefs, log_likelihood = symmetric_beliefs(np.log([[2.0], [1.0], [1.0]]), np.array([1]))
    >>> beliefs[:, 0].round(6).tolist(), np.exp(log_likelihood).round(6).tolist()
    ([0.5, 0.25, 0.25], [4.0])
    """
    people, values = scores.shape
    log_factor = _balance_odds(scores, counts)
    # λ multiplies all odds of a value, which leaves the beliefs; n·ln λ leaves the likelihood again below
    scores = scores + log_factor
    highest = np.maximum(scores, 0.0)
    # the larger of having the value and not having it becomes 1, for each person
    has, has_not = np.exp(scores - highest), np.exp(-highest)
    most = int(counts.max())
    # (people + 1, counts + 1, values): u of the first i people have the value
    forward = np.zeros((people + 1, most + 1, values))
    forward[0, 0] = 1.0
    log_likelihood = highest.sum(axis=0) - counts * log_factor
    for i in range(people):
        forward[i + 1] = forward[i] * has_not[i]
        forward[i + 1, 1:] += forward[i, :-1] * has[i]
        scale = forward[i + 1].max(axis=0)
        forward[i + 1] /= scale
        log_likelihood += np.log(scale)
    log_likelihood += np.log(np.maximum(forward[people, counts, np.arange(values)], LEAST_PROBABILITY))
    backward = np.zeros((most + 2, values))  # the last row stays 0: nobody has more than all
    # backwards from the count alone: only assignments with exactly that many people matter
    backward[counts, np.arange(values)] = 1.0
    beliefs = np.empty_like(scores)
    for i in range(people - 1, -1, -1):
        with_it = has[i] * np.einsum("uv,uv->v", forward[i], backward[1:])
        without = has_not[i] * np.einsum("uv,uv->v", forward[i], backward[:-1])
        beliefs[i] = with_it / (with_it + without)
        backward[:-1] = backward[:-1] * has_not[i] + backward[1:] * has[i]
        backward /= backward.max(axis=0)
    return beliefs, log_likelihood


def _balance_odds(scores: Floats, counts: Integers) -> Floats:
    """Return ln λ per value, so that λ·o expects as many as have it, where a number would vanish otherwise.

    All odds of a value may be multiplied by one number: beliefs stay, and ln e_n(o) = ln e_n(λ·o) − n·ln λ.
    """
    log_factor = np.zeros(len(counts))
    far = np.abs(scores).sum(axis=0) > 500.0  # as in `balance_values`
    if not far.any():
        return log_factor
    score = scores[:, far]
    # the logistic function as a tanh, which cannot overflow
    log_factor[far] = _halve_bounds(
        lambda middle: (0.5 + 0.5 * np.tanh((score + middle) / 2)).sum(axis=0) < counts[far],
        np.full(score.shape[1], np.abs(score).max() + np.log(len(scores) + 1.0)),
    )
    return log_factor


def _halve_bounds(short: Callable[[Floats], Flags], bound: Floats) -> Floats:
    """Return the ln λ between ±bound below which too few are expected; at the bounds less than one, or all but that."""
    low, high = -bound, bound
    for _ in range(100):
        middle = (low + high) / 2
        below = short(middle)
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return (low + high) / 2


@dataclass(frozen=True, eq=False)
class SetAssignments:
    """The expectation of people with sets of values."""

    roster: Roster
    exact_up_to: int | None = None

    @cached_property
    def sizes(self) -> Integers:
        """The number of people in the group of each entry."""
        return self.roster.release.groups.sizes[self.roster.entries[0]]

    @cached_property
    def states(self) -> Floats:
        """The number of states of each entry (group and value)."""
        counts = self.roster.entries[2].astype(float)
        return np.asarray((counts + 1) * (self.sizes - counts + 1))

    @cached_property
    def is_exact(self) -> Flags:
        """Which entries are computed state by state."""
        return gone_through(self.states, 1, self.exact_up_to)

    @cached_property
    def patterns(self) -> tuple[tuple[Integers, Integers], ...]:
        """The values that some people of a group have and others do not, by the size of the group.

        How many have each, and the cells of the people, (people, values) int64.
        """
        roster, counts = self.roster, self.roster.entries[2]
        several = np.flatnonzero(self.is_exact & (counts < self.sizes))
        patterns = []
        for size in np.unique(self.sizes[several]).tolist():
            entries = several[self.sizes[several] == size]
            group = roster.entries[0][entries]
            # cells of a line are in the order of the group's entries, hence the same offset for all
            cells = roster.cell_starts[roster.lines_of_people(group, size)] + (entries - roster.group_starts[group])
            patterns.append((counts[entries], cells))
        return tuple(patterns)

    def expect(self, scores: Floats) -> tuple[Floats, float]:
        """Return the beliefs, where `scores` are logarithms of odds, and ln Π e_n(o)."""
        roster = self.roster
        beliefs = np.zeros(len(scores))
        everybody = roster.count == roster.group_size
        likelihood = float((scores * roster.people)[everybody].sum())
        for counts, all_cells in self.patterns:
            step = max(STATES_AT_ONCE // (len(all_cells) * (int(counts.max()) + 2)), 1)
            for start in range(0, len(counts), step):
                cells = all_cells[:, start : start + step]
                believed, log_likelihood = symmetric_beliefs(scores[cells], counts[start : start + step])
                np.add.at(beliefs, cells, believed)
                likelihood += float(log_likelihood.sum())
        # people of one line were added up: each has the average
        beliefs /= roster.people
        beliefs[everybody] = 1.0
        tilted = np.flatnonzero(~self.is_exact[roster.entry] & ~everybody)
        beliefs[tilted], log_bound = self._tilt(scores, tilted)
        return beliefs, likelihood + log_bound

    def _tilt(self, scores: Floats, cells: Integers) -> tuple[Floats, float]:
        """Find λ by halving (the sum grows with it), and return beliefs and ln Π_i (1 + λ·o_i) / λ^n of all values."""
        roster = self.roster
        entries, entry = np.unique(roster.entry[cells], return_inverse=True)
        counts, score, people = roster.entries[2][entries], scores[cells], roster.people[cells]

        def believe(log_factor: Floats) -> Floats:
            believed: Floats = 1 / (1 + np.exp(-(score + log_factor[entry])))
            return believed

        log_factor = _halve_bounds(
            lambda middle: sum_by(entry, believe(middle) * people, len(entries)) < counts,
            np.full(len(entries), np.abs(score).max(initial=0.0) + np.log(roster.release.size + 1.0)),
        )
        log_bound = np.logaddexp(0.0, score + log_factor[entry]) * people
        return believe(log_factor), float(log_bound.sum() - (counts * log_factor).sum())


@dataclass(frozen=True, eq=False)
class Occurrences:
    """The expectation of people with multisets of values: the expected occurrences of each."""

    roster: Roster

    @property
    def states(self) -> Floats:
        """The number of states of each entry: 1, as rates are a formula."""
        return np.ones(len(self.roster.entries[0]))

    @property
    def is_exact(self) -> Flags:
        """Which entries are exact: all."""
        return np.ones(len(self.roster.entries[0]), bool)

    def expect(self, scores: Floats) -> tuple[Floats, float]:
        """Return n·r_i, where `scores` are logarithms of rates, and Σ n·ln Σ rates over groups and values."""
        roster = self.roster
        # the largest rate of each entry becomes 1 before exp; ln Σ takes it back below
        highest = np.full(len(roster.entries[0]), -np.inf)
        np.maximum.at(highest, roster.entry, scores)
        rates = np.exp(scores - highest[roster.entry])
        sums = sum_by(roster.entry, rates * roster.people, len(highest))
        log_rate = (np.log(sums) + highest) * roster.entries[2]
        return roster.count * rates / sums[roster.entry], float(log_rate.sum())


COEFFICIENTS_AT_ONCE = 1 << 19
"""The number of coefficients of groups that are multiplied at once."""


def multiply_out(scores: Floats, counts: tuple[int, ...]) -> Floats:
    """Return Pr(x_i = s) for people × values × groups by coefficients of products, where `scores` are ln P_i(s).

    >>> scores = np.log([[[2.0], [1.0]], [[1.0], [1.0]]])  # two people, two values, one group
    >>> multiply_out(scores, (1, 1))[:, 0, 0].round(6).tolist()
    [0.666667, 0.333333]
    """
    beliefs = np.empty_like(scores)
    step = max(COEFFICIENTS_AT_ONCE // states_of(counts), 1)
    for start in range(0, scores.shape[2], step):
        score, _ = balance_values(scores[:, :, start : start + step], counts)
        weights = np.maximum(np.exp(score - score.max(axis=1, keepdims=True)), LEAST_PROBABILITY)
        # an axis of count + 1 coefficients per value, and groups last
        one = np.zeros((*(count + 1 for count in counts), weights.shape[2]))
        one[(0,) * len(counts)] = 1.0
        for person, others in _divide_by_each(one, weights, 0, len(weights)):
            one_less = np.array(counts) - np.eye(len(counts), dtype=int)
            chance = np.stack([others[tuple(left)] for left in one_less.tolist()])
            chance *= weights[person]
            beliefs[person, :, start : start + step] = chance / chance.sum(axis=0)
    return beliefs


def _divide_by_each(product: Floats, weights: Floats, first: int, last: int) -> Iterator[tuple[int, Floats]]:
    """Yield the product of everybody but one, for each of some people; `product` is that of all but these."""
    if last - first == 1:
        yield first, product
        return
    middle = (first + last) // 2
    # each half is multiplied by everybody of the other half, then divided further, down to one person
    for start, stop, others in ((first, middle, range(middle, last)), (middle, last, range(first, middle))):
        larger = product
        for person in others:
            larger = _multiply_person(larger, weights[person])
        yield from _divide_by_each(larger, weights, start, stop)


def _multiply_person(product: Floats, weights: Floats) -> Floats:
    """Return the product with Σ_s P(s)·z_s, cut off at the counts; the largest coefficient of each group becomes 1."""
    larger = np.zeros_like(product)
    for value, weight in enumerate(weights):
        # times z_value is a shift along the axis of the value; terms beyond its count are cut off
        before = (slice(None),) * value
        larger[(*before, slice(1, None))] += weight * product[(*before, slice(None, -1))]
    larger /= larger.max(axis=tuple(range(len(weights))))
    return larger


def expect_by_products(quick: Assignments | SetAssignments | Occurrences, scores: Floats) -> tuple[Floats, float]:
    """Return the expectation by another path (of one value each, or of sets), and the likelihood of the fast one."""
    beliefs, likelihood = quick.expect(scores)
    for cells, counts, score in _list_patterns(quick, scores):
        # a line of several people stands once for each of them: added up here, shared below
        sums, indices = np.zeros(len(beliefs)), np.unique(cells)
        np.add.at(sums, cells, multiply_out(score, counts)[:, : cells.shape[1]])
        beliefs[indices] = sums[indices] / quick.roster.people[indices]
    return beliefs, likelihood


def _list_patterns(
    quick: Assignments | SetAssignments | Occurrences, scores: Floats
) -> Iterator[tuple[Integers, tuple[int, ...], Floats]]:
    """Yield each pattern's cells, (people, values, groups) int64, its counts and its scores; of multisets none."""
    if isinstance(quick, Assignments):
        for counts, cells in quick.patterns:
            yield cells, counts, scores[cells]
    elif isinstance(quick, SetAssignments):
        for having, all_cells in quick.patterns:
            for have in np.unique(having).tolist():
                cells = all_cells[:, np.newaxis, having == have]
                # odds are relative to not having the value, whose logarithm is therefore 0
                has = scores[cells]
                yield cells, (have, len(cells) - have), np.concatenate((has, np.zeros_like(has)), axis=1)
