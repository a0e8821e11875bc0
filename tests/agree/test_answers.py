"""Margins of sums of noises: by transforms as by adding up one noise at a time."""

import itertools
import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples

from sidelight.noise.estimates import NoisePart, margin_of
from sidelight.noise.mechanism import Mechanism

MECHANISMS = st.builds(
    Mechanism, st.sampled_from(["discrete Laplace", "discrete Gaussian"]), st.sampled_from([0.2, 0.7, 1.0, 3.5])
)
CONFIDENCES = st.sampled_from([0.1, 0.5, 0.9, 0.95, 0.999])


def chances(mechanism):
    """Every noise that matters with its chance."""
    furthest = math.ceil(40 * mechanism.scale) + 2
    noise = np.arange(-furthest, furthest + 1)
    weight = np.exp(mechanism.log_weight(noise))
    return noise, weight / weight.sum()


def beyond(parts, margin):
    """Add the draws one by one, as a dictionary of sums; give the chance of more than the margin."""
    sums = {0.0: 1.0}
    for part in parts:
        noise, chance = chances(part.mechanism)
        kept = chance > 1e-9
        for _ in range(part.draws):
            total = {}
            for (before, one), (drawn, two) in itertools.product(
                sums.items(), zip(noise[kept].tolist(), chance[kept].tolist(), strict=True)
            ):
                key = round(before + part.weight * drawn, 9)
                total[key] = total.get(key, 0.0) + one * two
            sums = {key: mass for key, mass in total.items() if mass > 1e-10}
    return sum(mass for key, mass in sums.items() if abs(key) > margin + 1e-9)


@examples(40)
@given(MECHANISMS, st.integers(1, 4), CONFIDENCES)
def test_margins_of_one_kind_are_the_smallest(mechanism, draws, confidence):
    parts = [NoisePart(mechanism, draws)]
    margin = margin_of(parts, confidence)
    assert beyond(parts, margin) <= 1 - confidence + 1e-6
    assert margin == 0 or beyond(parts, margin - 1) > 1 - confidence - 1e-6


@examples(25)
@given(
    st.lists(
        st.builds(NoisePart, MECHANISMS, st.just(1), st.sampled_from([1.0, -0.5, 0.25, 2.0])), min_size=2, max_size=3
    ),
    CONFIDENCES,
)
def test_margins_of_several_kinds_are_never_too_small_and_little_too_large(parts, confidence):
    margin = margin_of(parts, confidence)
    deviation = math.sqrt(sum(part.variance for part in parts))
    assert beyond(parts, margin) <= 1 - confidence + 1e-6
    # as many steps smaller as noises are rounded by, it is too small
    smaller = margin - 0.02 * deviation - max(abs(part.weight) for part in parts)
    assert smaller < 0 or beyond(parts, smaller) > 1 - confidence - 1e-6
