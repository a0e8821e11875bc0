"""Noisy counts: what is refused before anything is drawn, what is published, and levels that are paid for."""

import copy
import dataclasses
import pickle
import warnings
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from support.words import mentions

import sidelight as sl
from sidelight.errors import (
    BadHierarchy,
    BadNoise,
    BadTable,
    BudgetExceeded,
    NoLedgerWarning,
    NotPublished,
    UnknownColumn,
    WrongKind,
)
from sidelight.noise.domain import Domain
from sidelight.noise.estimates import NoisePart

DOMAIN = ["Flu", "Cold", "HIV", "Mumps"]
BY = {
    "sex": sl.Hierarchy("sex", (("f", "m", "x"), ("*", "*", "*"))),
    "age": sl.Hierarchy("age", (("20", "25", "30", ""), ("20-29", "20-29", "30-39", "unknown"), ("*", "*", "*", "*"))),
}
ROWS = pa.table(
    {
        "sex": ["f", "f", "m", "m", "m", None],
        "age": ["20", "25", "30", "30", None, "20"],
        "disease": ["Flu", "Cold", "Flu", "HIV", "Flu", "Flu"],
    }
)
TABLE = sl.read_table(ROWS, quasi=["sex", "age"], sensitive="disease", person="each row")


def noisy(table=TABLE, **options):
    arguments = {"by": BY, "levels": {"age": 1}, "domain": DOMAIN, "epsilon": 1, "outside": "an error"} | options
    return sl.noisy_counts(table, **arguments)


def test_every_declared_cell_is_there_whether_anybody_is_or_not():
    made = noisy(levels={"sex": 0, "age": 1}, outside="leave out")
    assert [column.labels for column in made.columns] == [("f", "m", "x"), ("20-29", "30-39", "unknown")]
    assert made.measured.shape == made.counts.shape == (9, 4)
    assert len(made) == 9


@pytest.mark.parametrize("again", [copy.deepcopy, lambda drawn: pickle.loads(pickle.dumps(drawn))])
def test_copies_say_the_same(again):
    drawn = noisy(queries=["total"])
    copied = again(drawn)
    assert copied.count().count == drawn.count().count
    assert (copied.levels, copied.promise()) == (drawn.levels, drawn.promise())
    with pytest.raises(TypeError):
        copied.levels["age"] = 0


def test_people_who_were_not_declared_are_an_error_or_left_out():
    for options in ({"levels": {"sex": 0}}, {"domain": ["Flu", "Cold"]}):
        with pytest.raises(BadNoise) as caught:
            noisy(**options)
        assert mentions(caught.value, 1, "not declared", 'outside="other"', '"leave out"')
    domain = Domain.declare(BY, {"sex": 0}, ["Flu"], outside="leave out")
    assert domain.count(TABLE, BY).tolist() == [[1], [2], [0]]


def test_columns_that_are_not_named_are_not_published():
    made = noisy(levels={})
    assert made.columns == ()
    assert made.measured.shape == (1, 4)


def test_what_is_told_about_it():
    made = noisy(epsilon="0.5")
    assert mentions(made.spending.what, "12 counts", "disease", "age", "level 1")
    assert made.spending.epsilon == Fraction(1, 2)
    assert (made.mechanism.kind, made.mechanism.scale) == ("discrete Laplace", 2.0)
    assert made.margin(0.95) == made.mechanism.margin(0.95)
    assert noisy(delta=1e-6).mechanism.kind == "discrete Gaussian"
    assert noisy(neighbours="replace").mechanism.scale == 2.0


def test_post_processed_counts_add_up_to_the_measured_total():
    for _ in range(20):
        made = noisy(epsilon=0.2)
        assert made.counts.min() >= 0
        assert made.counts.sum() == max(made.measured.sum(), 0)


def test_answers_add_up_measured_counts_and_say_how_far_off_they_are():
    made = noisy(epsilon=50)
    assert made.count("Flu").count == 4
    assert int(made.count("Flu", age="20-29")) == 2
    assert made.count("Flu", age="20-29").noise == (NoisePart(made.mechanism, 1),)
    everybody = made.count()
    assert everybody.count == made.measured.sum()
    assert everybody.noise[0].draws == made.measured.size
    assert made.count(*made.domain) == made.count() == made.count(age=[*made.columns[0].labels])
    assert made.count("Flu", "Flu").count == made.count("Flu").count
    assert made.count(age=[]).margin() == 0
    with pytest.raises(BadNoise, match="no column 'zip'"):
        made.count("Flu", zip="1")
    with pytest.raises(BadNoise, match="'age' has no '99'"):
        made.count("Flu", age="99")
    with pytest.raises(BadNoise, match="disease has no 'Gout'"):
        made.count("Gout")


