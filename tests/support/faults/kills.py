"""Works that are killed: around every step that changes the disk, and at moments drawn by chance."""

from __future__ import annotations

import random
import shutil
import signal
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from support.faults.children import import_as_after, in_child, kill_at, on_steps
from support.faults.works import Work, copied


@dataclass
class Tally:
    """Of a kind of fault, how many were made, and what broke."""

    kind: str
    runs: int = 0
    broken: list[str] = field(default_factory=list)

    def add(self, where: str, problems: list[str]) -> None:
        self.runs += 1
        self.broken += [f"{self.kind}, {where}: {problem}" for problem in problems]


@dataclass(frozen=True)
class Undisturbed:
    """A work's folder before it, what a reader finds before and after, its steps, and the processor time it takes."""

    work: Work
    template: Path
    old: str
    new: str
    steps: tuple[str, ...]
    seconds: float


def undisturbed(work: Work, folder: Path) -> Undisturbed:
    """Run a work with no fault at all, once to import what it imports, once to look at it."""
    template = folder / "template"
    template.mkdir(parents=True)

    def prepare() -> str:
        work.prepare(template)
        return work.found(template) if work.before else "nothing"

    old = import_as_after(prepare)
    first, second = copied(template, folder / "first"), copied(template, folder / "second")
    import_as_after(work.run, first)

    def counted() -> tuple[int, str, list[str]]:
        steps: list[str] = []
        on_steps(lambda name, when: steps.append(f"{when} {name}"))
        status = work.run(second)
        made = [*steps]
        return status, work.found(second), made

    ended = in_child(counted, quiet=False)
    assert ended.status == 0, f"{ended.status}: {ended.answer}"
    status, new, steps = ended.answer
    assert (status, new != old or "answers" in work.name) == (0, True), (status, old, new)
    return Undisturbed(work, template, old, new, tuple(steps), ended.seconds)


def looked_at(known: Undisturbed, folder: Path, status: int | None = None) -> list[str]:
    """Look for problems in a copy, run the work again where it was disturbed, each in a child; remove the folders."""
    copy = copied(folder, folder.with_name(f"{folder.name}-looked-at"))
    looked = in_child(known.work.problems, copy, known.old, known.new, status, quiet=False)
    shutil.rmtree(copy, ignore_errors=True)
    if looked.status:
        return [f"looking at it ended with {looked.status}: {looked.answer}"]
    state, problems = looked.answer
    again = in_child(known.work.again_problems, folder, state, known.new, quiet=False)
    shutil.rmtree(folder, ignore_errors=True)
    more = again.answer if again.status == 0 else [f"the same command again ended with {again.status}: {again.answer}"]
    return [*problems, *more]


def kill_around_steps(known: Undisturbed, folder: Path, tally: Tally, *, every: int = 1) -> None:
    """Kill before and after each step, or of every so many."""
    for number in range(0, len(known.steps), every):
        here = copied(known.template, folder / f"step-{number}")
        ended = in_child(_killed_at, known.work, here, number)
        where = f"{known.work.name}, killed {known.steps[number]} (step {number})"
        if ended.status != -signal.SIGKILL:
            tally.add(where, [f"it was to be killed, and ended with {ended.status}"])
        else:
            tally.add(where, looked_at(known, here))


def _killed_at(work: Work, here: Path, number: int) -> None:
    kill_at(number, signal.SIGKILL)
    work.run(here)


def kill_at_moments(known: Undisturbed, folder: Path, tally: Tally, chance: random.Random, many: int) -> None:
    """Kill after shares of its processor time that are drawn by chance; one that had ended is drawn again."""
    killed = 0
    for number in moments(many):
        here, after = copied(known.template, folder / f"moment-{number}"), chance.uniform(0, known.seconds)
        ended = in_child(known.work.run, here, kill_after=after)
        if ended.status == -signal.SIGKILL:
            killed += 1
            tally.add(f"{known.work.name}, killed after {after:.3f} s", looked_at(known, here))
        else:
            shutil.rmtree(here)
        if killed == many:
            return
    tally.add(known.work.name, [f"only {killed} of {many} kills came in time"])


def moments(many: int) -> Iterator[int]:
    yield from range(3 * many + 10)
