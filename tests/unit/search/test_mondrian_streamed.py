"""Mondrian of a streamed table: what it says of itself, what it refuses, and how much room it needs."""

import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from support.room import limit_room

import sidelight as sl
from sidelight.errors import BadPolicy, NoRoom, NothingSafe
from sidelight.search.effort import EFFORT
from sidelight.search.mondrian_cuts import Cuts
from sidelight.search.mondrian_streamed import LotGroups, StreamedStore, divide_rows
from sidelight.streams import sorted_runs
from sidelight.streams.memory import Memory
from sidelight.table.table import Counts, Table


@pytest.fixture
def people():
    rng = np.random.default_rng(1)
    rows = {
        "age": [str(age) for age in rng.integers(20, 90, 400)],
        "zip": [f"{zip_code:05d}" for zip_code in rng.integers(0, 300, 400)],
        "disease": rng.choice(["Flu", "Cold", "Ulcer"], 400),
    }
    return pa.table(rows)


ROLES = {"quasi": ["age", "zip"], "sensitive": "disease", "kinds": {"age": "number", "zip": "number"}}


def test_it_publishes_as_usual(people, tmp_path):
    found = sl.protect(sl.stream_table(people, **ROLES), sl.GroupSize() >= 20, method="mondrian")
    assert found.verdict.safe
    assert found.release.size == 400
    assert {each.outcome for each in found.readers} == {"not asked"}
    found.publish(tmp_path / "release.parquet")
    assert sl.read_published(tmp_path / "release.parquet").size == 400


def test_utilities_that_need_each_key_are_not_told(people):
    found = sl.protect(sl.stream_table(people, **ROLES), sl.GroupSize() >= 20, method="mondrian")
    held = sl.protect(sl.read_table(people, **ROLES), sl.GroupSize() >= 20, method="mondrian", ask="nobody")
    assert dict(found.utility) == {name: held.utility[name] for name in found.utility}
    assert "query error" not in found.utility
    assert len(found.utility) == len(held.utility) - 2
    with pytest.raises(NoRoom, match=r"'query error'.*each key.*without memory="):
        found.utility["query error"]


def needing_keys(option, table):
    """What looks at all keys of a table."""
    bare = {column.name: sl.Hierarchy.suppression(column.name, column.labels) for column in table.quasi}
    return {
        "towards": {"method": sl.Mondrian(towards="disease")},
        "resists": {"method": "mondrian", "resists": "insider"},
        "utility": {"method": "lattice", "utility": "KL divergence", "by": bare},
        "anatomy": {"method": sl.Anatomy(random=np.random.default_rng(7))},
    }[option]


@pytest.mark.parametrize("option", ["towards", "resists", "utility", "anatomy"])
def test_what_looks_at_single_keys_holds_them_where_they_fit(people, option, monkeypatch):
    streamed, table = sl.stream_table(people, **ROLES), sl.read_table(people, **ROLES)
    limit = [sl.GroupSize() >= 20] + [sl.Implications(0) <= 0.9] * (option == "resists")
    found, held = (sl.protect(each, limit, ask="nobody", **needing_keys(option, each)) for each in (streamed, table))
    assert list(found.release) == list(held.release)
    assert dict(found.utility) == dict(held.utility)
    monkeypatch.setattr(Memory, "keys_to_hold", 10)
    with pytest.raises(NoRoom, match=r"all keys.* [0-9,]+ different rows.*not fit"):
        sl.protect(streamed, limit, **needing_keys(option, streamed))


def test_limits_on_whole_releases_and_populations_hold_the_keys(people):
    streamed, table = sl.stream_table(people, **ROLES), sl.read_table(people, **ROLES)
    for limit in (sl.MaxEnt() <= 1, sl.JournalistRisk(people) <= 0.05):
        found, held = (sl.protect(each, limit, method="mondrian", ask="nobody") for each in (streamed, table))
        assert list(found.release) == list(held.release)
        assert str(found.verdict) == str(held.verdict)
    with pytest.raises(BadPolicy, match=r"'individual risk'.*weights.*not have"):
        sl.protect(streamed, sl.IndividualRisk() <= 0.1, method="mondrian")
    with pytest.raises(NothingSafe, match=r"would pass.*group size.*at most 400\b"):
        sl.protect(streamed, sl.GroupSize() >= 500, method="mondrian")


def test_too_little_room_says_how_much_is_needed(people, monkeypatch):
    streamed = sl.stream_table(people, **ROLES)
    limit_room(monkeypatch, keys=10, histograms=100)
    with pytest.raises(NoRoom, match=r"histograms.*not fit.*memory=.*at least [0-9.]+ ?[GT]B"):
        sl.protect(streamed, sl.GroupSize() >= 20, method="mondrian")
    limit_room(monkeypatch, keys=100, groups=10)
    with pytest.raises(NoRoom, match=r" [0-9]+ groups.*not fit.*memory=.*at least"):
        sl.protect(streamed, sl.GroupSize() >= 20, method="mondrian")


def test_a_full_disk_says_how_much_is_needed(people, monkeypatch):
    streamed = sl.stream_table(people, **ROLES)
    limit_room(monkeypatch, keys=100)
    monkeypatch.setattr(sorted_runs, "_nameless_file", lambda: Path("/dev/full").open("wb", buffering=0))  # noqa: SIM115
    with pytest.raises(NoRoom, match=r"too small.*up to .*B\b.*TMPDIR"):
        sl.protect(streamed, sl.GroupSize() >= 20, method="mondrian")