def test_sums_are_of_measured_counts_and_right_on_average():
    """Post-processed counts of a thin table put people where nobody is."""
    values = [str(number) for number in range(200)]
    table = sl.read_table(
        pa.table({"sex": ["f"] * 600, "code": values * 3}), quasi="sex", sensitive="code", person="each row"
    )
    by = {"sex": sl.Hierarchy("sex", (("f", "m"), ("*", "*")))}
    drawn = [sl.noisy_counts(table, by=by, levels={"sex": 0}, domain=values, epsilon="0.5") for _ in range(40)]
    men = np.mean([each.count(sex="m").count for each in drawn])
    assert abs(men) < 6 * drawn[0].count(sex="m").sd / np.sqrt(len(drawn))
    assert np.mean([each.counts[1].sum() for each in drawn]) > 80


def test_a_table_has_a_row_per_group_and_value():
    made = noisy(epsilon=50).table()
    assert made.column_names == ["age", "disease", "count", "measured"]
    assert made.num_rows == 12
    assert made.slice(0, 2).to_pylist() == [
        {"age": "20-29", "disease": "Flu", "count": 2, "measured": 2},
        {"age": "20-29", "disease": "Cold", "count": 1, "measured": 1},
    ]


def test_it_can_be_taken_for_a_release():
    release = noisy(epsilon=50).as_release()
    assert (release.size, len(release), release.domain) == (6, 3, tuple(DOMAIN))
    assert sl.GroupSize().measure(release).value == 1


def test_nothing_but_noise_is_no_release():
    made = noisy()
    empty = dataclasses.replace(made, counts=made.counts * 0)
    with pytest.raises(BadNoise, match="no release without people"):
        empty.as_release()


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"epsilon": 0}, BadNoise, "epsilon is 0"),
        ({"delta": 1}, BadNoise, "delta is 1"),
        ({"domain": []}, BadNoise, "domain= is not declared"),
        ({"domain": "Flu"}, BadNoise, "domain= is not declared"),
        ({"levels": {"agee": 1}}, UnknownColumn, "did you mean 'age'"),
        ({"levels": {"age": 3}}, BadHierarchy, "no level 3"),
        ({"by": {"sex": BY["sex"]}}, BadNoise, "no hierarchy for 'age'"),
        ({"cells": 11}, BadNoise, "3 groups.*4 values.*12 counts.*11"),
        ({"outside": "whatever"}, BadNoise, 'no outside="whatever"'),
        ({"neighbours": "both"}, BadNoise, 'no neighbours="both"'),
        ({"ledger": "nowhere.json"}, BadNoise, "no ledger 'nowhere.json'"),
    ],
)
def test_bad_input_gets_one_line(options, error, says):
    with pytest.raises(error, match=says) as caught:
        noisy(**options)
    assert "\n" not in str(caught.value)


@pytest.fixture
def visits():
    """Three people, of whom one has three diseases and one has the same twice."""
    rows = ROWS.append_column("id", [list("aaabbc")]).set_column(0, "sex", [["f", "f", "f", "m", "m", "f"]])
    rows = rows.set_column(2, "disease", [["Flu", "Cold", "HIV", "Flu", "Flu", "Cold"]])

    def read(values, **options):
        return sl.read_table(rows, quasi=["sex"], sensitive="disease", person="id", values=values, **options)

    return read


@pytest.mark.parametrize("values", ["set", "multiset"])
def test_several_values_per_person_need_a_cap(visits, values):
    with pytest.raises(BadNoise, match=f'values="{values}" one person.*values_per_person=3'):
        noisy(visits(values), levels={"sex": 0})
    with pytest.raises(BadNoise, match=r"values_per_person= is 0.*at least 1"):
        noisy(visits(values), levels={"sex": 0}, values_per_person=0)
    with pytest.raises(BadNoise, match=r"one value.*values_per_person="):
        noisy(values_per_person=2)


def test_sets_and_multisets_are_counted_up_to_the_cap(visits):
    for values, expected in (("set", [[1, 2, 1, 0], [1, 0, 0, 0]]), ("multiset", [[1, 2, 1, 0], [2, 0, 0, 0]])):
        made = noisy(visits(values), levels={"sex": 0}, values_per_person=4, epsilon=100)
        assert made.measured[:2].tolist() == expected
        assert made.mechanism.sensitivity.l1 == 4
        few = noisy(visits(values), levels={"sex": 0}, values_per_person=1, epsilon=100)
        assert few.measured.sum() == 3  # one each
    with pytest.raises(BadNoise, match=r"counts of values.*no release"):
        made.as_release()
    with pytest.raises(BadNoise, match=r"several times.*one each"):
        sl.attack_noise([made], people=TABLE, by=BY)


