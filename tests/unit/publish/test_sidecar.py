"""The document beside a published release: what it says, and what it must never say."""

import csv
import datetime as dt
import hashlib
import json
import math
import platform
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.examples import examples
from support.words import mentions

import sidelight as sl
from sidelight.documents.document import number, schema_text
from sidelight.engines.formats.write import WRITERS
from sidelight.errors import BadRelease, NotPublished, SidelightError
from sidelight.files import digest, sidecar_path
from sidelight.policy.policy_file import read_policy_text
from sidelight.publish import publish, sidecar
from sidelight.publish.publish import add_members, generation, is_same_release, read_by_sidecar, reduce_to_printed
from sidelight.publish.sidecar import (
    Reading,
    Sidecar,
    read_checked,
    read_sidecar,
    strip_folder,
)
from sidelight.release.population import Population
from sidelight.search.anatomy import Anatomy
from sidelight.search.full_domain import FullDomain
from sidelight.search.method import Resistance
from sidelight.streams.memory import Memory
from sidelight.table.labels import Column
from sidelight.table.table import Counts, Intake
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
    assert mentions(document.not_covered, "Attackers", "does not name", "not judged")
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
        # no other releases within policy: which there are depends on who has which value
        "averages": False,
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
        name: worth if name in ("discernibility", "average group size", "suppressed") else float(f"{worth:.3g}")
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
                "size of a bucket",
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
    assert mentions(document.findings[0].notes[0], "order", "Adm-clerical")


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
    kept = (Path(__file__).parents[3] / "docs/reference/sidecar.schema.json").read_text(encoding="utf-8")
    assert kept == schema_text(Sidecar), "write it anew: sidelight sidecar-schema > docs/reference/sidecar.schema.json"


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
    assert is_same_release(read, reduce_to_printed(found.release))
    assert read.sensitive == table.sensitive


@given(data=st.data(), table=tables(max_people=4), method=st.sampled_from(["lattice", "mondrian"]))
@examples(12)
def test_published_files_judged_from_the_disk_give_the_same_findings(data, table, method):
    found = protected(table, method, sl.GroupSize() >= 1)
    measure = data.draw(measures(found.release))
    with TemporaryDirectory() as folder:
        found.publish(f"{folder}/release.parquet")
        read = sl.read_published(f"{folder}/release.parquet")
    assert measure.measure(read).value == measure.measure(reduce_to_printed(found.release)).value


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
    assert is_same_release(sl.read_published(tmp_path / "release.csv"), sl.read_published(tmp_path / "release.parquet"))


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
    assert is_same_release(again, sl.read_published(tmp_path / "release.csv"))
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


# How each part of the document is filled and read.


def few(policy=None, *, ask="nobody", **roles):
    """What a search found for eight people of two ages."""
    rows = pa.table({"age": [1, 1, 1, 1, 2, 2, 2, 2], "ill": ["Flu", "Cold"] * 4, "ward": list("abcdefgh")})
    table = sl.read_table(rows, quasi="age", sensitive="ill", **roles)
    by = {"age": sl.Hierarchy("age", (("1", "2"), ("young", "young"), ("*", "*")))}
    limits = sl.GroupSize() >= 5 if policy is None else policy
    return sl.protect(table, limits, by=by, ask=ask)


READING = {
    "file": "r.csv",
    "group": ("age",),
    "sensitive": "ill",
    "values": "single",
    "rows": "people",
    "format": "csv",
}


@pytest.mark.parametrize(
    ("domain", "missing"),
    [
        (None, None),
        ((), None),
        (("Flu",), None),
        (("Flu", None), "a value"),
        ({"ill": ("Flu",), "pay": ("low",)}, None),
        ({"ill": ("Flu",), "pay": (None,)}, "a value"),
    ],
)
def test_missing_values_are_values_only_where_they_are_listed(domain, missing):
    columns = tuple(domain) if isinstance(domain, dict) else ("ill",)
    roles = Reading(**READING | {"sensitive": columns}, domain=domain, kinds={"age": "number"}).to_roles()
    assert (roles.missing, roles.quasi, roles.value_columns, roles.values) == (missing, ("age",), columns, "single")
    assert roles.domain == domain
    assert roles.kinds == (("age", "number"),)


def test_how_it_was_made_is_told_to_whoever_reasons_with_that(tmp_path):
    found = few()
    published = found.publish(tmp_path / "release.csv")
    told = published.document.provenance()
    assert (told.method, told.policy, told.levels, told.complete) == ("lattice", found.policy, {"age": 1}, True)
    assert (told.hierarchies, told.utility) == (("age",), "balanced loss")
    assert told.options == published.document.search.options != {}
    read = sl.read_published(published.path).provenance
    assert (read.method, read.policy, read.levels) == (told.method, told.policy, told.levels)
    stopped = published.document.search.model_copy(update={"complete": False})
    assert not published.document.model_copy(update={"search": stopped}).provenance().complete
    assert published.document.model_copy(update={"policy": "?"}).provenance() is None


