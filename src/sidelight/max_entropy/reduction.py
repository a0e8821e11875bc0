"""From statements to a problem: only groups that a statement touches, lumped as far as nobody tells them apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from sidelight.knowledge.people import Who
from sidelight.max_entropy.blocks import paired, ranges
from sidelight.max_entropy.constraints import NOBODY, Constraints
from sidelight.max_entropy.lookup import Places
from sidelight.max_entropy.lumping import Lumped, lumped
from sidelight.max_entropy.problem import A_PERSON, Flags, Floats, Problem
from sidelight.max_entropy.scene import Scene
from sidelight.table.columns import Integers, numbered


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

    def found_in(self, other: Assembly) -> Integers:
        """Give for each variable the one of a coarser assembly that it is part of; −1 where that has none."""
        lumped, coarser = self.lumped, other.lumped
        row = coarser.row[lumped.first_row[self.rows[self.problem.row]]]
        column = coarser.column[lumped.first_column[self.columns[self.problem.column]]]
        people = len(self.people) + 1
        wanted = coarser.blocks.place(row, column) * people + self.person + 1
        there = other.place * people + other.person + 1
        at = np.searchsorted(there, wanted)
        return np.where(np.append(there, -1)[at] == wanted, at, -1)


def assembled(scene: Scene, known: Constraints) -> Assembly:
    """Lump, number the variables, and write down the sums."""
    fewer = _lumped(scene, known)
    blocks = fewer.blocks
    place, person, row, column = _variables(fewer, known)
    new_row, first = numbered(row, below=len(blocks.row_group))
    new_column, top = numbered(column, below=len(blocks.column_group))
    rows, columns = row[first], column[top]
    matrix = sparse.vstack((_sums(fewer, known, place, person), _persons(person, len(known.people))))
    ones = np.ones(len(known.people))
    problem = Problem(
        new_row,
        new_column,
        _weights(scene, fewer, row, person),
        blocks.row_people[rows].astype(float),
        blocks.column_people[columns].astype(float),
        np.unique(blocks.column_group[columns], return_inverse=True)[1],
        sparse.csr_array(matrix),
        np.concatenate((known.low, ones)),
        np.concatenate((known.high, ones)),
        np.concatenate((known.said, np.full(len(ones), A_PERSON))),
    )
    return Assembly(fewer, problem, place, person, tuple(known.people), rows, columns)


def _lumped(scene: Scene, known: Constraints) -> Lumped:
    """Lump what no statement tells apart; rows where a named person may be stay alone."""
    places, blocks = known.places, scene.blocks
    alone = np.unique(np.concatenate([np.empty(0, np.int64), *known.people.values()]))
    part = np.concatenate((places.row_part, len(known.sum) + np.arange(len(alone))))
    rows = part, np.concatenate((places.row, alone))
    return lumped(blocks, rows, (places.column_part, places.column))


def _variables(fewer: Lumped, known: Constraints) -> tuple[Integers, Integers, Integers, Integers]:
    """Number the variables by place: everybody who is not named, then those who are; place, person, row, column."""
    blocks = fewer.blocks
    touched = _touched(fewer, known)
    others = np.flatnonzero(touched[blocks.row_group] & _has_others(fewer, known))
    columns = np.flatnonzero(touched[blocks.column_group])
    mine = [fewer.row[rows] for rows in known.people.values()]
    who = np.repeat(np.arange(NOBODY, len(mine)), [len(others), *map(len, mine)])
    rows = np.concatenate((others, *mine))
    one, other = paired(blocks.row_group[rows], blocks.column_group[columns])
    person, row, column = who[one], rows[one], columns[other]
    place = blocks.place(row, column)
    if mine:
        order = np.lexsort((person, place))
        place, person, row, column = place[order], person[order], row[order], column[order]
    return place, person, row, column


def _touched(fewer: Lumped, known: Constraints) -> Flags:
    """Say which groups are touched by a statement."""
    touched = np.zeros(fewer.blocks.groups, bool)
    for rows in (known.places.row, *known.people.values()):
        touched[fewer.group[fewer.original.row_group[rows]]] = True
    return touched


def _has_others(fewer: Lumped, known: Constraints) -> Flags:
    """Say which rows have people who are not named."""
    others = np.ones(len(fewer.blocks.row_group), bool)
    kinds = Counter(tuple(mine.tolist()) for mine in known.people.values())
    for mine_only, named in kinds.items():
        rows = fewer.row[list(mine_only)]
        if fewer.blocks.row_people[rows].sum() == named:
            others[rows] = False
    return others


def _weights(scene: Scene, fewer: Lumped, row: Integers, person: Integers) -> Floats:
    """Let those who are not named weigh as much as there are people who look alike.

    Any weights that are the same in all rows of a line come to the same in the end: each person's own sum makes up
    for them.  These are where the solver should start.
    """
    if (person == NOBODY).all():
        return np.ones(len(person))
    members = scene.members
    alike = np.bincount(members.line, members.people)[members.line]
    weight = alike[fewer.first_row]  # of the lines in a lump any one will do: nobody there is named
    return np.where(person == NOBODY, weight[row], 1.0)


def _sums(fewer: Lumped, known: Constraints, place: Integers, person: Integers) -> sparse.csr_array:
    """Write down which variables each statement counts, and how often."""
    part, at = _counted(fewer, known.places)
    alone = known.person[part]
    first = np.concatenate(([0], np.cumsum(np.bincount(place, minlength=fewer.blocks.places))))
    start, stop = first[at], first[at + 1]
    named = np.flatnonzero(alone != NOBODY)
    if len(named):  # of the variables at a place, that of the person
        keys = len(known.people) + 1
        start[named] = np.searchsorted(place * keys + person + 1, at[named] * keys + alone[named] + 1)
        stop[named] = start[named] + 1
    which, variable = ranges(start, stop)
    entries = known.times[part][which], (known.sum[part][which], variable)
    matrix = sparse.csr_array(entries, shape=(len(known.low), len(place)))
    matrix.eliminate_zeros()
    return matrix


def _counted(fewer: Lumped, places: Places) -> tuple[Integers, Integers]:
    """Give the lumped places that parts count: the part and the place.  What is lumped is in the same parts."""
    whole = places.only(
        fewer.first_row[fewer.row[places.row]] == places.row,
        fewer.first_column[fewer.column[places.column]] == places.column,
    )
    part, row, column = whole.crossed(fewer.original)
    return part, fewer.blocks.place(fewer.row[row], fewer.column[column])


def _persons(person: Integers, people: int) -> sparse.csr_array:
    """Write down the variables of each person, which add up to one."""
    named = np.flatnonzero(person != NOBODY)
    return sparse.csr_array((np.ones(len(named)), (person[named], named)), shape=(people, len(person)))


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
