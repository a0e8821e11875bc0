"""What every section of a policy file is, and the kinds of values it may hold."""

from __future__ import annotations

import inspect
import math
import operator
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import cache, reduce
from types import NoneType, UnionType
from typing import Annotated, ClassVar, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    StrictBool,
    StrictInt,
    StrictStr,
    create_model,
)
from pydantic.json_schema import WithJsonSchema

from sidelight.errors import BadPolicy
from sidelight.measures.measure import Comparison, Criterion, Measure


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


# ----------------------------------------------------------------------------------------------------
# One [[limit]] of a policy file: a measure, its own settings, and one bound.
#
# The models are made from the measures themselves: a new measure is in the policy file, on the command line and in
# the JSON schema without a line here.  Its settings are the parameters of the class, or of a class method
# `from_settings` where the file should say them differently.
# ----------------------------------------------------------------------------------------------------


BOUNDS = tuple(comparison.value for comparison in Comparison)
Default: TypeAlias = object
Settings: TypeAlias = dict[str, tuple[object, Default]]


class Limit(Section):
    """A measure and the bound it must keep; without a bound it is only measured (on the command line)."""

    question: ClassVar[type[Measure]]

    at_least: Number | None = None
    above: Number | None = None
    at_most: Number | None = None
    below: Number | None = None

    def asked(self) -> Measure:
        """Make the measure."""
        settings = {name: getattr(self, name) for name in self.model_fields_set - {"measure", *BOUNDS}}
        return maker(self.question)(**settings)

    def criteria(self) -> tuple[Criterion, ...]:
        """Make the criterion, which needs exactly one bound."""
        given = [comparison for comparison in Comparison if getattr(self, comparison.value) is not None]
        if len(given) != 1:
            said = " and ".join(f"'{each.value}'" for each in given) or "no bound"
            message = (
                f"'{self.question.name}' has {said}; give exactly one of {' or '.join(right_bounds(self.question))}"
            )
            raise BadPolicy(message)
        return (Criterion(self.asked(), given[0], getattr(self, given[0].value)),)


def right_bounds(kind: type[Measure]) -> tuple[str, ...]:
    """Name the bounds that make sense: from above for risks, from below for sizes and diversities."""
    return tuple(each.value for each in Comparison if each.from_above == kind.large_is_bad)


def maker(kind: type[Measure]) -> Callable[..., Measure]:
    """Say what turns settings into a measure."""
    made: Callable[..., Measure] = getattr(kind, "from_settings", kind)
    return made


def settings_of(kind: type[Measure]) -> Settings:
    """List the settings of a measure: name → (type as written in a policy, default)."""
    make = maker(kind)
    hints = get_type_hints(kind if make is kind else make)
    parameters = inspect.signature(make).parameters.values()
    required = inspect.Parameter.empty
    return {
        each.name: (as_written(hints[each.name]), ... if each.default is required else each.default)
        for each in parameters
    }


@cache
def limit_models() -> dict[str, type[Limit]]:
    """Make a model per measure, by the measure's name."""
    from sidelight.policy.measures import MEASURES  # noqa: PLC0415 - all measures at once: only where a policy is read

    return {kind.name: _limit_model(kind) for kind in MEASURES}


def any_limit(models: Iterable[type[Limit]]) -> object:
    """Join models: which one it is, is said by `measure`."""
    return Annotated[reduce(operator.or_, models), Field(discriminator="measure")]


def _limit_model(kind: type[Measure]) -> type[Limit]:
    class Base(Limit):
        model_config = ConfigDict(json_schema_extra=lambda schema: _one_bound(schema, kind))

    fields: dict[str, object] = {"measure": (Literal[kind.name], ...), **settings_of(kind)}
    model: type[Limit] = create_model(
        f"{kind.__name__}Limit",
        __base__=Base,
        __doc__=(inspect.getdoc(kind) or "").partition("\n")[0],
        **fields,  # type: ignore[call-overload]
    )
    model.question = kind
    return model


def _one_bound(schema: dict[str, object], kind: type[Measure]) -> None:
    properties = schema["properties"]
    assert isinstance(properties, dict)
    right = right_bounds(kind)
    for name in set(BOUNDS).difference(right):
        del properties[name]
    schema["oneOf"] = [{"required": [name]} for name in right]


def keys_of(model: type[BaseModel]) -> list[str]:
    """List the keys that make sense in a section of this kind."""
    names = list(model.model_fields)
    if not issubclass(model, Limit):
        return names
    right = right_bounds(model.question)
    return [name for name in names if name in right or name not in BOUNDS]
