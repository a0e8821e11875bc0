"""What differential privacy promises, in the words of beliefs: (ε̄, δ̄)-semantic privacy.

For every prior, let p be what somebody believes about the data after the release, and q what the same one would
believe had person i been left out.  The promise: except with probability δ̄ over data and output, the total variation
distance between p and q is at most ε̄ (`shift`), for all i.

    δ = 0    ε̄ = tanh(ε / 2), δ̄ = 0: tight, as a prior of two data sets with odds e^ε reaches it
    δ > 0    with E = e^ε, for any h > 0 and σ = √((E − 1)² + h·(E² − 1)) − (E − 1):
                 ε̄ = tanh(ε / 2) + h,  δ̄ = n · δ · (Λ + M)
                 Λ = 1 / (σ·(2 − σ)) while ε̄ ≤ 1 − e^(−2ε), else 1 / ε̄
                 M = 1 / (σ·(2 + σ / E)) while ε̄ ≤ e^(2ε) − 1, else e^(−ε) / ε̄

Why, for one person: let P and Q be the laws of (data, output) with and without the person, r = P(t) / Q(t) for an
output t, u_t = Σ_D (p − (E / r)·q)⁺ and v_t = Σ_D (q − E·r·p)⁺.  Then Σ_t P(t)·u_t = Σ (P − E·Q)⁺ ≤ δ, and in the same
way Σ_t P(t)·(v_t / r) ≤ δ.  The distance of p and q at t is at most
((E / r − 1)·(E·r − 1) + u_t·(E·r − 1) + v_t·(E / r − 1)) / (E² − 1): a distance above ε̄ needs Λ·u_t + M·v_t / r > 1,
whatever r is, and the expectation of that is at most δ·(Λ + M).  docs/understand/noise.md has every step.
Everything is rounded up.

Source: the question is of Kasiviswanathan and Smith, On the Semantics of Differential Privacy, 2014; the bounds are
ours.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_UP, Context
from fractions import Fraction

from sidelight._rounding import raised, round_up, to_places
from sidelight._text import html_table
from sidelight.dp.parameters import Amount, exact_amount, exact_delta, exact_epsilon
from sidelight.errors import BadNoise, parameter


@dataclass(frozen=True, slots=True)
class SemanticPrivacy:
    """How far anybody's belief can move because one person is in the data.

    Except with probability `chance` over data and output, the total variation distance between what somebody believes
    after the release and what the same one would believe had you been left out is at most `shift`, for every one of
    the people and for every prior belief.  (Paper: (ε̄, δ̄)-semantic privacy.)
    """

    epsilon: float
    delta: float
    people: int | None
    shift: float
    chance: float  # the paper's δ̄, by the name that people are told it under
    warnings: tuple[str, ...] = ()

    def __repr__(self) -> str:
        about = f" for {self.people:,} people" if self.people is not None else ""
        holds = f", except with a chance of {two_digits(self.chance)}" if self.chance else ""
        promise = "nothing" if self.vacuous else f"a shift of at most {_four_places(self.shift)}{holds}"
        return f"<SemanticPrivacy of epsilon {self.epsilon:g} and delta {self.delta:g}{about}: promises {promise}>"

    def _repr_html_(self) -> str:
        names = ("epsilon", "delta", "people", "shift", "chance")
        row = (self.epsilon, self.delta, "any number" if self.people is None else self.people, self.shift, self.chance)
        return html_table("Semantic privacy", names, [row], note=" ".join((self.sentence(), *self.warnings)))

    @property
    def published_shift(self) -> float:
        """The bound as published, for reference: e^ε − 1, or e^(3ε) − 1 + 2√δ with a chance of O(n√δ)."""
        if self.delta == 0:
            return _expm1(self.epsilon)
        return _expm1(3 * self.epsilon) + 2 * math.sqrt(self.delta)

    @property
    def vacuous(self) -> bool:
        """Whether nothing is promised at all."""
        return self.shift >= 1 or self.chance >= 1

    def sentence(self) -> str:
        """Say it to somebody whose data it is.

        >>> print(semantic_privacy(1).sentence())
        Whatever anyone knew before, what they believe about you changes by at most 0.4622 because you are in.
        """
        if self.vacuous:
            return (
                "Nothing is promised to you: what others believe about you may change to anything because you are in."
            )
        moves = f"what they believe about you changes by at most {_four_places(self.shift)} because you are in"
        if self.chance == 0:
            return f"Whatever anyone knew before, {moves}."
        return f"Whatever anyone knew before, {moves}, except with a chance of at most {two_digits(self.chance)}."


def semantic_privacy(
    epsilon: Amount, delta: Amount = 0, *, people: int | None = None, chance: Amount | None = None
) -> SemanticPrivacy:
    """What does (ε, δ)-differential privacy promise to each of n people, in beliefs?

    - δ = 0: the shift is at most tanh(ε/2), always.  This is tight: somebody with the right prior reaches it.
    - δ > 0: the shift is at most tanh(ε/2) + h, except with a chance of n·δ·(Λ + M), which falls as h grows: by about
      2·n·δ / (h·(e^ε + 1)) where h is small (the module says what Λ and M are, and why).  The smallest h for the wanted
      chance is taken; without one, the h that equals the chance.

    Args:
        epsilon: the ε of the release, or of all releases together.
        delta: their δ.
        people: how many people the data is about; needed when δ is above 0.
        chance: how likely the promise may be broken (δ̄), when δ is above 0.

    >>> round(semantic_privacy(1).shift, 5)
    0.46212
    >>> promise = semantic_privacy(0.1, 1e-12, people=45_222, chance=0.001)
    >>> round(promise.shift, 4), promise.chance
    (0.05, 0.001)

    Source: the question is of Kasiviswanathan and Smith, On the Semantics of Differential Privacy, 2014; the bounds are
    ours.
    """
    loss, slack = exact_epsilon(epsilon), exact_delta(delta)
    if slack == 0:
        # a few last bits up: a promise may be kept better than told
        shift = min(raised(math.tanh(round_up(loss) / 2), 1e-15), 1.0)
        return with_warnings(loss, slack, people, shift, 0.0)
    if people is None or people < 1:
        message = f"with a delta above 0 the promise depends on how many people there are; give {parameter('people')}"
        raise BadNoise(message)
    bound = smallest_shift(round_up(loss), people * slack, allowed_chance(chance))
    return with_warnings(loss, slack, people, *bound)


def allowed_chance(chance: Amount | None) -> float | None:
    """Read how likely a promise may be broken; None leaves it open."""
    if chance is None:
        return None
    allowed = exact_amount(chance, "chance")
    if not 0 < allowed < 1:
        message = f"chance is {chance}; give one above 0 and below 1, such as 0.01"
        raise BadNoise(message)
    return float(allowed)


def smallest_shift(
    epsilon: float, slack: Fraction | float, chance: float | None, *, for_data_as_it_is: bool = False
) -> tuple[float, float]:
    """Give ε̄ and δ̄ for an ε above 0 and `slack` = n·δ: the smallest ε̄ for this δ̄, or ε̄ − tanh(ε/2) = δ̄ for None.

    δ̄ is over data and output, as somebody expects them who has the prior.  `for_data_as_it_is`: over the output alone,
    whatever the data is, for somebody who knows everybody else: that law is (ε, δ)-close to the one without the person,
    under which δ̄ holds as well, since P and Q may be exchanged.
    """
    floor = raised(math.tanh(epsilon / 2), 1e-15)
    mass = round_up(slack)

    def broken(excess: float) -> float:
        weight = _weight(epsilon, excess)
        return raised(mass * (1 + math.exp(epsilon) * weight if for_data_as_it_is else weight))

    # invariant: with `high` the promise holds, with `low` it is not known to
    low, high = 0.0, 1 - floor
    if high <= 0 or broken(high) > (high if chance is None else chance):
        return 1.0, 1.0 if chance is None else chance
    while low < (middle := (low + high) / 2) < high and high - low > 1e-15 * high:
        if broken(middle) <= (middle if chance is None else chance):
            high = middle
        else:
            low = middle
    return min(raised(floor + high, 1e-15), 1.0), high if chance is None else chance


def _weight(epsilon: float, excess: float) -> float:
    """Give Λ + M, for ε̄ = tanh(ε/2) + excess."""
    shift = math.tanh(epsilon / 2) + excess
    less_one, twice = math.expm1(epsilon), math.expm1(2 * epsilon)  # E − 1 and E² − 1
    sigma = excess * twice / (math.sqrt(less_one**2 + excess * twice) + less_one)
    first = 1 / (sigma * (2 - sigma)) if shift <= -math.expm1(-2 * epsilon) else 1 / shift
    second = 1 / (sigma * (2 + sigma * math.exp(-epsilon))) if shift <= twice else math.exp(-epsilon) / shift
    return first + second


def with_warnings(
    epsilon: Fraction | float, delta: Fraction | float, people: int | None, shift: float, chance: float
) -> SemanticPrivacy:
    """Say what is promised, and warn where that is nothing."""
    warnings = []
    if delta > 0 and (shift >= 1 or chance >= 1):
        warnings.append("delta is not far enough below 1 / people for this epsilon: nothing is promised")
    elif shift >= 0.99:
        warnings.append("epsilon is so large that a belief may move almost anywhere")
    return SemanticPrivacy(float(epsilon), float(delta), people, shift, chance, tuple(warnings))


def _expm1(power: float) -> float:
    return math.expm1(power) if power < 700 else math.inf


def two_digits(probability: float) -> str:
    """Show a chance, rounded up."""
    rounded = Context(prec=2, rounding=ROUND_UP).create_decimal(repr(probability))
    return f"{float(rounded):.2g}"


def _four_places(shift: float) -> str:
    """Round up: a promise may be kept better than told, never worse."""
    return f"{to_places(Fraction(shift), 4):f}"
