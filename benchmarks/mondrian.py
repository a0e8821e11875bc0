"""How long does Mondrian take for people who nearly all differ, against a few sorts of their keys?

    python benchmarks/mondrian.py                       2 million people; prints and writes its part of RESULTS.md
    python benchmarks/mondrian.py --people 200000       fewer
    python benchmarks/mondrian.py --before FOLDER       also with the package in another folder, for a before and after

Seven quasi-identifiers (date of birth, zip, sex, race, education, marital status, work) and nine values.  The baseline
is one `np.sort` of as many packed keys as there are people; each line is its own process, with the table read
before the clock starts.  The time is that of `protect(…, ask="nobody")`: cuts, labels, the release and its judgement.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from results import write_part

HERE = Path(__file__).parent
QUASI = ("born", "zip", "sex", "race", "education", "marital", "work")
SHARES = np.array([30, 20, 15, 10, 8, 7, 5, 3, 2]) / 100
GOAL = 4.0
"""Microseconds a person, for groups of at least 10, on an idle machine."""


def policies() -> dict[str, object]:
    """Limits by what they are called; imported late, as the package may be another one."""
    import sidelight as sl  # noqa: PLC0415

    return {
        "groups of at least 10": sl.Policy(sl.GroupSize() >= 10),
        "Acquaintance(0,1000,0) < 0.9": sl.Policy(sl.Acquaintance(0, 1000, 0) < Fraction(9, 10)),
        "Acquaintance(3,1000,10) < 0.99": sl.Policy(sl.Acquaintance(3, 1000, 10) < Fraction(99, 100)),
    }


def people(number: int) -> Path:
    """Make people who nearly all differ."""
    path = HERE / ".data" / f"different-{number}.parquet"
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        rng = np.random.default_rng(7)
        born = np.datetime64("1930-01-01") + rng.integers(0, 29_000, number).astype("timedelta64[D]")
        columns = {
            "born": born.astype(str),
            "zip": rng.integers(10_000, 40_000, number).astype(str),
            "sex": rng.choice(["f", "m"], number),
            "race": rng.choice(list("abcde"), number, p=[0.6, 0.2, 0.1, 0.06, 0.04]),
            "education": rng.integers(1, 17, number).astype(str),
            "marital": rng.choice(list("stuvwxy"), number),
            "work": rng.choice(list("ABCDEFGH"), number),
            "disease": rng.choice([f"v{at}" for at in range(len(SHARES))], number, p=SHARES),
        }
        pq.write_table(pa.table(columns), path, compression="zstd")
    return path


def one(number: int, policy: str) -> None:
    """Cut once in this process, and print figures as JSON."""
    import sidelight as sl  # noqa: PLC0415

    table = sl.read_table(
        people(number), quasi=list(QUASI), sensitive="disease", kinds={"born": "date", "zip": "number"}
    )
    resource_before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    sort = sort_seconds(number)
    wall, processor = time.perf_counter(), time.process_time()
    found = sl.protect(table, policies()[policy], method="mondrian", ask="nobody")
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    groups = found.release.groups
    printed = hashlib.sha256(groups.sizes.tobytes() + groups.counts.dense().tobytes())
    for column in groups.columns:
        printed.update(repr(column.labels).encode() + np.asarray(column.codes).tobytes())
    figures = {
        "seconds": wall,
        "processor": processor,
        "sort": sort,
        "groups": len(groups),
        "keys": len(table.sizes),
        "before_mb": resource_before,
        "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "release": printed.hexdigest()[:12],
    }
    print(json.dumps(figures))


def sort_seconds(number: int) -> float:
    """Time one sort of packed keys, the lowest of 3."""
    keys = np.random.default_rng(7).integers(0, 2**62, number)
    seconds = []
    for _ in range(3):
        start = time.process_time()
        np.sort(keys)
        seconds.append(time.process_time() - start)
    return min(seconds)


def line(name: str, number: int, policy: str, package: Path) -> str:
    """Cut in a process of its own, with the package of a folder."""
    command = [sys.executable, __file__, "--people", str(number), "--one", policy]
    environment = {**os.environ, "PYTHONPATH": str(package)}
    run = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    figures = json.loads(run.stdout)
    each = 1_000_000 / number
    return (
        f"| {name}{policy} | {figures['seconds']:.1f} | {figures['seconds'] * each:.1f} "
        f"| {figures['processor'] * each:.1f} | {figures['processor'] / figures['sort']:.0f} "
        f"| {figures['mb']:,.0f} ({figures['before_mb']:,.0f} once read) | {figures['groups']:,} "
        f"| {figures['release']} |"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--people", type=int, default=2_000_000)
    parser.add_argument("--before", type=Path)
    parser.add_argument("--one")
    options = parser.parse_args()
    if options.one:
        one(options.people, options.one)
        sys.exit()
    people(options.people)
    lines = [
        "| limit | s | µs a person | of processor | sorts | peak MB | groups | release |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |",
    ]
    packages = {"before: ": options.before, "": HERE.parent / "src"}
    for policy in policies():
        for name, package in packages.items():
            if package:
                lines.append(line(name, options.people, policy, package))
                print(lines[-1], flush=True)
    how = (
        f"`python benchmarks/mondrian.py`, {options.people:,} people who nearly all differ, 7 columns, 9 values.  "
        f"Goal: {GOAL:.0f} µs a person for groups of at least 10.  "
        "A sort is one `np.sort` of a 64-bit key for each person."
    )
    write_part("mondrian", how, "\n".join(lines))
