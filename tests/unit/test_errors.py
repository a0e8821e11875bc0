"""The wrong thing in the right place is told in one line, with the remedy and without what it holds."""

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sidelight as sl
from sidelight.errors import NotAvailable, WrongKind, did_you_mean, expect, listed

ROWS = {"age": ["20", "30"], "disease": ["Flu", "Cold"]}


@pytest.mark.parametrize(
    ("thing", "described"),
    [
        (pd.DataFrame(ROWS), "a pandas DataFrame"),
        (pl.DataFrame(ROWS), "a polars DataFrame"),
        (pa.table(ROWS), "a pyarrow Table"),
        ("patients.csv", "a str"),
        (None, "None"),
    ],
)
def test_a_dataframe_is_no_table_but_can_be_read(thing, described):
    with pytest.raises(WrongKind) as caught:
        expect(sl.Table, thing, "what is protected")
    message = str(caught.value)
    assert message.startswith(
        f"what is protected should be a Table, not {described}; read it first with sl.read_table("
    )
    assert "\n" not in message
    assert "Flu" not in message


def test_a_table_is_no_release_but_can_be_grouped_and_the_other_way_round():
    table = sl.read_table(pa.table(ROWS), quasi=["age"], sensitive="disease")
    with pytest.raises(TypeError, match=r"not a Table; group it first: sl\.group\(table\)"):
        expect(sl.Release, table, "the release")
    with pytest.raises(WrongKind, match=r"not a Release; a release no longer has the table's values"):
        expect(sl.Table, sl.group(table), "the table")
    assert expect(sl.Table, table, "the table") is table


def test_a_missing_package_says_how_to_install_it():
    assert str(NotAvailable.without(package="polars", what="to_polars()")).endswith("pip install polars")
    assert 'pip install "sidelight[dp]"' in str(NotAvailable.without(package="opendp", what="noise", extra="dp"))


def test_near_names_and_long_lists():
    assert did_you_mean("AGE", ["age", "zip"]) == "; did you mean 'age'?"
    assert did_you_mean("age", []) == ""
    assert listed([f"column{number}" for number in range(99)]).endswith("… (99 in all)")
