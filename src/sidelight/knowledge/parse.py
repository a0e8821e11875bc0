"""Facts as text: the grammar, and completion while a fact or a statement is typed.

    fact    = either [ "->" fact ]                      if the one, then the other; a -> b -> c is a -> (b -> c)
    either  = both { "or" both }
    both    = soft { "and" soft }
    soft    = simple [ "with" number ]                  its probability: 0.9, 9/10 or 90%
    simple  = "not" simple | "(" fact ")" | "same" "(" person "," person ")"
            | person "=" value | person "!=" value | person [ "not" ] "in" "{" value { "," value } "}"
    person  = name | "#" group [ "." number ] | "someone in group" group | "{" column "=" cell { "," … } "}"

So `not` binds tighter than `with`, `with` tighter than `and`, `and` tighter than `or`, and `->` least.  Names and
values are words (with spaces, dots and hyphens) or quoted; `(missing)` is the missing value.

`complete` takes only what stands before the cursor, and checks nothing.  Where the cursor stands decides what is
offered:

    at the start, after and, or, ->, not, (      people: #1, {column = …}; not, same(…), P(…), count(…)
    after "#3 =", "!=", within "in {…}"          values
    in "{", and after a comma there              columns; after "column =" what the release prints there
    in P(…), and after a comma, | or or there    values and columns; after "column =" what the release prints there
    after a whole fact                           and, or, ->, with
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, cast

from sidelight.knowledge.facts import (
    DEEPEST,
    Fact,
    Has,
    OneOf,
    Same,
    SoftFact,
    Who,
    all_of,
    any_of,
    conjuncts,
    parse_person,
)
from sidelight.knowledge.tokens import TokenReader, expect_text, quote

if TYPE_CHECKING:
    from sidelight.table.labels import Label

Knowledge: TypeAlias = str | Fact | Sequence[str | Fact] | None
"""Facts as callers may hand them in: a text, a fact, or several of them."""


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
    reader = TokenReader(expect_text(text, "fact is a text or made by sl.Has and its like"))
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


# The grammar, from the loosest to the tightest: `depth` counts parentheses, nots and ifs, so that recursion is bounded.


def _fact(reader: TokenReader, depth: int) -> Fact:
    reader.check_depth(depth, DEEPEST, "facts")
    premise = any_of(reader.several(lambda: _both(reader, depth), "or"))
    return premise.implies(_fact(reader, depth + 1)) if reader.accept("->") else premise


def _both(reader: TokenReader, depth: int) -> Fact:
    return all_of(reader.several(lambda: _soft(reader, depth), "and"))


def _soft(reader: TokenReader, depth: int) -> Fact:
    fact = _simple(reader, depth)
    if not reader.is_probability_next():
        return fact
    reader.take()
    start, probability = reader.next, reader.share()
    return reader.make(lambda: SoftFact(fact, probability), at=start, remedy="; a value that ends so goes into quotes")


def _simple(reader: TokenReader, depth: int) -> Fact:
    reader.check_depth(depth, DEEPEST, "facts")
    if reader.accept("not"):
        return ~_simple(reader, depth + 1)
    if reader.accept("("):
        fact = _fact(reader, depth + 1)
        reader.expect(")", "a parenthesis is open")
        return fact
    if reader.is_call_next("same"):
        reader.take(2)
        one = parse_person(reader)
        reader.expect(",", "write same(Ann, Tom)")
        fact = Same(one, parse_person(reader))
        reader.expect(")", "write same(Ann, Tom)")
        return fact
    return _read_atom_about(reader, parse_person(reader))


def _read_atom_about(reader: TokenReader, person: Who) -> Fact:
    if reader.accept("="):
        # "with 0.9" after a value is the probability of the fact, and no part of the value
        return Has(person, reader.label(before_probability=True))
    if reader.accept("!="):
        return ~Has(person, reader.label(before_probability=True))
    # "Bob not in {…}": here `not` belongs to `in`
    negated = reader.next.is_any("not") and reader.peek(1).text in ("in", "IN")
    if negated:
        reader.take()
    if not reader.accept("in"):
        if_then = isinstance(person, str) and person.lower().startswith("if")
        example = "Ann = Flu -> Bob = Flu for if … then" if if_then else "Bob = Flu or Bob in {Flu, Cold}"
        reader.fail(f"'=', '!=' or 'in' is missing before {reader.next}; write {example}")
    reader.expect("{", "write Bob in {Flu, Cold}")
    fact = OneOf(person, reader.several(reader.label, ","))
    reader.expect("}", "write Bob in {Flu, Cold}")
    return ~fact if negated else fact


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The names for completion: the labels of each column, the values, and the number of groups."""

    columns: Mapping[str, Sequence[Label]]
    values: Sequence[Label]
    groups: int


