"""Every answer has pages, and the Python that they tell comes to an end."""

import shlex

import pytest
from support.command_line import invoke, verbs_of

import sidelight as sl
from sidelight.answers.recipe import (
    Name,
    write_call,
    write_hierarchies,
    write_measures,
    write_policy,
    write_python,
)
from sidelight.answers.sources import read_question
from sidelight.cli.app import app


def test_a_policy_is_read_from_its_file_where_that_says_all(sample_files):
    policy = sample_files / "policy.toml"
    assert write_policy(read_question(policy)) == f"sl.read_policy({str(policy)!r})"
    for question in (
        read_question(policy, limits=["implications(k=1) < 0.9"]),
        read_question(None, preset="k-map(k=4)"),
    ):
        names: dict[str, object] = {}
        exec(write_python(f"policy = {write_policy(question)}"), names)
        assert names["policy"] == question.policy


def test_measures_are_read_by_their_names():
    measures = (sl.GroupSize(), sl.Implications(2))
    names: dict[str, object] = {}
    exec(write_python(f"measures = {write_measures(measures)}"), names)
    assert names["measures"] == [*measures]


def test_columns_that_are_only_suppressed_get_hierarchies(sample_files):
    names = {"table": sl.read_table("patients.parquet", quasi=["age", "sex"], sensitive="disease")}
    exec(write_python(*write_hierarchies(sample_files / "hierarchies", ["sex"])), names)
    assert set(names["hierarchies"]) == {"age", "sex", "zip"}
    assert names["hierarchies"]["sex"] == sl.Hierarchy.suppression("sex", ["f", "m"])
    assert write_hierarchies(None) == ["hierarchies = {}"]


def test_settings_that_say_nothing_are_left_out():
    assert write_call("f", Name("release"), "a", given=None, names=("b",), empty=()) == "f(release, 'a', names=['b'])"


WITHOUT = {"demo", "serve", "hierarchies", "policy-schema", "report-schema", "release-report-schema", "sidecar-schema"}
"""Verbs that answer nothing."""


@pytest.mark.parametrize("verb", sorted(set(verbs_of(app)) - WITHOUT))
def test_every_verb_that_answers_has_pages(verb):
    names = {name for argument in verbs_of(app)[verb].assemble_argument_collection() for name in argument.names}
    assert {"--html", "--markdown"} <= names


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("verbs")
    rows = "".join(f"{20 + number % 4 * 10},{('Flu', 'Cold', 'Gout')[number % 3]}\n" for number in range(60))
    for name in ("a.csv", "b.csv", "people.csv"):
        (made / name).write_text(f"age,disease\n{rows}")
    (made / "named.csv").write_text("ward,name,disease\n1,Ann,Flu\n1,Bob,Cold\n2,Cleo,Flu\n2,Dan,Gout\n")
    (made / "policy.toml").write_text('[[limit]]\nmeasure = "group size"\nat_least = 20\n')
    (made / "hierarchies").mkdir()
    (made / "hierarchies" / "age.csv").write_text(
        "".join(f"{age};{'young' if age < 40 else 'old'};*\n" for age in (20, 30, 40, 50))
    )
    return made


ROLES = "-g age -s disease"
COMMANDS = {
    "audit": f"audit a.csv {ROLES}",
    "columns": "columns a.csv --quasi age -s disease",
    "explore": f"explore a.csv {ROLES} --value Flu",
    "protect": f"protect a.csv {ROLES} --person 'each row' --hierarchies hierarchies -l 'group size >= 20'",
    "compare": f"compare a.csv {ROLES} --person 'each row' --hierarchies hierarchies -l 'group size >= 20' --method lattice",
    "nothing": f"compare a.csv {ROLES} --person 'each row' --hierarchies hierarchies -l 'group size >= 900' --method lattice",
    "generalisations": f"generalisations a.csv {ROLES} --person 'each row' --hierarchies hierarchies -m 'group size'",
    "believe": f"believe a.csv {ROLES} --know '{{age = 20}} != Flu' --about '{{age = 20}}'",
    "believe names": "believe named.csv -g ward -s disease --person name --know 'Ann != Flu' --about Bob",
    "compare within a file": f"compare a.csv {ROLES} --person 'each row' --policy policy.toml --suppress-only age",
    "attack": "attack a.csv b.csv --people people.csv -g age -s disease",
    "learner": f"attack a.csv --as learner {ROLES.replace('-g', '--quasi')}",
    "promise": "promise --epsilon 1",
    "ledger": "ledger begin budget.json --epsilon 3",
}


@pytest.mark.parametrize("name", COMMANDS)
def test_answers_are_drawn(folder, monkeypatch, name):
    monkeypatch.chdir(folder)
    result = invoke([*shlex.split(COMMANDS[name]), "--html", f"{name}.html", "--markdown", f"{name}.md"])
    assert result.exit_code == (1 if name == "nothing" else 0), result.stderr
    page = (folder / f"{name}.html").read_text(encoding="utf-8")
    assert page.count("<h1") == 1
    assert "sidelight " in page
    assert len(page) < 200_000
    text = (folder / f"{name}.md").read_text(encoding="utf-8")
    assert text.startswith("# ")
    assert ("<svg" in page) == (name not in ("ledger", "believe", "believe names", "generalisations", "nothing"))
    if name not in ("ledger", "audit", "protect", "nothing"):
        exec(text.rpartition("```python")[2].partition("```")[0], {})
