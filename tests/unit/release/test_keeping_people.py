"""Releases that remember who is where."""

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sidelight as sl
from sidelight.errors import BadTable

ROWS = {
    "name": ["Ann", "Bob", "Cleo", "Dan", "Ed"],
    "zip": ["2", "1", "2", "1", "1"],
    "sex": ["f", "m", "f", "m", "f"],
    "ill": ["Flu", "Flu", "Cold", "Cold", "Flu"],
}
READ = {"group": ["zip", "sex"], "sensitive": "ill", "person": "name"}


@pytest.mark.parametrize("kind", [pa.table, pd.DataFrame, pl.DataFrame, "csv", "parquet"])
@pytest.mark.parametrize("values", ["single", "set", "multiset"])
def test_people_are_where_their_rows_are(kind, values, tmp_path):
    source = kind(ROWS) if callable(kind) else tmp_path / f"rows.{kind}"
    if kind == "csv":
        pl.DataFrame(ROWS).write_csv(source)
    elif kind == "parquet":
        pl.DataFrame(ROWS).write_parquet(source)
    release = sl.read_release(source, **READ, values=values, keep_people=True)
    assert set(release.people) == set(ROWS["name"])
    for name, place, sex in zip(ROWS["name"], ROWS["zip"], ROWS["sex"], strict=True):
        assert release.groups.name(release.people[name]).says == (("zip", place), ("sex", sex))
    assert sl.posterior(release, "Ann = Flu") == sl.posterior(release, "{zip = 2, sex = f} = Flu")


def test_names_may_be_numbers_and_people_left_out_are_not_there():
    rows = pa.table({**ROWS, "name": [1, 2, 3, 4, 5], "ill": ["Flu", None, "Cold", "Cold", "Flu"]})
    release = sl.read_release(rows, **READ, missing="drop", keep_people=True)
    assert set(release.people) == {"1", "3", "4", "5"}
    assert release.size == 4


def test_people_are_forgotten_unless_asked_for():
    assert sl.read_release(pa.table(ROWS), **READ).people is None
    with pytest.raises(BadTable, match="keep_people=True needs person="):
        sl.read_release(pa.table(ROWS), group="zip", sensitive="ill", keep_people=True)
