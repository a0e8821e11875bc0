"""What is claimed of kinds: names are never put together as numbers are, whatever the method."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples

import sidelight as sl
from sidelight.release.printed_labels import covers
from sidelight.table.labels import Column, shown
from sidelight.table.table import Counts, Table

CODES = st.sampled_from(["1", "2", "3", "4", "10", "007", None])
METHODS = (
    sl.Mondrian(),
    sl.Microaggregation(),
    sl.Microaggregation(labels="set"),
    sl.Microaggregation(labels="ancestor"),
)


@st.composite
def coded(draw):
    """People with two columns of codes, categories or ordered, with or without a hierarchy of names."""
    rows = draw(st.lists(st.tuples(CODES, CODES), min_size=2, max_size=12, unique=True))
    columns = [Column.of(name, cells) for name, cells in zip("ab", zip(*rows, strict=True), strict=True)]
    kinds = draw(st.tuples(*[st.sampled_from(["category", "ordered"])] * 2))
    quasi = tuple(replace(column, kind=kind) for column, kind in zip(columns, kinds, strict=True))
    sizes = draw(st.lists(st.integers(1, 3), min_size=len(rows), max_size=len(rows)))
    counts = Counts.from_cells([[size] for size in sizes])
    by = {}
    if draw(st.booleans()) and kinds[0] == "category":
        labels = tuple(text for text in quasi[0].labels if text is not None) or ("1",)
        names = tuple(draw(st.sampled_from(["North", "South"])) for _ in labels)
        by = {"a": sl.Hierarchy("a", (labels, names, ("*",) * len(labels)))}
    return Table(quasi, "disease", ("Flu",), counts.per_row(), counts), by


@examples(120)
@given(coded(), st.sampled_from(METHODS), st.integers(1, 6))
def test_codes_come_out_as_codes_sets_of_them_or_names(case, method, k):
    table, by = case
    found = sl.protect(table, sl.GroupSize() >= min(k, table.people), by=by, method=method, ask="nobody")
    for column, released in zip(table.quasi, found.release.groups.columns, strict=True):
        above = {node for level in by[column.name].levels[1:] for node in level} if column.name in by else set()
        for text in released.labels:
            parts = shown(text)[1:-1].split(", ") if shown(text).startswith("{") else [shown(text)]
            assert set(parts) <= {*map(shown, column.labels), *above, "*"}


@examples(120)
@given(coded(), st.integers(1, 6))
def test_everybody_is_covered_by_what_mondrian_prints_of_them(case, k):
    table, by = case
    found = sl.protect(table, sl.GroupSize() >= min(k, table.people), by=by, method="mondrian", ask="nobody")
    group = found.recoding.group
    for column, released in zip(table.quasi, found.release.groups.columns, strict=True):
        for key in range(len(table.sizes)):
            printed, own = released.cell(int(group[key])), column.cell(key)
            above = [by[column.name].generalise(own, level) for level in range(3)] if column.name in by else []
            parts = shown(printed)[1:-1].split(", ") if shown(printed).startswith("{") else []
            assert covers(printed, own) or printed in above or {*parts} & {shown(node) for node in above}
