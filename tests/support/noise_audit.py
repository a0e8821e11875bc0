"""How much privacy do draws prove that a noisy release lost?

    ε_low = max over events O and both directions of ln((p_low − δ) / q_high)

p_low ≤ Pr(O | one table) and Pr(O | its neighbour) ≤ q_high are Clopper and Pearson's bounds, all of them at once with
the confidence that is asked for.  The event is chosen on one half of the draws and counted on the other, so that
choosing it does not flatter the auditor.  A release that keeps (ε, δ) has ε_low ≤ ε but for 1 − confidence; one that
is near to ε shows that the audit would have noticed.

Noise is where the audit listens in (`noise_drawn`): a release is called as anybody calls it, and what it hands to
`Mechanism.add_noise` is drawn again, as often as wanted; an attacker who knows all others could do the same.  What a
release tells besides (`everything_told`) may depend on what was drawn, and on nothing else that the data says.

Source: Clopper and Pearson, Biometrika 1934; Jagielski, Ullman and Oprea, NeurIPS 2020 (auditing by events).
"""

from __future__ import annotations

import contextlib
import math
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from scipy.stats import beta

from sidelight.errors import SidelightError
from sidelight.noise.mechanism import Mechanism

THRESHOLDS = 400
"""How many thresholds are tried at most, at equally many draws from one to the next."""


def epsilon_at_least(one: np.ndarray, other: np.ndarray, *, delta: float = 0, confidence: float) -> float:
    """Bound the ε of a release from below, by one number per draw from a table and from its neighbour.

    Large numbers should speak for `one`, small ones for `other`; whatever they are, the bound holds.  The events are
    "at least t" and "at most t".

    >>> random = np.random.default_rng(0)
    >>> coins = random.random(20_000) < 0.75, random.random(20_000) < 0.25
    >>> 0.9 < epsilon_at_least(*coins, confidence=0.999) < math.log(3)
    True
    """
    # a quarter of the risk for each of two bounds, in each of two directions
    risk = (1 - confidence) / 4
    mine, others = np.asarray(one, float), np.asarray(other, float)
    directions = (mine, others), (-others, -mine)
    return max(_one_sided(*direction, delta, risk) for direction in directions)


def ordered_by_evidence(one: Sequence[object], other: Sequence[object]) -> tuple[np.ndarray, np.ndarray]:
    """Number outcomes of any kind by how far they speak for `one`, as the halves say that events are chosen on."""
    kinds: dict[object, list[int]] = {}
    for side, outcomes in enumerate((one, other)):
        for place, outcome in enumerate(outcomes):
            kinds.setdefault(outcome, [0, 0])[side] += place % 2 == 0
    number = {kind: math.log((first + 0.5) / (second + 0.5)) for kind, (first, second) in kinds.items()}
    mine, others = (np.array([number[outcome] for outcome in outcomes]) for outcomes in (one, other))
    return mine, others


def _one_sided(one: np.ndarray, other: np.ndarray, delta: float, risk: float) -> float:
    """Bound ln((Pr(at least t | one) − δ) / Pr(at least t | other)), t chosen on the even draws, counted on the odd."""
    thresholds = np.unique(np.quantile(np.concatenate([one[::2], other[::2]]), np.linspace(0, 1, THRESHOLDS)))
    tried = _log_ratio(*(_counts(each[::2], thresholds) for each in (one, other)), delta, risk)
    best = thresholds[[int(np.argmax(tried))]]
    return float(_log_ratio(*(_counts(each[1::2], best) for each in (one, other)), delta, risk)[0])


def _counts(draws: np.ndarray, thresholds: np.ndarray) -> tuple[np.ndarray, int]:
    ascending = np.sort(np.asarray(draws, float))
    return len(draws) - np.searchsorted(ascending, thresholds, side="left"), len(draws)


def _log_ratio(one: tuple[np.ndarray, int], other: tuple[np.ndarray, int], delta: float, risk: float) -> np.ndarray:
    (times, draws), (other_times, other_draws) = one, other
    low = np.where(times > 0, beta.ppf(risk, times, draws - times + 1), 0.0)
    high = np.where(
        other_times < other_draws, beta.isf(risk, other_times + 1, np.maximum(other_draws - other_times, 1)), 1.0
    )
    with np.errstate(divide="ignore"):
        return np.log(np.maximum(low - delta, 0) / high)


