"""Post-processing: whole counts of at least 0 that add up, from counts with noise.  It looks at nothing else."""

from __future__ import annotations

import numpy as np

from sidelight.table.columns import Integers


def tidied(measured: Integers) -> Integers:
    """Which whole counts of at least 0 with the same total are nearest to the measured ones?

    The total stays that of the measured counts (0 where it is negative), so that nothing is gained by setting
    negative counts to 0: min Σ (x − measured)², x ≥ 0 and whole, Σ x = Σ measured.  The solution lowers all counts
    by the same t, those that would fall below 0 to 0; what is left over by whole steps is taken from the largest.

    It costs no privacy: whoever sees the measured counts can do the same.

    >>> tidied(np.array([7, -2, 4, 1])).tolist()
    [6, 0, 3, 1]
    """
    total = int(measured.sum())
    if total <= 0:
        return np.zeros_like(measured)
    flat = measured.ravel()
    lowered = np.maximum(flat - _step(flat, total), 0)
    over = int(lowered.sum()) - total
    largest = np.argsort(-flat, kind="stable")[:over]
    lowered[largest] -= 1
    return lowered.reshape(measured.shape)


def _step(counts: Integers, total: int) -> int:
    """Find the largest t with Σ max(count − t, 0) ≥ total, by halving."""
    low, high = 0, int(counts.max()) + 1  # at low enough is left, at high too little
    while high - low > 1:
        middle = (low + high) // 2
        if int(np.maximum(counts - middle, 0).sum()) >= total:
            low = middle
        else:
            high = middle
    return low
