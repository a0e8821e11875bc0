"""Estimates of ARX 3.9.2 (Pitman, Zayatz) and our own (SNB solved rightly, DIS) for samples of Adult, with the truth."""

from fractions import Fraction

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.arx_adult import arx_adult, arx_subset
from support.words import mentions

import sidelight as sl

FOUR = ["age", "marital-status", "race", "sex"]


@pytest.fixture(scope="module")
def tenth():
    """Every tenth of Adult's 45,222 complete people, from the first on."""
    rows = pq.read_table(sl.datasets.adult().path)
    complete = rows.filter([all(cell is not None for cell in row.values()) for row in rows.to_pylist()])
    return sl.group(
        sl.read_table(complete.take([*range(0, complete.num_rows, 10)]), quasi=FOUR, sensitive="occupation")
    )


def test_unique_matches(tenth):
    assert tenth.size == 4523
    finding = sl.UniqueMatch(Fraction(4523, 45222)).measure(tenth)
    assert float(finding.value) == pytest.approx(0.1337126, abs=5e-8)  # the truth is 0.1326


def test_population_uniques(tenth):
    finding = sl.PopulationUniques(people=45_222).measure(tenth)
    uniques = {each.model: each.uniques for each in finding.witness.models}
    assert uniques["Pitman"] == pytest.approx(905.67227, abs=5e-6)
    assert uniques["SNB"] == pytest.approx(874.469, abs=5e-4)  # the truth is 555; ARX says 0
    assert finding.value == max(uniques.values())


def of_subset(quasi):
    return sl.group(sl.read_table(arx_subset(), quasi=quasi, sensitive="salary-class"))


def models(release):
    return {each.model: each.uniques for each in sl.PopulationUniques(people=30_162).measure(release).witness.models}


def test_population_uniques_of_the_subset_of_arx():
    uniques = models(of_subset(FOUR))
    assert uniques["Pitman"] == pytest.approx(765.02232, abs=5e-6)
    assert uniques["Zayatz"] == pytest.approx(884.84152, abs=5e-6)
    assert uniques["SNB"] == pytest.approx(683.85, abs=5e-3)  # the truth is 543; ARX says 0
    uniques = models(of_subset(["sex", "age", "race", "education", "occupation"]))
    assert uniques["Pitman"] == pytest.approx(5706.05, abs=5e-3)
    assert uniques["Zayatz"] == pytest.approx(9992.0895, abs=5e-5)  # the truth is 5,255


def test_a_unique_match_in_the_subset_of_arx():
    subset = of_subset(FOUR)
    finding = sl.UniqueMatch(Fraction(3016, 30162)).measure(subset)
    assert float(finding.value) == pytest.approx(0.1428481, abs=5e-8)  # the truth is 0.1356
    words = sl.PopulationUniques(people=30_162).measure(subset).explain()
    assert mentions(words, "684 to 885", "of 30,162 people", "unique")


def test_how_often_a_unique_match_is_truly_right():
    """Of the people of the population whom a single match in the subset may mean, one each is in it."""
    subset = of_subset(FOUR)
    population = sl.JournalistRisk(arx_adult()).prepare(subset).groups.populations[0].people
    alone = subset.groups.sizes == 1
    assert alone.sum() / population[alone].sum() == pytest.approx(0.1356, abs=5e-5)


def test_individual_risk_is_below_what_sdcmicro_approximates_it_by():
    """p/(f−1+p) for f = 3 who stand for 135: 0.9 % too high."""
    rows = pa.table({"age": ["30"] * 3, "disease": ["Flu"] * 3, "weight": [45] * 3})
    exact = sl.IndividualRisk().measure(sl.read_release(rows, group="age", sensitive="disease", weight="weight")).value
    p = 3 / 135
    assert p / (2 + p) == pytest.approx(0.010989010989, abs=5e-13)
    assert exact == pytest.approx(0.0108917949672, abs=5e-14)
