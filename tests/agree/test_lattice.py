"""Every node of a lattice, rolled up from whatever finer node is at hand, equals grouping the table's keys by hand."""

from collections import Counter, defaultdict

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sidelight.release.generalise import Lattice, generalise
from sidelight.release.groups import Groups
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.labels import Column
from sidelight.table.table import Counts, Table
from sidelight.testing import tables


@st.composite
def hierarchies(draw, column: Column) -> Hierarchy:
    """Any levels above the column's values, some more values, and sometimes a row for the missing ones."""
    values = {each for each in column.labels if each is not None} | draw(st.sets(st.sampled_from(["", "x", "50"])))
    levels = [tuple(draw(st.permutations(sorted(values or {"x"}))))]
    for _ in range(draw(st.integers(0, 3))):
        becomes = {below: draw(st.sampled_from(["20-24", "*", "", "30"])) for below in dict.fromkeys(levels[-1])}
        levels.append(tuple(becomes[below] for below in levels[-1]))
    return Hierarchy(column.name, tuple(levels))


@st.composite
def tables_with_hierarchies(draw) -> tuple[Table, dict[str, Hierarchy]]:
    table = draw(tables())
    return table, {column.name: draw(hierarchies(column)) for column in table.quasi if draw(st.booleans())}


def by_hand(table: Table, by: dict[str, Hierarchy], to: dict[str, int]) -> dict:
    """Sizes and value counts by what is printed, one key after the other."""
    sizes, bags = Counter(), defaultdict(Counter)
    for row in range(len(table.sizes)):
        says = tuple(
            by[column.name].generalise(column.cell(row), to[column.name]) if column.name in by else column.cell(row)
            for column in table.quasi
        )
        sizes[says] += int(table.sizes[row])
        bags[says].update(dict(zip(table.domain, table.counts.row(row).tolist(), strict=True)))
    return {says: (sizes[says], {value: bags[says][value] for value in table.domain}) for says in sizes}


def as_printed(groups: Groups) -> dict:
    rows = range(len(groups))
    bags = [dict(zip(groups.domain, groups.counts.row(row).tolist(), strict=True)) for row in rows]
    return {tuple(column.cell(row) for column in groups.columns): (int(groups.sizes[row]), bags[row]) for row in rows}


@given(tables_with_hierarchies(), st.data())
def test_generalising_is_adding_up_by_hand(problem, data):
    table, by = problem
    to = {name: data.draw(st.integers(0, hierarchy.height - 1)) for name, hierarchy in by.items()}
    release = generalise(table, by=by, to=to)
    assert as_printed(release.groups) == by_hand(table, by, to)
    codes = list(zip(*(column.codes.tolist() for column in release.groups.columns), strict=True))
    assert codes == sorted(set(codes))  # in the order of the labels, each once
    assert release.groups.whole.tolist() == table.counts.totals().tolist()
    assert release.groups.numbers.tolist() == list(range(1, len(release) + 1))
    assert (release.semantics, release.domain, release.size) == (table.semantics, table.domain, table.people)


@given(tables_with_hierarchies(), st.randoms(use_true_random=False), st.sampled_from([0, 40, 1 << 20]))
def test_every_node_in_any_order_is_that_generalisation(problem, rng, numbers_kept):
    table, by = problem
    lattice = Lattice(table, by, numbers_kept=numbers_kept)
    nodes = list(lattice.nodes())
    assert len(nodes) == len(set(nodes)) == len(lattice)
    rng.shuffle(nodes)
    for node in nodes[:12] + nodes[:3]:
        expected = generalise(table, by=by, to=lattice.levels(node)).groups
        assert_same(lattice.groups_at(node), expected)
        assert sorted(lattice.sizes_at(node).tolist()) == sorted(expected.sizes.tolist())


def assert_same(one: Groups, other: Groups) -> None:
    assert one.sizes.tolist() == other.sizes.tolist()
    assert np.array_equal(one.counts.dense(), other.counts.dense())
    assert one.whole.tolist() == other.whole.tolist()
    assert one.numbers.tolist() == other.numbers.tolist()
    assert (one.domain, one.semantics) == (other.domain, other.semantics)
    assert [column.name for column in one.columns] == [column.name for column in other.columns]
    for mine, theirs in zip(one.columns, other.columns, strict=True):
        assert [mine.cell(row) for row in range(len(one))] == [theirs.cell(row) for row in range(len(one))]


def test_sparse_counts_roll_up_like_dense_ones():
    rng = np.random.default_rng(7)
    cells, values = 3_000, 400
    counts = Counts.from_entries(
        np.arange(cells), rng.integers(0, values, cells), rng.integers(1, 5, cells), (cells, values)
    )
    assert counts.cells is None
    labels = tuple(str(number) for number in range(cells))
    table = Table(
        (Column("id", labels, rng.permutation(cells).astype(np.int32)),),
        "disease",
        tuple(str(number) for number in range(values)),
        counts.per_row(),
        counts,
    )
    by = {"id": Hierarchy.intervals("id", range(cells), widths=[10, 1000])}
    lattice = Lattice(table, by)
    for node in lattice.nodes():
        expected = by_hand(table, by, lattice.levels(node))
        assert sorted(lattice.sizes_at(node).tolist()) == sorted(size for size, _ in expected.values())
        assert as_printed(lattice.groups_at(node)) == expected
