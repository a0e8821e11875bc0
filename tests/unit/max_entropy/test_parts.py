"""Rows cut into parts by conditions that groups print too little about.

What printed labels may stand for, in bundles of raw labels.
"""

import numpy as np
import pytest

import sidelight as sl
from sidelight.errors import BadKnowledge, TooHard
from sidelight.max_entropy import variables as module
from sidelight.max_entropy.variables import NO_NODES, ColumnCells, RawLabels, Variables
from sidelight.release.printed_labels import Nodes
from sidelight.table.hierarchy import Hierarchy


def weights(printed, mentioned, nodes=NO_NODES):
    """Of each printed label: how many raw labels fulfil the first condition, and how many do not."""
    cells = ColumnCells(printed, mentioned, nodes)
    inside, outside = dict.fromkeys(printed, 0.0), dict.fromkeys(printed, 0.0)
    for label, cell, weight in zip(cells.label, cells.cell, cells.weight, strict=True):
        (inside if cells.holds[cell, 0] else outside)[printed[label]] += weight
    return {label: (inside[label], outside[label]) for label in printed}


@pytest.mark.parametrize(
    ("printed", "condition", "expected"),
    [
        (("F", "M", "*"), "F", {"F": (1, 0), "M": (0, 1), "*": (1, 1)}),
        (("F", "*"), "F", {"F": (1, 0), "*": (1, 1)}),  # there may be another
        (("{F, M}", "F"), "F", {"{F, M}": (1, 1), "F": (1, 0)}),
        (("30-39", "34", "40-49"), "34", {"30-39": (1, 9), "34": (1, 0), "40-49": (0, 10)}),
        (("30-39", "34.0", "40-49"), "30-39", {"30-39": (10, 0), "34.0": (1, 0), "40-49": (0, 10)}),
        (("30-34", "35-44"), "30-39", {"30-34": (5, 0), "35-44": (5, 5)}),
        (("33.5-36.1", "*"), "34", {"33.5-36.1": (1, 26), "*": (1, 26)}),
        (("[30, 40)", "40"), "40", {"[30, 40)": (0, 10), "40": (1, 0)}),
        (("<20", "65+"), "70", {"<20": (0, 1), "65+": (1, 6)}),
        (("130**", "131**", "*"), "13012", {"130**": (1, 99), "131**": (0, 100), "*": (1, 199)}),
        (("13***", "130**"), "130**", {"13***": (100, 900), "130**": (100, 0)}),
        (("2024", "2024-Q1", "2024-03-09"), "2024-03", {"2024": (31, 335), "2024-Q1": (31, 60), "2024-03-09": (1, 0)}),
        (("1980-1989", "1984", "*"), "1984", {"1980-1989": (1, 9), "1984": (1, 0), "*": (1, 9)}),
        (("30-39 or (missing)", "40"), None, {"30-39 or (missing)": (1, 10), "40": (0, 1)}),
        (("{Salt, pepper, Widowed}", "Salt, pepper"), "Salt, pepper", {"{Salt, pepper, Widowed}": (1, 1), "Salt, pepper": (1, 0)}),
        (("1", "2", "3", "4", "*"), "2", {"1": (0, 1), "2": (1, 0), "3": (0, 1), "4": (0, 1), "*": (1, 3)}),
    ],
)  # fmt: skip
def test_raw_labels_are_counted(printed, condition, expected):
    assert weights(printed, (condition,)) == expected


def test_a_hierarchy_says_what_there_is():
    town = Nodes.from_hierarchy(
        Hierarchy("town", (("Bonn", "Köln", "Ulm"), ("West", "West", "South"), ("*", "*", "*")))
    )
    counted = {"West": (1, 1), "South": (0, 1), "*": (1, 2), "Bonn": (1, 0), "{Bonn, Ulm}": (1, 1)}
    assert weights(tuple(counted), ("Bonn",), town) == counted
    assert weights(("Bonn", "*"), ("West",), town) == {"Bonn": (1, 0), "*": (2, 1)}


def test_long_intervals_are_not_written_out():
    assert len(RawLabels(("0-1000000000", "5-7"), ("*****", "12***")).weight) < 12


def test_a_label_that_nothing_known_leaves_room_for_is_nobodys():
    release = sl.Release.from_counts([{"Flu": 1, "Cold": 1}], labels=[{"sex": "*"}])
    beliefs = sl.maxent(release, knowing=["P(Flu | sex=male) >= 0", "P(Flu | sex=female) >= 0"])
    assert beliefs.probability("Flu", given={"sex": "male"}) == pytest.approx(0.5)
    with pytest.raises(BadKnowledge, match=r"nobody .*says all of this"):
        beliefs.probability("Flu", given={"sex": "other"})


@pytest.fixture
def release():
    return sl.Release.from_counts(
        [{"Flu": 2}, {"Flu": 1, "Cold": 1}, {"Cold": 4}],
        labels=[{"sex": "F", "age": "34"}, {"sex": "*", "age": "30-39"}, {"sex": "M", "age": "*"}],
    )


def test_rows_are_cut_where_a_condition_may_hold_or_not(release):
    parts = Variables(release, {}, (("sex", "F"), ("age", "34"))).parts
    assert parts.count.tolist() == [1, 4, 2]
    assert parts.slots == 4
    assert parts.weight == pytest.approx([1, 0.45, 0.05, 0.45, 0.05, 0.9, 0.1])
    holds = parts.holds("sex", "F") & parts.holds("age", "34")
    assert np.bincount(parts.row[holds], minlength=3).tolist() == [1, 1, 0]
    assert parts.certain(parts.holds("sex", "F")).tolist() == [True] + [False] * 6


def test_rows_are_whole_where_nothing_is_mentioned(release):
    parts = Variables(release, {}).parts
    assert (parts.row.tolist(), parts.weight.tolist(), parts.slots) == ([0, 1, 2], [1, 1, 1], 1)
    assert parts.share((("age", "30-34"),)) == pytest.approx([1, 0.5, 0.5])
    assert parts.share((("age", "30-34"), ("sex", "M"))) == pytest.approx([0, 0.25, 0.5])


def test_conditions_that_were_not_mentioned_are_shares_of_parts(release):
    parts = Variables(release, {}, (("age", "30-34"),)).parts
    assert parts.share((("age", "34"),)) == pytest.approx([1, 0, 0.2, 0, 0.2])


def test_labels_that_nobody_can_have_are_refused_with_the_nearest(release):
    with pytest.raises(BadKnowledge, match=r"no sex 'Martian'; .*: F, M"):
        Variables(release, {}, (("sex", "Martian"),)).parts.share(())
    # numbers are known beside others; where nothing but * is printed, nobody can tell
    assert Variables(release, {}).share((("age", "44"),)).tolist() == pytest.approx([0, 0, 1 / 11])
    starred = sl.Release.from_counts([{"Flu": 1}, {"Flu": 2}], labels=[{"sex": "*"}, {"sex": "*"}])
    assert Variables(starred, {}).share((("sex", "F"),)).tolist() == [0.5, 0.5]
    by = {"sex": Nodes.from_hierarchy(sl.Hierarchy("sex", (("F", "M", "X"), ("*", "*", "*"))))}
    assert Variables(starred, {}, nodes=by).share((("sex", "F"),)) == pytest.approx([1 / 3] * 2)


def test_too_many_parts_are_refused(release, monkeypatch):
    monkeypatch.setattr(module, "MOST_PARTS", 5)
    with pytest.raises(TooHard, match="more than 5 kinds of people"):
        _ = Variables(release, {}, (("sex", "F"), ("age", "34"))).parts
