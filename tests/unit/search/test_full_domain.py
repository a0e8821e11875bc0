"""One level per column for everybody: options, refusals, and what a node makes of the table."""

import numpy as np
import pytest

import sidelight as sl
from sidelight.errors import BadHierarchy, BadPolicy, NothingSafe, SidelightError
from sidelight.release.lattice import Lattice
from sidelight.search import full_domain
from sidelight.search.full_domain import NodeRecodings
from sidelight.search.policy_check import PolicyCheck
from sidelight.search.suppression import SuppressedNode
from sidelight.table.table import Column, Counts, Table

TABLE = Table(
    quasi=(Column.of("age", ["10", "20", "30", "40"]), Column.of("sex", ["f", "f", "m", "m"])),
    sensitive="disease",
    domain=("Flu", "Cold"),
    sizes=np.array([1, 2, 3, 4]),
    counts=Counts.from_cells([[1, 0], [1, 1], [0, 3], [2, 2]]),
)
BY = {column.name: sl.Hierarchy.suppression(column.name, column.labels) for column in TABLE.quasi}


def test_a_lattice_too_large_is_refused(monkeypatch):
    monkeypatch.setattr(full_domain, "MAX_NODES", 3)
    by = {column.name: sl.Hierarchy.suppression(column.name, column.labels) for column in TABLE.quasi}
    with pytest.raises(BadHierarchy, match="4 generalisations"):
        sl.protect(TABLE, sl.Policy(sl.GroupSize() >= 2), by=by)


@pytest.mark.parametrize("suppressed", ["left_out", None, "*"])
def test_suppressed_people_are_printed_or_left_out(suppressed):
    with pytest.raises(BadPolicy, match="choose 'as \\*' or 'left out'"):
        sl.FullDomain(suppress=0.1, suppressed=suppressed)


def test_hierarchies_that_do_not_reach_one_group_are_told_so():
    flat = {**BY, "age": sl.Hierarchy("age", (("10", "20", "30", "40"),))}
    with pytest.raises(NothingSafe, match=r"add a level \* to them, or allow suppress="):
        sl.protect(TABLE, sl.GroupSize() >= 5, by=flat)


def test_too_few_nodes_find_nothing_and_say_so():
    with pytest.raises(SidelightError, match="give it more time or more nodes="):
        sl.protect(TABLE, sl.GroupSize() >= 10, by=BY, method=sl.FullDomain(nodes=0))


def test_the_utility_chooses_among_the_minimal_nodes():
    result = sl.protect(TABLE, sl.GroupSize() >= 3, by=BY)
    assert [dict(levels) for levels in result.minimal] == [{"age": 1, "sex": 0}]
    assert result.outcome.recoding.sizes.tolist() == [3, 7]


def test_a_node_covers_stretches_of_ranks_and_suppressed_keys_are_in_no_group():
    lattice = Lattice(TABLE, BY)
    recodings = NodeRecodings(lattice, BY)
    halves = recodings.at((1, 0))
    assert halves.start.tolist() == [[0, 0], [0, 1]]
    assert halves.stop.tolist() == [[4, 1], [4, 2]]
    assert halves.group.tolist() == [0, 0, 1, 1]
    check = PolicyCheck.of([sl.GroupSize() >= 4], people=10)
    chosen = SuppressedNode((1, 0), np.array([True, False]), 3, as_group=False, policy=check)
    assert recodings.without(chosen).group.tolist() == [-1, -1, 0, 0]
    assert recodings.without(chosen).suppressed == 3
