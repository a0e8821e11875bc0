"""Least squares step by step: what holds wherever the steps end.

Whole counts of at least 0: near to what was measured, and adding up to it.
"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from support.examples import examples

from sidelight.errors import BadNoise
from sidelight.noise.estimates import NestedLeastSquares, NoisePart, NoisyAnswer, fit_marginals, margin_of, postprocess
from sidelight.noise.mechanism import Mechanism
from sidelight.noise.workload import CellLayout, coarser_level


def test_answers_are_right_on_average_even_if_the_steps_end_too_soon(monkeypatch):
    monkeypatch.setattr("sidelight.noise.estimates.STEPS_AT_MOST", 1)
    layout = CellLayout((7, 3), (coarser_level(0, 1, [0, 0, 0, 0, 1, 1, 2]),))
    fast = NestedLeastSquares(layout, {(0, 1): 4.0, (2,): 1.0, (1,): 2.0})
    beside, lowered, _ = fast.weights([np.array([0, 4]), np.array([1])])
    chosen = np.zeros(layout.shape)
    chosen[np.ix_([0, 4], [1])] = 1
    together = chosen - lowered[np.ix_(*fast._groups)]
    for axes, weights in beside.items():
        together = together + layout.spread(weights, axes)
    assert np.allclose(together, chosen, atol=1e-12)


def test_labels_that_symmetries_swap_are_of_one_kind():
    layout = CellLayout((7, 3), (coarser_level(0, 1, [0, 0, 0, 1, 1, 1, 2]),))
    fast = NestedLeastSquares(layout, {(0, 1): 4.0, (2,): 1.0})
    assert [[each.tolist() for each in kind] for kind in fast.kinds((2,))] == [
        [[0, 1, 2], [0, 1, 2]],
        [[6], [0, 1, 2]],
    ]
    assert len(fast.kinds((0, 1))) == 2
    assert len(fast.kinds(())) == 1


ESTIMATES = arrays(np.float64, (3, 2, 4), elements=st.floats(-6, 40, width=32))


@examples(60)
@given(ESTIMATES)
def test_parts_of_a_person_are_rounded_to_the_same_total(estimates):
    whole = postprocess(estimates)
    assert whole.min() >= 0
    assert whole.sum() == max(round(estimates.sum().item()), 0)


@examples(60)
@given(ESTIMATES, st.lists(st.sampled_from([(), (0,), (1,), (2,), (0, 2), (1, 2)]), max_size=3))
def test_counts_that_fit_marginals_are_whole_and_keep_the_total(estimates, marginals):
    whole = fit_marginals(estimates, marginals)
    assert whole.dtype == np.int64
    assert whole.min() >= 0
    assert whole.sum() == max(round(estimates.sum().item()), 0)


def test_counts_add_up_as_marginals_say():
    """What noise puts into 400 empty cells is not taken from the women."""
    numbers = np.random.default_rng(3)
    truth = np.zeros((2, 400))
    truth[0, :100] = 6
    estimates = truth + numbers.laplace(0, 3, truth.shape)
    estimates[0] += (600 - estimates[0].sum()) / 400
    estimates[1] += (0.4 - estimates[1].sum()) / 400
    assert abs(fit_marginals(estimates, [(0,)])[0].sum() - 600) <= 1
    assert postprocess(estimates)[0].sum() < 550


@pytest.mark.parametrize("estimates", [np.full((2, 2), -1.5), np.zeros((2, 2)), np.array([[0.2, -0.4], [0.1, 0.3]])])
def test_where_nobody_is_left_nobody_is_counted(estimates):
    assert not fit_marginals(estimates, [(0,), (1,)]).any()


def test_marginals_that_cannot_both_hold_still_give_the_total():
    estimates = np.array([[9.0, -9.0], [-9.0, 14.0]])
    assert fit_marginals(estimates, [(0,), (1,)]).sum() == 5


LAPLACE = Mechanism("discrete Laplace", 1.0)
GAUSSIAN = Mechanism("discrete Gaussian", 4.53)


@pytest.mark.parametrize("mechanism", [LAPLACE, Mechanism("discrete Laplace", 20.0)])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.99999])
def test_the_margin_of_one_count_is_that_of_its_noise(mechanism, confidence):
    assert margin_of([NoisePart(mechanism, 1)], confidence) == mechanism.margin(confidence)


def test_margins_of_large_sums_are_those_of_a_normal_distribution():
    for mechanism in (LAPLACE, GAUSSIAN):
        part = NoisePart(mechanism, 14_000)
        assert margin_of([part], 0.95) == pytest.approx(1.96 * math.sqrt(part.variance), rel=0.005)


def test_an_answer_reads_as_a_number_with_its_margin():
    answer = NoisyAnswer(-1234.4, "people", (NoisePart(LAPLACE, 1),))
    assert str(answer) == "-1,234 ± 3"
    assert int(answer) == -1234
    assert float(answer) == -1234.4
    assert repr(NoisyAnswer(5, "values", ())) == "<NoisyAnswer 5 ± 0 values>"


def test_what_cannot_be_transformed_is_bounded():
    wide = NoisePart(Mechanism("discrete Laplace", 1e6), 10**6)
    assert 1.96 * math.sqrt(wide.variance) < margin_of([wide], 0.95) < 3 * math.sqrt(wide.variance)
    assert margin_of([wide, NoisePart(LAPLACE, 1)], 0.95) >= margin_of([wide], 0.95)
    # beyond what floats can add up
    assert margin_of([NoisePart(LAPLACE, 3)], 1 - 1e-14) > margin_of([NoisePart(LAPLACE, 3)], 1 - 1e-9)


def test_noise_that_does_not_count_has_no_margin():
    assert margin_of([NoisePart(LAPLACE, 0), NoisePart(GAUSSIAN, 5, 0.0)], 0.95) == 0
    # so little noise that hardly any count is touched
    assert margin_of([NoisePart(Mechanism("discrete Laplace", 0.01), 100)], 0.95) == 0


@pytest.mark.parametrize("confidence", [0, 1, -1, float("nan")])
def test_a_confidence_is_a_share(confidence):
    with pytest.raises(BadNoise, match="confidence"):
        margin_of([NoisePart(LAPLACE, 1)], confidence)


def test_several_noises_are_rounded_by_little():
    parts = [NoisePart(LAPLACE, 14_000, 0.01), NoisePart(Mechanism("discrete Laplace", 3.3), 1, -0.9)]
    drawn = np.random.default_rng(5)
    geometric = drawn.geometric(-np.expm1(-1 / 3.3), (2, 200_000))
    error = 0.01 * drawn.normal(0, math.sqrt(14_000 * LAPLACE.variance()), 200_000) - 0.9 * (
        geometric[0] - geometric[1]
    )
    assert margin_of(parts, 0.95) == pytest.approx(np.quantile(np.abs(error), 0.95), rel=0.02)
