"""Individual risk: numbers of sdcMicro, its words, what is refused, and weights on their way."""

from fractions import Fraction

import polars as pl
import pyarrow as pa
import pytest
from pyarrow import csv
from pyarrow import parquet as pq

import sidelight as sl
from sidelight.errors import BadMeasure, BadRelease, BadTable
from sidelight.measures.named_risks.individual_risk import by_continued_fraction, exact_individual_risk
from sidelight.policy.auditor import Auditor
from sidelight.policy.limit_text import read_limit
from sidelight.table.carried import WEIGHT_UNIT

ROWS = pa.table(
    {
        "age": ["20", "30", "30", "40", "40", "40"],
        "disease": ["Flu", "Flu", "Cold", "Flu", "Flu", "Cold"],
        "weight": [17.0, 40, 44.5, 45, 45, 45],
    }
)
SURVEY = sl.read_release(ROWS, group="age", sensitive="disease", weight="weight")


@pytest.mark.parametrize(
    ("people", "stands_for", "risk"),
    [(1, 17, 0.177075834004), (2, 84.5, 0.0220423261833), (3, 135, 0.0108917949672)],
)
def test_numbers_of_sdcmicro(people, stands_for, risk):
    value = exact_individual_risk(people, int(stands_for * WEIGHT_UNIT))
    assert float(value) == pytest.approx(risk, rel=3e-12)
    assert by_continued_fraction(people, int(stands_for * WEIGHT_UNIT)) == value


@pytest.mark.parametrize("weight", [1e9, 3e6, 1000.5])
def test_weights_of_1e9_are_replayed_at_once(weight):
    rows = pa.table({"age": ["30", "40", "40"], "disease": ["Flu", "Flu", "Cold"], "weight": [weight, weight, weight]})
    survey = sl.read_release(rows, group="age", sensitive="disease", weight="weight")
    finding = sl.IndividualRisk().measure(survey)
    assert 0 < finding.value < 10 / weight * 3
    assert finding.replay(survey) == finding.value


def test_the_worst_group_and_everybody():
    highest, average = (sl.IndividualRisk(each).measure(SURVEY) for each in ("highest", "average"))
    assert highest.witness.group.number == 1
    assert (highest.witness.people, highest.witness.stands_for) == (1, 17)
    expected = 0.177075834004 + 2 * 0.0220423261833 + 3 * 0.0108917949672
    assert float(average.value) == pytest.approx(expected / 6, rel=1e-10)
    assert float(highest.witness.expected) == pytest.approx(expected, rel=1e-10)
    assert average.explain() == "Of all 6 people about 0.3 are found so, by their weights: 0.0424 on average."
    for finding in (highest, average):
        assert finding.replay(SURVEY) == finding.value
        assert "an estimate" in repr(finding)


def test_a_group_that_stands_for_itself():
    rows = ROWS.set_column(2, "weight", pa.array([1, 1, 1, 1, 1, 1]))
    survey = sl.read_release(rows, group="age", sensitive="disease", weight="weight")
    assert sl.IndividualRisk().measure(survey).value == 1
    assert sl.IndividualRisk("average").measure(survey).value == Fraction(1, 2)


def test_groups_that_stand_for_fewer_people_than_they_have_are_refused():
    rows = ROWS.set_column(2, "weight", pa.array([17, 0.5, 1, 45, 45, 45]))
    survey = sl.read_release(rows, group="age", sensitive="disease", weight="weight")
    with pytest.raises(BadRelease, match=r"group 2 \(age 30\) has 2 people, who by their weights stand for 1\.5"):
        sl.IndividualRisk().measure(survey)
    light = ROWS.set_column(2, "weight", pa.array([0.5] * 6))
    survey = sl.read_release(light, group="age", sensitive="disease", weight="weight")
    with pytest.raises(BadRelease, match="more people than its population"):
        sl.UniqueMatch().measure(survey)


@pytest.mark.parametrize("weights", [[1, 2, 3, 4, 5, None], [1, 2, 3, 4, 5, -1], ["a", "1", "2", "3", "4", "5"]])
def test_weights_that_are_missing_or_negative_are_refused(weights):
    rows = ROWS.set_column(2, "weight", pa.array(weights))
    with pytest.raises(BadTable, match="cells are missing, negative or no numbers"):
        sl.read_release(rows, group="age", sensitive="disease", weight="weight")
    with pytest.raises(BadTable, match="cells are missing, negative or no numbers"):
        sl.read_table(rows, quasi="age", sensitive="disease", weight="weight")


