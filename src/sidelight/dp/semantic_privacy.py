"""What differential privacy promises, in the words of beliefs: (ε̄, δ̄)-semantic privacy.

For every prior, let Q be what somebody believes about the data after the release, and Q_i what the same one would
believe had person i been left out.  The promise: except with probability δ̄ over data and output, the total variation
distance between Q and Q_i is at most ε̄ (`shift`), for all i.

    δ = 0    ε̄ = tanh(ε / 2), δ̄ = 0: tight, as a prior of two data sets with odds e^ε reaches it
    δ > 0    ε̄ = 1 − e^(−4ε) + η,  δ̄ = A · (1 + 1/η),  A = n · (1 + e^(−2ε)) · δ / (1 − e^(−ε)),  any η > 0

A bounds how often outputs tell more than e^(2ε) about somebody.  Everything is rounded up.

Source: Kasiviswanathan and Smith, On the Semantics of Differential Privacy, 2014; constants worked out here.
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
        holds = f", except with a chance of {_two_digits(self.chance)}" if self.chance else ""
        promise = "nothing" if self.vacuous else f"a shift of at most {_four_places(self.shift)}{holds}"
        return f"<SemanticPrivacy of epsilon {self.epsilon:g} and delta {self.delta:g}{about}: promises {promise}>"

    def _repr_html_(self) -> str:
        names = ("epsilon", "delta", "people", "shift", "chance")
        row = (self.epsilon, self.delta, "any number" if self.people is None else self.people, self.shift, self.chance)
        return html_table("Semantic privacy", names, [row], note=" ".join((self.sentence(), *self.warnings)))

    @property
    def published_shift(self) -> float:
        """The looser bound as published, for reference: e^ε − 1, or e^(3ε) − 1 + 2√δ with a chance of O(n√δ)."""
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
        return f"Whatever anyone knew before, {moves}, except with a chance of at most {_two_digits(self.chance)}."


def semantic_privacy(
    epsilon: Amount, delta: Amount = 0, *, people: int | None = None, chance: Amount | None = None
) -> SemanticPrivacy:
    """What does (ε, δ)-differential privacy promise to each of n people, in beliefs?

    - δ = 0: the shift is at most tanh(ε/2), always.  This is tight: somebody with the right prior reaches it.
    - δ > 0: for any η > 0 the shift is at most 1 − e^(−4ε) + η, except with a chance of
      n·(1 + e^(−2ε))·δ/(1 − e^(−ε))·(1 + 1/η).  The smallest η for the wanted chance is taken; without one, the η
      that equals the chance.

    Args:
        epsilon: the ε of the release, or of all releases together.
        delta: their δ.
        people: how many people the data is about; needed when δ is above 0.
        chance: how likely the promise may be broken (δ̄), when δ is above 0.

    >>> round(semantic_privacy(1).shift, 5)
    0.46212
    >>> promise = semantic_privacy(0.1, 1e-12, people=45_222, chance=0.001)
    >>> round(promise.shift, 4), promise.chance
    (0.3305, 0.001)

    Source: Kasiviswanathan and Smith, On the Semantics of Differential Privacy, 2014; constants worked out here.
    """
    loss, slack = exact_epsilon(epsilon), exact_delta(delta)
    if slack == 0:
        # a few last bits up: a promise may be kept better than told
        shift = min(raised(math.tanh(float(loss) / 2), 1e-15), 1.0)
        return _with_warnings(loss, slack, people, shift, 0.0)
    if people is None or people < 1:
        message = f"with a delta above 0 the promise depends on how many people there are; give {parameter('people')}"
        raise BadNoise(message)
    mass = _bad_mass(float(loss), round_up(slack), people)
    excess, broken = _excess(mass, chance)
    shift = raised(-math.expm1(-4 * float(loss)), 1e-15) + excess
    return _with_warnings(loss, slack, people, min(shift, 1.0), min(broken, 1.0))


def _bad_mass(epsilon: float, delta: float, people: int) -> float:
    """Give A = n·(1 + e^(−2ε))·δ/(1 − e^(−ε)): how often outputs tell more than e^(2ε) about somebody."""
    return raised(people * (1 + math.exp(-2 * epsilon)) * delta / -math.expm1(-epsilon))


def _excess(mass: float, probability: Amount | None) -> tuple[float, float]:
    """Choose η: the smallest with mass·(1 + 1/η) within the probability; without one, the η that equals it."""
    if probability is None:
        # η = A·(1 + 1/η) has this positive root
        both = (mass + math.sqrt(mass**2 + 4 * mass)) / 2
        return both, both
    allowed = exact_amount(probability, "chance")
    if not 0 < allowed < 1:
        message = f"chance is {probability}; give one above 0 and below 1, such as 0.01"
        raise BadNoise(message)
    return (mass / (float(allowed) - mass) if allowed > mass else math.inf), float(allowed)


def _with_warnings(
    epsilon: Fraction, delta: Fraction, people: int | None, shift: float, probability: float
) -> SemanticPrivacy:
    warnings = []
    if delta > 0 and (shift >= 1 or probability >= 1):
        warnings.append("delta is not far enough below 1 / people for this epsilon: nothing is promised")
    elif shift >= 0.99:
        warnings.append("epsilon is so large that a belief may move almost anywhere")
    return SemanticPrivacy(float(epsilon), float(delta), people, shift, probability, tuple(warnings))


def _expm1(power: float) -> float:
    return math.expm1(power) if power < 700 else math.inf


def _two_digits(probability: float) -> str:
    rounded = Context(prec=2, rounding=ROUND_UP).create_decimal(repr(probability))
    return f"{float(rounded):.2g}"


def _four_places(shift: float) -> str:
    """Round up: a promise may be kept better than told, never worse."""
    return f"{to_places(Fraction(shift), 4):f}"
