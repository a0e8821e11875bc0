"""Who is worst off against an acquaintance: the target, what is ruled out, which people are known, which family."""

from __future__ import annotations

from dataclasses import dataclass

from sidelight.knowledge.facts import Fact, Has
from sidelight.knowledge.people import Someone
from sidelight.measures.exact import Amount
from sidelight.measures.measure import Witness, in_words
from sidelight.measures.privacy_skyline.five_minima import WAYS, FiveMinima
from sidelight.release.groups import GroupName, Groups
from sidelight.table.labels import Label, shown
from sidelight.table.table import Semantics
from sidelight.worlds.closed_forms import Family, Investigation, Others


@dataclass(frozen=True, slots=True)
class KnownPeople:
    """Other people of one group: in `single` with their values (value, how many have it), else without the target's."""

    group: GroupName
    people: int
    values: tuple[tuple[Label, int], ...] = ()


@dataclass(frozen=True, slots=True)
class KnownFamily:
    """People of one group of whom is known: if one of them has the value, so has the target."""

    group: GroupName
    people: int


@dataclass(frozen=True, slots=True)
class AcquaintanceWitness(Witness):
    """The worst investigation: about anyone of `group` and `value`, with no more knowledge than it takes."""

    semantics: Semantics = "single"
    rules_out: tuple[Label, ...] = ()
    others: KnownPeople | None = None
    family: KnownFamily | None = None

    def investigation(self) -> Investigation:
        """Say it by group numbers, as worlds are counted."""
        others, family = self.others, self.family
        return Investigation(
            self.group.number,
            self.value,
            self.rules_out,
            Others(others.group.number, others.people, others.values) if others else None,
            Family(family.group.number, family.people) if family else None,
        )

    def as_facts(self) -> tuple[Fact, tuple[Fact, ...]]:
        """Say it as facts: the target, and what is known; `posterior` of these is the finding's value.

        The target is the first person of the group; the known people come next in theirs, then the family.
        """
        target = Has(Someone(self.group.number), self.value)
        facts: list[Fact] = []
        for value in self.rules_out:
            has = Has(target.person, value)
            facts.append(~has if self.semantics == "single" else has.implies(target))
        taken = {self.group.number: 1}
        for person, value in zip(_next_people(self.others, taken), self._values_of_others(), strict=True):
            has = Has(person, value)
            facts.append(has if self.semantics == "single" else ~has)
        facts += [Has(person, self.value).implies(target) for person in _next_people(self.family, taken)]
        return target, tuple(facts)

    def _values_of_others(self) -> list[Label]:
        if self.others is None:
            return []
        if self.semantics != "single":
            return [self.value] * self.others.people
        return [value for value, people in self.others.values for _ in range(people)]

    def explain(self, risk: Amount) -> str:
        """Say it in a sentence."""
        known = [said for said in (self._about_the_target(), self._about_others(), self._about_family()) if said]
        value = shown(self.value)
        if not known:
            return f"In {self.group} anyone has {value} with probability {in_words(risk)}."
        facts = known[0] if len(known) == 1 else ", ".join(known[:-1]) + ", and " + known[-1]
        return (
            f"In {self.group} anyone, the target, could be shown to have {value} with probability {in_words(risk)} "
            f"by someone who knows {facts}."
        )

    def _about_the_target(self) -> str:
        if not self.rules_out:
            return ""
        values = _listed([shown(text) for text in self.rules_out], "or")
        if self.semantics == "single":
            return f"that the target does not have {values}"
        return f"that, if the target has {values}, the target has {shown(self.value)}"

    def _about_others(self) -> str:
        if self.others is None:
            return ""
        who = f"{_people(self.others.people, other=True)} of {self._there(self.others.group)}"
        if not self.others.values:
            return f"that {who} {_verb(self.others.people, 'does', 'do')} not have {shown(self.value)}"
        values = [f"{shown(text)} ({people})" for text, people in self.others.values]
        return f"what {who} {_verb(self.others.people, 'has', 'have')}: {_listed(values, 'and')}"

    def _about_family(self) -> str:
        if self.family is None:
            return ""
        people, value = self.family.people, shown(self.value)
        one = "that person" if people == 1 else "one of them"
        who = f"{_people(people, other=self.family.group == self.group)} of {self._there(self.family.group)}"
        return f"of {who} that, if {one} has {value}, so does the target"

    def _there(self, group: GroupName) -> str:
        return "the same group" if group == self.group else str(group)


def _next_people(part: KnownPeople | KnownFamily | None, taken: dict[int, int]) -> list[Someone]:
    """Take the next people of a group who have no part yet."""
    if part is None:
        return []
    first = taken.get(part.group.number, 0) + 1
    taken[part.group.number] = first - 1 + part.people
    return [Someone(part.group.number, first + place) for place in range(part.people)]


def _people(number: int, *, other: bool) -> str:
    word = "other person" if other and number == 1 else "other people" if other else _verb(number, "person", "people")
    return f"{number:,} {word}"


def _verb(number: int, one: str, many: str) -> str:
    return one if number == 1 else many


def _listed(words: list[str], joiner: str) -> str:
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + f" {joiner} {words[-1]}"


# ----------------------------------------------------------------------------------------------------
# Who plays which part in the worst investigation: from the five minima back to people and values.
# ----------------------------------------------------------------------------------------------------


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
