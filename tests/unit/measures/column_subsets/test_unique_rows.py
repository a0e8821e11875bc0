"""Who is alone on which subset of columns, block by block."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from sidelight.measures.column_subsets import unique_rows
from sidelight.measures.column_subsets.unique_rows import MarkedKeys, alone_on_each, minimal, places_of
from sidelight.table.labels import Column

rng = np.random.default_rng(7)
ROWS = rng.integers(0, 4, (90, 4))
PEOPLE = rng.integers(1, 3, 90)


def columns_of(rows):
    """Columns of labels, each with every label from 0 on."""
    return [Column(f"c{place}", tuple(map(str, range(4))), rows[:, place].astype(np.int32)) for place in range(4)]


def alone_by_definition(up_to):
    """For each subset of columns, the rows of one person who is alone there; subsets on which nobody is left out."""
    found = {}
    for size in range(1, up_to + 1):
        for places in combinations(range(4), size):
            seen = Counter()
            for row, many in zip(ROWS[:, places].tolist(), PEOPLE.tolist(), strict=True):
                seen[tuple(row)] += many
            found[places] = {n for n, row in enumerate(ROWS[:, places].tolist()) if seen[tuple(row)] == 1}
    return {places: rows for places, rows in found.items() if rows}


def collected(up_to):
    """What the blocks say together, and how many there were."""
    found, blocks = {}, 0
    for rows, bitmaps in alone_on_each(columns_of(ROWS), PEOPLE, up_to=up_to):
        blocks += 1
        for subset, bitmap in bitmaps.items():
            found.setdefault(subset, set()).update(rows[places_of(bitmap)].tolist())
    return found, blocks


@pytest.mark.parametrize("up_to", [1, 2, 3, 4])
def test_bitmaps_say_who_is_alone(up_to):
    found, blocks = collected(up_to)
    assert found == alone_by_definition(up_to)
    assert blocks == 1


def test_blocks_of_people_change_nothing(monkeypatch):
    """As many people at a time as the bitmaps of all 15 subsets have room for, and never fewer than 64."""
    once = int(np.count_nonzero(PEOPLE == 1))
    monkeypatch.setattr(unique_rows, "BITMAPS", 1)
    assert [len(rows) for rows, _ in alone_on_each(columns_of(ROWS), PEOPLE, up_to=4)] == [once]
    more, people = np.tile(ROWS, (2, 1)), np.ones(180, int)
    sizes = [len(rows) for rows, _ in alone_on_each(columns_of(more), people, up_to=4)]
    assert sizes == [64, 64, 52]
    monkeypatch.setattr(unique_rows, "BITMAPS", 150)  # 8 · 150 bits for each of 15 subsets
    assert [len(rows) for rows, _ in alone_on_each(columns_of(more), people, up_to=4)] == [80, 80, 20]


def test_of_one_column_there_is_one_bitmap(monkeypatch):
    monkeypatch.setattr(unique_rows, "BITMAPS", 16)  # 128 bits
    only = [Column("a", tuple(map(str, range(180))), np.arange(180, dtype=np.int32))]
    assert [len(rows) for rows, _ in alone_on_each(only, np.ones(180, int), up_to=1)] == [128, 52]


def test_people_of_several_blocks_see_each_other(monkeypatch):
    monkeypatch.setattr(unique_rows, "BITMAPS", 1)
    twice = [Column("a", tuple(map(str, range(100))), np.arange(200, dtype=np.int32) % 100)]
    assert [bitmaps for _, bitmaps in alone_on_each(twice, np.ones(200, int), up_to=1)] == [{}] * 4


def test_minimal_uniques_are_alone_on_no_part():
    found = {}
    for rows, bitmaps in alone_on_each(columns_of(ROWS), PEOPLE, up_to=4):
        subsets = [subset for subset, _ in minimal(bitmaps)]
        assert subsets == sorted(subsets, key=lambda places: (len(places), places))
        found |= {subset: set(rows[places_of(bitmap)].tolist()) for subset, bitmap in minimal(bitmaps)}
    alone = alone_by_definition(4)
    expected = {
        subset: {row for row in rows if not any(row in alone.get(part, ()) for part in combinations(subset, size - 1))}
        for subset, rows in alone.items()
        for size in [len(subset)]
    }
    assert found == {subset: rows for subset, rows in expected.items() if rows}


@pytest.mark.parametrize("labels", [4, 2**28])  # one word with the person beside the key, and two words
def test_equal_keys_are_several_people(labels):
    codes = [[0, 1, 1, 3], [0, 2, 2, 3], [3, 1, 0, 0]]
    columns = [Column(name, range(labels), np.array(each, np.int32)) for name, each in zip("abc", codes, strict=True)]
    keys = MarkedKeys.of(columns, np.array([1, 2, 3, 0]))
    assert sorted(keys.alone().tolist()) == [0, 1, 2]
    without = keys.without([2])
    assert sorted(without.person.tolist()) == [0, 0, 1]
    assert without.alone().tolist() == [0]
    assert keys.without([0, 1]).alone().tolist() in ([0, 1], [1, 0])  # 3 and 1; 0 is two people


@pytest.mark.parametrize(
    ("labels", "codes", "alone"),
    [
        (2**31, [[2**30, 0, 1, 2], [0, 0, 0, 0]], [0, 1, 2, 3]),  # 62 bits, and 3 more for the person
        (2**30, [[2**29, 0, 1, 0], [0, 0, 0, 0]], [0, 2]),  # 60 and 3
        (2**28, [[0, 1, 0, 1], [0, 0, 0, 0], [5, 5, 5, 4]], [1, 3]),  # two words
        (2**28, [[0, 0, 0, 0], [0, 0, 0, 0], [5, 4, 5, 3]], [1, 3]),
    ],
)
def test_long_keys_are_told_apart(labels, codes, alone):
    columns = [Column(name, range(labels), np.array(each, np.int32)) for name, each in zip("abc", codes, strict=False)]
    assert sorted(MarkedKeys.of(columns, np.arange(1, 5)).alone().tolist()) == alone
