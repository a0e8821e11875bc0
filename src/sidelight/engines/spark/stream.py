"""Stream a table in Spark where it is: keys stay in the executors, only summaries come to the driver.

    frame ──▶ codes, some rows at a time ──▶ packed numbers ──▶ ranges of keys, one a partition ──▶ `KeyStream` in each

    code       executors read the rows once and keep them as codes, in lots, each with its own dictionary of cells;
               if people have several rows, Spark groups them first
    label      the cells that occur come to the driver, which puts the labels of each column in order, and a sample of
               keys, by which it cuts them into ranges
    pack       executors pack the rows as `packed_keys` does, and send each range to a partition of its own; packed
               keys rise as keys do, so a partition has whole keys, and those of one range come after all of the ranges
               before: the number of a partition's first key is 1 + the keys before it
    measure    each partition sorts its rows, adds up `Totals` and counts its keys
    spread     each partition is a `KeyStream` of its own and answers questions like any; answers are merged by a tree
               of at most 16 parts a node, the last of them here

Between these steps Spark holds and moves lots of rows as bytes, not as rows: its work per row costs more than all the
rest (docs/decisions/0024-summaries-in-executors.md).

*Invariants.*  Blocks are those of the same rows in a file, except for where they are cut, which no summary shows.
A partition that Spark computes again, because a worker was lost, is the same: its range is fixed, and rows of a range
are sorted; a lot carries the cells of its codes, in whatever order they came.  If a partition has other rows than when
it was measured, the rows have changed, and the answer is an error.
"""

from __future__ import annotations

import pickle
import weakref
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields, replace
from functools import reduce
from itertools import accumulate, chain, islice, pairwise
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pyarrow as pa

from sidelight.arrays import Codes, Integers, number_rows
from sidelight.engines.source import Rows, TextRows, encode, grouped_frame, labels_of, numpy_integers, packing_of
from sidelight.engines.spark.source import Batches, spark_errors
from sidelight.engines.tally import (
    RowCounts,
    Totals,
    add_tally,
    build_stream,
    check_people,
    check_totals,
    people_levels,
    tally_levels,
)
from sidelight.errors import BadTable, SidelightError, parameter
from sidelight.streams.key_stream import CHANGED, KeyBlock, KeyStream, Summed, whole_keys
from sidelight.streams.sorted_runs import Batch, Packing, SortedRuns

if TYPE_CHECKING:
    from sidelight.streams.memory import Memory
    from sidelight.table.labels import Column, Label
    from sidelight.table.roles import Roles

# The most counted rows of a partition, which an executor sorts at a time
ENTRIES_PER_PARTITION = 1 << 21

# Rows of a lot; Spark hands over a few thousand at a time
ROWS_PER_LOT = 1 << 17

# About how many rows of a lot the driver samples, to cut keys into ranges
SAMPLED = 128

# In place of a sensitive value: the row counts the people of a key
PEOPLE_ROW = -1

Part = TypeVar("Part")


@dataclass(frozen=True, slots=True)
class Share:
    """The share of the keys that one partition holds."""

    partition: int
    totals: Totals
    people: int
    keys: int
    entries: int
    fingerprint: int
    first_key: tuple[int, ...] | None
    last_key: tuple[int, ...] | None
    first: int = 1  # the number of its first key


