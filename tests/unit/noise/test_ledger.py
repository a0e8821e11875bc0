import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from support.waiting import PATIENCE, wait_for_work
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadLedger, NoLedgerWarning
from sidelight.files import locked
from sidelight.noise.ledger import open_ledger, paying, warn_without_ledger

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


def test_a_ledger_is_never_begun_twice(tmp_path):
    start(tmp_path).spend(A_TENTH)
    with pytest.raises(BadLedger, match="already"):
        start(tmp_path, epsilon=100)
    assert len(sl.Ledger(tmp_path / "budget.json").read().entries) == 1


def test_no_ledger_is_no_budget(tmp_path):
    with pytest.raises(BadLedger, match=r"no ledger 'budget\.json'.*ledger begin .*--epsilon"):
        sl.Ledger(tmp_path / "budget.json").spend(A_TENTH)
    assert not list(tmp_path.iterdir())
    with pytest.raises(BadLedger, match=re.escape(f"begin {tmp_path / 'none' / 'b.json'} --epsilon")):
        sl.Ledger(tmp_path / "none" / "b.json").read()
    with pytest.raises(BadLedger, match="cannot write"):
        start(tmp_path / "missing")
    with pytest.raises(BadLedger, match=re.escape(f"'{tmp_path}' is a folder")):
        sl.Ledger(tmp_path).read()


def test_a_lost_ledger_does_not_start_over_in_silence(tmp_path):
    ledger = start(tmp_path)
    ledger.spend(A_TENTH)
    kept = ledger.path.read_bytes()
    ledger.path.unlink()
    lost = r"was a ledger 'budget\.json'.*lock 'budget\.json\.lock'.*put it back.*begin another"
    for refused in (lambda: start(tmp_path), lambda: ledger.spend(A_TENTH), ledger.read):
        with pytest.raises(BadLedger, match=lost):
            refused()
    assert [each.name for each in tmp_path.iterdir()] == ["budget.json.lock"]
    ledger.path.write_bytes(kept)
    ledger.spend(A_TENTH)
    assert len(ledger.read().entries) == 2


def test_ledger_that_went_back_is_refused_until_the_newest_is_there_again(tmp_path):
    ledger = start(tmp_path)
    copies = [ledger.path.read_bytes()]
    for receipt in ("first", "second", "third"):
        ledger.spend(A_TENTH, receipt=receipt)
        copies.append(ledger.path.read_bytes())
    for old in copies[:-1]:
        ledger.path.write_bytes(old)
        for refused in (ledger.read, lambda: ledger.spend(A_TENTH), lambda: ledger.enter_file("first", tmp_path, "")):
            with pytest.raises(BadLedger, match=r"old copy.* 3 entries.*'budget\.json\.lock'"):
                refused()
        assert ledger.path.read_bytes() == old
    ledger.path.write_bytes(copies[-1])
    ledger.enter_file("third", tmp_path / "counts.csv", "abc")  # what is spent stays the same
    assert len(ledger.spend(A_TENTH).entries) == 4


