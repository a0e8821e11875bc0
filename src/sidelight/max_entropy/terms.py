"""What a statement adds up, and which variables that is.

A term's *support* is a product within each group: the parts that fulfil the conditions × the columns of the values.  So
the parts and the columns of all terms are listed, never their product, until the quotient has made both few.

Support is found for all terms at once: every elementary condition is a set of parts, one bit per part, and the parts of
a term are the bitwise and of its conditions; how many people are certain is counted digit by digit of the row sizes in
binary, Σ_d 2^d · popcount(rows ∧ digit_d).  Cost: terms × conditions × parts / 64 words.

Source: ours, on Du, Teng and Zhu, Privacy-MaxEnt, SIGMOD 2008.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sidelight._arrays import (
    Bits,
    Flags,
    Integers,
    number_runs,
    pack_bits,
    pair_equal,
    ranges,
    run_starts,
    unpack_bits,
)
from sidelight.knowledge.events import Condition, Event, HasValue, about_people, about_values, cells_in, event_of
from sidelight.knowledge.parse_statements import WordedStatement
from sidelight.knowledge.people import Described, Someone, Who
from sidelight.knowledge.statements import (
    ComparisonStatement,
    ConditionalProbability,
    IntervalStatement,
    LinearStatement,
    MeasuredStatement,
    Statement,
    Summand,
    most_of,
)
from sidelight.max_entropy.problem import Blocks, Variables, cells_of
from sidelight.table.labels import Label

PRINTED = "printed"
"""In the place of a condition: to be in a group that is no suppressed row."""

BITS_AT_ONCE = 1 << 23
"""How many bits, terms × parts, are looked at at once."""


@dataclass(frozen=True, slots=True)
class Term:
    """A share that a statement adds up, so many times: of its event, or of the complement where that says more."""

    share: ConditionalProbability
    coefficient: Fraction = Fraction(1)
    others: bool = False

    @property
    def value_sets(self) -> tuple[HasValue, ...]:
        """The sets that values are in: of the event, and of those of whom it is asked."""
        event = (HasValue(self.share.values),) if self.share.values else about_values(self.share.where)
        if self.others:
            event = tuple(HasValue(each.values, not each.others) for each in event)
        return (*event, *about_values(self.share.given))


@dataclass(frozen=True, slots=True)
class LinearForm:
    """What a statement bounds: terms and their bounds, in shares; `None` is none.

    Of what was measured with noise, both bounds are what was measured, and `measured` says how.
    """

    terms: tuple[Term, ...]
    low: Fraction | None
    high: Fraction | None
    measured: MeasuredStatement | None = None

    @property
    def exact(self) -> bool:
        """Whether the two bounds are one."""
        return self.low is not None and self.low == self.high


def linear_form(statement: Statement) -> LinearForm:
    """List all that a statement speaks of; a count speaks of each person, and a bound that cannot be passed is none."""
    if isinstance(statement, ComparisonStatement):
        terms = Term(statement.one), Term(statement.other, Fraction(-1))
        return LinearForm(terms, Fraction(0) if statement.sign == "=" else None, Fraction(0))
    if isinstance(statement, LinearStatement):
        parts = tuple(part for coefficient, about in statement.terms for part in _terms(about, coefficient))
        return LinearForm(parts, statement.low, statement.high)
    if isinstance(statement, MeasuredStatement):
        parts = tuple(part for coefficient, about in statement.terms for part in _terms(about, coefficient))
        return LinearForm(parts, statement.value, statement.value, statement)
    assert isinstance(statement, IntervalStatement)
    about, most = statement.about, most_of(statement.about)
    if statement.low == most and _is_one_set(about):
        # all of them are: that nobody is anything else says more at once
        return LinearForm(tuple(_terms(about, Fraction(1), others=True)), Fraction(0), Fraction(0))
    low = None if statement.low == 0 and not statement.exact else statement.low
    high = None if statement.high == most and not statement.exact else statement.high
    return LinearForm(tuple(_terms(about, Fraction(1))), low, high)


def _is_one_set(about: Summand) -> bool:
    """Say whether an event is of values or of conditions alone, so that its complement is one too."""
    if not isinstance(about, ConditionalProbability) or not about.where:
        return True
    return not (about.values or about_values(about.where)) or not about_people(about.where)


def _terms(about: Summand, coefficient: Fraction, *, others: bool = False) -> Iterator[Term]:
    if isinstance(about, ConditionalProbability):
        yield Term(about, coefficient, others)
        return
    for person in about.people:
        yield Term(ConditionalProbability(about.values, (), person), coefficient, others)


def shares_of(known: Sequence[WordedStatement]) -> Iterator[ConditionalProbability]:
    """Go through all that statements speak of."""
    for each in known:
        for about in _summands(each.statement):
            if isinstance(about, ConditionalProbability):
                yield about
            else:
                yield from (term.share for term in _terms(about, Fraction(1)))


def _summands(statement: Statement) -> tuple[Summand, ...]:
    if isinstance(statement, IntervalStatement):
        return (statement.about,)
    if isinstance(statement, ComparisonStatement):
        return statement.one, statement.other
    assert isinstance(statement, LinearStatement | MeasuredStatement)
    return tuple(about for _, about in statement.terms)


def conditions_of(share: ConditionalProbability) -> Event:
    """List what a share says of people, in its event and of those whom it is about."""
    return event_of(about_people((*share.given, *share.where))) if share.where else about_people(share.given)


def mentioned_conditions(
    known: Sequence[WordedStatement], described: Mapping[str, Mapping[str, object]]
) -> tuple[tuple[str, Label], ...]:
    """List the conditions that statements speak of, and what is known about the people whom they name, each once."""
    mentioned = (
        cell
        for share in shares_of(known)
        for cell in (*cells_in((*share.given, *share.where)), *cells_of(share.person, described))
    )
    return tuple(dict.fromkeys(mentioned))


@dataclass(frozen=True, eq=False)
class TermSupport:
    """The parts and the columns that terms range over, where they meet in a group.

    Both lists are ordered by term and then by group, and have the same (term, group) in the same order.
    """

    part_term: Integers
    part: Integers
    column_term: Integers
    column: Integers

    @classmethod
    def joined(cls, supports: Sequence[TermSupport]) -> TermSupport:
        """Put the support of later terms behind that of earlier ones."""
        fields = zip(*((each.part_term, each.part, each.column_term, each.column) for each in supports), strict=True)
        return cls(*map(np.concatenate, fields))

    def restrict(self, parts: Flags, columns: Flags) -> TermSupport:
        """Keep some positions of both lists."""
        return TermSupport(self.part_term[parts], self.part[parts], self.column_term[columns], self.column[columns])

    def cross(self, blocks: Blocks, row_of_part: Integers) -> tuple[Integers, Integers, Integers]:
        """Pair parts and columns, term by term: the term, the part and the column of all that is in its support."""
        one, other = pair_equal(
            number_runs([self.part_term, blocks.row_group[row_of_part[self.part]]]),
            number_runs([self.column_term, blocks.column_group[self.column]]),
        )
        return self.part_term[one], self.part[one], self.column[other]


@dataclass(frozen=True, eq=False)
class TermPeople:
    """Whom the terms of statements speak of: so many people for certain, and those of some parts who may be meant."""

    certain: Integers  # people, by term
    term: Integers
    part: Integers

    def possible_parts(self, term: int) -> Integers:
        """Give the parts of those who may be meant by a term, and may not."""
        start, stop = np.searchsorted(self.term, (term, term + 1))
        return self.part[start:stop]


def find_support(
    variables: Variables, terms: Sequence[Term], people: Mapping[Who, Integers]
) -> tuple[TermSupport, TermPeople]:
    """Find the support of all terms, and of whom each speaks, whatever values their groups have."""
    values = _ValueSets(variables, terms)
    part_sets = _PartSets(variables, people, values, terms)
    certain = np.zeros(len(terms), np.int64)
    of_values = np.array([bool(about_values(term.share.given)) for term in terms], bool)
    supports = [TermSupport(*(np.empty(0, np.int64),) * 4)]
    possible = [(np.empty(0, np.int64),) * 2]
    step = max(BITS_AT_ONCE // part_sets.parts, 1)
    for start in range(0, len(terms), step):
        some = slice(start, start + step)
        certain[some], (possible_term, possible_part), (term, part) = part_sets.intersect(some)
        kept = ~of_values[possible_term + start]
        possible.append((possible_term[kept] + start, possible_part[kept]))
        term += start
        group = variables.members.group[variables.parts.row[part]]
        supports.append(TermSupport(term, part, *values.columns(term, group)))
    for number in np.flatnonzero(of_values).tolist():
        certain[number], part = _people_with_values(variables, terms[number].share.given)
        possible.append((np.full(len(part), number), part))
    term, part = map(np.concatenate, zip(*possible, strict=True))
    order = np.argsort(term, kind="stable")
    return TermSupport.joined(supports), TermPeople(certain, term[order], part[order])


def _people_with_values(variables: Variables, given: Event) -> tuple[int, Integers]:
    """Say how many people are of an event with values for certain, and list the parts of whoever else may be."""
    holds = variables.looked_for(about_people(given))
    for condition in about_people(given):
        holds = holds & variables.holds(condition)
    # where everybody of a group fulfils the conditions, it is printed how many have the values
    blocks, group = variables.blocks, variables.members.group[variables.parts.row]
    whole, having = np.ones(blocks.groups, bool), np.zeros(blocks.groups, bool)
    whole[group[~holds]] = False
    inside = _values_in(variables, about_values(given))[variables.value]
    having[blocks.column_group[inside]] = True
    people = blocks.column_people[inside & whole[blocks.column_group]].sum()
    return int(people), np.flatnonzero(holds & (having & ~whole)[group])


def knows_size(variables: Variables, given: Event) -> bool:
    """Say whether it is known how many people are of an event."""
    if about_values(given):
        return len(_people_with_values(variables, given)[1]) == 0
    holds = variables.looked_for(given)
    certain = holds.copy()
    for condition in given:
        holds = holds & variables.holds(condition)
        certain &= variables.certain(condition)
    return not (holds & ~certain).any()


def support_of_unknown(
    variables: Variables, meant: TermPeople, terms: Sequence[Term], unknown: Sequence[int]
) -> TermSupport:
    """Give the support of N, for some terms: everybody who may be meant, whatever their value, or with one of some."""
    first_new, starts = len(meant.certain), variables.blocks.first_column
    supports = [TermSupport(*(np.empty(0, np.int64),) * 4)]
    for number, term in enumerate(unknown):
        part = meant.possible_parts(term)
        group = np.unique(variables.members.group[variables.parts.row[part]])
        _, column = ranges(starts[group], starts[group + 1])
        column = column[_values_in(variables, about_values(terms[term].share.given))[variables.value[column]]]
        new = first_new + number
        supports.append(TermSupport(np.full(len(part), new), part, np.full(len(column), new), column))
    return TermSupport.joined(supports)


def _values_in(variables: Variables, sets: Sequence[HasValue]) -> Flags:
    """Say which values of the domain are in all of some sets."""
    member = np.ones(len(variables.release.domain), bool)
    for each in sets:
        inside = np.zeros(len(member), bool)
        inside[[variables.release.groups.code_of(value) for value in each.values]] = True
        member &= inside ^ each.others
    return member


class _ValueSets:
    """The sets of values that terms speak of, each once."""

    def __init__(self, variables: Variables, terms: Sequence[Term]) -> None:
        self.variables = variables
        numbers: dict[tuple[HasValue, ...], int] = {}
        self.of_term = np.array([numbers.setdefault(term.value_sets, len(numbers)) for term in terms], int)
        self.member = np.zeros((len(numbers), len(variables.release.domain)), bool)
        for sets, number in numbers.items():
            self.member[number] = _values_in(variables, sets)

    def in_group_of_parts(self, number: int) -> Flags:
        """Say for each part whether its group has one of some values."""
        groups = np.zeros(self.variables.blocks.groups, bool)
        groups[self.variables.blocks.column_group[self.member[number, self.variables.value]]] = True
        parts: Flags = groups[self.variables.members.group[self.variables.parts.row]]
        return parts

    def columns(self, term: Integers, group: Integers) -> tuple[Integers, Integers]:
        """Find the columns that terms speak of in groups; these are ordered by term and group, and may repeat."""
        # one list of columns for all rows of a term in a group: these are crossed later
        first = np.flatnonzero(run_starts([term, group]))
        term, group = term[first], group[first]
        starts = self.variables.blocks.first_column
        at, column = ranges(starts[group], starts[group + 1])
        kept = self.member[self.of_term[term[at]], self.variables.value[column]]
        return term[at[kept]], column[kept]


class _PartSets:
    """Sets of parts, a bit per part: who fulfils a condition, where one person may be, whose group has a value."""

    def __init__(
        self, variables: Variables, people: Mapping[Who, Integers], values: _ValueSets, terms: Sequence[Term]
    ) -> None:
        self.variables, self.people, self.parts = variables, people, len(variables.parts.row)
        self.number: dict[object, int] = {}
        self.sets = [pack_bits(np.ones(self.parts, bool))]
        self.certain_sets = self.sets.copy()
        self.conditions = _padded([self._numbers(term.share) for term in terms])
        self.where = _padded([self._number_of_event(term) for term in terms])
        self.with_values = len(self.sets) + values.of_term
        self.sets += [pack_bits(values.in_group_of_parts(number)) for number in range(len(values.member))]
        self.bits, self.certain_bits = np.stack(self.sets), np.stack(self.certain_sets)
        # the people of a row are counted at its first part
        people_there = np.where(variables.parts.slot == 0, variables.members.people[variables.parts.row], 0)
        most = int(people_there.max())
        self.digits = [pack_bits((people_there >> digit) & 1 == 1) for digit in range(most.bit_length())]

    def _numbers(self, share: ConditionalProbability) -> list[int]:
        """Number the sets that a share is about: its people are in all of them."""
        if share.person is not None:
            return [self._number(share.person)]
        conditions = about_people(share.given)
        return [*map(self._number, conditions), *self._looked_for(conditions)]

    def _number_of_event(self, term: Term) -> list[int]:
        """Number the set of what a term asks of people; who is looked for is who fulfils all of it."""
        where = about_people(term.share.where)
        if not where:
            return []
        conditions = conditions_of(term.share)
        name = (where, conditions, term.others)
        if name not in self.number:
            holds = self.variables.looked_for(conditions)
            for condition in where:
                holds = holds & self.variables.holds(condition)
            self._add(name, holds ^ term.others, holds ^ term.others)
        return [self.number[name]]

    def _number(self, condition: Condition | Who) -> int:
        if condition not in self.number:
            self._add(condition, *self._flags(condition))
        return self.number[condition]

    def _add(self, name: object, holds: Flags, certain: Flags) -> None:
        self.number[name] = len(self.sets)
        self.sets.append(pack_bits(holds))
        self.certain_sets.append(pack_bits(certain))

    def _looked_for(self, conditions: Event) -> list[int]:
        """Number the set of parts that people of a condition are looked for in, where that is not everywhere."""
        if not self.variables.leaves_suppressed_aside(conditions):
            return []
        if PRINTED not in self.number:
            parts = self.variables.looked_for(conditions)
            self._add(PRINTED, parts, parts)
        return [self.number[PRINTED]]

    def _flags(self, condition: Condition | Who) -> tuple[Flags, Flags]:
        if not isinstance(condition, str | Someone | Described):
            return self.variables.holds(condition), self.variables.certain(condition)
        parts = self.variables.parts
        rows = np.zeros(len(parts.count), bool)
        rows[self.people[condition]] = True
        return rows[parts.row], rows[parts.row]

    def intersect(self, terms: slice) -> tuple[Integers, tuple[Integers, Integers], tuple[Integers, Integers]]:
        """Say of how many people terms speak for certain, list who else may be meant, and who may count.

        Both lists are pairs of a term (from 0) and a part.
        """
        conditions = self.conditions[terms]
        parts = np.repeat(self.bits[:1], len(conditions), axis=0)
        certain = parts.copy()
        for each in conditions.T:
            parts &= self.bits[each]
            certain &= self.certain_bits[each]
        # people in binary: of each digit, how many rows have it
        sizes = sum(
            np.bitwise_count(certain & digit).sum(axis=1, dtype=np.int64) << at for at, digit in enumerate(self.digits)
        )
        possible = _positions(parts & ~certain)
        for each in self.where[terms].T:
            parts &= self.bits[each]
        # who counts for the size of a condition may be in a group that has none of the values
        parts &= self.bits[self.with_values[terms]]
        return sizes, possible, _positions(parts)


def _padded(numbers: Sequence[list[int]]) -> Integers:
    """Make lists of sets equally long: set 0 is everybody."""
    widest = max(map(len, numbers), default=0)
    return np.array([each + [0] * (widest - len(each)) for each in numbers], np.int64).reshape(len(numbers), widest)


def _positions(bits: Bits) -> tuple[Integers, Integers]:
    """List the bits that are set: the row, and the place in it."""
    some = np.flatnonzero(bits.ravel() != 0)
    inside = np.flatnonzero(unpack_bits(bits.ravel()[some, np.newaxis], 64))
    row, word = np.divmod(some, bits.shape[1])
    return row[inside >> 6], word[inside >> 6] * 64 + (inside & 63)
