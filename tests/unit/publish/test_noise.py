"""Noisy counts as files: the counts and their document, both or none."""

import hashlib
import io
import json
import os
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pytest
from support.words import mentions

import sidelight as sl
from sidelight.engines.formats.write import WRITERS
from sidelight.errors import BadNoise, BadRelease, NotPublished, SidelightError
from sidelight.noise.ledger import BudgetDocument
from sidelight.publish import noise
from sidelight.publish.noise import (
    PromiseDocument,
    PublishedNoise,
    UnitDocument,
    noise_document,
    publish_noise,
    read_drawn,
    read_labels,
    read_sheet,
)
from sidelight.text import html_table

pytest.importorskip("opendp", reason="noise needs the extra dp")

ADULT = sl.datasets.adult(quasi=["sex"])
DECLARED = {"by": ADULT.hierarchies, "domain": ADULT.table.domain}


def noisy(**options):
    return sl.noisy_counts(ADULT.table, **(DECLARED | {"levels": {"sex": 0}, "epsilon": 1} | options))


def test_counts_and_document_say_the_same(tmp_path):
    counts = noisy()
    published = counts.publish(tmp_path / "counts.csv")
    assert repr(published) == "<PublishedNoise counts.csv: 45 counts, epsilon 1>"
    assert "counts.csv.noise.json" in published._repr_html_()
    assert published.beside.read_text(encoding="utf-8") == published.to_json()
    table = pc.read_csv(published.path)
    assert table["measured"].to_pylist() == counts.measured.ravel().tolist()
    assert json.loads(published.to_json())["promise"]["shift"] == sl.semantic_privacy(1).shift


def test_a_choice_that_was_paid_for_is_told_and_promised(tmp_path):
    chosen = sl.choose_levels(ADULT.table, **DECLARED, among=[{"sex": 0}, {"sex": 1}], epsilon=0.5)
    counts = noisy(levels=chosen)
    assert counts.promise().epsilon == Fraction(3, 2)
    document = counts.publish(tmp_path / "counts.parquet").document
    assert document.epsilon == "1"
    assert mentions(document.levels_chosen, "from the data", "epsilon", "0.5 more")


def test_nothing_is_replaced_unasked(tmp_path):
    counts, path = noisy(), tmp_path / "counts.csv"
    path.write_text("mine")
    with pytest.raises(SidelightError, match="exists; give another name"):
        counts.publish(path)
    assert path.read_text() == "mine"
    assert counts.publish(path, force=True).path == path
    with pytest.raises(NotPublished, match=r"\.parquet or \.csv"):
        counts.publish(tmp_path / "counts.txt")


def tricky():
    """Counts whose labels are numbers, missing, empty or look like formulas and quotes."""
    rows = [("1", "=a", "x,y"), ("2", None, 'say "no"'), ("2", "=a", "x,y"), ("1", "b\nc", "NA")]
    columns = dict(zip(("age", "=group", "disease"), zip(*rows, strict=True), strict=True))
    table = sl.read_table(
        pa.table(columns), quasi=["age", "=group"], sensitive="disease", person="each row", kinds={"=group": "category"}
    )
    by = {
        "age": sl.Hierarchy("age", (("1", "2", "3"), ("*", "*", "*"))),
        "=group": sl.Hierarchy("=group", (("=a", "", "b\nc"), ("*", "*", "*"))),
    }
    return sl.noisy_counts(
        table, by=by, levels={"age": 0, "=group": 0}, domain=["x,y", 'say "no"', "NA", "-1"], epsilon=1
    )


@pytest.mark.parametrize("name", ["counts.csv", "counts.parquet"])
@pytest.mark.parametrize(
    "counts", [noisy, tricky, lambda: noisy(delta=1e-9, epsilon="1/3", neighbours="replace", people_at_most=10**5)]
)
def test_what_was_published_is_read_back(tmp_path, name, counts):
    published = counts()
    published.publish(tmp_path / name)
    read = sl.read_noise(tmp_path / name)
    assert read.table().equals(published.table())
    assert (read.domain, dict(read.levels)) == (published.domain, dict(published.levels))
    assert (read.spending.epsilon, read.spending.delta) == (published.spending.epsilon, published.spending.delta)
    assert (read.mechanism, read.spending.neighbours) == (published.mechanism, published.spending.neighbours)
    assert read.promise() == published.promise()
    assert read.unit.sentence() == published.unit.sentence()


