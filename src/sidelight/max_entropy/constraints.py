"""Statements as constraints: bounds on weighted sums of variables.

A statement adds up *terms*, each a coefficient and a share P(E | C) or one person's probability.  An event is a product,
E = {q ⊨ conditions} × {s in values}, and C likewise, mostly without values; n(C) people are of it:

    P(E | C) in [l, u]                Σ_{E and C} x(q, s, b)  in  [l, u] · n(C)
    P(E | C) = 1                      Σ_{C, not E} x = 0, the complement, which forces every single one of them
    Σ_k c_k P(E_k | C_k) in [l, u]    Σ_k m c_k/n(C_k) · Σ_{E_k and C_k} x  in  [l, u] · m,  m = min_k n(C_k) / |c_k|
    count(S; people)                  one term for each of them; each person is one person

n(C) is known where everybody who fulfils C is, as the release prints how often each value occurs in a group: also that
of `P(sex=male | Flu)`.  Where groups print less than C asks, or C has values and only some of a group fulfil the rest of
it, n(C) = n + N is not known: n people are certain to be meant, N = Σ x over all others who may be (see `parts`), and

    Σ_k c_k P(E_k | C) in [l, u]      Σ_k c_k Σ_{E_k and C} x − l · N ≥ l · n  and  … − u · N ≤ u · n: two statements,
                                      one per bound; with several events C it is not linear, and refused

A term's *support* is a product within each group: the parts that fulfil the conditions × the columns of the values.  So
the parts and the columns of all terms are listed, never their product, until the quotient has made both few.

Support is found for all terms at once: every elementary condition is a set of parts, one bit per part, and the parts of
a term are the bitwise and of its conditions; how many people are certain is counted digit by digit of the row sizes in
binary, Σ_d 2^d · popcount(rows ∧ digit_d).  Cost: terms × conditions × parts / 64 words.

Source: linear statements as in Du, Teng and Zhu, Privacy-MaxEnt, SIGMOD 2008; unknown n(C), counts and row sets ours.
"""

from __future__ import annotations

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
from sidelight.knowledge.events import (
    Condition,
    Event,
    HasValue,
    about_people,
    about_values,
    all_hold,
    cells_in,
    condition_text,
    event_of,
    negate,
)
from sidelight.knowledge.parse_statements import WordedStatement
from sidelight.knowledge.people import Described, Someone, Who, person_text
from sidelight.knowledge.statements import (
    ComparisonStatement,
    ConditionalProbability,
    IntervalStatement,
    LinearStatement,
    Statement,
    Summand,
    most_of,
    statement_of,
)
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
    """A share that a statement adds up, so many times: of its event, or of the complement where that says more."""

    share: ConditionalProbability
    coefficient: Fraction = Fraction(1)
    others: bool = False

    @property
    def value_sets(self) -> tuple[HasValue, ...]:
        """The sets that values are in: of the event, and of those of whom it is asked."""
        event = about_values(self.share.event)
        if self.others:
            event = tuple(HasValue(each.values, not each.others) for each in event)
        return (*event, *about_values(self.share.given))

    @property
    def where(self) -> Event:
        """The conditions of the event."""
        conditions = about_people(self.share.where)
        return (negate(all_hold(conditions)),) if self.others and conditions else conditions


@dataclass(frozen=True, slots=True)
class LinearForm:
    """What a statement bounds: terms and their bounds, in shares; `None` is none."""

    terms: tuple[Term, ...]
    low: Fraction | None
    high: Fraction | None

    @property
    def exact(self) -> bool:
        """Whether the two bounds are one."""
        return self.low is not None and self.low == self.high


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
    return (term.share for each in known for term in _linear_form(each.statement).terms)


def conditions_of(share: ConditionalProbability) -> Event:
    """List what a share says of people, in its event and of those whom it is about."""
    return about_people(event_of((*share.given, *share.where)))


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


