"""How long does maximum entropy take, against a general method on the whole problem, and with how many buckets?

    python benchmarks/maxent.py

The setting of Privacy-MaxEnt: 14,210 people of Adult with 8 quasi-identifiers, education sensitive, dealt into 2,842
buckets of five.  Solvers are timed from the sums to the amounts, `maxent` also from the release and the rules to the
sums.  Two kinds of knowledge: the 500 + 500 strongest rules (all of them certainties, which force amounts
to 0), and 500 rules of one or two columns with probabilities in between.  Baseline: scipy's L-BFGS on the dual of all
71,000 variables at once, as the paper has it: nothing lumped, cut apart or removed before; it stops where it makes no
more progress (cvxpy with Clarabel: see `peers`).  Then what is true of many individuals: the value of 1,000
people for certain, and of 200 with 0.6 to 0.9.  Then 100 rules over up to 100,000 buckets.  Processor time on one
thread of linear algebra.
"""

from __future__ import annotations

import os

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"  # before NumPy: small systems run best so

import math
import resource
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from results import quick, write_part

import sidelight as sl
from sidelight.datasets.tables import ADULT
from sidelight.knowledge.statements import Statement, read_statements
from sidelight.max_entropy.constraints import Constraints, constraints_of, mentioned_conditions
from sidelight.max_entropy.problem import reduce_problem
from sidelight.max_entropy.subproblems import solve
from sidelight.max_entropy.variables import Variables
from sidelight.progress import quiet
from sidelight.search.anatomy import deal

sys.path.append(str(Path(__file__).parents[1] / "reproductions"))
from whole_dual import WholeDual  # the method as the paper has it, which its reproduction times too

QUASI = ["age", "workclass", "marital-status", "relationship", "race", "sex", "native-country", "hours-per-week"]
PEOPLE, BUCKETS = (500, 100) if quick() else (14_210, 2_842)
MANY = 50 if quick() else 1_000
SIZES = (300, 600) if quick() else (10_000, 30_000, 100_000)


def adult() -> tuple[pa.Table, sl.Table, sl.Release]:
    """The paper's people, their table, and the release of them in buckets of five."""
    every = pq.read_table(ADULT, columns=[*QUASI, "education"]).drop_null()
    chance = np.random.default_rng(2008)
    some = every.take(np.sort(chance.permutation(len(every))[:PEOPLE]))
    education = some["education"].dictionary_encode().combine_chunks()
    often = np.bincount(education.indices.to_numpy(), minlength=len(education.dictionary))
    in_line = np.argsort(education.indices.to_numpy() + chance.random(PEOPLE) / 2, kind="stable")
    bucket = np.empty(PEOPLE, np.int64)
    bucket[in_line] = deal(often, BUCKETS)
    table = sl.read_table(some, quasi=QUASI, sensitive="education")
    with_buckets = some.append_column("bucket", pa.array(bucket))
    return some, table, sl.read_release(with_buckets, group="bucket", quasi=QUASI, sensitive="education")


def stated(release: sl.Release, rules: Sequence[Statement]) -> tuple[Variables, Constraints]:
    statements = read_statements(rules)
    variables = Variables(release, {})
    variables = replace(variables, mentioned=mentioned_conditions(statements, variables.described))
    return variables, constraints_of(variables, statements)


def by_lbfgs(whole: WholeDual) -> tuple[float, int]:
    """Minimise the whole dual; gives the residual and the number of iterations."""
    found = whole.solve(near=1e-10, most=20_000, remembered=20)
    return found.residual, found.iterations


def timed(job: Callable[[], tuple[float, int]]) -> tuple[float, float, int]:
    start = time.process_time()
    residual, steps = job()
    return time.process_time() - start, residual, steps


def compared(release: sl.Release, rules: Sequence[Statement], said: str) -> list[str]:
    whole = WholeDual.of(release, rules)
    variables, constraints = stated(release, rules)
    reduced = reduce_problem(variables, constraints)

    def everything() -> tuple[float, int]:
        beliefs = sl.maxent(release, rules)
        return beliefs.solution.residual, beliefs.solution.steps

    def ours() -> tuple[float, int]:
        found = solve(reduced.problem, deadline=math.inf, progress=quiet)
        return found.residual, found.steps

    ours()  # once before, so that imports are not timed
    (all_of_it, *_), (seconds, residual, steps) = (min(timed(job) for _ in range(3)) for job in (everything, ours))
    amounts = sl.maxent(release, rules).table()["probability"].to_numpy() * release.size
    assert whole.residual(amounts) < 1e-8, "the sums of the whole problem fit too"
    lines = [
        f"| {said}: all of `maxent` | {all_of_it:.3f} | | 1.0 | {steps} | {residual:.0e} |",
        f"| {said}: our solver | {seconds:.3f} | 1.0 | | {steps} | {residual:.0e} |",
    ]
    other, off, iterations = timed(lambda: by_lbfgs(whole))
    ratios = f"{other / seconds:.1f} | {other / all_of_it:.1f}"
    lines.append(f"| {said}: L-BFGS on the whole dual | {other:.2f} | {ratios} | {iterations:,} | {off:.0e} |")
    print(*lines, sep="\n", flush=True)
    assert quick() or residual <= off, "ours should be at least as exact"
    assert quick() or other >= 10 * seconds or off > 1e-6, "at least ten times faster, where that gets near"
    return lines


