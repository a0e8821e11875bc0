"""Text cut into words, quoted texts and signs, each with its position: the ground that all readers share."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, NoReturn, TypeAlias

from sidelight._text import shortened
from sidelight.errors import BadKnowledge
from sidelight.table.labels import Label

Kind: TypeAlias = Literal["word", "quoted", "sign", "end"]

KEYWORDS = ("and", "or", "not", "in")
"""Words that mean something; a name that has one of them is quoted."""

MOST_SHOWN = 80
"""At most so many characters of a text are shown in a message."""

_ALIKE = {"→": "->", "≠": "!=", "≤": "<=", "≥": ">=", "==": "="}
_TOKEN = re.compile(
    r"""
      (?P<quoted> "(?:[^"]|"")*" | '(?:[^']|'')*' )
    | (?P<sign>   -> | → | != | ≠ | <= | ≤ | >= | ≥ | == | [(){},;|=<>] )
    | (?P<word>   (?: [^\s(){},;|=<>"→≠≤≥!'-] | -(?!>) | !(?!=) | (?<=[^\s(){},;|=<>"])' )+ )
    """,
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of text: what it says, and where it starts (from 0)."""

    kind: Kind
    text: str
    start: int

    def __str__(self) -> str:
        return "the end" if self.kind == "end" else f"'{self.text}'"


def tokenized(text: str) -> tuple[Token, ...]:
    """Cut a text; the last token is its end.

    Words may hold hyphens, dots and apostrophes; a quote within a quoted text is doubled.

    >>> [token.text for token in tokenized("Ann-Lee = 'Lung cancer' -> O'Neil != Flu")]
    ['Ann-Lee', '=', 'Lung cancer', '->', "O'Neil", '!=', 'Flu', '']
    """
    tokens: list[Token] = []
    place = 0
    while place < len(text):
        if text[place].isspace():
            place += 1
            continue
        found = _TOKEN.match(text, place)
        if found is None:
            wrong = "this quote is not closed" if text[place] in "'\"" else f"'{text[place]}' means nothing here"
            refuse(text, place, wrong)
        tokens.append(_token(found.lastgroup or "", found[0], place))
        place = found.end()
    return (*tokens, Token("end", "", len(text)))


def _token(kind: str, said: str, place: int) -> Token:
    if kind == "quoted":
        return Token("quoted", said[1:-1].replace(said[0] * 2, said[0]), place)
    if kind == "sign":
        return Token("sign", _ALIKE.get(said, said), place)
    return Token("word", said, place)


def refuse(text: str, place: int, wrong: str) -> NoReturn:
    """Say what is wrong, and where; lines and characters are counted from 1.

    >>> refuse("Ed = ", 5, "a value is missing")
    Traceback (most recent call last):
    sidelight.errors.BadKnowledge: cannot read "Ed = " at character 6: a value is missing
    """
    shown = text if len(text) <= MOST_SHOWN else text[max(place - MOST_SHOWN // 2, 0) : place + MOST_SHOWN // 2]
    line = f"line {text.count(chr(10), 0, place) + 1}, " if "\n" in text else ""
    character = place - text.rfind("\n", 0, place)
    said = f'cannot read "{shown}" at {line}character {character}: {wrong}'
    raise BadKnowledge(_in_one_line(said), position=place)


def in_short(text: str) -> str:
    """Show a text in a message: in one line, and not all of a long one.

    >>> in_short("Ann" + chr(10) + "Lee = Flu")
    'Ann Lee = Flu'
    """
    return shortened(text, MOST_SHOWN)


def _in_one_line(text: str) -> str:
    return " ".join(text.splitlines())


class Reader:
    """A place in a text, that moves on as tokens are taken."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokenized(text)
        self.place = 0

    @property
    def next(self) -> Token:
        """The token that comes next."""
        return self.tokens[self.place]

    def after(self, steps: int) -> Token:
        """Look further ahead."""
        return self.tokens[min(self.place + steps, len(self.tokens) - 1)]

    def take(self) -> Token:
        """Take the next token."""
        token = self.next
        if token.kind != "end":
            self.place += 1
        return token

    def at_sign(self, *signs: str) -> bool:
        """Say whether one of these signs comes next."""
        return self.next.kind == "sign" and self.next.text in signs

    def at_word(self, *words: str) -> bool:
        """Say whether one of these words comes next, in small or capital letters."""
        return is_word(self.next, *words)

    def accept(self, sign: str) -> bool:
        """Take this sign if it comes next."""
        found = self.at_sign(sign)
        if found:
            self.take()
        return found

    def accept_word(self, word: str) -> bool:
        """Take this word if it comes next."""
        found = self.at_word(word)
        if found:
            self.take()
        return found

    def expect(self, sign: str, why: str) -> None:
        """Take this sign, or say why it should be here."""
        if not self.accept(sign):
            self.fail(f"'{sign}' is missing before {self.next}; {why}")

    def name(self, what: str, *, stop: tuple[str, ...] = KEYWORDS) -> str:
        """Take a quoted text, or all words up to a sign or one of the words in `stop`."""
        if self.next.kind == "quoted":
            return self.take().text
        words: list[str] = []
        while self.next.kind == "word" and not self.at_word(*stop):
            words.append(self.take().text)
        if not words:
            self.fail(f"{what} is missing before {self.next}; put odd names into quotes")
        return " ".join(words)

    def fail(self, wrong: str) -> NoReturn:
        """Refuse the text because of the next token."""
        refuse(self.text, self.next.start, wrong)


def is_word(token: Token, *words: str) -> bool:
    """Say whether a token is one of these words, unquoted, in small or capital letters."""
    return token.kind == "word" and (token.text in words or (token.text.isupper() and token.text.lower() in words))


def written(text: Label) -> str:
    """Write a name so that it is read again as it is: quoted where it needs quotes.

    >>> written("Lung cancer"), written("Salt and pepper"), written('6" nail'), written(None)
    ('Lung cancer', '"Salt and pepper"', '"6"" nail"', '(missing)')
    """
    if text is None:
        return "(missing)"
    try:
        tokens = tokenized(text)[:-1]
    except BadKnowledge:
        tokens = ()
    plain = all(token.kind == "word" and not is_word(token, *KEYWORDS) for token in tokens)
    if tokens and plain and not text.startswith("#") and " ".join(token.text for token in tokens) == text:
        return text
    return '"' + text.replace('"', '""') + '"'
