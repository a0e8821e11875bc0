"""The five minima: the kernel next to exact numbers, and merging in any order."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.measures.exact import FRACTIONS
from sidelight.measures.privacy_skyline.five_minima import (
    ARRANGEMENTS,
    FiveMinima,
    Knowledge,
    ValueInGroup,
    five_products,
    log_products,
    ruled_out_weights,
)
from sidelight.testing import releases

knowledge = st.builds(Knowledge, st.integers(0, 3), st.integers(0, 4), st.integers(0, 4))


@given(releases(max_people=9), knowledge)
def test_the_kernel_is_the_logarithm_of_the_exact_products(release, knows):
    groups = release.groups
    counts = groups.counts.dense()
    weights = ruled_out_weights(groups, counts, knows.rules_out)
    logs = log_products(groups.semantics, groups.sizes[:, np.newaxis], np.maximum(counts, 1), weights, knows)
    for row, value in np.argwhere(counts > 0).tolist():
        place = ValueInGroup.at(groups, row, value, knows.rules_out)
        for factors, log in zip(five_products(knows), logs, strict=True):
            exact = place.product(factors, knows.family, FRACTIONS)
            assert np.exp(np.broadcast_to(log, counts.shape)[row, value]) == pytest.approx(float(exact), rel=1e-9)


@given(releases(max_groups=4, max_people=6), knowledge)
def test_parts_merge_in_any_order(release, knows):
    values = np.arange(len(release.domain))
    parts = [
        FiveMinima.of(release.groups.take(slice(row, row + 1)), values, knows) for row in range(len(release.groups))
    ]
    whole = FiveMinima.of(release.groups, values, knows)
    for order in list(permutations(parts))[:6]:
        merged = order[0]
        for part in order[1:]:
            merged = merged.merge(part)
        assert merged.worst() == whole.worst()
        assert (merged.numbers() == whole.numbers()).all()


def test_a_value_that_nobody_has_has_no_worst():
    release = sl.Release.from_counts([{"a": 2}], domain=["a", "b"])
    assert FiveMinima.of(release.groups, np.array([1]), Knowledge(1, 1, 1)).worst() is None


def test_of_equal_arrangements_the_one_with_the_fewest_groups_speaks():
    release = sl.Release.from_counts([{"a": 1, "b": 3}, {"a": 1, "b": 3}])
    worst = FiveMinima.of(release.groups, np.array([0]), Knowledge(0, 0, 0)).worst()
    assert worst == (0, ARRANGEMENTS.index((0,)), Fraction(1, 4))
