"""`sidelight audit`, from the outside: what is printed, what is written, and the exit status."""

import errno
import json
import os
import subprocess
import sys
from functools import partial

import pytest
from support.command_line import invoke
from support.words import mentions

import sidelight as sl
from sidelight import files as _files
from sidelight.policy.limits import settings_of
from sidelight.policy.measure_names import all_measures, population_measures, shown_measures
from sidelight.report.report import AuditReport, singled_out

ROWS = """age,sex,disease,name
20-29,f,Flu,Ann
20-29,f,Flu,Bea
20-29,f,Cold,Cleo
30-39,m,Flu,Dan
30-39,m,Cold,Ed
"""
ROLES = ("--group", "age", "--group", "sex", "--sensitive", "disease")
POLICY = """
[roles]
quasi = ["age", "sex"]
sensitive = "disease"

[[limit]]
measure = "group size"
at_least = 2
"""


def run(*args):
    """Run it in this process, which is quick."""
    return invoke(["audit", *map(str, args)])


def process(*args, **options):
    """Run it as a user does."""
    command = [sys.executable, "-m", "sidelight", "audit", *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, check=False, encoding="utf-8", **options)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "published.csv"
    path.write_text(ROWS)
    return path


@pytest.fixture
def policy(tmp_path):
    path = tmp_path / "policy.toml"
    path.write_text(POLICY)
    return path


def test_within_policy_is_0_and_not_is_1(file, policy):
    within = process(file, "--policy", policy)
    assert (within.returncode, within.stderr) == (0, "")
    assert "✓ Within policy" in within.stdout
    broken = process(file, *ROLES, "--limit", "group size >= 3")
    assert (broken.returncode, broken.stderr) == (1, "")
    assert "✗ Not within policy" in broken.stdout


def test_json_is_the_document_and_nothing_else(file, policy):
    result = run(file, "-p", policy, "--json")
    report = AuditReport.model_validate_json(result.stdout)
    assert report.answer.verdict == "within policy"
    assert report.source == str(file)
    assert report.answer.roles == {"quasi": ["age", "sex"], "sensitive": "disease"}
    facts = report.answer.release
    assert (facts.people, facts.groups, facts.columns) == (5, 2, ("age", "sex"))
    assert (report.answer.intake.rows, report.answer.intake.columns_dropped) == (5, ("name",))
    assert "columns not used: name" in report.notes
    assert not [name for name in ("Ann", "Bea", "Cleo", "Dan", "Ed") if f'"{name}"' in result.stdout]


def test_limits_of_options_are_added_to_those_of_the_file(file, policy):
    result = run(file, "-p", policy, "-l", "distinct values >= 3", "-m", "entropy diversity", "--json")
    report = json.loads(result.stdout)["answer"]
    assert [(each["measure"], each["holds"]) for each in report["findings"]] == [
        ("group size", True),
        ("distinct values", False),
        ("entropy diversity", None),
    ]
    assert result.exit_code == 1


def test_measures_alone_judge_nothing(file):
    result = run(file, *ROLES, "--measure", "entropy diversity", "--json")
    report = json.loads(result.stdout)["answer"]
    assert (result.exit_code, report["verdict"], len(report["findings"])) == (0, "no policy", 1)


def test_with_neither_policy_nor_measures_all_usual_ones_are_shown(file):
    result = run(file, *ROLES, "--json")
    assert [each["measure"] for each in json.loads(result.stdout)["answer"]["findings"]] == [
        kind.name for kind in shown_measures()
    ]
    assert "No policy was given" in run(file, *ROLES).stdout


NEEDED = {
    "numeric belief": "(expects=2, spread=1, stubbornness=9, within=0.5, numbers={Flu=1, Cold=2, AIDS=3})",
    "prior belief": "(stubbornness=1000)",
    "disclosure cost": "(k=1, weights={Flu=2})",
    "unique match": "(fraction=0.1)",
    "population uniques": "(people=1000)",
    "dominance": "(numbers={Flu=1, Cold=2, AIDS=3})",
    "remainder": "(numbers={Flu=1, Cold=2, AIDS=3})",
}


def test_the_estimation_error_is_asked_in_python_where_the_original_is(file):
    one_line(run(file, *ROLES, "--measure", "estimation error"), "original")


