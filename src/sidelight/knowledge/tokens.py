"""Text cut into words, quoted texts and signs, each with its position: shared by the parsers of our small languages.

Facts, statements and the limits of policies are read by recursive descent over one `TokenReader`.  A grammar that needs
more signs names them (`signs="[]"`), and says which error a text that cannot be read is (`error=BadPolicy`); each
message then has the same form, with the place and a remedy.

    reader = TokenReader("implications(k=3)")   start
    reader.next, reader.peek(1)                 look
    reader.take(), reader.accept("(")           go on: with any token, with this sign or word if it comes next
    reader.expect(")", "write it like (k=3)")   go on with this sign, or refuse
    reader.name("a measure")                    a quoted text, or all words up to a sign or a keyword
    reader.label()                              a value, or (missing)
    reader.fail("k is missing; write (k=3)")    refuse at the next token
    reader.end("join facts with and")           refuse whatever is left
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple, NoReturn, TypeAlias, TypeVar

from sidelight.errors import BadKnowledge, SidelightError, shortened

if TYPE_CHECKING:
    from sidelight.table.labels import Label

Item = TypeVar("Item")

Kind: TypeAlias = Literal["word", "quoted", "sign", "end"]

TextError: TypeAlias = Callable[..., SidelightError]
"""An error about a text: takes a message and, by keyword, the `position` in the text (from 0)."""

KEYWORDS = ("and", "or", "not", "in")
"""Words that mean something; a name that has one of them is quoted."""

NUMBER = r"[0-9]{1,1000}/[0-9]{1,1000}|(?:[0-9]{1,30}(?:\.[0-9]{0,30})?|\.[0-9]{1,30})(?:[eE][-+]?[0-9]{1,2})?%?"
"""How a share is written: 0.3, 3/10 or 30%."""


class Token(NamedTuple):
    """A piece of text: what it says (without its quotes), and where it starts (from 0)."""

    kind: Kind
    text: str
    start: int

    def __str__(self) -> str:
        return "the end" if self.kind == "end" else f"'{self.text}'"

    def is_any(self, *texts: str) -> bool:
        """Return whether it is one of these signs or, unquoted, of these words, in small or capital letters."""
        kind, text, _ = self
        # AND is a keyword as `and` is; "And" may begin a name
        return kind in ("sign", "word") and (text in texts or (text.isupper() and text.lower() in texts))


def tokenize(text: str, *, signs: str = "", error: TextError = BadKnowledge) -> tuple[Token, ...]:
    """Cut a text; the last token is its end.

    Words may hold hyphens, dots and apostrophes; a quote within a quoted text is doubled.  Each character of `signs`
    is a sign too.

    >>> [token.text for token in tokenize("Ann-Lee = 'Lung cancer' -> O'Neil != Flu")]
    ['Ann-Lee', '=', 'Lung cancer', '->', "O'Neil", '!=', 'Flu', '']
    >>> [token.text for token in tokenize("[a, b]", signs="[]")]
    ['[', 'a', ',', 'b', ']', '']
    """
    tokens, stop = list[Token](), 0
    for match in _pattern(signs).finditer(text):
        start = match.start()
        if start > stop:
            _expect_space(text, stop, start, error)
        piece, kind = match[0], match.lastgroup
        if kind == "word":
            tokens.append(Token("word", piece, start))
        elif kind == "sign":
            synonyms = {"→": "->", "≠": "!=", "≤": "<=", "≥": ">=", "==": "="}
            tokens.append(Token("sign", synonyms.get(piece, piece), start))
        else:
            tokens.append(Token("quoted", piece[1:-1].replace(piece[0] * 2, piece[0]), start))
        stop = match.end()
    _expect_space(text, stop, len(text), error)
    return (*tokens, Token("end", "", len(text)))


def _expect_space(text: str, start: int, stop: int, error: TextError) -> None:
    """Refuse whatever else stands between two tokens."""
    between = text[start:stop].lstrip()
    if between:
        reason = "this quote is not closed" if between[0] in "'\"" else f"'{between[0]}' means nothing here"
        refuse(text, stop - len(between), reason, error=error)


@lru_cache
def _pattern(signs: str) -> re.Pattern[str]:
    # a word ends before a sign or a quote, but holds hyphens, apostrophes after its first letter, and ! without =
    single = re.escape("(){},;|=<>" + signs)
    return re.compile(
        rf"""
          (?P<quoted> "(?:[^"]|"")*" | '(?:[^']|'')*' )
        | (?P<sign>   -> | → | != | ≠ | <= | ≤ | >= | ≥ | == | [{single}] )
        | (?P<word>   (?: [^\s{single}"→≠≤≥!'-] | -(?!>) | !(?!=) | (?<=[^\s{single}"])' )+ )
        """,
        re.VERBOSE,
    )


def refuse(text: str, position: int, reason: str, *, error: TextError = BadKnowledge) -> NoReturn:
    """Raise the error that says what is wrong, and where; lines and characters are counted from 1.

    >>> refuse("Ed = ", 5, "a value is missing")
    Traceback (most recent call last):
    sidelight.errors.BadKnowledge: cannot read "Ed = " at character 6: a value is missing
    """
    # cut around the position, so that a message about a long text still shows what is wrong
    excerpt = text if len(text) <= 80 else text[max(position - 40, 0) : position + 40]
    line = f"line {text.count(chr(10), 0, position) + 1}, " if "\n" in text else ""
    character = position - text.rfind("\n", 0, position)
    raise error(
        " ".join(f'cannot read "{excerpt}" at {line}character {character}: {reason}'.splitlines()), position=position
    )


class TokenReader:
    """A place in a text, that moves on as tokens are taken; `next` is the token that comes next.

    A grammar may `cut` tokens further.
    """

    def __init__(
        self,
        text: str,
        *,
        signs: str = "",
        error: TextError = BadKnowledge,
        cut: Callable[[tuple[Token, ...]], Iterable[Token]] = tuple,
    ) -> None:
        self.text, self.error = text, error
        self.tokens = tuple(cut(tokenize(text, signs=signs, error=error)))
        self._position, self._end = 0, len(self.tokens) - 1
        self.next = self.tokens[0]

    def peek(self, steps: int) -> Token:
        """Return a token further ahead: 0 is the next one."""
        return self.tokens[min(self._position + steps, self._end)]

    def take(self, number: int = 1) -> Token:
        """Take this many tokens and return the last of them; the end is never passed."""
        last = self.next if number == 1 else self.peek(number - 1)
        self._position = min(self._position + number, self._end)
        self.next = self.tokens[self._position]
        return last

    def several(self, parse: Callable[[], Item], joint: str) -> list[Item]:
        """Parse one thing, and another as long as the sign or word that joins them comes next."""
        items = [parse()]
        while self.accept(joint):
            items.append(parse())
        return items

    def is_call_next(self, *words: str) -> bool:
        """Return whether one of these words comes next, and then an opening parenthesis."""
        return self.next.is_any(*words) and self.peek(1).is_any("(")

    def accept(self, text: str) -> bool:
        """Take this sign or word if it comes next."""
        comes_next = self.next.is_any(text)
        if comes_next:
            self.take()
        return comes_next

    def expect(self, sign: str, remedy: str) -> None:
        """Take this sign, or raise an error that says how to write it."""
        if not self.accept(sign):
            self.fail(f"'{sign}' is missing before {self.next}; {remedy}")

    def name(self, what: str, *, stop: tuple[str, ...] = KEYWORDS, before_probability: bool = False) -> str:
        """Take a quoted text, or all words up to a sign, one of the words in `stop` or, if so, "with 0.9"."""
        if self.next.kind == "quoted":
            return self.take().text
        words: list[str] = []
        while self.next.kind == "word" and not self.next.is_any(*stop):
            if before_probability and words and self.is_probability_next():
                break
            words.append(self.take().text)
        if not words:
            self.fail(f"{what} is missing before {self.next}; put odd names into quotes")
        return " ".join(words)

    def is_missing_next(self) -> bool:
        """Return whether the missing value comes next."""
        return self.next.is_any("(") and self.peek(1).text == "missing" and self.peek(2).is_any(")")

    def label(self, *, before_probability: bool = False) -> Label:
        """Take a value; a word like `in` may be part of it, but not `and`, `or` and `not`."""
        if self.is_missing_next():
            self.take(3)
            return None
        return self.name("a value", stop=("and", "or", "not"), before_probability=before_probability)

    def is_probability_next(self) -> bool:
        """Return whether "with 0.9" comes next, and then no further word: the probability of a fact."""
        further = self.peek(2)
        # "with 2 children" is part of a name: only what ends behind the number is a probability
        ends = further.kind in ("end", "sign") or further.is_any(*KEYWORDS)
        number = self.peek(1).text.removeprefix("-")
        return self.next.is_any("with") and ends and self.peek(1).kind == "word" and bool(re.fullmatch(NUMBER, number))

    def share(self) -> Fraction:
        """Parse a number: 0.3, 3/10 or 30%."""
        token = self.take()
        if token.text.startswith("-"):
            self.fail(f"a share is not negative; {token} is", at=token)
        try:
            return share_in(token.text)
        except ZeroDivisionError:
            self.fail("this divides by zero", at=token)

    def make(self, build: Callable[[], Item], *, at: Token | None = None, remedy: str = "") -> Item:
        """Return what is built of what was read; refuse what cannot be at the next token, or at another one."""
        try:
            return build()
        except BadKnowledge as problem:
            self.fail(f"{problem}{remedy}", at=at)

    def check_depth(self, depth: int, most: int, what: str) -> None:
        """Refuse more parentheses, nots and ifs within each other, which bounds the parser's recursion."""
        if depth > most:
            self.fail(f"more than {most} things stand within each other; say it in several {what}")

    def end(self, remedy: str) -> None:
        """Refuse whatever comes after what was read."""
        if self.next.kind != "end":
            self.fail(f"{self.next} comes too late; {remedy}")

    def fail(self, reason: str, *, at: Token | None = None) -> NoReturn:
        """Refuse the text because of the next token, or of another one."""
        refuse(self.text, (at or self.next).start, reason, error=self.error)


LONGEST_NUMBER, LONGEST_EXPONENT = 200, 4
"""How many characters a share may have, and its exponent: more would be computed with for ever."""


def share_in(text: str) -> Fraction:
    """Read a share.

    >>> share_in("30%"), share_in(".3"), share_in("3/10")
    (Fraction(3, 10), Fraction(3, 10), Fraction(3, 10))
    """
    # before Fraction computes the power: 1e999999999 would take for ever
    exponent = re.search(r"[eE]([+-]?[0-9]+)", text)
    if len(text) > LONGEST_NUMBER or (exponent is not None and len(exponent[1]) > LONGEST_EXPONENT):
        raise BadKnowledge(
            f"'{shortened(text)}' has more digits than a share needs; write it shorter, such as 0.001 or 1/1000"
        )
    return Fraction(text.removesuffix("%")) / (100 if text.endswith("%") else 1)


def whole_in(digits: str) -> int | None:
    """Read digits as the number that they are, however many zeros come first; None where no release has so many.

    >>> whole_in("0000000000000000000010"), whole_in("9" * 5000)
    (10, None)
    """
    counting = digits.lstrip("0")
    # How many digits a whole number may have: no release has more people, or groups.
    return int(counting or "0") if len(counting) <= 18 else None


def expect_text(text: object, otherwise: str) -> str:
    """Return a text; refuse anything else, and say what it should be."""
    if isinstance(text, str):
        return text
    raise BadKnowledge(f"a {otherwise}, not a {type(text).__name__}")


def number_text(number: Fraction) -> str:
    """Write a number so that it is read again as it is: in decimal where that is short.

    >>> number_text(Fraction(3, 10)), number_text(Fraction(1, 3)), number_text(Fraction(2))
    ('0.3', '1/3', '2')
    """
    # in decimal only where at most twelve places are exact
    places = next((places for places in range(1, 13) if 10**places % number.denominator == 0), None)
    if number.denominator == 1 or places is None:
        return str(number)
    return f"{Decimal(number.numerator * (10**places // number.denominator)).scaleb(-places):f}"


def quote(name: Label, *, signs: str = "") -> str:
    """Write a name so that it is read again as it is: quoted where it needs quotes, also for these further `signs`.

    >>> quote("Lung cancer"), quote("Salt and pepper"), quote('6" nail'), quote(None)
    ('Lung cancer', '"Salt and pepper"', '"6"" nail"', '(missing)')
    """
    if name is None:
        return "(missing)"
    try:
        tokens = tokenize(name, signs=signs)[:-1]
    except BadKnowledge:
        tokens = ()
    plain = all(token.kind == "word" and not token.is_any(*KEYWORDS) for token in tokens)
    # "Flu with 2" would be parsed as Flu with a probability
    plain = plain and not re.search(rf"(?i:\bwith)\s+-?(?:{NUMBER})", name)
    if tokens and plain and not name.startswith("#") and " ".join(token.text for token in tokens) == name:
        return name
    return '"' + name.replace('"', '""') + '"'