def individuals(table: pa.Table, release: sl.Release) -> list[str]:
    """What is true of many people by name."""
    lines = []
    rows = table.to_pylist()
    for number, low, high in ((MANY, 1.0, 1.0), (MANY // 5, 0.6, 0.9)):
        chance = np.random.default_rng(0)
        who = chance.permutation(PEOPLE)[:number].tolist()
        people = {f"N{at}": {name: str(rows[at][name]) for name in QUASI} for at in who}
        known = [sl.P(rows[at]["education"], person=f"N{at}") == round(chance.uniform(low, high), 3) for at in who]

        def everything(
            known: Sequence[object] = known, people: dict[str, dict[str, str]] = people
        ) -> tuple[float, int]:
            beliefs = sl.maxent(release, known, people=people)
            assert beliefs.certificate.holds
            return beliefs.solution.residual, beliefs.solution.steps

        seconds, residual, steps = min(timed(everything) for _ in range(3))
        sure = "for certain" if low == 1 else f"with {low:g} to {high:g}"
        lines.append(
            f"| the value of {number:,} people {sure}: all of `maxent` | {seconds:.3f} | | | {steps} | {residual:.0e} |"
        )
        print(lines[-1], flush=True)
        assert seconds < 5, "1,000 true statements about individuals in less than 5 seconds"
    return lines


def made_up(buckets: int) -> pa.Table:
    """Buckets of five people with five of sixteen values; eight columns as uneven as Adult's."""
    chance = np.random.default_rng(buckets)
    widths = (70, 8, 7, 6, 5, 2, 40, 60)
    columns = {
        name: chance.choice(width, 5 * buckets, p=chance.dirichlet(np.ones(width))).astype(str)
        for name, width in zip(QUASI, widths, strict=True)
    }
    value = np.argsort(chance.random((buckets, 16)), axis=1)[:, :5].ravel()
    return pa.table(columns | {"education": value.astype(str), "bucket": np.repeat(np.arange(buckets), 5)})


def growing() -> list[str]:
    lines, seconds = [], []
    for buckets in SIZES:
        frame = made_up(buckets)
        release = sl.read_release(frame, group="bucket", quasi=QUASI, sensitive="education")
        table = sl.read_table(frame, quasi=QUASI, sensitive="education")
        rules = sl.strongest_rules(table, positive=100, sizes=[1, 2], support=buckets // 100)
        loaded = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        start, wall = time.process_time(), time.perf_counter()
        beliefs = sl.maxent(release, rules)
        seconds.append(time.process_time() - start)
        wall = time.perf_counter() - wall
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        off = beliefs.solution.residual
        lines.append(
            f"| {buckets:,} buckets, {len(rules)} rules: {beliefs.variables_solved:,} variables "
            f"| {seconds[-1]:.2f} | | | {beliefs.solution.steps} | {off:.0e} |"
        )
        print(lines[-1], f"{wall:.1f} s wall, {peak:.0f} MB", flush=True)
        assert beliefs.certificate.holds
    assert seconds[-1] < 30, "100 rules over 100,000 buckets in less than 30 seconds"
    assert peak < 4096, "and with less than 4 GB"
    per_bucket = [each / buckets for each, buckets in zip(seconds, SIZES, strict=True)]
    assert quick() or per_bucket[-1] < 3 * per_bucket[0], (
        "time about linear in buckets (a large problem leaves the caches)"
    )
    return [*lines, f"| (peak memory {peak:,.0f} MB, of which {loaded:,.0f} MB before) | | | | | |"]


def main() -> None:
    people, table, release = adult()
    print(release)
    strongest = sl.strongest_rules(table, positive=MANY // 2, negative=MANY // 2)
    between = [
        r
        for r in sl.strongest_rules(table, positive=5_000, sizes=[1, 2], support=2 if quick() else 30)
        if 0.02 < r.low < 0.98
    ]
    chosen = [between[at] for at in np.random.default_rng(1).permutation(len(between))[: MANY // 2]]
    lines = [
        "| what | CPU s | × our solver | × all of `maxent` | steps | farthest sum, in people |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
        *compared(release, strongest, "Adult, 500 + 500 strongest rules"),
        *compared(release, chosen, "Adult, 500 rules in between"),
        *individuals(people, release),
        *growing(),
    ]
    print("\n".join(lines))
    write_part(
        "maximum entropy", "`python benchmarks/maxent.py`, processor time, one thread, lowest of 3.", "\n".join(lines)
    )


if __name__ == "__main__":
    main()
