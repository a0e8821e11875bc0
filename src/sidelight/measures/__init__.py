"""One file (or folder) per question asked of a release, and the list of them all.

A new measure is a new file here, a public name in `sidelight/__init__.py` and one line below; the policy file, the
command line and the contract tests take it from `MEASURES`.  Files are imported when the list is first asked for, so
that one measure does not cost all of them.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from sidelight.errors import BadMeasure, did_you_mean

if TYPE_CHECKING:
    from sidelight.measures.measure import Measure

    MEASURES: tuple[type[Measure], ...]

_NAMES = (
    "GroupSize",
    "DistinctValues",
    "EntropyDiversity",
    "RecursiveDiversity",
    "Closeness",
    "BetaLikeness",
    "DeltaDisclosure",
    "Implications",
    "Negations",
    "Acquaintance",
    "PriorBelief",
    "MaxEnt",  # it builds on measures, and so has a folder of its own
)


@cache
def _measures() -> tuple[type[Measure], ...]:
    sidelight = import_module("sidelight")  # which knows where each public name lives
    return tuple(getattr(sidelight, name) for name in _NAMES)


def measure_named(name: str) -> type[Measure]:
    """Find a measure by its name in the user's words.

    >>> measure_named("group size")
    <class 'sidelight.measures.k_anonymity.GroupSize'>
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
