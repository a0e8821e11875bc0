"""Presets on the command line: limits of others, and the check of columns with its exit status."""

import json

import pytest
from support.command_line import invoke

import sidelight as sl

PRESET = ("--preset", "HIPAA safe harbour")


@pytest.fixture
def people(tmp_path):
    file = tmp_path / "people.csv"
    rows = "\n".join(
        f"{30 + number // 12},{'fm'[number % 2]},{'Flu' if number % 3 else 'Cold'}" for number in range(24)
    )
    file.write_text(f"age,sex,disease\n{rows}\n")
    return file


def test_an_identifier_that_is_found(tmp_path):
    file = tmp_path / "patients.csv"
    file.write_text("mrn,sex\n17,f\n18,m\n")
    result = invoke(["columns", file, *PRESET])
    assert (result.exit_code, result.stderr) == (1, "")
    assert "mrn: it is called like the number of a document or an account." in result.stdout
    assert "45 CFR 164.514(b)(2)" in result.stdout
    document = json.loads(invoke(["columns", file, *PRESET, "--json"]).stdout)
    assert (document["kind"], document["answer"]["found"]) == ("safe harbour", True)
    assert document["answer"]["look_like_none"] == ["sex"]


def test_nothing_found_is_could_not_tell(people):
    result = invoke(["columns", people, *PRESET])
    assert result.exit_code == 2
    assert "Could not tell" in result.stdout
    assert "safe." not in result.stdout


def test_three_digits_of_too_few_people_are_found(tmp_path):
    file, census = tmp_path / "visits.csv", tmp_path / "census.csv"
    file.write_text("zip,sex\n021,f\n059,m\n")
    census.write_text("zip,people\n02139,36000\n05901,300\n")
    asked = ["columns", file, *PRESET, "--population", census]
    result = invoke([*asked, "--residents", "people"])
    assert (result.exit_code, result.stderr) == (1, "")
    assert "1 of its 2 three digits of ZIP codes has 20,000 people" in " ".join(result.stdout.split())
    census.write_text("zip,people\n02139,36000\n05901,30000\n")
    assert invoke([*asked, "--residents", "people"]).exit_code == 2
    unknown = invoke([*asked, "--residents", "persons"])
    assert unknown.exit_code == 2
    assert "--population has no column 'persons'" in unknown.stderr
    other = invoke(["columns", file, "--population", census])
    assert other.exit_code == 2
    assert "are for --preset 'HIPAA safe harbour' here" in other.stderr


def test_a_check_drafts_nothing(people, tmp_path):
    result = invoke(["columns", people, *PRESET, "--write", tmp_path / "policy.toml"])
    assert result.exit_code == 2
    assert "drafts nothing" in result.stderr


def test_limits_of_a_preset_are_drafted(people, tmp_path):
    policy = tmp_path / "policy.toml"
    result = invoke(["columns", people, "--preset", "ACRO", "--write", policy])
    assert result.exit_code == 0
    assert "does not cover" in result.stdout
    assert sl.read_policy(policy) == sl.presets.acro(sums=False).policy
    assert "the rules for sums are left out" in policy.read_text()


def test_a_preset_in_an_audit(people):
    asked = ("audit", people, "-g", "age", "-g", "sex", "-s", "disease")
    result = invoke([*asked, "--preset", "EMA/Health Canada 0.09"])
    assert result.exit_code == 1
    printed = " ".join(result.stdout.split())
    assert "as secondary sources report it" in printed
    assert "does not cover" in printed
    assert "statistic=average" in printed
    assert invoke(["audit", people, "-g", "age", "-s", "disease", "--preset", "EMA/Health Canada 0.09"]).exit_code == 0
    check = invoke([*asked, *PRESET])
    assert check.exit_code == 2
    assert "sidelight columns FILE --preset" in check.stderr
    unknown = invoke([*asked, "--preset", "k-map(k=5)"])
    assert unknown.exit_code == 2
    assert "--population" in unknown.stderr


def test_a_preset_with_a_population(people):
    asked = ("audit", people, "-g", "age", "-s", "disease", "--population", people)
    assert invoke([*asked, "--preset", "k-map(k=12)"]).exit_code == 0
    assert invoke([*asked, "--preset", "k-map(k=13)"]).exit_code == 1
    assert "journalist" in invoke([*asked, "--preset", "EMA/Health Canada 0.09"]).stdout


def test_a_preset_of_a_policy_file_takes_the_population_and_reports_what_stands_beside_it(people, tmp_path):
    policy = tmp_path / "policy.toml"
    policy.write_text('preset = "EMA/Health Canada 0.09"\n[roles]\nquasi = ["age"]\nsensitive = "disease"\n')
    asked = ("audit", people, "--policy", policy, "--json")
    for further, measure in (((), "prosecutor risk"), (("--population", people), "journalist risk")):
        findings = json.loads(invoke([*asked, *further]).stdout)["answer"]["findings"]
        assert [(each["measure"], each["settings"].get("statistic"), each["holds"]) for each in findings] == [
            (measure, None, True),
            (measure, "average", None),
        ]


def test_a_preset_in_a_search(people):
    asked = ["protect", people, "-g", "sex", "-s", "disease", "--suppress-only", "sex", "--preset"]
    result = invoke([*asked, "ACRO(sums=false)"])
    assert result.exit_code == 0
    assert "does not cover" in result.stdout
    no_amounts = invoke([*asked, "ACRO"])
    assert no_amounts.exit_code == 2
    assert "ACRO(sums=false)" in no_amounts.stderr
