"""One file (or folder) per question asked of a release, and the list of them all.

A new measure is a new file here and one line below; the policy file, the command line and the contract tests take it
from `MEASURES`.  Files are imported when the list is first asked for, so that one measure does not cost all of them.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from sidelight.errors import BadMeasure, did_you_mean

if TYPE_CHECKING:
    from sidelight.measures.measure import Measure

    MEASURES: tuple[type[Measure], ...]

_HOME = {
    "GroupSize": "measures.group_size",
    "DistinctValues": "measures.distinct_values",
    "EntropyDiversity": "measures.entropy_diversity",
    "RecursiveDiversity": "measures.recursive_diversity",
    "Closeness": "measures.closeness.measure",
    "BetaLikeness": "measures.beta_likeness",
    "DeltaDisclosure": "measures.delta_disclosure",
    "Implications": "measures.implications.adversary",
    "Negations": "measures.negations",
    "Acquaintance": "measures.acquaintance.adversary",
    "PriorBelief": "measures.prior_belief.adversary",
    "MaxEnt": "max_entropy.measure",  # it builds on measures, and so has a folder of its own
}


@cache
def _measures() -> tuple[type[Measure], ...]:
    return tuple(getattr(import_module(f"sidelight.{home}"), name) for name, home in _HOME.items())


def measure_named(name: str) -> type[Measure]:
    """Find a measure by its name in the user's words.

    >>> measure_named("group size")
    <class 'sidelight.measures.group_size.GroupSize'>
    """
    known = {kind.name: kind for kind in _measures()}
    if name not in known:
        message = f"no measure '{name}'{did_you_mean(name, known)}"
        raise BadMeasure(message)
    return known[name]


def __getattr__(name: str) -> object:
    if name == "MEASURES":
        return _measures()
    message = f"module 'sidelight.measures' has no attribute '{name}'"
    raise AttributeError(message)
