"""What a caller may say about a prior belief, checked; and the prior it comes to for a release."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from operator import index
from typing import TYPE_CHECKING

from sidelight.errors import BadMeasure, did_you_mean
from sidelight.measures.epsilon_privacy.predicates import read_predicates
from sidelight.measures.epsilon_privacy.prior import LARGEST, Prior, Weights, exact_number
from sidelight.table.labels import MISSING, Label, shown

if TYPE_CHECKING:
    from sidelight.measures.epsilon_privacy.prior_belief import PriorBelief


def counts_given(counts: object) -> Weights | None:
    """Understand the parameters of a Dirichlet prior: each at least 1."""
    if counts is None:
        return None
    if not isinstance(counts, Mapping):
        message = 'counts= wants a mapping value → count, such as {"Flu": 12_000, "Cancer": 18_000}'
        raise BadMeasure(message)
    weights = Weights(counts)
    for text, weight in weights.items():
        if weight < 1:
            message = (
                f"the prior's count of '{shown(text)}' is {weight}, below 1; "
                "PriorBelief.from_counts makes a prior of what was seen by adding 1 to each count"
            )
            raise BadMeasure(message)
    return weights


def shape_given(shape: object) -> Weights | str | None:
    """Understand a shape: a word, or weights, which are scaled to add up to 1."""
    if shape is None or shape in ("uniform", "release"):
        return shape
    if isinstance(shape, Mapping):
        return Weights(shape).shares()
    near = did_you_mean(shape, ["uniform", "release"]) if isinstance(shape, str) else ""
    message = f"no shape {shape!r}; give 'uniform', 'release' or a mapping value → share{near}"
    raise BadMeasure(message)


def stubbornness_given(stubbornness: object) -> int | Fraction | float | None:
    """Understand a stubbornness: a positive number, or infinite."""
    if stubbornness is None:
        return None
    number = exact_number(stubbornness, "stubbornness")
    if number <= 0:
        message = f"stubbornness is {stubbornness}; give a positive number of answers, or math.inf"
        raise BadMeasure(message)
    if LARGEST < number < math.inf:
        message = "stubbornness is beyond 1e100; say math.inf"
        raise BadMeasure(message)
    return plain(number)


def people_given(people: object) -> int:
    """Understand a number of known people."""
    try:
        known = index(people)  # type: ignore[arg-type]
    except TypeError:
        known = -1
    if known < 0 or isinstance(people, bool):
        message = f"known_people is {people!r}; give a whole number of at least 0"
        raise BadMeasure(message)
    return known


def check_together(belief: PriorBelief) -> None:
    """Refuse what does not say against whom, or says it twice."""
    if belief.counts is not None and (belief.shape is not None or belief.stubbornness is not None):
        message = "counts= says both shape and stubbornness; leave those out, or give the counts as shape="
        raise BadMeasure(message)
    if belief.counts is None and belief.stubbornness is None:
        message = "a prior belief needs to say how sure it is; give counts=, or stubbornness= with or without shape="
        raise BadMeasure(message)


def plain(number: Fraction | float) -> int | Fraction | float:
    """Show a whole number as such.

    >>> plain(Fraction(5)), plain(Fraction(1, 2)), plain(math.inf)
    (5, Fraction(1, 2), inf)
    """
    return int(number) if isinstance(number, Fraction) and number.denominator == 1 else number


def as_label(written: str) -> Label:
    """Read a value in a policy file, where a missing one is written as it is shown."""
    return None if written == MISSING else written


@lru_cache(maxsize=64)
def prior_for(belief: PriorBelief, domain: tuple[Label, ...], whole: tuple[int, ...]) -> Prior:
    """Say what is believed of the values (or the predicates asked for) of a release with these totals."""
    prior = _of_values(belief, domain, whole)
    predicates = read_predicates(belief.predicates)
    return prior.of_predicates(predicates) if predicates else prior


def _of_values(belief: PriorBelief, domain: tuple[Label, ...], whole: tuple[int, ...]) -> Prior:
    occur = [count > 0 for count in whole]
    if isinstance(belief.counts, Weights):
        return Prior.of_parameters(belief.counts, domain, occur=occur)
    assert belief.stubbornness is not None
    forever = belief.stubbornness == math.inf
    if belief.shape is None:
        return Prior.of_anything(domain) if forever else Prior.of_any_shape(Fraction(belief.stubbornness), domain)
    shares = _shares(belief, domain, whole)
    if forever:
        return Prior.of_shares(shares, domain, occur=occur)
    return Prior.of_parameters(shares.times(Fraction(belief.stubbornness)), domain, occur=occur)


def _shares(belief: PriorBelief, domain: tuple[Label, ...], whole: tuple[int, ...]) -> Weights:
    if isinstance(belief.shape, Weights):
        return belief.shape
    spread = whole if belief.shape == "release" else (1,) * len(domain)
    return Weights(dict(zip(domain, spread, strict=True))).shares()
