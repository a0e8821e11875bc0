import runpy
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import sidelight as sl
from sidelight.errors import MissingValues

HEIGHTS = {
    "age": [100, 20, 10, 5, 3, 1],
    "education": [16, 7, 2, 1],
    "marital-status": [7, 3, 1],
    "native-country": [41, 11, 4, 1],
    "race": [5, 1],
    "sex": [2, 1],
    "workclass": [8, 4, 2, 1],
}


def test_the_people_without_missing_values():
    data = sl.datasets.adult()
    assert repr(data).startswith("<Dataset adult: <Table of 45,222 people: age,")
    assert repr(data).endswith(">, 7 hierarchies>")
    assert data.table.people == 45_222
    assert len(data.table.domain) == 14
    assert [column.name for column in data.table.quasi] == ["age", "marital-status", "race", "sex"]


def test_all_people():
    table = sl.datasets.adult(people="all", sensitive="salary-class").table
    assert table.people == 48_842
    assert table.domain == ("<=50K", ">50K")


def test_people_without_an_occupation():
    with pytest.raises(MissingValues):
        sl.datasets.adult(people="all")
    dropped = sl.datasets.adult(people="all", missing="drop").table
    assert (dropped.people, dropped.intake.rows_without_value) == (48_842 - 2_809, 2_809)
    kept = sl.datasets.adult(people="all", missing="a value").table
    assert (kept.people, len(kept.domain)) == (48_842, 15)


def test_every_quasi_identifier_is_covered_by_its_hierarchy():
    data = sl.datasets.adult(people="all", quasi=list(HEIGHTS), sensitive="salary-class")
    assert data.hierarchies.keys() == HEIGHTS.keys()
    for name, hierarchy in data.hierarchies.items():
        hierarchy.check(data.table.column(name))
        assert [len(hierarchy.labels(level)) for level in range(hierarchy.height)] == HEIGHTS[name]
        assert hierarchy.labels(hierarchy.height - 1) == ("*",)


def test_it_is_small_and_cited():
    data = sl.datasets.adult()
    files = [data.path, *data.path.parent.glob("adult_*.csv")]
    assert len(files) == 8
    assert sum(file.stat().st_size for file in files) < 1_000_000
    assert "10.24432/C5XW20" in data.citation
    assert "10.24432/C5XW20" in (data.path.parent / "README.md").read_text()


def test_the_file_as_it_was_counted():
    frame = pq.read_table(sl.datasets.adult().path)
    assert (frame.num_rows, frame.drop_null().num_rows, frame.num_columns) == (48_842, 45_222, 14)
    assert frame["occupation"].null_count == 2_809
    assert "fnlwgt" not in frame.column_names


def test_the_hierarchies_are_those_that_the_script_makes():
    data = sl.datasets.adult()
    script = runpy.run_path(str(Path(__file__).parents[3] / "scripts" / "make_adult.py"))
    from_script = script["hierarchies"](pq.read_table(data.path))
    assert {hierarchy.column: hierarchy for hierarchy in from_script} == data.hierarchies


def test_people_with_several_conditions_and_with_none():
    data = sl.datasets.nhefs()
    frame = pq.read_table(data.path)
    assert (frame.num_rows, data.table.people, frame["condition"].null_count) == (1_928, 1_629, 941)
    assert (data.table.semantics, data.path.stat().st_size < 50_000) == ("set", True)
    assert "National Center for Health Statistics" in data.citation


def test_the_conditions_have_categories_and_the_states_regions():
    data = sl.datasets.nhefs(quasi=["age", "education", "birthplace", "sex", "race"])
    for column in data.table.quasi:
        data.hierarchies[column.name].check(column)
    assert len(data.hierarchies["condition"].labels(1)) == 7
    assert data.hierarchies["birthplace"].labels(1) == ("Northeast", "Midwest", "South", "West")


def test_the_hierarchies_of_nhefs_are_those_that_the_script_makes():
    script = runpy.run_path(str(Path(__file__).parents[3] / "scripts" / "make_nhefs.py"))
    assert {each.column: each for each in script["hierarchies"]()} == sl.datasets.nhefs().hierarchies