def test_what_choosing_levels_cost_is_read_back(tmp_path):
    for neighbours in ("add or remove", "replace"):
        same = {"neighbours": neighbours}
        chosen = sl.choose_levels(ADULT.table, **DECLARED, **same, among=[{"sex": 0}, {"sex": 1}], epsilon=0.5)
        counts = noisy(levels=chosen, **same)
        counts.publish(tmp_path / "counts.csv", force=True)
        assert sl.read_noise(tmp_path / "counts.csv").promise() == counts.promise()


@pytest.mark.parametrize(
    ("says", "instead"),
    [
        (("mechanism", "kind"), "uniform"),
        (("mechanism", "scale"), 0),
        (("mechanism", "scale"), float("nan")),
        (("mechanism", "scale"), 0.99),  # less noise than epsilon needs
        (("mechanism", "l1"), 0),
        (("epsilon",), "0.99"),
        (("delta",), "0.001"),
        (("neighbours",), "replace"),
        (("privacy_unit", "values"), "several"),
        (("privacy_unit", "values_per_person"), 2),
        (("privacy_unit", "rows_per_person"), 2),
        (("privacy_unit", "checked"), True),
        (("privacy_unit", "unit"), "person"),
        (("outside",), "whatever"),
        (("missing",), "whatever"),
        (("ledger",), {"epsilon": "1"}),
        (("privacy_unit", "people_at_most"), "many"),
        (("receipt",), 5),
    ],
)
def test_a_document_that_promises_what_its_noise_does_not_keep_is_refused(tmp_path, says, instead):
    published = noisy().publish(tmp_path / "counts.csv")
    document = json.loads(published.beside.read_text())
    *folders, name = says
    place = document
    for folder in folders:
        place = place[folder]
    assert name in place
    place[name] = instead
    published.beside.write_text(json.dumps(document))
    with pytest.raises(BadRelease, match="does not fit 'counts"):
        sl.read_noise(published.path)


@pytest.mark.parametrize("epsilon", ["1e-3", "0.1", 1, 7, 60])
@pytest.mark.parametrize("delta", ["0", "1e-30", "1e-6", "0.3"])
def test_what_noise_costs_is_within_its_document_at_any_amount(tmp_path, epsilon, delta):
    published = noisy(epsilon=epsilon, delta=delta).publish(tmp_path / "counts.csv")
    assert sl.read_noise(published.path).spending.epsilon == Fraction(epsilon)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda file, beside: file.write_text("other"), r"not the file.*'counts\.csv\.noise\.json'"),
        (lambda file, beside: file.unlink(), "not the file"),
        (lambda file, beside: beside.unlink(), r"no 'counts\.csv\.noise\.json'"),
        (lambda file, beside: beside.write_text("{"), "cannot be read"),
        (lambda file, beside: beside.write_text("[]"), "cannot be read"),
        (lambda file, beside: beside.write_text(beside.read_text().replace("Sales", "Sale")), "does not fit"),
        (lambda file, beside: beside.write_text(beside.read_text().replace('"delta"', '"d"')), "does not fit"),
        (lambda file, beside: beside.write_text(beside.read_text().replace(" 3,", " 1,", 1)), "another version"),
    ],
)
def test_what_was_changed_is_not_read(tmp_path, change, says):
    counts = noisy().publish(tmp_path / "counts.csv")
    change(counts.path, counts.beside)
    with pytest.raises(BadRelease, match=says):
        sl.read_noise(counts.path)


def rows_of_visits():
    return pa.table(
        {"id": [1, 1, 1, 2], "sex": ["Male", "Female", "other", "Male"], "occupation": ["Sales"] * 3 + [None]}
    )


def test_all_that_the_promise_rests_on_is_in_the_document_and_read_back(tmp_path):
    """Whose a row is, how many count, what became of undeclared and missing cells, which budget, how many people."""
    visits = sl.read_events(rows_of_visits(), quasi="sex", sensitive="occupation", person="id")
    ledger = sl.Ledger.begin(tmp_path / "budget.json", epsilon=3, delta="1e-6")
    counts = sl.noisy_counts(
        visits,
        **DECLARED,
        levels={"sex": 0},
        epsilon=1,
        delta="1e-9",
        outside="leave out",
        rows_per_person=2,
        people_at_most=500,
        ledger=ledger,
    )
    document = counts.publish(tmp_path / "counts.csv").document
    assert document.privacy_unit.model_dump() == {
        "unit": "person",
        "person": "id",
        "checked": True,
        "values": "single",
        "values_per_person": 1,
        "rows_per_person": 2,
        "people_at_most": 500,
    }
    assert (document.outside, document.missing) == ("leave out", "as undeclared")
    assert any(mentions(each, "people", "more than 2 rows", "left out by chance") for each in document.warnings)
    assert document.ledger.model_dump(mode="json") == {"epsilon": "3", "delta": "1e-06", "accounting": "basic"}
    assert mentions(document.promise.sentence, "at most 500 people", "publisher says", "nobody checked")
    read = sl.read_noise(tmp_path / "counts.csv")
    assert (read.unit, read.outside, read.missing) == (counts.unit, counts.outside, counts.missing)
    assert (read.people_at_most, read.budget) == (500, counts.budget)
    assert read.promise_in_words() == counts.promise_in_words()
    assert read.warnings() == counts.warnings()


