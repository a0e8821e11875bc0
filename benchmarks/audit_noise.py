"""Does any noisy release tell more about a person than it promises?  An audit by draws, on neighbouring tables.

    python benchmarks/audit_noise.py [draws of each noise, 100000] [releases published and read, 1000]

Every release is made with somebody and without them, or with somebody else in their place.  Draws prove a lower bound
of ε at the promised δ, with a confidence of 99.9 % for each line (tests/support/noise_audit.py says how): above the
promise, the promise is broken; near to it, the audit would have seen so.  Lines marked "broken" have half the noise,
and must be caught.

`noise`: what the release hands to OpenDP is drawn again, many times.  `files`: the whole way, from rows to the
published file and its document, which are read back; everything they say and every failure or warning counts.  Then
the noise is given, and everything else that neighbours tell must be the same, byte by byte.
"""

from __future__ import annotations

import functools
import itertools
import math
import re
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pyarrow as pa
from results import write_part

import sidelight as sl
from sidelight.errors import SidelightError
from sidelight.noise import domain

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from support.noise_audit import Told, draw_again, epsilon_at_least, everything_told, noise_drawn, ordered_by_evidence

CONFIDENCE = 0.999
BY = {
    "age": sl.Hierarchy("age", (("1", "2", "3"), ("*", "*", "*"))),
    "sex": sl.Hierarchy("sex", (("f", "m", "x"), ("*", "*", "*"))),
}
VALUES = ["a", "b", "c"]
OTHERS = tuple((row,) for row in (("1", "f", "a"), ("1", "f", "b"), ("2", "m", "a"), ("3", "m", "c"), ("3", "x", "c")))

Row = tuple[str | None, str | None, str | None]
Rows = tuple[Row, ...]


@functools.cache  # reading draws nothing
def read(one: Rows, others: tuple[Rows, ...], values: str = "single") -> sl.Events:
    """Read people, who have rows of age, sex and disease each."""
    rows = [(str(number), *row) for number, mine in enumerate([*others, one]) for row in mine]
    names = "id", "age", "sex", "disease"
    columns = {name: pa.array([row[place] for row in rows], pa.string()) for place, name in enumerate(names)}
    return sl.read_events(pa.table(columns), quasi=["age", "sex"], sensitive="disease", person="id", values=values)


@dataclass(frozen=True)
class Case:
    """A release of a table with somebody, and of one where they are missing, or have other rows."""

    name: str
    epsilon: float  # as it is asked for
    delta: float = 0
    one: Rows = (("1", "f", "a"),)
    other: Rows = ()
    values: str = "single"
    settings: dict[str, Any] = field(default_factory=dict)
    lots: int = 1

    def releases(self) -> tuple[Callable[[], sl.NoisyCounts], Callable[[], sl.NoisyCounts]]:
        first, second = (functools.partial(self.release, rows) for rows in (self.one, self.other))
        return first, second

    def release(self, rows: Rows) -> sl.NoisyCounts:
        table = read(rows, OTHERS, self.values)
        delta = {} if self.delta == 0 else {"delta": str(self.delta)}
        settings = {"levels": {"sex": 0}, "domain": VALUES, "epsilon": str(self.epsilon), **delta, **self.settings}
        return sl.noisy_counts(table, by=BY, ledger="no ledger", **settings)


THREE_VALUES = tuple(("1", "f", value) for value in VALUES)
THRICE = (("1", "f", "a"),) * 3
PEOPLE = {"people_at_most": 100}
QUERIES = {"queries": {"cells": 1, "total": 1, "sex": 1}}