def test_what_a_label_covers_is_told_unless_hierarchies_are_private(tmp_path):
    found = few()
    document = found.publish(tmp_path / "open.csv").document
    (age,) = document.hierarchies
    assert (age.column, age.levels, {*age.covers}) == ("age", 3, {"young"})
    assert {*age.covers["young"]} - {None} == {"1", "2"}
    assert {*document.printing().nodes} == {"age"}
    assert not document.printing().averages
    private = found.publish(tmp_path / "private.csv", private_hierarchies=True).document
    assert [each.covers for each in private.hierarchies] == [{}]
    assert private.printing().nodes == {}


def test_what_columns_were_taken_for_is_told_of_those_that_are_published(tmp_path):
    found = few()
    reading = found.publish(tmp_path / "release.csv").document.reading
    assert reading.kinds == {"age": found.kinds["age"]} != {}
    assert {*found.kinds} >= {"age"}


@pytest.mark.parametrize("quiet", [False, True])
def test_what_readers_reach_is_told_but_not_of_those_who_know_a_method_that_is_kept_back(quiet, tmp_path):
    found = few(sl.Policy(sl.GroupSize() >= 5, sl.Implications(0) <= 0.5), ask="both")
    readers = [each.reader for each in found.readers if not (quiet and each.attacker.knows_method)]
    assert "learner" in readers
    assert ("insider" in readers) == (not quiet)
    document = found.publish(tmp_path / "release.csv", quiet_method=quiet, seed=1).document
    assert [each.reader for each in document.readers] == readers
    assert document.search.method == (None if quiet else "lattice")
    assert mentions(document.warnings[0], "order of the rows", "seed")
    assert [mentions(each, "kept back", "nobody is protected") for each in document.warnings[1 : 1 + quiet]] == [
        True
    ] * quiet
    assert any(mentions(each, "kept back") for each in document.warnings) == quiet


@pytest.mark.parametrize(
    ("name", "worth", "told"),
    [
        ("discernibility", 123456.0, 123456.0),
        ("average group size", 1234.5, 1234.5),
        ("suppressed", 0.12345, 0.12345),
        ("loss", 0.12345, 0.123),
        ("loss", 123456.0, 123000.0),
        ("loss", math.inf, None),
        ("discernibility", math.nan, None),
    ],
)
def test_what_was_computed_with_the_table_is_told_to_three_digits(name, worth, told, tmp_path):
    found = few()
    object.__setattr__(found, "utility", {name: worth})
    assert found.publish(tmp_path / "release.csv").document.utility == {name: told}


def test_populations_are_named_by_their_file_alone(tmp_path):
    (tmp_path / "private").mkdir()
    register = tmp_path / "private" / "register.csv"
    register.write_text("age\n" + "1\n2\n" * 20)
    found = few(sl.Policy(sl.GroupSize() >= 5, sl.JournalistRisk(population=str(register)) <= Fraction(1, 5)))
    published = found.publish(tmp_path / "release.csv")
    (told,) = published.document.populations
    sha256 = hashlib.sha256(register.read_bytes()).hexdigest()
    assert told.model_dump() == {"name": "register.csv", "sha256": sha256, "people": 40}
    assert "private" not in published.sidecar.read_text(encoding="utf-8")
    assert published.document.findings[1].settings["population"] == "register.csv"
    assert 'population = "register.csv"' in published.document.policy
    kept = strip_folder(found.policy.criteria[1])
    assert kept.measure.register == Population("register.csv")
    assert str(kept) == "journalist risk(population=register.csv) ≤ 1/5"
    assert strip_folder(found.policy.criteria[0]) is found.policy.criteria[0]


def test_a_population_that_is_no_file_has_no_name(tmp_path):
    everybody = pa.table({"age": ["1", "2"] * 20})
    held = sidecar._population_facts(Population.from_source(everybody), ["age"])
    assert held.model_dump() == {"name": None, "sha256": None, "people": 40}
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("age\n1\n2\n")
    several = sidecar._population_facts(Population(str(tmp_path / "*.csv")), ["age"])
    assert several.model_dump() == {"name": "*.csv", "sha256": None, "people": 4}


def test_against_whom_it_was_made_is_told_without_its_price():
    found = few()

    def resisting(belief):
        made = replace(found, resistance=Resistance("insider", belief, lambda: None))
        return sidecar._search_facts(made, quiet=False).resistance

    assert sidecar._search_facts(found, quiet=False).resistance is None
    assert (resisting(None).reader, resisting(None).belief) == ("insider", None)
    sure = resisting(Fraction(2, 3))
    assert (sure.belief.exact, sure.belief.number) == ("2/3", 0.6666666666666667)  # rounded up: larger is worse


