"""The parameters of a promise: ε, δ, and which data sets must look alike.

A release is (ε, δ)-differentially private when for all neighbouring data sets D, D' and all events O

    Pr(O | D) ≤ e^ε · Pr(O | D') + δ.

Amounts are read once, kept exactly as they were written (`0.1` is a tenth), and refused where they promise nothing.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Literal, TypeAlias

from sidelight.errors import BadNoise, parameter

Amount: TypeAlias = float | int | str | Fraction
"""How much privacy something costs; `0.1` means a tenth, not the binary number next to it."""

Neighbours: TypeAlias = Literal["add or remove", "replace"]
"""Data sets that must look alike: one has a person more, or one person's row is another one."""

_COUNTS_TOUCHED = {"add or remove": 1, "replace": 2}


def counts_touched(neighbours: str) -> int:
    """Say how many counts one person changes by one: each is in one cell, and a replaced one leaves it for another.

    >>> counts_touched("replace")
    2
    """
    if neighbours not in _COUNTS_TOUCHED:
        message = f'no {parameter("neighbours", neighbours)}; choose "add or remove" or "replace"'
        raise BadNoise(message)
    return _COUNTS_TOUCHED[neighbours]


def exact_amount(amount: Amount, name: str) -> Fraction:
    """Read an amount as it is written.

    >>> exact_amount(0.1, "epsilon"), exact_amount("1e-6", "delta")
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
    amount = exact_amount(epsilon, name)
    if amount <= 0:
        message = f"{name} is {epsilon}; it must be above 0 (smaller: more noise), such as 1"
        raise BadNoise(message)
    return amount


def exact_delta(delta: Amount, name: str = "delta") -> Fraction:
    """Read a δ: at least 0 and below 1."""
    amount = exact_amount(delta, name)
    if not 0 <= amount < 1:
        message = f"{name} is {delta}; it must be at least 0 and below 1, and far below 1 / people, such as 1e-9"
        raise BadNoise(message)
    return amount


def amount_text(amount: Fraction | float) -> str:
    """Write an amount so that it is read back exactly; a float, which is a bound already, in four digits.

    >>> [amount_text(Fraction(each)) for each in ("3", "1/10", "1/3", "1e-9")], amount_text(2 / 3)
    (['3', '0.1', '1/3', '1e-09'], '0.6667')
    """
    if isinstance(amount, float):
        return f"{amount:.4g}"
    near = repr(float(amount))
    if Fraction(near) == amount:
        return near.removesuffix(".0")
    return str(amount)
