"""Statements: what an attacker with statistics may know, such as "30 % of the men have it", in Python and as text.

A statement bounds a linear combination of *summands*: shares P(E | C) of the people of an event C who are of an event E
as well (`events`), one person's probability of a value, or the number of some people with it:

    low <= Σ coefficient · summand <= high            a number that is known exactly has low = high
    Σ coefficient · summand ~ noise(value, scale)     what was measured, with noise

In Python they are made by adding up and comparing `P(…)` and `count(…)`.  `statement_of` brings both to one form, so
that equal words are equal statements: a single summand has coefficient 1, and so has the first of two shares that are
compared; any other combination begins positive.  As text:

    statement = side sign side [ "±" number ] | number sign side sign number
              | side "~" ( "normal" | "laplace" ) "(" side "," side ")"
    sign      = "=" | "<=" | ">="
    side      = product { ( "+" | "-" ) product }
    product   = factor { "*" factor | "/" factor | factor }        linear: a product of one quantity and numbers
    factor    = "-" factor | "(" side ")" | number | quantity
    quantity  = "P" "(" event [ "|" "person" "=" person | "|" event ] ")"
              | "count" "(" value { "or" value } ";" person { "," person } ")"
    number    = 0.3 | 3/10 | 30%

A column that is called person is quoted.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from numbers import Real
from typing import TYPE_CHECKING, Literal, NoReturn, TypeAlias, cast

from sidelight.errors import BadKnowledge, NotTrueOrFalse, is_one_of
from sidelight.knowledge.events import (
    DEEPEST_CONDITION,
    ConditionalProbability,
    HasValue,
    Headcount,
    Summand,
    as_columns,
    as_event,
    conditional_probability,
    event_of,
    most_of,
    parse_event,
)
from sidelight.knowledge.facts import as_label, as_who, parse_person
from sidelight.knowledge.tokens import Token, TokenReader, expect_text, number_text, share_in, tokenize
from sidelight.rounding import exact_number

if TYPE_CHECKING:
    from sidelight.table.labels import Label

Sign: TypeAlias = Literal["=", "<=", ">="]

Number: TypeAlias = int | float | Fraction | Decimal

Terms: TypeAlias = tuple[tuple[Fraction, Summand], ...]
"""A linear combination: coefficients, none of them 0, and summands, each once."""

Noise: TypeAlias = Literal["normal", "laplace"]
"""The noise of a measurement: normal, by its standard deviation, or Laplace (or geometric), by its scale."""


@dataclass(frozen=True, slots=True, repr=False)
class Statement:
    """Something that an attacker with statistics may know: made by comparing `P(…)` or `count(…)`, or read from text.

    A linear combination lies between two bounds, `None` where there is none; or, with `noise` of a `scale`, it was
    measured, which rules out nothing: then both bounds are what was measured.  Its text (`str`) is read back by
    `read_statement` as the same statement.

    >>> print(P("Flu", sex="male") + 2 * P("HIV", sex="male") - P("Flu") <= 0.5)
    P(Flu | sex=male) + 2 * P(HIV | sex=male) - P(Flu) <= 0.5
    """

    terms: Terms
    low: Fraction | None
    high: Fraction | None
    noise: Noise | None = None
    scale: Fraction = Fraction(0)
    text: str | None = field(default=None, compare=False)  # as it was written; None: made in Python
    # of a rule that was mined from a table: how many people follow it, and which kind it is
    support: int = 0
    kind: Literal["has", "has not"] | None = None

    def __post_init__(self) -> None:
        if self.noise is not None:
            return
        alone = len(self.terms) == 1  # as all rules are, of which there may be thousands: kept quick
        least, most = (0, most_of(self.about)) if alone else _reach(self.terms)
        low, high = least if self.low is None else self.low, most if self.high is None else self.high
        if low > most or high < least or (alone and (low < least or high > most)):
            reaches = f"{self.about if alone else 'its left side'} lies between {least} and {most}"
            raise BadKnowledge(f"'{self}' is out of range; {reaches}")
        if low > high:
            raise BadKnowledge(f"'{self}' cannot be; give the smaller bound first")

    @property
    def about(self) -> Summand:
        """The share or count that it bounds, where there is only one."""
        return self.terms[0][1]

    @property
    def exact(self) -> bool:
        """Whether it is known exactly."""
        return self.low is not None and self.low == self.high

    @property
    def binding(self) -> tuple[Fraction | None, Fraction | None]:
        """Both bounds, without one that a single summand cannot pass."""
        if len(self.terms) > 1 or self.exact:
            return self.low, self.high
        return self.low or None, None if self.high == most_of(self.about) else self.high

    @property
    def words(self) -> str:
        """The text as written, or made from the statement."""
        return str(self) if self.text is None else self.text

    def __str__(self) -> str:
        expression = expression_text(self.terms)
        if self.noise is not None:
            return f"{expression} ~ {self.noise}({number_text(self.low or Fraction(0))}, {number_text(self.scale)})"
        if _is_comparison(self.terms, self.low, self.high):
            return f"{self.about} {'=' if self.exact else '<='} {self.terms[1][1]}"
        low, high = self.binding
        if low is None or self.exact:
            return f"{expression} {'=' if self.exact else '<='} {number_text(self.high or Fraction(0))}"
        if high is None:
            return f"{expression} >= {number_text(low)}"
        return f"{number_text(low)} <= {expression} <= {number_text(high)}"

    def __repr__(self) -> str:
        names = ("terms", "low", "high", "noise", "scale", *(("support", "kind") if self.kind else ()))
        return f"Statement({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    def __bool__(self) -> NoReturn:
        raise NotTrueOrFalse(
            f"'{self}' is something that somebody may know, not true or false here; "
            "give it to maxent(knowing=…), and write .between(low, high) for a statement with two bounds"
        )


def statement_of(terms: Terms, low: Fraction | None, high: Fraction | None) -> Statement:
    """Return the statement that bounds a linear combination, in its normal form; `None` is no bound."""
    if not terms:
        raise BadKnowledge(
            "nothing is left of this when both sides are put together; say something about a share or a count"
        )
    scale, compares = terms[0][0], _is_comparison(terms, low, high)
    if len(terms) > 1 and not compares:
        scale = Fraction(1 if scale > 0 else -1)
    if scale != 1:
        terms = tuple((coefficient / scale, summand) for coefficient, summand in terms)
        low, high = (None if bound is None else bound / scale for bound in (low, high))
        # division by a negative number swaps the bounds
        low, high = (low, high) if scale > 0 else (high, low)
    if len(terms) == 1:
        low, high = low or Fraction(0), Fraction(most_of(terms[0][1])) if high is None else high
    elif compares and high is None:
        # 0 ≤ a − b is b ≤ a
        (one, about), (_, other) = terms
        terms, low, high = ((one, other), (-one, about)), None, Fraction(0)
    return Statement(terms, low, high)


def _is_comparison(terms: Terms, low: Fraction | None, high: Fraction | None) -> bool:
    shares = all(isinstance(summand, ConditionalProbability) for _, summand in terms)
    return len(terms) == 2 and shares and terms[0][0] == -terms[1][0] and {low, high} <= {None, Fraction(0)}


def _reach(terms: Terms) -> tuple[Fraction, Fraction]:
    """Return the least and the most that a linear combination could be."""
    # each summand lies between 0 and most_of, so a term's ends are 0 and coefficient · most
    ends = [coefficient * most_of(summand) for coefficient, summand in terms]
    nothing = Fraction(0)
    return sum((min(end, nothing) for end in ends), nothing), sum((max(end, nothing) for end in ends), nothing)


def expression_text(terms: Terms, constant: Fraction = Fraction(0)) -> str:
    """Write a linear combination so that it is read again as it is."""
    factors = ("" if abs(each) == 1 else f"{number_text(abs(each))} * " for each, _ in terms)
    pieces = [(each, f"{factor}{summand}") for (each, summand), factor in zip(terms, factors, strict=True)]
    pieces += [(constant, number_text(abs(constant)))] if constant or not terms else []
    first = ("-" if pieces[0][0] < 0 else "") + pieces[0][1]
    return first + "".join(f" {'-' if sign < 0 else '+'} {text}" for sign, text in pieces[1:])


class Quantity:
    """A linear combination of shares and counts, and a number, to add up and compare; comparisons are statements.

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
        """The share or count, where there is only one."""
        return self.terms[0][1]

    def __add__(self, other: Quantity | Number) -> Quantity:
        one = as_quantity(other)
        return Quantity((*self.terms, *one.terms), self.constant + one.constant)

    __radd__ = __add__

    def __mul__(self, number: Quantity | Number) -> Quantity:
        if isinstance(number, Quantity):
            raise BadKnowledge(f"{self} times {number} is not linear; multiply by numbers")
        times = as_fraction(number)
        return Quantity(((coefficient * times, each) for coefficient, each in self.terms), self.constant * times)

    __rmul__ = __mul__

    def __truediv__(self, number: Quantity | Number) -> Quantity:
        if isinstance(number, Quantity) or not as_fraction(number):
            raise BadKnowledge(f"{self} is divided by a number that is not 0")
        return self * (1 / as_fraction(number))

    def __neg__(self) -> Quantity:
        return self * -1

    def __sub__(self, other: Quantity | Number) -> Quantity:
        return self + -as_quantity(other)

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
            raise BadKnowledge(
                f"{self} lies between {low + self.constant} and {high + self.constant}, give or take at least 0"
            )
        # cut off at the range: P(Flu) = 0.05 ± 0.1 says at most 0.15
        return statement_of(self.terms, max(middle - most, low), min(middle + most, high))

    def measured(self, value: Number, *, scale: Number, noise: Noise = "normal") -> Statement:
        """Return the statement that it was measured with noise of this scale: a likelihood, which rules out nothing.

        >>> print(P("Flu").measured(0.3, scale=0.1))
        P(Flu) ~ normal(0.3, 0.1)
        """
        number, spread = as_fraction(value) - self.constant, as_fraction(scale)
        if not is_one_of(noise, Noise) or spread <= 0:
            raise BadKnowledge(
                "noise is normal or laplace, of a scale above 0; write P(Flu | sex=male) ~ normal(0.3, 0.05)"
            )
        if not self.terms:
            raise BadKnowledge("nothing is measured here; say something about a share or a count")
        return Statement(self.terms, number, number, noise, spread)

    def __eq__(self, other: object) -> Statement:  # type: ignore[override]
        if not isinstance(other, Quantity) and not _is_number(other):
            return NotImplemented
        return self.compare(other, "=")  # type: ignore[arg-type]

    def __le__(self, other: Quantity | Number) -> Statement:
        return self.compare(other, "<=")

    def __ge__(self, other: Quantity | Number) -> Statement:
        return self.compare(other, ">=")

    def compare(self, other: Quantity | Number, sign: Sign) -> Statement:
        """Return the statement that it is the same as another quantity, at most, or at least that."""
        difference = self - as_quantity(other)
        # P(x) <= P(x) would cancel to nothing; kept as a comparison, its text is read back
        one = isinstance(other, Quantity) and self.terms == other.terms and not (difference.constant or self.constant)
        if one and len(self.terms) == 1 and self.terms[0][0] == 1 and isinstance(self.about, ConditionalProbability):
            low = Fraction(0) if sign == "=" else None
            return Statement(((Fraction(1), self.about), (Fraction(-1), self.about)), low, Fraction(0))
        bound = -difference.constant
        return statement_of(difference.terms, None if sign == "<=" else bound, None if sign == ">=" else bound)

    def __lt__(self, other: object) -> NoReturn:
        raise BadKnowledge(f"{self} cannot be strictly below or above something; write <= or >=")

    __gt__ = __lt__

    def __bool__(self) -> NoReturn:
        raise NotTrueOrFalse(f"{self} is not true or false; compare it with a number: == <= >= or .between(low, high)")

    # __eq__ makes a statement, and Python drops __hash__ with it; identity is what is left to hash by
    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return expression_text(self.terms, self.constant)


