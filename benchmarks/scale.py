"""What does an audit cost, and Mondrian, when rows are many, and groups too?

    python benchmarks/scale.py                  10, 30 and 100 million rows; writes its part of RESULTS.md
    python benchmarks/scale.py 1_000_000 …      other numbers of rows; only prints
    python benchmarks/scale.py --measure "bare GROUP BY" "nearly unique" 30_000_000
                                                one contestant once, where nobody has an hour at a time
    python benchmarks/scale.py --measure "mondrian (3,1000,10) < 0.9999, memory 2GB" repeating 10_000_000
    python benchmarks/scale.py --write          its part of RESULTS.md, of what has been measured
    python benchmarks/scale.py --spark [ROWS]   20 million rows in Spark on this machine, and the same in DuckDB

Rows that repeat (seven columns of few labels) and rows that nearly all differ (date of birth and zip code among the
seven), nine sensitive values.  An audit has `MEMORY`, the bare GROUP BY as much as it takes.  Each run is a process of
its own, timed from after the imports; the lowest figures of `RUNS` count, and are kept in `FIGURES`.  Spilled are the
bytes in temporary files of ours.
"""
# ruff: noqa: PLC0415 - a contestant imports what it needs in its own time; names are our own

from __future__ import annotations

import itertools
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from race import classics
from results import quick, write_part

ROWS = (10_000_000, 30_000_000, 100_000_000)
RUNS = 1 if quick() else 2
MEMORY = "2GB"
GOAL = (
    "Goal: at most 1.3 times the bare GROUP BY in wall and processor time, no more memory than it; cost per row flat "
    "within 25 % from 10 to 100 million."
)
HOW = "`python benchmarks/scale.py`, each run in a fresh process, lowest figures of those that were made."
DATA = Path(__file__).parent / ".data"
FIGURES = DATA / "scale.json"
FEW = {"sex": 2, "race": 5, "marital": 7, "education": 16, "country": 41}
QUASI = {
    "repeating": {"age": 74, "workclass": 8, **FEW},
    "nearly unique": {"birth": 36_525, "zip": 40_000, **FEW},
}
SENSITIVE, VALUES = "disease", 9


def make(kind: str, rows: int, path: Path) -> None:
    """Make a table whose columns are drawn apart, skewed unless they tell people apart."""
    import duckdb

    def cell(column: str, many: int, number: int) -> str:
        drawn = f"hash(i * 16 + {number}) / 18446744073709551616.0"
        # a cube favours the first labels
        code = f"CAST(floor({drawn} {'' if many > 10_000 else f'* ({drawn}) * ({drawn})'} * {many}) AS INTEGER)"
        if column == "birth":
            return f"strftime(DATE '1920-01-01' + {code}, '%Y-%m-%d') AS birth"
        if column == "zip":
            return f"CAST(10_000 + {code} AS VARCHAR) AS zip"
        return f"'{column}-' || {code} AS {column}"

    columns = [cell(column, many, number) for number, (column, many) in enumerate(QUASI[kind].items())]
    drawn = ", ".join([*columns, cell(SENSITIVE, VALUES, 15)])
    duckdb.sql(f"COPY (SELECT {drawn} FROM range({rows}) AS t(i)) TO '{path}' (FORMAT parquet, COMPRESSION zstd)")


def bare_group_by(kind: str, path: str) -> dict[str, int]:
    """Count the text columns, all groups into one Arrow table."""
    import duckdb

    columns = ", ".join([*QUASI[kind], SENSITIVE])
    con = duckdb.connect()
    con.execute("SET preserve_insertion_order = false")
    counted = con.sql(f"SELECT {columns}, count(*) AS n FROM read_parquet('{path}') GROUP BY ALL").to_arrow_table()
    return {"groups": counted.num_rows, "spilled": 0}


def streamed_audit(kind: str, path: str) -> dict[str, int]:
    """Read in bounded memory, and ask all classic measures."""
    import sidelight as sl
    from sidelight.measures.about import findings

    release = sl.stream_release(path, group=list(QUASI[kind]), sensitive=SENSITIVE, memory=MEMORY)
    findings(classics(), release)
    return {"groups": len(release), "spilled": release.stream.spilled}


