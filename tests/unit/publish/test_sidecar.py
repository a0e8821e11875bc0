"""The document beside a published release: what it says, and what it must never say."""

import csv
import datetime as dt
import json
import math
import platform
from collections import Counter
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.examples import examples

import sidelight as sl
from sidelight.errors import NotPublished
from sidelight.policy.policy_file import read_policy_text
from sidelight.publish.sidecar import (
    KNOWN_FROM_THE_RELEASE,
    SCHEMA_HOME,
    Sidecar,
    as_printed,
    read_sidecar,
    same_release,
    sidecar_schema,
)
from sidelight.search.anatomy import Anatomy
from sidelight.search.full_domain import FullDomain
from sidelight.table.table import Column
from sidelight.testing import measures, tables

POLICY = sl.Policy(sl.GroupSize() >= 20, sl.Implications(2) < 0.9, sl.EntropyDiversity() >= 1.5)


@pytest.fixture(scope="module")
def adult():
    return sl.datasets.adult(quasi=["age", "sex"])


def test_it_tells_of_the_search_and_of_what_was_read(adult, tmp_path):
    found = sl.protect(adult.table, POLICY, by=adult.hierarchies, ask="nobody")
    published = found.publish(tmp_path / "release.csv")
    document = read_sidecar(published.path)
    assert document == published.document == Sidecar.model_validate_json(published.sidecar.read_text(encoding="utf-8"))
    assert published.sidecar.name == "release.csv.sidelight.json"
    assert repr(published) == "<Published release.csv: 45,222 people, within policy>"
    assert "Published as release.csv, within policy" in published._repr_html_()
    written = read_policy_text(document.policy)
    assert written.policy == POLICY
    assert written.roles.stated() == {
        "quasi": ("age", "sex"),
        "sensitive": "occupation",
        "person": "each row",
        "values": "single",
        "missing": "an error",
        "suppressed": "a group",
    }
    assert document.not_covered == "Attackers the policy does not name are not judged."
    assert dt.date.fromisoformat(document.date) - dt.datetime.now(dt.UTC).date() <= dt.timedelta(days=1)
    assert [each.model_dump() for each in document.hierarchies] == [
        {"column": "age", "levels": 6, "covers": {}},  # 20-39 says itself what it covers
        {"column": "sex", "levels": 2, "covers": {}},
    ]
    assert [(each.measure, each.holds) for each in document.findings] == [
        ("group size", True),
        ("implications", True),
        ("entropy diversity", True),
    ]
    assert set(document.findings[0].group) == {"age", "sex"}
    assert document.search.model_dump() == {
        "method": "lattice",
        "options": {"suppress": 0, "suppressed": "as *", "nodes": 100_000, "levels": None},
        "levels": dict(found.levels),
        "utility": "balanced loss",
        "minimal": None,  # which other releases keep the policy depends on who has which value
        "averages": False,
        "checked": None,
        "complete": True,
        "resistance": None,
    }
    assert document.people.model_dump() == {
        "rows_in": 45_222,
        "people_in": 45_222,
        "people_out": 45_222,
        "suppressed": 0,
    }
    assert document.utility == {
        name: worth if name in KNOWN_FROM_THE_RELEASE else float(f"{worth:.3g}")
        for name, worth in found.utility.items()
        if name not in ("KL divergence", "query error")  # these depend on who has which value
    }
    wanted = {"sidelight": sl.__version__, "python": platform.python_version()}
    wanted |= {"numpy": np.__version__, "duckdb": duckdb.__version__, "pyarrow": pa.__version__}
    assert document.versions == wanted
    assert document.warnings == ()


def test_it_never_holds_the_table_or_names(tmp_path):
    people = [f"Person {n}" for n in range(40)]
    rows = pa.table(
        {"patient": people, "zip": [f"1{n:04}" for n in range(40)], "disease": ["Flu", "Cold"] * 20, "secret": people}
    )
    table = sl.read_table(rows, quasi=["zip"], sensitive="disease", person="patient")
    found = sl.protect(
        table, sl.Policy(sl.GroupSize() >= 40), by={"zip": sl.Hierarchy.suppression("zip", rows["zip"])}, ask="nobody"
    )
    published = found.publish(tmp_path / "release.csv")
    text = published.sidecar.read_text(encoding="utf-8") + published.path.read_text(encoding="utf-8")
    assert not [each for each in (*people, *(f'"{each}"' for each in rows["zip"]), "secret") if each in text]
    assert read_policy_text(published.document.policy).roles.person == "patient"  # the column, not who is in it
    assert "Person" not in text
    assert published.path.read_text(encoding="utf-8").splitlines()[0] == "zip,disease"


