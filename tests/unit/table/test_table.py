"""Counts are the same dense or sparse, and in whichever order they come.

A table shows its columns and counts, and nobody's row.

Rows about people who may have several: kept without names, and for nothing but noise.
"""

import pickle
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.words import mentions

import sidelight as sl
from sidelight.errors import NotAvailable, UnknownColumn, WrongKind
from sidelight.table import table as counts_module
from sidelight.table.labels import Column, JointDomain, arrow_labels
from sidelight.table.table import Counts, Intake, Table

MATRICES = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.lists(st.sampled_from([0, 0, 0, 1, 7]), min_size=width, max_size=width), min_size=1)
)


@given(MATRICES, st.data())
def test_dense_and_sparse_counts_say_the_same(cells, data):
    full = np.array(cells, np.int64)
    rows, values = np.nonzero(full)
    sparse = Counts(
        full.shape,
        starts=np.searchsorted(rows, np.arange(len(full) + 1)),
        where=values.astype(np.int32),
        data=full[rows, values],
    )
    dense = Counts(full.shape, cells=full.copy())
    group = np.array(data.draw(st.lists(st.integers(0, 2), min_size=len(full), max_size=len(full))))
    for counts in (sparse, dense, Counts.from_cells(cells)):
        assert counts.dense().tolist() == cells
        assert counts.per_row().tolist() == full.sum(axis=1).tolist()
        assert counts.totals().tolist() == full.sum(axis=0).tolist()
        assert counts.spread_out().dense().tolist() == cells
        assert [counts.row(row).tolist() for row in range(len(cells))] == cells
        for row, cells_of_row in enumerate(cells):
            there = {value: count for value, count in enumerate(cells_of_row) if count}
            assert [each.tolist() for each in counts.occurring(row)] == [[*there], [*there.values()]]
            assert counts.sort_by_frequency(row) == sorted(there, key=lambda value: (-there[value], value))
        assert counts.most_in_a_row == max(map(np.count_nonzero, cells))
        assert [counts.column(value).tolist() for value in range(full.shape[1])] == full.T.tolist()
        assert counts.take(np.arange(len(cells))[::-1]).dense().tolist() == cells[::-1]
        assert counts.take(slice(1, None)).dense().tolist() == cells[1:]
        assert counts.roll_up(group, groups=3).dense().tolist() == [
            full[group == number].sum(axis=0).tolist() for number in range(3)
        ]


def test_entries_in_any_order_add_up():
    counts = Counts.from_entries([1, 0, 1], [0, 99, 0], [2, 1, 3], (2000, 100))
    assert counts.cells is None
    assert counts.entries()[0].tolist() == [0, 1]
    assert (counts.row(0)[99], counts.row(1)[0]) == (1, 5)


def test_rows_with_one_value_each_are_taken_in_any_order_and_as_often_as_asked_for():
    cells = np.zeros((5, 9), np.int64)
    cells[np.arange(5), [3, 0, 8, 3, 1]] = [1, 2, 1, 4, 1]
    counts = Counts.from_cells(cells)
    assert counts.cells is None
    rows = np.array([4, 0, 0, 2])
    assert counts.take(rows).dense().tolist() == cells[rows].tolist()
    assert counts.take(rows).take(np.array([3, 1])).dense().tolist() == cells[[2, 0]].tolist()


@given(st.lists(st.integers(0, 40), max_size=30), st.integers(1, 64))
def test_packed_blocks_hold_every_row_once_and_fit(lengths, at_once):
    rows = np.repeat(np.arange(len(lengths)), lengths)
    values = np.concatenate([np.arange(0), *(np.arange(length) for length in lengths)])
    counts = Counts.from_entries(rows, values, np.ones(len(rows)), (len(lengths), 5000))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counts_module, "CELLS_AT_ONCE", at_once)
        blocks = [np.arange(len(lengths))[block] for block in counts.packed_blocks()]
    assert sorted(row for block in blocks for row in block.tolist()) == [*range(len(lengths))]
    for block in blocks:
        packed = counts.take(block).packed()
        assert packed.sum(axis=1).tolist() == [lengths[row] for row in block]
        assert len(block) == 1 or packed.size <= at_once
    # a block for each power of two, for what fills one at least to a quarter, and for each row that needs one alone
    alone, empty = sum(2 * length > at_once for length in lengths), lengths.count(0)
    assert len(blocks) <= 8 + (4 * len(rows) + empty) / at_once + alone


TABLE = Table(
    quasi=(Column.of("age", ["31", "29"]), Column.of("<zip>", ["00734", None])),
    sensitive="disease",
    domain=("Flu", "Cold"),
    sizes=np.array([1, 2]),
    counts=Counts.from_cells([[1, 0], [1, 1]]),
)


