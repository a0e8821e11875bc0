"""Which groups can take part in the worst case?  Only a few, however many there are.

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
Source: ours; the paper runs its program over all groups.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sidelight.arrays import Flags, Floats, Integers, first_of_each, number_vectors, reduce_fractions
from sidelight.measures.ck_safety.minimize_across_groups import MOST, Choice, weigh
from sidelight.measures.ck_safety.minimize_within_group import (
    LogProgram,
    TopCounts,
    clip_states,
    least_log_probabilities,
    tolerance,
)
from sidelight.measures.exact import worst_row


def shortlist(groups: TopCounts, k: int) -> Integers:
    """Return the rows that can take part, (rows,) int64, in the order of the groups' numbers, which settles ties."""
    # one group in which so many implications make certain decides alone
    certain = groups.certain_with_target()
    if (certain <= k + 1).any():
        return np.array([certain.argmin()])
    certain = groups.certain_without_target()
    if (certain <= k).any():
        return np.unique([certain.argmin(), *_likeliest_target(groups)])
    if k > MOST:  # what these groups give away will not be weighed; another may still make sure
        return np.array(_likeliest_target(groups), np.int64)
    return _smallest_everywhere(groups, k)


def _likeliest_target(groups: TopCounts) -> list[int]:
    """Find the group with the largest share of the target's value, if any has it."""
    pairs = np.column_stack((groups.target, groups.sizes))
    worst = worst_row(
        np.where(groups.target > 0, groups.target / groups.sizes, np.nan),
        large_is_bad=True,
        kinds=lambda rows: reduce_fractions(pairs[rows]),
        exactly=lambda kinds: [Fraction(*kind) for kind in kinds.tolist()],
    )
    return [] if worst is None else [worst[0]]


@dataclass(frozen=True)
class _Smallest:
    """The groups of the smallest probabilities for one number of atoms: sure ones, and candidates for the rest."""

    atoms: int
    target: bool
    sure: Integers
    near: Integers
    room: int  # how many candidates may stay

    @classmethod
    def from_logs(cls, logs: Floats, many: int, atoms: int, *, target: bool) -> _Smallest:
        sure, near = near_the_cut(logs, many)
        return cls(atoms, target, sure, near, many - len(sure))


def _smallest_everywhere(groups: TopCounts, k: int) -> Integers:
    others, targets = least_log_probabilities(groups)
    # the cuts of a sample hold for all groups: what comes after k + 1 others there is on no list
    rows = np.flatnonzero(_possible(others[1:], k + 1) | _possible(targets, k + 1))
    # no list has more than k + 1 groups, so that more of one kind are not needed
    rows = rows[first_of_each(groups.take(rows).rows(), k + 1)]
    groups, others, targets = groups.take(rows), others[:, rows], targets[:, rows]
    lists = [_Smallest.from_logs(others[h], k - h + 2, h, target=False) for h in range(1, k + 1)]
    lists += [_Smallest.from_logs(targets[h], k - h + 1, h, target=True) for h in range(k + 1)]
    kept = np.zeros(len(rows), bool)
    for each in lists:
        kept[each.sure] = True
        # all candidates fit on the list, and need not be told from each other
        if len(each.near) <= each.room:
            kept[each.near] = True
    kept[_fill_room([each for each in lists if len(each.near) > each.room], groups)] = True
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
    nobody = np.empty(0, np.int64)
    if len(logs) <= many:
        return np.flatnonzero(np.isfinite(logs)), nobody
    # by a partial sort, in time proportional to the groups
    cut = np.partition(logs, many - 1)[many - 1]
    # fewer groups are finite than the list has places: all of them are on it
    if np.isinf(cut):
        return np.flatnonzero(np.isfinite(logs)), nobody
    below = logs < cut - tolerance(cut)
    return np.flatnonzero(below), np.flatnonzero(~below & (logs <= cut + tolerance(cut)))


