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


MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TEXTS = [*ROOT.glob("*.md"), ROOT / ".ci" / "run", *(ROOT / "docs").rglob("*.md"), *(ROOT / "scripts").glob("*.py")]


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_every_command_that_is_named_is_a_target(path):
    targets = re.findall(r"^([a-z][a-z -]*):", MAKEFILE, flags=re.MULTILINE)
    (checks,), (drawn,) = (
        re.findall(rf"^{name} *:= (.*)", MAKEFILE, flags=re.MULTILINE) for name in ("CHECKS", "DRAWN")
    )
    text = path.read_text(encoding="utf-8")
    assert set(re.findall(r"(?:`|^)make ([a-z][a-z-]*)", text, flags=re.MULTILINE)) <= set(" ".join(targets).split())
    assert set(re.findall(r"make verify WHAT=(\w+)", text)) <= set(checks.split())
    assert set(re.findall(r"make pictures WHAT=(\w+)", text)) <= set(drawn.split())


def test_every_section_is_written_by_a_check():
    for name in trust_page.SECTIONS:
        assert trust_page.read_section(name).startswith(f"`make verify WHAT={name}`"), name


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
