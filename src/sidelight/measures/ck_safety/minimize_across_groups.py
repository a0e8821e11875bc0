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
Source: ours; the paper runs its program over all groups.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from sidelight.arrays import Flags, Floats, Integers, first_of_each, number_vectors
from sidelight.errors import TooHard
from sidelight.measures.ck_safety.minimize_within_group import (
    Allocation,
    ExactProgram,
    LogProgram,
    TopCounts,
    allocate,
    clip_states,
    least_log_probabilities,
    tolerance,
)
from sidelight.measures.exact import Screen, join_backwards, join_forwards, worst_ratio
from sidelight.measures.targets import Targets

if TYPE_CHECKING:
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
        return self.k == 0

    def rows(self, groups: Groups) -> Floats:
        if groups.semantics != "single":
            from sidelight.measures.ck_safety.several_values import log_rows  # noqa: PLC0415 - brings SciPy

            return _rows(*log_rows(groups, self.k, self.targets))
        return _rows(*least_log_probabilities(self._top_counts(groups)))

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
    worst = worst_ratio(groups.target, groups.sizes)
    return [] if worst is None or not worst[1] else [worst[0]]


class _Smallest(NamedTuple):
    """The groups of the smallest probabilities for one number of atoms: sure ones, and candidates for the rest."""

    atoms: int
    target: bool
    sure: Integers
    near: Integers
    room: int  # how many candidates may stay


def _smallest_everywhere(groups: TopCounts, k: int) -> Integers:
    others, targets = least_log_probabilities(groups)
    # the cuts of a sample hold for all groups: what comes after k + 1 others there is on no list
    rows = np.flatnonzero(_possible(others[1:], k + 1) | _possible(targets, k + 1))
    # no list has more than k + 1 groups, so that more of one kind are not needed
    rows = rows[first_of_each(groups.take(rows).rows(), k + 1)]
    groups, others, targets = groups.take(rows), others[:, rows], targets[:, rows]
    lists = []
    for target, logs, free in ((False, others, 2), (True, targets, 1)):
        for h in range(0 if target else 1, k + 1):
            sure, near = near_the_cut(logs[h], k - h + free)
            lists.append(_Smallest(h, target, sure, near, k - h + free - len(sure)))
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
        kinds = _kinds(some.take(here), masks[each.target][each.atoms, here], target=each.target)
        # as a rule all are of one kind, which is far quicker to see than by sorting
        same = (kinds == kinds[0]).all()
        kind, first = (np.zeros(len(kinds), np.int64), np.zeros(1, np.int64)) if same else number_vectors(kinds)
        numbered.append((first, kind.ravel()))
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
    masks, left = [np.zeros(states[0].shape, np.int64)], program.count_left(person)
    for values, best in enumerate(states[1:], start=1):
        near, rest = best + tolerance(best), len(best) - values
        mask = np.where(states[values - 1][: len(best)] <= near, masks[-1][: len(best)], 0)
        logs = program.avoid(left, program.sums[values - 1]) + clip_states(later, values)[:rest]
        marked = clip_states(later_masks, values)[:rest] | (1 << values)
        mask[values:] |= np.where(logs <= near[values:], marked, 0)
        masks.append(mask)
    return masks
