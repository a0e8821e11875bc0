"""Orders that tell nothing: drawn from the operating system's randomness."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from sidelight.table.columns import Integers

Shuffle: TypeAlias = Callable[[int], Integers]
"""Draws an order of 0, 1, …, length − 1."""


def shuffles(seed: int | None = None) -> Shuffle:
    """Draw orders from the operating system's randomness, or, for tests, the same ones for the same seed.

    >>> shuffled = shuffles(seed=7)
    >>> sorted(shuffled(4).tolist()), (shuffles(seed=7)(100) == shuffles(seed=7)(100)).all()
    ([0, 1, 2, 3], np.True_)
    """
    draw = os.urandom if seed is None else np.random.default_rng(seed).bytes

    def shuffle(length: int) -> Integers:
        return np.argsort(np.frombuffer(draw(8 * length), np.uint64), kind="stable").astype(np.int64, copy=False)

    return shuffle
