"""What is every document made of?  Parts that refuse what they do not know, numbers written three ways, plain data.

Whatever goes to a program has the same `Envelope`, whichever verb answers.  Every object is reduced to plain data
(`plain`), and every number is written exactly and rounded once, towards caution (`number`).  The keys are a public
format.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from fractions import Fraction
from types import NoneType
from typing import Generic, Literal, TypeAlias, TypeVar

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, JsonValue

from sidelight.measures.criterion import Criterion, exact
from sidelight.measures.exact import Amount
from sidelight.release.groups import GroupName
from sidelight.rounding import at_a_glance, printed_cautiously
from sidelight.table.labels import shown

Plain: TypeAlias = dict[str, JsonValue]


class DocumentPart(BaseModel):
    """A part of a document for other programs: what it does not know is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


AnswerT = TypeVar("AnswerT")


class Envelope(DocumentPart, Generic[AnswerT]):
    """What a verb answers, with the same five keys for all of them."""

    kind: str = Field(description='the verb that answers: "audit", "attack"')
    schema_version: int = Field(description="of this kind; raised whenever a reader of it would have to change")
    source: str | tuple[str, ...] | None = Field(default=None, description="what was read")
    answer: AnswerT
    notes: tuple[str, ...] = Field(default=(), description="what a reader should know, in sentences")

    def to_json(self) -> str:
        """Write the document as JSON text."""
        return self.model_dump_json(indent=2) + "\n"


class Number(DocumentPart):
    """A number three ways: exactly, as a float rounded towards caution, and as a person reads it."""

    exact: str = Field(description='"2/3", "7" or "inf"; with `rounded`, the nearest float on the cautious side')
    number: float | None = Field(description="none when it is infinite")
    rounded: bool = Field(
        default=False, description="whether the value is irrational, so that even `exact` is rounded; not about `text`"
    )
    text: str = Field(
        description="fractions up to twelfths as they are, others to four places, towards caution: "
        "risks up, sizes and diversities down"
    )


class PolicyBound(DocumentPart):
    """The bound that a policy sets."""

    comparison: Literal["at_least", "above", "at_most", "below"]
    bound: Number
    text: str = Field(description='"≥ 5"')


def schema_text(document: type[DocumentPart]) -> str:
    """Write the JSON schema of a document."""
    schema = document.model_json_schema(mode="serialization")
    dialect = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return json.dumps(dialect | schema, indent=2, ensure_ascii=False) + "\n"


def number(value: Amount, *, large_is_bad: bool) -> Number:
    """Write a number exactly, as a float that errs on the side of caution, and for people.

    >>> number(Fraction(2, 3), large_is_bad=True)
    Number(exact='2/3', number=0.6666666666666667, rounded=False, text='2/3')
    >>> number(Fraction(12345, 99991), large_is_bad=False).text
    '0.1234'
    """
    if value == math.inf:
        return Number(exact="inf", number=None, text="infinite")
    # measures that are rational are computed in fractions; a float stands for an irrational number only
    irrational = not isinstance(value, Fraction | int)
    return Number(
        exact=repr(float(value)) if irrational else str(value),
        number=printed_cautiously(value, large_is_bad=large_is_bad),
        rounded=irrational,
        text=at_a_glance(value, large_is_bad=large_is_bad),
    )


def policy_bound(criterion: Criterion) -> PolicyBound:
    """Return which bound a criterion sets."""
    # A bound is rounded to the strict side, which is the other one than that of a finding.
    bound = number(exact(criterion.bound), large_is_bad=not criterion.measure.large_is_bad)
    return PolicyBound(comparison=criterion.comparison.value, bound=bound, text=criterion.bound_text)


def plain(thing: object) -> JsonValue:
    """Reduce anything a witness may hold to plain data; numbers that JSON cannot hold become text.

    >>> from sidelight.measures.finding import Witness
    >>> plain(Witness(GroupName(2, (("sex", None),)), "Flu"))
    {'group': {'number': 2, 'says': {'sex': None}}, 'value': 'Flu'}
    >>> plain((Fraction(2, 3), math.inf, frozenset({"b", "a"})))
    ['2/3', 'inf', ['a', 'b']]
    """
    for kinds, reduced in _REDUCTIONS:
        if isinstance(thing, kinds):
            return reduced(thing)
    # a dataclass with words of its own, such as a fact, is written in these and not field by field
    if dataclasses.is_dataclass(thing) and type(thing).__str__ is object.__str__:
        return {each.name: plain(getattr(thing, each.name)) for each in dataclasses.fields(thing)}
    return str(thing)  # it has words for itself, as facts and fractions do


def _same(thing: JsonValue) -> JsonValue:
    return thing


def _float(thing: float) -> JsonValue:
    return float(thing) if math.isfinite(thing) else str(float(thing))


def _group(name: GroupName) -> JsonValue:
    return {"number": name.number, "says": dict(name.printed)}


def _mapping(things: Mapping[object, object]) -> JsonValue:
    return {_key(name): plain(each) for name, each in things.items()}


def _key(name: object) -> str:
    return shown(name) if name is None or isinstance(name, str) else str(plain(name))


def _sort_set(things: AbstractSet[object]) -> JsonValue:
    # a set has no order, and a document must be the same each time it is written
    return sorted((plain(each) for each in things), key=str)


def _list(things: Iterable[object]) -> JsonValue:
    return [plain(each) for each in things]


# The first kind that fits decides: a bool is an int, and a text is a sequence.
_REDUCTIONS: tuple[tuple[tuple[type, ...], Callable[..., JsonValue]], ...] = (
    ((NoneType, bool, str), _same),
    ((int, np.integer), int),
    ((float, np.floating), _float),
    ((GroupName,), _group),
    ((Mapping,), _mapping),
    ((AbstractSet,), _sort_set),
    ((Sequence, np.ndarray), _list),
)
