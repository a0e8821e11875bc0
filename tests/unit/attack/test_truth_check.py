"""Claims against the truth: calibration, on people who are really there."""

from fractions import Fraction

import numpy as np
import polars as pl
import pyarrow.parquet as pq
import pytest

import sidelight as sl
from sidelight.attack.simulation import draw_samples

ZIPS = [{"zip": "1"}, {"zip": "2"}]
ONE = sl.Release.from_counts([{"a": 3, "b": 1}, {"a": 1, "c": 4}], labels=ZIPS)
PEOPLE = pl.DataFrame({"zip": ["1", "1", "1", "1", "2"], "real": ["a", "a", "b", "b", "c"]})


def test_claims_are_put_beside_what_is_right():
    calibration = sl.intersect([ONE], people=PEOPLE, truth="real").truth.calibration
    assert [(each.low, each.people, each.right) for each in calibration.bins] == [
        (Fraction(7, 10), 4, Fraction(1, 2)),
        (Fraction(4, 5), 1, Fraction(1)),
    ]
    assert calibration.people == 5
    assert calibration.claimed == pytest.approx((4 * 0.75 + 0.8) / 5)
    assert calibration.right == Fraction(3, 5)
    assert calibration.expected_error == pytest.approx((4 * 0.25 + 0.2) / 5)


def test_nobody_claims_anything_of_people_about_whom_releases_contradict_each_other():
    other = sl.Release.from_counts([{"c": 1}], labels=ZIPS[:1])
    truth = sl.intersect([ONE, other], people=PEOPLE, truth="real").truth
    assert (truth.people, truth.calibration.people) == (5, 1)
    assert truth.log_belief == -np.inf  # true values are ruled out


ALL = ["age", "workclass", "education", "marital-status", "race", "sex", "native-country"]
PART, OTHER_PART = ["age", "workclass", "race"], ["education", "marital-status", "sex"]


def published(table, quasi, k):
    """Publish by some of the columns only; people are still known by all of them."""
    frame = {column.name: [column.cell(row) for row in range(len(table.sizes))] for column in table.quasi}
    row, value, count = table.counts.entries()
    rows = np.repeat(row, count)
    people = pl.DataFrame({name: np.array(frame[name], object)[rows].tolist() for name in quasi})
    people = people.with_columns(job=pl.Series([table.domain[each] for each in np.repeat(value, count)]))
    narrow = sl.read_table(people, quasi=quasi, sensitive="job")
    return sl.protect(narrow, sl.Policy(sl.GroupSize() >= k), method="mondrian", ask="nobody")


def adult_samples(*, overlap, people, seed=1):
    table = sl.datasets.adult(quasi=ALL).table
    return draw_samples(table, overlap=overlap, people=people, releases=2, rng=np.random.default_rng(seed))


@pytest.mark.parametrize(
    ("quasi", "k"), [((ALL, ALL), 5), ((ALL, ALL), 20), ((PART, OTHER_PART), 10)], ids=["same", "coarse", "disjoint"]
)
def test_beliefs_are_calibrated_whether_releases_go_by_the_same_columns_or_not(quasi, k):
    """The product claimed 0.47 and was right about 0.37: what both releases say counts once."""
    drawn = adult_samples(overlap=3_000, people=9_000)
    results = [published(sample, columns, k) for sample, columns in zip(drawn.samples, quasi, strict=True)]
    calibration = sl.intersect(results, people=drawn.shared).truth.calibration
    assert calibration.expected_error < 0.05
    assert calibration.claimed == pytest.approx(float(calibration.right), abs=0.035)
    curve = [each for each in calibration.bins if each.people >= 150]
    assert len(curve) >= 4
    for each in curve:
        assert each.claimed == pytest.approx(float(each.right), abs=0.08)
    product = sl.intersect(results, people=drawn.shared, evidence="independent").truth
    if quasi[0] == quasi[1]:
        assert product.calibration.claimed > float(product.calibration.right) + 0.06
    assert sl.intersect(results, people=drawn.shared).truth.log_belief >= product.log_belief - 0.005


def test_the_same_people_twice_are_evidence_once():
    (sample,) = adult_samples(overlap=5_000, people=5_000).samples[:1]
    results = [published(sample, ALL, k) for k in (5, 7)]
    calibration = sl.intersect(results, people=sample).truth.calibration
    assert calibration.expected_error < 0.03


def test_lists_hold_the_truth_when_people_may_be_absent():
    """Two samples with 1,000 of 6,000 people in both: lists held the truth for 83 %, and of 56 given away 21 were."""
    drawn = adult_samples(overlap=1_000, people=6_000)
    results = [published(sample, ALL, 10) for sample in drawn.samples]
    people = drawn.samples[0]
    assumed = sl.intersect(results, people=people)
    assert assumed.truth.hits < Fraction(9, 10)
    assert assumed.truth.given_away < assumed.perfect * Fraction(3, 4)
    assert assumed.truth.log_belief == -np.inf
    allowed = sl.intersect(results, people=people, present=[1, Fraction(1, 6)])
    assert allowed.truth.hits == 1
    assert allowed.contradicted == 0
    assert allowed.perfect == allowed.truth.given_away
    assert allowed.truth.log_belief > -1.75
    assert allowed.truth.calibration.expected_error < 0.02
    prior_only = sl.intersect(results, people=people, present=[1, Fraction(1, 6)], evidence="independent")
    assert prior_only.truth.hits == 1
    assert prior_only.truth.log_belief < allowed.truth.log_belief


def test_a_set_of_conditions_each_is_claimed_with_right():
    people, results = nhefs_samples(k=10)
    exposure = sl.intersect(results, people=people)
    assert exposure.truth.hits == 1
    assert exposure.contradicted == 0
    assert exposure.truth.calibration.expected_error < 0.05
    independent = sl.intersect(results, people=people, evidence="independent").truth.calibration
    assert independent.expected_error > 2 * exposure.truth.calibration.expected_error


def nhefs_samples(*, k, overlap=500, own=500):
    quasi = ["age", "sex", "race", "education"]
    rows = pl.from_arrow(pq.read_table(sl.datasets.nhefs().path))
    names = np.random.default_rng(0).permutation(rows["person"].unique().sort().to_numpy())
    shared = names[:overlap]
    drawn = [
        shared,
        *(np.concatenate([shared, names[start : start + own]]) for start in (overlap, overlap + own)),
    ]
    people, *samples = [
        sl.read_table(
            rows.filter(pl.col("person").is_in(each.tolist())),
            quasi=quasi,
            sensitive="condition",
            person="person",
            values="set",
            missing="no value",
        )
        for each in drawn
    ]
    return people, [
        sl.protect(each, sl.Policy(sl.GroupSize() >= k), method="mondrian", ask="nobody") for each in samples
    ]
