"""The settings of a measure, declared with what reads them: taken as they are meant, or refused.

    k: int = field(metadata=whole())
    kind: Kind = field(default="basic", metadata=choice(Kind))
    one: Sequence[str] = field(default=(), metadata=read(as_names))

`Measure.__post_init__` reads all fields so declared, in their order; what depends on several fields is checked after
that, in the `__post_init__` of the class.  A None that is the default stays None.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import cache, partial
from operator import index
from typing import TYPE_CHECKING, TypeAlias, get_args

from sidelight.errors import BadMeasure, as_given, did_you_mean, is_one_of, parameter

if TYPE_CHECKING:
    from sidelight.measures.measure import Measure

FieldReader: TypeAlias = Callable[[str, str, object], object]
"""Takes the name of a measure, the name of a field and what was given; returns the field's value or raises."""

FieldMetadata: TypeAlias = dict[str, FieldReader]

LARGEST_AMOUNT = 10**1000
"""The largest number that may be asked about by default."""


def whole(*, least: int = 0, most: int = LARGEST_AMOUNT) -> FieldMetadata:
    """Declare a field that is a whole number from `least` to `most`."""
    return {"reader": partial(whole_amount, least=least, most=most)}


def choice(choices: object, message: str | None = None) -> FieldMetadata:
    """Declare a field that is one of the words of a `Literal`; `message` may name the {measure} and the {given}."""

    def refuse_others(measure: str, name: str, given: object) -> object:
        if message is not None and not is_one_of(given, choices):
            raise BadMeasure(message.format(measure=measure, given=as_given(given)))
        refuse_unknown(measure, name, given, get_args(choices))
        return given

    return {"reader": refuse_others}


def read(function: Callable[..., object]) -> FieldMetadata:
    """Declare a field whose value is what a function of one argument makes of what was given."""
    return {"reader": lambda _measure, _name, given: function(given)}


def read_fields(measure: Measure) -> None:
    """Replace each declared field of a measure by what its reader returns."""
    for field_name, reader, stays_none in _readers(type(measure)):
        given = getattr(measure, field_name)
        if given is not None or not stays_none:
            object.__setattr__(measure, field_name, reader(measure.name, field_name, given))


@cache
def _readers(kind: type[Measure]) -> tuple[tuple[str, FieldReader, bool], ...]:
    """Return name, reader, and whether None stays, of the fields that declare a reader."""
    declared = (each for each in fields(kind) if "reader" in each.metadata)  # type: ignore[arg-type]
    return tuple((each.name, each.metadata["reader"], each.default is None) for each in declared)


def whole_amount(measure: str, name: str, amount: object, *, least: int = 0, most: int = LARGEST_AMOUNT) -> int:
    """Return a whole number from `least` to `most`, or raise `BadMeasure`."""
    try:
        number = least - 1 if isinstance(amount, bool) else index(amount)  # type: ignore[arg-type]
    except TypeError:
        number = least - 1
    if number < least:
        message = f"'{measure}' needs {name} to be a whole number of at least {least}, not {as_given(amount)}"
        raise BadMeasure(message)
    if number > most:
        message = f"'{measure}' needs {name} to be at most {as_given(most)}, not {as_given(amount)}"
        raise BadMeasure(message)
    return int(number)


def refuse_unknown(measure: str, name: str, chosen: object, choices: Sequence[str]) -> None:
    """Raise `BadMeasure` for what is none of the choices that a setting has."""
    if not isinstance(chosen, str) or chosen not in choices:
        message = f"'{measure}' has no {parameter(name, as_given(chosen))}{did_you_mean(as_given(chosen), choices)}"
        raise BadMeasure(message)