def test_findings_are_told_with_what_is_printed_only(tmp_path):
    found = few(sl.Policy(sl.GroupSize() >= 5, sl.Implications(0) <= 0.5))
    size, implied = found.publish(tmp_path / "release.csv").document.findings
    assert (size.measure, size.settings, size.text) == ("group size", {}, "group size")
    assert (size.limit.text, size.result.exact, size.holds) == ("≥ 5", "8", True)
    assert (size.group, size.value, size.notes) == ({"age": "young"}, None, ())
    assert implied.settings["k"] == 0
    assert implied.group == {"age": "young"}
    assert implied.value in ("Flu", "Cold")


# Reading what was published.


def test_a_file_without_a_sidecar_is_refused_with_what_to_do(tmp_path):
    with pytest.raises(BadRelease) as refused:
        read_sidecar(tmp_path / "r.csv")
    assert mentions(refused.value, "no 'r.csv.sidelight.json'", f"'{tmp_path / 'r.csv'}'", "columns", "read_release")
    sidecar_path(tmp_path / "r.csv").write_text("{")
    with pytest.raises(BadRelease) as refused:
        read_sidecar(tmp_path / "r.csv")
    assert mentions(
        refused.value, f"'{tmp_path / 'r.csv.sidelight.json'}'", "cannot be read", "publish again", "columns"
    )


def rewritten(published, **changes):
    document = json.loads(published.sidecar.read_text(encoding="utf-8")) | changes
    published.sidecar.write_text(json.dumps(document), encoding="utf-8")


def test_a_sidecar_of_another_version_is_refused(tmp_path):
    published = few().publish(tmp_path / "r.csv")
    rewritten(published, schema_version=3)
    with pytest.raises(BadRelease) as refused:
        read_sidecar(published.path)
    assert mentions(refused.value, "'r.csv.sidelight.json'", "version 3", "reads 2")


@pytest.mark.parametrize(
    "files",
    [
        [],
        [("r.csv", "0" * 63)],
        [("r.csv", "0" * 64 + "\n")],
        [("r.csv", "G" * 64)],
        [("r.csv", "0" * 64), ("r.csv", "0" * 64)],
        [("r.csv", "0" * 64), ("", "0" * 64)],
        [("r.csv", "0" * 64), (".", "0" * 64)],
        [("r.csv", "0" * 64), ("..", "0" * 64)],
        [("r.csv", "0" * 64), ("a/b", "0" * 64)],
        [("r.csv", "0" * 64), ("a\\b", "0" * 64)],
        [("r.csv", "0" * 64), ("a\0b", "0" * 64)],
        [("s.csv", "0" * 64)],
    ],
)
def test_a_sidecar_of_files_that_are_elsewhere_or_have_no_digest_is_refused(files, tmp_path):
    published = few().publish(tmp_path / "r.csv")
    rewritten(published, files=[{"name": name, "sha256": sha256, "rows": 8} for name, sha256 in files])
    with pytest.raises(BadRelease) as refused:
        read_sidecar(published.path)
    assert mentions(
        refused.value, f"'{published.sidecar}'", "does not tell", "files", "name and digest", "publish again"
    )


def test_files_that_are_missing_changed_or_others_are_refused(tmp_path):
    published = few().publish(tmp_path / "r.csv")
    other = tmp_path / "s.csv"
    sidecar_path(other).write_bytes(published.sidecar.read_bytes())
    other.write_text("")
    with pytest.raises(BadRelease) as refused:
        read_checked(other)
    assert mentions(refused.value, f"'{other}'", "other files", "publish again", "remove the sidecar")
    before = published.path.read_text()
    published.path.write_text(before + "\n")
    with pytest.raises(BadRelease) as refused:
        read_checked(published.path)
    assert mentions(refused.value, f"'{published.path}'", "not the file", "publish again", "remove the sidecar")
    published.path.unlink()
    with pytest.raises(BadRelease) as refused:
        read_checked(published.path)
    assert mentions(refused.value, f"'{published.path}'", "is missing", "'r.csv'", "put it back", "publish again")


def test_a_sidecar_that_tells_of_other_people_is_refused(tmp_path):
    published = few().publish(tmp_path / "r.csv")
    told = json.loads(published.sidecar.read_text())["release"]
    rewritten(published, release=told | {"people": told["people"] + 1})
    with pytest.raises(BadRelease) as refused:
        sl.read_published(published.path)
    assert mentions(refused.value, f"'{published.path}'", "other people, groups or columns", "publish again", "remove")


def test_a_release_that_others_replace_is_read_again_after_longer_and_longer_waits(tmp_path, monkeypatch):
    published = few().publish(tmp_path / "r.csv")
    now, waits, engines = iter(range(100)), [], []
    monkeypatch.setattr(publish, "generation", lambda _: (next(now), 0))
    monkeypatch.setattr(publish, "sleep", waits.append)

    def engine(path):
        engines.append(path)
        return path

    with pytest.raises(BadRelease) as refused:
        read_by_sidecar(published.path, None, engine)
    assert mentions(refused.value, f"'{published.path}'", "replaced", "read it again")
    assert waits == [0.05, 0.1, 0.2, 0.4, 0.8]
    assert engines == [published.path] * 6


