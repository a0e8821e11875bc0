"""What is left of the facts while worlds are counted: formulas that are the same are one object.

A formula is made of leaves (a person draws one of some lots; two people draw the same lot, or not) by `all` and
`any`; there is no negation but in the leaves.  Lots are bits of a mask: bit i is the i-th lot of the person's urn.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias, TypeVar

T = TypeVar("T")
Kind: TypeAlias = Literal["true", "false", "draws", "tie", "all", "any"]


@dataclass(frozen=True, eq=False, slots=True)
class Formula:
    """One formula; compared by identity.

    `draws`: `person` draws a lot of `mask`.  `tie`: `person` and `other` draw the same lot, or, where `mask` is 0,
    different ones.  `people` and `urns` are all that it mentions; `masks` what is asked of each urn's lots.
    """

    kind: Kind
    parts: frozenset[Formula] = frozenset()
    person: int = -1
    other: int = -1
    mask: int = 0
    people: frozenset[int] = frozenset()
    urns: frozenset[int] = frozenset()
    masks: frozenset[tuple[int, int]] = frozenset()  # (urn, mask)
    tied: frozenset[int] = frozenset()  # urns in which it matters which lot exactly


class Formulas:
    """A maker of formulas about given people: `urn_of[person]` and the lots of each urn, all of them as a mask."""

    def __init__(self) -> None:
        self.urn_of: list[int] = []
        self.every_lot: list[int] = []
        self.true = Formula("true")
        self.false = Formula("false")
        self._made: dict[object, Formula] = {}
        self._opposite: dict[Formula, Formula] = {self.true: self.false, self.false: self.true}

    def new_urn(self, lots: int) -> int:
        """Add an urn with so many kinds of lots."""
        self.every_lot.append((1 << lots) - 1)
        return len(self.every_lot) - 1

    def new_person(self, urn: int) -> int:
        """Add somebody who draws from an urn."""
        self.urn_of.append(urn)
        return len(self.urn_of) - 1

    def draws(self, person: int, mask: int) -> Formula:
        """The person draws one of these lots."""
        urn = self.urn_of[person]
        mask &= self.every_lot[urn]
        if mask in (0, self.every_lot[urn]):
            return self.true if mask else self.false
        key = ("draws", person, mask)
        if key not in self._made:
            self._made[key] = Formula(
                "draws",
                person=person,
                mask=mask,
                people=frozenset([person]),
                urns=frozenset([urn]),
                masks=frozenset([(urn, mask)]),
            )
        return self._made[key]

    def tie(self, person: int, other: int, *, same: bool = True) -> Formula:
        """Two people draw the same lot, or different ones."""
        if person == other:
            return self.true if same else self.false
        key = ("tie", *sorted((person, other)), same)
        if key not in self._made:
            both = frozenset([self.urn_of[person], self.urn_of[other]])
            self._made[key] = Formula(
                "tie",
                person=person,
                other=other,
                mask=int(same),
                people=frozenset([person, other]),
                urns=both,
                tied=both,
            )
        return self._made[key]

    def all_of(self, parts: Iterable[Formula]) -> Formula:
        """All of these."""
        return self._joined("all", parts, neutral=self.true, decided=self.false)

    def any_of(self, parts: Iterable[Formula]) -> Formula:
        """At least one of these."""
        return self._joined("any", parts, neutral=self.false, decided=self.true)

    def opposite(self, formula: Formula) -> Formula:
        """Say that it is not so."""
        if formula not in self._opposite:
            made = self._negated(formula)
            self._opposite[formula] = made
            self._opposite.setdefault(made, formula)
        return self._opposite[formula]

    def _negated(self, formula: Formula) -> Formula:
        if formula.kind == "draws":
            return self.draws(formula.person, self.every_lot[self.urn_of[formula.person]] & ~formula.mask)
        if formula.kind == "tie":
            return self.tie(formula.person, formula.other, same=not formula.mask)
        join = self.any_of if formula.kind == "all" else self.all_of
        return join(self.opposite(part) for part in formula.parts)

    def _joined(self, kind: Kind, parts: Iterable[Formula], *, neutral: Formula, decided: Formula) -> Formula:
        flat: set[Formula] = set()
        drawn: dict[int, int] = {}
        for part in _flattened(kind, parts):
            if part is decided:
                return decided
            if part.kind == "draws":  # what is asked of one person is asked at once
                before = drawn.get(part.person, part.mask)
                drawn[part.person] = before & part.mask if kind == "all" else before | part.mask
            elif part is not neutral:
                flat.add(part)
        for person, mask in drawn.items():
            leaf = self.draws(person, mask)
            if leaf is decided:
                return decided
            if leaf is not neutral:
                flat.add(leaf)
        if len(flat) <= 1:
            return next(iter(flat), neutral)
        return self._kept(kind, frozenset(flat))

    def _kept(self, kind: Kind, parts: frozenset[Formula]) -> Formula:
        key = (kind, parts)
        if key not in self._made:
            self._made[key] = Formula(
                kind,
                parts,
                people=_union(part.people for part in parts),
                urns=_union(part.urns for part in parts),
                masks=_union(part.masks for part in parts),
                tied=_union(part.tied for part in parts),
            )
        return self._made[key]


def unit(formula: Formula) -> bool:
    """Say whether it is a leaf that asks one person, or ties two people who draw from the same urn."""
    return formula.kind == "draws" or (formula.kind == "tie" and bool(formula.mask) and len(formula.urns) == 1)


def _union(sets: Iterable[frozenset[T]]) -> frozenset[T]:
    return frozenset().union(*sets)


def _flattened(kind: Kind, parts: Iterable[Formula]) -> Iterable[Formula]:
    for part in parts:
        if part.kind == kind:
            yield from part.parts
        else:
            yield part
