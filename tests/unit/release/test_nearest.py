"""The nearest printed average, by what each column is."""

import numpy as np
import pytest

import sidelight as sl
from sidelight.release.nearest import nearest_groups
from sidelight.release.printing import Nodes
from sidelight.table.table import Column


def column(*labels, kind=None):
    return Column("x", labels, np.arange(len(labels), dtype=np.int32), kind)


def nearest(known, printed, hierarchy=None):
    """Give the printed labels that are nearest to each known one."""
    nodes = {} if hierarchy is None else {"x": Nodes.of(hierarchy)}
    row, group = nearest_groups([(known, printed)], len(printed), nodes)
    return [[printed.labels[at] for at in group[row == person]] for person in range(len(known))]


def test_numbers_are_near_by_size_and_codes_only_to_themselves():
    known, printed = ("1", "2", "3"), ("1", "4")
    assert nearest(column(*known), column(*printed)) == [["1"], ["1"], ["4"]]
    assert nearest(column(*known), column(*printed, kind="category")) == [["1"], ["1", "4"], ["1", "4"]]
    assert nearest(column(*known, kind="category"), column(*printed)) == [["1"], ["1", "4"], ["1", "4"]]


def test_codes_with_a_hierarchy_of_names_are_near_along_it():
    regions = sl.Hierarchy.nested("x", {"North": ["1", "4"], "South": ["2", "3"]})
    assert nearest(column("1", "2", "4"), column("1", "3"), regions) == [["1"], ["3"], ["1"]]


def test_ordered_labels_are_near_in_the_order_that_is_known():
    order = column("low", "middle", "high", kind="ordered")
    printed = column("high", "low", kind="ordered")
    assert nearest(order, printed) == [["low"], ["high", "low"], ["high"]]
    # text whose order nobody tells is compared as names are
    assert nearest(column("low", "middle", "high"), printed) == [["low"], ["high", "low"], ["high"]]
    assert nearest(column("10", "2", "30"), column("12", "30", kind="ordered")) == [["12"], ["12"], ["30"]]


@pytest.mark.parametrize("kind", [None, "number"])
def test_a_missing_number_stands_beside_the_line(kind):
    known = column("10", "90", None, kind=kind)
    assert nearest(known, column("20", None)) == [["20"], ["20"], [None]]
    assert nearest(known, column("20", "50", "80")) == [["20"], ["80"], ["50"]]


def test_a_missing_ordered_label_stands_beside_the_line():
    known = column("low", "middle", "high", None, kind="ordered")
    assert nearest(known, column("low", "middle", "high", kind="ordered"))[3] == ["middle"]


def test_what_is_printed_as_no_number_is_compared_by_its_labels():
    assert nearest(column("25", "40", kind="number"), column("20-29", "40")) == [["20-29"], ["40"]]
