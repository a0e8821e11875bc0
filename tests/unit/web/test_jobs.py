"""Work that takes long: one after the other, the same for all who ask the same, and it stops when it is told to."""

import os
import re
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path

import pytest
from support import long_work
from support.long_work import (
    break_down,
    compute_for_ever,
    compute_in_one_call,
    end_suddenly,
    fail,
    give_what_cannot_be_handed_over,
    leave_a_trace,
    report_for_ever,
    report_once,
    search_until_interrupted,
)
from support.waiting import PATIENCE, wait_for
from support.words import mentions

from sidelight.errors import SidelightError
from sidelight.web import jobs as jobs_file
from sidelight.web.jobs import Jobs


@pytest.fixture
def jobs():
    held = Jobs()
    yield held
    held.close()


def given(answer):
    return partial(long_work.give, answer)


def started(jobs, question, work, **more):
    return jobs.start(question, lambda: work, title=f"Job {question}", address="/", **more)


def test_an_answer_is_kept_for_all_who_ask_the_same(jobs, tmp_path):
    first = started(jobs, 1, partial(leave_a_trace, tmp_path))
    assert first.wait(PATIENCE)
    assert (first.stage, first.answer, first.problem) == ("done", "answer", None)
    assert started(jobs, 1, partial(leave_a_trace, tmp_path)) is first
    assert (jobs.of(1), jobs.numbered(first.number), jobs.of(2)) == (first, first, None)
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("work", [report_for_ever, compute_for_ever, compute_in_one_call, search_until_interrupted])
def test_whatever_work_does_it_is_cancelled_and_has_no_answer(jobs, work):
    job = started(jobs, 1, work)
    wait_for(lambda: job.stage == "running")
    time.sleep(0.02)
    job.cancel()
    assert job.wait(PATIENCE)
    assert (job.stage, job.answer, job.sentence) == ("cancelled", None, "Job 1: it was cancelled.")
    again = started(jobs, 1, given("answer"))
    assert again.wait(PATIENCE)
    assert (again is not job, again.answer) == (True, "answer")


def named(sentence):
    return re.findall(r"Job \d", sentence)


def test_a_second_search_waits_its_turn_and_says_for_what(jobs):
    first = started(jobs, 1, report_for_ever)
    second, third = started(jobs, 2, given(2)), started(jobs, 3, given(3))
    elsewhere = started(jobs, 4, given(4), lane="another")
    assert elsewhere.wait(PATIENCE)
    assert ("waiting" in second.sentence, named(second.sentence)) == (True, ["Job 2", "Job 1"])
    assert ("waiting" in third.sentence, named(third.sentence)) == (True, ["Job 3", "Job 1", "Job 2"])
    second.cancel()
    first.cancel()
    assert third.wait(PATIENCE)
    assert (second.stage, third.answer) == ("cancelled", 3)


def test_how_far_it_is_stands_in_its_sentence(jobs):
    words = lambda what, done, total: f"looked at {done} of {total} {what}"  # noqa: E731
    job = started(jobs, 1, report_once, wording=words)
    wait_for(lambda: job.done)
    assert mentions(job.sentence, "Job 1", words("levels", 340, 512))
    assert (job.done, job.total) == (340, 512)
    job.cancel()
    assert job.wait(PATIENCE)


def test_errors_are_told_in_the_words_of_whoever_reads_them():
    jobs = Jobs(lambda error: error.reword(lambda each: f"--{each.name}"))

    job = started(jobs, 1, fail)
    assert job.wait(PATIENCE)
    assert (job.stage, job.problem) == ("failed", "no table; say --missing")
    broken = started(jobs, 2, break_down)
    assert broken.wait(PATIENCE)
    assert mentions(broken.problem, "should not", "ZeroDivisionError", "tell us")
    assert "division by" not in broken.problem  # what an error says may be of people


def test_what_nobody_looks_at_makes_room_for_what_somebody_does(jobs, monkeypatch):
    monkeypatch.setattr(jobs_file, "FORGOTTEN", 0.05)
    left = jobs.soon(1, lambda: report_for_ever, title="Left", address="/", lane="readers", within=0.01)
    looked_at = jobs.soon(2, lambda: given(2), title="Looked at", address="/", lane="readers", within=0.01)
    wait_for(lambda: left.stage == "running")
    while looked_at.goes_on:
        jobs.numbered(looked_at.number)
        time.sleep(0.01)
    assert (left.stage, looked_at.answer) == ("cancelled", 2)


def test_a_search_that_nobody_looks_at_goes_on(jobs, monkeypatch):
    monkeypatch.setattr(jobs_file, "FORGOTTEN", 0.01)
    first = started(jobs, 1, report_for_ever)
    second = started(jobs, 2, given(2))
    wait_for(lambda: first.stage == "running")
    time.sleep(0.05)
    assert jobs.numbered(second.number) is second
    assert (first.stage, first.stopping) == ("running", False)


def test_dragging_a_slider_makes_no_search_forgotten(jobs, monkeypatch):
    monkeypatch.setattr(jobs_file, "MOST_ENDED", 2)
    search = started(jobs, "search", given("found"))
    assert search.wait(PATIENCE)
    for number in range(5):
        jobs.soon(number, lambda: given(1), title="Dragged", address="/", lane="readers", within=PATIENCE)
    assert jobs.of("search") is search
    assert [jobs.of(number) is not None for number in range(5)] == [False, False, True, True, True]


