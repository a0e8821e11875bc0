"""Levels for a noisy release: fixed in advance, or chosen from the data for a price.

Nothing else is taken: a choice by what the data says is itself a release.  Candidate i has the score

    detail_i · Σ_cells max(count − above, 0),   detail_i = ⌊1000 · ln(cells_i) / ln(cells of the finest)⌋

and report noisy max picks the largest score plus noise.  One person moves each sum by at most one, or by as many of
their values or rows as count, so a score by at most 1000 (`FULL_DETAIL`) times that: details are whole thousandths, and
the sensitivity is exact.  Adding a person moves no score down, which halves the noise (monotonic scores).

A choice is paid for once and used once.  On the ledger it is a random receipt and a commitment: a digest, keyed by a
secret that only the choice has, of the table that was looked at and of what there was to choose from; once it is drawn,
a like digest of the winner is entered too.  What uses the choice shows that it is about the same table and the winner,
and is entered as its user in the step in which it is paid for itself.  So one payment covers neither other choices nor
another candidate, and the ledger tells nothing about the table.

Source: McSherry and Talwar, FOCS 2007; McKenna and Sheldon, NeurIPS 2020 (the noisy maximum that is drawn).
"""

from __future__ import annotations

import functools
import hashlib
import math
import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from sidelight.arrays import Codes, Integers, add_up
from sidelight.errors import BadNoise, WrongKind, expect_mapping, parameter
from sidelight.noise.accountant import PaidChoice, Spending
from sidelight.noise.domain import CELLS_AT_MOST, Domain, Outside, expect_countable
from sidelight.noise.ledger import Ledger, open_ledger, paying, warn_without_ledger
from sidelight.noise.mechanism import opendp, refuse_useless
from sidelight.noise.parameters import Amount, PrivacyUnit, exact_epsilon, units_changed
from sidelight.rounding import round_down, whole_number
from sidelight.search.method import SearchedLevel, SearchOutcome, searched_levels
from sidelight.table.hierarchy import Hierarchy, as_hierarchies
from sidelight.table.labels import Label, number_equal_rows
from sidelight.table.table import Counts, Events, Table

if TYPE_CHECKING:
    from sidelight.noise.privacy_profile import Neighbours

FULL_DETAIL = 1_000  # detail is weighed in thousandths, so that scores are whole numbers and their sensitivity is exact


@dataclass(frozen=True, slots=True)
class ChosenLevels:
    """Levels that were chosen from the data, what that cost, and the receipt of the ledger that paid it, if one did.

    Give the choice itself to `noisy_counts`, with the same table, hierarchies and ledger; one is for one release.
    """

    levels: Mapping[str, int]
    spending: Spending  # with that of choices that it was made among
    key: bytes = field(repr=False)
    candidates: tuple[str, ...] = field(repr=False)  # a digest of each
    commitment: str = field(repr=False)
    winner: str = field(repr=False)  # a keyed digest of the levels
    receipt: str | None = None


# Levels that may be published, what choosing them cost, if anything, and by which choices that were paid for
AcceptedLevels: TypeAlias = tuple[Mapping[str, int], Spending | None, tuple[tuple[str, PaidChoice], ...]]


def accept_levels(
    levels: Mapping[str, int] | ChosenLevels,
    *,
    table: Table | Events,
    by: Mapping[str, Hierarchy],
    neighbours: Neighbours,
    ledger: Ledger | None,
) -> AcceptedLevels:
    """Return levels that were fixed in advance or paid for; refuse those that were picked by looking at the data."""
    if not isinstance(levels, ChosenLevels):
        searched = isinstance(levels, SearchOutcome)
        fixed = {} if searched else expect_mapping(levels, parameter("levels"), '{"age": 2, "sex": 0}')
        if searched or any(isinstance(level, SearchedLevel) for level in fixed.values()):
            message = (
                "these levels were picked by a search that looked at the data, and nobody paid for what they reveal; "
                "fix levels in advance, or pick them with choose_levels, which pays, and give what it gives as a whole"
            )
            raise BadNoise(message)
        return MappingProxyType(dict(fixed)), None, ()
    commitment, drawn = commitment_to(table, levels.candidates, levels.key), candidate_digest(levels.levels, by)
    paid = None if levels.receipt is None or ledger is None else ledger.read().find(levels.receipt)
    if levels.spending.neighbours != neighbours:
        message = (
            f"these levels were chosen for {parameter('neighbours', levels.spending.neighbours)}; say the same here"
        )
    elif drawn not in levels.candidates or commitment != levels.commitment:
        message = (
            "these levels were chosen for another table, or for other hierarchies, and what was paid covers no other; "
            "choose for these with choose_levels"
        )
    elif winner_digest(drawn, levels.key) != levels.winner:
        message = "these are other levels than those that were chosen; give what choose_levels gives as a whole"
    elif levels.receipt is None and ledger is None:
        return levels.levels, levels.spending, ()  # marked as before: no ledger knows what they cost
    elif levels.receipt is None or paid is None:
        name = "no ledger" if ledger is None else f"the ledger '{ledger.path.name}'"
        message = (
            f"choosing these levels was not paid from {name}; give choose_levels and the counts the same "
            f"{parameter('ledger')}"
        )
    else:
        whole = {name: int(level) for name, level in levels.levels.items()}
        return whole, levels.spending, ((levels.receipt, PaidChoice(commitment, levels.winner)),)
    raise BadNoise(message)


