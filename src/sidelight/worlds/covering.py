"""Which worst case covers somebody who knows just this?"""

from __future__ import annotations

from sidelight.errors import BadKnowledge, expect, parameter
from sidelight.knowledge.facts import Fact, all_of, named_values
from sidelight.knowledge.parse_facts import Knowledge, read_facts
from sidelight.release.release import Release
from sidelight.worlds.counting.counter import WorldCounter
from sidelight.worlds.effort import Effort, Meter, OverEffort
from sidelight.worlds.identify import Entities, identify
from sidelight.worlds.satisfiable import WorldSearch
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
    expect(Release, release, "the release")
    if release.semantics != "single":
        message = (
            f"Implications(k) is about one value per person; this release has {parameter('values', release.semantics)}"
        )
        raise BadKnowledge(message)
    facts = read_facts(given)
    entities = identify(release, dict.fromkeys(who for fact in facts for who in fact.people()))
    _check(release, entities, facts)
    occurring = {group: release.groups.counts.row(group).nonzero()[0].tolist() for group in entities.group_of.values()}
    values = {who: [release.domain[place] for place in occurring[group]] for who, group in entities.group_of.items()}
    return len(all_of(facts).basic_implications(values)) if facts else 0


def _check(release: Release, entities: Entities, facts: tuple[Fact, ...]) -> None:
    """Refuse values that nobody could have, and facts that cannot all hold."""
    for fact in facts:
        for atom in fact.atoms():
            for value in named_values(atom):
                release.groups.place(value)
    try:
        satisfiable = WorldSearch(release, entities).satisfiable(facts)
    except OverEffort:
        return  # they may be
    if not satisfiable:
        raise contradiction(WorldCounter(release, entities, Meter(Effort())), facts)
