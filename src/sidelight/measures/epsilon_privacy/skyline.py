"""How stubborn may an attacker be, and how many people may they know, before a release reveals more than ε?

More stubbornness allowed is never less risk (at most σ covers at most σ' < σ), nor is one more person known, who at
worst lacks the value and is in the group.  So the pairs (σ, b) that a release resists at ε are a set closed downwards,
which its maximal pairs, the skyline, determine.

Largest σ   for a given b.  A case resists σ where p_out ≥ t, t = max(p_in/ε, 1 − ε(1 − p_in)).  With n people of
            whom n_P match (and one is left out), that is in class I with the shape π = σ(P)/σ
                n_P − 1 + πσ ≥ t (n − 1 + σ),  hence  σ ≤ ((n_P − 1) − t (n − 1)) / (t − π), or any σ where π ≥ t
            if it holds at the least σ, and in class II with r values, σ ≤ (n_P − 1 + r) / t − (n − 1).  Begin with the
            largest σ in question; while the worst case at σ breaks ε, lower σ to the bound of that case.  The result
            is exact: no case breaks ε at it, and one does above it.
Largest b   for a given σ, by halving.
Cost        as many measurements as cases become the worst on the way down, a few; log₂(people) of them for b.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from itertools import count, takewhile
from typing import NamedTuple

from sidelight.errors import BadMeasure, as_given, expect
from sidelight.measures.criterion import Bound, exact
from sidelight.measures.epsilon_privacy.prior import LARGEST, read_known_people
from sidelight.measures.epsilon_privacy.prior_belief import PriorBelief
from sidelight.measures.epsilon_privacy.worst_case import WorstEpsilon, worst_of_parts
from sidelight.release.release import Release


class BeliefPoint(NamedTuple):
    """An attacker whom the release resists: at most this stubborn, and knowing this many people."""

    stubbornness: Fraction | float
    known_people: int


def belief_skyline(
    release: Release, belief: PriorBelief, at_most: Bound, *, known_people: Iterable[int] | int | None = None
) -> tuple[BeliefPoint, ...]:
    """Return how stubborn an attacker may be, and how many people they may know, while a release reveals at most ε.

    `belief` has what they expect (a shape, or without one anything), the predicates, and the largest stubbornness; its
    `known_people` is ignored.  For each number of `known_people` (by default 0, 1, 2, 5, 10, … up to the most that the
    release resists) this is the largest stubbornness at which `belief` stays `at_most` ε, exactly; pairs that follow
    from others are left out.  Empty where the release does not resist even the least.

    >>> hospital = Release.from_counts([
    ...     {"Flu": 200, "Cancer": 300}, {"Flu": 1800, "Cancer": 2700}, {"Flu": 18000, "Cancer": 2000}])
    >>> [(float(round(sigma, 2)), b) for sigma, b in belief_skyline(hospital, PriorBelief(stubbornness=math.inf), 3)]
    [(1001.0, 0), (998.0, 1), (995.0, 2), (986.0, 5), (971.0, 10), (941.0, 20), (851.0, 50), (701.0, 100), (6.34, 153)]

    An attacker who expects two fifths of Flu may be as stubborn as they like at ε = 6:

    >>> expects = PriorBelief(shape={"Flu": 2, "Cancer": 3}, stubbornness=math.inf)
    >>> belief_skyline(hospital, expects, 6, known_people=0)
    (BeliefPoint(stubbornness=inf, known_people=0),)
    """
    expect(Release, release, "what is explored")
    bound = exact(at_most)
    if not 1 <= bound < math.inf:
        raise BadMeasure(
            f"a belief never grows by less than a factor of 1; give a limit from 1 on, not {as_given(at_most)}"
        )
    belief, limit = _widen(belief), Fraction(bound)
    belief.check(release)
    if known_people is None:
        amounts = _usual_amounts(release, belief, limit)
    else:
        several = [known_people] if isinstance(known_people, int) else known_people
        amounts = sorted({read_known_people(amount) for amount in several})
    pairs = [(largest_stubbornness(release, replace(belief, known_people=known), limit), known) for known in amounts]
    points = [BeliefPoint(sigma, known) for sigma, known in pairs if sigma is not None]
    return tuple(
        point
        for point in points
        if not any(other != point and other[0] >= point[0] and other[1] >= point[1] for other in points)
    )


def _widen(belief: PriorBelief) -> PriorBelief:
    """Return the belief with the largest stubbornness in question, and the smallest; raise where it has no range."""
    expect(PriorBelief, belief, "who looks at it")
    several = belief.counts is not None or belief.by is not None or belief.rules_out
    if several or belief.decided_by != "definition":
        raise BadMeasure("a skyline goes over stubbornness; leave counts=, by=, rules_out= and decided_by= out")
    if belief.least_stubbornness == "same":
        raise BadMeasure("exactly so stubborn is not withstood by degrees; leave least_stubbornness= out")
    if belief.shape is not None:
        return replace(belief, least_stubbornness=belief.least_stubbornness or "smallest")
    # without a shape no release resists infinite stubbornness, and the largest finite one stands for the end
    return replace(belief, stubbornness=LARGEST) if belief.stubbornness == math.inf else belief


def largest_stubbornness(release: Release, belief: PriorBelief, limit: Fraction) -> Fraction | float | None:
    """Return the largest σ that a release resists, with the belief's known people; None where it resists none."""
    if not _resists_least_stubborn(release, belief, limit):
        return None
    sigma = belief.stubbornness
    assert sigma is not None
    stubbornness: Fraction | float = math.inf if sigma == math.inf else Fraction(sigma)
    # each round lowers σ to where the worst case no longer breaks ε, until none does
    while (worst := _worst(release, replace(belief, stubbornness=stubbornness))) and worst.value > limit:
        case, prior = worst.case, worst.prior
        # both ratios stay within ε where p_out reaches this
        needed = max(case.p_in / limit, 1 - limit * (1 - case.p_in))
        seen = case.matching - 1 + case.mismatch
        # solved for σ: p_out = needed; less than before, as the case breaks ε at σ, and not at its bound
        if belief.shape is None:
            stubbornness = (seen + prior.weights[worst.column]) / needed - (case.people - 1)
        else:
            share = prior.weights[worst.column] / prior.total
            stubbornness = (seen - needed * (case.people - 1)) / (needed - share)
    return stubbornness


