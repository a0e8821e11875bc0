"""One HTML file: nothing in it is taken for markup, nothing is fetched, and it is never longer than 1 MB."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt
from support.pages import NASTY, page_of

from sidelight.errors import SidelightError
from sidelight.report.page import Code, Grid, Page, PageSection, Paragraph, Picture, Points
from sidelight.report.render import (
    MOST_BYTES,
    SIZES,
    breaking,
    browser_path,
    escape_markdown,
    html_page,
    html_within,
    markdown_page,
    pdf_page,
    picture,
)


class _Elements(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes, self.text = set(), set(), []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data):
        self.text.append(data)


def parsed(html):
    elements = _Elements()
    elements.feed(html)
    return elements


@pytest.mark.parametrize("text", NASTY)
def test_cells_that_are_html_scripts_formulas_or_escapes_are_text(text):
    ours, plain = parsed(html_page(page_of(text))), parsed(html_page(page_of("Flu")))
    assert ours.tags == plain.tags
    assert ours.attributes == plain.attributes
    assert "script" not in ours.tags


def test_marks_that_nobody_would_see_are_shown():
    html = html_page(page_of("\x1b[31mFlu\u202e\u2066\x9b\u200b"))
    assert "␛[31mFlu[U+202E][U+2066][U+009B][U+200B]" in html
    assert not any(mark in html for mark in "\x1b\u202e\u2066\x9b\u200b")


def test_letters_of_all_scripts_stay():
    for text in ("مرض السكري", "糖尿病", "می\u200cخواهم", "Grippe — ✓"):
        assert text in html_page(page_of(text))


def test_nothing_is_fetched_and_no_script_may_run():
    html = html_page(page_of("Flu"))
    style = re.search(r"<style>(.*?)</style>", html, re.DOTALL).group(1)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', html).group(1)
    assert policy.startswith("default-src 'none'")
    assert digest in policy.replace("&#43;", "+")
    assert not {"script", "link", "iframe", "object", "embed", "base", "form"} & parsed(html).tags
    assert not {"src", "srcset", "style", "onload"} & parsed(html).attributes
    assert "url(" not in style
    assert "@import" not in style


def test_the_same_page_gives_the_same_bytes():
    assert html_page(page_of("Flu")) == html_page(page_of("Flu"))


def test_a_page_is_never_longer_than_a_megabyte():
    rows = tuple(("x" * 5000,) * 50 for _ in range(2_000))
    sections = tuple(
        PageSection("part " * 100, (Grid(("name" * 100,) * 50, rows), Points(("y" * 9000,) * 5000))) for _ in range(9)
    )
    html = html_page(Page("Large", sections))
    assert len(html.encode()) <= MOST_BYTES
    assert "more rows; the JSON document has all" in html
    rows, letters, _ = SIZES[-1]
    assert rows * letters < 1000  # the last resort is short


@pytest.mark.parametrize(
    "svg",
    [
        "<svg><script>1</script></svg>",
        "<svg onload='x'/>",
        "<svg><a href='javascript:1'/></svg>",
        "<svg><foreignObject/></svg>",
        "<svg><style>@import 'x'</style></svg>",
        "<svg><image href='x.png'/></svg>",
        "<svg><g></svg>",
        "<!DOCTYPE svg [<!ENTITY x 'y'>]><svg/>",
    ],
)
def test_what_is_more_than_a_picture_is_refused(svg):
    with pytest.raises(SidelightError, match="more than a picture"):
        picture(Picture(svg, "words"))


def test_what_a_value_is_called_makes_no_script_of_a_picture():
    svg = "<svg><text>&lt;img onerror=1> javascript: @import onload = 2</text></svg>"
    assert picture(Picture(svg, "words")) == svg


def test_a_page_within_another_brings_no_style_no_script_and_begins_at_its_level():
    page = Page("<b>Report</b>", (PageSection("Found", (Paragraph("x"),), (PageSection("Below", (Paragraph("y"),)),)),))
    text = html_within(page)
    assert '<h2 dir="auto">&lt;b&gt;Report&lt;/b&gt;</h2>' in text
    assert '<h3 id="part-1"' in text
    assert '<h4 id="part-1-1"' in text
    assert not any(each in text for each in ("<style", " style=", "<script", "<html", "<h1"))


def test_the_foot_of_every_page_on_paper_names_the_release_and_the_page():
    text = html_page(Page("Report", (), running='a"; } </style>'))
    assert '@bottom-right { content: counter(page) " of " counter(pages); }' in text
    assert '@bottom-left { content: "\\000061\\000022\\00003b' in text
    assert text.count("</style>") == 1
    assert "@bottom-left" not in html_page(Page("Report", ()))


def test_a_checksum_is_set_small_so_that_it_fits_a_line():
    assert breaking("0a" * 32, figures=False) == ' class="long digest"'
    assert breaking("0A" * 32, figures=False) == ' class="long"'


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


def test_without_a_chromium_the_remedy_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SidelightError, match=r"--pdf needs a Chromium .* install one.*--html"):
        browser_path()


def test_a_browser_that_fails_is_named_with_the_remedy(monkeypatch, tmp_path):
    browser = tmp_path / "chromium"
    browser.write_text("#!/bin/sh\nexit 3\n")
    browser.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(SidelightError, match=r"could not print the page .*--html FILE"):
        pdf_page("<!DOCTYPE html>")
