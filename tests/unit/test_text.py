"""Words fit their numbers, and texts their line."""

import pytest

from sidelight._text import counted, form, shortened


@pytest.mark.parametrize(
    ("number", "noun", "words"),
    [
        (0, "group", "0 groups"),
        (1, "person", "1 person"),
        (2, "person", "2 people"),
        (12_345, "value", "12,345 values"),
    ],
)
def test_counts_in_words(number, noun, words):
    assert counted(number, noun) == words


def test_verbs_follow_the_number():
    assert [form("has", number) for number in (0, 1, 2)] == ["have", "has", "have"]


def test_a_long_text_is_one_short_line():
    assert shortened("one\ntwo", 20) == "one two"
    assert shortened("x" * 50, 10) == "x" * 9 + "…"