def test_what_is_interrupted_leaves_no_temporary_files(people, monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    limit_room(monkeypatch, keys=100)
    streamed = sl.stream_table(people, **ROLES)

    def press(what, *_):
        if "put them aside" in what:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sl.protect(streamed, sl.GroupSize() >= 20, method="mondrian", progress=press)
    assert list(tmp_path.iterdir()) == []


def test_parts_beyond_the_open_files_take_another_pass(people, monkeypatch):
    streamed = sl.stream_table(people, **ROLES)
    limit = sl.GroupSize() >= 5
    whole = sl.protect(streamed, limit, method="mondrian", ask="nobody")
    monkeypatch.setattr(EFFORT, "parts", 2)
    limit_room(monkeypatch, keys=30)
    told = []
    found = sl.protect(streamed, limit, method="mondrian", ask="nobody", progress=lambda what, *_: told.append(what))
    assert sorted(found.release.groups.sizes.tolist()) == sorted(whole.release.groups.sizes.tolist())
    assert sum("to put them aside" in what for what in dict.fromkeys(told)) > 2


TABLE = Table((), "disease", ("Flu", "Cold"), np.array([6]), Counts.from_cells([[4, 2]]))


def test_lots_have_room_and_keep_the_order():
    assert [rows.tolist() for rows in divide_rows(np.array([1, 3, 4]), np.array([2, 2, 3]), 4)] == [[1, 3], [4]]
    assert divide_rows(np.zeros(0, np.int64), np.zeros(0, np.int64), 4) == []


def test_cuts_of_lots_stand_in_the_order_of_groups_with_what_is_beside_them():
    second = Cuts(*(np.array(each) for each in ([1, 1], [0, 1], [5, 2], [2, 1], [4, 4])))
    first = Cuts(*(np.array(each) for each in ([0], [1], [3], [1], [2])))
    beside = np.array([[[1, 1], [0, 1]], [[2, 0], [3, 0]]]), np.array([[[1, 0]], [[0, 1]]])
    known = LotGroups(TABLE, np.array([7, 9]), TABLE.counts.totals())
    known.keep([(second, beside[0]), (first, beside[1])])
    assert known.cuts.group.tolist() == [0, 1, 1]
    ((rows, halves),) = known.halves(known.cuts.take(np.array([2, 0])))
    assert rows.tolist() == [0, 1]
    assert halves.sizes.tolist() == [1, 1, 3, 1]
    assert halves.counts.dense().tolist() == [[0, 1], [1, 0], [3, 0], [0, 1]]
    known.keep([])
    assert len(known.cuts) == 0


def same_in_lots(monkeypatch, rows, roles, policy, room, way):
    """Cut in lots, of all rows or of parts, and compare with what is found in memory."""
    held = sl.protect(sl.read_table(rows, **roles), policy, method="mondrian", ask="nobody").release
    limit_room(monkeypatch, *room)
    ways = []

    def watched(store, numbers, build_lots=StreamedStore._build_lots):
        lots = build_lots(store, numbers)
        ways.append((len(lots), "all rows" if store.aside is None else "parts"))
        return lots

    monkeypatch.setattr(StreamedStore, "_build_lots", watched)
    found = sl.protect(sl.stream_table(rows, **roles), policy, method="mondrian", ask="nobody").release
    assert way in {each for many, each in ways if many > 1}
    assert len(held) > 2
    assert found.groups.sizes.tolist() == held.groups.sizes.tolist()
    assert found.groups.counts.dense().tolist() == held.groups.counts.dense().tolist()
    for one, other in zip(found.groups.columns, held.groups.columns, strict=True):
        assert [one.cell(row) for row in range(len(found))] == [other.cell(row) for row in range(len(held))]


@pytest.mark.parametrize(("keys", "way"), [(400, "all rows"), (150, "parts")])
def test_a_generation_of_an_acquaintance_policy_needs_no_more_room_than_one_group(monkeypatch, keys, way):
    """`Acquaintance(3, …)` once ended in `NoRoom` where the histograms of a generation did not fit at once."""
    rng = np.random.default_rng(3)
    labels = {"birth": 300, "zip": 300, "sex": 2, "race": 3}
    columns = {name: rng.integers(0, many, 900).astype(str) for name, many in labels.items()}
    rows = pa.table(columns | {"disease": rng.choice(["Flu", "Cold", "Ulcer", "Gout", "Angina", "Migraine"], 900)})
    roles = {"quasi": list(labels), "sensitive": "disease", "kinds": {"birth": "number", "zip": "number"}}
    room = keys, 605 * (4 * 6 + 48)
    same_in_lots(monkeypatch, rows, roles, sl.Acquaintance(3, 5, 2) < 0.99, room, way)


def test_adult_in_lots(monkeypatch):
    quasi = ["age", "hours-per-week", "education", "sex"]
    roles = {"quasi": quasi, "sensitive": "occupation", "missing": "drop"}
    path = str(sl.datasets.adult().path)
    room = 8_000, 400 * (4 * 14 + 48)
    same_in_lots(monkeypatch, path, roles, sl.Acquaintance(3, 1000, 10) < 0.999, room, "parts")
