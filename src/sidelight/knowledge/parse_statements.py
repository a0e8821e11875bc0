"""Read statements from text.

    statement = quantity sign number [ "±" number ] | number sign quantity [ sign number ] | P sign P
    sign      = "=" | "<=" | ">="
    quantity  = P | "count" "(" value { "or" value } ";" person { "," person } ")"
    P         = "P" "(" value { "or" value } [ "|" "person" "=" person | "|" column "=" cell { "," … } ] ")"
    number    = 0.3 | 3/10 | 30%

Names and values are words or quoted, as in facts; a column that is called person is quoted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TypeAlias

from sidelight.errors import BadKnowledge
from sidelight.knowledge.parse_facts import parse_person, parse_value
from sidelight.knowledge.people import Who
from sidelight.knowledge.statements import (
    ComparisonStatement,
    ConditionalProbability,
    Headcount,
    IntervalStatement,
    Quantity,
    Statement,
    around,
    conditional_probability,
    headcount,
    most_of,
)
from sidelight.knowledge.tokens import Token, TokenReader, tokenize
from sidelight.table.labels import Label

Statements: TypeAlias = str | Statement | Sequence[str | Statement]
"""Statements as callers may hand them in: a text, a statement, or several of them."""

_SIGNS = ("=", "<=", ">=")
_MIRRORED = {"=": "=", "<=": ">=", ">=": "<="}
_NUMBER = r"[0-9]{1,1000}/[0-9]{1,1000}|(?:[0-9]{1,30}(?:\.[0-9]{0,30})?|\.[0-9]{1,30})(?:[eE][-+]?[0-9]{1,2})?%?"
_GIVE_OR_TAKE = re.compile(rf"({_NUMBER})(?:(?:±|\+-|\+/-)({_NUMBER}))?")


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
    >>> statement.about, statement.low, statement.high
    (ConditionalProbability(values=('Flu',), given=(('sex', 'male'),), person=None), Fraction(3, 10), Fraction(3, 10))
    >>> for text in ("0.2 <= P(Flu or HIV | age=30) <= 0.4", "P(Flu) = 30% ± 10%", "count(HIV; Alice, Bob) >= 1"):
    ...     print(read_statement(text))
    0.2 <= P(Flu or HIV | age=30) <= 0.4
    0.2 <= P(Flu) <= 0.4
    count(HIV; Alice, Bob) >= 1
    >>> read_statement("P(Flu | sex) = 0.3")
    Traceback (most recent call last):
    sidelight.errors.BadKnowledge: cannot read "P(Flu | sex) = 0.3" at character 12: '=' is missing before ')'; ...
    """
    reader = TokenReader(_as_text(text))
    statement = _quantity_first(reader) if _at_quantity(reader) else _number_first(reader)
    reader.end("a statement ends before it")
    return statement


def read_statements(statements: Statements) -> tuple[WordedStatement, ...]:
    """Read what callers hand in, each statement with its words.

    >>> [worded.words for worded in read_statements(["P(Flu)=.3"])]
    ['P(Flu)=.3']
    """
    listed: Iterable[str | Statement] = (statements,) if isinstance(statements, str | Statement) else statements
    return tuple(_worded(each) for each in listed)


def is_statement(text: str) -> bool:
    """Say whether a text speaks of shares: whether P(…) or count(…) is in it.

    >>> is_statement("P(Flu | sex=male) = 0.3"), is_statement("Bob = Flu")
    (True, False)
    """
    try:
        tokens = tokenize(text)
    except BadKnowledge:
        return False
    return any(token.is_word("P", "count") and after.is_sign("(") for token, after in pairwise(tokens))


def _worded(statement: object) -> WordedStatement:
    if isinstance(statement, Statement):
        return WordedStatement(statement)
    if isinstance(statement, Quantity):
        message = f"{statement.about} is not compared with anything; write == 0.3, <= 0.3 or the like"
        raise BadKnowledge(message)
    text = _as_text(statement)
    return WordedStatement(read_statement(text), " ".join(text.split()))


def _as_text(text: object) -> str:
    if isinstance(text, str):
        return text
    message = f"a statement is a text or made by sl.P and sl.count, not a {type(text).__name__}"
    raise BadKnowledge(message)


def _at_quantity(reader: TokenReader) -> bool:
    return reader.at_call("P", "count")


def _quantity_first(reader: TokenReader) -> Statement:
    start = reader.next
    one = _quantity(reader)
    sign = _sign(reader)
    if _at_quantity(reader):
        return _comparison(reader, start, one, sign)
    token = reader.next
    number, give_or_take = _number(reader)
    if give_or_take is None:
        return _checked(reader, token, lambda: _bounded(one, sign, number))
    if sign != "=":
        reader.fail("± goes with '=' only", at=token)
    return _checked(reader, token, lambda: around(one, number, give_or_take))