def test_rows_of_which_nobody_checked_whose_they_are_are_promised_on_condition(tmp_path):
    counts = noisy()
    promise = counts.promise()
    assert mentions(promise.condition, "no two rows", "one person", "nobody checked")
    assert promise.sentence().startswith(f"{promise.condition}: ")
    said = [promise.error_rates().sentence(), promise.disclosure_risk().sentence()]
    assert all(each.startswith(f"{promise.condition}: ") for each in said)
    assert promise.explain().count(promise.condition) == 4  # beliefs, a test, and the risks of being in and of a value
    document = counts.publish(tmp_path / "counts.csv").document
    assert mentions(document.warnings[0], "no two rows", "one person", "publisher says")
    assert sl.promise_of([counts.spending]).condition == promise.condition != ""
    assert sl.read_noise(tmp_path / "counts.csv").promise() == promise


def test_of_two_rows_the_delta_is_more_than_doubled_too():
    alone, with_delta = noisy().warnings()[0], noisy(delta="1e-9").warnings()[0]
    assert mentions(alone, "twice epsilon only")
    assert not mentions(alone, "delta")
    assert mentions(with_delta, "twice epsilon only", "more than twice delta")


@pytest.mark.parametrize("version", [1, 2, 4, "3", None])
def test_documents_of_another_version_are_refused(tmp_path, version):
    published = noisy(outside="leave out").publish(tmp_path / "counts.csv")
    document = json.loads(published.beside.read_text()) | {"schema_version": version}
    published.beside.write_text(json.dumps(document))
    with pytest.raises(BadRelease, match=r"another version.*reads 3\b"):
        sl.read_noise(published.path)


def test_a_declared_label_is_not_mistaken_for_others():
    with pytest.raises(BadNoise, match=r"domain=.*'\(other\)'"):
        noisy(domain=["Sales", "(other)"])
    by = {"sex": sl.Hierarchy("sex", (("Male", "Female"), ("(other)", "(other)")))}
    with pytest.raises(BadNoise, match=r"hierarchy of 'sex'.*'\(other\)'"):
        noisy(by=by, levels={"sex": 1})
    assert noisy(domain=["Sales", "(other)"], outside="leave out").domain == ("Sales", "(other)")


def test_the_number_of_people_is_never_read_off_the_noise():
    """It was, and the chance that was told was too small in up to 43 % of releases."""
    with pytest.raises(BadNoise, match=r"people.*at most.*nobody declared.*people_at_most="):
        noisy(delta="1e-9").promise()
    told = {noisy(delta="1e-9", people_at_most=50_000).promise().chance for _ in range(5)}
    assert told == {sl.semantic_privacy(1, "1e-9", people=50_000).chance}
    assert noisy(delta="1e-9", people_at_most=50_000).warnings()[1:] == noisy(delta="1e-9").warnings()[1:]
    assert any(mentions(each, "against", "at most 40,000 people") for each in noisy(people_at_most=40_000).warnings())


def test_counts_that_are_mostly_of_others_are_noticed_by_the_measured_counts():
    """Labels with a blank, or in capitals, would all be others, and nobody would be told: the counts are, for nothing more."""
    warnings = noisy(domain=["sales", "Tech-support"], epsilon=20).warnings()
    assert any("of 45,2" in each and mentions(each, "(other)", "not declared") for each in warnings)
    assert not any("(other)" in each for each in noisy().warnings())
    assert not any("(other)" in each for each in noisy(domain=["sales"], outside="leave out").warnings())


AGES = sl.Hierarchy(
    "age", (("1", "2", "3", "4"), ("1-2", "1-2", "3", "4"), ("1-2", "1-2", "3-4", "3-4"), ("*", "*", "*", "*"))
)


def small(**options):
    """Counts of eight people by age, with counts by coarser ages."""
    rows = pa.table({"age": list("12341234"), "ill": ["Flu", "Cold"] * 4})
    table = sl.read_table(rows, quasi="age", sensitive="ill", person="each row")
    ills = sl.Hierarchy("ill", (("Flu", "Cold"), ("any", "any")))
    usual = {
        "by": {"age": AGES, "ill": ills},
        "levels": {"age": 0},
        "domain": ["Flu", "Cold"],
        "outside": "leave out",
    }
    queries = {"age=1": 90, "age=1, ill": 90, "age=2": 90, "cells": 1}
    return sl.noisy_counts(table, **(usual | {"queries": queries, "ledger": "no ledger"} | options))


