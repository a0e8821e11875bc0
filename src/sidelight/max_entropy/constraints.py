"""Statements as constraints: bounds on weighted sums of variables.

A statement adds up *terms*, each a coefficient and a share P(E | C) or one person's probability.  An event is a
product, E = {q ⊨ conditions} × {s in values}, and C likewise, mostly without values; n(C) people are of it:

    P(E | C) in [l, u]                Σ_{E and C} x(q, s, b)  in  [l, u] · n(C)
    P(E | C) = 1                      Σ_{C, not E} x = 0, the complement, which forces every single one of them
    Σ_k c_k P(E_k | C_k) in [l, u]    Σ_k m c_k/n(C_k) · Σ_{E_k and C_k} x  in  [l, u] · m,  m = min_k n(C_k) / |c_k|
    count(S; people)                  one term for each of them; each person is one person

n(C) is known where everybody who fulfils C is, as the release prints how often each value occurs in a group: also that
of `P(sex=male | Flu)`.  Where groups print less than C asks, or C has values and only some of a group fulfil the rest
of it, n(C) = n + N is not known: n people are certain to be meant, N = Σ x over others who may be (`variables`), and

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

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sidelight.arrays import (
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
from sidelight.errors import BadKnowledge, shortened
from sidelight.knowledge.events import (
    Condition,
    ConditionalProbability,
    Event,
    HasValue,
    Summand,
    cells_in,
    condition_text,
    event_of,
    keep_conditions_on_people,
    keep_conditions_on_values,
    most_of,
)
from sidelight.knowledge.facts import Described, Someone, Who, person_text
from sidelight.max_entropy.variables import NOBODY, Blocks, Variables, cells_of
from sidelight.table.labels import Label, shown

if TYPE_CHECKING:
    from sidelight.knowledge.statements import Statement

BITS_AT_ONCE = 1 << 21
"""The number of bits, terms × parts, that are processed at a time: they should stay in a cache."""

UNUSED = -1
"""The constraint of terms whose statement is about nobody, and so constrains nothing."""

WHY_NOBODY = "nobody in the release says all of this"

ONLY_SUPPRESSED = "only suppressed rows could hold such people, and nobody is assumed to be there"


class Term(NamedTuple):
    """A share in a statement and its coefficient: of its event, or of the complement where that says more."""

    share: ConditionalProbability
    coefficient: Fraction = Fraction(1)
    others: bool = False


class LinearForm(NamedTuple):
    """The terms of a statement and their bounds, in shares; `None` is none."""

    statement: Statement
    terms: tuple[Term, ...]
    low: Fraction | None
    high: Fraction | None


def linear_form(statement: Statement) -> LinearForm:
    """Return the terms of a statement, one per person of a count; bounds that cannot be passed are None."""
    alone = len(statement.terms) == 1 and statement.noise is None
    if alone and statement.low == most_of(statement.about) and _is_one_set(statement.about):
        # a share of 1: that the complement is empty says more
        nobody = Fraction(0)
        return LinearForm(statement, tuple(_terms(statement.about, Fraction(1), others=True)), nobody, nobody)
    terms = tuple(term for coefficient, about in statement.terms for term in _terms(about, coefficient))
    # a bound that nothing can pass would only cost the solver a multiplier
    return LinearForm(statement, terms, *statement.binding)


def _is_one_set(about: Summand) -> bool:
    """Return whether an event is of values or of conditions alone, so that its complement is one too."""
    if not isinstance(about, ConditionalProbability) or not about.where:
        return True
    return not (about.values or keep_conditions_on_values(about.where)) or not keep_conditions_on_people(about.where)


def _terms(about: Summand, coefficient: Fraction, *, others: bool = False) -> Iterator[Term]:
    if isinstance(about, ConditionalProbability):
        yield Term(about, coefficient, others)
    else:
        for person in about.people:
            yield Term(ConditionalProbability(about.values, (), person), coefficient, others)


def shares_of(known: Sequence[Statement]) -> Iterator[ConditionalProbability]:
    """Yield all shares in statements."""
    return (term.share for each in known for term in linear_form(each).terms)


def conditions_of(share: ConditionalProbability) -> Event:
    """Return the conditions of a share on people, in its event and its condition."""
    of_people = keep_conditions_on_people(share.given)
    return event_of((*of_people, *keep_conditions_on_people(share.where))) if share.where else of_people


def mentioned_conditions(
    known: Sequence[Statement], described: Mapping[str, Mapping[str, object]]
) -> tuple[tuple[str, Label], ...]:
    """Return the conditions in statements, and those of the people they name, each once."""
    events = dict.fromkeys(
        event
        for share in shares_of(known)
        for event in (share.given, share.where, *([] if share.person is None else [cells_of(share.person, described)]))
    )
    return tuple(dict.fromkeys(cells_in(chain.from_iterable(events))))


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
    def concatenate(cls, supports: Sequence[TermSupport]) -> TermSupport:
        """Concatenate the support of terms, later ones behind earlier ones."""
        fields = zip(*((each.part_term, each.part, each.column_term, each.column) for each in supports), strict=True)
        return cls(*map(np.concatenate, fields))

    def restrict(self, parts: Flags, columns: Flags) -> TermSupport:
        """Return some positions of both lists."""
        return TermSupport(self.part_term[parts], self.part[parts], self.column_term[columns], self.column[columns])

    def cross(self, blocks: Blocks, row_of_part: Integers) -> tuple[Integers, Integers, Integers]:
        """Return parts paired with columns, term by term: the term, part and column of all that is in its support."""
        # by (term, group): a part meets the columns of its own term and group only
        one, other = pair_equal(
            number_runs([self.part_term, blocks.row_group[row_of_part[self.part]]]),
            number_runs([self.column_term, blocks.column_group[self.column]]),
        )
        return self.part_term[one], self.part[one], self.column[other]


def find_support(
    variables: Variables, terms: Sequence[Term], people: Mapping[Who, Integers]
) -> tuple[TermSupport, Integers, tuple[Integers, Integers]]:
    """Return the support of all terms, and the people of their conditions, whatever values their groups have.

    People: how many for certain, by term; and pairs of a term and a part of whose people some may be meant.
    """
    value_sets: dict[tuple[HasValue, ...], int] = {}  # each once
    of_term = np.array([value_sets.setdefault(_value_sets(term), len(value_sets)) for term in terms], np.int64)
    # (value sets, domain)
    member = np.array([_values_in(variables, each) for each in value_sets], bool)
    member = member.reshape(len(value_sets), len(variables.release.domain))
    # set 0 is everybody; then, for each value set, the parts whose group has one of the values
    blocks, group = variables.blocks, variables.members.group[variables.parts.row]
    having = np.zeros((1 + len(member), blocks.groups), bool)
    having[0] = True
    for inside, values in zip(having[1:], member, strict=True):
        inside[blocks.column_group[values[variables.value]]] = True
    bits, certain_bits, conditions, events = _build_sets(variables, terms, people, (each[group] for each in having))
    event, hides = np.column_stack((1 + of_term, events)), (bits != certain_bits).any(axis=1)
    # the people of a row are counted at its first part, in binary
    people_there = np.where(variables.parts.slot == 0, variables.members.people[variables.parts.row], 0)
    digits = [pack_bits((people_there >> at) & 1 == 1) for at in range(int(people_there.max()).bit_length())]
    certain = np.zeros(len(terms), np.int64)
    nothing = np.empty(0, np.int64), np.empty(0, np.int64)
    counting, possible = [nothing], [nothing]
    step = max(BITS_AT_ONCE // len(group), 1)
    for some in (slice(start, start + step) for start in range(0, len(terms), step)):
        parts = sure = _intersect_sets(bits, conditions[some])
        if hides[conditions[some]].any():  # mostly all who may be meant are
            sure = _intersect_sets(certain_bits, conditions[some])
            possible.append(_list_positions(parts & ~sure, some.start))
        # of each digit, how many rows have it
        certain[some] = sum(
            np.bitwise_count(sure & digit).sum(axis=1, dtype=np.int64) << at for at, digit in enumerate(digits)
        )
        # people who count for the size of a condition may be in a group that has none of the values
        counting.append(_list_positions(parts & _intersect_sets(bits, event[some]), some.start))
    term, part = map(np.concatenate, zip(*counting, strict=True))
    # one list of columns for all rows of a term in a group: these are crossed later
    first = np.flatnonzero(run_starts([term, group[part]]))
    within = group[part[first]]
    at, column = ranges(blocks.first_column[within], blocks.first_column[within + 1])
    column_term = term[first][at]
    kept = member[of_term[column_term], variables.value[column]]
    support = TermSupport(term, part, column_term[kept], column[kept])
    # where conditions are on values, only the release's counts say how many people they have
    given_values = np.array([bool(keep_conditions_on_values(each.share.given)) for each in terms], bool)
    term, part = map(np.concatenate, zip(*possible, strict=True))
    possible = [(term[~given_values[term]], part[~given_values[term]])]
    for number in np.flatnonzero(given_values).tolist():
        certain[number], part = _people_with_values(variables, terms[number].share.given)
        possible.append((np.full(len(part), number), part))
    term, part = map(np.concatenate, zip(*possible, strict=True))
    order = np.argsort(term, kind="stable")
    return support, certain, (term[order], part[order])


def _people_with_values(variables: Variables, event: Event) -> tuple[int, Integers]:
    """Return how many people are of an event with values for certain, and the parts of others who may be."""
    holds = _find_holding(variables, keep_conditions_on_people(event), keep_conditions_on_people(event))
    # where everybody of a group fulfils the conditions, it is printed how many have the values
    blocks, group = variables.blocks, variables.members.group[variables.parts.row]
    everybody, having = np.ones(blocks.groups, bool), np.zeros(blocks.groups, bool)
    everybody[group[~holds]] = False
    inside = _values_in(variables, keep_conditions_on_values(event))[variables.value]
    having[blocks.column_group[inside]] = True
    people = blocks.column_people[inside & everybody[blocks.column_group]].sum()
    return int(people), np.flatnonzero(holds & (having & ~everybody)[group])


def _knows_sizes(variables: Variables, form: LinearForm) -> bool:
    """Return whether the number of people of each term's condition is known."""
    for event in [term.share.given for term in form.terms if term.share.person is None]:
        if keep_conditions_on_values(event):
            if len(_people_with_values(variables, event)[1]):
                return False
            continue
        holds = _find_holding(variables, event, event)
        certain = np.logical_and.reduce([holds, *(variables.parts.certain(variables.holds(each)) for each in event)])
        if (holds & ~certain).any():
            return False
    return True