def test_without_weights_it_is_refused():
    with pytest.raises(BadMeasure, match="needs sampling weights; name their column with weight="):
        sl.IndividualRisk().measure(sl.Release.from_counts([{"a": 2}]))
    with pytest.raises(BadMeasure, match=r"needs fraction=, .* or sampling weights"):
        sl.UniqueMatch().measure(sl.Release.from_counts([{"a": 2}]))
    with pytest.raises(BadMeasure, match="no statistic"):
        sl.IndividualRisk("lowest")


def test_a_unique_match_by_weights():
    finding = sl.UniqueMatch().measure(SURVEY)
    fraction = Fraction(6 * 2, 473)
    assert finding.witness.fraction == fraction
    assert finding.value == fraction / (fraction + 2 * (1 - fraction))
    assert finding.replay(SURVEY) == finding.value


def test_as_text():
    for text in ("individual risk <= 0.1", "individual risk(statistic=average) <= 0.1"):
        criterion = read_limit(text)
        assert read_limit(str(criterion)) == criterion


def test_weights_are_added_up_wherever_groups_are():
    data = sl.datasets.adult(quasi=["age", "sex"])
    table = sl.read_table(
        data.path, quasi=["age", "sex"], sensitive="occupation", weight="hours-per-week", missing="drop"
    )
    fine = sl.group(table)
    coarse = sl.generalise(table, by=data.hierarchies, to={"age": 3, "sex": 1})
    assert fine.groups.weights.sum() == coarse.groups.weights.sum() == table.weights.sum()
    assert sl.group(table.only(["sex"])).groups.weights.sum() == table.weights.sum()
    found = sl.protect(table, sl.Policy(sl.GroupSize() >= 50), by=data.hierarchies, ask="nobody")
    assert found.release.groups.weights.sum() == table.weights.sum()
    again = sl.read_release(
        data.path, group=["age", "sex"], sensitive="occupation", weight="hours-per-week", missing="drop"
    )
    assert again.groups.weights.tolist() == fine.groups.weights.tolist()
    finding = sl.IndividualRisk().measure(coarse)
    assert finding.replay(coarse) == finding.value


def test_summaries_of_parts_make_up_the_whole():
    for statistic in ("highest", "average"):
        measure = sl.IndividualRisk(statistic)
        auditor = Auditor(sl.Policy(measure <= 0.5), SURVEY)
        assert auditor.judge().findings[0].value == measure.measure(SURVEY).value


def test_weights_of_one_person_are_one_weight_and_rows_of_counts_have_none():
    rows = pa.table({"id": [1, 1], "age": ["20", "20"], "disease": ["Flu", "Cold"], "weight": [3, 3], "n": [1, 1]})
    visits = sl.read_release(rows, group="age", sensitive="disease", person="id", values="set", weight="weight")
    assert visits.groups.weights.tolist() == [3 * WEIGHT_UNIT]
    differing = rows.set_column(3, "weight", pa.array([3, 4]))
    with pytest.raises(BadTable, match="somebody's rows differ in 'weight'"):
        sl.read_release(differing, group="age", sensitive="disease", person="id", values="set", weight="weight")
    with pytest.raises(BadTable, match="has no rows of people"):
        sl.read_release(rows, group="age", sensitive="disease", rows="counts", weight="weight")


def test_every_source_adds_up_the_same_weights(tmp_path):
    pq.write_table(ROWS, tmp_path / "survey.parquet")
    csv.write_csv(ROWS, tmp_path / "survey.csv")
    frames = (pl.from_arrow(ROWS), pl.from_arrow(ROWS).lazy(), ROWS.to_pandas())
    for source in (*frames, tmp_path / "survey.parquet", tmp_path / "survey.csv"):
        survey = sl.read_release(source, group="age", sensitive="disease", weight="weight")
        assert survey.groups.weights.tolist() == SURVEY.groups.weights.tolist()


def test_a_weight_that_is_hardly_too_light_is_not_rounded_to_one_that_would_do():
    rows = pa.table({"age": ["20"], "disease": ["Flu"], "weight": [0.9999999]})
    release = sl.read_release(rows, group="age", sensitive="disease", weight="weight")
    with pytest.raises(BadRelease, match=r"has 1 person, who by their weights stand for 0\.9999;"):
        sl.IndividualRisk().measure(release)