def candidate_digest(levels: Mapping[str, int], by: Mapping[str, Hierarchy]) -> str:
    """Name levels by what they make of every label: other hierarchies are other candidates."""
    hierarchies, columns = as_hierarchies(by), []
    for name, level in sorted(levels.items()):
        labels = hierarchies[name].levels if name in hierarchies else ()
        columns.append((name, int(level), labels[:1], labels[level : level + 1]))
    return hashlib.sha256(repr(columns).encode()).hexdigest()


def winner_digest(candidate: str, key: bytes) -> str:
    """Name the candidate that won, so that only the key tells which it was."""
    return hashlib.blake2b(candidate.encode(), key=key, digest_size=32, person=b"winner").hexdigest()


def commitment_to(table: Table | Events, candidates: Sequence[str], key: bytes) -> str:
    """Commit to a table and to candidates: without the key, it cannot be tried out which table it was.

    Two readings of the same rows are the same table, in whatever order their keys and labels come; of events, what the
    rows say and how many rows people have.
    """
    digest = hashlib.blake2b(repr(list(candidates)).encode(), key=key, digest_size=32)
    if isinstance(table, Events):
        # sorted, as the order of people is not part of what they are
        digest.update(np.sort(table.count_rows()).tobytes())
        # the rows of each key, as if each were a person
        number, first = number_equal_rows(table.quasi, len(table.value))
        rows = table.times * table.people_alike[table.person]
        counts = Counts.from_entries(number, table.value, rows, (len(first), len(table.domain)))
        quasi, sizes = tuple(column.take(first) for column in table.quasi), add_up(number, rows, len(first))
        table = Table(quasi, table.sensitive, table.domain, sizes, counts, table.semantics, table.intake)
    for part in _serialise_table(table):
        # its length first: the same bytes divided elsewhere must not give the same digest
        digest.update(len(part).to_bytes(8))
        digest.update(part)
    return digest.hexdigest()


def _serialise_table(table: Table) -> Iterator[bytes]:
    yield repr((table.sensitive, table.semantics, table.intake.roles.get("person"))).encode()
    columns = sorted(table.quasi, key=lambda column: column.name)
    ranked = [_rank_labels(column.labels, column.codes) for column in columns]
    order = np.lexsort([codes for _, codes in ranked]) if ranked else np.arange(len(table.sizes))
    for column, (labels, codes) in zip(columns, ranked, strict=True):
        yield repr((column.name, labels)).encode()
        yield codes[order].tobytes()
    yield table.sizes[order].astype(np.int64).tobytes()
    row, value, count = table.counts.entries()
    values, value = _rank_labels(table.domain, value)
    # the inverse permutation: entries point to rows in the order in which these were written
    row = np.argsort(order)[row]
    order = np.lexsort((value, row))
    yield repr(values).encode()
    yield np.stack([row, value, count]).astype(np.int64)[:, order].tobytes()


def _rank_labels(labels: Sequence[Label], codes: Codes | Integers) -> tuple[list[Label], Integers]:
    """Number labels that occur by their text, a missing one last."""
    used = sorted(np.unique(codes).tolist(), key=lambda code: (labels[code] is None, labels[code] or ""))
    # labels that no row has are left out, as another reading of the file may not list them
    rank = np.zeros(len(labels), np.int64)
    rank[used] = np.arange(len(used))
    return [labels[code] for code in used], rank[codes]


