"""An experiment: how much do releases that were made independently give away together?"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.special import stdtrit

from sidelight._arrays import Integers
from sidelight._progress import Progress, quiet
from sidelight.attack.exposure import Exposure
from sidelight.attack.intersection import intersect
from sidelight.attack.posterior import Prior
from sidelight.errors import BadMeasure, BadPolicy, BadTable, NothingSafe, did_you_mean, parameter
from sidelight.measures.measure import Bound, exact
from sidelight.policy.policy import Policy
from sidelight.search.anatomy import Anatomy
from sidelight.search.method import Method, SearchResult
from sidelight.search.protect import METHODS, protect
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.table import Counts, Table

Scheme: TypeAlias = str | Method | Sequence[str | Method]
"""One method for all releases, or one for each."""

CONFIDENCES = tuple(Fraction(1, choices) for choices in (1, 2, 3, 4, 5, 6, 8, 10))
"""Where the partial breach is looked at, when nothing else is said."""


def simulate_composition(
    table: Table,
    *,
    overlap: int,
    methods: Sequence[Scheme] = ("mondrian",),
    policies: Mapping[str, Policy] | Mapping[int, Policy],
    by: Mapping[str, Hierarchy] | None = None,
    releases: int = 2,
    people: int | None = None,
    confidences: Sequence[Bound] = CONFIDENCES,
    prior: Prior = "pooled",
    repetitions: int = 5,
    seed: int,
    progress: Progress = quiet,
) -> Simulation:
    """How much would independent releases of overlapping parts of this table give away?

    Draws `releases` samples that have `overlap` people in common, makes a release of each on its own, by each of the
    `methods` within each of the `policies` (by name, or by the number that a curve is drawn against), attacks the
    people in common, and does so `repetitions` times.  All methods and policies see the same samples; what comes out
    are means with 95 % confidence intervals over the repetitions.

    Args:
        table: the people to draw from, one value each.
        overlap: how many people are in all samples.
        methods: names or methods as for `protect`; a sequence of them is one method for each release.
        policies: what each release must keep, by a name or a number.
        by: hierarchies.
        releases: how many organisations publish.
        people: how many people each sample has; default: as many as there can be.
        confidences: where the partial breach is looked at.
        prior: what the attacker believes before, as for `intersect`.
        repetitions: how often it is done.
        seed: the same seed draws the same people.
        progress: told how far it is.

    >>> import sidelight as sl
    >>> adult = sl.datasets.adult(quasi=["age", "sex"])
    >>> found = simulate_composition(
    ...     adult.table, overlap=500, people=2_000, policies={5: sl.Policy(sl.GroupSize() >= 5)}, repetitions=2, seed=7
    ... )
    >>> [point.policy for point in found.points], found.points[0].estimates["hits"].mean
    (['5'], 1.0)

    Source: Ganta, Kasiviswanathan and Smith, KDD 2008, section 5.
    """
    schemes = [_scheme(each, releases) for each in methods]
    _check(policies, repetitions)
    wanted = [Fraction(exact(each)) for each in confidences]
    chances = [np.random.default_rng(each) for each in np.random.SeedSequence(seed).spawn(repetitions)]
    tries: dict[tuple[str, str], list[dict[str, float]]] = {}
    for number, rng in enumerate(chances):
        drawn = overlapping(table, overlap=overlap, people=people, releases=releases, rng=rng)
        for scheme in schemes:
            for name, policy in policies.items():
                progress(f"{_said(scheme)}, {name}", number, repetitions)
                seen = tries.setdefault((_said(scheme), str(name)), [])
                seen.extend(_tried(drawn, scheme, policy, by=by or {}, prior=prior, confidences=wanted, rng=rng))
    points = tuple(_point(method, policy, seen, wanted) for (method, policy), seen in tries.items())
    return Simulation(overlap, drawn.samples[0].people, releases, repetitions, seed, points)


def _tried(
    drawn: Samples,
    scheme: Sequence[Method],
    policy: Policy,
    *,
    by: Mapping[str, Hierarchy],
    prior: Prior,
    confidences: Sequence[Fraction],
    rng: np.random.Generator,
) -> Iterator[dict[str, float]]:
    """Publish and attack once; nothing comes out when nothing within policy can be published."""
    try:
        found = [
            protect(sample, policy, by=by, method=_by_chance(method, rng))
            for sample, method in zip(drawn.samples, scheme, strict=True)
        ]
    except NothingSafe:
        return
    exposure = intersect(found, people=drawn.shared, by=by, prior=prior)
    yield _figures(exposure, found) | {f"partial {each}": float(exposure.partial(each)) for each in confidences}


def _figures(exposure: Exposure, found: Sequence[SearchResult]) -> dict[str, float]:
    truth = exposure.truth
    assert truth is not None
    right = [float(each) for each in exposure.located_right if each is not None]
    return {
        "perfect": float(exposure.perfect),
        "vulnerable": float(exposure.vulnerable),
        "contradicted": float(exposure.contradicted),
        "promised": float(np.mean(exposure.promised)),
        "actual": float(np.mean([float(size) for size in exposure.actual])),
        "before": float(exposure.mean("before")),
        "after": float(exposure.mean("after")),
        **({"located right": float(np.mean(right))} if right else {}),
        "hits": float(truth.hits),
        "given away": float(truth.given_away),
        "guessed": float(truth.guessed),
        "belief in truth": truth.belief,
        "gain": truth.gain,
        "loss": float(np.mean([each.utility["loss"] for each in found])),
        "query error": float(np.mean([each.utility["query error"] for each in found])),
    }


def _point(method: str, policy: str, seen: list[dict[str, float]], confidences: Sequence[Fraction]) -> Point:
    names = seen[0] if seen else {}
    estimates = {name: Estimate.of([each[name] for each in seen]) for name in names}
    partial = {each: estimates.pop(f"partial {each}") for each in confidences if seen}
    return Point(method, policy, len(seen), estimates, partial)


def _scheme(given: Scheme, releases: int) -> tuple[Method, ...]:
    each = [given] * releases if isinstance(given, str | Method) else [*given]
    if len(each) != releases:
        message = f"{len(each)} methods for {releases} releases; give one for each, or one for all"
        raise BadPolicy(message)
    return tuple(_method(method) for method in each)


def _method(given: str | Method) -> Method:
    if isinstance(given, Method):
        return given
    if given not in METHODS:
        message = f"no method '{given}'{did_you_mean(given, METHODS)}"
        raise BadPolicy(message)
    return METHODS[given]()


def _by_chance(method: Method, rng: np.random.Generator) -> Method:
    """Let methods that draw lots draw them from the seed."""
    return replace(method, random=rng) if isinstance(method, Anatomy) and method.random is None else method


def _said(scheme: Sequence[Method]) -> str:
    return " and ".join(dict.fromkeys(_called(method) for method in scheme))


def _called(method: Method) -> str:
    """Name a method, with its options where some are set."""
    return method.name if method == type(method)() else repr(method)


def _check(policies: Mapping[str, Policy] | Mapping[int, Policy], repetitions: int) -> None:
    if not policies:
        message = "no policies to try; give at least one, such as {5: Policy(GroupSize() >= 5)}"
        raise BadPolicy(message)
    if repetitions < 1:
        message = f"repetitions={repetitions}: give at least 1, and 2 or more for confidence intervals"
        raise BadPolicy(message)


# ----------------------------------------------------------------------------------------------------
# Draw people from a table by chance: samples that have some of them in common.
# ----------------------------------------------------------------------------------------------------


class Samples(NamedTuple):
    """People who are in all samples, and the samples."""

    shared: Table
    samples: tuple[Table, ...]


def overlapping(table: Table, *, overlap: int, people: int | None, releases: int, rng: np.random.Generator) -> Samples:
    """Draw `releases` samples of `people` each, of whom `overlap` are in all of them and the others in one only.

    >>> import sidelight as sl
    >>> drawn = overlapping(
    ...     sl.datasets.adult().table, overlap=100, people=300, releases=2, rng=np.random.default_rng(1)
    ... )
    >>> drawn.shared.people, [sample.people for sample in drawn.samples]
    (100, [300, 300])
    """
    own = _own(table, overlap, people, releases)
    _, _, count = table.counts.entries()
    everybody = np.repeat(np.arange(len(count)), count)
    drawn = rng.permutation(everybody)[: overlap + own * releases]
    shared, rest = drawn[:overlap], drawn[overlap:].reshape(releases, own)
    return Samples(taken(table, shared), tuple(taken(table, np.concatenate((shared, mine))) for mine in rest))


def _own(table: Table, overlap: int, people: int | None, releases: int) -> int:
    """Say how many people a sample has for itself: those asked for, or an even part of all the others."""
    if table.semantics != "single":
        message = f"people are drawn with one value each, and this table has {parameter('values', table.semantics)}"
        raise BadTable(message)
    if overlap < 1:
        message = f"overlap={overlap}: at least one person has to be in all samples"
        raise BadTable(message)
    own = (table.people - overlap) // releases if people is None else people - overlap
    if own < 0 or overlap + own * releases > table.people:
        message = (
            f"{releases} samples with {overlap:,} people in common need {overlap + max(own, 0) * releases:,} people, "
            f"and the table has {table.people:,}; give a smaller {parameter('people')} (at least overlap=)"
        )
        raise BadTable(message)
    return own


def taken(table: Table, entries: Integers) -> Table:
    """Make the table of people given one by one, each as an entry of the table's counts."""
    cell, value, _ = table.counts.entries()
    cells, row = np.unique(cell[entries], return_inverse=True)
    counts = Counts.from_entries(row, value[entries], np.ones(len(entries), np.int64), (len(cells), len(table.domain)))
    quasi = tuple(column.take(cells).compact() for column in table.quasi)
    return Table(quasi, table.sensitive, table.domain, counts.per_row(), counts)


