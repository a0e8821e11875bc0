"""Who is worst off against an acquaintance: from the five minima back to people and values.

A minimum points at a group.  The worst investigation puts the target into the group of T, the family into that of V,
and the k others beside the one or the other, as the arrangement says; it rules out the target's ℓ most frequent other
values, and the k have values that are left (in `single`), the most frequent first.

Invariant   the witness holds no more than it takes: once the target, or one of the family, must have the value, the
            rest of what may be known is left out.  Counting the worlds that fit it gives the risk again.
"""

from __future__ import annotations

from dataclasses import dataclass

from sidelight.errors import BadMeasure
from sidelight.knowledge.facts import Fact, Has, OneOf
from sidelight.knowledge.people import Someone
from sidelight.measures.exact import Amount
from sidelight.measures.finding import Witness
from sidelight.measures.privacy_skyline.five_minima import (
    ALL_TOGETHER,
    ARRANGEMENTS,
    OTHERS_WITH_FAMILY,
    OTHERS_WITH_TARGET,
    FiveMinima,
)
from sidelight.release.groups import GroupName, Groups
from sidelight.rounding import in_words
from sidelight.table.labels import Label, Semantics, shown, shown_in_list
from sidelight.text import form
from sidelight.worlds.closed_forms import Family, Investigation, Others


@dataclass(frozen=True, slots=True, repr=False)
class AcquaintanceWitness(Witness):
    """The worst investigation: about anyone of `group` and `value`, with no more knowledge than it takes."""

    semantics: Semantics = "single"
    rules_out: tuple[Label, ...] = ()
    others: Others | None = None
    family: Family | None = None
    any_of: tuple[Label, ...] = ()  # where `value` is a category: the values of it

    @property
    def investigation(self) -> Investigation:
        """What was found out, as worlds are counted."""
        return Investigation(self.group, self.value, self.rules_out, self.others, self.family)

    def as_facts(self) -> tuple[Fact, tuple[Fact, ...]]:
        """Return it as facts: the target, and what is known; `posterior` of these is the finding's value.

        The target is the first person of the group; the known people come next in theirs, then the family.
        """
        if self.any_of and self.semantics == "set":
            message = (
                f"facts cannot say how many people have '{self.value}', which somebody here knows; "
                "ask about its values one by one"
            )
            raise BadMeasure(message)
        first = Someone(self.group.number)
        target = self._has(first, self.value)
        facts: list[Fact] = []
        for value in self.rules_out:
            has: Fact = Has(first, value)
            facts.append(~has if self.semantics == "single" else has.implies(target))
        taken = {self.group.number: 1}
        for person, value in zip(_next_people(self.others, taken), self._values_of_others(), strict=True):
            has = self._has(person, value)
            facts.append(has if self.semantics == "single" else ~has)
        facts += [self._has(person, self.value).implies(target) for person in _next_people(self.family, taken)]
        return target, tuple(facts)

    def _has(self, person: Someone, value: Label) -> Fact:
        return OneOf(person, self.any_of) if self.any_of and value == self.value else Has(person, value)

    def _values_of_others(self) -> list[Label]:
        if self.others is None:
            return []
        if self.semantics != "single":
            return [self.value] * self.others.people
        return [value for value, people in self.others.values for _ in range(people)]

    def explain(self, risk: Amount) -> str:
        """Return it as a sentence."""
        parts = (self._describe_target(), self._describe_others(), self._describe_family())
        known = [part for part in parts if part]
        value = shown(self.value)
        if not known:
            return f"In {self.group} anyone has {value} with probability {in_words(risk)}."
        facts = known[0] if len(known) == 1 else ", ".join(known[:-1]) + ", and " + known[-1]
        return (
            f"In {self.group} anyone, the target, could be shown to have {value} with probability {in_words(risk)} "
            f"by someone who knows {facts}."
        )

    def _describe_target(self) -> str:
        if not self.rules_out:
            return ""
        values = _list_words([shown_in_list(text) for text in self.rules_out], "or")
        if self.semantics == "single":
            return f"that the target does not have {values}"
        return f"that, if the target has {values}, the target has {shown(self.value)}"

    def _describe_others(self) -> str:
        if self.others is None:
            return ""
        who = f"{_people(self.others.people, other=True)} of {self._there(self.others.group)}"
        if not self.others.values:
            return f"that {who} {'does' if self.others.people == 1 else 'do'} not have {shown(self.value)}"
        values = [f"{shown_in_list(text)} ({people})" for text, people in self.others.values]
        return f"what {who} {form('has', self.others.people)}: {_list_words(values, 'and')}"

    def _describe_family(self) -> str:
        if self.family is None:
            return ""
        people, value = self.family.people, shown(self.value)
        one = "that person" if people == 1 else "one of them"
        who = f"{_people(people, other=self.family.group == self.group)} of {self._there(self.family.group)}"
        return f"of {who} that, if {one} has {value}, so does the target"

    def _there(self, group: GroupName) -> str:
        return "the same group" if group == self.group else str(group)


