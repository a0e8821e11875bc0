"""Statements: what somebody with statistics may know, such as "30 % of the men have it".

A statement is about the share of some people who have a value, Pr(value | what the people say), about one person's
probability of it, or about how many of some people have it:

    low <= probability or headcount <= high     `IntervalStatement`; a number that is known exactly has low = high
    probability <= or = probability             `ComparisonStatement`

In Python they are made by comparing `P(…)` or `count(…)`; their text is read by `parse_statements`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from numbers import Real
from typing import Literal, NoReturn, TypeAlias

from sidelight._rounding import exact_number
from sidelight.errors import BadKnowledge, NotTrueOrFalse
from sidelight.knowledge.people import Who, as_who, person_text
from sidelight.knowledge.tokens import quote
from sidelight.table.labels import Label, label

Number: TypeAlias = int | float | Fraction | Decimal


@dataclass(frozen=True, slots=True)
class ConditionalProbability:
    """Pr(a value | what people say), which is the share of those who say so and have it, or one person's probability.

    >>> print(ConditionalProbability(("Flu", "HIV"), (("age", "30"),)))
    P(Flu or HIV | age=30)
    """

    values: tuple[Label, ...]
    given: tuple[tuple[str, Label], ...] = ()  # column, what the people say there; sorted by column
    person: Who | None = None

    def __str__(self) -> str:
        who = f"person={person_text(self.person)}" if self.person is not None else _condition(self.given)
        return f"P({_values(self.values)}{' | ' if who else ''}{who})"


@dataclass(frozen=True, slots=True)
class Headcount:
    """How many of some people have a value."""

    values: tuple[Label, ...]
    people: tuple[Who, ...]

    def __str__(self) -> str:
        return f"count({_values(self.values)}; {', '.join(map(person_text, self.people))})"


class Statement:
    """Something that somebody with statistics may know: made by comparing `P(…)` or `count(…)`, or read from text.

    Its text (`str`) is read back by `read_statement` as the same statement.
    """

    __slots__ = ()

    def __bool__(self) -> NoReturn:
        message = (
            f"'{self}' is something that somebody may know, not true or false here; "
            "give it to maxent(knowing=…), and write .between(low, high) for a statement with two bounds"
        )
        raise NotTrueOrFalse(message)


@dataclass(frozen=True, slots=True)
class IntervalStatement(Statement):
    """A probability, or a number of people, lies between two bounds; exactly known when they are the same.

    >>> print(IntervalStatement(ConditionalProbability(("Flu",)), Fraction(1, 5), Fraction(2, 5)))
    0.2 <= P(Flu) <= 0.4
    """

    about: ConditionalProbability | Headcount
    low: Fraction
    high: Fraction

    def __post_init__(self) -> None:
        most = most_of(self.about)
        for bound in (self.low, self.high):
            if not 0 <= bound <= most:
                message = f"'{self}' is out of range; {self.about} lies between 0 and {most}"
                raise BadKnowledge(message)
        if self.low > self.high:
            message = f"'{self}' cannot be; give the smaller bound first"
            raise BadKnowledge(message)

    @property
    def exact(self) -> bool:
        """Whether it is known exactly."""
        return self.low == self.high

    def __str__(self) -> str:
        most = most_of(self.about)
        if self.exact:
            return f"{self.about} = {number_text(self.low)}"
        if self.low == 0:
            return f"{self.about} <= {number_text(self.high)}"
        if self.high == most:
            return f"{self.about} >= {number_text(self.low)}"
        return f"{number_text(self.low)} <= {self.about} <= {number_text(self.high)}"


@dataclass(frozen=True, slots=True)
class Rule(IntervalStatement):
    """A rule mined from a table: of `support` people who say `given`, this share has the value.

    >>> print(Rule(ConditionalProbability(("Flu",), (("sex", "male"),)), Fraction(1), Fraction(1), support=3))
    P(Flu | sex=male) = 1
    """

    support: int = 0
    kind: Literal["has", "has not"] = "has"  # whether it is strong because they have the value, or because they do not


@dataclass(frozen=True, slots=True)
class ComparisonStatement(Statement):
    """One probability is at most, or the same as, another.

    >>> men = (("sex", "male"),)
    >>> print(ComparisonStatement(ConditionalProbability(("Flu",), men), ConditionalProbability(("HIV",), men)))
    P(Flu | sex=male) <= P(HIV | sex=male)
    """

    one: ConditionalProbability
    other: ConditionalProbability
    sign: Literal["<=", "="] = "<="

    def __str__(self) -> str:
        return f"{self.one} {self.sign} {self.other}"


def conditional_probability(
    values: tuple[Label, ...], given: Mapping[str, object], person: object = None
) -> ConditionalProbability:
    """Put together what a statement is about."""
    if not values:
        message = "P() names no value; write P(value, column=cell)"
        raise BadKnowledge(message)
    if person is not None and given:
        message = "a statement is about a person or about everybody who says something, not both; leave one out"
        raise BadKnowledge(message)
    cells = tuple(sorted((str(column), label(cell)) for column, cell in given.items()))
    return ConditionalProbability(tuple(dict.fromkeys(values)), cells, None if person is None else as_who(person))


def headcount(values: tuple[Label, ...], people: tuple[Who, ...]) -> Headcount:
    """Put together what a count is about."""
    if not values or not people:
        message = "count() needs a value and at least one person; write count(value, person, person)"
        raise BadKnowledge(message)
    if len({*people}) < len(people):
        message = "count() names a person twice; name each one once"
        raise BadKnowledge(message)
    return Headcount(tuple(dict.fromkeys(values)), people)


def around(about: ConditionalProbability | Headcount, number: Fraction, give_or_take: Fraction) -> IntervalStatement:
    """Say that something is a number, more or less; what is below 0 or above 1 is cut off."""
    most = most_of(about)
    if not 0 <= number <= most or give_or_take < 0:
        message = f"{about} lies between 0 and {most}, give or take at least 0"
        raise BadKnowledge(message)
    return IntervalStatement(about, max(number - give_or_take, Fraction(0)), min(number + give_or_take, most))


def most_of(about: ConditionalProbability | Headcount) -> Fraction:
    """Give the most that it could be."""
    return Fraction(len(about.people) if isinstance(about, Headcount) else 1)


def number_text(number: Fraction) -> str:
    """Write a number so that it is read again as it is: in decimal where that is short.

    >>> number_text(Fraction(3, 10)), number_text(Fraction(1, 3)), number_text(Fraction(2))
    ('0.3', '1/3', '2')
    """
    places = next((places for places in range(1, 13) if 10**places % number.denominator == 0), None)
    if number.denominator == 1 or places is None:
        return str(number)
    return f"{Decimal(number.numerator * (10**places // number.denominator)).scaleb(-places):f}"


def _values(values: tuple[Label, ...]) -> str:
    return " or ".join(quote(value) for value in values)


def _condition(given: tuple[tuple[str, Label], ...]) -> str:
    named = [('"person"' if column == "person" else quote(column), cell) for column, cell in given]
    return ", ".join(f"{column}={quote(cell)}" for column, cell in named)


class Quantity:
    """Something to compare with a number: the comparison is a statement, not true or false."""

    __slots__ = ("about",)
    about: ConditionalProbability | Headcount

    def between(self, low: Number, high: Number) -> Statement:
        """Say that it lies between two bounds.

        >>> print(P("Flu").between(0.2, 0.4))
        0.2 <= P(Flu) <= 0.4
        """
        return IntervalStatement(self.about, as_fraction(low), as_fraction(high))

    def around(self, number: Number, *, give_or_take: Number) -> Statement:
        """Say that it is this number, more or less.

        >>> print(P("Flu").around(0.3, give_or_take=0.1))
        0.2 <= P(Flu) <= 0.4
        """
        return around(self.about, as_fraction(number), as_fraction(give_or_take))

    def __eq__(self, other: object) -> Statement:  # type: ignore[override]
        if isinstance(other, Quantity):
            return ComparisonStatement(_compared(self), _compared(other), "=")
        return self.between(other, other) if _is_number(other) else NotImplemented  # type: ignore[arg-type]

    def __le__(self, other: Number | P) -> Statement:
        if isinstance(other, Quantity):
            return ComparisonStatement(_compared(self), _compared(other))
        return IntervalStatement(self.about, Fraction(0), as_fraction(other))

    def __ge__(self, other: Number | P) -> Statement:
        if isinstance(other, Quantity):
            return ComparisonStatement(_compared(other), _compared(self))
        return IntervalStatement(self.about, as_fraction(other), most_of(self.about))

    def __lt__(self, other: object) -> NoReturn:
        self._refuse_strict()

    def __gt__(self, other: object) -> NoReturn:
        self._refuse_strict()

    def _refuse_strict(self) -> NoReturn:
        message = f"{self.about} cannot be strictly below or above something; write <= or >="
        raise BadKnowledge(message)

    def __bool__(self) -> NoReturn:
        message = f"{self.about} is not true or false; compare it with a number: == <= >= or .between(low, high)"
        raise NotTrueOrFalse(message)

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return str(self.about)


class P(Quantity):
    """How large is the share of the people who say something that has a value?  Compare it to make a statement.

    Columns are named by keywords, or, where their names are odd, by `given`; `person` asks about one person.
    Several values are joined by "or".

    >>> print(P("Flu", sex="male") == 0.3)
    P(Flu | sex=male) = 0.3
    >>> print(P("Flu", "HIV", given={"marital-status": "Divorced"}) >= Fraction(1, 3))
    P(Flu or HIV | marital-status=Divorced) >= 1/3
    >>> print(P("Flu", person="Alice") == 0.2)
    P(Flu | person=Alice) = 0.2
    """

    __slots__ = ()

    def __init__(
        self, *values: object, given: Mapping[str, object] | None = None, person: object = None, **columns: object
    ) -> None:
        self.about = conditional_probability(_listed(values), {**(given or {}), **columns}, person)


class Count(Quantity):
    """How many of some people have a value; made by `count`."""

    __slots__ = ()

    def __init__(self, about: Headcount) -> None:
        self.about = about


def count(value: object, *people: object) -> Count:
    """How many of these people have a value (or one of a list of values)?  Compare it to make a statement.

    In expectation: the sum of each one's probability.

    >>> print(count("HIV", "Alice", "Bob", "Charlie") >= 2)
    count(HIV; Alice, Bob, Charlie) >= 2
    """
    return Count(headcount(_listed((value,)), tuple(as_who(person) for person in people)))


def as_fraction(number: object) -> Fraction:
    """Take a number to mean what it says in decimal: 0.1 is 1/10."""
    if not _is_number(number) or not math.isfinite(number):  # type: ignore[arg-type]
        message = "a share is compared with a number, or with another P(…)"
        raise BadKnowledge(message)
    return Fraction(exact_number(number, BadKnowledge, "a share"))


def _is_number(thing: object) -> bool:
    return isinstance(thing, Real | Decimal) and not isinstance(thing, bool)


def _compared(quantity: Quantity) -> ConditionalProbability:
    if isinstance(quantity.about, ConditionalProbability):
        return quantity.about
    message = f"{quantity.about} is compared with a number, not with another count"
    raise BadKnowledge(message)


def _listed(values: tuple[object, ...]) -> tuple[Label, ...]:
    return tuple(label(one) for each in values for one in (each if isinstance(each, list | tuple | set) else (each,)))
