import json
import math
import os
import re
import signal
import stat
import subprocess
import sys
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sidelight as sl
from sidelight.dp.accountant import CountedColumns, concentrated
from sidelight.dp.ledger import (
    Account,
    ChoiceReceipt,
    _digest,
    from_text,
    opened_ledger,
    paying,
    to_text,
    warn_without_ledger,
)
from sidelight.dp.mechanism import Mechanism
from sidelight.dp.parameters import PrivacyUnit, Sensitivity
from sidelight.errors import BadLedger, BadNoise, BudgetExceeded, NoLedgerWarning

A_TENTH = sl.Spending("a tenth", epsilon=0.1)

SPENDER = """
import sys, sidelight as sl
ledger = sl.Ledger(sys.argv[1])
tenth = sl.Spending("a tenth", epsilon=0.1)
print("ready", flush=True)
sys.stdin.readline()
while True:
    try:
        ledger.spend(tenth)
    except sl.errors.BudgetExceeded:
        break
    print("spent", flush=True)
"""


def spender(path):
    command = [sys.executable, "-c", SPENDER, str(path)]
    started = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert started.stdout.readline() == "ready\n"
    return started


def go(process):
    process.stdin.write("go\n")
    process.stdin.flush()


def start(folder, **options):
    return sl.Ledger.begin(folder / "budget.json", **({"epsilon": 1} | options))


def test_the_whole_budget_can_be_spent_and_no_more(tmp_path):
    ledger = start(tmp_path)
    for _ in range(10):  # ten tenths are one: amounts are exact
        ledger.spend(A_TENTH)
    assert ledger.read().spent == (1, 0)
    with pytest.raises(
        BudgetExceeded, match="of epsilon 1 and delta 0, 1 and 0 are spent; nothing was spent or published"
    ):
        ledger.spend(A_TENTH)
    assert len(ledger.read().entries) == 10


def test_delta_has_its_own_budget(tmp_path):
    ledger = start(tmp_path, delta="1e-6")
    ledger.spend(sl.Spending("once", 0.1, "1e-6"))
    with pytest.raises(BudgetExceeded, match="1e-06"):
        ledger.spend(sl.Spending("twice", 0.1, "1e-9"))
    ledger.spend(A_TENTH)


def test_a_concentrated_ledger_allows_more_small_releases(tmp_path):
    ledger = start(tmp_path, delta="1e-6", accounting="concentrated")
    small = sl.Spending("small", 0.02)
    for _ in range(60):
        ledger = sl.Ledger(ledger.path)
        ledger.spend(small)
    epsilon, delta = ledger.read().spent
    assert epsilon < 1 < 60 * 0.02
    assert delta == Fraction(1, 10**6)
    with pytest.raises(BudgetExceeded, match="of epsilon is spent, and it would be"):
        ledger.spend(sl.Spending("large", 1))
    with pytest.raises(BudgetExceeded):  # nothing is known of its noise
        ledger.spend(sl.Spending("unknown", 0.01, "1e-9"))


def test_neighbours_are_not_mixed(tmp_path):
    with pytest.raises(BadNoise, match="about add or remove neighbours"):
        start(tmp_path).spend(sl.Spending("replaced", 0.1, neighbours="replace"))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"epsilon": 0}, "budget's epsilon is 0"),
        ({"delta": 2}, "budget's delta is 2"),
        ({"accounting": "hopeful"}, 'choose "basic" or "concentrated"'),
        ({"accounting": "concentrated"}, "needs a budget with a delta"),
        ({"neighbours": "nice"}, 'no neighbours="nice"'),
    ],
)
def test_a_budget_has_to_make_sense(tmp_path, options, says):
    with pytest.raises(BadNoise, match=says):
        start(tmp_path, **options)
    assert not (tmp_path / "budget.json").exists()


def test_a_ledger_is_never_begun_twice(tmp_path):
    start(tmp_path).spend(A_TENTH)
    with pytest.raises(BadLedger, match="already"):
        start(tmp_path, epsilon=100)
    assert len(sl.Ledger(tmp_path / "budget.json").read().entries) == 1


def test_no_ledger_is_no_budget(tmp_path):
    with pytest.raises(BadLedger, match=r"no ledger 'budget\.json'; check the path, or begin one"):
        sl.Ledger(tmp_path / "budget.json").spend(A_TENTH)
    assert not list(tmp_path.iterdir())
    with pytest.raises(BadLedger, match=re.escape(f"begin {tmp_path / 'none' / 'b.json'} --epsilon")):
        sl.Ledger(tmp_path / "none" / "b.json").read()
    with pytest.raises(BadLedger, match="cannot write"):
        start(tmp_path / "missing")
    with pytest.raises(BadLedger, match="cannot read"):
        sl.Ledger(tmp_path).read()