def P(  # noqa: N802 - as probability is written
    *values: object,
    given: Mapping[str, object] | str | None = None,
    where: Mapping[str, object] | str | None = None,
    person: object = None,
    **columns: object,
) -> Quantity:
    """Return the share of people with these cells who have a value, as a quantity; compare it to make a statement.

    Columns are named by keywords, or, where their names are odd, by `given`; `person` is one person.  Several values
    are joined by "or".  `given` may be text, with !=, not, or, and values; `where` are conditions on people besides
    their value.  Quantities are added, multiplied by numbers, and compared.

    >>> print(P("Flu", sex="male") == 0.3)
    P(Flu | sex=male) = 0.3
    >>> print(P("Flu", "HIV", given={"marital-status": "Divorced"}) >= Fraction(1, 3))
    P(Flu or HIV | marital-status=Divorced) >= 1/3
    >>> print(P("Flu", person="Alice") == 0.2)
    P(Flu | person=Alice) = 0.2
    >>> print(P("Flu", where={"sex": "male"}) <= P(where="sex != male", given="Flu, age=30") + 0.1)
    P(Flu, sex=male) - P(sex != male | Flu, age=30) <= 0.1
    """
    listed = _to_labels(values)
    event = event_of([*([HasValue(listed)] if listed else []), *as_event(where)])
    about = conditional_probability(event, event_of([*as_event(given), *as_columns(columns)]), person)
    return Quantity([(Fraction(1), about)])


