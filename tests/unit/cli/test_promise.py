"""`sidelight promise`: of an epsilon, of ledgers and of noisy counts; in words, as JSON, as a picture."""

import json
from pathlib import Path

import pytest
from support.command_line import invoke
from support.words import mentions

import sidelight as sl

pytest.importorskip("opendp", reason="noise needs the extra dp")


def told(*words, code=0):
    done = invoke(["promise", *words])
    assert done.exit_code == code, done.stderr
    return done.stderr if code else done.stdout


def test_an_epsilon_is_explained():
    text = " ".join(told("--epsilon", "1", "--prior", "0.01").split())
    assert " ".join(sl.semantic_privacy(1).explain(prior=0.01).split()) in text


def test_json_has_the_three_ways():
    document = json.loads(told("-e", "1", "--delta", "1e-9", "--people", "45222", "--chance", "0.001", "--json"))
    assert list(document) == ["kind", "schema_version", "source", "answer", "notes"]
    promise = sl.semantic_privacy(1, "1e-9", people=45_222, chance="0.001")
    answer = document["answer"]
    assert (answer["shift"], answer["chance"]) == (promise.shift, 0.001)
    assert answer["error_rates"]["recognised"] == promise.error_rates().recognised
    assert answer["disclosure_risk"]["being_in"]["posterior"] == promise.disclosure_risk().posterior
    assert answer["disclosure_risk"]["a_value"]["posterior"] > promise.disclosure_risk().posterior


def test_what_bounds_no_odds_is_null_in_json():
    answer = json.loads(told("-e", "1", "--delta", "1e-4", "--people", "45222", "--json"))["answer"]
    assert answer["disclosure_risk"]["being_in"]["odds_factor"] is None


def test_files_say_themselves_what_they_cost(sample_files):
    counts = ["--levels", "sex=0", "--hierarchies", "hierarchies", "--sensitive", "disease", "--epsilon", "1"]
    counts += [word for each in ("Flu", "AIDS", "Ulcer", "Dyspepsia", "Cancer") for word in ("--domain", each)]
    assert invoke(["ledger", "begin", "budget.json", "--epsilon", "3"]).exit_code == 0
    paid = ["noise", "patients.parquet", *counts, "--person", "each row", "--ledger", "budget.json"]
    done = invoke([*paid, "-o", "noisy.csv"])
    assert done.exit_code == 0, done.stderr
    assert "recognises you in at most 13.6 %" in done.stdout
    text = " ".join(told("noisy.csv", "--plot", "promise.json").split())
    assert "recognises you in at most 13.6 %" in text
    assert "promised to each row" in text
    assert "Drawn: promise.json" in text
    assert "vega-lite" in Path("promise.json").read_text()
    sl.Ledger("budget.json").spend(sl.Spending("a talk", epsilon=1))
    together = " ".join(told("noisy.csv", "budget.json").split())
    assert "for 2 releases together" in together  # counts whose receipt is on the ledger count once
    assert "recognises you in at most 37 %" in together
    assert "planned in advance" not in together  # a sum of epsilons holds however they came about
    read_off = told("noisy.csv", "budget.json", "--people", "40", "--chance", "0.01")
    assert "planned in advance" in " ".join(read_off.split())
    spent = " ".join(invoke(["ledger", "spent", "budget.json"]).stdout.split())
    assert "recognises you in at most 37 %" in spent
    assert "leave out --epsilon" in told("noisy.csv", "-e", "1", code=2)
    assert "'noisy.csv' is no picture" in told("noisy.csv", "--plot", "noisy.csv", code=2)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], ("ledgers or noisy counts", "--epsilon")),
        (["-e", "1", "--delta", "1e-9"], ("how many people", "--people")),
        (["-e", "1", "--prior", "2"], ("--prior is 2.0", "above 0 and below 1")),
        (["-e", "1", "--false-alarms", "0"], ("--false-alarms", "above 0 and below 1")),
        (["-e", "nothing"], ("epsilon is nothing", "no finite number")),
        (["-e", "1", "--plot", "promise.pdf"], (".svg, .png, .html or .json",)),
        (["-e", "1", "--plot", "no/such/promise.svg"], ("no folder 'no/such'",)),
        (["-e", "1", "--plot", "one.json", "-o", "one.json"], ("one.json", "twice")),
    ],
)
def test_bad_input_is_one_line(tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    error = told(*words, code=2)
    assert mentions(error, *message)
    assert error.count("\n") == 1


def test_rows_that_nobody_checked_are_promised_nothing_without_that_condition(sample_files):
    counts = ["--levels", "sex=0", "--hierarchies", "hierarchies", "--sensitive", "disease", "--domain", "Flu"]
    done = invoke(["noise", "patients.parquet", *counts, "-e", "1", "--person", "each row", "-o", "noisy.csv"])
    assert done.exit_code == 0, done.stderr
    condition = json.loads(told("noisy.csv", "--json"))["answer"]["condition"]
    assert mentions(condition.lower(), "if", "no two rows", "one person", "nobody checked")
    spent = " ".join(invoke(["ledger", "spent", "noisy.csv"]).stdout.split())
    assert f"{condition}: whoever guesses" in spent
    attack = ["attack-noise", "noisy.csv", "--people", "patients.parquet", "--hierarchies", "hierarchies"]
    known = " ".join(invoke([*attack, "--others", "patients.parquet"]).stdout.split())
    assert mentions(known, "at most", f"{condition[0].lower()}{condition[1:]}", "promised is a shift")


def test_a_chance_says_for_how_many_people_it_is():
    words = " ".join(told("-e", "1", "--delta", "1e-9", "--people", "45222").split())
    assert mentions(words, "for at most 45,222 people", "nobody checked")


def test_a_ledger_with_a_delta_says_for_how_many_people(sample_files):
    counts = ["--levels", "sex=0", "--hierarchies", "hierarchies", "--sensitive", "disease", "--domain", "Flu"]
    assert invoke(["ledger", "begin", "budget.json", "--epsilon", "3", "--delta", "1e-6"]).exit_code == 0
    paid = ["-e", "1", "--delta", "1e-9", "--people-at-most", "50", "--ledger", "budget.json"]
    done = invoke(["noise", "patients.parquet", *counts, *paid, "--person", "id", "-o", "noisy.csv"])
    together = " ".join(done.stdout.split()).partition("All 1 of the ledger together")[2]
    assert mentions(together, "for at most 50 people", "publisher says", "nobody checked")
