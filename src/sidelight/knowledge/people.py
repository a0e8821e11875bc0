"""How facts and statements name people: by name, as someone of a group, or by what is known about them.

Only names: who is meant in a release is for `worlds/identify` to say.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from operator import index
from typing import TypeAlias

from sidelight.errors import BadKnowledge, as_given
from sidelight.knowledge.tokens import quote
from sidelight.table.labels import Label, label


@dataclass(frozen=True, slots=True)
class Someone:
    """Anyone of a group; with a `number`, to speak of several people of the same group.

    They are different people, and none of those whom the same facts name.

    >>> print(Someone(17), Someone(17, 2))
    #17 #17.2
    """

    group: int
    number: int = 1

    def __post_init__(self) -> None:
        for name in ("group", "number"):
            object.__setattr__(self, name, _number_text(getattr(self, name)))

    def __str__(self) -> str:
        return f"#{self.group}" if self.number == 1 else f"#{self.group}.{self.number}"


@dataclass(frozen=True, slots=True)
class Described:
    """The person who looks like this; the release must have one group only where such people are.

    >>> print(Described.of({"zip": "81667", "age": 34}))
    {age = 34, zip = 81667}
    """

    cells: tuple[tuple[str, Label], ...]  # column, what is known of the person there; sorted by column

    def __post_init__(self) -> None:
        columns = [column for column, _ in self.cells]
        if not columns:
            message = "a description of a person says something in at least one column"
            raise BadKnowledge(message)
        if len({*columns}) < len(columns):
            message = "a description of a person says one thing in each column"
            raise BadKnowledge(message)
        # sorted, so that the same description in another order is equal
        object.__setattr__(self, "cells", tuple(sorted(self.cells, key=lambda cell: cell[0])))

    @classmethod
    def of(cls, row: Mapping[str, object]) -> Described:
        """Return the description of a mapping column → cell."""
        one = "a description says one thing in each column"
        return cls(tuple((str(column), as_label(cell, one)) for column, cell in row.items()))

    def __str__(self) -> str:
        return "{" + ", ".join(f"{quote(column)} = {quote(text)}" for column, text in self.cells) + "}"


Who: TypeAlias = str | Someone | Described
"""A person in a fact: a name, someone of a group, or a description."""


def as_who(person: object) -> Who:
    """Return a person as given in Python: also a mapping of columns, or a number that is a name.

    >>> as_who("Bob"), as_who(4711), as_who({"age": 34})
    ('Bob', '4711', Described(cells=(('age', '34'),)))
    """
    if isinstance(person, str | Someone | Described):
        return person
    if isinstance(person, Mapping):
        return Described.of(person)
    name = as_label(person, "name one person in each simple fact")
    if name is None:
        message = "a fact is about a person; give a name, sl.Someone(group) or a mapping of columns"
        raise BadKnowledge(message)
    return name


def as_label(cell: object, instead: str) -> Label:
    """Return one name or value; refuse several at once."""
    if isinstance(cell, Iterable) and not isinstance(cell, str | bytes):
        message = f"a {type(cell).__name__} is not one name or value; {instead}"
        raise BadKnowledge(message)
    return label(cell)


def _number_text(number: object) -> int:
    try:
        whole = index(number)  # type: ignore[arg-type]
    except TypeError:
        whole = 0
    if whole < 1:
        message = f"groups and their people are numbered 1, 2, 3 and so on; there is no {as_given(number)}"
        raise BadKnowledge(message)
    return whole


def person_text(person: Who) -> str:
    """Write a person so that it is read again as it is."""
    return quote(person) if isinstance(person, str) else str(person)
