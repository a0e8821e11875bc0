"""Suppressing the people of offending groups: few of them, and what is judged is what is published."""

import math
from fractions import Fraction

import numpy as np
import pytest

import sidelight as sl
from sidelight.table.counts import Counts
from sidelight.table.table import Column, Table

BY = {"q": sl.Hierarchy.suppression("q", ["x", "y", "z"])}


def table(**cells: dict[str, int]) -> Table:
    domain = tuple(sorted({value for bag in cells.values() for value in bag}))
    counts = [[bag.get(value, 0) for value in domain] for bag in cells.values()]
    sizes = np.array([sum(bag) for bag in counts])
    return Table((Column.of("q", list(cells)),), "s", domain, sizes, Counts.from_cells(counts))


def left_out(share):
    return sl.FullDomain(suppress=share, suppressed="left out")


def test_groups_that_are_fine_once_others_are_gone_stay():
    people = table(x={"a": 2, "b": 3}, y={"a": 3, "b": 2}, z={"c": 1})
    policy = sl.Policy(sl.GroupSize() >= 2, sl.Closeness() <= 0.1)
    result = sl.protect(people, policy, by=BY, method=left_out(0.2), ask="nobody")
    assert result.levels == {"q": 0}
    assert result.suppressed == 1


@pytest.mark.parametrize(
    ("people", "criteria", "share"),
    [
        (
            table(x={"a": 2, "b": 2}, y={"c": 1}),
            (sl.GroupSize() >= 2, sl.Implications(0, value="c") <= Fraction(2, 3)),
            0.2,
        ),
        (
            table(x={"a": 40, "b": 60}, y={"a": 60, "b": 40}, z={"c": 1}),
            (sl.GroupSize() >= 2, sl.Closeness(distance="ordered") <= 0.11),
            0.01,
        ),
        (
            table(x={"a": 1, "b": 1}, y={"a": 1, "b": 1}, z={"c": 1}),
            (sl.GroupSize() >= 2, sl.PriorBelief(shape="uniform", stubbornness=math.inf) <= Fraction(3, 2)),
            0.2,
        ),
    ],
    ids=["a value that the policy names", "an order of values", "a shape over all values"],
)
def test_values_that_only_suppressed_people_have_are_not_spoken_of(people, criteria, share, tmp_path):
    result = sl.protect(people, sl.Policy(*criteria), by=BY, method=left_out(share), ask="nobody")
    assert result.suppressed == 1
    result.publish(tmp_path / "release.csv")
    again = sl.read_published(tmp_path / "release.csv")
    assert again.domain == result.release.domain
    assert [each.value for each in result.policy.judge(again).findings] == [
        each.value for each in result.verdict.findings
    ]


def test_people_without_a_value_are_no_release_that_is_diverse():
    """They pass group by group, having nothing to measure; alone they are as diverse as nothing is."""
    columns = (Column.of("age", ["30", "30", "4"]), Column.of("sex", ["30", "4", "30"]))
    counts = Counts.from_cells([[0, 0], [0, 1], [1, 0]])
    people = Table(columns, "disease", ("Flu", "Cold"), np.ones(3, np.int64), counts, semantics="set")
    as_they_are = {name: sl.Hierarchy(name, (("4", "30"),)) for name in ("age", "sex")}
    with pytest.raises(sl.NothingSafe, match="no generalisation of these hierarchies is within policy"):
        sl.protect(people, sl.EntropyDiversity() >= 2, by=as_they_are, method=left_out(1.0), ask="nobody")