def constraints_of(variables: Variables, known: Sequence[WordedStatement]) -> Constraints:
    """Write statements as constraints."""
    stated = tuple(half for each in known for half in _by_bound(variables, each))
    forms = [_linear_form(each.statement) for each in stated]
    terms = [term for form in forms for term in form.terms]
    people = _rows_of_people(variables, terms)
    number = {who: position for position, who in enumerate(people)}
    support, meant = find_support(variables, terms, people)
    draft = _Draft(stated, forms, meant)
    used = draft.constraint[: len(terms)] >= 0
    unknown = _of_unknown_people(variables, meant, terms, draft.unknown_term)
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
        conditions = about_people(share.given)
        for condition in conditions:
            if not variables.holds(condition).any():
                return _nobody_says(condition)
        if conditions and variables.only_suppressed(conditions):
            return ONLY_SUPPRESSED
    return WHY_NOBODY


def _nobody_says(condition: Condition) -> str:
    if isinstance(condition, tuple):
        return f"nobody in the release says {condition[0]} '{shown(condition[1])}'"
    return f"nobody in the release fulfils '{condition_text(condition)}'"


def _notes_on_suppressed(variables: Variables, people: Mapping[Who, Integers]) -> Iterator[str]:
    suppressed = suppressed_groups(variables.release.groups)
    for who, rows in people.items():
        if cells_of(who, variables.described) and suppressed[variables.members.group[rows]].all():
            name = in_short(person_text(who))
            yield f"{name} fits nothing that is printed: this rests on suppressed rows holding the person"


def _by_bound(variables: Variables, known: WordedStatement) -> tuple[WordedStatement, ...]:
    """Say each bound by itself where it is not known how many people a statement speaks of."""
    form = _linear_form(known.statement)
    if form.low is None or form.high is None or form.exact:
        return (known,)
    if all(term.share.person is not None or _knows_size(variables, term.share.given) for term in form.terms):
        return (known,)
    terms = tuple((term.coefficient, term.share) for term in form.terms)
    return tuple(
        WordedStatement(statement_of(terms, low, high), known.words)
        for low, high in ((form.low, None), (None, form.high))
    )


def _knows_size(variables: Variables, given: Event) -> bool:
    """Say whether it is known how many people are of an event."""
    parts, conditions = variables.parts, about_people(given)
    holds = variables.looked_for(conditions)
    certain = holds.copy()
    for condition in conditions:
        holds &= variables.holds(condition)
        certain &= variables.certain(condition)
    if about_values(given):
        holds &= ~_whole_groups(variables, certain)[variables.members.group[parts.row]]
        return not holds.any()
    return not (holds & ~certain).any()


def _whole_groups(variables: Variables, certain: Flags) -> Flags:
    """Say in which groups everybody is certain to be meant."""
    whole = np.ones(variables.blocks.groups, bool)
    whole[variables.members.group[variables.parts.row[~certain]]] = False
    return whole


