"""What would n workers do?  A model, whose rates are measured here on one processor, and a simulation with it.

    python benchmarks/workers.py            measures, simulates, writes its part of RESULTS.md
    python benchmarks/workers.py --picture  also draws docs/do/workers.svg

*Nothing here ran on more than one machine.*  Measured: how much processor time a row takes to be packed, sorted, merged
and summarised; to be counted into a histogram of Mondrian; to be cut by Mondrian in memory; how many bytes a summary
has.  Assumed: `BANDWIDTH`, `ROUND` and `SPREAD`, and that rows are read from disks as fast as they are counted.

Symbols     N people, n workers of one processor each, w bytes of a packed row, S bytes of all summaries,
            H = Σ over columns (labels) · values · 8 bytes of the histogram of one node.

Audit       a · N/n         reads, packs and sorts; where rows repeat, distinct keys go on instead
            w · N/n / B     every row goes to the worker that has its range of keys
            ⌈log₂ n⌉ rounds of S bytes: summaries are merged by a tree
Mondrian    level d has 2^d nodes.  By histograms: h · N/n to count, and 2^d · H bytes that each worker sends to be
            added up.  By rows: w · N/n bytes, each row to the workers that have its node.  Rows go where histograms
            would have more bytes, or each worker has `NODES_EACH` nodes; then the n/2^d workers of a node go on
            likewise, and a worker that is alone cuts in memory, c · N/n.

Workers are not equally fast: a step ends with its slowest worker, and speeds are drawn (log-normal, `SPREAD`).
"""
# ruff: noqa: PLC0415 - drawing is an extra

from __future__ import annotations

import math
import pickle
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from race import classics
from results import quick, write_part

import sidelight as sl
from sidelight.measures.about import findings
from sidelight.policy.measure_names import all_measures

BANDWIDTH = 125 * 10**6  # bytes a second, each way and worker: a gigabit
ROUND = 0.2  # seconds to start a step on all workers and hear from them
SPREAD = 0.15  # of the logarithm of a worker's speed
DRAWS = 200
NODES_EACH = 8
LABELS = {"birth": 36_525, "zip": 40_000, "sex": 2, "race": 5, "marital": 7, "education": 16, "country": 41}
VALUES = 9
ROW = 8  # bytes of a packed row
ROWS_MEASURED = 20_000 if quick() else 4_000_000
PEOPLE = (10**7, 10**8, 10**9)
WORKERS = (1, 2, 5, 10, 20, 50, 100)
PICTURE = Path(__file__).parents[1] / "docs" / "do" / "workers.svg"


@dataclass(frozen=True)
class Rates:
    """Processor seconds a row, and bytes."""

    audit: float
    histogram: float
    mondrian: float
    summaries: int


def people(rows: int) -> pa.Table:
    """Draw people who nearly all differ."""
    random = np.random.default_rng(7)
    columns: dict[str, Any] = {name: random.integers(0, many, rows) for name, many in LABELS.items()}
    return pa.table(columns | {"disease": random.integers(0, VALUES, rows).astype(str)})


def timed(work: Any) -> tuple[float, Any]:  # noqa: ANN401
    """Give the processor seconds of some work, and what it gives."""
    start = time.process_time()
    answer = work()
    return time.process_time() - start, answer


def rates() -> Rates:
    """Measure on this machine."""
    rows = people(ROWS_MEASURED)
    roles = {"sensitive": "disease"}

    def audit() -> sl.StreamedRelease:
        release = sl.stream_release(rows, group=list(LABELS), memory="500MB", **roles)
        findings(classics(), release)
        return release

    audited, release = timed(audit)
    table = sl.read_table(rows, quasi=list(LABELS), **roles)
    policy = sl.Policy(sl.GroupSize() >= 10)
    cut, _ = timed(lambda: sl.protect(table, policy, method="mondrian", ask="nobody"))
    node = np.random.default_rng(8).integers(0, 8, ROWS_MEASURED)
    value = np.random.default_rng(9).integers(0, VALUES, ROWS_MEASURED)
    codes = [np.asarray(rows.column(name)) for name in LABELS]

    def histograms() -> None:
        for code, many in zip(codes, LABELS.values(), strict=True):
            np.bincount((node * many + code) * VALUES + value, minlength=8 * many * VALUES)

    counted, _ = timed(histograms)
    groups = next(iter(release.blocks())).kinds
    size = sum(len(pickle.dumps(measure.summarize(groups))) for measure in classics())
    return Rates(*(each / ROWS_MEASURED for each in (audited, counted, cut)), summaries=size)


def summary_sizes() -> list[tuple[str, int]]:
    """Say how many bytes the summary of each measure has, of a census as it stands."""
    adult = sl.datasets.adult(quasi=["age", "education", "marital-status", "sex"])
    groups = sl.group(adult.table, by=["age", "education", "marital-status", "sex"]).groups
    sizes = {}
    for kind in all_measures():
        for measure in kind.examples(groups.domain)[:1]:
            if measure.mergeable and "single" in measure.semantics and measure.register is None:
                sizes[measure.name] = len(pickle.dumps(measure.summarize(groups)))
    return sorted(sizes.items(), key=lambda each: -each[1])


def slowest(seconds: float, workers: int, random: np.random.Generator) -> float:
    """Let workers share a step; it ends with the slowest."""
    return seconds * float(np.exp(random.normal(0, SPREAD, workers)).max())