def _fill_room(crowded: list[_Smallest], groups: TopCounts) -> Integers:
    """Fill the room on lists with too many candidates, by exact comparison of one group of each kind."""
    if not crowded:
        return np.empty(0, np.int64)
    rows = np.flatnonzero(np.bincount(np.concatenate([each.near for each in crowded])))
    some = groups.take(rows)
    masks = deciding_sums(some)
    numbered = []
    for each in crowded:
        here = np.searchsorted(rows, each.near)
        numbered.append(
            _number_kinds(_kinds(some.take(here), masks[each.target][each.atoms, here], target=each.target))
        )
    choices = [
        [Choice(int(row), each.atoms, each.target) for row in each.near[first]]
        for each, (first, _) in zip(crowded, numbered, strict=True)
    ]
    exact = weigh(groups, [choice for listed in choices if len(listed) > 1 for choice in listed])
    return np.concatenate(
        [
            each.near[smallest_kinds([exact.get(choice, Fraction(0)) for choice in listed], kind, each.room)]
            for each, listed, (_, kind) in zip(crowded, choices, numbered, strict=True)
        ]
    )


def _number_kinds(kinds: Integers) -> tuple[Integers, Integers]:
    """Return the first row of each kind, and each row's kind."""
    if (kinds == kinds[0]).all():  # as a rule, and far quicker to see than by sorting
        return np.zeros(1, np.int64), np.zeros(len(kinds), np.int64)
    kind, first = number_vectors(kinds)
    return first, kind.ravel()


def smallest_kinds(probabilities: list[Fraction], kind: Integers, many: int) -> Integers:
    """Keep the `many` smallest of rows whose kinds have these probabilities; of equal ones the first."""
    # exact numbers are compared once; rows are sorted by small whole numbers
    rank = {probability: place for place, probability in enumerate(sorted(set(probabilities)))}
    ranks = np.array([rank[probability] for probability in probabilities])
    return np.argsort(ranks[kind], kind="stable")[:many]


def _kinds(groups: TopCounts, mask: Integers, *, target: bool) -> Integers:
    """Return whole numbers that decide the exact probability: n, n(σ) if it matters, and the Sₘ that matter."""
    # beyond 62 sums all bits of a mask are set (−1), and the shift stops at its sign
    bits = np.minimum(np.arange(1, len(groups.sums) + 1), 63)[:, np.newaxis]
    deciding = np.where(mask >> bits & 1, groups.sums, 0)
    return np.vstack((groups.sizes, groups.target * target, mask, deciding)).T


def deciding_sums(groups: TopCounts) -> tuple[Integers, Integers]:
    """Return which Sₘ decide the exact f(h), and with n(σ) the exact f^σ(h): bit m of a mask; rows h, columns groups.

    The exact best allocation is among those near the best in logarithms.  When a whole allocation is near the best, so
    is what it does from any state on, compared with the best from there on: both share what was done before.  So a mask
    that gathers the choices near the best, state by state, has every m of the exact best allocation.  Groups of one
    size that agree on the mask and on the Sₘ in it have the same f(h), exactly.
    """
    masks = np.full((2, groups.counts.shape[1], len(groups)), -1)
    if len(masks[0]) <= 62:  # otherwise more than a mask can hold: all may decide
        for start in range(0, len(groups), 1024):
            rows = slice(start, start + 1024)
            masks[:, :, rows] = _deciding(LogProgram.from_groups(groups, rows))
    return masks[0], masks[1]


def _deciding(program: LogProgram) -> tuple[Integers, Integers]:
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
    program: LogProgram,
    person: int,
    states: list[Floats],
    later: list[Floats],
    later_masks: list[npt.NDArray[np.int64]],
) -> list[Integers]:
    """Do for the masks what `Program.people` does for the probabilities."""
    masks, left = [np.zeros(states[0].shape, np.int64)], program.count_left(person)
    for values, best in enumerate(states[1:], start=1):
        near, rest = best + tolerance(best), len(best) - values
        mask = np.where(states[values - 1][: len(best)] <= near, masks[-1][: len(best)], 0)
        logs = program.avoid(left, program.sums[values - 1]) + clip_states(later, values)[:rest]
        marked = clip_states(later_masks, values)[:rest] | (1 << values)
        mask[values:] |= np.where(logs <= near[values:], marked, 0)
        masks.append(mask)
    return masks
