"""One byte of a file is changed: an error of ours, or what the file now says; never a crash, nor a wait without end.

Formats that carry checksums must notice a byte that was changed in what they check: what is read then is what was
written, or nothing is.  Others cannot (plain text, Stata, SPSS, SAS, Parquet without checksums): a cell may say
something else, as if somebody had typed it so.
"""

from __future__ import annotations

import random
import resource
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
from support.faults.children import import_as_after, in_child
from support.faults.kills import Tally
from support.faults.passes import counted

PEOPLE = 400
SECONDS = 30
"""Of processor time: longer, and it hangs."""


def people() -> pa.Table:
    numbers = range(PEOPLE)
    return pa.table(
        {
            "age": [20 + n * 7 % 40 for n in numbers],
            "zip": [f"1{n * n % 97:04d}" for n in numbers],
            "disease": [("Flu", "Cold", "Ulcer", "Asthma")[n * n % 4] for n in numbers],
        }
    )


def parquet(**options: Any) -> Callable[[Path], None]:
    return lambda file: pq.write_table(people(), file, row_group_size=150, **options)


def by_duckdb(file: Path) -> None:
    import duckdb  # noqa: PLC0415 - only this one needs it

    con = duckdb.connect()
    con.register("people", people())
    con.execute(f"COPY people TO '{file}' (FORMAT parquet)")
    con.close()


def statistics(function: str, **options: Any) -> Callable[[Path], None]:
    def written(file: Path) -> None:
        import pyreadstat  # noqa: PLC0415

        getattr(pyreadstat, function)(people().to_pandas(), str(file), **options)

    return written


def spreadsheet(file: Path) -> None:
    from openpyxl import Workbook  # noqa: PLC0415

    book = Workbook()
    for row in (people().column_names, *zip(*people().to_pydict().values(), strict=True)):
        book.active.append(row)
    book.save(file)


def text(packer: str | None = None) -> Callable[[Path], None]:
    def written(file: Path) -> None:
        with pa.output_stream(str(file), compression=packer) as stream:
            pc.write_csv(people(), stream)

    return written


FORMATS: dict[str, Callable[[Path], None]] = {
    "people.parquet": parquet(),
    "checked.parquet": parquet(write_page_checksum=True),
    "plain.parquet": parquet(compression="none", use_dictionary=False),
    "zstd.parquet": parquet(compression="zstd", data_page_version="2.0"),
    "duckdb.parquet": by_duckdb,
    "people.csv": text(),
    "people.csv.gz": text("gzip"),
    "people.csv.zst": text("zstd"),
    "people.xlsx": spreadsheet,
    "people.dta": statistics("write_dta"),
    "people.sav": statistics("write_sav"),
    "people.zsav": statistics("write_sav", compress=True),
    "people.xpt": statistics("write_xport"),
    "people.por": statistics("write_por"),
}
SHORT = ("checked.parquet",)
CHECKED = ("people.csv.gz", "people.xlsx")
"""Where nothing but what was written may be read, wherever the byte is; of Parquet, where Arrow says so."""


def read(file: Path) -> Any:
    import sidelight as sl  # noqa: PLC0415 - in children

    capitals = file.suffix == ".por"  # which has no small letters in names
    age, place, disease = (name.upper() if capitals else name for name in ("age", "zip", "disease"))
    return counted(sl.read_table(file, quasi=[age, place], sensitive=disease))


def flip(kind: str, folder: Path, chance: random.Random, many: int) -> Tally:
    """Change a byte at many places, mostly anywhere, sometimes near the beginning or the end."""
    tally, file = Tally(f"one byte changed: {kind}"), folder / kind
    FORMATS[kind](file)
    good, meant = file.read_bytes(), import_as_after(read, file)
    for number in range(many):
        near = min(len(good), 1500)
        at = {0: chance.randrange(near), 1: len(good) - 1 - chance.randrange(near)}.get(
            number % 5, chance.randrange(len(good))
        )
        damaged = bytearray(good)
        damaged[at] ^= chance.randrange(1, 256)
        file.write_bytes(damaged)
        ended = in_child(outcome, file)
        wrong = []
        if ended.status != 0:
            wrong.append(f"it ended with {ended.status}: {str(ended.answer)[-300:]}")
        elif ended.answer[0] not in ("refused", meant) and (kind in CHECKED or ended.answer[1]):
            wrong.append("a change went unnoticed that a checksum tells")
        tally.add(f"byte {at} of {len(good)}", wrong)
    return tally


def arrow_notices(file: Path) -> bool:
    """Whether a page of Parquet is not the one that its checksum tells of, or what is damaged is no Parquet at all."""
    try:
        pq.read_table(file, page_checksum_verification=True, use_threads=False)
    except (OSError, pa.ArrowException, ValueError):
        return True
    return False


def outcome(file: Path) -> Any:
    from sidelight.errors import SidelightError  # noqa: PLC0415

    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        answer = read(file)
    except SidelightError as problem:
        return ("refused" if "\n" not in str(problem) else "several lines"), True
    return answer, file.name == "checked.parquet" and arrow_notices(file)