def _next_people(part: Others | Family | None, taken: dict[int, int]) -> list[Someone]:
    """Return the next people of a group who have no part yet."""
    if part is None:
        return []
    # people of a group are numbered on from those who have a part, so that no one has two
    first = taken.get(part.group.number, 0) + 1
    taken[part.group.number] = first - 1 + part.people
    return [Someone(part.group.number, first + place) for place in range(part.people)]


def _people(number: int, *, other: bool) -> str:
    return f"{number:,} {'other ' if other else ''}{form('person', number)}"


def _list_words(words: list[str], joiner: str) -> str:
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + f" {joiner} {words[-1]}"


@dataclass(frozen=True, eq=False, slots=True)
class _GroupByFrequency:
    """One group around one value: `count` people (or occurrences) have it, `rest` are its other values."""

    group: Groups
    people: int
    count: int
    rest: tuple[tuple[Label, int], ...]  # those that occur, the most frequent first

    @classmethod
    def from_group(cls, group: Groups, value: int) -> _GroupByFrequency:
        """Build from one group, with its other values sorted by frequency."""
        counts = group.counts.row(0).tolist()
        places = sorted((each for each in range(len(counts)) if each != value), key=lambda each: -counts[each])
        rest = tuple((group.domain[each], counts[each]) for each in places if counts[each])
        return cls(group, int(group.sizes[0]), counts[value], rest)

    @property
    def may_lack(self) -> int:
        """How many people can be known to lack the value before it is certain who has it."""
        return self.people - (1 if self.group.semantics == "multiset" else self.count)

    def known_people(self, most: int, *, ruled_out: int = 0) -> Others | None:
        """Choose others without the value, at most so many, whose values are not among those ruled out."""
        if self.group.semantics != "single":
            people = min(most, self.may_lack)
            return Others(self.group.name(0), people) if people else None
        values: list[tuple[Label, int]] = []
        # values that are ruled out exclude their people already: knowing those people would add nothing
        for text, count in self.rest[ruled_out:]:
            taken = min(most - sum(number for _, number in values), count)
            values += [(text, taken)] if taken else []
        people = sum(number for _, number in values)
        return Others(self.group.name(0), people, tuple(values)) if people else None

    def is_certain(self, ruled_out: int, known: Others | None) -> bool:
        """Decide whether a target here must have the value, without any family."""
        gone = [count for _, count in self.rest[:ruled_out]]
        # a value that all people of the group have cannot be ruled out unless the target has σ
        if self.group.semantics == "set" and self.people in gone:
            return True
        # in single, people with a ruled-out value lack σ already, and cannot be the target
        hidden = sum(gone) if self.group.semantics == "single" else 0
        return self.may_lack - hidden - _people_in(known) <= 0

    def known_family(self, most: int, known: Others | None, *, beside_target: bool) -> tuple[Family | None, bool]:
        """Return a family of at most so many, and whether one of them (or the target) must have the value."""
        # one more than can all lack the value; beside the target, who would have to lack it too, one fewer
        enough = self.may_lack - _people_in(known) + (0 if beside_target else 1)
        people = min(most, enough)
        return (Family(self.group.name(0), people) if people else None), people == enough


def worst_investigation(minima: FiveMinima, column: int, arrangement: int) -> AcquaintanceWitness:
    """Put together the worst investigation for one value in question, in one of the three arrangements."""
    knowledge, value = minima.knowledge, int(minima.values[column])
    target = relatives = _GroupByFrequency.from_group(minima.group(ARRANGEMENTS[arrangement][0], column), value)
    if arrangement != ALL_TOGETHER:
        relatives = _GroupByFrequency.from_group(minima.group(ARRANGEMENTS[arrangement][-1], column), value)
    ruled_out = tuple(text for text, _ in target.rest[: knowledge.rules_out])
    # with the others beside the family, none is left to know beside the target
    beside_target = (
        None if arrangement == OTHERS_WITH_FAMILY else target.known_people(knowledge.others, ruled_out=len(ruled_out))
    )
    family, others = None, beside_target
    if not target.is_certain(len(ruled_out), beside_target):
        if arrangement == OTHERS_WITH_FAMILY:
            others = relatives.known_people(knowledge.others)
        beside_family = None if arrangement == OTHERS_WITH_TARGET else others
        family, certain = relatives.known_family(
            knowledge.family, beside_family, beside_target=arrangement == ALL_TOGETHER
        )
        if certain:  # whatever else is known is not needed
            ruled_out, others = (), beside_family
    return AcquaintanceWitness(
        group=target.group.name(0),
        value=target.group.domain[value],
        semantics=target.group.semantics,
        rules_out=ruled_out,
        others=others,
        family=family,
    )


def _people_in(known: Others | None) -> int:
    return 0 if known is None else known.people