def test_ledger_that_another_copy_was_spent_from_is_refused(tmp_path):
    ledger = start(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    other = sl.Ledger(Path(shutil.copy(ledger.path, tmp_path / "elsewhere")))
    for each in (ledger, other, other):
        each.spend(sl.Spending(f"from {each.path.parent.name}", epsilon=0.1))
    shutil.copy(other.path, ledger.path)
    with pytest.raises(BadLedger, match="old copy or another ledger"):
        ledger.read()


def test_ledger_that_is_moved_elsewhere_and_back_is_taken(tmp_path):
    ledger = start(tmp_path)
    ledger.spend(A_TENTH)
    (tmp_path / "elsewhere").mkdir()
    moved = sl.Ledger(Path(shutil.move(ledger.path, tmp_path / "elsewhere")))
    moved.spend(A_TENTH)
    shutil.move(moved.path, ledger.path)
    assert len(ledger.spend(A_TENTH).entries) == 3


def test_ledger_of_an_earlier_version_has_an_empty_lock_and_is_taken(tmp_path):
    ledger = start(tmp_path)
    old = ledger.path.read_bytes()
    ledger.spend(A_TENTH)
    (tmp_path / "budget.json.lock").write_bytes(b"")
    ledger.path.write_bytes(old)
    assert len(ledger.spend(A_TENTH).entries) == 1
    ledger.path.write_bytes(old)
    with pytest.raises(BadLedger, match=r"old copy.* 1 entry.*'budget\.json\.lock'"):
        ledger.read()


def test_ledger_killed_between_its_file_and_the_note_in_its_lock_is_taken(tmp_path, monkeypatch):
    ledger = start(tmp_path)
    ledger.spend(A_TENTH)
    with monkeypatch.context() as patch:
        patch.setattr("sidelight.noise.ledger.write_note", lambda *_, **__: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            ledger.spend(A_TENTH)
    assert len(ledger.spend(A_TENTH).entries) == 3


def test_ledger_whose_lock_is_held_is_refused_and_nothing_is_spent(tmp_path, monkeypatch):
    ledger = start(tmp_path)
    monkeypatch.setattr("sidelight.files.SAY_WAITING", 0.05)
    monkeypatch.setattr("sidelight.files.WAIT_AT_MOST", 0.1)
    with locked(ledger.path), pytest.raises(BadLedger, match=f"process {os.getpid()} holds its lock") as refused:
        ledger.spend(A_TENTH)
    assert "\n" not in str(refused.value)
    assert ledger.read().entries == ()


def test_a_ledger_that_could_not_be_begun_leaves_nothing(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(BadLedger, match="No space left on device"):
        start(tmp_path)
    assert not list(tmp_path.iterdir())
    monkeypatch.undo()
    start(tmp_path)


def test_a_beginning_that_is_cut_short_leaves_no_lock_that_says_a_ledger_was_lost(tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(os, "link", lambda *_, **__: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            start(tmp_path)
    assert [*tmp_path.iterdir()] == []
    assert start(tmp_path).read().entries == ()
    assert (tmp_path / "budget.json.lock").exists()


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
    assert all(re.search(r"(is|was) a ledger 'budget\.json'", each) for each in answers[1:])


def test_a_ledger_with_two_names_is_refused(tmp_path):
    """What is spent by one name would not be seen by the other."""
    ledger = start(tmp_path)
    (tmp_path / "other.json").hardlink_to(ledger.path)
    before = ledger.path.read_bytes()
    for name in ("budget.json", "other.json"):
        with pytest.raises(BadLedger, match=f"'{name}'.*second name.*nothing was spent"):
            sl.Ledger(tmp_path / name).spend(A_TENTH)
        assert sl.Ledger(tmp_path / name).read().entries == ()
    assert ledger.path.read_bytes() == before
    (tmp_path / "other.json").unlink()
    ledger.spend(A_TENTH)


def test_without_a_ledger_there_is_a_warning_unless_it_is_meant(tmp_path):
    with pytest.warns(NoLedgerWarning, match=r'nobody adds up.*sl\.Ledger\.begin.*ledger="no ledger"') as seen:
        warn_without_ledger(None)
    assert len(seen) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for meant in ("no ledger", tmp_path / "budget.json"):
            warn_without_ledger(meant)
    assert open_ledger(None) is open_ledger("no ledger") is None
    assert open_ledger(tmp_path / "budget.json") == sl.Ledger(tmp_path / "budget.json")


@pytest.mark.parametrize("cut_short", [KeyboardInterrupt, MemoryError, SystemExit])
def test_whatever_cuts_short_what_was_paid_for_says_that_it_is_spent(tmp_path, monkeypatch, cut_short):
    ledger = start(tmp_path)
    with pytest.raises(cut_short) as caught, paying(ledger, A_TENTH):
        raise cut_short
    (note,) = caught.value.__notes__
    assert mentions(note, "epsilon 0.1", "'budget.json'", "is spent")
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
        with pytest.raises(BadLedger, match=r"'budget\.json' is damaged.*put back a copy"):
            ledger.spend(A_TENTH)
        assert ledger.path.read_text() == text
    ledger.path.write_bytes(b"\xff\xfe")
    with pytest.raises(BadLedger, match="damaged"):
        ledger.spend(A_TENTH)


def test_several_processes_cannot_spend_the_same_budget(tmp_path):
    ledger = start(tmp_path, epsilon=4)
    racing = [spender(ledger.path) for _ in range(3)]
    for process in racing:
        go(process)
    told = sum(process.communicate(timeout=PATIENCE)[0].count("spent") for process in racing)
    assert told == len(ledger.read().entries) == 40
    assert ledger.read().spent == (4, 0)


def test_a_ledger_survives_being_killed(tmp_path):
    ledger = start(tmp_path, epsilon=10**6)
    for number in range(4):
        before = len(ledger.read().entries)
        process = spender(ledger.path)
        go(process)
        wait_for_work(process, seconds=0.05 + 0.03 * number)
        os.kill(process.pid, signal.SIGKILL)
        told = process.communicate(timeout=PATIENCE)[0].count("spent\n")
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
    with pytest.raises(BadLedger, match=r"No space left on device.*nothing was published"):
        ledger.spend(A_TENTH)
    monkeypatch.undo()
    assert ledger.read().entries == ()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["budget.json", "budget.json.lock"]


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


@pytest.mark.parametrize("name", ["/", "", ".", "folder"])
def test_a_folder_is_no_ledger(tmp_path, monkeypatch, name):
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    for use in (sl.Ledger.open, lambda path: sl.Ledger.begin(path, epsilon=1)):
        with pytest.raises(BadLedger, match="is a folder"):
            use(name)


@pytest.mark.parametrize("name", ["loop.json", "loop.json/budget.json"])
def test_links_that_lead_in_a_circle_are_no_ledger(tmp_path, monkeypatch, name):
    (tmp_path / "loop.json").symlink_to("loop.json")
    monkeypatch.chdir(tmp_path)
    for use in (sl.Ledger.open, lambda path: sl.Ledger.begin(path, epsilon=1)):
        with pytest.raises(BadLedger, match=f"'{name}'.*circle of links"):
            use(name)
    assert [each.name for each in tmp_path.iterdir()] == ["loop.json"]