def test_values_that_are_hidden_cannot_be_guessed_and_tried(tmp_path):
    """Tables that differ in hidden values only have the same sidecar but for the file: nothing in it is made of them."""

    def told(hidden):
        rows = pa.table({"zip": [*["14850"] * 19, hidden], "disease": ["Flu", "Cold"] * 10})
        table = sl.read_table(rows, quasi=["zip"], sensitive="disease")
        by = {"zip": sl.Hierarchy.suppression("zip", table.column("zip").labels)}
        found = sl.protect(table, sl.Policy(sl.GroupSize() >= 20), by=by, ask="nobody")
        return json.loads(found.publish(tmp_path / "release.csv", force=True, seed=1).sidecar.read_text())

    assert told("14853") == told("90210")


def test_a_search_that_was_stopped_says_so(adult, tmp_path):
    found = sl.protect(adult.table, POLICY, by=adult.hierarchies, method=FullDomain(nodes=2), ask="nobody")
    document = found.publish(tmp_path / "release.parquet").document
    assert not document.search.complete
    assert "stopped before its end" in document.warnings[0]


def test_infinite_numbers_are_json(adult, tmp_path):
    found = sl.protect(adult.table, POLICY, by=adult.hierarchies, ask="nobody")
    object.__setattr__(found, "utility", {"loss": math.inf})
    published = found.publish(tmp_path / "release.parquet")
    assert json.loads(published.sidecar.read_text(encoding="utf-8"))["utility"] == {"loss": None}


@pytest.mark.parametrize(
    ("method", "says"),
    [
        (
            "anatomy",
            [
                "publishes the quasi-identifiers exactly",
                "only which sensitive value",
                "group size is the size of a bucket",
            ],
        ),
        ("microaggregation", ["may be equal to a real person's"]),
        ("mondrian", []),
    ],
)
def test_what_a_method_cannot_promise_is_said(adult, method, says, tmp_path):
    found = sl.protect(adult.table, sl.Policy(sl.GroupSize() >= 20), by=adult.hierarchies, method=method, ask="nobody")
    warnings = found.publish(tmp_path / "release.parquet").document.warnings
    assert warnings == found.warnings
    assert len(warnings) == len(says)
    assert all(part in warning for part, warning in zip(says, warnings, strict=True))


def test_notes_of_findings_stand_in_the_document(adult, tmp_path):
    policy = sl.Policy(sl.Closeness(distance="ordered") <= 0.5)
    document = (
        sl.protect(adult.table, policy, by=adult.hierarchies, ask="nobody").publish(tmp_path / "release.csv").document
    )
    assert "takes the values in this order: Adm-clerical" in document.findings[0].notes[0]


@pytest.mark.parametrize("layout", [None, "shuffled"])
@pytest.mark.parametrize("name", ["release.csv", "release.parquet"])
def test_anatomy_says_who_is_in_which_bucket(adult, layout, name, tmp_path):
    policy = sl.Policy(sl.DistinctValues() >= 4)
    found = sl.protect(
        adult.table, policy, by=adult.hierarchies, method=Anatomy(random=np.random.default_rng(7)), ask="nobody"
    )
    published = found.publish(tmp_path / name, layout=layout)
    document = published.document
    assert document.search.options == {"l": None}
    assert (document.reading.group, document.who.group, document.who.sensitive) == (
        ("bucket",),
        ("age", "sex"),
        "bucket",
    )
    assert len(document.files) == (1 if layout else 2)
    read = sl.read_published(published.path)
    assert policy.judge(read).findings[0].value == found.verdict.findings[0].value
    who = sl.read_release(published.path, group=["age", "sex"], sensitive="bucket")
    raw = sl.group(adult.table, by=["age", "sex"])
    assert who.groups.sizes.tolist() == raw.groups.sizes.tolist()
    assert who.groups.counts.totals().tolist() == read.groups.sizes.tolist()


def test_shuffled_values_are_those_of_the_bucket(adult, tmp_path):
    policy = sl.Policy(sl.DistinctValues() >= 4)
    found = sl.protect(adult.table, policy, method="anatomy", ask="nobody")
    found.publish(tmp_path / "one.parquet", layout="shuffled")
    found.publish(tmp_path / "two.parquet", layout="shuffled")
    guessed = [
        sl.read_release(tmp_path / name, group=["age", "sex", "bucket"], sensitive="occupation")
        for name in ("one.parquet", "two.parquet")
    ]
    assert not np.array_equal(*(release.groups.counts.dense() for release in guessed))


def test_the_schema_in_the_documentation_is_up_to_date():
    kept = (Path(__file__).parents[3] / SCHEMA_HOME).read_text(encoding="utf-8")
    assert kept == sidecar_schema(), f"write it anew: sidelight sidecar-schema > {SCHEMA_HOME}"


# What is published and read from the disk is what was found: the same groups, counts and findings.