CASES = [
    Case("discrete Laplace", 1),
    Case("discrete Laplace", 0.2),
    Case("discrete Laplace, somebody replaced", 1, other=(("2", "m", "b"),), settings={"neighbours": "replace"}),
    Case(
        "discrete Laplace, sets of 3 values",
        1,
        one=THREE_VALUES,
        values="set",
        settings={"values_per_person": 3},
    ),
    Case(
        "discrete Laplace, 2 of a set of 3 by lot",
        1,
        one=THREE_VALUES,
        values="set",
        settings={"values_per_person": 2},
        lots=40,
    ),
    Case(
        "discrete Laplace, multisets of 3 values",
        1,
        one=THRICE,
        values="multiset",
        settings={"values_per_person": 3},
    ),
    Case("discrete Laplace, 3 rows of a person", 1, one=THRICE, settings={"rows_per_person": 3}),
    Case("discrete Laplace, 2 of 3 rows by lot", 1, one=THREE_VALUES, settings={"rows_per_person": 2}, lots=40),
    Case("discrete Laplace, nobody in a declared cell", 1, one=(("9", "w", "z"),)),
    Case("discrete Gaussian", 1, 0.01, settings=PEOPLE),
    Case("discrete Gaussian", 0.3, 0.05, settings=PEOPLE),
    Case(
        "discrete Gaussian, somebody replaced",
        1,
        0.01,
        other=(("2", "m", "b"),),
        settings={"neighbours": "replace", **PEOPLE},
    ),
    Case(
        "discrete Gaussian, sets of 3 values",
        1,
        0.01,
        one=THREE_VALUES,
        values="set",
        settings={"values_per_person": 3, **PEOPLE},
    ),
    Case(
        "discrete Gaussian, multisets of 3, replaced",
        1,
        0.01,
        one=THRICE,
        other=(("2", "m", "b"),) * 3,
        values="multiset",
        settings={"values_per_person": 3, "neighbours": "replace", **PEOPLE},
    ),
    Case("a rho of 0.1, told at a delta", 0, 0.01, settings={"epsilon": None, "rho": "0.1", **PEOPLE}),
    Case("queries: cells, total and sex, Laplace", 1, settings=QUERIES),
    Case(
        "queries of sets of 3 values, replaced, Laplace",
        1,
        one=THREE_VALUES,
        other=tuple(("2", "m", value) for value in VALUES),
        values="set",
        settings={"values_per_person": 3, "neighbours": "replace", **QUERIES},
    ),
    Case("queries: cells, total and sex, Gaussian", 1, 0.01, settings={**QUERIES, **PEOPLE}),
    Case(
        "queries of sets of 3 values, Gaussian",
        1,
        0.01,
        one=THREE_VALUES,
        values="set",
        settings={"values_per_person": 3, **QUERIES, **PEOPLE},
    ),
]

PUBLISHED = (
    "discrete Laplace",
    "discrete Laplace, 2 of 3 rows by lot",
    "discrete Gaussian",
    "a rho of 0.1, told at a delta",
    "queries: cells, total and sex, Laplace",
    "queries: cells, total and sex, Gaussian",
)


def named(name: str) -> Case:
    return next(case for case in CASES if case.name == name)


# seven men, and four women and one of the men of one age: another woman of that age makes the ages stand out by one
# more, and moves nothing else; sexes stand out by two before, so that ages are seldom chosen, which tells most
CROWD = tuple((row,) for row in [("1", "f", "a")] * 4 + [("1", "m", "a")] + [("2", "m", "a"), ("3", "m", "a")] * 3)
AMONG = [{"age": 0}, {"sex": 0}]


def choose(rows: Rows, epsilon: float) -> sl.ChosenLevels:
    table = read(rows, CROWD)
    return sl.choose_levels(table, by=BY, among=AMONG, domain=VALUES, epsilon=str(epsilon), above=5, ledger="no ledger")


@dataclass(frozen=True)
class Line:
    """What was audited, what it promised, and what was proven."""

    name: str
    way: str
    epsilon: float
    delta: float
    draws: int
    proven: float
    broken: bool = False

    def __str__(self) -> str:
        verdict = "caught" if self.proven > self.epsilon else "not refuted"
        cells = (
            self.name,
            self.way,
            f"{self.epsilon:.4g}",
            f"{self.delta:g}",
            f"{self.draws:,}",
            f"{self.proven:.3f}",
            f"{self.proven / self.epsilon:.2f}",
            verdict,
        )
        return f"| {' | '.join(cells)} |"

    @property
    def as_expected(self) -> bool:
        return (self.proven > self.epsilon) == self.broken


