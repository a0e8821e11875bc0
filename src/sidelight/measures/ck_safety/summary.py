"""The summary of implications: the few groups that can take part in the worst case, and the worst case read off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sidelight.measures.ck_safety.exact import Way
from sidelight.measures.ck_safety.minimize_within_group import Bags
from sidelight.measures.ck_safety.shortlist import shortlist
from sidelight.measures.ck_safety.witness import Atom, Implication, ImplicationsWitness
from sidelight.measures.ck_safety.worst import worst_case
from sidelight.measures.finding import Finding
from sidelight.measures.measure import Measure
from sidelight.measures.most_frequent import values_by_frequency
from sidelight.release.groups import GroupName, Groups
from sidelight.table.labels import Label, shown


@dataclass(frozen=True, slots=True)
class Suspect:
    """A group that may take part in the worst case, as far as it matters."""

    name: GroupName
    size: int
    counts: tuple[int, ...]  # the largest, in falling order
    values: tuple[Label, ...]  # whose counts they are
    own: int  # how often the target's value occurs

    @classmethod
    def of(cls, groups: Groups, row: int, counts: list[int], own: int) -> Suspect:
        """Remember one group."""
        most_frequent = values_by_frequency(groups.counts.row(row))[: len(counts)]
        values = tuple(groups.domain[place] for place in most_frequent)
        return cls(groups.name(row), int(groups.sizes[row]), tuple(counts), values, own)

    def asked(self, way: Way, value: Label) -> list[Atom]:
        """Say who is asked about what when atoms are spent this way; the target stands at place 0."""
        with_target = (value, *(each for each in self.values if each != value))
        return [
            Atom((self.name.number, place), each)
            for place, many in enumerate(way.parts)
            for each in (with_target if place < way.with_target else self.values)[:many]
        ]


@dataclass(frozen=True, slots=True)
class Suspects:
    """The groups that can take part in the worst case, in the order of their numbers."""

    measure: Measure
    k: int
    value: Label  # the target's; None: whichever is worst
    groups: tuple[Suspect, ...]

    def merge(self, other: Suspects) -> Suspects:
        """Put both together and keep what can still take part."""
        both = sorted(self.groups + other.groups, key=lambda group: group.name.number)
        kept = shortlist(_bags(both), self.k) if both else ()
        return Suspects(self.measure, self.k, self.value, tuple(both[row] for row in kept))

    def finding(self) -> Finding:
        """Work out the worst case over all groups together."""
        if not any(group.own for group in self.groups):
            return Finding(self.measure, Fraction(0), None, (f"nobody in the release has '{shown(self.value)}'",))
        risk, spent = worst_case(_bags(self.groups), self.k)
        return Finding(self.measure, risk, self._witness([(self.groups[row], way) for row, way in spent]))

    def _witness(self, spent: list[tuple[Suspect, Way]]) -> ImplicationsWitness:
        """Write down who is asked about what; idle implications fill up to k."""
        (target,) = (group for group, way in spent if way.with_target)
        value = target.values[0] if self.value is None else self.value
        atom = Atom((target.name.number, 0), value)
        spent.sort(key=lambda part: not part[1].with_target)
        asked = [each for group, way in spent for each in group.asked(way, value) if each != atom]
        idle = (Implication(atom, atom),) * (self.k - len(asked))
        others = dict.fromkeys(group.name for group, _ in spent if group.name != target.name)
        return ImplicationsWitness(
            target.name,
            value,
            target=atom.person,
            implications=(*(Implication(each, atom) for each in asked), *idle),
            elsewhere=tuple(others),
        )


def _bags(groups: Sequence[Suspect]) -> Bags:
    return Bags(
        sizes=np.array([group.size for group in groups]),
        counts=np.array([group.counts for group in groups]),
        own=np.array([group.own for group in groups]),
    )
