"""From statements to a problem: only groups that a statement touches, lumped as far as nobody tells them apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from sidelight.knowledge.people import Who
from sidelight.max_entropy.blocks import Lumped
from sidelight.max_entropy.constraints import Constraints, Part
from sidelight.max_entropy.problem import A_PERSON, Flags, Floats, Problem
from sidelight.max_entropy.scene import Scene
from sidelight.table.columns import Integers

NOBODY = -1
"""The person of variables that stand for everybody who is not named."""


@dataclass(frozen=True, eq=False)
class Assembly:
    """A problem, and what its variables stand for: a place of the lumped blocks, and a person or `NOBODY`."""

    lumped: Lumped
    problem: Problem
    place: Integers
    person: Integers
    people: tuple[Who, ...]
    rows: Integers  # of the lumped blocks, for each row of the problem
    columns: Integers

    def everywhere(self, amounts: Floats) -> Floats:
        """Give what every lumped place has: solved ones as found, groups that nobody touches as they are."""
        blocks = self.lumped.blocks
        row = blocks.row_of_places()
        column = blocks.column_of_places(row)
        size = blocks.people[blocks.row_group[row]]
        closed: Floats = blocks.row_people[row] * (blocks.column_people[column] / size)
        closed[np.isin(blocks.row_group[row], blocks.row_group[self.rows])] = 0.0
        np.add.at(closed, self.place, amounts)
        return closed


def assembled(scene: Scene, known: Constraints) -> Assembly:
    """Lump, number the variables, and write down the sums."""
    lumped = _lumped(scene, known)
    blocks = lumped.blocks
    people = tuple(known.people)
    place, person, row, column = _variables(lumped, known)
    rows, new_row = np.unique(row, return_inverse=True)
    columns, new_column = np.unique(column, return_inverse=True)
    matrix, low, high, said = _sums(_Writer(lumped, place, person, column, known))
    problem = Problem(
        new_row,
        new_column,
        _weights(scene, lumped, row, person),
        blocks.row_people[rows].astype(float),
        blocks.column_people[columns].astype(float),
        np.unique(blocks.column_group[columns], return_inverse=True)[1],
        matrix,
        low,
        high,
        said,
    )
    return Assembly(lumped, problem, place, person, people, rows, columns)


def _lumped(scene: Scene, known: Constraints) -> Lumped:
    rows, columns = np.zeros(len(scene.members.group), bool), np.zeros(len(scene.value), bool)
    for each in known.sums:
        for part in each.parts:
            rows[part.rows] = True
            columns[part.columns] = True
    for mine in known.people.values():
        rows[mine] = True
    return scene.blocks.lumped(rows, columns)


def _variables(lumped: Lumped, known: Constraints) -> tuple[Integers, Integers, Integers, Integers]:
    """Number the variables by row: everybody who is not named, then those who are; place, person, row, column."""
    blocks = lumped.blocks
    touched = _touched(lumped, known)
    rows = np.flatnonzero(touched[blocks.row_group] & _has_others(lumped, known))
    columns = np.flatnonzero(touched[blocks.column_group])
    parts = [(NOBODY, *blocks.crossed(rows, columns))]
    for number, mine in enumerate(known.people.values()):
        parts.append((number, *blocks.crossed(lumped.row[mine], columns)))
    person = np.concatenate([np.full(len(row), number) for number, row, _ in parts])
    row = np.concatenate([row for _, row, _ in parts])
    column = np.concatenate([column for _, _, column in parts])
    order = np.argsort(row, kind="stable")
    person, row, column = person[order], row[order], column[order]
    return blocks.place(row, column), person, row, column


def _touched(lumped: Lumped, known: Constraints) -> Flags:
    """Say which groups are touched by a statement."""
    touched = np.zeros(lumped.blocks.groups, bool)
    for each in known.sums:
        for part in each.parts:
            touched[lumped.original.row_group[part.rows]] = True
    for mine in known.people.values():
        touched[lumped.original.row_group[mine]] = True
    return touched


def _has_others(lumped: Lumped, known: Constraints) -> Flags:
    """Say which rows have people who are not named."""
    others = np.ones(len(lumped.blocks.row_group), bool)
    kinds: dict[tuple[int, ...], int] = {}
    for mine in known.people.values():
        kinds[tuple(mine)] = kinds.get(tuple(mine), 0) + 1
    for mine_only, named in kinds.items():
        rows = lumped.row[list(mine_only)]
        if lumped.blocks.row_people[rows].sum() == named:
            others[rows] = False
    return others


def _weights(scene: Scene, lumped: Lumped, row: Integers, person: Integers) -> Floats:
    """Let those who are not named weigh as much as there are people who look alike.

    Any weights that are the same in all rows of a line come to the same in the end: each person's own sum makes up
    for them.  These are where the solver should start.
    """
    members = scene.members
    alike = np.bincount(members.line, members.people)[members.line]
    weight = np.ones(len(lumped.blocks.row_group))
    weight[lumped.row] = alike  # of the lines in a lump any one will do: nobody there is named
    return np.where(person == NOBODY, weight[row], 1.0)


@dataclass(frozen=True, eq=False)
class _Writer:
    """Finds the variables that a part of a sum counts."""

    lumped: Lumped
    place: Integers
    person: Integers
    column: Integers
    known: Constraints

    def variables(self, part: Part) -> Integers:
        rows, columns = self.lumped.row[part.rows], self.lumped.column[part.columns]
        if part.person is not None:
            number = list(self.known.people).index(part.person)
            return np.flatnonzero((self.person == number) & np.isin(self.column, columns))
        places = self.lumped.blocks.place(*self.lumped.blocks.crossed(rows, columns))
        if self.known.people:
            return np.flatnonzero(np.isin(self.place, places))
        return np.searchsorted(self.place, places)  # without named people, variables stand by place


def _sums(writer: _Writer) -> tuple[sparse.csr_array, Floats, Floats, Integers]:
    written = [_entries(writer, each.parts) for each in writer.known.sums]
    named = [(np.flatnonzero(writer.person == number), 1.0) for number in range(len(writer.known.people))]
    written += [[(variables, times)] for variables, times in named]
    entries = [(k, variables, times) for k, parts in enumerate(written) for variables, times in parts]
    k = np.concatenate([np.full(len(variables), k) for k, variables, _ in entries] or [np.empty(0, np.int64)])
    v = np.concatenate([variables for _, variables, _ in entries] or [np.empty(0, np.int64)])
    times = np.concatenate([np.full(len(variables), each) for _, variables, each in entries] or [np.empty(0)])
    matrix = sparse.csr_array((times, (k, v)), shape=(len(written), len(writer.place)))
    matrix.eliminate_zeros()
    low = [each.low for each in writer.known.sums] + [1.0] * len(named)
    high = [each.high for each in writer.known.sums] + [1.0] * len(named)
    said = [each.said for each in writer.known.sums] + [A_PERSON] * len(named)
    return matrix, np.array(low, float), np.array(high, float), np.array(said, np.int64)


def _entries(writer: _Writer, parts: tuple[Part, ...]) -> list[tuple[Integers, float]]:
    return [(writer.variables(part), part.times) for part in parts]


def components(problem: Problem, *, at_least: int) -> Iterator[tuple[Flags, Flags]]:
    """Cut a problem into parts that share no statement; small ones come together, about `at_least` statements each.

    Gives which variables and which statements are in each part.
    """
    group = problem.group[problem.column]
    groups, statements = int(group.max(initial=-1)) + 1, len(problem.low)
    said = sparse.coo_array(problem.statements)
    links = sparse.csr_array(
        (np.ones(len(said.data)), (group[said.coords[1]], groups + said.coords[0])),
        shape=(groups + statements, groups + statements),
    )
    _, label = connected_components(links, directed=False)
    sizes = np.bincount(label[groups:], minlength=int(label.max(initial=-1)) + 1)
    batch = (np.cumsum(sizes) - sizes) // at_least
    _, number = np.unique(batch[label], return_inverse=True)
    for each in range(int(number.max(initial=-1)) + 1):
        yield number[:groups][group] == each, number[groups:] == each
