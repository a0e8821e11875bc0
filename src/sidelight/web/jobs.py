"""Jobs: long work beside the page, which reports its progress and can be cancelled.

A view submits work as a function that gathers it, under a question that identifies it, and renders its state.  The same
question gets the same job: from another tab, after a reload or going back.

    job = workspace.jobs.start(question, gather, title="Searching", address=address)   # from a posted form
    job = workspace.jobs.of(question)                  # None where it was not started
    job = workspace.jobs.soon(question, gather, title=…, address=…, lane="attackers")  # from a view that is only opened
    job.stage, job.sentence, job.answer, job.problem   # "done" has an answer, "failed" and "cancelled" a problem

`parts.job(job, address)` renders one that has not ended, polls its sentence every 300 ms, and loads `address` when it
has ended (`views/jobs`).  So a view that may take long has three cases: no job, it goes on, it ended.

*Lanes.*  Jobs of one lane run one after the other, in its own thread.  Searches are one lane: a second one waits its
turn, and its sentence names those ahead.  `soon` is for watched jobs, which follow a slider: it waits a moment, as most
are quick, and such a job is cancelled when no page has polled it for a while and another one is waiting, or when none
has for minutes.  Clients that wait for the result (`watch_result`) count as polling, and when the last of them
disconnects it is cancelled.  A job that the user cancelled starts again only by its button (`parts.again(job)`).

*Bounds.*  A lane has a limit of waiting jobs: one more is refused or, of watched ones, the oldest that no client waits
for is cancelled.  Ended jobs are kept up to a limit, separately for watched ones, so that dragging a slider never drops
a search.

*Processes.*  A thread gathers what work needs of the server (tables that are kept there) and returns the work, which is
pickled and run in a process of its own.  A worker is forked from a server of forks (`forkserver`), which has imported
the library and holds neither data nor threads, so that one starts within some ten milliseconds; where a system has
none, a new interpreter is started.  It ends with the server, by itself where that is killed.  Work that must not be
ended halfway, such as publishing, runs `here`, in the thread.

*Cancelling* kills the process at once, and frees its memory; work that runs `here` ends at its next report of progress.
Leaving the page cancels nothing; closing the server cancels all.
"""

from __future__ import annotations

import multiprocessing
import signal
import sys
import tempfile
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import DefaultContext
from multiprocessing.process import BaseProcess
from multiprocessing.util import get_temp_dir
from os import _exit
from types import ModuleType
from typing import Any, Literal, TypeAlias

from sidelight.documents.document import DocumentPart
from sidelight.errors import SidelightError
from sidelight.progress import Progress

Work: TypeAlias = Callable[[Progress], Any]

CONTEXT: DefaultContext = multiprocessing.get_context(  # type: ignore[assignment]
    "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
)

_warm = threading.Event()  # once the server of forks answers

_starting = threading.Lock()  # multiprocessing lists the children of a process, for one thread at a time


@cache
def warm_up() -> None:
    """Let the server of forks import the library before the first job needs it."""
    get_temp_dir()  # before files of this process go into a folder that is removed while workers may still end
    threading.Thread(target=_start_first, daemon=True).start()


def _start_first() -> None:
    # Where the page is closed meanwhile, the server of forks is gone, and the error concerns no user.
    try:
        with suppress(OSError, EOFError, RuntimeError):
            with _ready_to_start():
                process = CONTEXT.Process(target=int, daemon=True)
                process.start()
            process.join()
    finally:
        _warm.set()


@contextmanager
def _ready_to_start() -> Iterator[None]:
    """Keep workers from importing the main module, which may be any script and is not needed there."""
    with _starting:
        main, sys.modules["__main__"] = sys.modules["__main__"], ModuleType("__main__")
        CONTEXT.set_forkserver_preload(["sidelight.web.app", "altair"])
        resource_tracker.ensure_running()  # which unblocks signals, and so comes first
        # Children inherit blocked signals: Ctrl-C, which a terminal sends to all of them, is for the server.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT]) if sys.platform != "win32" else None
        try:
            yield
        finally:
            if sys.platform != "win32" and before is not None:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)
            sys.modules["__main__"] = main


