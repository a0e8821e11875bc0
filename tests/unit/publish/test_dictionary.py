import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.words import mentions

import sidelight as sl
from sidelight.publish.sidecar import describe
from sidelight.table.labels import Column


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
    assert mentions(described["age"]["dc:description"], "outsiders may know", "level 2", "0 to 5")
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
    assert mentions(columns_of(published)["age_high"]["dc:description"], "upper end", "'age'")
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
    assert mentions(described["people"]["dc:description"], "how many people", "group")
    assert described["count"]["datatype"] == "integer"
    adult = sl.datasets.adult(quasi=["sex"])
    buckets = sl.protect(adult.table, sl.DistinctValues() >= 2, method="anatomy", ask="nobody").publish(
        tmp_path / "buckets.csv"
    )
    about = json.loads(buckets.dictionary.read_text())
    assert [table["url"] for table in about["tables"]] == ["buckets.values.csv", "buckets.csv"]
    assert mentions(columns_of(buckets)["bucket"]["dc:description"], "which bucket", "person")
    assert columns_of(buckets)["occupation"]["dc:description"].startswith("sensitive; one of: ")
    assert mentions(columns_of(counts)["count"]["dc:description"], "how often", "value", "group")


@pytest.fixture
def small():
    """Four people of two groups, with a ward that is carried along."""
    rows = pa.table(
        {
            "Zip côde": ["a", "a", "b", "b"],
            "born": [1990] * 4,
            "ill": ["Flu", "Cold", "Flu", "Cold"],
            "ward": ["x", "y", "x", None],
        }
    )
    table = sl.read_table(rows, quasi=["Zip côde", "born"], sensitive="ill", keep="ward")
    return sl.protect(table, sl.Policy(sl.GroupSize() >= 2, sl.DistinctValues() >= 2), method="mondrian", ask="nobody")


def test_the_whole_dictionary_is_as_csvw_wants_it(small, tmp_path):
    published = small.publish(tmp_path / "release.csv", written_as="arx")
    said = [each["dc:description"] for each in columns_of(published).values()]
    told = (("outsiders may know", "a, b"), ("outsiders may know",), ("sensitive", "Cold, Flu"), ("carried", "x, y"))
    assert all(mentions(each, *parts) for each, parts in zip(said, told, strict=True))
    described = [
        ("Zip%20c%C3%B4de", "Zip côde", "string", said[0]),
        ("born", "born", "integer", said[1]),
        ("ill", "ill", "string", said[2]),
        ("ward", "ward", "string", said[3]),
    ]
    names = ("name", "titles", "datatype", "dc:description")
    table = {
        "url": "release.csv",
        "dialect": {"delimiter": ";"},
        "tableSchema": {"columns": [dict(zip(names, each, strict=True)) | {"null": ""} for each in described]},
    }
    about = {
        "@context": ["http://www.w3.org/ns/csvw", {"@language": "en"}],
        "dc:title": "Release of 4 people",
        "dc:description": f"Within policy: group size ≥ 2; distinct values ≥ 2. {published.document.not_covered}",
        "dc:date": published.document.date,
        "tables": [table],
    }
    assert published.dictionary.name == "release.csv-metadata.json"
    assert published.dictionary.read_text(encoding="utf-8") == json.dumps(about, indent=2, ensure_ascii=False) + "\n"


def test_only_files_for_arx_have_semicolons_and_titles_are_as_they_stand(small, tmp_path):
    (table,) = json.loads(small.publish(tmp_path / "release.csv").dictionary.read_text())["tables"]
    assert list(table) == ["url", "tableSchema"]
    rows = pa.table({"=a": ["1"] * 4, "ill": ["Flu", "Cold"] * 2})
    odd = sl.protect(
        sl.read_table(rows, quasi="=a", sensitive="ill"), sl.GroupSize() >= 2, method="mondrian", ask="nobody"
    )
    assert list(columns_of(odd.publish(tmp_path / "odd.csv"))) == ["'=a", "ill"]


def test_columns_beside_those_of_the_table_are_ends_or_more_about_the_row(small, tmp_path):
    document = small.publish(tmp_path / "release.csv").document
    ends = [describe(name, None, document) for name in ("born_low", "born_high", "born_2")]
    for end, which in zip(ends, ("lower end", "upper end", "an end"), strict=True):
        assert mentions(end, which, "'born'", "empty", "open")
    assert describe("more", None, document) == describe("_low", None, document) == "more about the row"


@pytest.mark.parametrize(("many", "listed"), [(0, False), (1, True), (30, True), (31, False)])
def test_labels_are_listed_where_they_are_few(small, many, listed, tmp_path):
    document = small.publish(tmp_path / "release.csv").document
    labels = [f"w{number:02}" for number in range(many)]
    cells = Column("ward", (*labels, None, "nobody's"), Column.of("", [*labels, None]).codes)
    what, _, shown = describe("ward", cells, document).partition("; one of: ")
    assert mentions(what, "carried along")
    assert shown == (", ".join(labels) if listed else "")


def test_levels_are_told_with_how_many_there_are(found, tmp_path):
    described = columns_of(found.publish(tmp_path / "release.csv"))
    assert mentions(described["sex"]["dc:description"], "outsiders may know", "level 0", "0 to 1", "Female, Male")


def test_levels_that_are_kept_back_are_not_told(found, tmp_path):
    described = columns_of(found.publish(tmp_path / "release.csv", quiet_method=True))
    assert mentions(described["sex"]["dc:description"], "outsiders may know", "Female, Male")
    assert not mentions(described["sex"]["dc:description"], "level")
