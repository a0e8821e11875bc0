"""Counts of cells that nobody declared, as files: the counts and their document."""

import hashlib
import json
from importlib.metadata import version

import numpy as np
import pyarrow as pa
import pytest
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadRelease, SidelightError
from sidelight.noise.noisy_counts import NoisyCounts
from sidelight.noise.stable_counts import StableCounts
from sidelight.publish.noise import publish_noise, read_drawn

pytest.importorskip("opendp", reason="noise needs the extra dp")

PEOPLE = {"city": ["Ulm"] * 300 + ["Bonn"] * 200 + ["Linz"], "ill": ["=Flu"] * 300 + ["Cold"] * 200 + ["HIV"]}


def stable(**options):
    table = sl.read_table(pa.table(PEOPLE), quasi="city", sensitive="ill", person="each row")
    usual = {"columns": ["city"], "epsilon": 1, "delta": "1e-9", "ledger": "no ledger"}
    return sl.stable_counts(table, **(usual | options))


def changed(published, change):
    document = json.loads(published.beside.read_text(encoding="utf-8"))
    change(document)
    published.beside.write_text(json.dumps(document), encoding="utf-8")


@pytest.mark.parametrize("people_at_most", [None, 1000])
def test_the_whole_document_says_what_is_known_of_the_counts(tmp_path, people_at_most):
    ledger = sl.Ledger.begin(tmp_path / "budget.json", epsilon=3, delta="1e-6")
    found = stable(ledger=ledger, people_at_most=people_at_most)
    published = found.publish(tmp_path / "counts.csv")
    promise = None if people_at_most is None else found.promise()
    assert published.document.model_dump(mode="json") == {
        "kind": "stable counts",
        "schema_version": 1,
        "file": {"name": "counts.csv", "sha256": hashlib.sha256(published.path.read_bytes()).hexdigest(), "rows": 2},
        "sensitive": "ill",
        "columns": ["city"],
        "domain": None,
        "threshold": found.threshold,
        "epsilon": "1",
        "delta": "1e-09",
        "neighbours": "add or remove",
        "mechanism": {"kind": "discrete Laplace", "scale": found.mechanism.scale, "l1": 1, "l2_squared": 1},
        "margin_95": found.margin(0.95),
        "privacy_unit": {
            "unit": "row",
            "person": "each row",
            "checked": False,
            "values": "single",
            "values_per_person": 1,
            "rows_per_person": None,
            "people_at_most": people_at_most,
        },
        "promise": {
            "made": found.unit.sentence(),
            "shift": None if promise is None else promise.shift,
            "chance": None if promise is None else promise.chance,
            "sentence": found.promise_in_words(),
        },
        "ledger": {"epsilon": "3", "delta": "1e-06", "accounting": "basic"},
        "receipt": ledger.read().entries[0].receipt,
        "warnings": list(found.warnings()),
        "versions": {"sidelight": sl.__version__, "opendp": version("opendp")},
    }
    read = sl.read_stable_counts(published.path)
    assert (read.people_at_most, read.budget, read.receipt) == (people_at_most, found.budget, found.receipt)
    assert (read.spending, read.unit, read.threshold) == (found.spending, found.unit, found.threshold)
    assert (read.warnings(), read.promise_in_words()) == (found.warnings(), found.promise_in_words())


@pytest.mark.parametrize("name", ["counts.csv", "counts.parquet"])
def test_cells_are_read_as_they_were(tmp_path, name):
    found = stable()
    read = sl.read_stable_counts(str(found.publish(tmp_path / name).path))
    cells = [(read.columns[0].cell(row), read.value.cell(row)) for row in range(len(read))]
    assert cells == [("Bonn", "Cold"), ("Ulm", "=Flu")]
    assert [column.name for column in (*read.columns, read.value)] == ["city", "ill"]
    assert {column.codes.dtype for column in (*read.columns, read.value)} == {np.dtype(np.int32)}
    assert read.measured.tolist() == found.measured.tolist()
    assert (read.budget, read.receipt, read.people_at_most) == (None, None, None)
    assert read.table() == found.table()


def test_cells_of_several_columns_are_read_as_they_were(tmp_path):
    rows = pa.table(PEOPLE | {"sex": ["f"] * 501})
    table = sl.read_table(rows, quasi=["city", "sex"], sensitive="ill", person="each row")
    found = sl.stable_counts(table, columns=["city", "sex"], epsilon=1, delta="1e-9", ledger="no ledger")
    read = sl.read_stable_counts(found.publish(tmp_path / "counts.csv").path)
    assert [column.name for column in (*read.columns, read.value)] == ["city", "sex", "ill"]
    assert [[column.cell(row) for column in (*read.columns, read.value)] for row in range(len(read))] == [
        ["Bonn", "f", "Cold"],
        ["Ulm", "f", "=Flu"],
    ]
    assert read.table() == found.table()


