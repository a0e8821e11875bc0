"""The pages agree with the code and with each other."""

import doctest
import importlib.util
import inspect
import re
import tomllib
from pathlib import Path

import pytest
from support.command_line import SCHEMAS, verbs_of

from sidelight import errors
from sidelight.cli.app import app
from sidelight.policy.limits import right_bounds, settings_of
from sidelight.policy.measure_names import all_measures
from sidelight.policy.policy_file import SECTIONS, RolesSection
from sidelight.publish.sidecar import Sidecar
from sidelight.report.report import Audit, AuditReport

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


def test_decisions_are_numbered_without_gaps_in_name_title_and_navigation():
    records = sorted((DOCS / "decisions").glob("*.md"))
    numbers = list(range(1, len(records) + 1))
    assert [int(record.name[:4]) for record in records] == numbers
    titles = [record.read_text(encoding="utf-8").splitlines()[0] for record in records]
    assert [int(re.match(r"# (\d+)\. ", title)[1]) for title in titles] == numbers
    navigation = (ROOT / "zensical.toml").read_text(encoding="utf-8")
    shown = re.findall(r'"(\d+)\. .*?" = "decisions/(\d{4})-', navigation)
    assert [(int(number), int(name)) for number, name in shown] == [(each, each) for each in numbers]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_decisions_are_referred_to_by_their_numbers(page):
    links = re.findall(r"\[decision (?:record )?(\d+)\]\(\S*?(\d{4})-", page.read_text(encoding="utf-8"))
    assert [(said, name) for said, name in links if int(said) != int(name)] == []


@pytest.mark.parametrize("page", [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *PAGES], ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page):
    targets = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    written_by_make_docs = {"policy.schema.json"}
    targets = [each for each in targets if "://" not in each and each not in written_by_make_docs]
    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_the_errors_page_lists_every_error_once_and_no_other():
    page = (DOCS / "reference" / "errors.md").read_text(encoding="utf-8")
    listed = re.findall(r"^## `(\w+)`", page, flags=re.MULTILINE)
    there = [name for name, thing in inspect.getmembers(errors, inspect.isclass) if issubclass(thing, Exception)]
    assert sorted(listed) == sorted(there)


def row_of(page, name):
    """The cells of the table row that is about `name`."""
    (row,) = [line for line in page.splitlines() if line.startswith(f"| {name} |")]
    return [set(re.findall(r"`(\w+)`", cell)) for cell in row.split("|")[2:-1]]


@pytest.mark.parametrize("kind", all_measures(), ids=lambda kind: kind.name)
def test_the_page_of_measures_lists_the_keys_of_every_measure(kind):
    page = (DOCS / "reference" / "measures.md").read_text(encoding="utf-8")
    assert row_of(page, f'`"{kind.name}"`') == [set(settings_of(kind)), set(right_bounds(kind))]


def test_the_policy_page_lists_every_section_and_role():
    page = (DOCS / "reference" / "policy-file.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^## `\[+(\w+)\]+`", page, flags=re.MULTILINE)) == set(SECTIONS)
    for role in RolesSection.model_fields:
        assert row_of(page, f"`{role}`")


@pytest.mark.parametrize(("name", "documents"), [("report.md", (AuditReport, Audit)), ("sidecar.md", (Sidecar,))])
def test_the_pages_of_documents_list_every_key(name, documents):
    page = (DOCS / "reference" / name).read_text(encoding="utf-8")
    listed = set(
        re.findall(r"`(\w+)`", "".join(line.split("|")[1] for line in page.splitlines() if line.startswith("|")))
    )
    assert listed == {key for document in documents for key in document.model_fields}


def test_the_command_line_page_lists_every_verb_and_option():
    page = (DOCS / "reference" / "cli.md").read_text(encoding="utf-8")
    for name, verb in verbs_of(app).items():
        if name in SCHEMAS:
            assert f"`sidelight {name}`" in page
            continue
        (section,) = re.findall(
            rf"^## `sidelight {name}(?!-)[^\n]*\n(.*?)(?=^## |\Z)", page, flags=re.MULTILINE | re.DOTALL
        )
        listed = set(
            re.findall(r"`(--?[\w-]+)`", "".join(line for line in section.splitlines() if line.startswith("|")))
        )
        options = verb.assemble_argument_collection().filter_by(parse=True)
        assert listed == {flag for option in options for flag in option.names if flag.startswith("-")}, name


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=lambda page: page.name)
def test_nobody_is_called_anonymous(page):
    """We say against whom.  The word stands in quotation marks, titles of papers, names of models and others' code."""
    text = page.read_text(encoding="utf-8").replace("**", "")
    text = re.sub(r"^```(?:java|py)\n.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    unquoted = re.sub(r'(?i)"[^"]*"|\*[^*]+\*|k-anonym(?:ity|ous)|\banonymeter\b', "", text)
    assert re.findall(r"\banonym\w*", unquoted, flags=re.IGNORECASE) == []


def test_examples_in_docstrings_are_shown_as_code():
    """The script that prepares docstrings for the reference does what its own example says."""
    path = ROOT / "scripts" / "examples_in_docstrings.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert doctest.testmod(module) == doctest.TestResults(failed=0, attempted=1)


def test_no_example_of_noise_takes_its_domain_from_the_data():
    sources = [*PAGES, ROOT / "README.md", *(ROOT / "src" / "sidelight").rglob("*.py")]
    shown = [
        line
        for each in sources
        for line in each.read_text(encoding="utf-8").splitlines()
        if ">>>" in line or "..." in line
    ]
    assert not [line for line in shown if re.search(r"domain\"?\s*[=:].*table\.domain", line)]
