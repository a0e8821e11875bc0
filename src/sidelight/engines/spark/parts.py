"""Rows that Spark writes into a folder of Parquet parts, in an order drawn by chance.

    codes and how often each row is written ──▶ executors: rows, labels, a place drawn by chance for each
                                            ──▶ partitions by place, each sorted by it ──▶ part-….parquet

*Invariants.*  Where a row stands is told by its place alone, so that every order is as likely as any other.  Places are
drawn from a seed and the partition: a task that is run again, because an executor was lost, draws the same ones, and no
row is lost or written twice.

Executors write where this process looks: into a folder that all of them share.  It is one published file: its digest is
that of its parts and their names, it is read back, judged and moved into place as one, and it is never replaced.
"""

from __future__ import annotations

import secrets
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from sidelight.arrays import Integers, repeat_rows
from sidelight.engines.formats.file_format import FormatName, Writer
from sidelight.engines.formats.parquet import ParquetWriter
from sidelight.engines.formats.registry import writer_of
from sidelight.engines.formats.sheet import Sheet, WrittenCells
from sidelight.engines.spark.session import spark_errors
from sidelight.errors import BadTable, NotPublished
from sidelight.files import flush_to_disk

# About how many rows a part has at most
ROWS_PER_PART = 1 << 21

Batches = Iterator[pa.RecordBatch]


def running_spark() -> Any:  # noqa: ANN401 - a session of Spark, which is an extra
    """Return the session that runs in this process; None if there is none."""
    sql = sys.modules.get("pyspark.sql")
    return None if sql is None else sql.SparkSession.getActiveSession()


def parts_or_file(path: Path, wished: FormatName | None, *, in_spark: bool) -> Writer:
    """Choose how to write: a name without an ending is a folder of parts where Spark is at hand.

    >>> type(parts_or_file(Path("release"), None, in_spark=True)).__name__
    'ParquetParts'
    >>> type(parts_or_file(Path("release.parquet"), None, in_spark=True)).__name__
    'ParquetWriter'
    """
    if not in_spark or path.suffix or wished not in (None, "parquet"):
        return writer_of(path, wished)
    if path.exists():
        message = f"'{path}' exists, and a folder is never replaced; give another name, or remove it first"
        raise NotPublished(message)
    return ParquetParts()


class ParquetParts(ParquetWriter):
    """Parquet, in several files that are one table."""

    def write_to(self, path: Path, sheet: Sheet) -> None:
        """Have Spark write the parts into a new folder."""
        session = running_spark()
        if session is None:
            message = f"'{path.name}' is for Spark to write, which has ended; name it .parquet, or start Spark again"
            raise NotPublished(message)
        times = np.ones(len(sheet), np.int64) if sheet.dealt is None else sheet.dealt.times
        try:
            parts = write_parts(session, sheet, times, path)
        except BadTable:
            message = (
                f"Spark could not write '{path.name}', and nothing was published; see that its executors live and may "
                "write into this folder, or name it .parquet"
            )
            raise NotPublished(message) from None
        if not parts:
            message = (
                f"Spark wrote no part of '{path.name}' where this process looks; choose a folder that executors share"
            )
            raise NotPublished(message)
        for other in {*path.iterdir()} - {*parts}:  # checksums of Spark's own
            other.unlink()
        # the files before the folder: the folder's entries must not survive a crash without the bytes they name
        for part in (*parts, path):
            flush_to_disk(part)


def write_parts(session: Any, sheet: Sheet, times: Integers, folder: Path) -> list[Path]:  # noqa: ANN401
    """Have executors write rows some times each into a new folder; return the parts that this process finds there."""
    kinds = sheet.arrow_kinds()
    cells = [WrittenCells.build(column, kind) for column, kind in zip(sheet.columns.values(), kinds, strict=True)]
    codes = [f"c{number}" for number in range(len(cells))]
    words = {pa.string(): "string", pa.int64(): "long", pa.float64(): "double", pa.date32(): "date"}
    types = ", ".join(f"{code} {words[kind]}" for code, kind in zip(codes, kinds, strict=True))
    labels, seed = [each.labels for each in cells], secrets.randbits(128)
    table = pa.table([*(pa.array(each.codes) for each in cells), pa.array(times)], names=[*codes, "times"])
    parts = max(-(-int(times.sum()) // ROWS_PER_PART), 1)
    settings = {"compression": "zstd", "mapreduce.fileoutputcommitter.marksuccessfuljobs": "false"}

    def place(batches: Batches) -> Batches:
        return _place_rows(batches, labels, seed)

    with spark_errors(folder.name):
        rows = session.createDataFrame(table).mapInArrow(place, f"{types}, place long")
        # 64 random bits per row decide its part (by Spark's hash) and its place there: the order of the input is lost
        shuffled = rows.repartition(parts, "place").sortWithinPartitions("place").drop("place")
        shuffled.toDF(*sheet.columns).write.options(**settings).parquet(folder.resolve().as_uri())
    return sorted(folder.glob("part-*.parquet"))


def _place_rows(batches: Batches, labels: list[pa.Array | None], seed: int) -> Batches:
    """In an executor: write each row as often as it is to be, in words, with its place."""
    from pyspark import TaskContext  # noqa: PLC0415 - of an extra

    context = TaskContext.get()
    assert context is not None
    # the partition is part of the seed, else all executors would draw the same places
    rng = np.random.default_rng([seed, context.partitionId()])
    for batch in batches:
        *codes, times = batch.columns
        for rows in repeat_rows(times.to_numpy(), ROWS_PER_PART):
            here = [column.take(pa.array(rows)) for column in codes]
            words = [each if own is None else own.take(each) for own, each in zip(labels, here, strict=True)]
            place = pa.array(rng.integers(-(1 << 63), (1 << 63) - 1, len(rows), endpoint=True))
            yield pa.RecordBatch.from_arrays([*words, place], names=[*batch.schema.names[:-1], "place"])
