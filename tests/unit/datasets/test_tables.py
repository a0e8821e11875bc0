"""What is made of a few rows of each archive; and, where a registry can be reached, of all of them."""

import doctest
import io
import json
import re
import runpy
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import sidelight as sl
from sidelight.datasets import tables
from sidelight.errors import MissingValues, NotFetched

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


WORKER = (
    "58, Self-employed-not incorporated, 4, 34, Some college but no degree, 0, Not in universe, Divorced, Construction, "
    "Precision production craft & repair, White, All other, Male, Not in universe, Not in universe, Children or Armed Forces, "
    "0, 0, 0, Head of household, South, Arkansas, Householder, Householder, 1053.55, MSA to MSA, Same county, Same county, No, "
    "Yes, 1, Not in universe, United-States, United-States, United-States, Native- Born in the United States, 0, "
    "Not in universe, 2, 52, 94, 50000+."
)
CHILD = (
    "9, Not in universe, 0, 0, Children, 0, Not in universe, Never married, Not in universe or children, Not in universe, "
    "Other, Mexican (Mexicano), Female, Not in universe, Not in universe, Children or Armed Forces, 0, 0, 0, Nonfiler, "
    "Not in universe, Not in universe, Child <18 never marr not in subfamily, Child under 18 never married, 1758.14, ?, ?, ?, "
    "Not in universe under 1 year old, ?, 0, Both parents present, Mexico, ?, ?, Foreign born- Not a citizen of U S , 0, "
    "Not in universe, 0, 0, 95, - 50000."
)


def parquet(**columns) -> bytes:
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file)
    return file.getvalue()


def test_census_income_has_named_columns_and_clean_labels():
    train, test = tables.ARCHIVES["census_income"][0].members
    table, hierarchies = tables.make_census_income({train: WORKER.encode() + b"\n", test: CHILD.encode() + b"\n"})
    worker, child = table.to_pylist()
    assert worker["occupation"] == "Precision production craft & repair"
    assert (worker["age"], worker["weight"], worker["weeks-worked"], worker["year"]) == (58, 1053.55, 52, 94)
    assert (worker["salary-class"], child["salary-class"]) == (">50K", "<=50K")
    assert (child["native-country"], child["move-of-area"], child["father-born-in"]) == (None, None, "Mexico")
    assert child["citizenship"] == "Foreign born- Not a citizen of U S"
    assert child["occupation"] == "Not in universe"  # what the source says, and no missing value
    assert {each.column for each in hierarchies} >= {"age", "marital-status", "race", "sex", "native-country"}


def acs_row(people, employed=None, **others):
    names = (each.split(" ")[0] for each in tables.ACS_CODES)
    codes = {code: "1" for code in names if code not in ("id", "AGEP", "employed", "year")}
    columns = {"id": people, "AGEP": [float(30 + each) for each in people], "year": [2015] * len(people)}
    columns |= {
        code: pa.array([others.get(code, word)] * len(people)).dictionary_encode() for code, word in codes.items()
    }
    return parquet(**columns, prediction=[1] * len(people), **({"employed": employed} if employed else {}))


def test_acs_joins_who_was_employed_later_and_writes_codes_out():
    contents = {
        tables.ARCHIVES["acs"][0].members[0]: acs_row([0, 1], [1, 0], SCHL="21", MIL="0"),
        tables.ARCHIVES["acs"][0].members[1]: acs_row([2, 3], SCHL="0", RAC1P="9"),
        tables.ARCHIVES["acs"][0].members[2]: parquet(id=[3, 2], employed=[1, 0]),
    }
    table, _ = tables.make_acs(contents)
    assert table["person"].to_pylist() == [0, 1, 2, 3]
    assert table["employed"].to_pylist() == ["Yes", "No", "No", "Yes"]
    assert table["education"].to_pylist() == ["Bachelor's degree"] * 2 + ["Under 3"] * 2
    assert table["military"].to_pylist() == ["Under 17"] * 2 + ["On active duty"] * 2
    assert table["race"].to_pylist()[-1] == "Two or more"
    assert table["age"].to_pylist() == [30, 31, 32, 33]
    assert "prediction" not in table.column_names