def test_a_notebook_sees_columns_and_counts_and_nobody():
    drawn = TABLE._repr_html_()
    assert "Table of 3 people" in drawn
    assert "&lt;zip&gt;" in drawn
    assert "2 keys" in drawn
    for private in ("31", "00734", "Flu", "Cold"):
        assert private not in drawn
        assert private not in repr(TABLE)


def test_an_unknown_column_names_the_nearest():
    assert TABLE.column("age").cell(0) == "31"
    with pytest.raises(UnknownColumn, match=r"quasi-identifier 'aeg'.*'age'"):
        TABLE.column("aeg")


def test_what_reading_did_is_told_in_numbers():
    intake = Intake(rows=10, columns_dropped=("name",), rows_suppressed=1, repeats=2)
    unused, suppressed, repeated = intake.notes()
    assert mentions(unused, "not used", "name")
    assert mentions(suppressed, 1, 10, "rows", "suppressed", "left out")
    assert mentions(repeated, 2, 10, "rows", "repeat", "once")
    assert Intake(rows=10).notes() == ()


def test_whoever_does_not_use_the_numbers_of_people_is_told_that_each_row_is_taken_for_one():
    unused = ("sex", "patient_id")
    (_, asked) = Intake(columns_dropped=unused).notes()
    assert mentions(asked, "each row", "a person", "'patient_id'")
    for roles in ({"person": "each row"}, {"person": "mrn"}, {"split": "|"}):
        (note,) = Intake(columns_dropped=unused, roles=roles).notes()
        assert mentions(note, "not used", "sex, patient_id")


def test_labels_that_no_row_has_are_forgotten():
    column = Column.of("age", ["30", "4", "50"]).take(slice(0, 2))
    assert column.labels == ("4", "30", "50")
    assert column.compact().labels == ("4", "30")
    assert [column.compact().cell(row) for row in range(2)] == ["30", "4"]


# Rows are handed out as any dataframe, and a library that is not there is named.


SEX = sl.Hierarchy("sex", (("Female", "Male"), ("*", "*")))


def test_the_same_rows_in_every_library():
    rows = SEX.to_arrow()
    assert isinstance(rows, pa.Table)
    assert rows.to_pylist() == [{"level 0": "Female", "level 1": "*"}, {"level 0": "Male", "level 1": "*"}]
    assert isinstance(SEX.to_pandas(), pd.DataFrame)
    assert isinstance(SEX.to_polars(), pl.DataFrame)
    assert SEX.to_pandas().to_dict("records") == SEX.to_polars().to_dicts() == rows.to_pylist()


def test_a_missing_library_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(NotAvailable, match=r"to_polars\(\).*pip install polars"):
        SEX.to_polars()


def test_labels_of_some_rows():
    assert arrow_labels(Column.of("age", ["30", None, "4"])).to_pylist() == ["30", None, "4"]


def test_values_of_several_columns_are_told_apart_whatever_they_say():
    disease = Column.of("disease", ["a, b", "a", "a", None, "(missing)", '"a'])
    both = JointDomain([disease, Column.of("income", ["c", "b, c", None, "c", "c", "c"])])
    assert len(set(both)) == 6
    assert pickle.loads(pickle.dumps(both)).names == ("disease", "income")


def test_values_that_are_left_out_take_their_labels_with_them():
    income = Column("income", ("low", "middle", "high"), np.array([0, 2, 2], np.int32))
    both = JointDomain([Column.of("disease", ["Flu", "Flu", "Cold"]), income])
    rest = both.only(np.array([1, 2]))
    assert rest.column("income").labels == ("middle", "high")  # nobody ever had "middle": it was declared
    assert rest == ("Flu, high", "Cold, high")


BY = {"ward": sl.Hierarchy("ward", (("A", "B"), ("*", "*")))}
WARD = Column.of("ward", ["A", "B", "A"])


def read():
    """Two entries of one person, one of them twice, and one that two people have."""
    who, value, times, alike = map(np.array, ([0, 0, 1], [0, 1, 1], [2, 1, 1], [1, 2]))
    return sl.Events((WARD,), "disease", ("Cold", "Flu"), who, value, times, alike, intake=Intake(rows=6))


def test_people_and_their_rows_are_counted():
    assert sorted(read().count_rows().tolist()) == [1, 1, 3]
    assert (read().count_rows() > 1).sum() == 1
    assert read().column("ward") is WARD
    with pytest.raises(UnknownColumn, match="did you mean 'ward'"):
        read().column("wards")


def test_events_are_for_nothing_but_counting():
    events = read()
    for use in (
        lambda: sl.group(events, by="ward"),
        lambda: sl.protect(events, sl.Policy(sl.GroupSize() >= 2), by=BY, ask="nobody"),
        lambda: sl.GroupSize().measure(events),
        lambda: sl.generalise(events, by=BY, to={"ward": 0}),
        lambda: sl.attack_noise([], people=events, by=BY),
    ):
        with pytest.raises(WrongKind, match="Events"):
            use()
    assert repr(events) == "<Events: 6 rows about people: ward → disease>"
