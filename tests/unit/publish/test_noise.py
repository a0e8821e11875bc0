"""Noisy counts as files: the counts and their document, both or none."""

import json
from fractions import Fraction

import pyarrow as pa
import pyarrow.csv as pc
import pytest

import sidelight as sl
from sidelight.errors import BadRelease, NotPublished, SidelightError

pytest.importorskip("opendp", reason="noise needs the extra dp")

ADULT = sl.datasets.adult(quasi=["sex"])
DECLARED = {"by": ADULT.hierarchies, "domain": ADULT.table.domain}


def noisy(**options):
    return sl.noisy_counts(ADULT.table, **DECLARED, **({"levels": {"sex": 0}, "epsilon": 1} | options))


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
