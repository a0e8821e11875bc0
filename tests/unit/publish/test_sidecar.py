"""The document beside a published release: what it says, and what it must never say."""

import datetime as dt
import json
import math
import platform
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import sidelight as sl
from sidelight.policy.policy_file import read_policy_text
from sidelight.publish.sidecar import KNOWN_FROM_THE_RELEASE, SCHEMA_HOME, Sidecar, read_sidecar, sidecar_schema
from sidelight.search.anatomy import Anatomy
from sidelight.search.full_domain import FullDomain

POLICY = sl.Policy(sl.GroupSize() >= 20, sl.Implications(2) < 0.9, sl.EntropyDiversity() >= 1.5)


@pytest.fixture(scope="module")
def adult():
    return sl.datasets.adult(quasi=["age", "sex"])


def test_it_tells_of_the_search_and_of_what_was_read(adult, tmp_path):
    found = sl.protect(adult.table, POLICY, by=adult.hierarchies)
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
        "values": "single",
        "missing": "an error",
        "suppressed": "a group",
    }
    assert document.not_covered == "Attackers the policy does not name are not judged."
    assert dt.date.fromisoformat(document.date) - dt.datetime.now(dt.UTC).date() <= dt.timedelta(days=1)
    assert [each.model_dump() for each in document.hierarchies] == [
        {"column": "age", "levels": 6},
        {"column": "sex", "levels": 2},
    ]
    assert [(each.measure, each.holds) for each in document.findings] == [
        ("group size", True),
        ("implications", True),
        ("entropy diversity", True),
    ]
    assert set(document.findings[0].group) == {"age", "sex"}
    assert document.search.model_dump() == {
        "method": "lattice",
        "options": {"suppress": 0, "suppressed": "as *", "nodes": 100_000},
        "levels": dict(found.levels),
        "minimal": tuple(dict(each) for each in found.minimal),
        "checked": found.checked,
        "complete": True,
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
    found = sl.protect(table, sl.Policy(sl.GroupSize() >= 40), by={"zip": sl.Hierarchy.suppression("zip", rows["zip"])})
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
        found = sl.protect(table, sl.Policy(sl.GroupSize() >= 20), by=by)
        return json.loads(found.publish(tmp_path / "release.csv", force=True, seed=1).sidecar.read_text())

    assert told("14853") == told("90210")


def test_a_search_that_was_stopped_says_so(adult, tmp_path):
    found = sl.protect(adult.table, POLICY, by=adult.hierarchies, method=FullDomain(nodes=2))
    document = found.publish(tmp_path / "release.parquet").document
    assert not document.search.complete
    assert "stopped before its end" in document.warnings[0]


def test_infinite_numbers_are_json(adult, tmp_path):
    found = sl.protect(adult.table, POLICY, by=adult.hierarchies)
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
    found = sl.protect(adult.table, sl.Policy(sl.GroupSize() >= 20), by=adult.hierarchies, method=method)
    warnings = found.publish(tmp_path / "release.parquet").document.warnings
    assert warnings == found.warnings
    assert len(warnings) == len(says)
    assert all(part in warning for part, warning in zip(says, warnings, strict=True))


def test_notes_of_findings_stand_in_the_document(adult, tmp_path):
    policy = sl.Policy(sl.Closeness(distance="ordered") <= 0.5)
    document = sl.protect(adult.table, policy, by=adult.hierarchies).publish(tmp_path / "release.csv").document
    assert "takes the values in this order: Adm-clerical" in document.findings[0].notes[0]


@pytest.mark.parametrize("layout", [None, "shuffled"])
@pytest.mark.parametrize("name", ["release.csv", "release.parquet"])
def test_anatomy_says_who_is_in_which_bucket(adult, layout, name, tmp_path):
    policy = sl.Policy(sl.DistinctValues() >= 4)
    found = sl.protect(adult.table, policy, by=adult.hierarchies, method=Anatomy(random=np.random.default_rng(7)))
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
    found = sl.protect(adult.table, policy, method="anatomy")
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
