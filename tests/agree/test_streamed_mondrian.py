"""Mondrian of a table that is streamed finds the release that it finds in memory, however little room it has."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples
from support.room import limit_room

import sidelight as sl
from sidelight.engines import read as engine_read
from sidelight.errors import SidelightError
from sidelight.measures.exact import Screen
from sidelight.measures.privacy_skyline.acquaintance import AcquaintanceScreen
from sidelight.search.effort import EFFORT
from sidelight.streams import sorted_runs
from sidelight.streams.memory import Memory

COUNTRIES = {"America": {"South": ["Chile", "Peru"], "North": ["Cuba"]}, "Europe": {"West": ["France", "Spain"]}}
BY = {"country": sl.Hierarchy.nested("country", COUNTRIES)}
ALONE = (
    (sl.GroupSize() >= 1,),
    (sl.GroupSize() >= 3,),
    (sl.GroupSize() >= 2, sl.DistinctValues() >= 2),
    (sl.Closeness(distance="equal") <= Fraction(1, 2),),
    (sl.GroupSize() >= 2, sl.Acquaintance(others=2) <= Fraction(4, 5)),
)
TOGETHER = (
    (sl.Implications(1) <= Fraction(9, 10),),
    (sl.Acquaintance(0, 1, 1) <= Fraction(19, 20),),
    (sl.Acquaintance(1, 2, 2) < Fraction(99, 100), sl.GroupSize() >= 2),
)


@pytest.fixture(autouse=True)
def _tiny_batches(monkeypatch):
    """Runs of five rows, read three at a time: a key is in several of them."""
    monkeypatch.setattr(Memory, "rows_to_sort", lambda self, words: 5)
    for read in (sorted_runs.SortedRuns.batches, sorted_runs.SortedRuns.read_unordered):
        monkeypatch.setattr(read, "__defaults__", (3,))


@st.composite
def readings(draw):
    """Rows with a number that may be missing, a country, a day and a size that has an order, and how they are read."""
    values = draw(st.sampled_from(["single", "single", "set", "multiset"]))
    cells = (
        st.sampled_from([None, "0", "1", "2", "3", "10", "11", "40"]),
        st.sampled_from(["Chile", "Peru", "Cuba", "France", "Spain"]),
        st.sampled_from(["1999-12-31", "2000-01-01", "2000-03-09"]),
        st.sampled_from(["small", "medium", "large"]),
        st.sampled_from(["Flu", "Cold", "Ulcer"]),
    )
    rows = draw(st.lists(st.tuples(*cells), min_size=2, max_size=30))
    names = ("age", "country", "born", "size", "disease")
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    kinds = {"age": "number", "born": "date", "size": ["small", "medium", "large"]}
    reading = {"quasi": list(names[:4]), "sensitive": "disease", "values": values, "kinds": kinds}
    if values != "single":
        reading["missing"] = draw(st.sampled_from(["drop", "no value"]))
        if reading["missing"] == "no value":
            columns["disease"][0] = None
        number = draw(st.lists(st.integers(0, 1), min_size=len(rows), max_size=len(rows)))
        columns["person"] = [f"{row[:4]}/{each}" for row, each in zip(rows, number, strict=True)]
        reading["person"] = "person"
    return pa.table({name: pa.array(cells, pa.string()) for name, cells in columns.items()}), reading


def groups_of(release):
    """List what groups print, and their people and counts, in their order."""
    groups, counts = release.groups, release.groups.counts.dense().tolist()
    printed = zip(*([column.cell(row) for row in range(len(groups))] for column in groups.columns), strict=True)
    return list(zip(printed, groups.sizes.tolist(), counts, strict=True))


def answer(table, policy):
    """What is found, or why nothing is."""
    try:
        return sl.protect(table, sl.Policy(*policy), by=BY, method="mondrian", ask="nobody")
    except SidelightError as error:
        return str(error)


def assert_same(reading, policy, room, *, repeat, cells_per_person=8.0):
    rows, roles = reading
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine_read, "REPEAT_BELOW", 1.0 if repeat else -1.0)  # the engine counts, or nobody does
        limit_room(patch, *room, cells_per_person=cells_per_person)
        patch.setattr(EFFORT, "cuts", 5)
        held, streamed = answer(sl.read_table(rows, **roles), policy), answer(sl.stream_table(rows, **roles), policy)
    if isinstance(held, str):
        assert streamed == held
        return
    assert groups_of(streamed.release) == groups_of(held.release)
    assert [each.finding for each in streamed.verdict.judgements] == [each.finding for each in held.verdict.judgements]
    assert dict(streamed.utility) == pytest.approx({name: held.utility[name] for name in streamed.utility})
    assert streamed.cuts.along == held.cuts.along
    assert streamed.kinds == held.kinds
    assert streamed.notes == held.notes


ROOT = 20 * (4 * 4 + 48)
"""The bytes of a histogram of everybody, at most: so many labels, three values and people."""


@examples(20)
@given(
    reading=readings(),
    policy=st.sampled_from(ALONE),
    keys=st.sampled_from([1, 3, 8, 20, 40]),
    histograms=st.sampled_from([ROOT, 3 * ROOT, 10**6]),
    repeat=st.booleans(),
)
def test_groups_that_are_judged_alone(reading, policy, keys, histograms, repeat):
    assert_same(reading, policy, (keys, histograms), repeat=repeat)


@examples(15)
@given(
    reading=readings(),
    policy=st.sampled_from(TOGETHER),
    keys=st.sampled_from([1, 8, 20, 26, 40]),
    histograms=st.sampled_from([ROOT, 10**6]),
    repeat=st.booleans(),
)
def test_groups_that_are_judged_together(reading, policy, keys, histograms, repeat):
    assert_same(reading, policy, (keys, histograms), repeat=repeat)


KNOWING = (
    (sl.DistinctValues().about("disease", known="size") >= 1, sl.GroupSize() >= 2),
    (sl.Acquaintance(others=1).about("size", known="disease") <= Fraction(9, 10),),
    (sl.Implications(0).about("disease", known="size") <= Fraction(9, 10),),
)


@examples(10)
@given(reading=readings(), policy=st.sampled_from(KNOWING), keys=st.sampled_from([1, 8, 40]))
def test_who_knows_another_sensitive_column(reading, policy, keys):
    rows, roles = reading
    roles = {"quasi": ["age", "country"], "sensitive": ["disease", "size"], "kinds": {"age": "number"}}
    assert_same((rows, roles | {"missing": "drop"}), policy, (keys, 10 * ROOT), repeat=False)


@st.composite
def crowds(draw):
    """Enough people for several generations within a policy on groups together; most differ."""
    rng, rows = np.random.default_rng(draw(st.integers(0, 10**6))), draw(st.integers(60, 160))
    labels = {"age": 30, "zip": 40, "sex": 2}
    columns = {name: rng.integers(0, many, rows).astype(str) for name, many in labels.items()}
    columns["disease"] = rng.choice(["Flu", "Cold", "Ulcer", "Gout"], rows)
    reading = {"quasi": list(labels), "sensitive": "disease", "kinds": {"age": "number", "zip": "number"}}
    if draw(st.booleans()):
        columns["person"] = rng.integers(0, rows, rows).astype(str)
        reading |= {"person": "person", "values": "multiset"}
        for name in labels:  # a person has one age
            columns[name] = columns[name][columns["person"].astype(int)]
    return pa.table({name: pa.array(cells, pa.string()) for name, cells in columns.items()}), reading


STRICT = (
    (sl.Implications(1) < Fraction(9, 10),),
    (sl.Acquaintance(0, 1, 1) < Fraction(19, 20),),
    (sl.Acquaintance(1, 1, 1) < Fraction(3, 4), sl.Acquaintance(1, 2, 2) < Fraction(99, 100)),
)


@examples(4)
@given(
    reading=crowds(),
    policy=st.sampled_from(STRICT),
    room=st.sampled_from([(1, 10**5), (30, 10**4), (1000, 10**6)]),
    at_once=st.sampled_from([1, 3, 512]),
)
def test_strict_limits_are_decided_alike_whether_floats_tell_or_exact_numbers(reading, policy, room, at_once):
    """However wide the margin, and so however many cuts come close: in memory and streamed, the same groups."""
    rows, roles = reading
    plain = answer(sl.read_table(rows, **roles), policy)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(EFFORT, "groups", at_once)
        for screen in (Screen, AcquaintanceScreen):
            patch.setattr(screen, "margin", lambda screen, bound, people: 0.2)
        exactly = answer(sl.read_table(rows, **roles), policy)
        assert_same(reading, policy, room, repeat=False)
    assert isinstance(plain, str) or groups_of(exactly.release) == groups_of(plain.release)


CROWD_ROOT = 72 * (4 * 5 + 48)


@examples(12)
@given(
    reading=crowds(),
    policy=st.sampled_from(TOGETHER),
    keys=st.sampled_from([1, 10, 30, 70]),
    histograms=st.sampled_from([CROWD_ROOT, CROWD_ROOT, 2 * CROWD_ROOT]),
    counted=st.sampled_from([0.0, 2.0, 100.0]),
)
def test_generations_that_do_not_fit_are_cut_in_lots(reading, policy, keys, histograms, counted):
    """By passes over all rows, or over parts that were put aside; by histograms, or by keys where those are sparse."""
    assert_same(reading, policy, (keys, histograms), repeat=False, cells_per_person=counted)