def mondrian(knowledge: tuple[int, int, int], limit: str) -> Callable[[str, str], dict[str, int]]:
    """Read in bounded memory, and cut within a limit on what acquaintances learn."""

    def cut(kind: str, path: str) -> dict[str, int]:
        from fractions import Fraction

        import sidelight as sl

        kinds = {"birth": "date", "zip": "number"} if "birth" in QUASI[kind] else None
        table = sl.stream_table(path, quasi=list(QUASI[kind]), sensitive=SENSITIVE, kinds=kinds, memory=MEMORY)
        policy = sl.Policy(sl.Acquaintance(*knowledge) < Fraction(limit))
        found = sl.protect(table, policy, method="mondrian", ask="nobody")
        return {"groups": len(found.release), "spilled": table.stream.spilled + found.spilled}

    return cut


def in_spark(kind: str, path: str) -> dict[str, float]:
    """The same audit in the executors of a Spark on this machine, which is started for it: all processes count."""
    import os

    import sidelight as sl
    from sidelight.engines.spark.source import spark_session
    from sidelight.measures.about import findings

    os.environ["PYSPARK_SUBMIT_ARGS"] = "--driver-memory 4g pyspark-shell"
    frame = spark_session("local[2]").read.parquet(path)
    release = sl.stream_release(frame, group=list(QUASI[kind]), sensitive=SENSITIVE, memory=MEMORY)
    findings(classics(), release)
    return {"groups": len(release), "spilled": 0, **all_processes(os.getpid())}


