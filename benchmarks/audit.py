"""How much longer does a whole audit take than the bare GROUP BY it stands on?

    python benchmarks/audit.py              20 million rows; writes its part of RESULTS.md
    python benchmarks/audit.py 1_000_000    fewer rows; only prints

Each contestant runs three times, in turns, in a fresh process, timed from after the imports; the lowest figure of each
kind counts.
"""
# ruff: noqa: PLC0415 - a contestant imports what it needs in its own time

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

HERE = Path(__file__).parent
ROWS = 20_000_000
RUNS = 3
GOAL = "Goal: the whole audit takes at most 1.1 times the bare GROUP BY, with no more memory."
QUASI = {"age": 74, "workclass": 8, "education": 16, "marital": 7, "race": 5, "sex": 2, "country": 41}
SENSITIVE = {"occupation": 14}


# --- the data ------------------------------------------------------------------------------------------------


def adult_like(rows: int) -> Path:
    """Make a table with Adult's columns, once: skewed labels, and people of a kind resemble each other."""
    path = HERE / ".data" / f"adult-like-{rows}.parquet"
    if not path.exists():  # in a process of its own: a contestant's peak memory starts at its parent's
        path.parent.mkdir(exist_ok=True)
        subprocess.run([sys.executable, __file__, "--make", str(rows), str(path)], check=True)
    return path


def make(rows: int, path: Path) -> None:
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(2007)
    kind = rng.integers(0, 40, rows)
    codes = {name: _drawn(rng, kind, many) for name, many in (QUASI | SENSITIVE).items()}
    columns = {name: pa.DictionaryArray.from_arrays(codes[name], _labels(name)) for name in codes}
    table = pa.table({name: column.cast(pa.string()) for name, column in columns.items()})
    pq.write_table(table, path, compression="zstd", row_group_size=1 << 20)


def _labels(name: str) -> list[str]:
    many = (QUASI | SENSITIVE)[name]
    return [str(17 + i) if name == "age" else f"{name.capitalize()}-of-kind-{i:02d}" for i in range(many)]


def _drawn(rng: np.random.Generator, kind: np.ndarray, many: int) -> np.ndarray:
    import numpy as np

    shares = 1.0 / np.arange(1, many + 1) ** (0.5 if many > 50 else 3.0)
    common = rng.choice(many, size=len(kind), p=shares / shares.sum())
    resembles = rng.random(len(kind)) < 0.17
    return np.where(resembles, (kind * 7) % many, common).astype(np.int32)


# --- the contestants -----------------------------------------------------------------------------------------


def bare_group_by(path: str) -> dict[str, int]:
    import duckdb

    columns = ", ".join(QUASI | SENSITIVE)
    con = duckdb.connect()
    con.execute("SET preserve_insertion_order = false")
    counted = con.sql(f"SELECT {columns}, count(*) AS n FROM read_parquet('{path}') GROUP BY ALL").to_arrow_table()
    return {"rows counted": counted.num_rows}


def reading_only(path: str) -> dict[str, int]:
    import sidelight as sl

    release = sl.read_release(path, group=list(QUASI), sensitive="occupation")
    return {"groups": len(release)}


def whole_audit(path: str) -> dict[str, int]:
    import sidelight as sl
    from sidelight.measures.measure import findings

    release = sl.read_release(path, group=list(QUASI), sensitive="occupation")
    return {"groups": len(release), "measures": len(findings(classics(), release))}


def audit_with_named_risks(path: str) -> dict[str, int]:
    import sidelight as sl
    from sidelight.measures.measure import findings

    release = sl.read_release(path, group=list(QUASI), sensitive="occupation")
    return {"groups": len(release), "measures": len(findings([*classics(), *named_risks()], release))}


def adult_audit(path: str) -> dict[str, int]:
    import sidelight as sl
    from sidelight.measures.measure import findings

    del path
    quasi = ["age", "workclass", "education", "marital-status", "race", "sex", "native-country"]
    release = sl.group(sl.datasets.adult(quasi=quasi).table, by=quasi)
    return {"groups": len(release), "measures": len(findings(classics(), release))}


def importing(path: str) -> dict[str, int]:
    import sidelight  # noqa: F401

    del path
    return {}


def importing_parts(path: str) -> dict[str, int]:
    import sidelight as sl

    del path
    needed = [sl.read_release, sl.group, sl.datasets.adult, *classics(), *named_risks()]
    return {"parts": len(needed)}


def classics() -> list:
    import sidelight as sl

    return [
        sl.GroupSize(),
        sl.DistinctValues(),
        sl.EntropyDiversity(),
        sl.RecursiveDiversity(l=3),
        sl.Closeness(distance="equal"),
        sl.BetaLikeness(),
        sl.DeltaDisclosure(),
    ]


def named_risks() -> list:
    import sidelight as sl

    above = sl.ProsecutorRisk("share above", threshold=0.09)
    return [sl.ProsecutorRisk(), sl.ProsecutorRisk("average"), above, sl.MarketerRisk()]


CONTESTANTS = {
    "bare GROUP BY of the text columns": bare_group_by,
    "read_release alone": reading_only,
    "read_release and all classic measures": whole_audit,
    "read_release, all classic measures and the named risks": audit_with_named_risks,
    "bundled Adult: group and all classic measures": adult_audit,
    "import sidelight": importing,
    "import sidelight and all an audit needs": importing_parts,
}


# --- the race ------------------------------------------------------------------------------------------------


def run(name: str, path: str) -> None:
    """Run one contestant in this process and print its figures as JSON."""
    if not name.startswith("import"):
        importing_parts(path)  # for all contestants alike, DuckDB included: the clock starts after the imports
    wall, cpu = time.perf_counter(), time.process_time()
    said = CONTESTANTS[name](path)
    figures = {
        "wall": time.perf_counter() - wall,
        "cpu": time.process_time() - cpu,
        "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    print(json.dumps(figures | {"said": said}))


def fresh(name: str, path: Path) -> dict:
    command = [sys.executable, __file__, "--run", name, str(path)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def race(rows: int) -> str:
    """Let all contestants run in turns; give the table of the lowest figures."""
    path = adult_like(rows)
    runs = [{name: fresh(name, path) for name in CONTESTANTS} for _ in range(RUNS)]
    best = {
        name: {kind: min(each[name][kind] for each in runs) for kind in ("wall", "cpu", "mb")} for name in CONTESTANTS
    }
    base = next(iter(best.values()))
    lines = [f"| {rows:,} rows | wall s | ratio | CPU s | ratio | peak MB | ratio |", "| --- " + "| ---: " * 6 + "|"]
    for name, figures in best.items():
        said = ", ".join(f"{count:,} {what}" for what, count in runs[0][name]["said"].items())
        cells = " | ".join(f"{figures[kind]:.2f} | {figures[kind] / base[kind]:.2f}" for kind in ("wall", "cpu", "mb"))
        lines.append(f"| {name}{f' ({said})' if said else ''} | {cells} |")
    return "\n".join(lines)


def write(table: str) -> None:
    """Replace our part of RESULTS.md; the other headings belong to the other benchmarks."""
    results = HERE / "RESULTS.md"
    parts = results.read_text().split("\n## ") if results.exists() else ["# Results\n"]
    ours = (
        f"audit\n\n`python benchmarks/audit.py`, lowest of {RUNS} runs, each in a fresh process.\n{GOAL}\n\n{table}\n"
    )
    others = [part.rstrip("\n") + "\n" for part in parts[1:] if not part.startswith("audit\n")]
    results.write_text("\n## ".join([parts[0].rstrip("\n") + "\n", ours, *others]))


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
            write(figures)
