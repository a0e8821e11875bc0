"""Orders of labels: everything that is printed covers neighbours; days are ordered, cut and averaged as numbers are."""

import datetime as dt
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.errors import BadHierarchy, BadTable
from sidelight.release.printed_labels import covers
from sidelight.search.orders import Order, column_orders, order_along, order_of
from sidelight.table.labels import Column, ColumnKind, Label, as_day, day_text

POLICY = sl.Policy(sl.GroupSize() >= 3)
DAYS = st.dates(dt.date(1, 1, 1), dt.date(9999, 12, 31))


def patients(births: list[str | None]) -> pd.DataFrame:
    """A table with a disease for each birth, in turn."""
    diseases = ["Flu", "Cold", "Ulcer"] * len(births)
    return pd.DataFrame({"birth": births, "disease": diseases[: len(births)]})


def read(births: list[str | None], **kinds: str) -> sl.Table:
    return sl.read_table(patients(births), quasi=["birth"], sensitive="disease", kinds=kinds)


def drawn(people: int = 200, missing: int = 7) -> list[str | None]:
    rng = np.random.default_rng(5)
    days: list[str | None] = [day_text(day) for day in rng.integers(700_000, 730_000, people)]
    return [*days, *[None] * missing]


COUNTRY = sl.Hierarchy.nested(
    "country", {"Europe": {"North": ["Norway"], "South": ["Italy"]}, "Asia": {"East": ["Japan"]}}
)
LABELS = ["Japan", "Italy", "Norway"]


@given(st.permutations(["France", "Poland", "Peru", "Chile", None]))
def test_every_node_covers_neighbours(labels: list[str | None]) -> None:
    hierarchy = sl.Hierarchy.nested("country", {"Europe": ["France", "Poland"], "America": ["Peru", "Chile"]})
    order = order_of(Column.of("country", labels), hierarchy)
    for nodes in order.levels.tolist():
        assert sum(one != other for one, other in pairwise(nodes)) == len(set(nodes)) - 1
    assert order_of(Column.of("country", labels)).labels == ("Chile", "France", "Peru", "Poland", None)


def test_a_stretch_is_printed_as_few_nodes_as_there_can_be() -> None:
    order = order_of(Column.of("country", LABELS), COUNTRY)
    assert order.labels == ("Japan", "Italy", "Norway") or order.labels == ("Japan", "Norway", "Italy")
    assert order.label_of(1, 3) == "Europe"
    assert order.label_of(0, 2) == "{" + f"Asia, {order.nodes[1][order.levels[1, 1]]}" + "}"
    assert order.label_of(2, 3) in ("North", "South")


def fewest_nodes(order: Order, start: int, stop: int) -> list[Label]:
    """Tile a stretch label by label: the slow twin."""
    tiles: list[Label] = []
    while start < stop:
        for level in reversed(range(len(order.levels))):
            covered = np.flatnonzero(order.levels[level] == order.levels[level, start])
            if covered[0] >= start and covered[-1] < stop:
                break
        tiles.append(order.nodes[level][order.levels[level, start]])
        start = int(covered[-1]) + 1
    return tiles


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=24, unique=True),
    st.integers(1, 4),
    st.booleans(),
)
def test_stretches_are_tiled_as_label_by_label(
    paths: list[tuple[int, int, int]], height: int, with_missing: bool
) -> None:
    names = ["".join(map(str, path)) for path in paths]
    levels = (*(tuple(name[:length] for name in names) for length in (3, 2, 1)), ("*",) * len(names))
    hierarchy = sl.Hierarchy("code", levels[:height]) if height > 1 else None
    labels: list[str | None] = [*names, None] if with_missing else [*names]
    order = order_of(replace(Column.of("code", labels), kind="category"), hierarchy)
    for start in range(len(order)):
        for stop in range(start + 1, len(order) + 1):
            assert order.fewest_nodes(start, stop) == fewest_nodes(order, start, stop)


def test_a_border_is_as_deep_as_the_coarsest_level_that_differs() -> None:
    order = order_of(Column.of("country", LABELS), COUNTRY)
    assert order.depth(np.array([0, 1]), np.array([1, 2])).tolist() == [2, 1]