@dataclass(frozen=True, eq=False, slots=True)
class SparkStream(KeyStream):
    """A `KeyStream` whose keys are in the executors of Spark; it has no entries of its own."""

    frame: Any = None  # packed rows, a range of keys in each partition
    partitions: int = 1
    shares: tuple[Share, ...] = ()  # in the order of the keys, of those that have some

    def spread(self, ask: Callable[[KeyStream], Summed], merge: Callable[[Summed, Summed], Summed]) -> Summed:
        """Ask each executor about its keys, and merge by a tree."""

        def merge_answers(batches: Batches) -> list[Summed]:
            answers = (answer for batch in batches for answer in batch.column(0).to_pylist())
            parts = chain.from_iterable(map(_open_answer, answers))
            return [reduce(merge, parts, first) for first in islice(parts, 1)]

        # closures are pickled to executors, so they hold a stream without keys and never `self` with its frame
        with spark_errors(self.place):
            answers = _map_partitions(self.frame, self._ask_each(lambda local: [ask(local)]))
            many = self.partitions
            while many > 16:  # parts that are merged at a time
                many = -(-many // 16)
                answers = _map_partitions(answers.repartition(many), merge_answers)
            merged: Summed = reduce(merge, _collect(answers))
            return merged

    def gather(self, ask: Callable[[KeyStream], Iterable[Summed]]) -> Iterator[Summed]:
        """Yield the answers of each executor about its keys, a partition at a time."""
        with spark_errors(self.place):
            for row in _map_partitions(self.frame, self._ask_each(ask)).toLocalIterator():
                yield from _open_answer(row.answer)

    def _ask_each(self, question: Callable[[KeyStream], Iterable[Summed]]) -> Callable[[Batches], list[Summed]]:
        """Build the function by which an executor asks the keys of a partition, if it has some."""
        known, shares = self.strip_keys(), {share.partition: share for share in self.shares}

        def ask(batches: Batches) -> list[Summed]:
            share = shares.get(_partition())
            if share is None:
                return []
            totals, entries, people, fingerprint = _sort_partition(batches, known.packing, known.roles)
            # Spark recomputes a lost partition from the source; if that has changed, keys do not match the first pass
            if (totals.rows, fingerprint) != (share.totals.rows, share.fingerprint):
                raise BadTable(CHANGED)
            return [*question(replace(known, entries=entries, people_per_key=people, first=share.first))]

        return ask

    def brought_here(self, memory: Memory) -> KeyStream:
        """Sort all keys again in this process, in bounded memory."""
        room = memory.rows_to_sort(len(self.packing.layout))
        return self._sort_here(self.gather(_list_batches), room, self.rows_held)

    def _sort_here(self, batches: Iterable[tuple[int, Batch]], room: int, rows: int | None = None) -> KeyStream:
        runs = [SortedRuns(len(self.packing.layout), room, rows) for _ in range(2)]
        for which, batch in batches:
            runs[which].add(*batch)
        people = None if self.people_per_key is None else runs[1]
        return replace(self.strip_keys(), entries=runs[0], people_per_key=people)

    @property
    def here(self) -> bool:
        """Return False: keys are in the executors."""
        return False

    @property
    def rows_held(self) -> int:
        """Return how many rows are stored, people apart."""
        return sum(share.entries for share in self.shares)

    def blocks(self) -> Iterator[KeyBlock]:
        """Yield the keys in their order, a partition at a time."""

        def list_all(local: KeyStream) -> Iterator[tuple[int, list[tuple[int, Batch]]]]:
            yield local.first, [*_list_batches(local)]

        for first, batches in self.gather(list_all):
            yield from replace(self._sort_here(batches, ENTRIES_PER_PARTITION), first=first).blocks()

    def count(self) -> int:
        """Return the number of keys."""
        return sum(share.keys for share in self.shares)

    def first_columns(self) -> tuple[Column, ...]:
        """Return the columns of the first key."""
        first = self.shares[0].first_key
        assert first is not None
        return self.columns_of(self.packing.key_codes([np.array([word]) for word in first]))

    def strip_keys(self) -> KeyStream:
        """Return the stream without its keys, for the executors."""
        return KeyStream(**{each.name: getattr(self, each.name) for each in fields(KeyStream)})

    @property
    def place(self) -> str:
        """Return the name of the rows in messages."""
        return self.intake.files[0].name if self.intake.files else "the table"


def _list_batches(stream: KeyStream) -> Iterator[tuple[int, Batch]]:
    """Yield a stream's entries, by the number 0, and the people of its keys, by 1."""
    for which, own in enumerate((stream.entries, stream.people_per_key)):
        yield from ((which, batch) for batch in ([] if own is None else own.batches()))


def read_spark_stream(rows: Rows, roles: Roles, memory: Memory) -> SparkStream:
    """Have Spark count rows and keep them in the order of their keys; `roles` are complete."""
    if roles.weight is not None:
        raise BadTable(
            f"{parameter('weight')} is not added up in Spark's executors; read the rows without {parameter('memory')}"
        )
    assert isinstance(rows, TextRows)
    with spark_errors(rows.source.name):
        # two passes read this (labels and sample, then ranges); unless it is kept, Spark would compute the source twice
        coded = _coded_rows(rows, memory).persist()
        try:
            met = [pickle.loads(row.met) for row in coded.where("met IS NOT NULL").select("met").collect()]  # noqa: S301
            packing = _packing(met, rows, memory)
            # rounded up, so that a partition fits one sort; and at least as many as are worked on at once
            parts = max(-(-sum(each.entries for each in met) // ENTRIES_PER_PARTITION), _parallel(coded))
            bounds = _range_bounds(met, rows.roles, packing, parts)
            # kept for as long as this process does
            ranged = _send_to_ranges(coded, rows, packing, bounds).persist()
            java = getattr(ranged, "_jdf", None)  # which Spark Connect does not have
            if java is not None:
                weakref.finalize(ranged, _forget, java).atexit = False
            with _few_at_once(coded):
                shares = _measure_shares(ranged, packing, roles)
        finally:
            coded.unpersist()
        totals = reduce(Totals.merge, (share.totals for share in shares))
        check_totals(totals, rows, roles)
        if roles.person_column is not None:
            check_people(rows, roles)
    firsts = accumulate((share.keys for share in shares), initial=1)
    held = [
        replace(share, totals=Totals(rows=share.totals.rows), first=first)
        for share, first in zip(shares, firsts, strict=False)
        if share.keys
    ]
    # the partition of a range has its number, so that partitions come in the order of their keys; each key is whole
    assert all((before.last_key or ()) < (after.first_key or ()) for before, after in pairwise(held))
    nothing, single = SortedRuns(len(packing.layout), 1), roles.values == "single"
    stream = build_stream(
        rows,
        roles,
        packing,
        totals,
        entries=nothing,
        people_per_key=None if single else SortedRuns(len(packing.layout), 1),
        everybody=None if single else sum(share.people for share in held),
    )
    known = {each.name: getattr(stream, each.name) for each in fields(KeyStream)}
    return SparkStream(**known, frame=ranged, partitions=len(bounds) + 1, shares=tuple(held))


def estimate_keys(rows: Rows) -> int:
    """Estimate the number of keys, by one pass of Spark."""
    from pyspark.sql import functions  # noqa: PLC0415 - of an extra

    with spark_errors(rows.source.name):
        key = functions.approx_count_distinct(functions.struct(*rows.key))
        return int(rows.frame.to_native().select(key).collect()[0][0])


def _coded_rows(rows: TextRows, memory: Memory) -> Any:  # noqa: ANN401 - of Spark
    """Have executors code the rows to count: raw rows or, if people have several, Spark's counts of them."""
    roles = rows.roles
    if roles.values in {None, "single"}:
        frame = rows.frame.to_native().select(*rows.key_and_value)
        return _code_rows(frame, rows.key_and_value, None, memory, quasi=len(rows.key))
    tally = grouped_frame(rows, tally_levels(rows, roles), counting=False).to_native()
    counts = "parts" if roles.values == "set" else "rows"
    people = grouped_frame(rows, people_levels(rows), counting=True).to_native()
    entries = _code_rows(tally, rows.key_and_value, counts, memory, quasi=len(rows.key))
    return entries.unionByName(_code_rows(people, rows.key, "parts", memory))


@contextmanager
def _few_at_once(frame: Any) -> Iterator[None]:  # noqa: ANN401 - of Spark
    """Have Spark hand over a few lots of rows at a time, not all of a partition, while a plan is made."""
    setting, conf = "spark.sql.execution.arrow.maxRecordsPerBatch", frame.sparkSession.conf
    before = conf.get(setting)
    conf.set(setting, 8)  # of rows it would be ten thousand
    try:
        yield
    finally:
        with suppress(Exception):  # Spark may be gone altogether
            conf.set(setting, before)


def _forget(java: Any) -> None:  # noqa: ANN401 - of Spark
    with suppress(Exception):  # it may be gone altogether
        java.unpersist(False)  # noqa: FBT003 - without waiting


def _packing(met: Sequence[_Met], rows: TextRows, memory: Memory) -> Packing:
    if not met:
        raise BadTable(f"{rows.source.name} has no rows; give at least one person")
    names, roles = rows.key_and_value, rows.roles
    labels = [pa.chunked_array([each.cells[at] for each in met]).unique() for at in range(len(names))]
    if not memory.holds_labels(sum(map(len, labels))):
        name, most = max(zip(names, labels, strict=True), key=lambda pair: len(pair[1]))
        raise memory.too_many_labels(roles.used[name], len(most))
    return packing_of(labels, roles)


def _range_bounds(met: Sequence[_Met], roles: Roles, packing: Packing, parts: int) -> list[tuple[int, ...]]:
    """Return the first key of each range but the first, so that each has about as many rows of the sample."""
    codes = [
        encode(pa.chunked_array([each.sample[at] for each in met]), roles, labels)
        for at, labels in enumerate(packing.labels[: -packing.sensitive])
    ]
    keys = packing.pack_keys(codes, len(codes[0]))
    order = np.lexsort(keys[::-1])
    # `before`: (sampled,) rows up to each sampled key; equal shares of the last entry are cut off at quantiles
    before = np.cumsum(np.concatenate([each.stands_for for each in met])[order])
    ends = np.searchsorted(before, before[-1] * np.arange(1, parts) / parts)
    return sorted({tuple(int(word[order[end]]) for word in keys) for end in ends})


def _parallel(frame: Any) -> int:  # noqa: ANN401 - of Spark
    """Return the number of partitions that run at once; Spark Connect has settings only."""
    try:
        return int(frame.sparkSession.sparkContext.defaultParallelism)
    except Exception:  # noqa: BLE001 - of several kinds, by version
        return int(frame.sparkSession.conf.get("spark.sql.shuffle.partitions"))


# --- in the executors ------------------------------------------------------------------------------------------


def _partition() -> int:
    from pyspark import TaskContext  # noqa: PLC0415 - of an extra

    context = TaskContext.get()
    assert context is not None
    return int(context.partitionId())


def _map_partitions(frame: Any, ask_partition: Callable[[Batches], list[Part]]) -> Any:  # noqa: ANN401 - of Spark
    """Have executors answer once per partition, with a list of parts or our own error."""

    def answers(batches: Batches) -> Batches:
        from pyspark import cloudpickle  # noqa: PLC0415 - measures may be of a user's own making

        try:
            answer: list[Part] | SidelightError = ask_partition(batches)
        except SidelightError as problem:
            answer = problem
        yield pa.RecordBatch.from_pydict({"answer": [cloudpickle.dumps(answer)]})  # type: ignore[no-untyped-call]

    return frame.mapInArrow(answers, "answer binary")


def _collect(frame: Any) -> list[Any]:  # noqa: ANN401 - of Spark
    return [part for row in frame.collect() for part in _open_answer(row.answer)]


def _open_answer(answer: bytes) -> list[Any]:
    opened: list[Any] | SidelightError = pickle.loads(answer)  # noqa: S301 - our own executors wrote it
    if isinstance(opened, SidelightError):
        raise opened
    return opened


@dataclass(frozen=True, slots=True)
class _Lot:
    """Some rows as codes of their own cells; how often each counts, and how many raw rows it is."""

    cells: list[pa.Array]
    codes: list[Codes]
    counts: Integers
    raw: Integers


@dataclass(frozen=True, slots=True)
class _Met:
    """Statistics of a task that coded rows: the distinct cells of each column, how many rows, some of their keys."""

    cells: list[pa.Array]
    entries: int
    sample: list[pa.Array]
    stands_for: Integers

    @classmethod
    def from_lot(cls, lot: _Lot, quasi: int) -> _Met:
        """Sample a lot evenly: the first columns of some rows, and how many rows each stands for."""
        rows = len(lot.counts)
        some = np.arange(0, rows, max(rows // SAMPLED, 1))
        sample = [own.take(pa.array(codes[some])) for own, codes in zip(lot.cells[:quasi], lot.codes, strict=False)]
        return cls(lot.cells, rows, sample, np.full(len(some), rows / len(some)))

    def merge(self, other: _Met) -> _Met:
        return _Met(
            [pa.concat_arrays(pair).unique() for pair in zip(self.cells, other.cells, strict=True)],
            self.entries + other.entries,
            [pa.concat_arrays(pair) for pair in zip(self.sample, other.sample, strict=True)],
            np.concatenate((self.stands_for, other.stands_for)),
        )


def _code_rows(
    frame: Any,  # noqa: ANN401 - of Spark
    columns: tuple[str, ...],
    counts: str | None,
    memory: Memory,
    quasi: int | None = None,
) -> Any:  # noqa: ANN401 - of Spark
    """Have executors code rows in lots; without `counts` each counts once.

    If the number of quasi-identifiers is given, a task ends with its statistics (`_Met`).
    """

    def record(met: bytes | None, lot: bytes | None) -> pa.RecordBatch:
        return pa.RecordBatch.from_arrays([pa.array([each], pa.binary()) for each in (met, lot)], names=["met", "lot"])

    def code_batches(batches: Batches) -> Batches:
        met: _Met | None = None
        for table in _merge_small(batches):
            lot = _lot(table, columns, counts)
            yield record(None, pickle.dumps(lot))
            seen = _Met.from_lot(lot, quasi or 0)
            met = seen if met is None else met.merge(seen)
            if not memory.holds_labels(sum(map(len, met.cells))):  # which the driver will refuse
                break
        if met is not None and quasi is not None:
            yield record(pickle.dumps(met), None)

    # at most four tasks for each that runs at once: starting one in Python costs as much as many rows
    return frame.coalesce(4 * _parallel(frame)).mapInArrow(code_batches, "met binary, lot binary")


def _merge_small(batches: Batches) -> Iterator[pa.Table]:
    """Put small batches together, so that each column has one dictionary of its labels."""
    held: list[pa.RecordBatch] = []
    for batch in batches:
        held.append(batch)
        if sum(each.num_rows for each in held) >= ROWS_PER_LOT:
            yield pa.Table.from_batches(held).combine_chunks()
            held = []
    if any(each.num_rows for each in held):
        yield pa.Table.from_batches(held).combine_chunks()


def _lot(table: pa.Table, columns: tuple[str, ...], counts: str | None) -> _Lot:
    encoded = [table.column(name).chunk(0).dictionary_encode("encode") for name in columns]
    cells = [column.dictionary for column in encoded]
    codes = [np.asarray(np.from_dlpack(column.indices), np.int32) for column in encoded]
    if counts is None:
        # equal rows of a lot are counted here, before anything is sent: (rows,) → (distinct,)
        number, first = number_rows(codes, [*map(len, cells)], rows=table.num_rows)
        codes, often = [code[first] for code in codes], np.bincount(number)
        raw = often
    else:
        often, raw = (numpy_integers(table.column(name)) for name in (counts, "rows"))
    small = [code.astype(np.min_scalar_type(-len(own))) for code, own in zip(codes, cells, strict=True)]
    return _Lot(cells, small, often, raw)


def _send_to_ranges(coded: Any, rows: TextRows, packing: Packing, bounds: list[tuple[int, ...]]) -> Any:  # noqa: ANN401
    """Have executors pack rows, and Spark send those between two bounds to a partition of their own.

    Packed rows have a line for each word of the key, the sensitive value, how often it counts, and the raw rows.
    """
    roles, parts = rows.roles, len(bounds) + 1
    # a number for each partition that Spark's own hash sends there: it hashes whatever it partitions by, and 32 tries
    # per partition find one for each with near certainty
    numbers = f"SELECT transform(sequence(0, {32 * parts}), x -> pmod(hash(x), {parts})) AS partitions"
    hashed = coded.sparkSession.sql(numbers).collect()[0].partitions
    number_of = {partition: number for number, partition in enumerate(hashed)}
    addresses = [number_of[partition] for partition in range(parts)]

    def pack_batches(batches: Batches) -> Batches:
        coders = [{text: code for code, text in enumerate(labels)} for labels in packing.labels]
        for written in (written for batch in batches for written in batch.column(0)):
            lines = _pack_lot(pickle.loads(written.as_buffer()), packing, coders, roles)  # noqa: S301 - our own
            if lines is None:
                sent = {addresses[0]: b""}
            else:
                pieces = zip(addresses, _cut_ranges(lines, bounds), strict=True)
                sent = {address: piece.tobytes() for address, piece in pieces if piece.size}
            arrays = [pa.array([*sent], pa.int32()), pa.array([*sent.values()], pa.binary())]
            yield pa.RecordBatch.from_arrays(arrays, names=["address", "lines"])

    lots = coded.where("lot IS NOT NULL").select("lot")
    return lots.mapInArrow(pack_batches, "address int, lines binary").repartition(parts, "address").select("lines")


def _pack_lot(lot: _Lot, packing: Packing, coders: Sequence[dict[Label, int]], roles: Roles) -> Integers | None:
    """Pack a lot: (words + 3, rows); None if it has cells that the driver has not seen."""
    codes = []
    for cells, own, coder in zip(lot.cells, lot.codes, coders, strict=False):
        known = [coder.get(text, -1) for text in labels_of(cells, roles)]
        if min(known) < 0:
            return None
        codes.append(np.array(known, np.int64)[own])
    if len(codes) < len(coders):
        keys = packing.pack_keys(codes, len(lot.counts))
        values = np.full(len(lot.counts), PEOPLE_ROW)
    else:
        words = packing.pack(codes)
        keys = packing.keys(words)
        values = packing.values(words, keys)
    # shape (words + 3, rows); `_cut_ranges`, `_pieces` and `_sort_partition` rely on this order
    return np.stack([*keys, values, lot.counts, lot.raw])


def _cut_ranges(lines: Integers, bounds: list[tuple[int, ...]]) -> list[Integers]:
    """Put packed rows in the order of their keys, and cut them apart where a key is a bound or the first above one."""
    words = len(lines) - 3
    # lines 0 … words − 1 are the key, the most significant first, which lexsort wants last
    rising = lines[:, np.lexsort(lines[words - 1 :: -1])]
    keys, many = rising[:words], rising.shape[1]
    cuts = [bisect_left(range(many), bound, key=lambda at: tuple(map(int, keys[:, at]))) for bound in bounds]
    return [rising[:, start:end] for start, end in pairwise((0, *cuts, many))]


def _pieces(batches: Batches, lines: int) -> Iterator[Integers]:
    """Yield packed rows: (lines, rows), about `ROWS_PER_LOT` at a time."""
    held: list[Integers] = []
    for written in (written.as_buffer() for batch in batches for written in batch.column(0)):
        if not len(written):
            raise BadTable(CHANGED)
        # (lines · rows,) bytes as they were sent → (lines, rows)
        held.append(np.frombuffer(written, np.int64).reshape(lines, -1))
        if sum(each.shape[1] for each in held) >= ROWS_PER_LOT:
            yield np.concatenate(held, axis=1)
            held = []
    if held:
        yield np.concatenate(held, axis=1)


def _fingerprint(lines: Integers, counts: Integers) -> int:
    """Return a hash of rows (mod 2^64) that depends neither on their order nor on how equal ones are merged."""
    mixed = np.full(lines.shape[1], 0xD1B54A32D192ED03, np.uint64)  # above all words, so that no row is nothing
    for line in lines:
        mixed = (mixed ^ line.astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return int((mixed * counts.astype(np.uint64)).sum())


def _sort_partition(
    batches: Batches, packing: Packing, roles: Roles
) -> tuple[Totals, SortedRuns, SortedRuns | None, int]:
    """Sort the rows of a partition without those that the roles exclude, and add up the rest."""
    words = len(packing.layout)
    entries = SortedRuns(words, ENTRIES_PER_PARTITION)
    people = None if roles.values == "single" else SortedRuns(words, ENTRIES_PER_PARTITION)
    totals, fingerprint = Totals(missing=dict.fromkeys(roles.value_columns, 0)), 0
    for lines in _pieces(batches, words + 3):
        fingerprint += _fingerprint(lines[: words + 1], lines[words + 1])
        columns = [*lines]
        values = columns[words]
        if people is not None:
            of_people = values == PEOPLE_ROW
            people.add([column[of_people] for column in columns[:words]], columns[words + 1][of_people])
            columns = [column[~of_people] for column in columns]
        *keys, last, values, counts, raw = columns
        packed = RowCounts(packing, [*keys, last * packing.width + values], counts, raw)
        add_tally(packed, totals, entries, roles)
    return totals, entries, people, fingerprint % (1 << 64)


def _measure_shares(ranged: Any, packing: Packing, roles: Roles) -> list[Share]:  # noqa: ANN401 - of Spark
    def share(batches: Batches) -> list[Share]:
        totals, entries, people, fingerprint = _sort_partition(batches, packing, roles)
        rows, keys, first, last = 0, 0, None, None
        for _, counts, own, starts in whole_keys(entries, packing):
            rows, keys = rows + len(counts), keys + len(starts)
            first = first or tuple(int(word[0]) for word in own)
            last = tuple(int(word[-1]) for word in own)
        everybody = 0 if people is None else sum(int(counts.sum()) for _, counts in people.batches())
        return [Share(_partition(), totals, everybody, keys, rows, fingerprint, first, last)]

    return _collect(_map_partitions(ranged, share))
