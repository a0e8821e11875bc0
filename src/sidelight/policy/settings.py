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
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from types import NoneType, UnionType
from typing import Annotated, TypeAlias, Union, get_args, get_origin

from pydantic import BaseModel, BeforeValidator, ConfigDict, PlainValidator, StrictBool, StrictInt, StrictStr
from pydantic.json_schema import WithJsonSchema


class Section(BaseModel):
    """A part of a policy file, with everything that it may say."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)

    @classmethod
    def keys(cls) -> tuple[str, ...]:
        """Name what makes sense in such a section."""
        return tuple(cls.model_fields)


MOST_DIGITS = 300
"""A number is not written with more zeros than that; 1e999999999 would take all memory."""


class Word(str):
    """Words of a limit's text that are not in quotes, so that they may mean a number, true or false, or themselves."""

    __slots__ = ()


def read_number(number: object) -> int | float | Fraction:
    """Read a number of a policy: also "3/4" and "inf", which TOML and a shell cannot say otherwise.

    >>> read_number(5), read_number(0.5), read_number("3/4"), read_number("inf")
    (5, 0.5, Fraction(3, 4), inf)
    """
    if isinstance(number, str):
        number = _number_in(number.strip(), decimals_stay=isinstance(number, Word))
    if not isinstance(number, int | float | Fraction) or isinstance(number, bool) or math.isnan(number):
        message = "give a number, a fraction such as '3/4', or 'inf'"
        raise ValueError(message)
    return number


def _number_in(text: str, *, decimals_stay: bool) -> int | float | Fraction | None:
    """Read digits exactly; a decimal may stay one, as in TOML, where that loses no digit."""
    if text.lstrip("+") in ("inf", "infinite", "∞"):
        return math.inf
    try:
        if "/" not in text and abs(Decimal(text).adjusted()) > MOST_DIGITS:
            return None
        exact = Fraction(text)
    except (ValueError, ArithmeticError):
        return None
    if decimals_stay and "/" not in text and not text.lstrip("+-").isdigit():
        decimal = float(exact)
        return decimal if Fraction(str(decimal)) == exact else exact
    return int(exact) if exact.denominator == 1 else exact


def _whole(setting: object) -> object:
    try:
        return int(setting) if isinstance(setting, Word) else setting
    except ValueError:
        return setting  # which the strict type refuses


def _true_or_false(setting: object) -> object:
    return {"true": True, "false": False}.get(setting, setting) if isinstance(setting, Word) else setting


def _text(setting: object) -> object:
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
    """Give the type that a policy holds for a parameter of this type.

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
    """Choose among types; all kinds of numbers are one."""
    if not any(member in _NUMBERS for member in members):
        return _union([setting_type(member) for member in members])
    others = [member for member in members if member not in (*_NUMBERS, int)]
    return _union([Number, *(setting_type(member) for member in others)])


def _union(kinds: list[Hint]) -> Hint:
    return reduce(operator.or_, kinds)


def _holds_others(hint: Hint) -> bool:
    """Say whether it is a list, a table or the like, with types for what is in it."""
    origin = get_origin(hint)
    return origin is not Annotated and isinstance(origin, type) and bool(get_args(hint))


def _container(hint: Hint) -> Hint:
    origin = get_origin(hint)
    inner = tuple(each if each in (Ellipsis, NoneType) else setting_type(each) for each in get_args(hint))
    return (dict if origin is Mapping else origin)[inner]  # type: ignore[index]
