"""The page of promises: what it names is there, and its sections are rewritten without touching anything else."""

import re
from pathlib import Path

import pytest
import trust_page

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "trust.md").read_text(encoding="utf-8")

PROMISES = re.findall(r"^\| (\d+) \| (.+) \| (.+) \|$", TEXT, flags=re.MULTILINE)


def test_every_promise_has_a_number_and_a_test_that_is_there():
    assert [int(number) for number, _, _ in PROMISES] == [*range(1, len(PROMISES) + 1)]
    for _, promise, tries in PROMISES:
        tests = re.findall(r"`(tests[^`]*)`", tries)
        assert tests, promise
        assert [test for test in tests if not (ROOT / test).exists()] == []


def test_every_command_is_a_target_or_says_that_it_was_not_run():
    targets = re.findall(r"^([a-z][a-z -]*):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    there = {target for line in targets for target in line.split()}
    for name in set(re.findall(r"`make (\w+)", TEXT)) - there:
        assert trust_page.read_section(name) == f"`make {name}`: not run yet."


def test_every_section_is_there_once():
    assert sorted(re.findall(r"<!-- (\w+) -->", TEXT)) == sorted(trust_page.SECTIONS)


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "trust.md"
    path.write_text(TEXT, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", trust_page.SECTIONS)
def test_a_section_is_replaced_and_nothing_else(page, name, monkeypatch):
    monkeypatch.setattr(trust_page, "circumstances", lambda: "some day:")
    table = "| tried | failed |\n| --- | --- |\n| 5 | 0 |"
    others = {other: trust_page.read_section(other) for other in trust_page.SECTIONS if other != name}
    trust_page.write_section(name, table, page=page)
    once = page.read_text(encoding="utf-8")
    trust_page.write_section(name, table, page=page)
    assert page.read_text(encoding="utf-8") == once
    assert trust_page.read_section(name, page=page).endswith(table)
    assert others == {other: trust_page.read_section(other, page=page) for other in others}
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    assert once.partition(begin)[0] == TEXT.partition(begin)[0]
    assert once.partition(end)[2] == TEXT.partition(end)[2]


@pytest.mark.parametrize(("name", "text"), [("speed", "x"), ("fuzz", "<!-- /fuzz -->"), ("fuzz", "a <!-- load --> b")])
def test_what_would_break_the_page_is_refused(page, name, text):
    with pytest.raises(ValueError, match="page"):
        trust_page.write_section(name, text, page=page)
    assert page.read_text(encoding="utf-8") == TEXT
