"""Which worst case covers somebody who knows just this?"""

from __future__ import annotations

from sidelight.errors import BadKnowledge, parameter
from sidelight.knowledge.facts import Fact, all_of, named_values
from sidelight.knowledge.parse_facts import Knowledge, read_facts
from sidelight.release.release import Release
from sidelight.worlds.counting.counter import Counting
from sidelight.worlds.effort import Effort, Meter, OverEffort
from sidelight.worlds.identify import Entities, identify
from sidelight.worlds.satisfiable import Possible
from sidelight.worlds.smallest_conflict import contradiction


def covering_k(release: Release, given: Knowledge) -> int:
    """For which k does `Implications(k)` cover somebody who knows `given`?

    In this release the facts say no more than k basic implications do, so nobody who knows them is surer of anyone's
    value than `Implications(k).measure(release)` tells.  People can only have what occurs in their group, which makes k
    smaller than what `fact.basic_implications(values)` has.  One value per person.

    >>> named = Release.from_groups([
    ...     (["Bob", "Charlie", "Dave", "Ed", "Frank"], ["Flu", "Flu", "Lung", "Lung", "Heart"]),
    ...     (["Gloria", "Hannah", "Irma", "Jane", "Karen"], ["Flu", "Flu", "Breast", "Ovarian", "Heart"])])
    >>> covering_k(named, "Hannah = Flu -> Charlie = Flu"), covering_k(named, "Ed = Flu")
    (1, 2)

    Raises:
        Contradiction: no world fits the facts.
        TooHard: they take too many basic implications to say.

    Source: Martin et al., Worst-case background knowledge, ICDE 2007, theorem 3.
    """
    if release.semantics != "single":
        message = (
            f"Implications(k) is about one value per person; this release has {parameter('values', release.semantics)}"
        )
        raise BadKnowledge(message)
    facts = read_facts(given)
    entities = identify(release, dict.fromkeys(who for fact in facts for who in fact.people()))
    _check(release, entities, facts)
    there = {row: release.groups.counts.row(row).nonzero()[0].tolist() for row in entities.group_of.values()}
    values = {who: [release.domain[place] for place in there[row]] for who, row in entities.group_of.items()}
    return len(all_of(facts).basic_implications(values)) if facts else 0


def _check(release: Release, entities: Entities, facts: tuple[Fact, ...]) -> None:
    """Refuse values that nobody could have, and facts that cannot all be so."""
    for fact in facts:
        for simple in fact.atoms():
            for value in named_values(simple):
                release.groups.place(value)
    try:
        possible = Possible(release, entities).all_of(facts)
    except OverEffort:
        return  # they may be
    if not possible:
        raise contradiction(Counting(release, entities, Meter(Effort())), facts)
