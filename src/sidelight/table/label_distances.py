"""How far apart are the labels of a column, by what it is?  For whoever puts people together, or looks for them.

Lines       Numbers, days and ordered labels have a place x on a line that is scaled to be from 0 to 1: d² = (x − y)².
Missing     What has no place on the line stands beside it at (1/2, √3/2): as far from both ends as they are from one
            another, and nearest to none.
Categories  d² = the share of levels of the hierarchy, of those that tell any labels apart, at which two labels differ;
            without one 0 if they are equal and 1 if not.
Points      All are squared Euclidean distances, so averages of people stand somewhere, too (`search.distances`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from sidelight.arrays import Floats


def points_of(line: Floats) -> Floats:
    """Return a point for each place on a line (nan: it has none), coordinate × place.

    >>> points_of(np.array([10, 30, 20])).tolist()
    [[0.0, 1.0, 0.5]]
    >>> points_of(np.array([10, 30, np.nan])).round(3).tolist()
    [[0.0, 1.0, 0.5], [0.0, 0.0, 0.866]]
    """
    missing = np.isnan(line)
    if missing.all():
        return np.zeros((1, len(line)))
    low, high = np.nanmin(line), np.nanmax(line)
    scaled: Floats = (line - low) / ((high - low) or 1.0)
    if not missing.any():
        return scaled[np.newaxis]
    # shape (2, places): (½, √¾) is at distance 1 from both ends of the line, so a missing value is far from all
    return np.stack((np.where(missing, 0.5, scaled), np.where(missing, np.sqrt(0.75), 0.0)))


def squared_distances(ones: Floats, others: Floats) -> Floats:
    """Return the squared distance of each of some points from each of others; both are coordinate × point.

    >>> points = points_of(np.array([1, 2, 5, np.nan]))
    >>> squared_distances(points, points[:, 2:]).round(4).tolist()
    [[1.0, 1.0], [0.5625, 0.8125], [0.0, 1.0], [1.0, 0.0]]
    """
    # (coordinates, ones, 1) − (coordinates, 1, others) → summed over coordinates: (ones, others)
    squared: Floats = ((ones[:, :, np.newaxis] - others[:, np.newaxis, :]) ** 2).sum(axis=0)
    return squared


def share_of_levels(ones: Iterable[npt.NDArray[Any]], others: Iterable[npt.NDArray[Any]]) -> Floats:
    """Return the share of levels at which each of some labels differs from each of others; both are level × label.

    >>> cities, regions = np.array(["Kiel", "Ulm", "Bonn"]), np.array(["North", "South", "South"])
    >>> share_of_levels([cities, regions], [cities[1:], regions[1:]]).tolist()
    [[1.0, 1.0], [0.0, 0.5], [0.5, 0.0]]
    """
    # a level at a time: level × label × label would be large
    levels = list(zip(ones, others, strict=True))
    differ = sum((one[:, np.newaxis] != other).astype(float) for one, other in levels)
    share: Floats = differ / len(levels)
    return share
