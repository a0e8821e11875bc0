"""How much longer do all subsets of the columns take than the bare GROUP BY of all of them?

    python benchmarks/columns.py              20 million rows, 8 million different; writes its part of RESULTS.md
    python benchmarks/columns.py 2_000_000    fewer rows; only prints

Each contestant runs in turns, in a fresh process, timed from after the imports; the lowest figure of each kind counts.
Minimal sample uniques of Adult, 7 columns, stand below by themselves.
"""
# ruff: noqa: PLC0415 - a contestant imports what it needs in its own time

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from pathlib import Path

from results import write_part

HERE = Path(__file__).parent
ROWS = 20_000_000
RUNS = 2
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


def people(rows: int) -> Path:
    """Make a table of 11 columns, 42 bits, once: people of Adult, of whom every third cell is somebody else's."""
    path = HERE / ".data" / f"eleven-columns-{rows}.parquet"
    if not path.exists():  # in a process of its own: a contestant's peak memory starts at its parent's
        path.parent.mkdir(exist_ok=True)
        subprocess.run([sys.executable, __file__, "--make", str(rows), str(path)], check=True)
    return path


def make(rows: int, path: Path) -> None:
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


def run(name: str, path: str) -> None:
    """Run one contestant in this process and print its figures as JSON."""
    import duckdb  # noqa: F401

    import sidelight as sl

    global ADULT  # noqa: PLW0603 - read before the clock starts
    ADULT = sl.datasets.adult(quasi=SEVEN)
    parts = [sl.read_table, sl.identifying_columns, sl.minimal_uniques]
    assert parts
    wall, cpu = time.perf_counter(), time.process_time()
    counts = CONTESTANTS[name](path)
    figures = {
        "wall": time.perf_counter() - wall,
        "cpu": time.process_time() - cpu,
        "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    print(json.dumps(figures | {"counts": counts}))


def fresh(name: str, path: Path) -> dict:
    command = [sys.executable, __file__, "--run", name, str(path)]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def race(rows: int) -> str:
    """Let all contestants run in turns; give the table of the lowest figures."""
    path = people(rows)
    runs = [{name: fresh(name, path) for name in CONTESTANTS} for _ in range(RUNS)]
    best = {
        name: {kind: min(each[name][kind] for each in runs) for kind in ("wall", "cpu", "mb")} for name in CONTESTANTS
    }
    base = next(iter(best.values()))
    lines = [f"| {rows:,} rows | wall s | ratio | CPU s | ratio | peak MB |", "| --- " + "| ---: " * 5 + "|"]
    for name, figures in best.items():
        counts = ", ".join(f"{count:,} {what}" for what, count in runs[0][name]["counts"].items())
        cells = " | ".join(f"{figures[kind]:.2f} | {figures[kind] / base[kind]:.2f}" for kind in ("wall", "cpu"))
        lines.append(f"| {name} ({counts}) | {cells} | {figures['mb']:.0f} |")
    return "\n".join(lines)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--run"]:
        run(*sys.argv[2:])
    elif sys.argv[1:2] == ["--make"]:
        make(int(sys.argv[2]), Path(sys.argv[3]))
    else:
        wanted = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
        figures = race(wanted)
        print(figures)
        if wanted == ROWS:
            write_part(
                "columns",
                f"`python benchmarks/columns.py`, lowest of {RUNS} runs, each in a fresh process.\n{GOAL}",
                figures,
            )
