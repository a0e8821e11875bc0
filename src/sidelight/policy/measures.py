"""Which measures may a policy name, and what are they called elsewhere?

All of ours are listed here, in the order of pages and schemas.  Importing this file imports every measure (the maximum
entropy one brings SciPy's solvers), so it is imported where a policy is read and not before.  Measures that somebody
else declares are known by their name from then on.
"""

from __future__ import annotations

import re

from sidelight.errors import BadPolicy, did_you_mean
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


OTHER_NAMES: dict[str, tuple[str, ...]] = {
    "k-anonymity": ("group size",),
    "anonymity": ("group size",),
    "l-diversity": ("distinct values", "entropy diversity", "recursive diversity"),
    "ℓ-diversity": ("distinct values", "entropy diversity", "recursive diversity"),
    "diversity": ("distinct values", "entropy diversity", "recursive diversity"),
    "distinct l-diversity": ("distinct values",),
    "entropy l-diversity": ("entropy diversity",),
    "recursive l-diversity": ("recursive diversity",),
    "t-closeness": ("closeness",),
    "b-likeness": ("beta likeness",),
    "β-likeness": ("beta likeness",),
    "d-disclosure": ("delta disclosure",),
    "δ-disclosure": ("delta disclosure",),
    "δ-disclosure privacy": ("delta disclosure",),
    "ck-safety": ("implications",),
    "privacy skyline": ("acquaintance",),
    "ε-privacy": ("prior belief",),
    "epsilon-privacy": ("prior belief",),
    "maxent": ("maximum entropy",),
    "privacy-maxent": ("maximum entropy",),
}
"""By the name in papers and other tools."""


def measure_named(name: str, where: str = "") -> type[Measure]:
    """Give the measure of this name, ours or anybody's who declared one; `where` it was named is for the message.

    >>> measure_named("group size")
    <class 'sidelight.measures.k_anonymity.GroupSize'>
    """
    known = {**{kind.name: kind for kind in MEASURES}, **declared_measures()}
    if name not in known:
        place = f" in {where}" if where else ""
        message = f"no measure '{name}'{place}{name_here(name) or did_you_mean(name, known)}"
        raise BadPolicy(message)
    return known[name]


def name_here(name: str) -> str:
    """Say, as the end of a sentence, what is meant by a name that papers use; nothing for others.

    >>> name_here("K-Anonymity")
    "; k-anonymity is 'group size' here"
    >>> name_here("l diversity")
    "; l-diversity is 'distinct values', 'entropy diversity' or 'recursive diversity' here"
    >>> name_here("colour")
    ''
    """
    for other, ours in OTHER_NAMES.items():
        if _letters(other) == _letters(name):
            *others, last = (f"'{each}'" for each in ours)
            return f"; {other} is {', '.join(others)}{' or ' if others else ''}{last} here"
    return ""


def _letters(name: str) -> str:
    return re.sub(r"[\s_-]", "", name.casefold())
