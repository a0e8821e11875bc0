import itertools
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.command_line import invoke
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadNoise, BadRelease, BudgetExceeded, UnknownColumn
from sidelight.noise.accountant import privacy_spent
from sidelight.noise.mechanism import Mechanism, PrivacyUnit
from sidelight.noise.stable_counts import smallest_threshold

LARGE = {"city": ["Ulm"] * 300 + ["Bonn"] * 200 + ["Linz"], "disease": ["Flu"] * 300 + ["Cold"] * 200 + ["HIV"]}


def rows(data=None, **roles):
    data = LARGE if data is None else data
    return sl.read_table(pa.table(data), quasi="city", sensitive="disease", **{"person": "each row", **roles})


def stable(table=None, **options):
    table = rows() if table is None else table
    return sl.stable_counts(
        table, **{"columns": ["city"], "epsilon": 1, "delta": "1e-9", "ledger": "no ledger", **options}
    )


def test_large_cells_are_published_and_a_person_alone_is_not():
    found = stable()
    assert found.table().column_names == ["city", "disease", "measured"]
    assert [found.columns[0].cell(i) for i in range(len(found))] == ["Bonn", "Ulm"]
    assert abs(found.count("Flu", city="Ulm") - 300) < 40
    assert found.count("HIV", city="Linz") is None
    # not even the label is in it
    assert "Linz" not in found.columns[0].labels
    assert "HIV" not in found.value.labels


@pytest.mark.parametrize("scale", [0.3, 1.0, 2.7, 40.0])
@pytest.mark.parametrize("delta", ["0.01", "1e-6", "1e-30"])
@pytest.mark.parametrize(
    "unit",
    [
        PrivacyUnit("id"),
        PrivacyUnit("id", "set", 3),
        PrivacyUnit("id", "multiset", 4),
        PrivacyUnit("id", rows_per_person=3),
    ],
)
def test_no_way_to_be_alone_is_published_more_often_than_delta(scale, delta, unit):
    """Every way to spread the values of one person over cells of their own, against the chances themselves."""
    threshold = smallest_threshold(scale, Fraction(delta), unit)
    a = math.exp(-1 / scale)
    alone = [1 if unit.values == "set" else times for times in range(1, unit.at_most + 1)]
    worst = 0.0
    for cells in range(1, unit.at_most + 1):
        for times in itertools.combinations_with_replacement(sorted({*alone}), cells):
            if sum(times) <= unit.at_most:
                hidden = math.prod(1 - a ** (threshold - each) / (1 + a) for each in times)
                worst = max(worst, 1 - hidden)
    assert worst <= float(delta) * (1 + 1e-9) + 1e-15
    assert worst <= -math.expm1(-1 / scale) + 1e-15


@pytest.mark.parametrize("scale", [0.5, 1.0, 3.0])
def test_a_lower_threshold_would_break_delta(scale):
    threshold, a = smallest_threshold(scale, Fraction(1, 10**6), PrivacyUnit("id")), math.exp(-1 / scale)
    assert a ** (threshold - 1) / (1 + a) <= 1e-6 < a ** (threshold - 2) / (1 + a)


def law(counts, scale, threshold, reach=60):
    """What is published, and how likely: of each cell its count, or that it is not there."""
    noise = np.arange(-reach, reach + 1)
    weight = np.exp(Mechanism("discrete Laplace", scale).log_weight(noise))
    weight /= weight.sum()
    outcomes = {(): 1.0}
    for cell, count in enumerate(counts):
        one = {}
        if count:
            for each, chance in zip(count + noise, weight, strict=True):
                shown = (cell, int(each)) if each >= threshold else None
                one[shown] = one.get(shown, 0.0) + chance
        else:
            one[None] = 1.0
        outcomes = {
            (*before, shown): chance * more for before, chance in outcomes.items() for shown, more in one.items()
        }
    return outcomes


@given(
    st.sampled_from([0.7, 1.0, 2.0]),
    st.sampled_from(["0.05", "0.01", "0.001"]),
    st.lists(st.integers(0, 12), min_size=2, max_size=2),
    st.sampled_from([(1, 0), (0, 1), (1, 1), (2, 0), (0, 2)]),
    st.sampled_from([None, (1, 0), (0, 1), (1, 1), (2, 0), (0, 2)]),
)
def test_neighbours_are_told_apart_no_better_than_promised(scale, delta, others, joins, leaves):
    """Both ways, over everything that may be published; one person joins, or is there instead of another."""
    unit = PrivacyUnit("id", "multiset", 2)
    threshold = smallest_threshold(scale, Fraction(delta), unit)
    epsilon = (1 if leaves is None else 2) * unit.at_most / scale
    with_one = law(np.add(others, joins), scale, threshold)
    without = law(np.add(others, leaves or (0, 0)), scale, threshold)
    for first, second in ((with_one, without), (without, with_one)):
        excess = math.fsum(
            max(chance - math.exp(epsilon) * second.get(each, 0.0), 0.0) for each, chance in first.items()
        )
        assert excess <= float(delta) * (1 + 1e-9)