def support_of_unknown(
    variables: Variables, possible: tuple[Integers, Integers], terms: Sequence[Term], unknown: Sequence[int]
) -> TermSupport:
    """Return the support of N for some terms: everybody who may be meant, with any value or one of some."""
    first_new, starts = len(terms), variables.blocks.first_column
    supports = [TermSupport(*(np.empty(0, np.int64),) * 4)]
    for number, term in enumerate(unknown):
        part = possible[1][possible[0] == term]
        group = np.unique(variables.members.group[variables.parts.row[part]])
        _, column = ranges(starts[group], starts[group + 1])
        member = _values_in(variables, keep_conditions_on_values(terms[term].share.given))
        column, new = column[member[variables.value[column]]], first_new + number
        supports.append(TermSupport(np.full(len(part), new), part, np.full(len(column), new), column))
    return TermSupport.concatenate(supports)


def _values_in(variables: Variables, sets: Sequence[HasValue]) -> Flags:
    member = np.ones(len(variables.release.domain), bool)
    for each in sets:
        inside = np.zeros(len(member), bool)
        inside[[variables.release.groups.code_of(value) for value in each.values]] = True
        member &= inside ^ each.others
    return member


def _build_sets(
    variables: Variables, terms: Sequence[Term], people: Mapping[Who, Integers], first: Iterable[Flags]
) -> tuple[Bits, Bits, Integers, Integers]:
    """Build sets of parts, after the `first`: those that fulfil a condition, and where one person may be.

    A bit per part, for people who may be in a set and for those who surely are; then the numbers of the sets that each
    term's people are in, and of its event's conditions besides values: equally many for all, padded with set 0.
    """
    parts = variables.parts
    sets = [(packed := pack_bits(each), packed) for each in first]

    def number(names: Sequence[tuple[Any, ...]], flags: Callable[[Any], tuple[Flags, Flags]], least: int) -> Integers:
        numbers: dict[object, int] = {}
        for name in dict.fromkeys(chain.from_iterable(names)):
            numbers[name] = len(sets)
            holds, certain = flags(name)
            packed = pack_bits(holds)
            sets.append((packed, packed if certain is holds else pack_bits(certain)))
        lengths = np.array([len(each) for each in names], np.int64)
        padded = np.zeros((len(names), lengths.max(initial=least)), np.int64)
        padded[np.arange(padded.shape[1]) < lengths[:, np.newaxis]] = [*map(numbers.get, chain.from_iterable(names))]
        return padded

    def name_people(share: ConditionalProbability) -> tuple[Condition | Who | None, ...]:
        """Return the sets whose intersection are a share's people; None: in no suppressed row."""
        if share.person is not None:
            return (share.person,)
        conditions = keep_conditions_on_people(share.given)
        return (*conditions, None) if variables.leaves_suppressed_aside(conditions) else conditions

    def find_people(name: Condition | Who | None) -> tuple[Flags, Flags]:
        if isinstance(name, str | Someone | Described):
            holds = np.isin(parts.row, people[name])
            return holds, holds
        if name is None:
            return variables.printed_parts, variables.printed_parts
        holds = variables.holds(name)
        return holds, parts.certain(holds)

    def find_event(name: tuple[Event, Event, bool]) -> tuple[Flags, Flags]:
        where, looked_for, others = name
        holds = _find_holding(variables, where, looked_for) ^ others
        return holds, holds

    conditions = number([name_people(term.share) for term in terms], find_people, 1)
    events = number([_find_person_terms(term) for term in terms], find_event, 0)
    bits, certain_bits = map(np.stack, zip(*sets, strict=True))
    return bits, certain_bits, conditions, events


