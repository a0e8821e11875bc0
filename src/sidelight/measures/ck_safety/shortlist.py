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

from sidelight.measures.ck_safety.exact import ExactGroup
from sidelight.measures.ck_safety.minimize_within_group import Bags, least_chances, reach
from sidelight.measures.ck_safety.ties import deciding_counts, first_few_of_each, settled, unsettled
from sidelight.measures.ck_safety.worst import MOST
from sidelight.measures.exact import Floats, in_lowest_terms, worst_row
from sidelight.table.columns import Integers


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
        alike=lambda rows: in_lowest_terms(pairs[rows]),
        exactly=lambda row: Fraction(*pairs[row].tolist()),
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
