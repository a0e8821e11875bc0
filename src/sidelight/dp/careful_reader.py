"""What somebody expects the counts to be who knows that they have noise, and nothing else."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from sidelight.dp.mechanism import Mechanism
from sidelight.dp.noisy_counts import NoisyCounts
from sidelight.measures.exact import Floats
from sidelight.table.columns import Integers

AT_ONCE = 512
"""How many counts are weighed at a time."""


def expected_counts(noisy: NoisyCounts) -> Floats:
    """How many people does a careful reader expect behind each noisy count?  Never none: noise rules nothing out.

    E[n | measured], by Bayes' rule: before, n is Poisson with the mean that the group's people and the value's share
    over all groups suggest; Pr(measured | n) is that of the noise.
    """
    people = noisy.counts.sum(axis=1, keepdims=True) + 0.5
    shares = (noisy.counts.sum(axis=0) + 0.5) / (noisy.counts.sum() + 0.5 * len(noisy.domain))
    means, measured = (people * shares).ravel(), noisy.measured.ravel()
    parts = [
        _expected(measured[start : start + AT_ONCE], means[start : start + AT_ONCE], noisy.mechanism)
        for start in range(0, len(measured), AT_ONCE)
    ]
    return np.concatenate(parts).reshape(noisy.measured.shape)


def _expected(measured: Integers, means: Floats, mechanism: Mechanism) -> Floats:
    """Weigh every n that is not out of the question: between the measured count and its mean, and some way beyond."""
    reach = np.ceil(12 * mechanism.scale + 12 * np.sqrt(means) + 12).astype(np.int64)
    low = np.maximum(np.minimum(measured, means.astype(np.int64)) - reach, 0)
    high = np.maximum(measured, means.astype(np.int64)) + reach
    n = low[:, np.newaxis] + np.arange(int((high - low).max()) + 1)
    log_weight = n * np.log(means)[:, np.newaxis] - gammaln(n + 1) + mechanism.log_weight(measured[:, np.newaxis] - n)
    weight = np.exp(log_weight - log_weight.max(axis=1, keepdims=True))
    expected: Floats = (weight * n).sum(axis=1) / weight.sum(axis=1)
    return expected
