"""The pages agree with the code and with each other."""

import doctest
import importlib.util
import inspect
import re
import tomllib
from pathlib import Path

import pytest

from sidelight import errors

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))


def listed(entry):
    """All page names in a navigation tree."""
    if isinstance(entry, str):
        return [entry]
    parts = entry.values() if isinstance(entry, dict) else entry
    return [name for part in parts for name in listed(part)]


def test_every_page_is_in_the_navigation_once():
    navigation = listed(tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))["project"]["nav"])
    assert sorted(navigation) == sorted(str(page.relative_to(DOCS)) for page in PAGES)


@pytest.mark.parametrize("page", [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *PAGES], ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page):
    targets = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    assert [target for target in targets if "://" not in target and not (page.parent / target).exists()] == []


def test_the_errors_page_lists_every_error_and_no_other():
    page = (DOCS / "reference" / "errors.md").read_text(encoding="utf-8")
    told = set(re.findall(r"^## `(\w+)`", page, flags=re.MULTILINE))
    there = {name for name, thing in inspect.getmembers(errors, inspect.isclass) if issubclass(thing, Exception)}
    assert told == there


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=lambda page: page.name)
def test_nobody_is_called_anonymous(page):
    """We say against whom.  The word stands only in quotation marks, in titles of papers and in names of models."""
    text = page.read_text(encoding="utf-8").replace("**", "")
    unquoted = re.sub(r'(?i)"[^"]*"|\*[^*]+\*|k-anonymity', "", text)
    assert re.findall(r"\banonym\w*", unquoted, flags=re.IGNORECASE) == []


def test_examples_in_docstrings_are_shown_as_code():
    """The script that prepares docstrings for the reference does what its own example says."""
    path = ROOT / "scripts" / "examples_in_docstrings.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert doctest.testmod(module) == doctest.TestResults(failed=0, attempted=1)
