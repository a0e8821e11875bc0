"""What executors do with lots of rows, without Spark: coded, packed and cut into ranges, no row is lost or moved."""

import pickle
from collections import Counter
from functools import reduce

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidelight.engines.source import packing_of
from sidelight.engines.spark import stream as spark_stream
from sidelight.errors import BadTable
from sidelight.streams.sorted_runs import Packing
from sidelight.table.roles import Roles

COLUMNS = ("q0", "q1", "value")
ROLES = Roles.of(quasi=["zip", "age"], sensitive="disease").complete()
ROWS = st.lists(
    st.tuples(st.sampled_from(["b", "a", "é", None]), st.integers(0, 30) | st.none(), st.sampled_from("xyz")),
    min_size=1,
    max_size=60,
)


def lots(rows, size):
    """Code so many rows at a time."""
    types = (pa.string(), pa.int64(), pa.string())
    for start in range(0, len(rows), size):
        cells = zip(*rows[start : start + size], strict=True)
        table = pa.table([pa.array(column, kind) for column, kind in zip(cells, types, strict=True)], names=COLUMNS)
        yield pickle.loads(pickle.dumps(spark_stream._lot(table, COLUMNS, None)))


def met_in(coded):
    return reduce(spark_stream._Met.merge, (spark_stream._Met.from_lot(lot, 2) for lot in coded))


def packed(coded, packing):
    coders = [{text: code for code, text in enumerate(labels)} for labels in packing.labels]
    return [spark_stream._pack_lot(lot, packing, coders, ROLES) for lot in coded]


@pytest.mark.parametrize("words", [1, 2])
@given(rows=ROWS, size=st.integers(1, 70), parts=st.integers(1, 5))
def test_ranges_hold_every_row_once_and_every_key_whole(words, rows, size, parts):
    coded = list(lots(rows, size))
    met = met_in(coded)
    packing = packing_of(met.cells, ROLES)
    if words == 2:  # labels that nobody has, so many that columns do not fit into one number
        zips, ages, values = packing.labels
        packing = Packing((zips, (*ages, *map(str, range(10**6, 10**6 + 10**3))), values))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("sidelight.streams.sorted_runs.KEY_LIMIT", 3000)
            check_ranges(rows, coded, met, packing, parts)
    else:
        check_ranges(rows, coded, met, packing, parts)


def check_ranges(rows, coded, met, packing, parts):
    bounds = spark_stream._range_bounds([met], ROLES, packing, parts)
    assert len(bounds) < parts or not bounds
    ranges = [[] for _ in range(len(bounds) + 1)]
    for lines in packed(coded, packing):
        for held, piece in zip(ranges, spark_stream._cut_ranges(lines, bounds), strict=True):
            held.extend(zip(*piece.tolist(), strict=True))
    seen = Counter()
    for number, held in enumerate(ranges):
        for *key, value, counts, raw in held:
            assert not bounds[number:] or tuple(key) < bounds[number]
            assert not number or tuple(key) >= bounds[number - 1]
            assert counts == raw
            zips, ages = packing.key_codes([np.array([word]) for word in key])
            seen[packing.labels[0][zips[0]], packing.labels[1][ages[0]], packing.labels[2][value]] += counts
    assert seen == Counter((zipped, None if age is None else str(age), value) for zipped, age, value in rows)


@given(rows=ROWS, sizes=st.tuples(st.integers(1, 70), st.integers(1, 70)), seed=st.randoms())
def test_a_fingerprint_tells_rows_and_not_their_lots(rows, sizes, seed):
    def fingerprint(some, size):
        coded = packed(lots(some, size), packing)
        return sum(spark_stream._fingerprint(lines[:-2], lines[-2]) for lines in coded) % (1 << 64)

    packing = packing_of(met_in(list(lots(rows, len(rows)))).cells, ROLES)
    shuffled = seed.sample(rows, len(rows))
    assert fingerprint(rows, sizes[0]) == fingerprint(shuffled, sizes[1])
    assert fingerprint([*rows, rows[0]], sizes[0]) != fingerprint(rows, sizes[0])
    moved = [*rows[1:], rows[-1]]
    assert (fingerprint(moved, sizes[0]) == fingerprint(rows, sizes[0])) == (Counter(moved) == Counter(rows))


def test_cells_that_nobody_told_of_are_rows_that_changed():
    (known,), (new,) = lots([("a", 1, "x")], 1), lots([("a", 2, "x")], 1)
    assert packed([new], packing_of(known.cells, ROLES)) == [None]
    batch = pa.RecordBatch.from_arrays([pa.array([b""])], names=["lines"])
    with pytest.raises(BadTable, match="rows changed while"):
        list(spark_stream._pieces(iter([batch]), 5))


def test_a_sample_weighs_what_it_stands_for():
    (lot,) = lots([("a", age, "x") for age in range(1000)], 1000)
    met = spark_stream._Met.from_lot(lot, 2)
    assert len(met.sample) == 2  # nobody's value
    assert met.stands_for.sum() == pytest.approx(1000)
    assert spark_stream.SAMPLED <= len(met.sample[0]) <= 2 * spark_stream.SAMPLED
