"""The budgets of searches, and work on several cores."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

One = TypeVar("One")
Other = TypeVar("Other")


@dataclass(slots=True)
class SearchEffort:
    """The budgets of searches."""

    # Past these a search refuses, or says less.
    lattice_nodes: int = 20_000_000  # what is known about each is kept in an array, a byte each
    listed_nodes: int = 1_000_000  # more generalisations are not listed one by one
    listed_labels: int = 1 << 24  # in the different sets that a column prints
    tiled_labels: int = 200  # of a category in a cut that is put into words; of more, the first and the last
    cut_levels: int = 4  # cuts, one after the other, that are shown: 16 parts of the people at most

    # No result depends on these, but for which of equally near groups are merged.
    keys: int = 1 << 17  # sorted at a time: few enough for a processor's cache, and enough to keep both cores busy
    counts: int = 1 << 18  # of cuts × values
    cuts: int = 1 << 17  # screened where most do not fit
    groups: int = 512  # that have one exact summary
    rows: int = 1 << 15  # that go down the tree of cuts
    parts: int = 256  # put aside in one pass: each is an open file
    sent: int = 1 << 26  # bytes of histograms that an executor sends
    measured_counts: int = 1 << 15  # of small generalisations measured together: as many as fit a processor's cache
    dense_counts: int = 1 << 24  # groups × values up to which counts are spread out to look single ones up
    matrix_labels: int = 2_000  # of a column; with more it is a line, on which they stand in order
    combinations: int = 1_000  # of labels of several columns that are looked up together


EFFORT = SearchEffort()


def map_on_cores(work: Callable[[One], Other], parts: Iterable[One], *, keys: int) -> Iterator[Other]:
    """Yield what `work` makes of each part, in their order; on several cores where there are many keys.

    Parts are drawn as cores come free, so that only a few are held at a time.
    """
    if keys <= EFFORT.keys:
        yield from map(work, parts)
        return
    cores = os.cpu_count() or 1
    with ThreadPoolExecutor(cores) as pool:
        waiting: deque[Future[Other]] = deque()
        for part in parts:
            waiting.append(pool.submit(work, part))
            # two parts per core keep all cores busy, and only as many are held
            if len(waiting) > 2 * cores:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
