"""`sidelight believe`, from the outside."""

import json

import pytest
from typer.testing import CliRunner

from sidelight.cli import app

ROWS = """name,ward,disease
Bob,1,Flu
Charlie,1,Flu
Dave,1,Lung
Ed,1,Lung
Frank,1,Heart
Gloria,2,Flu
Hannah,2,Flu
Irma,2,Breast
Jane,2,Ovarian
Karen,2,Heart
"""
ROLES = ("--group", "ward", "--sensitive", "disease")


@pytest.fixture
def run(tmp_path):
    file = tmp_path / "wards.csv"
    file.write_text(ROWS)
    return lambda *args: CliRunner().invoke(app, ["believe", str(file), *ROLES, *map(str, args)])


def test_what_the_neighbour_concludes(run):
    told = run("--person", "name", "--know", "Hannah = Flu -> Charlie = Flu", "--about", "Charlie")
    assert told.exit_code == 0, told.stderr
    assert "Known: Hannah = Flu -> Charlie = Flu" in told.stdout
    assert "Charlie (group 1 (ward 1))" in told.stdout
    assert ["Flu", "2/5", "10/19"] in [line.split() for line in told.stdout.splitlines()]


def test_whoever_moves_most_comes_first(run):
    told = run("--person", "name", "-k", "Hannah = Flu -> Charlie = Flu", "--top", "2")
    lines = [line.split() for line in told.stdout.splitlines() if "Flu" in line][1:]
    assert lines == [["Hannah", "Flu", "2/5", "4/19"], ["Charlie", "Flu", "2/5", "10/19"]]


def test_json_has_exact_fractions(run, tmp_path):
    told = run("-k", "#2 = Flu -> #1 = Flu", "-a", "#1", "-a", "{ward = 2}", "--json", "-o", tmp_path / "out.json")
    document = json.loads(told.stdout)
    assert document == json.loads((tmp_path / "out.json").read_text())
    assert document["facts"] == ["#2 = Flu -> #1 = Flu"]
    first, second = document["beliefs"]
    assert (first["person"], first["group"], second["person"]) == ("#1", 1, "{ward = 2}")
    flu = next(each for each in first["values"] if each["value"] == "Flu")
    assert (flu["before"], flu["after"], round(flu["probability"], 4)) == ("2/5", "10/19", 0.5263)


def test_nothing_known_says_what_to_give(run):
    assert "--know" in run().stdout


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("-k", "Bob = Flu"), "names nobody"),
        (("-k", "#1 ="), "at character 5"),
        (("-k", "#1 = Flu", "-k", "#1 = Lung"), "'#1 = Flu' and '#1 = Lung' cannot all be so"),
        (("-a", "#3"), "numbered 1 to 2"),
    ],
)
def test_what_cannot_be_told_is_2(run, args, said):
    told = run(*args)
    assert told.exit_code == 2
    assert said in told.stderr
    assert len(told.stderr.splitlines()) == 1
