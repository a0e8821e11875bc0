"""Regimes order and title the same content; what nobody knows is to be filled in."""

import sys

import pytest
from support.words import says

import sidelight as sl
from sidelight.errors import SidelightError
from sidelight.report.contents import OUTLINES, TOPICS, release_page, topic_section
from sidelight.report.page import Blank
from sidelight.report.render import html_page, markdown_page


@pytest.fixture(scope="module")
def report():
    release = sl.Release.from_counts(
        [{"Flu": 8, "Cold": 4}, {"Flu": 6, "Cold": 6}], labels=[{"age": "30"}, {"age": "40"}]
    )
    return sl.release_report(release, sl.Policy(sl.GroupSize() >= 5))


def blanks_of(section):
    own = [block for block in section.blocks if isinstance(block, Blank)]
    return own + [blank for part in section.parts for blank in blanks_of(part)]


def blocks_of(section):
    return [*section.blocks, *(block for part in section.parts for block in blocks_of(part))]


@pytest.mark.parametrize("name", [None, *OUTLINES])
def test_every_outline_tells_all_of_the_content(report, name):
    page = release_page(report, name)
    told = [*page.opening, *(block for section in page.sections for block in blocks_of(section))]
    for topic in TOPICS:
        for block in blocks_of(topic_section(report, topic)):
            assert block in told, topic


@pytest.mark.parametrize("name", OUTLINES)
def test_what_a_regime_asks_and_nobody_knows_is_to_be_filled_in(report, name):
    page = release_page(report, name)
    blanks = [blank for section in page.sections for blank in blanks_of(section)]
    assert blanks
    assert html_page(page).count("To be filled in by") == len(blanks)
    assert markdown_page(page).count("To be filled in by") == len(blanks)


def test_no_topic_is_told_twice():
    for outline in OUTLINES.values():
        topics = [topic for chapter in outline["chapters"] for topic in chapter.get("topics", ())]
        assert len(topics) == len(set(topics)) == len(TOPICS)


def test_titles_are_those_of_the_regime(report):
    titles = [section.title for section in release_page(report, "iso-27559").sections]
    assert titles[0] == "6 Context assessment"
    assert titles[-1] == "9 De-identification governance"


def test_an_outline_that_is_not_there_is_refused(report):
    with pytest.raises(SidelightError, match=r"none of ema, hipaa, iso-27559, ico.*'hipaa'"):
        release_page(report, "hippa")


def test_nothing_is_called_safe_or_anonymous(report):
    text = markdown_page(release_page(report)).replace("Nothing here is called safe or anonymous", "")
    assert " safe" not in text
    assert "anonymous" not in text


def test_without_the_extra_for_charts_the_report_stands_with_tables_and_says_how_to_get_them(report, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    page = html_page(release_page(report))
    assert "<svg" not in page
    assert says(page, "How sure", "one person")
    assert "people in a group" in page
    assert says(page, "without its charts", "needs vl-convert-python", "install it with")
