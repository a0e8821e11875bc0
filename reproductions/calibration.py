"""How sure is an attacker of several releases, and with what right?  Adult in samples, NHEFS in sets, with the truth.

    python reproductions/calibration.py                    prints the tables; about a minute
    python reproductions/calibration.py --repetitions 1    quicker

Each case draws samples of people with some in common, publishes each sample by Mondrian, by columns of its own, and
attacks the people in common with what the releases say together counted once ("shared") and as if each were evidence
of its own ("independent": Π_j p_j / prior^(n−1)).  An attacker who claims 0.7 should be right about 0.7.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import sidelight as sl

ALL = ("age", "workclass", "education", "marital-status", "race", "sex", "native-country")
PART, OTHER_PART = ("age", "workclass", "race"), ("education", "marital-status", "sex")
CASES = {
    "the same seven columns, k = 5": ((ALL, 5), (ALL, 5)),
    "the same seven columns, k = 20": ((ALL, 20), (ALL, 20)),
    "the same columns, k = 5 and k = 50": ((ALL, 5), (ALL, 50)),
    "three columns and three others, k = 10": ((PART, 10), (OTHER_PART, 10)),
    "five columns, three of them in both, k = 10": (
        (("age", "education", "sex"), 10),
        (("age", "education", "sex", "workclass", "marital-status"), 10),
    ),
    "some columns in common, k = 10": (
        (("age", "education", "sex"), 10),
        (("education", "workclass", "marital-status"), 10),
    ),
    "three releases by the same columns, k = 10": ((ALL, 10), (ALL, 10), (ALL, 10)),
    "two by the same columns, one by others, k = 10": ((PART, 10), (PART, 10), (OTHER_PART, 10)),
}
CURVES = ("the same seven columns, k = 5", "three columns and three others, k = 10")


def samples(frame: pa.Table, overlap: int, people: int, releases: int, seed: int) -> Iterator[pa.Table]:
    """Draw the people in common, then the samples: each has them and people of its own."""
    drawn = np.random.default_rng(seed).permutation(len(frame))
    own = people - overlap
    yield frame.take(drawn[:overlap])
    for number in range(releases):
        start = overlap + number * own
        yield frame.take(np.concatenate((drawn[:overlap], drawn[start : start + own])))


def published(sample: pa.Table, quasi: Sequence[str], k: int) -> sl.SearchResult:
    table = sl.read_table(sample, quasi=list(quasi), sensitive="occupation")
    return sl.protect(table, sl.Policy(sl.GroupSize() >= k), method="mondrian")


def line(name: str, evidence: str, truths: Sequence[object]) -> str:
    claims = [truth.calibration for truth in truths]
    figures = (
        np.mean([each.claimed for each in claims]),
        np.mean([float(each.right) for each in claims]),
        np.mean([each.expected_error for each in claims]),
        np.mean([truth.log_belief for truth in truths]),
    )
    return f"| {name} | {evidence} | " + " | ".join(f"{each:.3f}" for each in figures) + " |"


def curve(truths: Sequence[object]) -> Iterator[str]:
    """Put the bins of all repetitions together."""
    bins = {}
    for each in (each for truth in truths for each in truth.calibration.bins):
        people, claimed, right = bins.get(each.low, (0, 0.0, 0.0))
        share = float(each.right)
        bins[each.low] = (people + each.people, claimed + each.people * each.claimed, right + each.people * share)
    for low, (people, claimed, right) in sorted(bins.items()):
        shares = f"{claimed / people:.2f} | {right / people:.2f}"
        yield f"| {float(low):.1f} to {float(low) + 0.1:.1f} | {people:,} | {shares} |"


def adult(repetitions: int) -> None:
    frame = pq.read_table(sl.datasets.adult().path).drop_null()
    curves = []
    print("| Adult, 4,000 people in common | evidence | claimed | right | error | mean log belief |")
    print("| --- | --- | ---: | ---: | ---: | ---: |")
    for name, made_by in CASES.items():
        truths: dict[str, list[object]] = {"shared": [], "independent": []}
        for seed in range(repetitions):
            shared, *drawn = samples(frame, 4_000, 12_000, len(made_by), seed)
            people = sl.read_table(shared, quasi=list(ALL), sensitive="occupation")
            results = [published(sample, *how) for sample, how in zip(drawn, made_by, strict=True)]
            for evidence, each in truths.items():
                each.append(sl.intersect(results, people=people, evidence=evidence).truth)
        for evidence, each in truths.items():
            print(line(name, evidence, each), flush=True)
        curves += [(name, evidence, each) for evidence, each in truths.items() if name in CURVES]
    for name, evidence, truths_of_curve in curves:
        print(f"\n{name}, {evidence}\n\n| believed | people | claimed | right |\n| --- | ---: | ---: | ---: |")
        print("\n".join(curve(truths_of_curve)))


def absent(repetitions: int) -> None:
    """Look for all 6,000 people of the first sample, of whom 1,000 are in the second as well."""
    frame = pq.read_table(sl.datasets.adult().path).drop_null()
    print("\n| 6,000 people, 1,000 of them in both | truth is possible | claimed | right | mean log belief |")
    print("| --- | ---: | ---: | ---: | ---: |")
    ways = {
        "taken to be in both": {},
        "`present=[1, 1/6]`, independent": {"present": [1, Fraction(1, 6)], "evidence": "independent"},
        "`present=[1, 1/6]`": {"present": [1, Fraction(1, 6)]},
    }
    for name, options in ways.items():
        rows = []
        for seed in range(repetitions):
            _, *drawn = samples(frame, 1_000, 6_000, 2, seed)
            people = sl.read_table(drawn[0], quasi=list(ALL), sensitive="occupation")
            truth = sl.intersect([published(each, ALL, 10) for each in drawn], people=people, **options).truth
            claims = truth.calibration
            rows.append((float(truth.hits), claims.claimed, float(claims.right), truth.log_belief))
        print(f"| {name} | " + " | ".join(f"{each:.3f}" for each in np.mean(rows, axis=0)) + " |")


def conditions(repetitions: int) -> None:
    """Let people have any number of conditions."""
    quasi = ["age", "sex", "race", "education"]
    frame = pq.read_table(sl.datasets.nhefs().path)
    print("\n| NHEFS, 500 people in common | evidence | claimed | right | error | mean log belief |")
    print("| --- | --- | ---: | ---: | ---: | ---: |")
    names = pa.table({"person": frame["person"].unique()})
    for k in (5, 10):
        truths: dict[str, list[object]] = {"shared": [], "independent": []}
        for seed in range(repetitions):
            people, *drawn = (
                sl.read_table(
                    frame.filter(pc.is_in(frame["person"], each["person"].combine_chunks())),
                    quasi=quasi,
                    sensitive="condition",
                    person="person",
                    values="set",
                    missing="no value",
                )
                for each in samples(names, 500, 1_000, 2, seed)
            )
            results = [sl.protect(each, sl.Policy(sl.GroupSize() >= k), method="mondrian") for each in drawn]
            for evidence, each in truths.items():
                each.append(sl.intersect(results, people=people, evidence=evidence).truth)
        for evidence, each in truths.items():
            print(line(f"the same four columns, k = {k}", evidence, each))


if __name__ == "__main__":
    options = argparse.ArgumentParser()
    options.add_argument("--repetitions", type=int, default=3)
    chosen = options.parse_args()
    adult(chosen.repetitions)
    absent(chosen.repetitions)
    conditions(chosen.repetitions)
