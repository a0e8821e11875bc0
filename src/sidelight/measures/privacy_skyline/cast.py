"""Who plays which part in the worst investigation: from the five minima back to people and values."""

from __future__ import annotations

from dataclasses import dataclass

from sidelight.measures.privacy_skyline.five_minima import WAYS, FiveMinima
from sidelight.measures.privacy_skyline.witness import AcquaintanceWitness, KnownFamily, KnownPeople
from sidelight.release.groups import Groups
from sidelight.table.labels import Label

TOGETHER, WITH_TARGET, WITH_FAMILY = range(len(WAYS))
"""Where the other people sit: see `acquaintance_minima`."""


@dataclass(frozen=True, eq=False, slots=True)
class Seen:
    """One group as seen from one value: `count` people (or occurrences) have it, `rest` lists the other values."""

    group: Groups
    people: int
    count: int
    rest: tuple[tuple[Label, int], ...]  # those that occur, the most frequent first

    @classmethod
    def of(cls, group: Groups, value: int) -> Seen:
        """Look at a group."""
        counts = group.counts.row(0).tolist()
        places = sorted((each for each in range(len(counts)) if each != value), key=lambda each: -counts[each])
        rest = tuple((group.domain[each], counts[each]) for each in places if counts[each])
        return cls(group, int(group.sizes[0]), counts[value], rest)

    @property
    def without(self) -> int:
        """How many people can be known to lack the value before it is certain who has it."""
        return self.people - (1 if self.group.semantics == "multiset" else self.count)

    def known(self, most: int, *, ruled_out: int = 0) -> KnownPeople | None:
        """Find others without the value, at most so many, whose values are not among those ruled out."""
        if self.group.semantics != "single":
            people = min(most, self.without)
            return KnownPeople(self.group.name(0), people) if people else None
        values: list[tuple[Label, int]] = []
        for text, count in self.rest[ruled_out:]:
            taken = min(most - sum(number for _, number in values), count)
            values += [(text, taken)] if taken else []
        people = sum(number for _, number in values)
        return KnownPeople(self.group.name(0), people, tuple(values)) if people else None

    def settles(self, ruled_out: int, known: KnownPeople | None) -> bool:
        """Decide whether a target here must have the value, without any family."""
        gone = [count for _, count in self.rest[:ruled_out]]
        if self.group.semantics == "set" and self.people in gone:
            return True
        hidden = sum(gone) if self.group.semantics == "single" else 0
        return self.without - hidden - _number(known) <= 0

    def family(self, most: int, known: KnownPeople | None, *, beside_target: bool) -> tuple[KnownFamily | None, bool]:
        """Find a family of at most so many; say whether one of them (or the target) must have the value."""
        enough = self.without - _number(known) + (0 if beside_target else 1)
        people = min(most, enough)
        return (KnownFamily(self.group.name(0), people) if people else None), people == enough


def cast(minima: FiveMinima, way: int, value: int) -> AcquaintanceWitness:
    """Put together the worst investigation for one value asked about, along one of the three ways."""
    knows, sigma = minima.knows, int(minima.asked[value])
    target = Seen.of(minima.group(WAYS[way][0], value), sigma)
    relatives = target if way == TOGETHER else Seen.of(minima.group(WAYS[way][-1], value), sigma)
    ruled_out = tuple(text for text, _ in target.rest[: knows.rules_out])
    beside = None if way == WITH_FAMILY else target.known(knows.others, ruled_out=len(ruled_out))
    family, others = None, beside
    if not target.settles(len(ruled_out), beside):
        others = relatives.known(knows.others) if way == WITH_FAMILY else beside
        near = None if way == WITH_TARGET else others
        family, settled = relatives.family(knows.family, near, beside_target=way == TOGETHER)
        if settled:  # whatever else is known is not needed
            ruled_out = ()
            others = near
    return AcquaintanceWitness(
        group=target.group.name(0),
        value=target.group.domain[sigma],
        semantics=target.group.semantics,
        rules_out=ruled_out,
        others=others,
        family=family,
    )


def _number(known: KnownPeople | None) -> int:
    return 0 if known is None else known.people