def audit_noise(case: Case, draws: int, *, share: float = 1) -> Line:
    """Draw the noise of a release again and again."""
    promised = case.release(case.one).spending  # what the release itself says
    evidence = draw_again(*case.releases(), draws, share=share, lots=case.lots)
    proven = epsilon_at_least(*evidence, delta=float(promised.delta), confidence=CONFIDENCE)
    broken = share < 1
    name = f"broken: {case.name}, half the noise" if broken else case.name
    return Line(name, "noise", float(promised.epsilon), float(promised.delta), draws, proven, broken)


def audit_choice(epsilon: float, draws: int, *, share: float = 1) -> Line:
    """Draw the noisy maximum again and again, from the scores of neighbours."""
    original, outcomes = domain._noisy_maximum, []
    for rows in ((), (("1", "f", "a"),)):
        with mock.patch.object(domain, "_noisy_maximum", side_effect=original) as heard:
            choose(rows, epsilon)
        scores, cost, *rest = heard.call_args.args
        outcomes.append([original(scores, cost / share, *rest) for _ in range(draws)])
    proven = epsilon_at_least(*ordered_by_evidence(*outcomes), confidence=CONFIDENCE)
    broken = share < 1
    name = "broken: choice of levels, half the noise" if broken else "choice of levels (noisy maximum)"
    return Line(name, "noise", epsilon, 0, draws, proven, broken)


OWN_CELL = 1e6
"""Evidence that a cell was published in which only one of two neighbours has anybody."""


@dataclass(frozen=True)
class FoundCells:
    """Cells that nobody declared: twenty people are in one, and somebody in that one or in cells of their own."""

    name: str
    one: Rows
    settings: dict[str, Any] = field(default_factory=dict)

    def release(self, rows: Rows) -> sl.StableCounts:
        table = read(rows, ((("1", "f", "a"),),) * 20)
        return sl.stable_counts(table, columns=["sex"], epsilon=1, delta="0.0135", ledger="no ledger", **self.settings)


FOUND = [
    FoundCells("found cells, one of one's own", (("1", "x", "b"),)),
    FoundCells("found cells, 2 rows in one of one's own", (("1", "x", "b"),) * 2, {"rows_per_person": 2}),
    FoundCells("found cells, 2 of one's own", (("1", "x", "b"), ("1", "x", "c")), {"rows_per_person": 2}),
    FoundCells("found cells, another's and one's own", (("1", "f", "a"), ("1", "x", "c")), {"rows_per_person": 2}),
]


def audit_found(case: FoundCells, draws: int, *, lower: int = 0) -> Line:
    """Draw the noise of cells that occur; those below the threshold are not seen.  A lower one is broken."""
    evidence = []
    with noise_drawn() as heard:
        releases = [case.release(rows) for rows in (case.one, ())]
    # the cell of twenty comes first, of one's own after
    exact = [-np.sort(-each.exact) for each in heard]
    threshold = releases[0].threshold - lower
    for drawn, counts in zip(heard, exact, strict=True):
        measured = drawn.mechanism.add_noise(np.tile(counts, (draws, 1)))
        seen = np.maximum(measured[:, 0], threshold - 1)
        weights = (drawn.mechanism.log_weight(seen - each[0]) for each in exact)
        own = (measured[:, 1:] >= threshold).any(axis=1)
        evidence.append(np.where(own, OWN_CELL, np.round(next(weights) - next(weights), 9)))
    promised = releases[0].spending
    proven = epsilon_at_least(*evidence, delta=float(promised.delta), confidence=CONFIDENCE)
    name = f"broken: {case.name}, threshold {lower} lower" if lower else case.name
    return Line(name, "noise", float(promised.epsilon), float(promised.delta), draws, proven, bool(lower))


def audit_files(case: Case, releases: int) -> Line:
    """Publish and read back: all that files, documents, failures and warnings say."""
    promised = case.release(case.one).spending
    exact = {("sex",): [counts_of(release) for release in case.releases()]}
    outcomes = [[outcome_of(release, exact) for _ in range(releases)] for release in case.releases()]
    proven = epsilon_at_least(*weighed(*outcomes), delta=float(promised.delta), confidence=CONFIDENCE)
    return Line(case.name, "files", float(promised.epsilon), float(promised.delta), releases, proven)


