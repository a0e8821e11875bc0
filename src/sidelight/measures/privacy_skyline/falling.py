"""How likely is it that people drawn from a group miss all who have a value?  Its logarithm, to the last digits.

    Π_{i<m} (n−a−i)/(n−i)  =  (n−m)!·(n−a)! / (n!·(n−a−m)!)

A difference of log-factorials loses as many digits as n has.  With x! = x^(x+½)·e^(c−x+s(x)) (Stirling, s(x) ≈ 1/12x)
all that is large cancels on paper instead:

    (n−m+½)·ln(1−m/n) + m·ln((n−a)/n) − (n−a−m+½)·ln(1−m/(n−a)) + s(n−m) + s(n−a) − s(n) − s(n−a−m)

where no term is above a few times m: that is how much rounding may weigh.  It is the same with a and m exchanged.
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from sidelight.measures.exact import Floats
from sidelight.table.columns import Integers

SMALL = 64
"""From here on three terms of the series for s(x) are as good as floats get."""

_LOG_FACTORIAL = gammaln(np.arange(1, 1025))
"""In small groups there are digits enough, and looking them up is quicker."""

_X = np.arange(SMALL)
_HALF_TURN = np.log(2 * np.pi) / 2  # c
_SMALL_S = _LOG_FACTORIAL[_X] - (_X + 0.5) * np.log(np.maximum(_X, 1)) + _X - _HALF_TURN  # s(0) as if ln 0 were ln 1


def log_missing_all(n: Integers, a: Integers, m: int | Integers) -> Floats:
    """Give the logarithm of the chance that m of n people are none of a; whole numbers, a + m ≤ n, n > 0.

    >>> np.exp(log_missing_all(np.array([5, 5]), np.array([2, 4]), np.array([2, 1]))).round(9).tolist()
    [0.3, 0.2]
    """
    if np.max(n, initial=0) < len(_LOG_FACTORIAL):
        logs: Floats = _LOG_FACTORIAL[n - m] + _LOG_FACTORIAL[n - a] - _LOG_FACTORIAL[n] - _LOG_FACTORIAL[n - a - m]
        return logs
    many, few = np.maximum(a, m), np.minimum(a, m)
    others, rest = n - many, n - many - few
    some, at_least_one = np.maximum(others, 1), np.maximum(rest, 1)  # 0! is 1!
    found: Floats = (
        (n - few + 0.5) * np.log1p(-few / n)
        + few * np.log(some / n)
        - (rest + 0.5) * np.log1p((at_least_one - some) / some)
        + (_s(n - few) - _s(n))
        + (_s(others) - _s(rest))
    )
    return found


def _s(x: Integers) -> Floats:
    """What Stirling's formula leaves out."""
    large = 1 / np.maximum(x, SMALL)
    square = large * large
    series = large * (1 / 12 - square * (1 / 360 - square / 1260))
    return np.where(x < SMALL, _SMALL_S[np.minimum(x, SMALL - 1)], series)
