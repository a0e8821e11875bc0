"""Levels for a noisy release: fixed in advance, or chosen from the data for a price.

Nothing else is taken: a choice by what the data says is itself a release.  Candidate i has the score

    detail_i · Σ_cells max(count − above, 0),   detail_i = ⌊1000 · ln(cells_i) / ln(cells of the finest)⌋

and report noisy max picks the largest score plus noise.  One person moves each sum by at most one, or by as many of
their values as count, so a score by at most 1000 (`FULL_DETAIL`) times that: details are whole thousandths, and the
sensitivity is exact.  Adding a person moves no score down, which halves the noise (monotonic scores).

Source: McSherry and Talwar, FOCS 2007; McKenna and Sheldon, NeurIPS 2020 (the noisy maximum that is drawn).
"""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import numpy as np

from sidelight._arrays import Integers
from sidelight._rounding import round_down
from sidelight.dp.accountant import Spending
from sidelight.dp.domain import CELLS_AT_MOST, Domain, Outside
from sidelight.dp.ledger import Ledger
from sidelight.dp.mechanism import opendp
from sidelight.dp.parameters import Amount, Neighbours, PrivacyUnit, exact_epsilon
from sidelight.errors import BadNoise, WrongKind, expect, expect_mapping, parameter
from sidelight.search.method import SearchedLevel, SearchOutcome, SearchResult
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.table import Table, expect_one_sensitive

FULL_DETAIL = 1_000
"""Detail is weighed in thousandths, so that scores are whole numbers and their sensitivity is exact."""


@dataclass(frozen=True, slots=True)
class ChosenLevels:
    """Levels that were chosen from the data, and what that cost."""

    levels: Mapping[str, int]
    spending: Spending


def accept_levels(levels: Mapping[str, int] | ChosenLevels) -> tuple[Mapping[str, int], Spending | None]:
    """Take levels that were fixed in advance, or paid for; refuse those that a search picked from the data."""
    if isinstance(levels, ChosenLevels):
        return levels.levels, levels.spending
    picked = isinstance(levels, Mapping) and any(isinstance(level, SearchedLevel) for level in levels.values())
    if picked or isinstance(levels, SearchResult | SearchOutcome):
        message = (
            "these levels were picked by a search that looked at the data, and nobody paid for what they reveal; "
            "fix levels in advance, or pick them with choose_levels, which pays"
        )
        raise BadNoise(message)
    fixed = expect_mapping(levels, parameter("levels"), '{"age": 2, "sex": 0}')
    return MappingProxyType(dict(fixed)), None


def choose_levels(
    table: Table,
    *,
    by: Mapping[str, Hierarchy],
    among: Sequence[Mapping[str, int]],
    domain: Sequence[object] | Hierarchy,
    epsilon: Amount,
    above: int = 5,
    neighbours: Neighbours = "add or remove",
    outside: Outside = "an error",
    values_per_person: int | None = None,
    ledger: Ledger | str | os.PathLike[str] | None = None,
    cells: int = CELLS_AT_MOST,
) -> ChosenLevels:
    """Which of these levels fit the data best, as far as that can be said for ε?

    The score of levels is detail × people who stand out of the noise: log(cells) × Σ max(count − above, 0).  One
    person changes the sum by at most one (or `values_per_person`), and OpenDP's noisy maximum picks by it.

    Args:
        table: as in `noisy_counts`.
        by: hierarchies that list every label there could be.
        among: the levels to choose from, themselves fixed in advance.
        domain: every sensitive value that there could be.
        epsilon: what the choice may cost, on top of what the counts will.
        above: counts up to this drown in the noise that you will add; about 3 / ε of the counts.
        neighbours: as in `noisy_counts`.
        outside: as in `noisy_counts`.
        values_per_person: as in `noisy_counts`.
        ledger: where the budget is kept; the same one that the counts are paid from.
        cells: how many counts there may be at most.

    >>> import sidelight as sl
    >>> adult = sl.datasets.adult(quasi=["age", "sex"])
    >>> chosen = choose_levels(
    ...     adult.table, by=adult.hierarchies, among=[{"age": 0, "sex": 0}, {"age": 3, "sex": 0}, {"age": 5, "sex": 1}],
    ...     domain=adult.table.domain, epsilon=0.5, above=30)
    >>> dict(chosen.levels), chosen.spending.epsilon
    ({'age': 3, 'sex': 0}, Fraction(1, 2))

    Source: McSherry and Talwar, FOCS 2007; McKenna and Sheldon, NeurIPS 2020 (the noisy maximum that is drawn).
    """
    expect(Table, table, "what levels are chosen for")
    expect_one_sensitive(table, "noise")
    if isinstance(among, Mapping | str) or not isinstance(among, Sequence):
        message = f'{parameter("among")} should be a list of levels, such as [{{"age": 2}}, {{"age": 3}}]'
        raise WrongKind(message)
    if not among:
        message = f"{parameter('among')} lists no levels to choose from; list at least one"
        raise BadNoise(message)
    cost = exact_epsilon(epsilon)
    candidates = [accept_levels(levels)[0] for levels in among]
    domains = [Domain.declare(by, levels, domain, cells=cells) for levels in candidates]
    unit = PrivacyUnit.of(table, values_per_person, values=len(domains[0].values))
    # exact scores: they never leave this function, only the noisy winner does
    scores = [
        detail * _standing_out(each.count(table, by, outside, values_per_person=unit.values_per_person), above)
        for detail, each in zip(_details(domains), domains, strict=True)
    ]
    spending = Spending(f"choosing one of {len(among)} levels for {table.sensitive}", cost, Fraction(0), neighbours)
    # paid before it is drawn, as counts are
    if ledger is not None:
        Ledger.open(ledger).spend(spending)
    winner = _noisy_maximum(scores, round_down(cost), neighbours, FULL_DETAIL * unit.values_per_person)
    return ChosenLevels(candidates[winner], spending)


def _standing_out(counts: Integers, above: int) -> int:
    """Count the people beyond `above` in each cell: one person more or less changes it by at most one."""
    return int(np.maximum(counts - above, 0).sum())


def _details(domains: Sequence[Domain]) -> list[int]:
    sizes = [math.log(math.prod(domain.shape)) for domain in domains]
    finest = max(*sizes, 1e-9)
    return [math.floor(FULL_DETAIL * size / finest) for size in sizes]


def _noisy_maximum(scores: Sequence[int], epsilon: float, neighbours: Neighbours, sensitivity: int) -> int:
    """Let OpenDP pick; one person moves a score by `sensitivity` at most.

    Adding a person raises all scores together, which costs half of what moving one does.
    """
    return int(_choice(epsilon, neighbours, sensitivity)(list(scores)))


@functools.lru_cache(maxsize=16)
def _choice(epsilon: float, neighbours: Neighbours, sensitivity: int) -> Any:  # noqa: ANN401 - OpenDP has no types
    """Build the noisy maximum with the smallest scale that costs no more than ε, which takes OpenDP a while to find."""
    dp = opendp()
    distance = dp.linf_distance(T="i64", monotonic=neighbours == "add or remove")
    space = dp.vector_domain(dp.atom_domain(T="i64")), distance

    def noisy_max(scale: float) -> object:
        return dp.m.make_noisy_max(*space, dp.max_divergence(), scale=scale)

    return noisy_max(dp.binary_search_param(noisy_max, d_in=sensitivity, d_out=epsilon))
