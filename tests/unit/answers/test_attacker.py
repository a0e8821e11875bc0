"""`sidelight attack --as learner`: what is told, and the exit status."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pytest
from support.command_line import invoke
from support.eleven import LIMITS, eleven
from support.words import mentions, says

import sidelight as sl


@pytest.fixture
def published(tmp_path, monkeypatch):
    """A hundred people whose disease hangs on their town, as anatomy and as Mondrian."""
    monkeypatch.chdir(tmp_path)
    towns = ["x"] * 40 + ["y"] * 40 + ["x", "y"] * 10
    diseases = ["Flu"] * 40 + ["Cold"] * 40 + ["Asthma"] * 20
    ages = [str(20 + at % 7) for at in range(100)]
    rows = pa.table({"town": towns, "age": ages, "disease": diseases})
    pc.write_csv(rows, "table.csv")
    table = sl.read_table(rows, quasi=["town", "age"], sensitive="disease")
    lots = sl.Anatomy(l=2, random=np.random.default_rng(1))
    sl.protect(table, sl.DistinctValues() >= 2, method=lots, ask="nobody").publish("anatomy.csv", seed=1)
    sl.protect(table, sl.GroupSize() >= 10, method="mondrian", ask="nobody").publish("mondrian.csv", seed=1)
    return Path()


def test_a_learner_is_told_with_its_calibration_and_judged_by_the_largest_belief(published):
    words = ["attack", "anatomy.csv", "--as", "learner", "--table", "table.csv"]
    result = invoke([*words, "--at-most", "0.6", "--json"])
    assert result.exit_code == 1
    document = json.loads(result.stdout)
    answer = document["answer"]
    assert (document["kind"], answer["as"], answer["people"]) == ("learner", "learner", 100)
    assert answer["largest"]["value"] > 0.6
    assert answer["right"] > 0.6
    assert sum(each["people"] for each in answer["calibration"]) == 100
    assert invoke([*words, "--at-most", "1"]).exit_code == 0
    assert invoke(words).exit_code == 0


def test_without_the_table_everything_is_only_claimed(published):
    result = invoke(["attack", "anatomy.csv", "--as", "learner", "--model", "naive bayes"])
    assert result.exit_code == 0
    assert "only claimed" in result.stdout
    assert "guessed right" not in result.stdout


def test_where_nobody_is_told_apart_a_limit_that_seems_kept_could_not_be_told(published):
    alone = invoke(["attack", "mondrian.csv", "--as", "learner", "--at-most", "1"])
    assert alone.exit_code == 2
    assert "give the people with --table" in " ".join(alone.stdout.split())
    known = ["attack", "mondrian.csv", "--as", "learner", "--at-most", "1", "--table", "table.csv"]
    assert invoke(known).exit_code == 0


@pytest.mark.parametrize("file", ["anatomy.csv", "mondrian.csv"])
def test_a_table_of_other_people_is_refused_and_the_group_named(published, file):
    lines = Path("table.csv").read_text().splitlines()
    Path("other.csv").write_text("\n".join([lines[0], *lines[:0:-1][:90]]) + "\n")
    result = invoke(["attack", file, "--as", "learner", "--table", "other.csv"])
    assert result.exit_code == 2
    assert "does not fit the release" in result.stderr
    assert "group " in result.stderr


def test_of_nobody_nothing_is_claimed_where_the_truth_is_held(published):
    result = invoke(["attack", "mondrian.csv", "--as", "learner", "--model", "naive bayes", "--table", "table.csv"])
    assert "≥ 0.99" in result.stdout
    assert "only claimed" not in result.stdout


def test_an_audit_cannot_tell_what_a_learner_reaches_where_nobody_says_who_is_in_which_group(published):
    Path("policy.toml").write_text('[[limit]]\nmeasure = "learner"\nat_most = 0.9\n')
    result = invoke(["audit", "mondrian.csv", "--policy", "policy.toml"])
    assert result.exit_code == 2
    assert mentions(result.stderr, "cannot be told", "nobody says", "which group")


def test_one_file_is_read_by_one_reader(published):
    result = invoke(["attack", "anatomy.csv", "mondrian.csv", "--as", "learner"])
    assert result.exit_code == 2
    assert "one published file" in result.stderr


def test_a_limit_is_a_probability(published):
    result = invoke(["attack", "anatomy.csv", "--as", "learner", "--at-most", "2"])
    assert result.exit_code == 2
    assert "cannot read --at-most 2" in result.stderr


def test_an_insider_is_judged_by_the_largest_belief(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sl.protect(eleven(), LIMITS, method="mondrian", ask="nobody").publish("release.csv", seed=1)
    eleven_as_a_file()
    words = ["attack", "release.csv", "--as", "insider", "--table", "table.csv"]
    result = invoke([*words, "--at-most", "0.5", "--json"])
    assert result.exit_code == 1
    answer = json.loads(result.stdout)["answer"]
    assert (answer["outcome"], answer["largest"]["exact"], answer["could_not_tell"]) == ("told", "1", 0)
    assert answer["above"][0] == {"belief": 0.5, "people": 3, "people_at_most": 3, "right": 1.0}
    assert invoke([*words, "--at-most", "1"]).exit_code == 0
    assert says(" ".join(invoke(words).stdout.split()), "2 cuts", "not made")


def test_an_insider_of_anatomy_learns_nothing_and_one_of_a_bare_file_could_not_tell(published):
    anatomy = invoke(["attack", "anatomy.csv", "--as", "insider", "--at-most", "0.5"])
    assert (anatomy.exit_code, "tells nothing about anybody" in " ".join(anatomy.stdout.split())) == (0, True)
    bare = invoke(
        ["attack", "table.csv", "--as", "insider", "--quasi", "town", "--quasi", "age", "--sensitive", "disease"]
    )
    assert bare.exit_code == 2
    assert mentions(bare.stderr, "could not tell", "nothing beside 'table.csv'", "how it was made", "--method", "guess")


def eleven_as_a_file():
    keys = [(0, 0)] * 3 + [(0, 1)] * 2 + [(1, 0)] * 2 + [(1, 1)] * 4
    rows = {"q0": [key[0] for key in keys], "q1": [key[1] for key in keys], "disease": list("aaabcdebcdf")}
    pc.write_csv(pa.table(rows), "table.csv")


def test_an_insider_of_a_file_whose_sidecar_keeps_the_method_back_could_not_tell(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sl.protect(eleven(), LIMITS, method="mondrian", ask="nobody").publish("release.csv", seed=1, quiet_method=True)
    attacked = invoke(["attack", "release.csv", "--as", "insider"])
    audited = invoke(["audit", "release.csv", "--measure", "insider"])
    for result in (attacked, audited):
        assert result.exit_code == 2
        assert "does not say how it was made" in result.stderr
    assert mentions(audited.stderr, "method=", "sl.insider", "sidelight attack --as insider")
    assert "the sidecar of 'release.csv'" in attacked.stderr
    assert mentions(attacked.stderr, "--method", "guess")


def test_whoever_guesses_the_method_that_a_sidecar_keeps_back_is_as_sure_as_an_insider(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sl.protect(eleven(), LIMITS, method="mondrian", ask="nobody").publish("release.csv", seed=1, quiet_method=True)
    eleven_as_a_file()
    words = ["attack", "release.csv", "--as", "insider", "--table", "table.csv", "--at-most", "0.5", "--json"]
    guessed = invoke([*words, "--method", "mondrian"])
    assert guessed.exit_code == 1
    assert json.loads(guessed.stdout)["answer"]["largest"]["exact"] == "1"
    other = invoke([*words, "--method", "lattice"])  # the sidecar tells no levels
    assert other.exit_code == 2
    wrong = invoke([*words, "--method", "mondrian", "--limit", "group size >= 2"])
    assert (wrong.exit_code, "did not make this release" in wrong.stderr) == (2, True)


def test_of_a_file_without_a_sidecar_somebody_guesses_method_and_policy(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sl.protect(eleven(), LIMITS, method="mondrian", ask="nobody").publish("made.csv", seed=1)
    Path("release.csv").write_text(Path("made.csv").read_text())
    eleven_as_a_file()
    words = [
        "attack",
        "release.csv",
        "--as",
        "insider",
        "--table",
        "table.csv",
        "-g",
        "q0",
        "-g",
        "q1",
        "-s",
        "disease",
    ]
    lacking = invoke([*words, "--method", "mondrian"])
    assert (lacking.exit_code, mentions(lacking.stderr, "--limit", "--policy")) == (2, True)
    limits = ["--limit", "group size >= 5", "--limit", "recursive diversity(l=2) <= 1"]
    guessed = invoke([*words, "--method", "mondrian", *limits, "--json"])
    assert json.loads(guessed.stdout)["answer"]["largest"]["exact"] == "1"


@pytest.mark.parametrize("reader", [["--as", "learner"], []])
def test_what_an_insider_guesses_is_refused_of_others(published, reader):
    result = invoke(["attack", "mondrian.csv", *reader, "--method", "mondrian"])
    assert (result.exit_code, "--method is what an insider knows" in result.stderr) == (2, True)


def test_an_insider_asks_for_the_people_by_the_option_and_tells_how_many_a_bound_leaves_open(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sl.protect(eleven(), LIMITS, method="mondrian", resists="insider", ask="nobody").publish("release.csv", seed=1)
    alone = invoke(["attack", "release.csv", "--as", "insider"])
    assert (alone.exit_code, "give them as --table" in alone.stderr) == (2, True)
    eleven_as_a_file()
    words = ["attack", "release.csv", "--as", "insider", "--table", "table.csv", "--json", "--at-most"]
    within, between = invoke([*words, "1/2"]), invoke([*words, "0.4"])
    assert (within.exit_code, between.exit_code) == (0, 2)
    assert json.loads(within.stdout)["answer"]["above"][0]["people_at_most"] == 0


def test_an_attacker_without_an_answer_of_its_own_is_asked_by_its_measure(published, monkeypatch):
    words = ["attack", "mondrian.csv", "--as", "prosecutor risk", "--json"]
    assert invoke(words).exit_code == 2
    monkeypatch.setattr(sl.ProsecutorRisk, "attacker", replace(sl.ProsecutorRisk.attacker, asked_by_search=True))
    document = json.loads(invoke(words).stdout)
    assert (document["kind"], document["answer"]["as"]) == ("prosecutor risk", "prosecutor risk")
    assert invoke([*words, "--at-most", "0.01"]).exit_code == 1