def test_a_release_that_is_being_replaced_is_waited_for_and_read_as_was_asked(tmp_path, monkeypatch):
    published = few().publish(tmp_path / "r.csv")
    real, asked, waits = publish._read_by_sidecar, [], []

    def slow(path, memory, engine):
        asked.append((path, memory, engine))
        if len(asked) <= 5:
            message = "not yet"
            raise BadRelease(message)
        return real(path, memory, engine)

    monkeypatch.setattr(publish, "_read_by_sidecar", slow)
    monkeypatch.setattr(publish, "sleep", waits.append)
    with pytest.raises(BadRelease, match="not yet"):
        read_by_sidecar(published.path)  # nobody replaces it
    assert (len(asked), waits) == (1, [])
    asked.clear()
    (tmp_path / "r.csv.before").mkdir()  # somebody does
    monkeypatch.setattr(publish, "generation", lambda _: None)
    memory = Memory.parse("500MB")
    monkeypatch.setattr(publish, "read_back", lambda *_: None)
    monkeypatch.setattr(publish, "_read_by_sidecar", slow)
    real = lambda *_: "read"  # noqa: E731
    assert read_by_sidecar(published.path, memory, Path) == "read"
    assert asked == [(published.path, memory, Path)] * 6


def test_generations_of_a_document_are_told_apart(tmp_path):
    path = tmp_path / "r.csv"
    assert generation(path) == (0, 0)  # none
    sidecar_path(path).write_text("one")
    first = sidecar_path(path).stat()
    assert generation(path) == (first.st_ino, first.st_mtime_ns)
    (tmp_path / "r.csv.before").mkdir()
    assert generation(path) is None


@pytest.mark.parametrize(("name", "written_as"), FORMATS)
def test_values_that_nobody_has_are_read_as_well(name, written_as, tmp_path):
    found = few(domain=["Flu", "Gout", "Cold"])
    read = sl.read_published(found.publish(tmp_path / name, written_as=written_as).path)
    assert read.domain == ("Flu", "Gout", "Cold")
    assert read.groups.counts.totals().tolist() == [4, 0, 4]


@pytest.mark.parametrize(("name", "written_as"), FORMATS)
def test_several_sensitive_columns_are_read_as_they_were(name, written_as, tmp_path):
    rows = pa.table({"=a": ["@x"] * 4, "=ill": ["=Flu", "Cold", "=Flu", "=Flu"], "pay": ["-a", "-a", None, "-a"]})
    table = sl.read_table(rows, quasi="=a", sensitive=["=ill", "pay"], missing="a value")
    found = sl.protect(table, sl.GroupSize() >= 4, method="mondrian", ask="nobody")
    read = sl.read_published(found.publish(tmp_path / name, written_as=written_as).path)
    assert (read.sensitive, read.sensitive_columns) == ("=ill, pay", ("=ill", "pay"))
    assert [(each.name, each.labels) for each in read.groups.columns] == [("=a", ("@x",))]
    bag = {
        value: count for value, count in zip(read.domain, read.groups.counts.totals().tolist(), strict=True) if count
    }
    assert sorted(bag.values()) == [1, 1, 2]
    assert [each.name for each in read.domain.columns] == ["=ill", "pay"]
    occur = [{*each.labels} for each in read.domain.columns]
    assert occur[0] >= {"=Flu", "Cold"}
    assert occur[1] >= {"-a", None}
    assert is_same_release(read, reduce_to_printed(found.release))


def test_columns_that_are_carried_along_are_counted_by_whom_they_single_out(tmp_path):
    rows = pa.table(
        {"age": list("1111222"), "ill": ["Flu", "Cold", "Flu", "Cold", "Flu", "Cold", "Flu"], "ward": list("aabcxxx")}
    )
    table = sl.read_table(rows, quasi="age", sensitive="ill", keep="ward")
    found = sl.protect(table, sl.GroupSize() >= 3, method="mondrian", ask="nobody")
    published = found.publish(tmp_path / "r.csv")
    read = sl.read_published(published.path)
    assert (read.intake.carried, read.intake.singled_out) == (("ward",), 2)  # b and c
    assert read.intake.columns_dropped == ()
    assert [each.name for each in read.groups.columns] == ["age"]


def test_people_who_are_suppressed_are_singled_out_by_nothing(tmp_path):
    rows = pa.table({"age": list("1112"), "ill": ["Flu", "Cold", "Flu", "Cold"], "ward": list("aabc")})
    table = sl.read_table(rows, quasi="age", sensitive="ill", keep="ward")
    by = {"age": sl.Hierarchy("age", (("1", "2"), ("1", "*"), ("*", "*")))}
    for level, alone in ((0, 2), (1, 1)):  # b, and c as long as that one's age is printed
        found = sl.protect(table, sl.GroupSize() >= 1, by=by, levels={"age": level}, ask="nobody")
        read = sl.read_published(found.publish(tmp_path / f"{level}.csv").path)
        assert read.intake.singled_out == alone


