"""Which measures may a policy name?  All of ours, in the order in which pages and schemas list them.

Importing this file imports every measure (the maximum entropy one brings SciPy's solvers), so it is imported where a
policy is read and not before.  Measures that somebody else declares are known by their name from then on.
"""

from __future__ import annotations

from sidelight.errors import BadMeasure, did_you_mean
from sidelight.max_entropy.measure import MaxEnt
from sidelight.measures.beta_likeness import BetaLikeness
from sidelight.measures.ck_safety.implications import Implications
from sidelight.measures.ck_safety.negations import Negations
from sidelight.measures.delta_disclosure import DeltaDisclosure
from sidelight.measures.epsilon_privacy.prior_belief import PriorBelief
from sidelight.measures.k_anonymity import GroupSize
from sidelight.measures.l_diversity import DistinctValues, EntropyDiversity, RecursiveDiversity
from sidelight.measures.measure import Measure, declared_measures
from sidelight.measures.privacy_skyline.acquaintance import Acquaintance
from sidelight.measures.t_closeness import Closeness

MEASURES: tuple[type[Measure], ...] = (
    GroupSize,
    DistinctValues,
    EntropyDiversity,
    RecursiveDiversity,
    Closeness,
    BetaLikeness,
    DeltaDisclosure,
    Implications,
    Negations,
    Acquaintance,
    PriorBelief,
    MaxEnt,
)


def measure_named(name: str) -> type[Measure]:
    """Give the measure of this name, ours or anybody's who declared one.

    >>> measure_named("group size")
    <class 'sidelight.measures.k_anonymity.GroupSize'>
    """
    known = {**{kind.name: kind for kind in MEASURES}, **declared_measures()}
    if name not in known:
        message = f"no measure '{name}'{did_you_mean(name, known)}"
        raise BadMeasure(message)
    return known[name]
