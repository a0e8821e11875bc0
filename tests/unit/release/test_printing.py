"""How labels came about: nodes above labels, of hierarchies and of what a file tells."""

import sidelight as sl
from sidelight.release.printing import Nodes, Printing

CITIES = sl.Hierarchy("city", (("Ulm", "Kiel", ""), ("South", "North", "unknown"), ("*", "*", "*")))


def test_a_missing_label_stands_where_the_hierarchy_puts_it():
    assert Nodes.of(CITIES).above[None] == ("unknown", "*")
    sex = Nodes.of(sl.Hierarchy.suppression("sex", ["f", "m"]))
    assert sex.above[None] == ("*",)
    assert None in sex


def test_a_hierarchy_of_one_level_has_labels_and_no_nodes():
    only = Nodes.of(sl.Hierarchy("city", (("Ulm", "Kiel"),)))
    assert only.above["Ulm"] == ()
    assert only.under == {}
    assert "Ulm" in only


def test_what_a_file_tells_is_what_the_hierarchy_says_of_printed_nodes():
    whole = Nodes.of(CITIES)
    told = Nodes.covering({"South": whole.under["South"], "unknown": whole.under["unknown"]})
    assert told.above == {"Ulm": ("South",), "": ("unknown",), None: ("unknown",)}
    assert "North" not in told


def test_releases_know_how_they_print():
    table = sl.datasets.adult(quasi=["age", "sex"]).table
    by = sl.datasets.adult().hierarchies
    printing = sl.generalise(table, by=by, to={"sex": 1}).printing
    assert set(printing.nodes) == {"sex"}  # ages are printed as they are
    assert sl.protect(table, sl.GroupSize() >= 50, method="microaggregation").release.printing.averages
    mondrian = sl.protect(table, sl.GroupSize() >= 50, by={"age": by["age"]}, method="mondrian").release.printing
    assert set(mondrian.nodes) == set()  # intervals of numbers mean what they say
    assert not Printing().averages
