"""Halving paths: few checks, tags that are true, and searches that are stopped.

Suppressing the people of offending groups: few of them, and what is judged is what is published.
"""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.search.lattice_search import CheckCounter, finest_first, search_monotone
from sidelight.search.policy_check import holds_upwards
from sidelight.table.labels import Column
from sidelight.table.table import Counts, Table


@st.composite
def borders(draw):
    """A lattice, and some nodes above which a check holds."""
    heights = tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=3)))
    node = st.tuples(*(st.integers(0, height - 1) for height in heights))
    return heights, draw(st.sets(node, max_size=4))


def check_of(lowest):
    return lambda node: any(all(low <= high for low, high in zip(each, node, strict=True)) for each in lowest)


@given(borders(), st.none() | st.integers(0, 6))
def test_what_is_known_is_true_and_complete_unless_stopped(border, max_checks):
    heights, lowest = border
    checked = []

    def check(node):
        checked.append(node)
        return check_of(lowest)(node)

    nodes = search_monotone(heights, check, CheckCounter(max_checks=max_checks))
    assert len(checked) == nodes.checked == len(set(checked))
    assert all(check_of(lowest)(node) for node in nodes.within)
    assert set(nodes.minimal) <= set(nodes.within)
    if nodes.complete:
        assert set(nodes.minimal) == {node for node in lowest if not check_of(lowest - {node})(node)}
    else:
        assert nodes.checked == max_checks


def test_a_chain_is_halved():
    nodes = search_monotone((1000,), lambda node: node[0] >= 617)
    assert nodes.minimal == ((617,),)
    assert nodes.checked <= math.ceil(math.log2(1000)) + 1


def test_ctrl_c_keeps_what_is_known():
    left = iter([True, True])

    def check(node):
        try:
            return next(left)
        except StopIteration:
            raise KeyboardInterrupt from None

    nodes = search_monotone((4, 4), check)
    assert not nodes.complete
    assert nodes.checked == 3
    assert (3, 3) in nodes.within


def test_checks_are_counted_and_reported():
    seen = []
    counter = CheckCounter(9, lambda *each: seen.append(each))
    assert counter.check_each([(1, 2), (0, 0)], lambda node: node == (1, 2)) == [(1, 2)]
    assert seen == [("levels (1, 2)", 1, 9), ("levels (0, 0)", 2, 9)]
    assert counter.checked == 2


def test_finer_nodes_come_first():
    assert finest_first([(2, 0), (0, 3), (1, 0), (0, 1)]) == [(0, 1), (1, 0), (2, 0), (0, 3)]


def test_pruning_relies_on_what_measures_claim():
    assert holds_upwards(sl.GroupSize() >= 5, "single")
    assert holds_upwards(sl.Implications(1) < 0.5, "single")
    assert not holds_upwards(sl.Acquaintance(rules_out=1) < 0.5, "set")


def test_criteria_that_merging_may_break_are_checked_one_by_one():
    adult = sl.datasets.adult(quasi=["age", "sex"])
    several = replace(adult.table, semantics="set")
    policy = sl.Policy(sl.GroupSize() >= 20, sl.Acquaintance(rules_out=2) < 0.8)
    plain = sl.protect(several, policy.criteria[0], by=adult.hierarchies, ask="nobody")
    result = sl.protect(several, policy, by=adult.hierarchies, ask="nobody")
    assert result.complete
    assert result.verdict.safe
    assert result.checked > plain.checked
    stopped = sl.protect(
        several, policy, by=adult.hierarchies, method=sl.FullDomain(nodes=result.checked - 1), ask="nobody"
    )
    assert not stopped.complete
    assert stopped.checked == result.checked - 1


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
    with pytest.raises(sl.NothingSafe, match=r"no generalisation.*within policy"):
        sl.protect(people, sl.EntropyDiversity() >= 2, by=as_they_are, method=left_out(1.0), ask="nobody")
