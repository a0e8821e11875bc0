"""What somebody may know, joined by and, or, not and if."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, NoReturn, TypeVar

from sidelight.errors import BadKnowledge, NotTrueOrFalse
from sidelight.knowledge.people import Who, as_label, as_who, written_who
from sidelight.knowledge.tokens import in_short, written
from sidelight.table.labels import Label

if TYPE_CHECKING:
    from sidelight.knowledge.basic_implications import BasicImplication


DEEPEST = 100
"""How many parentheses, nots and ifs may stand within each other."""


class Fact:
    """Something that somebody may know: `Has`, `OneOf`, `Same`, and what `&`, `|`, `~` and `.implies()` make of them.

    Its text (`str`) is read back by `read_fact` as the same fact.
    """

    __slots__ = ()
    binds: ClassVar[int] = 3  # how tightly its text holds together: -> 0, or 1, and 2, all others 3
    depth: int  # how many parentheses, nots and ifs of its text stand within each other

    def __and__(self, other: Fact) -> Fact:
        return And((self, other))

    def __or__(self, other: Fact) -> Fact:
        return Or((self, other))

    def __rand__(self, other: object) -> NoReturn:
        _refuse(other)

    __ror__ = __rand__

    def __invert__(self) -> Fact:
        return Not(self)

    def implies(self, other: Fact) -> Fact:
        """If this is so, so is the other.

        >>> from sidelight.knowledge.facts import Has
        >>> print(Has("Hannah", "Flu").implies(Has("Charlie", "Flu")))
        Hannah = Flu -> Charlie = Flu
        """
        return Implies(self, other)

    def denied(self) -> str | None:
        """Say in a word of its own that this is not so, if there is one."""
        return None

    def parts(self) -> tuple[Fact, ...]:
        """Give the facts that this one is made of."""
        return ()

    def people(self) -> tuple[Who, ...]:
        """Say who is mentioned, in the order of mention, once each."""
        return tuple(dict.fromkeys(who for fact in self.simple() for who in fact.about()))

    def about(self) -> tuple[Who, ...]:
        """Say whom a simple fact is about."""
        return ()

    def simple(self) -> Iterator[Fact]:
        """Go through the simple facts in it, from left to right."""
        for part in self.parts():
            yield from part.simple()

    def basic_implications(
        self, values: Iterable[object] | Mapping[object, Iterable[object]] | None = None
    ) -> tuple[BasicImplication, ...]:
        """Say the same by basic implications: if all of these, then one of those.

        Their number is the k of `Implications(k)` that covers whoever knows this fact.  `values` are those that a
        person may have, for all people alike or per person; where the fact itself names enough of them, it is not
        needed.  One value per person; see `docs/understand/facts.md`.

        >>> from sidelight.knowledge.facts import Has
        >>> for each in (~Has("Ed", "Heart") & Has("Hannah", "Flu").implies(Has("Ed", "Flu"))).basic_implications():
        ...     print(each)
        Ed = Heart -> Ed = Flu
        Hannah = Flu -> Ed = Flu
        """
        from sidelight.knowledge.basic_implications import basic_implications  # noqa: PLC0415 - it builds on facts

        return basic_implications(self, values)

    def _inside(self, part: Fact) -> str:
        return f"({part})" if self._parted(part) else str(part)

    def _parted(self, part: Fact) -> bool:
        """Say whether a part stands in parentheses."""
        return part.binds <= self.binds

    def __lt__(self, other: object) -> NoReturn:
        self.__bool__()

    __le__ = __gt__ = __ge__ = __lt__

    def __bool__(self) -> NoReturn:
        message = (
            f"'{in_short(str(self))}' is something that somebody may know, not true or false here; "
            "join facts with & | ~ and .implies(), and ask posterior() how likely it is"
        )
        raise NotTrueOrFalse(message)


@dataclass(frozen=True, slots=True)
class _Compound(Fact):
    """A fact that is made of others; only so deep that its text can be read again."""

    depth: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for part in self.parts():
            if not isinstance(part, Fact):
                _refuse(part)
        object.__setattr__(self, "depth", self._depth())
        if self.depth > DEEPEST:
            message = f"more than {DEEPEST} facts stand within each other; say it in several facts"
            raise BadKnowledge(message)

    def _depth(self) -> int:
        return max(part.depth + self._parted(part) for part in self.parts())


@dataclass(frozen=True, slots=True)
class Not(_Compound):
    """A fact is not so."""

    fact: Fact
    binds: ClassVar[int] = 3

    def parts(self) -> tuple[Fact, ...]:
        """The fact."""
        return (self.fact,)

    def _parted(self, part: Fact) -> bool:
        return part.binds < self.binds

    def _depth(self) -> int:
        return self.fact.depth + self._parted(self.fact) + (self.fact.denied() is None)

    def __str__(self) -> str:
        return self.fact.denied() or f"not {self._inside(self.fact)}"


@dataclass(frozen=True, slots=True)
class _Joined(_Compound):
    """Several facts at once; those of the same kind are laid side by side."""

    facts: tuple[Fact, ...]
    word: ClassVar[str]

    def __post_init__(self) -> None:
        level = tuple(each for fact in self.facts for each in (fact.facts if type(fact) is type(self) else (fact,)))
        if len(level) < 2:
            message = f"'{self.word}' joins at least two facts"
            raise BadKnowledge(message)
        object.__setattr__(self, "facts", level)
        _Compound.__post_init__(self)

    def parts(self) -> tuple[Fact, ...]:
        """The facts."""
        return self.facts

    def __str__(self) -> str:
        return f" {self.word} ".join(map(self._inside, self.facts))


@dataclass(frozen=True, slots=True)
class And(_Joined):
    """All of these are so."""

    word: ClassVar[str] = "and"
    binds: ClassVar[int] = 2


@dataclass(frozen=True, slots=True)
class Or(_Joined):
    """At least one of these is so."""

    word: ClassVar[str] = "or"
    binds: ClassVar[int] = 1


@dataclass(frozen=True, slots=True)
class Implies(_Compound):
    """If the one is so, so is the other."""

    premise: Fact
    conclusion: Fact
    binds: ClassVar[int] = 0

    def parts(self) -> tuple[Fact, ...]:
        """Both."""
        return (self.premise, self.conclusion)

    def _depth(self) -> int:
        return max(self.premise.depth + self._parted(self.premise), self.conclusion.depth + 1)

    def __str__(self) -> str:
        return f"{self._inside(self.premise)} -> {self.conclusion}"


def all_of(facts: Sequence[Fact]) -> Fact:
    """Join facts, of which there is at least one."""
    return facts[0] if len(facts) == 1 else And(tuple(facts))


def any_of(facts: Sequence[Fact]) -> Fact:
    """Say that at least one of these is so."""
    return facts[0] if len(facts) == 1 else Or(tuple(facts))


def _refuse(other: object) -> NoReturn:
    message = f"a fact joins with facts, not with a {type(other).__name__}; read a text with sl.read_fact first"
    raise BadKnowledge(message)


# ----------------------------------------------------------------------------------------------------
# Facts about who has which value; those that join others are here as well, to have all of them in one place.
# ----------------------------------------------------------------------------------------------------


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


# ----------------------------------------------------------------------------------------------------
# Is a fact so, when it is known what everybody has?
# ----------------------------------------------------------------------------------------------------


def is_so(fact: Fact, has: Mapping[Who, frozenset[Label]]) -> bool:  # noqa: PLR0911 - one line per kind of fact
    """Decide a fact by the values of the people it mentions.

    >>> is_so(Has("Bob", "Flu").implies(Same("Bob", "Ed")), {"Bob": frozenset(["Flu"]), "Ed": frozenset(["Cold"])})
    False
    """
    match fact:
        case Has(person=person, value=value):
            return value in has[person]
        case OneOf(person=person, values=values):
            return not has[person].isdisjoint(values)
        case Same(person=person, other=other):
            return has[person] == has[other]
        case Not(fact=inner):
            return not is_so(inner, has)
        case And(facts=facts):
            return all(is_so(each, has) for each in facts)
        case Or(facts=facts):
            return any(is_so(each, has) for each in facts)
        case Implies(premise=premise, conclusion=conclusion):
            return not is_so(premise, has) or is_so(conclusion, has)
    message = f"no such kind of fact: {type(fact).__name__}"
    raise TypeError(message)


# ----------------------------------------------------------------------------------------------------
# Walk through a fact, with every "not" moved down to the simple facts.
# ----------------------------------------------------------------------------------------------------


Made = TypeVar("Made")


def walked(
    fact: Fact,
    simple: Callable[[Has | OneOf | Same, bool], Made],
    *,
    every: Callable[[list[Made]], Made],
    some: Callable[[list[Made]], Made],
    so: bool = True,
) -> Made:
    """Make something of a fact: of each simple fact that is so or is not, of all of several, of at least one of them.

    >>> flu = Has("Ann", "Flu").implies(~(Has("Bob", "Flu") | Same("Ann", "Bob")))
    >>> walked(flu, lambda fact, so: f"{fact}" if so else f"not {fact}", every=" and ".join, some=" or ".join)
    'not Ann = Flu or not Bob = Flu and not same(Ann, Bob)'
    """

    def made(part: Fact, *, so: bool) -> Made:
        return walked(part, simple, every=every, some=some, so=so)

    match fact:
        case Has() | OneOf() | Same():
            return simple(fact, so)
        case Not(fact=inner):
            return made(inner, so=not so)
        case Implies(premise=premise, conclusion=conclusion):
            return (some if so else every)([made(premise, so=not so), made(conclusion, so=so)])
        case And(facts=parts) | Or(facts=parts):
            return (every if isinstance(fact, And) == so else some)([made(part, so=so) for part in parts])
    message = f"no such kind of fact: {type(fact).__name__}"
    raise BadKnowledge(message)
