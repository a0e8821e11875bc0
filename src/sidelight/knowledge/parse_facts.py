"""Facts from text.

    fact    = either [ "->" fact ]                      if the one, then the other; a -> b -> c is a -> (b -> c)
    either  = both { "or" both }
    both    = simple { "and" simple }
    simple  = "not" simple | "(" fact ")" | "same" "(" person "," person ")"
            | person "=" value | person "!=" value | person [ "not" ] "in" "{" value { "," value } "}"
    person  = name | "#" group [ "." number ] | "someone in group" group | "{" column "=" cell { "," … } "}"

So `not` binds tighter than `and`, `and` tighter than `or`, and `->` least.  Names and values are words (with spaces,
dots and hyphens) or quoted; `(missing)` is the missing value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias, cast

from sidelight.errors import BadKnowledge
from sidelight.knowledge.facts import DEEPEST, And, Fact, Has, Implies, Not, OneOf, Same, all_of, any_of
from sidelight.knowledge.people import Described, Someone, Who
from sidelight.knowledge.tokens import Reader, refuse
from sidelight.table.labels import Label

Knowledge: TypeAlias = str | Fact | Sequence[str | Fact] | None
"""Facts as they may be given: a text, a fact, or several of them."""

_SOMEONE = re.compile(r"#([0-9]+)(?:\.([0-9]+))?")


def read_fact(text: str) -> Fact:
    """Read a fact.

    >>> read_fact("Hannah = Flu -> Charlie = Flu") == Has("Hannah", "Flu").implies(Has("Charlie", "Flu"))
    True
    >>> print(read_fact("not (Bob in {Flu, 'Salt, too'} or same(Ann, #17)) and Ed != Lung cancer"))
    not (Bob in {Flu, "Salt, too"} or same(Ann, #17)) and Ed != Lung cancer
    >>> read_fact("Ed = Heart and")
    Traceback (most recent call last):
    sidelight.errors.BadKnowledge: cannot read "Ed = Heart and" at character 15: a person is missing before the end; ...
    """
    reader = Reader(_checked(text))
    fact = _fact(reader, 0)
    if reader.next.kind != "end":
        reader.fail(f"{reader.next} comes too late; join facts with and, or, ->")
    return fact


def known_facts(given: Knowledge) -> tuple[Fact, ...]:
    """Take facts as they may be given; facts joined by `and` become several.

    >>> [str(fact) for fact in known_facts(["Bob = Flu and Ed != Flu", Has("Ann", "Cold")])]
    ['Bob = Flu', 'Ed != Flu', 'Ann = Cold']
    """
    if given is None:
        return ()
    one = isinstance(given, str | Fact | Mapping) or not isinstance(given, Iterable)
    facts = [as_fact(each) for each in cast("Iterable[str | Fact]", (given,) if one else given)]
    return tuple(part for fact in facts for part in (fact.facts if isinstance(fact, And) else (fact,)))


def as_fact(given: str | Fact) -> Fact:
    """Take a fact as it is, or read it."""
    return given if isinstance(given, Fact) else read_fact(given)


def _checked(text: object) -> str:
    if isinstance(text, str):
        return text
    message = f"a fact is a text or made by sl.Has and its like, not a {type(text).__name__}"
    raise BadKnowledge(message)


def read_person(reader: Reader) -> Who:
    """Read whom a fact is about."""
    if reader.accept("{"):
        return _described(reader)
    someone = _SOMEONE.fullmatch(reader.next.text) if reader.next.kind == "word" else None
    if someone:
        return _someone(reader, *someone.groups(default="1"))
    ahead = [reader.after(step) for step in range(4)]
    words = [token.text.lower() for token in ahead if token.kind == "word"]
    if words[:3] == ["someone", "in", "group"] and re.fullmatch("[0-9]+", words[-1]):
        for _ in range(3):
            reader.take()
        return _someone(reader, words[-1])
    return reader.name("a person")


def _someone(reader: Reader, group: str, number: str = "1") -> Someone:
    """Take the token that numbers someone; a number longer than any group's is as good when cut."""
    numbers = int(group[:18]), int(number[:18])
    if 0 in numbers:
        reader.fail("groups and their people are numbered from 1")
    reader.take()
    return Someone(*numbers)


def read_value(reader: Reader) -> Label:
    """Read a value; a word like `in` may be part of it, but not `and`, `or` and `not`."""
    if reader.at_sign("(") and reader.after(1).text == "missing" and reader.after(2).text == ")":
        for _ in range(3):
            reader.take()
        return None
    return reader.name("a value", stop=("and", "or", "not"))


def _described(reader: Reader) -> Described:
    says: list[tuple[str, Label]] = []
    while True:
        start = reader.next.start
        column = reader.name("a column", stop=())
        if column in dict(says):
            refuse(reader.text, start, f"column '{column}' is said twice")
        reader.expect("=", "write {column = cell, column = cell}")
        says.append((column, read_value(reader)))
        if not reader.accept(","):
            break
    reader.expect("}", "a description ends with it")
    return Described(tuple(says))


def _fact(reader: Reader, depth: int) -> Fact:
    if depth > DEEPEST:
        reader.fail(f"more than {DEEPEST} things stand within each other; say it in several facts")
    premise = _either(reader, depth)
    return Implies(premise, _fact(reader, depth + 1)) if reader.accept("->") else premise


def _either(reader: Reader, depth: int) -> Fact:
    facts = [_both(reader, depth)]
    while reader.accept_word("or"):
        facts.append(_both(reader, depth))
    return any_of(facts)


def _both(reader: Reader, depth: int) -> Fact:
    facts = [_simple(reader, depth)]
    while reader.accept_word("and"):
        facts.append(_simple(reader, depth))
    return all_of(facts)


def _simple(reader: Reader, depth: int) -> Fact:
    if depth > DEEPEST:
        reader.fail(f"more than {DEEPEST} things stand within each other; say it in several facts")
    if reader.accept_word("not"):
        return Not(_simple(reader, depth + 1))
    if reader.accept("("):
        fact = _fact(reader, depth + 1)
        reader.expect(")", "a parenthesis is open")
        return fact
    after = reader.after(1)
    if reader.at_word("same") and (after.kind, after.text) == ("sign", "("):
        return _same(reader)
    return _about(reader, read_person(reader))


def _same(reader: Reader) -> Fact:
    reader.take()
    reader.take()
    one = read_person(reader)
    reader.expect(",", "write same(Ann, Tom)")
    other = read_person(reader)
    reader.expect(")", "write same(Ann, Tom)")
    return Same(one, other)


def _about(reader: Reader, person: Who) -> Fact:
    if reader.accept("="):
        return Has(person, read_value(reader))
    if reader.accept("!="):
        return Not(Has(person, read_value(reader)))
    negated = reader.at_word("not") and reader.after(1).text in ("in", "IN")
    if negated:
        reader.take()
    if not reader.accept_word("in"):
        if_then = isinstance(person, str) and person.lower().startswith("if")
        write = "Ann = Flu -> Bob = Flu for if … then" if if_then else "Bob = Flu or Bob in {Flu, Cold}"
        reader.fail(f"'=', '!=' or 'in' is missing before {reader.next}; write {write}")
    fact = OneOf(person, _values(reader))
    return Not(fact) if negated else fact


def _values(reader: Reader) -> list[Label]:
    reader.expect("{", "write Bob in {Flu, Cold}")
    values = [read_value(reader)]
    while reader.accept(","):
        values.append(read_value(reader))
    reader.expect("}", "write Bob in {Flu, Cold}")
    return values