def choose_levels(
    table: Table | Events,
    *,
    by: Mapping[str, Hierarchy],
    among: Sequence[Mapping[str, int] | ChosenLevels],
    domain: Sequence[object] | Hierarchy,
    epsilon: Amount,
    above: int = 5,
    neighbours: Neighbours = "add or remove",
    outside: Outside = "other",
    values_per_person: int | None = None,
    rows_per_person: int | None = None,
    ledger: Ledger | str | os.PathLike[str] | None = None,
    cells: int = CELLS_AT_MOST,
) -> ChosenLevels:
    """Which of these levels fit the data best, as far as that can be said for ε?

    The score of levels is detail × people who stand out of the noise: log(cells) × Σ max(count − above, 0).  One
    person changes the sum by at most one (or as often as they count), and OpenDP's noisy maximum picks by it.

    Args:
        table: as in `noisy_counts`.
        by: hierarchies that list every label there could be.
        among: the levels to choose from, themselves fixed in advance, or chosen before and paid from the same ledger.
        domain: every sensitive value that there could be.
        epsilon: what the choice may cost, on top of what the counts will.
        above: counts up to this drown in the noise that you will add; about 3 / ε of the counts.
        neighbours: as in `noisy_counts`.
        outside: as in `noisy_counts`.
        values_per_person: as in `noisy_counts`.
        rows_per_person: as in `noisy_counts`.
        ledger: where the budget is kept; the same one that the counts are paid from.  Without one there is a warning,
            unless you say "no ledger".
        cells: how many counts there may be at most.

    >>> import sidelight as sl
    >>> adult = sl.datasets.adult(quasi=["age", "sex"])
    >>> chosen = choose_levels(
    ...     adult.table, by=adult.hierarchies, among=[{"age": 0, "sex": 0}, {"age": 3, "sex": 0}, {"age": 5, "sex": 1}],
    ...     domain=sl.datasets.OCCUPATIONS, epsilon=0.5, above=30, ledger="no ledger")
    >>> dict(chosen.levels), chosen.spending.epsilon
    ({'age': 3, 'sex': 0}, Fraction(1, 2))

    Source: McSherry and Talwar, FOCS 2007; McKenna and Sheldon, NeurIPS 2020 (the noisy maximum that is drawn).
    """
    expect_countable(table)
    # all that may be refused is refused before the budget is touched
    if isinstance(among, Mapping | str | ChosenLevels) or not isinstance(among, Sequence):
        message = f'{parameter("among")} should be a list of levels, such as [{{"age": 2}}, {{"age": 3}}]'
        raise WrongKind(message)
    if not among:
        message = f"{parameter('among')} lists no levels to choose from; list at least one"
        raise BadNoise(message)
    cost, hierarchies = exact_epsilon(epsilon), as_hierarchies(by)
    refuse_useless(cost)
    units_changed(neighbours)  # refuses others
    above = whole_number(above, BadNoise, parameter("above"))
    opened = open_ledger(ledger)
    accepted = [
        accept_levels(levels, table=table, by=hierarchies, neighbours=neighbours, ledger=opened) for levels in among
    ]
    candidates = [levels for levels, _, _ in accepted]
    if any(paid is not None and not used for _, paid, used in accepted):  # what they cost would be forgotten
        message = (
            f"one of {parameter('among')} was itself chosen from the data, and no ledger knows for how much; list "
            f"levels that were fixed in advance, or give both choices the same {parameter('ledger')}"
        )
        raise BadNoise(message)
    domains = [Domain.declare(hierarchies, each, domain, outside=outside, cells=cells) for each in candidates]
    unit = PrivacyUnit.of(table, values_per_person, rows_per_person=rows_per_person, values=len(domains[0].values))
    # exact scores: they never leave this function, only the noisy winner does
    scores = [
        detail * _standing_out(each.count(table, hierarchies, at_most=unit.at_most), above)
        for detail, each in zip(_details(domains), domains, strict=True)
    ]
    noise = round_down(cost), neighbours, FULL_DETAIL * unit.at_most
    _build_noisy_maximum(*noise)  # found before it is paid for
    digests, key = tuple(candidate_digest(each, hierarchies) for each in candidates), secrets.token_bytes(32)
    commitment = commitment_to(table, digests, key)
    spending = Spending(f"choosing one of {len(among)} levels for {table.sensitive}", cost, Fraction(0), neighbours)
    before = sum((paid.epsilon for _, paid, _ in accepted if paid is not None), Fraction(0))
    using = [each for _, _, used in accepted for each in used]
    warn_without_ledger(ledger)
    # paid before it is drawn, as counts are
    with paying(opened, spending, commitment=commitment, using=using) as receipt:
        drawn = _noisy_maximum(scores, *noise)
        winner = winner_digest(digests[drawn], key)
        if opened is not None and receipt is not None:
            opened.enter_winner(receipt, winner)
    total = replace(spending, epsilon=cost + before)
    return ChosenLevels(searched_levels(candidates[drawn]), total, key, digests, commitment, winner, receipt)


def _standing_out(counts: Integers, above: int) -> int:
    return int(np.maximum(counts - above, 0).sum())


def _details(domains: Sequence[Domain]) -> list[int]:
    sizes = [math.log(math.prod(domain.shape)) for domain in domains]
    # levels of a single cell have a logarithm of 0, by which nothing can be divided
    finest = max(*sizes, 1e-9)
    return [math.floor(FULL_DETAIL * size / finest) for size in sizes]


def _noisy_maximum(scores: Sequence[int], epsilon: float, neighbours: Neighbours, sensitivity: int) -> int:
    """Draw the index of the winner with OpenDP; one person moves a score by `sensitivity` at most.

    Adding a person raises all scores together, which costs half of what moving one does.
    """
    return int(_build_noisy_maximum(epsilon, neighbours, sensitivity)(list(scores)))


@functools.lru_cache(maxsize=16)
def _build_noisy_maximum(epsilon: float, neighbours: Neighbours, sensitivity: int) -> Any:  # noqa: ANN401 - OpenDP has no types
    """Build the noisy maximum with the smallest scale that costs no more than ε, which takes OpenDP a while to find."""
    dp = opendp()
    distance = dp.linf_distance(T="i64", monotonic=neighbours == "add or remove")
    space = dp.vector_domain(dp.atom_domain(T="i64")), distance

    def noisy_max(scale: float) -> object:
        return dp.m.make_noisy_max(*space, dp.max_divergence(), scale=scale)

    return noisy_max(dp.binary_search_param(noisy_max, d_in=sensitivity, d_out=epsilon))
