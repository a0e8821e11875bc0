"""Populations: which are the same, and how a search carries one."""

import pickle

import pyarrow as pa
import pytest

import sidelight as sl
from sidelight.errors import BadHierarchy, BadPolicy, BadRelease, UnknownColumn
from sidelight.release import population as population_module
from sidelight.release.population import Population

ADULT = sl.datasets.adult(quasi=["age", "sex"])


def test_populations_are_the_same_if_they_are_read_from_the_same_place():
    rows = pa.table({"age": ["31"]})
    assert Population.from_source(rows) == Population.from_source(rows)
    assert Population.from_source(rows) != Population.from_source(pa.table({"age": ["31"]}))
    assert Population.from_source("register.csv") == Population.from_source(Population.from_source("register.csv"))
    assert pickle.loads(pickle.dumps(Population.from_source("register.csv"))) == Population.from_source("register.csv")
    assert Population.from_source("register.csv") != "register.csv"


def test_a_population_without_the_people_of_the_table_is_refused_before_the_search():
    nobody = pa.table({"age": ["17"], "sex": ["Male"]})
    with pytest.raises(BadRelease, match="in the release and"):
        sl.protect(ADULT.table, sl.JournalistRisk(nobody) <= 0.5, by=ADULT.hierarchies, ask="nobody")


def test_labels_that_a_hierarchy_lacks_are_named():
    labels = [text for text in ADULT.table.column("age").labels if text is not None]
    by = {"age": sl.Hierarchy.suppression("age", labels), "sex": ADULT.hierarchies["sex"]}
    older = pa.table({"age": ["1000"], "sex": ["Male"]})
    limit = sl.JournalistRisk(older, outside="as in the release") <= 0.5
    with pytest.raises(BadHierarchy, match=r"population cannot be recoded.*'age'.*\b1000\b"):
        sl.protect(ADULT.table, limit, by=by, ask="nobody")


@pytest.mark.parametrize("method", ["anatomy", "microaggregation"])
def test_methods_that_cannot_count_a_population_say_so(method):
    with pytest.raises(BadPolicy, match=f"'{method}'.*no population.*'journalist risk'.*method="):
        sl.protect(
            ADULT.table, sl.JournalistRisk(ADULT.table) <= 0.5, by=ADULT.hierarchies, method=method, ask="nobody"
        )


@pytest.mark.parametrize("suppressed", ["as *", "left out"])
def test_suppression_counts_the_population_too(tmp_path, suppressed):
    limit = sl.JournalistRisk(ADULT.table) <= 0.02
    method = sl.FullDomain(suppress=0.01, suppressed=suppressed)
    found = sl.protect(ADULT.table, limit, by=ADULT.hierarchies, method=method, ask="nobody")
    assert found.suppressed > 0
    found.publish(tmp_path / "release.csv")
    read = sl.read_published(tmp_path / "release.csv")
    assert limit.measure.measure(read).value == found.verdict.findings[0].value


def test_mondrian_counts_a_population_but_not_who_is_in_no_group():
    limit = sl.JournalistRisk(ADULT.table) <= 0.02
    found = sl.protect(ADULT.table, limit, by=ADULT.hierarchies, method="mondrian", ask="nobody")
    assert len(found.release) > len(sl.protect(ADULT.table, limit, by=ADULT.hierarchies, ask="nobody").release)
    with pytest.raises(BadPolicy, match=r"'mondrian' does not count.*population.*no group"):
        sl.protect(ADULT.table, sl.Absence(ADULT.table) <= 0.9, by=ADULT.hierarchies, method="mondrian", ask="nobody")


# A release that is streamed; that all of it is as in memory is in `agree/test_streamed`.

STREAMED_ROWS = pa.table({"age": ["30-39", "30-39", "50-59", "*"], "disease": ["Flu", "Cold", "Flu", "Flu"]})


@pytest.fixture
def release():
    return sl.stream_release(STREAMED_ROWS, group="age", sensitive="disease", memory="1GB")


@pytest.mark.parametrize("at_once", [1, 100])
def test_suppressed_rows_hold_who_fits_no_other_group(release, monkeypatch, at_once):
    monkeypatch.setattr(population_module, "count_rows_at_once", lambda memory: at_once)
    located = Population.from_source(pa.table({"age": ["31", "34", "57", "80"]})).locate(release)
    names = [each.all.name(row).printed[0][1] for each in release.blocks() for row in range(len(each))]
    assert dict(zip(names, located.people.tolist(), strict=True)) == {"30-39": 2, "50-59": 1, "*": 1}
    assert located.nowhere == 0


def test_it_is_looked_up_once(release):
    population = Population.from_source(pa.table({"age": ["31"]}))
    once = population.attach_to(release)
    assert population.attach_to(once) is once


def test_what_is_wrong_with_it_is_said(release):
    with pytest.raises(UnknownColumn, match="population lacks a column"):
        Population.from_source(pa.table({"zip": ["31"]})).locate(release)
    rows = pa.table({"age": ["30-39", "34"], "disease": ["Flu", "Cold"]})
    overlapping = sl.stream_release(rows, group="age", sensitive="disease")
    with pytest.raises(BadRelease, match=r"\b1 person of the population.*several groups.*group 1\b"):
        Population.from_source(pa.table({"age": ["34"]})).locate(overlapping)
