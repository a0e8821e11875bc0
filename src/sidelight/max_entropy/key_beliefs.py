"""What is believed of each kind of people, wherever they are, and how far from the truth is that?

Symbols     q a kind of people: all who have a key, those of a part that statements tell apart, or one whom they name;
            P*(s | q) = Σ_b P*(q, s, b) / P(q), over all groups b.
Error       Σ_q P(q) Σ_s P(s | q) ln( P(s | q) / P*(s | q) ): infinite where something true is believed impossible.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sidelight.arrays import Flags, Floats, Integers, add_up, number_keys, sum_by
from sidelight.errors import BadMeasure, expect, parameter
from sidelight.max_entropy.constraints import NOBODY
from sidelight.max_entropy.presolve import NEGLIGIBLE_PEOPLE
from sidelight.table.labels import Label, number_equal_rows, show_in_list, shown
from sidelight.table.table import Table

if TYPE_CHECKING:
    from sidelight.max_entropy.problem import Variables
    from sidelight.release.release import Members

OTHERS = -2
"""In the place of a person: all who have a key, or are of a part, but those whom statements name."""

KindEntries: TypeAlias = tuple[Integers, Integers, Floats]
"""Kinds of people, values, and how many people of the kind have the value."""


@dataclass(frozen=True, eq=False, slots=True)
class KeysOfPeople:
    """Kinds of people: the key that is printed about each, and a part that it is, −1 for everybody with the key.

    `person` says whom statements name: the place in `names`, `NOBODY` where the key has nobody who is named, or
    `OTHERS`.  How many `people` there are of a kind is part of the estimate, unless it is everybody with a key.
    """

    printed: Integers
    part: Integers
    person: Integers
    people: Floats
    names: tuple[str, ...] = ()

    @classmethod
    def from_keys(cls, people: Floats, named: Flags) -> KeysOfPeople:
        """Build a kind for each key; `named` are those of people whom statements name."""
        keys = len(people)
        return cls(np.arange(keys), np.full(keys, -1), np.where(named, OTHERS, NOBODY), people)

    @classmethod
    def concatenate(cls, kinds: Sequence[KeysOfPeople], names: tuple[str, ...]) -> KeysOfPeople:
        """Concatenate kinds."""
        fields = zip(*((each.printed, each.part, each.person, each.people) for each in kinds), strict=True)
        printed, part, person, people = map(np.concatenate, fields)
        return cls(printed, part, person, people, names)

    def __len__(self) -> int:
        return len(self.printed)

    def take(self, kinds: Integers) -> KeysOfPeople:
        """Return some kinds."""
        return KeysOfPeople(self.printed[kinds], self.part[kinds], self.person[kinds], self.people[kinds], self.names)


@dataclass(frozen=True, slots=True)
class Risk:
    """How sure somebody is that people who say this have a value, by maximum entropy."""

    probability: float
    value: Label
    says: tuple[tuple[str, Label], ...]

    def __str__(self) -> str:
        who = ", ".join(f"{column} {show_in_list(text)}" for column, text in self.says) or "anybody"
        return f"{shown(self.value)} for {who}: {self.probability:.4f}"


@dataclass(frozen=True, slots=True)
class Move(Risk):
    """How such a belief changed: what it was before."""

    before: float

    def __str__(self) -> str:
        return f"{Risk.__str__(self)}, and {self.before:.4f} before"


@dataclass(frozen=True, eq=False)
class KeyBeliefs:
    """P*(s | q): people of kind `key[i]` are believed to have value `value[i]` with `probability[i]`."""

    variables: Variables
    keys: KeysOfPeople
    domain: tuple[Label, ...]
    key: Integers
    value: Integers
    probability: Floats

    @classmethod
    def from_entries(
        cls, variables: Variables, keys: KeysOfPeople, domain: tuple[Label, ...], entries: KindEntries
    ) -> KeyBeliefs:
        """Build beliefs by adding up what all groups say about a key; entries are of every person once per value."""
        key, value, amounts = entries
        people = keys.people
        kept = people[key] > NEGLIGIBLE_PEOPLE
        # key and value packed into one number, so that the same pair is added up over all groups
        pair = key[kept] * len(domain) + value[kept]
        place, first = number_keys(pair, below=len(people) * len(domain))
        key, value = np.divmod(pair[first], len(domain))
        total = sum_by(place, amounts[kept], len(first))
        return cls(variables, keys, domain, key, value, np.clip(total / people[key], 0.0, 1.0))

    @property
    def members(self) -> Members:
        """Who is in which group."""
        return self.variables.members

    def says(self, key: int) -> tuple[tuple[str, Label], ...]:
        """Return what is known about a person of this kind: what is printed, what tells parts apart, and who it is."""
        printed, part, person = (int(each[key]) for each in (self.keys.printed, self.keys.part, self.keys.person))
        says = {column.name: column.cell(printed) for column in self.members.columns}
        says = says if part < 0 else says | self.variables.parts.describe(part)
        if person == NOBODY:
            return tuple(says.items())
        return (*says.items(), ("person", "anybody else" if person == OTHERS else self.keys.names[person]))

    def probabilities_at(self, key: Integers, value: Integers) -> Floats:
        """Return the probabilities of some keys and values; 0 where they do not occur together."""
        known, sought = self.key * len(self.domain) + self.value, key * len(self.domain) + value
        # beyond the last there is nothing to compare with: clamped, and then found to differ
        place = np.minimum(np.searchsorted(known, sought), len(known) - 1)
        return np.where(known[place] == sought, self.probability[place], 0.0)

    def moved_most(self, before: KeyBeliefs, n: int) -> tuple[Move, ...]:
        """Return the n kinds whose beliefs moved most, each with the value that moved most; `before` is by key."""
        kind, value, here = self.key, self.value, self.probability
        there = before.probabilities_at(self.keys.printed[kind], value)
        # ties of the last bits are ties, so that people who moved as much come by how sure somebody is, then in order
        moved, sure = np.round(np.abs(here - there), 12), np.round(here, 12)
        order = np.lexsort((value, kind, -sure, -moved))
        of_each_kind = order[np.sort(np.unique(kind[order], return_index=True)[1])][:n]
        return tuple(
            Move(float(here[row]), self.domain[value[row]], self.says(int(kind[row])), float(there[row]))
            for row in of_each_kind.tolist()
        )

    def largest(self, n: int) -> Iterator[tuple[int, int, float]]:
        """Yield the n largest, as (key, value, probability); of equal ones the first keys and values."""
        # ties of the last bits are ties, so that equal risks come in the order of keys
        rounded = np.round(self.probability, 12)
        few = np.flatnonzero(rounded >= np.partition(rounded, -n)[-n]) if n < len(rounded) else np.arange(len(rounded))
        order = few[np.lexsort((self.value[few], self.key[few], -rounded[few]))][:n]
        for at in order.tolist():
            yield int(self.key[at]), int(self.value[at]), float(self.probability[at])


def estimation_error(beliefs: KeyBeliefs, original: Table) -> float:
    """Return Σ_q P(q) Σ_s P(s|q) ln( P(s|q) / P*(s|q) ); infinite where something true is believed impossible."""
    expect(Table, original, "the original")
    key, value, count = _key_counts(beliefs, original)
    values = len(beliefs.domain)
    pair, number = np.unique(key * values + value, return_inverse=True)
    people = add_up(number, count, len(pair))
    true = people / beliefs.keys.people[pair // values]
    believed = beliefs.probabilities_at(*np.divmod(pair, values))
    with np.errstate(divide="ignore"):
        return max(float((people / original.people) @ (np.log(true) - np.log(believed))), 0.0)


def _key_counts(beliefs: KeyBeliefs, original: Table) -> tuple[Integers, Integers, Integers]:
    """Return the original's counts by the beliefs' keys and values; refuse a table that is not the release's."""
    keys = _match_keys(beliefs.members, original)
    if (keys < 0).any():
        message = (
            "the original is not the table that this release is of, or the release prints it more coarsely; beliefs "
            f"are compared with the truth cell by cell: ask it of buckets ({parameter('method', 'anatomy')}), or of "
            "columns that are printed as they are"
        )
        raise BadMeasure(message)
    row, value, count = original.counts.entries()
    place = {text: code for code, text in enumerate(beliefs.domain)}
    recode = np.array([place.get(text, -1) for text in original.domain], np.int64)
    amounts = add_up(keys, original.sizes, len(beliefs.keys))
    if (recode[value] < 0).any() or amounts.tolist() != list(beliefs.keys.people):
        message = "the original is not the table that this release is of: other people or values are in it"
        raise BadMeasure(message)
    return keys[row], recode[value], count


def _match_keys(members: Members, original: Table) -> Integers:
    """Return the key of each row of the original; −1 where there is none."""
    keys = members.key_count
    # the original's rows stacked below the keys: equal rows get equal numbers
    both = tuple(column.stack_on(original.column(column.name)) for column in members.columns)
    kind, _ = number_equal_rows(both, keys + len(original.sizes))
    key_of = np.full(int(kind.max()) + 1, -1, np.int64)
    key_of[kind[:keys]] = np.arange(keys)
    of_rows: Integers = key_of[kind[keys:]]
    return of_rows
