"""`sidelight believe` with statements about shares, from the outside."""

import json

import pytest
from support.command_line import invoke

ORIGINAL = """bucket,sex,degree,disease
1,male,college,Flu
1,male,college,Breast cancer
1,female,college,Flu
1,male,high school,Pneumonia
2,male,college,HIV
2,male,high school,Pneumonia
2,female,junior,Breast cancer
"""
ROLES = ("--group", "bucket", "--quasi", "sex", "--quasi", "degree", "--sensitive", "disease")


@pytest.fixture
def run(tmp_path):
    file = tmp_path / "buckets.csv"
    file.write_text(ORIGINAL)

    def believe(*args, roles=ROLES):
        return invoke(["believe", str(file), *roles, *map(str, args)])

    believe.file = file
    return believe


def test_who_is_most_at_risk(run):
    told = run("--know", "P(Breast cancer | sex=male) = 0", "--top", "2", "--table", run.file)
    assert told.exit_code == 0, told.stderr
    assert "maximum entropy" in told.stdout
    assert "not counting worlds" in told.stdout
    first = next(line for line in told.stdout.splitlines() if "Breast cancer" in line and "1.0000" in line)
    assert "female" in first
    assert "Estimation error" in told.stdout


def test_one_person_as_json(run, tmp_path):
    told = run("-k", "P(Flu | sex=male) <= 0.25", "-a", "{sex = male}", "--json", "-o", tmp_path / "out.json")
    document = json.loads(told.stdout)
    assert document == json.loads((tmp_path / "out.json").read_text())
    assert document["model"] == "maximum entropy"
    flu = next(each for each in document["beliefs"] if each["value"] == "Flu")
    assert flu["after"] == pytest.approx(0.25, abs=1e-9) or flu["before"] == flu["after"]
    assert document["residual"] <= 1e-8
    assert document["estimation_error"] is None


def test_a_published_file_by_its_printed_columns(run):
    told = run("-k", "0.2 <= P(Flu | sex=male) <= 0.3", "-a", "#1", roles=("-g", "sex", "-s", "disease"))
    assert told.exit_code == 0, told.stderr


def test_notes_are_told(run):
    assert "did you mean 'male'" in run("-k", "P(Flu | sex=mal) = 0.3").stdout


@pytest.mark.parametrize(
    ("know", "said"),
    [
        (["P(Flu | sex=male) = 0.3", "#1 = Flu"], "one kind at a time"),
        (["P(Flu | sx=male) = 0.3"], "did you mean 'sex'"),
        (["P(Fluu | sex=male) = 0.3"], "did you mean 'Flu'"),
        (["P(Flu | sex=male) = 1"], "the release says otherwise"),
        (["P(Flu | sex=male) = 1.2"], "between 0 and 1"),
        (["P(Flu | person=Bob) = 0.5"], "say who it is"),
    ],
)
def test_what_goes_wrong_is_one_line(run, know, said):
    told = run(*(part for text in know for part in ("--know", text)))
    assert told.exit_code == 2
    assert said in told.stderr
    assert len(told.stderr.strip().splitlines()) == 1


def test_whom_to_ask_about(run):
    assert "nobody called 'Zoe'" in run("-k", "P(Flu) >= 0.1", "-a", "Zoe").stderr
    assert "too late" in run("-k", "P(Flu) >= 0.1", "-a", "{sex = male} x").stderr


def test_the_column_that_names_people_is_heeded_in_buckets_too(run):
    run.file.write_text(
        "who,bucket,sex,degree,disease\nAnn,1,f,college,Flu\nAnn,1,f,college,HIV\nBob,1,m,college,Flu\n"
    )
    told = run("-k", "P(Flu | sex=m) = 0.3", "--person", "who")
    assert told.exit_code == 2
    assert told.stderr.startswith("sidelight: 1 person has more than one row; ")
    assert "Ann" not in told.stderr
