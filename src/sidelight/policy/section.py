"""What every section of a policy file is, and the kinds of values it may hold."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from types import NoneType, UnionType
from typing import Annotated, Union, get_args, get_origin

from pydantic import BaseModel, BeforeValidator, ConfigDict, PlainValidator, StrictBool, StrictInt, StrictStr
from pydantic.json_schema import WithJsonSchema

from sidelight.measures.criterion import Criterion


class Section(BaseModel):
    """A part of a policy file.  A further kind is a subclass and one field of the policy document."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)

    def criteria(self) -> tuple[Criterion, ...]:
        """What this section demands."""
        return ()

    def notes(self) -> tuple[str, ...]:
        """What a reader of the report should know about how this section was understood."""
        return ()


def read_number(given: object) -> int | float | Fraction:
    """Read a number of a policy: also "3/4" and "inf", which TOML and a shell cannot say otherwise.

    >>> read_number(5), read_number(0.5), read_number("3/4"), read_number("inf")
    (5, 0.5, Fraction(3, 4), inf)
    """
    number: int | float | Fraction | None = None
    if isinstance(given, str):
        number = _from_text(given.strip())
    elif isinstance(given, int | float | Fraction) and not isinstance(given, bool):
        number = given
    if number is None or math.isnan(number):
        message = "give a number, a fraction such as '3/4', or 'inf'"
        raise ValueError(message)
    return number


def _from_text(text: str) -> int | float | Fraction | None:
    if text.lstrip("+") in ("inf", "infinite", "∞"):
        return math.inf
    try:
        exact = Fraction(text)
    except (ValueError, ZeroDivisionError):
        return None
    return int(exact) if exact.denominator == 1 else exact


Number = Annotated[
    int | float | Fraction,
    PlainValidator(read_number),
    WithJsonSchema({"anyOf": [{"type": "number"}, {"type": "string", "description": 'such as "3/4" or "inf"'}]}),
]
"""A number as policies write it."""


def _text(given: object) -> object:
    whole = isinstance(given, int) and not isinstance(given, bool)
    return str(given) if whole else given


Text = Annotated[StrictStr, BeforeValidator(_text)]
"""Text; a whole number is read as its digits, because sensitive values often are numbers."""

_STRICT: dict[object, object] = {int: StrictInt, bool: StrictBool, str: Text, object: Text}
_NUMBERS = {float, Fraction, Decimal}


def as_written(hint: object) -> object:
    """Give the type that a policy file holds for a parameter of this type: numbers as above, nothing coerced.

    >>> as_written(float) is Number, as_written(int | None) == StrictInt | None
    (True, True)
    """
    members = get_args(hint)
    origin = get_origin(hint)
    if hint in _NUMBERS:
        return Number
    if hint in _STRICT:
        return _STRICT[hint]
    if origin in (Union, UnionType):
        if any(member in _NUMBERS for member in members):
            rest = [as_written(each) for each in members if each not in _NUMBERS and each is not int]
            return reduce(operator.or_, rest, Number)
        return reduce(operator.or_, (as_written(each) for each in members))
    if origin is None or origin is Annotated or not members or not isinstance(origin, type):
        return hint
    inner = tuple(each if each in (Ellipsis, NoneType) else as_written(each) for each in members)
    return (dict if origin is Mapping else origin)[inner]  # type: ignore[index]
