"""Work that takes long: one after the other, the same for all who ask the same, and it stops when it is told to."""

import subprocess
import sys
import threading
import time

import pytest
from support.waiting import PATIENCE, wait_for

from sidelight.errors import BadTable, SidelightError, parameter
from sidelight.web import jobs as jobs_file
from sidelight.web.jobs import Jobs, silent_interrupts


@pytest.fixture
def jobs():
    held = Jobs()
    yield held
    held.close()


def started(jobs, question, work, **more):
    return jobs.start(question, work, title=f"Job {question}", address="/", **more)


def reporting(progress):
    """Count for ever, reporting each step."""
    for step in range(10**9):
        progress("steps", step, 10**9)
        time.sleep(0.001)


def busy(progress):
    """Count for ever, reporting nothing."""
    del progress
    while True:
        sum(range(100))


def searching(progress):
    """Count until Ctrl-C, as searches do, which give their best so far then."""
    try:
        reporting(progress)
    except (KeyboardInterrupt, Exception):  # noqa: BLE001
        return "the best so far"


def test_an_answer_is_kept_for_all_who_ask_the_same(jobs):
    times = []
    first = started(jobs, 1, lambda _: times.append(1) or "answer")
    assert first.wait(PATIENCE)
    assert (first.stage, first.answer, first.problem) == ("done", "answer", None)
    assert started(jobs, 1, lambda _: times.append(1)) is first
    assert (jobs.of(1), jobs.numbered(first.number), jobs.of(2)) == (first, first, None)
    assert times == [1]


@pytest.mark.parametrize("work", [reporting, busy, searching])
def test_whatever_work_does_it_is_cancelled_and_has_no_answer(jobs, work):
    job = started(jobs, 1, work)
    wait_for(lambda: job.stage == "running")
    time.sleep(0.02)
    job.cancel()
    assert job.wait(PATIENCE)
    assert (job.stage, job.answer, job.sentence) == ("cancelled", None, "Job 1: it was cancelled.")
    again = started(jobs, 1, lambda _: "answer")
    assert again.wait(PATIENCE)
    assert (again is not job, again.answer) == (True, "answer")


def test_a_second_search_waits_its_turn_and_says_for_what(jobs):
    first = started(jobs, 1, reporting)
    second, third = started(jobs, 2, lambda _: 2), started(jobs, 3, lambda _: 3)
    elsewhere = started(jobs, 4, lambda _: 4, lane="another")
    assert elsewhere.wait(PATIENCE)
    assert second.sentence == "Job 2: waiting its turn, after: Job 1."
    assert third.sentence == "Job 3: waiting its turn, after: Job 1; Job 2."
    second.cancel()
    first.cancel()
    assert third.wait(PATIENCE)
    assert (second.stage, third.answer) == ("cancelled", 3)


def test_how_far_it_is_stands_in_its_sentence(jobs):
    go_on = threading.Event()

    def work(progress):
        progress("levels", 340, 512)
        go_on.wait(PATIENCE)

    words = lambda what, done, total: f"looked at {done} of {total} {what}"  # noqa: E731
    job = started(jobs, 1, work, wording=words)
    wait_for(lambda: job.done)
    assert (job.sentence, job.done, job.total) == ("Job 1: looked at 340 of 512 levels.", 340, 512)
    go_on.set()
    assert job.wait(PATIENCE)


def test_errors_are_told_in_the_words_of_whoever_reads_them():
    jobs = Jobs(lambda error: error.reword(lambda each: f"--{each.name}"))

    def work(progress):
        del progress
        message = f"no table; say {parameter('missing', 'drop')}"
        raise BadTable(message)

    job = started(jobs, 1, work)
    assert job.wait(PATIENCE)
    assert (job.stage, job.problem) == ("failed", "no table; say --missing")
    broken = started(jobs, 2, lambda _: 1 / 0)
    assert broken.wait(PATIENCE)
    assert broken.problem == "this failed in a way that it should not: ZeroDivisionError; tell us"


def test_what_nobody_looks_at_makes_room_for_what_somebody_does(jobs, monkeypatch):
    monkeypatch.setattr(jobs_file, "FORGOTTEN", 0.05)
    left = jobs.soon(1, reporting, title="Left", address="/", lane="readers", within=0.01)
    looked_at = jobs.soon(2, lambda _: 2, title="Looked at", address="/", lane="readers", within=0.01)
    wait_for(lambda: left.stage == "running")
    while looked_at.goes_on:
        jobs.numbered(looked_at.number)
        time.sleep(0.01)
    assert (left.stage, looked_at.answer) == ("cancelled", 2)


def test_a_search_that_nobody_looks_at_goes_on(jobs, monkeypatch):
    monkeypatch.setattr(jobs_file, "FORGOTTEN", 0.01)
    first = started(jobs, 1, reporting)
    second = started(jobs, 2, lambda _: 2)
    wait_for(lambda: first.stage == "running")
    time.sleep(0.05)
    assert jobs.numbered(second.number) is second
    assert (first.stage, first.stopping) == ("running", False)


