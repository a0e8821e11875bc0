"""What does one section of a policy file demand?  A `[[limit]]` bounds a measure, a `[[skyline]]` points of knowledge.

What a limit may say follows from its measure: the model is made from the measure's class, so that a new measure is in
the policy file, in the text of limits and in the JSON schema without a line here.  Its settings are the parameters of
the class, or of a class method `from_settings` where a policy should say them differently.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias, get_type_hints

from pydantic import ConfigDict, Field, StrictInt, create_model

from sidelight.errors import BadPolicy
from sidelight.measures.comparison import Comparison
from sidelight.measures.criterion import Criterion
from sidelight.measures.measure import Measure
from sidelight.measures.targets import Predicate, read_value
from sidelight.policy.settings import Number, Section, Text, setting_type
from sidelight.table.labels import Label, written_label

if TYPE_CHECKING:
    from sidelight.measures.privacy_skyline.skyline import Skyline

BOUNDS = tuple(comparison.value for comparison in Comparison)

ABOUT = ("of", "known")
"""What a limit on any measure may say of several sensitive columns."""

Default: TypeAlias = object
Settings: TypeAlias = Mapping[str, tuple[object, Default]]
"""The settings of a measure: name → (type as written in a policy, default, or ... where it has none)."""


class Limit(Section):
    """A measure and the bound it must keep; without a bound it is only measured (on the command line)."""

    measure_kind: ClassVar[type[Measure]]  # no measure has a setting of this name

    at_least: Number | None = None
    above: Number | None = None
    at_most: Number | None = None
    below: Number | None = None
    of: Text | None = Field(default=None, description="the sensitive column it is about, where there are several")
    known: tuple[Text, ...] | None = Field(default=None, description="other sensitive columns, known of everybody")

    @classmethod
    def keys(cls) -> tuple[str, ...]:
        """Name the settings, and the bounds that make sense for this measure."""
        right = right_bounds(cls.measure_kind)
        return tuple(name for name in cls.model_fields if name in right or name not in BOUNDS)

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        """The kinds of bounds that are set."""
        return tuple(each for each in Comparison if getattr(self, each.value) is not None)

    def to_measure(self) -> Measure:
        """Build the measure from what was set."""
        # Only what was set: defaults stay those of the measure.
        settings = {name: getattr(self, name) for name in self.model_fields_set - {"measure", *ABOUT, *BOUNDS}}
        measure = measure_maker(self.measure_kind)(**settings)
        return measure.about(self.of, known=self.known or ()) if self.of is not None or self.known else measure

    def to_criterion(self) -> Criterion:
        """Build the criterion, which needs exactly one bound."""
        if len(self.comparisons) != 1:
            bounds = " and ".join(f"'{each.value}'" for each in self.comparisons) or "no bound"
            right = " or ".join(right_bounds(self.measure_kind))
            message = f"'{self.measure_kind.name}' has {bounds}; give exactly one of {right}"
            raise BadPolicy(message)
        (comparison,) = self.comparisons  # a bound on the wrong side is refused by the criterion itself
        return Criterion(self.to_measure(), comparison, getattr(self, comparison.value))


@cache
def limit_model(kind: type[Measure]) -> type[Limit]:
    """Build the model of limits on a measure.

    >>> from sidelight.measures.k_anonymity import GroupSize
    >>> print(limit_model(GroupSize)(measure="group size", at_least=5).to_criterion())
    group size ≥ 5
    """

    class Base(Limit):
        model_config = ConfigDict(json_schema_extra=lambda schema: _keep_right_bounds(schema, kind))

    # from the class, so that a new measure needs no line here; a setting without a default is `...`, as pydantic asks
    fields: dict[str, object] = {"measure": (Literal[kind.name], ...), **settings_of(kind)}
    model: type[Limit] = create_model(
        f"{kind.__name__}Limit",
        __base__=Base,
        __doc__=(inspect.getdoc(kind) or "").partition("\n")[0],
        **fields,  # type: ignore[call-overload]
    )
    model.measure_kind = kind
    return model


def _keep_right_bounds(schema: dict[str, object], kind: type[Measure]) -> None:
    """Restrict a schema to the bounds that make sense, of which one is required."""
    properties = schema["properties"]
    assert isinstance(properties, dict)
    right = right_bounds(kind)
    for name in set(BOUNDS).difference(right):
        del properties[name]
    schema["oneOf"] = [{"required": [name]} for name in right]


def right_bounds(kind: type[Measure]) -> tuple[str, ...]:
    """Return the names of the bounds that make sense: from above for risks, from below for sizes and diversities."""
    return tuple(each.value for each in Comparison.for_measure(large_is_bad=kind.large_is_bad))


def measure_maker(kind: type[Measure]) -> Callable[..., Measure]:
    """Return what turns settings into a measure."""
    maker: Callable[..., Measure] = getattr(kind, "from_settings", kind)
    return maker


@cache
def settings_of(kind: type[Measure]) -> Settings:
    """Return the settings of a measure."""
    # `from_settings` decides, where a policy writes settings otherwise than the class takes them
    maker = measure_maker(kind)
    hints = get_type_hints(maker)
    required = inspect.Parameter.empty
    settings = {
        each.name: (setting_type(hints[each.name]), ... if each.default is required else each.default)
        for each in inspect.signature(maker).parameters.values()
    }
    return MappingProxyType(settings)


class PointSection(Section):
    """An amount of knowledge, and the limit that the risk against it must stay below."""

    rules_out: StrictInt = Field(default=0, json_schema_extra={"minimum": 0})
    others: StrictInt = Field(default=0, json_schema_extra={"minimum": 0})
    family: StrictInt = Field(default=0, json_schema_extra={"minimum": 0})
    below: Number


class SkylineSection(Section):
    """Points of knowledge that a release must withstand, for one value, for any of several, or for all others."""

    value: Text | tuple[Text, ...] | dict[Text, tuple[Text, ...] | Text] | None = Field(
        default=None, description="a value; a list: any of them; a table: a name for such a list"
    )
    apart_from: tuple[Text, ...] = Field(default=(), description="without a value: those that nobody wants to learn")
    of: Text | None = Field(default=None, description="the sensitive column it is about, where there are several")
    known: tuple[Text, ...] | None = Field(default=None, description="other sensitive columns, known of everybody")
    points: tuple[PointSection, ...] = Field(json_schema_extra={"minItems": 1})

    @property
    def target(self) -> Label | Predicate:
        """The value, or the category."""
        return read_value(self.value)

    def is_like(self, other: SkylineSection) -> bool:
        """Whether another one asks about the same column, knowing the same."""
        return (self.of, self.known) == (other.of, other.known)

    def to_criteria(self, skyline: Skyline) -> Iterator[Criterion]:
        """Yield the criteria of a skyline, about the column that was named, if one was."""
        for criterion in skyline.criteria:
            yield criterion.about(self.of, known=self.known or ()) if self.of or self.known else criterion

    def to_skyline(self, elsewhere: tuple[Label | Predicate, ...]) -> Skyline:
        """Build the skyline; `elsewhere` are the targets of the others, which one without a value leaves out."""
        from sidelight.measures.privacy_skyline.skyline import (  # noqa: PLC0415 - brings SciPy
            Skyline,
            SkylinePoint,
            single_values,
        )

        if not self.points:
            message = "there are no points; add at least one, such as {rules_out = 4, below = 0.75}"
            raise BadPolicy(message)
        if self.target is not None and self.apart_from:
            message = "it has both 'value' and 'apart_from'; give one of them"
            raise BadPolicy(message)
        if self.target in elsewhere:
            whose = f"for '{self.target}'" if self.target is not None else "without a value"
            message = f"there are two skylines {whose}; put all their points into one"
            raise BadPolicy(message)
        points = tuple(SkylinePoint(each.rules_out, each.others, each.family, each.below) for each in self.points)
        apart = (*single_values(elsewhere), *map(written_label, self.apart_from)) if self.target is None else ()
        return Skyline(points, self.target, apart)