def _find_holding(variables: Variables, conditions: Event, looked_for: Event) -> Flags:
    """Return the parts that fulfil conditions, where people who fulfil `looked_for` are looked for."""
    holding: Flags = np.logical_and.reduce([variables.looked_for(looked_for), *map(variables.holds, conditions)])
    return holding


def _value_sets(term: Term) -> tuple[HasValue, ...]:
    """Return the sets of values of a term: of its event, and of its condition."""
    share = term.share
    event = (HasValue(share.values),) if share.values else keep_conditions_on_values(share.where)
    if term.others:
        event = tuple(HasValue(each.values, not each.others) for each in event)
    return (*event, *keep_conditions_on_values(share.given))


def _find_person_terms(term: Term) -> tuple[tuple[Event, Event, bool], ...]:
    """Return the event's conditions on people, if any; those by which they are located; whether it is a complement."""
    where = keep_conditions_on_people(term.share.where)
    return ((where, conditions_of(term.share), term.others),) if where else ()


def _intersect_sets(bits: Bits, numbers: Integers) -> Bits:
    """Intersect sets: those of each row of numbers."""
    common = bits[numbers[:, 0]]
    for each in numbers.T[1:]:
        common &= bits[each]
    return common


def _list_positions(bits: Bits, start: int) -> tuple[Integers, Integers]:
    """List the bits that are set: the row, counted from `start`, and the index in it."""
    some = np.flatnonzero(bits.ravel() != 0)
    inside = np.flatnonzero(unpack_bits(bits.ravel()[some, np.newaxis], 64))
    row, word = np.divmod(some, bits.shape[1])
    return start + row[inside >> 6], word[inside >> 6] * 64 + (inside & 63)


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
    people: dict[Who, Integers]  # every person who is named → the rows where they may be
    stated: tuple[Statement, ...]
    notes: tuple[str, ...]
    scale: Floats  # of the noise of each constraint that was measured, in people; 0: known
    laplace: Flags

    def select_statements(self, numbers: Sequence[int]) -> Constraints:
        """Return the constraints of some statements; all people who are named stay."""
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
            scale=self.scale[kept],
            laplace=self.laplace[kept],
        )


