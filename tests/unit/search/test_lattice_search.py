"""Halving paths: few checks, tags that are true, and searches that are stopped."""

import math
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.search.lattice_search import CheckCounter, finest_first, holds_upwards, search_monotone


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

    nodes = search_monotone(heights, check, max_checks=max_checks)
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
    assert counter.count_calls(lambda node: node == (1, 2))((1, 2))
    counter.count((0, 0))
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
