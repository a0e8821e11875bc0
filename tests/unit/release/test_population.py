"""Populations: which are the same, and how a search carries one."""

import pickle

import pyarrow as pa
import pytest

import sidelight as sl
from sidelight.errors import BadHierarchy, BadPolicy, BadRelease
from sidelight.release.population import Population

ADULT = sl.datasets.adult(quasi=["age", "sex"])


def test_populations_are_the_same_if_they_are_read_from_the_same_place():
    rows = pa.table({"age": ["31"]})
    assert Population.of(rows) == Population.of(rows)
    assert Population.of(rows) != Population.of(pa.table({"age": ["31"]}))
    assert Population.of("register.csv") == Population.of(Population.of("register.csv"))
    assert pickle.loads(pickle.dumps(Population.of("register.csv"))) == Population.of("register.csv")
    assert Population.of("register.csv") != "register.csv"


def test_a_population_without_the_people_of_the_table_is_refused_before_the_search():
    nobody = pa.table({"age": ["17"], "sex": ["Male"]})
    with pytest.raises(BadRelease, match="in the release and"):
        sl.protect(ADULT.table, sl.JournalistRisk(nobody) <= 0.5, by=ADULT.hierarchies, ask="nobody")


def test_labels_that_a_hierarchy_lacks_are_named():
    labels = [text for text in ADULT.table.column("age").labels if text is not None]
    by = {"age": sl.Hierarchy.suppression("age", labels), "sex": ADULT.hierarchies["sex"]}
    older = pa.table({"age": ["1000"], "sex": ["Male"]})
    limit = sl.JournalistRisk(older, outside="as in the release") <= 0.5
    with pytest.raises(BadHierarchy, match="the population cannot be recoded as the table is"):
        sl.protect(ADULT.table, limit, by=by, ask="nobody")


@pytest.mark.parametrize("method", ["anatomy", "microaggregation"])
def test_methods_that_cannot_count_a_population_say_so(method):
    with pytest.raises(BadPolicy, match=f"'{method}' makes groups in which no population can be counted"):
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
    with pytest.raises(BadPolicy, match="'mondrian' does not count who of a population is in no group"):
        sl.protect(ADULT.table, sl.Absence(ADULT.table) <= 0.9, by=ADULT.hierarchies, method="mondrian", ask="nobody")