def test_a_cell_of_one_person_is_published_as_often_as_told():
    """A thousand people, each alone in a cell, at a delta of 1 %: what is drawn, not what is computed."""
    lonely = {"city": [str(i) for i in range(4_000)], "disease": ["Flu"] * 4_000}
    found = stable(rows(lonely), delta="0.01")
    chance = float(Decimal(-1).exp() ** (found.threshold - 1) / (1 + Decimal(-1).exp()))
    assert chance <= 0.01
    assert abs(len(found) - 4_000 * chance) < 6 * math.sqrt(4_000 * chance)


def test_people_with_several_values_are_capped_and_the_threshold_grows():
    people = {"id": [1, 1, 1, 2], "city": ["Ulm"] * 4, "disease": ["Flu", "Cold", "HIV", "Flu"]}
    found = stable(rows(people, person="id", values="set"), values_per_person=2)
    assert (found.mechanism.scale, len(found)) == (2.0, 0)
    assert found.threshold > stable().threshold


def test_it_is_paid_before_it_is_drawn_and_not_from_rho(tmp_path):
    ledger = sl.Ledger.begin(tmp_path / "budget.json", epsilon=1, delta="1e-9")
    found = stable(ledger=ledger)
    (entry,) = ledger.read().entries
    assert entry.receipt == found.receipt
    assert mentions(entry.spending.what, "disease", "city", "found", "large")
    with pytest.raises(BudgetExceeded):
        stable(ledger=ledger)
    with pytest.raises(BudgetExceeded, match="comes to no rho"):
        stable(ledger=sl.Ledger.begin(tmp_path / "rho.json", rho=1, delta="1e-6"))


def test_its_delta_is_in_every_account():
    """The noise alone has none: which cells are published has."""
    spending = stable(epsilon="0.1").spending
    assert privacy_spent([spending], delta="1e-12").loss_distribution == math.inf
    assert privacy_spent([spending], delta="1e-12").epsilon == math.inf
    assert privacy_spent([spending] * 2, delta="2e-9").basic == 0.2


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_it_is_read_as_it_was_published(tmp_path, ending):
    found = stable(people_at_most=1_000)
    published = found.publish(tmp_path / f"counts.{ending}")
    document = published.document
    assert (document.threshold, document.delta, document.domain) == (found.threshold, "1e-09", None)
    assert "are missing" in document.warnings[0]
    again = sl.read_stable_counts(published.path)
    assert again.table() == found.table()
    assert (again.spending, again.threshold, again.promise()) == (found.spending, found.threshold, found.promise())
    with pytest.raises(BadRelease, match=r"stable counts.*noisy counts.*sl\.read_stable_counts"):
        sl.read_noise(published.path)
    text = published.beside.read_text().replace(f'"threshold": {found.threshold}', '"threshold": 2')
    published.beside.write_text(text)
    with pytest.raises(BadRelease, match="does not fit"):
        sl.read_stable_counts(published.path)


def test_an_empty_release_can_be_published_and_read(tmp_path):
    found = stable(rows({"city": ["Ulm"], "disease": ["Flu"]}), delta="1e-30")
    assert len(found) == 0
    assert found.warnings()[0].startswith("cells with fewer than")
    assert len(sl.read_stable_counts(found.publish(tmp_path / "counts.csv").path)) == 0


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"delta": 0}, BadNoise, "it is never 0"),
        ({"delta": 1}, BadNoise, "below 1"),
        ({"epsilon": "1e-12"}, BadNoise, "nothing but noise"),
        ({"columns": "city"}, BadNoise, "list of columns"),
        ({"columns": ["town"]}, UnknownColumn, "town"),
        ({"people_at_most": 0}, BadNoise, "people_at_most="),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_spent(tmp_path, options, error, says):
    ledger = sl.Ledger.begin(tmp_path / "budget.json", epsilon=1, delta="1e-3")
    with pytest.raises(error, match=says):
        stable(**{"ledger": ledger, **options})
    assert not ledger.read().entries


