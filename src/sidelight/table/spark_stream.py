"""A table in Spark that is gone through where it is: keys stay in the executors, only summaries come to the driver.

    frame ──▶ GROUP BY in Spark ──▶ packed numbers ──▶ ranges of keys, one a partition ──▶ `KeyStream` in each executor

The labels of each column are found in one pass and put in order here; with them, executors pack the counted rows as
`packed_keys` does (`mapInArrow`).  Packed keys rise as keys do, so a partition by ranges holds whole keys, and those of
partition i come after all of partitions below i: the number of a partition's first key is 1 + the keys before it.

    look       each partition sorts its rows, adds up what is known of the whole (`Totals`) and counts its keys
    spread     each partition is a `KeyStream` of its own, and is asked like any; what comes of it is merged by a tree
               of at most `FAN_IN` parts a node, the last of them here

*Invariants.*  Blocks are those of the same rows in a file, but for where they are cut, which no summary shows.
A partition that Spark computes again, because a worker was lost, is the same: its range is fixed, and rows of a range
are sorted.  If it has other rows than when it was looked at, they have changed, and the answer is an error.
"""

from __future__ import annotations

import pickle
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import reduce
from itertools import accumulate, islice, pairwise
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from sidelight._arrays import Integers
from sidelight.errors import BadTable, SidelightError, parameter
from sidelight.table.cell_lists import whole_cells
from sidelight.table.dataframe_source import spark_rows
from sidelight.table.key_stream import KeyBlock, KeyStream, Summed, whole_keys
from sidelight.table.labels import Label
from sidelight.table.memory import Memory
from sidelight.table.packed_keys import Packing
from sidelight.table.read import RowCounts, check_people, people_levels, tally_levels
from sidelight.table.read_stream import Totals, add_tally, check_totals, read_stream, stream_of
from sidelight.table.roles import Roles
from sidelight.table.sorted_runs import Batch, SortedRuns
from sidelight.table.source import TextRows, arrow_integers, encode_by, grouped_frame, numpy_integers, packing_of
from sidelight.table.spark_source import is_spark, spark_errors
from sidelight.table.streamed_cells import split_stream
from sidelight.table.table import Column

FAN_IN = 16
"""How many parts are merged at a time."""

ENTRIES_PER_PARTITION = 1 << 21
"""So many counted rows a partition has, or fewer; an executor sorts them at a time."""

ROWS_AT_ONCE = 1 << 17
"""How many rows are gathered before they are looked at: Spark hands over a few thousand at a time."""

PEOPLE = -1
"""In place of a sensitive value: this row says how many people a key has."""

Batches = Iterator[pa.RecordBatch]
Part = TypeVar("Part")


@dataclass(frozen=True, slots=True)
class Share:
    """What a partition has of the keys."""

    partition: int
    totals: Totals
    people: int
    keys: int
    entries: int
    first_key: tuple[int, ...] | None
    last_key: tuple[int, ...] | None
    first: int = 1  # the number of its first key


