"""Read facts from text.  Functions that take a text are called read_…, those that take a reader parse_… .

    fact    = either [ "->" fact ]                      if the one, then the other; a -> b -> c is a -> (b -> c)
    either  = both { "or" both }
    both    = sure { "and" sure }
    sure    = simple [ "with" number ]                  somebody is only so sure of it: 0.9, 9/10 or 90%
    simple  = "not" simple | "(" fact ")" | "same" "(" person "," person ")"
            | person "=" value | person "!=" value | person [ "not" ] "in" "{" value { "," value } "}"
    person  = name | "#" group [ "." number ] | "someone in group" group | "{" column "=" cell { "," … } "}"

So `not` binds tighter than `with`, `with` tighter than `and`, `and` tighter than `or`, and `->` least.  Names and
values are words (with spaces, dots and hyphens) or quoted; `(missing)` is the missing value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias, cast

from sidelight.errors import BadKnowledge
from sidelight.knowledge.facts import DEEPEST, Fact, Has, Implies, Not, OneOf, Same, SoftFact, all_of, any_of, conjuncts
from sidelight.knowledge.people import Described, Someone, Who
from sidelight.knowledge.tokens import TokenReader, whole_in
from sidelight.table.labels import Label

Knowledge: TypeAlias = str | Fact | Sequence[str | Fact] | None
"""Facts as callers may hand them in: a text, a fact, or several of them."""

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
    reader = TokenReader(_as_text(text))
    fact = _fact(reader, 0)
    reader.end("join facts with and, or, ->")
    return fact


def read_facts(knowledge: Knowledge) -> tuple[Fact, ...]:
    """Read what callers hand in; facts joined by `and` become several.

    >>> [str(fact) for fact in read_facts(["Bob = Flu and Ed != Flu", Has("Ann", "Cold")])]
    ['Bob = Flu', 'Ed != Flu', 'Ann = Cold']
    """
    if knowledge is None:
        return ()
    only_one = isinstance(knowledge, str | Fact | Mapping) or not isinstance(knowledge, Iterable)
    facts = [as_fact(each) for each in cast("Iterable[str | Fact]", (knowledge,) if only_one else knowledge)]
    return tuple(part for fact in facts for part in conjuncts(fact))


def as_fact(fact: str | Fact) -> Fact:
    """Return a fact as it is, or read its text."""
    return fact if isinstance(fact, Fact) else read_fact(fact)


def read_person(text: str) -> Who:
    """Read a person as facts write them: a name, #17, or {column = cell}.

    >>> read_person("#17.2"), read_person("Ann Lee")
    (Someone(group=17, number=2), 'Ann Lee')
    """
    reader = TokenReader(text)
    person = parse_person(reader)
    reader.end("name one person")
    return person


def _as_text(text: object) -> str:
    if isinstance(text, str):
        return text
    message = f"a fact is a text or made by sl.Has and its like, not a {type(text).__name__}"
    raise BadKnowledge(message)


def parse_person(reader: TokenReader) -> Who:
    """Read whom a fact is about."""
    if reader.accept("{"):
        return _read_description(reader)
    someone = _SOMEONE.fullmatch(reader.next.text) if reader.next.kind == "word" else None
    if someone:
        return _someone(reader, *someone.groups(default="1"))
    ahead = [reader.peek(steps) for steps in range(4)]
    words = [token.text.lower() for token in ahead if token.kind == "word"]
    if words[:3] == ["someone", "in", "group"] and re.fullmatch("[0-9]+", words[-1]):
        reader.take(3)
        return _someone(reader, words[-1])
    return reader.name("a person")


def _someone(reader: TokenReader, group: str, number: str = "1") -> Someone:
    """Parse the token that numbers someone."""
    of_group, of_person = whole_in(group), whole_in(number)
    if of_group is None or of_person is None:
        reader.fail("no release has so many groups or people; check the number")
    if not of_group or not of_person:
        reader.fail("groups and their people are numbered from 1")
    reader.take()
    return Someone(of_group, of_person)


def _read_description(reader: TokenReader) -> Described:
    cells = [_cell(reader, ())]
    while reader.accept(","):
        cells.append(_cell(reader, cells))
    reader.expect("}", "a description ends with it")
    return Described(tuple(cells))


def _cell(reader: TokenReader, before: Sequence[tuple[str, Label]]) -> tuple[str, Label]:
    """Read "column = cell", of a column that did not come before."""
    start = reader.next
    column = reader.name("a column", stop=())
    if column in dict(before):
        reader.fail(f"column '{column}' is said twice", at=start)
    reader.expect("=", "write {column = cell, column = cell}")
    return column, reader.label()


# The grammar, from the loosest to the tightest: `depth` counts parentheses, nots and ifs, so that recursion is bounded.


def _fact(reader: TokenReader, depth: int) -> Fact:
    _check_depth(reader, depth)
    premise = _either(reader, depth)
    return Implies(premise, _fact(reader, depth + 1)) if reader.accept("->") else premise


def _either(reader: TokenReader, depth: int) -> Fact:
    facts = [_both(reader, depth)]
    while reader.accept_word("or"):
        facts.append(_both(reader, depth))
    return any_of(facts)


def _both(reader: TokenReader, depth: int) -> Fact:
    facts = [_sure(reader, depth)]
    while reader.accept_word("and"):
        facts.append(_sure(reader, depth))
    return all_of(facts)


def _sure(reader: TokenReader, depth: int) -> Fact:
    fact = _simple(reader, depth)
    if not reader.is_probability_next():
        return fact
    reader.take()
    start, probability = reader.next, reader.share()
    try:
        return SoftFact(fact, probability)
    except BadKnowledge as problem:
        reader.fail(f"{problem}; a value that ends so goes into quotes", at=start)


def _simple(reader: TokenReader, depth: int) -> Fact:
    _check_depth(reader, depth)
    if reader.accept_word("not"):
        return Not(_simple(reader, depth + 1))
    if reader.accept("("):
        fact = _fact(reader, depth + 1)
        reader.expect(")", "a parenthesis is open")
        return fact
    if reader.is_call_next("same"):
        return _same(reader)
    return _read_atom_about(reader, parse_person(reader))


def _check_depth(reader: TokenReader, depth: int) -> None:
    if depth > DEEPEST:
        reader.fail(f"more than {DEEPEST} things stand within each other; say it in several facts")


def _same(reader: TokenReader) -> Fact:
    reader.take(2)
    one = parse_person(reader)
    reader.expect(",", "write same(Ann, Tom)")
    other = parse_person(reader)
    reader.expect(")", "write same(Ann, Tom)")
    return Same(one, other)


def _read_atom_about(reader: TokenReader, person: Who) -> Fact:
    if reader.accept("="):
        # "with 0.9" behind a value is how likely the fact is, and no part of the value
        return Has(person, reader.label(before_probability=True))
    if reader.accept("!="):
        return Not(Has(person, reader.label(before_probability=True)))
    # "Bob not in {…}": here `not` belongs to `in`
    negated = reader.is_word_next("not") and reader.peek(1).text in ("in", "IN")
    if negated:
        reader.take()
    if not reader.accept_word("in"):
        if_then = isinstance(person, str) and person.lower().startswith("if")
        example = "Ann = Flu -> Bob = Flu for if … then" if if_then else "Bob = Flu or Bob in {Flu, Cold}"
        reader.fail(f"'=', '!=' or 'in' is missing before {reader.next}; write {example}")
    fact = OneOf(person, _values(reader))
    return Not(fact) if negated else fact


def _values(reader: TokenReader) -> list[Label]:
    reader.expect("{", "write Bob in {Flu, Cold}")
    values = [reader.label()]
    while reader.accept(","):
        values.append(reader.label())
    reader.expect("}", "write Bob in {Flu, Cold}")
    return values
