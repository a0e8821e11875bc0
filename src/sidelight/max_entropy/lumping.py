"""Which rows of a group, or which columns, does nobody tell apart?"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from sidelight.table.columns import Integers


def untold(group: Integers, part: Integers, thing: Integers) -> Integers:
    """Give for each thing the first one of its group that is in exactly the same parts.

    `part` and `thing` list what is in which part, by part.  Things are found by a random number (the sum of random
    numbers of their parts) and compared for good.

    >>> untold(np.array([0, 0, 0, 1]), np.array([5, 5]), np.array([0, 2])).tolist()
    [0, 1, 0, 3]
    """
    parts = int(part.max(initial=-1)) + 1
    told = sparse.coo_array((np.ones(len(part), np.uint64), (thing, part)), shape=(len(group), parts)).tocsr()
    seed = 0
    while True:
        first = _first_alike(told @ _random(seed, parts) + _random(seed + 1, int(group.max(initial=-1)) + 1)[group])
        if _same(told, group, first):
            return first
        seed += 2


def _random(seed: int, many: int) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    return np.random.default_rng(seed).integers(2**64, size=many, dtype=np.uint64)


def _first_alike(key: np.ndarray[tuple[int], np.dtype[np.uint64]]) -> Integers:
    order = np.argsort(key, kind="stable")
    ordered = key[order]
    new = np.ones(len(key), bool)
    new[1:] = ordered[1:] != ordered[:-1]
    first = np.empty(len(key), np.int64)
    first[order] = order[new][np.cumsum(new) - 1]
    return first


def _same(told: sparse.csr_array, group: Integers, first: Integers) -> bool:
    """Say whether each thing is in the group and in the parts of the one it is taken to be like."""
    times = np.diff(told.indptr)
    if (group != group[first]).any() or (times != times[first]).any():
        return False
    like = np.arange(told.nnz) + np.repeat(told.indptr[first] - told.indptr[:-1], times)
    return bool((told.indices == told.indices[like]).all())
