"""Which groups can take part in the worst case?  Only a few, however many there are.

At most k groups besides the target's hold atoms.  If a group holds h ≥ 1 atoms, k − h are left, so at most k − h + 1
other groups take part (one of them the target's); among the k − h + 2 groups with the smallest f(h) one is free to
take its place.  Likewise only the k − h + 1 groups with the smallest n/n(σ)·f^σ(h) can be the target's with h atoms.
All these lists together are the summary: they merge like any list of the smallest.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache, partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sidelight._arrays import Floats, Integers, in_lowest_terms
from sidelight.measures.ck_safety.minimize_across_groups import MOST
from sidelight.measures.ck_safety.minimize_within_group import (
    Bags,
    ExactGroup,
    asked,
    at_most,
    chains,
    least_chances,
    levels,
    reach,
    still_there,
    ways_with_target,
)
from sidelight.measures.exact import worst_row


class _List(NamedTuple):
    """The groups of the smallest chances for one number of atoms: sure ones, and candidates for the places left."""

    atoms: int
    target: bool
    sure: Integers
    near: Integers
    places: int


def shortlist(bags: Bags, k: int) -> Integers:
    """List the rows that can take part; bags are in the order of the groups' numbers, which settles ties."""
    certain = bags.certain_with_target()
    if (certain <= k + 1).any():
        return np.array([certain.argmin()])
    certain = bags.certain_without_target()
    if (certain <= k).any():
        return np.unique([certain.argmin(), *_likeliest_target(bags)])
    if k > MOST:  # what these groups give away will not be weighed; another may still make sure
        return np.array(_likeliest_target(bags), np.int64)
    return _smallest_everywhere(bags, k)


def _likeliest_target(bags: Bags) -> list[int]:
    """Find the group with the largest share of the target's value, if any has it."""
    pairs = np.column_stack((bags.own, bags.sizes))
    found = worst_row(
        np.where(bags.own > 0, bags.own / bags.sizes, np.nan),
        large_is_bad=True,
        kinds=lambda rows: in_lowest_terms(pairs[rows]),
        exactly=lambda kinds: [Fraction(*kind) for kind in kinds.tolist()],
    )
    return [] if found is None else [found[0]]


def _smallest_everywhere(bags: Bags, k: int) -> Integers:
    others, targets = least_chances(bags)
    rows = np.flatnonzero(_screened(others[1:], k + 1) | _screened(targets, k + 1))
    some = bags.take(rows)
    rows = rows[first_few_of_each(np.column_stack((some.sizes, some.counts, some.own)), k + 1)]
    bags, others, targets = bags.take(rows), others[:, rows], targets[:, rows]
    lists = [_listed(others[h], k - h + 2, h, target=False) for h in range(1, k + 1)]
    lists += [_listed(targets[h], k - h + 1, h, target=True) for h in range(k + 1)]
    kept = np.zeros(len(rows), bool)
    for each in lists:
        kept[each.sure] = True
    kept[_settled([each for each in lists if len(each.near)], bags)] = True
    return rows[kept]


def _screened(chances: Floats, many: int) -> npt.NDArray[np.bool_]:
    """Leave out the groups that for every number of atoms come after `many` others of a sample of the groups."""
    sample = chances[:, : 100 * many]
    if sample.shape[1] < 100 * many:
        return np.ones(chances.shape[1], bool)
    cut = np.partition(sample, many - 1, axis=1)[:, many - 1, np.newaxis]
    return np.asarray((chances <= cut + reach(cut)).any(axis=0))


def _listed(chances: Floats, many: int, atoms: int, *, target: bool) -> _List:
    sure, near = unsettled(chances, many)
    return _List(atoms, target, sure, near, many - len(sure))


def _settled(lists: list[_List], bags: Bags) -> Integers:
    """Fill the places left on each list, by exact comparison where floats cannot tell."""
    chosen = [each.near for each in lists if len(each.near) <= each.places]
    crowded = [each for each in lists if len(each.near) > each.places]
    if crowded:
        rows = np.flatnonzero(np.bincount(np.concatenate([each.near for each in crowded])))
        some = bags.take(rows)
        masks = deciding_counts(some)
        exact = cache(bags.exact)
        for each in crowded:
            here = np.searchsorted(rows, each.near)
            kinds = _kinds(some.take(here), masks[each.target][each.atoms, here], target=each.target)
            exactly = partial(_exactly, exact, each)
            chosen.append(settled(each.near, each.places, kinds=kinds, exactly=exactly))
    return np.concatenate(chosen) if chosen else np.empty(0, np.int64)


def _kinds(bags: Bags, mask: Integers, *, target: bool) -> Integers:
    """Give integers that decide the exact chance: n, n(σ) if it matters, and the Sₘ that matter."""
    bits = np.minimum(np.arange(1, len(bags.prefix) + 1), 63)[:, np.newaxis]
    deciding = np.where(mask >> bits & 1, bags.prefix, 0)
    return np.vstack((bags.sizes, bags.own * target, mask, deciding)).T


def _exactly(exact: Callable[[int], ExactGroup], each: _List, row: int) -> Fraction:
    group = exact(row)
    return (group.best_with_target(each.atoms) if each.target else group.best(each.atoms)).chance


# ----------------------------------------------------------------------------------------------------
# The smallest of many chances, by exact comparison where floats cannot tell.
#
# Very many groups may share one chance: of groups of 100 people, all in which 10 have the most frequent value.  What
# they share is found in floats, so that fractions are needed once per kind of group, and only between kinds.
# ----------------------------------------------------------------------------------------------------


