"""Which printed average is nearest to somebody?

Symbols     d²(i, g) = Σ_c d_c², summed over the columns c that are known of person i and printed about group g.
            Numbers and days: d_c = (x − y) / range of both.  Labels: d_c = 0 if the printed one covers the other;
            else, with a hierarchy, d_c² = the share of its levels at which they differ, of those at which any of its
            labels do (as in `search.distances`); else 1.
            `*` is at distance 1 from everything, and a missing cell from all that is not missing.
Wanted      for each person the groups with the least d², all of them when several have it.
Cost        people who differ × groups, a block at a time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sidelight._arrays import Codes, Floats, Integers
from sidelight.release.printed_labels import read_label
from sidelight.release.printing import Nodes
from sidelight.table.labels import SUPPRESSED, Label, as_day, as_number
from sidelight.table.table import CELLS_AT_ONCE, Column

ROUNDING = 1e-9
"""Squared distances that differ by less are equal."""


class ColumnDistances(NamedTuple):
    """How far the labels of people are from those of groups in one column: `squared[person label, group label]`."""

    people: Codes
    groups: Codes
    squared: Floats


def nearest_groups(
    columns: Sequence[tuple[Column, Column]], groups: int, nodes: Mapping[str, Nodes]
) -> tuple[Integers, Integers]:
    """Find all pairs of a row of people and a group with the least distance; `columns` pair known and printed ones.

    >>> ages = Column.of("age", ["20", "58"]), Column.of("age", ["21.5", "60"])
    >>> [part.tolist() for part in nearest_groups([ages], 2, {})]
    [[0, 1], [0, 1]]
    """
    distances = [_distances(known, printed, nodes.get(printed.name)) for known, printed in columns]
    step = max(CELLS_AT_ONCE // groups, 1)
    blocks = [_nearest_in_block(distances, slice(at, at + step)) for at in range(0, len(columns[0][0]), step)]
    row, group = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    return row, group


def _nearest_in_block(distances: Sequence[ColumnDistances], rows: slice) -> tuple[Integers, Integers]:
    squared: Floats = np.zeros(())
    for column in distances:
        squared = squared + column.squared[:, column.groups][column.people[rows]]
    at, group = np.nonzero(squared <= squared.min(axis=1, keepdims=True) + ROUNDING)
    return at + rows.start, group


def _distances(people: Column, groups: Column, nodes: Nodes | None) -> ColumnDistances:
    numbers = _numbers((*people.labels, *groups.labels))
    if numbers is not None:
        squared = _between_numbers(numbers[: len(people.labels)], numbers[len(people.labels) :])
    else:
        squared = _between_labels(people.labels, groups.labels, nodes)
    # after the range is known: a suppressed label has no number and stretches nothing
    squared[:, [text == SUPPRESSED for text in groups.labels]] = 1.0
    return ColumnDistances(people.codes, groups.codes, squared)


def _numbers(labels: tuple[Label, ...]) -> Floats | None:
    """Read labels as numbers or as days, nan for missing and suppressed ones; nothing if others are neither."""
    days = [as_day(text) for text in labels]
    numbers = [as_number(text) for text in labels] if set(days) == {None} else days
    others = [text for text, number in zip(labels, numbers, strict=True) if number is None]
    if len(others) == len(labels) or any(text not in (None, SUPPRESSED) for text in others):
        return None
    return np.array([np.nan if number is None else number for number in numbers])


def _between_numbers(people: Floats, groups: Floats) -> Floats:
    both = np.concatenate((people, groups))
    whole = np.nanmax(both) - np.nanmin(both)
    squared = ((people[:, np.newaxis] - groups) / (whole or 1.0)) ** 2
    one_missing = np.isnan(people)[:, np.newaxis] != np.isnan(groups)
    distances: Floats = np.where(one_missing, 1.0, np.nan_to_num(squared))
    return distances


def _between_labels(people: tuple[Label, ...], groups: tuple[Label, ...], nodes: Nodes | None) -> Floats:
    """Give the share of telling levels at which labels differ; a group's label may itself be of any level."""
    ones, others = _paths(people, nodes), _paths(groups, nodes)
    # a level at a time: level × label × label would be large
    telling = [level for level in range(ones.shape[1]) if _differ(nodes, level)] or [0]
    differ = sum((ones[:, level, np.newaxis] != others[:, level]).astype(float) for level in telling)
    share: Floats = np.asarray(differ) / len(telling)
    under = {} if nodes is None else nodes.under
    for at, text in enumerate(groups):
        printed = read_label(text, under)
        share[[label in under.get(text, ()) or printed.covers(label) for label in people], at] = 0.0
    return share


def _differ(nodes: Nodes | None, level: int) -> bool:
    """Whether some labels of a hierarchy differ at a level, as `search.distances` asks: a top of `*` tells nothing."""
    if nodes is None:
        return True
    return len({(text, *above)[level] for text, above in nodes.above.items() if len(above) >= level}) > 1


def _paths(labels: tuple[Label, ...], nodes: Nodes | None) -> npt.NDArray[np.object_]:
    """Give the nodes above each label, label × level; one that the hierarchy lacks stays what it is on all levels."""
    height = 1 if nodes is None else 1 + max(map(len, nodes.above.values()), default=0)
    paths = np.empty((len(labels), height), object)
    for row, text in enumerate(labels):
        above = () if nodes is None else nodes.above.get(text, ())
        paths[row] = [text, *above, *[above[-1] if above else text] * (height - 1 - len(above))]
    return paths
