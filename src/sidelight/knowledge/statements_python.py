"""Statements in Python: compare `P(…)` or `count(…)` with a number, or one share with another."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from numbers import Rational, Real
from typing import NoReturn, TypeAlias

from sidelight.errors import BadKnowledge, NotTrueOrFalse
from sidelight.knowledge.people import as_who
from sidelight.knowledge.statements import Compares, HowMany, Says, Share, Statement, around, how_many, most_of, share
from sidelight.table.labels import Label, label

Number: TypeAlias = int | float | Fraction | Decimal


class Asked:
    """Something that a comparison with a number makes a statement of."""

    __slots__ = ("about",)
    about: Share | HowMany

    def between(self, low: Number, high: Number) -> Statement:
        """Say that it lies between two bounds.

        >>> print(P("Flu").between(0.2, 0.4))
        0.2 <= P(Flu) <= 0.4
        """
        return Says(self.about, as_fraction(low), as_fraction(high))

    def around(self, number: Number, *, give_or_take: Number) -> Statement:
        """Say that it is this number, more or less.

        >>> print(P("Flu").around(0.3, give_or_take=0.1))
        0.2 <= P(Flu) <= 0.4
        """
        return around(self.about, as_fraction(number), as_fraction(give_or_take))

    def __eq__(self, other: object) -> Statement:  # type: ignore[override]
        if isinstance(other, Asked):
            return Compares(_share(self), _share(other), "=")
        return self.between(other, other) if _is_number(other) else NotImplemented  # type: ignore[arg-type]

    def __le__(self, other: Number | P) -> Statement:
        if isinstance(other, Asked):
            return Compares(_share(self), _share(other))
        return Says(self.about, Fraction(0), as_fraction(other))

    def __ge__(self, other: Number | P) -> Statement:
        if isinstance(other, Asked):
            return Compares(_share(other), _share(self))
        return Says(self.about, as_fraction(other), most_of(self.about))

    def __lt__(self, other: object) -> NoReturn:
        self._refuse_strict()

    def __gt__(self, other: object) -> NoReturn:
        self._refuse_strict()

    def _refuse_strict(self) -> NoReturn:
        message = f"{self.about} cannot be strictly below or above something; write <= or >="
        raise BadKnowledge(message)

    def __bool__(self) -> NoReturn:
        message = f"{self.about} is not true or false; compare it with a number: == <= >= or .between(low, high)"
        raise NotTrueOrFalse(message)

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return str(self.about)


class P(Asked):
    """How large is the share of the people who say something that has a value?  Compare it to make a statement.

    Columns are named by keywords, or, where their names are odd, by `given`; `person` asks about one person.
    Several values are joined by "or".

    >>> print(P("Flu", sex="male") == 0.3)
    P(Flu | sex=male) = 0.3
    >>> print(P("Flu", "HIV", given={"marital-status": "Divorced"}) >= Fraction(1, 3))
    P(Flu or HIV | marital-status=Divorced) >= 1/3
    >>> print(P("Flu", person="Alice") == 0.2)
    P(Flu | person=Alice) = 0.2
    """

    __slots__ = ()

    def __init__(
        self, *values: object, given: Mapping[str, object] | None = None, person: object = None, **columns: object
    ) -> None:
        self.about = share(_listed(values), {**(given or {}), **columns}, person)


class Count(Asked):
    """How many of some people have a value; made by `count`."""

    __slots__ = ()

    def __init__(self, about: HowMany) -> None:
        self.about = about


def count(value: object, *people: object) -> Count:
    """How many of these people have a value (or one of a list of values)?  Compare it to make a statement.

    In expectation: the sum of each one's chance.

    >>> print(count("HIV", "Alice", "Bob", "Charlie") >= 2)
    count(HIV; Alice, Bob, Charlie) >= 2
    """
    return Count(how_many(_listed((value,)), tuple(as_who(person) for person in people)))


def as_fraction(number: object) -> Fraction:
    """Take a number to mean what it says in decimal: 0.1 is 1/10."""
    if not _is_number(number) or not math.isfinite(number):  # type: ignore[arg-type]
        message = "a share is compared with a number, or with another P(…)"
        raise BadKnowledge(message)
    if isinstance(number, Rational):
        return Fraction(int(number.numerator), int(number.denominator))
    return Fraction(str(number))


def _is_number(thing: object) -> bool:
    return isinstance(thing, Real | Decimal) and not isinstance(thing, bool)


def _share(asked: Asked) -> Share:
    if isinstance(asked.about, Share):
        return asked.about
    message = f"{asked.about} is compared with a number, not with another count"
    raise BadKnowledge(message)


def _listed(values: tuple[object, ...]) -> tuple[Label, ...]:
    return tuple(label(one) for each in values for one in (each if isinstance(each, list | tuple | set) else (each,)))