def test_nothing_is_replaced_unless_it_is_said(tmp_path):
    found, path = stable(), tmp_path / "counts.csv"
    publish_noise(found, path)
    with pytest.raises(SidelightError, match="exists; give another name"):
        publish_noise(found, path)
    assert publish_noise(found, path, force=True).path == path


@pytest.mark.parametrize(
    "change",
    [
        lambda document: document.update(threshold=document["threshold"] - 1),  # too low for its delta
        lambda document: document.update(threshold=10**6),  # above counts that are there
        lambda document: document.update(threshold=None),
        lambda document: document.update(epsilon="0.99"),  # less than the noise costs
        lambda document: document.update(delta="1e-10"),
        lambda document: document.update(neighbours="replace"),
        lambda document: document.update(columns=["town"]),
        lambda document: document.update(sensitive="city"),
        lambda document: document.update(columns=[]),  # cells that are no longer told apart
        lambda document: document.update(receipt=5),
        lambda document: document.update(ledger={"epsilon": "1"}),
        lambda document: document["mechanism"].update(scale=0.99),
        lambda document: document["mechanism"].update(l1=2),
        lambda document: document["privacy_unit"].update(people_at_most="many"),
        lambda document: document["privacy_unit"].update(checked=True),
        lambda document: document.pop("privacy_unit"),
    ],
)
def test_a_document_that_promises_what_its_counts_do_not_keep_is_refused(tmp_path, change):
    published = stable().publish(tmp_path / "counts.csv")
    changed(published, change)
    with pytest.raises(BadRelease) as refused:
        sl.read_stable_counts(published.path)
    assert mentions(refused.value, "'counts.csv.noise.json'", "does not fit", "'counts.csv'", "publish")


def test_a_count_at_the_threshold_is_read_and_one_below_is_not(tmp_path):
    found = stable()
    published = found.publish(tmp_path / "counts.csv")
    least = int(found.measured.min())
    changed(published, lambda document: document.update(threshold=least))
    assert sl.read_stable_counts(published.path).threshold == least
    changed(published, lambda document: document.update(threshold=least + 1))
    with pytest.raises(BadRelease, match="does not fit"):
        sl.read_stable_counts(published.path)


def test_documents_of_another_version_or_kind_are_refused(tmp_path):
    published = stable().publish(tmp_path / "counts.csv")
    changed(published, lambda document: document.update(schema_version=2))
    with pytest.raises(BadRelease, match=r"'counts\.csv\.noise\.json'.*another version.*reads 1$"):
        sl.read_stable_counts(published.path)
    changed(published, lambda document: document.update(kind="noisy counts"))
    with pytest.raises(BadRelease, match=r"tells of noisy counts.*stable counts.*needed.*sl\.read_noise"):
        sl.read_stable_counts(published.path)


def test_counts_of_either_kind_are_read_by_what_their_document_says(tmp_path):
    found = stable().publish(tmp_path / "found.csv")
    assert isinstance(read_drawn(found.path), StableCounts)
    table = sl.read_table(pa.table(PEOPLE), quasi="city", sensitive="ill", person="each row")
    by = {"city": sl.Hierarchy("city", (("Ulm", "Bonn"), ("*", "*")))}
    declared = sl.noisy_counts(
        table, by=by, levels={"city": 0}, domain=["=Flu", "Cold"], epsilon=1, ledger="no ledger"
    ).publish(tmp_path / "declared.csv")
    assert isinstance(read_drawn(declared.path), NoisyCounts)
    with pytest.raises(BadRelease, match=r"no 'other.csv.noise.json' beside"):
        read_drawn(tmp_path / "other.csv")


@pytest.mark.parametrize("columns", [[], ["city", "sex"]])
def test_any_number_of_columns_is_read_back(tmp_path, columns):
    rows = PEOPLE | {"sex": ["f"] * 300 + ["m"] * 201}
    table = sl.read_table(pa.table(rows), quasi=["city", "sex"], sensitive="ill", person="each row")
    found = sl.stable_counts(table, columns=columns, epsilon=1, delta="1e-9", ledger="no ledger")
    read = sl.read_stable_counts(found.publish(tmp_path / "counts.csv").path)
    assert ([column.name for column in read.columns], read.value.name) == (columns, "ill")
    assert read.spending == found.spending
    assert read.table() == found.table()