def noise_of(mechanism):
    return {"kind": mechanism.kind, "scale": mechanism.scale, "l1": 1, "l2_squared": 1}


def test_the_whole_document_says_what_is_known_of_the_counts(tmp_path):
    counts = small(rho="0.01", delta="1e-6", people_at_most=1000)
    published = counts.publish(tmp_path / "counts.csv")
    margins = counts.margins_of_queries()
    pairs, tens = ["1-2", "1-2", "3", "4"], ["1-2", "1-2", "3-4", "3-4"]
    by = [(["age"], {"age": (1, pairs)}), (["age", "ill"], {"age": (1, pairs)}), (["age"], {"age": (2, tens)})]
    assert [*margins] == ["age=1", "age=1, ill", "age=2"]
    assert published.document.model_dump(mode="json") == {
        "kind": "noisy counts",
        "schema_version": 3,
        "file": {
            "name": "counts.csv",
            "sha256": hashlib.sha256(published.path.read_bytes()).hexdigest(),
            "rows": 4 * 2,
        },
        "sensitive": "ill",
        "domain": ["Flu", "Cold"],
        "outside": "leave out",
        "missing": counts.missing,
        "levels": {"age": 0},
        "levels_chosen": "in advance, as the publisher says",
        "levels_epsilon": None,
        "epsilon": str(float(counts.spending.epsilon)),
        "delta": "1e-06",
        "rho": "0.01",
        "neighbours": "add or remove",
        "mechanism": noise_of(counts.mechanism),
        "margin_95": counts.margin(0.95),
        "queries": [
            {
                "by": names,
                "coarser": {name: {"level": level, "labels": labels} for name, (level, labels) in coarser.items()},
                "margin_95": margin,
                "mechanism": noise_of(marginal.mechanism),
                "measured": marginal.measured.ravel().tolist(),
            }
            for (names, coarser), margin, marginal in zip(by, margins.values(), counts.marginals, strict=True)
        ],
        "sums": counts.how_to_add_up(),
        "privacy_unit": {
            "unit": "row",
            "person": "each row",
            "checked": False,
            "values": "single",
            "values_per_person": 1,
            "rows_per_person": None,
            "people_at_most": 1000,
        },
        "promise": {
            "made": counts.unit.sentence(),
            "shift": counts.promise().shift,
            "chance": counts.promise().chance,
            "sentence": counts.promise_in_words(),
        },
        "ledger": None,
        "receipt": None,
        "warnings": list(counts.warnings()),
        "versions": {"sidelight": sl.__version__, "opendp": version("opendp")},
    }


def test_where_nobody_knows_what_it_means_in_beliefs_no_number_is_promised(tmp_path):
    promise = small(epsilon=1, delta="1e-6").publish(tmp_path / "counts.csv").document.promise
    assert (promise.shift, promise.chance) == (None, None)
    pure = small(epsilon=1).publish(tmp_path / "pure.csv").document
    assert (pure.promise.shift, pure.promise.chance) == (sl.semantic_privacy(1).shift, 0)
    assert (pure.rho, pure.delta) == (None, "0")


def test_what_choosing_levels_cost_is_told_in_words_and_as_a_number(tmp_path):
    chosen = sl.choose_levels(ADULT.table, **DECLARED, among=[{"sex": 0}, {"sex": 1}], epsilon=0.5)
    document = noisy(levels=chosen).publish(tmp_path / "counts.csv").document
    assert mentions(document.levels_chosen, "from the data", "epsilon", "0.5 more", "promise counts")
    assert document.levels_epsilon == "0.5"
    paid = sl.read_noise(tmp_path / "counts.csv").paid_choice
    assert (paid.what, paid.epsilon, paid.delta) == ("choosing the levels", Fraction(1, 2), 0)
    assert paid.neighbours == "add or remove"


def test_missing_values_are_told_to_be_a_value_only_where_they_are_declared(tmp_path):
    rows = pa.table({"age": ["1", "1", "2"], "ill": ["Flu", None, "Flu"]})
    table = sl.read_table(rows, quasi="age", sensitive="ill", person="each row", missing="a value")
    by = {"age": sl.Hierarchy("age", (("1", "2"), ("*", "*")))}
    for name, domain, told in (("a.csv", ["Flu", None], "a value"), ("b.csv", ["Flu"], "as undeclared")):
        counts = sl.noisy_counts(table, by=by, levels={"age": 0}, domain=domain, epsilon=1, ledger="no ledger")
        assert counts.publish(tmp_path / name).document.missing == told
        assert sl.read_noise(tmp_path / name).missing == "a value"


