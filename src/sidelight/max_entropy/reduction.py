"""From constraints to a problem that is as small as the knowledge: the quotient by what no statement tells apart.

Only groups that a constraint touches are solved; in all others x(q, s, b) = n(q, b) · n(s, b) / n(b).  In those, two
rows (or columns) of a group are *equivalent* when they are in the support of the same terms, and two groups are when
their classes of rows and of columns match, with the same people and the same terms.  The problem is symmetric under
exchanging what is equivalent, its solution is unique, so it is symmetric too: one representative of each class is
solved for, and its amount distributed over the class in proportion to people and occurrences.

Invariant   two rows are in one class if and only if no constraint has different coefficients for them; a constraint
            of the quotient then has the coefficient of any representative.
Refinement  each term gets a random 64-bit word and each row the sum of its terms' words; equal sums are one class.
            Of a group's classes, the mixed words are added up again: equal sums are equivalent groups.  Everything is
            then compared for good (`_Side.matches`), and in the as good as impossible case of a collision another
            seed is tried: the words only order and propose, they never decide.
Cost        a sort of the rows, the columns and the groups, and the support of the terms once: linear but for sorting.

Rows where a named person may be are classes of their own, and have a variable per named person besides the one of
everybody else.

Source: ours, akin to Grohe, Kersting, Mladenov and Selman, Dimension reduction via colour refinement, ESA 2014.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse

from sidelight._arrays import Flags, Floats, Integers, add_up, number_keys, pair_equal, ranges
from sidelight.knowledge.people import Who
from sidelight.max_entropy.constraints import NOBODY, Constraints, TermSupport
from sidelight.max_entropy.problem import ONE_PERSON, Blocks, Problem, Variables

Words: TypeAlias = npt.NDArray[np.uint64]
Memberships: TypeAlias = tuple[Integers, Integers]
"""Which terms have which rows (or columns) in their support: the term and the row, by term."""


@dataclass(frozen=True, eq=False)
class ReducedProblem:
    """A problem, and what its variables stand for: an entry of the quotient, and a person or `NOBODY`."""

    quotient: Quotient
    problem: Problem
    entry: Integers
    person: Integers
    people: tuple[Who, ...]
    rows: Integers  # of the quotient, for each row of the problem
    columns: Integers

    def expand(self, amounts: Floats) -> Floats:
        """Give what every entry of the quotient has: solved ones as they are, untouched groups in closed form."""
        blocks = self.quotient.blocks
        row, column = blocks.all_entries()
        size = blocks.people[blocks.row_group[row]]
        expanded: Floats = blocks.row_people[row] * (blocks.column_people[column] / size)
        # solved groups are added up over persons, so they begin at nothing
        expanded[np.isin(blocks.row_group[row], blocks.row_group[self.rows])] = 0.0
        np.add.at(expanded, self.entry, amounts)
        return expanded

    def variables_in(self, coarser: ReducedProblem) -> Integers:
        """Give for each variable the one of a coarser problem that it is part of; −1 where that has none."""
        finer, other = self.quotient, coarser.quotient
        row = other.row[finer.row_representative[self.rows[self.problem.row]]]
        column = other.column[finer.column_representative[self.columns[self.problem.column]]]
        people = len(self.people) + 1
        sought = other.blocks.entry(row, column) * people + self.person + 1
        # entry and person in one number; sorted, as variables are numbered by entry and then by person
        present = coarser.entry * people + coarser.person + 1
        place = np.searchsorted(present, sought)
        return np.where(np.append(present, -1)[place] == sought, place, -1)


def reduce_problem(variables: Variables, constraints: Constraints) -> ReducedProblem:
    """Take the quotient, number its variables, and write down their sums."""
    quotient = _quotient_by(variables, constraints)
    blocks = quotient.blocks
    entry, person, row, column = _numbered_variables(quotient, constraints)
    # rows and columns that have variables are numbered anew, in the same order
    new_row, first = number_keys(row, below=len(blocks.row_group))
    new_column, top = number_keys(column, below=len(blocks.column_group))
    rows, columns = row[first], column[top]
    named = len(constraints.people)
    one = np.ones(named)
    problem = Problem(
        new_row,
        new_column,
        _weights(variables, quotient, row, person),
        blocks.row_people[rows].astype(float),
        blocks.column_people[columns].astype(float),
        np.unique(blocks.column_group[columns], return_inverse=True)[1],
        sparse.csr_array(
            sparse.vstack((_coefficients(quotient, constraints, entry, person), _one_per_person(person, named)))
        ),
        np.concatenate((constraints.low, one)),
        np.concatenate((constraints.high, one)),
        np.concatenate((constraints.statement, np.full(named, ONE_PERSON))),
    )
    return ReducedProblem(quotient, problem, entry, person, tuple(constraints.people), rows, columns)


def _quotient_by(variables: Variables, constraints: Constraints) -> Quotient:
    """Tell apart what some term tells apart; rows where a named person may be get a term of their own."""
    support = constraints.support
    alone = np.unique(np.concatenate([np.empty(0, np.int64), *constraints.people.values()]))
    term = np.concatenate((support.row_term, len(constraints.constraint) + np.arange(len(alone))))
    rows = term, np.concatenate((support.row, alone))
    return quotient_of(variables.blocks, rows, (support.column_term, support.column))


def _numbered_variables(quotient: Quotient, constraints: Constraints) -> tuple[Integers, Integers, Integers, Integers]:
    """Number the variables by entry: everybody who is not named, then those who are; entry, person, row, column."""
    blocks = quotient.blocks
    touched = _touched(quotient, constraints)
    others = np.flatnonzero(touched[blocks.row_group] & _has_unnamed(quotient, constraints))
    columns = np.flatnonzero(touched[blocks.column_group])
    of_people = [quotient.row[rows] for rows in constraints.people.values()]
    who = np.repeat(np.arange(NOBODY, len(of_people)), [len(others), *map(len, of_people)])
    rows = np.concatenate((others, *of_people))
    one, other = pair_equal(blocks.row_group[rows], blocks.column_group[columns])
    person, row, column = who[one], rows[one], columns[other]
    entry = blocks.entry(row, column)
    if of_people:  # without them, the order by row is the order by entry already
        order = np.lexsort((person, entry))
        entry, person, row, column = entry[order], person[order], row[order], column[order]
    return entry, person, row, column


def _touched(quotient: Quotient, constraints: Constraints) -> Flags:
    """Say which groups are touched by a constraint."""
    touched = np.zeros(quotient.blocks.groups, bool)
    for rows in (constraints.support.row, *constraints.people.values()):
        touched[quotient.group[quotient.original.row_group[rows]]] = True
    return touched


def _has_unnamed(quotient: Quotient, constraints: Constraints) -> Flags:
    """Say which rows have people who are not named."""
    unnamed = np.ones(len(quotient.blocks.row_group), bool)
    names_of_rows = Counter(tuple(rows.tolist()) for rows in constraints.people.values())
    for original_rows, names in names_of_rows.items():
        rows = quotient.row[list(original_rows)]
        if quotient.blocks.row_people[rows].sum() == names:
            unnamed[rows] = False
    return unnamed


def _weights(variables: Variables, quotient: Quotient, row: Integers, person: Integers) -> Floats:
    """Let those who are not named weigh as much as there are people with their key.

    Any weights that are the same in all rows of a key come to the same in the end: each person's own sum makes up
    for them.  These are where the solver should start.
    """
    if (person == NOBODY).all():
        return np.ones(len(person))
    members = variables.members
    of_key = np.bincount(members.key, members.people)[members.key]
    weight = of_key[quotient.row_representative]  # of the keys in a class any one will do: nobody there is named
    return np.where(person == NOBODY, weight[row], 1.0)


def _coefficients(quotient: Quotient, constraints: Constraints, entry: Integers, person: Integers) -> sparse.csr_array:
    """Write down which variables each constraint counts, and how often."""
    term, at = _support_in(quotient, constraints.support)
    about = constraints.person[term]
    first = np.concatenate(([0], np.cumsum(np.bincount(entry, minlength=quotient.blocks.entries))))
    start, stop = first[at], first[at + 1]
    named = np.flatnonzero(about != NOBODY)
    if len(named):  # of the variables at an entry, that of the person
        people = len(constraints.people) + 1
        start[named] = np.searchsorted(entry * people + person + 1, at[named] * people + about[named] + 1)
        stop[named] = start[named] + 1
    which, variable = ranges(start, stop)
    nonzeros = constraints.coefficient[term][which], (constraints.constraint[term][which], variable)
    matrix = sparse.csr_array(nonzeros, shape=(len(constraints.low), len(entry)))
    matrix.eliminate_zeros()
    return matrix


def _support_in(quotient: Quotient, support: TermSupport) -> tuple[Integers, Integers]:
    """Give the entries of the quotient that terms range over: the term and the entry."""
    # a class is in the support of a term as a whole or not at all, so its representative speaks for it
    representatives = support.restrict(
        quotient.row_representative[quotient.row[support.row]] == support.row,
        quotient.column_representative[quotient.column[support.column]] == support.column,
    )
    term, row, column = representatives.cross(quotient.original)
    return term, quotient.blocks.entry(quotient.row[row], quotient.column[column])


def _one_per_person(person: Integers, people: int) -> sparse.csr_array:
    """Write down the variables of each person, which add up to one."""
    named = np.flatnonzero(person != NOBODY)
    return sparse.csr_array((np.ones(len(named)), (person[named], named)), shape=(people, len(person)))


@dataclass(frozen=True, eq=False)
class Quotient:
    """Blocks of one representative for each class of rows, columns and groups, and the class of each original one.

    Within a class everything is distributed evenly: of what a class has at an entry, a row gets the share of its
    people, and a column of its occurrences.
    """

    original: Blocks
    blocks: Blocks
    row: Integers
    column: Integers
    group: Integers
    row_representative: Integers  # one original of each class
    column_representative: Integers

    @cached_property
    def multiplicity(self) -> Integers:
        """How many groups each class of groups has."""
        return np.bincount(self.group)

    def distribute(self, amounts: Floats, row: Integers, column: Integers) -> Floats:
        """Give what original entries have, given what those of the quotient have."""
        row_class, column_class = self.row[row], self.column[column]
        people = self.original.row_people[row] / self.blocks.row_people[row_class]
        occurrences = self.original.column_people[column] / self.blocks.column_people[column_class]
        # both shares are of all equivalent groups together, which divides by their number once too often
        of_class = amounts[self.blocks.entry(row_class, column_class)]
        each = of_class * self.multiplicity[self.blocks.row_group[row_class]]
        shared: Floats = each * people * occurrences
        return shared


def quotient_of(blocks: Blocks, rows: Memberships, columns: Memberships) -> Quotient:
    """Merge rows and columns of a group that are in the same terms, and groups that are then the same."""
    seed = 0
    while True:
        by_row = _Side(blocks.row_group, blocks.row_people, rows, seed)
        by_column = _Side(blocks.column_group, blocks.column_people, columns, seed)
        group = _first_with_same(by_row.group_word + _mix(by_column.group_word))
        if by_row.matches(group) and by_column.matches(group):
            return _merge(blocks, by_row.representatives(group), by_column.representatives(group), group)
        seed += 1


def _merge(blocks: Blocks, row: Integers, column: Integers, group: Integers) -> Quotient:
    """Make blocks of representatives, which are given for every row, column and group."""
    (row, first_row), (column, first_column), (group, _) = (_classes(each) for each in (row, column, group))
    merged = Blocks(
        group[blocks.row_group[first_row]],
        add_up(row, blocks.row_people, len(first_row)),
        group[blocks.column_group[first_column]],
        add_up(column, blocks.column_people, len(first_column)),
        int(group.max()) + 1,
    )
    return Quotient(blocks, merged, row, column, group, first_row, first_column)


class _Side:
    """The rows of all groups, or the columns (*items*): classes within each group, to be matched between groups."""

    def __init__(self, group: Integers, people: Integers, memberships: Memberships, seed: int) -> None:
        self.group = group
        term, item = memberships
        terms, groups = int(term.max(initial=-1)) + 1, int(group[-1]) + 1
        self.terms = sparse.coo_array((np.ones(len(term), np.uint64), (item, term)), shape=(len(group), terms)).tocsr()
        random = np.random.default_rng(seed)
        word = self.terms @ random.integers(2**64, size=terms, dtype=np.uint64)
        # a word per group keeps equal rows of different groups apart
        first = _first_with_same(word + random.integers(2**64, size=groups, dtype=np.uint64)[group])
        self.item_class, self.first = _classes(first)
        self.people = add_up(self.item_class, people, len(self.first))
        class_group = group[self.first]
        self.order = np.lexsort((word[self.first], class_group))  # the same order in equivalent groups
        self.starts = np.searchsorted(class_group, np.arange(groups + 1))
        # order within a group does not matter: classes are added up, mixed so that sums of different sets differ
        mixed = _mix(_mix(word[self.first]) + self.people.astype(np.uint64))
        self.group_word: Words = np.add.reduceat(mixed, self.starts[:-1])

    def representatives(self, group: Integers) -> Integers:
        """Give for each item the one that stands for it, in the group that stands for its group."""
        group_of_class = self.group[self.first]
        position = np.arange(len(self.first)) + (self.starts[group] - self.starts[:-1])[group_of_class]
        stands_for = np.empty(len(self.first), np.int64)
        stands_for[self.order] = self.order[position]
        items: Integers = self.first[stands_for[self.item_class]]
        return items

    def matches(self, group: Integers) -> bool:
        """Say whether every item really is like its representative: as many classes, people and terms."""
        # words may collide, so that everything is compared: this alone decides
        classes = np.diff(self.starts)
        if (classes != classes[group]).any() or (self.group[self.first][self.item_class] != self.group).any():
            return False
        like, lengths = self.representatives(group), np.diff(self.terms.indptr)
        if (self.people != self.people[self.item_class[like[self.first]]]).any() or (lengths != lengths[like]).any():
            return False
        at = np.arange(self.terms.nnz) + np.repeat(self.terms.indptr[like] - self.terms.indptr[:-1], lengths)
        return bool((self.terms.indices == self.terms.indices[at]).all())


def _mix(words: Words) -> Words:
    """Spread bits, so that sums of different words differ (the last steps of SplitMix64)."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def _first_with_same(words: Words) -> Integers:
    """Give for each position the first one with the same word."""
    order = np.argsort(words, kind="stable")
    ordered = words[order]
    new = np.ones(len(words), bool)
    new[1:] = ordered[1:] != ordered[:-1]
    first = np.empty(len(words), np.int64)
    first[order] = order[new][np.cumsum(new) - 1]
    return first


def _classes(representative: Integers) -> tuple[Integers, Integers]:
    """Number classes in the order of their representatives; gives those too."""
    alone = representative == np.arange(len(representative))
    return (np.cumsum(alone) - 1)[representative], np.flatnonzero(alone)
