"""What can be said of a probability when not all facts can be counted at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from sidelight.worlds.budget import Budget, OverBudget
from sidelight.worlds.formula import Formula
from sidelight.worlds.grounding import Ground


@dataclass(frozen=True, slots=True)
class Countable:
    """The facts that can be counted together, and those that cannot be added."""

    kept: tuple[Formula, ...]
    left_out: tuple[Formula, ...]


def countable(ground: Ground, target: Formula, known: Sequence[Formula], budget: Budget) -> Countable:
    """Take the facts that bear on a target, one after the other, while each attempt to count them is within budget."""
    kept: tuple[Formula, ...] = ()
    left_out: list[Formula] = []
    for fact in _bearing(target, known):
        if _counted(ground, [target, *kept, fact], budget) is None or _counted(ground, [*kept, fact], budget) is None:
            left_out.append(fact)
        else:
            kept = (*kept, fact)
    return Countable(kept, tuple(left_out))


def attempts(budget: Budget, known: Sequence[Formula]) -> Budget:
    """Divide a budget so that all attempts together (up to six for each fact) stay within it."""
    return budget.share(6 * len(known) + 2)


def bounds(ground: Ground, target: Formula, known: Sequence[Formula], budget: Budget) -> tuple[Fraction, Fraction]:
    """Bound Pr(target | known): worlds that the countable facts leave, less those that break one of the others.

    With K the facts that are counted and R the rest, worlds with T ∧ K ∧ R are at most those with T ∧ K and at least
    those less Σ_r (worlds with T ∧ K ∧ ¬r); the same for ¬T.
    """
    budget = attempts(budget, known)
    split = countable(ground, target, known, budget)
    most = _with_and_without(ground, target, split.kept, budget)
    if most is None:
        return Fraction(0), Fraction(1)
    least = most
    for fact in split.left_out:
        broken = _with_and_without(ground, target, (*split.kept, ground.formulas.opposite(fact)), budget)
        if broken is None:  # at most as many as without the other facts
            broken = _with_and_without(ground, target, (ground.formulas.opposite(fact),), budget)
        least = (0, 0) if broken is None else (max(least[0] - broken[0], 0), max(least[1] - broken[1], 0))
    low = Fraction(least[0], least[0] + most[1]) if least[0] else Fraction(0)
    high = Fraction(most[0], most[0] + least[1]) if most[0] + least[1] else Fraction(1)
    return low, high


def _with_and_without(
    ground: Ground, target: Formula, facts: tuple[Formula, ...], budget: Budget
) -> tuple[int, int] | None:
    """Count worlds that fit some facts: with the target, and without it."""
    every, both = _counted(ground, facts, budget), _counted(ground, [target, *facts], budget)
    return None if every is None or both is None else (both, every - both)


def _bearing(target: Formula, known: Sequence[Formula]) -> list[Formula]:
    """Keep the facts that are linked with the target by groups: the others cancel out."""
    linked, before = set(target.urns), -1
    while len(linked) > before:
        before = len(linked)
        linked.update(urn for fact in known if linked & fact.urns for urn in fact.urns)
    return sorted((fact for fact in known if linked & fact.urns), key=lambda fact: len(fact.people))


def _counted(ground: Ground, formulas: Sequence[Formula], budget: Budget) -> int | None:
    counting = ground.counting(budget)
    try:
        return counting.worlds(ground.formulas.all_of(formulas), ground.urns)
    except OverBudget:
        return None
