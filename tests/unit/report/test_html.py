"""One HTML file: nothing in it is taken for markup, nothing is fetched, and it is never longer than 1 MB."""

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest
from support.pages import NASTY, page_of

from sidelight.errors import SidelightError
from sidelight.report.html import MOST_BYTES, SIZES, breaking, html_page, html_within, picture
from sidelight.report.page import Grid, Page, PageSection, Paragraph, Picture, Points


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
