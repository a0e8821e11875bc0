from pathlib import Path

import no_hosts
import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("requirements.lock", "# from htt" + "ps://packages.example/"),
        ("pip.conf", "extra-" + "index" + "-url = anything"),
        ("setup.cfg", "find" + "-links = wheels"),
        ("uv.toml", 'url = "https://files.python' + 'hosted.org/packages"'),
        ("notes.md", "see /hom" + "e/somebody/data.csv"),
        ("notes.md", "in C:\\User" + "s\\somebody"),
        ("run.sh", "cd /wor" + "k/main"),
    ],
)
def test_a_registry_or_a_machine_path_is_found(tmp_path, name, line):
    (tmp_path / name).write_text(f"first\n{line}\n")
    problems = list(no_hosts.problems(tmp_path / name))
    assert len(problems) == 1
    assert f"{name}:2:" in problems[0]


@pytest.mark.parametrize(
    "line", ["see https://doi.org/10.24432/C5XW20", "docs/home/page.md", "a/homework/b", "$HOME/data"]
)
def test_ordinary_text_passes(tmp_path, line):
    (tmp_path / "notes.md").write_text(line)
    assert list(no_hosts.problems(tmp_path / "notes.md")) == []


def test_binary_files_have_nothing_to_say(tmp_path):
    (tmp_path / "data.bin").write_bytes(b"\xff\xfe\x00")
    assert list(no_hosts.problems(tmp_path / "data.bin")) == []


def test_nothing_in_the_repository_names_a_registry_or_a_machine(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    status = no_hosts.main([])
    assert (status, capsys.readouterr().out) == (0, "")
