"""Draw people from a table by chance: samples that have some of them in common."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sidelight.errors import BadTable
from sidelight.table.columns import Integers
from sidelight.table.counts import Counts
from sidelight.table.table import Table


class Samples(NamedTuple):
    """People who are in all samples, and the samples."""

    shared: Table
    samples: tuple[Table, ...]


def overlapping(table: Table, *, overlap: int, people: int | None, releases: int, rng: np.random.Generator) -> Samples:
    """Draw `releases` samples of `people` each, of whom `overlap` are in all of them and the others in one only.

    >>> import sidelight as sl
    >>> drawn = overlapping(
    ...     sl.datasets.adult().table, overlap=100, people=300, releases=2, rng=np.random.default_rng(1)
    ... )
    >>> drawn.shared.people, [sample.people for sample in drawn.samples]
    (100, [300, 300])
    """
    own = _own(table, overlap, people, releases)
    _, _, count = table.counts.entries()
    everybody = np.repeat(np.arange(len(count)), count)
    drawn = rng.permutation(everybody)[: overlap + own * releases]
    shared, rest = drawn[:overlap], drawn[overlap:].reshape(releases, own)
    return Samples(taken(table, shared), tuple(taken(table, np.concatenate((shared, mine))) for mine in rest))


def _own(table: Table, overlap: int, people: int | None, releases: int) -> int:
    """Say how many people a sample has for itself: those asked for, or an even part of all the others."""
    if table.semantics != "single":
        message = f'people are drawn with one value each, and this table has values="{table.semantics}"'
        raise BadTable(message)
    if overlap < 1:
        message = f"overlap={overlap}: at least one person has to be in all samples"
        raise BadTable(message)
    own = (table.people - overlap) // releases if people is None else people - overlap
    if own < 0 or overlap + own * releases > table.people:
        message = (
            f"{releases} samples with {overlap:,} people in common need {overlap + max(own, 0) * releases:,} people, "
            f"and the table has {table.people:,}; give a smaller people= (at least overlap=)"
        )
        raise BadTable(message)
    return own


def taken(table: Table, entries: Integers) -> Table:
    """Make the table of people given one by one, each as an entry of the table's counts."""
    cell, value, _ = table.counts.entries()
    cells, row = np.unique(cell[entries], return_inverse=True)
    counts = Counts.from_entries(row, value[entries], np.ones(len(entries), np.int64), (len(cells), len(table.domain)))
    quasi = tuple(column.take(cells).compact() for column in table.quasi)
    return Table(quasi, table.sensitive, table.domain, counts.per_row(), counts)