@pytest.mark.parametrize(
    "kind",
    [kind for kind in all_measures() if kind not in (sl.EstimationError, sl.IndividualRisk, sl.Insider)],
    ids=lambda kind: kind.name,
)
def test_every_measure_can_be_asked_and_explains_itself(file, kind):
    required = [f"{name}=1" for name, (_, default) in settings_of(kind).items() if default is ...]
    text = kind.name + NEEDED.get(kind.name, f"({', '.join(required)})")
    if kind in population_measures():  # the release's own people, who are recoded as it is
        text = f'{kind.name}(population="{file}")'
    result = run(file, *ROLES, "--measure", text, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    answer = json.loads(result.stdout)["answer"]["findings"][0]
    assert answer["measure"] == kind.name
    assert answer["explanation"]
    assert answer["estimate"] == kind.estimate
    if not kind.estimate and kind is not sl.SinglingOut:  # which are about people who are alone: here nobody is
        assert answer["witness"]["group"]["says"].keys() == {"age", "sex"}
    assert kind.name.split()[0] in run(file, *ROLES, "--measure", text).stdout  # long ones are folded


def test_the_individual_risk_needs_weights(file, tmp_path):
    one_line(
        run(file, *ROLES, "--measure", "individual risk"), "needs sampling weights; name their column with --weight"
    )
    survey = tmp_path / "survey.csv"
    survey.write_text("age,disease,w\n20,Flu,17\n30,Flu,40\n30,Cold,44.5\n")
    for option in ("--weight", "--weights"):
        result = run(survey, "-g", "age", "-s", "disease", option, "w", "--measure", "individual risk")
        assert "0.1771, an estimate" in " ".join(result.stdout.split())
    light = run(survey, "-g", "age", "-s", "disease", "--weight", "w", "--limit", "unique match <= 0.2", "--json")
    assert json.loads(light.stdout)["answer"]["findings"][0]["witness"]["fraction"] == "6/203"
    survey.write_text("age,disease,w\n20,Flu,17\n30,Flu,\n")
    asked = ("-g", "age", "-s", "disease", "--weight", "w")
    one_line(run(survey, *asked, "--measure", "individual risk"), "--weight is 'w', where cells are missing")
    assert run(survey, *asked).exit_code == 0


def test_roles_by_option(tmp_path):
    path = tmp_path / "visits.csv"
    path.write_text("id,age,disease\n1,20,Flu\n1,20,Flu\n1,20,Cold\n2,20,?\n3,*,Flu\n")
    options = ("--missing-mark", "?", "--missing", "drop", "--suppressed", "leave out", "--person", "id")
    result = run(path, "-g", "age", "-s", "disease", "--values", "set", *options, "--json")
    document = json.loads(result.stdout)
    report = document["answer"]
    assert (report["release"]["semantics"], report["release"]["groups"]) == ("set", 1)
    intake = report["intake"]
    assert (intake["rows"], intake["rows_without_value"], intake["rows_suppressed"], intake["repeats"]) == (5, 1, 1, 1)
    assert len(document["notes"]) == 3


def test_the_report_is_written_whole_and_not_over_another(file, policy, tmp_path):
    kept = tmp_path / "report.json"
    first = run(file, "-p", policy, "--output", kept)
    assert first.exit_code == 0
    assert "Written to" in first.stdout
    written = kept.read_text(encoding="utf-8")
    assert AuditReport.model_validate_json(written).answer.verdict == "within policy"
    again = run(file, "-p", policy, "--output", kept, "--limit", "group size >= 3")
    assert (again.exit_code, again.stdout) == (2, "")
    one_line(again, f"'{kept}' exists", "--force")
    assert kept.read_text(encoding="utf-8") == written
    forced = run(file, "-p", policy, "--output", kept, "--limit", "group size >= 3", "--force", "--json")
    assert forced.exit_code == 1
    assert forced.stdout == kept.read_text(encoding="utf-8") != written
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_places_that_cannot_be_written(file, policy, tmp_path):
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)
    places = ((tmp_path, "is a folder"), (tmp_path / "no" / "report.json", "no folder"), (pipe, "a device or a pipe"))
    for place, said in places:
        result = run(file, "-p", policy, "--output", place, "--force")
        assert (result.exit_code, result.stdout) == (2, "")
        assert said in result.stderr
    assert not pipe.is_file()


def test_a_place_that_turns_out_not_to_be_writable_is_one_line(file, policy, tmp_path, monkeypatch):
    def denied(**options):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(_files.tempfile, "mkdtemp", denied)
    result = run(file, "-p", policy, "--output", tmp_path / "report.json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.endswith("report.json': Permission denied; choose another place\n")


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--policy", "nowhere.toml"), ("no policy file 'nowhere.toml'",)),
        ((), ("--group and --sensitive", "[roles] of the policy")),
        (("-g", "age"), ("with --sensitive", "[roles] of the policy")),
        (("-s", "disease"), ("published.csv", "age, sex, disease, name")),
        ((*ROLES, "--measure", "nonsense"), ("'nonsense'", "group size, distinct values")),
        ((*ROLES, "--measure", "nonsense"), ("candidates, maximum entropy",)),
        (("-g", "ade", "-s", "disease"), ("'ade'", "mean 'age'")),
        (("-g", "ward", "-s", "disease"), ("'ward'", "published.csv", "age, sex, disease, name")),
        (
            (*ROLES, "--limit", "grup size >= 5"),
            ("no measure 'grup size'", "'grup size >= 5'", "'group size'"),
        ),
        ((*ROLES, "--limit", "group size >= 0"), ("limit 0", "'group size'", "out of range")),
        ((*ROLES, "--limit", "closeness <= 1.5"), ("limit 1.5", "'closeness'", "out of range")),
        ((*ROLES, "--measure", "entropy"), ("no measure 'entropy'", "mean")),
        (("-g", "agee", "-s", "disease"), ("no column 'agee'",)),
        (("-g", "age", "-s", "diseas"), ("'diseas'", "'disease'")),
        (("-g", "age", "-g", "disease", "-s", "disease"), ("disease",)),
        (("-g", "age", "-s", "disease", "--person", "sex"), ("sex",)),
    ],
)
def test_bad_questions_get_one_line_and_status_2(file, args, said):
    one_line(run(file, *args), *said)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", ("empty",)),
        (b"age,sex,disease\n", ()),
        (b"age,sex,disease\n1,f,Flu\n2,m\n3,f,Flu,more,still\n", ()),
        ("age,sex,disease\n1,f,Grippe\n2,m,Erkältung\n".encode("latin-1"), ("UTF-8",)),
        (b"age,sex,disease\n1,f,Flu\n2,m,\n", ("missing",)),
    ],
    ids=["empty", "no rows", "ragged", "latin-1", "missing value"],
)
def test_bad_files_get_one_line_and_status_2(tmp_path, content, said):
    path = tmp_path / "bad.csv"
    path.write_bytes(content)
    one_line(run(path, *ROLES), *said)