def constraints_of(variables: Variables, known: Sequence[Statement]) -> Constraints:
    """Build the constraints of statements."""
    forms: list[LinearForm] = []
    for form in map(linear_form, known):
        # a bound stands by itself where it is not known how many people a statement speaks of
        if None in (form.low, form.high) or form.low == form.high or _knows_sizes(variables, form):
            forms.append(form)
        else:
            forms += [form._replace(high=None), form._replace(low=None)]
    stated = tuple(form.statement for form in forms)
    terms = [term for form in forms for term in form.terms]
    people = _find_people(variables, terms)
    number: dict[Who | None, int] = {None: NOBODY} | {who: position for position, who in enumerate(people)}
    person = np.array([number[term.share.person] for term in terms], np.int64)
    support, certain, possible = find_support(variables, terms, people)
    of_one, unsure = person != NOBODY, np.bincount(possible[0], minlength=len(terms)) > 0
    widths = np.array([len(form.terms) for form in forms], np.int64)
    first = np.cumsum(widths) - widths
    # terms of a statement stand side by side, so that each statement is one run of terms
    nobody = np.logical_or.reduceat((certain == 0) & ~unsure, first)
    vague = np.logical_or.reduceat(unsure & ~of_one, first)
    constraint = np.repeat(np.where(nobody, UNUSED, np.cumsum(~nobody) - 1), widths)
    # by the term, of which N is taken away
    sizes, coefficient, unknown = _scale_forms(forms, np.where(of_one, 1, certain).tolist(), vague, nobody)
    statement = np.flatnonzero(~nobody)
    sized = [(forms[at], sizes[at]) for at in statement.tolist()]
    # noise is stated of a share, and measured here in people of the statement's scale
    noises = [(form.statement.noise, form.statement.scale * size) for form, size in sized]
    used, of_unknown = constraint >= 0, support_of_unknown(variables, possible, terms, [*unknown])
    return Constraints(
        TermSupport.concatenate([support.restrict(used[support.part_term], used[support.column_term]), of_unknown]),
        np.concatenate((constraint, constraint[[*unknown]])),
        np.concatenate((coefficient, np.array([*unknown.values()], float))),
        np.concatenate((person, np.full(len(unknown), NOBODY))),
        np.array([-math.inf if form.low is None else _multiply(form.low, size) for form, size in sized]),
        np.array([math.inf if form.high is None else _multiply(form.high, size) for form, size in sized]),
        statement,
        people,
        stated,
        tuple(_write_notes(variables, [stated[at] for at in np.flatnonzero(nobody)], people)),
        np.array([0.0 if noise is None else float(scale) for noise, scale in noises]),
        np.array([noise == "laplace" for noise, _ in noises], bool),
    )


