"""Worlds drawn at random, each that fits some facts equally likely: step by step, by the worlds that are left."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from sidelight.worlds.counting.compile import Draws, Ground, Term
from sidelight.worlds.counting.frontier import HAS, Drawing, Frontier, States, to_come
from sidelight.worlds.effort import Meter

Truths: TypeAlias = npt.NDArray[np.bool_]
"""For each of the worlds that were drawn, whether something is so."""

Worlds: TypeAlias = dict[tuple[int, int], Truths]
"""(party, lot) → whether the party drew it."""


class DrawingWorlds:
    """Draws worlds; all numbers of ways must be positive (`Schedule.of(…, everyone=True)`)."""

    def __init__(self, frontier: Frontier, meter: Meter) -> None:
        self.frontier = frontier
        self.layers: list[States] = []  # before each step and after the last: what may still come
        *layers, last = frontier.layers(meter)
        after: States = dict.fromkeys(last, 1)
        for step, states in zip(reversed(frontier.steps), reversed(layers), strict=True):
            self.layers.insert(0, after)
            after = to_come(states, step, after)
            meter.check_time()
        self.layers.insert(0, after)

    def worlds(self, number: int, rng: np.random.Generator) -> Worlds:
        """Draw so many; none if no world fits."""
        states = {state: np.arange(number) for state in self.layers[0]}
        drawn: Worlds = {}
        whose = {place: who for who, place in self.frontier.drawings.items()}
        for place in range(len(self.frontier.steps)):
            truths = np.zeros(number, bool)
            states = self._moved(states, place, truths, rng)
            if place in whose:
                drawn[whose[place]] = truths
        return drawn

    def _moved(
        self, states: dict[int, npt.NDArray[np.intp]], place: int, truths: Truths, rng: np.random.Generator
    ) -> dict[int, npt.NDArray[np.intp]]:
        """Let all worlds that are in the same state take one of its moves each."""
        after: dict[int, list[npt.NDArray[np.intp]]] = {}
        for state, worlds in states.items():
            moves, chances = self._weighed(state, place)
            chosen = np.searchsorted(np.cumsum(chances), rng.random(len(worlds)), side="right")
            for number, (new, having) in enumerate(moves):
                # rounding may leave the last a little short of 1
                theirs = worlds[chosen >= number if number == len(moves) - 1 else chosen == number]
                if len(theirs):
                    truths[theirs] = having
                    after.setdefault(new, []).append(theirs)
        return {state: np.concatenate(worlds) for state, worlds in after.items()}

    def _weighed(self, state: int, place: int) -> tuple[list[tuple[int, bool]], list[float]]:
        """Weigh each move by the worlds that are left after it."""
        step, left = self.frontier.steps[place], self.layers[place + 1]
        looked_at = state & step.mask
        if isinstance(step, Drawing):
            moves = [(move, chance is HAS) for chance, move in step.chances(looked_at)]
        else:
            moves = [(move, False) for move in step.known[looked_at]]
        weighed = [(state - looked_at + added, having, more) for (added, more), having in moves]
        possible = [(new, having, more * left[new]) for new, having, more in weighed if left.get(new)]
        total = sum(ways for *_, ways in possible)
        return [(new, having) for new, having, _ in possible], [ways / total for *_, ways in possible]


def any_worlds(ground: Ground, number: int, rng: np.random.Generator) -> Worlds:
    """Draw worlds of which nothing is known, so many: person by person, by what is left."""
    drawn: Worlds = {}
    for row, size in ground.sizes.items():
        people = [party for party, rows in enumerate(ground.parties) if row in rows]
        counts = np.array([ground.counts[row, lot] for lot in ground.lots[row]])
        left = np.tile(counts, (number, 1))
        for place, party in enumerate(people):
            if ground.semantics == "single":
                reached = np.cumsum(left, axis=1) > rng.integers(size - place, size=(number, 1))
                having = reached & (np.cumsum(reached, axis=1) == 1)
                left -= having
            elif ground.semantics == "set":
                having = rng.integers(size - place, size=left.shape) < left
                left -= having
            else:
                taken = rng.binomial(left, 1 / (size - place))
                having, left = taken > 0, left - taken
            drawn |= {(party, lot): having[:, column] for column, lot in enumerate(ground.lots[row])}
    return drawn


def evaluate(term: Term, worlds: Worlds, ground: Ground) -> Truths:
    """Decide a term in each of the worlds."""
    if term.literal:
        truths = _atom(term.atom, worlds, ground)
        return truths if term.kind == "is" else ~truths
    if not term.parts:
        return np.full(len(next(iter(worlds.values()))), term.kind == "true")
    parts = [evaluate(part, worlds, ground) for part in term.parts]
    join = np.logical_and if term.kind == "all" else np.logical_or
    return np.asarray(join.reduce(parts), bool)


def _atom(number: int, worlds: Worlds, ground: Ground) -> Truths:
    atom = ground.atoms[number]
    if isinstance(atom, Draws):
        return worlds[atom.party, atom.lot]
    lots = {lot for party, lot in worlds if party in (atom.party, atom.other)}
    mine, theirs = ([worlds.get((party, lot), False) for lot in lots] for party in (atom.party, atom.other))
    return np.asarray(np.logical_and.reduce([np.equal(*pair) for pair in zip(mine, theirs, strict=True)]), bool)
