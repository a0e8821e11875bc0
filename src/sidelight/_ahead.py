"""Two things at once that take turns by themselves: a thread makes what comes next while what came before is used.

Reading and sorting, merging and summarising leave Python's lock to each other most of the time, as engines and NumPy
compute without it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")


def ahead(items: Iterable[Item], most: int = 2) -> Iterator[Item]:
    """Go through items, of which a thread makes up to `most` before they are asked for.

    The same items in the same order.  An error of the thread is raised where its item is asked for, and the thread is
    gone when this ends, however it ends.

    >>> list(ahead(number * number for number in range(4)))
    [0, 1, 4, 9]
    """
    nothing_more = object()
    source = iter(items)
    pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="ahead")
    try:
        coming = deque(pool.submit(next, source, nothing_more) for _ in range(most))
        while (item := coming.popleft().result()) is not nothing_more:
            coming.append(pool.submit(next, source, nothing_more))
            yield item  # type: ignore[misc]
            del item  # so that it is not held while the next one is waited for
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
