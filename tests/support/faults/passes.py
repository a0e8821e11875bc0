"""A source that changes while it is read: refused, or read as it was or as it became, never as a mixture.

The change comes at a call of one of our own functions for reading, drawn by chance among all that a reading makes: so
also between any two passes over the rows.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
from support.faults.children import import_as_after, in_child
from support.faults.kills import Tally

PEOPLE = 60


def rows(version: int) -> pa.Table:
    """People whose labels are the same in both versions, and whose rows are not; each has two rows."""
    numbers = [n // 2 for n in range(2 * PEOPLE)]
    return pa.table(
        {
            "id": [f"p{n:02d}" for n in numbers],
            "age": [20 + (n * (7 if version else 11)) % 10 for n in numbers],
            "disease": [("Flu", "Cold", "Ulcer")[(n * (n + version) + at) % 3] for at, n in enumerate(numbers)],
            "weight": [1 + (n * (3 + version)) % 4 for n in numbers],
        }
    )


def single(version: int) -> pa.Table:
    return rows(version).take(pa.array(range(0, 2 * PEOPLE, 2)))


def write(table: pa.Table, file: Path) -> None:
    if file.suffix == ".parquet":
        pq.write_table(table, file, compression="none", use_dictionary=False)
    else:
        with pa.output_stream(str(file), compression="gzip" if file.suffix == ".gz" else None) as stream:
            pc.write_csv(table, stream)


def counted(table: Any) -> list[Any]:
    cells = [[column.cell(row) for row in range(len(table.sizes))] for column in table.quasi]
    return [cells, table.sizes.tolist(), table.counts.dense().tolist(), list(table.domain)]


def read_single(file: Path) -> Any:
    import sidelight as sl  # noqa: PLC0415 - in children

    return counted(sl.read_table(file, quasi="age", sensitive="disease", person="id"))


def read_sets(file: Path) -> Any:
    import sidelight as sl  # noqa: PLC0415

    table = sl.read_table(file, quasi="age", sensitive="disease", person="id", values="set")
    profiles = table.profiles()
    return [*counted(table), profiles.people.tolist()]


def read_weighed(file: Path) -> Any:
    import sidelight as sl  # noqa: PLC0415

    stream = sl.stream_release(file, group="age", sensitive="disease", weight="weight", person="id").stream
    blocks = [
        [each.tolist() for each in (block.sizes, block.counts.dense(), block.weights)] for block in stream.blocks()
    ]
    return [blocks, stream.weight]


READINGS: dict[str, tuple[Callable[[Path], Any], Callable[[int], pa.Table]]] = {
    "single": (read_single, single),
    "sets": (read_sets, rows),
    "weighed, in bounded memory": (read_weighed, single),
}
FILES = ("people.parquet", "people.csv", "people.csv.gz")
CHANGES = ("in place", "replaced")


def change_between(folder: Path, chance: random.Random, many: int, files: Sequence[str] = FILES) -> Tally:
    """Change files at so many moments for each reading, format and way to change."""
    tally = Tally("source changed while it was read")
    for reading, (read, made) in READINGS.items():
        for name in files:
            here, other = folder / name, folder / f"other-{name}"
            write(made(1), other)
            new = import_as_after(read, other)
            write(made(0), here)
            old, calls = import_as_after(counting_calls, read, here)
            for change in CHANGES:
                for _ in range(many):
                    write(made(0), here)
                    at = chance.randrange(calls)
                    ended = in_child(changed_at, at, here, other, change, read)
                    fine = ended.status == 0 and ended.answer in ("refused", old, new)
                    wrong = [] if fine else [f"read {'a mixture' if ended.status == 0 else ended.status}"]
                    tally.add(f"{reading}, {name} {change} at call {at} of {calls}", wrong)
    return tally


def on_calls(notice: Callable[[], object]) -> None:
    """Have `notice` called whenever a function of our reading begins."""

    def profile(frame: Any, event: str, _: object) -> None:
        if event == "call" and "/sidelight/table/" in frame.f_code.co_filename:
            notice()

    sys.setprofile(profile)


def counting_calls(read: Callable[[Path], Any], file: Path) -> tuple[Any, int]:
    calls = []
    on_calls(lambda: calls.append(1))
    answer = read(file)
    sys.setprofile(None)
    return answer, len(calls)


def changed_at(at: int, here: Path, other: Path, change: str, read: Callable[[Path], Any]) -> Any:
    from sidelight.errors import SidelightError  # noqa: PLC0415

    calls = iter(range(10**7))

    def notice() -> None:
        if next(calls) == at:
            sys.setprofile(None)
            if change == "in place":
                here.write_bytes(other.read_bytes())
            else:
                aside = here.with_name("aside")
                aside.write_bytes(other.read_bytes())
                os.replace(aside, here)  # noqa: PTH105 - as another program would

    on_calls(notice)
    try:
        return read(here)
    except SidelightError:
        return "refused"
