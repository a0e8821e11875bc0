"""What a thread makes ahead: the same items, its errors, and no thread left."""

import threading
import time

import pytest

from sidelight._ahead import ahead


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
    deadline = time.monotonic() + 10
    while len(made) < 4 and time.monotonic() < deadline:
        time.sleep(0.01)
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
