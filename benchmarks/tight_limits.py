"""How long does Mondrian take at limits that groups meet with equality, against Mondrian for group sizes alone?

    python benchmarks/tight_limits.py                 bundled Adult, 7 columns; prints and writes its part of RESULTS.md
    python benchmarks/tight_limits.py implications    only the measures whose names begin so; prints

Two kinds of limits for every measure.  *Round* ones, such as 1/2, which small groups meet by the hundred; and *found*
ones, the exact value of a release with groups of at least 100, asked for as "at most" and as "below".
Goal: at most 10 times the Mondrian that keeps only groups of at least 5.  Processor seconds, the lowest of 2 runs.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from fractions import Fraction

from results import write_part
from search import best_of

import sidelight as sl
from sidelight.measures.criterion import Comparison, Criterion
from sidelight.measures.measure import Measure
from sidelight.policy.measure_names import all_measures

QUASI = ("age", "workclass", "education", "marital-status", "race", "sex", "native-country")
GOAL = 10
HALF, TWO_THIRDS, THREE_QUARTERS = Fraction(1, 2), Fraction(2, 3), Fraction(3, 4)

ROUND = (
    sl.GroupSize() >= 2,
    sl.DistinctValues() >= 2,
    sl.EntropyDiversity() >= 2,
    sl.EntropyDiversity() > 2,
    sl.RecursiveDiversity(2) <= 1,
    sl.RecursiveDiversity(3) <= 1,
    sl.Closeness() <= HALF,
    sl.BetaLikeness() <= 2,
    sl.DeltaDisclosure() < math.inf,
    sl.Negations(0) <= HALF,
    sl.Negations(1) < HALF,
    sl.Implications(0) <= HALF,
    sl.Implications(1) <= HALF,
    sl.Implications(1) < TWO_THIRDS,
    sl.Implications(3) <= THREE_QUARTERS,
    sl.Implications(8) <= 1,
    sl.Implications(1, value="Sales") <= HALF,
    sl.DisclosureCost(1, {"Sales": 1}, HALF) <= HALF,
    sl.DisclosureCost(1, {"Sales": 1}, HALF) < HALF,
    sl.DisclosureCost(3, {"Sales": 2, "Armed-Forces": 3}) <= THREE_QUARTERS,
    sl.Acquaintance() <= HALF,
    sl.Acquaintance(others=1) <= HALF,
    sl.Acquaintance(family=1) <= HALF,
    sl.Acquaintance(1, 1, 1) <= THREE_QUARTERS,
    sl.Acquaintance(1, 1, 1) < THREE_QUARTERS,
    sl.Acquaintance(others=3, family=2, value="Sales") <= HALF,
    sl.PriorBelief(stubbornness=100) <= 2,
    sl.ExpectedCandidates() >= 2,
)
FOUND = (
    sl.EntropyDiversity(),
    sl.RecursiveDiversity(3),
    sl.Closeness(),
    sl.Closeness(distance="ordered"),
    sl.BetaLikeness(),
    sl.DeltaDisclosure(absent="skipped"),
    sl.Negations(3),
    sl.Implications(1),
    sl.Implications(3),
    sl.Implications(2, value="Armed-Forces"),
    sl.Acquaintance(family=2),
    sl.Acquaintance(2, 2, 2),
    sl.PriorBelief(stubbornness=1_000_000),
    sl.PriorBelief(shape="uniform", stubbornness=1_000),
    sl.PriorBelief(shape="release", stubbornness=math.inf),
    sl.ExpectedCandidates(),
)


# These look at a whole release at once: another limit is searched by, and they judge the end.
AT_THE_END = (sl.MaxEnt() <= HALF, sl.MaxEntGain() <= HALF, sl.CheapestKnowledge(1) >= 1)


def policies(coarse: sl.Release) -> Iterator[sl.Policy]:
    """Give every policy of the benchmark."""
    yield from map(sl.Policy, ROUND)
    numbers = {value: place for place, value in enumerate(coarse.domain)}
    numeric = sl.NumericBelief(expects=7, spread=4, stubbornness=100, within=1, numbers=numbers)
    for measure in (*FOUND, numeric):
        yield from (sl.Policy(each) for each in limits_met_by(measure, coarse))
    for end in AT_THE_END:
        yield sl.Policy(end, sl.Negations(0) <= HALF)


def limits_met_by(measure: Measure, release: sl.Release) -> Iterator[Criterion]:
    """Bound a measure by what it says about a release, which may be met or may not."""
    value = measure.measure(release).value
    for comparison in Comparison.for_measure(large_is_bad=measure.large_is_bad):
        yield Criterion(measure, comparison, value)


def in_a_line(policy: sl.Policy) -> str:
    """Write a policy on a line, long fractions as decimals."""
    words = {
        each: f"{float(each.bound):.6g} (found)" if len(str(each.bound)) > 6 else each.bound for each in policy.criteria
    }
    return " and ".join(f"{each.measure} {each.comparison.sign} {bound}" for each, bound in words.items())


def check_complete() -> None:
    """Stop where a measure is left out, but for one that is told of buckets, and not of labels that Mondrian prints."""
    measured = {type(each.measure) for each in (*ROUND, *AT_THE_END)}
    measured |= {*map(type, FOUND), sl.NumericBelief, sl.EstimationError}
    left_out = [each.__name__ for each in all_measures() if each not in measured]
    assert not left_out, left_out


def main(only: str) -> None:
    check_complete()
    adult = sl.datasets.adult(quasi=QUASI)

    def cut(policy: sl.Policy) -> sl.SearchResult:
        return sl.protect(adult.table, policy, by=adult.hierarchies, method="mondrian")

    coarse = cut(sl.Policy(sl.GroupSize() >= 100)).release
    base, plain = best_of(lambda: cut(sl.Policy(sl.GroupSize() >= 5)), 3)
    lines = ["| limit | ms | against group size ≥ 5 | groups |", "| --- | ---: | ---: | ---: |"]
    lines.append(f"| group size ≥ 5 | {base * 1000:.0f} | 1.0 | {len(plain.release):,} |")
    worst = 0.0
    for policy in policies(coarse):
        if not str(policy.criteria[0]).startswith(only):
            continue
        seconds, found = best_of(lambda policy=policy: cut(policy), 2)
        worst = max(worst, seconds / base)
        lines.append(f"| {in_a_line(policy)} | {seconds * 1000:.0f} | {seconds / base:.1f} | {len(found.release):,} |")
        print(lines[-1], flush=True)
    summary = f"Goal: at most {GOAL} times. Slowest here: {worst:.1f} times."
    print(summary)
    if not only:
        how = f"`python benchmarks/tight_limits.py`, processor time, lowest of 2.\n{summary}"
        write_part("tight limits", how, "\n".join(lines))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "")
