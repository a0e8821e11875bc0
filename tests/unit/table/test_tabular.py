"""Rows are handed out as any dataframe, and a library that is not there is named."""

import sys

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sidelight as sl
from sidelight.errors import NotAvailable
from sidelight.table.table import Column
from sidelight.table.tabular import arrow_labels

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
