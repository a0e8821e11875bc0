"""Generalisations of a table on disk: which nodes are where, and what is refused before it is read."""

import numpy as np
import pyarrow as pa
import pytest

import sidelight as sl
from sidelight.release import streamed_lattice
from sidelight.release.groups import Groups
from sidelight.release.streamed import StreamedRelease
from sidelight.release.streamed_lattice import StreamedGroups, StreamedLattice
from sidelight.search.lattice_search import CheckCounter, node_check
from sidelight.streams.memory import Memory
from sidelight.streams.sorted_runs import SortedRuns

AGES = [str(age) for age in range(20, 60)]
BY = {
    "age": sl.Hierarchy("age", (tuple(AGES), tuple(f"{age[0]}0s" for age in AGES), ("*",) * len(AGES))),
    "sex": sl.Hierarchy("sex", (("f", "m"), ("*", "*"))),
}


@pytest.fixture
def lattice(monkeypatch):
    """40 ages and both sexes, a person each; 30 groups and values of groups fit."""
    monkeypatch.setattr(Memory, "rows_to_sort", lambda self, words: 8)
    monkeypatch.setattr(Memory, "rolls_up", lambda self, rows: rows <= 30)
    rows = pa.table({"age": AGES * 2, "sex": ["f"] * 40 + ["m"] * 40, "disease": ["Flu", "Cold"] * 40})
    return StreamedLattice(sl.stream_table(rows, quasi=["age", "sex"], sensitive="disease"), BY)


def test_what_fits_is_in_memory_and_the_rest_on_disk(lattice):
    assert isinstance(lattice.groups_at((0, 0)), StreamedGroups)
    assert isinstance(lattice.groups_at((2, 0)), Groups)
    assert not lattice.is_in_memory((0, 0))
    assert lattice.is_in_memory((2, 0))
    assert lattice.is_in_memory((2, 1))
    assert isinstance(lattice.release_to_judge((0, 1)), StreamedRelease)
    assert len(lattice.release_at((0, 1))) == 40


def test_one_pass_makes_the_finest_root_that_is_known_to_fit(lattice, monkeypatch):
    passes = []
    roll_up = streamed_lattice.roll_up_stream
    monkeypatch.setattr(streamed_lattice, "roll_up_stream", lambda *a, **k: passes.append(1) or roll_up(*a, **k))
    assert len(lattice.groups_at((2, 1))) == 1
    assert len(lattice.groups_at((2, 0))) == 2
    assert len(passes) == 1


def test_too_many_groups_are_refused_before_the_end(lattice):
    assert not lattice.few_below((0, 1), 40, most=0)
    assert (0, 1) not in lattice._on_disk
    assert lattice.few_below((0, 1), 2, most=0)
    assert (0, 1) in lattice._on_disk


def test_groups_too_small_are_refused_without_a_sort_where_no_run_shows_it(lattice, monkeypatch):
    monkeypatch.setattr(streamed_lattice, "roll_up_stream", None)  # whoever rolls up fails
    assert not lattice.few_below((0, 1), 3, most=0)  # at most 26 groups, and runs have 8 rows
    assert not lattice.few_below((0, 1), 3, most=79)


def test_progress_moves_within_a_node(lattice, monkeypatch):
    monkeypatch.setattr(SortedRuns.read_unordered, "__defaults__", (20,))
    heard = []
    policy = sl.Policy(sl.GroupSize() >= 2)
    counter = CheckCounter.watch(lattice, lambda *each: heard.append(each))
    assert counter.count_calls(node_check(lattice, list(policy.criteria)))((0, 1))
    assert heard[0] == ("levels (0, 1)", 1, 6)
    assert heard[-1] == ("levels (0, 1), 100 % read", 1, 6)
    assert ("levels (0, 1), 50 % read", 1, 6) in heard
    assert lattice.spilled > 0


def test_hidden_groups_become_one(lattice):
    groups = lattice.groups_at((0, 1))
    hidden = np.zeros(len(groups), bool)
    hidden[:3] = True
    star = groups.merge_hidden(hidden)
    blocks = list(star.blocks())
    assert len(star) == 38
    assert sum(int(block.sizes.sum()) for block in blocks) == 80
    assert (int(blocks[0].sizes[0]), blocks[0].counts.dense().tolist()) == (6, [[2, 4]])
    assert groups.people_of(hidden) == 6
    assert len(groups.drop(hidden, np.zeros(2, bool))) == 37


def test_few_nodes_are_kept_on_disk(lattice, monkeypatch):
    monkeypatch.setattr(streamed_lattice, "ON_DISK", 0)
    lattice.groups_at((0, 1))
    assert not lattice._on_disk