@dataclass(frozen=True)
class Drawn:
    """Counts to which noise was added in one call, and which noise that was."""

    mechanism: Mechanism
    exact: np.ndarray


@contextlib.contextmanager
def noise_drawn(instead: Callable[[Mechanism, np.ndarray], np.ndarray] | None = None) -> Iterator[list[Drawn]]:
    """Listen in on all noise, and draw `instead` of OpenDP where that is given."""
    heard: list[Drawn] = []
    original = Mechanism.add_noise

    def add_noise(mechanism: Mechanism, counts: np.ndarray) -> np.ndarray:
        heard.append(Drawn(mechanism, np.array(counts)))
        return original(mechanism, counts) if instead is None else instead(mechanism, np.asarray(counts))

    with mock.patch.object(Mechanism, "add_noise", add_noise):
        yield heard


def draw_again(
    release: Callable[[], object], neighbour: Callable[[], object], draws: int, *, share: float = 1, lots: int = 1
) -> tuple[np.ndarray, np.ndarray]:
    """Draw the noise of two releases again and again, and tell their evidence apart: log-likelihood ratios.

    Only counts that differ are drawn: the noise of others is the same, and independent.  `share` of the noise is drawn:
    less than all is a broken release.  `lots`: how often each release is made anew, where values are left out by lot.
    """
    made = [[_heard(each) for _ in range(lots)] for each in (release, neighbour)]
    typical = [[np.mean([lot[call].exact for lot in side], axis=0) for call in range(len(side[0]))] for side in made]
    evidence = []
    for side in made:
        parts = []
        for lot in side:
            part = np.zeros(draws // lots)
            for call, (drawn, first, second) in enumerate(zip(lot, *typical, strict=True)):
                differ = (first != second) | np.any([each[call].exact != drawn.exact for each in side], axis=0)
                exact, one, other = (each[differ].ravel() for each in (drawn.exact, first, second))
                noise = Mechanism(drawn.mechanism.kind, drawn.mechanism.scale * share)
                # bound to the class as it is now: nobody listens to this
                measured = noise.add_noise(np.tile(exact, (len(part), 1)))
                part += (_log_weight(noise, measured - one) - _log_weight(noise, measured - other)).sum(axis=1)
            parts.append(part)
        # lots take turns, so that both halves see all of them
        evidence.append(np.round(np.stack(parts, axis=1).reshape(-1), 9))
    return evidence[0], evidence[1]


def _log_weight(noise: Mechanism, size: np.ndarray) -> np.ndarray:
    weight: np.ndarray = noise.log_weight(size)
    return weight


def _heard(release: Callable[[], object]) -> list[Drawn]:
    with noise_drawn() as heard:
        release()
    return heard


@dataclass(frozen=True)
class Told:
    """All that somebody learns from one release: what it said, warned of and wrote, or how it failed."""

    failure: str | None
    warned: tuple[str, ...]
    files: tuple[tuple[str, bytes], ...]
    shown: tuple[str, ...]


def everything_told(
    release: Callable[[], Any], *, drawn: Callable[[Mechanism, np.ndarray], np.ndarray] | None = None
) -> Told:
    """Make a release and publish it, and take down everything that it tells; what was `drawn` may be given."""
    failure, files, shown = None, [], []
    with (
        noise_drawn(drawn),
        warnings.catch_warnings(record=True) as caught,
        tempfile.TemporaryDirectory() as folder,
    ):
        warnings.simplefilter("always")
        try:
            noisy = release()
            for name in ("counts.csv", "counts.parquet"):
                noisy.publish(f"{folder}/{name}")
            shown = [repr(noisy), noisy._repr_html_(), noisy.promise().sentence()]
        except SidelightError as error:
            failure = f"{type(error).__name__}: {error}"
        files = [(path.name, path.read_bytes()) for path in sorted(Path(folder).iterdir())]
    return Told(failure, tuple(str(each.message) for each in caught), tuple(files), tuple(shown))
