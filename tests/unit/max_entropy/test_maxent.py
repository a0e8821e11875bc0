"""Beliefs about sets of values: each value by itself."""

import pyarrow as pa
import pytest
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadKnowledge, BadMeasure, Contradiction, UnknownValue


@pytest.fixture
def visits():
    return sl.Release.from_counts(
        [{"Flu": 2, "HIV": 1}, {"Flu": 3, "Cold": 1, "HIV": 1}, {"HIV": 2, "Flu": 2}],
        sizes=[3, 4, 5],
        values="set",
        labels=[{"sex": "*", "city": "Ulm"}, {"sex": "M", "city": "Ulm"}, {"sex": "F", "city": "Ulm"}],
    )


def test_without_statements_each_value_has_its_share(visits):
    beliefs = sl.maxent(visits)
    assert beliefs.probability("Flu", given={"sex": "M"}, group=2) == 0.75
    assert beliefs.probability("Cold", group=3) == 0
    assert beliefs.probability("Flu") == pytest.approx(7 / 12)
    assert beliefs.certificate.holds
    assert beliefs.notes == ()


def test_a_statement_moves_its_own_value_alone(visits):
    beliefs = sl.maxent(visits, ["P(HIV | sex=M) = 0.2"])
    assert beliefs.probability("HIV", given={"sex": "M"}) == pytest.approx(0.2)
    assert beliefs.probability("Flu", group=1) == pytest.approx(2 / 3)
    (note,) = beliefs.notes
    assert mentions(note, "sex=M", "4 people", "certain", "3 people", "1 group", "may")
    # how many of the hidden people are men is the same for all values
    men = beliefs.meant({"sex": "M"})
    assert (men.certain, men.possible, men.groups) == (4, 3, 1)
    expected = (3 + men.estimate * 2 / 3) / (4 + men.estimate)
    assert beliefs.probability("Flu", given={"sex": "M"}) == pytest.approx(expected)


def test_statements_about_several_values_where_everybody_is_known(visits):
    known = sl.Release(visits.groups.take(slice(1, 3)))
    with pytest.raises(Contradiction, match="the release says otherwise"):
        sl.maxent(known, ["P(HIV | sex=M) = 0.2"])
    beliefs = sl.maxent(known, ["P(HIV | sex=M) = 0.25", "P(Flu | sex=F) <= 0.5", "count(Flu; #1, #1.2) >= 1.8"])
    assert beliefs.probability("Flu", person=sl.Someone(1)) == pytest.approx(0.9)
    assert beliefs.probability("HIV", person=sl.Someone(1)) == pytest.approx(0.25)
    with pytest.raises(BadKnowledge, match="no statement names this person"):
        beliefs.probability("HIV", person=sl.Someone(2))


@pytest.mark.parametrize(
    ("knowing", "error", "message"),
    [
        (["P(Flu or HIV | sex=F) = 0.4"], BadKnowledge, "links 2 values"),
        (["P(Flu | sex=F) <= P(HIV | sex=F)"], BadKnowledge, "say a statement for each"),
        (["P(Flu | sex=F) <= 0.4", "P(HIV | sex=F) <= 0.3"], BadKnowledge, "groups may hide"),
        (["P(FLU | sex=F) = 0"], UnknownValue, "did you mean 'Flu'"),
    ],
)
def test_what_links_values_is_refused(visits, knowing, error, message):
    with pytest.raises(error, match=message):
        sl.maxent(visits, knowing)


def test_shares_of_one_value_may_be_compared(visits):
    known = sl.Release(visits.groups.take(slice(1, 3)))
    beliefs = sl.maxent(known, ["P(Flu | sex=F) <= P(Flu | sex=M)"])
    assert beliefs.probability("Flu", given={"sex": "F"}) == pytest.approx(0.4)


def test_a_table_has_the_chance_of_each_value(visits):
    beliefs = sl.maxent(visits, ["P(HIV | sex=M) = 0.2"])
    rows = beliefs.table().to_pylist()
    assert sum(row["probability"] for row in rows if row["value"] == "Flu") == pytest.approx(7 / 12)
    assert sum(row["probability"] for row in rows if row["value"] == "HIV") == pytest.approx(4 / 12)
    assert beliefs.to_arrow() == beliefs.table()
    assert "<td>Flu</td><td>0.7500</td>" in beliefs._repr_html_()
    assert repr(beliefs) == "<SetBeliefs by maximum entropy about 12 people, knowing 1 statement>"


def test_the_measure_judges_sets(visits):
    measure = sl.MaxEnt(knowing=["P(HIV | sex=M) = 0.2"])
    finding = measure.measure(visits)
    assert (finding.value, finding.replay(visits)) == (0.75, 0.75)
    assert sl.Policy(measure <= 0.8).judge(visits).safe
    risks = {
        (str(risk.value), dict(risk.says)["sex"]): risk.probability
        for risk in sl.maxent(visits, measure.knowing).riskiest(20)
    }
    assert risks["HIV", "* (not M)"] > 1 / 3 > risks["HIV", "M (printed *)"]


def test_what_is_not_there_is_refused(visits):
    with pytest.raises(BadKnowledge, match="one value at a time"):
        sl.maxent(visits).probability(["Flu", "HIV"])
    table = sl.read_table(pa.table({"sex": ["M"], "value": ["Flu"]}), quasi=["sex"], sensitive="value")
    with pytest.raises(BadMeasure, match="leave the original out"):
        sl.maxent(visits).estimation_error(table)


def test_real_people_with_several_conditions():
    nhefs = sl.datasets.nhefs()
    truth = sl.maxent(sl.group(nhefs.table)).probability("Asthma", given={"sex": "Female"})
    release = sl.generalise(nhefs.table, by=nhefs.hierarchies, to={"age": 1, "sex": 1})
    beliefs = sl.maxent(release, [sl.P("Asthma", sex="Female") == truth])
    assert beliefs.certificate.holds
    assert beliefs.probability("Asthma", given={"sex": "Female"}) == pytest.approx(truth)
    (note,) = beliefs.notes
    assert mentions(note, "sex=Female", "nobody", "certain", "1,629 people", "may")


def test_people_whom_statements_tell_apart_or_name_do_not_lose_their_other_values():
    labels = [{"city": "Ulm", "sex": "*"}, {"city": "Ulm", "sex": "f"}]
    visits = sl.Release.from_counts(
        [{"Flu": 2, "Cold": 3}, {"Flu": 2, "Cold": 1}], sizes=[4, 3], values="set", labels=labels
    )
    nothing = sl.maxent(visits)
    hidden = sl.maxent(visits, ["P(Flu | sex=f) = 0.65"]).moved_most(nothing)
    assert {move.value for move in hidden if abs(move.probability - move.before) > 1e-9} <= {"Flu"}
    named = sl.maxent(visits, ["P(Flu | person=#2) = 0", "P(Cold | person=#1) = 1"])
    moved = named.moved_most(nothing, 3)
    assert [(move.value, *(said for _, said in move.says)) for move in moved] == [
        ("Flu", "Ulm", "f", "#2"),
        ("Flu", "Ulm", "f", "anybody else"),
        ("Cold", "Ulm", "*", "#1"),
    ]
    assert [(f"{move.probability:.4f}", f"{move.before:.4f}") for move in moved] == [
        ("0.0000", "0.6667"),
        ("1.0000", "0.6667"),
        ("1.0000", "0.7500"),
    ]
    assert mentions(moved[1], "Flu", "city Ulm", "sex f", "anybody else", "1.0000", "0.6667", "before")
