"""Groups × values reduced to what can matter: of those alike, one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sidelight.measures.exact import Floats
from sidelight.measures.most_frequent import largest_counts
from sidelight.measures.privacy_skyline.alike import first_of_alike, numbered
from sidelight.measures.privacy_skyline.odds import SetOfValues
from sidelight.release.groups import Groups
from sidelight.table.columns import Integers
from sidelight.table.counts import Counts


@dataclass(frozen=True, eq=False, slots=True)
class Cells:
    """Values that occur in groups, sorted by value; cells alike in all that decides the odds are kept once.

    `values` are places in the list of values asked about, `rows` the first group that is so, `kinds` a whole number
    that stands for the values ruled out and `ruled_out` their weight (`Odds.weight`).
    """

    values: Integers
    sizes: Integers
    kinds: Integers
    counts: Integers
    rows: Integers
    ruled_out: Floats | Integers

    def __len__(self) -> int:
        return len(self.values)


def cells_of(groups: Groups, asked: Integers, rules_out: int) -> Cells:
    """List the values asked about that occur in the groups, with what ruling out others would weigh."""
    top = largest_counts(groups.counts, min(rules_out + 1, groups.counts.width))
    if rules_out + 1 > top.shape[1]:  # more than there are: whichever value is asked about, all others go
        top = np.pad(top, ((0, 0), (0, 1)))
    rows, values, counts = _occurring(groups.counts, asked)
    if groups.semantics == "set":
        kinds = numbered(np.column_stack((groups.sizes, top)))[rows]
    else:
        kinds = _sum_without(top, rows, counts)
    (values, sizes, kinds, counts), rows = first_of_alike((values, groups.sizes[rows], kinds, counts), rows)
    there = counts > 0
    values, sizes, kinds, counts, rows = (each[there] for each in (values, sizes, kinds, counts, rows))
    weight = _weight_without(top, groups.sizes, rows, counts) if groups.semantics == "set" else kinds
    return Cells(values, sizes, kinds, counts, rows, weight)


def ruled_out_weights(groups: Groups, counts: Integers, rules_out: int) -> Floats | Integers:
    """Weigh, for every group and value asked about (`counts` of it), the ℓ most frequent other values."""
    top = largest_counts(groups.counts, min(rules_out + 1, groups.counts.width))
    if rules_out + 1 > top.shape[1]:
        top = np.pad(top, ((0, 0), (0, 1)))
    rows = np.broadcast_to(np.arange(len(groups))[:, np.newaxis], counts.shape)
    if groups.semantics == "set":
        return _weight_without(top, groups.sizes, rows, counts)
    return _sum_without(top, rows, counts)


def _occurring(counts: Counts, asked: Integers) -> tuple[Integers, Integers, Integers]:
    """Give rows, values and counts, in shapes that broadcast; zeros may be among dense ones."""
    if counts.cells is not None:
        cells = counts.cells if len(asked) == counts.width else counts.cells[:, asked]
        return np.arange(counts.rows)[:, np.newaxis], np.arange(len(asked)), cells
    rows, values, amounts = counts.entries()
    place = np.full(counts.width, -1)
    place[asked] = np.arange(len(asked))
    wanted = place[values] >= 0
    return rows[wanted], place[values[wanted]], amounts[wanted]


def _sum_without(top: Integers, rows: Integers, counts: Integers) -> Integers:
    """Add up the ℓ largest counts of other values: of the ℓ+1 largest of all, leave out σ's own or the last."""
    out: Integers = np.maximum(counts, top[:, -1][rows])
    np.subtract(top.sum(axis=1)[rows], out, out=out)  # in place: fetching fresh memory is what takes the time
    return out


def _weight_without(top: Integers, sizes: Integers, rows: Integers, counts: Integers) -> Floats:
    """Do the same with logarithms, where a value that everybody has must not be subtracted from itself."""
    weights = SetOfValues().weight(top, sizes[:, np.newaxis])
    everybody = np.isneginf(weights)
    sums = np.where(everybody, 0.0, weights).sum(axis=1)[rows]
    out = np.maximum(counts, top[:, -1][rows])
    own = SetOfValues().weight(out, sizes[rows])
    certain = everybody.sum(axis=1)[rows] - np.isneginf(own)
    return np.where(certain > 0, -np.inf, sums - np.where(np.isneginf(own), 0.0, own))
