"""What is believed about everybody who says the same, wherever they are: P*(s | q)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sidelight.errors import BadMeasure
from sidelight.max_entropy.problem import Floats, summed
from sidelight.release.members import Members
from sidelight.table.columns import Column, Integers, numbered, rows_alike
from sidelight.table.counts import added
from sidelight.table.labels import Label
from sidelight.table.table import Table


@dataclass(frozen=True, eq=False)
class LineBeliefs:
    """Entry i: people with line `line[i]` are believed to have value `value[i]` with `probability[i]`."""

    members: Members
    domain: tuple[Label, ...]
    people: Integers  # per line
    line: Integers
    value: Integers
    probability: Floats

    @classmethod
    def of(
        cls,
        members: Members,
        value: Integers,
        places: tuple[Integers, Integers, Floats],
        domain: tuple[Label, ...],
    ) -> LineBeliefs:
        """Add up what all groups say about a line; `value` is the value of each column."""
        row, column, amounts = places
        lines = members.lines
        people = added(members.line, members.people, lines)
        key = members.line[row] * len(domain) + value[column]
        place, first = numbered(key, below=lines * len(domain))
        found = key[first]
        total = summed(place, amounts, len(first))
        line = found // len(domain)
        return cls(members, domain, people, line, found % len(domain), np.clip(total / people[line], 0.0, 1.0))

    def says(self, line: int) -> tuple[tuple[str, Label], ...]:
        """Say what is known about a person with this line."""
        return tuple((column.name, column.cell(line)) for column in self.members.columns)

    def largest(self, n: int) -> Iterator[tuple[int, int, float]]:
        """Give the n largest, as (line, value, probability); of equal ones the first lines and values."""
        rounded = np.round(self.probability, 12)
        few = np.flatnonzero(rounded >= np.partition(rounded, -n)[-n]) if n < len(rounded) else np.arange(len(rounded))
        order = few[np.lexsort((self.value[few], self.line[few], -rounded[few]))][:n]
        for at in order.tolist():
            yield int(self.line[at]), int(self.value[at]), float(self.probability[at])


def estimation_error(beliefs: LineBeliefs, original: Table) -> float:
    """Give Σ_q P(q) Σ_s P(s|q) ln( P(s|q) / P*(s|q) ); infinite where something true is believed impossible."""
    line = _lines_of(beliefs.members, original)
    cell, value, count = original.counts.entries()
    place = {text: code for code, text in enumerate(beliefs.domain)}
    recode = np.array([place.get(text, -1) for text in original.domain], np.int64)
    key = line[cell] * len(beliefs.domain) + recode[value]
    lines = len(beliefs.people)
    if (
        (line < 0).any()
        or (recode[value] < 0).any()
        or added(line, original.sizes, lines).tolist() != list(beliefs.people)
    ):
        message = "the original is not the table that this release is of: other people or values are in it"
        raise BadMeasure(message)
    kinds, number = np.unique(key, return_inverse=True)
    together = added(number, count, len(kinds))
    true = together / beliefs.people[kinds // len(beliefs.domain)]
    believed = np.zeros(len(kinds))
    known = beliefs.line * len(beliefs.domain) + beliefs.value
    at = np.minimum(np.searchsorted(known, kinds), len(known) - 1)
    there = known[at] == kinds
    believed[there] = beliefs.probability[at[there]]
    with np.errstate(divide="ignore"):
        return max(float((together / original.people) @ (np.log(true) - np.log(believed))), 0.0)


def _lines_of(members: Members, original: Table) -> Integers:
    """Find the line of each cell of the original; −1 where there is none."""
    lines = members.lines
    both = tuple(_joined(column, original.column(column.name)) for column in members.columns)
    kind, _ = rows_alike(both, lines + len(original.sizes))
    line_of = np.full(int(kind.max()) + 1, -1, np.int64)
    line_of[kind[:lines]] = np.arange(lines)
    found: Integers = line_of[kind[lines:]]
    return found


def _joined(one: Column, other: Column) -> Column:
    """Put two columns below each other."""
    labels = tuple(dict.fromkeys((*one.labels, *other.labels)))
    place = {text: code for code, text in enumerate(labels)}
    codes = [np.array([place[text] for text in column.labels], np.int32)[column.codes] for column in (one, other)]
    return Column(one.name, labels, np.concatenate(codes))
