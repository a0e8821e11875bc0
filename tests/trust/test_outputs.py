"""No output is ever written over an input or another output of the same run, whatever the verb and its options."""

import json

import pytest
from support.command_line import invoke

from sidelight.noise.ledger import Ledger

ROLES = ("--group", "sex", "--sensitive", "disease")
HIERARCHIES = ("--hierarchies", "levels")
READ = ("--domain-file", "domain.txt", "--policy", "policy.toml")
POPULATION = ("--population", "population.csv")
COUNTING = ("--levels", "sex=0", "--person", "id", "--epsilon", "1/2", "--sensitive", "disease")
POLICY = """
[roles]
quasi = ["sex"]
sensitive = "disease"

[[limit]]
measure = "group size"
at_least = 2

[[limit]]
measure = "journalist risk"
at_most = 0.9
"""
VERBS = {
    "audit": ("release.csv", *READ, *POPULATION),
    "explore": ("release.csv", "--value", "Flu", "--people", "people.csv", *READ),
    "columns": ("people.csv", "--policy", "policy.toml"),
    "compare": ("people.csv", *HIERARCHIES, *READ, *POPULATION),
    "generalisations": ("people.csv", *HIERARCHIES, *READ, *POPULATION),
    "believe": ("release.csv", "--table", "people.csv", *READ, *HIERARCHIES),
    "attack": ("release.csv", "more.csv", "--people", "people.csv", "--policy", "policy.toml"),
    "simulate": ("people.csv", "--overlap", "1", "--seed", "1", *HIERARCHIES, *READ),
    "report": ("release.csv", "--table", "people.csv", *HIERARCHIES, *READ, *POPULATION),
    "protect": ("people.csv", *HIERARCHIES, *READ, *POPULATION),
    "noise": ("people.csv", *HIERARCHIES, *READ, *COUNTING, "--ledger", "ledger.json", "--output", "noisy.csv"),
    "ledger show": ("ledger.json",),
    "ledger spent": ("ledger.json",),
    "promise": ("ledger.json",),
}
OPTIONS = dict.fromkeys(VERBS, ("--output", "--html", "--markdown"))
OPTIONS |= {"noise": ("--html", "--markdown"), "promise": ("--output", "--html", "--markdown", "--plot")}
OPTIONS |= {"columns": ("--output", "--html", "--write"), "report": ("--output", "--html", "--pdf")}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people = "id,sex,disease\n1,f,Flu\n2,m,Cold\n3,f,Cold\n4,m,Flu\n"
    for name in ("people.csv", "release.csv", "more.csv"):
        (tmp_path / name).write_text(people)
    (tmp_path / "population.csv").write_text("sex\nf\nm\n")
    (tmp_path / "domain.txt").write_text("Flu\nCold\n")
    (tmp_path / "policy.toml").write_text(POLICY)
    (tmp_path / "levels").mkdir()
    (tmp_path / "levels" / "sex.csv").write_text("f;*\nm;*\n")
    Ledger.begin(tmp_path / "ledger.json", epsilon=1)
    return tmp_path


def contents(folder):
    return {file.relative_to(folder): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.mark.parametrize("verb", VERBS)
def test_an_input_is_never_written_over(folder, verb):
    before = contents(folder)
    words = VERBS[verb]
    inputs = [word for word in words if (folder / word).is_file() and words[words.index(word) - 1] != "--output"]
    inputs += ["levels/sex.csv"] if "levels" in words else []
    inputs += ["ledger.json.lock"] if "ledger.json" in words else []
    (folder / "link.json").symlink_to(folder / inputs[0])
    for option in OPTIONS[verb]:
        for target in (*inputs, "link.json", f"../{folder.name}/{inputs[-1]}"):
            result = invoke([*verb.split(), *words, option, target, "--force"])
            assert result.exit_code == 2, (option, target)
            assert any(
                word in result.stderr for word in ("is an input", "by its ending", "is no picture", "name it")
            ), result.stderr
    (folder / "link.json").unlink()
    assert contents(folder) == before


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb != "report"])
def test_two_outputs_never_share_a_place(folder, verb):
    first, second = OPTIONS[verb][:2]
    for other in ("answer.html", f"../{folder.name}/answer.html", f"{folder}/answer.html"):
        result = invoke([*verb.split(), *VERBS[verb], first, "answer.html", second, other, "--force"])
        assert result.exit_code == 2
        assert "is named twice" in result.stderr or "by its ending" in result.stderr or "name it" in result.stderr
    assert not (folder / "answer.html").exists()


@pytest.mark.parametrize("target", ["out.csv", "out.csv.sidelight.json", "out.values.csv"])
def test_an_answer_never_takes_the_place_of_what_is_published(folder, target):
    words = ("people.csv", *HIERARCHIES, "--policy", "policy.toml", "--person", "id", "--method", "anatomy")
    result = invoke(["protect", *words, "--output", "out.csv", "--html", target, "--force"])
    assert (result.exit_code, "is named twice" in result.stderr) == (2, True)
    assert not [*folder.glob("out*")]


@pytest.mark.parametrize("force", [(), ("--force",)])
def test_a_ledger_never_becomes_its_own_document(folder, force):
    ledger = Ledger.begin(folder / "n.csv.noise.json", epsilon=1)
    (folder / "by-link.json").symlink_to(ledger.path)
    before = contents(folder)
    for name in ("n.csv.noise.json", "by-link.json"):
        words = ("people.csv", *HIERARCHIES, *READ, *COUNTING, "--ledger", name, "--output", "n.csv", *force)
        result = invoke(["noise", *words])
        assert (result.exit_code, "is an input" in result.stderr) == (2, True)
    assert contents(folder) == before
    assert not ledger.read().entries


def test_a_run_that_fails_leaves_no_begun_ledger(folder):
    before = contents(folder)
    for option, target in {"--output": "/proc/answer", "--html": "nowhere/page.html", "--markdown": "levels"}.items():
        result = invoke(["ledger", "begin", "new.json", "--epsilon", "1", option, target])
        assert result.exit_code == 2
        assert contents(folder) == before
    assert invoke(["ledger", "begin", "new.json", "--epsilon", "1", "--output", "answer.json"]).exit_code == 0
    assert json.loads((folder / "answer.json").read_text())["kind"] == "ledger"


@pytest.mark.parametrize("column", ["age", "sex"])
def test_hierarchies_never_take_the_place_of_a_tree_they_are_made_from(column, folder):
    (folder / "people.csv").write_text("age,sex,disease\n" + "20,f,Flu\n30,m,Cold\n" * 4)
    tree = folder / "levels" / "age.csv"
    tree.write_text('{"all": ["f", "m"]}')
    before = contents(folder)
    words = ["hierarchies", "people.csv", "-g", "age", "-g", "sex", "-o", "levels", "--tree", f"{column}={tree}"]
    outcome = invoke([*words, "--force"])
    assert (outcome.exit_code, "inputs are never written over" in outcome.stderr) == (2, True)
    assert contents(folder) == before