def test_a_column_keeps_its_kind_when_it_is_decoded():
    column = Column("age", ("'=1", None), np.array([0, 1], np.int32), "category")
    release = sl.Release.from_counts([{"Flu": 1}, {"Flu": 1}])
    reading = Reading(file="r.csv", group=("years",), sensitive="ill", values="single", rows="people", format="csv")
    encoded = replace(release, groups=replace(release.groups, columns=(column,)))
    (read,) = publish._decode_labels(encoded, WRITERS["csv"], reading).groups.columns
    assert (read.name, read.labels, read.codes.tolist(), read.kind) == ("years", ("=1", None), [0, 1], "category")


def test_domains_are_written_as_the_cells_are():
    form = WRITERS["csv"]
    assert publish._encode_domain(None, form) is None
    assert publish._encode_domain(("=1", None, "a"), form) == ("'=1", None, "a")
    assert publish._encode_domain({"=ill": ("=1", None)}, form) == {"'=ill": ("'=1", None)}


def test_the_digest_of_a_folder_is_that_of_names_and_digests_in_order(tmp_path):
    for name, text in (("b", b"two"), ("a", b"one")):
        (tmp_path / name).write_bytes(text)
    one, two = (hashlib.sha256(text).hexdigest() for text in (b"one", b"two"))
    assert digest(tmp_path / "a") == one
    assert digest(tmp_path) == hashlib.sha256(f"{one} a\n{two} b\n".encode()).hexdigest()


def test_combinations_that_nobody_has_are_forgotten_as_files_do_not_say_them():
    rows = pa.table({"age": ["1"] * 3, "ill": ["Flu", "Cold", "Flu"], "pay": ["low", "high", "low"]})
    release = sl.group(sl.read_table(rows, quasi="age", sensitive=["ill", "pay"]), by=["age"])
    wider = release.groups.domain.printed(np.array([0, 0, 1]))
    assert len(wider) == 2
    printed = reduce_to_printed(release)
    assert sorted(printed.groups.counts.totals().tolist()) == [1, 2]
    assert len(printed.domain) == 2


SAME = [{"Flu": 1, "Cold": 2}, {"Flu": 3}]
AGES = [{"age": "1"}, {"age": "2"}]


@pytest.mark.parametrize(
    ("groups", "labels", "options", "same"),
    [
        (SAME, AGES, {}, True),
        (SAME[::-1], AGES[::-1], {}, True),
        (SAME, [{"age": "1"}, {"age": "3"}], {}, False),
        (SAME, [{"sex": "1"}, {"sex": "2"}], {}, False),
        (SAME, AGES[::-1], {}, False),
        ([{"Flu": 1, "Cold": 2}, {"Cold": 3}], AGES, {}, False),
        ([{"Flu": 2, "Cold": 1}, {"Flu": 3}], AGES, {}, False),
        ([{"Flu": 1, "Cold": 2}, {"Flu": 4}], AGES, {}, False),
        (SAME, AGES, {"domain": ["Flu", "Cold", "Gout"]}, False),
        (SAME, AGES, {"values": "multiset", "sizes": [3, 3]}, False),
    ],
)
def test_releases_are_the_same_if_their_groups_and_counts_are(groups, labels, options, same):
    one = reduce_to_printed(sl.Release.from_counts(SAME, labels=AGES, domain=["Flu", "Cold"]))
    other = sl.Release.from_counts(groups, labels=labels, **({"domain": ["Flu", "Cold"]} | options))
    assert is_same_release(one, reduce_to_printed(other)) is same
    assert is_same_release(reduce_to_printed(other), one) is same


def test_sizes_count_where_people_have_several_values():
    one, other = (
        reduce_to_printed(sl.Release.from_counts([{"Flu": 2}], sizes=[size], values="set", labels=[{"age": "1"}]))
        for size in (2, 3)
    )
    assert not is_same_release(one, other)


def test_groups_that_print_the_same_are_one():
    labels = [{"age": "2"}, {"age": "10"}, {"age": "2"}]
    release = reduce_to_printed(sl.Release.from_counts([{"Flu": 1}, {"Flu": 5}, {"Cold": 2}], labels=labels))
    (ages,) = release.groups.columns
    assert [ages.cell(row) for row in range(len(ages))] == ["2", "10"]
    assert release.groups.sizes.tolist() == [3, 5]
    assert (release.members, release.people) == (None, None)


