"""`sidelight ledger show`: what was spent, on what, and where it was published."""

import json
import shutil
from fractions import Fraction
from pathlib import Path

import pytest
from support.command_line import answer, invoke
from support.words import mentions, says

import sidelight as sl
from sidelight.noise.accountant import PaidChoice

pytest.importorskip("opendp", reason="noise needs the extra dp")

NOISE = ["noise", "patients.parquet", "--levels", "sex=0", "--hierarchies", "hierarchies", "--sensitive", "disease"]
NOISE += [word for each in ("Flu", "AIDS", "Ulcer", "Dyspepsia", "Cancer") for word in ("--domain", each)]
NOISE += ["--person", "id", "--epsilon", "1", "--ledger", "budgets/budget.json"]


@pytest.fixture(autouse=True)
def _files(sample_files):
    (sample_files / "budgets").mkdir()
    assert invoke(["ledger", "begin", "budgets/budget.json", "--epsilon", "3"]).exit_code == 0
    assert invoke([*NOISE, "-o", "noisy.csv"]).exit_code == 0
    assert invoke([*NOISE, "-o", "again.parquet"]).exit_code == 0
    sl.Ledger("budgets/budget.json").spend(sl.Spending("a talk", epsilon=0.25))


def shown(*words, code=0):
    done = invoke(["ledger", "show", "budgets/budget.json", *words])
    assert done.exit_code == code, done.stderr
    return done.stdout


def test_every_entry_says_what_was_published_where():
    text = " ".join(shown().split())
    assert says(text, "Ledger budget.json", "epsilon 2.25 of 3", "delta 0 of 0", "spent", "3 entries")
    assert says(text, "epsilon 1", "18 counts of disease", "sex (level 0)")
    assert "discrete Laplace noise of scale 1" in text
    assert says(text, "promised to each person", "nobody has two rows", "checked", "'id'")
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
    assert first["counted"]["unit"] == {
        "person": "id",
        "values": "single",
        "values_per_person": 1,
        "rows_per_person": None,
    }
    assert last["published"] == []


def test_files_that_are_gone_or_changed_are_named():
    Path("noisy.csv").write_text("other")
    Path("again.parquet").unlink()
    states = [file["now"] for each in json.loads(shown("--json"))["answer"]["entries"] for file in each["published"]]
    assert states == ["changed since", "not there"]


def test_a_ledger_is_begun_once_with_its_budget():
    words = ["--epsilon", "1", "--delta", "1e-6", "--accounting", "concentrated", "--neighbours", "replace"]
    done = invoke(["ledger", "begin", "new.json", *words])
    assert done.exit_code == 0, done.stderr
    budget, kind = done.stdout.splitlines()
    assert mentions(budget, "Ledger new.json", "epsilon 0 of 1", "delta 1e-06 of 1e-06", "spent", "0 entries")
    assert mentions(kind, "concentrated", "neighbours", "replace")
    account = sl.Ledger("new.json").read()
    assert (account.accounting, account.neighbours, account.delta) == ("concentrated", "replace", Fraction(1, 10**6))
    done = invoke(["ledger", "begin", "new.json", "--epsilon", "9"])
    assert (done.exit_code, "there is a ledger 'new.json' already" in done.stderr) == (2, True)
    assert answer(invoke(["ledger", "begin", "other.json", "-e", "0.5", "--json"]))["budget"]["epsilon"] == "0.5"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "give --epsilon or --rho, and not both"),
        (["--epsilon", "0"], "the budget's epsilon is 0"),
        (["--epsilon", "1", "--accounting", "concentrated"], '--accounting "concentrated" needs a budget with a delta'),
        (["--epsilon", "1", "-o", "new.json"], "never written over"),
        (["--epsilon", "1", "-o", "new.json.lock"], "never written over"),
    ],
)
def test_a_ledger_that_is_not_begun_leaves_nothing(words, says):
    done = invoke(["ledger", "begin", "new.json", *words])
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert says in done.stderr
    assert not list(Path().glob("new*"))


def test_a_lost_ledger_is_told_and_not_begun_again():
    Path("budgets/budget.json").unlink()
    for words in (["show", "budgets/budget.json"], ["begin", "budgets/budget.json", "--epsilon", "3"]):
        done = invoke(["ledger", *words])
        assert (done.exit_code, done.stdout) == (2, "")
        assert mentions(done.stderr, "there was", "'budget.json'", "lock", "'budget.json.lock'")