def test_a_set_has_no_more_values_than_there_are(visits):
    made = noisy(visits("set"), levels={"sex": 0}, values_per_person=99)
    assert (made.mechanism.sensitivity.l1, made.unit.values_per_person) == (4, 4)
    assert noisy(visits("multiset"), levels={"sex": 0}, values_per_person=99).mechanism.sensitivity.l1 == 99


def test_levels_are_chosen_for_several_values_too(visits):
    options = {"by": BY, "among": [{"sex": 0}, {"sex": 1}], "domain": DOMAIN, "epsilon": 50, "above": 0}
    with pytest.raises(BadNoise, match="values_per_person"):
        sl.choose_levels(visits("set"), **options)
    assert dict(sl.choose_levels(visits("set"), **options, values_per_person=3).levels) == {"sex": 0}


def test_a_row_is_no_person_unless_somebody_says_so():
    table = sl.read_table(ROWS, quasi=["sex", "age"], sensitive="disease")
    with pytest.raises(BadNoise, match=r'column.*person=.*person="each row"'):
        noisy(table)
    with pytest.raises(BadNoise, match=r'column.*person=.*person="each row"'):
        sl.choose_levels(table, by=BY, among=[{"age": 1}], domain=DOMAIN, epsilon=1)
    made = noisy()
    assert (made.unit.checked, made.unit.word) == (False, "row")
    checked = sl.read_table(ROWS.append_column("id", [list("abcdef")]), quasi="age", sensitive="disease", person="id")
    unit = noisy(checked).unit
    assert (unit.checked, unit.word, unit.condition) == (True, "person", "")
    assert mentions(unit.sentence(), "each person", "was checked", "'id'")


def test_a_column_called_each_row_would_be_mistaken():
    with pytest.raises(BadTable, match=r"column.*'each row'.*rename"):
        sl.read_table(
            ROWS.append_column("each row", [list("abcdef")]), quasi="age", sensitive="disease", person="each row"
        )


def test_a_column_called_count_would_be_mistaken():
    table = sl.read_table(
        ROWS.rename_columns(["sex", "age", "count"]), quasi=["age"], sensitive="count", person="each row"
    )
    with pytest.raises(BadNoise, match=r"column.*'count'.*rename"):
        noisy(table)


def test_the_budget_is_spent_before_noise_is_drawn(tmp_path, monkeypatch):
    ledger = sl.Ledger.begin(tmp_path / "budget.json", epsilon=1)
    monkeypatch.setattr(
        "sidelight.noise.mechanism.Mechanism.add_noise", lambda *_: (_ for _ in ()).throw(MemoryError())
    )
    with pytest.raises(MemoryError):
        noisy(ledger=ledger)
    monkeypatch.undo()
    with pytest.raises(BudgetExceeded):
        noisy(ledger=tmp_path / "budget.json")


def test_nothing_is_spent_on_what_is_refused(tmp_path):
    ledger = sl.Ledger.begin(tmp_path / "budget.json", epsilon=1)
    with pytest.raises(BadNoise):
        noisy(ledger=ledger, levels={"sex": 0})
    assert ledger.read().entries == ()


@pytest.mark.parametrize(
    "options",
    [
        {"epsilon": "1e-12"},
        {"epsilon": 1e9},
        {"epsilon": "1e400"},
        {"epsilon": "nan"},
        {"epsilon": None},
        {"delta": -1},
        {"delta": "1e-200"},
        {"delta": "x"},
        {"domain": []},
        {"domain": None},
        {"levels": {"age": 3}},
        {"levels": {"age": "1"}},
        {"levels": {"agee": 1}},
        {"levels": ["age"]},
        {"levels": None},
        {"by": {}},
        {"by": {"age": {"20": "20-29"}}},
        {"cells": 11},
        {"outside": "whatever"},
        {"neighbours": "both"},
        {"neighbours": "replace"},  # the ledger is about others
        {"values_per_person": 3},
        {"people_at_most": 0},
        {"people_at_most": "many"},
        {"rows_per_person": 0},
        {"rows_per_person": 2},
        {"table": ROWS},
        {"table": sl.read_table(ROWS, quasi=["sex", "age"], sensitive="disease")},
    ],
    ids=repr,
)
def test_nothing_is_charged_for_arguments_that_are_refused(tmp_path, options):
    """An epsilon of 1e-12 was charged, then refused."""
    ledger = sl.Ledger.begin(tmp_path / "budget.json", epsilon=1)
    before = ledger.path.read_bytes()
    with pytest.raises(sl.SidelightError):
        noisy(**options, ledger=ledger)
    assert ledger.path.read_bytes() == before


