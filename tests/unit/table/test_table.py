"""A table shows its columns and counts, and nobody's row."""

import pickle
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sidelight as sl
from sidelight.errors import NotAvailable, UnknownColumn
from sidelight.table.counts import Counts
from sidelight.table.table import Column, Intake, JointDomain, Table, arrow_labels

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
    with pytest.raises(UnknownColumn, match="no quasi-identifier 'aeg' in the table; did you mean 'age'"):
        TABLE.column("aeg")


def test_what_reading_did_is_told_in_numbers():
    intake = Intake(rows=10, columns_dropped=("name",), rows_suppressed=1, repeats=2)
    assert intake.notes() == (
        "columns not used: name",
        "1 of 10 rows is fully suppressed (*) and was left out",
        "2 of 10 rows repeat a person's value and count once",
    )
    assert Intake(rows=10).notes() == ()


def test_whoever_does_not_use_the_numbers_of_people_is_told_that_each_row_is_taken_for_one():
    unused = ("sex", "patient_id")
    (_, asked) = Intake(columns_dropped=unused).notes()
    assert asked.startswith("each row is taken for a person; if 'patient_id' says whose rows they are")
    for roles in ({"person": "each row"}, {"person": "mrn"}, {"split": "|"}):
        assert Intake(columns_dropped=unused, roles=roles).notes() == ("columns not used: sex, patient_id",)


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
    with pytest.raises(NotAvailable, match=r"to_polars\(\) needs polars; install it with: pip install polars"):
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
