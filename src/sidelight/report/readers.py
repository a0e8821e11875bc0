"""Who is each measure about?  The attacker that its class names, by the name of the measure as documents have it."""

from __future__ import annotations

from collections.abc import Iterable

from sidelight.measures.attacker import FAMILIES, Attacker
from sidelight.policy.measure_names import asked_attackers, find_measure


def attacker_of(measure: str) -> Attacker:
    """Return whom a measure is about; of one that is declared nowhere, that its own words say it.

    >>> attacker_of("implications").knowledge_in_words({"k": 2}).partition("; and ")[2]
    'any 2 facts of the kind “if she has this value, he has that one”'
    """
    kind = find_measure(measure)
    return Attacker.unknown(measure) if kind is None else kind.attacker


def families_not_asked(measures: Iterable[str]) -> tuple[str, ...]:
    """Return in words the attackers that none of these measures is about.

    >>> lines = families_not_asked(["implications", "prosecutor risk", "learner", "insider"])
    >>> [line.partition(" (")[0] for line in lines]
    ['somebody who believes something about people from elsewhere']
    """
    names = set(measures)
    families = {attacker_of(measure).family for measure in names}
    attackers = [kind.attacker for kind in asked_attackers()]
    return (
        *(words for family, words in FAMILIES.items() if family not in families),
        *(each.described for each in attackers if each.name not in names),
    )