def test_people_are_put_beside_their_buckets():
    buckets = reduce_to_printed(
        sl.Release.from_counts([{"Flu": 1, "Cold": 2}, {"Flu": 1}], labels=[{"b": "2"}, {"b": "1"}])
    )
    who = reduce_to_printed(
        sl.Release.from_counts([{"2": 2}, {"2": 1, "1": 1}], labels=[{"age": "30"}, {"age": "40"}], domain=["2", "1"])
    )
    members = add_members(buckets, who).members
    (bucket,), (age,) = buckets.groups.columns, members.columns
    entries = zip(members.group, members.key, members.people, strict=True)
    assert [(bucket.cell(group), age.cell(key), int(people)) for group, key, people in entries] == [
        ("1", "40", 1),
        ("2", "30", 2),
        ("2", "40", 1),
    ]


def test_the_document_is_json_that_people_can_read(tmp_path):
    published = few().publish(tmp_path / "r.csv")
    text = published.sidecar.read_text(encoding="utf-8")
    assert published.document.to_json() == text
    assert text == json.dumps(json.loads(text), indent=2, ensure_ascii=False) + "\n"


def test_it_is_dated_by_the_day_in_utc(tmp_path, monkeypatch):
    class Clock:
        @staticmethod
        def now(zone=None):
            here = dt.timezone(dt.timedelta(hours=9)) if zone is None else zone
            return dt.datetime(2024, 3, 9, 23, 30, tzinfo=dt.UTC).astimezone(here)

    monkeypatch.setattr(sidecar, "dt", SimpleNamespace(datetime=Clock, UTC=dt.UTC))
    assert few().publish(tmp_path / "r.csv").document.date == "2024-03-09"


def test_averages_are_told_to_whoever_looks_people_up(tmp_path):
    rows = pa.table({"age": list("11223344"), "ill": ["Flu", "Cold"] * 4})
    table = sl.read_table(rows, quasi="age", sensitive="ill", kinds={"age": "number"})
    for method, averages in (("microaggregation", True), ("mondrian", False)):
        found = sl.protect(table, sl.GroupSize() >= 4, method=method, ask="nobody")
        published = found.publish(tmp_path / f"{method}.csv")
        assert published.document.search.averages is averages
        assert sl.read_published(published.path).printing.averages is averages


def test_hierarchies_are_told_by_the_names_of_their_columns(tmp_path):
    rows = pa.table({"b": list("1122"), "a": list("3344"), "ill": ["Flu", "Cold"] * 2})
    table = sl.read_table(rows, quasi=["b", "a"], sensitive="ill")
    by = {
        "b": sl.Hierarchy("b", (("1", "2"), ("low", "low"))),
        "a": sl.Hierarchy("a", (("3", "4"), ("3", "4"), ("high", "high"))),
    }
    found = sl.protect(table, sl.GroupSize() >= 4, by=by, ask="nobody")
    document = found.publish(tmp_path / "r.csv").document
    assert [(each.column, each.levels, [*each.covers]) for each in document.hierarchies] == [
        ("a", 3, ["high"]),
        ("b", 2, ["low"]),
    ]
    assert {*document.printing().nodes} == {"a", "b"}
    assert document.provenance().hierarchies == ("a", "b")


def test_that_sensitive_columns_stand_together_is_warned_of(tmp_path):
    rows = pa.table({"age": ["1"] * 4, "ill": ["Flu", "Cold"] * 2, "pay": ["low", "low", "high", "high"]})
    table = sl.read_table(rows, quasi="age", sensitive=["ill", "pay"])
    found = sl.protect(table, sl.GroupSize() >= 4, method="mondrian", ask="nobody")
    document = found.publish(tmp_path / "r.csv").document
    *others, together = document.warnings
    assert tuple(others) == found.warnings
    assert mentions(together, "ill and pay", "together", "no limit", 'known = ["ill"]')


def test_of_a_table_that_nobody_read_the_policy_says_the_columns(tmp_path):
    found = few(values="set", person="ward")
    table = found.recoding.table
    written = read_policy_text(sidecar._policy_text(found, replace(table, intake=Intake())))
    assert written.policy == found.policy
    assert (written.roles.quasi, written.roles.value_columns, written.roles.values) == (("age",), ("ill",), "set")
    assert read_policy_text(sidecar._policy_text(found, table)).roles.person == "ward"


def test_a_finding_is_rounded_to_the_bad_side_and_may_have_no_group(tmp_path):
    rows = pa.table({"age": ["1"] * 3, "ill": ["Flu", "Cold", "Cold"]})
    table = sl.read_table(rows, quasi="age", sensitive="ill")
    policy = sl.Policy(sl.Implications(0) <= 0.9, sl.EntropyDiversity() >= 1)
    found = sl.protect(table, policy, method="mondrian", ask="nobody")
    risk, entropy = found.publish(tmp_path / "r.csv").document.findings
    assert risk.result == number(Fraction(2, 3), large_is_bad=True) != number(Fraction(2, 3), large_is_bad=False)
    judged = found.verdict.judgements[1]
    assert entropy.result == number(judged.finding.value, large_is_bad=False)
    nobody = sidecar.published_finding(replace(judged, finding=replace(judged.finding, witness=None)))
    assert (nobody.group, nobody.value, nobody.holds) == (None, None, True)
    assert (nobody.measure, nobody.text, nobody.limit.text) == ("entropy diversity", "entropy diversity", "≥ 1")


