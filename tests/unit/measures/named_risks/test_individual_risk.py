"""Individual risk: numbers of sdcMicro, its words, what is refused, and weights on their way."""

import math
from decimal import localcontext
from fractions import Fraction
from itertools import permutations

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import csv
from pyarrow import parquet as pq
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadMeasure, BadRelease, BadTable
from sidelight.measures.criterion import Finding
from sidelight.measures.named_risks import estimates
from sidelight.measures.named_risks.estimates import (
    SHARES,
    evaluate_continued_fraction,
    evaluate_division,
    exact_individual_risk,
    individual_risks,
)
from sidelight.policy.limits import read_limit
from sidelight.policy.policy import Auditor
from sidelight.streams.key_stream import WEIGHT_UNIT

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
    assert evaluate_continued_fraction(people, int(stands_for * WEIGHT_UNIT)) == value


@pytest.mark.parametrize("people", [1, 2, 3, 63, 64, 65, 200])
@pytest.mark.parametrize("each", [1, 1.25, 1.999, 2, 2.001, 5, 30])
def test_the_mean_of_one_over_the_population(people, each):
    """E[1/F] by its definition: F is the trial of success number f, of probability p = 1 / what each stands for."""
    weight = int(people * each * WEIGHT_UNIT)
    chance, trials = Fraction(people * WEIGHT_UNIT, weight), np.arange(people, 40 * people * each + 4000)
    ratios = np.log1p(-float(chance)) + np.log(trials[:-1] / (trials[:-1] - people + 1)) if each > 1 else -np.inf
    logs = people * math.log(chance) + np.concatenate(([0.0], np.cumsum(np.broadcast_to(ratios, len(trials) - 1))))
    mean = float((np.exp(logs) / trials).sum())
    value = exact_individual_risk(people, weight)
    assert float(value) == pytest.approx(mean, rel=1e-9)
    assert individual_risks(np.array([people]), np.array([weight])) == pytest.approx([float(value)], rel=1e-12)
    assert evaluate_continued_fraction(people, weight) == value


@pytest.mark.parametrize("people", [1, 2, 3, 64, 65, 100])
@pytest.mark.parametrize("each", [1000, 1001, 1002, 10**6])
def test_division_says_the_same_where_people_stand_for_many(people, each):
    weight = people * each * WEIGHT_UNIT
    assert evaluate_division(people, weight) == exact_individual_risk(people, weight)


@pytest.mark.parametrize("people", [1, 2, 70, 100])
@pytest.mark.parametrize("each", [1.1, 2, 999, 1001, 1002])
def test_a_replay_says_the_same_however_many_each_stands_for(people, each):
    """Division would lose all digits where people stand for hardly more than themselves."""
    rows = pa.table({"age": ["30"] * people, "disease": ["Flu"] * people, "weight": [each] * people})
    survey = sl.read_release(rows, group="age", sensitive="disease", weight="weight")
    finding = sl.IndividualRisk().measure(survey)
    assert finding.replay(survey) == finding.value
    assert sl.IndividualRisk("average").measure(survey).value == pytest.approx(finding.value, rel=1e-10)


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
    assert mentions(average.explain(), "all 6 people", "0.3", "0.0424 on average")
    for finding in (highest, average):
        assert finding.replay(SURVEY) == finding.value
        assert "an estimate" in repr(finding)


def test_a_group_of_several_in_words():
    rows = ROWS.set_column(2, "weight", pa.array([9000, 40, 44.5, 45, 45, 45]))
    finding = sl.IndividualRisk().measure(sl.read_release(rows, group="age", sensitive="disease", weight="weight"))
    assert mentions(finding.explain(), "group 2 (age 30)", "2 people stand for 84.5", "0.0221", "all 6 people", "0.1")


@pytest.mark.parametrize("statistic", ["highest", "average"])
def test_groups_one_by_one_in_any_order_and_none(statistic):
    measure = sl.IndividualRisk(statistic)
    nobody = measure.summarize(SURVEY.groups.take(slice(0, 0)))
    (note,) = nobody.finding().notes
    assert mentions(note, "nobody", "in the release")
    assert nobody.finding() == Finding(measure, Fraction(0), None, (note,))
    assert mentions(nobody.finding().explain(), "Nobody", "in the release", "nobody", "found")
    assert nobody.merge(nobody) == nobody
    parts = [nobody, *(measure.summarize(SURVEY.groups.take(slice(row, row + 1))) for row in range(3))]
    for first, *others in permutations(parts):
        for other in others:
            first = first.merge(other)  # noqa: PLW2901 - what is merged so far
        assert first.finding() == measure.measure(SURVEY)
    assert measure.summarize(SURVEY.groups.take(np.array([2, 0, 1]))).finding() == measure.measure(SURVEY)