def audit_found_files(case: FoundCells, releases: int) -> Line:
    """Publish cells that nobody declared, and read them back."""
    promised = case.release(case.one).spending
    exact = [max(counts_of(functools.partial(case.release, rows))[0].tolist()) for rows in (case.one, ())]
    outcomes = [
        [found_outcome_of(functools.partial(case.release, rows), exact) for _ in range(releases)]
        for rows in (case.one, ())
    ]
    proven = epsilon_at_least(*weighed(*outcomes), delta=float(promised.delta), confidence=CONFIDENCE)
    return Line(case.name, "files", float(promised.epsilon), float(promised.delta), releases, proven)


def audit_choice_and_files(epsilon: float, releases: int) -> Line:
    """Choose levels and count by them: what both cost together."""

    def release(rows: Rows) -> sl.NoisyCounts:
        table = read(rows, CROWD)
        return sl.noisy_counts(
            table, by=BY, levels=choose(rows, epsilon), domain=VALUES, epsilon=str(epsilon), ledger="no ledger"
        )

    exact = {
        tuple(levels): [
            counts_of(
                lambda levels=levels, rows=rows: sl.noisy_counts(
                    read(rows, CROWD), by=BY, levels=levels, domain=VALUES, epsilon=1, ledger="no ledger"
                )
            )
            for rows in ((("1", "f", "a"),), ())
        ]
        for levels in AMONG
    }
    outcomes = [
        [outcome_of(functools.partial(release, rows), exact) for _ in range(releases)]
        for rows in ((("1", "f", "a"),), ())
    ]
    proven = epsilon_at_least(*weighed(*outcomes), confidence=CONFIDENCE)
    return Line("choice of levels, then discrete Laplace", "files", 2 * epsilon, 0, releases, proven)


def counts_of(release: Callable[[], object]) -> list[np.ndarray]:
    """Listen in on the exact counts: of the cells, and of queries beside them."""
    with noise_drawn() as heard:
        release()
    return [each.exact for each in heard]


Outcome = tuple[float, object]
"""What the numbers of a release say for one of two neighbours, as a log-likelihood ratio; and all else that it told."""


def outcome_of(release: Callable[[], sl.NoisyCounts], exact: dict[tuple[str, ...], list[list[np.ndarray]]]) -> Outcome:
    """Sum up a release as evidence, with all else that it told: what was published, not what is in memory, counts."""
    told = published_as(release, sl.read_noise)
    if isinstance(told, str):
        return 0, told
    noisy, rest = told
    evidence = 0.0
    for measured, one, other in zip(noisy.measurements.marginals, *exact[tuple(noisy.levels)], strict=True):
        weights = (
            measured.mechanism.log_weight(measured.measured.ravel() - counts.ravel()).sum() for counts in (one, other)
        )
        evidence += next(weights) - next(weights)
    return round(evidence, 6), (tuple(noisy.levels), rest)


def found_outcome_of(release: Callable[[], sl.StableCounts], exact: list[int]) -> Outcome:
    """Sum up cells that nobody declared: a cell of one's own is proof, and the cell of twenty is evidence."""
    told = published_as(release, sl.read_stable_counts)
    if isinstance(told, str):
        return 0, told
    found, rest = told
    crowd = found.count("a", sex="f")
    if len(found) > (crowd is not None):
        return OWN_CELL, rest
    seen = found.threshold - 1 if crowd is None else crowd
    one, other = (float(found.mechanism.log_weight(np.array([seen - count]))[0]) for count in exact)
    return round(one - other, 6), rest


