"""Rows that Spark writes into a folder of Parquet parts, in an order drawn by chance.

    codes and how often each row is written ──▶ executors: rows, labels, a place drawn by chance for each
                                            ──▶ partitions by place, each sorted by it ──▶ part-….parquet

*Invariants.*  Where a row stands is told by its place alone, so that every order is as likely as any other.  Places are
drawn from a seed and the partition: a task that is run again, because an executor was lost, draws the same ones, and no
row is lost or written twice.
"""

from __future__ import annotations

import secrets
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from sidelight.arrays import Integers, repeated
from sidelight.engines.spark.source import spark_errors

ROWS_PER_PART = 1 << 21
"""So many rows a part has, about, or fewer."""

SPARK_KINDS = {pa.string(): "string", pa.int64(): "long", pa.float64(): "double", pa.date32(): "date"}

SETTINGS = {"compression": "zstd", "mapreduce.fileoutputcommitter.marksuccessfuljobs": "false"}

Batches = Iterator[pa.RecordBatch]


@dataclass(frozen=True, eq=False, slots=True)
class CodedCells:
    """A column of rows: codes of labels, or, without labels, what is written; and the kind of it."""

    name: str
    codes: pa.Array
    labels: pa.Array | None
    kind: pa.DataType


def running_spark() -> Any:  # noqa: ANN401 - a session of Spark, which is an extra
    """Give the session that runs in this process; None if there is none."""
    sql = sys.modules.get("pyspark.sql")
    return None if sql is None else sql.SparkSession.getActiveSession()


def write_parts(session: Any, columns: Sequence[CodedCells], times: Integers, folder: Path) -> list[Path]:  # noqa: ANN401
    """Have executors write rows so many times each into a new folder; give the parts that this process finds there."""
    codes = [f"c{number}" for number in range(len(columns))]
    types = ", ".join(f"{code} {SPARK_KINDS[each.kind]}" for code, each in zip(codes, columns, strict=True))
    labels, seed = [each.labels for each in columns], secrets.randbits(128)
    table = pa.table([*(each.codes for each in columns), pa.array(times)], names=[*codes, "times"])
    parts = max(-(-int(times.sum()) // ROWS_PER_PART), 1)

    def placed(batches: Batches) -> Batches:
        return _placed(batches, labels, seed)

    with spark_errors(folder.name):
        rows = session.createDataFrame(table).mapInArrow(placed, f"{types}, place long")
        shuffled = rows.repartition(parts, "place").sortWithinPartitions("place").drop("place")
        named = shuffled.toDF(*(each.name for each in columns))
        named.write.options(**SETTINGS).parquet(folder.resolve().as_uri())
    return sorted(folder.glob("part-*.parquet"))


def _placed(batches: Batches, labels: list[pa.Array | None], seed: int) -> Batches:
    """In an executor: write each row as often as it is to be, in words, with its place."""
    from pyspark import TaskContext  # noqa: PLC0415 - of an extra

    context = TaskContext.get()
    assert context is not None
    rng = np.random.default_rng([seed, context.partitionId()])
    for batch in batches:
        *codes, times = batch.columns
        for rows in repeated(times.to_numpy(), ROWS_PER_PART):
            here = [column.take(pa.array(rows)) for column in codes]
            words = [each if own is None else own.take(each) for own, each in zip(labels, here, strict=True)]
            place = pa.array(rng.integers(-(1 << 63), (1 << 63) - 1, len(rows), endpoint=True))
            yield pa.RecordBatch.from_arrays([*words, place], names=[*batch.schema.names[:-1], "place"])
