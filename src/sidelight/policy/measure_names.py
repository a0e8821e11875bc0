"""The measures that a policy may name, and their names elsewhere.

Ours are listed here with the module that declares each, in the order of pages and schemas.  A module is imported when
its measure is first named: the classics take 20 ms, maximum entropy brings its solvers, another 0.4 s.  Measures that
others declare are known by their name from then on.  The names of a measure in papers, and its attacker, are in its
class (`also_called`, `attacker`).
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import TypeAlias

from sidelight.errors import BadPolicy, did_you_mean
from sidelight.measures.measure import Measure, declared_measures

MeasureKinds: TypeAlias = tuple[type[Measure], ...]

_ASKED_BY_SEARCHES = ("learner", "insider")

MODULES = {
    name: module
    for module, names in {
        "sidelight.measures.classics": ("group size", "distinct values", "entropy diversity", "recursive diversity"),
        "sidelight.measures.closeness": ("closeness", "beta likeness", "delta disclosure"),
        "sidelight.measures.named_risks.size_risk": (
            "prosecutor risk",
            "journalist risk",
            "marketer risk",
            "presence",
            "absence",
        ),
        "sidelight.measures.named_risks.estimates": ("unique match", "population uniques", "individual risk"),
        "sidelight.measures.sums": ("dominance", "remainder"),
        "sidelight.measures.column_subsets.three_risks": ("singling out", "linkability", "inference"),
        "sidelight.measures.ck_safety.implications": ("implications", "negations", "disclosure cost"),
        "sidelight.measures.ck_safety.cheapest_knowledge": ("cheapest knowledge",),
        "sidelight.measures.privacy_skyline.acquaintance": ("acquaintance",),
        "sidelight.measures.epsilon_privacy.prior_belief": ("prior belief",),
        "sidelight.measures.epsilon_privacy.numeric_belief": ("numeric belief",),
        "sidelight.measures.expected_candidates": ("expected candidates",),
        "sidelight.max_entropy.measure": ("maximum entropy", "maximum entropy gain", "estimation error"),
        "sidelight.learner.learned": ("learner",),
        # imports the methods of searches, which need policies, when it is measured
        "sidelight.minimality.measure": ("insider",),
    }.items()
    for name in names
}


def all_measures() -> MeasureKinds:
    """Return all measures of ours."""
    return tuple(map(measure_named, MODULES))


def shown_measures() -> MeasureKinds:
    """Return what an audit shows by default: the classics, and the risks of being found."""
    classics = ("sidelight.measures.classics", "sidelight.measures.closeness")
    names = [name for name, module in MODULES.items() if module in classics]
    return tuple(map(measure_named, (*names, "prosecutor risk", "marketer risk")))


def population_measures() -> MeasureKinds:
    """Return those that compare a release with a population."""
    return tuple(map(measure_named, ("journalist risk", "marketer risk", "presence", "absence")))


ASK_CHOICES = ("both", *_ASKED_BY_SEARCHES, "nobody")
"""The attackers to ask that a command line or a page offers, without importing them."""


def asked_attackers() -> MeasureKinds:
    """Return the attackers that searches test their releases against: ours, then those that others declared."""
    ours = tuple(map(measure_named, _ASKED_BY_SEARCHES))
    return (
        *ours,
        *(each for each in declared_measures().values() if each.attacker.asked_by_search and each not in ours),
    )


def find_measure(name: str) -> type[Measure] | None:
    """Return the measure of this name, ours or declared by others; None where there is none."""
    if name not in declared_measures() and name in MODULES:
        import_module(MODULES[name])
    return declared_measures().get(name)


def measure_named(name: str, where: str = "") -> type[Measure]:
    """Return the measure of this name, or raise `BadPolicy`; `where` it was named is for the message.

    >>> measure_named("group size")
    <class 'sidelight.measures.classics.GroupSize'>
    """
    kind = find_measure(name)
    if kind is not None:
        return kind
    place = f" in {where}" if where else ""
    known = dict.fromkeys((*MODULES, *declared_measures()))
    near = did_you_mean(name, known)
    otherwise = near if near.startswith("; did") else f"; there are: {', '.join(known)}"  # all, however many
    raise BadPolicy(f"no measure '{name}'{place}{name_here(name) or otherwise}")


def name_here(name: str) -> str:
    """Return, as the end of a sentence, our names for a name that papers use; empty for others.

    >>> name_here("K-Anonymity")
    "; k-anonymity is 'group size' here"
    >>> name_here("l diversity")
    "; l-diversity is 'distinct values', 'entropy diversity' or 'recursive diversity' here"
    >>> name_here("colour")
    ''
    """

    def letters(text: str) -> str:  # whatever the case, and however words are joined
        return re.sub(r"[\s_-]", "", text.casefold())

    called = [
        (each, kind.name) for kind in all_measures() for each in kind.also_called if letters(each) == letters(name)
    ]
    if not called:
        return ""
    *others, last = (f"'{ours}'" for _, ours in called)
    return f"; {called[0][0]} is {', '.join(others)}{' or ' if others else ''}{last} here"
