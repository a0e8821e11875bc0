"""From statements to a problem: only groups that a statement touches, lumped as far as nobody tells them apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from sidelight._arrays import Flags, Floats, Integers, numbered
from sidelight.knowledge.people import Who
from sidelight.max_entropy.constraints import NOBODY, Constraints, Places
from sidelight.max_entropy.problem import A_PERSON, Blocks, Problem, Scene, paired, ranges
from sidelight.table.table import added


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


# ----------------------------------------------------------------------------------------------------
# What does nobody tell apart?  Rows and columns of a group that are in the same parts, then whole groups alike.
#
# By symmetry the distribution of largest entropy treats them alike, so that one stands for all.  Things are found by
# random numbers (of a thing, the sum of those of its parts) and then compared for good.
# ----------------------------------------------------------------------------------------------------


Words: TypeAlias = npt.NDArray[np.uint64]
Listed: TypeAlias = tuple[Integers, Integers]
"""What is in which part: the part and the thing, by part."""


@dataclass(frozen=True, eq=False)
class Lumped:
    """Blocks with fewer rows, columns and groups, and which of them each original one is part of.

    What nobody says anything about is shared out evenly: of what a lump has at a place, a row gets the share of its
    people, and a column of its occurrences.
    """

    original: Blocks
    blocks: Blocks
    row: Integers
    column: Integers
    group: Integers
    first_row: Integers  # one original of each
    first_column: Integers

    @cached_property
    def alike(self) -> Integers:
        """How many groups each lumped one stands for."""
        return np.bincount(self.group)

    def share_out(self, amounts: npt.NDArray[np.float64], row: Integers, column: Integers) -> npt.NDArray[np.float64]:
        """Give what original places have, given what the lumped ones have."""
        lump, other = self.row[row], self.column[column]
        people = self.original.row_people[row] / self.blocks.row_people[lump]
        occurrences = self.original.column_people[column] / self.blocks.column_people[other]
        each = amounts[self.blocks.place(lump, other)] * self.alike[self.blocks.row_group[lump]]
        shared: npt.NDArray[np.float64] = each * people * occurrences
        return shared


def lumped(blocks: Blocks, rows: Listed, columns: Listed) -> Lumped:
    """Lump rows and columns of a group that are in the same parts, and groups that are then the same."""
    seed = 0
    while True:
        by_row = _Side(blocks.row_group, blocks.row_people, rows, seed)
        by_column = _Side(blocks.column_group, blocks.column_people, columns, seed)
        group = _first_alike(by_row.of_group + _mixed(by_column.of_group))
        if by_row.same(group) and by_column.same(group):
            return _written(blocks, by_row.like(group), by_column.like(group), group)
        seed += 1


def _written(blocks: Blocks, row: Integers, column: Integers, group: Integers) -> Lumped:
    (row, first_row), (column, first_column), (group, _) = (_numbered(each) for each in (row, column, group))
    fewer = Blocks(
        group[blocks.row_group[first_row]],
        added(row, blocks.row_people, len(first_row)),
        group[blocks.column_group[first_column]],
        added(column, blocks.column_people, len(first_column)),
        int(group.max()) + 1,
    )
    return Lumped(blocks, fewer, row, column, group, first_row, first_column)


class _Side:
    """The rows of all groups, or the columns: lumped within each group, ready to be compared between groups."""

    def __init__(self, group: Integers, people: Integers, listed: Listed, seed: int) -> None:
        self.group = group
        part, thing = listed
        parts, groups = int(part.max(initial=-1)) + 1, int(group[-1]) + 1
        self.told = sparse.coo_array((np.ones(len(part), np.uint64), (thing, part)), shape=(len(group), parts)).tocsr()
        chance = np.random.default_rng(seed)
        key = self.told @ chance.integers(2**64, size=parts, dtype=np.uint64)
        first = _first_alike(key + chance.integers(2**64, size=groups, dtype=np.uint64)[group])
        self.lump, self.first = _numbered(first)
        self.people = added(self.lump, people, len(self.first))
        lump_group = group[self.first]
        self.order = np.lexsort((key[self.first], lump_group))  # the same order in groups that are alike
        self.starts = np.searchsorted(lump_group, np.arange(groups + 1))
        mixed = _mixed(_mixed(key[self.first]) + self.people.astype(np.uint64))
        self.of_group: Words = np.add.reduceat(mixed, self.starts[:-1])

    def like(self, group: Integers) -> Integers:
        """Give for each thing the one that stands for it, in the group that stands for its group."""
        mine = self.group[self.first]
        place = np.arange(len(self.first)) + (self.starts[group] - self.starts[:-1])[mine]
        stands = np.empty(len(self.first), np.int64)
        stands[self.order] = self.order[place]
        likened: Integers = self.first[stands[self.lump]]
        return likened

    def same(self, group: Integers) -> bool:
        """Say whether everything really is like what stands for it: as many lumps, people and parts."""
        lumps = np.diff(self.starts)
        if (lumps != lumps[group]).any() or (self.group[self.first][self.lump] != self.group).any():
            return False
        like, times = self.like(group), np.diff(self.told.indptr)
        if (self.people != self.people[self.lump[like[self.first]]]).any() or (times != times[like]).any():
            return False
        at = np.arange(self.told.nnz) + np.repeat(self.told.indptr[like] - self.told.indptr[:-1], times)
        return bool((self.told.indices == self.told.indices[at]).all())


def _mixed(words: Words) -> Words:
    """Spread bits, so that sums of different words differ (the last steps of SplitMix64)."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def _first_alike(key: Words) -> Integers:
    """Give for each place the first one with the same key."""
    order = np.argsort(key, kind="stable")
    ordered = key[order]
    new = np.ones(len(key), bool)
    new[1:] = ordered[1:] != ordered[:-1]
    first = np.empty(len(key), np.int64)
    first[order] = order[new][np.cumsum(new) - 1]
    return first


def _numbered(first: Integers) -> tuple[Integers, Integers]:
    """Number lumps in the order of their first ones; gives those too."""
    alone = first == np.arange(len(first))
    return (np.cumsum(alone) - 1)[first], np.flatnonzero(alone)
