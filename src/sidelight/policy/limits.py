"""The sections of a policy file: a `[[limit]]` bounds a measure, a `[[skyline]]` points of knowledge.

What a limit may have follows from its measure: the model is made from the measure's class, so that a new measure is in
the policy file, in the text of limits and in the JSON schema without a line here.  Its settings are the parameters of
the class, or of a class method `from_settings` where a policy writes them differently.

`setting_type` turns the annotation of a parameter into the type that a policy is checked against.  Nothing is coerced
(a text is not a number, and true is not 1), with three exceptions that people need:

- a number may be written as a text where TOML has no other way: "3/4", "inf";
- a whole number where a text belongs is its digits, because sensitive values often are numbers;
- a `Word`, which only the text of a limit has, is a number or a text, whichever belongs at its place: 05 or "05".

All settings of a policy file can be written in a line of text too, such as `implications(k=3) < 0.5`; the text of a
criterion is parsed as that criterion:

    LIMIT    = MEASURE [ SIGN NUMBER ]
    MEASURE  = NAME [ "(" [ SETTING { "," SETTING } ] ")" ]
    SETTING  = [ NAME "=" ] VALUE                            without a name: the settings in their order
    VALUE    = TEXT | "[" [ VALUE { "," VALUE } ] "]" | "{" [ TEXT "=" VALUE { "," TEXT "=" VALUE } ] "}"
    TEXT     = words, or a text in "..." or '...'            a quote within quotes is doubled
    SIGN     = ">=" | ">" | "<=" | "<" | "≥" | "≤"           see `Comparison`
    NUMBER   = digits, perhaps with commas between thousands; 3/4; inf

The tokens are those of facts (`knowledge/tokens`), and every one of them is read or refused: nothing is skipped.  Words
without quotes are a `Word`.
"""

from __future__ import annotations

import inspect
import math
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from decimal import Decimal
from fractions import Fraction
from functools import cache, reduce
from types import MappingProxyType, NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    ClassVar,
    Literal,
    TypeAlias,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    StrictBool,
    StrictInt,
    StrictStr,
    ValidationError,
    create_model,
)
from pydantic.config import JsonDict
from pydantic.json_schema import WithJsonSchema

from sidelight.errors import BadPolicy, SidelightError, did_you_mean
from sidelight.knowledge.tokens import TokenReader
from sidelight.measures.criterion import LEFT_OUT, SIGNS, Comparison, Criterion, exact
from sidelight.measures.measure import Measure
from sidelight.measures.targets import Predicate, read_value
from sidelight.policy.measure_names import measure_named
from sidelight.table.labels import Label, written_label
from sidelight.text import MOST_NESTED, is_deeply_nested

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

    from sidelight.measures.privacy_skyline.skyline import Skylines


_EXAMPLE = "write it like 'group size >= 5' or 'implications(k=3) < 0.5'"


class Word(str):
    """Words of a limit's text without quotes, which may be a number, true or false, or a text."""

    __slots__ = ()


