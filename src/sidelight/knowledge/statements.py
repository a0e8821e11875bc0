"""Statements: what somebody with statistics may know, such as "30 % of the men have it".

A statement bounds a linear combination of *summands*: shares P(E | C) of the people of an event C who are of an event E
as well (`events`), one person's probability of a value, or how many of some people have it:

    low <= summand <= high                            `IntervalStatement`; a number that is known exactly has low = high
    share <= or = share                               `ComparisonStatement`
    low <= Σ coefficient · summand <= high            `LinearStatement`, for all that is neither of the two
    Σ coefficient · summand ~ noise(value, scale)     `MeasuredStatement`: what was measured, with noise

In Python they are made by adding up and comparing `P(…)` and `count(…)`; their text is read by `parse_statements`.
What is said in either way is brought to one form by `statement_of`, so that equal words are equal statements.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from numbers import Real
from typing import TYPE_CHECKING, Literal, NoReturn, TypeAlias

from sidelight.errors import BadKnowledge, NotTrueOrFalse, is_one_of
from sidelight.knowledge.events import (
    Event,
    HasValue,
    as_columns,
    as_event,
    event_of,
    event_text,
    keep_conditions_on_people,
    keep_conditions_on_values,
)
from sidelight.knowledge.facts import Who, as_label, as_who, person_text
from sidelight.knowledge.tokens import number_text
from sidelight.rounding import exact_number

if TYPE_CHECKING:
    from sidelight.table.labels import Label

Number: TypeAlias = int | float | Fraction | Decimal


@dataclass(frozen=True, slots=True)
class ConditionalProbability:
    """Pr(event | what people say), which is the share of those who say so and are of it, or one person's probability.

    The event is to have one of the `values`, and to fulfil the conditions `where`; no values: whatever they have.

    >>> print(ConditionalProbability(("Flu", "HIV"), (("age", "30"),)))
    P(Flu or HIV | age=30)
    >>> print(ConditionalProbability((), (HasValue(("Flu",)),), where=(("sex", "male"),)))
    P(sex=male | Flu)
    """

    values: tuple[Label, ...]
    given: Event = ()
    person: Who | None = None
    where: Event = ()

    @property
    def event(self) -> Event:
        """All that the event is made of."""
        return event_of([*([HasValue(self.values)] if self.values else []), *self.where])

    def __str__(self) -> str:
        who = f"person={person_text(self.person)}" if self.person is not None else event_text(self.given)
        return f"P({event_text(self.event)}{' | ' if who else ''}{who})"


@dataclass(frozen=True, slots=True)
class Headcount:
    """How many of some people have a value."""

    values: tuple[Label, ...]
    people: tuple[Who, ...]

    def __str__(self) -> str:
        return f"count({event_text((HasValue(self.values),))}; {', '.join(map(person_text, self.people))})"


Summand: TypeAlias = ConditionalProbability | Headcount
"""What a statement adds up."""

Terms: TypeAlias = tuple[tuple[Fraction, Summand], ...]
"""A linear combination: coefficients, none of them 0, and summands, each once."""


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

    about: Summand
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
        return self.low is self.high or self.low == self.high

    def __str__(self) -> str:
        most = most_of(self.about)
        if self.exact or self.low == 0 or self.high == most:
            sign, bound = ("=", self.low) if self.exact else ("<=", self.high) if self.low == 0 else (">=", self.low)
            return f"{self.about} {sign} {number_text(bound)}"
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


@dataclass(frozen=True, slots=True)
class LinearStatement(Statement):
    """A linear combination lies between two bounds; `None` is no bound.  The first coefficient is positive.

    >>> print(P("Flu", sex="male") + 2 * P("HIV", sex="male") - P("Flu") <= 0.5)
    P(Flu | sex=male) + 2 * P(HIV | sex=male) - P(Flu) <= 0.5
    """

    terms: Terms
    low: Fraction | None
    high: Fraction | None

    def __post_init__(self) -> None:
        least, most = _reach(self.terms)
        if (self.low is not None and self.low > most) or (self.high is not None and self.high < least):
            message = f"'{self}' is out of range; its left side lies between {least} and {most}"
            raise BadKnowledge(message)
        if self.low is not None and self.high is not None and self.low > self.high:
            message = f"'{self}' cannot be; give the smaller bound first"
            raise BadKnowledge(message)

    @property
    def exact(self) -> bool:
        """Whether it is known exactly."""
        return self.low is not None and self.low == self.high

    def __str__(self) -> str:
        combination = expression_text(self.terms)
        if self.low is None or self.high is None or self.exact:
            sign, bound = ("<=", self.high) if self.low is None else ("=" if self.exact else ">=", self.low)
            return f"{combination} {sign} {number_text(bound or Fraction(0))}"
        return f"{number_text(self.low)} <= {combination} <= {number_text(self.high)}"


Noise: TypeAlias = Literal["normal", "laplace"]
"""How far a measurement may be off: by its standard deviation, or by the scale of a Laplace (or geometric) noise."""


@dataclass(frozen=True, slots=True)
class MeasuredStatement(Statement):
    """A linear combination was measured, with noise: a likelihood, and no bound.

    >>> print(P("Flu", sex="male").measured(0.3, scale=0.05, noise="laplace"))
    P(Flu | sex=male) ~ laplace(0.3, 0.05)
    """

    terms: Terms
    value: Fraction
    scale: Fraction
    noise: Noise

    def __post_init__(self) -> None:
        if not is_one_of(self.noise, Noise) or self.scale <= 0:
            message = "noise is normal or laplace, of a scale above 0; write P(Flu | sex=male) ~ normal(0.3, 0.05)"
            raise BadKnowledge(message)
        if not self.terms:
            message = "nothing is measured here; say something about a share or a count"
            raise BadKnowledge(message)

    def __str__(self) -> str:
        numbers = f"{number_text(self.value)}, {number_text(self.scale)}"
        return f"{expression_text(self.terms)} ~ {self.noise}({numbers})"


def statement_of(terms: Terms, low: Fraction | None, high: Fraction | None) -> Statement:
    """Return the statement that bounds a linear combination, in its normal form; `None` is no bound."""
    if not terms:
        message = "nothing is left of this when both sides are put together; say something about a share or a count"
        raise BadKnowledge(message)
    # normal form: a single summand or a comparison has coefficient 1, any other combination begins positive
    scale = terms[0][0]
    if len(terms) > 1 and not _is_comparison(terms, low, high):
        scale = Fraction(1 if scale > 0 else -1)
    if scale != 1:
        terms = tuple((coefficient / scale, summand) for coefficient, summand in terms)
        low, high = (None if bound is None else bound / scale for bound in (low, high))
        # division by a negative number swaps the bounds
        low, high = (low, high) if scale > 0 else (high, low)
    about = terms[0][1]
    if len(terms) == 1:
        most = Fraction(most_of(about))
        return IntervalStatement(about, Fraction(0) if low is None else low, most if high is None else high)
    other = terms[1][1]
    if not _is_comparison(terms, low, high):
        return LinearStatement(terms, low, high)
    assert isinstance(about, ConditionalProbability)
    assert isinstance(other, ConditionalProbability)
    if low == high:
        return ComparisonStatement(about, other, "=")
    # 0 ≤ a − b is b ≤ a
    return ComparisonStatement(about, other) if low is None else ComparisonStatement(other, about)


def _is_comparison(terms: Terms, low: Fraction | None, high: Fraction | None) -> bool:
    shares = all(isinstance(summand, ConditionalProbability) for _, summand in terms)
    return len(terms) == 2 and shares and terms[0][0] == -terms[1][0] and {low, high} <= {None, Fraction(0)}


def _reach(terms: Terms) -> tuple[Fraction, Fraction]:
    """Return the least and the most that a linear combination could be."""
    # each summand lies between 0 and most_of, so a term's ends are 0 and coefficient · most
    ends = [coefficient * most_of(summand) for coefficient, summand in terms]
    nothing = Fraction(0)
    return sum((min(end, nothing) for end in ends), nothing), sum((max(end, nothing) for end in ends), nothing)


def conditional_probability(event: Event, given: Event = (), person: object = None) -> ConditionalProbability:
    """Build what a statement is about; refuse events that name no value, and people who are named in two ways."""
    if not event:
        message = "P() names no value; write P(value, column=cell)"
        raise BadKnowledge(message)
    if person is not None and (given or keep_conditions_on_people(event)):
        message = "a statement is about a person or about everybody who says something, not both; leave one out"
        raise BadKnowledge(message)
    values = next((has.values for has in keep_conditions_on_values(event) if not has.others), ())
    where = keep_conditions_on_people(event) if values else event
    return ConditionalProbability(values, given, None if person is None else as_who(person), where)


def headcount(values: tuple[Label, ...], people: tuple[Who, ...]) -> Headcount:
    """Build what a count is about; refuse people who are named twice."""
    if not values or not people:
        message = "count() needs a value and at least one person; write count(value, person, person)"
        raise BadKnowledge(message)
    if len({*people}) < len(people):
        message = "count() names a person twice; name each one once"
        raise BadKnowledge(message)
    return Headcount(tuple(dict.fromkeys(values)), people)


def most_of(about: Summand) -> int:
    """Return the largest value that it can have."""
    return len(about.people) if isinstance(about, Headcount) else 1


def expression_text(terms: Terms, constant: Fraction = Fraction(0)) -> str:
    """Write a linear combination so that it is read again as it is."""
    factors = ("" if abs(each) == 1 else f"{number_text(abs(each))} * " for each, _ in terms)
    pieces = [(each, f"{factor}{summand}") for (each, summand), factor in zip(terms, factors, strict=True)]
    pieces += [(constant, number_text(abs(constant)))] if constant or not terms else []
    first = ("-" if pieces[0][0] < 0 else "") + pieces[0][1]
    return first + "".join(f" {'-' if sign < 0 else '+'} {text}" for sign, text in pieces[1:])


class Quantity:
    """Something to add up and to compare: a linear combination of shares and counts, and a number.

    The comparison is a statement, not true or false.

    >>> half = P("Flu", sex="male") / 2 + P("HIV", sex="male")
    >>> print(half >= P("Flu") - 0.1)
    0.5 * P(Flu | sex=male) + P(HIV | sex=male) - P(Flu) >= -0.1
    """

    __slots__ = ("constant", "terms")

    def __init__(self, terms: Iterable[tuple[Fraction, Summand]], constant: Fraction = Fraction(0)) -> None:
        together: dict[Summand, Fraction] = {}
        for coefficient, summand in terms:
            together[summand] = together[summand] + coefficient if summand in together else coefficient
        self.terms: Terms = tuple((coefficient, summand) for summand, coefficient in together.items() if coefficient)
        self.constant = constant

    @property
    def about(self) -> Summand:
        """What it is, where it is one share or count."""
        return self.terms[0][1]

    def __add__(self, other: Quantity | Number) -> Quantity:
        one = as_quantity(other)
        return Quantity((*self.terms, *one.terms), self.constant + one.constant)

    __radd__ = __add__

    def __mul__(self, number: Quantity | Number) -> Quantity:
        if isinstance(number, Quantity):
            message = f"{self} times {number} is not linear; multiply by numbers"
            raise BadKnowledge(message)
        times = as_fraction(number)
        return Quantity(((coefficient * times, each) for coefficient, each in self.terms), self.constant * times)

    __rmul__ = __mul__

    def __truediv__(self, number: Quantity | Number) -> Quantity:
        if isinstance(number, Quantity) or not as_fraction(number):
            message = f"{self} is divided by a number that is not 0"
            raise BadKnowledge(message)
        return self * (1 / as_fraction(number))

    def __neg__(self) -> Quantity:
        return self * -1

    def __sub__(self, other: Quantity | Number) -> Quantity:
        one = as_quantity(other)
        negated = ((-coefficient, each) for coefficient, each in one.terms)
        return Quantity((*self.terms, *negated), self.constant - one.constant)

    def __rsub__(self, other: Number) -> Quantity:
        return as_quantity(other) - self

    def between(self, low: Number, high: Number) -> Statement:
        """Return the statement that it lies between two bounds.

        >>> print(P("Flu").between(0.2, 0.4))
        0.2 <= P(Flu) <= 0.4
        """
        return statement_of(self.terms, as_fraction(low) - self.constant, as_fraction(high) - self.constant)

    def around(self, number: Number, *, give_or_take: Number) -> Statement:
        """Return the statement that it is this number, more or less; of a share, what is below 0 or above 1 is cut off.

        >>> print(P("Flu").around(0.3, give_or_take=0.1))
        0.2 <= P(Flu) <= 0.4
        """
        middle, most = as_fraction(number) - self.constant, as_fraction(give_or_take)
        low, high = _reach(self.terms)
        if not low <= middle <= high or most < 0:
            message = f"{self} lies between {low + self.constant} and {high + self.constant}, give or take at least 0"
            raise BadKnowledge(message)
        # cut off at the range: P(Flu) = 0.05 ± 0.1 says at most 0.15
        return statement_of(self.terms, max(middle - most, low), min(middle + most, high))

    def measured(self, value: Number, *, scale: Number, noise: Noise = "normal") -> Statement:
        """Return the statement that it was measured with noise of this scale: a likelihood, which rules out nothing.

        >>> print(P("Flu").measured(0.3, scale=0.1))
        P(Flu) ~ normal(0.3, 0.1)
        """
        return MeasuredStatement(self.terms, as_fraction(value) - self.constant, as_fraction(scale), noise)

    def __eq__(self, other: object) -> Statement:  # type: ignore[override]
        if not isinstance(other, Quantity) and not _is_number(other):
            return NotImplemented
        return self._compare(other, "=")  # type: ignore[arg-type]

    def __le__(self, other: Quantity | Number) -> Statement:
        return self._compare(other, "<=")

    def __ge__(self, other: Quantity | Number) -> Statement:
        return self._compare(other, ">=")

    def _compare(self, other: Quantity | Number, sign: Literal["=", "<=", ">="]) -> Statement:
        difference = self - as_quantity(other)
        # P(x) <= P(x) would cancel to nothing; kept as a comparison, its text is read back
        one = isinstance(other, Quantity) and self.terms == other.terms and not (difference.constant or self.constant)
        if one and len(self.terms) == 1 and self.terms[0][0] == 1 and isinstance(self.about, ConditionalProbability):
            return ComparisonStatement(self.about, self.about, "=" if sign == "=" else "<=")
        bound = -difference.constant
        return statement_of(difference.terms, None if sign == "<=" else bound, None if sign == ">=" else bound)

    def __lt__(self, other: object) -> NoReturn:
        message = f"{self} cannot be strictly below or above something; write <= or >="
        raise BadKnowledge(message)

    __gt__ = __lt__

    def __bool__(self) -> NoReturn:
        message = f"{self} is not true or false; compare it with a number: == <= >= or .between(low, high)"
        raise NotTrueOrFalse(message)

    # __eq__ makes a statement, and Python drops __hash__ with it; identity is what is left to hash by
    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return expression_text(self.terms, self.constant)


class P(Quantity):
    """How large is the share of the people who say something that has a value?  Compare it to make a statement.

    Columns are named by keywords, or, where their names are odd, by `given`; `person` asks about one person.
    Several values are joined by "or".  `given` may be text, with !=, not, or, and values; `where` is what is asked of
    the people besides their value.  Quantities are added, multiplied by numbers, and compared.

    >>> print(P("Flu", sex="male") == 0.3)
    P(Flu | sex=male) = 0.3
    >>> print(P("Flu", "HIV", given={"marital-status": "Divorced"}) >= Fraction(1, 3))
    P(Flu or HIV | marital-status=Divorced) >= 1/3
    >>> print(P("Flu", person="Alice") == 0.2)
    P(Flu | person=Alice) = 0.2
    >>> print(P("Flu", where={"sex": "male"}) <= P(where="sex != male", given="Flu, age=30") + 0.1)
    P(Flu, sex=male) - P(sex != male | Flu, age=30) <= 0.1
    """

    __slots__ = ()

    def __init__(
        self,
        *values: object,
        given: Mapping[str, object] | str | None = None,
        where: Mapping[str, object] | str | None = None,
        person: object = None,
        **columns: object,
    ) -> None:
        listed = _to_labels(values)
        event = event_of([*([HasValue(listed)] if listed else []), *as_event(where)])
        about = conditional_probability(event, event_of([*as_event(given), *as_columns(columns)]), person)
        super().__init__([(Fraction(1), about)])


class Count(Quantity):
    """How many of some people have a value; made by `count`."""

    __slots__ = ()


def count(value: object, *people: object) -> Count:
    """How many of these people have a value (or one of a list of values)?  Compare it to make a statement.

    In expectation: the sum of each one's probability.

    >>> print(count("HIV", "Alice", "Bob", "Charlie") >= 2)
    count(HIV; Alice, Bob, Charlie) >= 2
    """
    return Count([(Fraction(1), headcount(_to_labels((value,)), tuple(map(as_who, people))))])


def as_quantity(thing: Quantity | Number) -> Quantity:
    """Return a number as a combination of nothing, and a quantity as it is."""
    return thing if isinstance(thing, Quantity) else Quantity((), as_fraction(thing))


def as_fraction(number: object) -> Fraction:
    """Return what a number says in decimal: 0.1 is 1/10."""
    exact = exact_number(number, BadKnowledge, "a share") if _is_number(number) else math.inf
    if isinstance(exact, float):
        message = "a share is compared with a number, or with another P(…)"
        raise BadKnowledge(message)
    return exact


def _is_number(thing: object) -> bool:
    return isinstance(thing, Real | Decimal) and not isinstance(thing, bool)


def _to_labels(values: tuple[object, ...]) -> tuple[Label, ...]:
    one_list = len(values) == 1 and isinstance(values[0], list | tuple | set)
    listed: Iterable[object] = values[0] if one_list else values  # type: ignore[assignment]
    return tuple(dict.fromkeys(as_label(each, "join values with a comma: P('Flu', 'HIV')") for each in listed))
