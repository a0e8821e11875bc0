"""What measures claim about merging groups: searches prune on it, these tests try to refute it."""

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.every_measure import SEMANTICS, every_measure, measures_of
from support.examples import examples

import sidelight as sl
from sidelight.measures.measure import Monotonicity
from sidelight.policy.measure_names import all_measures
from sidelight.testing import merged, merges


@pytest.mark.parametrize("semantics", SEMANTICS)
def test_merging_groups_keeps_the_claimed_monotonicity(semantics):
    @examples(30)
    @given(merges(semantics=semantics))
    def hunt(pair):
        finer, coarser = pair
        for measure in measures_of(finer):
            if measure.monotonicity(semantics) is Monotonicity.UNKNOWN:
                continue
            before, after = measure.measure(finer).value, measure.measure(coarser).value
            if measure.monotonicity(semantics) is Monotonicity.NON_INCREASING:
                assert after <= before, measure
            else:
                assert after >= before, measure

    hunt()


PERSON = st.tuples(st.sampled_from("123"), st.sampled_from(["Flu", "Cold", "HIV"]), st.sampled_from(["low", "high"]))


@pytest.mark.parametrize("known", [(), ("income",)], ids=["", "knowing another column"])
def test_what_is_claimed_of_releases_holds_of_views_of_one_column(known):
    @examples(12)
    @given(st.lists(PERSON, min_size=1, max_size=12), st.lists(st.integers(0, 1), min_size=3, max_size=3))
    def hunt(people, into):
        columns = dict(zip(("zip", "disease", "income"), map(list, zip(*people, strict=True)), strict=True))
        finer = sl.read_release(pa.table(columns), group="zip", sensitive=["disease", "income"])
        coarser = merged(finer, np.unique(into[: len(finer)], return_inverse=True)[1].tolist())
        for plain in every_measure(finer.about("disease").domain):
            if known and not plain.mergeable:
                continue
            measure = plain.about("disease", known=known)
            before, after = measure.measure(finer).value, measure.measure(coarser).value
            if measure.monotonicity("single") is Monotonicity.NON_INCREASING:
                assert after <= before, measure
            elif measure.monotonicity("single") is Monotonicity.NON_DECREASING:
                assert after >= before, measure

    hunt()


def test_skipping_absent_values_has_no_monotonicity():
    """Group 4 lacks Cold, which is skipped; merged with group 1, Cold is rarer there than it was in any group."""
    finer = sl.Release.from_counts([{"Flu": 3, "Cold": 1}, {"Flu": 1, "Cold": 1}, {"Flu": 1, "Cold": 1}, {"Flu": 1}])
    coarser = merged(finer, [0, 1, 2, 0])
    skipping, strict = sl.DeltaDisclosure(absent="skipped"), sl.DeltaDisclosure()
    assert skipping.when_groups_merge is Monotonicity.UNKNOWN
    assert skipping.measure(finer).value == pytest.approx(math.log(3 / 2))
    assert skipping.measure(coarser).value == pytest.approx(math.log(5 / 3))
    assert strict.measure(finer).value == math.inf
    assert strict.measure(coarser).value == skipping.measure(coarser).value


@pytest.mark.parametrize("kind", all_measures(), ids=lambda kind: kind.__name__)
def test_the_monotonicity_goes_with_what_is_bad(kind):
    for measure in kind.examples(("a", "b")):
        helpful = Monotonicity.NON_INCREASING if measure.large_is_bad else Monotonicity.NON_DECREASING
        assert {measure.monotonicity(semantics) for semantics in measure.semantics} <= {helpful, Monotonicity.UNKNOWN}
