"""Statements from text.

    statement = asked sign number [ "±" number ] | number sign asked [ sign number ] | share sign share
    sign      = "=" | "<=" | ">="
    asked     = share | "count" "(" value { "or" value } ";" person { "," person } ")"
    share     = "P" "(" value { "or" value } [ "|" "person" "=" person | "|" column "=" cell { "," … } ] ")"
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
from sidelight.knowledge.parse_facts import read_person, read_value
from sidelight.knowledge.people import Who
from sidelight.knowledge.statements import (
    Asked,
    Compares,
    HowMany,
    Says,
    Share,
    Statement,
    around,
    how_many,
    most_of,
    share,
)
from sidelight.knowledge.tokens import Reader, is_word, refuse
from sidelight.table.labels import Label

Statements: TypeAlias = str | Statement | Sequence[str | Statement]
"""Statements as they may be given: a text, a statement, or several of them."""

_SIGNS = ("=", "<=", ">=")
_TURNED = {"=": "=", "<=": ">=", ">=": "<="}
_NUMBER = r"[0-9]{1,1000}/[0-9]{1,1000}|(?:[0-9]{1,30}(?:\.[0-9]{0,30})?|\.[0-9]{1,30})(?:[eE][-+]?[0-9]{1,2})?%?"
_VAGUE = re.compile(rf"({_NUMBER})(?:(?:±|\+-|\+/-)({_NUMBER}))?")


@dataclass(frozen=True, slots=True)
class Known:
    """A statement, in the words in which it was given."""

    statement: Statement
    text: str | None = None  # None: made in Python

    @property
    def words(self) -> str:
        """The words."""
        return str(self.statement) if self.text is None else self.text


def read_statement(text: str) -> Statement:
    """Read a statement.

    >>> read_statement("P(Flu | sex=male) = 0.3")
    Says(about=Share(values=('Flu',), given=(('sex', 'male'),), person=None), low=Fraction(3, 10), high=Fraction(3, 10))
    >>> for text in ("0.2 <= P(Flu or HIV | age=30) <= 0.4", "P(Flu) = 30% ± 10%", "count(HIV; Alice, Bob) >= 1"):
    ...     print(read_statement(text))
    0.2 <= P(Flu or HIV | age=30) <= 0.4
    0.2 <= P(Flu) <= 0.4
    count(HIV; Alice, Bob) >= 1
    >>> read_statement("P(Flu | sex) = 0.3")
    Traceback (most recent call last):
    sidelight.errors.BadKnowledge: cannot read "P(Flu | sex) = 0.3" at character 12: '=' is missing before ')'; ...
    """
    reader = Reader(_checked(text))
    statement = _from_number(reader) if not _at_asked(reader) else _from_asked(reader)
    if reader.next.kind != "end":
        reader.fail(f"{reader.next} comes too late; a statement ends before it")
    return statement


def _checked(text: object) -> str:
    if isinstance(text, str):
        return text
    message = f"a statement is a text or made by sl.P and sl.count, not a {type(text).__name__}"
    raise BadKnowledge(message)


def is_statement(text: str) -> bool:
    """Say whether a text speaks of shares: whether P(…) or count(…) is in it.

    >>> is_statement("P(Flu | sex=male) = 0.3"), is_statement("Bob = Flu")
    (True, False)
    """
    try:
        tokens = Reader(text).tokens
    except BadKnowledge:
        return False
    return any(
        is_word(token, "P", "count") and (after.kind, after.text) == ("sign", "(") for token, after in pairwise(tokens)
    )


def known_statements(given: Statements) -> tuple[Known, ...]:
    """Take statements as they may be given, each with its words.

    >>> [known.words for known in known_statements(["P(Flu)=.3"])]
    ['P(Flu)=.3']
    """
    listed: Iterable[str | Statement] = (given,) if isinstance(given, str | Statement) else given
    return tuple(_known(each) for each in listed)


def _known(given: object) -> Known:
    if isinstance(given, Statement):
        return Known(given)
    if isinstance(given, Asked):
        message = f"{given.about} is not compared with anything; write == 0.3, <= 0.3 or the like"
        raise BadKnowledge(message)
    text = _checked(given)
    return Known(read_statement(text), " ".join(text.split()))


def _at_asked(reader: Reader) -> bool:
    return reader.at_word("P", "count") and (reader.after(1).kind, reader.after(1).text) == ("sign", "(")


def _from_asked(reader: Reader) -> Statement:
    start = reader.next.start
    one = _asked(reader)
    sign = _sign(reader)
    if _at_asked(reader):
        other = _asked(reader)
        if isinstance(one, HowMany) or isinstance(other, HowMany):
            refuse(reader.text, start, "a count is compared with a number")
        return (
            Compares(one, other)
            if sign == "<="
            else Compares(other, one)
            if sign == ">="
            else Compares(one, other, "=")
        )
    place = reader.next.start
    number, vague = _number(reader)
    if vague is not None:
        if sign != "=":
            refuse(reader.text, place, "± goes with '=' only")
        return _made(reader, place, lambda: around(one, number, vague))
    return _made(reader, place, lambda: _bounded(one, sign, number))


def _from_number(reader: Reader) -> Statement:
    place = reader.next.start
    first, vague = _number(reader)
    sign = _TURNED[_sign(reader)]
    if vague is not None or not _at_asked(reader):
        reader.fail("P(…) or count(…) is missing; write 0.2 <= P(Flu | sex=male) <= 0.4")
    about = _asked(reader)
    if reader.next.kind == "end":
        return _made(reader, place, lambda: _bounded(about, sign, first))
    again = _sign(reader)
    if "=" in (sign, again) or sign == again:
        refuse(reader.text, place, "the two signs do not go together; write 0.2 <= P(Flu) <= 0.4")
    second, vague = _number(reader)
    if vague is not None:
        reader.fail("± goes with '=' only")
    low, high = (first, second) if sign == ">=" else (second, first)
    return _made(reader, place, lambda: Says(about, low, high))


def _made(reader: Reader, place: int, make: Callable[[], Statement]) -> Statement:
    """Make a statement; numbers that cannot be are refused where they stand."""
    try:
        return make()
    except BadKnowledge as problem:
        refuse(reader.text, place, str(problem))


def _bounded(about: Share | HowMany, sign: str, number: Fraction) -> Says:
    low = Fraction(0) if sign == "<=" else number
    return Says(about, low, most_of(about) if sign == ">=" else number)


def _sign(reader: Reader) -> str:
    if reader.at_sign("<", ">"):
        reader.fail(f"{reader.next} is too strict; write '{reader.next.text}='")
    if not reader.at_sign(*_SIGNS):
        reader.fail(f"'=', '<=' or '>=' is missing before {reader.next}; write P(Flu | sex=male) = 0.3")
    return reader.take().text


def _number(reader: Reader) -> tuple[Fraction, Fraction | None]:
    start = reader.next.start
    words: list[str] = []
    while reader.next.kind == "word" and not _at_asked(reader):
        words.append(reader.take().text)
    found = _VAGUE.fullmatch("".join(words))
    if found is None:
        refuse(reader.text, start, "a number is missing here; write 0.3, 3/10 or 30%")
    return _read_number(reader, start, found[1]), None if found[2] is None else _read_number(reader, start, found[2])


def _read_number(reader: Reader, start: int, text: str) -> Fraction:
    try:
        return Fraction(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ZeroDivisionError:
        refuse(reader.text, start, "this divides by zero")


def _asked(reader: Reader) -> Share | HowMany:
    start = reader.next.start
    counted = is_word(reader.take(), "count")
    reader.take()
    values = [read_value(reader)]
    while reader.accept_word("or"):
        values.append(read_value(reader))
    about = _how_many(reader, start, tuple(values)) if counted else _share(reader, tuple(values))
    reader.expect(")", "a parenthesis is open; join values with or, conditions with a comma")
    return about


def _how_many(reader: Reader, start: int, values: tuple[Label, ...]) -> HowMany:
    reader.expect(";", "write count(HIV; Alice, Bob)")
    people: list[Who] = [read_person(reader)]
    while reader.accept(","):
        people.append(read_person(reader))
    if len({*people}) < len(people):
        refuse(reader.text, start, "a person is named twice; name each one once")
    return how_many(values, tuple(people))


def _share(reader: Reader, values: tuple[Label, ...]) -> Share:
    if not reader.accept("|"):
        return share(values, {})
    after = reader.after(1)
    if reader.at_word("person") and (after.kind, after.text) == ("sign", "="):
        reader.take()
        reader.take()
        person = read_person(reader)
        if reader.at_sign(","):
            reader.fail("a statement is about a person or about everybody who says something, not both")
        return share(values, {}, person)
    return share(values, _given(reader))


def _given(reader: Reader) -> dict[str, Label]:
    given: dict[str, Label] = {}
    while True:
        start = reader.next.start
        column = reader.name("a column", stop=())
        if column in given:
            refuse(reader.text, start, f"column '{column}' is said twice")
        reader.expect("=", "write P(value | column=cell, column=cell)")
        given[column] = read_value(reader)
        if not (reader.accept(",") or reader.accept_word("and")):
            return given
