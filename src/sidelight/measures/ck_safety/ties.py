"""The smallest of many chances, by exact comparison where floats cannot tell.

Very many groups may share one chance: of groups of 100 people, all in which 10 have the most frequent value.  What
they share is found in floats, so that fractions are needed once per kind of group, and only between kinds.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from sidelight.measures.ck_safety.minimize_within_group import (
    Bags,
    asked,
    at_most,
    chains,
    levels,
    reach,
    still_there,
    ways_with_target,
)
from sidelight.measures.exact import Floats
from sidelight.table.columns import Integers


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
