"""What does a search over generalisations cost when keys do not fit in memory, beside one that holds them all?

    python benchmarks/lattice_on_disk.py            10 million rows that nearly all differ; writes its part of RESULTS
    python benchmarks/lattice_on_disk.py 1_000_000  another number of rows; only prints
    python benchmarks/lattice_on_disk.py 1_000_000 "on disk"    one contestant only

The table of `scale.py`: date of birth (day, month, year, decade, all), zip code (a digit less at each level) and five
columns that are published or not, nine sensitive values; k = `LEAST`.  Each run is a process of its own, timed from
after the imports.
"""
# ruff: noqa: PLC0415 - a contestant imports what it needs in its own time; names are our own

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time

from results import write_part
from scale import DATA, QUASI, SENSITIVE, make

KIND = "nearly unique"
ROWS = 10_000_000
LEAST = 10
MEMORY = "1GB"
MODES = ("in memory", "on disk", "in memory, 1 % suppressed", "on disk, 1 % suppressed")


def hierarchies() -> dict:
    """Dates by month, year and decade, zip codes by their digits, all other columns as they are or not at all."""
    from datetime import date, timedelta

    import sidelight as sl

    days = [(date(1920, 1, 1) + timedelta(days=day)).isoformat() for day in range(QUASI[KIND]["birth"])]
    codes = [str(10_000 + number) for number in range(QUASI[KIND]["zip"])]
    rest = {name: [f"{name}-{number}" for number in range(many)] for name, many in QUASI[KIND].items()}
    return {name: sl.Hierarchy.suppression(name, labels) for name, labels in rest.items()} | {
        "birth": sl.Hierarchy("birth", tuple(zip(*((d, d[:7], d[:4], d[:3] + "0s", "*") for d in days), strict=True))),
        "zip": sl.Hierarchy("zip", tuple(zip(*(_prefixes(code) for code in codes), strict=True))),
    }


def _prefixes(code: str) -> list[str]:
    return [code, *(code[:many] + "*" * (5 - many) for many in (4, 3, 2, 1)), "*"]


def run(mode: str, path: str) -> None:
    """Read and search in this process, and print figures as JSON."""
    import sidelight as sl

    by, roles = hierarchies(), {"quasi": list(QUASI[KIND]), "sensitive": SENSITIVE}
    wall, cpu = time.perf_counter(), time.process_time()
    streamed = mode.startswith("on disk")
    table = sl.stream_table(path, memory=MEMORY, **roles) if streamed else sl.read_table(path, **roles)
    read = time.perf_counter() - wall
    policy = sl.Policy(sl.GroupSize() >= LEAST, sl.DistinctValues() >= 3)
    found = sl.protect(table, policy, by=by, suppress=0.01 if "suppressed" in mode else 0, ask="nobody")
    figures = {
        "read": round(read, 1),
        "wall": round(time.perf_counter() - wall, 1),
        "cpu": round(time.process_time() - cpu, 1),
        "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "checked": found.checked,
        "minimal": len(found.minimal),
        "levels": dict(found.levels),
        "groups": len(found.release),
        "suppressed": found.suppressed,
        "spilled mb": (table.stream.spilled + found.spilled) // 10**6 if streamed else 0,
    }
    print(json.dumps(figures))


def main() -> None:
    """Do what the command line says."""
    command, *rest = [*sys.argv[1:], "", ""]
    if command == "--run":
        run(*rest[:2])
        return
    rows = int(command or ROWS)
    path = DATA / f"scale-{KIND.replace(' ', '-')}-{rows}.parquet"
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        make(KIND, rows, path)
    lines = [f"| {rows:,} rows | wall s | CPU s | peak MB | checks | minimal |", "| --- " + "| ---: " * 5 + "|"]
    for mode in MODES if not rest[0] else rest[:1]:
        command = [sys.executable, __file__, "--run", mode, str(path)]
        one = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
        lines.append(
            f"| {mode} | {one['wall']} | {one['cpu']} | {one['mb']:,} | {one['checked']:,} | {one['minimal']} |"
        )
        print(lines[-1], one, flush=True)
    if rows == ROWS and not rest[0]:
        how = f"`python benchmarks/lattice_on_disk.py`: groups of at least {LEAST}, each in a fresh process, once."
        write_part("lattice on disk", how, "\n".join(lines))


if __name__ == "__main__":
    main()
