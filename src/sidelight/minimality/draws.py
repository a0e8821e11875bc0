"""What can be said of a group with too many tables to list?  Arrangements are drawn, and those kept in which all fail.

Drawing     Values are dealt to people at random; a *kept* draw is one in which every cut fails.  Its table (atoms ×
            values) is averaged over the people of an atom: the estimate.
Interval    In kept draws one person of the atom has a value or has not: successes among trials, whose exact binomial
            interval (Clopper and Pearson) holds with confidence 1 − 0.01/(atoms × values) for each, so 0.99 for all.
Surest      The surest person of one set of draws was chosen by luck too, and is estimated again on fresh draws.
Too rare    With fewer than `FEWEST` kept draws nothing is told.  Such groups must not be dropped: the rarest conditions
            tell most.

The seed is fixed, so that an answer repeats; nothing here is secret.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from sidelight.arrays import Floats, Integers
    from sidelight.minimality.group_question import GroupQuestion
    from sidelight.minimality.half_limits import HalfLimits

FEWEST = 300
"""With fewer kept draws nothing is told."""

ENOUGH = 2_000
"""Drawing ends with so many kept draws."""

MOST_CELLS = 12_000_000
"""Drawing ends when so many values were dealt to people."""

CELLS_AT_ONCE = 300_000

VALUE_BITS = 12
"""So many bits tell a group's values apart, the others, 52, are random: of groups with more values nothing is told."""

DOUBT = 0.01
SEED = 20_07


@dataclass(frozen=True, eq=False, slots=True)
class Intervals:
    """What is believed of each atom and value of a group, as an estimate and within an interval, drawn or proven."""

    estimate: Floats  # atom × value kept apart, the rest last
    at_least: Floats
    at_most: Floats
    kept: int = 0
    draws: int = 0


def draw(question: GroupQuestion, limits: HalfLimits, values: Integers, counts: Integers) -> Intervals | None:
    """Draw arrangements of a group; `values` are kept apart, `counts` are theirs and at last that of all others.

    None where too few are kept, or where there are more values than numbers for them.
    """
    if len(counts) > 1 << VALUE_BITS:
        return None
    first = _kept_draws(question, limits, values, counts, SEED)
    if first is None:
        return None
    estimate, hits, kept, draws = first
    at_least, at_most = _interval(hits, kept, DOUBT / hits.size)
    surest = np.unravel_index(int(np.argmax(estimate[:, :-1] if len(values) else estimate)), _shape(estimate, values))
    fresh = _kept_draws(question, limits, values, counts, SEED + 1)
    if fresh is not None:
        again, hits, fresh_kept, _ = fresh
        low, high = _interval(hits, fresh_kept, DOUBT / hits.size)
        estimate[surest], at_least[surest], at_most[surest] = again[surest], low[surest], high[surest]
    return Intervals(estimate, np.minimum(at_least, estimate), np.maximum(at_most, estimate), kept, draws)


def _shape(estimate: Floats, values: Integers) -> tuple[int, int]:
    return estimate.shape[0], max(len(values), 1)


def _kept_draws(
    question: GroupQuestion, limits: HalfLimits, values: Integers, counts: Integers, seed: int
) -> tuple[Floats, Floats, int, int] | None:
    """Give the averages over atoms, how often one person of each atom has each value, the kept draws and all draws."""
    random = np.random.default_rng([seed, question.row])
    kinds = len(counts)
    dealt = np.repeat(np.arange(kinds, dtype=np.uint64), counts)
    member = np.repeat(np.eye(len(question.people), dtype=np.float32), question.people, axis=0)  # person × atom
    starts = np.concatenate(([0], np.cumsum(question.people)[:-1]))
    at_once = max(CELLS_AT_ONCE // len(dealt), 1)
    sums, hits = np.zeros((len(starts), kinds)), np.zeros((len(starts), kinds))
    kept = draws = 0
    while kept < ENOUGH and draws * len(dealt) < MOST_CELLS:
        hands = _shuffle(dealt, at_once, random)
        tables = np.stack([(hands == kind).astype(np.float32) @ member for kind in range(kinds - 1)])
        some = question.all_fail(tables, limits, values, counts[:-1])
        draws, kept = draws + at_once, kept + len(some)
        sums[:, :-1] += tables[:, some].sum(axis=1).T
        person = hands[some][:, starts]
        hits += np.stack([(person == kind).sum(axis=0) for kind in range(kinds)], axis=1)
    if kept < FEWEST:
        return None
    sums[:, -1] = kept * question.people - sums.sum(axis=1)
    return sums / (kept * question.people[:, np.newaxis]), hits, kept, draws


def _shuffle(dealt: npt.NDArray[np.uint64], times: int, random: np.random.Generator) -> npt.NDArray[np.uint16]:
    """Shuffle small numbers, many times: sorted by random bits above them, of which no two are the same."""
    low = np.uint64((1 << VALUE_BITS) - 1)
    hands = random.integers(0, (1 << 64) - 1, (times, len(dealt)), dtype=np.uint64, endpoint=True)
    hands &= ~low
    hands |= dealt
    hands.sort(axis=1)
    hands &= low
    return hands.astype(np.uint16)


def _interval(hits: Floats, kept: int, doubt: float) -> tuple[Floats, Floats]:
    """Bound the chance of each hit; both ends together are wrong with probability `doubt` at most."""
    from scipy.special import betaincinv  # noqa: PLC0415 - only here, and slow to import

    low = betaincinv(np.maximum(hits, 1), kept - np.maximum(hits, 1) + 1, doubt / 2)
    high = betaincinv(np.minimum(hits, kept - 1) + 1, kept - np.minimum(hits, kept - 1), 1 - doubt / 2)
    return np.where(hits > 0, low, 0.0), np.where(hits < kept, high, 1.0)
