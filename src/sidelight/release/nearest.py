"""Which printed average is nearest to somebody?

Symbols     d²(i, g) = Σ_c d_c², summed over the columns c that are known of person i and printed about group g.
            d_c² is that of the search that makes averages (`table.label_distances`), by what the column is: numbers,
            days and ordered labels on a line of the range of both, a missing one beside it; categories: 0 if the
            printed one covers the other, else, with a hierarchy, the share of its levels at which they differ, of those
            at which any of its labels do; else 1.  `*` is at distance 1 from everything.
Wanted      for each person the groups with the least d², all of them when several have it.
Cost        people who differ × groups, a block at a time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sidelight.arrays import Codes, Floats, Integers
from sidelight.release.printed_labels import read_label
from sidelight.release.printing import Nodes, kind_of
from sidelight.table.counts import CELLS_AT_ONCE
from sidelight.table.label_distances import points_of, share_of_levels, squared_distances
from sidelight.table.labels import SUPPRESSED, ColumnKind, Label, as_day, as_number
from sidelight.table.table import Column

# squared distances are sums of a few values in [0, 1], with float errors near 1e-15, far below this
ROUNDING = 1e-9
"""Squared distances that differ by less are equal."""


class ColumnDistances(NamedTuple):
    """Squared distances between labels of people and of groups in one column: `squared[person label, group label]`."""

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
        # (labels, groups) → (rows, groups), column by column: only a block of rows is ever spread out
        squared = squared + column.squared[:, column.groups][column.people[rows]]
    at, group = np.nonzero(squared <= squared.min(axis=1, keepdims=True) + ROUNDING)
    return at + rows.start, group


def _distances(people: Column, groups: Column, nodes: Nodes | None) -> ColumnDistances:
    kind = _kind(people, groups, nodes)
    if kind == "category":
        squared = _compare_labels(people.labels, groups.labels, nodes)
    else:
        place = _places(people, groups, kind)
        points = points_of(np.array([place.get(text, np.nan) for text in (*people.labels, *groups.labels)]))
        squared = squared_distances(points[:, : len(people.labels)], points[:, len(people.labels) :])
    # after the range is known: a suppressed label has no place and stretches nothing
    squared[:, [text == SUPPRESSED for text in groups.labels]] = 1.0
    return ColumnDistances(people.codes, groups.codes, squared)


def _kind(people: Column, groups: Column, nodes: Nodes | None) -> ColumnKind:
    """Return what a column is, as it was published; where labels have no place on a line, a category."""
    labels = _present(people, groups)
    kind = groups.kind or people.kind or kind_of(Column.of(groups.name, labels), nodes)
    return kind if kind == "category" or labels.keys() <= _places(people, groups, kind).keys() else "category"


def _present(people: Column, groups: Column) -> dict[Label, None]:
    return dict.fromkeys(text for text in (*people.labels, *groups.labels) if text not in (None, SUPPRESSED))


def _places(people: Column, groups: Column, kind: ColumnKind) -> dict[Label, float]:
    """Return which labels stand where on a line: at their number or day, or at their rank, where an order is known.

    Ordered labels stand in the order that is known of the people, or in that of their numbers or days.
    """
    labels = _present(people, groups)
    if kind == "ordered" and people.kind == "ordered":
        present = [text for text in people.labels if text not in (None, SUPPRESSED)]
        return {text: float(rank) for rank, text in enumerate(present)}
    by_size = {text: number for text in labels if (number := _number_or_day(text, kind)) is not None}
    if kind != "ordered":
        return by_size
    return {text: float(rank) for rank, text in enumerate(sorted(by_size, key=lambda text: by_size[text]))}


def _number_or_day(text: Label, kind: ColumnKind) -> float | None:
    number, day = as_number(text), as_day(text)
    return number if kind == "number" else day if kind == "date" else number if number is not None else day


def _compare_labels(people: tuple[Label, ...], groups: tuple[Label, ...], nodes: Nodes | None) -> Floats:
    """Return the share of telling levels at which labels differ; a group's label may itself be of any level."""
    ones, others = _paths(people, nodes), _paths(groups, nodes)
    telling = [level for level in range(ones.shape[1]) if _differ(nodes, level)] or [0]
    share = share_of_levels(ones.T[telling], others.T[telling])
    under = {} if nodes is None else nodes.labels_by_node
    for at, text in enumerate(groups):
        printed = read_label(text, nodes or ())
        # a printed label that covers a person's own is at distance 0, whatever its level
        share[[label in under.get(text, ()) or printed.covers(label) for label in people], at] = 0.0
    return share


def _differ(nodes: Nodes | None, level: int) -> bool:
    """Return whether some labels of a hierarchy differ at a level: a top of `*` tells nothing."""
    if nodes is None:
        return True
    return len({(text, *above)[level] for text, above in nodes.above.items() if len(above) >= level}) > 1


def _paths(labels: tuple[Label, ...], nodes: Nodes | None) -> npt.NDArray[np.object_]:
    """Return the nodes above each label, label × level; one that the hierarchy lacks stays what it is on all levels."""
    height = 1 if nodes is None else 1 + max(map(len, nodes.above.values()), default=0)
    paths = np.empty((len(labels), height), object)
    for row, text in enumerate(labels):
        above = () if nodes is None else nodes.above.get(text, ())
        paths[row] = [text, *above, *[above[-1] if above else text] * (height - 1 - len(above))]
    return paths
