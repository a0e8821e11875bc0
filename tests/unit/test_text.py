"""Words fit their numbers, and texts their line."""

import re
from fractions import Fraction
from pathlib import Path

import pytest

import sidelight
from sidelight.text import MOST_ROWS, counted, form, html_table


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


# What a notebook shows is escaped, short, and says what it leaves out.


def test_everything_is_escaped():
    drawn = html_table("<b>", ["<i>"], [("<script>alert(1)</script>",)], note="a & b")
    assert "<script>" not in drawn
    assert "<b>" not in drawn
    assert "<i>" not in drawn
    assert "&lt;script&gt;" in drawn
    assert "<p>a &amp; b</p>" in drawn


def test_numbers_stand_right_and_truths_do_not():
    drawn = html_table("t", ["n"], [(1_200,), (Fraction(1, 3),), (True,)])
    assert '<td style="text-align: right">1,200</td>' in drawn
    assert '<td style="text-align: right">1/3</td>' in drawn
    assert "<td>True</td>" in drawn


def test_a_long_table_is_cut_and_says_so():
    def rows():
        for number in range(MOST_ROWS):
            yield (number,)
        pytest.fail("more rows are drawn than are shown")

    drawn = html_table("t", ["n"], rows(), total=1_000 + MOST_ROWS)
    assert drawn.count("<tr>") == MOST_ROWS + 1
    assert drawn.endswith("<p>… and 1,000 more</p>")


def test_no_verb_in_our_sentences_gets_an_s_for_several():
    sources = (path.read_text(encoding="utf-8") for path in Path(sidelight.__file__).parent.rglob("*.py"))
    words = {word for source in sources for word in re.findall(r"""\bform\(['"]([a-z ]+)['"]""", source)}
    assert "stands" in words
    assert not [word for word in words if form(word, 2).endswith("ss")]
