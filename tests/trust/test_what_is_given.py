"""What stands where something else belongs is told by its kind: a table that was given as a number has people in it."""

import json
import os

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from support.command_line import invoke
from trust.fuzz import sidecars
from trust.fuzz.bars import MARK

import sidelight as sl
from sidelight.errors import as_given
from sidelight.policy.limits import read_limit
from sidelight.policy.policy_file import read_policy_text

ROWS = pa.table({"age": ["1"], "disease": [f"{MARK}itis"]})
TABLES = [ROWS, ROWS.to_pandas(), pl.from_arrow(ROWS), [[f"{MARK}itis"]], {"disease": f"{MARK}itis"}]
RELEASE = sl.Release.from_counts([{"Flu": 2, "Cold": 1}])


@pytest.mark.parametrize("table", TABLES, ids=lambda table: type(table).__name__)
@pytest.mark.parametrize(
    "call",
    [
        sl.Implications,
        lambda table: sl.GroupSize() >= table,
        sl.Someone,
        lambda table: sl.semantic_privacy(epsilon=table),
        lambda table: sl.PriorBelief(stubbornness=table),
        lambda table: sl.Anatomy(l=table),
        lambda table: sl.Closeness(distance=table),
        lambda table: sl.Hierarchy.suppression("age", ["1"]).level(table),
        lambda table: sl.disclosure_curve(RELEASE, sl.Implications, table),
        sl.skyline,
        lambda table: sl.posteriors(RELEASE, person=sl.Someone(1), locate=table),
    ],
)
def test_no_table_is_told_in_an_error(call, table):
    with pytest.raises((sl.SidelightError, TypeError)) as refused:
        call(table)
    assert MARK not in str(refused.value)
    assert "\n" not in str(refused.value)


def test_numbers_and_short_texts_are_told_as_they_are():
    assert [as_given(each) for each in (3, 0.5, None, "two", (1, 2), pd.NA, 10**5000)] == [
        *("3", "0.5", "None", "two", "(1, 2)", "a pandas NAType", "a number of thousands of digits")
    ]


def test_a_curve_is_of_a_measure():
    with pytest.raises(sl.SidelightError, match="a curve is of a measure's class"):
        sl.disclosure_curve(RELEASE, int, range(2))


def test_a_document_of_noise_with_a_number_for_a_name_is_one_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = {**sidecars.document(sidecars.COUNTS), "sensitive": 2**63}
    with pytest.raises(sl.SidelightError, match="does not fit"):
        sidecars.ask((sidecars.COUNTS, json.dumps(told).encode(), "read"))


@pytest.mark.parametrize("text", ["gr\noup size >= 5", "gruop\r\nsize >= 5", "group size(\n= 3"])
def test_an_error_is_one_line_whatever_was_typed(text):
    with pytest.raises(sl.SidelightError) as refused:
        read_limit(text)
    assert "\n" not in str(refused.value)
    assert invoke([text]).stderr.count("\n") == 1


@pytest.mark.parametrize("value", ["9" * 5000, "0001-13-45"])
def test_numbers_and_days_that_no_policy_has(value):
    with pytest.raises(sl.SidelightError):
        read_policy_text(f'[[limit]]\nmeasure = "group size"\nat_least = {value}\n')


@pytest.mark.parametrize(
    "read",
    [
        sl.read_policy,
        sl.read_hierarchy,
        lambda pipe: sl.read_hierarchies(pipe.parent),
        lambda pipe: sl.Ledger(pipe).read(),
        sl.read_published,
        sl.read_noise,
        lambda pipe: sl.read_domain(pipe.with_suffix(".txt")),
        lambda pipe: sl.read_table(pipe, quasi="age", sensitive="disease"),
        lambda pipe: sl.read_policy("\ud800"),
    ],
)
def test_a_pipe_is_refused_and_not_waited_for(read, tmp_path):
    for name in ("pipe.csv", "pipe.txt", "pipe.csv.sidelight.json", "pipe.csv.noise.json"):
        os.mkfifo(tmp_path / name)
    with pytest.raises(sl.SidelightError):
        read(tmp_path / "pipe.csv")


def test_a_tree_from_a_pipe_is_one_line(tmp_path):
    os.mkfifo(tmp_path / "tree.json")
    (tmp_path / "people.csv").write_text("city,disease\n" + "Ulm,Flu\n" * 4)
    words = [
        "hierarchies",
        tmp_path / "people.csv",
        "-g",
        "city",
        "--tree",
        f"city={tmp_path}/tree.json",
        "-o",
        tmp_path / "o",
    ]
    outcome = invoke(words)
    assert (outcome.exit_code, outcome.stderr.count("\n")) == (2, 1)
    assert "is a device or a pipe" in outcome.stderr


def test_maps_in_a_file_are_one_line(tmp_path):
    import pyarrow.parquet as pq  # noqa: PLC0415

    cells = pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int64()))
    pq.write_table(pa.table({"age": ["1"], "disease": cells}), tmp_path / "t.parquet")
    with pytest.raises(sl.SidelightError, match="turn it into text"):
        sl.read_table(tmp_path / "t.parquet", quasi="age", sensitive="disease")
