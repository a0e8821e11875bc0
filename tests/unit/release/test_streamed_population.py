"""People of a population in a release that is streamed; that all of it is as in memory is in `agree/test_streamed`."""

import pyarrow as pa
import pytest

import sidelight as sl
from sidelight.errors import BadRelease, UnknownColumn
from sidelight.release import streamed_population
from sidelight.release.population import Population
from sidelight.release.streamed_population import carrying, located_in

ROWS = pa.table({"age": ["30-39", "30-39", "50-59", "*"], "disease": ["Flu", "Cold", "Flu", "Flu"]})


@pytest.fixture
def release():
    return sl.stream_release(ROWS, group="age", sensitive="disease", memory="1GB")


@pytest.mark.parametrize("at_once", [1, 100])
def test_suppressed_rows_hold_who_fits_no_other_group(release, monkeypatch, at_once):
    monkeypatch.setattr(streamed_population, "rows_at_once", lambda memory: at_once)
    located = located_in(release, Population.of(pa.table({"age": ["31", "34", "57", "80"]})))
    names = [each.all.name(row).printed[0][1] for each in release.blocks() for row in range(len(each))]
    assert dict(zip(names, located.people.tolist(), strict=True)) == {"30-39": 2, "50-59": 1, "*": 1}
    assert located.nowhere == 0


def test_it_is_looked_up_once(release):
    population = Population.of(pa.table({"age": ["31"]}))
    once = carrying(release, population)
    assert carrying(once, population) is once


def test_what_is_wrong_with_it_is_said(release):
    with pytest.raises(UnknownColumn, match="the population lacks a column that the release has"):
        located_in(release, Population.of(pa.table({"zip": ["31"]})))
    rows = pa.table({"age": ["30-39", "34"], "disease": ["Flu", "Cold"]})
    overlapping = sl.stream_release(rows, group="age", sensitive="disease")
    with pytest.raises(BadRelease, match=r"1 person of the population may be in several groups, such as group 1"):
        located_in(overlapping, Population.of(pa.table({"age": ["34"]})))
