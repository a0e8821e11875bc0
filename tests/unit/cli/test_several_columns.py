"""Several sensitive columns on the command line."""

import json

import pytest
from support.command_line import invoke
from support.words import mentions

ROWS = """id,zip,sex,disease,income
1,1,f,Flu,low
2,1,f,Cold,high
3,1,m,Flu,high
4,2,m,Cold,low
5,2,f,Flu,low
6,2,m,HIV,high
"""
POLICY = """
[roles]
quasi = ["zip", "sex"]
sensitive = ["disease", "income"]

[[limit]]
measure = "distinct values"
at_least = 2

[[limit]]
measure = "implications"
k = 0
of = "income"
known = ["disease"]
at_most = 1
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text(ROWS)
    (tmp_path / "policy.toml").write_text(POLICY)


def run(text, *more):
    return invoke([*text.split(), *more])


def test_of_two_sensitive_columns_the_last_one_does_not_silently_win():
    outcome = run("audit people.csv -g zip -s disease -s income --json -l", "distinct values >= 3")
    assert outcome.exit_code == 1
    answer = json.loads(outcome.stdout)["answer"]
    assert answer["release"]["sensitive"] == ["disease", "income"]
    assert [(each["settings"]["of"], each["result"]["exact"]) for each in answer["findings"]] == [
        ("disease", "2"),
        ("income", "2"),
    ]


def test_a_limit_names_its_column_and_what_is_known():
    outcome = run("audit people.csv -g zip -s disease -s income -l", "distinct values(of=income, known=[disease]) >= 2")
    assert outcome.exit_code == 1
    assert "values(of=income" in outcome.stdout
    assert mentions(" ".join(outcome.stdout.split()), "about 'income'", "knows everybody's 'disease'")


def test_without_a_measure_each_column_is_asked_about():
    outcome = run("audit people.csv -g zip -s disease -s income --json")
    findings = json.loads(outcome.stdout)["answer"]["findings"]
    about = [each["settings"].get("of") for each in findings]
    assert {each["measure"] for each in findings if "of" not in each["settings"]} == {
        "group size",
        "prosecutor risk",
        "marketer risk",
    }
    assert about.count("disease") == about.count("income") == (len(findings) - 3) // 2


def test_several_columns_stand_together_is_noted_unless_a_limit_is_about_that():
    noted = run("audit people.csv -g zip -s disease -s income -l", "distinct values >= 2")
    assert "disease and income stand together" in noted.stdout
    assert "stand together" not in run("audit people.csv --policy policy.toml").stdout


@pytest.mark.parametrize("method", ["lattice", "mondrian", "microaggregation", "anatomy"])
@pytest.mark.parametrize("file", ["release.csv", "release.parquet"])
def test_publishing_prints_all_of_them_and_reads_them_back(method, file):
    outcome = run(
        f"protect people.csv --policy policy.toml --suppress-only zip --suppress-only sex --method {method} -o {file}"
        if method == "lattice"
        else f"protect people.csv --policy policy.toml --method {method} -o {file}"
    )
    assert outcome.exit_code == 0, outcome.stderr
    again = run(f"audit {file} --policy policy.toml --json")
    answer = json.loads(again.stdout)["answer"]
    assert (again.exit_code, answer["verdict"]) == (0, "within policy")
    assert answer["release"]["sensitive"] == ["disease", "income"]
    assert answer["release"]["people"] == 6
    one = json.loads(run(f"audit {file} -s income --json -l", "distinct values >= 2").stdout)["answer"]
    assert (one["release"]["sensitive"], one["verdict"]) == ("income", "within policy")


def test_a_published_row_has_both_cells_of_one_person(tmp_path):
    run("protect people.csv --policy policy.toml --suppress-only zip --suppress-only sex -o release.csv")
    header, *rows = (tmp_path / "release.csv").read_text().splitlines()
    assert header.split(",")[-2:] == ["disease", "income"]
    assert sorted(row.split(",")[-2:] for row in rows) == sorted(row.split(",")[-2:] for row in ROWS.splitlines()[1:])
    assert json.loads((tmp_path / "release.csv.sidelight.json").read_text())["reading"]["domain"] == {
        "disease": ["Cold", "Flu", "HIV"],
        "income": ["high", "low"],
    }


@pytest.mark.parametrize(
    "text",
    [
        "explore people.csv -g zip -s disease -s income --value Flu",
        "believe people.csv -g zip -s disease -s income",
        "attack people.csv --people people.csv --quasi zip -s disease -s income",
    ],
)
def test_verbs_about_one_column_ask_for_one(text):
    outcome = run(text)
    assert outcome.exit_code == 2
    assert mentions(outcome.stderr, "disease, income", "one", '--sensitive "disease"')
    assert outcome.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("-s disease -s disease", ("'disease'", "--sensitive", "twice")),
        ("-s disease -s zip", ("'zip'", "--sensitive", "--group")),
        ("-s disease -s income --values set --person id", ("one at a time", "--group")),
        ("-s disease -s income --domain Flu", ("--domain", "one sensitive column")),
        ("-s disease -s wage", ("no column 'wage'", "people.csv")),
    ],
)
def test_what_does_not_go_together(text, message):
    outcome = run(f"audit people.csv -g zip {text}")
    assert outcome.exit_code == 2
    assert mentions(outcome.stderr, *message)


def test_a_missing_cell_names_its_column(tmp_path):
    (tmp_path / "people.csv").write_text(ROWS.replace("6,2,m,HIV,high", "6,2,m,HIV,"))
    outcome = run("audit people.csv -g zip -s disease -s income")
    assert mentions(outcome.stderr, "1 of 6 rows", "no 'income'", "--missing")
    dropped = run("audit people.csv -g zip -s disease -s income --missing drop --json")
    assert json.loads(dropped.stdout)["answer"]["release"]["people"] == 5
