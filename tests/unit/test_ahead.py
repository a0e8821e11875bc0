"""What a thread makes ahead: the same items, its errors, and no thread left; calls that can be interrupted."""

import _thread
import signal
import threading
import time

import pytest
from support.waiting import wait_for

from sidelight.ahead import ahead, interruptibly


def threads():
    return [each for each in threading.enumerate() if each.name.startswith("ahead")]


def test_a_thread_makes_some_items_before_they_are_asked_for():
    made = []

    def items():
        for number in range(9):
            made.append(number)
            yield number

    rest = ahead(items(), most=3)
    assert next(rest) == 0
    wait_for(lambda: len(made) == 4)
    time.sleep(0.02)
    assert made == [0, 1, 2, 3]
    assert list(rest) == list(range(1, 9))
    assert not threads()


def test_an_error_comes_where_its_item_would():
    def items():
        yield 1
        raise KeyError

    rest = ahead(items())
    assert next(rest) == 1
    with pytest.raises(KeyError):
        next(rest)
    assert not threads()


def test_who_stops_early_leaves_no_thread():
    rest = ahead(iter(range(100)))
    next(rest)
    rest.close()
    assert not threads()


def test_a_call_that_is_waited_for_raises_its_error():
    with pytest.raises(ZeroDivisionError):
        interruptibly(lambda: 1 / 0, lambda: None, "nothing")


@pytest.mark.parametrize("deaf", [False, True], ids=["a call that ends", "a call that hears nothing"])
def test_an_interrupt_cancels_the_call_and_is_raised(deaf):
    released, cancelled = threading.Event(), threading.Event()

    def cancel():
        cancelled.set()
        if not deaf:
            released.set()

    threading.Timer(0.3, _thread.interrupt_main, (signal.SIGINT,)).start()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where tests run in the background
    began = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            interruptibly(lambda: released.wait(60), cancel, "something")
    finally:
        signal.signal(signal.SIGINT, before)
        released.set()
    assert cancelled.is_set()
    assert time.monotonic() - began < 20


def test_a_call_in_a_thread_that_nobody_wants_any_more_is_cancelled():
    begun, released = threading.Event(), threading.Event()

    def items():
        yield 1
        yield interruptibly(lambda: (begun.set(), released.wait(60)), released.set, "something")

    rest = ahead(items())
    next(rest)
    assert begun.wait(20)
    began = time.monotonic()
    rest.close()
    assert released.wait(10)
    assert time.monotonic() - began < 20
    assert not threads()