def _write_notes(
    variables: Variables, about_nobody: Sequence[Statement], people: Mapping[Who, Integers]
) -> Iterator[str]:
    for each in about_nobody:
        yield f"'{each.words}' says nothing: {_why_nobody(variables, each)}"
    for who, rows in people.items():
        if cells_of(who, variables.described) and variables.suppressed[variables.members.group[rows]].all():
            name = shortened(person_text(who))
            yield f"{name} fits nothing that is printed: this rests on suppressed rows holding the person"


def _why_nobody(variables: Variables, known: Statement) -> str:
    """Write which condition nobody fulfils, if it is a single one."""
    for share in shares_of([known]):
        conditions = keep_conditions_on_people(share.given)
        for condition in conditions:
            if variables.holds(condition).any():
                continue
            if isinstance(condition, tuple):
                return f"nobody in the release says {condition[0]} '{shown(condition[1])}'"
            return f"nobody in the release fulfils '{condition_text(condition)}'"
        if conditions and variables.only_suppressed(conditions):
            return ONLY_SUPPRESSED
    return WHY_NOBODY


def _find_people(variables: Variables, terms: Sequence[Term]) -> dict[Who, Integers]:
    """Return the rows of everybody who is named; refuse more names than people with these cells."""
    who = dict.fromkeys(term.share.person for term in terms)
    people = {person: variables.rows_of(person) for person in who if person is not None}
    # people with equal cells may be in the same rows, and these count the names that compete for them
    names_of_rows = Counter(tuple(rows.tolist()) for rows in people.values())
    for rows, names in names_of_rows.items():
        people_there = int(variables.members.people[list(rows)].sum())
        if names > people_there:
            raise BadKnowledge(
                f"{names} people are named who look alike, and the release has {people_there} of them; name fewer"
            )
    return people