def test_numbers_are_ordered_by_size_or_along_their_hierarchy() -> None:
    ages = Column.of("age", ["30", "4", None, "5"])
    hierarchy = sl.Hierarchy("age", (("4", "30", "5"), ("even", "even", "odd")))
    numbers = replace(ages, kind="number")
    assert order_of(numbers, hierarchy).labels == ("4", "5", "30", None)
    assert order_of(numbers, hierarchy).position.tolist() == [4, 5, 30, 31]
    assert order_of(ages, hierarchy).labels == ("4", "30", "5", None)
    along = order_along(Column.of("age", ["30", "4", "5"]), hierarchy)
    assert along.labels == ("4", "30", "5")
    assert not along.numeric


def test_a_missing_cell_stands_last_and_is_named() -> None:
    order = order_of(Column.of("age", ["30", None, "5"]))
    assert order.label_of(0, 3) == "5-30 or (missing)"
    assert order.label_of(1, 3) == "30 or (missing)"
    assert order.label_of(2, 3) is None
    assert order.depth(np.array([0, 1]), np.array([1, 2])).tolist() == [0, 1]


def test_ranks_are_of_the_columns_rows_and_hierarchies_have_to_fit() -> None:
    column = Column.of("age", ["30", "4", "30"])
    assert order_of(column).ranks(column).tolist() == [1, 0, 1]
    assert order_of(Column.of("age", ["7"])).width == 1.0
    with pytest.raises(BadHierarchy, match="not in it: 30"):
        column_orders((column,), {"age": sl.Hierarchy.suppression("age", ["4"])})


@given(DAYS)
def test_a_day_and_its_number(day: dt.date) -> None:
    assert as_day(day.isoformat()) == day.toordinal()
    assert day_text(day.toordinal()) == day.isoformat()


@pytest.mark.parametrize(
    "text", ["1984-3-9", "1984-02-31", "0000-01-01", "19840309", "1984-03-09 12:00", "", "x", None]
)
def test_what_is_no_day(text: str | None) -> None:
    assert as_day(text) is None


def test_one_label_that_is_no_day_makes_them_all_labels() -> None:
    assert order_of(Column.of("birth", ["1984-03-09", "1990-11-30", None])).kind == "date"
    assert not order_of(Column.of("birth", ["1984-03-09", "unknown"])).numeric
    assert not order_of(Column.of("birth", ["1984-03-09", "1984"])).numeric
    assert not order_of(Column.of("birth", [None])).numeric


def test_mondrian_cuts_days_as_it_cuts_their_numbers() -> None:
    births = drawn()
    numbers = [None if day is None else str(as_day(day)) for day in births]
    tables = read(births), read(numbers, birth="number")
    by_day, by_number = (sl.protect(table, POLICY, method="mondrian", ask="nobody").release for table in tables)
    assert by_day.groups.sizes.tolist() == by_number.groups.sizes.tolist()
    assert len(by_day) > 20
    assert not any("{" in str(text) for text in by_day.groups.columns[0].labels)


def test_days_with_a_hierarchy_are_printed_from_one_to_another_too() -> None:
    table = read(drawn())
    hierarchy = sl.Hierarchy.dates("birth", [day for day in table.column("birth").labels if day is not None])
    alone, along = (
        sl.protect(table, POLICY, by=by, method="mondrian", ask="nobody").release for by in ({}, {"birth": hierarchy})
    )
    assert along.groups.columns[0].labels == alone.groups.columns[0].labels


@pytest.mark.parametrize("locate", [None, "intervals"])
def test_everybody_is_found_again_between_printed_days(locate: str | None) -> None:
    births = drawn()
    result = sl.protect(read(births), POLICY, method="mondrian", ask="nobody")
    source = result if locate is None else result.release
    exposure = sl.intersect([source], people=patients(births), quasi=["birth"], truth="disease", locate=locate)
    assert exposure.unlocated == (0,)
    assert exposure.truth is not None
    assert exposure.truth.hits == 1


def test_days_that_the_table_does_not_have_are_found_between_its_own() -> None:
    births = [f"2020-0{month}-01" for month in (1, 2, 3, 4, 5, 6)]
    result = sl.protect(read(births), POLICY, method="mondrian", ask="nobody")
    people = pd.DataFrame({"birth": ["2020-01-20", "2020-05-20", "2021-01-01"]})
    for source, locate in ((result, None), (result.release, "intervals")):
        exposure = sl.intersect([source], people=people, quasi=["birth"], locate=locate)
        assert exposure.unlocated == (1,)


