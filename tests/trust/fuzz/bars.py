"""The bars of fuzzing, checked input by input: no traceback, no hang, no cell where it does not belong.

    traceback   anything but an answer, a `SidelightError` of one line, an exit status of 0, 1 or 2, an HTTP status below 500
    hang        more than `SECONDS` of processor time for one input, or `WAITING` seconds of waiting for something
    leak        a marked cell (`MARK`) in the message of an error, in standard error, in what a failed command or a
                request that was refused says

Cells are marked in all tables that inputs hold or are asked about.  What somebody typed may be said again; so what is
typed holds no mark.
"""

from __future__ import annotations

import contextlib
import io
import re
import signal
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

import sidelight as sl

MARK = "Kwyj"
"""Every cell that no error has a reason to show holds this."""

STORY = "Zqxv"
"""Long cells hold this behind the place where they are cut: no message shows so much of one."""

MUST_NAME = (
    r"no sensitive value .* in the release; (there are|did you mean)",
    r"^\w+ has no '.*'; (there are|did you mean)",  # of noisy counts, whose values are declared
    r"is a value of the release but not in order",
    r"the prior misses .* a value of the release",
    r"values? of the data (is|are) not in it: .*; add a row",
    r"values? (is|are) not a (number|day|date): .*; mend the data",
    r"occurs in '.*' but is not in (domain|--domain|the order)",
    r"column '.*' is no (number|date): .* such as ",
)
"""Messages that name labels of a column that the question is about, as whoever is to mend it must know which."""

SECONDS = 5
WAITING = 60
"""So long may one input take: seconds of the processor, and by the clock, on a machine that has much else to do."""


@dataclass(frozen=True)
class Target:
    """A parser, or whatever else is given inputs.

    `inputs` makes them, `ask` gives one to the product and gives back what was said where something was refused; it
    raises what the product raises.  `share` inputs of a thousand are for this target; `short` are drawn by `make test`.
    """

    name: str
    inputs: st.SearchStrategy
    ask: Callable[[object], str]
    share: int
    short: int
    prepare: Callable[[], object] = bool  # makes what inputs are asked about
    texts: Sequence[str] = ()  # valid texts to begin with, where coverage may lead (`guided`)


@dataclass(frozen=True)
class Failure:
    """One bar that an input broke, and the place by which failures of one kind are told from others."""

    target: str
    bar: str
    place: str
    words: str
    given: str


@dataclass
class Tally:
    """What came of the inputs of a target."""

    target: str
    inputs: int = 0
    refused: int = 0
    seconds: float = 0.0
    failures: dict[tuple[str, str], Failure] = field(default_factory=dict)
    broken: dict[str, int] = field(default_factory=lambda: {"traceback": 0, "hang": 0, "leak": 0})

    def add(self, failure: Failure) -> None:
        self.broken[failure.bar] += 1
        kept = self.failures.setdefault((failure.bar, failure.place), failure)
        if len(failure.given) < len(kept.given):  # the shortest tells most
            self.failures[failure.bar, failure.place] = failure

    def join(self, other: Tally) -> None:
        self.inputs += other.inputs
        self.refused += other.refused
        self.seconds += other.seconds
        for failure in other.failures.values():
            self.add(failure)
        for bar, times in other.broken.items():
            self.broken[bar] += times - sum(each.bar == bar for each in other.failures.values())


class TookTooLong(BaseException):
    """Raised in the midst of whatever hangs; nothing of ours catches it."""


class Broken(Exception):
    """The product answered, and not as it should: with a status that tells of a traceback, or in several lines."""


@contextlib.contextmanager
def in_time() -> Iterator[None]:
    """Interrupt what takes too much of the processor, or waits too long."""

    def late(*_: object) -> None:
        raise TookTooLong

    before = signal.signal(signal.SIGPROF, late), signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    signal.setitimer(signal.ITIMER_REAL, WAITING)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGPROF, before[0])
        signal.signal(signal.SIGALRM, before[1])


def judge(target: Target, given_input: object, tally: Tally) -> None:
    """Give one input to a target, and enter what came of it."""
    tally.inputs += 1
    began = time.process_time()
    try:
        with in_time(), contextlib.redirect_stderr(io.StringIO()) as heard:
            words = _words_of(target, given_input)
        words += heard.getvalue()
    except (TookTooLong, MemoryError) as error:
        tally.add(_failure(target, "hang", error, given_input))
    except Exception as error:  # noqa: BLE001 - whatever it is
        tally.add(_failure(target, "traceback", error, given_input))
    else:
        tally.refused += bool(words)
        if _shows_a_cell(words):
            place = re.sub(r"'[^']*'|\"[^\"]*\"|\d+", "…", words)[:90]
            tally.add(Failure(target.name, "leak", place, words[:500], _given(given_input)))
    tally.seconds += time.process_time() - began


def _shows_a_cell(words: str) -> bool:
    told = words.casefold()
    if STORY.casefold() in told:
        return True
    return MARK.casefold() in told and not any(re.search(each, words) for each in MUST_NAME)


def _words_of(target: Target, given_input: object) -> str:
    try:
        return target.ask(given_input) or ""
    except sl.SidelightError as error:
        if "\n" in str(error):
            message = f"an error of several lines: {error}"
            raise Broken(message) from error
        return str(error)


def _failure(target: Target, bar: str, error: BaseException, given_input: object) -> Failure:
    steps = traceback.extract_tb(error.__traceback__)
    ours = [step for step in steps if "/sidelight/" in step.filename] or steps
    place = f"{Path(ours[-1].filename).name}:{ours[-1].lineno} {type(error).__name__}" if ours else type(error).__name__
    place = str(error)[:80] if isinstance(error, Broken) else place
    return Failure(target.name, bar, place, f"{type(error).__name__}: {error}"[:500], _given(given_input))


def _given(given_input: object) -> str:
    return repr(given_input)[:4000]


def run(target: Target, inputs: int, number: int, *, before_each: Callable[[object], None] = lambda _: None) -> Tally:
    """Give a target so many inputs, the same ones for the same number."""
    tally = Tally(target.name)
    target.prepare()

    @seed(number)
    @settings(
        max_examples=inputs,
        database=None,
        deadline=None,
        derandomize=False,
        phases=[Phase.generate],
        suppress_health_check=[*HealthCheck],
    )
    @given(target.inputs)
    def ask(each: object) -> None:
        before_each(each)
        judge(target, each, tally)

    ask()
    return tally
