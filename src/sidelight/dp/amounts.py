"""ε and δ: read once, refused when they promise nothing, kept exactly as they were written."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TypeAlias

from sidelight.errors import BadNoise

Amount: TypeAlias = float | int | str | Fraction
"""How much privacy something costs; `0.1` means a tenth, not the binary number next to it."""


def exact(amount: Amount, name: str) -> Fraction:
    """Read an amount as it is written.

    >>> exact(0.1, "epsilon"), exact("1e-6", "delta")
    (Fraction(1, 10), Fraction(1, 1000000))
    """
    if isinstance(amount, Fraction):
        return amount
    try:
        return Fraction(str(amount))
    except (ValueError, ZeroDivisionError):
        message = f"{name} is {amount}, which is no finite number; give a number such as 1 or 0.5"
        raise BadNoise(message) from None


def exact_epsilon(epsilon: Amount, name: str = "epsilon") -> Fraction:
    """Read an ε: above 0."""
    amount = exact(epsilon, name)
    if amount <= 0:
        message = f"{name} is {epsilon}; it must be above 0 (smaller: more noise), such as 1"
        raise BadNoise(message)
    return amount


def exact_delta(delta: Amount, name: str = "delta") -> Fraction:
    """Read a δ: at least 0 and below 1."""
    amount = exact(delta, name)
    if not 0 <= amount < 1:
        message = f"{name} is {delta}; it must be at least 0 and below 1, and far below 1 / people, such as 1e-9"
        raise BadNoise(message)
    return amount


def at_most(amount: Fraction) -> float:
    """Give the largest float that is not above an amount.

    >>> at_most(Fraction(1, 10)) <= Fraction(1, 10) < Fraction(0.1)
    True
    """
    near = float(amount)
    return near if Fraction(near) <= amount else math.nextafter(near, -math.inf)


def at_least(amount: Fraction) -> float:
    """Give the smallest float that is not below an amount."""
    return 0.0 - at_most(-amount)


def written(amount: Fraction) -> str:
    """Write an amount so that it is read back exactly.

    >>> written(Fraction(3)), written(Fraction(1, 10)), written(Fraction(1, 3)), written(Fraction(1, 10**9))
    ('3', '0.1', '1/3', '1e-09')
    """
    near = repr(float(amount))
    if Fraction(near) == amount:
        return near.removesuffix(".0")
    return str(amount)