class Section(BaseModel):
    """A section of a policy file."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)

    @classmethod
    def keys(cls) -> tuple[str, ...]:
        """Return the keys of such a section."""
        return tuple(cls.model_fields)


MOST_ZEROS = 300
"""The most zeros of a number; 1e999999999 would take all memory."""


def read_number(number: object) -> int | float | Fraction:
    """Parse a number of a policy: also "3/4" and "inf", which TOML and a shell cannot write otherwise.

    >>> read_number(5), read_number(0.5), read_number("3/4"), read_number("inf"), read_number("15,195")
    (5, 0.5, Fraction(3, 4), inf, 15195)
    """
    if isinstance(number, str):
        number = _read_digits(number.strip(), decimals_stay=isinstance(number, Word))
    # bool is a kind of int to Python, and nan would pass every comparison unnoticed
    no_number = isinstance(number, bool) or (isinstance(number, float) and math.isnan(number))
    if no_number or not isinstance(number, int | float | Fraction):
        raise ValueError("give a number, a fraction such as '3/4', or 'inf'")
    return number


def read_share(text: str) -> Fraction | None:
    """Parse a number from 0 to 1 exactly; None where the text is not one.

    >>> read_share("0.01"), read_share("3/4"), read_share("1.1"), read_share("many")
    (Fraction(1, 100), Fraction(3, 4), None, None)
    """
    try:
        share = Fraction(exact(read_number(text)))
    except (ValueError, OverflowError):
        return None
    return share if 0 <= share <= 1 else None


def _read_digits(text: str, *, decimals_stay: bool) -> int | float | Fraction | None:
    """Parse digits exactly; a decimal may stay a float, as in TOML, where that loses no digit."""
    if text.lstrip("+") in ("inf", "infinite", "∞"):
        return math.inf
    if re.fullmatch(r"[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?", text):  # as answers print it
        text = text.replace(",", "")
    try:
        # checked before `Fraction`, which would write out all the zeros
        if "/" not in text and abs(Decimal(text).adjusted()) > MOST_ZEROS:
            return None
        digits = Fraction(text)
    except (ValueError, ArithmeticError):
        return None
    if decimals_stay and "/" not in text and not text.lstrip("+-").isdigit():
        decimal = float(digits)
        return decimal if Fraction(str(decimal)) == digits else digits
    return int(digits) if digits.denominator == 1 else digits


def _read_whole(setting: object) -> object:
    try:
        return int(setting) if isinstance(setting, Word) else setting
    except ValueError:
        return setting  # which the strict type refuses


def _read_text(setting: object) -> object:
    # values are often numbers, such as 5 for "5"; true does not mean "True"
    whole = isinstance(setting, int) and not isinstance(setting, bool)
    return str(setting) if whole or isinstance(setting, Word) else setting


Number = Annotated[
    int | float | Fraction,
    PlainValidator(read_number),
    WithJsonSchema({"anyOf": [{"type": "number"}, {"type": "string", "description": 'such as "3/4" or "inf"'}]}),
]
"""A number as policies write it."""

Whole = Annotated[StrictInt, BeforeValidator(_read_whole)]
TrueOrFalse = Annotated[
    StrictBool,
    BeforeValidator(lambda each: {"true": True, "false": False}.get(each, each) if isinstance(each, Word) else each),
]
Text = Annotated[StrictStr, BeforeValidator(_read_text)]

_NUMBER_TYPES = (float, Fraction, Decimal)
_PLAIN: dict[object, object] = {int: Whole, bool: TrueOrFalse, str: Text, object: Text}

Hint: TypeAlias = object
"""An annotation, as `typing.get_type_hints` returns it."""


def setting_type(hint: Hint) -> Hint:
    """Return the type in a policy of a parameter with this annotation.

    >>> setting_type(float) is Number, setting_type(int | None) == Whole | None
    (True, True)
    >>> setting_type(Mapping[str, tuple[int, ...]]) == dict[Text, tuple[Whole, ...]]
    True
    """
    if hint in _NUMBER_TYPES:
        return Number
    if hint in _PLAIN:
        return _PLAIN[hint]
    origin, members = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        # what a policy cannot write is left out; `Number` takes all kinds of numbers
        members = tuple(
            each
            for each in members
            if not isinstance(each, type) or each is NoneType or each in (*_NUMBER_TYPES, *_PLAIN)
        )
        any_number = any(each in _NUMBER_TYPES for each in members)
        others = [each for each in members if not any_number or each not in (*_NUMBER_TYPES, int)]
        return reduce(operator.or_, [*[Number] * any_number, *map(setting_type, others)])
    if origin is not Annotated and isinstance(origin, type) and members:
        # a list, a table or the like, with types for its items (`...` stays)
        return (dict if origin is Mapping else origin)[tuple(map(setting_type, members))]  # type: ignore[index]
    return hint


# Errors in a policy: one line that names the key, its section, and the nearest right key.  Each section is checked by a
# model of its own, so that pydantic's path into it ("points", 0, "below") and the words for where the section is
# ("skyline 2 of policy.toml") are all that a message needs.


Path: TypeAlias = tuple[int | str, ...]
AnySection = TypeVar("AnySection", bound=Section)

_REMEDIES = {
    "int_type": "a whole number",
    "string_type": "text in quotes",
    "bool_type": "true or false",
    "list_type": 'a list, such as ["age", "sex"]',
    **dict.fromkeys(("tuple_type", "sequence_str", "is_instance_of"), "a list"),
    "too_long": "a shorter list",
    "missing": "a longer list",
    "string_unicode": "text in UTF-8",
    **dict.fromkeys(("dict_type", "model_type", "model_attributes_type"), "a table, such as {name = 1}"),
    "finite_number": "a finite number",
}
"""What was expected, by the kind of pydantic's error."""


