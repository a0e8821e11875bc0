"""Markdown: the same blocks, and nothing in them is taken for Markdown or HTML."""

import pytest
from markdown_it import MarkdownIt
from support.pages import NASTY, page_of

from sidelight.report.markdown import escape_markdown, markdown_page
from sidelight.report.page import Code, Grid, Page, PageSection, Picture

MORE = (
    "# title",
    "- item",
    "1. one",
    "| a | b |",
    "[x](http://e.example)",
    "![i](u)",
    "`c`",
    "http://e.example",
    "---",
)


@pytest.mark.parametrize("text", [*NASTY, *MORE])
def test_texts_stay_texts(text):
    reader = MarkdownIt("commonmark", {"html": True}).enable("table")
    assert kinds_of(reader.parse(markdown_page(page_of(text)))) == kinds_of(reader.parse(markdown_page(page_of("Flu"))))


def kinds_of(tokens):
    """What a reader of Markdown takes for something: titles, links, tables; not plain texts, however often broken up."""
    plain = ("text", "softbreak", "text_special")
    inside = [kind for token in tokens if token.children for kind in kinds_of(token.children)]
    return [token.type for token in tokens if token.type not in plain] + inside


def test_a_table_has_as_many_cells_as_headings():
    page = markdown_page(
        Page("T", (PageSection("S", (Grid(("a|b", "c"), (("1|2", "3\n4"),), figures=frozenset({1})),)),))
    )
    assert page.splitlines()[4:7] == ["| a\\|b | c |", "| --- | ---: |", "| 1\\|2 | 3 4 |"]


def test_a_fence_is_longer_than_those_inside():
    page = markdown_page(Page("T", (PageSection("S", (Code("```\nrm\n```"),)),)))
    assert "````\n```\nrm\n```\n````" in page


def test_of_a_picture_the_words_and_the_table_stand():
    page = markdown_page(Page("T", (PageSection("S", (Picture("<svg/>", "It grows.", Grid(("a",), (("1",),))),)),)))
    assert "It grows." in page
    assert "| 1 |" in page
    assert "svg" not in page


def test_numbers_stay_readable():
    assert escape_markdown("0.5464 and 26.0.1") == "0.5464 and 26.0.1"