def test_shown_in_a_notebook_and_in_words():
    found = stable()
    assert repr(found).startswith("<StableCounts of disease: 2 cells of at least 22, epsilon 1, delta 1e-09")
    assert "<td>Ulm</td>" in found._repr_html_()
    assert "which nobody declared." in found.promise_in_words()
    assert "at most 1,000 people" in stable(people_at_most=1_000).promise_in_words()
    with pytest.raises(BadNoise, match="people_at_most="):
        found.promise()
    with pytest.raises(BadNoise, match=r"each column.* city$"):
        found.count("Flu")


def counted_file(tmp_path):
    path = tmp_path / "rows.csv"
    lines = (f"{city},{disease}" for city, disease in zip(LARGE["city"], LARGE["disease"], strict=True))
    path.write_text("\n".join(["city,disease", *lines]) + "\n")
    return path


def on_the_command_line(tmp_path, *more, level=0):
    words = ["--undeclared", "--levels", f"city={level}", "--sensitive", "disease", "--person", "each row"]
    return invoke(["noise", counted_file(tmp_path), *words, "-o", tmp_path / "out.csv", *more])


def test_cells_that_nobody_declared_are_counted_on_the_command_line(tmp_path):
    ledger = tmp_path / "budget.json"
    invoke(["ledger", "begin", ledger, "--epsilon", "2", "--delta", "1e-6"])
    done = on_the_command_line(tmp_path, "--epsilon", "1", "--delta", "1e-9", "--ledger", ledger)
    assert done.exit_code == 0
    assert mentions(done.output, "Published 2 counts", "disease", "noise", "epsilon 1", "delta 1e-09")
    assert mentions(done.output, "fewer than 22", "missing")
    assert "Linz" not in done.output + (tmp_path / "out.csv").read_text()
    assert len(sl.read_stable_counts(tmp_path / "out.csv")) == 2
    # once, although it is in both
    spent = invoke(["ledger", "spent", ledger, tmp_path / "out.csv"])
    assert mentions(spent.output, "1 release", "epsilon", "at most 1", "delta 1e-09")
    alone = invoke(["ledger", "spent", tmp_path / "out.csv"])
    assert "1 release together" in alone.output


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (["--epsilon", "1"], ["--delta is 0"]),
        (["--delta", "1e-9"], ["give --epsilon"]),
        (["--rho", "1", "--delta", "1e-9"], ["--rho", "declared", "--undeclared"]),
    ],
)
def test_what_does_not_go_with_undeclared_cells_is_said(tmp_path, more, says):
    done = on_the_command_line(tmp_path, *more)
    assert (done.exit_code, done.stdout) == (2, "")
    assert mentions(done.stderr, *says)


def test_undeclared_columns_are_counted_as_they_are(tmp_path):
    done = on_the_command_line(tmp_path, "--epsilon", "1", "--delta", "1e-9", level=1)
    assert (done.exit_code, done.stdout) == (2, "")
    assert mentions(done.stderr, "--undeclared", "--levels city=0")


def test_published_counts_near_the_threshold_are_too_large_and_that_is_said():
    """Cells well below the threshold: those of them that are published are off by more than the margin, all."""
    rows = [(f"{cell}-{person}", str(cell), "a") for cell in range(300) for person in range(7)]
    columns = dict(zip(("id", "city", "disease"), zip(*rows, strict=True), strict=True))
    events = sl.read_events(pa.table(columns), quasi="city", sensitive="disease", person="id")
    found = sl.stable_counts(events, columns=["city"], epsilon=1, delta="1e-5", ledger="no ledger")
    assert found.threshold - 7 > found.margin(0.95)
    assert (found.measured - 7 > found.margin(0.95)).all()
    assert any(mentions(each, found.threshold, "too large", "margin does not hold") for each in found.warnings())


def test_how_labels_are_spelled_does_not_tell_of_a_missing_number(tmp_path):
    """Where a single age is missing, pandas writes everybody's as 45.0."""
    ages = [45, 7] * 500
    plain = "".join(f"{number},{age},1\n" for number, age in enumerate(ages))
    with_a_gap = "".join(f"{number},{age}.0,1.0\n" for number, age in enumerate(ages)) + "1000,,\n"
    for text in (plain, with_a_gap):
        (tmp_path / "people.csv").write_text(f"id,age,disease\n{text}")
        people = sl.read_events(tmp_path / "people.csv", quasi="age", sensitive="disease", person="id")
        found = sl.stable_counts(people, columns=["age"], epsilon=1, delta="1e-9", ledger="no ledger")
        assert [(row["age"], row["disease"]) for row in found.table().to_pylist()] == [("45", "1"), ("7", "1")]
