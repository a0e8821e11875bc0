"""What may stand in a policy: numbers, texts, and lists and tables of them.

A measure says by its annotations what its parameters are; `setting_type` gives the type that a policy is checked
against.  Nothing is coerced (a text is no number, and true is not 1), with three exceptions that people need:

- a number may be written as a text where TOML has no way to say it: "3/4", "inf";
- a whole number where a text belongs is its digits, because sensitive values often are numbers;
- a `Word`, which only the text of a limit has, is whatever belongs at its place: 05 is a number or the text "05".
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from types import NoneType, UnionType
from typing import Annotated, TypeAlias, TypeVar, Union, get_args, get_origin

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    PlainValidator,
    StrictBool,
    StrictInt,
    StrictStr,
    ValidationError,
)
from pydantic.json_schema import WithJsonSchema
from pydantic_core import ErrorDetails

from sidelight.errors import BadPolicy, did_you_mean
from sidelight.measures.criterion import exact
from sidelight.measures.limit_grammar import Word


class Section(BaseModel):
    """A part of a policy file, with everything that it may say."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)

    @classmethod
    def keys(cls) -> tuple[str, ...]:
        """Name what makes sense in such a section."""
        return tuple(cls.model_fields)


MOST_DIGITS = 300
"""A number is not written with more zeros than that; 1e999999999 would take all memory."""


WITH_COMMAS = re.compile(r"[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?")
"""A number with commas between thousands."""


def read_number(number: object) -> int | float | Fraction:
    """Read a number of a policy: also "3/4" and "inf", which TOML and a shell cannot say otherwise.

    >>> read_number(5), read_number(0.5), read_number("3/4"), read_number("inf"), read_number("15,195")
    (5, 0.5, Fraction(3, 4), inf, 15195)
    """
    if isinstance(number, str):
        number = _number_in(number.strip(), decimals_stay=isinstance(number, Word))
    # bool is a kind of int to Python, and nan would pass every comparison unnoticed
    no_number = isinstance(number, bool) or (isinstance(number, float) and math.isnan(number))
    if no_number or not isinstance(number, int | float | Fraction):
        message = "give a number, a fraction such as '3/4', or 'inf'"
        raise ValueError(message)
    return number


def read_share(text: str) -> Fraction | None:
    """Read a number from 0 to 1, digit by digit; None where it is no such number.

    >>> read_share("0.01"), read_share("3/4"), read_share("1.1"), read_share("many")
    (Fraction(1, 100), Fraction(3, 4), None, None)
    """
    try:
        share = Fraction(exact(read_number(text)))
    except (ValueError, OverflowError):
        return None
    return share if 0 <= share <= 1 else None


def _number_in(text: str, *, decimals_stay: bool) -> int | float | Fraction | None:
    """Read digits exactly; a decimal may stay one, as in TOML, where that loses no digit."""
    if text.lstrip("+") in ("inf", "infinite", "∞"):
        return math.inf
    if WITH_COMMAS.fullmatch(text):  # as answers print it
        text = text.replace(",", "")
    try:
        # checked before `Fraction`, which would write out all the zeros
        if "/" not in text and abs(Decimal(text).adjusted()) > MOST_DIGITS:
            return None
        digits = Fraction(text)
    except (ValueError, ArithmeticError):
        return None
    if decimals_stay and "/" not in text and not text.lstrip("+-").isdigit():
        decimal = float(digits)
        return decimal if Fraction(str(decimal)) == digits else digits
    return int(digits) if digits.denominator == 1 else digits


def _whole(setting: object) -> object:
    try:
        return int(setting) if isinstance(setting, Word) else setting
    except ValueError:
        return setting  # which the strict type refuses


def _true_or_false(setting: object) -> object:
    return {"true": True, "false": False}.get(setting, setting) if isinstance(setting, Word) else setting


def _text(setting: object) -> object:
    # identifiers among values, such as 5 for "5", are common; true is not meant as "True"
    whole = isinstance(setting, int) and not isinstance(setting, bool)
    return str(setting) if whole or isinstance(setting, Word) else setting


Number = Annotated[
    int | float | Fraction,
    PlainValidator(read_number),
    WithJsonSchema({"anyOf": [{"type": "number"}, {"type": "string", "description": 'such as "3/4" or "inf"'}]}),
]
"""A number as policies write it."""

Whole = Annotated[StrictInt, BeforeValidator(_whole)]
TrueOrFalse = Annotated[StrictBool, BeforeValidator(_true_or_false)]
Text = Annotated[StrictStr, BeforeValidator(_text)]

_NUMBERS = (float, Fraction, Decimal)
_PLAIN: dict[object, object] = {int: Whole, bool: TrueOrFalse, str: Text, object: Text}

Hint: TypeAlias = object
"""An annotation, as `typing.get_type_hints` gives it."""


def setting_type(hint: Hint) -> Hint:
    """Return the type that a policy holds for a parameter of this type.

    >>> setting_type(float) is Number, setting_type(int | None) == Whole | None
    (True, True)
    >>> setting_type(Mapping[str, tuple[int, ...]]) == dict[Text, tuple[Whole, ...]]
    True
    """
    if hint in _NUMBERS:
        return Number
    if hint in _PLAIN:
        return _PLAIN[hint]
    if get_origin(hint) in (Union, UnionType):
        return _one_of(get_args(hint))
    return _container(hint) if _holds_others(hint) else hint