def validate_section(model: type[AnySection], table: Mapping[str, object], where: str) -> AnySection:
    """Validate a section against its model; `where` names it in the message."""
    try:
        return model.model_validate(table)
    except ValidationError as error:
        raise _complaint(error, model, where) from None


@contextmanager
def blame(where: str) -> Iterator[None]:
    """Raise errors as `BadPolicy`; `where` names the section in the message."""
    try:
        yield
    except SidelightError as error:
        raise BadPolicy(f"{where}: {error}") from None


def unknown_key(key: str, keys: Iterable[str], where: str) -> BadPolicy:
    """Return the error for a key that does not exist, with the one that may be meant."""
    return BadPolicy(f"no key '{key}' in {where}{did_you_mean(key, keys)}")


def not_a_table(where: str, section: str, *, many: bool) -> BadPolicy:
    """Return the error for a section that is no table, with how to write it."""
    heading = f"tables headed [[{section}]]" if many else f"a table headed [{section}]"
    return BadPolicy(f"cannot use '{section}' in {where}; write it as {heading}")


def missing_measure(table: Mapping[str, object], where: str) -> BadPolicy:
    """Return the error for a limit that names no measure, or misspells the key."""
    for key in table:
        if did_you_mean(str(key), ["measure"]).startswith("; did"):
            return unknown_key(str(key), ["measure"], where)
    return BadPolicy(f"'measure' is missing in {where}; add measure = \"group size\" or another one")


def _complaint(error: ValidationError, model: type[Section], where: str) -> BadPolicy:
    """Return one error for all of pydantic's; unknown keys come first, as they explain missing ones."""
    # an unknown key is usually a misspelt one, which then also counts as missing
    details = sorted(error.errors(), key=lambda each: each["type"] != "extra_forbidden")
    place, key, section = _locate(details[0]["loc"], model, where)
    if details[0]["type"] == "extra_forbidden":
        return unknown_key(key, section.keys(), place)
    if details[0]["type"] == "missing" and isinstance(details[0]["loc"][-1], str):
        return BadPolicy(f"'{key}' is missing in {place}; add it")
    same_key = [each for each in details if _locate(each["loc"], model, where)[:2] == (place, key)]
    remedies = dict.fromkeys(map(_remedy_for, same_key))
    return BadPolicy(f"cannot use '{key}' in {place}; give {' or '.join(remedies)}")


def _remedy_for(detail: ErrorDetails) -> str:
    if detail["type"] == "literal_error":
        return str(detail["ctx"]["expected"])
    if detail["type"] == "value_error":
        return str(detail["ctx"]["error"]).removeprefix("give ")
    return _REMEDIES.get(detail["type"], detail["msg"])


def _locate(path: Path, model: type[Section], where: str) -> tuple[str, str, type[Section]]:
    """Follow a path into nested sections; return where the key is, its name, and the model of its section."""
    while len(path) > 2:
        # the model of the sections that are listed under a key, if any are
        kinds = get_args(model.model_fields[str(path[0])].annotation)
        inner = next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, Section)), None)
        if inner is None:
            break
        where = f"{path[0]} {int(path[1]) + 1} of {where}"
        model, path = inner, path[2:]
    return where, str(path[0]), model


BOUNDS = tuple(comparison.value for comparison in Comparison)

Default: TypeAlias = object
SettingTypes: TypeAlias = Mapping[str, tuple[object, Default]]
"""The settings of a measure: name → (type as written in a policy, default, or ... where it has none)."""


def keep_right_bounds(schema: JsonDict, model: type[Limit]) -> None:
    """Keep only the right bounds in the schema of a measure's limits, of which one is required."""
    properties, right = schema["properties"], right_bounds(model.measure_kind)
    assert isinstance(properties, dict)
    for name in set(BOUNDS).difference(right):
        del properties[name]
    schema["oneOf"] = [{"required": [name]} for name in right]