def test_dragging_a_slider_makes_no_search_forgotten(jobs, monkeypatch):
    monkeypatch.setattr(jobs_file, "MOST_ENDED", 2)
    search = started(jobs, "search", lambda _: "found")
    assert search.wait(PATIENCE)
    for number in range(5):
        jobs.soon(number, lambda _: 1, title="Dragged", address="/", lane="readers", within=PATIENCE)
    assert jobs.of("search") is search
    assert [jobs.of(number) is not None for number in range(5)] == [False, False, True, True, True]


def test_so_many_wait_at_most_and_those_who_were_cancelled_do_not_count(jobs, monkeypatch):
    monkeypatch.setattr(jobs_file, "MOST_WAITING", 2)
    first = started(jobs, 0, reporting)
    waiting = [started(jobs, number, lambda _: 1) for number in (1, 2)]
    with pytest.raises(SidelightError, match="3 wait here already; wait until some have ended, or cancel some"):
        started(jobs, 3, lambda _: 1)
    assert started(jobs, 1, lambda _: 1) is waiting[0]
    waiting[0].cancel()
    assert started(jobs, 4, lambda _: 1).sentence == "Job 4: waiting its turn, after: Job 0; Job 2."
    first.cancel()


def test_of_many_only_the_first_are_named(jobs):
    first, *_, last = (started(jobs, number, reporting) for number in range(6))
    assert last.sentence == "Job 5: waiting its turn, after: Job 0; Job 1; Job 2; and 2 more."
    jobs.close()
    assert (first._ahead, last._ahead) == ((), ())  # nothing of those who were ahead is kept


def test_what_nobody_looks_at_for_long_ends_and_begins_again_for_who_does(jobs, monkeypatch):
    monkeypatch.setattr(jobs_file, "ABANDONED", 0.05)
    left = jobs.soon(1, reporting, title="Left", address="/", lane="readers", within=0.01)
    assert left.wait(PATIENCE)
    assert (left.stage, left.forgotten) == ("cancelled", True)
    again = jobs.soon(1, lambda _: 1, title="Left", address="/", lane="readers", within=PATIENCE)
    assert again.answer == 1
    monkeypatch.setattr(jobs_file, "ABANDONED", PATIENCE)  # until somebody waits, however long that takes to begin
    awaited = jobs.soon(2, reporting, title="Awaited", address="/", lane="readers", within=0)
    with awaited.awaited():
        monkeypatch.setattr(jobs_file, "ABANDONED", 0.05)
        assert not awaited.wait(0.2)
    assert awaited.wait(PATIENCE)


def test_closing_stops_everything_and_nothing_begins_afterwards():
    jobs = Jobs()
    running, waiting = started(jobs, 1, busy), started(jobs, 2, lambda _: 2)
    jobs.close(PATIENCE)
    late = started(jobs, 3, lambda _: 3)
    assert late.wait(PATIENCE)
    assert [each.stage for each in (running, waiting, late)] == ["cancelled"] * 3


def test_only_the_latest_that_ended_are_kept(jobs, monkeypatch):
    monkeypatch.setattr(jobs_file, "MOST_ENDED", 2)
    for number in range(5):
        assert started(jobs, number, lambda _: 1).wait(PATIENCE)
    assert [jobs.of(number) is not None for number in range(5)] == [False, False, True, True, True]


def test_an_interrupt_that_is_lost_comes_again(jobs):
    class Freed:
        def __del__(self):
            while True:  # until an interrupt, which is lost here
                pass

    def freeing(progress):
        Freed()
        busy(progress)

    with silent_interrupts():
        job = started(jobs, 1, freeing)
        wait_for(lambda: job.stage == "running")
        job.cancel()
        assert job.wait(PATIENCE)
    assert job.stage == "cancelled"


TRACED_AFTERWARDS = """
import sys, time
from sidelight.web.jobs import Jobs

def busy(progress):
    while True:
        sum(range(100))

jobs = Jobs()
ended = jobs.start(1, lambda _: 1, title="", address="")
assert ended.wait(600)
cancelled = jobs.start(2, busy, title="", address="")
while cancelled.stage == "waiting":
    time.sleep(0.001)
cancelled.cancel()
assert cancelled.wait(600)
jobs.close()

def traced(frame, event, arg):
    return traced

sys.settrace(traced)
print(sum(each for each in range(3)))
"""


def test_no_interrupt_is_left_on_its_way_where_it_would_stop_traced_threads_for_ever():
    done = subprocess.run(
        [sys.executable, "-c", TRACED_AFTERWARDS], check=False, capture_output=True, text=True, timeout=PATIENCE
    )
    assert (done.stdout, done.stderr) == ("3\n", "")
