"""Noisy counts as files: the counts and their document, both or none."""

import json
from fractions import Fraction

import pyarrow as pa
import pyarrow.csv as pc
import pytest

import sidelight as sl
from sidelight.errors import BadNoise, BadRelease, NotPublished, SidelightError

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
    assert document["epsilon"] == "1"
    assert document["levels_chosen"].startswith("from the data, for an epsilon of 0.5 more")


def test_nothing_is_replaced_unasked(tmp_path):
    counts, path = noisy(), tmp_path / "counts.csv"
    path.write_text("mine")
    with pytest.raises(SidelightError, match="exists; give another name"):
        counts.publish(path)
    assert path.read_text() == "mine"
    assert counts.publish(path, force=True).path == path
    with pytest.raises(NotPublished, match=r"name it \.parquet or \.csv"):
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
        (lambda file, beside: file.write_text("other"), "is not the file that 'counts.csv.noise.json' tells of"),
        (lambda file, beside: file.unlink(), "is not the file that"),
        (lambda file, beside: beside.unlink(), "no 'counts.csv.noise.json' beside"),
        (lambda file, beside: beside.write_text("{"), "cannot be read; publish the counts again"),
        (lambda file, beside: beside.write_text("[]"), "cannot be read; publish the counts again"),
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
    assert document["privacy_unit"] == {
        "unit": "person",
        "person": "id",
        "checked": True,
        "values": "single",
        "values_per_person": 1,
        "rows_per_person": 2,
        "people_at_most": 500,
    }
    assert (document["outside"], document["missing"]) == ("leave out", "as undeclared")
    assert any(
        "where people have more than 2 rows, some were left out by chance" in each for each in document["warnings"]
    )
    assert document["ledger"] == {"epsilon": "3", "delta": "1e-06", "accounting": "basic"}
    assert document["promise"]["sentence"].endswith(
        "That is for at most 500 people, which the publisher says and nobody checked."
    )
    read = sl.read_noise(tmp_path / "counts.csv")
    assert (read.unit, read.outside, read.missing) == (counts.unit, counts.outside, counts.missing)
    assert (read.people_at_most, read.budget) == (500, counts.budget)
    assert read.promise_in_words() == counts.promise_in_words()
    assert read.warnings() == counts.warnings()


def test_rows_of_which_nobody_checked_whose_they_are_are_promised_on_condition(tmp_path):
    counts = noisy()
    promise = counts.promise()
    assert promise.sentence().startswith("If no two rows are about one person, which nobody checked: whatever anyone")
    said = [promise.error_rates().sentence(), promise.disclosure_risk().sentence()]
    assert all(each.startswith(f"{promise.condition}: whoever ") for each in said)
    assert promise.explain().count(promise.condition) == 4  # beliefs, a test, and the risks of being in and of a value
    document = counts.publish(tmp_path / "counts.csv").document
    assert document["warnings"][0].startswith("that no two rows are about one person is what the publisher says")
    assert sl.promise_of([counts.spending]).condition == promise.condition != ""
    assert sl.read_noise(tmp_path / "counts.csv").promise() == promise


def test_of_two_rows_the_delta_is_more_than_doubled_too():
    alone, with_delta = noisy().warnings()[0], noisy(delta="1e-9").warnings()[0]
    assert alone.endswith("hidden by twice epsilon only")
    assert with_delta.endswith("hidden by twice epsilon only, and more than twice delta")


def test_documents_of_version_2_are_read_too(tmp_path):
    published = noisy(outside="leave out").publish(tmp_path / "counts.csv")
    document = json.loads(published.beside.read_text()) | {"schema_version": 2}
    for name in ("outside", "missing", "ledger"):
        del document[name]
    del document["privacy_unit"]["rows_per_person"]
    published.beside.write_text(json.dumps(document))
    read = sl.read_noise(published.path)
    assert (read.outside, read.missing, read.budget, read.unit.rows_per_person) == ("leave out", None, None, None)


def test_a_declared_label_is_not_mistaken_for_others():
    with pytest.raises(
        BadNoise, match=r"domain= lists '\(other\)', which is what is published of people with something"
    ):
        noisy(domain=["Sales", "(other)"])
    by = {"sex": sl.Hierarchy("sex", (("Male", "Female"), ("(other)", "(other)")))}
    with pytest.raises(BadNoise, match=r"the hierarchy of 'sex' lists '\(other\)'"):
        noisy(by=by, levels={"sex": 1})
    assert noisy(domain=["Sales", "(other)"], outside="leave out").domain == ("Sales", "(other)")


def test_the_number_of_people_is_never_read_off_the_noise():
    """It was, and the chance that was told was too small in up to 43 % of releases."""
    with pytest.raises(
        BadNoise, match="depends on how many people there are at most, which nobody declared; say it with"
    ):
        noisy(delta="1e-9").promise()
    told = {noisy(delta="1e-9", people_at_most=50_000).promise().chance for _ in range(5)}
    assert told == {sl.semantic_privacy(1, "1e-9", people=50_000).chance}
    assert noisy(delta="1e-9", people_at_most=50_000).warnings()[1:] == noisy(delta="1e-9").warnings()[1:]
    assert any("speak against at most 40,000 people" in each for each in noisy(people_at_most=40_000).warnings())


def test_counts_that_are_mostly_of_others_are_noticed_by_the_measured_counts():
    """Labels with a blank, or in capitals, would all be others, and nobody would be told: the counts are, for nothing more."""
    warnings = noisy(domain=["sales", "Tech-support"], epsilon=20).warnings()
    assert any("of 45,2" in each and "are (other): something was not declared" in each for each in warnings)
    assert not any("(other)" in each for each in noisy().warnings())
    assert not any("(other)" in each for each in noisy(domain=["sales"], outside="leave out").warnings())