def unsettled(chances: Floats, many: int) -> tuple[Integers, Integers]:
    """List the rows that are surely among the `many` smallest, and those too near the cut to tell, by logarithms.

    >>> [rows.tolist() for rows in unsettled(np.log([0.5, 0.1 + 0.2, 0.3, 0.1]), 2)]
    [[3], [1, 2]]
    """
    if len(chances) <= many:
        return np.flatnonzero(np.isfinite(chances)), np.empty(0, np.int64)
    cut = np.partition(chances, many - 1)[many - 1]
    if np.isinf(cut):
        return np.flatnonzero(np.isfinite(chances)), np.empty(0, np.int64)
    below = chances < cut - reach(cut)
    return np.flatnonzero(below), np.flatnonzero(~below & (chances <= cut + reach(cut)))


def settled(near: Integers, many: int, *, kinds: Integers, exactly: Callable[[int], Fraction]) -> Integers:
    """Keep the `many` smallest of rows that floats cannot tell apart; of equal ones the first.

    `kinds` are integers that decide the exact chance, one row each.

    >>> kinds, chances = np.array([[1], [2], [1]]), [Fraction(1, 3), Fraction(1, 4), Fraction(1, 3)]
    >>> settled(np.arange(3), 2, kinds=kinds, exactly=chances.__getitem__).tolist()
    [1, 0]
    """
    if (kinds == kinds[0]).all():
        return near[:many]
    _, first, kind = np.unique(kinds, axis=0, return_index=True, return_inverse=True)
    values = [exactly(int(near[row])) for row in first]
    order = {value: place for place, value in enumerate(sorted(set(values)))}
    rank = np.array([order[value] for value in values])
    return near[np.argsort(rank[kind.ravel()], kind="stable")[:many]]


def first_few_of_each(kinds: Integers, many: int) -> Integers:
    """Keep the first `many` of rows that are alike, in order.

    Rows are brought together by a hash; should two kinds share one, more rows are kept, none is lost.

    >>> first_few_of_each(np.array([[2, 1], [3, 1], [2, 1], [2, 1]]), 2).tolist()
    [0, 1, 2]
    """
    weights = np.full(kinds.shape[1], 6364136223846793005).cumprod()
    together = np.argsort(kinds @ weights, kind="stable")
    after, places = kinds[together], np.arange(len(kinds))
    same = np.concatenate(([False], (after[1:] == after[:-1]).all(axis=1)))
    first = np.maximum.accumulate(np.where(same, 0, places))
    return np.sort(together[places - first < many])


def deciding_counts(bags: Bags) -> tuple[Integers, Integers]:
    """Say which Sₘ decide the exact f(h), and with n(σ) the exact f^σ(h): bit m of a mask; rows h, columns groups.

    The exact best way is among those near the best in floats.  When a whole way is near the best, so is what it
    does from any state on, compared with the best from there on: both share what was done before.  So a mask that
    gathers the choices near the best, state by state, has every m of the exact best way.  Groups of one size that
    agree on the mask and on the Sₘ in it have the same f(h), exactly.
    """
    masks = np.full((2, bags.counts.shape[1], len(bags.sizes)), -1)
    if len(masks[0]) <= 62:  # otherwise more than a mask can hold: all may decide
        for start in range(0, len(bags.sizes), 1024):
            rows = slice(start, start + 1024)
            masks[:, :, rows] = _deciding(bags.take(rows))
    return masks[0], masks[1]


def _deciding(bags: Bags) -> tuple[Integers, Integers]:
    atoms = bags.counts.shape[1]
    shape = (atoms + 1, len(bags.sizes))
    n, prefix = bags.sizes.astype(float), bags.prefix.astype(float)
    asking = chains(n, bags.with_own.astype(float))
    later, later_masks = [np.zeros(shape)], [np.zeros(shape, np.int64)]
    own, own_mask = np.full(shape, np.inf)[1:], np.zeros(shape, np.int64)[1:]
    for person, states in levels(n, prefix, until=0):
        masks = _masks(still_there(n, person), prefix, states, later, later_masks)
        for besides, first, chances in ways_with_target(asking[person], person, states):
            marked = at_most(masks, besides)[: len(chances)] | (3 << besides)  # U_{a+1} is made of S_a and S_{a+1}
            best = np.minimum(own[first:], chances)
            near = best + reach(best)
            own_mask[first:] = np.where(own[first:] <= near, own_mask[first:], 0) | np.where(chances <= near, marked, 0)
            own[first:] = best
        later, later_masks = states, masks
    return np.stack([later_masks[j][j] for j in range(atoms)]), own_mask


def _masks(
    left: Floats, prefix: Floats, states: list[Floats], later: list[Floats], later_masks: list[Integers]
) -> list[Integers]:
    """Do for the masks what `levels` does for the chances."""
    masks = [np.zeros(states[0].shape, np.int64)]
    for values, best in enumerate(states[1:], start=1):
        near, rest = best + reach(best), len(best) - values
        mask = np.where(states[values - 1][: len(best)] <= near, masks[-1][: len(best)], 0)
        chances = asked(left, prefix[values - 1]) + at_most(later, values)[:rest]
        marked = at_most(later_masks, values)[:rest] | (1 << values)
        mask[values:] |= np.where(chances <= near[values:], marked, 0)
        masks.append(mask)
    return masks
