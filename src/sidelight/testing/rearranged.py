"""The same people otherwise: groups merged, taken apart, or in another order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from sidelight.release.groups import Groups
from sidelight.release.release import Release, whole_groups
from sidelight.table.counts import Counts


def merged(release: Release, into: Sequence[int]) -> Release:
    """Put row r's group into new group `into[r]` (numbered from 0, none left empty).

    Nothing is printed about the new groups, and nobody is named.

    >>> release = Release.from_counts([{"a": 1}, {"b": 2}, {"a": 1, "b": 1}])
    >>> merged(release, [0, 1, 0]).groups.counts.dense().tolist()
    [[2, 1], [0, 2]]
    """
    groups, place = release.groups, np.asarray(into, np.int64)
    count = int(place.max()) + 1
    sizes = np.bincount(place, weights=groups.sizes, minlength=count).astype(np.int64)
    counts = groups.counts.rolled_up(place, groups=count)
    return Release(
        whole_groups(domain=groups.domain, sizes=sizes, counts=counts, semantics=groups.semantics),
        sensitive=release.sensitive,
    )


def reordered(release: Release, *, groups: Sequence[int] | None = None, values: Sequence[int] | None = None) -> Release:
    """List the groups, or the values of the domain, in another order; groups are numbered anew.

    >>> release = Release.from_counts([{"a": 1}, {"b": 2}])
    >>> turned = reordered(release, groups=[1, 0], values=[1, 0])
    >>> turned.domain, turned.groups.counts.dense().tolist()
    (('b', 'a'), [[2, 0], [0, 1]])
    """
    old = release.groups
    rows = np.arange(len(old)) if groups is None else np.asarray(groups, np.int64)
    places = np.arange(len(old.domain)) if values is None else np.asarray(values, np.int64)
    return Release(
        whole_groups(
            domain=tuple(old.domain[place] for place in places),
            sizes=old.sizes[rows],
            counts=Counts.from_cells(old.counts.dense()[rows][:, places]),
            columns=tuple(column.take(rows) for column in old.columns),
            semantics=old.semantics,
        ),
        sensitive=release.sensitive,
    )


def split(release: Release, parts: Iterable[Sequence[int]]) -> list[Groups]:
    """Take the groups apart, by rows; each part stays a part of the same release.

    >>> release = Release.from_counts([{"a": 1}, {"b": 2}, {"b": 1}])
    >>> [part.numbers.tolist() for part in split(release, [[2], [0, 1]])]
    [[3], [1, 2]]
    """
    return [release.groups.take(np.asarray(rows, np.int64)) for rows in parts]
