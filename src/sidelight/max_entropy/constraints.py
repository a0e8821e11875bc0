"""Statements as constraints: bounds on weighted sums of variables.

A statement speaks of one or more *terms*, each a share P(values | condition) or P(values | person):

    P(S | C) in [l, u]        Σ_{q ⊨ C, s ∈ S} x(q, s, b)  in  [l, u] · n(C)
    P(S | C) = 1              Σ_{q ⊨ C, s ∉ S} x = 0, the complement, which forces every single one of them
    P(S | C) ≤ P(T | D)       m/n(C) · Σ_{C, S} x − m/n(D) · Σ_{D, T} x ≤ 0,  m = min(n(C), n(D))
    count(S; people)          Σ over their own variables in the bounds; each person is one person

A term's *support* is a product within each group: the rows that fulfil the condition × the columns of the values.  So
the rows and the columns of all terms are listed, never their product, until the quotient has made both few.

Support is found for all terms at once: every elementary condition is a set of rows, one bit per row, and the rows of
a term are the bitwise and of its conditions; how many people they are is counted digit by digit of the row sizes in
binary, Σ_d 2^d · popcount(rows ∧ digit_d).  Cost: terms × conditions × rows / 64 words.

Source: shares and bounds as in Du, Teng and Zhu, Privacy-MaxEnt, SIGMOD 2008; comparisons, counts and row sets ours.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sidelight._arrays import (
    Flags,
    Floats,
    Integers,
    number_runs,
    pack_bits,
    pair_equal,
    ranges,
    run_starts,
    unpack_bits,
)
from sidelight.errors import BadKnowledge
from sidelight.knowledge.parse_statements import WordedStatement
from sidelight.knowledge.people import Who
from sidelight.knowledge.statements import ComparisonStatement, ConditionalProbability, IntervalStatement
from sidelight.max_entropy.problem import Blocks, Variables
from sidelight.table.labels import Label

NOBODY = -1
"""The person of what is not about one: of terms about shares, and of variables of everybody who is not named."""

UNUSED = -1
"""The constraint of terms whose statement is about nobody, and so constrains nothing."""

BITS_AT_ONCE = 1 << 23
"""How many bits, terms × rows, are looked at at once."""


@dataclass(frozen=True, slots=True)
class Term:
    """A share that a statement adds up: of its values, or of all others where that says more."""

    share: ConditionalProbability
    others: bool = False


@dataclass(frozen=True, eq=False)
class TermSupport:
    """The rows and the columns that terms range over, where they meet in a group.

    Both lists are ordered by term and then by group, and have the same (term, group) in the same order.
    """

    row_term: Integers
    row: Integers
    column_term: Integers
    column: Integers

    def restrict(self, rows: Flags, columns: Flags) -> TermSupport:
        """Keep some positions of both lists."""
        return TermSupport(self.row_term[rows], self.row[rows], self.column_term[columns], self.column[columns])

    def cross(self, blocks: Blocks) -> tuple[Integers, Integers, Integers]:
        """Pair rows and columns, term by term: the term, the row and the column of every entry in its support."""
        one, other = pair_equal(
            number_runs([self.row_term, blocks.row_group[self.row]]),
            number_runs([self.column_term, blocks.column_group[self.column]]),
        )
        return self.row_term[one], self.row[one], self.column[other]


@dataclass(frozen=True, eq=False)
class Constraints:
    """All that is known about the variables of a release: sums of terms lie between two bounds, in people.

    Term t is added to constraint `constraint[t]`, `coefficient[t]` for each person in its support; where `person[t]`
    is not `NOBODY`, that person alone is counted.  Statements about nobody constrain nothing, with a note.
    """

    support: TermSupport
    constraint: Integers
    coefficient: Floats
    person: Integers
    low: Floats
    high: Floats
    statement: Integers  # number of the statement of each constraint
    people: dict[Who, Integers]  # everybody who is mentioned → the rows where this person may be
    notes: tuple[str, ...]

    def of_statements(self, numbers: Sequence[int]) -> Constraints:
        """Keep those of some statements; whoever is mentioned stays mentioned."""
        kept = np.isin(self.statement, numbers)
        # terms keep their numbers, so that the support is only filtered; constraints are numbered anew
        number = np.where(kept, np.cumsum(kept) - 1, UNUSED)
        constraint = self.constraint
        if len(number):
            constraint = np.where(constraint == UNUSED, UNUSED, number[constraint])
        support = self.support.restrict(
            constraint[self.support.row_term] >= 0, constraint[self.support.column_term] >= 0
        )
        return replace(
            self,
            support=support,
            constraint=constraint,
            low=self.low[kept],
            high=self.high[kept],
            statement=self.statement[kept],
        )


def constraints_of(variables: Variables, known: Sequence[WordedStatement]) -> Constraints:
    """Write statements as constraints."""
    terms_of = [_terms(each) for each in known]
    people = _rows_of_people(variables, terms_of)
    number = {who: position for position, who in enumerate(people)}
    terms = [term for of_statement in terms_of for term in of_statement]
    support, sizes = find_support(variables, terms, people)
    draft = _Draft(known, terms_of, sizes.tolist())
    used = draft.constraint >= 0
    return Constraints(
        support.restrict(used[support.row_term], used[support.column_term]),
        draft.constraint,
        draft.coefficient,
        np.array([NOBODY if term.share.person is None else number[term.share.person] for term in terms], np.int64),
        np.array([low for low, _ in draft.bounds], float),
        np.array([high for _, high in draft.bounds], float),
        np.array(draft.statement, np.int64),
        people,
        tuple(f"'{known[at].words}' says nothing: {variables.why_nobody(about)}" for at, about in draft.about_nobody),
    )


def _terms(known: WordedStatement) -> list[Term]:
    """List all that a statement speaks of; a count speaks of each person."""
    statement = known.statement
    if isinstance(statement, ComparisonStatement):
        return [Term(statement.one), Term(statement.other)]
    assert isinstance(statement, IntervalStatement)
    if isinstance(statement.about, ConditionalProbability):
        return [Term(statement.about, _asks_for_all(statement, 1))]
    others = _asks_for_all(statement, len(statement.about.people))
    return [
        Term(ConditionalProbability(statement.about.values, (), person), others) for person in statement.about.people
    ]


def _asks_for_all(statement: IntervalStatement, most: int) -> bool:
    """Say whether all of them have it: that nobody has anything else says more at once."""
    return statement.low == most


def _rows_of_people(variables: Variables, terms_of: Sequence[Sequence[Term]]) -> dict[Who, Integers]:
    """Find everybody who is mentioned; refuses more names than there are people who look like that."""
    who = dict.fromkeys(term.share.person for terms in terms_of for term in terms)
    people = {person: variables.rows_of(person) for person in who if person is not None}
    names_of_rows = Counter(tuple(rows.tolist()) for rows in people.values())
    for rows, names in names_of_rows.items():
        people_there = int(variables.members.people[list(rows)].sum())
        if names > people_there:
            message = f"{names} people are named who look alike, and the release has {people_there} of them; name fewer"
            raise BadKnowledge(message)
    return people


class _Draft:
    """The constraints of statements, one after the other, given how many people each of their terms speaks of."""

    def __init__(self, known: Sequence[WordedStatement], terms_of: Sequence[Sequence[Term]], sizes: list[int]) -> None:
        self.bounds: list[tuple[float, float]] = []
        self.statement: list[int] = []
        self.about_nobody: list[tuple[int, tuple[tuple[str, str | None], ...]]] = []
        self.constraint, self.coefficient = np.full(len(sizes), UNUSED), np.ones(len(sizes))
        start = 0
        for number, (each, terms) in enumerate(zip(known, terms_of, strict=True)):
            start, terms_of_statement = start + len(terms), slice(start, start + len(terms))
            empty = [term.share.given for term, size in zip(terms, sizes[terms_of_statement], strict=True) if size == 0]
            if empty:
                self.about_nobody.append((number, empty[0]))
            else:
                self._add(each, number, terms, terms_of_statement, sizes[terms_of_statement])

    def _add(self, known: WordedStatement, number: int, terms: Sequence[Term], places: slice, sizes: list[int]) -> None:
        statement = known.statement
        sizes = [size if term.share.person is None else 1 for term, size in zip(terms, sizes, strict=True)]
        self.constraint[places] = len(self.statement)
        self.statement.append(number)
        if isinstance(statement, ComparisonStatement):
            # both sides in people of the smaller one: coefficients stay at most 1
            self.coefficient[places] = min(sizes) / sizes[0], -min(sizes) / sizes[1]
            self.bounds.append((0.0 if statement.sign == "=" else -np.inf, 0.0))
        else:
            assert isinstance(statement, IntervalStatement)
            self.bounds.append((0.0, 0.0) if terms[0].others else _bounds(statement, sizes))


def _bounds(statement: IntervalStatement, sizes: list[int]) -> tuple[float, float]:
    """Give the bounds in people; a bound that cannot be passed is none."""
    size = sizes[0] if isinstance(statement.about, ConditionalProbability) else 1
    low, high = statement.low, statement.high
    if statement.exact:
        return (low.numerator * size / low.denominator,) * 2
    return (
        low.numerator * size / low.denominator if low > 0 else -np.inf,
        high.numerator * size / high.denominator if high < len(sizes) else np.inf,
    )


def find_support(
    variables: Variables, terms: Sequence[Term], people: Mapping[Who, Integers]
) -> tuple[TermSupport, Integers]:
    """Find the support of all terms, and how many people each speaks of, whatever values their groups have."""
    values = _ValueSets(variables, terms)
    row_sets = _RowSets(variables, people, values, terms)
    sizes = np.zeros(len(terms), np.int64)
    lists: list[tuple[Integers, ...]] = [(np.empty(0, np.int64),) * 4]
    step = max(BITS_AT_ONCE // row_sets.rows, 1)
    for start in range(0, len(terms), step):
        some = slice(start, start + step)
        sizes[some], term, row = row_sets.intersect(some)
        term += start
        lists.append((term, row, *values.columns(term, variables.members.group[row])))
    return TermSupport(*(np.concatenate(each) for each in zip(*lists, strict=True))), sizes


class _ValueSets:
    """The sets of values that terms speak of, each once."""

    def __init__(self, variables: Variables, terms: Sequence[Term]) -> None:
        self.variables = variables
        numbers: dict[tuple[tuple[Label, ...], bool], int] = {}
        self.of_term = np.array(
            [numbers.setdefault((term.share.values, term.others), len(numbers)) for term in terms], int
        )
        self.member = np.zeros((len(numbers), len(variables.release.domain)), bool)
        for (values, others), number in numbers.items():
            self.member[number, [variables.release.groups.code_of(value) for value in values]] = True
            # the complement, where all are to have one of the values
            self.member[number] ^= others

    def in_group_of_rows(self, number: int) -> Flags:
        """Say for each row whether its group has one of some values."""
        groups = np.zeros(self.variables.blocks.groups, bool)
        groups[self.variables.blocks.column_group[self.member[number, self.variables.value]]] = True
        rows: Flags = groups[self.variables.members.group]
        return rows

    def columns(self, term: Integers, group: Integers) -> tuple[Integers, Integers]:
        """Find the columns that terms speak of in groups; these are ordered by term and group, and may repeat."""
        # one list of columns for all rows of a term in a group: these are crossed later
        first = np.flatnonzero(run_starts([term, group]))
        term, group = term[first], group[first]
        starts = self.variables.blocks.first_column
        at, column = ranges(starts[group], starts[group + 1])
        kept = self.member[self.of_term[term[at]], self.variables.value[column]]
        return term[at[kept]], column[kept]


class _RowSets:
    """Sets of rows, a bit per row: who fulfils a condition, where one person may be, whose group has a value."""

    def __init__(
        self, variables: Variables, people: Mapping[Who, Integers], values: _ValueSets, terms: Sequence[Term]
    ) -> None:
        self.variables, self.people, self.rows = variables, people, len(variables.members.group)
        self.number: dict[object, int] = {}
        self.sets = [pack_bits(np.ones(self.rows, bool))]
        conditions = [self._numbers(term.share) for term in terms]
        widest = max(map(len, conditions), default=0)
        # set 0 is everybody, so that shorter lists of conditions can be padded with it
        self.conditions = np.array([each + [0] * (widest - len(each)) for each in conditions], np.int64)
        self.with_values = len(self.sets) + values.of_term
        self.sets += [pack_bits(values.in_group_of_rows(number)) for number in range(len(values.member))]
        self.bits = np.stack(self.sets)
        most = int(variables.members.people.max())
        self.digits = [pack_bits((variables.members.people >> digit) & 1 == 1) for digit in range(most.bit_length())]

    def _numbers(self, share: ConditionalProbability) -> list[int]:
        """Number the sets that a share speaks of: it is about those who are in all of them."""
        conditions: tuple[object, ...] = share.given if share.person is None else (share.person,)
        for condition in conditions:
            if condition not in self.number:
                self.number[condition] = len(self.sets)
                self.sets.append(pack_bits(self._flags(share, condition)))
        return [self.number[condition] for condition in conditions]

    def _flags(self, share: ConditionalProbability, condition: object) -> Flags:
        if share.person is None:
            return self.variables.holds(*condition)  # type: ignore[misc]
        flags = np.zeros(self.rows, bool)
        flags[self.people[share.person]] = True
        return flags

    def intersect(self, terms: slice) -> tuple[Integers, Integers, Integers]:
        """Say of how many people some terms speak, and list the term (from 0) and the row of those who may count."""
        conditions = self.conditions[terms]
        rows = np.repeat(self.bits[:1], len(conditions), axis=0)
        for each in conditions.T:
            rows &= self.bits[each]
        # people in binary: of each digit, how many rows have it
        sizes = sum(
            np.bitwise_count(rows & digit).sum(axis=1, dtype=np.int64) << at for at, digit in enumerate(self.digits)
        )
        # who counts for the size of a condition may be in a group that has none of the values
        rows &= self.bits[self.with_values[terms]]
        some = np.flatnonzero(rows.ravel() != 0)
        inside = np.flatnonzero(unpack_bits(rows.ravel()[some, np.newaxis], 64))
        term, word = np.divmod(some, rows.shape[1])
        return sizes, term[inside >> 6], word[inside >> 6] * 64 + (inside & 63)