@pytest.mark.parametrize("name", ["counts.csv", "counts.parquet"])
@pytest.mark.parametrize("cost", [{"epsilon": 1, "delta": "1e-6"}, {"rho": "0.01", "delta": "1e-6"}])
def test_counts_by_coarser_labels_are_read_back(tmp_path, name, cost):
    counts = small(**cost)
    read = sl.read_noise(counts.publish(tmp_path / name).path)
    assert read.spending == counts.spending
    assert read.spending.charged_rho == counts.spending.charged_rho
    assert [each.axes for each in read.marginals] == [(2,), (2, 1), (3,)]  # two columns, then two coarser levels
    assert [(each.column, each.level, each.place.tolist()) for each in read.coarser] == [
        (0, 1, [0, 0, 1, 2]),
        (0, 2, [0, 0, 1, 1]),
    ]
    for mine, theirs in zip(read.marginals, counts.marginals, strict=True):
        assert (mine.mechanism, mine.measured.tolist()) == (theirs.mechanism, theirs.measured.tolist())
    assert np.allclose(read.estimates, counts.estimates)
    assert (read.measured.tolist(), read.counts.tolist()) == (counts.measured.tolist(), counts.counts.tolist())


def changed(published, change):
    document = json.loads(published.beside.read_text(encoding="utf-8"))
    change(document)
    published.beside.write_text(json.dumps(document), encoding="utf-8")


@pytest.mark.parametrize(
    "change",
    [
        # two queries that mean different labels by one level
        lambda queries: queries[1]["coarser"]["age"].update(labels=["1-2", "1-2", "3-4", "3-4"]),
        # labels of fewer or more than are published
        lambda queries: queries[2]["coarser"]["age"]["labels"].pop(),
        lambda queries: queries[2]["coarser"]["age"]["labels"].append("3-4"),
        # levels of which neither is made of the other
        lambda queries: queries[2]["coarser"]["age"].update(labels=["1-3", "4", "1-3", "4"]),
        # a query twice
        lambda queries: queries[1].update(by=["age"], measured=[1] * 3),
        # columns in another order, twice, of no such name, and a level of a column that it is not by
        lambda queries: queries[1].update(by=["ill", "age"]),
        lambda queries: queries[1].update(by=["age", "age"], measured=[1] * 9),
        lambda queries: queries[0].update(by=["zip"]),
        lambda queries: queries[0]["coarser"].update(zip={"level": 1, "labels": ["x"]}),
        # all cells once more
        lambda queries: queries[1].update(by=["age", "ill"], coarser={}, measured=[1] * 8),
        # too few counts, or none; other noise
        lambda queries: queries[0]["measured"].pop(),
        lambda queries: queries[0].update(measured=["one"] * 3),
        lambda queries: queries[0].update(measured=[1, 2, 3.5]),
        lambda queries: queries[0].update(measured=[1, 2, 2**64]),
        lambda queries: queries[0]["mechanism"].update(scale=0.5),
        lambda queries: queries[0]["mechanism"].update(l1=2),
        lambda queries: queries[0].pop("mechanism"),
    ],
)
def test_queries_that_cannot_have_been_measured_are_refused(tmp_path, change):
    published = small(rho="0.01", delta="1e-6").publish(tmp_path / "counts.csv")
    changed(published, lambda document: change(document["queries"]))
    with pytest.raises(BadRelease) as refused:
        sl.read_noise(published.path)
    assert mentions(refused.value, "'counts.csv.noise.json'", "does not fit", "'counts.csv'", "publish")


@pytest.mark.parametrize("name", ["queries", "rho", "levels_epsilon", "outside", "missing", "ledger"])
def test_documents_without_a_key_are_refused(tmp_path, name):
    published = small(epsilon=1, queries=None).publish(tmp_path / "counts.csv")
    assert sl.read_noise(published.path).marginals == ()
    changed(published, lambda document: document.pop(name))
    with pytest.raises(BadRelease, match="does not fit"):
        sl.read_noise(published.path)


