"""How much quicker is rolling up finer groups than grouping the table's keys anew, over a whole lattice?

    python benchmarks/lattice.py

Baseline: `generalise` at every node.  Both give the same groups (tests/agree/test_lattice.py).  CPU seconds, the
lowest of three runs in turns.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from results import quick, write_part

import sidelight as sl
from sidelight.datasets import Dataset
from sidelight.release.generalise import Lattice

FOUR = ("age", "marital-status", "race", "sex")
SEVEN = (*FOUR, "workclass", "education", "native-country")


def rolled_up(data: Dataset) -> int:
    lattice = Lattice(data.table, data.hierarchies)
    return sum(len(lattice.groups_at(node)) for node in lattice.nodes())


def grouped_anew(data: Dataset) -> int:
    lattice = Lattice(data.table, data.hierarchies)
    return sum(len(sl.generalise(data.table, by=data.hierarchies, to=lattice.levels(node))) for node in lattice.nodes())


def seconds(run: Callable[[Dataset], int], data: Dataset) -> tuple[float, int]:
    start = time.process_time()
    groups = run(data)
    return time.process_time() - start, groups


def main() -> None:
    lines = [
        "| Adult | keys | nodes | groups of all nodes | grouped anew s | rolled up s | ratio |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for quasi in (FOUR,) if quick() else (FOUR, SEVEN):
        data = sl.datasets.adult(quasi=quasi)
        turns = [(seconds(grouped_anew, data), seconds(rolled_up, data)) for _ in range(1 if quick() else 3)]
        (anew, groups), (rolled, same) = (min(runs) for runs in zip(*turns, strict=True))
        assert groups == same
        nodes = len(Lattice(data.table, data.hierarchies))
        keys = len(data.table.sizes)
        lines.append(
            f"| {len(quasi)} columns | {keys:,} | {nodes:,} | {groups:,} | {anew:.3f} | {rolled:.3f} "
            f"| {rolled / anew:.2f} |"
        )
    print("\n".join(lines))
    write_part("lattice", "`python benchmarks/lattice.py`, processor time, lowest of 3.", "\n".join(lines))


if __name__ == "__main__":
    main()
