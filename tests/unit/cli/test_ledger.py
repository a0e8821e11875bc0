"""`sidelight ledger show`: what was spent, on what, and where it was published."""

import json
from pathlib import Path

import pytest
from support.command_line import invoke

import sidelight as sl

pytest.importorskip("opendp", reason="noise needs the extra dp")

NOISE = ["noise", "patients.parquet", "--levels", "sex=0", "--hierarchies", "hierarchies", "--sensitive", "disease"]
NOISE += [word for each in ("Flu", "AIDS", "Ulcer", "Dyspepsia", "Cancer") for word in ("--domain", each)]
NOISE += ["--person", "id", "--epsilon", "1", "--ledger", "budgets/budget.json", "--budget", "3"]


@pytest.fixture(autouse=True)
def _files(sample_files):
    (sample_files / "budgets").mkdir()
    assert invoke([*NOISE, "-o", "noisy.csv"]).exit_code == 0
    assert invoke([*NOISE, "-o", "again.parquet"]).exit_code == 0
    sl.Ledger("budgets/budget.json").spend(sl.Spending("a talk", epsilon=0.25))


def shown(*words, code=0):
    done = invoke(["ledger", "show", "budgets/budget.json", *words])
    assert done.exit_code == code, done.stderr
    return done.stdout


def test_every_entry_says_what_was_published_where():
    text = " ".join(shown().split())
    assert "Ledger budget.json: epsilon 2.25 of 3 and delta 0 of 0 spent on 3 entries" in text
    assert ": epsilon 1 for 10 counts of disease by sex (level 0)" in text
    assert "discrete Laplace noise of scale 1" in text
    assert "promised to each person; that nobody has two rows was checked by 'id'" in text
    assert "published as ../noisy.csv (as published), sha256" in text
    assert "1 entry without a file" in text


def test_json_has_the_common_envelope():
    document = json.loads(shown("--json"))
    assert list(document) == ["kind", "schema_version", "source", "answer", "notes"]
    assert (document["kind"], document["source"]) == ("ledger", "budgets/budget.json")
    answer = document["answer"]
    assert answer["spent"] == {"epsilon": "2.25", "delta": "0"}
    first, _, last = answer["entries"]
    beside = json.loads(Path("noisy.csv.noise.json").read_text())
    (file,) = first["published"]
    assert (file["file"], file["sha256"], file["now"]) == ("../noisy.csv", beside["file"]["sha256"], "as published")
    assert first["receipt"] == beside["receipt"]
    assert first["counted"]["levels"] == [["sex", 0]]
    assert first["counted"]["unit"] == {"person": "id", "values": "single", "values_per_person": 1}
    assert last["published"] == []


def test_files_that_are_gone_or_changed_are_named():
    Path("noisy.csv").write_text("other")
    Path("again.parquet").unlink()
    states = [file["now"] for each in json.loads(shown("--json"))["answer"]["entries"] for file in each["published"]]
    assert states == ["changed since", "not there"]


def test_no_ledger_is_one_line():
    done = invoke(["ledger", "show", "nowhere.json"])
    assert (done.exit_code, done.stdout) == (2, "")
    assert (
        done.stderr
        == "sidelight: no ledger 'nowhere.json'; check the path, or begin one by publishing noise with its budget\n"
    )
