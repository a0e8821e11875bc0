"""The problem that a solver is handed, as small as the knowledge: the quotient by what no statement tells apart.

    maximise  − Σ_v x_v ln(x_v / weight_v)
    subject to  Σ_row x = n(q, b),  Σ_column x = n(s, b),  low ≤ A x ≤ high,  x ≥ 0

whose solution is x_v = weight_v · exp(α_row + β_column + Σ_k μ_k a_kv) wherever x_v is not forced to 0.

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
everybody else.  Rows that are cut into parts (`variables`) have each of these variables once per part, at a *site*: an
entry and a slot, which is the place of the part among those of its row; such rows are equivalent only if their parts
have the same weights, and slot by slot the same terms.

Source: ours, akin to Grohe, Kersting, Mladenov and Selman, Dimension reduction via colour refinement, ESA 2014.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from scipy import sparse

from sidelight.arrays import (
    Bits,
    Flags,
    Floats,
    Integers,
    add_up,
    number_keys,
    pair_equal,
    ranges,
    run_starts,
    sum_by,
)
from sidelight.max_entropy.variables import NOBODY, ONE_PERSON, Blocks, Variables, cells_of

if TYPE_CHECKING:
    from sidelight.knowledge.facts import Who
    from sidelight.max_entropy.constraints import Constraints

Memberships: TypeAlias = tuple[Integers, Integers]
"""Which terms have which rows (or columns) in their support: the term and the row, by term."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Amounts x ≥ 0 of people, whose sums over rows, over columns and over constraints are known.

    Variable v is in row `row[v]` and column `column[v]`; variables are ordered by row.  Σ over a row is `people`, over
    a column `counts`, and `low` ≤ `coefficients` · x ≤ `high`.  Of all such x, that with the largest entropy relative
    to `weight` is sought.  `statement[k]` is the number of the statement behind constraint k, or `ONE_PERSON`.
    """

    row: Integers
    column: Integers
    weight: Floats
    people: Floats
    counts: Floats
    group: Integers  # of each column
    coefficients: sparse.csr_array  # A: constraints × variables
    low: Floats
    high: Floats
    statement: Integers

    def __len__(self) -> int:
        return len(self.row)

    @cached_property
    def first(self) -> Integers:
        """The first variable of each row (each row has one)."""
        starts: Integers = np.searchsorted(self.row, np.arange(len(self.people)))
        return starts

    def restrict(self, variables: Flags, constraints: Flags) -> tuple[Problem, Integers, Integers]:
        """Keep some variables and constraints, and the rows and columns that have any; says which those are."""
        if variables.all() and constraints.all():
            return self, np.arange(len(self.people)), np.arange(len(self.counts))
        rows = np.flatnonzero(np.bincount(self.row[variables], minlength=len(self.people)))
        columns = np.flatnonzero(np.bincount(self.column[variables], minlength=len(self.counts)))
        # rows and columns keep their order, so that variables stay ordered by row and columns by group
        new_row, new_column = np.zeros(len(self.people), np.int64), np.zeros(len(self.counts), np.int64)
        new_row[rows], new_column[columns] = np.arange(len(rows)), np.arange(len(columns))
        smaller = Problem(
            new_row[self.row[variables]],
            new_column[self.column[variables]],
            self.weight[variables],
            self.people[rows],
            self.counts[columns],
            np.unique(self.group[columns], return_inverse=True)[1],
            sparse.csr_array(self.coefficients[np.flatnonzero(constraints)][:, np.flatnonzero(variables)]),
            self.low[constraints],
            self.high[constraints],
            self.statement[constraints],
        )
        return smaller, rows, columns

    def residual(self, amounts: Floats) -> float:
        """Return by how much the worst sum is off, in people; constraints on shares count as people too."""
        sums = self.coefficients @ amounts
        off = [
            np.abs(sum_by(self.row, amounts, len(self.people)) - self.people),
            np.abs(sum_by(self.column, amounts, len(self.counts)) - self.counts),
            np.maximum(self.low - sums, sums - self.high),
        ]
        return float(max(each.max(initial=0.0) for each in off))


@dataclass(frozen=True, eq=False)
class ReducedProblem:
    """A problem, and what its variables stand for: an entry of the quotient, a slot, and a person or `NOBODY`.

    A site is `entry · slots + slot`; variables are ordered by site, and then by person.
    """

    quotient: Quotient
    problem: Problem
    site: Integers
    slots: int
    person: Integers
    people: tuple[Who, ...]
    rows: Integers  # of the quotient, for each row of the problem
    columns: Integers

    def expand(self, amounts: Floats) -> Floats:
        """Return what every entry of the quotient has: solved ones as they are, untouched groups in closed form."""
        blocks = self.quotient.blocks
        row, column = blocks.all_entries()
        size = blocks.people[blocks.row_group[row]]
        expanded: Floats = blocks.row_people[row] * (blocks.column_people[column] / size)
        # solved groups are added up over persons, so they begin at nothing
        expanded[np.isin(blocks.row_group[row], blocks.row_group[self.rows])] = 0.0
        np.add.at(expanded, self.site // self.slots, amounts)
        return expanded

    def compute_at_sites(self, amounts: Floats, entry: Integers, slot: Integers) -> Floats:
        """Return what sites of solved groups have, over all persons."""
        first = np.flatnonzero(run_starts([self.site]))
        total = np.append(np.add.reduceat(amounts, first), 0.0)
        index = np.searchsorted(self.site[first], entry * self.slots + slot)
        solved = np.append(self.site[first], -1)[index] == entry * self.slots + slot
        return np.where(solved, total[index], 0.0)


def reduce_problem(variables: Variables, constraints: Constraints) -> ReducedProblem:
    """Take the quotient, number its variables, and write down their sums."""
    quotient = _quotient_by(variables, constraints)
    blocks, slots = quotient.blocks, variables.parts.slots
    site, person, row, column, weight = _number_variables(variables, quotient, constraints)
    # rows and columns that have variables are numbered anew, in the same order
    new_row, first = number_keys(row, below=len(blocks.row_group))
    new_column, top = number_keys(column, below=len(blocks.column_group))
    rows, columns = row[first], column[top]
    one = np.ones(len(constraints.people))
    named = np.flatnonzero(person != NOBODY)
    one_per_person = sparse.csr_array((np.ones(len(named)), (person[named], named)), shape=(len(one), len(person)))
    coefficients = _coefficients(variables, quotient, constraints, site, person)
    problem = Problem(
        new_row,
        new_column,
        weight * _start_weights(variables, quotient, row, person),
        blocks.row_people[rows].astype(float),
        blocks.column_people[columns].astype(float),
        np.unique(blocks.column_group[columns], return_inverse=True)[1],
        sparse.csr_array(sparse.vstack((coefficients, one_per_person))),
        np.concatenate((constraints.low, one)),
        np.concatenate((constraints.high, one)),
        np.concatenate((constraints.statement, np.full(len(one), ONE_PERSON))),
    )
    return ReducedProblem(quotient, problem, site, slots, person, tuple(constraints.people), rows, columns)


def _quotient_by(variables: Variables, constraints: Constraints) -> Quotient:
    """Tell apart what some term tells apart; rows where a named person may be get a term of their own."""
    support, parts = constraints.support, variables.parts
    alone = np.unique(np.concatenate([np.empty(0, np.int64), *constraints.people.values()]))
    divided = np.flatnonzero(parts.divided_rows)
    # a term of a part is one of its row, by slot; after these one for each kind of rows that are cut into parts
    by_slot = support.part_term * parts.slots + parts.slot[support.part]
    kinds = len(constraints.constraint) * parts.slots
    named = kinds + int(parts.kind.max(initial=-1)) + 1
    term = np.concatenate((by_slot, kinds + parts.kind[divided], named + np.arange(len(alone))))
    row = np.concatenate((parts.row[support.part], divided, alone))
    if parts.slots > 1:
        order = np.argsort(term, kind="stable")
        term, row = term[order], row[order]
    return quotient_of(variables.blocks, (term, row), (support.column_term, support.column))


def _number_variables(
    variables: Variables, quotient: Quotient, constraints: Constraints
) -> tuple[Integers, Integers, Integers, Integers, Floats]:
    """Number the variables by site, everybody who is not named, then those who are.

    Returns the site, person, row and column of each, and the weight of its part.
    """
    blocks, parts = quotient.blocks, variables.parts
    touched = np.zeros(blocks.groups, bool)  # by a constraint
    for rows in (parts.row[constraints.support.part], *constraints.people.values()):
        touched[quotient.group[quotient.original.row_group[rows]]] = True
    # rows whose people are all named have no variable of others
    unnamed = touched[blocks.row_group]
    for original_rows, names in Counter(tuple(rows.tolist()) for rows in constraints.people.values()).items():
        rows = quotient.row[list(original_rows)]
        unnamed[rows] &= blocks.row_people[rows].sum() != names
    columns = np.flatnonzero(touched[blocks.column_group])
    original = quotient.row_representative[unnamed]
    _, part = ranges(parts.first[original], parts.first[original + 1])
    parts_of = [(part, parts.weight[part])]
    parts_of += [_parts_of_person(variables, who, rows) for who, rows in constraints.people.items()]
    who = np.repeat(np.arange(NOBODY, len(parts_of) - 1), [len(part) for part, _ in parts_of])
    part, weight = (np.concatenate(each) for each in zip(*parts_of, strict=True))
    rows = quotient.row[parts.row[part]]
    one, other = pair_equal(blocks.row_group[rows], blocks.column_group[columns])
    person, row, column = who[one], rows[one], columns[other]
    site = blocks.entry(row, column) * parts.slots + parts.slot[part[one]]
    # without parts and people, the order by row is the order by site already
    order = np.lexsort((person, site)) if len(parts_of) > 1 or parts.slots > 1 else np.arange(len(site))
    return site[order], person[order], row[order], column[order], weight[one[order]]


def _parts_of_person(variables: Variables, who: Who, rows: Integers) -> tuple[Integers, Floats]:
    """Return the parts where a named person may be, by what is known about the person, and their weights."""
    parts, cells = variables.parts, cells_of(who, variables.described)
    if not cells:  # known by a group alone
        _, part = ranges(parts.first[rows], parts.first[rows + 1])
        return part, parts.weight[part]
    part, share = variables.parts_with(cells)
    inside = np.isin(parts.row[part], rows)
    return part[inside], (parts.weight[part] * share)[inside]


def _start_weights(variables: Variables, quotient: Quotient, row: Integers, person: Integers) -> Floats:
    """Return weights by which those who are not named weigh as much as there are people with their key.

    Any weights that are the same in all rows of a key come to the same in the end: each person's own sum makes up
    for them.  These are where the solver should start.
    """
    if (person == NOBODY).all():
        return np.ones(len(person))
    members = variables.members
    of_key = np.bincount(members.key, members.people)[members.key]
    weight = of_key[quotient.row_representative]  # of the keys in a class any one will do: nobody there is named
    return np.where(person == NOBODY, weight[row], 1.0)


def _coefficients(
    variables: Variables, quotient: Quotient, constraints: Constraints, site: Integers, person: Integers
) -> sparse.csr_array:
    """Write down which variables each constraint counts, and how often."""
    parts, support = variables.parts, constraints.support
    # a class is in the support of a term as a whole or not at all, so its representative speaks for it
    original = parts.row[support.part]
    representatives = support.restrict(
        quotient.row_representative[quotient.row[original]] == original,
        quotient.column_representative[quotient.column[support.column]] == support.column,
    )
    term, part, column = representatives.cross(quotient.original, parts.row)
    entry = quotient.blocks.entry(quotient.row[parts.row[part]], quotient.column[column])
    at = entry * parts.slots + parts.slot[part]
    about = constraints.person[term]
    sites = quotient.blocks.entries * parts.slots
    first = np.concatenate(([0], np.cumsum(np.bincount(site, minlength=sites))))
    start, stop = first[at], first[at + 1]
    named = np.flatnonzero(about != NOBODY)
    if len(named):  # of the variables at a site, that of the person, who may not be in that part
        people = len(constraints.people) + 1
        present, sought = site * people + person + 1, at[named] * people + about[named] + 1
        start[named] = np.searchsorted(present, sought)
        stop[named] = np.searchsorted(present, sought, "right")
    which, variable = ranges(start, stop)
    coefficient, shape = constraints.coefficient[term][which], (len(constraints.low), len(site))
    places = constraints.constraint[term][which], variable
    matrix = sparse.csr_array((coefficient, places), shape=shape)
    if (coefficient < 0).any():  # terms that cancel leave a last bit, which is no coefficient
        sizes = sparse.csr_array((np.abs(coefficient), places), shape=shape)
        # A sum of coefficients that is a smaller share than this of their sizes is 0.
        matrix.data[np.abs(matrix.data) <= 1e-13 * sizes.data] = 0.0
    matrix.eliminate_zeros()
    return matrix


class Quotient:
    """Blocks of one representative for each class of rows, columns and groups, and the class of each original one.

    Within a class everything is distributed evenly: of what a class has at an entry, a row gets the share of its
    people, and a column of its occurrences.
    """

    def __init__(self, original: Blocks, row: Integers, column: Integers, group: Integers) -> None:
        # given are representatives for every row, column and group; classes are numbered by them
        self.original, (self.group, _) = original, _number_classes(group)
        self.row, first_row = _number_classes(row)
        self.column, first_column = _number_classes(column)
        self.row_representative, self.column_representative = first_row, first_column
        self.blocks = Blocks(
            self.group[original.row_group[first_row]],
            add_up(self.row, original.row_people, len(first_row)),
            self.group[original.column_group[first_column]],
            add_up(self.column, original.column_people, len(first_column)),
            int(self.group.max()) + 1,
        )

    def distribute(self, amounts: Floats, row: Integers, column: Integers) -> Floats:
        """Return what original entries have, given what those of the quotient have."""
        return self.divide(amounts[self.blocks.entry(self.row[row], self.column[column])], row, column)

    def divide(self, of_class: Floats, row: Integers, column: Integers) -> Floats:
        """Return the share of original entries in what their classes have."""
        row_class, column_class = self.row[row], self.column[column]
        people = self.original.row_people[row] / self.blocks.row_people[row_class]
        occurrences = self.original.column_people[column] / self.blocks.column_people[column_class]
        # both shares are of all equivalent groups together, which divides by their number once too often
        each = of_class * np.bincount(self.group)[self.blocks.row_group[row_class]]
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
            return Quotient(blocks, by_row.representatives(group), by_column.representatives(group), group)
        seed += 1


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
        self.item_class, self.first = _number_classes(first)
        self.people = add_up(self.item_class, people, len(self.first))
        class_group = group[self.first]
        # by group and word: the same order in equivalent groups
        rank = np.argsort(np.argsort(word[self.first]))
        self.order = np.argsort(class_group * len(rank) + rank)
        self.starts = np.searchsorted(class_group, np.arange(groups + 1))
        # order within a group does not matter: classes are added up, mixed so that sums of different sets differ
        mixed = _mix(_mix(word[self.first]) + self.people.astype(np.uint64))
        self.group_word: Bits = np.add.reduceat(mixed, self.starts[:-1])

    def representatives(self, group: Integers) -> Integers:
        """Return for each item the one that stands for it, in the group that stands for its group."""
        group_of_class = self.group[self.first]
        position = np.arange(len(self.first)) + (self.starts[group] - self.starts[:-1])[group_of_class]
        stands_for = np.empty(len(self.first), np.int64)
        stands_for[self.order] = self.order[position]
        items: Integers = self.first[stands_for[self.item_class]]
        return items

    def matches(self, group: Integers) -> bool:
        """Return whether every item really is like its representative: as many classes, people and terms."""
        # words may collide, so that everything is compared: this alone decides
        classes = np.diff(self.starts)
        if (classes != classes[group]).any() or (self.group[self.first][self.item_class] != self.group).any():
            return False
        like, lengths = self.representatives(group), np.diff(self.terms.indptr)
        if (self.people != self.people[self.item_class[like[self.first]]]).any() or (lengths != lengths[like]).any():
            return False
        at = np.arange(self.terms.nnz) + np.repeat(self.terms.indptr[like] - self.terms.indptr[:-1], lengths)
        return bool((self.terms.indices == self.terms.indices[at]).all())


def _mix(words: Bits) -> Bits:
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def _first_with_same(words: Bits) -> Integers:
    """Return for each position the first one with the same word."""
    order = np.argsort(words)
    new = run_starts([words[order]])
    first = np.empty(len(words), np.int64)
    # the sort is not stable, as that would take thrice as long
    first[order] = np.minimum.reduceat(order, np.flatnonzero(new))[np.cumsum(new) - 1]
    return first


def _number_classes(representative: Integers) -> tuple[Integers, Integers]:
    """Number classes in the order of their representatives; gives those too."""
    alone = representative == np.arange(len(representative))
    return (np.cumsum(alone) - 1)[representative], np.flatnonzero(alone)
