"""Completion: what is offered at a TAB, by the program and in a real shell."""

import shutil
import subprocess
import sys

import pytest
from support.command_line import invoke

from sidelight.cli.app import app
from sidelight.policy.measure_names import all_measures


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "release.csv").write_text('age,"zip, old",disease\n30,1,Flu\n')
    (tmp_path / "people.csv").write_text("name,age\nAnn,30\n")
    (tmp_path / "latin.csv").write_bytes(("größe,x\n" + "1,2\n" * 5).encode("latin-1"))
    return tmp_path


def offered(*words):
    lines = invoke(["__complete", *words]).stdout.splitlines()
    return [line.split("\t")[0] for line in lines if line and not line.startswith("\x1f")]


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("words", "names"),
    [
        (("audit", "release.csv", "--group", ""), ["age", "zip, old", "disease"]),
        (("audit", "release.csv", "-g", "age", "-g", ""), ["zip, old", "disease"]),
        (("audit", "release.csv", "-s", ""), ["age", "zip, old", "disease"]),
        (("protect", "release.csv", "--levels", ""), ["age=", "zip, old=", "disease="]),
        (("protect", "release.csv", "--kind", ""), ["age=", "zip, old=", "disease="]),
        (("attack", "release.csv", "people.csv", "-g", ""), ["age", "zip, old", "disease", "name"]),
        (("attack", "release.csv", "--people", "people.csv", "--person", ""), ["name", "age"]),
        (("audit", "latin.csv", "--encoding", "latin-1", "-g", ""), ["größe", "x"]),
        (("audit", "nowhere.csv", "-g", ""), []),
        (("audit", "-g", ""), []),
    ],
)
def test_columns_are_those_of_the_file_on_the_line(words, names):
    assert offered(*words) == names


def test_measures_are_offered():
    names = [kind.name for kind in all_measures()]
    assert offered("audit", "release.csv", "--measure", "") == names
    limits = offered("audit", "release.csv", "--limit", "")
    assert [each[: -len(" >= ")] for each in limits] == names
    assert all(each.endswith((">= ", "<= ")) for each in limits)


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_offers_columns_measures_and_choices(here):
    script = here / "completion.bash"
    script.write_text(app.generate_completion(shell="bash"))
    program = here / "sidelight"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "from sidelight.cli.app import main; main()" "$@"\n')
    program.chmod(0o755)

    def replies(*words):
        line = " ".join(f"'{word}'" for word in ("sidelight", *words))
        commands = (
            f'source "{script}"; PATH="{here}:$PATH"; COMP_WORDS=({line}); COMP_CWORD={len(words)}; _sidelight; '
            'printf "%s\\n" "${COMPREPLY[@]}"'
        )
        done = subprocess.run(["bash", "-c", commands], capture_output=True, text=True, check=True)
        return done.stdout.splitlines()

    assert replies("audit", "release.csv", "--group", "") == ["age", "zip\\,\\ old", "disease"]
    assert replies("audit", "release.csv", "--group", "di") == ["disease"]
    assert replies("audit", "release.csv", "--measure", "group") == ["group\\ size"]
    assert replies("protect", "release.csv", "--method", "mo") == ["mondrian"]
    assert "--levels" in replies("protect", "release.csv", "--le")
    assert "report-schema" in replies("rep")
