"""Rows cut into parts by conditions that groups print too little about."""

import numpy as np
import pytest

import sidelight as sl
from sidelight.errors import BadKnowledge, TooHard
from sidelight.max_entropy import parts as module
from sidelight.max_entropy.problem import Variables
from sidelight.release.printing import Nodes


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
    with pytest.raises(BadKnowledge, match=r"the release knows no sex 'Martian'; there are: F, M"):
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