@pytest.mark.parametrize(
    ("ledger", "says"),
    [
        ("nowhere/budget.json", r"no ledger 'budget\.json'.*ledger begin nowhere/budget\.json"),
        ("budget.json", r"no ledger 'budget\.json'.*ledger begin budget\.json"),
        (5, "ledger=.*Ledger.*not an int"),
        (["budget.json"], "ledger=.*Ledger.*not a list"),
    ],
)
def test_a_ledger_that_is_not_there_is_not_begun(tmp_path, monkeypatch, ledger, says):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(sl.SidelightError, match=says):
        noisy(ledger=ledger)
    assert not list(tmp_path.iterdir())


def test_a_release_without_a_ledger_warns_where_it_is_called():
    with pytest.warns(NoLedgerWarning, match="nobody adds up") as seen:
        noisy()
    assert [Path(each.filename).name for each in seen] == ["test_noisy_counts.py"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        noisy(ledger="no ledger")
        with pytest.raises(BadNoise, match="epsilon is 0"):  # nothing was drawn
            noisy(epsilon=0)


def test_an_interrupt_while_noise_is_drawn_says_what_is_spent(tmp_path, monkeypatch):
    ledger = sl.Ledger.begin(tmp_path / "budget.json", epsilon=1)

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("sidelight.noise.mechanism.Mechanism.add_noise", interrupted)
    with pytest.raises(KeyboardInterrupt) as caught:
        noisy(ledger=ledger, epsilon="0.5")
    (note,) = caught.value.__notes__
    assert mentions(note, "epsilon 0.5", "'budget.json'", "is spent")
    monkeypatch.undo()
    counts = noisy(ledger=ledger, epsilon="0.5")
    monkeypatch.setattr("sidelight.publish.noise.move_into_place", interrupted)
    with pytest.raises(KeyboardInterrupt) as caught:
        counts.publish(tmp_path / "counts.csv")
    assert len(caught.value.__notes__) == 1
    assert not list(tmp_path.glob("counts*"))


def test_counts_are_never_published_over_their_ledger(tmp_path):
    """The document beside the counts replaced the ledger: `-o n.csv --ledger n.csv.noise.json`."""
    ledger = sl.Ledger.begin(tmp_path / "n.csv.noise.json", epsilon=1)
    counts = noisy(ledger=ledger, epsilon="0.5")
    with pytest.raises(NotPublished, match="never written over"):
        counts.publish(tmp_path / "n.csv", force=True)
    assert len(ledger.read().entries) == 1


def test_it_shows_itself_in_a_notebook_and_as_frames():
    counts = noisy(delta="1e-9")
    assert repr(counts) == "<NoisyCounts of disease: 3 groups x 4 values, epsilon 1, delta 1e-09>"
    html = counts._repr_html_()
    assert "<th>age</th><th>disease</th><th>count</th><th>measured</th>" in html
    assert html.count("<tr>") == 13
    assert counts.to_arrow() == counts.table()
    assert counts.to_pandas().shape == counts.to_polars().shape == (12, 4)


def test_a_release_or_a_frame_is_told_what_to_do_first():
    with pytest.raises(WrongKind, match=r"Table, not a pyarrow Table.*sl\.read_table"):
        noisy(ROWS)
    with pytest.raises(WrongKind, match=r"Table, not a Release.*made from"):
        noisy(sl.group(TABLE, by="sex"))
    with pytest.raises(WrongKind, match=r"'age'.*Hierarchy, not a dict.*sl\.read_hierarchy"):
        noisy(by=BY | {"age": {"20": "20-29"}})
    with pytest.raises(WrongKind, match=r"noisy\.as_release\(\)"):
        sl.maxent(noisy())


def test_levels_are_a_mapping_and_whole_numbers():
    with pytest.raises(WrongKind, match=r'levels=.*\{"age": 2, "sex": 0\}, not a list'):
        noisy(levels=["sex"])
    with pytest.raises(BadNoise, match=r"'sex'.*whole number, not '0'"):
        noisy(levels={"sex": "0"})


def test_what_was_measured_is_a_likelihood_for_maximum_entropy():
    """Next to no noise tells what each sex has; much noise tells nothing."""
    adult = sl.datasets.adult(quasi=["sex", "race"])
    table = adult.table
    release, near = sl.group(table, by="race"), []
    for epsilon in (100, Fraction(1, 10**6)):
        noisy = sl.noisy_counts(
            table, by=adult.hierarchies, levels={"sex": 0, "race": 1}, domain=table.domain, epsilon=epsilon
        )
        beliefs = sl.maxent(release, noisy.statements(table.people))
        near.append(beliefs.estimation_error(table))
    assert near[0] < 0.2 * near[1]
    assert near[1] == pytest.approx(sl.maxent(release).estimation_error(table), rel=0.01)