def count(value: object, *people: object) -> Quantity:
    """Return the expected number of these people with a value (or one of a list); compare it to make a statement.

    >>> print(count("HIV", "Alice", "Bob", "Charlie") >= 2)
    count(HIV; Alice, Bob, Charlie) >= 2
    """
    return Quantity([(Fraction(1), Headcount(_to_labels((value,)), tuple(map(as_who, people))))])


def as_quantity(thing: Quantity | Number) -> Quantity:
    """Return a number as a combination of nothing, and a quantity as it is."""
    return thing if isinstance(thing, Quantity) else Quantity((), as_fraction(thing))


def as_fraction(number: object) -> Fraction:
    """Return what a number says in decimal: 0.1 is 1/10."""
    exact = exact_number(number, BadKnowledge, "a share") if _is_number(number) else math.inf
    if isinstance(exact, float):
        raise BadKnowledge("a share is compared with a number, or with another P(…)")
    return exact


def _is_number(thing: object) -> bool:
    return isinstance(thing, Real | Decimal) and not isinstance(thing, bool)


def _to_labels(values: tuple[object, ...]) -> tuple[Label, ...]:
    one_list = len(values) == 1 and isinstance(values[0], list | tuple | set)
    listed: Iterable[object] = values[0] if one_list else values  # type: ignore[assignment]
    return tuple(dict.fromkeys(as_label(each, "join values with a comma: P('Flu', 'HIV')") for each in listed))


