"""Keys of a table and of populations side by side, so that cutting the one cuts the others.

Whoever cuts a table into boxes counts the people of a population in each box.  Its keys are put below those of the
table, with nobody of the table in them:

    keys        0 … K−1 of the table, then those of each population that have the table's labels in every column
    sizes       f of each key: 0 below
    people      F of each key, per population: 0 above

*Caution.*  People of a population with a label that nobody of the table has (an age between two of the table's) are
left out here, and may be in a box as it is printed: F is never more than what a reader counts, and so no risk that
falls with F is called smaller than it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sidelight.arrays import Codes, Integers, add_up
from sidelight.release.groups import Groups, PopulationCounts
from sidelight.release.population import Population
from sidelight.table.counts import Counts
from sidelight.table.table import Column, Table


@dataclass(frozen=True, eq=False, slots=True)
class KeyPopulation:
    """How many people of a population each key has."""

    population: Population
    people: Integers

    def counts(self) -> Counts:
        """Give them as counts of one value."""
        return Counts(shape=(len(self.people), 1), cells=self.people[:, np.newaxis].copy())

    def in_groups(self, group: Integers, groups: int) -> PopulationCounts:
        """Add them up by group; who is in none is not known here."""
        return PopulationCounts(self.population, add_up(group, self.people, groups), 0)


def with_populations(table: Table, populations: Sequence[Population]) -> tuple[Table, tuple[KeyPopulation, ...]]:
    """Put the keys of populations below those of a table.

    >>> import pyarrow as pa
    >>> from sidelight.engines.read import read_table
    >>> table = read_table(pa.table({"age": ["3", "4"], "value": ["a", "a"]}), quasi="age", sensitive="value")
    >>> both, (register,) = with_populations(table, [Population.of(pa.table({"age": ["3", "3", "9"]}))])
    >>> both.sizes.tolist(), register.people.tolist()
    ([1, 1, 0], [0, 0, 2])
    """
    names = [column.name for column in table.quasi]
    read = [_known(table, *population.rows(names)) for population in populations]
    lengths = [len(table.sizes), *(len(people) for _, people in read)]
    starts = np.cumsum([0, *lengths])
    counted = tuple(
        KeyPopulation(population, _placed(people, int(start), int(starts[-1])))
        for population, (_, people), start in zip(populations, read, starts[1:-1], strict=True)
    )
    quasi = tuple(
        replace(column, codes=np.concatenate((column.codes, *(codes[at] for codes, _ in read))))
        for at, column in enumerate(table.quasi)
    )
    row, value, count = table.counts.entries()
    counts = Counts.from_entries(row, value, count, (int(starts[-1]), table.counts.width))
    sizes = np.concatenate((table.sizes, np.zeros(int(starts[-1]) - len(table.sizes), np.int64)))
    return replace(table, quasi=quasi, sizes=sizes, counts=counts, carried=None, read_profiles=None), counted


def _known(table: Table, columns: Sequence[Column], people: Integers) -> tuple[list[Codes], Integers]:
    """Say the cells of a population by the table's codes, and leave out who has other labels."""
    codes = []
    for own, other in zip(table.quasi, columns, strict=True):
        code = {text: at for at, text in enumerate(own.labels)}
        codes.append(np.array([code.get(text, -1) for text in other.labels], np.int32)[other.codes])
    known = np.all(np.array(codes) >= 0, axis=0)
    return [each[known] for each in codes], people[known]


def _placed(people: Integers, start: int, length: int) -> Integers:
    placed = np.zeros(length, np.int64)
    placed[start : start + len(people)] = people
    return placed


def carrying(groups: Groups, counts: Sequence[PopulationCounts]) -> Groups:
    """Let groups know how many people of populations they have."""
    return replace(groups, populations=tuple(counts)) if counts else groups