@pytest.mark.parametrize(
    "change",
    [
        lambda document: document.update(rho="0.001"),  # less than the noise costs
        lambda document: document.update(domain=["Cold", "Flu"]),
        lambda document: document.update(domain=["Flu", "Cold", "Gout"]),
        lambda document: document.update(outside="other"),  # nobody is other
        lambda document: document.update(levels={}),
        lambda document: document.update(sensitive="age"),
        lambda document: document["privacy_unit"].update(values_per_person=None),
        lambda document: document["privacy_unit"].update(person="id"),
        lambda document: document["privacy_unit"].update(people_at_most=0),
    ],
)
def test_documents_that_do_not_fit_the_file_are_refused(tmp_path, change):
    published = small(rho="0.01", delta="1e-6").publish(tmp_path / "counts.csv")
    changed(published, change)
    with pytest.raises(BadRelease, match=r"'counts\.csv\.noise\.json' does not fit 'counts\.csv'"):
        sl.read_noise(published.path)


def test_rows_in_another_order_are_not_the_declared_cells(tmp_path):
    published = small(epsilon=1, queries=None).publish(tmp_path / "counts.csv")
    head, first, *others = published.path.read_text().splitlines(keepends=True)
    published.path.write_text("".join([head, *others, first]))
    sha256 = hashlib.sha256(published.path.read_bytes()).hexdigest()
    changed(published, lambda document: document["file"].update(sha256=sha256))
    with pytest.raises(BadRelease, match="does not fit"):
        sl.read_noise(published.path)


@pytest.mark.parametrize("place", [0, 1, 2])
def test_others_have_their_label_in_every_column(tmp_path, place):
    rows = pa.table({"age": list("12"), "sex": list("fm"), "ill": ["Flu", "Cold"]})
    table = sl.read_table(rows, quasi=["age", "sex"], sensitive="ill", person="each row")
    by = {"age": sl.Hierarchy("age", (("1", "2"), ("*", "*"))), "sex": sl.Hierarchy("sex", (("f", "m"), ("*", "*")))}
    levels = {"age": 0, "sex": 0}
    counts = sl.noisy_counts(table, by=by, levels=levels, domain=["Flu"], epsilon=1, ledger="no ledger")
    published = counts.publish(tmp_path / "counts.csv")
    cells = [line.split(",") for line in published.path.read_text().splitlines()]
    assert {row[place] for row in cells} >= {"(other)"}
    text = "".join(
        ",".join(["else" if at == place and cell == "(other)" else cell for at, cell in enumerate(row)]) + "\n"
        for row in cells
    )
    published.path.write_text(text)
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    domain = ["Flu", "else" if place == 2 else "(other)"]
    changed(published, lambda document: (document["file"].update(sha256=sha256), document.update(domain=domain)))
    with pytest.raises(BadRelease, match="does not fit"):
        sl.read_noise(published.path)
    changed(published, lambda document: document.update(outside="leave out"))
    assert sl.read_noise(published.path).measured.tolist() == counts.measured.tolist()


def test_nothing_is_replaced_unless_it_is_said(tmp_path):
    counts, path = small(epsilon=1), tmp_path / "counts.csv"
    publish_noise(counts, path)
    with pytest.raises(SidelightError, match="exists; give another name"):
        publish_noise(counts, path)
    path.unlink()
    with pytest.raises(SidelightError, match=r"counts\.csv\.noise\.json'.*without.*'counts\.csv'"):
        publish_noise(counts, path)
    assert publish_noise(counts, str(path), force=True).path == path
    with pytest.raises(SidelightError, match="force="):
        publish_noise(counts, tmp_path / "other.csv", force=1)


@pytest.mark.parametrize("force", [False, True])
def test_what_appears_while_counts_are_written_is_replaced_only_if_that_is_said(tmp_path, force, monkeypatch):
    path = tmp_path / "counts.csv"

    def late(noisy, file):
        path.write_text("theirs")
        return noise_document(noisy, file)

    monkeypatch.setattr(noise, "noise_document", late)
    if force:
        assert publish_noise(small(epsilon=1), path, force=True).path.read_text() != "theirs"
        return
    with pytest.raises(NotPublished) as refused:
        publish_noise(small(epsilon=1), path)
    assert mentions(refused.value, f"'{path}'", "not replaced", "--force", "ledger", "stays spent")
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [("counts.csv", "theirs")]


def test_a_ledger_knows_the_file_before_it_is_there_or_there_is_none(tmp_path):
    ledger = sl.Ledger.begin(tmp_path / "budget.json", epsilon=3)
    counts = small(epsilon=1, ledger=ledger)
    published = counts.publish(tmp_path / "counts.csv")
    assert published.document.receipt == counts.receipt == ledger.read().entries[0].receipt
    (file,) = ledger.read().entries[0].published
    assert (file.file, file.sha256) == ("counts.csv", published.document.file.sha256)
    os.link(tmp_path / "budget.json", tmp_path / "second.json")
    with pytest.raises(NotPublished, match=r"second name .*ledger.*stays spent"):
        counts.publish(tmp_path / "other.csv")
    assert not (tmp_path / "other.csv").exists()