def all_processes(first: int) -> dict[str, float]:
    """Add up the processor time and the peak memory of a process and all that it started."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
        except OSError:  # gone meanwhile
            continue
    family = {first}
    while more := {pid for pid, parent in parents.items() if parent in family} - family:
        family |= more
    ticks, kilobytes = 0, 0
    for pid in family:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += sum(map(int, fields[11:15]))
        peak = [line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmHWM")]
        kilobytes += int(peak[0].split()[1]) if peak else 0
    return {"cpu": ticks / 100, "mb": kilobytes / 1024}


BASE = "bare GROUP BY"
SPARK = "audit in Spark local[2], started for it"
SPARK_ROWS = 20_000_000
CONTESTANTS = {
    BASE: bare_group_by,
    f"audit, memory {MEMORY}": streamed_audit,
    f"mondrian (0,1000,0) < 0.9, memory {MEMORY}": mondrian((0, 1000, 0), "9/10"),
    f"mondrian (3,1000,10) < 0.9999, memory {MEMORY}": mondrian((3, 1000, 10), "9999/10000"),
}


def run(name: str, kind: str, path: str) -> None:
    """Run one contestant in this process and print its figures as JSON."""
    import duckdb  # noqa: F401

    import sidelight as sl

    classics(), sl.stream_release
    wall, cpu = time.perf_counter(), time.process_time()
    counts = (CONTESTANTS | {SPARK: in_spark})[name](kind, path)
    figures = {
        "wall": time.perf_counter() - wall,
        "cpu": time.process_time() - cpu,
        "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    print(json.dumps(figures | counts))


def fresh(*arguments: str) -> str:
    """Run this script again, in a process of its own."""
    return subprocess.run([sys.executable, __file__, *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout


def data(kind: str, rows: int) -> Path:
    """Name the file of a table, and make it where it is missing."""
    path = DATA / f"scale-{kind.replace(' ', '-')}-{rows}.parquet"
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        fresh("--make", kind, str(rows), str(path))
    return path


def measure(name: str, kind: str, rows: int) -> dict[str, float]:
    """Let one contestant run once; the best of its runs are kept, figure by figure."""
    once = json.loads(fresh("--run", name, kind, str(data(kind, rows))))
    kept = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    key = f"{kind}/{rows}/{name}"
    best = kept.get(key, once)
    kept[key] = {each: min(once[each], best[each]) for each in once} | {"runs": best.get("runs", 0) + 1}
    FIGURES.write_text(json.dumps(kept, indent=1))
    return once


def in_words(once: dict[str, float], rows: int) -> str:
    """Say what one run took."""
    wall, cpu = once["wall"], once["cpu"]
    return (
        f"{wall:.1f} s, {cpu:.1f} s of processor; {rows / wall:,.0f} rows a second, "
        f"{10**6 * wall / rows:.2f} µs a row, {10**6 * cpu / rows:.2f} µs of processor; peak {once['mb']:,.0f} MB, "
        f"spilled {once['spilled'] / 10**6:,.0f} MB, {once['groups']:,} groups"
    )


def lines(chosen: tuple[int, ...], names: Iterable[str] = CONTESTANTS) -> Iterator[str]:
    """Give a line for each contestant that has run, compared with the bare GROUP BY of the same rows."""
    kept = json.loads(FIGURES.read_text())
    for rows, kind, name in itertools.product(chosen, QUASI, names):
        one, base = kept.get(f"{kind}/{rows}/{name}"), kept.get(f"{kind}/{rows}/{BASE}")
        if one is None:
            yield f"| {rows / 10**6:g} million, {kind} | {name} | not run |" + " |" * 7
            continue
        wall, cpu, mb = (f"{one[each] / base[each]:.2f}" if base else "" for each in ("wall", "cpu", "mb"))
        yield (
            f"| {rows / 10**6:g} million, {kind} | {name} | {one['wall']:.1f} | {wall} | {one['cpu']:.1f} | {cpu} "
            f"| {rows / one['wall'] / 10**6:.2f} | {one['mb']:,.0f} | {mb} | {one['spilled'] / 10**6:,.0f} |"
        )


def per_row(chosen: tuple[int, ...]) -> str:
    """Say what a row costs as rows become more, and how much more than where they are fewest."""
    kept = json.loads(FIGURES.read_text())
    head = "| what | " + " | ".join(f"{rows / 10**6:g} million" for rows in chosen) + " | most / first |"
    parts = [head, "| --- " + "| ---: " * (len(chosen) + 1) + "|"]
    for kind, name, each in itertools.product(QUASI, CONTESTANTS, ("wall", "cpu")):
        runs = [kept.get(f"{kind}/{rows}/{name}") for rows in chosen]
        cost = [one and 10**6 * one[each] / rows for one, rows in zip(runs, chosen, strict=True)]
        known = [amount for amount in cost if amount]
        if len(known) > 1:
            cells = " | ".join("not run" if amount is None else f"{amount:.2f}" for amount in cost)
            spread = f"{max(known) / known[0]:.2f}"
            parts.append(f"| {name}, {kind}: {each} µs a row | {cells} | {spread} |")
    return "\n".join(parts)


def table(chosen: tuple[int, ...], names: Iterable[str] = CONTESTANTS) -> str:
    """Put the lines together."""
    head = "| rows | what | wall s | ratio | CPU s | ratio | million rows/s | peak MB | ratio | spilled MB |"
    return "\n".join([head, "| --- | --- " + "| ---: " * 8 + "|", *lines(chosen, names)])


def main() -> None:
    """Do what the command line says."""
    command, *rest = [*sys.argv[1:], ""]
    if command == "--run":
        run(*rest[:3])
    elif command == "--make":
        make(rest[0], int(rest[1]), Path(rest[2]))
    elif command == "--measure":
        print(in_words(measure(rest[0], rest[1], int(rest[2])), int(rest[2])))
    elif command == "--spark":
        rows, names = int(rest[0] or SPARK_ROWS), (BASE, f"audit, memory {MEMORY}", SPARK)
        for kind, name in itertools.product(QUASI, names):
            print(name, kind, rows, measure(name, kind, rows), flush=True)
        print(table((rows,), names))
        if rows == SPARK_ROWS:
            write_part("spark", HOW, table((rows,), names))
    elif command == "--write":
        write_part("scale", f"{HOW}\n{GOAL}", f"{table(ROWS)}\n\n{per_row(ROWS)}")
    else:
        chosen = tuple(int(each) for each in sys.argv[1:]) or ROWS
        for _, rows, kind, name in itertools.product(range(RUNS), chosen, QUASI, CONTESTANTS):
            print(name, kind, rows, measure(name, kind, rows), flush=True)
        print(table(chosen))
        print(per_row(chosen))
        if chosen == ROWS:
            write_part("scale", f"{HOW}\n{GOAL}", f"{table(ROWS)}\n\n{per_row(ROWS)}")


if __name__ == "__main__":
    main()
