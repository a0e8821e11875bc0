"""Read facts and statements from text, and say what may come next where somebody writes one.

    fact    = either [ "->" fact ]                      if the one, then the other; a -> b -> c is a -> (b -> c)
    either  = both { "or" both }
    both    = sure { "and" sure }
    sure    = simple [ "with" number ]                  somebody is only so sure of it: 0.9, 9/10 or 90%
    simple  = "not" simple | "(" fact ")" | "same" "(" person "," person ")"
            | person "=" value | person "!=" value | person [ "not" ] "in" "{" value { "," value } "}"
    person  = name | "#" group [ "." number ] | "someone in group" group | "{" column "=" cell { "," … } "}"

So `not` binds tighter than `with`, `with` tighter than `and`, `and` tighter than `or`, and `->` least.  Names and
values are words (with spaces, dots and hyphens) or quoted; `(missing)` is the missing value.

    statement = side sign side [ "±" number ] | number sign side sign number
              | side "~" ( "normal" | "laplace" ) "(" side "," side ")"
    sign      = "=" | "<=" | ">="
    side      = product { ( "+" | "-" ) product }
    product   = factor { "*" factor | "/" factor | factor }        linear: a product of one quantity and numbers
    factor    = "-" factor | "(" side ")" | number | quantity
    quantity  = "P" "(" event [ "|" "person" "=" person | "|" event ] ")"
              | "count" "(" value { "or" value } ";" person { "," person } ")"
    number    = 0.3 | 3/10 | 30%

Events are read by `events`.  A column that is called person is quoted.  Outside of P(…) and count(…), words are cut
where arithmetic has them end: 2*P(Flu)-0.1 is five tokens there.

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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias, cast

from sidelight.errors import BadKnowledge
from sidelight.knowledge.events import DEEPEST_CONDITION, HasValue, parse_event
from sidelight.knowledge.facts import (
    DEEPEST,
    Described,
    Fact,
    Has,
    Implies,
    Not,
    OneOf,
    Same,
    SoftFact,
    Someone,
    Who,
    all_of,
    any_of,
    conjuncts,
)
from sidelight.knowledge.statements import (
    ConditionalProbability,
    Headcount,
    Noise,
    Quantity,
    Statement,
    conditional_probability,
    headcount,
)
from sidelight.knowledge.tokens import Token, TokenReader, quote, share_in, tokenize, whole_in

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
    reader = TokenReader(_expect_text(text, "fact is a text or made by sl.Has and its like"))
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


def _expect_text(text: object, otherwise: str) -> str:
    if isinstance(text, str):
        return text
    message = f"a {otherwise}, not a {type(text).__name__}"
    raise BadKnowledge(message)


def parse_person(reader: TokenReader) -> Who:
    """Read whom a fact is about."""
    if reader.accept("{"):
        cells: dict[str, Label] = {}
        reader.several(lambda: _read_cell(reader, cells), lambda: reader.accept(","))
        reader.expect("}", "a description ends with it")
        return Described(tuple(cells.items()))
    someone = re.fullmatch(r"#([0-9]+)(?:\.([0-9]+))?", reader.next.text) if reader.next.kind == "word" else None
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


def _read_cell(reader: TokenReader, cells: dict[str, Label]) -> None:
    """Read "column = cell", of a column that did not come before."""
    start = reader.next
    column = reader.name("a column", stop=())
    if column in cells:
        reader.fail(f"column '{column}' is said twice", at=start)
    reader.expect("=", "write {column = cell, column = cell}")
    cells[column] = reader.label()


# The grammar, from the loosest to the tightest: `depth` counts parentheses, nots and ifs, so that recursion is bounded.


def _fact(reader: TokenReader, depth: int) -> Fact:
    _check_depth(reader, depth)
    premise = _either(reader, depth)
    return Implies(premise, _fact(reader, depth + 1)) if reader.accept("->") else premise


def _either(reader: TokenReader, depth: int) -> Fact:
    return any_of(reader.several(lambda: _both(reader, depth), lambda: reader.accept_word("or")))


def _both(reader: TokenReader, depth: int) -> Fact:
    return all_of(reader.several(lambda: _sure(reader, depth), lambda: reader.accept_word("and")))


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
        reader.take(2)
        one = parse_person(reader)
        reader.expect(",", "write same(Ann, Tom)")
        fact = Same(one, parse_person(reader))
        reader.expect(")", "write same(Ann, Tom)")
        return fact
    return _read_atom_about(reader, parse_person(reader))


def _check_depth(reader: TokenReader, depth: int) -> None:
    if depth > DEEPEST:
        reader.fail(f"more than {DEEPEST} things stand within each other; say it in several facts")


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
    reader.expect("{", "write Bob in {Flu, Cold}")
    fact = OneOf(person, reader.several(reader.label, lambda: reader.accept(",")))
    reader.expect("}", "write Bob in {Flu, Cold}")
    return Not(fact) if negated else fact


Statements: TypeAlias = str | Statement | Sequence[str | Statement]
"""Statements as callers may hand them in: a text, a statement, or several of them."""

_STATEMENT = "statement is a text or made by sl.P and sl.count"
_SIGNS = ("=", "<=", ">=")
_NUMBER = re.compile(r"(?:[0-9]{1,1000}(?:\.[0-9]{0,30})?|\.[0-9]{1,30})(?:[eE][-+]?[0-9]{1,2})?")
_PIECE = re.compile(rf"{_NUMBER.pattern}|\+/-|\+-|[-+*/%±−·×]|[^\W0-9]\w*|.", re.DOTALL)


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
    reader = TokenReader(_expect_text(text, _STATEMENT), cut=_cut_words)
    statement = _statement(reader)
    reader.end("a statement ends before it")
    return statement


def read_statements(statements: Statements) -> tuple[WordedStatement, ...]:
    """Read what callers hand in, each statement with its words.

    >>> [worded.words for worded in read_statements(["P(Flu)=.3"])]
    ['P(Flu)=.3']
    """
    listed: Iterable[str | Statement] = (statements,) if isinstance(statements, str | Statement) else statements
    worded = []
    for each in listed:
        if isinstance(each, Quantity):
            message = f"{each} is not compared with anything; write == 0.3, <= 0.3 or the like"
            raise BadKnowledge(message)
        text = None if isinstance(each, Statement) else " ".join(_expect_text(each, _STATEMENT).split())
        worded.append(WordedStatement(each if isinstance(each, Statement) else read_statement(each), text))
    return tuple(worded)


def is_statement(text: str) -> bool:
    """Return whether a text speaks of shares: whether P(…) or count(…) is in it.

    >>> is_statement("P(Flu | sex=male) = 0.3"), is_statement("Bob = Flu")
    (True, False)
    """
    try:
        tokens = (*_cut_words(tokenize(text)),)
    except BadKnowledge:
        return False
    return any(token.is_word("P", "count") and after.is_sign("(") for token, after in pairwise(tokens))


def _cut_words(tokens: Iterable[Token]) -> Iterator[Token]:
    """Cut words into numbers, names and operators, wherever they are not within P(…) or count(…)."""
    within, called = 0, False
    for token in tokens:
        # inside of P(…) and count(…), signs such as - belong to names; parentheses are counted to find the end
        if within:
            if token.kind == "sign":
                within += (token.text == "(") - (token.text == ")")
        elif token.kind == "word":
            pieces, operators = [*_PIECE.finditer(token.text)], {"+/-": "±", "+-": "±", "−": "-", "·": "*", "×": "*"}
            yield from (Token("word", operators.get(each[0], each[0]), token.start + each.start()) for each in pieces)
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
        return _read_around(reader, one, sign, other, middle)
    if reader.is_sign_next("<", ">", *_SIGNS):
        return _read_between(reader, one, sign, other, start)
    # an error about the numbers points at the side that has them
    numbers_stand_at = start if not one.terms else start if other.terms else middle
    return _make_checked(reader, numbers_stand_at, lambda: _make_comparison(one, sign, other))


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


def _make_comparison(one: Quantity, sign: str, other: Quantity) -> Statement:
    # what is about somebody comes first, so that its words are the statement's
    if not one.terms:
        one, other, sign = other, one, {"=": "=", "<=": ">=", ">=": "<="}[sign]
    return one == other if sign == "=" else one <= other if sign == "<=" else one >= other


def _read_around(reader: TokenReader, one: Quantity, sign: str, other: Quantity, start: Token) -> Statement:
    reader.take()
    if sign != "=":
        reader.fail("± goes with '=' only", at=start)
    give_or_take = _read_number(reader)
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
    total = _read_product(reader, depth)
    while reader.is_word_next("+", "-"):
        minus = reader.take().text == "-"
        product = _read_product(reader, depth)
        total = total - product if minus else total + product
    return total


def _read_product(reader: TokenReader, depth: int) -> Quantity:
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
    return Quantity((), _read_number(reader))


def _read_number(reader: TokenReader) -> Fraction:
    if reader.next.kind != "word" or _NUMBER.fullmatch(reader.next.text) is None:
        reader.fail("a number is missing here; write 0.3, 3/10 or 30%")
    number = share_in(reader.take().text)
    return number / 100 if reader.accept_word("%") else number


def _quantity(reader: TokenReader) -> ConditionalProbability | Headcount:
    start = reader.take()
    reader.take()
    about: ConditionalProbability | Headcount
    if start.is_word("count"):
        values = reader.several(reader.label, lambda: reader.accept_word("or"))
        reader.expect(";", "write count(HIV; Alice, Bob)")
        people = reader.several(lambda: parse_person(reader), lambda: reader.accept(","))
        if len({*people}) < len(people):
            reader.fail("a person is named twice; name each one once", at=start)
        about = headcount(tuple(values), tuple(people))
    else:
        about = _conditional_probability(reader)
    reader.expect(")", "a parenthesis is open; join values with or, conditions with a comma")
    return about


def _conditional_probability(reader: TokenReader) -> ConditionalProbability:
    event = parse_event(reader)
    if not reader.accept("|"):
        return conditional_probability(event)
    if not (reader.is_word_next("person") and reader.peek(1).is_sign("=")):
        return conditional_probability(event, parse_event(reader))
    start = reader.take(2)
    person = parse_person(reader)
    if reader.is_sign_next(",") or any(not isinstance(each, HasValue) for each in event):
        reader.fail(
            "a statement is about a person or about everybody who says something, not both",
            at=None if reader.is_sign_next(",") else start,
        )
    return conditional_probability(event, (), person)


_FRAGMENT = re.compile(r"""\s+|"(?:[^"]|"")*"?|'(?:[^']|'')*'?|->|→|!=|≠|<=|>=|[(){},;|=<>]|[^\s"(){},;|=<>!→≠-]+|.""")
_JOINING = ("and", "or", "->", "→", "not", "(")


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
    pieces = [each[0] for each in _FRAGMENT.finditer(text[:at])]
    typed: list[str] = []
    # back from the cursor to the last sign, as names may have several words
    while pieces and (pieces[-1].isspace() or pieces[-1] not in _PUNCTUATION):
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


_PUNCTUATION = ("->", "→", "!=", "≠", "<=", ">=", "(", ")", "{", "}", ",", ";", "|", "=", "<", ">")


def _offers(before: Sequence[str], fragment: str, vocabulary: Vocabulary) -> Iterator[tuple[str, str, str]]:
    """Yield what may stand after these pieces: the text, what it is, and the name that is looked for."""
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
    elif not before or last in _JOINING or last.lower() in _JOINING:
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


def _column_before(before: Sequence[str]) -> str:
    words: list[str] = []
    for piece in reversed(before[:-1]):
        if piece in ("{", ",", "(", "|", ";", "and", "or", "not"):
            break
        words.append(piece)
    return " ".join(reversed(words)).strip("\"'")