def _serve(server: Connection, folder: str | None) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server ends its workers
    threading.Thread(target=_end_with_server, daemon=True).start()
    tempfile.tempdir = folder
    sent = 0.0

    def report(what: str, done: int, total: int | None) -> None:
        nonlocal sent
        now = time.monotonic()
        # Searches report thousands of times a second, and a page polls three times; a new phase is always sent.
        if done == 0 or now - sent > 0.05:
            sent = now
            server.send(("progress", what, done, total))

    with suppress(OSError):  # the server may have ended
        try:
            server.send(("done", server.recv()(report)))
        except SidelightError as error:
            server.send(("failed", error))
        except Exception as error:  # noqa: BLE001 - a fault of ours ends this work and not the page
            fault = SidelightError(f"this failed in a way that it should not: {type(error).__name__}; tell us")
            server.send(("failed", fault))


def _end_with_server() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait([parent.sentinel])
    _exit(1)


Stage: TypeAlias = Literal["waiting", "running", "done", "failed", "cancelled"]

Gather: TypeAlias = Callable[[], Work]
"""Gathers what work needs, and returns the work: a function of the progress callback."""

Wording: TypeAlias = Callable[[str, int, int | None], str]
"""Words the progress of work: what is being done, how much of it, and out of how much."""

# The most ended jobs that are kept, the latest: of those that were started, and of watched ones.
MOST_ENDED = 64

# The most jobs that wait in a lane.
MOST_WAITING = 100


# Seconds without a poll (one every 300 ms) after which a page has been left.
FORGOTTEN = 1.5

# Seconds after which a job of such a page ends even if no other waits: sleeping tabs poll once a minute.
ABANDONED = 150.0


SEARCHES = "searches"


class Cancelled(BaseException):
    """Raised inside work that was cancelled."""


def so_far(what: str, done: int, total: int | None) -> str:
    """Return the progress of any work in words.

    >>> so_far("Newton steps", 3, None), so_far("sets of columns", 12, 1_500)
    ('Newton steps: 3', 'sets of columns: 12 of 1,500')
    """
    return f"{what}: {done:,}" if total is None else f"{what}: {done:,} of {total:,}"


class JobAnswer(DocumentPart):
    """The progress of a job at one moment, and its problem if it ended without an answer."""

    number: int
    title: str
    stage: Stage
    sentence: str
    done: int
    total: int | None
    problem: str | None

    @property
    def goes_on(self) -> bool:
        """Whether it had not ended."""
        return self.stage in ("waiting", "running")