def audit_seconds(many: int, workers: int, rate: Rates, random: np.random.Generator) -> float:
    """One audit of people who nearly all differ."""
    work = slowest(rate.audit * many / workers, workers, random)
    if workers == 1:
        return work
    shuffled = ROW * many / workers / BANDWIDTH
    return work + shuffled + ROUND + math.ceil(math.log2(workers)) * (ROUND + rate.summaries / BANDWIDTH)


HISTOGRAM = sum(LABELS.values()) * VALUES * 8


def levels(many: float, workers: float) -> int:
    """Say how many levels are cut by histograms before rows go to who has their node."""
    enough = math.ceil(math.log2(NODES_EACH * workers))
    return next((level for level in range(1, enough) if 2**level * HISTOGRAM > ROW * many / workers), enough)


def mondrian_seconds(many: float, workers: float, rate: Rates, random: np.random.Generator) -> float:
    """One search: levels by histograms, then rows to who has their node, who go on likewise or alone."""
    each, crew, total = many / workers, int(workers), 0.0
    while workers > 1:
        here = levels(many, workers)
        for level in range(here):
            total += slowest(rate.histogram * each, crew, random) + 2**level * HISTOGRAM / BANDWIDTH + ROUND
        total += ROW * each / BANDWIDTH + ROUND
        many, workers = many / 2**here, workers / 2**here
    return total + slowest(rate.mondrian * each, crew, random)


SIMULATED = {"audit": audit_seconds, "Mondrian": mondrian_seconds}


def simulated(rate: Rates) -> list[dict[str, Any]]:
    """Give the median time of every case."""
    random = np.random.default_rng(11)
    return [
        {
            "what": what,
            "people": many,
            "workers": workers,
            "seconds": float(np.median([run(many, workers, rate, random) for _ in range(DRAWS)])),
            "sent": ROW * many * (workers > 1),
        }
        for what, run in SIMULATED.items()
        for many in PEOPLE
        for workers in WORKERS
    ]


def table(rows: list[dict[str, Any]]) -> str:
    """Write the simulated times."""
    lines = ["| simulated | people | " + " | ".join(f"n = {n}" for n in WORKERS) + " |"]
    lines.append("| --- | ---: |" + " ---: |" * len(WORKERS))
    for what in SIMULATED:
        for many in PEOPLE:
            cells = [row["seconds"] for row in rows if (row["what"], row["people"]) == (what, many)]
            lines.append(f"| {what} | {many:,} | " + " | ".join(f"{each:,.0f} s" for each in cells) + " |")
    return "\n".join(lines)


def draw(rows: list[dict[str, Any]]) -> None:
    """Draw time against workers."""
    from sidelight.report.plots import BLUE, VERMILION, TableBehind, altair, finish_chart, svg

    library = altair()
    audit = next(row for row in rows if (row["what"], row["people"], row["workers"]) == ("audit", 10**9, 100))
    shown = [row | {"name": f"{row['people'] // 10**6:,} million people"} for row in rows]
    x = library.X("workers:Q").scale(type="log").axis(title="workers (one processor each)", values=list(WORKERS))
    y = library.Y("seconds:Q").scale(type="log", domain=[1, 4_000]).axis(title="seconds", format="~s")
    panels = []
    for what, colour in zip(SIMULATED, (BLUE, VERMILION), strict=True):
        values = library.Data(values=[row for row in shown if row["what"] == what])
        base = library.Chart(values, width=250, height=300, title=what)
        lines = base.mark_line(point={"color": colour}, color=colour).encode(x, y, library.Detail("name:N"))
        ends = base.transform_filter(f"datum.workers == {WORKERS[-1]}")
        panels.append(lines + ends.mark_text(align="left", dx=8, color=colour).encode(x, y, library.Text("name:N")))
    finite = [(row["what"], row["people"], row["workers"], round(row["seconds"], 1)) for row in rows]
    chart = finish_chart(
        library.hconcat(*panels),
        title=f"Simulated: 100 workers would audit a thousand million people in {audit['seconds']:.0f} seconds",
        subtitle="Rates of one processor are measured; the network (a gigabit), starting a step (0.2 s) and how much "
        "workers differ (15 %) are assumed. Nothing ran on more than one machine.",
        table=TableBehind(("what", "people", "workers", "seconds"), tuple(finite)),
    )
    PICTURE.write_text(svg(chart), encoding="utf-8")


def main() -> None:
    """Measure, simulate, write."""
    rate = rates()
    rows = simulated(rate)
    print(rate, *summary_sizes(), table(rows), sep="\n")
    if "--picture" in sys.argv[1:]:
        draw(rows)
    how = (
        "`python benchmarks/workers.py`. Measured on one processor, "
        f"{ROWS_MEASURED:,} rows: audit {rate.audit * 1e6:.2f} µs a row, a level's histograms "
        f"{rate.histogram * 1e6:.2f} µs, Mondrian in memory {rate.mondrian * 1e6:.2f} µs; all summaries of seven "
        f"measures {rate.summaries:,} bytes.\nEverything below is *simulated* with these rates: "
        f"{BANDWIDTH // 10**6} MB/s a worker, {ROUND} s a step, speeds that differ by {SPREAD:.0%}."
    )
    sizes = "\n".join(f"| {name} | {size:,} |" for name, size in summary_sizes())
    write_part("workers", how, f"{table(rows)}\n\n| summary | bytes |\n| --- | ---: |\n{sizes}")


if __name__ == "__main__":
    main()
