"""All errors, as one tree below `SidelightError`, and the parts of their messages.

Each message names the problem and the remedy in one line and never shows a person's data: no row, no cell of a column
that identifies people, no "names of columns" that may be a row.  The label of one column is shown only where the user
has to add it to a hierarchy or a domain, and then only its beginning.  Long quotations are cut, and terminal escapes
are made visible, whatever a cell or a name holds.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, ValuesView
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from numbers import Number
from typing import Any, TypeVar, get_args

Thing = TypeVar("Thing")


class SidelightError(Exception):
    """The family of all errors that Sidelight raises on purpose.

    `parts` is the message in pieces: text, and the parameters of Python that it names (see `parameter`).  `str` joins
    them for Python; the command line names its options instead.  `position` is the index of the error in a text that
    was parsed, such as a limit or a fact; `None` if there is no such text.
    """

    def __init__(self, message: str = "", *, position: int | None = None) -> None:
        # split once, here: after this no message holds the signs that mark parameters
        self.parts, self.position = _split_parts(message), position
        super().__init__("".join(str(part) for part in self.parts))

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters that the message is about."""
        return tuple(part.name for part in self.parts if isinstance(part, Parameter) and part.name)

    def reword(self, word: Callable[[Parameter], str]) -> str:
        """Return the message with other words for its parameters.

        >>> error = SidelightError(f"say {parameter('missing', 'drop')}{in_python(', or read a dataframe')}")
        >>> str(error), error.parameters
        ('say missing="drop" (in Python, or read a dataframe)', ('missing',))
        >>> error.reword(lambda each: f"--{each.name} {each.in_shell}" if each.name else "")
        'say --missing "drop"'
        """
        return "".join(part if isinstance(part, str) else word(part) for part in self.parts)


class BadTable(SidelightError):
    """The source cannot be read as a table about people."""


class UnknownColumn(BadTable):
    """A column was named that the table does not have."""


class MissingValues(BadTable):
    """Sensitive values are missing, and no role states what a missing value means."""


class NoRoom(SidelightError):
    """Memory or disk are too small; the message states how much is needed."""


class BadHierarchy(SidelightError):
    """A hierarchy contradicts itself or does not cover the data."""


class BadRelease(SidelightError):
    """Counts or groups that no release can have."""


class BadMeasure(SidelightError):
    """A measure, an amount of knowledge or a limit that is invalid."""


class UnknownValue(BadMeasure):
    """A sensitive value was named that the release does not have."""


class BadPolicy(SidelightError):
    """A policy, or a policy file, that cannot be used."""


