"""Reading a published file as it stands: rows of people, rows of counts, and who is where."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from support.examples import examples
from support.words import mentions

import sidelight as sl
from sidelight.engines.formats.write import WRITERS, random_bytes
from sidelight.errors import BadRelease, BadTable, MissingValues, UnknownColumn
from sidelight.publish.publish import is_same_release, reduce_to_printed, sheet_of_counts
from sidelight.testing import releases

PUBLISHED = pd.DataFrame(
    {
        "age": ["20-29", "20-29", "*", "*", "*"],
        "sex": ["f", "f", "*", "m", "*"],
        "disease": ["Flu", "Cold", "HIV", "Flu", None],
    }
)


def test_rows_that_print_alike_are_a_group():
    release = sl.read_release(PUBLISHED, group=["age", "sex"], sensitive="disease", missing="a value")
    assert [str(release.groups.name(row)) for row in range(3)] == [
        "group 1 (age *, sex *)",
        "group 2 (age *, sex m)",
        "group 3 (age 20-29, sex f)",
    ]
    assert release.groups.sizes.tolist() == [2, 1, 2]
    assert release.domain == ("Cold", "Flu", "HIV", None)
    assert release.groups.whole.tolist() == [1, 2, 1, 1]
    assert release.sensitive == "disease"


def test_suppressed_rows_can_be_left_out_and_are_counted():
    release = sl.read_release(PUBLISHED, group=["age", "sex"], sensitive="disease", suppressed="leave out")
    assert release.size == 3
    assert release.domain == ("Cold", "Flu")  # what only suppressed people have is not in the release
    assert release.groups.columns[0].labels == ("*", "20-29")
    assert release.intake.rows_suppressed == 2
    (note,) = release.intake.notes()
    assert mentions(note, 2, 5, "rows", "suppressed", "left out")


def test_nothing_left_is_an_error():
    with pytest.raises(BadTable, match="no rows are left"):
        sl.read_release(PUBLISHED[2:3], group=["age", "sex"], sensitive="disease", suppressed="leave out")


def test_messages_use_the_callers_words():
    with pytest.raises(BadTable, match=r'suppressed="drop".*"a group".*"leave out"'):
        sl.read_release(PUBLISHED, group=["age"], sensitive="disease", suppressed="drop")
    with pytest.raises(BadTable, match="also in group="):
        sl.read_release(PUBLISHED, group=["disease"], sensitive="disease")
    with pytest.raises(BadTable, match="group= names no columns"):
        sl.read_release(PUBLISHED, group=[], sensitive="disease")


def test_visits_of_people_count_people():
    visits = pd.DataFrame({"zip": ["1"] * 4, "who": [1, 1, 1, 2], "disease": ["Flu", "Flu", "HIV", "Flu"]})
    once = sl.read_release(visits, group="zip", sensitive="disease", person="who", values="set")
    assert (once.groups.sizes.tolist(), once.groups.counts.row(0).tolist()) == ([2], [2, 1])
    (note,) = once.intake.notes()
    assert mentions(note, 1, 4, "rows", "value", "once")
    each = sl.read_release(visits, group="zip", sensitive="disease", person="who", values="multiset")
    assert (each.groups.sizes.tolist(), each.groups.counts.row(0).tolist()) == ([2], [3, 1])


COUNTS = {
    "age": ["20-29", "20-29", "30-39", "*"],
    "people": [3, 3, 2, 1],
    "disease": ["Flu", "Cold", "Flu", "Cold"],
    "count": [3, 1, 2, 0],
}


def read_counts(rows=None, values="multiset", **options):
    return sl.read_release(
        pa.table(COUNTS | (rows or {})), group="age", sensitive="disease", rows="counts", values=values, **options
    )


def cells_and_counts(release):
    groups = release.groups
    return {
        groups.columns[0].cell(row): (int(groups.sizes[row]), groups.counts.row(row).tolist())
        for row in range(len(release))
    }


def test_sizes_and_counts_are_as_the_rows_say():
    release = read_counts(values="set")
    assert release.domain == ("Cold", "Flu")
    assert cells_and_counts(release) == {"20-29": (3, [1, 3]), "30-39": (2, [0, 2]), "*": (1, [0, 0])}
    assert (release.semantics, release.sensitive) == ("set", "disease")


@pytest.mark.parametrize("make_source", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "pyarrow"])
def test_any_source_will_do(make_source):
    read_ = sl.read_release(make_source(COUNTS), group="age", sensitive="disease", rows="counts", values="multiset")
    assert cells_and_counts(read_) == cells_and_counts(read_counts())


def test_suppressed_groups_can_be_left_out_and_missing_values_mean_what_is_said():
    assert set(cells_and_counts(read_counts(suppressed="leave out"))) == {"20-29", "30-39"}
    gap = {"disease": ["Flu", None, "Flu", "Flu"], "count": [2, 1, 2, 1]}
    with pytest.raises(MissingValues, match=r"\b1 person.* no 'disease'.*missing="):
        read_counts(gap, values="single")
    assert cells_and_counts(read_counts(gap, values="single", missing="a value"))["20-29"] == (3, [2, 1])
    dropped = read_counts(gap, values="single", missing="drop")
    assert (cells_and_counts(dropped)["20-29"], dropped.domain) == ((2, [2]), ("Flu",))
    assert dropped.intake.rows_without_value == 1
    only = {"disease": [None] * 4, "age": ["1", "2", "3", "4"], "count": [3, 3, 2, 0]}
    with pytest.raises(BadRelease, match="no groups"):
        read_counts(only | {"people": [3, 3, 2, 0]}, values="single", missing="drop")


def test_counts_of_people_with_no_value_leave_the_people_where_they_are():
    gap = {"disease": ["Flu", None, "Flu", None], "count": [2, 1, 2, 1]}
    release = read_counts(gap, values="set", missing="no value")
    assert cells_and_counts(release) == {"20-29": (3, [2]), "30-39": (2, [2]), "*": (1, [0])}
    assert release.intake.rows_saying_no_value == 2
    again = sl.read_release(release.to_arrow(), group="age", sensitive="disease", rows="counts", values="set")
    assert cells_and_counts(again) == cells_and_counts(release)


def test_a_declared_domain_keeps_its_order():
    assert read_counts(domain=["Flu", "Ulcer", "Cold"]).domain == ("Flu", "Ulcer", "Cold")
    with pytest.raises(BadRelease, match=r"'Cold'.*'disease'.*not in domain="):
        read_counts(domain=["Flu"])


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ({"people": [3, 4, 2, 1]}, "one group differ.*'people'"),
        ({"disease": ["Flu", "Flu", "Flu", "Flu"]}, "twice.*one group"),
        ({"disease": ["Flu", "Flu", "Flu", "Flu"], "count": [3, 3, 2, 1]}, "twice.*one group"),
        ({"count": [3, -1, 2, 0]}, "'count'.*no whole numbers"),
        ({"people": ["3", "3", "two", None]}, "'people'.*no whole numbers"),
    ],
)
def test_contradictions_are_refused(rows, message):
    with pytest.raises(BadRelease, match=message):
        read_counts(rows)


def test_counts_must_add_up_where_everybody_has_one_value():
    with pytest.raises(BadRelease, match="do not add up"):
        read_counts(values="single")
    with pytest.raises(UnknownColumn, match="no column 'persons'"):
        read_counts(people="persons")


@given(releases(max_groups=4).filter(lambda release: release.groups.columns))
@examples(20)
def test_any_release_written_as_counts_reads_back(release):
    printed = reduce_to_printed(release)
    with TemporaryDirectory() as folder:
        with Path(folder, "release.parquet").open("wb") as file:
            WRITERS["parquet"].write(sheet_of_counts(printed, random_bytes(), people="people", count="count"), file)
        read_counts = sl.read_release(
            f"{folder}/release.parquet",
            group=[column.name for column in release.groups.columns],
            sensitive=release.sensitive,
            rows="counts",
            values=release.semantics,
            missing="a value",
            domain=release.domain,
        )
    assert is_same_release(reduce_to_printed(read_counts), printed)


NAMED = {
    "name": ["Ann", "Bob", "Cleo", "Dan", "Ed"],
    "zip": ["2", "1", "2", "1", "1"],
    "sex": ["f", "m", "f", "m", "f"],
    "ill": ["Flu", "Flu", "Cold", "Cold", "Flu"],
}
BY_NAME = {"group": ["zip", "sex"], "sensitive": "ill", "person": "name"}


@pytest.mark.parametrize("kind", [pa.table, pd.DataFrame, pl.DataFrame, "csv", "parquet"])
@pytest.mark.parametrize("values", ["single", "set", "multiset"])
def test_people_are_where_their_rows_are(kind, values, tmp_path):
    source = kind(NAMED) if callable(kind) else tmp_path / f"rows.{kind}"
    if kind == "csv":
        pl.DataFrame(NAMED).write_csv(source)
    elif kind == "parquet":
        pl.DataFrame(NAMED).write_parquet(source)
    release = sl.read_release(source, **BY_NAME, values=values, keep_people=True)
    assert set(release.people) == set(NAMED["name"])
    for name, place, sex in zip(NAMED["name"], NAMED["zip"], NAMED["sex"], strict=True):
        assert release.groups.name(release.people[name]).printed == (("zip", place), ("sex", sex))
    assert sl.posterior(release, "Ann = Flu") == sl.posterior(release, "{zip = 2, sex = f} = Flu")


def test_names_may_be_numbers_and_people_left_out_are_not_there():
    rows = pa.table({**NAMED, "name": [1, 2, 3, 4, 5], "ill": ["Flu", None, "Cold", "Cold", "Flu"]})
    release = sl.read_release(rows, **BY_NAME, missing="drop", keep_people=True)
    assert set(release.people) == {"1", "3", "4", "5"}
    assert release.size == 4


def test_people_are_forgotten_unless_asked_for():
    assert sl.read_release(pa.table(NAMED), **BY_NAME).people is None
    with pytest.raises(BadTable, match="keep_people=True needs person="):
        sl.read_release(pa.table(NAMED), group="zip", sensitive="ill", keep_people=True)


def test_what_is_read_already_is_not_read_again():
    table = sl.read_table(pa.table(NAMED), quasi=["zip"], sensitive="ill")
    with pytest.raises(TypeError, match=r"a Table, not.*sl\.group\(table\)"):
        sl.read_release(table, group=["zip"], sensitive="ill")
    with pytest.raises(TypeError, match=r"a Release, not.*use it"):
        sl.read_release(sl.group(table), group=["zip"], sensitive="ill")
    with pytest.raises(TypeError, match="that is a Table already"):
        sl.read_table(table, quasi=["zip"], sensitive="ill")