@dataclass(frozen=True, eq=False, slots=True)
class SparkStream(KeyStream):
    """A `KeyStream` whose keys are in the executors of Spark; it has no entries of its own."""

    frame: Any = None  # packed rows, a range of keys in each partition
    partitions: int = 1
    shares: tuple[Share, ...] = ()  # in the order of the keys, of those that have some

    def spread(self, of_stream: Callable[[KeyStream], Summed], merge: Callable[[Summed, Summed], Summed]) -> Summed:
        """Ask each executor about its keys, and merge by a tree."""
        known, shares = self.known(), self._by_partition()

        def of_partition(batches: Batches) -> list[Summed]:
            share = shares.get(_partition())
            return [] if share is None else [of_stream(_local(known, share, batches))]

        with spark_errors(self.place):
            return reduce(merge, _by_tree(self.frame, self.partitions, of_partition, merge))

    def gather(self, of_stream: Callable[[KeyStream], Iterable[Summed]]) -> Iterator[Summed]:
        """Bring here what each executor says of its keys, a partition at a time."""
        known, shares = self.known(), self._by_partition()

        def of_partition(batches: Batches) -> list[Summed]:
            share = shares.get(_partition())
            return [] if share is None else list(of_stream(_local(known, share, batches)))

        with spark_errors(self.place):
            for row in _mapped(self.frame, of_partition).toLocalIterator():
                yield from _opened(row.answer)

    def brought_here(self, memory: Memory) -> KeyStream:
        """Sort all keys here again, in bounded memory."""
        words = len(self.packing.layout)
        runs = [SortedRuns(words, memory.rows_to_sort(words), self.rows_held) for _ in range(2)]

        def rows_of(local: KeyStream) -> Iterator[tuple[int, Batch]]:
            for which, own in enumerate((local.entries, local.people_per_key)):
                yield from ((which, batch) for batch in ([] if own is None else own.batches()))

        for which, batch in self.gather(rows_of):
            runs[which].add(*batch)
        return replace(self.known(), entries=runs[0], people_per_key=None if self.people_per_key is None else runs[1])

    def sizes(self) -> Iterator[Integers]:
        """Give the people of all keys, in order."""
        return (block.sizes for block in self.blocks())

    @property
    def here(self) -> bool:
        """Keys are in the executors."""
        return False

    @property
    def rows_held(self) -> int:
        """How many rows are stored, people apart."""
        return sum(share.entries for share in self.shares)

    def reduce(
        self,
        summarise: Callable[[KeyBlock], Summed],
        merge: Callable[[Summed, Summed], Summed],
        enough: Callable[[Summed], bool] | None = None,
    ) -> Summed:
        """Summarise blocks in the executors."""
        return self.spread(lambda local: local.reduce(summarise, merge, enough), merge)

    def blocks(self) -> Iterator[KeyBlock]:
        """Bring the keys here, a partition at a time."""
        known, shares = self.known(), self._by_partition()
        for share in shares.values():
            here = share.partition

            def only_here(local: KeyStream, here: int = here) -> Iterator[tuple[list[Batch], list[Batch]]]:
                if _partition() == here:
                    people = local.people_per_key
                    yield [*local.entries.batches()], [] if people is None else [*people.batches()]

            for entries, people in self.gather(only_here):
                yield from _with_rows(known, share, entries, people).blocks()

    def count(self) -> int:
        """Say how many keys there are."""
        return sum(share.keys for share in self.shares)

    def first_columns(self) -> tuple[Column, ...]:
        """Say what the first key says."""
        first = self.shares[0].first_key
        assert first is not None
        return self.columns_of(self.packing.key_codes([np.array([word]) for word in first]))

    def known(self) -> KeyStream:
        """What an executor has to know, of which keys are no part."""
        return KeyStream(**{each.name: getattr(self, each.name) for each in fields(KeyStream)})

    def _by_partition(self) -> dict[int, Share]:
        """Say what each partition has, and the number of its first key; in the order of the keys."""
        firsts = accumulate((share.keys for share in self.shares), initial=1)
        return {share.partition: replace(share, first=first) for share, first in zip(self.shares, firsts, strict=False)}

    @property
    def place(self) -> str:
        """What messages call the rows."""
        return self.intake.files[0].name if self.intake.files else "the table"


def stream_keys(source: object, roles: Roles, memory: Memory) -> KeyStream:
    """Sort rows by their keys where they are: in Spark, or here in bounded memory; `roles` are complete."""
    if not is_spark(source):
        return read_stream(source, roles, memory)
    if roles.split is None:
        return read_spark_stream(source, roles, memory)
    return split_stream(read_spark_stream(source, whole_cells(roles), memory), roles, roles.split, memory)


