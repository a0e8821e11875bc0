"""The file and the column that are named are read, and no other: no pattern, no home, no address."""

import duckdb
import polars as pl
import pyarrow as pa
import pytest

import sidelight as sl
from sidelight.errors import BadTable

NAMES = [
    "~root.csv",
    "~/t.csv",
    "file:t.csv",
    "file:/t.csv",
    "*.csv",
    "t[1].csv",
    "t?.csv",
    "{a,b}.csv",
    "s3:x.csv",
    "a'b.csv",
]
NAMES += ["a%20b.csv", "**.csv", "$HOME.csv", "~.parquet", "file:x.parquet", "*.parquet"]
COLUMNS = ["*", "^s$", "^.*$", "s*", "COLUMNS(*)", 'a"b', "q0"]


@pytest.mark.parametrize("name", NAMES)
def test_the_file_that_is_named_is_read(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).parent.mkdir(exist_ok=True)
    for other, value in (("t1.csv", "Gout"), ("t.csv", "Gout"), ("x.parquet", "Gout"), (name, "Flu")):
        frame = pl.DataFrame({"sex": ["f", "m"], "disease": [value, "Cold"]})
        frame.write_parquet(tmp_path / other) if other.endswith("parquet") else frame.write_csv(tmp_path / other)
    table = sl.read_table(name, quasi="sex", sensitive="disease")
    assert (table.people, table.domain) == (2, ("Cold", "Flu"))


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("engine", ["polars", "lazy", "arrow", "pandas", "duckdb", "csv", "parquet"])
def test_the_column_that_is_named_is_read_or_refused(tmp_path, name, engine):
    columns = {"s": ["x", "y"], name: ["f", "m"], "disease": ["Flu", "Cold"]}
    arrow = pa.table(columns)
    sources = {
        "polars": pl.DataFrame(columns),
        "lazy": pl.LazyFrame(columns),
        "arrow": arrow,
        "pandas": arrow.to_pandas(),
    }
    sources |= {"csv": tmp_path / "t.csv", "parquet": tmp_path / "t.parquet"}
    sources["polars"].write_csv(tmp_path / "t.csv")
    sources["polars"].write_parquet(tmp_path / "t.parquet")
    with duckdb.connect() as connection:
        sources["duckdb"] = connection.from_arrow(arrow)
        try:
            known = sl.read_table(sources[engine], quasi=[name], sensitive="disease").column(name).labels
            values = sl.read_table(sources[engine], quasi=["s"], sensitive=name).domain
        except BadTable as refused:
            assert "for a pattern; rename it" in str(refused)  # noqa: PT017
            return
    assert (known, values) == (("f", "m"), ("f", "m"))
