"""How long do searches take, against one GROUP BY of the table and against anonypy's Mondrian?

    python benchmarks/search.py                       bundled Adult; prints and writes its part of RESULTS.md
    python benchmarks/search.py --arx FOLDER          also ARX's own Adult and hierarchies, where somebody has them
    python benchmarks/search.py --anonypy             also anonypy on Adult (pip install anonypy; takes a minute or two)
    python benchmarks/search.py --large               also a million rows and Mondrian up to ten million

Processor seconds, the lowest of 3 runs in this process (anonypy and the large tables: one run).
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from results import quick, write_part

import sidelight as sl
from sidelight.search.mondrian import Mondrian

HERE = Path(__file__).parent
QUASI = ("age", "workclass", "education", "marital-status", "race", "sex", "native-country", "salary-class")
POLICIES = {
    "5-anonymity": sl.Policy(sl.GroupSize() >= 5),
    "and 0.2-closeness": sl.Policy(sl.GroupSize() >= 5, sl.Closeness() <= 0.2),
    "and Implications(3) < 0.9": sl.Policy(sl.GroupSize() >= 5, sl.Implications(3) < 0.9),
}
CUTTING = {
    "5-anonymity": sl.Policy(sl.GroupSize() >= 5),
    "Acquaintance(4,0,0) < 0.75": sl.Policy(sl.Acquaintance(4) < Fraction(3, 4)),
    "Implications(3) < 0.75": sl.Policy(sl.Implications(3) < Fraction(3, 4)),
}


def best_of(work: Callable[[], object], runs: int = 1 if quick() else 3) -> tuple[float, object]:
    """Give the lowest processor time, and what came out."""
    seconds, result = [], None
    for _ in range(runs):
        start = time.process_time()
        result = work()
        seconds.append(time.process_time() - start)
    return min(seconds), result


def bundled() -> tuple[sl.Table, dict[str, sl.Hierarchy], pa.Table]:
    adult = sl.datasets.adult(quasi=QUASI)
    by = dict(adult.hierarchies)
    by["salary-class"] = sl.Hierarchy.suppression("salary-class", adult.table.column("salary-class").labels)
    rows = duckdb.sql(f"select * from '{adult.path}' where occupation is not null").to_arrow_table()
    return adult.table, by, rows.select([*QUASI, "occupation"])


def arx(folder: Path) -> tuple[sl.Table, dict[str, sl.Hierarchy], pa.Table]:
    data = folder / "adult.csv"
    table = sl.read_table(data, quasi=list(QUASI), sensitive="occupation")
    by = {name: sl.read_hierarchy(folder / f"adult_hierarchy_{name}.csv", column=name) for name in QUASI}
    rows = duckdb.sql(f"select * from read_csv('{data}', delim=';', all_varchar=true)").to_arrow_table()
    return table, by, rows.select([*QUASI, "occupation"])


def grouping(rows: pa.Table) -> float:
    """Time the GROUP BY of all columns: the yardstick."""
    con = duckdb.connect()
    con.register("people", rows)
    return best_of(lambda: con.sql("select *, count(*) from people group by all").to_arrow_table(), 5)[0]


def lattice_lines(name: str, table: sl.Table, by: dict[str, sl.Hierarchy], rows: pa.Table) -> list[str]:
    base = grouping(rows)
    lines = [
        f"| {name}: GROUP BY of all {len(rows.column_names)} columns, {len(rows):,} rows | {base * 1000:.0f} | 1.0 | |"
    ]
    for title, policy in POLICIES.items():
        try:
            seconds, result = best_of(lambda policy=policy: sl.protect(table, policy, by=by))
        except sl.NothingSafe as why:
            lines.append(f"| {name}: lattice, {title}: {str(why)[:60]} | | | |")
            continue
        outcome = f"{result.checked} checks, {len(result.minimal)} minimal"
        lines.append(f"| {name}: lattice, {title} | {seconds * 1000:.0f} | {seconds / base:.1f} | {outcome} |")
    return lines


def mondrian_lines(table: sl.Table, base: float) -> list[str]:
    lines = []
    for title, policy in CUTTING.items():
        seconds, result = best_of(lambda policy=policy: sl.protect(table, policy, method="mondrian"))
        ratio = f"{base / seconds:.0f} × faster than anonypy at k = 5" if base else ""
        lines.append(f"| Mondrian, {title} | {seconds * 1000:.0f} | {ratio} | {len(result.release):,} groups |")
    return [*lines, resisting_line(table)]


def resisting_line(table: sl.Table) -> str:
    """Time Mondrian behind veils beside plain Mondrian."""
    half = sl.Policy(sl.GroupSize() >= 5, sl.RecursiveDiversity(2) <= 1)
    plain, _ = best_of(lambda: sl.protect(table, half, method="mondrian"))
    seconds, result = best_of(lambda: sl.protect(table, half, method="mondrian", resists="insider"))
    ratio = f"{seconds / plain:.1f} × as long as without"
    return f"| Mondrian, resisting an insider | {seconds * 1000:.0f} | {ratio} | {len(result.release):,} groups |"


def anonypy_seconds(rows: pa.Table) -> float:
    """Time anonypy's Mondrian at k = 5, as its README calls it."""
    import anonypy  # noqa: PLC0415 - only here, and only with --anonypy

    frame = rows.to_pandas()
    frame["age"] = frame["age"].astype(int)
    for column in frame.columns.difference(["age"]):
        frame[column] = frame[column].astype("category")
    preserver = anonypy.Preserver(frame, list(QUASI), "occupation")
    return best_of(lambda: preserver.anonymize_k_anonymity(k=5), 1)[0]


