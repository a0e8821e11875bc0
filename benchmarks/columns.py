"""How much longer do all subsets of the columns take than the bare GROUP BY of all of them?

    python benchmarks/columns.py              20 million rows, 8 million different; writes its part of RESULTS.md
    python benchmarks/columns.py 2_000_000    fewer rows; only prints

How contestants run, and which figures count: `race`.  Minimal sample uniques of Adult, 7 columns, stand below by
themselves.
"""
# ruff: noqa: PLC0415 - a contestant imports what it needs in its own time

from __future__ import annotations

import sys
import time
from pathlib import Path

from race import Race

GOAL = (
    "Goals: reading and all 2,047 subsets within 3 times the bare GROUP BY of all 11 columns and under 2 GB; "
    "minimal sample uniques of Adult, 7 columns, within 0.5 s of processor time."
)
COLUMNS = ["age", "hours-per-week", "native-country", "education", "occupation", "workclass"]
COLUMNS += ["marital-status", "relationship", "race", "sex", "salary-class"]
OTHERS = 0.35
"""A person's cell is somebody else's with this chance: 8 million of 20 million rows are different."""
SEVEN = ["age", "workclass", "education", "marital-status", "race", "sex", "native-country"]


# --- the data ------------------------------------------------------------------------------------------------


def make(rows: int, path: Path) -> None:
    """Make a table of 11 columns, 42 bits: people of Adult, of whom every third cell is somebody else's."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    import sidelight as sl

    rng = np.random.default_rng(2007)
    adult = pq.read_table(sl.datasets.adult().path).drop_null().combine_chunks()
    person = rng.integers(0, adult.num_rows, rows)
    columns = {}
    for name in COLUMNS:
        other = rng.integers(0, adult.num_rows, rows)
        who = np.where(rng.random(rows) < OTHERS, other, person)
        columns[name] = adult[name].cast(pa.string()).combine_chunks().take(pa.array(who))
    columns["ill"] = pa.array(np.full(rows, "no"))
    pq.write_table(pa.table(columns), path, compression="zstd", row_group_size=1 << 20)


# --- the contestants -----------------------------------------------------------------------------------------


def bare_group_by(path: str) -> dict[str, int]:
    import duckdb

    con = duckdb.connect()
    con.execute("SET preserve_insertion_order = false")
    names = ", ".join(f'"{name}"' for name in COLUMNS)
    query = f"SELECT {names}, count(*) AS n FROM read_parquet('{path}') GROUP BY ALL"
    return {"rows counted": con.sql(query).to_arrow_table().num_rows}


def reading(path: str) -> dict[str, int]:
    import sidelight as sl

    return {"keys": len(sl.read_table(path, quasi=COLUMNS, sensitive="ill").sizes)}


def all_subsets(path: str) -> dict[str, int]:
    import sidelight as sl

    table = sl.read_table(path, quasi=COLUMNS, sensitive="ill")
    return {"subsets": len(sl.identifying_columns(table).subsets)}


def minimal_uniques(path: str) -> dict[str, int]:
    import sidelight as sl

    del path
    table = ADULT.table
    start = time.process_time()
    uniques = sl.minimal_uniques(table)
    print(f"{time.process_time() - start:.3f} s of processor time", file=sys.stderr)
    return {"people": uniques.singled_out}


CONTESTANTS = {
    "bare GROUP BY of 11 text columns": bare_group_by,
    "read_table alone": reading,
    "read_table and all subsets": all_subsets,
    "bundled Adult, 7 columns: minimal uniques": minimal_uniques,
}


# --- the race ------------------------------------------------------------------------------------------------


def prepare(name: str) -> None:
    """Import for all contestants alike, and read Adult, which is not what is timed."""
    import duckdb  # noqa: F401

    import sidelight as sl

    del name
    global ADULT  # noqa: PLW0603 - read before the clock starts
    ADULT = sl.datasets.adult(quasi=SEVEN)
    assert all((sl.read_table, sl.identifying_columns, sl.minimal_uniques))


if __name__ == "__main__":
    Race(__file__, 20_000_000, 2, GOAL, CONTESTANTS, make, prepare).main()
