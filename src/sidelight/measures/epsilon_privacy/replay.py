"""ε of a witness once more, by another path than the one that found it.

By going through the worlds of a small group, by the definition in fractions for a larger one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from sidelight.measures.epsilon_privacy.worst_case import Case, closed_conditions, epsilon_of_beliefs
from sidelight.measures.targets import Predicate
from sidelight.worlds.brute_force import dirichlet_prior, few_worlds, independent_prior, smallest_epsilon_of_group

if TYPE_CHECKING:
    from sidelight.measures.epsilon_privacy.prior import Prior
    from sidelight.measures.epsilon_privacy.prior_belief import PriorBelief, PriorBeliefWitness
    from sidelight.measures.exact import Amount
    from sidelight.release.release import Release
    from sidelight.table.labels import Label


def replay_witness(belief: PriorBelief, witness: PriorBeliefWitness, release: Release) -> Amount:
    """Compute ε again from the group and the value (or predicate) alone."""
    group, domain = release.group(witness.group), belief.priors(release.groups)[0].domain
    bag = dict(zip(group.domain, group.counts.row(0).tolist(), strict=True))
    predicate = Predicate.any_of(witness.value) if witness.predicate is None else witness.predicate
    values = {domain[place] for place in predicate.indices(domain)}
    matching = sum(count for text, count in bag.items() if text in values)
    case = Case(sum(bag.values()), matching, belief.known_people, int(not witness.matches))
    # a p_out of 0 (class IV) is a limit of priors, and no prior whose sequences could be gone through
    if few_worlds(len(domain) + 1, case.people) and belief.decided_by == "definition" and witness.p_out:
        return _replay_by_worlds(belief, bag, witness, worst_weights(belief, release, witness, values), values)
    return _replay_by_definition(belief, case, release, witness)


def replay_without(belief: PriorBelief, witness: PriorBeliefWitness, release: Release) -> Amount:
    """Compute ε again of a group without those whose values are ruled out, by its worlds or by the definition."""
    prior, group = _prior_of(belief, release, witness), release.group(witness.group)
    ruled_out = {prior.domain.index(text) for text in witness.ruled_out}
    left = prior.drop_values(sorted(ruled_out))
    counts = [0 if place in ruled_out else count for place, count in enumerate(group.counts.row(0).tolist())]
    column = group.code_of(witness.value)
    case = Case(sum(counts), counts[column], belief.known_people)
    return epsilon_of_beliefs(case.p_in, case.p_out(left, column))


def _prior_of(belief: PriorBelief, release: Release, witness: PriorBeliefWitness) -> Prior:
    """Return the prior that a witness speaks of."""
    priors = belief.priors(release.groups)
    return next(prior for prior in priors if prior.stubbornness == witness.stubbornness)


def worst_weights(
    belief: PriorBelief, release: Release, witness: PriorBeliefWitness, values: set[Label]
) -> dict[Label, Fraction]:
    """Return σ(s) of every value; where any shape is possible, what is left goes to a value that is not in question."""
    prior = _prior_of(replace(belief, predicates=()), release, witness)
    weights = dict(zip(prior.domain, prior.weights, strict=True))
    left = prior.total - sum(weights.values())
    elsewhere = next((text for text in prior.domain if text not in values), "\0")  # which no release has
    return {**weights, elsewhere: weights.get(elsewhere, 0) + left} if left else weights


def _replay_by_worlds(
    belief: PriorBelief,
    bag: Mapping[Label, int],
    witness: PriorBeliefWitness,
    weights: Mapping[Label, Fraction],
    values: set[Label],
) -> Amount:
    probability = independent_prior(weights) if witness.stubbornness == math.inf else dirichlet_prior(weights)
    epsilon = smallest_epsilon_of_group(
        bag,
        tuple(weights),
        lambda value: value in values,
        prior=probability,
        known=belief.known_people,
        matches=witness.matches,
    )
    assert epsilon is not None
    return epsilon


def _replay_by_definition(belief: PriorBelief, case: Case, release: Release, witness: PriorBeliefWitness) -> Amount:
    prior = _prior_of(belief, release, witness)
    column = (
        release.groups.code_of(witness.value)
        if witness.predicate is None
        else belief.predicates_in_question(release.groups).index(witness.predicate)
    )
    if belief.decided_by == "closed conditions":
        return closed_conditions(case, prior, column)
    return epsilon_of_beliefs(case.p_in, case.p_out(prior, column))