Statements: TypeAlias = str | Statement | Sequence[str | Statement]
"""Statements as callers may hand them in: a text, a statement, or several of them."""

_TURNED: Mapping[str, Sign] = {"=": "=", "<=": ">=", ">=": "<="}
_NUMBER = re.compile(r"(?:[0-9]{1,1000}(?:\.[0-9]{0,30})?|\.[0-9]{1,30})(?:[eE][-+]?[0-9]{1,2})?")


def read_statement(text: str) -> Statement:
    """Read a statement.

    >>> statement = read_statement("P(Flu | sex=male) = 0.3")
    >>> statement.about, statement.low, statement.high  # doctest: +NORMALIZE_WHITESPACE
    (ConditionalProbability(values=('Flu',), given=(('sex', 'male'),), person=None, where=()),
     Fraction(3, 10), Fraction(3, 10))
    >>> for text in ("0.2 <= P(Flu or HIV | age=30) <= 0.4", "P(Flu) = 30% ± 10%", "count(HIV; Alice, Bob) >= 1"):
    ...     print(read_statement(text))
    0.2 <= P(Flu or HIV | age=30) <= 0.4
    0.2 <= P(Flu) <= 0.4
    count(HIV; Alice, Bob) >= 1
    >>> print(read_statement("P(Flu, sex=male) - P(sex=male | Flu) / 2 >= 2 * P(HIV | group=#3, age != 30) - 0.1"))
    P(Flu, sex=male) - 0.5 * P(sex=male | Flu) - 2 * P(HIV | age != 30, group=#3) >= -0.1
    >>> read_statement("P(Flu | sex=) = 0.3")
    Traceback (most recent call last):
    sidelight.errors.BadKnowledge: cannot read "P(Flu | sex=) = 0.3" at character 13: a value is missing before ')'; ...
    """
    reader = TokenReader(expect_text(text, "statement is a text or made by sl.P and sl.count"), cut=_cut_words)
    statement = _statement(reader)
    reader.end("a statement ends before it")
    return statement


