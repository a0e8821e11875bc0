"""How much longer than the GROUP BY of a register does it take to compare a release with it?

    python benchmarks/population.py              a register of 5 million people; writes its part of RESULTS.md
    python benchmarks/population.py 1_000_000    fewer; only prints

The register has Adult's columns (those of `audit`).  The release is of its first 50,000 people, who are read within the
time: as they are, with ages in tens (each person of the register is then looked up by what is printed), and a search
that counts the register's people in every choice of levels that it looks at.  How contestants run, and which figures
count: `race`.
"""
# ruff: noqa: PLC0415 - a contestant imports what it needs in its own time

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from audit import QUASI, _labels, make
from race import Race

if TYPE_CHECKING:
    import sidelight as sl

GOAL = "Goal: a release is compared with a register within 1.5 times the bare GROUP BY of the register."
SAMPLE = 50_000


def bare_group_by(path: str) -> dict[str, int]:
    import duckdb

    con = duckdb.connect()
    con.execute("SET preserve_insertion_order = false")
    columns = ", ".join(QUASI)
    counted = con.sql(f"SELECT {columns}, count(*) AS n FROM read_parquet('{path}') GROUP BY ALL").to_arrow_table()
    return {"rows counted": counted.num_rows}


def as_it_is(path: str) -> dict[str, int]:
    import sidelight as sl

    return compared(path, sl.group(sampled(path)))


def in_tens(path: str) -> dict[str, int]:
    import sidelight as sl

    return compared(path, sl.generalise(sampled(path), by=hierarchies(), to={"age": 2}))


def four_risks(path: str) -> dict[str, int]:
    import sidelight as sl
    from sidelight.measures.about import findings
    from sidelight.release.population import Population

    register = Population.from_source(path)
    risks = [sl.JournalistRisk(register), sl.MarketerRisk(register), sl.Presence(register), sl.Absence(register)]
    release = sl.generalise(sampled(path), by=hierarchies(), to={"age": 2})
    return {"groups": len(release), "measures": len(findings(risks, release))}


def search(path: str) -> dict[str, int]:
    import sidelight as sl

    found = sl.protect(sampled(path), sl.JournalistRisk(path, "average") <= 0.02, by=hierarchies())
    return {"groups": len(found.release), "choices looked at": found.checked}


def compared(path: str, release: sl.Release) -> dict[str, int]:
    import sidelight as sl

    assert sl.JournalistRisk(path).measure(release).value <= 1
    return {"groups": len(release)}


@cache
def sampled(path: str) -> sl.Table:
    import pyarrow as pa
    import pyarrow.parquet as pq

    import sidelight as sl

    rows = next(pq.ParquetFile(path).iter_batches(SAMPLE))
    return sl.read_table(pa.Table.from_batches([rows]), quasi=list(QUASI), sensitive="occupation")


@cache
def hierarchies() -> dict[str, sl.Hierarchy]:
    import sidelight as sl

    ages = sl.Hierarchy.intervals("age", range(17, 17 + QUASI["age"]), widths=[5, 10, 20])
    others = [name for name in QUASI if name != "age"]
    return {"age": ages} | {name: sl.Hierarchy.suppression(name, _labels(name)) for name in others}


CONTESTANTS = {
    "bare GROUP BY of the register": bare_group_by,
    "journalist risk, the release as it is": as_it_is,
    "journalist risk, ages in tens": in_tens,
    "all four risks, ages in tens": four_risks,
    "a search under journalist risk": search,
}


def prepare(name: str) -> None:
    """Import for all contestants alike, DuckDB included."""
    import duckdb

    import sidelight as sl

    del name
    assert all(
        (duckdb.connect, sl.protect, sl.generalise, sl.read_table, sl.JournalistRisk, sl.Absence, sl.MarketerRisk)
    )


if __name__ == "__main__":
    Race(__file__, 5_000_000, 3, GOAL, CONTESTANTS, make, prepare).main()