def test_counts_that_were_read_are_published_without_the_ledger_that_paid_for_them(tmp_path):
    ledger = sl.Ledger.begin(tmp_path / "budget.json", epsilon=3)
    published = small(epsilon=1, ledger=ledger).publish(tmp_path / "counts.csv")
    again = sl.read_noise(published.path).publish(tmp_path / "again.csv")
    assert again.document.receipt == published.document.receipt is not None
    assert [each.file for each in ledger.read().entries[0].published] == ["counts.csv"]


def test_an_interrupt_says_what_is_spent_all_the_same(tmp_path, monkeypatch):
    def interrupted(noisy, file):
        raise KeyboardInterrupt

    monkeypatch.setattr(noise, "noise_document", interrupted)
    counts = small(epsilon=1, ledger=sl.Ledger.begin(tmp_path / "budget.json", epsilon=3))
    with pytest.raises(KeyboardInterrupt) as stopped:
        publish_noise(counts, tmp_path / "counts.csv")
    (note,) = stopped.value.__notes__
    assert mentions(note, "epsilon 1", "'budget.json'", "is spent")
    with pytest.raises(KeyboardInterrupt) as stopped:
        publish_noise(small(epsilon=1), tmp_path / "counts.csv")
    assert not hasattr(stopped.value, "__notes__")


@pytest.mark.parametrize("ledger", ["counts.csv", "counts.csv.noise.json"])
def test_the_ledger_is_never_written_over(tmp_path, ledger):
    counts = small(epsilon=1, ledger=sl.Ledger.begin(tmp_path / ledger, epsilon=3))
    before = (tmp_path / ledger).read_bytes()
    with pytest.raises(NotPublished, match=f"{ledger}' is an input.*never written over"):
        counts.publish(tmp_path / "counts.csv", force=True)
    assert (tmp_path / ledger).read_bytes() == before


def test_a_page_shows_what_was_published(tmp_path):
    published = noisy().publish(tmp_path / "counts.csv")
    told = published.document
    rows = [("sensitive", "occupation"), ("epsilon", "1"), ("delta", "0"), ("margin_95", told.margin_95)]
    note = f"{told.promise.sentence} All that is told of it is in counts.csv.noise.json."
    assert published._repr_html_() == html_table("Published as counts.csv", ("", ""), rows, note=note)


def test_a_document_is_written_for_people_too():
    promise = PromiseDocument(made="né", shift=None, chance=None, sentence="")
    document = PublishedNoise(Path("counts.csv"), Path("counts.csv.noise.json"), promise)
    assert document.to_json() == '{\n  "made": "né",\n  "shift": null,\n  "chance": null,\n  "sentence": ""\n}\n'


def test_names_of_columns_are_read_as_utf_8_whatever_the_machine_reads(tmp_path, monkeypatch):
    (tmp_path / "counts.csv").write_bytes('"né\r\n",measured\nFlu,7\n'.encode())
    monkeypatch.setattr(io, "text_encoding", lambda encoding, *_: encoding or "ascii")
    assert read_sheet(tmp_path / "counts.csv")[0].column_names == ["né\r\n", "measured"]


def test_labels_are_texts_and_counts_are_numbers(tmp_path):
    (tmp_path / "counts.csv").write_text("zip,ill,count,measured\n007,NA,1,2\n008,,3,4\n")
    sheet = read_sheet(tmp_path / "counts.csv")[0]
    assert sheet.to_pydict() == {
        "zip": ["007", "008"],
        "ill": ["NA", ""],
        "count": [1, 3],
        "measured": [2, 4],
    }
    assert [str(kind) for kind in sheet.schema.types] == ["string", "string", "int64", "int64"]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (None, ("no 'counts.csv.noise.json' beside '{path}'",)),
        ("{", ("'{path}.noise.json' cannot be read", "publish")),
        ('{"kind": "noisy counts"}', ("'{path}.noise.json' cannot be read", "publish")),
        (
            '{"kind": "stable counts", "schema_version": 1, "file": {"sha256": ""}}',
            ("'counts.csv.noise.json'", "stable counts", "noisy counts", "needed", "sl.read_stable_counts"),
        ),
        (
            '{"kind": "noisy counts", "schema_version": 4, "file": {"sha256": ""}}',
            ("'counts.csv.noise.json'", "another version", "reads 3"),
        ),
        (
            '{"kind": ["noisy"], "schema_version": 3, "file": {"sha256": ""}}',
            ("'counts.csv.noise.json'", "another version", "reads 3"),
        ),
        (
            '{"kind": "noisy counts", "schema_version": 3, "file": {"sha256": ""}}',
            ("'{path}'", "not the file", "'counts.csv.noise.json'", "publish"),
        ),
    ],
)
def test_why_counts_are_not_read_is_said(tmp_path, text, named):
    path = tmp_path / "counts.csv"
    path.write_text("age\n")
    if text is not None:
        (tmp_path / "counts.csv.noise.json").write_text(text)
    with pytest.raises(BadRelease) as refused:
        sl.read_noise(path)
    assert mentions(refused.value, *(part.format(path=path) for part in named))