def test_choices_of_levels_are_told():
    ledger = sl.Ledger("budgets/budget.json")
    choice = ledger.spend(sl.Spending("choosing", epsilon="0.1"), commitment="abc").entries[-1]
    assert says(shown(), "chosen from the data", "not used yet")
    ledger.enter_winner(choice.receipt, "won")
    ledger.spend(sl.Spending("counts", epsilon="0.1"), using=[(choice.receipt, PaidChoice("abc", "won"))])
    text = shown()
    assert says(text, "chosen from the data", "used by another entry")
    assert "2 entries without a file" in " ".join(text.split())  # the talk, and the counts


def test_no_ledger_is_one_line():
    done = invoke(["ledger", "show", "nowhere.json"])
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    command = "sidelight ledger begin nowhere.json --epsilon 3"
    assert mentions(done.stderr, "sidelight:", "no ledger", "'nowhere.json'", "begin", command)


def together(*words, code=0):
    done = invoke(["ledger", "spent", "budgets/budget.json", *words])
    assert done.exit_code == code, done.stderr
    return done


def test_what_was_spent_is_accounted_for_together():
    told = answer(together("--json"))
    assert (told["releases"], told["accounts"]["basic"], told["delta"]) == (3, 2.25, 0)
    assert told["promise"]["shift"] == sl.semantic_privacy("2.25").shift
    said = " ".join(together("--delta", "1e-6", "--people", "40", "--chance", "0.01").stdout.split())
    assert "3 releases together: epsilon of at most" in said
    assert says(said, "believe about you", "changes by at most")


def test_counts_that_are_on_the_ledger_count_once():
    assert answer(together("noisy.csv", "again.parquet", "--json"))["releases"] == 3
    alone = invoke(["ledger", "spent", "noisy.csv", "again.parquet", "--json"])
    assert answer(alone)["accounts"]["basic"] == 2


def test_the_same_receipt_counts_once_wherever_it_is_read():
    for suffix in ("", ".noise.json"):
        shutil.copy(f"noisy.csv{suffix}", f"copy.csv{suffix}")
    shutil.copy("budgets/budget.json", "backup.json")
    assert answer(together("budgets/../budgets/budget.json", "backup.json", "copy.csv", "--json"))["releases"] == 3
    alone = invoke(["ledger", "spent", "noisy.csv", "copy.csv", "noisy.csv", "--json"])
    assert answer(alone)["accounts"]["basic"] == 1


def test_counts_without_a_receipt_are_told_apart_by_their_files():
    """Two releases may look the same by chance; the same file given twice is one."""
    unpaid = [word for word in NOISE if word not in ("--ledger", "budgets/budget.json")]
    for name in ("one.csv", "other.csv"):
        assert invoke([*unpaid, "-o", name]).exit_code == 0
    alone = invoke(["ledger", "spent", "one.csv", "other.csv", "./one.csv", "--json"])
    assert answer(alone)["accounts"]["basic"] == 2


def test_a_file_that_is_neither_is_named():
    Path("table.csv").write_text("a,b\n")
    assert "no 'table.csv.noise.json' beside 'table.csv'" in together("table.csv", code=2).stderr


def test_with_a_delta_a_promise_needs_people():
    sl.Ledger.begin("other.json", epsilon=1, delta="1e-6").spend(sl.Spending("a talk", epsilon="0.1", delta="1e-9"))
    said = " ".join(invoke(["ledger", "spent", "other.json"]).stdout.split())
    assert says(said, "epsilon", "at most 0.1", "delta 1e-09")
    assert says(said, "how many people", "--people")
    exactly = invoke(["ledger", "spent", "other.json", "--delta", "0"]).stdout
    assert says(exactly, "no epsilon", "delta 0", "larger --delta")


def test_nothing_spent_is_nothing_to_account_for():
    sl.Ledger.begin("empty.json", epsilon=1)
    result = invoke(["ledger", "spent", "empty.json"])
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert mentions(result.stderr, "sidelight:", "nothing was spent")


@pytest.mark.parametrize("words", [["begin", "/", "--epsilon", "1"], ["show", "/"], ["show", ""]])
def test_a_folder_is_told_in_one_line(words):
    told = invoke(["ledger", *words])
    assert told.exit_code == 2
    assert told.stderr.count("\n") == 1
    assert any(mentions(told.stderr, "sidelight:", f"'{name}' is a folder", "path") for name in ("/", "."))