def read_spark_stream(source: object, roles: Roles, memory: Memory) -> SparkStream:
    """Have Spark count rows and keep them in the order of their keys; `roles` are complete."""
    if roles.weight is not None:
        message = (
            f"{parameter('weight')} is not added up in Spark's executors; read the rows without {parameter('memory')}"
        )
        raise BadTable(message)
    with spark_errors("the table"):
        rows = spark_rows(source, roles)
    with spark_errors(rows.source.name):
        counted = _counted(rows, tally_levels(rows, roles), counting=False).persist()
        try:
            packing, entries = _packing(counted, rows, memory)
            parts = max(-(-entries // ENTRIES_PER_PARTITION), _parallel(counted))
            # each task looks all labels up, so there are no more of them than are worth it
            packed = _packed(counted.coalesce(parts), rows, packing, rows.key_and_value)
            if roles.values != "single":
                people = _counted(rows, people_levels(rows), counting=True).coalesce(parts)
                packed = packed.unionByName(_packed(people, rows, packing, rows.key))
            keys = [f"k{number}" for number in range(len(packing.layout))]
            ranged = _kept(packed.repartitionByRange(parts, *keys))
            shares = _shares(ranged, packing, roles)
        finally:
            counted.unpersist()
        totals = reduce(Totals.merged, (share.totals for share in shares))
        check_totals(totals, rows, roles)
        if roles.person_column is not None:
            check_people(rows, roles)
    held = [replace(share, totals=replace(share.totals, values=None)) for share in shares if share.keys]
    held.sort(key=lambda share: share.first_key or ())
    _check_ranges(held)
    nothing = SortedRuns(len(packing.layout), 1)
    people_per_key = None if roles.values == "single" else SortedRuns(len(packing.layout), 1)
    everybody = None if roles.values == "single" else sum(share.people for share in held)
    stream = stream_of(
        rows, roles, packing, totals, entries=nothing, people_per_key=people_per_key, everybody=everybody
    )
    known = {each.name: getattr(stream, each.name) for each in fields(KeyStream)}
    return SparkStream(**known, frame=ranged, partitions=parts, shares=tuple(held))


def fits_here(source: object, roles: Roles, memory: Memory) -> bool:
    """Whether the keys are few enough to come to the driver: Spark estimates their number in one pass."""
    from pyspark.sql import functions  # noqa: PLC0415 - of an extra

    with spark_errors("the table"):
        rows = spark_rows(source, roles)
    with spark_errors(rows.source.name):
        key = functions.approx_count_distinct(functions.struct(*rows.key))
        about = rows.frame.to_native().select(key).collect()[0][0]
    return int(about) <= memory.keys_to_hold


def _check_ranges(shares: Sequence[Share]) -> None:
    """Ranges of keys do not overlap: each key is whole."""
    for before, after in pairwise(shares):
        assert before.last_key is not None
        assert after.first_key is not None
        assert before.last_key < after.first_key


def _counted(rows: TextRows, levels: Sequence[tuple[str, ...]], *, counting: bool) -> Any:  # noqa: ANN401 - of Spark
    return grouped_frame(rows, levels, counting=counting).to_native()


def _kept(frame: Any) -> Any:  # noqa: ANN401 - of Spark
    """Have Spark keep a frame for as long as somebody here does."""
    kept = frame.persist()
    java = getattr(kept, "_jdf", None)  # which Spark Connect does not have
    if java is not None:
        weakref.finalize(kept, _forget, java).atexit = False
    return kept


def _forget(java: Any) -> None:  # noqa: ANN401 - of Spark
    with suppress(Exception):  # it may be gone altogether
        java.unpersist(False)  # noqa: FBT003 - without waiting


def _parallel(frame: Any) -> int:  # noqa: ANN401 - of Spark
    """Say how many partitions are worked on at once; by Spark Connect only settings are told."""
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


def _mapped(frame: Any, of_partition: Callable[[Batches], list[Part]]) -> Any:  # noqa: ANN401 - of Spark
    """Let executors answer once per partition; an answer is what a partition comes to, or our own error."""

    def answers(batches: Batches) -> Batches:
        from pyspark import cloudpickle  # noqa: PLC0415 - measures may be of a user's own making

        try:
            answer: list[Part] | SidelightError = of_partition(batches)
        except SidelightError as problem:
            answer = problem
        yield pa.RecordBatch.from_pydict({"answer": [cloudpickle.dumps(answer)]})  # type: ignore[no-untyped-call]

    return frame.mapInArrow(answers, "answer binary")


def _collected(frame: Any) -> list[list[Any]]:  # noqa: ANN401 - of Spark
    return [_opened(row.answer) for row in frame.collect()]


def _opened(answer: bytes) -> list[Any]:
    opened: list[Any] | SidelightError = pickle.loads(answer)  # noqa: S301 - our own executors wrote it
    if isinstance(opened, SidelightError):
        raise opened
    return opened


def _by_tree(
    frame: Any,  # noqa: ANN401 - of Spark
    many: int,
    of_partition: Callable[[Batches], list[Part]],
    merge: Callable[[Part, Part], Part],
) -> Iterator[Part]:
    """Merge the answers of so many partitions by a tree, whose last parts come here."""

    def merged(batches: Batches) -> list[Part]:
        parts = (part for batch in batches for answer in batch.column(0).to_pylist() for part in _opened(answer))
        return [reduce(merge, parts, first) for first in islice(parts, 1)]

    answers = _mapped(frame, of_partition)
    while many > FAN_IN:
        many = -(-many // FAN_IN)
        answers = _mapped(answers.repartition(many), merged)
    return (part for parts in _collected(answers) for part in parts)


def _gathered(batches: Batches, rows: int = ROWS_AT_ONCE) -> Iterator[pa.Table]:
    """Put small batches together."""
    held: list[pa.RecordBatch] = []
    for batch in batches:
        held.append(batch)
        if sum(each.num_rows for each in held) >= rows:
            yield pa.Table.from_batches(held).combine_chunks()  # so that each has one dictionary of its labels
            held = []
    if held:
        yield pa.Table.from_batches(held).combine_chunks()


def _packing(counted: Any, rows: TextRows, memory: Memory) -> tuple[Packing, int]:  # noqa: ANN401 - of Spark
    """Find the labels of all columns in one pass, and how many counted rows there are."""
    names, roles = rows.key_and_value, rows.roles

    def distinct(batches: Batches) -> list[tuple[int, list[bytes]]]:
        many = 0
        seen: dict[str, pa.Array] = {}
        for table in _gathered(batches):
            many += table.num_rows
            for name in names:
                new = table.column(name).unique()
                seen[name] = pa.concat_arrays([seen[name], new]).unique() if name in seen else new
            if not memory.holds_labels(sum(map(len, seen.values()))):
                break
        return [(many, [_written(seen[name]) for name in names])] if seen else []

    answers = [part for parts in _collected(_mapped(counted, distinct)) for part in parts]
    if not answers:
        message = f"{rows.source.name} has no rows; give at least one person"
        raise BadTable(message)
    labels = [pa.chunked_array([_read(columns[at]) for _, columns in answers]).unique() for at in range(len(names))]
    if not memory.holds_labels(sum(map(len, labels))):
        name, most = max(zip(names, labels, strict=True), key=lambda pair: len(pair[1]))
        raise memory.too_many_labels(roles.used[name], len(most))
    return packing_of(labels, roles), sum(many for many, _ in answers)


def _written(column: pa.Array) -> bytes:
    sink = pa.BufferOutputStream()
    table = pa.table({"cells": column})
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    written: bytes = sink.getvalue().to_pybytes()
    return written


def _read(written: bytes) -> pa.Array:
    column = pa.ipc.open_stream(pa.py_buffer(written)).read_all().column("cells")
    return column.combine_chunks()


def _packed(
    counted: Any,  # noqa: ANN401 - of Spark
    rows: TextRows,
    packing: Packing,
    columns: tuple[str, ...],
) -> Any:  # noqa: ANN401 - of Spark
    """Have executors pack counted rows: words of the key, sensitive value, how often it counts, and rows."""
    roles, names = rows.roles, [f"k{number}" for number in range(len(packing.layout))]
    has_values = len(columns) == len(packing.labels)
    counts = "rows" if has_values and roles.values != "set" else "parts"

    def packed(batches: Batches) -> Batches:
        coders = [_coder(labels) for labels in packing.labels[: len(columns)]]
        for table in _gathered(batches):
            codes = [encode_by(table.column(name), roles, coder) for name, coder in zip(columns, coders, strict=True)]
            if has_values:
                words = packing.pack(codes)
                keys = packing.keys(words)
                values = packing.values(words, keys)
            else:
                keys = packing.pack_keys(codes, table.num_rows)
                values = np.full(table.num_rows, PEOPLE)
            amounts = [numpy_integers(table.column(name)) for name in (counts, "rows")]
            arrays = map(arrow_integers, (*keys, values, *amounts))
            yield pa.RecordBatch.from_arrays([*arrays], names=[*names, "value", "counts", "raw"])

    return counted.mapInArrow(packed, ", ".join(f"{name} long" for name in (*names, "value", "counts", "raw")))


def _coder(labels: Sequence[Label]) -> dict[Label, int]:
    return {text: code for code, text in enumerate(labels)}


def _sorted(batches: Batches, packing: Packing, roles: Roles) -> tuple[Totals, SortedRuns, SortedRuns | None]:
    """Sort the rows of a partition, setting aside what the roles say, and add up what is left."""
    words = len(packing.layout)
    entries = SortedRuns(words, ENTRIES_PER_PARTITION)
    people = None if roles.values == "single" else SortedRuns(words, ENTRIES_PER_PARTITION)
    totals = Totals(missing=dict.fromkeys(roles.value_columns, 0))
    for table in _gathered(batches):
        columns = [numpy_integers(column) for column in table.columns]
        values = columns[words]
        if people is not None:
            of_people = values == PEOPLE
            people.add([column[of_people] for column in columns[:words]], columns[words + 1][of_people])
            columns = [column[~of_people] for column in columns]
        *keys, last, values, counts, raw = columns
        packed = RowCounts(packing, [*keys, last * packing.width + values], counts, raw)
        add_tally(packed, totals, entries, roles)
    return totals, entries, people


def _shares(ranged: Any, packing: Packing, roles: Roles) -> list[Share]:  # noqa: ANN401 - of Spark
    def share(batches: Batches) -> list[Share]:
        totals, entries, people = _sorted(batches, packing, roles)
        keys, first, last = 0, None, None
        for _, _, own, starts in whole_keys(entries, packing):
            keys += len(starts)
            first = first or tuple(int(word[0]) for word in own)
            last = tuple(int(word[-1]) for word in own)
        everybody = 0 if people is None else sum(int(counts.sum()) for _, counts in people.batches())
        return [Share(_partition(), totals, everybody, keys, entries.rows, first, last)]

    return [part for parts in _collected(_mapped(ranged, share)) for part in parts]


def _local(known: KeyStream, share: Share, batches: Batches) -> KeyStream:
    """Give the keys of a partition, numbered as in the whole."""
    totals, entries, people = _sorted(batches, known.packing, known.roles)
    if (totals.rows, totals.counted) != (share.totals.rows, share.totals.counted):
        message = "the rows changed while they were read; read them again when nobody writes to them"
        raise BadTable(message)
    return replace(known, entries=entries, people_per_key=people, first=share.first)


def _with_rows(known: KeyStream, share: Share, entries: list[Batch], people: list[Batch]) -> KeyStream:
    """Give the keys of a partition, of which the rows are here."""
    words = len(known.packing.layout)
    runs = [SortedRuns(words, ENTRIES_PER_PARTITION) for _ in range(2)]
    for each, batches in zip(runs, (entries, people), strict=True):
        for batch in batches:
            each.add(*batch)
    of_people = None if known.people_per_key is None else runs[1]
    return replace(known, entries=runs[0], people_per_key=of_people, first=share.first)
