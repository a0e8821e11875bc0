"""Statements as constraints: bounds on weighted sums of variables.

A statement adds up *terms*, each a coefficient and a share P(E | C) or one person's probability.  An event is a
product, E = {q ⊨ conditions} × {s in values}, and C likewise, mostly without values; n(C) people are of it:

    P(E | C) in [l, u]                Σ_{E and C} x(q, s, b)  in  [l, u] · n(C)
    P(E | C) = 1                      Σ_{C, not E} x = 0, the complement, which forces every single one of them
    Σ_k c_k P(E_k | C_k) in [l, u]    Σ_k m c_k/n(C_k) · Σ_{E_k and C_k} x  in  [l, u] · m,  m = min_k n(C_k) / |c_k|
    count(S; people)                  one term for each of them; each person is one person

n(C) is known where everybody who fulfils C is, as the release prints how often each value occurs in a group: also that
of `P(sex=male | Flu)`.  Where groups print less than C asks, or C has values and only some of a group fulfil the rest
of it, n(C) = n + N is not known: n people are certain to be meant, N = Σ x over others who may be (see `parts`), and

    Σ_k c_k P(E_k | C) in [l, u]      Σ_k c_k Σ_{E_k and C} x − l · N ≥ l · n  and  … − u · N ≤ u · n: two statements,
                                      one per bound; with several events C it is not linear, and refused

Which variables a term counts is found by `terms`.

Source: linear statements as in Du, Teng and Zhu, Privacy-MaxEnt, SIGMOD 2008; unknown n(C), counts and row sets ours.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from sidelight.arrays import Flags, Floats, Integers
from sidelight.errors import BadKnowledge
from sidelight.knowledge.events import Condition, condition_text, keep_conditions_on_people
from sidelight.knowledge.parse_statements import WordedStatement
from sidelight.knowledge.people import Who, person_text
from sidelight.knowledge.tokens import abbreviate
from sidelight.max_entropy.problem import Variables, cells_of
from sidelight.max_entropy.terms import (
    ONE,
    LinearForm,
    Term,
    TermPeople,
    TermSupport,
    find_support,
    knows_size,
    linear_form,
    shares_of,
    support_of_unknown,
)
from sidelight.release.groups import suppressed_groups
from sidelight.table.labels import shown

NOBODY = -1
"""The person of what is not about one: of terms about shares, and of variables of everybody who is not named."""

UNUSED = -1
"""The constraint of terms whose statement is about nobody, and so constrains nothing."""

WHY_NOBODY = "nobody in the release says all of this"

ONLY_SUPPRESSED = "only suppressed rows could hold such people, and nobody is assumed to be there"


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
    scale: Floats  # of the noise of each constraint that was measured, in people; 0: known
    laplace: Flags

    def select_statements(self, numbers: Sequence[int]) -> Constraints:
        """Return the constraints of some statements; whoever is mentioned stays mentioned."""
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


def constraints_of(variables: Variables, known: Sequence[WordedStatement]) -> Constraints:
    """Build the constraints of statements."""
    drafted = [*_split_bounds(variables, known)]
    stated, forms = tuple(each for each, _ in drafted), [form for _, form in drafted]
    terms = [term for form in forms for term in form.terms]
    people = _rows_of_people(variables, terms)
    number: dict[Who | None, int] = {None: NOBODY} | {who: position for position, who in enumerate(people)}
    person = np.array([number[term.share.person] for term in terms], np.int64)
    support, meant = find_support(variables, terms, people)
    draft = _Draft(stated, forms, meant, person)
    used = draft.constraint >= 0
    unknown = support_of_unknown(variables, meant, terms, draft.unknown_term)
    about_nobody = (stated[at] for at in draft.about_nobody)
    return Constraints(
        TermSupport.concatenate([support.restrict(used[support.part_term], used[support.column_term]), unknown]),
        np.concatenate((draft.constraint, np.array(draft.unknown_constraint, np.int64))),
        np.concatenate((draft.coefficient, np.array(draft.unknown_coefficient, float))),
        np.concatenate((person, np.full(len(draft.unknown_term), NOBODY))),
        draft.low,
        draft.high,
        draft.statement,
        people,
        stated,
        (
            *(f"'{each.words}' says nothing: {_why_nobody(variables, each)}" for each in about_nobody),
            *_notes_on_suppressed(variables, people),
        ),
        draft.scale,
        draft.laplace,
    )


def _why_nobody(variables: Variables, known: WordedStatement) -> str:
    """Return which condition nobody fulfils, if it is one by itself."""
    for share in shares_of([known]):
        conditions = keep_conditions_on_people(share.given)
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
            name = abbreviate(person_text(who))
            yield f"{name} fits nothing that is printed: this rests on suppressed rows holding the person"


def _split_bounds(
    variables: Variables, known: Sequence[WordedStatement]
) -> Iterator[tuple[WordedStatement, LinearForm]]:
    """Yield each bound by itself where it is not known how many people a statement speaks of."""
    for each in known:
        form = linear_form(each.statement)
        if form.has_two_bounds and not _knows_sizes(variables, form):
            yield each, form._replace(high=None)
            yield each, form._replace(low=None)
        else:
            yield each, form


def _knows_sizes(variables: Variables, form: LinearForm) -> bool:
    return all(term.share.person is not None or knows_size(variables, term.share.given) for term in form.terms)


def _rows_of_people(variables: Variables, terms: Sequence[Term]) -> dict[Who, Integers]:
    """Return the rows of everybody who is mentioned; refuse more names than people who look like that."""
    who = dict.fromkeys(term.share.person for term in terms)
    people = {person: variables.rows_of(person) for person in who if person is not None}
    # people who look the same may be in the same rows, and these count the names that compete for them
    names_of_rows = Counter(tuple(rows.tolist()) for rows in people.values())
    for rows, names in names_of_rows.items():
        people_there = int(variables.members.people[list(rows)].sum())
        if names > people_there:
            message = f"{names} people are named who look alike, and the release has {people_there} of them; name fewer"
            raise BadKnowledge(message)
    return people


class _Draft:
    """The constraints of statements, given of whom each of their terms speaks, and which of them are of one person."""

    def __init__(
        self, known: Sequence[WordedStatement], forms: Sequence[LinearForm], meant: TermPeople, person: Integers
    ) -> None:
        possible = np.bincount(meant.term, minlength=len(person)) > 0
        of_one = person != NOBODY
        widths = np.array([len(form.terms) for form in forms], np.int64)
        first = np.cumsum(widths) - widths
        # terms of a statement stand side by side, so that each statement is one run of terms
        nobody = np.logical_or.reduceat((meant.certain == 0) & ~possible, first)
        vague = np.logical_or.reduceat(possible & ~of_one, first)
        self.about_nobody, self.statement = np.flatnonzero(nobody), np.flatnonzero(~nobody)
        number = np.where(nobody, UNUSED, np.cumsum(~nobody) - 1)
        self.constraint, self.coefficient = np.repeat(number, widths), np.ones(len(person))
        self.unknown_term: list[int] = []  # terms t of which N is taken away, in the order of the terms that do so
        self.unknown_constraint: list[int] = []
        self.unknown_coefficient: list[float] = []
        sizes, starts = np.where(of_one, 1, meant.certain).tolist(), first.tolist()
        people: list[Fraction | int] = [sizes[start] for start in starts]
        alone = np.array([len(form.terms) == 1 and form.terms[0].coefficient is ONE for form in forms], bool)
        for at in np.flatnonzero((vague | ~alone) & ~nobody).tolist():
            form, start = forms[at], starts[at]
            places = slice(start, start + len(form.terms))
            if not vague[at]:
                people[at], self.coefficient[places] = _scale_to_people(form, sizes[places])
                continue
            _check_same_people(known[at], form)
            scale, self.coefficient[places] = _scale_to_people(form, [1] * len(form.terms))
            people[at] = sizes[start] * scale
            # _split_bounds has left one bound where N is unknown
            bound = form.low if form.high is None else form.high
            if bound:
                self.unknown_term.append(start)
                self.unknown_constraint.append(int(number[at]))
                self.unknown_coefficient.append(-float(bound * scale))
        sized = [(forms[at], people[at]) for at in self.statement.tolist()]
        bounds = [_bounds(form, size) for form, size in sized]
        self.low, self.high = np.array(bounds, float).reshape(-1, 2).T.copy()
        self.scale, self.laplace = np.zeros(len(sized)), np.zeros(len(sized), bool)
        # noise is stated of a share, and measured here in people of the statement's scale
        for at, (form, size) in enumerate(sized):
            if form.measured is not None:
                self.scale[at], self.laplace[at] = float(form.measured.scale * size), form.measured.noise == "laplace"


def _scale_to_people(form: LinearForm, sizes: Sequence[int]) -> tuple[Fraction, list[float]]:
    """Return the size of the smallest term, and all coefficients in people of it: they stay at most 1."""
    weights = [term.coefficient / size for term, size in zip(form.terms, sizes, strict=True)]
    people = 1 / max(map(abs, weights))
    return people, [float(weight * people) for weight in weights]


def _bounds(form: LinearForm, people: Fraction | int) -> tuple[float, float]:
    """Return the bounds in people."""
    low = -math.inf if form.low is None else _product(form.low, people)
    return low, low if form.exact else math.inf if form.high is None else _product(form.high, people)


def _product(share: Fraction, people: Fraction | int) -> float:
    """Return the product, rounded once; a quotient of whole numbers is rounded as a fraction is, but faster."""
    return (share.numerator * people.numerator) / (share.denominator * people.denominator)


def _check_same_people(known: WordedStatement, form: LinearForm) -> None:
    """Refuse what is not linear: the numbers of people whom terms are about differ, and are not known."""
    if form.measured is not None:
        message = (
            f"'{known.words}' was measured of people whose number the release does not say; state it of people who are "
            "known, such as everybody: P(Flu, sex=male)"
        )
        raise BadKnowledge(message)
    whom = {(term.share.given, term.share.person) for term in form.terms}
    if len(whom) > 1:
        message = (
            f"'{known.words}' adds up or compares shares of different people, and the release prints too little to say "
            "how many those are; compare shares of the same people, or each share with a number"
        )
        raise BadKnowledge(message)