def _one_of(members: tuple[Hint, ...]) -> Hint:
    """Choose among types; all kinds of numbers are one, and what a policy cannot write is left out."""
    members = tuple(member for member in members if _can_be_written(member))
    if not any(member in _NUMBERS for member in members):
        # one reader takes all kinds of numbers, so that a union has it once
        return _union([setting_type(member) for member in members])
    others = [member for member in members if member not in (*_NUMBERS, int)]
    return _union([Number, *(setting_type(member) for member in others)])


def _can_be_written(hint: Hint) -> bool:
    return not isinstance(hint, type) or hint is NoneType or hint in (*_NUMBERS, *_PLAIN)


def _union(kinds: list[Hint]) -> Hint:
    return reduce(operator.or_, kinds)


def _holds_others(hint: Hint) -> bool:
    """Return whether it is a list, a table or the like, with types for what is in it."""
    origin = get_origin(hint)
    return origin is not Annotated and isinstance(origin, type) and bool(get_args(hint))


def _container(hint: Hint) -> Hint:
    origin = get_origin(hint)
    inner = tuple(setting_type(each) for each in get_args(hint))  # of `...` it is the same
    return (dict if origin is Mapping else origin)[inner]  # type: ignore[index]


# What is wrong with a policy?  One line that names the key, where it stands, and the nearest right one. Each
# section is checked by a model of its own, so that pydantic's path into it ("points", 0, "below") and the words for
# where the section stands ("skyline 2 of policy.toml") are all that a message needs.


Path: TypeAlias = tuple[int | str, ...]
AnySection = TypeVar("AnySection", bound=Section)

_REMEDIES = {
    "int_type": "a whole number",
    "string_type": "text in quotes",
    "bool_type": "true or false",
    "list_type": 'a list, such as ["age", "sex"]',
    "tuple_type": "a list",
    "sequence_str": "a list",
    "is_instance_of": "a list",
    "too_long": "a shorter list",
    "missing": "a longer list",
    "string_unicode": "text in UTF-8",
    "dict_type": "a table, such as {name = 1}",
    "model_type": "a table, such as {name = 1}",
    "model_attributes_type": "a table, such as {name = 1}",
    "finite_number": "a finite number",
}
"""What to give, by the kind of pydantic's error."""


def validated(model: type[AnySection], table: Mapping[str, object], where: str) -> AnySection:
    """Check a section against its model; `where` it stands is for the message."""
    try:
        return model.model_validate(table)
    except ValidationError as error:
        raise _complaint(error, model, where) from None


def unknown_key(key: str, keys: Iterable[str], where: str) -> BadPolicy:
    """Return the error for a key that does not exist, with the one that may be meant."""
    return BadPolicy(f"no key '{key}' in {where}{did_you_mean(key, keys)}")


def not_a_table(where: str, section: str, *, many: bool) -> BadPolicy:
    """Return the error for a section that is no table, with how to write it."""
    heading = f"tables headed [[{section}]]" if many else f"a table headed [{section}]"
    return BadPolicy(f"cannot use '{section}' in {where}; write it as {heading}")


def without_measure(table: Mapping[str, object], where: str) -> BadPolicy:
    """Return the error for a limit that names no measure, or misspells the key."""
    for key in table:
        if did_you_mean(str(key), ["measure"]).startswith("; did"):
            return unknown_key(str(key), ["measure"], where)
    return BadPolicy(f"'measure' is missing in {where}; add measure = \"group size\" or another one")


def _complaint(error: ValidationError, model: type[Section], where: str) -> BadPolicy:
    """Return the error for all that pydantic found; unknown keys come first, as they explain missing ones."""
    # an unknown key is usually a misspelt one, which then also counts as missing
    details = sorted(error.errors(), key=lambda each: each["type"] != "extra_forbidden")
    place, key, section = _locate(details[0]["loc"], model, where)
    if details[0]["type"] == "extra_forbidden":
        return unknown_key(key, section.keys(), place)
    if details[0]["type"] == "missing" and isinstance(details[0]["loc"][-1], str):
        return BadPolicy(f"'{key}' is missing in {place}; add it")
    same_key = [each for each in details if _locate(each["loc"], model, where)[:2] == (place, key)]
    remedies = " or ".join(dict.fromkeys(_remedy(each) for each in same_key))
    return BadPolicy(f"cannot use '{key}' in {place}; give {remedies}")


def _locate(path: Path, model: type[Section], where: str) -> tuple[str, str, type[Section]]:
    """Follow a path into sections within sections: where does the key stand, what is it called, among which keys?"""
    while len(path) > 2 and (inner := _sections_in(model, str(path[0]))):
        where = f"{path[0]} {int(path[1]) + 1} of {where}"
        model, path = inner, path[2:]
    return where, str(path[0]), model


def _sections_in(model: type[Section], key: str) -> type[Section] | None:
    """Return the model of the sections that are listed under a key, if any are."""
    kinds = get_args(model.model_fields[key].annotation)
    return next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, Section)), None)


def _remedy(detail: ErrorDetails) -> str:
    if detail["type"] == "literal_error":
        return str(detail["ctx"]["expected"])
    if detail["type"] == "value_error":
        return str(detail["ctx"]["error"]).removeprefix("give ")
    return _REMEDIES.get(detail["type"], detail["msg"])
