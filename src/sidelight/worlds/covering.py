"""Which worst case covers somebody who knows just this?

`Implications(k)` is about the worst k basic implications anybody might know.  Facts that k of them say are no worse, so
the fewest that say the facts, among the values that people of each group can have, tell which k to look at.
"""

from __future__ import annotations

from sidelight.errors import BadKnowledge, expect, parameter
from sidelight.knowledge.facts import all_of, expect_hard, named_values
from sidelight.knowledge.parse_facts import Knowledge, read_facts
from sidelight.knowledge.people import Who
from sidelight.release.release import Release
from sidelight.table.labels import Label
from sidelight.table.table import expect_one_sensitive
from sidelight.worlds.effort import Effort, Meter
from sidelight.worlds.posterior import Observer


def covering_k(release: Release, given: Knowledge) -> int:
    """Return the k for which `Implications(k)` covers an attacker who knows `given`.

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
    expect_one_sensitive(release, "what somebody believes")
    if release.semantics != "single":
        message = (
            "which k covers facts is told where everybody has one value; this release has "
            f"{parameter('values', release.semantics)}"
        )
        raise BadKnowledge(message)
    facts = read_facts(given)
    expect_hard(facts, "what Implications(k) covers")
    observer = Observer.identify(release, facts)
    for value in dict.fromkeys(value for fact in facts for atom in fact.atoms() for value in named_values(atom)):
        release.groups.code_of(value)  # refuses a value that nobody could have
    # facts that contradict the release would be covered by anything
    observer.check_satisfiable(Meter(Effort()))
    return len(all_of(facts).basic_implications(_possible_values(observer))) if facts else 0


def _possible_values(observer: Observer) -> dict[Who, list[Label]]:
    """List for each person the values that occur in the person's group."""
    release, group_of = observer.release, observer.entities.group_of
    occurring = {group: release.groups.counts.row(group).nonzero()[0].tolist() for group in {*group_of.values()}}
    return {who: [release.domain[code] for code in occurring[group]] for who, group in group_of.items()}