NASTY = (
    *("=1+1", "-5", "-", "-5-0", "+", "@SUM(A1)", "'=1", "''", "(missing)", "NULL", "nan", " padded ", "\ttab", "a,b"),
    *(
        "a;b",
        "a|b",
        'say "hi"',
        '"',
        "line\nbreak",
        "return\rhere",
        "\r",
        "*",
        "00734",
        "1e5",
        "＝1",
        "🙂",
        "\\",
        "\\N",
    ),
)
WORDS = st.sampled_from(NASTY) | st.text(st.characters(codec="utf-8"), max_size=4)
METHODS = ("lattice", "mondrian", "anatomy", "microaggregation")
FORMATS = [("release.parquet", None), ("release.csv", None), ("release.csv", "arx")]


@st.composite
def nasty_tables(draw):
    """A table whose labels are such as spreadsheets, CSV and databases stumble over."""
    table = draw(tables(max_columns=2))
    words = st.lists(WORDS, min_size=6, max_size=6, unique=True)
    names = dict(zip(("4", "30", "30-39", "*", "", "né"), draw(words), strict=True))
    columns = tuple(
        Column.of(column.name, [names.get(column.cell(row), column.cell(row)) for row in range(len(column))])
        for column in table.quasi
    )
    values = draw(words)
    domain = tuple(None if text is None else values[place] for place, text in enumerate(table.domain))
    return replace(table, quasi=columns, domain=domain)


def hierarchies(table):
    return {
        column.name: sl.Hierarchy.suppression(column.name, [each for each in column.labels if each is not None] or "-")
        for column in table.quasi
    }


def protected(table, method="mondrian", *criteria):
    policy = sl.Policy(*(criteria or [sl.GroupSize() >= 1]))
    return sl.protect(table, policy, by=hierarchies(table), method=method, ask="nobody")


def sayable(table, name, written_as):
    """Parquet says everything; CSV no empty text and no NUL, ARX's CSV no semicolons, quotes and line breaks."""
    texts = [text for column in table.quasi for text in column.labels] + list(table.domain)
    odd = '\0;"\r\n' if written_as == "arx" else "\0"
    return name == "release.parquet" or not ("" in texts or any(sign in str(text) for sign in odd for text in texts))


@pytest.mark.parametrize(("name", "written_as"), FORMATS)
@given(table=nasty_tables(), method=st.sampled_from(METHODS), usual=st.booleans())
@examples(12)
def test_whatever_the_labels_what_is_read_is_what_was_found(name, written_as, table, method, usual):
    assume(method != "anatomy" or table.semantics == "single")
    found = protected(table, method)
    layout = None if usual else "shuffled" if method == "anatomy" else "counts"
    with TemporaryDirectory() as folder:
        path = f"{folder}/{name}"
        try:
            found.publish(path, layout=layout, written_as=written_as)
        except NotPublished:
            assert not sayable(table, name, written_as)
            return
        read = sl.read_published(path)
    assert same_release(read, as_printed(found.release))
    assert read.sensitive == table.sensitive


@given(data=st.data(), table=tables(max_people=4), method=st.sampled_from(["lattice", "mondrian"]))
@examples(12)
def test_published_files_judged_from_the_disk_give_the_same_findings(data, table, method):
    found = protected(table, method, sl.GroupSize() >= 1)
    measure = data.draw(measures(found.release))
    with TemporaryDirectory() as folder:
        found.publish(f"{folder}/release.parquet")
        read = sl.read_published(f"{folder}/release.parquet")
    assert measure.measure(read).value == measure.measure(as_printed(found.release)).value


@pytest.mark.parametrize(("name", "written_as"), FORMATS)
@pytest.mark.parametrize(
    "method",
    [
        "lattice",
        "mondrian",
        "microaggregation",
        FullDomain(suppress=0.04),
        FullDomain(suppress=0.04, suppressed="left out"),
    ],
    ids=str,
)
def test_all_methods_and_formats_on_real_data(method, name, written_as, tmp_path):
    adult = sl.datasets.adult(quasi=["age", "sex", "race"])
    policy = sl.Policy(sl.GroupSize() >= 10, sl.Implications(2) < 0.8, sl.Closeness() <= 0.4)
    found = sl.protect(adult.table, policy, by=adult.hierarchies, method=method, ask="nobody")
    document = found.publish(tmp_path / name, written_as=written_as).document
    read = sl.read_published(tmp_path / name)
    plainly = sl.read_release(tmp_path / name, group=["age", "sex", "race"], sensitive="occupation")
    expected = [finding.value for finding in found.verdict.findings]
    assert [finding.value for finding in policy.judge(read).findings] == expected
    assert [finding.value for finding in policy.judge(plainly).findings] == expected
    assert [finding.result.exact for finding in document.findings] == [str(value) for value in expected]