# ----------------------------------------------------------------------------------------------------
# What came out of an experiment, as data: means with confidence intervals, ready to be drawn.
# ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over repetitions, and the interval that holds the true one with 95 % confidence (None: one repetition)."""

    mean: float
    low: float | None
    high: float | None

    @classmethod
    def of(cls, seen: Sequence[float]) -> Estimate:
        """Average; mean ± t·s/√n, with Student's t.

        >>> Estimate.of([1.0, 2.0, 3.0]).mean, round(Estimate.of([1.0, 2.0, 3.0]).high, 3), Estimate.of([2.0]).low
        (2.0, 4.484, None)
        """
        n = len(seen)
        mean = math.fsum(seen) / n
        if n == 1:
            return cls(mean, None, None)
        spread = math.sqrt(math.fsum((each - mean) ** 2 for each in seen) / (n - 1))
        reach = float(stdtrit(n - 1, 0.975)) * spread / math.sqrt(n)
        return cls(mean, mean - reach, mean + reach)


@dataclass(frozen=True, slots=True)
class Point:
    """One method under one policy.

    `repetitions` counts those in which something could be published.  `estimates`: "perfect", "vulnerable" and
    "contradicted" (shares of the people in common), "promised" (smallest group), "actual" (people one stands among),
    "before" and "after" (values left), "located right", "hits" (the true value is a candidate), "given away" (it is the
    only one), "guessed" (it is the likeliest), "belief in truth" and its "gain" over what was believed before, "loss"
    and "query error" (of the releases).
    """

    method: str
    policy: str
    repetitions: int
    estimates: Mapping[str, Estimate]
    partial: Mapping[Fraction, Estimate]  # confidence → share of people


