"""Facts about who has which value; those that join others are here as well, to have all of them in one place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sidelight.errors import BadKnowledge
from sidelight.knowledge.facts import DEEPEST, And, Fact, Implies, Not, Or, all_of, any_of
from sidelight.knowledge.people import Who, as_label, as_who, written_who
from sidelight.knowledge.tokens import written
from sidelight.table.labels import Label

__all__ = [
    "DEEPEST",
    "And",
    "Fact",
    "Has",
    "Implies",
    "Not",
    "OneOf",
    "Or",
    "Same",
    "all_of",
    "any_of",
    "named_values",
]


class _Simple(Fact):
    """A fact that is not made of others."""

    __slots__ = ()
    depth = 0

    def simple(self) -> Iterator[Fact]:
        yield self


@dataclass(frozen=True, slots=True, init=False)
class Has(_Simple):
    """A person has a value; where people have several, at least once.

    >>> print(Has("Bob", "Flu") & ~Has({"age": 34, "zip": 81667}, "Lung cancer"))
    Bob = Flu and {age = 34, zip = 81667} != Lung cancer
    """

    person: Who
    value: Label

    def __init__(self, person: object, value: object) -> None:
        object.__setattr__(self, "person", as_who(person))
        object.__setattr__(self, "value", as_label(value, "sl.OneOf takes several values"))

    def about(self) -> tuple[Who, ...]:
        """The person."""
        return (self.person,)

    def denied(self) -> str:
        """The person does not have the value."""
        return f"{written_who(self.person)} != {written(self.value)}"

    def __str__(self) -> str:
        return f"{written_who(self.person)} = {written(self.value)}"


@dataclass(frozen=True, slots=True, init=False)
class OneOf(_Simple):
    """A person has one of some values (at least one of them).

    >>> print(OneOf("Bob", ["Flu", "Cold"]))
    Bob in {Flu, Cold}
    """

    person: Who
    values: tuple[Label, ...]

    def __init__(self, person: object, values: Iterable[object]) -> None:
        object.__setattr__(self, "person", as_who(person))
        if isinstance(values, str) or not isinstance(values, Iterable):
            message = "sl.OneOf takes a list of values; a person who has one value is sl.Has"
            raise BadKnowledge(message)
        different = dict.fromkeys(as_label(value, "sl.OneOf takes one list of values") for value in values)
        object.__setattr__(self, "values", tuple(different))
        if not self.values:
            message = f"'{written_who(self.person)} in {{}}' is never so; name at least one value"
            raise BadKnowledge(message)

    def about(self) -> tuple[Who, ...]:
        """The person."""
        return (self.person,)

    def denied(self) -> str:
        """The person has none of the values."""
        return f"{written_who(self.person)} not in {{{', '.join(map(written, self.values))}}}"

    def __str__(self) -> str:
        return f"{written_who(self.person)} in {{{', '.join(map(written, self.values))}}}"


@dataclass(frozen=True, slots=True, init=False)
class Same(_Simple):
    """Two people have the same value; where people have several, the same set of values.

    >>> print(Same("Ann", "Tom"))
    same(Ann, Tom)
    """

    person: Who
    other: Who

    def __init__(self, person: object, other: object) -> None:
        object.__setattr__(self, "person", as_who(person))
        object.__setattr__(self, "other", as_who(other))

    def about(self) -> tuple[Who, ...]:
        """Both people."""
        return (self.person, self.other)

    def __str__(self) -> str:
        return f"same({written_who(self.person)}, {written_who(self.other)})"


def named_values(simple: Fact) -> tuple[Label, ...]:
    """Give the values that a simple fact names.

    >>> named_values(Has("Bob", "Flu")), named_values(OneOf("Bob", ["Flu", None])), named_values(Same("Bob", "Ed"))
    (('Flu',), ('Flu', None), ())
    """
    if isinstance(simple, Has):
        return (simple.value,)
    return simple.values if isinstance(simple, OneOf) else ()