def test_clusters_are_printed_as_an_average_day() -> None:
    births = ["2020-01-01", "2020-01-03", "2020-01-05", "2020-03-01", "2020-03-02", "2020-03-03"]
    result = sl.protect(read(births), POLICY, method="microaggregation", ask="nobody")
    assert result.release.groups.columns[0].labels == ("2020-01-03", "2020-03-02")
    people = pd.DataFrame({"birth": ["2020-01-02", "2020-02-27"]})
    exposure = sl.intersect([result.release], people=people, quasi=["birth"], locate="nearest")
    assert exposure.unlocated == (0,)
    assert exposure.values_by_release.tolist() == [[3, 3]]


def test_somebody_is_described_by_a_day() -> None:
    release = sl.protect(read(drawn()), POLICY, method="mondrian", ask="nobody").release
    assert 0 < sl.posterior(release, "{birth = 1950-01-01} = Flu") < 1
    assert covers("1984-03-09 to 1990-11-30 or (missing)", None)
    assert not covers("1984-03-09 to 1990-11-30", "1984")


def column(*labels: str | None, kind: ColumnKind) -> Column:
    return Column("region", labels, np.arange(len(labels), dtype=np.int32), kind)


def test_codes_are_cut_as_sets_and_never_as_intervals() -> None:
    order = order_of(column("1", "2", "10", None, kind="category"))
    assert order.labels == ("1", "2", "10", None)
    assert order.label_of(0, 2) == "{1, 2}"
    assert order.label_of(1, 4) == "{2, 10, (missing)}"
    assert not order.numeric


def test_nodes_above_codes_stand_by_their_smallest_code() -> None:
    regions = sl.Hierarchy.nested("region", {"West": ["1", "4"], "East": ["2", "10"], "South": ["3"]})
    order = order_of(column("1", "2", "3", "4", "10", kind="category"), regions)
    assert order.labels == ("1", "4", "2", "10", "3")
    assert order.label_of(0, 4) == "{West, East}"
    assert order_of(Column.of("region", ["1", "2", "3", "4", "10"]), regions).labels == order.labels


def test_ordered_labels_keep_their_order_and_a_missing_one_stands_last() -> None:
    order = order_of(column("small", None, "medium", "large", kind="ordered"))
    assert order.labels == ("small", "medium", "large", None)
    assert order.label_of(0, 2) == "{small, medium}"
    assert order.kind == "ordered"


def test_a_hierarchy_of_ordered_labels_has_to_keep_them_together() -> None:
    sizes = column("small", "medium", "large", kind="ordered")
    together = sl.Hierarchy("region", (("small", "medium", "large"), ("S", "ML", "ML")))
    assert order_of(sizes, together).label_of(1, 3) == "ML"
    torn = sl.Hierarchy("region", (("small", "medium", "large"), ("odd", "even", "odd")))
    with pytest.raises(BadHierarchy, match=r"'odd'.*not stand together"):
        order_of(sizes, torn)
    assert order_along(sizes, torn).nodes[1] == ("even", "odd")  # the lattice cuts nothing


def test_a_kind_that_labels_cannot_have_is_refused() -> None:
    with pytest.raises(BadTable, match="column 'region' is no number"):
        order_of(column("1", "V45", kind="number"))


def test_the_stretch_of_a_node_is_that_of_its_labels() -> None:
    country = sl.Hierarchy.nested("country", {"America": ["Chile", "Peru"], "Europe": ["France", "Poland", "Spain"]})
    order = order_of(Column.of("country", ["Chile", "Peru", "France", "Poland", "Spain"]), country)
    start, stop = order.stretch(np.array([0, 1, 1, 0]), np.array([1, 1, 3, 4]))
    assert (start.tolist(), stop.tolist()) == ([1, 0, 2, 4], [2, 2, 5, 5])


def test_a_missing_cell_that_tears_a_node_of_ordered_labels_apart_is_refused() -> None:
    sizes = Column("size", ("", "small", None), np.arange(3, dtype=np.int32), "ordered")
    with pytest.raises(BadHierarchy, match=r"'none'.*not stand together"):
        order_of(sizes, sl.Hierarchy("size", (("", "small"), ("none", "some"))))
