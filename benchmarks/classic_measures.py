"""What do the classic measures and the named risks cost, next to merely sorting each group's counts?

    python benchmarks/classic_measures.py            700,000 groups × 14 values
    python benchmarks/classic_measures.py 1_000_000  more

Baseline: `np.sort(counts, axis=1)`.  CPU seconds, the lowest of three runs in turns.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from results import write_part

import sidelight as sl
from sidelight.release.groups import PopulationCounts, whole_groups
from sidelight.release.population import Population
from sidelight.table.table import Counts

GROUPS = 700_000
VALUES = tuple(f"value {place:02d}" for place in range(14))
SEVEN = (
    sl.GroupSize(),
    sl.DistinctValues(),
    sl.EntropyDiversity(),
    sl.RecursiveDiversity(l=3),
    sl.Closeness(),
    sl.BetaLikeness(),
    sl.DeltaDisclosure(),
)
TREE = sl.Hierarchy.nested("value", {"low": list(VALUES[:7]), "high": list(VALUES[7:])})
VARIANTS = (
    sl.Closeness(distance="ordered"),
    sl.Closeness(distance="hierarchical", hierarchy=TREE),
    sl.BetaLikeness(kind="enhanced"),
    sl.DeltaDisclosure(absent="skipped"),
)
REGISTER = Population.from_source("a register that is counted already")
NAMED = (
    sl.ProsecutorRisk(),
    sl.ProsecutorRisk("average"),
    sl.ProsecutorRisk("share above", threshold=0.09),
    sl.MarketerRisk(),
    sl.JournalistRisk(REGISTER),
    sl.JournalistRisk(REGISTER, "average"),
    sl.MarketerRisk(REGISTER),
    sl.Presence(REGISTER),
    sl.Absence(REGISTER),
)


def release_of(groups: int) -> sl.Release:
    """Groups of very different sizes, some of one person, and values of very different frequencies."""
    rng = np.random.default_rng(2006)
    sizes = np.maximum(rng.lognormal(2.5, 1, groups).astype(np.int64), 1)
    counts = rng.multinomial(sizes, rng.dirichlet(np.ones(len(VALUES))))
    whole = whole_groups(domain=VALUES, sizes=sizes, counts=Counts.from_cells(counts))
    population = PopulationCounts(REGISTER, sizes + rng.poisson(9 * sizes), 0)
    return sl.Release(replace(whole, populations=(population,)))


def seconds(run: Callable[[], object]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def main(groups: int) -> None:
    release = release_of(groups)
    cells = release.groups.counts.dense()
    contestants: dict[str, Callable[[], object]] = {"sorting (baseline)": lambda: np.sort(cells, axis=1)}
    for measure in (*SEVEN, *VARIANTS, *NAMED):
        contestants[str(measure)] = lambda measure=measure: measure.measure(release)
    best = dict.fromkeys(contestants, float("inf"))
    for _ in range(3):
        for name, run in contestants.items():
            best[name] = min(best[name], seconds(run))
    base = best["sorting (baseline)"]
    best["the seven together"] = sum(best[str(measure)] for measure in SEVEN)
    best["the named risks together"] = sum(best[str(measure)] for measure in NAMED)
    lines = [f"| {groups:,} groups, {len(VALUES)} values | ms | ratio |", "| --- | ---: | ---: |"]
    lines += [f"| {name} | {taken * 1000:.0f} | {taken / base:.1f} |" for name, taken in best.items()]
    print("\n".join(lines))
    if groups == GROUPS:
        how = (
            "`python benchmarks/classic_measures.py`, processor time, lowest of 3, next to sorting each group's counts."
        )
        write_part("classic measures", how, "\n".join(lines))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else GROUPS)