def _comparison(
    reader: TokenReader, start: Token, one: ConditionalProbability | Headcount, sign: str
) -> ComparisonStatement:
    other = _quantity(reader)
    if isinstance(one, Headcount) or isinstance(other, Headcount):
        reader.fail("a count is compared with a number", at=start)
    if sign == "=":
        return ComparisonStatement(one, other, "=")
    return ComparisonStatement(one, other) if sign == "<=" else ComparisonStatement(other, one)


def _number_first(reader: TokenReader) -> Statement:
    token = reader.next
    first, give_or_take = _number(reader)
    sign = _MIRRORED[_sign(reader)]
    if give_or_take is not None or not _at_quantity(reader):
        reader.fail("P(…) or count(…) is missing; write 0.2 <= P(Flu | sex=male) <= 0.4")
    about = _quantity(reader)
    if reader.next.kind == "end":
        return _checked(reader, token, lambda: _bounded(about, sign, first))
    second_sign = _sign(reader)
    if "=" in (sign, second_sign) or sign == second_sign:
        reader.fail("the two signs do not go together; write 0.2 <= P(Flu) <= 0.4", at=token)
    second, give_or_take = _number(reader)
    if give_or_take is not None:
        reader.fail("± goes with '=' only")
    low, high = (first, second) if sign == ">=" else (second, first)
    return _checked(reader, token, lambda: IntervalStatement(about, low, high))


def _checked(reader: TokenReader, token: Token, make: Callable[[], Statement]) -> Statement:
    """Make a statement; numbers that cannot be are refused where they stand."""
    try:
        return make()
    except BadKnowledge as problem:
        reader.fail(str(problem), at=token)


def _bounded(about: ConditionalProbability | Headcount, sign: str, number: Fraction) -> IntervalStatement:
    low = Fraction(0) if sign == "<=" else number
    return IntervalStatement(about, low, most_of(about) if sign == ">=" else number)


def _sign(reader: TokenReader) -> str:
    if reader.at_sign("<", ">"):
        reader.fail(f"{reader.next} is too strict; write '{reader.next.text}='")
    if not reader.at_sign(*_SIGNS):
        reader.fail(f"'=', '<=' or '>=' is missing before {reader.next}; write P(Flu | sex=male) = 0.3")
    return reader.take().text


def _number(reader: TokenReader) -> tuple[Fraction, Fraction | None]:
    """Read a number and, if there is one, what comes after ±."""
    start = reader.next
    words: list[str] = []
    while reader.next.kind == "word" and not _at_quantity(reader):
        words.append(reader.take().text)
    match = _GIVE_OR_TAKE.fullmatch("".join(words))
    if match is None:
        reader.fail("a number is missing here; write 0.3, 3/10 or 30%", at=start)
    number, give_or_take = match.groups()
    return _fraction(reader, start, number), None if give_or_take is None else _fraction(reader, start, give_or_take)


def _fraction(reader: TokenReader, start: Token, text: str) -> Fraction:
    try:
        return Fraction(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ZeroDivisionError:
        reader.fail("this divides by zero", at=start)


def _quantity(reader: TokenReader) -> ConditionalProbability | Headcount:
    """Read P(…) or count(…)."""
    start = reader.take()
    reader.take()
    values = [parse_value(reader)]
    while reader.accept_word("or"):
        values.append(parse_value(reader))
    counts = start.is_word("count")
    about = _headcount(reader, start, tuple(values)) if counts else _conditional_probability(reader, tuple(values))
    reader.expect(")", "a parenthesis is open; join values with or, conditions with a comma")
    return about


def _headcount(reader: TokenReader, start: Token, values: tuple[Label, ...]) -> Headcount:
    reader.expect(";", "write count(HIV; Alice, Bob)")
    people: list[Who] = [parse_person(reader)]
    while reader.accept(","):
        people.append(parse_person(reader))
    if len({*people}) < len(people):
        reader.fail("a person is named twice; name each one once", at=start)
    return headcount(values, tuple(people))


def _conditional_probability(reader: TokenReader, values: tuple[Label, ...]) -> ConditionalProbability:
    if not reader.accept("|"):
        return conditional_probability(values, {})
    if reader.at_word("person") and reader.peek(1).is_sign("="):
        reader.take(2)
        person = parse_person(reader)
        if reader.at_sign(","):
            reader.fail("a statement is about a person or about everybody who says something, not both")
        return conditional_probability(values, {}, person)
    return conditional_probability(values, _condition(reader))


def _condition(reader: TokenReader) -> dict[str, Label]:
    cells: dict[str, Label] = {}
    while True:
        start = reader.next
        column = reader.name("a column", stop=())
        if column in cells:
            reader.fail(f"column '{column}' is said twice", at=start)
        reader.expect("=", "write P(value | column=cell, column=cell)")
        cells[column] = parse_value(reader)
        if not (reader.accept(",") or reader.accept_word("and")):
            return cells
