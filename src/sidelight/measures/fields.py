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
from functools import partial
from operator import index
from typing import TYPE_CHECKING, Any, TypeAlias, get_args

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


def read_with(function: Callable[[Any, Any], object]) -> dict[str, Callable[[Any, Any], object]]:
    """Declare a field whose value depends on others too: the function takes the measure, and what was given."""
    return {"reader with measure": function}


def read_fields(measure: Measure) -> None:
    """Replace each declared field of a measure by what its reader returns."""
    # in the order of declaration: a reader that takes the measure sees earlier fields as they were read
    for each in fields(measure):  # type: ignore[arg-type]
        given = getattr(measure, each.name)
        # None by default is left open, and is no value to be read
        if given is None and each.default is None:
            continue
        if reader := each.metadata.get("reader"):
            object.__setattr__(measure, each.name, reader(measure.name, each.name, given))
        elif reader := each.metadata.get("reader with measure"):
            object.__setattr__(measure, each.name, reader(measure, given))


def whole_amount(measure: str, name: str, amount: object, *, least: int = 0, most: int = LARGEST_AMOUNT) -> int:
    """Return a whole number from `least` to `most`, or raise `BadMeasure`."""
    try:
        # true is a kind of int to Python, and no amount
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
