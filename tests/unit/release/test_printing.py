"""How labels came about: nodes above labels, of hierarchies and of what a file tells."""

import pytest

import sidelight as sl
from sidelight.release.printing import Nodes, Printing, kind_of
from sidelight.table.table import Column

CITIES = sl.Hierarchy("city", (("Ulm", "Kiel", ""), ("South", "North", "unknown"), ("*", "*", "*")))


def test_a_missing_label_stands_where_the_hierarchy_puts_it():
    assert Nodes.from_hierarchy(CITIES).above[None] == ("unknown", "*")
    sex = Nodes.from_hierarchy(sl.Hierarchy.suppression("sex", ["f", "m"]))
    assert sex.above[None] == ("*",)
    assert None in sex


def test_a_hierarchy_of_one_level_has_labels_and_no_nodes():
    only = Nodes.from_hierarchy(sl.Hierarchy("city", (("Ulm", "Kiel"),)))
    assert only.above["Ulm"] == ()
    assert only.labels_by_node == {}
    assert "Ulm" in only


def test_what_a_file_tells_is_what_the_hierarchy_says_of_printed_nodes():
    whole = Nodes.from_hierarchy(CITIES)
    told = Nodes.covering({"South": whole.labels_by_node["South"], "unknown": whole.labels_by_node["unknown"]})
    assert told.above == {"Ulm": ("South",), "": ("unknown",), None: ("unknown",)}
    assert "North" not in told


def test_releases_know_how_they_print():
    table = sl.datasets.adult(quasi=["age", "sex"]).table
    by = sl.datasets.adult().hierarchies
    printing = sl.generalise(table, by=by, to={"sex": 1}).printing
    assert set(printing.nodes) == {"sex"}  # ages are printed as they are
    assert sl.protect(table, sl.GroupSize() >= 50, method="microaggregation", ask="nobody").release.printing.averages
    mondrian = sl.protect(
        table, sl.GroupSize() >= 50, by={"age": by["age"]}, method="mondrian", ask="nobody"
    ).release.printing
    assert set(mondrian.nodes) == set()  # intervals of numbers mean what they say
    assert not Printing().averages


AGES = [str(age) for age in range(18, 92)]


def judged(labels, hierarchy):
    return kind_of(Column.of("x", labels), Nodes.from_hierarchy(hierarchy))


@pytest.mark.parametrize(
    "labels",
    [
        ("0-17", "18-64", "65+"),
        ("[0, 18)", "[18, 65)", "[65, inf)"),
        ("<18", "18 to 64", ">=65"),
    ],
)
def test_numbers_that_are_printed_as_intervals_stay_numbers(labels):
    child, adult, old = labels
    level = tuple(child if int(age) < 18 else adult if int(age) < 65 else old for age in AGES)
    assert judged(AGES, sl.Hierarchy("x", (tuple(AGES), level, ("*",) * len(AGES)))) == "number"


def test_numbers_that_are_printed_under_names_or_masks_are_categories():
    names = tuple("adult" if int(age) < 65 else "old" for age in AGES)
    assert judged(AGES, sl.Hierarchy("x", (tuple(AGES), names))) == "category"
    assert judged(["81667", "81675"], sl.Hierarchy.masks("x", ["81667", "81675"])) == "category"
    assert judged(AGES, sl.Hierarchy.suppression("x", AGES)) == "category"


def test_intervals_elsewhere_are_names():
    wrong = tuple("90-99" if int(age) < 65 else "0-9" for age in AGES)
    assert judged(AGES, sl.Hierarchy("x", (tuple(AGES), wrong))) == "category"


def test_only_whole_numbers_become_categories():
    halves = ["1.5", "2.5"]
    assert judged(halves, sl.Hierarchy("x", (tuple(halves), ("low", "high")))) == "number"
    days = ["1984-03-09", "1990-11-30"]
    assert judged(days, sl.Hierarchy.dates("x", days)) == "date"