def _scale_forms(
    forms: Sequence[LinearForm], sizes: Sequence[int], vague: Flags, nobody: Flags
) -> tuple[list[Fraction | int], Floats, dict[int, float]]:
    """Return the number of people each statement is scaled to, the coefficients of terms, and those of N by its term.

    `sizes` are the people of terms for certain; a statement is `vague` where N more may be meant.
    """
    people: list[Fraction | int] = []
    coefficient, unknown, start = np.ones(len(sizes)), dict[int, float](), 0
    for at, form in enumerate(forms):
        own = slice(start, start + len(form.terms))
        size: Fraction | int = sizes[start]
        if vague[at] and not nobody[at]:
            _check_same_people(form)
            scale, coefficient[own] = _scale_to_people(form, [1] * len(form.terms))
            size = size * scale
            # `constraints_of` has left one bound where N is unknown
            bound = form.low if form.high is None else form.high
            if bound:
                unknown[start] = -float(bound * scale)
        elif not nobody[at] and (len(form.terms) > 1 or form.terms[0].coefficient != 1):
            size, coefficient[own] = _scale_to_people(form, sizes[own])
        people.append(size)
        start = own.stop
    return people, coefficient, unknown


def _scale_to_people(form: LinearForm, sizes: Sequence[int]) -> tuple[Fraction, list[float]]:
    """Return the size of the smallest term, and all coefficients in people of it: they stay at most 1."""
    weights = [term.coefficient / size for term, size in zip(form.terms, sizes, strict=True)]
    people = 1 / max(map(abs, weights))
    return people, [float(weight * people) for weight in weights]


def _multiply(share: Fraction, people: Fraction | int) -> float:
    """Return the product, rounded once; a quotient of whole numbers is rounded as a fraction is, but faster."""
    return (share.numerator * people.numerator) / (share.denominator * people.denominator)


def _check_same_people(form: LinearForm) -> None:
    """Refuse statements that are not linear: the people of terms differ, and their numbers are not known."""
    words = form.statement.words
    if form.statement.noise is not None:
        raise BadKnowledge(
            f"'{words}' was measured of people whose number the release does not say; state it of people who are "
            "known, such as everybody: P(Flu, sex=male)"
        )
    whom = {(term.share.given, term.share.person) for term in form.terms}
    if len(whom) > 1:
        raise BadKnowledge(
            f"'{words}' adds up or compares shares of different people, and the release prints too little to say "
            "how many those are; compare shares of the same people, or each share with a number"
        )