@pytest.mark.parametrize("text", ['{"kind": "stable counts"}', "{}", "[]", "{", None])
def test_counts_of_either_kind_need_a_document_that_can_be_read(tmp_path, text):
    if text is not None:
        (tmp_path / "counts.csv.noise.json").write_text(text)
    with pytest.raises(BadRelease, match="no 'counts" if text is None else r"noise\.json' cannot be read"):
        read_drawn(tmp_path / "counts.csv")


@pytest.mark.parametrize("number", [0, -1, True, 1.0, "1", [1]])
def test_a_number_of_people_is_whole_and_above_zero(number):
    with pytest.raises(ValueError, match="people_at_most"):
        unit_of(UNIT | {"people_at_most": number})
    assert unit_of(UNIT | {"people_at_most": 1}) == unit_of(UNIT)


def unit_of(document):
    return UnitDocument.model_validate_json(json.dumps(document)).to_unit()


UNIT = {
    "unit": "person",
    "person": "id",
    "checked": True,
    "values": "set",
    "values_per_person": 3,
    "rows_per_person": 2,
    "people_at_most": None,
}


def test_whom_the_promise_is_made_to_is_read():
    read = unit_of(UNIT)
    assert (read.person, read.values, read.values_per_person, read.rows_per_person) == ("id", "set", 3, 2)
    assert unit_of(UNIT | {"rows_per_person": None}).rows_per_person is None
    assert unit_of(UNIT | {"unit": "row", "person": "each row", "checked": False}).person == "each row"


@pytest.mark.parametrize(
    "other",
    [
        {"unit": "row"},
        {"checked": False},
        {"person": "each row"},
        {"person": "each row", "unit": "row"},
        {"values_per_person": None},
        {"values": "many"},
    ],
)
def test_people_who_contradict_themselves_are_refused(other):
    with pytest.raises(ValueError, match=r"no such people|UnitDocument"):
        unit_of(UNIT | other)


def test_a_budget_is_read_with_its_rho():
    read = BudgetDocument(epsilon="3", delta="1e-6").to_account("basic", "replace")
    assert (read.epsilon, read.delta, read.accounting, read.neighbours, read.rho) == (
        *(3, Fraction("1e-6"), "basic", "replace"),
        None,
    )


def test_counts_that_were_paid_in_rho_are_read_with_their_budget(tmp_path):
    ledger = sl.Ledger.begin(tmp_path / "budget.json", rho="0.1", delta="1e-6")
    counts = small(rho="0.01", delta="1e-6", ledger=ledger)
    published = counts.publish(tmp_path / "counts.csv")
    assert published.document.ledger.rho == Fraction("0.1")
    assert published.document.ledger.accounting == counts.budget.accounting
    assert sl.read_noise(published.path).budget == counts.budget


def test_labels_are_read_in_the_order_in_which_they_occur():
    cells = pa.chunked_array([["'=b", ""], [None, "'=b"]])
    texts, codes = read_labels(cells, WRITERS["parquet"])
    assert (texts, codes.tolist(), codes.dtype) == (("'=b", "", None), [0, 1, 2, 0], np.int64)
    texts, codes = read_labels(pa.chunked_array([["'=b", "", "'=b"]]), WRITERS["csv"])
    assert (texts, codes.tolist()) == (("=b", None), [0, 1, 0])
    assert read_labels(pa.chunked_array([[7, 5]]), WRITERS["parquet"])[0] == ("7", "5")


def test_line_breaks_in_long_files_do_not_end_a_row(tmp_path):
    label = "a" + 60 * "\n" + "b"
    (tmp_path / "counts.csv").write_text('"\'=n",measured\n' + f'"{label}",7\n' * 30_000)  # more than is read at once
    sheet = read_sheet(tmp_path / "counts.csv")[0]
    assert (sheet.column_names, sheet.num_rows) == (["=n", "measured"], 30_000)
    assert sheet["=n"].unique().to_pylist() == [label]
    assert sheet["measured"].unique().to_pylist() == [7]
