"""How many people with each key have each value, and in which group of a release they were put: never published.

A release and a roster say who is in which group, and which values a group has; only the publisher knows who has which.
"""

from __future__ import annotations

from dataclasses import dataclass

from sidelight.arrays import Integers, add_up, number_rows
from sidelight.errors import expect
from sidelight.table.labels import Label
from sidelight.table.table import Column, Table


@dataclass(frozen=True, eq=False, slots=True)
class TrueCounts:
    """`people[i]` people of key `key[i]` in the group in row `group[i]` have value `value[i]` of the domain.

    `columns` have a row per key.  Of people with several values, each is counted once for each value they have.
    """

    columns: tuple[Column, ...]
    domain: tuple[Label, ...]
    group: Integers
    key: Integers
    value: Integers
    people: Integers

    @classmethod
    def from_table(cls, table: Table, group: Integers) -> TrueCounts:
        """Build from a table in which all people with a key are in one group, `group`: (keys,); −1: in none."""
        key, value, people = having(expect(Table, table, "the table"))
        there = group[key] >= 0
        return cls(table.quasi, table.domain, group[key[there]], key[there], value[there], people[there])


def having(table: Table) -> tuple[Integers, Integers, Integers]:
    """Count the people of each key who have each value at all, as (key, value, people)."""
    if table.semantics != "multiset":
        return table.counts.entries()
    profiles = table.profiles()
    row, value, _ = profiles.counts.entries()
    width = len(table.domain)
    # in a multiset people count once per value they have at all, however often it occurs
    kind, first = number_rows([profiles.key[row], value], [len(table.sizes), width], rows=len(row))
    return profiles.key[row[first]], value[first], add_up(kind, profiles.people[row], len(first))
