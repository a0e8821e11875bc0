"""The page of the papers' items names calls and tests that exist, and leaves no numbered item out."""

import functools
import re
from pathlib import Path

import pytest
from support.command_line import verbs_of

import sidelight as sl
from sidelight.cli.app import app

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "understand" / "item-by-item.md"
NOT_COVERED = "not covered: "

ITEMS = {
    "Martin": {
        "Definition": (1, 2, 4, 5, 6, 7, 14, 17, 18),
        "Theorem": (3, 8, 9, 15, 19),
        "Lemma": (10, 11, 12, 13, 16, 20),
        "Algorithm": (1, 2),
        "Figure": range(1, 7),
    },
    "Chen": {
        "Theorem": range(1, 7),
        "Proposition": (*range(1, 11), "A8.1"),
        "Lemma": (1,),
        "Figure": range(1, 9),
    },
    "Du": {
        "Definition": ("3.1", *(f"5.{number}" for number in range(1, 7))),
        "Theorem": range(1, 6),
        "Lemma": (1, 2),
        "Proposition": (1,),
        "Figure": range(1, 8),
    },
    "Machanavajjhala": {
        "Definition": range(1, 6),
        "Theorem": range(1, 5),
        "Lemma": (1,),
        "Example": range(1, 4),
        "Table": range(1, 6),
        "Figure": range(1, 4),
    },
}


def papers():
    """The rows of each paper's table, by the name of its first author."""
    sections = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return {re.match(r"\w+", section)[0]: rows_of(section) for section in sections}


def rows_of(section):
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    assert lines[0] == "| item | what it is | call | test |"
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


ROWS = [row for rows in papers().values() for row in rows]


def items_in(rows):
    """All items that the first cells name: "Theorem 9, Lemmas 10 and 11" is three."""
    for item, *_ in rows:
        for kind, numbers in re.findall(r"([A-Z][a-z]+?)s? ((?:A?[\d.]+(?:, | and )?)+)", item):
            yield from ((kind, number) for number in re.findall(r"A?\d+(?:\.\d+)?", numbers))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_a_row_names_a_call_and_a_test_or_says_why_not(row):
    _, what, call, test = row
    assert what
    assert "being built" not in call
    assert (call.startswith(NOT_COVERED) and not test) or (re.search("`sl\\.|`sidelight ", call) and test)


def test_a_row_that_is_partly_covered_names_what_is_missing():
    partly = [call for _, _, call, _ in ROWS if "partly" in call]
    assert partly
    assert all(call.startswith("partly: ") and re.search(r"\b(not|no)\b", call) for call in partly)


def test_every_call_is_there():
    calls = [name for row in ROWS for name in re.findall(r"`sl\.([\w.]+)", "".join(row))]
    assert calls
    for name in calls:
        owner, _, member = name.rpartition(".")
        thing = functools.reduce(getattr, owner.split("."), sl) if owner else sl
        assert hasattr(thing, member) or member in getattr(thing, "__dataclass_fields__", {}), name


def test_every_verb_is_there():
    verbs = {verb for row in ROWS for verb in re.findall(r"`sidelight ([\w -]+)`", "".join(row))}
    assert verbs <= {*verbs_of(app)}


def test_every_test_is_there():
    for *_, test in ROWS:
        for path, name in re.findall(r"`([\w/.]+)(?:::(\w+))?`", test):
            file = (ROOT if path.startswith("benchmarks") else ROOT / "tests") / path
            assert file.is_file(), path
            assert not name or re.search(rf"^def {name}\(", file.read_text(encoding="utf-8"), flags=re.MULTILINE), test


@pytest.mark.parametrize("author", ITEMS)
def test_no_numbered_item_is_missing(author):
    there = {*items_in(papers()[author])}
    assert [
        (kind, f"{number}")
        for kind in ITEMS[author]
        for number in ITEMS[author][kind]
        if (kind, f"{number}") not in there
    ] == []
