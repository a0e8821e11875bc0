"""What somebody may know, joined by and, or, not and if."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, NoReturn

from sidelight.errors import BadKnowledge, NotTrueOrFalse
from sidelight.knowledge.people import Who
from sidelight.knowledge.tokens import in_short

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
