"""What can be said of a probability when not all facts can be counted at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from sidelight.knowledge.facts_part import Fact
from sidelight.worlds.counting.compile import joined
from sidelight.worlds.counting.counter import Counting, Shares
from sidelight.worlds.effort import Meter, OverBudget


@dataclass(frozen=True, slots=True)
class Countable:
    """The facts that can be counted together, and those that cannot be added."""

    kept: tuple[Fact, ...]
    left_out: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Attempts:
    """Attempts to count, each within an eighth of what is left of a budget."""

    counting: Counting
    spent: Meter

    def shares(self, facts: Iterable[Fact], target: Fact) -> Shares | None:
        """Say in which share of the worlds these are so, and the target as well, if that can be counted."""
        meter = self.meter()
        try:
            return replace(self.counting, meter=meter).shares(facts, target)  # which remembers what others counted
        except OverBudget:
            return None
        finally:
            self.spent.states += meter.states

    def meter(self) -> Meter:
        """Allow a part of what is left."""
        return Meter(self.spent.left().share(8))

    def countable(self, target: Fact, known: Sequence[Fact]) -> Countable:
        """Take facts that bear on a target, while they can be counted with and without it.

        Twice as many at a time as long as that goes well, half as many when it does not.
        """
        kept: tuple[Fact, ...] = ()
        left_out: list[Fact] = []
        waiting, many = self._bearing(target, known), 1
        while waiting and not self.spent.is_late():
            some, fits = waiting[:many], self.shares([*kept, *waiting[:many]], target) is not None
            if fits:
                kept = (*kept, *some)
            elif many == 1:
                left_out += some
            if fits or many == 1:
                waiting = waiting[many:]
            many = many * 2 if fits else max(many // 2, 1)
        return Countable(kept, (*left_out, *waiting))

    def bounds(self, target: Fact, known: Sequence[Fact]) -> tuple[Fraction, Fraction]:
        """Bound Pr(target | known): worlds that the countable facts leave, less those that break one of the others.

        With K the facts that are counted and R the rest, worlds with T ∧ K ∧ R are at most those with T ∧ K and at
        least those less Σ_r (worlds with T ∧ K ∧ ¬r); the same for ¬T.
        """
        split = self.countable(target, known)
        most = self._with_and_without(target, split.kept)
        if most is None:
            return Fraction(0), Fraction(1)
        least = most
        for fact in split.left_out:
            broken = self._with_and_without(target, (*split.kept, ~fact)) or self._with_and_without(target, (~fact,))
            if broken is None or self.spent.is_late():  # it may break all of them
                least = (Fraction(0), Fraction(0))
                break
            least = (max(least[0] - broken[0], Fraction(0)), max(least[1] - broken[1], Fraction(0)))
        low = least[0] / (least[0] + most[1]) if least[0] else Fraction(0)
        high = most[0] / (most[0] + least[1]) if most[0] + least[1] else Fraction(1)
        return low, high

    def _with_and_without(self, target: Fact, facts: tuple[Fact, ...]) -> tuple[Fraction, Fraction] | None:
        """Count worlds that fit some facts: with the target, and without it."""
        shares = self.shares(facts, target)
        return None if shares is None else (shares[1], shares[0] - shares[1])

    def _bearing(self, target: Fact, known: Sequence[Fact]) -> list[Fact]:
        """Keep the facts that are linked with the target by groups: the others cancel out."""
        rows = {fact: [self.counting.cast.rows[who] for who in fact.people()] for fact in (target, *known)}
        first = joined(dict.fromkeys(row for some in rows.values() for row in some), rows.values())
        near = {first[row] for row in rows[target]}
        return sorted((fact for fact in known if first[rows[fact][0]] in near), key=lambda fact: len(fact.people()))
