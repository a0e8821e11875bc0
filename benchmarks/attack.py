"""How long does it take to intersect five releases about a million people, against one GROUP BY of them?

    python benchmarks/attack.py                  a million people; prints and writes its part of RESULTS.md
    python benchmarks/attack.py --people 100000  fewer

Adult's people drawn with replacement, ages and countries moved a little, one value each.  Each release is made of half
of them.  Wall seconds, lowest of 3, reading the people's Parquet file included.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from results import write_part

import sidelight as sl
from sidelight.attack.simulation import draw_samples

HERE = Path(__file__).parent
SCATTERED = "zip"  # a column with so many labels that hardly two people look alike
QUASI = ("age", "workclass", "education", "marital-status", "race", "sex", "native-country", "salary-class")
RELEASES = 5


def drawn(people: int) -> Path:
    path = HERE / ".data" / f"people-{people}.parquet"
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        rng = np.random.default_rng(7)
        adult = pq.read_table(sl.datasets.adult().path).drop_null().select([*QUASI, "occupation"])
        rows = adult.take(pa.array(rng.integers(0, len(adult), people)))
        ages = np.clip(rows["age"].to_numpy(zero_copy_only=False).astype(int) + rng.integers(-3, 4, people), 17, 90)
        rows = rows.set_column(0, "age", pa.array(ages))
        moved = rows["native-country"].take(
            pa.array(np.where(rng.random(people) < 0.05, rng.permutation(people), np.arange(people)))
        )
        rows = rows.set_column(rows.column_names.index("native-country"), "native-country", moved)
        rows = rows.append_column(SCATTERED, pa.array(rng.integers(0, 5_000, people)))
        pq.write_table(rows.append_column("name", pa.array(np.arange(people))), path, compression="zstd")
    return path


def best_of(work: Callable[[], object], runs: int = 3) -> tuple[float, object]:
    seconds, found = [], None
    for _ in range(runs):
        start = time.perf_counter()
        found = work()
        seconds.append(time.perf_counter() - start)
    return min(seconds), found


def grouped(path: Path, quasi: Sequence[str] = QUASI) -> float:
    columns = ", ".join(f'"{name}"' for name in quasi)
    query = f"select {columns}, count(*) from '{path}' group by all"
    return best_of(lambda: duckdb.sql(query).to_arrow_table())[0]


def lines(people: int) -> list[str]:
    path = drawn(people)
    table = sl.read_table(path, quasi=list(QUASI), sensitive="occupation")
    by = dict(sl.datasets.adult().hierarchies)
    by["salary-class"] = sl.Hierarchy.suppression("salary-class", table.column("salary-class").labels)
    rng = np.random.default_rng(1)
    samples = [
        draw_samples(table, overlap=people // 2, people=None, releases=1, rng=rng).shared for _ in range(RELEASES)
    ]
    base = grouped(path)
    said = [f"| GROUP BY of {people:,} people ({len(table.sizes):,} different) in DuckDB | {base:.2f} | 1.0 | |"]
    for k in (5, 50):
        found = [sl.protect(each, sl.Policy(sl.GroupSize() >= k), method="mondrian") for each in samples]
        released = [each.release for each in found]
        groups = sum(len(each) for each in released)
        ways = {
            f"regions of Mondrian, k = {k}": lambda found=found: sl.intersect(found, people=path),
            f"the same as printed, k = {k}": lambda released=released: sl.intersect(
                released, people=path, locate="intervals"
            ),
        }
        said += [line(name, way, base, groups) for name, way in ways.items()]
    said += scattered_lines(path, people)
    levels = {"age": 2, "education": 1, "native-country": 1, "workclass": 1, "marital-status": 1}
    coarse = [sl.generalise(each, by=by, to=levels) for each in samples]
    groups = sum(len(each) for each in coarse)
    said.append(line("levels of hierarchies", lambda: sl.intersect(coarse, people=path, by=by), base, groups))
    return said


def scattered_lines(path: Path, people: int) -> list[str]:
    quasi = ["age", "education", "sex", SCATTERED]
    table = sl.read_table(path, quasi=quasi, sensitive="occupation")
    rng = np.random.default_rng(2)
    samples = [
        draw_samples(table, overlap=people // 2, people=None, releases=1, rng=rng).shared for _ in range(RELEASES)
    ]
    found = [sl.protect(each, sl.Policy(sl.GroupSize() >= 50), method="mondrian").release for each in samples]
    groups = sum(map(len, found))
    name = f"{len(table.sizes):,} different people, k = 50"
    return [
        line(name, lambda: sl.intersect(found, people=path, locate="intervals"), grouped(path, quasi), groups),
        line(
            f"{name}, with names",
            lambda: sl.intersect(found, people=path, locate="intervals", person="name"),
            grouped(path, quasi),
            groups,
            1,
        ),
    ]


def line(name: str, work: Callable[[], object], base: float, groups: int, runs: int = 3) -> str:
    seconds, exposure = best_of(work, runs)
    share = f"{float(exposure.perfect):.2%} given away"
    said = f"| {RELEASES} releases, {name} ({groups:,} groups) | {seconds:.2f} | {seconds / base:.1f} | {share} |"
    print(said, flush=True)
    return said


if __name__ == "__main__":
    asked = argparse.ArgumentParser()
    asked.add_argument("--people", type=int, default=1_000_000)
    wish = asked.parse_args()
    table = ["| what | s | against the GROUP BY | found |", "| --- | ---: | ---: | --- |", *lines(wish.people)]
    write_part("attack", "`python benchmarks/attack.py`, wall time, lowest of 3.", "\n".join(table))