def test_of_equal_groups_the_first_is_named():
    rows = ROWS.set_column(0, "age", pa.array(["20", "30", "30", "40", "40", "50"]))
    survey = sl.read_release(
        rows.set_column(2, "weight", pa.array([7.0] * 6)), group="age", sensitive="disease", weight="weight"
    )
    measure = sl.IndividualRisk()
    one, other = (measure.summarize(survey.groups.take(slice(row, row + 1))) for row in (0, 3))
    for summary in (measure.summarize(survey.groups), one.merge(other), other.merge(one)):
        assert summary.finding().witness.group.number == 1


def test_what_a_group_stands_for_is_rounded_down():
    rows = pa.table({"age": ["20"], "disease": ["Flu"], "weight": [17.33339]})
    survey = sl.read_release(rows, group="age", sensitive="disease", weight="weight")
    words = sl.IndividualRisk().measure(survey).explain()
    assert mentions(words, "group 1 (age 20)", "1 person stands for 17.3333")


@pytest.mark.parametrize("weight", [3 * 17, 3 * 1.25, 100 * 3])
def test_how_many_digits_others_compute_with_does_not_matter(weight):
    weight = int(weight * WEIGHT_UNIT)
    ways = (exact_individual_risk, evaluate_continued_fraction, evaluate_division) if weight > 200 * WEIGHT_UNIT else ()
    for way in ways or (exact_individual_risk, evaluate_continued_fraction):
        usual = way(3, weight)
        with localcontext(prec=5):
            assert way(3, weight) == usual


def test_more_shares_than_a_float_can_count():
    assert estimates._to_shares(np.full(20_001, 1 - 2**-40)) == 20_001 * (SHARES - 1)


def test_shares_are_rounded_up_each():
    amounts = np.array([1 / 3, 0.5, 2**-50, 1.0, 0.0])
    expected = sum(math.ceil(Fraction(each) * SHARES) for each in amounts.tolist())
    assert estimates._to_shares(amounts) == expected
    assert estimates._to_shares(np.empty(0)) == 0


def test_a_group_that_stands_for_itself():
    rows = ROWS.set_column(2, "weight", pa.array([1, 1, 1, 1, 1, 1]))
    survey = sl.read_release(rows, group="age", sensitive="disease", weight="weight")
    assert sl.IndividualRisk().measure(survey).value == 1
    assert sl.IndividualRisk("average").measure(survey).value == Fraction(1, 2)


def test_groups_that_stand_for_fewer_people_than_they_have_are_refused():
    rows = ROWS.set_column(2, "weight", pa.array([17, 0.5, 1, 45, 45, 45]))
    survey = sl.read_release(rows, group="age", sensitive="disease", weight="weight")
    with pytest.raises(BadRelease, match=r"group 2 \(age 30\) .*2 people.* weights stand for 1\.5"):
        sl.IndividualRisk().measure(survey)
    light = ROWS.set_column(2, "weight", pa.array([0.5] * 6))
    survey = sl.read_release(light, group="age", sensitive="disease", weight="weight")
    with pytest.raises(BadRelease, match=r"weights .*more people than"):
        sl.UniqueMatch().measure(survey)


@pytest.mark.parametrize("weights", [[1, 2, 3, 4, 5, None], [1, 2, 3, 4, 5, -1], ["a", "1", "2", "3", "4", "5"]])
def test_weights_that_are_missing_or_negative_are_refused(weights):
    rows = ROWS.set_column(2, "weight", pa.array(weights))
    with pytest.raises(BadTable, match=r"'weight', .*cells .*missing, negative or no"):
        sl.read_release(rows, group="age", sensitive="disease", weight="weight")
    with pytest.raises(BadTable, match=r"'weight', .*cells .*missing, negative or no"):
        sl.read_table(rows, quasi="age", sensitive="disease", weight="weight")


def test_without_weights_it_is_refused():
    with pytest.raises(BadMeasure, match="needs sampling weights") as refused:
        sl.IndividualRisk().measure(sl.Release.from_counts([{"a": 2}]))
    assert refused.value.parameters == ("weight",)
    with pytest.raises(BadMeasure, match=r"fraction=, .* or sampling weights"):
        sl.UniqueMatch().measure(sl.Release.from_counts([{"a": 2}]))
    with pytest.raises(BadMeasure, match=r"^'individual risk' .*statistic=\"lowest\".* highest, average$"):
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
    with pytest.raises(BadTable, match=r"rows differ .*'weight'"):
        sl.read_release(differing, group="age", sensitive="disease", person="id", values="set", weight="weight")
    with pytest.raises(BadTable, match="no rows of people"):
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
    with pytest.raises(BadRelease, match=r"1 person.* weights stand for 0\.9999;"):
        sl.IndividualRisk().measure(release)
