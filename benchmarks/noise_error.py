"""How far from the truth are answers from noisy counts, for the same ε?  On the bundled census table, by draws.

    python benchmarks/noise_error.py [draws, 100]

14,000 cells (age × sex × race × occupation, ε = 1) of 45,222 people.  Each line is a way to answer: how far off it is
as the root of the mean square over draws and counts, and for the number of women also on average (its bias).  Ours are
drawn by the code that publishes; OpenDP's plain counts by OpenDP's own transformations, from the rows.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import opendp.prelude as dp
from results import write_part

import sidelight as sl
from sidelight.arrays import Floats, Integers
from sidelight.noise.domain import Domain
from sidelight.noise.estimates import Measurements, fit_marginals, postprocess
from sidelight.noise.mechanism import Mechanism, PrivacyCost, Sensitivity, calibrate
from sidelight.noise.workload import Axes, CellLayout, read_queries, split_noise

COLUMNS = ("age", "sex", "race", "occupation")
ASKED = {
    "total": "total",
    "by sex": "sex",
    "by occupation": "occupation",
    "by sex and occupation": "sex, occupation",
    "by tens of age and sex": "age=2, sex",
    "by age": "age",
    "by age and sex": "age, sex",
    "a cell": "cells",
}
EPSILON = Fraction(1)


def main(draws: int) -> None:
    """Draw, compare, write."""
    adult = sl.datasets.adult(quasi=COLUMNS[:3])
    domain = Domain.declare(adult.hierarchies, dict.fromkeys(COLUMNS[:3], 0), adult.table.domain)
    counted = Counted.of(domain, domain.count(adult.table, adult.hierarchies).reshape(domain.sizes), adult.hierarchies)
    ways = {
        "post-processed counts, added up (`count` before)": _ours({}, processed=True),
        "measured counts, added up (`count` now)": _ours({}),
        "0.7 of ε on cells, 0.3 on occupations": _split({(0, 1, 2, 3): "0.7", (3,): "0.3"}),
        '`queries={"occupation": 1, "cells": 12}`': _ours({"occupation": 1, "cells": 12}),
        '`queries=["total", "sex"]`': _ours({"total": 1, "sex": 1}),
        '`queries=["sex", "occupation", "age"]`': _ours({"sex": 1, "occupation": 1, "age": 1}),
        '`queries=[("sex", "occupation"), ("age", "sex")]`': _ours({"sex, occupation": 1, "age, sex": 1}),
        "… post-processed counts, added up": _ours({"sex, occupation": 1, "age, sex": 1}, processed=True),
        '`queries=["age=2, sex", "occupation"]`, ages by tens': _ours({"age=2, sex": 1, "occupation": 1}),
        "… post-processed counts of it, added up": _ours({"age=2, sex": 1, "occupation": 1}, processed=True),
        "OpenDP: plain counts of the cells, added up": _opendp([(0, 1, 2, 3)]),
        "OpenDP: plain counts of cells, sex, occupation and age, ε / 4 each": _opendp([(0, 1, 2, 3), (1,), (3,), (0,)]),
    }
    lines = [
        f"| way | {' | '.join(ASKED)} | women: bias | seconds a draw |",
        "|" + " --- |" * (len(ASKED) + 3),
    ]
    for name, way in ways.items():
        lines.append(_line(name, way(counted), counted, draws))
        sys.stdout.write(lines[-1] + "\n")
    cells = counted.cells
    how = (
        f"`python benchmarks/noise_error.py {draws}`: {cells.size:,} cells of {int(cells.sum()):,} people, ε = 1, "
        f"{draws} draws.  Root of the mean squared error of one count of each kind, and how far off the number of "
        "women is on average; a bias that is noise is within about "
        f"{2 * math.sqrt(7_000 * 1.84 / draws):.0f} for measured counts.  A query that a way did not measure is added "
        "up from what it did."
    )
    write_part("Answers from noisy counts", how, "\n".join(lines))


@dataclass(frozen=True)
class Counted:
    """The exact cells, and which levels their columns may be counted by."""

    layout: CellLayout
    levels: Mapping[tuple[int, int], int | None]
    cells: Integers

    @classmethod
    def of(cls, domain: Domain, cells: Integers, by: Mapping[str, sl.Hierarchy]) -> Counted:
        """Take the levels of all hierarchies."""
        coarser, levels = domain.coarser_levels(by, None)
        return cls(CellLayout(domain.sizes, coarser), levels, cells)

    def weights(self, queries: Mapping[str, float]) -> dict[Axes, float]:
        """Read queries as `noisy_counts` does."""
        return read_queries(queries, COLUMNS, self.levels)

    def axes(self, query: str) -> Axes:
        """Say what one query is by."""
        return [*self.weights({query: 1})][-1]


Answers = Callable[[], Callable[[Axes], Floats]]
"""Draw once; then give all counts of a marginal."""


def _line(name: str, draw: Answers, counted: Counted, draws: int) -> str:
    squares: dict[str, list[float]] = {each: [] for each in ASKED}
    women, start = [], time.perf_counter()
    truth = {each: counted.layout.add_up(counted.cells, counted.axes(query)) for each, query in ASKED.items()}
    for _ in range(draws):
        answer = draw()
        for each, query in ASKED.items():
            squares[each].append(float(((answer(counted.axes(query)) - truth[each]) ** 2).mean()))
        women.append(float((answer((1,)) - truth["by sex"])[0]))
    seconds = (time.perf_counter() - start) / draws
    errors = " | ".join(f"{math.sqrt(np.mean(each)):.2f}" for each in squares.values())
    return f"| {name} | {errors} | {np.mean(women):+.1f} | {seconds:.3f} |"


def _ours(queries: Mapping[str, float], *, processed: bool = False) -> Callable[[Counted], Answers]:
    """Draw as `noisy_counts` does; `processed`: add up what was made whole and at least 0."""

    def prepared(counted: Counted) -> Answers:
        cost = PrivacyCost(EPSILON, Fraction(0))
        noise = split_noise(counted.layout, counted.weights(queries), cost, Sensitivity(), 1)
        return _drawn(counted, noise, processed)

    return prepared


def _split(shares: Mapping[Axes, str]) -> Callable[[Counted], Answers]:
    noise = {axes: calibrate(EPSILON * Fraction(share), Fraction(0)) for axes, share in shares.items()}
    return lambda counted: _drawn(counted, noise, processed=False)


def _drawn(counted: Counted, noise: Mapping[Axes, Mechanism], processed: bool) -> Answers:  # noqa: FBT001
    layout = counted.layout

    def draw() -> Callable[[Axes], Floats]:
        estimates = Measurements.draw(counted.cells, noise, layout.coarser).estimates
        if processed:
            queries = [axes for axes in noise if axes != layout.every]
            estimates = fit_marginals(estimates, queries, layout.coarser) if queries else postprocess(estimates)
        return lambda axes: layout.add_up(estimates.astype(np.float64), axes)

    return draw


def _opendp(measured: list[Axes]) -> Callable[[Counted], Answers]:
    """Count by categories as OpenDP does, each marginal for the same part of ε; others are added up from the cells."""
    dp.enable_features("contrib")

    def prepared(counted: Counted) -> Answers:
        cells, layout = counted.cells, counted.layout
        places = np.repeat(np.arange(cells.size), cells.ravel())
        people = np.unravel_index(places, cells.shape)
        plans = {}
        for axes in measured:
            sizes = [cells.shape[axis] for axis in axes]
            labels = np.ravel_multi_index([people[axis] for axis in axes], sizes).tolist()
            plans[axes] = _count_by(math.prod(sizes), float(EPSILON) / len(measured)), labels, sizes

        def draw() -> Callable[[Axes], Floats]:
            drawn = {axes: np.array(plan(labels)).reshape(sizes) for axes, (plan, labels, sizes) in plans.items()}
            every = drawn[layout.every].astype(np.float64)
            return lambda axes: drawn[axes].astype(np.float64) if axes in drawn else layout.add_up(every, axes)

        return draw

    return prepared


def _count_by(categories: int, epsilon: float) -> Callable[[list[int]], list[int]]:
    space = dp.vector_domain(dp.atom_domain(T="i32")), dp.symmetric_distance()
    count = dp.t.make_count_by_categories(
        *space, categories=list(range(categories)), null_category=False, MO=dp.L1Distance["i32"], TOA="i32"
    )
    counted: Callable[[list[int]], list[int]] = dp.binary_search_chain(
        lambda scale: count >> dp.m.then_laplace(scale=scale), d_in=1, d_out=epsilon
    )
    return counted


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
