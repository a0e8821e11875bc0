"""How much sooner is a release judged again after an edit than from scratch?

    python benchmarks/incremental.py            a million groups; writes its part of RESULTS.md
    python benchmarks/incremental.py 10_000     fewer groups; only prints

An edit replaces one group by two halves of it, in a place drawn at random; the verdict after each is asked for.  The
median of the edits is compared with the lowest of three times judging the same release from scratch.
"""

from __future__ import annotations

import statistics
import sys
import time

import numpy as np
from results import write_part

import sidelight as sl
from sidelight.release.groups import whole_groups
from sidelight.table.table import Counts

GROUPS, PEOPLE, VALUES, EDITS = 1_000_000, 40, 12, 30
GOAL = "Goal: judging again after an edit takes at most a tenth of judging from scratch, for every measure that merges."
MEASURES = {
    "group size": sl.GroupSize() >= 2,
    "recursive diversity": sl.RecursiveDiversity(l=3) <= 5,
    "acquaintance (1, 2, 3)": sl.Acquaintance(rules_out=1, others=2, family=3) < 0.9,
    "implications, k = 3": sl.Implications(3) < 0.9,
    "closeness": sl.Closeness(distance="equal") <= 0.9,
    "prior belief": sl.PriorBelief(stubbornness=1_000) <= 100,
}


def release_of(groups: int, rng: np.random.Generator) -> sl.Release:
    counts = rng.multinomial(PEOPLE, rng.dirichlet(np.full(VALUES, 2.0), size=groups))
    values = tuple(f"v{place:02}" for place in range(VALUES))
    return sl.Release(whole_groups(domain=values, sizes=counts.sum(axis=1), counts=Counts.from_cells(counts)))


def halves(group: sl.Group) -> sl.Release:
    one = {value: count // 2 for value, count in group.counts.items()}
    return sl.Release.from_counts([one, {value: count - one[value] for value, count in group.counts.items()}])


def measured(policy: sl.Policy, release: sl.Release, rng: np.random.Generator) -> tuple[float, float]:
    """Give the seconds of an edit with its verdict, and of a verdict from scratch."""
    auditor, edits = sl.Auditor(policy, release), []
    auditor.judge()
    for number in rng.integers(1, len(release), EDITS).tolist():
        split = halves(release[number - 1])
        start = time.perf_counter()
        auditor.replace(number, split).judge()
        edits.append(time.perf_counter() - start)
    scratch = []
    for _ in range(3):
        start = time.perf_counter()
        policy.judge(release)
        scratch.append(time.perf_counter() - start)
    return statistics.median(edits), min(scratch)


def table(groups: int) -> str:
    rng = np.random.default_rng(2007)
    release = release_of(groups, rng)
    lines = [f"| {groups:,} groups | edit, ms | from scratch, ms | ratio |", "| --- | ---: | ---: | ---: |"]
    for name, criterion in MEASURES.items():
        edit, scratch = measured(sl.Policy(criterion), release, rng)
        lines.append(f"| {name} | {edit * 1000:.2f} | {scratch * 1000:.1f} | {edit / scratch:.3f} |")
    return "\n".join(lines)


if __name__ == "__main__":
    if sys.argv[1:]:
        print(table(int(sys.argv[1])))
    else:
        write_part("incremental", f"`python benchmarks/incremental.py`.\n{GOAL}", table(GROUPS))