def published_as(release: Callable[[], Any], read_back: Callable[[Path], Any]) -> tuple[Any, object] | str:
    """Publish and read back: the counts, and all that is told besides; or how it failed."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            published = release().publish(f"{folder}/counts.csv")
        except SidelightError as error:
            return str(error)
        noisy = read_back(published.path)
        files = tuple(sorted(path.name for path in Path(folder).iterdir()))
    # what was drawn is the evidence, and stands in these
    drawn = "file", "promise", "receipt", "queries"
    document = {name: each for name, each in published.document.items() if name not in drawn}
    document["warnings"] = [re.sub(r"\d[\d,]*", "#", each) for each in document["warnings"]]  # with numbers drawn
    return noisy, (files, repr(document))


def weighed(one: list[Outcome], other: list[Outcome]) -> tuple[np.ndarray, np.ndarray]:
    """Add to the evidence of the numbers what all else speaks for, as the halves say that events are chosen on."""
    besides = ordered_by_evidence(*([rest for _, rest in side] for side in (one, other)))
    numbers = (np.array([evidence for evidence, _ in side]) for side in (one, other))
    mine, others = (np.round(each + more, 6) for each, more in zip(numbers, besides, strict=True))
    return mine, others


# what neighbours tell with the same noise


STRANGERS = {
    "somebody like others": ("1", "f", "a"),
    "a label that nobody declared": ("9", "w", "a"),
    "a value that nobody declared": ("1", "f", "z"),
    "missing labels": (None, None, "a"),
    "a missing value": ("1", "f", None),
}


def audit_what_is_told() -> list[str]:
    """With the noise given, what else do neighbours tell?"""
    lines = []
    for who, row in STRANGERS.items():
        for others, among in ((OTHERS, "among others"), ((), "alone, against nobody")):
            tables = [(rows, others) for rows in ((row,), ())]
            told = [everything_told(functools.partial(release_of, *table), drawn=given_noise) for table in tables]
            same = told[0] == told[1]
            lines.append(f"| {who}, {among} | {'the same' if same else difference(*told)} |")
    return lines


def release_of(rows: Rows, others: tuple[Rows, ...]) -> sl.NoisyCounts:
    return sl.noisy_counts(
        read(rows, others), by=BY, levels={"age": 0, "sex": 0}, domain=VALUES, epsilon=1, ledger="no ledger"
    )


def given_noise(_: object, counts: np.ndarray) -> np.ndarray:
    return np.arange(counts.size).reshape(counts.shape) % 5 - 1


def difference(one: Told, other: Told) -> str:
    names = [name for name in ("failure", "warned", "files", "shown") if getattr(one, name) != getattr(other, name)]
    return f"DIFFERENT: {', '.join(names)} ({one.failure or other.failure})"


def main() -> None:
    draws, releases = (int(each.replace(",", "")) for each in [*sys.argv[1:], "100000", "1000"][:2])
    start = time.perf_counter()
    lines = []
    for line in itertools.chain(
        (audit_noise(case, draws) for case in CASES),
        (audit_noise(named(name), draws, share=0.5) for name in ("discrete Laplace", "discrete Gaussian")),
        (audit_choice(epsilon, draws // 4) for epsilon in (1, 0.2)),
        (audit_choice(1, draws // 4, share=0.5) for _ in range(1)),
        (audit_found(case, draws) for case in FOUND),
        (audit_found(FOUND[0], draws, lower=1) for _ in range(1)),
        (audit_files(named(name), releases) for name in PUBLISHED),
        (audit_found_files(case, releases) for case in FOUND[:1]),
        (audit_choice_and_files(0.5, releases) for _ in range(1)),
    ):
        print(line, f"{time.perf_counter() - start:.0f} s", flush=True)
        lines.append(line)
    told = audit_what_is_told()
    print("\n".join(told))
    heads = [
        "| what | by | ε promised | δ | draws per table | ε at least | of the promise | |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | --- |",
    ]
    also = ["", "| with the noise given, a table with and without | everything told |", "| --- | --- |", *told]
    write_part(
        "audit of noise",
        f"`python benchmarks/audit_noise.py {draws} {releases}`: neighbouring tables; half of the draws choose an "
        "event, the other half "
        f"bound ε from below by Clopper and Pearson, each line with a confidence of {CONFIDENCE:.1%}.",
        "\n".join([*heads, *map(str, lines), *also]),
    )
    wrong = [line.name for line in lines if not line.as_expected]
    assert not wrong, f"the promise was refuted, or a broken one was not caught: {wrong}"
    assert all("DIFFERENT" not in line for line in told), "what is told besides the noise depends on the data"
    assert math.isfinite(sum(line.proven for line in lines))


if __name__ == "__main__":
    main()
