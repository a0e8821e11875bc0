"""`sidelight attack-noise`, and noisy counts among the files of `sidelight attack`."""

import json
import re
from pathlib import Path

import pyarrow.csv as pc
import pytest
from support.command_line import answer, invoke
from support.words import mentions, says

import sidelight as sl

pytest.importorskip("opendp", reason="noise needs the extra dp")

NOISE = ["noise", "patients.parquet", "--levels", "sex=0", "--hierarchies", "hierarchies", "--sensitive", "disease"]
NOISE += [word for each in ("Flu", "AIDS", "Ulcer", "Dyspepsia", "Cancer") for word in ("--domain", each)]
NOISE += ["--person", "id"]
ATTACK = ["attack-noise", "noisy.csv", "again.parquet", "--people", "patients.parquet", "--hierarchies", "hierarchies"]
OTHERS = ["--others", "patients.parquet", "--others", "patients.parquet"]


@pytest.fixture(autouse=True)
def _files(sample_files):
    assert invoke([*NOISE, "--epsilon", "1", "-o", "noisy.csv"]).exit_code == 0
    assert invoke([*NOISE, "--epsilon", "0.5", "--delta", "1e-9", "-o", "again.parquet"]).exit_code == 0


def test_somebody_who_knows_nothing_else():
    told = answer(invoke([*ATTACK, "--json"]))
    assert (told["people"], told["knows"], told["promise"]) == (40, "nothing else", None)
    said = " ".join(invoke(ATTACK).stdout.split())
    assert says(said, "counts are published for", "no noise bounds it")


def test_somebody_who_knows_everybody_else_is_held_by_the_promise():
    told = answer(invoke([*ATTACK, *OTHERS, "--chance", "0.01", "--prior", "uniform", "--json"]))
    assert told["knows"] == "everybody else"
    assert told["belief_before"] == pytest.approx(1 / 6)  # five diseases, and others
    assert told["promise"]["chance"] == 0.01
    assert told["promise"]["shift"] < sl.semantic_privacy("1.5").shift
    said = " ".join(invoke([*ATTACK, *OTHERS]).stdout.split())
    assert re.search(r"promised [^.]* at most 0\.\d", said)
    assert "over the noise" in said


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (ATTACK[:-2], "give the folder of hierarchies with --hierarchies"),
        ([*ATTACK, "--others", "patients.parquet"], "1 tables for 2 noisy releases"),
        ([*ATTACK, *OTHERS, "--chance", "2"], "chance is 2; give a share above 0 and below 1"),
        (["attack-noise", "published.csv", *ATTACK[3:]], "no 'published.csv.noise.json' beside 'published.csv'"),
        ([*ATTACK, "-o", "noisy.csv.noise.json", "--force"], "never written over"),
    ],
)
def test_bad_input(words, says):
    result = invoke(words)
    assert result.exit_code == 2
    assert says in result.stderr


def test_an_attack_reads_noisy_counts_beside_partitions():
    words = ["attack", "published.csv", "noisy.csv", "--people", "patients.parquet", "-g", "sex", "-s", "disease"]
    result = invoke([*words, "--truth", "disease", "--at-most", "0"])
    assert result.exit_code == 0, result.output
    said = " ".join(result.stdout.split())
    assert "(noise)" in said
    assert says(said, "release 2", "noise", "rules out nothing")
    told = answer(invoke([*words, "--json"]))
    assert [each["noise"] for each in told["releases"]] == [False, True]


def test_noisy_counts_of_something_else_are_refused():
    result = invoke(["attack", "noisy.csv", "--people", "patients.parquet", "-g", "sex", "-s", "age"])
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert mentions(result.stderr, "sidelight:", "noisy.csv", "noisy counts", "disease", "not", "age")


def test_noisy_counts_that_were_changed_are_refused():
    table = pc.read_csv("noisy.csv")
    pc.write_csv(table.slice(1), "noisy.csv")
    result = invoke(ATTACK)
    assert result.exit_code == 2
    assert mentions(result.stderr, "noisy.csv", "not the file", "noisy.csv.noise.json")


def test_what_is_told_as_json_has_the_envelope():
    document = json.loads(invoke([*ATTACK, "--json"]).stdout)
    assert list(document) == ["kind", "schema_version", "source", "answer", "notes"]
    assert (document["kind"], document["source"]) == ("attack-noise", ["noisy.csv", "again.parquet"])


def test_missing_values_are_what_they_were_when_they_were_counted():
    Path("gaps.csv").write_text("sex,disease\nf,Flu\nm,\nf,AIDS\nm,Flu\n")
    counted = ["noise", "gaps.csv", *NOISE[2:-2], "--person", "each row", "--epsilon", "1", "-o", "gaps.noisy.csv"]
    assert invoke(counted).exit_code == 0
    weighed = ["attack-noise", "gaps.noisy.csv", "--people", "gaps.csv", "--hierarchies", "hierarchies", "--json"]
    assert answer(invoke([*weighed, "--others", "gaps.csv"]))["people"] == 4


def test_counts_that_nobody_declared_are_named_as_what_they_are():
    found = [*NOISE[:4], *NOISE[6:8], "--person", "id", "--undeclared", "-e", "1", "--delta", "1e-9", "-o", "found.csv"]
    assert invoke(found).exit_code == 0
    for words in (["count", "found.csv"], ["attack-noise", "found.csv", *ATTACK[3:]]):
        done = invoke(words)
        assert done.exit_code == 2
        assert mentions(done.stderr, "found.csv.noise.json", "stable counts", "noisy counts", "needed")