@pytest.mark.parametrize("name", ["r.csv", "r.parquet"])
def test_a_published_file_is_read_in_the_memory_that_is_given(name, tmp_path):
    published = few().publish(tmp_path / name)
    read = sl.read_published(str(published.path), memory="500MB")
    assert is_same_release(read, sl.read_published(published.path))
    with pytest.raises(SidelightError, match="memory"):
        sl.read_published(published.path, memory="much")


@pytest.mark.parametrize("method", ["anatomy", "mondrian"])
def test_whatever_is_read_of_a_release_is_read_by_the_engine_in_the_memory_that_is_given(method, tmp_path, monkeypatch):
    rows = pa.table({"age": list("1122"), "ill": ["Flu", "Cold"] * 2, "ward": list("aabc")})
    keep = {} if method == "anatomy" else {"keep": "ward"}
    table = sl.read_table(rows, quasi="age", sensitive="ill", **keep)
    found = sl.protect(table, sl.DistinctValues() >= 2, method=method, ask="nobody")
    published = found.publish(tmp_path / "r.csv")
    real, asked = publish.read_back, []

    def watched(folder, reading, memory, engine):
        asked.append((folder, reading.group, memory, engine))
        return real(folder, reading, memory, engine)

    def engine(path):
        return path

    monkeypatch.setattr(publish, "read_back", watched)
    memory = Memory.parse("500MB")
    read_by_sidecar(published.path, memory, engine)
    groups = [("bucket",), ("age",)] if method == "anatomy" else [("age",), ("age", "ward")]
    assert asked == [(tmp_path, group, memory, engine) for group in groups]


def test_counts_stand_in_columns_of_the_usual_names_unless_others_are_said(tmp_path):
    published = few().publish(tmp_path / "r.csv", layout="counts")
    assert published.path.read_text(encoding="utf-8").splitlines()[0] == "age,people,ill,count"
    told = json.loads(published.sidecar.read_text(encoding="utf-8"))["reading"]
    before = sl.read_published(published.path)
    rewritten(published, reading=told | {"people": None, "count": None})
    assert is_same_release(sl.read_published(published.path), before)


def test_columns_that_nobody_published_are_still_said_to_be_unused(tmp_path):
    rows = pa.table({"age": ["1"] * 4, "ill": ["Flu", "Cold"] * 2, "ward": list("aabc")})
    found = sl.protect(
        sl.read_table(rows, quasi="age", sensitive="ill", keep="ward"), sl.GroupSize() >= 4, method="mondrian"
    )
    published = found.publish(tmp_path / "r.csv")
    head, *lines = published.path.read_text(encoding="utf-8").splitlines()
    published.path.write_text("\n".join([f"{head},extra", *(f"{line},x" for line in lines)]) + "\n", encoding="utf-8")
    rewritten(published, files=[{"name": "r.csv", "sha256": digest(published.path), "rows": 4}])
    intake = sl.read_published(published.path).intake
    assert (intake.columns_dropped, intake.carried, intake.singled_out, intake.rows) == (("extra",), ("ward",), 2, 4)


def test_a_folder_of_files_is_checked_as_one_file_is(tmp_path):
    published = few().publish(tmp_path / "r.csv")
    text = published.path.read_bytes()
    published.path.unlink()
    published.path.mkdir()
    (published.path / "part-0.csv").write_bytes(text)
    rewritten(published, files=[{"name": "r.csv", "sha256": digest(published.path), "rows": 8}])
    assert read_checked(published.path).files[0].rows == 8
    (published.path / "part-1.csv").write_bytes(text)
    with pytest.raises(BadRelease, match=r"not the file.*sidecar"):
        read_checked(published.path)


def test_people_may_be_read_only_from_files_whose_digest_is_told(tmp_path):
    table = sl.read_table(pa.table({"age": list("1122"), "ill": ["Flu", "Cold"] * 2}), quasi="age", sensitive="ill")
    published = sl.protect(table, sl.DistinctValues() >= 2, method="anatomy").publish(tmp_path / "r.csv")
    document = json.loads(published.sidecar.read_text(encoding="utf-8"))
    rewritten(published, who=document["who"] | {"file": "elsewhere.csv"})
    with pytest.raises(BadRelease, match=r"does not tell.*name and digest"):
        read_sidecar(published.path)


def test_names_that_no_disk_takes_and_folders_in_place_of_documents_are_refused(tmp_path):
    assert generation(Path("a\0b")) == (0, 0)
    sidecar_path(tmp_path / "r.csv").mkdir()
    with pytest.raises(BadRelease, match="cannot be read"):
        read_sidecar(tmp_path / "r.csv")


