"""Make the next items in a thread while the caller uses the last ones, and interrupt blocking calls.

Reading and sorting, merging and summarising run in parallel most of the time, as engines and NumPy release Python's
lock.  A call into a library that ignores signals gets a thread of its own (`interruptibly`).
"""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, suppress
from contextvars import ContextVar, copy_context
from typing import TypeVar

from sidelight.progress import SHOW_WAITING

Item = TypeVar("Item")

# In a thread of `ahead`: set when its items are no longer wanted
_ENDED: ContextVar[threading.Event | None] = ContextVar("ended", default=None)


def ahead(items: Iterable[Item], most: int = 2) -> Generator[Item, None, None]:
    """Yield items, of which a thread makes up to `most` in advance.

    The items and their order stay the same.  An error of the thread is raised in place of its item, and the thread ends
    with this generator, however it ends.

    >>> list(ahead(number * number for number in range(4)))
    [0, 1, 4, 9]
    """
    nothing_more = object()
    # one worker, so the iterator is never advanced by two threads, and items keep their order
    source = iter(items)
    ended, context = threading.Event(), copy_context()
    context.run(_ENDED.set, ended)
    pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="ahead")

    def following() -> Item | object:
        return context.run(next, source, nothing_more)

    try:
        coming = deque(pool.submit(following) for _ in range(most))
        while (item := coming.popleft().result()) is not nothing_more:
            coming.append(pool.submit(following))
            yield item  # type: ignore[misc]
            del item  # released while the next one is awaited
    finally:
        # first the signal, then the wait: a call that blocks in the worker checks it ten times a second
        ended.set()
        pool.shutdown(wait=True, cancel_futures=True)


# Seconds after which a wait is shown
SHOWN_AFTER = 1.0

# Seconds that a cancelled call has to end; then its thread is abandoned
PATIENCE = 0.5


def interruptibly(call: Callable[[], Item], cancel: Callable[[], None], waiting_for: str) -> Item:
    """Return the result of a call that blocks in a library, such as a query; interrupts are handled while it runs.

    The call runs in a thread, as Python handles signals between its own steps only.  An interrupt runs `cancel`, which
    should make the call end; if it does not within `PATIENCE`, the thread is abandoned.

    >>> interruptibly(lambda: 6 * 7, lambda: None, "the answer")
    42
    """
    answer: Future[Item] = Future()
    threading.Thread(target=_answer, args=(answer, call), daemon=True).start()
    try:
        _wait(answer, waiting_for)
    except BaseException:
        threading.Thread(target=_quietly, args=(cancel,), daemon=True).start()  # it may block as the call does
        wait([answer], PATIENCE)
        raise
    return answer.result()


def _wait(answer: Future[Item], waiting_for: str) -> None:
    """Wait for an answer in steps, show the wait after a while, and raise `CancelledError` once it is not needed."""
    ended, show_at = _ENDED.get(), time.monotonic() + SHOWN_AFTER
    with ExitStack() as shown:
        while not wait([answer], 0.1).done:  # seconds between the moments at which the wait can be interrupted
            if ended is not None and ended.is_set():
                raise CancelledError
            if time.monotonic() > show_at:
                show_at = math.inf
                shown.enter_context(SHOW_WAITING.get()(waiting_for))


def _answer(answer: Future[Item], call: Callable[[], Item]) -> None:
    try:
        answer.set_result(call())
    except BaseException as error:  # noqa: BLE001 - raised again by `Future.result`
        answer.set_exception(error)


def _quietly(call: Callable[[], None]) -> None:
    with suppress(Exception):
        call()