class Limit(Section):
    """A measure and the bound it must keep; without a bound it is only measured (on the command line)."""

    model_config = ConfigDict(json_schema_extra=keep_right_bounds)

    measure_kind: ClassVar[type[Measure]]  # no measure has a setting of this name

    at_least: Number | None = None
    above: Number | None = None
    at_most: Number | None = None
    below: Number | None = None
    of: Text | None = Field(default=None, description="the sensitive column it is about, where there are several")
    known: tuple[Text, ...] | None = Field(default=None, description="other sensitive columns, known of everybody")

    @classmethod
    def keys(cls) -> tuple[str, ...]:
        """Return the names of the settings, and of the right bounds for this measure."""
        right = right_bounds(cls.measure_kind)
        return tuple(name for name in cls.model_fields if name in right or name not in BOUNDS)

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        """The comparisons that have a bound."""
        return tuple(each for each in Comparison if getattr(self, each.value) is not None)

    def to_measure(self) -> Measure:
        """Build the measure; what is not set has the default of its class."""
        settings = {name: getattr(self, name) for name in self.model_fields_set - {"measure", "of", "known", *BOUNDS}}
        measure = self.measure_kind.from_settings(**settings)
        return measure.about(self.of, known=self.known or ()) if self.of is not None or self.known else measure

    def to_criterion(self) -> Criterion:
        """Build the criterion, which needs exactly one bound."""
        if len(self.comparisons) != 1:
            bounds = " and ".join(f"'{each.value}'" for each in self.comparisons) or "no bound"
            right = " or ".join(right_bounds(self.measure_kind))
            raise BadPolicy(f"'{self.measure_kind.name}' has {bounds}; give exactly one of {right}")
        (comparison,) = self.comparisons  # a bound on the wrong side is refused by the criterion itself
        return Criterion(self.to_measure(), comparison, getattr(self, comparison.value))


@cache
def limit_model(kind: type[Measure]) -> type[Limit]:
    """Build the model of limits on a measure.

    >>> from sidelight.measures.classics import GroupSize
    >>> print(limit_model(GroupSize)(measure="group size", at_least=5).to_criterion())
    group size ≥ 5
    """
    # from the class, so that a new measure needs no line here; a setting without a default is `...`, as pydantic asks
    fields: dict[str, object] = {"measure": (Literal[kind.name], ...), **settings_of(kind)}
    model: type[Limit] = create_model(
        f"{kind.__name__}Limit",
        __base__=Limit,
        __doc__=(inspect.getdoc(kind) or "").partition("\n")[0],
        **fields,  # type: ignore[call-overload]
    )
    model.measure_kind = kind
    return model


def right_bounds(kind: type[Measure]) -> tuple[str, ...]:
    """Return the names of the right bounds: from above for risks, from below for sizes and diversities."""
    return tuple(each.value for each in Comparison.for_measure(large_is_bad=kind.large_is_bad))


def measure_maker(kind: type[Measure]) -> Callable[..., Measure]:
    """Return what builds a measure from settings: `from_settings`, where a policy writes other ones than the class."""
    as_written = _overrides_settings(kind) or any("hint" in each.metadata for each in fields(kind))  # type: ignore[arg-type]
    return kind.from_settings if as_written else kind


def _overrides_settings(kind: type[Measure]) -> bool:
    return getattr(kind.from_settings, "__func__", None) is not vars(Measure)["from_settings"].__func__


