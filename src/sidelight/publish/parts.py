"""A release as a folder of Parquet parts, which Spark deals, puts into words and writes (`engines/spark/parts`).

Executors write where this process looks: into a folder that all of them share.  It is one published file: its digest is
that of its parts and their names, it is read back, judged and moved into place as one, and it is never replaced.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

from sidelight.engines.spark.parts import CodedCells, running_spark, write_parts
from sidelight.errors import BadTable, NotPublished
from sidelight.files import flush_to_disk
from sidelight.publish.formats import Format, FormatName, Parquet, Sheet, WrittenCells, format_of


def parts_or_file(path: Path, wished: FormatName | None, *, in_spark: bool) -> Format:
    """Choose the format: a name without an ending is a folder of parts where Spark is at hand.

    >>> type(parts_or_file(Path("release"), None, in_spark=True)).__name__
    'ParquetParts'
    >>> type(parts_or_file(Path("release.parquet"), None, in_spark=True)).__name__
    'Parquet'
    """
    if not in_spark or path.suffix or wished not in (None, "parquet"):
        return format_of(path, wished)
    if path.exists():
        message = f"'{path}' exists, and a folder is never replaced; give another name, or remove it first"
        raise NotPublished(message)
    return ParquetParts()


class ParquetParts(Parquet):
    """Parquet, in several files that are one table."""

    def write_to(self, path: Path, sheet: Sheet) -> None:
        """Have Spark write the parts into a new folder."""
        session = running_spark()
        if session is None:
            message = f"'{path.name}' is for Spark to write, which has ended; name it .parquet, or start Spark again"
            raise NotPublished(message)
        columns = [
            _coded(name, WrittenCells.of(column, kind), kind)
            for (name, column), kind in zip(sheet.columns.items(), self.kinds(sheet), strict=True)
        ]
        times = np.ones(len(sheet), np.int64) if sheet.dealt is None else sheet.dealt.times
        try:
            parts = write_parts(session, columns, times, path)
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
        for written in (*parts, path):
            flush_to_disk(written)


def _coded(name: str, cells: WrittenCells, kind: pa.DataType) -> CodedCells:
    return CodedCells(name, pa.array(cells.codes), cells.labels, kind)
