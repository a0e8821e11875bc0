"""What is made of a few rows of each archive; and, where a registry can be reached, of all of them."""

import doctest
import io
import json
import re

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import sidelight as sl
from sidelight.datasets import fetched
from sidelight.errors import NotFetched

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
    train, test = fetched.PARTS
    table, hierarchies = fetched.make_census_income({train: WORKER.encode() + b"\n", test: CHILD.encode() + b"\n"})
    worker, child = table.to_pylist()
    assert worker["occupation"] == "Precision production craft & repair"
    assert (worker["age"], worker["weight"], worker["weeks-worked"], worker["year"]) == (58, 1053.55, 52, 94)
    assert (worker["salary-class"], child["salary-class"]) == (">50K", "<=50K")
    assert (child["native-country"], child["move-of-area"], child["father-born-in"]) == (None, None, "Mexico")
    assert child["citizenship"] == "Foreign born- Not a citizen of U S"
    assert child["occupation"] == "Not in universe"  # what the source says, and no missing value
    assert {each.column for each in hierarchies} >= {"age", "marital-status", "race", "sex", "native-country"}


def acs_row(people, employed=None, **others):
    codes = {code: "1" for code in fetched.ACS_COLUMNS if code not in ("id", "AGEP", "employed", "year")}
    columns = {"id": people, "AGEP": [float(30 + each) for each in people], "year": [2015] * len(people)}
    columns |= {
        code: pa.array([others.get(code, word)] * len(people)).dictionary_encode() for code, word in codes.items()
    }
    return parquet(**columns, prediction=[1] * len(people), **({"employed": employed} if employed else {}))


def test_acs_joins_who_was_employed_later_and_writes_codes_out():
    contents = {
        fetched.FIRST_YEAR: acs_row([0, 1], [1, 0], SCHL="21", MIL="0"),
        fetched.LATER_YEARS: acs_row([2, 3], SCHL="0", RAC1P="9"),
        fetched.LATER_EMPLOYED: parquet(id=[3, 2], employed=[1, 0]),
    }
    table, _ = fetched.make_acs(contents)
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
        fetched.PEOPLE: people.encode(),
        fetched.CONDITIONS: conditions.encode(),
        fetched.ICD_9.members[0]: json.dumps({"tree": tree}).encode(),
    }
    table, hierarchies = fetched.make_diagnoses(contents)
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
    for archive in (fetched.CENSUS, fetched.SURVEY, fetched.DIAGNOSED, fetched.ICD_9):
        assert re.fullmatch("[0-9a-f]{64}", archive.sha256)
        assert archive.version in archive.file