def test_a_file_that_is_not_there(tmp_path):
    one_line(run(tmp_path / "nowhere.csv", *ROLES), "nowhere.csv")


def test_a_folder_is_no_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for args in (("."), (".", *ROLES), (tmp_path, *ROLES), ("..",)):
        one_line(run(*args), "is a folder; name its files")


def test_inputs_are_never_written_over(file, policy, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link.csv").symlink_to(file)
    (tmp_path / "hard.toml").hardlink_to(policy)
    for place in ("published.csv", "policy.toml", "link.csv", "hard.toml", tmp_path / "published.csv"):
        for verb in (("audit",), ("explore", "--value", "Flu"), ("believe",)):
            args = [verb[0], "published.csv", *verb[1:], "-p", "policy.toml", "-o", str(place), "--force"]
            one_line(invoke(args), "inputs are never written over")
    assert (file.read_text(), policy.read_text()) == (ROWS, POLICY)


def test_one_person_twice_in_single(tmp_path):
    path = tmp_path / "twice.csv"
    path.write_text("id,age,disease\nBob,20,Flu\nBob,20,Cold\n")
    result = run(path, "-g", "age", "-s", "disease", "--person", "id")
    one_line(result, "values")
    assert "Bob" not in result.stderr


def one_line(result, *said):
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("sidelight: ")
    assert result.stderr.count("\n") == 1
    assert mentions(result.stderr, *said)
    assert "should not have happened" not in result.stderr


def test_a_file_without_names_of_columns_is_not_listed(tmp_path):
    people = tmp_path / "people.csv"
    people.write_text("Ann,34,Flu\nBea,35,Cold\n")
    for args in ((), ("-g", "age", "-s", "disease")):
        result = run(people, *args)
        one_line(result, "first line", "somebody's row", "not shown", "column names")
        assert "Ann" not in result.stderr


def test_debug_shows_where(file):
    result = process(file, "--debug")
    assert result.returncode == 2
    assert "Traceback" in result.stderr
    assert result.stderr.splitlines()[-1].startswith("sidelight: which columns?")


def test_an_audit_without_limits_says_who_stands_alone_and_by_which_columns(tmp_path):
    release = tmp_path / "release.csv"
    release.write_text("age,sex,disease\n30,f,Flu\n30,m,Flu\n40,f,Cold\n40,f,Flu\n")
    page = run(release, *ROLES)
    assert mentions(page.stdout, "2 of 4 people", "alone", "group")
    assert mentions(page.stdout, "Without sex", "2 fewer", "alone")
    alone = json.loads(run(release, *ROLES, "--json").stdout)["answer"]["singled_out"]
    assert alone == {"people": 2, "worst_columns": [{"column": "sex", "fewer": 2}, {"column": "age", "fewer": 1}]}
    limited = run(release, *ROLES, "--limit", "group size >= 2", "--json")
    assert json.loads(limited.stdout)["answer"]["singled_out"] is None


def test_too_many_groups_to_go_through_again_are_said_so(file, monkeypatch):
    monkeypatch.setattr("sidelight.answers.audit.singled_out", partial(singled_out, most_cells=0))
    release = file.with_name("alone.csv")
    release.write_text("age,sex,disease\n30,f,Flu\n30,m,Flu\n")
    page = run(release, *ROLES)
    assert "sidelight columns tells" in " ".join(page.stdout.split())


@pytest.mark.parametrize(
    ("called", "here"),
    [
        ("k-map", "journalist risk"),
        ("δ-presence", "presence"),
        ("DIS", "unique match"),
        ("population uniqueness", "population uniques"),
        ("re-identification risk", "prosecutor risk"),
        ("marketer", "marketer risk"),
        ("prosecutor", "prosecutor risk"),
        ("journalist", "journalist risk"),
        ("SUDA", "singling out"),
        ("special uniques", "singling out"),
    ],
)
def test_the_words_of_the_field_lead_to_ours(file, called, here):
    result = run(file, *ROLES, "--measure", called)
    assert (result.exit_code, f"'{here}'" in result.stderr) == (2, True), result.stderr
