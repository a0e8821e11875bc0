"""Read statements from text.

    statement = side sign side [ "±" number ] | number sign side sign number
              | side "~" ( "normal" | "laplace" ) "(" side "," side ")"
    sign      = "=" | "<=" | ">="
    side      = product { ( "+" | "-" ) product }
    product   = factor { "*" factor | "/" factor | factor }        linear: a product of one quantity and numbers
    factor    = "-" factor | "(" side ")" | number | quantity
    quantity  = "P" "(" event [ "|" "person" "=" person | "|" event ] ")"
              | "count" "(" value { "or" value } ";" person { "," person } ")"
    number    = 0.3 | 3/10 | 30%

Events are read by `events`.  Names and values are words or quoted, as in facts; a column that is called person is
quoted.  Outside of P(…) and count(…), words are cut where arithmetic has them end: 2*P(Flu)-0.1 is five tokens there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TypeAlias

from sidelight.errors import BadKnowledge
from sidelight.knowledge.events import DEEPEST_CONDITION, HasValue, parse_event
from sidelight.knowledge.parse_facts import parse_person
from sidelight.knowledge.people import Who
from sidelight.knowledge.statements import (
    ConditionalProbability,
    Headcount,
    Noise,
    Quantity,
    Statement,
    conditional_probability,
    headcount,
)
from sidelight.knowledge.tokens import Token, TokenReader, share_in, tokenize
from sidelight.table.labels import Label

Statements: TypeAlias = str | Statement | Sequence[str | Statement]
"""Statements as callers may hand them in: a text, a statement, or several of them."""

_SIGNS = ("=", "<=", ">=")
_MIRRORED = {"=": "=", "<=": ">=", ">=": "<="}
_NUMBER = re.compile(r"(?:[0-9]{1,1000}(?:\.[0-9]{0,30})?|\.[0-9]{1,30})(?:[eE][-+]?[0-9]{1,2})?")
_PIECE = re.compile(rf"{_NUMBER.pattern}|\+/-|\+-|[-+*/%±−·×]|[^\W0-9]\w*|.", re.DOTALL)
_OPERATORS = {"+/-": "±", "+-": "±", "−": "-", "·": "*", "×": "*"}


@dataclass(frozen=True, slots=True)
class WordedStatement:
    """A statement, in the words of whoever made it."""

    statement: Statement
    text: str | None = None  # None: made in Python

    @property
    def words(self) -> str:
        """The words."""
        return str(self.statement) if self.text is None else self.text


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
    reader = TokenReader(_as_text(text), cut=_cut)
    statement = _statement(reader)
    reader.end("a statement ends before it")
    return statement


def read_statements(statements: Statements) -> tuple[WordedStatement, ...]:
    """Read what callers hand in, each statement with its words.

    >>> [worded.words for worded in read_statements(["P(Flu)=.3"])]
    ['P(Flu)=.3']
    """
    listed: Iterable[str | Statement] = (statements,) if isinstance(statements, str | Statement) else statements
    return tuple(_read_words(each) for each in listed)


def is_statement(text: str) -> bool:
    """Return whether a text speaks of shares: whether P(…) or count(…) is in it.

    >>> is_statement("P(Flu | sex=male) = 0.3"), is_statement("Bob = Flu")
    (True, False)
    """
    try:
        tokens = (*_cut(tokenize(text)),)
    except BadKnowledge:
        return False
    return any(token.is_word("P", "count") and after.is_sign("(") for token, after in pairwise(tokens))


def _read_words(statement: object) -> WordedStatement:
    if isinstance(statement, Statement):
        return WordedStatement(statement)
    if isinstance(statement, Quantity):
        message = f"{statement} is not compared with anything; write == 0.3, <= 0.3 or the like"
        raise BadKnowledge(message)
    text = _as_text(statement)
    return WordedStatement(read_statement(text), " ".join(text.split()))


def _as_text(text: object) -> str:
    if isinstance(text, str):
        return text
    message = f"a statement is a text or made by sl.P and sl.count, not a {type(text).__name__}"
    raise BadKnowledge(message)


def _cut(tokens: Iterable[Token]) -> Iterator[Token]:
    """Cut words into numbers, names and operators, wherever they are not within P(…) or count(…)."""
    within, called = 0, False
    for token in tokens:
        # inside of P(…) and count(…), signs such as - belong to names; parentheses are counted to find the end
        if within:
            if token.kind == "sign":
                within += (token.text == "(") - (token.text == ")")
        elif token.kind == "word":
            pieces = [*_PIECE.finditer(token.text)]
            yield from (Token("word", _OPERATORS.get(each[0], each[0]), token.start + each.start()) for each in pieces)
            called = Token("word", pieces[-1][0], 0).is_word("P", "count")
            continue
        # only a parenthesis right behind P or count opens a call; any other one groups
        elif called and token.is_sign("("):
            within = 1
        called = False
        yield token


def _statement(reader: TokenReader) -> Statement:
    start = reader.next
    one = _side(reader)
    if reader.is_word_next("~"):
        return _read_measured(reader, one)
    sign = _sign(reader)
    middle = reader.next
    other = _side(reader)
    if reader.is_word_next("±"):
        return _around(reader, one, sign, other, middle)
    if reader.is_sign_next("<", ">", *_SIGNS):
        return _read_between(reader, one, sign, other, start)
    # an error about the numbers points at the side that has them
    numbers_stand_at = start if not one.terms else start if other.terms else middle
    return _make_checked(reader, numbers_stand_at, lambda: _compare(one, sign, other))


def _read_measured(reader: TokenReader, about: Quantity) -> Statement:
    start = reader.take()
    example = "write P(Flu | sex=male) ~ normal(0.3, 0.05)"
    if not reader.is_word_next("normal", "laplace"):
        reader.fail(f"normal or laplace is missing before {reader.next}; {example}")
    noise: Noise = "normal" if reader.take().is_word("normal") else "laplace"
    reader.expect("(", example)
    value = _side(reader)
    reader.expect(",", example)
    scale = _side(reader)
    reader.expect(")", example)
    if value.terms or scale.terms:
        reader.fail(f"what was measured is a number; {example}", at=start)
    return _make_checked(reader, start, lambda: about.measured(value.constant, scale=scale.constant, noise=noise))


def _compare(one: Quantity, sign: str, other: Quantity) -> Statement:
    # what is about somebody comes first, so that its words are the statement's
    if not one.terms:
        one, other, sign = other, one, _MIRRORED[sign]
    return one == other if sign == "=" else one <= other if sign == "<=" else one >= other


def _around(reader: TokenReader, one: Quantity, sign: str, other: Quantity, start: Token) -> Statement:
    reader.take()
    if sign != "=":
        reader.fail("± goes with '=' only", at=start)
    give_or_take = _number(reader)
    # one = other ± number is one − other = 0 ± number, whatever stands on either side
    difference = one - other
    return _make_checked(reader, start, lambda: difference.around(0, give_or_take=give_or_take))


def _read_between(reader: TokenReader, first: Quantity, sign: str, about: Quantity, start: Token) -> Statement:
    second_sign = _sign(reader)
    second = _side(reader)
    if first.terms or second.terms:
        reader.fail("a statement with two signs has a number at both ends; say two statements", at=start)
    if "=" in (sign, second_sign) or sign != second_sign:
        reader.fail("the two signs do not go together; write 0.2 <= P(Flu) <= 0.4", at=start)
    if reader.is_word_next("±"):
        reader.fail("± goes with '=' only")
    low, high = (first, second) if sign == "<=" else (second, first)
    return _make_checked(reader, start, lambda: about.between(low.constant, high.constant))


def _make_checked(reader: TokenReader, token: Token, make: Callable[[], Statement]) -> Statement:
    """Make a statement; refuse numbers that cannot be where they stand."""
    try:
        return make()
    except BadKnowledge as problem:
        reader.fail(str(problem), at=token)


def _sign(reader: TokenReader) -> str:
    if reader.is_sign_next("<", ">"):
        reader.fail(f"{reader.next} is too strict; write '{reader.next.text}='")
    if not reader.is_sign_next(*_SIGNS):
        reader.fail(f"'=', '<=' or '>=' is missing before {reader.next}; write P(Flu | sex=male) = 0.3")
    return reader.take().text


# Linear combinations: `depth` counts parentheses and minus signs, so that recursion is bounded.


def _side(reader: TokenReader, depth: int = 0) -> Quantity:
    total = _product(reader, depth)
    while reader.is_word_next("+", "-"):
        minus = reader.take().text == "-"
        product = _product(reader, depth)
        total = total - product if minus else total + product
    return total


def _product(reader: TokenReader, depth: int) -> Quantity:
    start = reader.next
    product = _factor(reader, depth)
    while True:
        if reader.is_word_next("/"):
            reader.take()
            divisor = _factor(reader, depth)
            if divisor.terms or not divisor.constant:
                reader.fail("this divides by zero" if not divisor.terms else "shares are divided by numbers", at=start)
            product = product / divisor.constant
        # the sign of a product may be left out before a quantity: 2 P(Flu)
        elif reader.is_word_next("*") or reader.is_call_next("P", "count"):
            if reader.is_word_next("*"):
                reader.take()
            factor = _factor(reader, depth)
            if product.terms and factor.terms:
                reader.fail("a product of two shares is not linear; multiply by numbers", at=start)
            product = product * factor.constant if not factor.terms else factor * product.constant
        else:
            return product


def _factor(reader: TokenReader, depth: int) -> Quantity:
    if depth > DEEPEST_CONDITION:
        reader.fail(f"more than {DEEPEST_CONDITION} things stand within each other; say it in several statements")
    if reader.accept_word("-"):
        return -_factor(reader, depth + 1)
    if reader.is_call_next("P", "count"):
        return Quantity([(Fraction(1), _quantity(reader))])
    if reader.accept("("):
        side = _side(reader, depth + 1)
        reader.expect(")", "a parenthesis is open")
        return side
    return Quantity((), _number(reader))


def _number(reader: TokenReader) -> Fraction:
    if reader.next.kind != "word" or _NUMBER.fullmatch(reader.next.text) is None:
        reader.fail("a number is missing here; write 0.3, 3/10 or 30%")
    number = share_in(reader.take().text)
    return number / 100 if reader.accept_word("%") else number


def _quantity(reader: TokenReader) -> ConditionalProbability | Headcount:
    """Read P(…) or count(…)."""
    start = reader.take()
    reader.take()
    about = _headcount(reader, start) if start.is_word("count") else _conditional_probability(reader)
    reader.expect(")", "a parenthesis is open; join values with or, conditions with a comma")
    return about


def _headcount(reader: TokenReader, start: Token) -> Headcount:
    values: list[Label] = [reader.label()]
    while reader.accept_word("or"):
        values.append(reader.label())
    reader.expect(";", "write count(HIV; Alice, Bob)")
    people: list[Who] = [parse_person(reader)]
    while reader.accept(","):
        people.append(parse_person(reader))
    if len({*people}) < len(people):
        reader.fail("a person is named twice; name each one once", at=start)
    return headcount(tuple(values), tuple(people))


def _conditional_probability(reader: TokenReader) -> ConditionalProbability:
    event = parse_event(reader)
    if not reader.accept("|"):
        return conditional_probability(event)
    if reader.is_word_next("person") and reader.peek(1).is_sign("="):
        start = reader.take(2)
        person = parse_person(reader)
        if reader.is_sign_next(",") or any(not isinstance(each, HasValue) for each in event):
            reader.fail(
                "a statement is about a person or about everybody who says something, not both",
                at=None if reader.is_sign_next(",") else start,
            )
        return conditional_probability(event, (), person)
    return conditional_probability(event, parse_event(reader))
