"""How long does it take to find a million people in a release of 100,000 groups, against one GROUP BY of them?

    python benchmarks/locate.py                  a million people; prints and writes its part of RESULTS.md
    python benchmarks/locate.py --people 100000  fewer

People have an age, a sex, a pay and a day of birth, so that hardly two look alike.  Three releases of about one
group for ten people: all columns at one level of their hierarchies (masks and periods, which are read from the labels),
the same with labels that only a hierarchy explains, and regions that are cut as Mondrian cuts, of sizes that differ.
Wall seconds, lowest of 3.  Locating starts from the people as read: their GROUP BY, by Sidelight's own reader, is what
it is compared with, and DuckDB's own beside it.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from results import write_part

import sidelight as sl
from sidelight.attack.intersection import people_of
from sidelight.release.locate import Lookup, link

HERE = Path(__file__).parent
QUASI = ["age", "sex", "pay", "born"]


def drawn(people: int) -> Path:
    path = HERE / ".data" / f"to-locate-{people}.parquet"
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        rng = np.random.default_rng(11)
        days = np.datetime64("2024-01-01") - rng.integers(0, 30 * 365, people)
        columns = {
            "age": rng.integers(17, 91, people),
            "sex": rng.choice(["f", "m"], people),
            "pay": rng.integers(10_000, 20_000, people),
            "born": days.astype("datetime64[D]"),
            "value": rng.choice(["Flu", "Cold", "Asthma", "Heart"], people),
        }
        pq.write_table(pa.table(columns), path, compression="zstd")
    return path


def best_of(work: Callable[[], object], runs: int = 3) -> tuple[float, object]:
    seconds, result = [], None
    for _ in range(runs):
        start = time.perf_counter()
        result = work()
        seconds.append(time.perf_counter() - start)
    return min(seconds), result


def releases(path: Path) -> dict[str, tuple[sl.Release, dict[str, sl.Hierarchy]]]:
    table = sl.read_table(path, quasi=QUASI, sensitive="value")
    codes = sorted(table.column("pay").labels)
    by = {
        "age": sl.Hierarchy.intervals("age", range(17, 91), widths=[4, 12]),
        "sex": sl.Hierarchy.suppression("sex", ["f", "m"]),
        "pay": sl.Hierarchy.masks("pay", codes),
        "born": sl.Hierarchy.dates("born", table.column("born").labels),
    }
    named = {**by, "pay": sl.Hierarchy("pay", (tuple(codes), tuple(f"class {code[:3]}" for code in codes)))}
    printed = sl.generalise(table, by=by, to={"age": 1, "pay": 2, "born": 3})
    classes = sl.generalise(table, by=named, to={"age": 1, "pay": 1, "born": 3})
    return {
        "one level per column, as printed": (_foreign(printed), {}),
        "the same, labels by hierarchies": (_foreign(classes), named),
        "regions of Mondrian": (
            _foreign(sl.protect(table, sl.Policy(sl.GroupSize() >= 6), method="mondrian").release),
            {},
        ),
    }


def _foreign(release: sl.Release) -> sl.Release:
    """Forget how a release was made."""
    return sl.Release(release.groups, sensitive=release.sensitive)


def lines(people: int) -> list[str]:
    path = drawn(people)
    query = f"select age, sex, pay, born, count(*) from '{path}' group by all"
    in_duckdb, _ = best_of(lambda: duckdb.sql(query).to_arrow_table())
    grouped, targets = best_of(lambda: people_of(path, known=QUASI))
    told = [
        f"| GROUP BY of {people:,} people ({len(targets):,} different) in DuckDB | {in_duckdb:.2f} | |",
        f"| the same, as Sidelight reads them | {grouped:.2f} | 1.0 |",
    ]
    for name, (release, by) in releases(path).items():
        lookup = Lookup.build(by)
        seconds, linkage = best_of(lambda: link(release, targets.known, len(targets), lookup))  # noqa: B023 - run at once
        missed = int(targets.sizes[linkage.nowhere].sum())
        told.append(
            f"| locating them in {len(release):,} groups, {name} ({missed:,} not located) | {seconds:.2f} "
            f"| {seconds / grouped:.1f} |"
        )
        print(told[-1], flush=True)
    return told


if __name__ == "__main__":
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--people", type=int, default=1_000_000)
    options = arguments.parse_args()
    table = ["| what | s | against the GROUP BY |", "| --- | ---: | ---: |", *lines(options.people)]
    write_part("locate", "`python benchmarks/locate.py`, wall time, lowest of 3.", "\n".join(table))