def test_so_many_wait_at_most_and_those_who_were_cancelled_do_not_count(jobs, monkeypatch):
    monkeypatch.setattr(jobs_file, "MOST_WAITING", 2)
    first = started(jobs, 0, report_for_ever)
    waiting = [started(jobs, number, given(1)) for number in (1, 2)]
    with pytest.raises(SidelightError, match=r"3 wait here already; .*cancel some"):
        started(jobs, 3, given(1))
    assert started(jobs, 1, given(1)) is waiting[0]
    waiting[0].cancel()
    fourth = started(jobs, 4, given(1)).sentence
    assert ("waiting" in fourth, named(fourth)) == (True, ["Job 4", "Job 0", "Job 2"])
    first.cancel()


def test_of_many_only_the_first_are_named(jobs):
    first, *_, last = (started(jobs, number, report_for_ever) for number in range(6))
    assert named(last.sentence) == ["Job 5", "Job 0", "Job 1", "Job 2"]
    assert mentions(last.sentence, "waiting", "2 more")
    jobs.close()
    assert (first._ahead, last._ahead) == ((), ())  # nothing of those who were ahead is kept


def test_what_nobody_looks_at_for_long_ends_and_begins_again_for_who_does(jobs, monkeypatch):
    monkeypatch.setattr(jobs_file, "ABANDONED", 0.05)
    left = jobs.soon(1, lambda: report_for_ever, title="Left", address="/", lane="readers", within=0.01)
    assert left.wait(PATIENCE)
    assert (left.stage, left.forgotten) == ("cancelled", True)
    monkeypatch.setattr(jobs_file, "ABANDONED", PATIENCE)  # until somebody waits, however long that takes to begin
    again = jobs.soon(1, lambda: given(1), title="Left", address="/", lane="readers", within=PATIENCE)
    assert again.answer == 1
    awaited = jobs.soon(2, lambda: report_for_ever, title="Awaited", address="/", lane="readers", within=0)
    with awaited.watch_result():
        monkeypatch.setattr(jobs_file, "ABANDONED", 0.05)
        assert not awaited.wait(0.2)
    assert awaited.wait(PATIENCE)


def test_closing_stops_everything_and_nothing_begins_afterwards():
    jobs = Jobs()
    running, waiting = started(jobs, 1, compute_for_ever), started(jobs, 2, given(2))
    jobs.close(PATIENCE)
    late = started(jobs, 3, given(3))
    assert late.wait(PATIENCE)
    assert [each.stage for each in (running, waiting, late)] == ["cancelled"] * 3


def test_only_the_latest_that_ended_are_kept(jobs, monkeypatch):
    monkeypatch.setattr(jobs_file, "MOST_ENDED", 2)
    for number in range(5):
        assert started(jobs, number, given(1)).wait(PATIENCE)
    assert [jobs.of(number) is not None for number in range(5)] == [False, False, True, True, True]


def test_work_that_the_system_ends_says_so(jobs):
    job = started(jobs, 1, end_suddenly)
    assert job.wait(PATIENCE)
    assert job.stage == "failed"
    assert "ended from outside" in job.problem


def test_an_answer_that_cannot_be_handed_over_is_a_fault(jobs):
    job = started(jobs, 1, give_what_cannot_be_handed_over)
    assert job.wait(PATIENCE)
    assert job.stage == "failed"
    assert "in a way that it should not" in job.problem


def test_work_that_was_cancelled_while_it_was_gathered_never_begins(jobs, tmp_path):
    gathering, go_on = threading.Event(), threading.Event()

    def gather():
        gathering.set()
        go_on.wait(PATIENCE)
        return partial(leave_a_trace, tmp_path)

    job = jobs.start(1, gather, title="", address="")
    assert gathering.wait(PATIENCE)
    job.cancel()
    assert job.wait(0)
    go_on.set()
    assert started(jobs, 2, given(2)).wait(PATIENCE)
    assert (job.stage, list(tmp_path.iterdir())) == ("cancelled", [])


def test_what_is_done_here_ends_at_its_next_report_and_not_halfway(jobs):
    go_on = threading.Event()

    def publish(progress):
        progress("written", 0, None)
        go_on.wait(PATIENCE)
        return "published"

    job = started(jobs, 1, publish, here=True)
    wait_for(lambda: job.stage == "running" and job._doing)
    job.cancel()
    assert not job.wait(0.05)
    go_on.set()
    assert job.wait(PATIENCE)
    assert (job.stage, job.answer) == ("done", "published")


def test_cancelling_ends_the_process_at_once(jobs):
    job = started(jobs, 1, compute_in_one_call)
    wait_for(lambda: job._process is not None)
    process = job._process
    began = time.monotonic()
    job.cancel()
    wait_for(lambda: not process.is_alive() if process._popen is not None else True)
    assert time.monotonic() - began < PATIENCE


KILLED_SERVER = """
import os, signal, sys
from support.long_work import compute_for_ever
from support.words import mentions
from sidelight.web.jobs import Jobs

job = Jobs().start(1, lambda: compute_for_ever, title="", address="")
while job._process is None:
    pass
print(job._process.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_no_worker_outlives_a_server_that_is_killed():
    path = os.pathsep.join(each for each in sys.path if each)
    done = subprocess.run(
        [sys.executable, "-c", KILLED_SERVER],
        check=False,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env={**os.environ, "PYTHONPATH": path},
    )
    wait_for(lambda: not is_running(int(done.stdout)))


def is_running(process):
    """Return whether a process runs, and has not just ended, waiting for whoever adopted it to notice."""
    try:
        os.kill(process, 0)
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (ProcessLookupError, FileNotFoundError):
        return False
    return state != "Z"
