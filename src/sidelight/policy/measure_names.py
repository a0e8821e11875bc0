"""Which measures may a policy name, and what are they called elsewhere?

All of ours are listed here, in the order of pages and schemas.  They are imported when a policy first names one, the
light ones first: the classics take 20 ms, while some adversaries bring 0.2 s of SciPy and maximum entropy its solvers,
another 0.4 s.  Measures that somebody else declares are known by their name from then on.  What papers call a measure
stands in its class (`also_called`).
"""
# ruff: noqa: PLC0415 - imported when a policy names one, see above

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from sidelight.errors import BadPolicy, did_you_mean
from sidelight.measures.measure import Measure, declared_measures

Kinds: TypeAlias = tuple[type[Measure], ...]


def all_measures() -> Kinds:
    """List all measures of ours."""
    return tuple(kind for declare in _IN_TURN for kind in declare())


def classic_measures() -> Kinds:
    """List those that ask about the groups alone, and no adversary."""
    from sidelight.measures.beta_likeness import BetaLikeness
    from sidelight.measures.delta_disclosure import DeltaDisclosure
    from sidelight.measures.k_anonymity import GroupSize
    from sidelight.measures.l_diversity import DistinctValues, EntropyDiversity, RecursiveDiversity
    from sidelight.measures.t_closeness import Closeness

    diversities = (DistinctValues, EntropyDiversity, RecursiveDiversity)
    return (GroupSize, *diversities, Closeness, BetaLikeness, DeltaDisclosure)


def shown_measures() -> Kinds:
    """List what an audit shows unless told otherwise: the classics, and how surely people are found."""
    from sidelight.measures.named_risks.journalist import MarketerRisk
    from sidelight.measures.named_risks.prosecutor import ProsecutorRisk

    return (*classic_measures(), ProsecutorRisk, MarketerRisk)


def population_measures() -> Kinds:
    """List those that compare a release with a population."""
    from sidelight.measures.named_risks.journalist import JournalistRisk, MarketerRisk
    from sidelight.measures.named_risks.presence import Absence, Presence

    return (JournalistRisk, MarketerRisk, Presence, Absence)


def _named_risks() -> Kinds:
    from sidelight.measures.named_risks.individual_risk import IndividualRisk
    from sidelight.measures.named_risks.prosecutor import ProsecutorRisk
    from sidelight.measures.named_risks.uniques import PopulationUniques, UniqueMatch

    return (ProsecutorRisk, *population_measures(), UniqueMatch, PopulationUniques, IndividualRisk)


def _sums() -> Kinds:
    from sidelight.measures.sums import Dominance, Remainder

    return (Dominance, Remainder)


def _column_subsets() -> Kinds:
    from sidelight.measures.column_subsets.inference import Inference
    from sidelight.measures.column_subsets.linkability import Linkability
    from sidelight.measures.column_subsets.singling_out import SinglingOut

    return (SinglingOut, Linkability, Inference)


def _ck_safety() -> Kinds:
    from sidelight.measures.ck_safety.cheapest_knowledge import CheapestKnowledge
    from sidelight.measures.ck_safety.disclosure_cost import DisclosureCost
    from sidelight.measures.ck_safety.implications import Implications
    from sidelight.measures.ck_safety.negations import Negations

    return (Implications, Negations, DisclosureCost, CheapestKnowledge)


def _further_adversaries() -> Kinds:
    from sidelight.measures.epsilon_privacy.numeric_belief import NumericBelief
    from sidelight.measures.epsilon_privacy.prior_belief import PriorBelief
    from sidelight.measures.expected_candidates import ExpectedCandidates
    from sidelight.measures.privacy_skyline.acquaintance import Acquaintance

    return (Acquaintance, PriorBelief, NumericBelief, ExpectedCandidates)


def _maximum_entropy() -> Kinds:
    from sidelight.max_entropy.measure import EstimationError, MaxEnt, MaxEntGain

    return (MaxEnt, MaxEntGain, EstimationError)


def _learners() -> Kinds:
    from sidelight.learner.measure import Learner

    return (Learner,)


def _who_know_the_method() -> Kinds:
    # needs the methods, which need policies: the one room below that is asked for a measure
    from sidelight.minimality.measure import Insider

    return (Insider,)


_IN_TURN: tuple[Callable[[], Kinds], ...] = (
    classic_measures,
    _named_risks,
    _sums,
    _column_subsets,
    _ck_safety,
    _further_adversaries,
    _maximum_entropy,
    _learners,
    _who_know_the_method,
)


def measure_named(name: str, where: str = "") -> type[Measure]:
    """Give the measure of this name, ours or anybody's who declared one; `where` it was named is for the message.

    >>> measure_named("group size")
    <class 'sidelight.measures.k_anonymity.GroupSize'>
    """
    for declare in (*_IN_TURN, all_measures):
        if name in declared_measures():
            return declared_measures()[name]
        declare()
    place = f" in {where}" if where else ""
    known = dict.fromkeys((*(kind.name for kind in all_measures()), *declared_measures()))
    near = did_you_mean(name, known)
    otherwise = near if near.startswith("; did") else f"; there are: {', '.join(known)}"  # all, however many
    message = f"no measure '{name}'{place}{name_here(name) or otherwise}"
    raise BadPolicy(message)


def name_here(name: str) -> str:
    """Say, as the end of a sentence, what is meant by a name that papers use; nothing for others.

    >>> name_here("K-Anonymity")
    "; k-anonymity is 'group size' here"
    >>> name_here("l diversity")
    "; l-diversity is 'distinct values', 'entropy diversity' or 'recursive diversity' here"
    >>> name_here("colour")
    ''
    """
    called = [(each, kind.name) for kind in all_measures() for each in kind.also_called if _same_name(each, name)]
    if not called:
        return ""
    *others, last = (f"'{ours}'" for _, ours in called)
    return f"; {called[0][0]} is {', '.join(others)}{' or ' if others else ''}{last} here"


def _same_name(one: str, other: str) -> bool:
    """Compare names whatever their case, and however their words are joined."""
    return _letters(one) == _letters(other)


def _letters(name: str) -> str:
    return re.sub(r"[\s_-]", "", name.casefold())