def test_diagnoses_have_names_blocks_and_chapters_and_a_person_is_as_first_asked():
    people = (
        '"DUID","PID","DUPERSID","DOBMM","DOBYY","SEX","RACEX","RACEAX","RACEBX","RACEWX","RACETHNX","HISPANX","HISPCAT",'
        '"EDUCYEAR","Year","marry","income","poverty"\n'
        '2,1,"02",12,1964,2,1,3,3,1,1,1,5,12,2004,1,100,3\n'
        '2,1,"02",12,1963,2,1,3,3,1,1,1,5,12,2003,5,200,3\n'
        '3,1,"03",1,2000,1,2,3,3,1,1,2,5,-1,2003,6,0,1\n'
        '4,1,"04",2,1950,1,6,3,3,1,1,2,5,17,2005,-9,-7,5\n'
    )
    conditions = '"DUID","DUPERSID","ICD9CODX","year"\n"2","02","401",2003\n"2","02","280",2004\n"3","03","-1",2003\n'
    tree = {
        "id": "root",
        "children": [
            {
                "id": "Circulatory",
                "children": [
                    {
                        "id": "Hypertensive",
                        "children": [{"id": "Essential hypertension", "children": [{"id": "4010"}, {"id": "4019"}]}],
                    }
                ],
            },
            {"id": "Blood", "children": [{"id": "Iron deficiency", "children": [{"id": "2800"}]}]},
        ],
    }
    contents = {
        tables.ARCHIVES["diagnoses"][0].members[0]: people.encode(),
        tables.ARCHIVES["diagnoses"][0].members[1]: conditions.encode(),
        tables.ARCHIVES["diagnoses"][1].members[0]: json.dumps({"tree": tree}).encode(),
    }
    table, hierarchies = tables.make_diagnoses(contents)
    rows = table.to_pylist()
    assert [(row["person"], row["diagnosis"], row["year"]) for row in rows] == [
        ("02", "401 Essential hypertension", 2003),
        ("02", "280 Iron deficiency", 2004),
        ("03", None, 2003),  # a condition without a code
        ("04", None, None),  # nobody's condition
    ]
    assert [(row["birth-year"], row["marital-status"], row["income"]) for row in rows[:2]] == [
        (1963, "Never married", 200)
    ] * 2
    assert (rows[2]["education"], rows[3]["education"], rows[3]["marital-status"]) == (None, 17, None)
    diagnosis = next(each for each in hierarchies if each.column == "diagnosis")
    assert [diagnosis.generalise("401 Essential hypertension", level) for level in (1, 2, 3)] == [
        "Hypertensive",
        "Circulatory",
        "*",
    ]
    assert [diagnosis.generalise("280 Iron deficiency", level) for level in (1, 2, 3)] == ["Blood", "Blood", "*"]


def real(name):
    """The whole dataset, by the examples of its docstring; a machine without a registry says so."""
    text = getattr(sl.datasets, name).__doc__.replace("  # doctest: +SKIP", "")
    examples = doctest.DocTestParser().get_doctest(text, {}, name, None, None)
    try:
        doctest.DebugRunner().run(examples, clear_globs=False)
    except doctest.UnexpectedException as error:
        if error.exc_info[0] is NotFetched:
            pytest.skip(f"needs a package registry: {error.exc_info[1]}")
        raise
    data = examples.globs["data"]
    frame = pq.read_table(data.path)
    for column, hierarchy in data.hierarchies.items():
        labels = {str(each) for each in pc.unique(frame[column]).to_pylist() if each is not None}
        assert labels <= set(hierarchy.labels(0)), column
    return data, frame


def test_all_of_census_income():
    data, frame = real("census_income")
    assert (data.table.people, frame.num_columns, frame["native-country"].null_count) == (299_285, 42, 5_157)
    assert frame.slice(0, 1).select(["age", "race", "occupation"]).to_pylist() == [
        {"age": 73, "race": "White", "occupation": "Not in universe"}
    ]
    texts = [frame[name] for name in frame.column_names if pa.types.is_string(frame[name].type)]
    assert not any(pc.any(pc.match_substring_regex(pc.unique(column), r"^\s|\s$|^\?$")).as_py() for column in texts)


def test_all_of_acs():
    data, frame = real("acs")
    assert data.table.people == 277_677
    assert all(frame[name].null_count == 0 for name in frame.column_names)
    years = {row["values"]: row["counts"] for row in pc.value_counts(frame["year"]).to_pylist()}
    assert years == {2015: 68_785, 2016: 69_126, 2017: 69_635, 2018: 70_131}


def test_all_diagnoses():
    data, frame = real("diagnoses")
    diagnosed = frame.filter(pc.is_valid(frame["year"]))
    assert (data.table.people, diagnosed.num_rows, diagnosed["diagnosis"].null_count) == (58_568, 317_872, 7_185)
    assert pc.count_distinct(frame["person"]).as_py() == 70_047


def test_every_archive_is_pinned():
    for archive in (each for several in tables.ARCHIVES.values() for each in several):
        assert re.fullmatch("[0-9a-f]{64}", archive.sha256)
        assert archive.version in archive.file
