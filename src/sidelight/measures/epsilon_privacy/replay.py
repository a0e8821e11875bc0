"""ε of a witness once more: by going through the worlds of a small group, by the definition for a larger one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from sidelight.measures.epsilon_privacy.ratios import Case, closed_conditions, raised
from sidelight.measures.finding import Amount
from sidelight.release.release import Release
from sidelight.table.labels import Label
from sidelight.worlds.dirichlet import drawn_from, drawn_from_dirichlet, smallest_epsilon_of_group

if TYPE_CHECKING:
    from sidelight.measures.epsilon_privacy.prior_belief import PriorBelief, Raised

WORLDS_AT_MOST = 300
"""How many sequences of values (one of them unseen) a group may have to be replayed one by one."""


UNSEEN = "\0"
"""A value that no release has."""


def replayed(belief: PriorBelief, witness: Raised, release: Release) -> Amount:
    """Compute ε again from the group and the value (or predicate) alone."""
    group, domain = release.group(witness.group), belief.prior(release.groups).domain
    bag = dict(zip(group.domain, group.counts.row(0).tolist(), strict=True))
    asked = (
        {witness.value} if witness.predicate is None else {domain[each] for each in witness.predicate.places(domain)}
    )
    case = Case(sum(bag.values()), sum(count for text, count in bag.items() if text in asked), belief.known_people)
    weights = worst_weights(belief, release, asked)
    if _few_worlds(len(domain) + 1, case.people) and belief.decided_by == "definition" and witness.p_out:
        return _by_worlds(belief, bag, weights, asked)
    return _by_definition(belief, case, release, witness)


def _few_worlds(values: int, people: int) -> bool:
    """Say whether so many people have few enough sequences of at least two values; not even counted for a crowd."""
    return bool(people < WORLDS_AT_MOST.bit_length() and values**people <= WORLDS_AT_MOST)


def worst_weights(belief: PriorBelief, release: Release, asked: set[Label]) -> dict[Label, Fraction]:
    """Give σ(s) of every value; where any shape is possible, what is left goes to a value that is not asked about."""
    prior = replace(belief, predicates=()).prior(release.groups)
    weights = dict(zip(prior.domain, prior.own, strict=True))
    left = prior.total - sum(weights.values())
    elsewhere = next((text for text in prior.domain if text not in asked), UNSEEN)
    return {**weights, elsewhere: weights.get(elsewhere, 0) + left} if left else weights


def _by_worlds(
    belief: PriorBelief, bag: Mapping[Label, int], weights: Mapping[Label, Fraction], asked: set[Label]
) -> Amount:
    chance = drawn_from(weights) if belief.stubbornness == float("inf") else drawn_from_dirichlet(weights)
    found = smallest_epsilon_of_group(
        bag, tuple(weights), lambda value: value in asked, chance=chance, known=belief.known_people
    )
    assert found is not None
    return found


def _by_definition(belief: PriorBelief, case: Case, release: Release, witness: Raised) -> Amount:
    prior = belief.prior(release.groups)
    column = (
        release.groups.place(witness.value)
        if witness.predicate is None
        else list(belief.predicates).index(witness.predicate)
    )
    if belief.decided_by == "closed conditions":
        return closed_conditions(case, prior, column)
    return raised(case.p_in, case.p_out(prior, column))
