"""An experiment: how much do releases that were made independently give away together?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from sidelight.attack.bayes import Prior
from sidelight.attack.curves import Estimate, Point, Simulation
from sidelight.attack.drawing import Samples, overlapping
from sidelight.attack.exposure import Exposure
from sidelight.attack.intersection import intersect
from sidelight.errors import BadPolicy, NothingSafe, did_you_mean
from sidelight.measures.criterion import Bound, exact
from sidelight.policy.policy import Policy
from sidelight.search.anatomy import Anatomy
from sidelight.search.found import Found
from sidelight.search.method import Method, Progress, quiet
from sidelight.search.protect import METHODS, protect
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.table import Table

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


def _figures(exposure: Exposure, found: Sequence[Found]) -> dict[str, float]:
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
