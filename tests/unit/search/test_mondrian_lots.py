"""Groups in lots: what has room together, what is kept of cuts, and rows that are read again."""

import numpy as np
import pyarrow as pa
import pytest

import sidelight as sl
from sidelight.search.mondrian_cuts import Cuts
from sidelight.search.mondrian_lots import KnownCuts, Lot, lots_of
from sidelight.search.mondrian_streamed import Room, StreamedCuts
from sidelight.table.counts import Counts
from sidelight.table.table import Table

TABLE = Table((), "disease", ("Flu", "Cold"), np.array([6]), Counts.from_cells([[4, 2]]))


def test_lots_have_room_and_keep_the_order():
    lots = lots_of(np.array([1, 3, 4]), np.array([9, 2, 9, 2, 3]), 4, as_keys=False)
    assert [lot.rows.tolist() for lot in lots] == [[1, 3], [4]]
    assert lots_of(np.zeros(0, np.int64), np.zeros(0, np.int64), 4, as_keys=True) == []
    assert Lot(np.array([0, 2]), as_keys=True).among(np.array([False, True, True])).rows.tolist() == [2]


def test_cuts_of_lots_stand_in_the_order_of_groups_with_what_is_beside_them():
    second = Cuts(*(np.array(each) for each in ([1, 1], [0, 1], [5, 2], [2, 1], [4, 4])))
    first = Cuts(*(np.array(each) for each in ([0], [1], [3], [1], [2])))
    beside = np.array([[[1, 1], [0, 1]], [[2, 0], [3, 0]]]), np.array([[[1, 0]], [[0, 1]]])
    known = KnownCuts.of_lots(TABLE, np.array([7, 9]), [(second, beside[0]), (first, beside[1])])
    assert known.cuts.group.tolist() == [0, 1, 1]
    ((rows, halves),) = known.halves(known.cuts.take(np.array([2, 0])))
    assert rows.tolist() == [0, 1]
    assert halves.sizes.tolist() == [1, 1, 3, 1]
    assert halves.counts.dense().tolist() == [[0, 1], [1, 0], [3, 0], [0, 1]]
    assert len(KnownCuts.of_lots(TABLE, np.array([7]), []).cuts) == 0


def same_in_lots(monkeypatch, rows, roles, policy, room, way):
    """Cut in lots, of all rows or of parts, and compare with what is found in memory."""
    held = sl.protect(sl.read_table(rows, **roles), policy, method="mondrian", ask="nobody").release
    monkeypatch.setattr(Room, "of", lambda _: room)
    ways = []

    def watched(cuts, numbers, lots, cut_in_lots=StreamedCuts._cut_in_lots):
        ways.append((len(lots), "all rows" if cuts._aside is None else "parts"))
        return cut_in_lots(cuts, numbers, lots)

    monkeypatch.setattr(StreamedCuts, "_cut_in_lots", watched)
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
    room = Room(keys, 605 * (4 * 6 + 48), 10**9)
    same_in_lots(monkeypatch, rows, roles, sl.Acquaintance(3, 5, 2) < 0.99, room, way)


def test_adult_in_lots(monkeypatch):
    quasi = ["age", "hours-per-week", "education", "sex"]
    roles = {"quasi": quasi, "sensitive": "occupation", "missing": "drop"}
    path = str(sl.datasets.adult().path)
    room = Room(8_000, 400 * (4 * 14 + 48), 10**9)
    same_in_lots(monkeypatch, path, roles, sl.Acquaintance(3, 1000, 10) < 0.999, room, "parts")
