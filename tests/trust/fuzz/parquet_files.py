"""Parquet files: columns of every type that Arrow has, names that no table should have, and damaged bytes."""

from __future__ import annotations

import datetime as dt
import io
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st
from trust.fuzz.bars import MARK, Target
from trust.fuzz.near_valid import near_bytes
from trust.fuzz.people import NAMES, QUASI, TYPED, rows, run_command, written

import sidelight as sl

MANY = 8
COLUMNS = {
    "texts": pa.array([row[4] for row in rows(MANY)]),
    "large texts": pa.array([row[4] for row in rows(MANY)], pa.large_string()),
    "dictionary": pa.array([row[3] for row in rows(MANY)]).dictionary_encode(),
    "bytes": pa.array([f"{MARK}\0{at}".encode() for at in range(MANY)]),
    "bytes that are no text": pa.array([f"{MARK}".encode() + b"\xff\xfe"] * MANY),
    "truths": pa.array([True, False, None, True] * 2),
    "whole numbers": pa.array([1, 2, 3, None] * 2),
    "large numbers": pa.array([2**63 - 1, -(2**63), 0, 1] * 2),
    "unsigned": pa.array([2**64 - 1, 0, 1, 2] * 2, pa.uint64()),
    "floats": pa.array([0.1, float("nan"), float("inf"), -0.0] * 2),
    "halves": pa.array([1.5, 2.5] * 4, pa.float32()),
    "decimals": pa.array([Decimal("1.10"), None] * 4),
    "days": pa.array([dt.date(2020, 2, 29), dt.date(1, 1, 1)] * 4),
    "far days": pa.array([2**31 - 1, -(2**31)] * 4, pa.int32()).cast(pa.date32()),
    "moments": pa.array([dt.datetime(2020, 1, 1, 1, 1, 1, 1), None] * 4),
    "zoned": pa.array([dt.datetime(2020, 1, 1, tzinfo=dt.UTC)] * MANY),
    "odd zone": pa.array([0] * MANY, pa.timestamp("us", tz="Mars/Olympus")),
    "nanoseconds": pa.array([1] * MANY, pa.timestamp("ns")),
    "times": pa.array([dt.time(1, 2, 3)] * MANY),
    "durations": pa.array([dt.timedelta(seconds=1)] * MANY),
    "lists": pa.array([[row[4]] for row in rows(MANY)]),
    "structs": pa.array([{"a": row[4]} for row in rows(MANY)]),
    "maps": pa.array([[(row[4], 1)] for row in rows(MANY)], pa.map_(pa.string(), pa.int64())),
    "nulls": pa.nulls(MANY),
    "empty texts": pa.array([""] * MANY),
    "strange texts": pa.array([f"{MARK}\0", f"{MARK}\n", f"\x1b[2J{MARK}", f"{MARK}\u2028", "*", "?", " ", "NULL"]),
}
STRANGE_NAMES = (
    "",
    "age",
    "age ",
    "AGE",
    "*",
    "^s$",
    "a\nb",
    "a\0b",
    '"',
    "'",
    "1",
    "person",
    "each row",
    "a" * 300,
    "\u2028",
)


@st.composite
def files(draw: st.DrawFn) -> tuple[bytes, tuple[str, ...]]:
    """A file of columns of any type, in one of many styles, whole or damaged; and what is asked about it."""
    kinds = draw(st.lists(st.sampled_from(sorted(COLUMNS)), min_size=1, max_size=6))
    names = [*NAMES[1:], "name"][: len(kinds)]
    for at in draw(st.lists(st.integers(0, len(names) - 1), max_size=2)):
        names[at] = draw(st.sampled_from(STRANGE_NAMES))
    table = pa.table([COLUMNS[kind] for kind in kinds], names=names)
    table = table.slice(0, draw(st.sampled_from([MANY, MANY, 1, 0])))
    style = {
        "compression": draw(st.sampled_from(["snappy", "zstd", "gzip", "none"])),
        "use_dictionary": draw(st.booleans()),
        "row_group_size": draw(st.sampled_from([1, 3, 100])),
    }
    held = io.BytesIO()
    pq.write_table(table, held, **style)
    content = held.getvalue()
    if draw(st.booleans()):
        content = near_bytes(draw, content)
    question = draw(st.sampled_from(["read_table", "read_table", "read_table", "suggest_roles", "columns", "audit"]))
    options = [f"-{role}{draw(st.sampled_from(TYPED))}" for role in "gs"] if question == "audit" else []
    return content, (question, *options)


def ask(given: tuple[bytes, tuple[str, ...]]) -> str:
    content, (verb, *options) = given
    file = written("people.parquet", content)
    if verb == "read_table":
        sl.read_table(file, quasi=QUASI[:2], sensitive="disease")
        return ""
    if verb == "suggest_roles":
        sl.suggest_roles(file)
        return ""
    return run_command([verb, file, *options])


TARGET = Target("Parquet", files(), ask, share=60, short=50)