def read_statements(statements: Statements) -> tuple[Statement, ...]:
    """Read what callers hand in, each statement with its words.

    >>> [statement.words for statement in read_statements(["P(Flu)=.3"])]
    ['P(Flu)=.3']
    """
    listed: Iterable[str | Statement | Quantity] = (
        (statements,) if isinstance(statements, str | Statement) else statements
    )
    read = []
    for each in listed:
        if isinstance(each, Quantity):
            raise BadKnowledge(f"{each} is not compared with anything; write == 0.3, <= 0.3 or the like")
        if isinstance(each, Statement):
            read.append(each)
        else:
            read.append(replace(read_statement(each), text=" ".join(each.split())))
    return tuple(read)


def is_statement(text: str) -> bool:
    """Return whether a text speaks of shares: whether P(…) or count(…) is in it.

    >>> is_statement("P(Flu | sex=male) = 0.3"), is_statement("Bob = Flu")
    (True, False)
    """
    try:
        tokens = (*_cut_words(tokenize(text)),)
    except BadKnowledge:
        return False
    return any(token.is_any("P", "count") and after.is_any("(") for token, after in pairwise(tokens))


def _cut_words(tokens: Iterable[Token]) -> Iterator[Token]:
    """Cut words into numbers, names and operators outside of P(…) and count(…): 2*P(Flu)-0.1 is five tokens there."""
    within, called = 0, False
    piece = re.compile(rf"{_NUMBER.pattern}|\+/-|\+-|[-+*/%±−·×]|[^\W0-9]\w*|.", re.DOTALL)
    for token in tokens:
        # inside of P(…) and count(…), signs such as - belong to names; parentheses are counted to find the end
        if within:
            if token.kind == "sign":
                within += (token.text == "(") - (token.text == ")")
        elif token.kind == "word":
            pieces, operators = [*piece.finditer(token.text)], {"+/-": "±", "+-": "±", "−": "-", "·": "*", "×": "*"}
            yield from (Token("word", operators.get(each[0], each[0]), token.start + each.start()) for each in pieces)
            called = Token("word", pieces[-1][0], 0).is_any("P", "count")
            continue
        # only a parenthesis right behind P or count opens a call; any other one groups
        elif called and token.is_any("("):
            within = 1
        called = False
        yield token


def _statement(reader: TokenReader) -> Statement:
    start = reader.next
    one = _side(reader)
    if reader.next.is_any("~"):
        return _read_measured(reader, one)
    sign = _sign(reader)
    middle = reader.next
    other = _side(reader)
    if reader.accept("±"):
        return _read_around(reader, one, sign, other, middle)
    if reader.next.is_any("<", ">", *_TURNED):
        return _read_between(reader, one, sign, other, start)
    # an error about the numbers points at the side that has them
    numbers_stand_at = start if not one.terms else start if other.terms else middle
    # a quantity comes first, so that its words are the statement's
    if not one.terms:
        return reader.make(lambda: other.compare(one, _TURNED[sign]), at=numbers_stand_at)
    return reader.make(lambda: one.compare(other, sign), at=numbers_stand_at)


def _read_measured(reader: TokenReader, about: Quantity) -> Statement:
    start, example = reader.take(), "write P(Flu | sex=male) ~ normal(0.3, 0.05)"
    if not reader.next.is_any("normal", "laplace"):
        reader.fail(f"normal or laplace is missing before {reader.next}; {example}")
    noise: Noise = "normal" if reader.take().is_any("normal") else "laplace"
    reader.expect("(", example)
    value = _side(reader)
    reader.expect(",", example)
    scale = _side(reader)
    reader.expect(")", example)
    if value.terms or scale.terms:
        reader.fail(f"what was measured is a number; {example}", at=start)
    return reader.make(lambda: about.measured(value.constant, scale=scale.constant, noise=noise), at=start)


def _read_around(reader: TokenReader, one: Quantity, sign: Sign, other: Quantity, start: Token) -> Statement:
    if sign != "=":
        reader.fail("± goes with '=' only", at=start)
    give_or_take = _read_number(reader)
    # one = other ± number is one − other = 0 ± number, whatever stands on either side
    difference = one - other
    return reader.make(lambda: difference.around(0, give_or_take=give_or_take), at=start)


