import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sidelight as sl


@pytest.fixture(scope="module")
def adult():
    return sl.datasets.adult(quasi=["age", "sex", "race"])


@pytest.fixture
def found(adult):
    return sl.protect(
        adult.table, sl.GroupSize() >= 12, by=adult.hierarchies, levels={"age": 2, "sex": 0, "race": 1}, ask="nobody"
    )


def columns_of(published):
    described = json.loads(published.dictionary.read_text())
    return {each["titles"]: each for table in described["tables"] for each in table["tableSchema"]["columns"]}


def test_every_column_is_described(found, tmp_path):
    published = found.publish(tmp_path / "release.csv")
    described = columns_of(published)
    assert list(described) == ["age", "sex", "race", "occupation"]
    assert described["age"]["dc:description"].startswith("what outsiders may know about a person, at level 2 of 0 to 5")
    assert described["sex"]["dc:description"].endswith("one of: Female, Male")
    assert described["occupation"]["dc:description"].startswith("sensitive; one of: Adm-clerical")
    about = json.loads(published.dictionary.read_text())
    assert "group size ≥ 12" in about["dc:description"]
    assert about["tables"][0]["url"] == "release.csv"


def test_the_ends_of_intervals_are_numbers_of_their_own(found, tmp_path):
    published = found.publish(tmp_path / "release.parquet", bounds=True)
    rows = pq.read_table(published.path)
    assert rows.column_names == ["age", "age_low", "age_high", "sex", "race", "occupation"]
    assert rows.schema.field("age_low").type == pa.int64()
    assert all(f"{row['age_low']}-{row['age_high']}" == row["age"] for row in rows.slice(0, 100).to_pylist())
    assert columns_of(published)["age_high"]["dc:description"].startswith("the upper end of what is printed in 'age'")
    assert columns_of(published)["age_high"]["datatype"] == "integer"
    assert sl.read_published(published.path).size == found.release.size


def test_numbers_and_days_are_stored_as_such_and_codes_as_texts(tmp_path):
    rows = pa.table(
        {
            "age": [30, 30, 40, 40],
            "born": ["1990-01-02"] * 4,
            "zip": ["00734"] * 4,
            "region": [1, 1, 2, 2],
            "disease": ["Flu", "Cold", "Flu", None],
        }
    )
    table = sl.read_table(
        rows,
        quasi=["age", "born", "zip", "region"],
        sensitive="disease",
        missing="a value",
        kinds={"region": "category"},
    )
    found = sl.protect(table, sl.GroupSize() >= 2, method="mondrian", ask="nobody")
    path = found.publish(tmp_path / "release.parquet").path
    kinds = [str(field.type) for field in pq.read_schema(path)]
    assert kinds == ["int64", "date32[day]", "string", "string", "string"]
    assert sl.read_published(path).size == 4


def test_counts_and_buckets_are_described_too(tmp_path):
    data = sl.datasets.nhefs(quasi=["sex"])
    counts = sl.protect(data.table, sl.GroupSize() >= 20, by=data.hierarchies, ask="nobody").publish(
        tmp_path / "counts.csv"
    )
    described = columns_of(counts)
    assert described["people"]["dc:description"] == "how many people are in the group"
    assert described["count"]["datatype"] == "integer"
    adult = sl.datasets.adult(quasi=["sex"])
    buckets = sl.protect(adult.table, sl.DistinctValues() >= 2, method="anatomy", ask="nobody").publish(
        tmp_path / "buckets.csv"
    )
    about = json.loads(buckets.dictionary.read_text())
    assert [table["url"] for table in about["tables"]] == ["buckets.values.csv", "buckets.csv"]
