"""What does the same audit cost, whoever holds the rows?

    python benchmarks/engines.py [rows]      writes its part of RESULTS.md where nothing is said
    python benchmarks/engines.py 100_000 "Spark local[2]"      one of them only

People who nearly all differ, seven quasi-identifiers, nine values, seven measures.  Each engine has its own process,
timed from when it has its rows: a dataframe in memory, a file, a table in a PostgreSQL that runs on this machine.
PostgreSQL's own processor time is not ours and not counted; of Spark all processes are, which it starts before.
"""
# ruff: noqa: PLC0415 - a contestant imports what it needs

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from race import classics
from results import write_part
from scale import DATA, QUASI, SENSITIVE, all_processes, data

ROWS = 1_000_000
KIND = "nearly unique"
MEMORY = "600MB"


def held(path: str, stack: ExitStack) -> dict[str, Any]:
    """Give the rows as each engine has them."""
    del stack
    import pandas as pd
    import polars as pl
    import pyarrow.parquet as pq

    return {"pandas": pd.read_parquet, "polars": pl.read_parquet, "arrow": pq.read_table}[sys.argv[2]](path)


def in_postgres(path: str, stack: ExitStack) -> str:
    """Start a server, and put the rows into it."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    import pyarrow.parquet as pq
    from support.postgres import SECRET, server

    os.environ["PGPASSWORD"] = SECRET
    running = stack.enter_context(server())
    running.put("people", pq.read_table(path))
    return running.address("people")


def in_spark(path: str, stack: ExitStack) -> Any:  # noqa: ANN401 - a DataFrame of Spark
    """Start a Spark on this machine, which reads the file."""
    from sidelight.engines.spark.source import spark_session

    session = spark_session("local[2]")
    stack.callback(session.stop)
    return session.read.parquet(path)


ENGINES: dict[str, tuple[Callable[[str, ExitStack], Any], bool]] = {  # how it has its rows, and whether it streams
    "pandas": (held, False),
    "polars": (held, False),
    "arrow": (held, False),
    "Parquet, DuckDB": (lambda path, _: path, False),
    f"Parquet, DuckDB, memory {MEMORY}": (lambda path, _: path, True),
    "PostgreSQL": (in_postgres, False),
    f"PostgreSQL, memory {MEMORY}": (in_postgres, True),
    "Spark local[2]": (in_spark, False),
    f"Spark local[2], memory {MEMORY}": (in_spark, True),
}


def run(name: str, path: str) -> None:
    """Audit in this process, and print figures."""
    import sidelight as sl
    from sidelight.measures.about import findings

    classics(), sl.stream_release, sl.read_release
    rows_of, streams = ENGINES[name]
    roles: dict[str, Any] = {"group": list(QUASI[KIND]), "sensitive": SENSITIVE}
    with ExitStack() as stack:
        rows = rows_of(path, stack)
        of_all, family = name.startswith("Spark"), os.getpid()
        before = all_processes(family)["cpu"] if of_all else time.process_time()
        wall = time.perf_counter()
        release = sl.stream_release(rows, **roles, memory=MEMORY) if streams else sl.read_release(rows, **roles)
        findings(classics(), release)
        wall = time.perf_counter() - wall
        together = all_processes(family) if of_all else {}
        cpu = together.get("cpu", time.process_time()) - before
        mb = together.get("mb", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    print(json.dumps({"wall": wall, "cpu": cpu, "mb": mb}))


def main() -> None:
    """Let every engine answer."""
    if sys.argv[1:2] == ["--run"]:
        run(sys.argv[2], sys.argv[3])
        return
    rows = int(sys.argv[1]) if sys.argv[1:] else ROWS
    DATA.mkdir(exist_ok=True)
    path = str(data(KIND, rows))
    table = ["| rows are in | wall s | CPU s of this process | peak MB |", "| --- | ---: | ---: | ---: |"]
    for name in sys.argv[2:] or ENGINES:
        done = subprocess.run([sys.executable, __file__, "--run", name, path], check=True, stdout=subprocess.PIPE)
        one = json.loads(done.stdout)
        table.append(f"| {name} | {one['wall']:.1f} | {one['cpu']:.1f} | {one['mb']:,.0f} |")
        print(table[-1], flush=True)
    if not sys.argv[1:]:
        how = (
            f"`python benchmarks/engines.py`: an audit by seven measures of {rows:,} rows that nearly all differ. "
            "Of Spark all processes count."
        )
        write_part("engines", how, "\n".join(table))


if __name__ == "__main__":
    main()
