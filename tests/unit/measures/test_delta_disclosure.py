"""Disclosure: what is absent, which value is pointed at, and words."""

import pytest

import sidelight as sl
from sidelight.errors import BadMeasure


def test_a_way_to_take_absent_values_that_there_is_not():
    with pytest.raises(BadMeasure, match="infinite or skipped"):
        sl.DeltaDisclosure(absent="ignored")


def test_the_witness_is_the_first_of_those_that_change_most():
    """Nowhere occurs in no group: it is not compared, however early it stands in the domain."""
    release = sl.Release.from_counts([{"a": 1, "b": 2}, {"a": 2, "b": 4}], domain=["nowhere", "a", "b"])
    assert sl.DeltaDisclosure().measure(release).witness.value == "a"
    assert sl.DeltaDisclosure(absent="skipped").measure(release).witness.value == "a"


@pytest.mark.parametrize(
    ("measure", "counts", "words"),
    [
        (sl.DeltaDisclosure(), [{"a": 2}, {"b": 1}], "'b' is 1/3 of all values, and nobody in group 1 has it"),
        (sl.DeltaDisclosure(), [{"a": 9, "b": 1}, {"a": 5, "b": 5}], "times as rare"),
    ],
)
def test_words(measure, counts, words):
    assert words in measure.measure(sl.Release.from_counts(counts)).explain()
