"""The table of largest entropy by a general method: slow, and with nothing of the package in it."""

import numpy as np
from scipy.optimize import minimize


def amounts_of_largest_entropy(matrix, right, *, equalities, keep):
    """Maximise the entropy of amounts x >= 0 with `matrix @ x` equal to (first rows) or at most `right`, by the dual.

    `keep` says which amounts may be more than 0.
    """
    matrix = matrix[:, keep]

    def dual(multipliers):
        amounts = np.exp(multipliers @ matrix)
        return amounts.sum() - multipliers @ right, matrix @ amounts - right

    free = [(None, None)] * equalities + [(None, 0)] * (len(right) - equalities)
    optimum = minimize(
        dual, np.zeros(len(right)), jac=True, method="L-BFGS-B", bounds=free,
        options={"maxiter": 20_000, "maxfun": 40_000, "ftol": 1e-16, "gtol": 1e-10, "maxcor": 50},
    )  # fmt: skip
    amounts = np.zeros(len(keep))
    amounts[keep] = np.exp(optimum.x @ matrix)
    return amounts
