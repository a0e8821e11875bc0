"""Nodes are handed over in batches of about the same number of counts, and none is lost."""

import numpy as np
import pytest

import sidelight as sl
from sidelight.measures.group_by_group import GroupByGroup
from sidelight.release.generalise import Lattice
from sidelight.search import node_values
from sidelight.search.node_values import group_in_batches, values_of

ADULT = sl.datasets.adult(quasi=["age", "sex"])


@pytest.mark.parametrize("most", [1, 500, 1 << 30])
def test_batches_have_all_nodes_in_order(monkeypatch, most):
    monkeypatch.setattr(node_values, "COUNTS_IN_A_BATCH", most)
    lattice = Lattice(ADULT.table, ADULT.hierarchies)
    nodes = tuple(lattice.nodes())
    batches = list(group_in_batches(lattice, nodes, {}))
    assert [each.node for batch in batches for each in batch] == list(nodes)
    sizes = [sum(len(each.groups) * len(each.groups.domain) for each in batch) for batch in batches]
    assert all(size >= most for size in sizes[:-1])


def test_measures_of_any_kind_stay_in_their_places():
    lattice = Lattice(ADULT.table, ADULT.hierarchies)
    (batch,) = group_in_batches(lattice, [(3, 0), (5, 1)], {})
    asked = [sl.Implications(1), sl.RecursiveDiversity(2), sl.GroupSize(), sl.RecursiveDiversity(3)]
    expected = [tuple(each.measure(lattice.release_at(node)).value for each in asked) for node in [(3, 0), (5, 1)]]
    assert values_of(batch, asked, ADULT.table).values == expected
    assert values_of(batch, [], ADULT.table).values == [(), ()]


def test_a_measure_that_knows_no_parts_is_asked_part_by_part():
    lattice = Lattice(ADULT.table, ADULT.hierarchies)
    groups = lattice.groups_at((3, 0))
    starts = np.array([0, 2, 5])
    plain = GroupByGroup.worst_of_parts.__func__  # as a measure of one's own has it
    measures = [sl.Closeness(), sl.GroupSize()]
    for quick, slow in zip(
        (next(iter(type(each).worst_of_parts([each], groups, starts))) for each in measures),
        plain(GroupByGroup, measures, groups, starts),
        strict=True,
    ):
        assert list(quick) == slow
