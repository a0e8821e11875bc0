"""What may come next where somebody writes a fact or a statement?  Names as the grammar reads them again.

A text need not be whole to be completed: only what stands before the cursor counts, cut into words and signs as far as
it can be.  Where the cursor stands decides what is offered:

    at the start, after and, or, ->, not, (      people: #1, {column = …}; not, same(…), P(…), count(…)
    after "#3 =", "!=", within "in {…}"          values
    in "{", and after a comma there              columns; after "column =" what the release prints there
    in P(…), and after a comma, | or or there    values and columns; after "column =" what the release prints there
    after a whole fact                           and, or, ->, with

Nothing is checked: `parse_facts` and `parse_statements` say what is wrong, and where.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sidelight.knowledge.tokens import quote
from sidelight.table.labels import Label

_PIECE = re.compile(r"""\s+|"(?:[^"]|"")*"?|'(?:[^']|'')*'?|->|→|!=|≠|<=|>=|[(){},;|=<>]|[^\s"(){},;|=<>!→≠-]+|.""")
_JOINS = ("and", "or", "->", "→", "not", "(")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What may be named: what each column prints, the values, and how many groups there are."""

    columns: Mapping[str, Sequence[Label]]
    values: Sequence[Label]
    groups: int


@dataclass(frozen=True, slots=True)
class Completion:
    """What may stand from `start` up to the cursor, and what each of it is."""

    start: int
    options: tuple[tuple[str, str], ...]  # text, what it is


def complete(text: str, at: int, vocabulary: Vocabulary) -> Completion:
    """Return what may stand where the cursor is.

    >>> words = Vocabulary({"sex": ("f", "m"), "age": ("20-29",)}, ("Flu", "Salt and pepper", None), 3)
    >>> complete("#1 = F", 6, words)
    Completion(start=5, options=(('Flu', 'a value'),))
    >>> [option for option, _ in complete("P(Flu | sex=", 12, words).options]
    ['f', 'm']
    >>> [option for option, _ in complete("{", 1, words).options]
    ['sex = ', 'age = ']
    >>> complete('#2 != sal', 9, words).options
    (('"Salt and pepper"', 'a value'),)
    """
    pieces = [each[0] for each in _PIECE.finditer(text[:at])]
    typed: list[str] = []
    # back from the cursor to the last sign, as names may have several words
    while pieces and (pieces[-1].isspace() or pieces[-1] not in _SIGNS):
        # a joining word counts only once a space follows: until then it may be the start of a name
        if pieces[-1] in ("and", "or", "not", "in") and (typed and typed[-1].isspace()):
            break
        typed.append(pieces.pop())
    fragment = "".join(reversed(typed)).lstrip()
    before = [each for each in pieces if not each.isspace()]
    ended = _continue_after_word(before, fragment)
    if ended:
        return Completion(at, tuple((f"{word} ", what) for word, what in ended))
    typed_name = fragment.strip("\"'").casefold()
    offered = [
        (option, what)
        for option, what, name in _offers(before, fragment, vocabulary)
        if typed_name in name.casefold() and option != fragment
    ]
    # stable: options that begin with what was typed come first, all others keep their order
    offered.sort(key=lambda each: not each[0].strip('"').casefold().startswith(typed_name))
    return Completion(at - len(fragment), tuple(offered[:12]))


def _continue_after_word(before: Sequence[str], fragment: str) -> tuple[tuple[str, str], ...]:
    """Return what may follow a person, or a value, that ends with a space."""
    if not fragment[-1:].isspace() or _open(before):
        return ()
    if re.fullmatch(r"#[0-9.]+\s+", fragment):
        return _COMPARED
    return _JOINED if before and before[-1] in ("=", "!=", "≠") else ()


_SIGNS = ("->", "→", "!=", "≠", "<=", ">=", "(", ")", "{", "}", ",", ";", "|", "=", "<", ">")


def _offers(before: Sequence[str], fragment: str, vocabulary: Vocabulary) -> Iterator[tuple[str, str, str]]:
    """Yield what may stand after these pieces: the text, what it is, and the name that is looked for."""
    last = before[-1] if before else ""
    opened = _open(before)
    if last in ("=", "!=", "≠") and opened in ("{", "P"):
        column = _column(before)
        yield from ((quote(each), f"printed in {column}", str(each)) for each in vocabulary.columns.get(column, ()))
    elif last in ("=", "!=", "≠") or opened in ("in {", "count"):
        yield from _values(vocabulary)
    elif opened == "{":
        yield from ((f"{quote(name)} = ", "a column", name) for name in vocabulary.columns)
    elif opened == "P":
        yield from _values(vocabulary)
        yield from ((f"{quote(name)}=", "a column", name) for name in vocabulary.columns)
    elif not before or last in _JOINS or last.lower() in _JOINS:
        yield from _people(fragment, vocabulary)
    elif last in ("}", ")"):
        yield from ((f"{word} ", what, word) for word, what in (*_COMPARED, *_JOINED))


_COMPARED = (("=", "has"), ("!=", "has not"))
_JOINED = (("and", "both hold"), ("or", "one holds"), ("->", "if the one, then the other"))


def _values(vocabulary: Vocabulary) -> Iterator[tuple[str, str, str]]:
    yield from ((quote(each), "a value", quote(each)) for each in vocabulary.values)


def _people(fragment: str, vocabulary: Vocabulary) -> Iterator[tuple[str, str, str]]:
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
    """Return within what the cursor stands: a description, a list of values, P(…), count(…), or nothing of it."""
    stack: list[str] = []
    for place, piece in enumerate(before):
        previous = before[place - 1] if place else ""
        if piece == "{":
            stack.append("in {" if previous.lower() == "in" else "{")
        elif piece == "(":
            stack.append("P" if previous == "P" else "count" if previous == "count" else "(")
        elif piece in ("}", ")") and stack:
            stack.pop()
    # parentheses that only group do not change what may stand within them
    within = [each for each in stack if each != "("]
    return within[-1] if within else ""


def _column(before: Sequence[str]) -> str:
    """Return the column before the last sign."""
    words: list[str] = []
    for piece in reversed(before[:-1]):
        if piece in ("{", ",", "(", "|", ";", "and", "or", "not"):
            break
        words.append(piece)
    return " ".join(reversed(words)).strip("\"'")
