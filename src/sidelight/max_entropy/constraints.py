"""Statements as constraints: bounds on weighted sums of variables.

A statement speaks of one or more *terms*, each a share P(values | condition) or P(values | person):

    P(S | C) in [l, u]        Σ_{q ⊨ C, s ∈ S} x(q, s, b)  in  [l, u] · n(C)
    P(S | C) = 1              Σ_{q ⊨ C, s ∉ S} x = 0, the complement, which forces every single one of them
    P(S | C) ≤ P(T | D)       m/n(C) · Σ_{C, S} x − m/n(D) · Σ_{D, T} x ≤ 0,  m = min(n(C), n(D))
    count(S; people)          Σ over their own variables in the bounds; each person is one person

n(C) is known where everybody who fulfils C is.  Where groups print less than C asks, it is not: n(C) = n + N, of which
n people are certain to be meant and N = Σ_{a ⊨ C, s} x over parts a of other rows (see `parts`), and

    P(S | C) in [l, u]        Σ_{C, S} x − l · N ≥ l · n  and  Σ_{C, S} x − u · N ≤ u · n: two statements, one per bound
    P(S | C) ≤ P(T | C)       Σ_{C, S} x − Σ_{C, T} x ≤ 0; with another condition D it is not linear, and refused

A term's *support* is a product within each group: the parts that fulfil the condition × the columns of the values.  So
the parts and the columns of all terms are listed, never their product, until the quotient has made both few.

Support is found for all terms at once: every elementary condition is a set of parts, one bit per part, and the parts of
a term are the bitwise and of its conditions; how many people are certain is counted digit by digit of the row sizes in
binary, Σ_d 2^d · popcount(rows ∧ digit_d).  Cost: terms × conditions × parts / 64 words.

Source: shares and bounds as in Du, Teng and Zhu, Privacy-MaxEnt, SIGMOD 2008; comparisons, counts and row sets ours.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from sidelight._arrays import (
    Bits,
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
from sidelight.knowledge.people import Who, person_text
from sidelight.knowledge.statements import ComparisonStatement, ConditionalProbability, IntervalStatement
from sidelight.knowledge.tokens import in_short
from sidelight.max_entropy.problem import Blocks, Variables, cells_of
from sidelight.release.groups import suppressed_groups
from sidelight.table.labels import Label, shown

NOBODY = -1
"""The person of what is not about one: of terms about shares, and of variables of everybody who is not named."""

UNUSED = -1
"""The constraint of terms whose statement is about nobody, and so constrains nothing."""

WHY_NOBODY = "nobody in the release says all of this"

ONLY_SUPPRESSED = "only suppressed rows could hold such people, and nobody is assumed to be there"

PRINTED = "printed"
"""In the place of a condition: to be in a group that is no suppressed row."""

BITS_AT_ONCE = 1 << 23
"""How many bits, terms × parts, are looked at at once."""


@dataclass(frozen=True, slots=True)
class Term:
    """A share that a statement adds up: of its values, or of all others where that says more."""

    share: ConditionalProbability
    others: bool = False


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


@dataclass(frozen=True, eq=False)
class Constraints:
    """All that is known about the variables of a release: sums of terms lie between two bounds, in people.

    Term t is added to constraint `constraint[t]`, `coefficient[t]` for each person in its support; where `person[t]`
    is not `NOBODY`, that person alone is counted.  Statements about nobody constrain nothing, with a note.  A statement
    has one constraint: where its two bounds need one each, they are two of the statements that are `stated`.
    """

    support: TermSupport
    constraint: Integers
    coefficient: Floats
    person: Integers
    low: Floats
    high: Floats
    statement: Integers  # number of the statement of each constraint
    people: dict[Who, Integers]  # everybody who is mentioned → the rows where this person may be
    stated: tuple[WordedStatement, ...]
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
            constraint[self.support.part_term] >= 0, constraint[self.support.column_term] >= 0
        )
        return replace(
            self,
            support=support,
            constraint=constraint,
            low=self.low[kept],
            high=self.high[kept],
            statement=self.statement[kept],
        )


def shares_of(known: Sequence[WordedStatement]) -> Iterator[ConditionalProbability]:
    """Go through all that statements speak of."""
    return (term.share for each in known for term in _terms(each))


def mentioned_conditions(
    known: Sequence[WordedStatement], described: Mapping[str, Mapping[str, object]]
) -> tuple[tuple[str, Label], ...]:
    """List the conditions that statements speak of, and what is known about the people whom they name, each once."""
    mentioned = (cell for share in shares_of(known) for cell in (*share.given, *cells_of(share.person, described)))
    return tuple(dict.fromkeys(mentioned))


def constraints_of(variables: Variables, known: Sequence[WordedStatement]) -> Constraints:
    """Write statements as constraints."""
    stated = tuple(half for each in known for half in _by_bound(variables, each))
    terms_of = [_terms(each) for each in stated]
    people = _rows_of_people(variables, terms_of)
    number = {who: position for position, who in enumerate(people)}
    terms = [term for of_statement in terms_of for term in of_statement]
    support, meant = find_support(variables, terms, people)
    draft = _Draft(stated, terms_of, meant)
    used = draft.constraint[: len(terms)] >= 0
    unknown = _of_unknown_people(variables, meant, draft.unknown_term)
    return Constraints(
        TermSupport.joined([support.restrict(used[support.part_term], used[support.column_term]), unknown]),
        draft.constraint,
        draft.coefficient,
        np.array(
            [NOBODY if term.share.person is None else number[term.share.person] for term in terms]
            + [NOBODY] * len(draft.unknown_term),
            np.int64,
        ),
        np.array([low for low, _ in draft.bounds], float),
        np.array([high for _, high in draft.bounds], float),
        np.array(draft.statement, np.int64),
        people,
        stated,
        (
            *(f"'{stated[at].words}' says nothing: {_why_nobody(variables, stated[at])}" for at in draft.about_nobody),
            *_notes_on_suppressed(variables, people),
        ),
    )


def _why_nobody(variables: Variables, known: WordedStatement) -> str:
    """Say which condition nobody fulfils, if it is one by itself."""
    for share in shares_of([known]):
        for name, text in share.given:
            if not variables.parts.holds(name, text).any():
                return f"nobody in the release says {name} '{shown(text)}'"
        if share.given and variables.only_suppressed(share.given):
            return ONLY_SUPPRESSED
    return WHY_NOBODY


def _notes_on_suppressed(variables: Variables, people: Mapping[Who, Integers]) -> Iterator[str]:
    suppressed = suppressed_groups(variables.release.groups)
    for who, rows in people.items():
        if cells_of(who, variables.described) and suppressed[variables.members.group[rows]].all():
            name = in_short(person_text(who))
            yield f"{name} fits nothing that is printed: this rests on suppressed rows holding the person"


def _by_bound(variables: Variables, known: WordedStatement) -> tuple[WordedStatement, ...]:
    """Say each bound by itself where it is not known how many people a statement speaks of."""
    statement = known.statement
    if not isinstance(statement, IntervalStatement) or not isinstance(statement.about, ConditionalProbability):
        return (known,)
    two_bounds = not statement.exact and statement.low > 0 and statement.high < 1
    if not two_bounds or not _may_mean_others(variables, statement.about):
        return (known,)
    return tuple(
        WordedStatement(IntervalStatement(statement.about, low, high), known.words)
        for low, high in ((statement.low, Fraction(1)), (Fraction(0), statement.high))
    )


def _may_mean_others(variables: Variables, share: ConditionalProbability) -> bool:
    parts = variables.parts
    holds = variables.looked_for(share.given)
    certain = holds.copy()
    for condition in share.given:
        holds &= parts.holds(*condition)
        certain &= parts.certain(*condition)
    return bool((holds & ~certain).any())


def _of_unknown_people(variables: Variables, meant: TermPeople, terms: Sequence[int]) -> TermSupport:
    """Give the support of N, for some terms: everybody who may be meant, whatever their value."""
    first_new, starts = len(meant.certain), variables.blocks.first_column
    supports = [TermSupport(*(np.empty(0, np.int64),) * 4)]
    for number, term in enumerate(terms):
        part = meant.possible_parts(term)
        group = np.unique(variables.members.group[variables.parts.row[part]])
        _, column = ranges(starts[group], starts[group + 1])
        new = first_new + number
        supports.append(TermSupport(np.full(len(part), new), part, np.full(len(column), new), column))
    return TermSupport.joined(supports)


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
    """The constraints of statements, one after the other, given of whom each of their terms speaks."""

    def __init__(self, known: Sequence[WordedStatement], terms_of: Sequence[Sequence[Term]], meant: TermPeople) -> None:
        self.bounds: list[tuple[float, float]] = []
        self.statement: list[int] = []
        self.about_nobody: list[int] = []
        self.unknown_term: list[int] = []  # terms t of which N is taken away, in the order of the terms that do so
        self._unknown: list[tuple[int, float]] = []  # the constraint and the coefficient of each of those
        sizes = meant.certain.tolist()
        possible = np.bincount(meant.term, minlength=len(sizes)) > 0
        self.constraint, self.coefficient = np.full(len(sizes), UNUSED), np.ones(len(sizes))
        start = 0
        for number, (each, terms) in enumerate(zip(known, terms_of, strict=True)):
            start, places = start + len(terms), slice(start, start + len(terms))
            if any(size == 0 and not more for size, more in zip(sizes[places], possible[places], strict=True)):
                self.about_nobody.append(number)
            elif possible[places].any() and terms[0].share.person is None:
                self._add_unknown(each, number, terms, places, sizes[places.start])
            else:
                self._add(each, number, terms, places, sizes[places])
        self.constraint = np.append(self.constraint, [at for at, _ in self._unknown]).astype(np.int64)
        self.coefficient = np.append(self.coefficient, [weight for _, weight in self._unknown])

    def _begin(self, number: int, places: slice, bounds: tuple[float, float]) -> None:
        self.constraint[places] = len(self.statement)
        self.statement.append(number)
        self.bounds.append(bounds)

    def _add(self, known: WordedStatement, number: int, terms: Sequence[Term], places: slice, sizes: list[int]) -> None:
        statement = known.statement
        sizes = [size if term.share.person is None else 1 for term, size in zip(terms, sizes, strict=True)]
        if isinstance(statement, ComparisonStatement):
            # both sides in people of the smaller one: coefficients stay at most 1
            self.coefficient[places] = min(sizes) / sizes[0], -min(sizes) / sizes[1]
            self._begin(number, places, _bounds_of_comparison(statement))
        else:
            assert isinstance(statement, IntervalStatement)
            self._begin(number, places, (0.0, 0.0) if terms[0].others else _bounds(statement, sizes))

    def _add_unknown(
        self, known: WordedStatement, number: int, terms: Sequence[Term], places: slice, certain: int
    ) -> None:
        """Write a statement about n people and all those who may be meant besides."""
        statement = known.statement
        if isinstance(statement, ComparisonStatement):
            _check_same_people(known)
            self.coefficient[places] = 1.0, -1.0
            self._begin(number, places, _bounds_of_comparison(statement))
            return
        assert isinstance(statement, IntervalStatement)
        if terms[0].others:
            self._begin(number, places, (0.0, 0.0))
            return
        low, high = _bounds(statement, [certain])
        bound = statement.high if math.isfinite(high) else statement.low
        if bound and (math.isfinite(low) or math.isfinite(high)):
            self._unknown.append((len(self.statement), -float(bound)))
            self.unknown_term.append(places.start)
        self._begin(number, places, (low, high))


def _bounds_of_comparison(statement: ComparisonStatement) -> tuple[float, float]:
    return (0.0 if statement.sign == "=" else -np.inf, 0.0)


def _check_same_people(known: WordedStatement) -> None:
    """Refuse what is not linear: the number of people on the two sides differs, and is not known."""
    statement = known.statement
    assert isinstance(statement, ComparisonStatement)
    if statement.one.given != statement.other.given:
        message = (
            f"'{known.words}' compares shares of different people, and some groups print too little to say how many "
            "those are; compare two values of the same people, or each share with a number"
        )
        raise BadKnowledge(message)


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
) -> tuple[TermSupport, TermPeople]:
    """Find the support of all terms, and of whom each speaks, whatever values their groups have."""
    values = _ValueSets(variables, terms)
    part_sets = _PartSets(variables, people, values, terms)
    certain = np.zeros(len(terms), np.int64)
    supports = [TermSupport(*(np.empty(0, np.int64),) * 4)]
    possible = [(np.empty(0, np.int64),) * 2]
    step = max(BITS_AT_ONCE // part_sets.parts, 1)
    for start in range(0, len(terms), step):
        some = slice(start, start + step)
        certain[some], (possible_term, possible_part), (term, part) = part_sets.intersect(some)
        possible.append((possible_term + start, possible_part))
        term += start
        group = variables.members.group[variables.parts.row[part]]
        supports.append(TermSupport(term, part, *values.columns(term, group)))
    return TermSupport.joined(supports), TermPeople(certain, *map(np.concatenate, zip(*possible, strict=True)))


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
        conditions = [self._numbers(term.share) for term in terms]
        widest = max(map(len, conditions), default=0)
        # set 0 is everybody, so that shorter lists of conditions can be padded with it
        self.conditions = np.array([each + [0] * (widest - len(each)) for each in conditions], np.int64)
        self.with_values = len(self.sets) + values.of_term
        self.sets += [pack_bits(values.in_group_of_parts(number)) for number in range(len(values.member))]
        self.bits, self.certain_bits = np.stack(self.sets), np.stack(self.certain_sets)
        # the people of a row are counted at its first part
        people_there = np.where(variables.parts.slot == 0, variables.members.people[variables.parts.row], 0)
        most = int(people_there.max())
        self.digits = [pack_bits((people_there >> digit) & 1 == 1) for digit in range(most.bit_length())]

    def _numbers(self, share: ConditionalProbability) -> list[int]:
        """Number the sets that a share speaks of: it is about those who are in all of them."""
        conditions: tuple[object, ...] = share.given if share.person is None else (share.person,)
        for condition in conditions:
            if condition not in self.number:
                self.number[condition] = len(self.sets)
                holds, certain = self._flags(share, condition)
                self.sets.append(pack_bits(holds))
                self.certain_sets.append(pack_bits(certain))
        numbers = [self.number[condition] for condition in conditions]
        return numbers if share.person is not None else [*numbers, *self._looked_for(share)]

    def _looked_for(self, share: ConditionalProbability) -> list[int]:
        """Number the set of parts that people of a condition are looked for in, where that is not everywhere."""
        parts = self.variables.looked_for(share.given)
        if parts.all():
            return []
        if PRINTED not in self.number:
            self.number[PRINTED] = len(self.sets)
            self.sets.append(pack_bits(parts))
            self.certain_sets.append(pack_bits(parts))
        return [self.number[PRINTED]]

    def _flags(self, share: ConditionalProbability, condition: object) -> tuple[Flags, Flags]:
        parts = self.variables.parts
        if share.person is None:
            return parts.holds(*condition), parts.certain(*condition)  # type: ignore[misc]
        rows = np.zeros(len(parts.count), bool)
        rows[self.people[share.person]] = True
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
        # who counts for the size of a condition may be in a group that has none of the values
        parts &= self.bits[self.with_values[terms]]
        return sizes, possible, _positions(parts)


def _positions(bits: Bits) -> tuple[Integers, Integers]:
    """List the bits that are set: the row, and the place in it."""
    some = np.flatnonzero(bits.ravel() != 0)
    inside = np.flatnonzero(unpack_bits(bits.ravel()[some, np.newaxis], 64))
    row, word = np.divmod(some, bits.shape[1])
    return row[inside >> 6], word[inside >> 6] * 64 + (inside & 63)