def test_a_lost_ledger_does_not_start_over_in_silence(tmp_path):
    ledger = start(tmp_path)
    ledger.spend(A_TENTH)
    kept = ledger.path.read_bytes()
    ledger.path.unlink()
    lost = (
        r"there was a ledger 'budget\.json', as its lock 'budget\.json\.lock' is there.* put it back, or begin another"
    )
    for refused in (lambda: start(tmp_path), lambda: ledger.spend(A_TENTH), ledger.read):
        with pytest.raises(BadLedger, match=lost):
            refused()
    assert [each.name for each in tmp_path.iterdir()] == ["budget.json.lock"]
    ledger.path.write_bytes(kept)
    ledger.spend(A_TENTH)
    assert len(ledger.read().entries) == 2


def test_a_ledger_that_could_not_be_begun_leaves_nothing(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(BadLedger, match="No space left on device"):
        start(tmp_path)
    assert not list(tmp_path.iterdir())
    monkeypatch.undo()
    start(tmp_path)


def test_of_several_who_begin_one_does(tmp_path):
    together = threading.Barrier(4)

    def begin(epsilon):
        together.wait()
        try:
            start(tmp_path, epsilon=epsilon)
        except BadLedger as refused:
            return str(refused)
        return "begun"

    with ThreadPoolExecutor(4) as threads:
        answers = sorted(threads.map(begin, (1, 2, 3, 4)))
    assert answers[0] == "begun"
    # who comes between another's lock and its ledger finds a lock alone, and is refused for that
    assert all(re.match("there (is|was) a ledger 'budget.json'", each) for each in answers[1:])


def test_a_ledger_with_two_names_is_refused(tmp_path):
    """What is spent by one name would not be seen by the other."""
    ledger = start(tmp_path)
    (tmp_path / "other.json").hardlink_to(ledger.path)
    before = ledger.path.read_bytes()
    for name in ("budget.json", "other.json"):
        with pytest.raises(BadLedger, match=rf"the ledger '{name}' has a second name \(a hard link\)"):
            sl.Ledger(tmp_path / name).spend(A_TENTH)
        assert sl.Ledger(tmp_path / name).read().entries == ()
    assert ledger.path.read_bytes() == before
    (tmp_path / "other.json").unlink()
    ledger.spend(A_TENTH)


@pytest.mark.parametrize(
    ("mechanism", "delta"),
    [
        (Mechanism("discrete Laplace", 9.99), 0),
        (Mechanism("discrete Laplace", 10.0, Sensitivity(2, 2)), 0),
        (Mechanism("discrete Laplace", math.inf), 0),
        (Mechanism("discrete Gaussian", 1000.0), 0),
        (Mechanism("discrete Gaussian", 1.0), "1e-6"),
    ],
)
def test_noise_that_costs_more_than_is_charged_is_refused(tmp_path, mechanism, delta):
    ledger = start(tmp_path, delta="1e-3")
    before = ledger.path.read_bytes()
    with pytest.raises(
        BadNoise, match=r"costs more than epsilon 0\.1.*, which was to be charged for it; nothing was spent"
    ):
        ledger.spend(sl.Spending("cheap", "0.1", delta, mechanism=mechanism))
    assert ledger.path.read_bytes() == before
    ledger.spend(sl.Spending("fair", "0.1", mechanism=Mechanism("discrete Laplace", 10.0)))


def test_noise_for_less_than_a_unit_can_change_is_refused(tmp_path):
    counts = CountedColumns("disease", (("sex", 0),), 4, PrivacyUnit("id", "set", 3))
    enough = Mechanism("discrete Laplace", 30.0, Sensitivity(3, 3))
    with pytest.raises(BadNoise, match=r"costs more than epsilon 0\.1"):
        start(tmp_path).spend(
            sl.Spending("3 each", "0.1", mechanism=Mechanism("discrete Laplace", 30.0), counted=counts)
        )
    sl.Ledger(tmp_path / "budget.json").spend(sl.Spending("3 each", "0.1", mechanism=enough, counted=counts))


def test_a_total_of_three_values_each_moves_by_three(tmp_path):
    """Three cells by one each are one total by three, and Gaussian noise for √3 does not hide that."""
    counts = CountedColumns("disease", (("sex", 0),), 4, PrivacyUnit("id", "set", 3))
    cells = Mechanism("discrete Gaussian", 200.0, Sensitivity(3, 3))
    ledger = start(tmp_path, delta="1e-3")
    total = Mechanism("discrete Gaussian", 300.0, Sensitivity(3, 3))
    spending = sl.Spending("3 each", "0.1", "1e-3", mechanism=cells, counted=counts, marginal_noise=(total,))
    assert spending.keeps()
    with pytest.raises(BadNoise, match=r"and that of the queries costs more than epsilon 0\.1"):
        ledger.spend(spending)
    honest = Mechanism("discrete Gaussian", 300.0, Sensitivity(3, 9))
    ledger.spend(sl.Spending("3 each", "0.1", "1e-3", mechanism=cells, counted=counts, marginal_noise=(honest,)))


def test_odd_amounts_are_rounded_up_for_people(tmp_path):
    ledger = start(tmp_path, delta="1e-3")
    for epsilon, delta in (("1/7", "1e-99"), ("1/11", "3e-98"), ("1/1000003", "1e-5")):
        ledger.spend(sl.Spending("odd", epsilon, delta))
    assert ledger.read().balance() == "epsilon 0.233768 of 1 and delta 1.00001e-05 of 0.001"
    with pytest.raises(BudgetExceeded, match=r"of epsilon 1 and delta 0.001, 0\.2338 and 1.00001e-05 are spent"):
        ledger.spend(sl.Spending("too much", 1))


def test_without_a_ledger_there_is_a_warning_unless_it_is_meant(tmp_path):
    with pytest.warns(
        NoLedgerWarning, match=r"no ledger: nobody adds up .*sl\.Ledger\.begin.*ledger=\"no ledger\""
    ) as seen:
        warn_without_ledger(None)
    assert len(seen) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for meant in ("no ledger", tmp_path / "budget.json"):
            warn_without_ledger(meant)
    assert opened_ledger(None) is opened_ledger("no ledger") is None
    assert opened_ledger(tmp_path / "budget.json") == sl.Ledger(tmp_path / "budget.json")


@pytest.mark.parametrize("cut_short", [KeyboardInterrupt, MemoryError, SystemExit])
def test_whatever_cuts_short_what_was_paid_for_says_that_it_is_spent(tmp_path, monkeypatch, cut_short):
    ledger = start(tmp_path)
    with pytest.raises(cut_short) as caught, paying(ledger, A_TENTH):
        raise cut_short
    assert caught.value.__notes__ == ["epsilon 0.1 of the ledger 'budget.json' is spent, and stays so"]
    flush = os.fsync

    def interrupted_after(handle):  # the file has its place by then, and its folder is flushed
        flush(handle)
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise cut_short

    monkeypatch.setattr(os, "fsync", interrupted_after)
    with pytest.raises(cut_short) as caught, paying(ledger, A_TENTH):
        pytest.fail("the interrupt came before")
    assert len(caught.value.__notes__) == 1
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(cut_short))
    with pytest.raises(cut_short) as caught, paying(ledger, A_TENTH):
        pytest.fail("the interrupt came before")
    assert not hasattr(caught.value, "__notes__")  # nothing was spent
    assert len(ledger.read().entries) == 2


