"""Solve a problem: what is forced, then the rest by Newton's method, and linear programs where that runs away."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np

from sidelight._arrays import Flags, Floats
from sidelight._progress import Progress
from sidelight.errors import BadKnowledge, Contradiction, TooHard
from sidelight.knowledge.parse_statements import WordedStatement
from sidelight.max_entropy.constraints import Constraints
from sidelight.max_entropy.newton import Solution, Watch, solved
from sidelight.max_entropy.presolve import (
    NOTHING,
    Infeasible,
    at_the_edge,
    feasible,
    forced_to_zero,
    in_the_way,
    upper_bounds,
    without_implied,
)
from sidelight.max_entropy.problem import A_PERSON, Problem, Scene
from sidelight.max_entropy.reduction import Assembly, assembled, components
from sidelight.worlds.smallest_conflict import smallest_clash

TOGETHER = 200
"""Parts of a problem with fewer statements than this are solved together."""

ACCEPTED = 1e-9
"""How far off a sum may be, as a share of all people (or one person, where that is more)."""

RARE = 1e-7
"""An amount that is a smaller share than this of what it could be may be 0 in every solution: worth a closer look."""

RUNS_AWAY = 8.0
"""Statements that push more than this are looked at first, by themselves: what is 0 for them is 0 for all."""

Closer: TypeAlias = Callable[[Sequence[int]], Flags]
"""Says which variables are 0 whenever some statements (by number) are so, as far as it can tell."""


@dataclass(frozen=True, eq=False)
class Solved:
    """The amounts, the multipliers of the statements (nan: everything they say is forced), and how it went."""

    amounts: Floats
    multipliers: Floats
    zero: Flags
    steps: int
    parts: int
    residual: float


def solve(problem: Problem, closer: Closer, *, seconds: float, progress: Progress) -> Solved:
    """Find the amounts of largest entropy; raises `Infeasible`, or `TooHard` after `seconds`."""
    deadline = time.monotonic() + seconds
    amounts, multipliers = np.zeros(len(problem)), np.full(len(problem.low), np.nan)
    zero = np.zeros(len(problem), bool)
    steps = parts = 0
    for variables, statements in components(problem, at_least=TOGETHER):
        part, _, _ = problem.only(variables, statements)
        done = _Part(part, partial(_inside, variables, closer), deadline, progress).solve()
        amounts[variables], zero[variables] = done.amounts, done.zero
        multipliers[statements] = done.multipliers
        steps, parts = steps + done.steps, parts + 1
        progress("solving", parts, None)
    return Solved(amounts, multipliers, zero, steps, parts, problem.residual(amounts))


def _inside(variables: Flags, closer: Closer, statements: Sequence[int]) -> Flags:
    inside: Flags = closer(statements)[variables]
    return inside


class _Part:
    """One part of a problem on its way to a solution."""

    def __init__(self, problem: Problem, closer: Closer, deadline: float, progress: Progress) -> None:
        self.problem, self.closer, self.deadline, self.progress = problem, closer, deadline, progress
        self.accepted = ACCEPTED * max(problem.people.sum() / 10, 1.0)

    def solve(self) -> Solved:
        """Remove what is forced, solve; look again where amounts vanish."""
        try:
            zero = at_the_edge(self.problem)
            while True:
                zero, reduced, found = self._without(zero)
                more = self._also_zero(zero, reduced, found)
                if not more.any():
                    break
                zero = zero | more
        except Infeasible as why:
            raise Infeasible(self.problem, why.alone) from None
        if found.residual > self.accepted:
            message = (
                f"no solution after {found.steps} steps: a sum is still off by {found.residual:.1g} people; "
                "leave out statements that nearly contradict each other"
            )
            raise TooHard(message)
        return self._told(zero, reduced, found)

    def _without(self, zero: Flags) -> tuple[Flags, Problem, Solution]:
        """Remove amounts that are 0, and what follows from that; then solve the rest."""
        every = np.ones(len(self.problem.low), bool)
        rest, _, _ = self._checked(self.problem.only(~zero, every))
        high = upper_bounds(rest)
        zero = zero.copy()
        zero[np.flatnonzero(~zero)[high <= NOTHING]] = True
        rest, _, _ = self._checked(self.problem.only(~zero, every))
        rest = without_implied(rest)
        return zero, rest, solved(rest, self._watch)

    def _checked(self, kept: tuple[Problem, np.ndarray, np.ndarray]) -> tuple[Problem, np.ndarray, np.ndarray]:
        """Refuse when a row or a column has no place left to be."""
        rest, rows, columns = kept
        if len(rows) < len(self.problem.people) or len(columns) < len(self.problem.counts):
            raise Infeasible
        return rest, rows, columns

    @property
    def _watch(self) -> Watch:
        def watch(step: int, residual: float) -> None:
            self.progress("Newton steps", step, None)
            if time.monotonic() > self.deadline:
                message = (
                    f"the time is up after {step} steps: a sum is still off by {residual:.1g} people; give more seconds"
                )
                raise TooHard(message)

        return watch

    def _also_zero(self, zero: Flags, rest: Problem, found: Solution) -> Flags:
        """Look closer where amounts vanish or the method did not arrive: what is 0 in every solution?"""
        more = np.zeros(len(zero), bool)
        arrived = found.residual <= self.accepted
        possible = np.minimum(rest.people[rest.row], rest.counts[rest.column])
        rare = np.flatnonzero(found.point.amounts < (RARE if arrived else 1e-3) * possible)
        if arrived and len(rare) == 0:
            return more
        pushing = rest.said[(np.abs(found.point.statements) > RUNS_AWAY) & (rest.said != A_PERSON)]
        more |= self.closer(pushing.tolist()) & ~zero
        if more.any() or (arrived and len(rest) > LARGEST):
            return more
        if not arrived and not feasible(rest):
            raise Infeasible
        if len(rare):
            more[np.flatnonzero(~zero)] = forced_to_zero(rest, rare)
        return more

    def _told(self, zero: Flags, rest: Problem, found: Solution) -> Solved:
        amounts = np.zeros(len(zero))
        amounts[~zero] = found.point.amounts
        multipliers = np.full(len(self.problem.low), np.nan)
        place = {number: at for at, number in enumerate(rest.said.tolist()) if number >= 0}
        for at, number in enumerate(self.problem.said.tolist()):
            if number in place:
                multipliers[at] = found.point.statements[place[number]]
        return Solved(amounts, multipliers, zero, found.steps, 1, found.residual)


# ----------------------------------------------------------------------------------------------------
# Questions about some of the statements: small ones, as with fewer statements more is lumped.
# ----------------------------------------------------------------------------------------------------


LARGEST = 50_000
"""How many variables a linear program may have that is not needed."""


@dataclass(frozen=True, eq=False)
class Fewer:
    """All that is said about a scene, and how it was assembled."""

    scene: Scene
    told: Constraints
    made: Assembly

    def can_be(self, statements: Sequence[int]) -> bool:
        """Say whether some statements, by number, can all be so."""
        return feasible(assembled(self.scene, self.told.only(statements)).problem)

    def forced(self, statements: Sequence[int]) -> Flags:
        """Say which variables are 0 whenever some statements are so; with more statements they stay 0.

        None where that is too large a question.
        """
        fewer = assembled(self.scene, self.told.only(statements))
        size = len(fewer.problem)
        zero = forced_to_zero(fewer.problem, np.arange(size)) if 0 < size <= LARGEST else np.zeros(size, bool)
        forced: Flags = np.append(zero, False)[self.made.found_in(fewer)]
        return forced


# ----------------------------------------------------------------------------------------------------
# Which statements contradict each other?  A smallest set of them, in the user's words.
# ----------------------------------------------------------------------------------------------------


MOST_SECONDS = 5.0
"""After that, a set of statements that may not be the smallest will do."""

Possible = Callable[[Sequence[int]], bool]
"""Says of some statements, by number, whether they can all be so."""


def contradiction(
    found: Infeasible, known: Sequence[WordedStatement], can_be: Possible
) -> Contradiction | BadKnowledge:
    """Say what cannot be: a smallest set of statements that hold together only without any one of them."""
    blamed = _blamed(found, can_be)
    if not blamed:
        return BadKnowledge("the people who are named do not fit into the release together; name fewer of them")
    said = tuple(known[number].words for number in blamed)
    if len(said) == 1:
        message = f"the release says otherwise than '{said[0]}': no distribution fits both; leave it out or change it"
    else:
        listed = "; ".join(f"'{each}'" for each in said)
        message = f"these {len(said)} statements cannot all be so in this release: {listed}; leave one of them out"
    return Contradiction(message, facts=said)


def _blamed(found: Infeasible, can_be: Possible) -> list[int]:
    if found.alone is not None:
        return [found.alone]
    assert found.problem is not None
    said, people = found.problem.said, found.problem.said == A_PERSON
    involved = said[in_the_way(found.problem) & ~people].tolist()
    if not involved or not can_be([]):
        return []
    first = _smallest(involved, can_be)
    return first if len(first) == 1 else min(first, _smallest(said[~people].tolist(), can_be), key=len)


def _smallest(statements: Sequence[int], can_be: Possible) -> list[int]:
    """Find a smallest set of some statements that contradict each other."""
    deadline = time.monotonic() + MOST_SECONDS

    def clash(places: Sequence[int]) -> bool:
        in_time = time.monotonic() < deadline
        return in_time and not can_be([statements[place] for place in places])

    return [statements[place] for place in smallest_clash(len(statements), clash)]
