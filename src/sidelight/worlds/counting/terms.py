"""What is left of the facts while worlds are counted: and, or and not over numbered atoms.

Terms that are the same are one object, so that they are compared by identity; there is no negation but of atoms.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["true", "false", "is", "not", "all", "any"]


@dataclass(frozen=True, eq=False, slots=True)
class Term:
    """An atom that is so or not, or several terms joined; `atoms` are all that it mentions."""

    kind: Kind
    atom: int = -1
    parts: frozenset[Term] = frozenset()
    atoms: frozenset[int] = frozenset()

    @property
    def literal(self) -> bool:
        """Say whether it is just an atom, or its negation."""
        return self.kind in ("is", "not")

    def conjuncts(self) -> Iterable[Term]:
        """Give the terms that must all be so; none for one that is always so."""
        return self.parts if self.kind == "all" else () if self.kind == "true" else (self,)


class Terms:
    """A maker of terms.

    >>> make = Terms()
    >>> one, other = make.atom(1), make.atom(2)
    >>> make.opposite(make.all_of([one, other])) is make.any_of([make.opposite(other), make.opposite(one)])
    True
    >>> make.given(make.any_of([one, other]), 1, so=False) is other
    True
    """

    def __init__(self) -> None:
        self.true = Term("true")
        self.false = Term("false")
        self._made: dict[object, Term] = {}
        self._opposite = {self.true: self.false, self.false: self.true}
        self._given: dict[tuple[Term, int, bool], Term] = {}

    def atom(self, number: int, *, so: bool = True) -> Term:
        """An atom is so, or not."""
        key: tuple[Kind, int] = ("is" if so else "not", number)
        if key not in self._made:
            self._made[key] = Term(*key, atoms=frozenset([number]))
        return self._made[key]

    def all_of(self, parts: Iterable[Term]) -> Term:
        """All of these."""
        return self._joined("all", parts, neutral=self.true, decided=self.false)

    def any_of(self, parts: Iterable[Term]) -> Term:
        """At least one of these."""
        return self._joined("any", parts, neutral=self.false, decided=self.true)

    def opposite(self, term: Term) -> Term:
        """Say that it is not so."""
        if term not in self._opposite:
            made = self._negated(term)
            self._opposite[term] = made
            self._opposite.setdefault(made, term)
        return self._opposite[term]

    def given(self, term: Term, atom: int, *, so: bool) -> Term:
        """Say what is left of a term once an atom is known."""
        if atom not in term.atoms:
            return term
        key = (term, atom, so)
        if key not in self._given:
            self._given[key] = self._decided(term, atom, so=so)
        return self._given[key]

    def _decided(self, term: Term, atom: int, *, so: bool) -> Term:
        if term.literal:
            return self.true if (term.kind == "is") == so else self.false
        join = self.all_of if term.kind == "all" else self.any_of
        return join(self.given(part, atom, so=so) for part in term.parts)

    def _negated(self, term: Term) -> Term:
        if term.literal:
            return self.atom(term.atom, so=term.kind == "not")
        join = self.any_of if term.kind == "all" else self.all_of
        return join(self.opposite(part) for part in term.parts)

    def _joined(self, kind: Kind, parts: Iterable[Term], *, neutral: Term, decided: Term) -> Term:
        flat: set[Term] = set()
        for part in parts:
            if part is decided:
                return decided
            if part is not neutral:
                flat |= part.parts if part.kind == kind else {part}
        if any(part.kind == "is" and self.atom(part.atom, so=False) in flat for part in flat):
            return decided
        if len(flat) <= 1:
            return next(iter(flat), neutral)
        key = (kind, frozenset(flat))
        if key not in self._made:
            self._made[key] = Term(kind, parts=key[1], atoms=frozenset().union(*(part.atoms for part in flat)))
        return self._made[key]