def test_a_link_to_a_ledger_stays_a_link_and_its_rights_stay(tmp_path):
    ledger = start(tmp_path)
    ledger.path.chmod(0o640)
    link = tmp_path / "link.json"
    link.symlink_to(ledger.path)
    sl.Ledger(link).spend(A_TENTH)
    assert link.is_symlink()
    assert len(ledger.read().entries) == 1
    assert ledger.path.stat().st_mode & 0o777 == 0o640


def damaged(text):
    yield ""
    yield text[: len(text) // 2]
    yield text.replace('"0.1"', '"0.01"')
    yield text.replace('"1"', '"9"', 1)
    yield "[]"
    yield "null"
    document = json.loads(text)
    yield json.dumps({**document, "entries": []})
    yield json.dumps({**document, "schema_version": 1})
    yield json.dumps({key: value for key, value in document.items() if key != "digest"})


def test_a_damaged_ledger_is_refused_and_left_as_it_is(tmp_path):
    ledger = start(tmp_path)
    ledger.spend(A_TENTH)
    for text in damaged(ledger.path.read_text()):
        ledger.path.write_text(text)
        with pytest.raises(BadLedger, match="is damaged, and nothing is published on a guess; put back a copy"):
            ledger.spend(A_TENTH)
        assert ledger.path.read_text() == text
    ledger.path.write_bytes(b"\xff\xfe")
    with pytest.raises(BadLedger, match="damaged"):
        ledger.spend(A_TENTH)


@given(
    st.lists(
        st.builds(
            sl.Spending,
            st.text(max_size=5),
            st.sampled_from(["0.1", "1/3", "1e-3"]),
            st.sampled_from(["0", "1e-9"]),
            st.just("add or remove"),
            st.none()
            | st.builds(
                Mechanism,
                st.just("discrete Laplace"),
                st.floats(1e6, 1e7),  # enough for every epsilon, whoever is counted
                st.builds(Sensitivity, st.integers(9, 12), st.integers(81, 100)),
            ),
            st.none()
            | st.builds(
                CountedColumns,
                st.text(max_size=3),
                st.just((("age", 2), ("sex", 0))),
                st.just(12),
                st.builds(
                    PrivacyUnit,
                    st.sampled_from(["id", "each row"]),
                    st.sampled_from(["single", "set"]),
                    st.integers(1, 3),
                    st.none() | st.integers(1, 3),
                ),
            ),
        )
    )
)
def test_an_account_is_read_back_as_it_was(spendings):
    account = Account(Fraction(1000), Fraction(1, 2))
    for each in spendings:
        account = account.after(each, at=datetime(2026, 1, 1, tzinfo=UTC))
    assert from_text(to_text(account)) == account


def test_several_processes_cannot_spend_the_same_budget(tmp_path):
    ledger = start(tmp_path, epsilon=4)
    racing = [spender(ledger.path) for _ in range(3)]
    for process in racing:
        go(process)
    told = sum(process.communicate(timeout=60)[0].count("spent") for process in racing)
    assert told == len(ledger.read().entries) == 40
    assert ledger.read().spent == (4, 0)


def test_a_ledger_survives_being_killed(tmp_path):
    ledger = start(tmp_path, epsilon=10**6)
    for number in range(4):
        before = len(ledger.read().entries)
        process = spender(ledger.path)
        go(process)
        time.sleep(0.05 + 0.03 * number)
        os.kill(process.pid, signal.SIGKILL)
        told = process.communicate(timeout=60)[0].count("spent\n")
        after = len(ledger.read().entries)  # it is whole
        assert (
            before + told <= after <= before + told + 1
        )  # what was told is on the disk; what came last may not be told
    ledger.spend(A_TENTH)  # and the lock is free


def test_a_full_disk_spends_nothing(tmp_path, monkeypatch):
    ledger = start(tmp_path)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(BadLedger, match="No space left on device; nothing was published"):
        ledger.spend(A_TENTH)
    monkeypatch.undo()
    assert ledger.read().entries == ()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["budget.json", "budget.json.lock"]


def test_the_file_can_be_read_by_people(tmp_path):
    ledger = start(tmp_path)
    ledger.spend(sl.Spending("counts of disease by sex", 0.5))
    (entry,) = json.loads(ledger.path.read_text())["entries"]
    assert (entry["what"], entry["epsilon"]) == ("counts of disease by sex", "0.5")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", entry["at"])
    assert Path(ledger.path).read_text().endswith("}\n")


def test_ledgers_of_the_first_version_are_read_and_go_on(tmp_path):
    first = {
        "kind": "privacy ledger",
        "schema_version": 1,
        "accounting": "basic",
        "neighbours": "add or remove",
        "budget": {"epsilon": "2", "delta": "0"},
        "entries": [
            {
                "at": "2026-01-01T00:00:00+00:00",
                "what": "counts",
                "epsilon": "1",
                "delta": "0",
                "mechanism": {"kind": "discrete Laplace", "scale": 2.0, "touched": 2},
            }
        ],
    }
    (tmp_path / "old.json").write_text(json.dumps({**first, "digest": _digest(first)}))
    ledger = sl.Ledger(tmp_path / "old.json")
    (entry,) = ledger.read().entries
    assert entry.spending.mechanism == Mechanism("discrete Laplace", 2.0, Sensitivity(2, 2))
    assert (entry.receipt, entry.published) == ("", ())
    ledger.spend(A_TENTH)
    assert json.loads(ledger.path.read_text())["schema_version"] == 3
    assert ledger.read().entries[0] == entry


def test_ledgers_of_the_second_version_are_read_and_go_on(tmp_path):
    ledger = start(tmp_path)
    ledger.spend(A_TENTH)
    document = json.loads(ledger.path.read_text())
    second = {key: value for key, value in document.items() if key != "digest"} | {"schema_version": 2}
    for entry in second["entries"]:
        del entry["choice"]
    ledger.path.write_text(json.dumps({**second, "digest": _digest(second)}))
    (entry,) = ledger.read().entries
    assert entry.choice is None
    with pytest.raises(BadNoise, match="not paid from this ledger"):
        ledger.spend(A_TENTH, using=[ChoiceReceipt(entry.receipt, "", "")])
    ledger.spend(A_TENTH)
    assert json.loads(ledger.path.read_text())["schema_version"] == 3
    assert ledger.read().entries[0] == entry


def test_a_choice_is_marked_as_used_in_the_step_that_pays_its_user(tmp_path):
    ledger = start(tmp_path)
    receipt = ledger.spend(A_TENTH, commitment="abc").entries[-1].receipt
    with pytest.raises(BadNoise, match="not paid from this ledger"):  # nothing was drawn yet
        ledger.spend(A_TENTH, using=[ChoiceReceipt(receipt, "abc", "")])
    ledger.enter_winner(receipt, "won")
    (choice,) = ledger.read().entries
    for wrong in ((receipt, "abd", "won"), (receipt, "abc", "lost"), ("", "abc", "won"), ("0" * 32, "abc", "won")):
        with pytest.raises(BadNoise, match="not paid from this ledger"):
            ledger.spend(A_TENTH, using=[ChoiceReceipt(*wrong)])
    fits = ChoiceReceipt(receipt, "abc", "won")
    with pytest.raises(BadNoise, match="used already"):
        ledger.spend(A_TENTH, using=[fits, fits])
    assert ledger.read().entries == (choice,)
    user = ledger.spend(A_TENTH, using=[fits]).entries[-1]
    assert [each.choice and each.choice.used_by for each in ledger.read().entries] == [user.receipt, None]
    with pytest.raises(BadNoise, match="used already"):
        ledger.spend(A_TENTH, using=[fits])


def test_a_winner_is_entered_once_and_for_choices_only(tmp_path):
    ledger = start(tmp_path)
    choice = ledger.spend(A_TENTH, commitment="abc").entries[-1].receipt
    counts = ledger.spend(A_TENTH).entries[-1].receipt
    ledger.enter_winner(choice, "won")
    before = ledger.path.read_bytes()
    for receipt, says in ((choice, "drawn already"), (counts, "no choice of levels"), ("0" * 32, "no such receipt")):
        with pytest.raises(BadLedger, match=says):
            ledger.enter_winner(receipt, "another")
    assert ledger.path.read_bytes() == before


def test_a_file_is_entered_by_its_receipt_and_by_no_other(tmp_path):
    ledger = start(tmp_path)
    receipts = [ledger.spend(A_TENTH).entries[-1].receipt for _ in range(2)]
    assert len({*receipts}) == 2
    ledger.enter_file(receipts[1], tmp_path / "out" / "counts.csv", "abc")
    first, second = ledger.read().entries
    assert (first.published, second.published[0].file) == ((), str(Path("out", "counts.csv")))
    for wrong in ("", "0" * 32):
        with pytest.raises(BadLedger, match="no such receipt"):
            ledger.enter_file(wrong, tmp_path / "counts.csv", "abc")


def test_shown_in_a_notebook(tmp_path):
    ledger = sl.Ledger.begin(tmp_path / "budget.json", epsilon=1)
    ledger.spend(sl.Spending("<b>counts</b>", epsilon=0.25))
    assert repr(ledger.read()) == "<Account: epsilon 0.25 of 1 and delta 0 of 0 spent on 1 release>"
    assert "&lt;b&gt;counts&lt;/b&gt;" in ledger._repr_html_()
    ledger.path.write_text("{")
    assert "damaged" in ledger._repr_html_()


def test_a_refusal_shows_enough_digits_to_see_why(tmp_path):
    """Not "1 is spent, and it would be 1"."""
    delta = Fraction(1, 10**6)
    small = sl.Spending("a", "0.0001")
    costs = concentrated([sl.Spending("a", "0.1")] * 3, delta)
    ledger = sl.Ledger.begin(tmp_path / "budget.json", epsilon=repr(costs), delta=delta, accounting="concentrated")
    for _ in range(3):
        ledger.spend(sl.Spending("a", "0.1"))
    with pytest.raises(BudgetExceeded) as refused:
        ledger.spend(small)
    spent, would_be = re.search(
        r"([0-9.]+) of epsilon is spent, and it would be ([0-9.]+) ", str(refused.value)
    ).groups()
    assert spent != would_be
