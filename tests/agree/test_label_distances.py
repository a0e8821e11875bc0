"""Whoever looks for people by printed averages measures as the search did that made them."""

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.release.locate import ROUNDING, nearest_groups
from sidelight.release.printed_labels import Nodes
from sidelight.search.microaggregation import UnclusteredKeys
from sidelight.search.orders import column_orders
from sidelight.table.labels import Column
from sidelight.table.roles import KINDS
from sidelight.table.table import Counts, Table

LABELS = st.lists(st.sampled_from(["1", "2", "3", "5", "10", None]), min_size=1, max_size=7)


@given(LABELS, LABELS, st.sampled_from(KINDS[:3]), st.sampled_from(KINDS[:3]), st.booleans())
def test_the_nearest_printed_person_is_the_nearest_by_the_distances_of_the_search(ones, others, kind, other, along):
    size = min(len(ones), len(others))
    cells = {"a": (ones[:size], kind), "b": (others[:size], other)}
    assume(any(text is not None for texts, _ in cells.values() for text in texts))
    columns = tuple(Column.of(name, texts) for name, (texts, _) in cells.items())
    quasi = tuple(
        Column(each.name, each.labels, each.codes.copy(), kind)
        for each, (_, kind) in zip(columns, cells.values(), strict=True)
    )
    people = np.ones(size, np.int64)
    table = Table(quasi, "disease", ("Flu",), people, Counts.from_cells(people[:, np.newaxis]))
    by = {}
    if along:
        values = tuple(text for text in quasi[0].labels if text is not None) or ("1",)
        by = {"a": sl.Hierarchy("a", (values, tuple("low" if int(text) < 3 else "high" for text in values)))}
        assume(kind != "category" or len(set(by["a"].levels[1])) > 1)
    distances = UnclusteredKeys(table, column_orders(quasi, by))
    squared = np.array([distances.from_key(key) for key in range(size)])
    nodes = {name: Nodes.from_hierarchy(hierarchy) for name, hierarchy in by.items()}
    # some people are printed as they are: who is nearest to whom is a question about the same distances
    printed = np.arange(0, size, 2)
    row, group = nearest_groups([(column, column.take(printed)) for column in quasi], len(printed), nodes)
    among = squared[:, printed]
    expected = np.nonzero(among <= among.min(axis=1, keepdims=True) + ROUNDING)
    assert (row.tolist(), group.tolist()) == tuple(part.tolist() for part in expected)