def many(rows: int) -> Path:
    """Make a table like Adult of any length: bundled people drawn with replacement, ages moved a little."""
    path = HERE / ".data" / f"adult-drawn-{rows}.parquet"
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        rng = np.random.default_rng(7)
        people = bundled()[2]
        drawn = people.take(pa.array(rng.integers(0, len(people), rows)))
        age = np.clip(np.array(drawn["age"].to_pylist(), int) + rng.integers(-3, 4, rows), 17, 90)
        country = rng.permuted(np.array(drawn["native-country"].to_pylist(), object)[: rows // 20])
        column = np.array(drawn["native-country"].to_pylist(), object)
        column[: len(country)] = country
        drawn = drawn.set_column(0, "age", pa.array(age.astype(str)))
        drawn = drawn.set_column(drawn.column_names.index("native-country"), "native-country", pa.array(column))
        pq.write_table(drawn, path, compression="zstd")
    return path


def large(rows: int) -> None:
    """Cut a large table in this process, and print its figures as JSON."""
    table = sl.read_table(many(rows), quasi=list(QUASI), sensitive="occupation")
    seconds, result = best_of(lambda: sl.protect(table, CUTTING["5-anonymity"], method=Mondrian()), 1)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "groups": len(result.release), "keys": len(table.sizes), "mb": peak}))


def large_lines() -> list[str]:
    by = bundled()[1]
    path = many(1_000_000)
    table = sl.read_table(path, quasi=list(QUASI), sensitive="occupation")
    lines = lattice_lines("a million rows", table, by, pq.read_table(path))
    for rows in (100_000, 1_000_000, 10_000_000):
        many(rows)
        run = subprocess.run([sys.executable, __file__, "--one", str(rows)], check=True, capture_output=True, text=True)
        one = json.loads(run.stdout)
        lines.append(
            f"| Mondrian, 5-anonymity, {rows:,} rows ({one['keys']:,} distinct) | {one['seconds'] * 1000:,.0f} | | "
            f"{one['groups']:,} groups, peak {one['mb']:,.0f} MB |"
        )
    some_left_out = partial(sl.protect, table, POLICIES["5-anonymity"], by=by, suppress=0.04)
    seconds, result = best_of(some_left_out, 1)
    outcome = f"{result.checked:,} checks, {len(result.minimal)} minimal"
    lines.append(
        f"| a million rows: lattice, 5-anonymity, up to 4 % suppressed | {seconds * 1000:,.0f} | | {outcome} |"
    )
    return lines


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--arx", type=Path)
    parser.add_argument("--anonypy", action="store_true")
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--one", type=int)
    options = parser.parse_args()
    if options.one:
        large(options.one)
        sys.exit()
    lines = ["| what | ms | against | found |", "| --- | ---: | ---: | --- |"]
    lines += lattice_lines("Adult", *bundled())
    if options.arx:
        lines += lattice_lines("ARX's Adult", *arx(options.arx))
    table, _, rows = arx(options.arx) if options.arx else bundled()
    slow = anonypy_seconds(rows) if options.anonypy else 0.0
    if slow:
        lines.append(f"| anonypy Mondrian, 5-anonymity, {len(rows):,} rows | {slow * 1000:,.0f} | 1.0 | |")
    lines += mondrian_lines(table, slow)
    if options.large:
        lines += large_lines()
    print("\n".join(lines))
    write_part("search", "`python benchmarks/search.py`, processor time, lowest of 3.", "\n".join(lines))
