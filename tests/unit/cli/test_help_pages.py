"""Help pages: every verb is listed, and shows two commands that can be typed and what its exit status says."""

import shlex

import pytest
from support.command_line import SCHEMAS, invoke

from sidelight.cli.app import app
from sidelight.cli.help_pages import EXAMPLES, STATUSES

VERBS = [name for name in app if not name.startswith("-")]


def test_every_verb_is_listed():
    page = invoke(["--help"]).stdout
    assert {*SCHEMAS, "audit", "compare", "ledger"} <= set(VERBS)
    for name in VERBS:
        assert f"│ {name} " in page
    assert page.index("─ Verbs ─") < page.index("─ For programs ─") < page.index("─ Options ─")


def test_every_verb_has_examples_and_statuses():
    with_subverbs = {name: [each for each in app[name] if not each.startswith("-")] for name in VERBS}
    names = {" ".join(each) for name in VERBS for each in ([(name, sub) for sub in with_subverbs[name]] or [(name,)])}
    assert set(EXAMPLES) == set(STATUSES) == names - set(SCHEMAS)
    assert all(len(set(each)) == 2 for each in EXAMPLES.values())


@pytest.mark.parametrize("command", [each for commands in EXAMPLES.values() for each in commands])
def test_every_example_can_be_typed(command):
    (program, *words) = shlex.split(command)
    assert program == "sidelight"
    app.parse_args(words, print_error=False, exit_on_error=False)


@pytest.mark.parametrize("verb", EXAMPLES)
@pytest.mark.parametrize("width", ["80", "120"])
def test_a_help_page_ends_with_them_and_fits(verb, width, monkeypatch):
    monkeypatch.setenv("COLUMNS", width)
    page = invoke([*verb.split(), "--help"]).stdout
    assert max(map(len, page.splitlines())) <= int(width)
    examples, statuses = page.partition("\nExamples:\n")[2].split("\nExit status:\n")
    typed = examples.replace("\\\n", " ").splitlines()
    assert [" ".join(line.split()) for line in typed if line.strip()] == list(EXAMPLES[verb])
    for status in STATUSES[verb]:
        assert f"  {status}" in " ".join(statuses.splitlines()) or f"  {status}" in statuses
