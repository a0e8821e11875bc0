"""The privacy profile: every ε and δ that a release keeps at once, and which tests and odds they leave possible.

A release is (ε, δ)-private when Pr(t ∈ S | data) ≤ e^ε · Pr(t ∈ S | neighbour) + δ for every set S of outputs and all
neighbours, either way round.  δ as a function of ε is its privacy profile; here: finitely many pairs, all of which
hold.  One pair is a profile too.  For an attacker who knows all but which of two neighbours it is, the pairs imply:

    power           a test that says "you are in" of at most a share α of those who are not, does so of at most
                        min over pairs of  min(e^ε·α + δ,  1 − e^(−ε)·(1 − δ − α))      of those who are
                    1 − power is the trade-off function f(α); of all pairs together it is exact (Dong, Roth and Su)
    advantage       max over α of power − α  ≤  min over pairs of  (e^ε − 1 + 2δ) / (e^ε + 1)
    odds factor     Pr(t | in) / Pr(t | out) is at most  min over pairs of  e^ε / (1 − δ / c),  except with chance c:
                    let S be the outputs beyond e^ε', then Pr(S | in) ≤ e^ε·Pr(S | out) + δ ≤ e^(ε − ε')·Pr(S | in) + δ
    two steps       neighbours of neighbours: (2ε, δ·(1 + e^ε))

All of it is rounded up.  Each bound holds for any law of what is not known, as long as it is the same for both
neighbours: mixing both sides with the same weights keeps every pair.

Source: Wasserman and Zhou, JASA 2010 (tests); Kairouz, Oh and Viswanath, ICML 2015; Balle, Barthe and Gaboardi,
Privacy Amplification by Subsampling, 2018 (profiles); Dong, Roth and Su, Gaussian Differential Privacy, 2022.

OpenDP and dp-accounting promise profiles too.  OpenDP: the output measure of a measurement says what
`measurement.map(d_in)` is.

    MaxDivergence                 ε
    ZeroConcentratedDivergence    ρ, so that the Rényi divergence of order α is at most ρ·α
    RenyiDivergence               that divergence as a function of α
    SmoothedMaxDivergence         the profile itself: δ as a function of ε
    Approximate(any of these)     the same, and a δ that is added to it

dp-accounting: the distribution of an event's privacy losses, and where it has none its Rényi divergences; with them the
ε that the event keeps without any δ, if there is one.  An instance is taken by the library that made it,
which is there then; this file imports none for anybody else.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from sidelight.errors import BadNoise, parameter
from sidelight.rounding import exact_number, raise_bound, round_up

if TYPE_CHECKING:
    from sidelight.arrays import Floats
    from sidelight.noise.mechanism import Neighbours

# What Fourier transforms of privacy losses may lose of a δ in floats: a thousand of them were seen to lose 5e-15
LOST_IN_TRANSFORMS = 1e-13

# δ at each of several ε, rounded up
PrivacyCurve: TypeAlias = Callable[[Sequence[float]], Sequence[float]]

# Between which ε a curve is read: above them, a belief may move anywhere in floats
SMALLEST_READ, LARGEST_READ = 1e-4, 40.0

SMALLEST_COMPUTED = 1e-300  # a δ that is computed is never 0, which would promise what floats only cannot tell


@dataclass(frozen=True, slots=True)
class PrivacyProfile:
    """Pairs of ε and δ that a release keeps, all at once: δ as a function of ε, as far as it was read.

    >>> PrivacyProfile.of_pair(1.0).power(0.05)
    0.135914...
    """

    pairs: tuple[tuple[float, float], ...]
    curve: PrivacyCurve | None = field(default=None, repr=False, compare=False)  # for every other ε, where it is known

    @classmethod
    def of_pair(cls, epsilon: float, delta: float = 0.0) -> PrivacyProfile:
        """Build the profile of a single ε and δ."""
        exact = (exact_number(epsilon, BadNoise, "epsilon"), exact_number(delta, BadNoise, "delta"))
        loss, slack = (
            each if isinstance(each, float) else round_up(number)
            for each, number in zip((epsilon, delta), exact, strict=True)
        )
        return cls(((loss, slack),))

    @classmethod
    def of_curve(cls, curve: PrivacyCurve, *, smallest: float = SMALLEST_READ) -> PrivacyProfile:
        """Read δ at 0 and at many ε, from the smallest of interest on."""
        if not isinstance(smallest, int | float) or not 0 < smallest < LARGEST_READ:
            raise BadNoise(
                f"{parameter('smallest', smallest)} is not where to begin; give an epsilon above 0 and below 40"
            )
        epsilons = (0.0, *np.geomspace(smallest, LARGEST_READ, 511).tolist())
        return cls(tuple(zip(epsilons, curve(epsilons), strict=True)), curve)

    def __repr__(self) -> str:
        if len(self.pairs) == 1:
            ((epsilon, delta),) = self.pairs
            return f"<PrivacyProfile of epsilon {epsilon:g} and delta {delta:g}>"
        return f"<PrivacyProfile of {len(self.pairs)} pairs of epsilon and delta>"

    def __or__(self, other: PrivacyProfile) -> PrivacyProfile:
        """Return the pairs of both profiles of one release, with the first curve that there is."""
        return PrivacyProfile(tuple(dict.fromkeys(chain(self.pairs, other.pairs))), self.curve or other.curve)

    def as_read(self) -> PrivacyProfile:
        """Keep the pairs alone, which are plain numbers."""
        return PrivacyProfile(self.pairs)

    def epsilon_at(self, delta: float) -> float:
        """Return the smallest known ε whose δ is at most this; infinite where there is none.

        >>> PrivacyProfile(((0.5, 1e-3), (1.0, 1e-6))).epsilon_at(1e-4)
        1.0
        """
        high = min((epsilon for epsilon, other in self.pairs if other <= delta), default=math.inf)
        if self.curve is None or math.isinf(high):
            return high
        low, curve = max((epsilon for epsilon, _ in self.pairs if epsilon < high), default=high), self.curve
        return smallest_kept(low, high, lambda epsilon: curve([epsilon])[0] <= delta)

    def two_steps(self) -> PrivacyProfile:
        """Return what neighbours of neighbours keep: (2ε, δ·(1 + e^ε)).

        >>> PrivacyProfile.of_pair(0.5).two_steps()
        <PrivacyProfile of epsilon 1 and delta 0>
        """
        deltas = (min(raise_bound(delta * (1 + _exp(epsilon))), 1.0) if delta else 0.0 for epsilon, delta in self.pairs)
        return PrivacyProfile(
            tuple((2 * epsilon, delta) for (epsilon, _), delta in zip(self.pairs, deltas, strict=True))
        )

    def power(self, false_alarms: float) -> float:
        """Return the largest share of those who are in that a test recognises at this share of false alarms."""
        return float(self.powers(np.array([false_alarms]))[0])

    def powers(self, false_alarms: Floats) -> Floats:
        """Return `power` at many shares of false alarms: (n,) to (n,)."""
        # (pairs, 2) becomes two columns (pairs, 1), which broadcast against shares (n,)
        epsilons, deltas = np.array(self.pairs).T[:, :, None]
        few = np.exp(np.minimum(epsilons, 700)) * false_alarms + deltas
        many = 1 - np.exp(-epsilons) * np.maximum(1 - deltas - false_alarms, 0)
        least = np.minimum(few, many).min(axis=0)
        # more than what a few operations on numbers up to 1 lose, absolutely
        return np.minimum(raise_bound(1.0) * least + 4e-15, 1.0)  # type: ignore[no-any-return]

    @property
    def advantage(self) -> float:
        """The largest difference in the probability of "you are in" between people who are in and who are not."""
        bounds = (math.tanh(epsilon / 2) + 2 * delta / (_exp(epsilon) + 1) for epsilon, delta in self.pairs)
        return min(raise_bound(min(bounds)), 1.0)

    def odds_factor(self, chance: float = 0.0, *, people: int = 1) -> float:
        """Return the largest factor of the odds of being in, except with this chance for any of the `people`.

        >>> PrivacyProfile.of_pair(1.0).odds_factor()
        2.71828...
        >>> PrivacyProfile.of_pair(1.0, 1e-6).odds_factor(0.001, people=100)
        3.020...
        """
        factors = [math.inf]
        for epsilon, delta in self.pairs:
            # δ / c of the module, with a union bound over all people
            broken = raise_bound(people * delta) / chance if 0 < chance < 1 else math.inf
            if delta == 0:
                factors.append(_exp(epsilon))
            elif broken < 1:
                factors.append(_exp(epsilon) / (1 - broken))
        return raise_bound(min(factors), 4e-15)


def smallest_kept(low: float, high: float, holds: Callable[[float], bool], *, close: float = 1e-12) -> float:
    """Bisect until `high`, where `holds` is true, is within `close`, relatively, of where it turns false."""
    # invariant: it holds at `high`, and is not known to at `low`
    while low < (middle := (low + high) / 2) < high and high - low > close * high:
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def curve_of_losses(losses: Any) -> PrivacyCurve:  # noqa: ANN401 - dp-accounting has no types
    """Read δ off a distribution of privacy losses of dp-accounting, with what transforms may have lost of it."""

    def deltas(epsilons: Sequence[float]) -> list[float]:
        read = losses.get_delta_for_epsilon(list(epsilons))
        return [min(raise_bound(max(float(delta), 0.0)) + LOST_IN_TRANSFORMS, 1.0) for delta in read]

    return deltas


def curve_of_divergences(orders: Floats, divergences: Floats) -> PrivacyCurve:
    """Turn Rényi divergences D at orders α > 1 into δ at ε: min over α of e^((α−1)(D−ε)) / (α−1) · (1 − 1/α)^α.

    Zero-concentrated privacy is D = ρ·α.  Every α is valid, so that any choice of orders bounds δ.

    Source: Canonne, Kamath and Steinke, The Discrete Gaussian for Differential Privacy, 2020, proposition 12.
    """
    # all three are (orders,); `exponents` is (epsilons, orders), with the best order taken along the last axis
    excess = orders - 1
    constant = -np.log(excess) + orders * np.log1p(-1 / orders)

    def deltas(epsilons: Sequence[float]) -> list[float]:
        exponents = excess * (divergences - np.array(epsilons)[:, None]) + constant
        # a logarithm loses in proportion to its terms, not to itself
        lost = 1e-14 * (1 + excess * (divergences + np.array(epsilons)[:, None]) + np.abs(constant))
        least = np.exp(np.minimum((exponents + lost).min(axis=1), 0.0))
        return np.maximum(least, SMALLEST_COMPUTED).tolist()  # type: ignore[no-any-return]

    return deltas


def largest_posterior(prior: float, odds_factor: float) -> float:
    """Return p·F / (p·F + 1 − p), rounded up: the largest probability when the odds change by a factor of F."""
    if math.isinf(odds_factor):
        return 1.0 if prior else 0.0
    odds = prior * odds_factor
    return min(raise_bound(odds / (odds + 1 - prior)), 1.0) if prior < 1 else 1.0


def _exp(power: float) -> float:
    return math.exp(power) if power < 700 else math.inf


def _expect_bounded(distance: float) -> float:
    if not math.isfinite(distance):
        raise BadNoise(
            "this promises nothing: how much it may depend on one person is not bounded; add noise to all of it"
        )
    return distance


def is_of_library(release: object, *libraries: str) -> bool:
    """Whether OpenDP or dp-accounting, or one of these libraries, made this."""
    return type(release).__module__.partition(".")[0] in (libraries or ("opendp", "dp_accounting"))


def library_profile(
    release: object, d_in: float | None, neighbours: Neighbours | None
) -> tuple[PrivacyProfile, Neighbours]:
    """Read the profile of an OpenDP measurement, at the input distance `d_in`, or of a dp-accounting event.

    Also return the neighbours that it is about.
    """
    if is_of_library(release, "opendp"):
        return _read_measurement(release, d_in, neighbours)
    if d_in is not None:
        raise BadNoise(f"{parameter('d_in')} is for measurements of OpenDP; an event says how far neighbours are apart")
    relation = neighbours or "add or remove"
    return _read_event(release, relation), relation


def _read_measurement(
    measurement: Any,  # noqa: ANN401 - OpenDP has no types
    d_in: float | None,
    neighbours: Neighbours | None,
) -> tuple[PrivacyProfile, Neighbours]:
    from opendp.mod import Measurement, OpenDPException  # noqa: PLC0415 - an extra, and slow to import

    if not isinstance(measurement, Measurement):
        raise BadNoise(
            f"a promise is of a whole Measurement, not of an OpenDP {type(measurement).__name__}; compose, and chain "
            "transformations to it, first"
        )
    if d_in is None:
        metric = measurement.input_metric
        raise BadNoise(
            f"how far are neighbours apart, by {metric}? give {parameter('d_in', 1)}, or what it is for one person"
        )
    if d_in == 0:
        raise BadNoise(f"{parameter('d_in', 0)} compares data with itself; say how far neighbours are apart, such as 1")
    relation = _neighbours(str(measurement.input_metric), d_in, neighbours)
    untyped: Any = measurement
    try:
        distance = untyped.map(d_in)
    except (OpenDPException, TypeError) as refused:
        reason = " ".join(str(refused).split())
        raise BadNoise(f"OpenDP cannot say what {parameter('d_in', d_in)} costs: {reason}") from None
    return _read_distance(untyped.output_measure, distance), relation


def _neighbours(metric: str, d_in: float, neighbours: Neighbours | None) -> Neighbours:
    """Return the neighbours that the metric implies; refuse a contradicting argument."""
    name = metric.partition("(")[0]
    by_metric: Neighbours | None = None
    if name in ("SymmetricDistance", "InsertDeleteDistance"):
        by_metric = "add or remove"
    elif name in ("ChangeOneDistance", "HammingDistance", "DiscreteDistance"):
        by_metric = "replace"  # other metrics measure results, and say nothing
    if neighbours is None or by_metric is None or neighbours == by_metric:
        return neighbours or by_metric or "add or remove"
    if by_metric == "add or remove" and d_in >= 2:  # one goes and another comes
        return neighbours
    remedy = f"give {parameter('d_in', 2)} for that" if by_metric == "add or remove" else "leave neighbours out"
    raise BadNoise(f"{metric} at {d_in} is not {parameter('neighbours', neighbours)}; {remedy}")


def _read_distance(measure: Any, distance: Any) -> PrivacyProfile:  # noqa: ANN401 - OpenDP has no types
    name = str(measure).partition("(")[0]
    if name == "MaxDivergence":
        return PrivacyProfile.of_pair(_expect_bounded(distance))
    if name == "SmoothedMaxDivergence":
        curve = distance.delta
        return PrivacyProfile.of_curve(
            lambda epsilons: [min(max(curve(each), SMALLEST_COMPUTED), 1.0) for each in epsilons]
        )
    if name in ("ZeroConcentratedDivergence", "RenyiDivergence"):
        # the orders α at which Rényi divergences are read; any of them bounds δ
        orders: Floats = 1 + np.geomspace(1e-3, 1e6, 1500)
        if name == "RenyiDivergence":
            divergences = np.array([_expect_bounded(distance(float(order))) for order in orders])
        else:
            divergences = raise_bound(_expect_bounded(distance)) * orders
        return PrivacyProfile.of_curve(curve_of_divergences(orders, divergences))
    if name not in ("Approximate", "FixedSmoothedMaxDivergence"):
        raise BadNoise(
            f"what {measure} promises is not known; give a measurement by epsilon, (epsilon, delta), rho or a profile"
        )
    inner, slack = distance
    if name == "Approximate":
        profile = _read_distance(measure.inner_measure, inner)
    else:
        profile = PrivacyProfile.of_pair(_expect_bounded(inner))
    if slack == 0:
        return profile
    curve = profile.curve

    def add_slack(deltas: Sequence[float]) -> list[float]:
        return [min(raise_bound(delta + slack) if delta else slack, 1.0) for delta in deltas]

    epsilons, deltas = zip(*profile.pairs, strict=True)
    pairs = tuple(zip(epsilons, add_slack(deltas), strict=True))
    return PrivacyProfile(pairs, None if curve is None else lambda each: add_slack(curve(each)))


def _read_event(event: Any, neighbours: Neighbours) -> PrivacyProfile:  # noqa: ANN401 - dp-accounting has no types
    import dp_accounting as library  # noqa: PLC0415 - an extra, and slow to import
    from dp_accounting import dp_event as events  # noqa: PLC0415
    from dp_accounting.pld import PLDAccountant  # noqa: PLC0415
    from dp_accounting.rdp import RdpAccountant  # noqa: PLC0415

    if not isinstance(event, library.DpEvent):
        raise BadNoise(f"a promise is of a DpEvent, not of a {type(event).__name__} of dp-accounting; give its .ledger")
    relations = library.NeighboringRelation
    relation = relations.REPLACE_ONE if neighbours == "replace" else relations.ADD_OR_REMOVE_ONE
    try:
        losses = PLDAccountant(relation).compose(event)
        # of what is published without noise, the accountant has no losses
        _expect_bounded(losses.get_epsilon(1 - 1e-9))
        profile = PrivacyProfile.of_curve(curve_of_losses(losses._pld))  # it hands out one δ at a time itself
    except library.UnsupportedEventError as refused:
        reason = str(refused)
        # neighbours stand, even where another accountant would not look at them
        if "neighboring_relation" not in reason:
            try:
                counted = event if neighbours == "add or remove" else _twice_as_far(event)
                profile = _read_divergences(RdpAccountant(neighboring_relation=relation).compose(counted))
            except library.UnsupportedEventError as refused_too:
                reason = str(refused_too)
            else:
                reason = ""
        if reason:
            kind = reason.rpartition("caused by subevent ")[2].partition("(")[0]
            message = f"dp-accounting cannot account for {kind}; give the epsilon and delta that it keeps"
            if "neighboring_relation" in reason:
                unlike = "replace" if neighbours == "add or remove" else "add or remove"
                message = (
                    f"dp-accounting cannot account for {kind} with {parameter('neighbours', neighbours)}; say "
                    f"{parameter('neighbours', unlike)} if that is meant, or give the epsilon and delta that it keeps"
                )
            raise BadNoise(message) from None
    except ValueError as refused:
        raise BadNoise(f"dp-accounting refuses this event: {' '.join(str(refused).split())}") from None
    pure = _pure_epsilon(event, events)
    return profile if pure is None or pure == 0 else profile | PrivacyProfile.of_pair(raise_bound(pure))


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
        _expect_bounded(math.inf)
    # they were computed in floats: raised by a last few digits, so that each stays a bound
    return PrivacyProfile.of_curve(curve_of_divergences(orders[bounded], raise_bound(1.0) * divergences[bounded]))


def _pure_epsilon(event: Any, kinds: Any) -> float | None:  # noqa: ANN401
    """Return the ε that an event keeps without any δ; None where it keeps none, or where that is not known."""
    epsilon = None
    match event:
        case kinds.SelfComposedDpEvent(event=inner, count=count):
            one = _pure_epsilon(inner, kinds)
            epsilon = None if one is None else count * one
        case kinds.ComposedDpEvent(events=events):
            every = [_pure_epsilon(inner, kinds) for inner in events]
            epsilon = None if None in every else math.fsum(one for one in every if one is not None)
        case kinds.NoOpDpEvent():
            epsilon = 0.0
        case kinds.LaplaceDpEvent(noise_multiplier=multiplier) if multiplier > 0:
            epsilon = float(1 / multiplier)
        case kinds.DiscreteLaplaceDpEvent(noise_parameter=rate, sensitivity=sensitivity) if rate > 0:
            epsilon = float(rate * sensitivity)
        case kinds.RandomizedResponseDpEvent(noise_parameter=noise, num_buckets=buckets) if noise > 0:
            epsilon = math.log1p(buckets * (1 - noise) / noise)
    return epsilon