@cache
def settings_of(kind: type[Measure]) -> SettingTypes:
    """Return the settings of a measure: those of its own `from_settings`, or else its fields (see `in_policy`)."""
    own = _overrides_settings(kind)
    maker: Callable[..., Measure] = kind.from_settings if own else kind
    declared = () if own else fields(kind)  # type: ignore[arg-type]
    in_file = {each.name: each.metadata["hint"] for each in declared if "hint" in each.metadata}
    # where a file has its own types, the values left out are texts too
    in_file |= {"apart_from": tuple[str, ...]} if in_file else {}
    hints = get_type_hints(maker) | in_file
    parameters = [each for each in inspect.signature(maker).parameters.values() if hints[each.name] is not None]
    required = inspect.Parameter.empty
    settings = {
        each.name: (setting_type(hints[each.name]), ... if each.default is required else each.default)
        for each in sorted(parameters, key=lambda each: each.name == "apart_from")
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

    def to_skyline(self, elsewhere: tuple[Label | Predicate, ...]) -> Skylines:
        """Build the skyline; `elsewhere` are the targets of others, which a skyline without a value leaves out."""
        from sidelight.measures.privacy_skyline.skyline import Skylines, single_values  # noqa: PLC0415 - as limits are read without it

        if not self.points:
            raise BadPolicy("there are no points; add at least one, such as {rules_out = 4, below = 0.75}")
        if self.target is not None and self.apart_from:
            raise BadPolicy("it has both 'value' and 'apart_from'; give one of them")
        if self.target in elsewhere:
            whose = f"for '{self.target}'" if self.target is not None else "without a value"
            raise BadPolicy(f"there are two skylines {whose}; put all their points into one")
        points = tuple((each.rules_out, each.others, each.family, each.below) for each in self.points)
        apart = (*single_values(elsewhere), *map(written_label, self.apart_from)) if self.target is None else ()
        return Skylines.from_points(points, self.target, apart)


def read_limit(text: str) -> Criterion:
    """Parse a measure with its bound.

    >>> print(read_limit("group size >= 5"), "and", read_limit("entropy diversity > 3/2"))
    group size ≥ 5 and entropy diversity > 3/2
    >>> read_limit("implications(k=1,,value=Flu) < 0.5")
    Traceback (most recent call last):
    sidelight.errors.BadPolicy: cannot read "implications(k=1,,value=Flu) < 0.5" at character 18: a setting is missing \
before ','; write settings like (k=3), with a comma between them
    """
    limit = read_limit_section(text)
    with blame(f"limit '{text}'"):
        return limit.to_criterion()


def read_measure(text: str) -> Measure:
    """Parse a measure without a bound.

    >>> print(read_measure("entropy diversity"))
    entropy diversity
    """
    limit = read_limit_section(text)
    if limit.comparisons:
        raise BadPolicy(f"'{text}' has a bound; give it as a limit, or leave the bound out")
    with blame(f"measure '{text}'"):
        return limit.to_measure()


def read_limit_section(text: str) -> Limit:
    """Parse a limit, with or without a bound, before its measure is built: no file is opened yet."""
    reader = limit_reader(text)
    # the name first: it decides which settings may follow
    kind = measure_named(take_measure_name(reader), f"'{text}'")
    settings = take_settings(reader, settings_of(kind))
    # a measure without parentheses is fine as long as none of its settings is required
    needed = next((name for name, (_, default) in settings_of(kind).items() if default is ...), None)
    if settings is None and needed is not None:
        raise BadPolicy(f"'{needed}' is missing in '{text}'; write it in parentheses, such as {kind.name}({needed}=2)")
    table = {"measure": kind.name, **(settings or {}), **take_bound(reader)}
    return validate_section(limit_model(kind), table, f"'{text}'")


# Reading a line of text: a reader of tokens moves on from the name to the settings to the bound.


def limit_reader(text: str) -> TokenReader:
    """Return a reader of a limit's tokens.

    >>> reader = limit_reader("implications(3, value=Flu) < 1/2")
    >>> take_measure_name(reader), take_settings(reader, ["k", "value"]), take_bound(reader)
    ('implications', {'k': '3', 'value': 'Flu'}, {'below': '1/2'})
    """
    if is_deeply_nested(text):  # its lists are read by functions that call themselves
        raise BadPolicy(f"a limit is nested more than {MOST_NESTED} deep; check its brackets")
    return TokenReader(text, signs=SIGNS, error=BadPolicy)


def take_measure_name(reader: TokenReader) -> str:
    """Take the name of a measure, in small letters and with spaces."""
    if reader.next.kind not in ("word", "quoted"):
        reader.fail(f"a measure is missing before {reader.next}; {_EXAMPLE}")
    return reader.name("a measure", stop=()).replace("_", " ").casefold()


def take_settings(reader: TokenReader, names: Iterable[str]) -> dict[str, object] | None:
    """Take `(k=3, value=Flu)`; `names` are the settings in their order.  None where there is no parenthesis."""
    names = list(names)
    settings: dict[str, object] = {}
    if not reader.accept("("):
        return None
    # Each round takes one setting and, but for the first, the comma before it: nothing between them is passed over.
    while not reader.accept(")"):
        if settings:
            reader.expect(",", "write settings like (k=3), with a comma between them")
        start = reader.next
        name = _take_setting_name(reader, names, index=len(settings))
        if name in settings:
            reader.fail(f"'{name}' is set twice; set it once", at=start)
        settings[name] = _take_value(reader, "a setting")
    return settings


def take_bound(reader: TokenReader) -> dict[str, Word]:
    """Take `>= 5`, up to the end, as in a policy file: `at_least = 5`.  Empty where there is no bound."""
    bound: dict[str, Word] = {}
    if reader.next.kind != "end":
        comparison = Comparison.from_sign(reader.next.text) if reader.next.kind == "sign" else None
        if comparison is None:
            reader.fail(f"{reader.next} is no comparison; {_EXAMPLE}")
        reader.take()
        bound[comparison.value] = _take_number(reader)
    reader.end("write the bound last, such as group size >= 5")
    return bound


def _take_number(reader: TokenReader) -> Word:
    if reader.next.kind not in ("word", "quoted"):
        reader.fail(f"a number is missing before {reader.next}; {_EXAMPLE}")
    number = reader.name("a number", stop=())
    while reader.next.is_any(",") and re.fullmatch(
        r"[0-9]{3}(\.[0-9]+)?", reader.peek(1).text
    ):  # as answers print them
        reader.take()
        number = f"{number},{reader.name('a number', stop=())}"
    return Word(number)


def _take_setting_name(reader: TokenReader, names: list[str], *, index: int) -> str:
    """Take `k =`, or return the name of the setting at this index."""
    start = reader.next
    if start.kind in ("word", "quoted") and reader.peek(1).is_any("="):
        reader.take(2)
        return start.text
    # `k 3` would otherwise be the text "k 3", which nobody means.
    if start.kind == "word" and start.text in names and reader.peek(1).kind in ("word", "quoted"):
        reader.fail(f"'{start.text}' is a setting; write {start.text}={reader.peek(1).text}, or a text in quotes")
    if index >= len(names):
        _take_value(reader, "a setting")  # where nothing stands that could be one, this says so
        takes = f"takes only {len(names)}: {', '.join(names)}" if names else "takes none"
        what = f"{start}" if start.kind in ("word", "quoted") else "this"
        reader.fail(f"{what} is one setting too many; this measure {takes}", at=start)
    return names[index]


def _take_value(reader: TokenReader, what: str) -> object:
    values: list[object] = []
    table: dict[str, object] = {}
    if reader.accept("["):
        while not reader.accept("]"):
            if values:
                reader.expect(",", "write lists like [Flu, Cold]")
            values.append(_take_value(reader, "a value"))
        return values
    if not reader.accept("{"):
        return _take_text(reader, what)
    while not reader.accept("}"):
        if table:
            reader.expect(",", "write tables like {Flu = 2, Cold = 3}")
        start = reader.next
        key = str(_take_text(reader, "a name"))
        if key in table:
            reader.fail(f"'{key}' is there twice; name it once", at=start)
        reader.expect("=", "write tables like {Flu = 2, Cold = 3}")
        table[key] = _take_value(reader, "a value")
    return table


def _take_text(reader: TokenReader, what: str) -> str:
    start = reader.next
    if start.kind not in ("word", "quoted"):
        reader.fail(f"{what} is missing before {start}; write settings like (k=3), with a comma between them")
    if start.kind == "word" and start.text == LEFT_OUT:
        reader.fail(f"'{LEFT_OUT}' stands for something that was left out; write it in full, or use a policy file")
    text = reader.name(what, stop=())
    if reader.next.kind in ("word", "quoted"):
        reader.fail(f"{reader.next} follows another text; put a comma between them, or the whole into quotes")
    # Quoted text is text; only words may be read as a number.
    return text if start.kind == "quoted" else Word(text)