class NothingSafe(SidelightError):
    """No release within the policy exists, or a search found none, so nothing can be published.

    `blocked_by` are the criteria in the way, `closest` what would pass instead, one line each.
    """

    def __init__(self, message: str, *, blocked_by: tuple[str, ...] = (), closest: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.blocked_by = blocked_by
        self.closest = closest


class NotPublished(SidelightError):
    """A release could not be published; nothing that looks finished is left behind."""


class BadKnowledge(SidelightError):
    """Facts that cannot be read, or that this release cannot be asked about."""


class Contradiction(SidelightError):
    """Facts that cannot all hold in this release; `facts` are a smallest set of them, as texts."""

    def __init__(self, message: str, *, facts: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.facts = facts


class TooHard(SidelightError):
    """Counting would exceed the allowed effort; the answer, if there is one, lies between `low` and `high`."""

    def __init__(self, message: str, *, low: Fraction | int = 0, high: Fraction | int = 1) -> None:
        super().__init__(message)
        self.low = low
        self.high = high


class BadNoise(SidelightError):
    """A noisy release that is invalid, or would not keep its promise."""


class BudgetExceeded(BadNoise):
    """The ledger has less privacy budget left than this would spend; nothing was spent."""


class BadLedger(BadNoise):
    """A ledger that cannot be read or is damaged; the message explains how to recover."""


class NoLedgerWarning(UserWarning):
    """Noise was drawn without a ledger, so that the privacy budget of the same people is not added up."""


class UnnamedAttackerWarning(UserWarning):
    """A release within policy discloses more than it promises to an attacker that the policy does not name."""


FallsToReaderWarning = UnnamedAttackerWarning
"""Its former name, kept for programs that filter it."""


class WrongKind(SidelightError, TypeError):
    """An argument of the wrong kind, such as a DataFrame in place of a Table."""


class NotTrueOrFalse(SidelightError, TypeError):
    """A criterion or an expression was used as if it were true or false."""


class NotFetched(SidelightError):
    """External data could not be fetched or stored, or differs from the pinned data; none of it was used."""


class NotAvailable(SidelightError):
    """A part of Sidelight whose extra is not installed."""

    @classmethod
    def without(cls, *, package: str, what: str, extra: str | None = None) -> NotAvailable:
        """Build the error that a package is missing, with the command that installs it.

        >>> print(NotAvailable.without(package="pandas", what="to_pandas()"))
        to_pandas() needs pandas; install it with: pip install pandas

        >>> print(NotAvailable.without(package="opendp", what="noise", extra="dp"))
        noise needs opendp; install it with: pip install "sidelight[dp]" (in a clone of the repository: ".[dp]")
        """
        if extra is None:
            return cls(f"{what} needs {package}; install it with: pip install {package}")
        install = f'pip install "sidelight[{extra}]" (in a clone of the repository: ".[{extra}]")'
        return cls(f"{what} needs {package}; install it with: {install}")


def expect(kind: type[Thing], thing: object, name: str) -> Thing:
    """Return a thing if it is of the expected kind; else raise `WrongKind` with a remedy.

    Public functions call it first, so that a wrong argument does not fail three files further down.

    >>> expect(SidelightError, {"Bob": "Flu"}, "the problem")
    Traceback (most recent call last):
    sidelight.errors.WrongKind: the problem should be a SidelightError, not a dict
    """
    if isinstance(thing, kind):
        return thing
    remedy = remedy_for(kind.__name__, thing)
    raise WrongKind(f"{name} should be a {kind.__name__}, not {kind_in_words(thing)}{'; ' if remedy else ''}{remedy}")


def expect_or_none(kind: type[Thing], thing: object, name: str) -> Thing | None:
    """Return an optional thing if it is None or of the expected kind; else raise `WrongKind`.

    >>> expect_or_none(str, None, "the column"), expect_or_none(str, "age", "the column")
    (None, 'age')
    """
    return None if thing is None else expect(kind, thing, name)


def is_one_of(thing: object, kind: object) -> bool:
    """Return whether a thing is one of the words of a `Literal`, without comparing other types with them.

    >>> from typing import Literal
    >>> is_one_of("as *", Literal["as *", "left out"]), is_one_of([["Ann", "Flu"]], Literal["as *", "left out"])
    (True, False)
    """
    return isinstance(thing, str) and thing in get_args(kind)


def remedy_for(kind: str, thing: object) -> str:
    """Return how to obtain a thing of a kind from another one; empty if no remedy is known."""
    ours = type(thing).__name__ if type(thing).__module__.startswith("sidelight") else ""
    from sidelight.text import read_data  # noqa: PLC0415 - only where something is refused

    remedies: dict[str, str] = read_data(__package__, "remedies.toml").get(kind, {})
    return remedies.get(ours) or remedies.get("anything", "")


def as_given(thing: object, *, quoted: bool = False) -> str:
    """Return an argument for a message: a number or a text, cut if it is long; else its kind.

    The content of other arguments is never shown: a table in place of a number has people in it.  Texts are `quoted`
    to tell them from numbers.

    >>> as_given(Fraction(1, 3)), as_given("1e-400"), as_given(10**400)
    ('1/3', '1e-400', '10000000000000000000000000000000000000…')
    >>> as_given([["Ann", "Flu"]]), as_given((1, 2))
    ('a list', '(1, 2)')
    """
    if isinstance(thing, tuple | list) and 0 < len(thing) <= 6 and all(isinstance(each, Number) for each in thing):
        between = ", ".join(map(as_given, thing))
        return f"({between})" if isinstance(thing, tuple) else f"[{between}]"
    if not (thing is None or isinstance(thing, str | Number)):
        return kind_in_words(thing)
    try:
        text = shortened(str(thing), 39)
        return f"'{text}'" if quoted and isinstance(thing, str) else text
    except ValueError:  # Python does not write integers of thousands of digits
        return "a number of thousands of digits"


def expect_several(
    kind: type[Thing], things: object, name: str, *, each: str, also: tuple[type, ...] = ()
) -> tuple[Thing, ...]:
    """Return several things of a kind as a tuple; raise `WrongKind` for a single one or another iterable.

    Kinds in `also` are accepted too.

    >>> expect_several(SidelightError, SidelightError(), "problems", each="problem")
    Traceback (most recent call last):
    sidelight.errors.WrongKind: problems should be several, not one; put it into a list: [problem]
    >>> expect_several(SidelightError, "all", "problems", each="problem")
    Traceback (most recent call last):
    sidelight.errors.WrongKind: problems should be a list, each a SidelightError, not a str
    """
    if isinstance(things, (kind, *also)):
        raise WrongKind(f"{name} should be several, not one; put it into a list: [{each}]")
    # a DataFrame is iterated by the names of its columns, a mapping by its keys: neither holds several things
    if isinstance(things, str | bytes) or not isinstance(things, Sequence | set | frozenset | ValuesView | Iterator):
        remedy = remedy_for(kind.__name__, things)
        kinds = f"{name} should be a list, each a {kind.__name__}"
        raise WrongKind(f"{kinds}, not {kind_in_words(things)}{'; ' if remedy else ''}{remedy}")
    listed_things = tuple(things)
    for number, thing in enumerate(listed_things, start=1):
        if not isinstance(thing, also):
            expect(kind, thing, f"{each} {number}")
    return listed_things


def expect_mapping(things: object, name: str, example: str) -> Mapping[Any, Any]:
    """Return a mapping; raise `WrongKind` with an example for anything else.

    >>> expect_mapping(["sex"], "levels=", '{"sex": 0}')
    Traceback (most recent call last):
    sidelight.errors.WrongKind: levels= should be a mapping such as {"sex": 0}, not a list
    """
    if isinstance(things, Mapping):
        return things
    raise WrongKind(f"{name} should be a mapping such as {example}, not {kind_in_words(things)}")


def mapping_or_empty(things: object, name: str, example: str) -> Mapping[Any, Any]:
    """Return an optional mapping, an empty one for None."""
    return {} if things is None else expect_mapping(things, name, example)


@contextmanager
def needs_extra(extra: str, *, package: str, what: str) -> Iterator[None]:
    """Raise `NotAvailable`, with the command that installs the extra, for an `ImportError` inside of this context.

    >>> with needs_extra("dp", package="opendp", what="noise"):
    ...     import nothing_such
    Traceback (most recent call last):
    sidelight.errors.NotAvailable: noise needs opendp; install it with: pip install "sidelight[dp]" (in a clone of the repository: ".[dp]")
    """  # noqa: E501
    try:
        yield
    except ImportError:
        raise NotAvailable.without(package=package, what=what, extra=extra) from None


def kind_in_words(thing: object) -> str:
    """Return the kind of a thing and its library, for a message; nothing of its content.

    >>> kind_in_words("rows"), kind_in_words(Fraction(1, 2)), kind_in_words(None)
    ('a str', 'a fractions Fraction', 'None')
    """
    if thing is None:
        return "None"
    library = type(thing).__module__.partition(".")[0]
    described = " ".join([*([] if library in ("builtins", "sidelight") else [library]), type(thing).__name__])
    return f"{'an' if described[0].lower() in 'aeiou' else 'a'} {described}"


# Parameters are marked in a message by ASCII's own signs for "text begins", "next unit" and "text ends", so that an
# f-string can name them anywhere; no message ever shows these signs, as an error takes them out when it is made.
_BEGIN, _NEXT, _END = "\x02", "\x1f", "\x03"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter in a message, perhaps with a value; without a name, a remark for Python only."""

    name: str
    in_python: str
    in_shell: str

    def __str__(self) -> str:
        return f"{self.name}={self.in_python}" if self.name else self.in_python


def parameter(name: str, value: object = None) -> str:
    """Mark a parameter in the message of an error: `missing="drop"` in Python, an option on the command line.

    >>> print(SidelightError(f"leave {parameter('suppress')} out, or say {parameter('suppress', 0.04)}"))
    leave suppress= out, or say suppress=0.04
    >>> print(SidelightError(f"as in {parameter('same_values', {'Grippe': 'Flu'})}"))
    as in same_values={'Grippe': 'Flu'}
    >>> print(SidelightError(f"not {parameter('suppress', [['Ann', 'Flu']])}, nor {parameter('suppress', 10**400)}"))
    not suppress=a list, nor suppress=10000000000000000000000000000000000000…
    """
    if isinstance(value, Mapping):
        in_python = ", ".join(f"{key!r}: {'…' if each is ... else repr(each)}" for key, each in value.items())
        in_shell = " ".join(f"{key}={'…' if each is ... else each}" for key, each in value.items()) or "="
        return _mark(name, f"{{{in_python}}}", f"'{in_shell}'")
    plain = "" if value is None else f'"{value}"' if isinstance(value, str) else as_given(value)
    # numbers of usual sizes in full, of others the beginning
    is_exact = isinstance(value, int | Fraction) and not isinstance(value, bool)
    if isinstance(value, float) or (is_exact and -(10**15) < value < 10**15):  # type: ignore[operator]
        plain = f"{float(value):g}"  # type: ignore[arg-type]
    return _mark(name, plain, plain)


def in_python(remark: str) -> str:
    """Return a remark of an error message that concerns Python only: it follows as ` (in Python{remark})`."""
    return _mark("", f" (in Python{remark})", "")


def _mark(*units: str) -> str:
    return _BEGIN + _NEXT.join(units) + _END


def _split_parts(message: str) -> tuple[str | Parameter, ...]:
    """Split a message into texts and parameters, each on one line, with long quotations cut and escapes visible."""

    def join_lines(text: str) -> str:
        return visible(text.replace("\r\n", " ").replace("\n", " "))

    long_quote = rf"'([^']{{{TWO_LINES - 1}}})[^']{{2,}}'"
    text, *marked = message.split(_BEGIN)
    parts: list[str | Parameter] = [text]
    for each in marked:
        inside, end, after = each.partition(_END)
        name, *units = inside.split(_NEXT)
        parts += [Parameter(name, *map(join_lines, units)), after] if end and len(units) == 2 else [each]
    shortened_parts = (
        join_lines(re.sub(long_quote, lambda quoted: f"'{quoted[1]}…'", part)) if isinstance(part, str) else part
        for part in parts
    )
    return tuple(part for part in shortened_parts if part != "")


# The most characters of a list or a quotation in a message
TWO_LINES = 200


def did_you_mean(name: str, among: Iterable[str | None]) -> str:
    """Return the end of a sentence that names the nearest of `among`, or all if none is near.

    >>> did_you_mean("zipcode", ["age", "zip"])
    "; did you mean 'zip'?"
    >>> did_you_mean("age", ["name", "zip"])
    '; there are: name, zip'
    """
    name, known = str(name), [str(each) for each in among if each is not None]
    folded = {each.casefold(): each for each in reversed(known)}
    # the similarity from which one name is a slip of another: 'aeg' of 'age', not 'age' of 'name'
    near = difflib.get_close_matches(name.casefold(), folded, n=1, cutoff=0.65)
    if not near:
        pairs = {each: sorted((name.casefold(), each), key=len) for each in folded}
        near = [each for each, (short, long) in pairs.items() if len(short) > 2 and long.startswith(short)]
    if near:
        return f"; did you mean '{folded[near[0]]}'?"
    return f"; there are: {listed(known)}" if known else ""


def list_name(name: str) -> str:
    """Quote a name for a list if it holds a comma or semicolon outside of the braces of a set.

    >>> list_name("Flu"), list_name("Paris, Texas"), list_name("{Flu, Cold}")
    ('Flu', "'Paris, Texas'", '{Flu, Cold}')
    """
    return f"'{name}'" if ("," in name or ";" in name) and name[0] + name[-1] != "{}" else name


def listed(names: Sequence[str]) -> str:
    """Join names by commas, as many as fit into two lines.

    >>> listed(["age", "zip", "street, number"])
    "age, zip, 'street, number'"
    """
    names = [list_name(shortened(str(name), TWO_LINES)) for name in names]
    room = TWO_LINES
    for position, name in enumerate(names):
        room -= len(name) + 2
        if room < 0 and position > 0:
            return f"{', '.join(names[:position])}, … ({len(names)} in all)"
    return ", ".join(names)


# Quotations of foreign texts: cut if long, and without terminal escapes.


def visible(text: str, *, one_for_one: bool = False) -> str:
    """Replace invisible characters by visible ones: terminal escapes, marks of the direction of writing.

    Line ends and tabs stay.  `one_for_one` keeps the length of the text.

    >>> visible(chr(27) + "[31mFlu" + chr(0x202E) + "gnitide")
    '␛[31mFlu[U+202E]gnitide'
    >>> visible("Flu" + chr(0x202E), one_for_one=True)
    'Flu�'
    """
    if text.isprintable():
        return text
    shown = []
    for letter in text:
        # soft hyphens and joiners, which languages and emoji need, move nothing
        moves = unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Zl", "Zp")
        if letter in "\n\t\u00ad\u200c\u200d" or not moves:
            shown.append(letter)
        elif ord(letter) < 32:
            shown.append(chr(0x2400 + ord(letter)))
        else:
            shown.append("\ufffd" if one_for_one else f"[U+{ord(letter):04X}]")
    return "".join(shown)


def utf8(text: str) -> bool:
    """Return whether a text can be encoded in UTF-8; names of files in other bytes, as Python decodes them, cannot.

    >>> utf8("straße.csv"), utf8("straße.csv".encode("latin-1").decode(errors="surrogateescape"))
    (True, False)
    """
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def shortened(text: str, most: int = 80) -> str:
    """Return a text for a message: in one line, cut if it is long.

    >>> shortened("Ann" + chr(10) + "Lee has Flu", most=10)
    'Ann Lee h…'
    """
    line = " ".join(text.splitlines())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def as_names(names: str | Sequence[str]) -> tuple[str, ...]:
    """Return one name or several as a tuple.

    >>> as_names("age"), as_names(["age", "sex"])
    (('age',), ('age', 'sex'))
    """
    if hasattr(names, "__arrow_c_stream__") or hasattr(
        names, "__dataframe__"
    ):  # a table would be iterated by what it holds
        raise WrongKind("the names of columns are a text or a list of texts, not a table")
    if not hasattr(names, "__iter__"):
        raise WrongKind(f"the names of columns are a text or a list of texts, not {kind_in_words(names)}")
    return (names,) if isinstance(names, str) else tuple(expect(str, each, "the name of a column") for each in names)
