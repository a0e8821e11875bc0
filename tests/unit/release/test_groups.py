"""Groups as arrays, and one group as a person reads it."""

import numpy as np
import pytest

import sidelight as sl
from sidelight.errors import UnknownValue
from sidelight.release.groups import Group, GroupName

WARD = sl.Release.from_counts(
    [{"Flu": 1, "Cold": 3}, {"Flu": 2}, {None: 4}],
    labels=[{"age": "20-29", "sex": "f"}, {"age": "20-29", "sex": None}, {"age": "*", "sex": "*"}],
)


def test_a_group_lists_what_occurs_the_most_frequent_first():
    group = WARD.groups.group(0)
    assert (str(group.name), group.size, dict(group.counts)) == ("group 1 (age 20-29, sex f)", 4, {"Cold": 3, "Flu": 1})
    assert list(group.counts) == ["Cold", "Flu"]
    assert repr(WARD.groups.group(2)) == "<group 3 (age *, sex *): 4 people, (missing) 4>"


def test_a_group_cannot_be_changed_and_long_ones_are_cut():
    group = Group(GroupName(1), 10, {str(number): 1 for number in range(10)})
    with pytest.raises(TypeError):
        group.counts["0"] = 5
    assert repr(group) == "<group 1: 10 people, 0 1, 1 1, 2 1, 3 1, 4 1, …>"


def test_a_part_keeps_its_numbers_and_what_it_is_compared_with():
    part = WARD.groups.take(np.array([2, 1]))
    assert part.whole.tolist() == WARD.groups.whole.tolist()
    assert [str(group.name) for group in map(part.group, range(2))] == [
        "group 3 (age *, sex *)",
        "group 2 (age 20-29, sex (missing))",
    ]
    assert part.sort_by_number().numbers.tolist() == [2, 3]
    assert repr(part) == "<Groups: 2 of 6 people, 3 values (single)>"


def test_blocks_are_all_groups_in_order(monkeypatch):
    monkeypatch.setattr("sidelight.table.table.CELLS_AT_ONCE", 3)
    monkeypatch.setattr("sidelight.release.groups.CELLS_AT_ONCE", 3)
    blocks = list(WARD.groups.blocks())
    assert [block.numbers.tolist() for block in blocks] == [[1], [2], [3]]


def test_an_unknown_value_names_the_nearest():
    with pytest.raises(UnknownValue, match=r"sensitive value 'flu'.*'Flu'"):
        WARD.groups.code_of("flu")
    assert WARD.domain[WARD.groups.code_of(None)] is None


def test_a_notebook_shows_groups_escaped():
    release = sl.Release.from_counts([{"<b>": 2}], labels=[{"a&b": "<i>"}])
    drawn = release.groups._repr_html_()
    assert "<td>&lt;i&gt;</td>" in drawn
    assert "&lt;b&gt; 2" in drawn
    assert "<th>a&amp;b</th>" in drawn
    one = release[0]._repr_html_()
    assert "group 1 (a&amp;b &lt;i&gt;): 2 people" in one
    assert '<td>&lt;b&gt;</td><td style="text-align: right">2</td>' in one