def _of_unknown_people(
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


def _linear_form(statement: Statement) -> LinearForm:
    """List all that a statement speaks of; a count speaks of each person, and a bound that cannot be passed is none."""
    if isinstance(statement, ComparisonStatement):
        terms = Term(statement.one), Term(statement.other, Fraction(-1))
        return LinearForm(terms, Fraction(0) if statement.sign == "=" else None, Fraction(0))
    if isinstance(statement, LinearStatement):
        parts = tuple(part for coefficient, about in statement.terms for part in _terms(about, coefficient))
        return LinearForm(parts, statement.low, statement.high)
    assert isinstance(statement, IntervalStatement)
    about, most = statement.about, most_of(statement.about)
    if statement.low == most and not (isinstance(about, ConditionalProbability) and about.values and about.where):
        # all of them are: that nobody is anything else says more at once
        return LinearForm(tuple(_terms(about, Fraction(1), others=True)), Fraction(0), Fraction(0))
    low = None if statement.low == 0 and not statement.exact else statement.low
    high = None if statement.high == most and not statement.exact else statement.high
    return LinearForm(tuple(_terms(about, Fraction(1))), low, high)


def _terms(about: Summand, coefficient: Fraction, *, others: bool = False) -> Iterator[Term]:
    if isinstance(about, ConditionalProbability):
        yield Term(about, coefficient, others)
        return
    for person in about.people:
        yield Term(ConditionalProbability(about.values, (), person), coefficient, others)


def _rows_of_people(variables: Variables, terms: Sequence[Term]) -> dict[Who, Integers]:
    """Find everybody who is mentioned; refuses more names than there are people who look like that."""
    who = dict.fromkeys(term.share.person for term in terms)
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

    def __init__(self, known: Sequence[WordedStatement], forms: Sequence[LinearForm], meant: TermPeople) -> None:
        self.bounds: list[tuple[float, float]] = []
        self.statement: list[int] = []
        self.about_nobody: list[int] = []
        self.unknown_term: list[int] = []  # terms t of which N is taken away, in the order of the terms that do so
        self._unknown: list[tuple[int, float]] = []  # the constraint and the coefficient of each of those
        sizes = meant.certain.tolist()
        possible = np.bincount(meant.term, minlength=len(sizes)) > 0
        self.constraint, self.coefficient = np.full(len(sizes), UNUSED), np.ones(len(sizes))
        start = 0
        for number, (each, form) in enumerate(zip(known, forms, strict=True)):
            start, places = start + len(form.terms), slice(start, start + len(form.terms))
            if any(size == 0 and not more for size, more in zip(sizes[places], possible[places], strict=True)):
                self.about_nobody.append(number)
            elif any(
                more and term.share.person is None for term, more in zip(form.terms, possible[places], strict=True)
            ):
                _check_same_people(each, form)
                self._add_unknown(number, form, places, sizes[places.start])
            else:
                self._add(number, form, places, sizes[places])
        self.constraint = np.append(self.constraint, [at for at, _ in self._unknown]).astype(np.int64)
        self.coefficient = np.append(self.coefficient, [weight for _, weight in self._unknown])

    def _begin(self, number: int, places: slice, bounds: tuple[float, float]) -> None:
        self.constraint[places] = len(self.statement)
        self.statement.append(number)
        self.bounds.append(bounds)

    def _add(self, number: int, form: LinearForm, places: slice, certain: list[int]) -> None:
        sizes = [size if term.share.person is None else 1 for term, size in zip(form.terms, certain, strict=True)]
        weights = [term.coefficient / size for term, size in zip(form.terms, sizes, strict=True)]
        # in people of the smallest term: coefficients stay at most 1
        people = 1 / max(map(abs, weights))
        self.coefficient[places] = [float(weight * people) for weight in weights]
        self._begin(number, places, _bounds(form, people))

    def _add_unknown(self, number: int, form: LinearForm, places: slice, certain: int) -> None:
        """Write a statement about n people and all those who may be meant besides."""
        scale = 1 / max(abs(term.coefficient) for term in form.terms)
        self.coefficient[places] = [float(term.coefficient * scale) for term in form.terms]
        bound = form.low if form.high is None else form.high
        if bound:
            self._unknown.append((len(self.statement), -float(bound * scale)))
            self.unknown_term.append(places.start)
        self._begin(number, places, _bounds(form, certain * scale))


def _bounds(form: LinearForm, people: Fraction) -> tuple[float, float]:
    """Give the bounds in people."""
    low = -np.inf if form.low is None else float(form.low * people)
    return low, np.inf if form.high is None else float(form.high * people)


def _check_same_people(known: WordedStatement, form: LinearForm) -> None:
    """Refuse what is not linear: the numbers of people whom terms are about differ, and are not known."""
    whom = {(term.share.given, term.share.person) for term in form.terms}
    if len(whom) > 1:
        message = (
            f"'{known.words}' adds up or compares shares of different people, and the release prints too little to say "
            "how many those are; compare shares of the same people, or each share with a number"
        )
        raise BadKnowledge(message)


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
    holds, certain = variables.looked_for(about_people(given)).copy(), np.ones(len(variables.parts.row), bool)
    for condition in about_people(given):
        holds &= variables.holds(condition)
    certain &= holds
    whole = _whole_groups(variables, certain)
    inside = _values_in(variables, about_values(given))[variables.value]
    people = variables.blocks.column_people[inside & whole[variables.blocks.column_group]].sum()
    group = variables.members.group[variables.parts.row]
    has_some = np.zeros(variables.blocks.groups, bool)
    has_some[variables.blocks.column_group[inside]] = True
    return int(people), np.flatnonzero(holds & ~whole[group] & has_some[group])


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
        self.where = _padded([[self._number(condition) for condition in term.where] for term in terms])
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
        parts = self.variables.looked_for(conditions)
        if parts.all():
            return []
        if PRINTED not in self.number:
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