def test_people_of_a_bucket_stand_in_the_order_of_their_ages():
    ages = [{"age": f"{age}"} for age in range(100, 300)]
    buckets = reduce_to_printed(sl.Release.from_counts([{"Flu": 200}, {"Cold": 200}], labels=[{"b": "1"}, {"b": "2"}]))
    who = reduce_to_printed(sl.Release.from_counts([{"2": 1, "1": 1}] * 200, labels=ages, domain=["2", "1"]))
    members = add_members(buckets, who).members
    assert members.group.tolist() == [0] * 200 + [1] * 200
    assert members.key.tolist() == [*range(200), *range(200)]
    assert members.group.dtype == np.int64


def test_who_is_in_which_group_is_forgotten_as_no_file_says_it():
    rows = pa.table({"age": list("1122"), "sex": list("fmfm"), "ill": ["Flu", "Cold"] * 2})
    release = sl.group(sl.read_table(rows, quasi=["age", "sex"], sensitive="ill"), by=["age"])
    assert release.members is not None
    printed = reduce_to_printed(release)
    assert (printed.members, printed.people, printed.sensitive) == (None, None, "ill")


def test_releases_are_told_apart_by_which_group_has_which_values():
    ages = [{"age": "1"}, {"age": "2"}, {"age": "3"}]
    options = {"labels": ages, "sizes": [1, 1, 1], "values": "set", "domain": ["Flu", "Cold"]}
    one = sl.Release.from_counts([{"Flu": 1, "Cold": 1}, {"Flu": 1}, {"Cold": 1}], **options)
    other = sl.Release.from_counts([{"Flu": 1}, {"Flu": 1}, {"Flu": 1, "Cold": 1}], **options)
    assert not is_same_release(reduce_to_printed(one), reduce_to_printed(other))
    assert is_same_release(reduce_to_printed(one), reduce_to_printed(one))


def test_options_and_versions_are_told_of_the_search(tmp_path):
    document = few().publish(tmp_path / "r.csv").document
    assert document.search.options == {"suppress": 0, "suppressed": "as *", "nodes": 100_000, "levels": None}
    assert document.versions == {
        "sidelight": sl.__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "duckdb": duckdb.__version__,
        "pyarrow": pa.__version__,
    }


def test_a_file_may_have_any_name_that_is_no_path(tmp_path):
    published = few().publish(tmp_path / "X 0.csv")
    assert read_sidecar(published.path) == published.document


def test_people_of_a_population_are_counted_also_where_nothing_is_told_of_anybody(tmp_path):
    register = tmp_path / "register.csv"
    register.write_text("age,town\n" + "1,Ulm\n2,Bonn\n" * 20)
    found = few(sl.Policy(sl.GroupSize() >= 8, sl.JournalistRisk(population=str(register)) <= Fraction(1, 40)))
    for levels in ({"age": 1}, {"age": 2}):
        chosen = sl.protect(found.recoding.table, found.policy, by=found.hierarchies, levels=levels, ask="nobody")
        document = chosen.publish(tmp_path / f"{levels['age']}.csv").document
        assert [each.people for each in document.populations] == [40]


def test_of_labels_of_which_nothing_is_known_nothing_is_told():
    release = sl.Release.from_counts([{"Flu": 2}], labels=[{"age": "young"}])
    assert sidecar._find_covers(release, None) == {}


def test_memory_and_names_of_columns_come_to_whoever_reads_the_rows(tmp_path, monkeypatch):
    published = few().publish(tmp_path / "r.csv", layout="counts")
    real, asked = publish.release_from, []

    def watched(source, roles, **options):
        asked.append((source, options))
        return real(source, roles, **options)

    monkeypatch.setattr(publish, "release_from", watched)
    for memory in (None, Memory.parse("500MB")):
        publish.read_back(tmp_path, published.document.reading, memory)
        options = {"rows": "counts", "people": "people", "count": "count", "memory": memory}
        assert asked.pop() == (published.path, options)


def test_names_of_people_are_forgotten_as_no_file_says_them():
    named = sl.Release.from_groups([(["Bob", "Ed"], ["Flu", "Heart"])])
    assert named.people == {"Bob": 0, "Ed": 0}
    assert reduce_to_printed(named).people is None


def test_the_order_in_which_counts_are_kept_makes_no_other_release():
    values = [str(value) for value in range(40)]
    release = sl.Release.from_counts([{"3": 1, "7": 2}], labels=[{"age": "1"}], domain=values)

    def kept(where, counts):
        few_of_many = Counts.from_sorted(np.zeros(2, np.int64), np.array(where), np.array(counts), (1, 40))
        return replace(release, groups=replace(release.groups, counts=few_of_many))

    assert is_same_release(kept([3, 7], [1, 2]), kept([7, 3], [2, 1]))
    assert not is_same_release(kept([3, 7], [1, 2]), kept([7, 3], [1, 2]))