def complete(text: str, at: int, vocabulary: Vocabulary) -> tuple[int, tuple[tuple[str, str], ...]]:
    """Return the start of the fragment before the cursor, and its completions: each text, and what it is.

    >>> words = Vocabulary({"sex": ("f", "m"), "age": ("20-29",)}, ("Flu", "Salt and pepper", None), 3)
    >>> complete("#1 = F", 6, words)
    (5, (('Flu', 'a value'),))
    >>> [option for option, _ in complete("P(Flu | sex=", 12, words)[1]]
    ['f', 'm']
    >>> [option for option, _ in complete("{", 1, words)[1]]
    ['sex = ', 'age = ']
    >>> complete('#2 != sal', 9, words)
    (6, (('"Salt and pepper"', 'a value'),))
    """
    sign = "->|→|!=|≠|<=|>=|[(){},;|=<>]"
    # blanks, a name in quotes, which may still be open, a sign, a word, or anything else
    pieces = re.findall(rf"""\s+|"(?:[^"]|"")*"?|'(?:[^']|'')*'?|{sign}|[^\s"(){{}},;|=<>!→≠-]+|.""", text[:at])
    typed: list[str] = []
    # back from the cursor to the last sign, as names may have several words
    while pieces and not re.fullmatch(sign, pieces[-1]):
        # a joining word counts only once a space follows: until then it may be the start of a name
        if pieces[-1] in ("and", "or", "not", "in") and (typed and typed[-1].isspace()):
            break
        typed.append(pieces.pop())
    fragment = "".join(reversed(typed)).lstrip()
    before = [each for each in pieces if not each.isspace()]
    ended = _continue_after_word(before, fragment)
    if ended:
        return at, tuple((f"{word} ", what) for word, what in ended)
    typed_name = fragment.strip("\"'").casefold()
    offered = [
        (option, what)
        for option, what, name in _offers(before, fragment, vocabulary)
        if typed_name in name.casefold() and option != fragment
    ]
    # stable: options that begin with what was typed come first, all others keep their order
    offered.sort(key=lambda each: not each[0].strip('"').casefold().startswith(typed_name))
    return at - len(fragment), tuple(offered[:12])


def _continue_after_word(before: Sequence[str], fragment: str) -> tuple[tuple[str, str], ...]:
    """Return the words that may follow a person, or a value, that ends with a space."""
    if not fragment[-1:].isspace() or _open(before):
        return ()
    if re.fullmatch(r"#[0-9.]+\s+", fragment):
        return _COMPARED
    return _JOINED if before and before[-1] in ("=", "!=", "≠") else ()


def _offers(before: Sequence[str], fragment: str, vocabulary: Vocabulary) -> Iterator[tuple[str, str, str]]:
    """Yield what may follow these pieces: the text, what it is, and the name to match."""
    last = before[-1] if before else ""
    opened = _open(before)
    if last in ("=", "!=", "≠") and opened in ("{", "P"):
        column = _column_before(before)
        yield from ((quote(each), f"printed in {column}", str(each)) for each in vocabulary.columns.get(column, ()))
    elif last in ("=", "!=", "≠") or opened in ("in {", "count"):
        yield from _offer_values(vocabulary)
    elif opened == "{":
        yield from ((f"{quote(name)} = ", "a column", name) for name in vocabulary.columns)
    elif opened == "P":
        yield from _offer_values(vocabulary)
        yield from ((f"{quote(name)}=", "a column", name) for name in vocabulary.columns)
    elif not before or last.lower() in ("and", "or", "->", "→", "not", "("):
        yield from _offer_people(fragment, vocabulary)
    elif last in ("}", ")"):
        yield from ((f"{word} ", what, word) for word, what in (*_COMPARED, *_JOINED))


_COMPARED = (("=", "has"), ("!=", "has not"))
_JOINED = (("and", "both hold"), ("or", "one holds"), ("->", "if the one, then the other"))


def _offer_values(vocabulary: Vocabulary) -> Iterator[tuple[str, str, str]]:
    yield from ((quote(each), "a value", quote(each)) for each in vocabulary.values)


def _offer_people(fragment: str, vocabulary: Vocabulary) -> Iterator[tuple[str, str, str]]:
    number = re.fullmatch("#([0-9]*)", fragment)
    numbers = range(1, vocabulary.groups + 1)
    # only the first 2,000 groups are compared, so that every keystroke answers at once
    some = [each for each in numbers[:2000] if number is None or str(each).startswith(number[1])]
    yield from ((f"#{each} ", f"someone in group {each}", f"#{each}") for each in some[: 3 if number is None else 8])
    yield "{", "somebody by what is known about them", "{"
    yield "not ", "the opposite", "not"
    yield "P(", "a share of people", "P("
    yield "count(", "how many of some people", "count("
    yield "same(", "two people have the same", "same("


def _open(before: Sequence[str]) -> str:
    """Return what encloses the cursor: a description, a list of values, P(…), count(…), or nothing of these."""
    stack: list[str] = []
    for index, piece in enumerate(before):
        previous = before[index - 1] if index else ""
        if piece == "{":
            stack.append("in {" if previous.lower() == "in" else "{")
        elif piece == "(":
            stack.append("P" if previous == "P" else "count" if previous == "count" else "(")
        elif piece in ("}", ")") and stack:
            stack.pop()
    # parentheses that only group do not change what may stand within them
    within = [each for each in stack if each != "("]
    return within[-1] if within else ""


def _column_before(before: Sequence[str]) -> str:
    words: list[str] = []
    for piece in reversed(before[:-1]):
        if piece in ("{", ",", "(", "|", ";", "and", "or", "not"):
            break
        words.append(piece)
    return " ".join(reversed(words)).strip("\"'")
