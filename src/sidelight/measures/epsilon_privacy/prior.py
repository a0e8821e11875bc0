"""What somebody believed before the release: weights of values, and what they come to for a release at hand."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from numbers import Real
from typing import Literal

from sidelight.errors import BadMeasure
from sidelight.measures.criterion import Bound, exact
from sidelight.measures.epsilon_privacy.predicates import Predicate
from sidelight.table.labels import Label, in_order, label, shown

LARGEST = 10**100
"""A larger finite stubbornness could as well be infinite (and would leave the range of floats)."""


class Weights(Mapping[Label, Fraction]):
    """An exact weight per value: a mapping that can be hashed and never changes.

    >>> Weights({"Flu": 0.4, "Cancer": 0.6})
    {'Cancer': 3/5, 'Flu': 2/5}
    """

    __slots__ = ("_hash", "_of")

    def __init__(self, given: Mapping[str, Bound] | Mapping[Label, Bound]) -> None:
        weights: dict[Label, Fraction] = {}
        for value, weight in given.items():
            text = label(value)
            weights[text] = weights.get(text, Fraction(0)) + _weight(weight, text)
        self._of = {text: weights[text] for text in in_order(weights)}
        self._hash = hash(tuple(self._of.items()))
        if not self.total:
            message = "a prior needs at least one value with a positive weight"
            raise BadMeasure(message)

    @property
    def total(self) -> Fraction:
        """All weights together."""
        return sum(self._of.values(), Fraction(0))

    def shares(self) -> Weights:
        """Scale to a total of 1."""
        return self.times(1 / self.total)

    def times(self, factor: Fraction) -> Weights:
        """Scale by a factor."""
        return Weights({text: weight * factor for text, weight in self._of.items()})

    def __getitem__(self, value: Label) -> Fraction:
        return self._of[value]

    def __iter__(self) -> Iterator[Label]:
        return iter(self._of)

    def __len__(self) -> int:
        return len(self._of)

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return "{" + ", ".join(f"{text!r}: {weight}" for text, weight in self._of.items()) + "}"


def _weight(given: object, text: Label) -> Fraction:
    number = exact_number(given, f"the prior's weight of '{shown(text)}'")
    if number and not Fraction(1, LARGEST) <= number <= LARGEST:
        message = f"the prior's weight of '{shown(text)}' is {given}; give 0 or a number between 1e-100 and 1e100"
        raise BadMeasure(message)
    return Fraction(number)


def exact_number(given: object, what: str) -> Fraction | float:
    """Take a number to mean what it says in decimal; `what` is for the message.

    >>> exact_number(0.1, "it"), exact_number(math.inf, "it")
    (Fraction(1, 10), inf)
    """
    if isinstance(given, bool) or not isinstance(given, Bound | Real) or given != given:  # noqa: PLR0124 - nan
        message = f"{what} is {given!r}; give a number"
        raise BadMeasure(message)
    if isinstance(given, float):
        return exact(given)
    return Fraction(given) if isinstance(given, Fraction | int) else Fraction(str(given))


@dataclass(frozen=True)
class Prior:
    """What is believed of values, or of predicates, P of a domain, ready to meet counts.

    `own[j]` = σ(P_j), `total` = σ; `moved` is what one person's value weighs against them: 1, or 0 for the
    infinitely stubborn (whose σ(P) and σ are then shares and 1).  With that, in classes I to III alike
    p_out = (moved·(n_q(P) − 1) + σ(P)) / (moved·(n_q − 1) + σ).
    """

    domain: tuple[Label, ...]
    own: tuple[Fraction, ...]
    total: Fraction
    moved: Literal[0, 1]

    @cached_property
    def in_whole_numbers(self) -> tuple[tuple[int, ...], int, int]:
        """Give σ(P), σ and 1 in a unit in which all of them are whole."""
        unit = math.lcm(self.total.denominator, *(each.denominator for each in self.own))
        return tuple(int(each * unit) for each in self.own), int(self.total * unit), unit

    @cached_property
    def leaves_doubt(self) -> bool:
        """Whether everything asked about is held possible, and nothing for certain."""
        return all(0 < own < self.total for own in self.own)

    @classmethod
    def of_parameters(cls, parameters: Weights, domain: tuple[Label, ...], *, occur: Sequence[bool]) -> Prior:
        """Class I: the Dirichlet parameters are known."""
        wide = (*domain, *(text for text in parameters if text not in set(domain)))
        own = tuple(parameters.get(text, Fraction(0)) for text in wide)
        for text, weight, there in zip(domain, own, occur, strict=False):
            if there and not weight:
                message = f"the prior misses '{shown(text)}', a value of the release; give it a count of at least 1"
                raise BadMeasure(message)
            if there and weight < 1:
                message = (
                    f"the prior leaves '{shown(text)}' less than 1 of its {in_figures(parameters.total)} answers; "
                    f"raise stubbornness to at least {in_figures(math.ceil(parameters.total / weight))}"
                )
                raise BadMeasure(message)
        return cls(wide, own, parameters.total, moved=1)

    @classmethod
    def of_any_shape(cls, stubbornness: Fraction, domain: tuple[Label, ...]) -> Prior:
        """Class II: of each value the shape that makes the release reveal most, σ(s) = 1.

        What is left of σ is elsewhere, if need be with a value that the release does not have.
        """
        if stubbornness < len(domain):
            message = (
                f"stubbornness {in_figures(stubbornness)} is below the number of values, {len(domain)}, "
                "and each value needs at least 1; raise it"
            )
            raise BadMeasure(message)
        return cls(domain, (Fraction(1),) * len(domain), stubbornness, moved=1)

    @classmethod
    def of_shares(cls, shares: Weights, domain: tuple[Label, ...], *, occur: Sequence[bool]) -> Prior:
        """Class III: the shape is known, and no evidence moves it."""
        wide = (*domain, *(text for text in shares if text not in set(domain)))
        own = tuple(shares.get(text, Fraction(0)) for text in wide)
        for text, weight, there in zip(domain, own, occur, strict=False):
            if there and not weight:
                message = f"the prior misses '{shown(text)}', a value of the release; give it a positive share"
                raise BadMeasure(message)
        return cls(wide, own, Fraction(1), moved=0)

    @classmethod
    def of_anything(cls, domain: tuple[Label, ...]) -> Prior:
        """Class IV: any shape, which no evidence moves; at worst it leaves what is true no weight at all."""
        return cls(domain, (Fraction(0),) * len(domain), Fraction(1), moved=0)

    def of_predicates(self, predicates: tuple[Predicate, ...]) -> Prior:
        """Join the weights of each predicate's values."""
        sums = (sum((self.own[place] for place in each.places(self.domain)), Fraction(0)) for each in predicates)
        return Prior(self.domain, tuple(sums), self.total, self.moved)


def in_figures(number: Bound | None) -> str:
    """Show a number: 30,000, 2/5, infinite.

    >>> in_figures(30_000), in_figures(Fraction(2, 5)), in_figures(math.inf)
    ('30,000', '2/5', 'infinite')
    """
    if number is None or number == math.inf:
        return "infinite"
    exactly = Fraction(number)
    return f"{int(exactly):,}" if exactly.denominator == 1 else str(exactly)