def _read_between(reader: TokenReader, first: Quantity, sign: Sign, about: Quantity, start: Token) -> Statement:
    second_sign = _sign(reader)
    second = _side(reader)
    if first.terms or second.terms:
        reader.fail("a statement with two signs has a number at both ends; say two statements", at=start)
    if "=" in (sign, second_sign) or sign != second_sign:
        reader.fail("the two signs do not go together; write 0.2 <= P(Flu) <= 0.4", at=start)
    if reader.next.is_any("±"):
        reader.fail("± goes with '=' only")
    low, high = (first, second) if sign == "<=" else (second, first)
    return reader.make(lambda: about.between(low.constant, high.constant), at=start)


def _sign(reader: TokenReader) -> Sign:
    if reader.next.is_any("<", ">"):
        reader.fail(f"{reader.next} is too strict; write '{reader.next.text}='")
    if not reader.next.is_any(*_TURNED):
        reader.fail(f"'=', '<=' or '>=' is missing before {reader.next}; write P(Flu | sex=male) = 0.3")
    return cast("Sign", reader.take().text)


# Linear combinations: `depth` counts parentheses and minus signs, so that recursion is bounded.


def _side(reader: TokenReader, depth: int = 0) -> Quantity:
    total = _read_product(reader, depth)
    while reader.next.is_any("+", "-"):
        minus = reader.take().text == "-"
        product = _read_product(reader, depth)
        total = total - product if minus else total + product
    return total


def _read_product(reader: TokenReader, depth: int) -> Quantity:
    start = reader.next
    product = _factor(reader, depth)
    while True:
        if reader.accept("/"):
            divisor = _factor(reader, depth)
            if divisor.terms or not divisor.constant:
                reader.fail("this divides by zero" if not divisor.terms else "shares are divided by numbers", at=start)
            product = product / divisor.constant
        # the sign of a product may be left out before a quantity: 2 P(Flu)
        elif reader.accept("*") or reader.is_call_next("P", "count"):
            factor = _factor(reader, depth)
            if product.terms and factor.terms:
                reader.fail("a product of two shares is not linear; multiply by numbers", at=start)
            product = product * factor.constant if not factor.terms else factor * product.constant
        else:
            return product


def _factor(reader: TokenReader, depth: int) -> Quantity:
    reader.check_depth(depth, DEEPEST_CONDITION, "statements")
    if reader.accept("-"):
        return -_factor(reader, depth + 1)
    if reader.is_call_next("P", "count"):
        return Quantity([(Fraction(1), _quantity(reader))])
    if reader.accept("("):
        side = _side(reader, depth + 1)
        reader.expect(")", "a parenthesis is open")
        return side
    return Quantity((), _read_number(reader))


def _read_number(reader: TokenReader) -> Fraction:
    if reader.next.kind != "word" or _NUMBER.fullmatch(reader.next.text) is None:
        reader.fail("a number is missing here; write 0.3, 3/10 or 30%")
    number = share_in(reader.take().text)
    return number / 100 if reader.accept("%") else number


def _quantity(reader: TokenReader) -> ConditionalProbability | Headcount:
    start = reader.take()
    reader.take()
    about: ConditionalProbability | Headcount
    if start.is_any("count"):
        values = reader.several(reader.label, "or")
        reader.expect(";", "write count(HIV; Alice, Bob)")
        people = reader.several(lambda: parse_person(reader), ",")
        if len({*people}) < len(people):
            reader.fail("a person is named twice; name each one once", at=start)
        about = Headcount(tuple(dict.fromkeys(values)), tuple(people))
    else:
        about = _conditional_probability(reader)
    reader.expect(")", "a parenthesis is open; join values with or, conditions with a comma")
    return about


def _conditional_probability(reader: TokenReader) -> ConditionalProbability:
    event = parse_event(reader)
    if not reader.accept("|"):
        return conditional_probability(event)
    if not (reader.next.is_any("person") and reader.peek(1).is_any("=")):
        return conditional_probability(event, parse_event(reader))
    start = reader.take(2)
    person = parse_person(reader)
    if reader.next.is_any(",") or any(not isinstance(each, HasValue) for each in event):
        reader.fail(
            "a statement is about a person or about everybody who says something, not both",
            at=None if reader.next.is_any(",") else start,
        )
    return conditional_probability(event, (), person)