@dataclass(frozen=True, slots=True)
class Simulation:
    """What independent releases of overlapping samples gave away together."""

    overlap: int
    people: int
    releases: int
    repetitions: int
    seed: int
    points: tuple[Point, ...]

    def point(self, method: str, policy: str | int) -> Point:
        """Find a method under a policy."""
        for each in self.points:
            if (each.method, each.policy) == (method, str(policy)):
                return each
        named = [f"{each.method}, {each.policy}" for each in self.points]
        message = f"nothing was tried with '{method}, {policy}'{did_you_mean(f'{method}, {policy}', named)}"
        raise BadMeasure(message)

    def curve(self, name: str, *, method: str) -> dict[str, Estimate]:
        """Give one figure of a method against the policies, in their order."""
        mine = {each.policy: each for each in self.points if each.method == method}
        if not mine:
            message = f"nothing was tried with '{method}'{did_you_mean(method, {each.method for each in self.points})}"
            raise BadMeasure(message)
        known = {key for each in mine.values() for key in each.estimates}
        if name not in known:
            message = f"no figure '{name}'{did_you_mean(name, sorted(known))}"
            raise BadMeasure(message)
        return {policy: each.estimates[name] for policy, each in mine.items() if name in each.estimates}

    def to_json(self) -> str:
        """Write everything as JSON."""
        points = [
            {
                "method": each.method,
                "policy": each.policy,
                "repetitions": each.repetitions,
                "estimates": {name: asdict(estimate) for name, estimate in each.estimates.items()},
                "partial": [
                    {"confidence": str(confidence), **asdict(estimate)} for confidence, estimate in each.partial.items()
                ],
            }
            for each in self.points
        ]
        settings = ("overlap", "people", "releases", "repetitions", "seed")
        document = {"version": 1, **{name: getattr(self, name) for name in settings}, "points": points}
        return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
