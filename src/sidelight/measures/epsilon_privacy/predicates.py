"""What a person may want kept private, beyond single values: sets of values with a name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sidelight.errors import BadMeasure, UnknownValue, did_you_mean
from sidelight.table.labels import Label, in_order, label, shown

Values: TypeAlias = Iterable[object]
"""Sensitive values: any of them; after a leading "not", none of them."""

Predicates: TypeAlias = "Mapping[str, Values] | Iterable[Values | Predicate]"
"""Sets of values, with or without names."""

NOT = "not"
"""The entry that turns a list of values around."""


@dataclass(frozen=True, slots=True)
class Predicate:
    """A set of sensitive values: a person is in it who has one of the values (or, turned around, none of them).

    >>> print(Predicate.any_of("Ulcer", "Dyspepsia"), "/", Predicate.none_of("Flu"))
    Dyspepsia or Ulcer / not Flu
    >>> print(Predicate.any_of("Ulcer", "Dyspepsia", name="a stomach disease"))
    a stomach disease
    """

    values: tuple[Label, ...]
    all_others: bool = False
    name: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", in_order(label(value) for value in self.values))
        if not self.values:
            message = f"predicate '{self.name}' names no values; list at least one sensitive value"
            raise BadMeasure(message)

    @classmethod
    def any_of(cls, *values: object, name: str = "") -> Predicate:
        """Ask for people who have one of these values."""
        return cls(tuple(label(value) for value in values), name=name)

    @classmethod
    def none_of(cls, *values: object, name: str = "") -> Predicate:
        """Ask for people who have none of these values."""
        return cls(tuple(label(value) for value in values), all_others=True, name=name)

    @classmethod
    def read(cls, given: object, *, name: str = "") -> Predicate:
        """Understand a value, a list of values, or a list that begins with "not".

        >>> [str(Predicate.read(given)) for given in (["Ulcer", "Dyspepsia"], ["not", "Flu"], "Flu")]
        ['Dyspepsia or Ulcer', 'not Flu', 'Flu']
        """
        if isinstance(given, Predicate):
            return given
        if isinstance(given, str) or not isinstance(given, Iterable):
            return cls.any_of(given, name=name)
        listed = list(given)
        if isinstance(given, Sequence) and listed[:1] == [NOT]:
            return cls.none_of(*listed[1:], name=name)
        return cls.any_of(*listed, name=name)

    def places(self, domain: tuple[Label, ...]) -> list[int]:
        """Find the values of the set in a domain that has all of those named."""
        for text in self.values:
            if text not in domain:
                message = (
                    f"no sensitive value '{shown(text)}' (named by predicate '{self}') in the release or the prior"
                    f"{did_you_mean(shown(text), domain)}"
                )
                raise UnknownValue(message)
        return [place for place, text in enumerate(domain) if (text in self.values) != self.all_others]

    def as_list(self) -> list[str]:
        """Write it as the policy file does."""
        return [NOT] * self.all_others + [shown(text) for text in self.values]

    def __str__(self) -> str:
        said = " or ".join(shown(text) for text in self.values)
        many = "neither " + " nor ".join(shown(text) for text in self.values) if len(self.values) > 1 else f"not {said}"
        return self.name or (many if self.all_others else said)


def read_predicates(given: Predicates) -> tuple[Predicate, ...]:
    """Understand a list of sets of values, or a mapping name → set of values.

    >>> [str(each) for each in read_predicates({"a stomach disease": ["Ulcer", "Dyspepsia"], "ill": ["not", "None"]})]
    ['a stomach disease', 'ill']
    """
    if isinstance(given, str) or not isinstance(given, Iterable):
        message = 'predicates= wants a list of lists of values, such as [["Ulcer", "Dyspepsia"], ["not", "Flu"]]'
        raise BadMeasure(message)
    if isinstance(given, Mapping):
        return tuple(Predicate.read(values, name=name) for name, values in given.items())
    return tuple(Predicate.read(values) for values in given)


def as_written(predicates: tuple[Predicate, ...]) -> dict[str, list[str]] | list[list[str]]:
    """Write predicates as the policy file does: under their names if they have any.

    >>> as_written(read_predicates([["Ulcer", "Dyspepsia"], ["not", "Flu"]]))
    [['Dyspepsia', 'Ulcer'], ['not', 'Flu']]
    """
    if any(each.name for each in predicates):
        return {str(each): each.as_list() for each in predicates}
    return [each.as_list() for each in predicates]
