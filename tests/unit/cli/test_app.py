"""All verbs on one screen: their help pages, the version, completion for a shell."""

import os
import subprocess
import sys
import typing
from pathlib import Path

import pytest
from support.command_line import invoke

import sidelight
from sidelight.cli.app import app
from sidelight.policy.policy_file import policy_schema

SIDELIGHT = [sys.executable, "-m", "sidelight"]


def run(*args, **options):
    return subprocess.run([*SIDELIGHT, *args], capture_output=True, text=True, check=False, **options)


def test_help_and_version():
    for args in (["--help"], ["-h"], ["audit", "--help"], ["demo", "--help"]):
        result = invoke(args)
        assert (result.exit_code, result.stderr) == (0, "")
    assert run("--version").stdout == f"sidelight {sidelight.__version__}\n"


VERBS = ("audit", "explore", "protect", "believe", "attack", "noise", "demo")


def page(monkeypatch, *args):
    """A help page, 80 columns wide."""
    monkeypatch.setenv("COLUMNS", "80")
    result = invoke([*args, "--help"])
    assert (result.exit_code, result.stderr) == (0, "")
    assert max(map(len, result.stdout.splitlines())) <= 80
    return result.stdout


@pytest.mark.parametrize("verb", VERBS)
def test_help_says_what_to_give_and_not_of_which_type(monkeypatch, verb):
    text = page(monkeypatch, verb)
    for option in app[verb].assemble_argument_collection().filter_by(parse=True):
        gives = option.parameter.metavar or ""
        assert gives == gives.upper()
        flag = option.hint is bool
        assert flag != bool(gives) or not option.name.startswith("-"), "a word for what to give"
        assert f"{option.name} " in text


@pytest.mark.parametrize("verb", VERBS)
def test_help_names_every_choice(monkeypatch, verb):
    text = " ".join(page(monkeypatch, verb).replace("│", " ").split())
    hints = [option.hint for option in app[verb].assemble_argument_collection().filter_by(parse=True)]
    kinds = [kind for hint in hints for kind in (hint, *typing.get_args(hint))]
    choices = [each for kind in kinds if typing.get_origin(kind) is typing.Literal for each in typing.get_args(kind)]
    assert [each for each in choices if each not in text] == []


def test_usage_says_what_a_verb_cannot_do_without(monkeypatch):
    assert page(monkeypatch, "protect").splitlines()[0] == "Usage: sidelight protect [OPTIONS] TABLE"
    assert page(monkeypatch, "attack").splitlines()[0] == "Usage: sidelight attack [OPTIONS] RELEASES"
    root = page(monkeypatch)
    assert [root.index(f"│ {verb} ") for verb in VERBS] == sorted(root.index(f"│ {verb} ") for verb in VERBS)


def test_help_imports_nothing_heavy():
    code = (
        "import sys; from sidelight.cli.app import app; from sidelight.cli.run import run;"
        "run(app, ['audit', '--help']); print(*sys.modules)"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert {"numpy", "scipy", "pyarrow", "duckdb", "narwhals", "pydantic"}.intersection(loaded) == set()


def test_completion_is_installed_for_a_shell(tmp_path):
    result = run("--install-completion", "--shell", "bash", env={**os.environ, "HOME": str(tmp_path)})
    assert (result.returncode, result.stderr) == (0, "")
    installed = [path.read_text() for path in tmp_path.rglob("*") if path.is_file()]
    assert any("audit" in text for text in installed)


def test_the_schema_of_policies_is_printed_as_it_is_written():
    assert invoke(["policy-schema"]).stdout == policy_schema()


@pytest.mark.parametrize("what", ["report", "sidecar"])
def test_schemas_are_printed_as_they_are_kept(what):
    kept = Path(__file__).parents[3] / "docs" / "reference" / f"{what}.schema.json"
    assert invoke([f"{what}-schema"]).stdout == kept.read_text(encoding="utf-8")
