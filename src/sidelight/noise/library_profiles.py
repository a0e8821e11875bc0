"""What measurements of OpenDP and events of Google's dp-accounting promise: their privacy profile.

OpenDP: the output measure of a measurement says what `measurement.map(d_in)` is.

    MaxDivergence                 ε
    ZeroConcentratedDivergence    ρ, so that the Rényi divergence of order α is at most ρ·α
    RenyiDivergence               that divergence as a function of α
    SmoothedMaxDivergence         the profile itself: δ as a function of ε
    Approximate(any of these)     the same, and a δ that is added to it

dp-accounting: the distribution of an event's privacy losses, and where it has none its Rényi divergences; with them the
ε that the event keeps without any δ, if there is one.

An instance is taken by the library that made it, which is there then; this file imports none for anybody else.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sidelight.errors import BadNoise, parameter
from sidelight.noise.privacy_profile import (
    SMALLEST_DELTA,
    Neighbours,
    PrivacyProfile,
    curve_of_divergences,
    curve_of_losses,
)
from sidelight.rounding import raise_bound

ORDERS = 1 + np.geomspace(1e-3, 1e6, 1500)
"""The orders α at which Rényi divergences are read; any of them bounds δ."""


UNBOUNDED = "this promises nothing: how much it may depend on one person is not bounded; add noise to all of it"


@dataclass(frozen=True, slots=True)
class LibraryProfile:
    """What an object of another library promises: its profile, to neighbours of this kind, and ε where δ is 0."""

    profile: PrivacyProfile
    neighbours: Neighbours

    @property
    def pure_epsilon(self) -> float | None:
        """The smallest ε without any δ."""
        return min((epsilon for epsilon, delta in self.profile.pairs if delta == 0), default=None)


def is_of_library(release: object) -> bool:
    """Whether OpenDP or dp-accounting made this."""
    return _library(release) in ("opendp", "dp_accounting")


def library_profile(release: object, d_in: float | None, neighbours: Neighbours | None) -> LibraryProfile:
    """Read the profile of an OpenDP measurement, at the input distance `d_in`, or of a dp-accounting event."""
    if _library(release) == "opendp":
        return _read_measurement(release, d_in, neighbours)
    if d_in is not None:
        message = f"{parameter('d_in')} is for measurements of OpenDP; an event says how far neighbours are apart"
        raise BadNoise(message)
    relation = neighbours or "add or remove"
    return LibraryProfile(_read_event(release, relation), relation)


def _library(release: object) -> str:
    return type(release).__module__.partition(".")[0]


# OpenDP.

NEIGHBOURS_OF_METRIC: dict[str, Neighbours] = {
    "SymmetricDistance": "add or remove",
    "InsertDeleteDistance": "add or remove",
    "ChangeOneDistance": "replace",
    "HammingDistance": "replace",
    "DiscreteDistance": "replace",
}
"""What a metric of OpenDP says of neighbours; others measure results, and say nothing."""


def _read_measurement(measurement: Any, d_in: float | None, neighbours: Neighbours | None) -> LibraryProfile:  # noqa: ANN401
    from opendp.mod import Measurement, OpenDPException  # noqa: PLC0415 - an extra, and slow to import

    if not isinstance(measurement, Measurement):
        message = (
            f"a promise is of a whole Measurement, not of an OpenDP {type(measurement).__name__}; compose, and chain "
            "transformations to it, first"
        )
        raise BadNoise(message)
    if d_in is None:
        metric = measurement.input_metric
        message = (
            f"how far are neighbours apart, by {metric}? give {parameter('d_in', 1)}, or what it is for one person"
        )
        raise BadNoise(message)
    if d_in == 0:
        message = f"{parameter('d_in', 0)} compares data with itself; say how far neighbours are apart, such as 1"
        raise BadNoise(message)
    relation = _neighbours(str(measurement.input_metric), d_in, neighbours)
    untyped: Any = measurement
    try:
        distance = untyped.map(d_in)
    except (OpenDPException, TypeError) as refused:
        reason = " ".join(str(refused).split())
        message = f"OpenDP cannot say what {parameter('d_in', d_in)} costs: {reason}"
        raise BadNoise(message) from None
    return LibraryProfile(_read_distance(untyped.output_measure, distance), relation)


def _neighbours(metric: str, d_in: float, neighbours: Neighbours | None) -> Neighbours:
    """Return the neighbours that the metric implies; refuse a contradicting argument."""
    by_metric = NEIGHBOURS_OF_METRIC.get(metric.partition("(")[0])
    if neighbours is None or by_metric is None or neighbours == by_metric:
        return neighbours or by_metric or "add or remove"
    if by_metric == "add or remove" and d_in >= 2:  # one goes and another comes
        return neighbours
    remedy = f"give {parameter('d_in', 2)} for that" if by_metric == "add or remove" else "leave neighbours out"
    message = f"{metric} at {d_in} is not {parameter('neighbours', neighbours)}; {remedy}"
    raise BadNoise(message)


def _read_distance(measure: Any, distance: Any) -> PrivacyProfile:  # noqa: ANN401 - OpenDP has no types
    name = str(measure).partition("(")[0]
    if name == "Approximate":
        inner, slack = distance
        return _plus(_read_distance(measure.inner_measure, inner), slack)
    if name == "FixedSmoothedMaxDivergence":
        epsilon, slack = distance
        return _plus(PrivacyProfile.of_pair(_finite(epsilon)), slack)
    if name == "MaxDivergence":
        return PrivacyProfile.of_pair(_finite(distance))
    if name == "ZeroConcentratedDivergence":
        return PrivacyProfile.of_curve(curve_of_divergences(ORDERS, raise_bound(_finite(distance)) * ORDERS))
    if name == "RenyiDivergence":
        divergences = np.array([_finite(distance(float(order))) for order in ORDERS])
        return PrivacyProfile.of_curve(curve_of_divergences(ORDERS, divergences))
    if name == "SmoothedMaxDivergence":
        return PrivacyProfile.of_curve(lambda epsilons: [_delta(distance.delta(each)) for each in epsilons])
    message = f"what {measure} promises is not known; give a measurement by epsilon, (epsilon, delta), rho or a profile"
    raise BadNoise(message)


def _plus(profile: PrivacyProfile, slack: float) -> PrivacyProfile:
    """Add a δ to every one of a profile."""
    if slack == 0:
        return profile
    curve = profile.curve

    def added(deltas: Sequence[float]) -> list[float]:
        return [min(raise_bound(delta + slack) if delta else slack, 1.0) for delta in deltas]

    epsilons, deltas = zip(*profile.pairs, strict=True)
    pairs = tuple(zip(epsilons, added(deltas), strict=True))
    return PrivacyProfile(pairs, None if curve is None else lambda each: added(curve(each)))


def _delta(delta: float) -> float:
    return min(max(delta, SMALLEST_DELTA), 1.0)


def _finite(distance: float) -> float:
    if math.isfinite(distance):
        return distance
    raise BadNoise(UNBOUNDED)


# Google's dp-accounting.


def _read_event(event: Any, neighbours: Neighbours) -> PrivacyProfile:  # noqa: ANN401 - dp-accounting has no types
    import dp_accounting as library  # noqa: PLC0415 - an extra, and slow to import
    from dp_accounting import dp_event as events  # noqa: PLC0415
    from dp_accounting.pld import PLDAccountant  # noqa: PLC0415
    from dp_accounting.rdp import RdpAccountant  # noqa: PLC0415

    if not isinstance(event, library.DpEvent):
        message = f"a promise is of a DpEvent, not of a {type(event).__name__} of dp-accounting; give its .ledger"
        raise BadNoise(message)
    relations = library.NeighboringRelation
    relation = {"add or remove": relations.ADD_OR_REMOVE_ONE, "replace": relations.REPLACE_ONE}[neighbours]
    try:
        profile = _read_losses(PLDAccountant(relation).compose(event))
    except library.UnsupportedEventError as refused:
        if RELATION in str(refused):  # it stands, even where another accountant would not look at neighbours
            raise _refuse_event(refused, neighbours) from None
        try:
            counted = event if neighbours == "add or remove" else _twice_as_far(event)
            profile = _read_divergences(RdpAccountant(neighboring_relation=relation).compose(counted))
        except library.UnsupportedEventError as refused_too:
            raise _refuse_event(refused_too, neighbours) from None
    except ValueError as refused:
        message = f"dp-accounting refuses this event: {' '.join(str(refused).split())}"
        raise BadNoise(message) from None
    pure = _pure_epsilon(event, events)
    return profile if pure is None or pure == 0 else profile | PrivacyProfile.of_pair(raise_bound(pure))


RELATION = "neighboring_relation"
"""What dp-accounting names where it refuses an event because of its neighbours."""


def _refuse_event(refused: Exception, neighbours: Neighbours) -> BadNoise:
    kind = str(refused).rpartition("caused by subevent ")[2].partition("(")[0]
    if RELATION not in str(refused):
        return BadNoise(f"dp-accounting cannot account for {kind}; give the epsilon and delta that it keeps")
    unlike = "replace" if neighbours == "add or remove" else "add or remove"
    remedy = f"say {parameter('neighbours', unlike)} if that is meant, or give the epsilon and delta that it keeps"
    return BadNoise(f"dp-accounting cannot account for {kind} with {parameter('neighbours', neighbours)}; {remedy}")


def _read_losses(accountant: Any) -> PrivacyProfile:  # noqa: ANN401 - dp-accounting has no types
    # of what is published without noise, the accountant has no losses
    if math.isinf(accountant.get_epsilon(1 - 1e-9)):
        raise BadNoise(UNBOUNDED)
    return PrivacyProfile.of_curve(curve_of_losses(accountant._pld))  # it hands out one δ at a time itself


def _twice_as_far(event: Any) -> Any:  # noqa: ANN401
    """Halve all noise relative to one person: where one goes and another comes, results move by up to twice as much.

    The accountant of losses does so itself, the one of divergences does not.
    """
    parts = {each.name: getattr(event, each.name) for each in event.__attrs_attrs__}
    for name, part in parts.items():
        if name == "noise_multiplier":
            parts[name] = part / 2
        elif name == "event":
            parts[name] = _twice_as_far(part)
        elif name == "events":
            parts[name] = [_twice_as_far(each) for each in part]
    return type(event)(**parts)


def _read_divergences(accountant: Any) -> PrivacyProfile:  # noqa: ANN401
    orders, divergences = accountant.orders, accountant.rdp
    # the conversion to δ needs α > 1, and an infinite divergence bounds nothing
    bounded = np.isfinite(divergences) & (orders > 1)
    if not bounded.any():
        raise BadNoise(UNBOUNDED)
    # they were computed in floats: raised by a last few digits, so that each stays a bound
    return PrivacyProfile.of_curve(curve_of_divergences(orders[bounded], raise_bound(1.0) * divergences[bounded]))


def _pure_epsilon(event: Any, kinds: Any) -> float | None:  # noqa: ANN401
    """Return the ε that an event keeps without any δ; None where it keeps none, or where that is not known."""
    match event:
        case kinds.SelfComposedDpEvent(event=inner, count=count):
            one = _pure_epsilon(inner, kinds)
            return None if one is None else count * one
        case kinds.ComposedDpEvent(events=events):
            each = [_pure_epsilon(inner, kinds) for inner in events]
            known = [one for one in each if one is not None]
            return math.fsum(known) if len(known) == len(each) else None
    return _pure_epsilon_of_one(event, kinds)


def _pure_epsilon_of_one(event: Any, kinds: Any) -> float | None:  # noqa: ANN401
    match event:
        case kinds.NoOpDpEvent():
            return 0.0
        case kinds.LaplaceDpEvent(noise_multiplier=multiplier) if multiplier > 0:
            return float(1 / multiplier)
        case kinds.DiscreteLaplaceDpEvent(noise_parameter=rate, sensitivity=sensitivity) if rate > 0:
            return float(rate * sensitivity)
        case kinds.RandomizedResponseDpEvent(noise_parameter=noise, num_buckets=buckets) if noise > 0:
            return math.log1p(buckets * (1 - noise) / noise)
    return None