@dataclass(eq=False)
class Job:
    """Work that was submitted: its title, the address of its page, and its state."""

    number: int
    question: Hashable
    title: str
    address: str
    lane: str
    gather: Gather = field(repr=False)
    wording: Wording = field(default=so_far, repr=False)
    complaint: Callable[[SidelightError], str] = field(default=str, repr=False)
    here: bool = False  # whether it runs in a thread of the server, and stops only where it reports
    stage: Stage = "waiting"
    answer: Any = field(default=None, repr=False)
    error: SidelightError | None = None
    done: int = 0
    total: int | None = None
    seconds: float = 0
    _doing: str = ""
    _ahead: tuple[Job, ...] = field(default=(), repr=False)
    _stop: threading.Event = field(default_factory=threading.Event, repr=False)
    _ended: threading.Event = field(default_factory=threading.Event, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _process: BaseProcess | None = field(default=None, repr=False)
    forgotten: bool = False  # whether it was cancelled as no page polled it
    watched: bool = False  # whether it ends when no page polls it
    _waiting: int = 0  # clients that wait for its end
    _looked_at: float = field(default_factory=time.monotonic, repr=False)

    @property
    def stopping(self) -> bool:
        """Whether it was cancelled."""
        return self._stop.is_set()

    @property
    def goes_on(self) -> bool:
        """Whether it has not ended."""
        return self.stage in ("waiting", "running")

    @property
    def problem(self) -> str | None:
        """The reason why it ended without an answer."""
        if self.stage == "cancelled":
            return "it was cancelled"
        return None if self.error is None else self.complaint(self.error)

    @property
    def sentence(self) -> str:
        """Its state in one sentence."""
        if self.stage == "waiting":
            ahead = [each.title for each in self._ahead if each.goes_on]
            others = f"; and {len(ahead) - 3:,} more" if len(ahead) > 3 else ""
            turn = f"waiting its turn, after: {'; '.join(ahead[:3])}{others}" if ahead else "beginning"
            return f"{self.title}: {turn}."
        if self.stage == "running":
            stopping = " Stopping." if self.stopping else ""
            return f"{self.title}: {self._doing or 'begun'}.{stopping}"
        return f"{self.title}: {self.problem or 'done'}."

    def describe(self) -> JobAnswer:
        """Return its progress as data, which stays the same while a page is rendered."""
        return JobAnswer.model_validate(self, from_attributes=True)

    def looked_at(self, seconds: float | None = None) -> bool:
        """Return whether a client waits for it or has polled it in the last seconds (default: `FORGOTTEN`)."""
        return self._waiting > 0 or time.monotonic() - self._looked_at <= (FORGOTTEN if seconds is None else seconds)

    @contextmanager
    def watch_result(self) -> Iterator[None]:
        """Count as polling it throughout."""
        with self._lock:
            self._waiting += 1
        try:
            yield
        finally:
            with self._lock:
                self._waiting -= 1

    def forget(self) -> None:
        """Cancel it as no page polls it any more: the next request for it starts it again."""
        if self.watched and self.goes_on:
            self.forgotten = True
            self.cancel()

    def wait(self, seconds: float) -> bool:
        """Wait up to `seconds` for its end; return whether it has ended."""
        return self._ended.wait(seconds)

    def _look(self) -> None:
        """Raise `Cancelled` if it was cancelled, or no page has polled it for long."""
        if self.watched and not self.looked_at(ABANDONED):
            self.forget()
        if self._stop.is_set():
            raise Cancelled

    def _report(self, what: str, done: int, total: int | None) -> None:
        self._look()
        self._doing, self.done, self.total = self.wording(what, done, total), done, total

    def _run(self) -> None:
        began = time.monotonic()
        try:
            self._enter("running")
            self._look()
            work = self.gather()
            self.answer = work(self._report) if self.here else self._work_elsewhere(work)
            self._enter("done")
        except Cancelled:
            self._enter("cancelled")
        except SidelightError as error:
            self.error = error
            self._enter("failed")
        except Exception as error:  # noqa: BLE001 - a fault of ours ends this job and not the page
            self.error = SidelightError(f"this failed in a way that it should not: {type(error).__name__}; tell us")
            self._enter("failed")
        self.seconds = time.monotonic() - began
        self._ended.set()

    def _work_elsewhere(self, work: Work) -> Any:  # noqa: ANN401 - of any work
        """Run work in a process of its own; check now and then whether it was cancelled."""
        warm_up()
        while not _warm.wait(0.1):
            self._look()
        with _ready_to_start():
            connection, theirs = CONTEXT.Pipe()
            process = CONTEXT.Process(target=_serve, args=(theirs, tempfile.tempdir), daemon=True)
            process.start()
            theirs.close()
        with self._lock:
            self._process = process
            if self._stop.is_set():  # cancelled before there was anything to end
                process.kill()
        try:
            connection.send(work)
            while True:
                while not connection.poll(0.1):
                    self._look()
                kind, *message = connection.recv()
                if kind == "done":
                    return message[0]
                if kind == "failed":
                    raise message[0]
                self._report(*message)
        except (EOFError, OSError):  # also in the middle of a message
            self._look()
            raise SidelightError(
                "it was ended from outside, perhaps for lack of memory; ask again, or for less"
            ) from None
        finally:
            process.kill()
            process.join()
            connection.close()
            with self._lock:
                self._process = None

    def _enter(self, stage: Stage) -> None:
        """Enter a stage; a cancelled job stays so, unless it ran here to its end."""
        with self._lock:
            if self._stop.is_set() and not (self.here and stage in ("done", "failed")):
                stage = "cancelled"
            self.stage, self._ahead = stage, ()
            if stage == "cancelled":
                self.answer = self.error = None

    def cancel(self) -> None:
        """Stop it, also before it begins; one that has ended stays as it is."""
        with self._lock:
            self._stop.set()
            if self.stage == "waiting" or (self.stage == "running" and not self.here):
                self.stage, self._ahead = "cancelled", ()
                self._ended.set()
            if self._process is not None:
                self._process.kill()


class Jobs:
    """All jobs of a workspace; `complaint` renders an error for its user."""

    def __init__(self, complaint: Callable[[SidelightError], str] = str) -> None:
        self._complaint = complaint
        self._jobs: OrderedDict[int, Job] = OrderedDict()
        self._latest: dict[Hashable, int] = {}
        self._lanes: dict[str, deque[Job]] = {}  # the first one of each is running
        self._threads: dict[str, threading.Thread] = {}
        self._lock = threading.Lock()
        self._numbers = 0
        self._closed = False

    def of(self, question: Hashable) -> Job | None:
        """Return the latest job of a question."""
        return self.numbered(self._latest.get(question, 0))

    def numbered(self, number: int) -> Job | None:
        """Return a job by its number, and note that it was polled."""
        with self._lock:
            job = self._jobs.get(number)
            if job is not None:
                self._look(job)
            return job

    def list_ended(self, lane: str = SEARCHES) -> tuple[Job, ...]:
        """Return the jobs of a lane that have an answer, the latest first."""
        with self._lock:
            return tuple(each for each in reversed(self._jobs.values()) if each.lane == lane and each.stage == "done")

    def start(
        self,
        question: Hashable,
        gather: Gather,
        *,
        title: str,
        address: str,
        lane: str = SEARCHES,
        wording: Wording = so_far,
        here: bool = False,
        watched: bool = False,
    ) -> Job:
        """Start work, or let it wait its turn; return the job of the question where it goes on or is done."""
        with self._lock:
            before = self._jobs.get(self._latest.get(question, 0))
            if before is not None and (before.stage == "done" or (before.goes_on and not before.stopping)):
                self._look(before)
                return before
            waiting = self._lanes.setdefault(lane, deque())
            ahead = tuple(each for each in waiting if each.goes_on)
            if len(ahead) > MOST_WAITING and not watched:
                raise SidelightError(f"{len(ahead):,} wait here already; wait until some have ended, or cancel some")
            # of watched jobs, the oldest gives way instead
            for each in ahead[: max(len(ahead) - MOST_WAITING, 0)]:
                if not each.looked_at(0):
                    each.forget()
            self._numbers += 1
            job = Job(self._numbers, question, title, address, lane, gather, wording, self._complaint, here)
            job.watched, job._ahead = watched, ahead
            if self._closed:
                job.cancel()
            self._jobs[job.number], self._latest[question] = job, job.number
            self._forget()
            waiting.append(job)
            if len(waiting) == 1:
                thread = threading.Thread(target=self._work_through, args=(lane,), name=lane, daemon=True)
                self._threads[lane] = thread
                thread.start()
            return job

    def soon(
        self, question: Hashable, gather: Gather, *, title: str, address: str, lane: str, within: float = 0.25
    ) -> Job:
        """Start a watched job, and wait up to `within` seconds for it.

        A job that the user cancelled stays so: only `again` starts it again.
        """
        before = self.of(question)
        if before is not None and before.stage == "cancelled" and not before.forgotten:
            return before
        job = self.start(question, gather, title=title, address=address, lane=lane, watched=True)
        job.wait(within)
        return job

    def again(self, job: Job) -> Job:
        """Start a cancelled or failed job again."""
        names = ("title", "address", "lane", "wording", "here", "watched")
        return self.start(job.question, job.gather, **{name: getattr(job, name) for name in names})

    def _look(self, job: Job) -> None:
        """Note that a job was polled; cancel those ahead of it that no page polls."""
        job._looked_at = time.monotonic()
        for each in self._lanes.get(job.lane, ()) if job.goes_on else ():
            if not each.looked_at():
                each.forget()

    def close(self, patience: float = 10.0) -> None:
        """Cancel everything, and wait up to `patience` seconds for running jobs."""
        with self._lock:
            self._closed = True
            unfinished = [each for lane in self._lanes.values() for each in lane]
            threads = [*self._threads.values()]
        for each in unfinished:
            each.cancel()
        until = time.monotonic() + patience
        for thread in threads:
            thread.join(max(until - time.monotonic(), 0))

    def _work_through(self, lane: str) -> None:
        waiting = self._lanes[lane]
        while True:
            waiting[0]._run()
            with self._lock:
                waiting.popleft()
                if not waiting:
                    return

    def _forget(self) -> None:
        for watched in (False, True):
            ended = [number for number, each in self._jobs.items() if not each.goes_on and each.watched == watched]
            for number in ended[: max(len(ended) - MOST_ENDED, 0)]:
                question = self._jobs.pop(number).question
                if self._latest.get(question) == number:
                    del self._latest[question]