def test_missing_cells_and_the_text_that_shows_them(tmp_path):
    rows = pa.table({"sex": ["(missing)", None, "(missing)"], "disease": [None, "(missing)", "Flu"]})
    table = sl.read_table(rows, quasi=["sex"], sensitive="disease", missing="a value")
    found = protected(table)
    found.publish(tmp_path / "release.csv")
    found.publish(tmp_path / "release.parquet")
    with (tmp_path / "release.csv").open(encoding="utf-8", newline="") as file:
        assert Counter(map(tuple, csv.reader(file))) == {
            ("sex", "disease"): 1,
            ("(missing)", ""): 1,
            ("", "(missing)"): 1,
            ("(missing)", "Flu"): 1,
        }
    kept = Counter(tuple(row.values()) for row in pq.read_table(tmp_path / "release.parquet").to_pylist())
    assert kept == {("(missing)", None): 1, (None, "(missing)"): 1, ("(missing)", "Flu"): 1}
    assert same_release(sl.read_published(tmp_path / "release.csv"), sl.read_published(tmp_path / "release.parquet"))


def test_several_values_are_published_as_counts(tmp_path):
    rows = pa.table(
        {
            "id": [1, 1, 2, 3, 3],
            "people": ["f", "f", "f", "m", "m"],
            "count": ["Flu", "Cold", "Flu", "Flu", "Cold"],
        }
    )
    table = sl.read_table(rows, quasi=["people"], sensitive="count", person="id", values="set")
    found = protected(table)
    document = found.publish(tmp_path / "release.csv").document
    assert (document.reading.people, document.reading.count) == ("people 2", "count 2")
    text = (tmp_path / "release.csv").read_text(encoding="utf-8").splitlines()
    assert text[0] == "people,people 2,count,count 2"
    assert sorted(text[1:]) == ["f,2,Cold,1", "f,2,Flu,2", "m,1,Cold,1", "m,1,Flu,1"]
    again = sl.read_release(
        tmp_path / "release.csv",
        group="people",
        sensitive="count",
        values="set",
        rows="counts",
        people="people 2",
        count="count 2",
    )
    assert same_release(again, sl.read_published(tmp_path / "release.csv"))
    with pytest.raises(NotPublished, match='publish them with layout="counts"'):
        found.publish(tmp_path / "other.csv", layout="people")


def test_a_value_of_suppressed_people_only_is_not_named(tmp_path):
    rows = pa.table({"age": ["20"] * 30 + ["30"], "disease": ["Flu", "Cold"] * 15 + ["Rare"]})
    table = sl.read_table(rows, quasi=["age"], sensitive="disease")
    policy = sl.Policy(sl.GroupSize() >= 5)
    way = FullDomain(suppress=0.04, suppressed="left out")
    found = sl.protect(table, policy, by=hierarchies(table), method=way, ask="nobody")
    document = found.publish(tmp_path / "release.parquet").document
    assert found.suppressed == document.people.suppressed == 1
    assert (document.people.people_in, document.people.people_out) == (31, 30)
    assert b"Rare" not in b"".join(path.read_bytes() for path in tmp_path.iterdir())


def test_the_order_of_rows_is_not_that_of_the_input(tmp_path):
    rows = pa.table({"age": [str(20 + n // 500) for n in range(1000)], "disease": [str(n % 7) for n in range(1000)]})
    found = protected(sl.read_table(rows, quasi=["age"], sensitive="disease"))
    orders = []
    for name in ("one.csv", "two.csv"):
        found.publish(tmp_path / name)
        orders.append((tmp_path / name).read_text(encoding="utf-8").splitlines()[1:])
    given_order = [f"{row['age']},{row['disease']}" for row in rows.to_pylist()]
    assert sorted(orders[0]) == sorted(orders[1]) == sorted(given_order)
    assert orders[0] != orders[1]
    for order in orders:
        assert order not in (given_order, sorted(given_order))
        ages = np.array([line.startswith("20") for line in order])
        assert 150 < ages[:500].sum() < 350  # about half of either half


@pytest.mark.parametrize(("name", "written_as"), FORMATS)
def test_the_same_seed_gives_the_same_bytes_and_a_warning(name, written_as, tmp_path):
    adult = sl.datasets.adult(quasi=["age", "sex"])
    found = sl.protect(adult.table, sl.Policy(sl.GroupSize() >= 10), by=adult.hierarchies, ask="nobody")
    (tmp_path / "other").mkdir()
    one = found.publish(tmp_path / name, seed=7, written_as=written_as)
    two = found.publish(tmp_path / "other" / name, seed=7, written_as=written_as)
    assert one.path.read_bytes() == two.path.read_bytes()
    assert one.sidecar.read_bytes() == two.sidecar.read_bytes()
    assert "drawn with a seed" in one.document.warnings[0]
    without = found.publish(tmp_path / name, force=True, written_as=written_as)
    assert without.document.warnings == ()
    assert without.path.read_bytes() != two.path.read_bytes()
