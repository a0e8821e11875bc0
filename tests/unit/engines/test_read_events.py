"""What is read of rows about people who may have several, and that nothing in them makes reading fail."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest
from support.words import mentions

import sidelight as sl
from sidelight.engines.read_events import events_at_level
from sidelight.errors import BadTable, MissingValues, SidelightError, UnknownColumn
from sidelight.noise.domain import Domain

ROWS = pa.table(
    {
        "patient": ["x", "x", "y", None, "x", "z"],
        "ward": ["A", "A", "B", "B", "C", None],
        "disease": ["Flu", "Flu", None, "Flu", "Cold", "Flu|Cold"],
    }
)
BY = {"ward": sl.Hierarchy("ward", (("A", "B"), ("*", "*")))}


def read(rows=ROWS, **options):
    return sl.read_events(rows, **({"quasi": "ward", "sensitive": "disease", "person": "patient"} | options))


def counted(events, at_most=9, **options):
    domain = Domain.declare(BY, {"ward": 0}, ["Flu", "Cold"], **({"outside": "other"} | options))
    return domain.count(events, BY, at_most=at_most).tolist()


def sources(rows, folder):
    pc.write_csv(rows, folder / "rows.csv", pc.WriteOptions(quoting_style="none"))
    pq.write_table(rows, folder / "rows.parquet")
    yield from (rows, folder / "rows.csv", folder / "rows.parquet", rows.to_pandas(), pl.from_arrow(rows))


def test_every_source_gives_the_same_counts(tmp_path):
    for source in sources(ROWS, tmp_path):
        events = read(source)
        assert counted(events) == [[2, 0, 0], [0, 0, 1], [0, 1, 1]]
        assert sorted(events.count_rows().tolist()) == [1, 1, 3]
        assert (events.count_rows() > 1).sum() == 1
        assert any(mentions(note, 1, 6, "rows", "no person", "left out") for note in events.intake.notes())


def test_nobody_at_all_is_read_from_every_source(tmp_path):
    for source in sources(ROWS.slice(0, 0), tmp_path):
        for person, values in (("patient", "single"), ("each row", "single"), ("patient", "set")):
            assert counted(read(source, person=person, values=values)) == [[0] * 3] * 3


def test_columns_without_a_single_cell_are_read(tmp_path):
    nothing = pa.table({"patient": ["x", "y"], "ward": pa.nulls(2, pa.string()), "disease": pa.nulls(2, pa.string())})
    for source in sources(nothing, tmp_path):
        assert counted(read(source)) == [[0, 0, 0], [0, 0, 0], [0, 0, 2]]
    for null_type in (pd.DataFrame({"patient": ["x"], "ward": [None], "disease": [None]}), nothing.to_pandas()):
        assert counted(read(null_type))[2][2] == len(null_type)


def test_each_row_may_be_a_person():
    events = read(person="each row")
    assert counted(events, at_most=1) == [[2, 0, 0], [1, 0, 1], [0, 1, 1]]
    assert (events.count_rows() > 1).sum() == 0


def test_missing_values_are_what_they_are_said_to_be():
    with pytest.raises(MissingValues, match=r"\b1 of 5 rows.*no 'disease'"):
        read(missing="an error")
    dropped = read(missing="drop")
    assert (counted(dropped)[1], dropped.intake.rows_without_value) == ([0, 0, 0], 1)
    none = read(missing="no value", values="set")
    assert (counted(none)[1], none.intake.rows_saying_no_value) == ([0, 0, 0], 1)
    assert counted(read(missing_marks=["Cold"]))[2] == [0, 0, 2]


def test_a_set_counts_a_person_once_in_a_cell():
    assert counted(read(values="set"))[0] == [1, 0, 0]
    others = pa.table({"patient": [1, 1, 1], "ward": ["A", "A", "A"], "disease": ["Gout", "Mumps", "Flu"]})
    assert counted(read(others, values="set"))[0] == [1, 0, 1]
    assert counted(read(others, values="multiset"))[0] == [1, 0, 2]


def test_cells_may_be_lists():
    events = read(person="each row", values="set", split="|")
    assert counted(events) == [[2, 0, 0], [1, 0, 0], [1, 2, 0]]
    assert counted(read(ROWS.slice(0, 0), person="each row", values="set", split="|")) == [[0] * 3] * 3
    with pytest.raises(BadTable, match=r"missing.*no parts"):
        read(person="each row", values="set", split="|", missing="a value")


def test_values_may_be_counted_more_coarsely():
    disease = sl.Hierarchy("disease", (("Flu", "Cold", "Gout"), ("Airways", "Airways", "Joints"), ("*", "*", "*")))
    coarse = events_at_level(read(values="set"), disease, 1)
    domain = Domain.declare(BY, {"ward": 0}, ["Airways"], outside="other")
    assert domain.count(coarse, BY, at_most=9).tolist() == [[1, 0], [0, 1], [1, 1]]


def test_what_is_refused_is_about_the_arguments():
    with pytest.raises(UnknownColumn, match="no column 'wrd'"):
        read(quasi="wrd")
    with pytest.raises(SidelightError, match="one sensitive column"):
        sl.read_events(ROWS, quasi="ward", sensitive=["disease", "patient"], person="each row")


def test_a_cap_keeps_as_many_rows_as_it_says():
    people = np.arange(100_000) % 60_000
    rows = pa.table({"patient": people, "ward": pa.array(["A", "B"] * 50_000), "disease": pa.array(["Flu"] * 100_000)})
    assert np.sum(counted(read(rows), at_most=1)) == 60_000
    assert np.sum(counted(read(rows), at_most=2)) == 100_000


def test_a_person_who_is_written_in_two_ways_is_one():
    rows = pa.table({"patient": ["7", "7.0", "07"], "ward": ["A", "A", "A"], "disease": ["Flu", "Flu", "Flu"]})
    assert (read(rows).count_rows() > 1).sum() == 1
    assert counted(read(rows), at_most=1)[0] == [2, 0, 0]
    spaced = pa.table({"patient": ["p1", " p1", "p1 "], "ward": ["A", "A", "A"], "disease": ["Flu", "Flu", "Flu"]})
    assert counted(read(spaced), at_most=1)[0] == [1, 0, 0]
