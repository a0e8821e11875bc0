"""How long do measures and utilities of all generalisations take, against the groupings that they are made from?

    python benchmarks/generalisation_table.py

Adult with occupation (14 values), the 72 generalisations of age, marital status, race and sex.  Baseline: grouping
them, each rolled up from a finer one; and, for comparison, measuring each by itself, from groups that are at hand.
Processor time, the lowest of several, in turns.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from results import quick, write_part

import sidelight as sl
from sidelight.measures.measure import Measure
from sidelight.release.generalise import Lattice
from sidelight.search.full_domain import NodeRecodings
from sidelight.search.utility import UTILITIES, UtilityName

REPEATS = 1 if quick() else 20

OF_GROUPS: list[Measure] = [
    sl.GroupSize(),
    sl.DistinctValues(),
    sl.EntropyDiversity(),
    sl.RecursiveDiversity(l=2),
    sl.Closeness(),
    sl.BetaLikeness(),
    sl.DeltaDisclosure(),
    sl.Negations(3),
]
TOGETHER: list[Measure] = [sl.Implications(3), sl.Acquaintance(others=3, family=1)]
QUICK: list[UtilityName] = ["balanced loss", "loss", "discernibility", "average group size"]


def lowest(jobs: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Time jobs in turns, so that a busy moment hits all of them; give the lowest time of each."""
    best = dict.fromkeys(jobs, math.inf)
    for _ in range(REPEATS):
        for name, job in jobs.items():
            start = time.process_time()
            job()
            best[name] = min(best[name], time.process_time() - start)
    return best


def main() -> None:
    adult = sl.datasets.adult()
    at_hand = Lattice(adult.table, adult.hierarchies)
    releases = [at_hand.release_at(node) for node in at_hand.nodes()]

    def groupings() -> None:
        lattice = Lattice(adult.table, adult.hierarchies)
        for node in lattice.nodes():
            lattice.groups_at(node)

    def measured(measures: list[Measure], utilities: list[UtilityName]) -> Callable[[], object]:
        return lambda: sl.generalisation_table(adult.table, adult.hierarchies, measures, utilities)

    def one_by_one(measures: list[Measure]) -> Callable[[], object]:
        return lambda: [measure.measure(release) for release in releases for measure in measures]

    def weighed_one_by_one() -> None:
        recodings = NodeRecodings(at_hand, adult.hierarchies)
        for node in at_hand.nodes():
            for name in QUICK:
                UTILITIES[name](recodings.recode(node))

    times = lowest(
        {
            "the 72 groupings alone, rolled up": groupings,
            "8 measures of single groups, in the table": measured(OF_GROUPS, []),
            "these 8, each by itself, without the groupings": one_by_one(OF_GROUPS),
            "2 measures of groups together, in the table": measured(TOGETHER, []),
            "these 2, each by itself, without the groupings": one_by_one(TOGETHER),
            "4 utilities, in the table": measured([], QUICK),
            "these 4, each by itself, without the groupings": weighed_one_by_one,
        }
    )
    base = times["the 72 groupings alone, rolled up"]
    lines = ["| Adult, 72 generalisations | ms | ratio |", "| --- | ---: | ---: |"]
    lines += [f"| {name} | {each * 1000:.1f} | {each / base:.2f} |" for name, each in times.items()]
    print("\n".join(lines))
    how = f"`python benchmarks/generalisation_table.py`, processor time, lowest of {REPEATS}."
    write_part("generalisation table", how, "\n".join(lines))
    alone = times["these 8, each by itself, without the groupings"]
    sooner = times["8 measures of single groups, in the table"] - base < alone
    assert quick() or sooner, "side by side should be quicker"


if __name__ == "__main__":
    main()