def _usual_amounts(release: Release, belief: PriorBelief, limit: Fraction) -> list[int]:
    """Return 0, 1, 2, 5, 10, … and the largest number of known people that the release resists."""
    # by halving: `most` is resisted and `high` is not; to know fewer people is never worse for the release
    most, high = -1, release.size + 1
    while high - most > 1:
        # the whole release first: mostly a release that resists anybody resists that
        middle = high - 1 if high > release.size else (most + high) // 2
        resists = _resists_least_stubborn(release, replace(belief, known_people=middle), limit)
        most, high = (middle, high) if resists else (most, middle)
    series = (step * 10**power for power in count() for step in (1, 2, 5))
    return [] if most < 0 else sorted({0, *takewhile(lambda amount: amount <= most, series), most})


def _resists_least_stubborn(release: Release, belief: PriorBelief, limit: Fraction) -> bool:
    prior = belief.priors(release.groups)[-1]
    if belief.shape is None:
        # σ(s) = 1 for each value is the least that class II allows
        least = replace(belief, stubbornness=len(prior.domain))
    else:
        least = replace(belief, stubbornness=prior.stubbornness, least_stubbornness="same")
    worst = _worst(release, least)
    return worst is None or worst.value <= limit


def _worst(release: Release, belief: PriorBelief) -> WorstEpsilon | None:
    groups = release.groups
    return worst_of_parts(belief.cases(groups), belief.priors(groups), "definition").get(0)
