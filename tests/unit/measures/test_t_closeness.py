"""Closeness: settings, values without a place, the witness, and the order that is named."""

from fractions import Fraction

import pytest

import sidelight as sl
from sidelight.errors import BadHierarchy, BadMeasure


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: sl.Closeness(distance="far"), "equal, ordered or hierarchical"),
        (lambda: sl.Closeness(distance="hierarchical"), "hierarchy="),
        (lambda: sl.Closeness(hierarchy=sl.Hierarchy.suppression("x", ["a"])), "hierarchy="),
        (lambda: sl.Closeness(order=["a"]), "order="),
    ],
)
def test_settings_that_make_no_sense_name_the_remedy(make, says):
    with pytest.raises(BadMeasure, match=says):
        make()


def test_values_without_a_place_are_named():
    release = sl.Release.from_counts([{"Flu": 1, "Cold": 1}])
    with pytest.raises(BadMeasure, match=r"'Cold' .* order="):
        sl.Closeness(distance="ordered", order=["Flu"]).measure(release)
    tree = sl.Hierarchy.suppression("disease", ["Flu"])
    with pytest.raises(BadHierarchy, match="Cold"):
        sl.Closeness(distance="hierarchical", hierarchy=tree).measure(release)


def test_the_witness_of_closeness_is_what_the_group_has_too_much_of():
    release = sl.Release.from_counts([{"a": 1, "b": 9}, {"a": 40, "b": 20}])
    witness = sl.Closeness().measure(release).witness
    assert (witness.group.number, witness.value) == (1, "b")
    assert (witness.here, witness.overall) == (Fraction(9, 10), Fraction(29, 70))


def test_settings_of_a_policy_file_go_both_ways():
    tree = sl.Hierarchy("value", (("a", "b", "c"), ("x", "x", "y"), ("*", "*", "*")))
    for measure in (
        sl.Closeness(),
        sl.Closeness(distance="ordered", order=["b", "a"]),
        sl.Closeness(distance="hierarchical", hierarchy=tree),
    ):
        assert sl.Closeness.from_settings(**measure.settings()) == measure


def test_a_policy_may_name_the_file_of_a_hierarchy(tmp_path):
    file = tmp_path / "value.csv"
    file.write_text("a;x;*\nb;x;*\nc;y;*\n")
    measure = sl.Closeness.from_settings(distance="hierarchical", hierarchy=str(file))
    assert measure.hierarchy.height == 3


def test_an_order_that_nobody_gave_is_named():
    release = sl.Release.from_counts([{"low": 1, "high": 1}, {"mild": 2}])
    (note,) = sl.Closeness(distance="ordered").measure(release).notes
    assert "closeness(distance=ordered) takes the values in this order: high, low, mild; give order= or" in note
    assert sl.Closeness(distance="ordered", order=["low", "mild", "high"]).measure(release).notes == ()
    assert sl.Closeness().measure(release).notes == ()
    many = sl.Release.from_counts([{f"v{n}": 1 for n in range(30)}])
    assert "… and 10 more" in sl.Closeness(distance="ordered").measure(many).notes[0]
