"""Releases published as counts: read from any source, refused when they contradict themselves."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from support.examples import examples

import sidelight as sl
from sidelight.errors import BadRelease, MissingValues, UnknownColumn
from sidelight.publish.formats import Parquet, sheet_of_counts, shuffler
from sidelight.publish.read import as_printed, same_release
from sidelight.testing import releases

ROWS = {
    "age": ["20-29", "20-29", "30-39", "*"],
    "people": [3, 3, 2, 1],
    "disease": ["Flu", "Cold", "Flu", "Cold"],
    "count": [3, 1, 2, 0],
}


def read(rows=None, values="multiset", **options):
    return sl.read_release(
        pa.table(ROWS | (rows or {})), group="age", sensitive="disease", rows="counts", values=values, **options
    )


def said(release):
    groups = release.groups
    return {
        groups.columns[0].cell(row): (int(groups.sizes[row]), groups.counts.row(row).tolist())
        for row in range(len(release))
    }


def test_sizes_and_counts_are_as_the_rows_say():
    release = read(values="set")
    assert release.domain == ("Cold", "Flu")
    assert said(release) == {"20-29": (3, [1, 3]), "30-39": (2, [0, 2]), "*": (1, [0, 0])}
    assert (release.semantics, release.sensitive) == ("set", "disease")


@pytest.mark.parametrize("made", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "pyarrow"])
def test_any_source_will_do(made):
    read_ = sl.read_release(made(ROWS), group="age", sensitive="disease", rows="counts", values="multiset")
    assert said(read_) == said(read())


def test_suppressed_groups_can_be_left_out_and_missing_values_mean_what_is_said():
    assert set(said(read(suppressed="leave out"))) == {"20-29", "30-39"}
    gap = {"disease": ["Flu", None, "Flu", "Flu"], "count": [2, 1, 2, 1]}
    with pytest.raises(MissingValues, match="1 person has no 'disease'; say missing="):
        read(gap, values="single")
    assert said(read(gap, values="single", missing="a value"))["20-29"] == (3, [2, 1])
    dropped = read(gap, values="single", missing="drop")
    assert (said(dropped)["20-29"], dropped.domain) == ((2, [2]), ("Flu",))
    assert dropped.intake.rows_without_value == 1
    only = {"disease": [None] * 4, "age": ["1", "2", "3", "4"], "count": [3, 3, 2, 0]}
    with pytest.raises(BadRelease, match="no groups"):
        read(only | {"people": [3, 3, 2, 0]}, values="single", missing="drop")


def test_a_declared_domain_keeps_its_order():
    assert read(domain=["Flu", "Ulcer", "Cold"]).domain == ("Flu", "Ulcer", "Cold")
    with pytest.raises(BadRelease, match="'Cold' occurs in 'disease' but is not in domain="):
        read(domain=["Flu"])


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ({"people": [3, 4, 2, 1]}, "rows of one group differ in 'people'"),
        ({"disease": ["Flu", "Flu", "Flu", "Flu"]}, "a value is listed twice for one group"),
        ({"disease": ["Flu", "Flu", "Flu", "Flu"], "count": [3, 3, 2, 1]}, "a value is listed twice for one group"),
        ({"count": [3, -1, 2, 0]}, "column 'count' has cells that are no whole numbers"),
        ({"people": ["3", "3", "two", None]}, "column 'people' has cells that are no whole numbers"),
    ],
)
def test_contradictions_are_refused(rows, said):
    with pytest.raises(BadRelease, match=said):
        read(rows)


def test_counts_must_add_up_where_everybody_has_one_value():
    with pytest.raises(BadRelease, match="do not add up"):
        read(values="single")
    with pytest.raises(UnknownColumn, match="no column 'persons'"):
        read(people="persons")


@given(releases(max_groups=4).filter(lambda release: release.groups.columns))
@examples(20)
def test_any_release_written_as_counts_reads_back(release):
    printed = as_printed(release)
    with TemporaryDirectory() as folder:
        with Path(folder, "release.parquet").open("wb") as file:
            Parquet().write(sheet_of_counts(printed, shuffler(), people="people", count="count"), file)
        read = sl.read_release(
            f"{folder}/release.parquet",
            group=[column.name for column in release.groups.columns],
            sensitive=release.sensitive,
            rows="counts",
            values=release.semantics,
            missing="a value",
            domain=release.domain,
        )
    assert same_release(as_printed(read), printed)
