"""`make verify WHAT=fuzz`: so many inputs over all targets, by several processes; the table of what came of them.

    python tests/trust/fuzz/driver.py --inputs 100000 --seed 1 --workers 2
    python tests/trust/fuzz/driver.py --only CSV --inputs 2000 --seed 7
    python tests/trust/fuzz/driver.py --guided 20000

A target's inputs are drawn in batches, each with a number of its own that follows from the seed: the same seed, the same
inputs, however many workers there are.  A worker that crashes, or that nobody can interrupt, is a failure of its batch.
`--guided` lets coverage lead (atheris): texts that reach new lines of the parsers are changed further.  The table goes to
`docs/trust.md` (`--write`).
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
import zlib
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from pathlib import Path

TESTS = Path(__file__).resolve().parents[2]
sys.path[:1] = [str(TESTS), str(TESTS.parent / "scripts")]

from trust.fuzz.bars import Failure, Tally, Target, run  # noqa: E402
from trust.fuzz.targets import TARGETS  # noqa: E402
from trust_page import write_section  # noqa: E402

BATCH = 2_500
STUCK = 60
"""Seconds of processor time without another input, after which a worker is given up."""


@dataclass
class Worker:
    """A process that works on one batch, and what it has said so far."""

    target: Target
    number: int
    process: multiprocessing.Process
    told: multiprocessing.connection.Connection
    current: Path
    tally: Tally | None = None
    seen: tuple[float, float] = field(
        default_factory=lambda: (0.0, 0.0)
    )  # when it began an input, and its seconds then


def work(name: str, inputs: int, number: int, current: Path, tell: multiprocessing.connection.Connection) -> None:
    """Run one batch in a folder of its own."""
    warnings.simplefilter("ignore")
    target = next(each for each in TARGETS if each.name == name)
    with current.open("wb", buffering=0) as file, tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)

        def note(each: object) -> None:
            file.seek(0)
            file.truncate()
            file.write(pickle.dumps(each))

        tell.send(run(target, inputs, number, before_each=note))
        os.chdir("/")


def processor_seconds(pid: int) -> float:
    """Say how much of the processor a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def is_stuck(worker: Worker) -> bool:
    """Say whether a worker has been busy with one input for longer than anything may take."""
    try:
        began, used = worker.current.stat().st_mtime, processor_seconds(worker.process.pid)
    except OSError:
        return False
    if began != worker.seen[0]:
        worker.seen = began, used
    return used - worker.seen[1] > STUCK


def given_up(worker: Worker) -> Tally:
    """Tell of a worker that crashed or had to be ended, and of the input it was at."""
    try:
        given = repr(pickle.loads(worker.current.read_bytes()))[:4000]
    except (OSError, EOFError, pickle.UnpicklingError):
        given = "?"
    bar = "hang" if worker.process.exitcode == -9 else "traceback"
    words = f"the process ended with {worker.process.exitcode} in batch {worker.number}"
    tally = Tally(worker.target.name, inputs=1)
    tally.add(Failure(worker.target.name, bar, words, words, given))
    return tally


def batches(inputs: int, seed: int, only: str | None) -> list[tuple[Target, int, int]]:
    """Deal the inputs out: targets by their shares, in batches, each with its number."""
    chosen = [target for target in TARGETS if only is None or target.name == only]
    shares = sum(target.share for target in chosen)
    dealt = []
    for target in chosen:
        many = -(-inputs * target.share // shares)
        sizes = [min(BATCH, many - begin) for begin in range(0, many, BATCH)]
        dealt += [(target, size, zlib.crc32(f"{seed} {target.name} {at}".encode())) for at, size in enumerate(sizes)]
    return dealt


def run_all(inputs: int, seed: int, workers: int, only: str | None) -> dict[str, Tally]:
    """Run all batches, so many at a time."""
    context = multiprocessing.get_context("spawn")  # a fork would take locks along that nobody opens again
    waiting, running = batches(inputs, seed, only)[::-1], []
    tallies = {target.name: Tally(target.name) for target, _, _ in waiting[::-1]}
    with tempfile.TemporaryDirectory() as folder:
        while waiting or running:
            while waiting and len(running) < workers:
                target, size, number = waiting.pop()
                receive, tell = context.Pipe(duplex=False)
                current = Path(folder, f"{target.name}-{number}".replace(" ", "-"))
                process = context.Process(target=work, args=(target.name, size, number, current, tell))
                process.start()
                tell.close()
                running.append(Worker(target, number, process, receive, current))
            ready = wait([each.told for each in running], timeout=2)
            for worker in [*running]:
                if worker.told in ready:
                    try:
                        worker.tally = worker.told.recv()
                    except EOFError:
                        worker.process.join()
                elif is_stuck(worker):
                    worker.process.kill()
                    continue
                else:
                    continue
                worker.process.join()
                tallies[worker.target.name].join(worker.tally or given_up(worker))
                worker.told.close()
                worker.current.unlink(missing_ok=True)
                running.remove(worker)
    return tallies


def guided(inputs: int, seed: int) -> dict[str, Tally]:
    """Let coverage lead, target after target: each in a process of its own, as libFuzzer ends the one it runs in."""
    tallies = {}
    for target in TARGETS:
        if not target.texts:
            continue
        with tempfile.TemporaryDirectory() as folder:
            answer = Path(folder, "answer")
            command = [
                sys.executable,
                str(Path(__file__).with_name("guided.py")),
                target.name,
                str(inputs),
                str(seed),
                str(answer),
            ]
            subprocess.run(command, cwd=folder, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            name = f"{target.name}, guided"
            tallies[name] = pickle.loads(answer.read_bytes()) if answer.is_file() else Tally(name)
            tallies[name].target = name
    return tallies


def table(tallies: dict[str, Tally]) -> str:
    """Draw the table of the page."""
    lines = [
        "| target | inputs | refused | tracebacks | hangs | cells shown |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    together = Tally("**together**")
    for name, tally in tallies.items():
        together.join(Tally(name, tally.inputs, tally.refused, tally.seconds, {}, tally.broken))
        lines.append(_line(tally))
    return "\n".join([*lines, _line(together)]) + "\n"


def _line(tally: Tally) -> str:
    broken = " | ".join(f"{tally.broken[bar]:,}" for bar in ("traceback", "hang", "leak"))
    return f"| {tally.target} | {tally.inputs:,} | {tally.refused:,} | {broken} |"


def main() -> int:
    parser = argparse.ArgumentParser(
        description="Give all parsers inputs near valid ones, and see whether a bar breaks."
    )
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", choices=[target.name for target in TARGETS])
    parser.add_argument("--guided", type=int, default=0, help="inputs per text parser that coverage leads to")
    parser.add_argument("--write", action="store_true", help="put the table into docs/trust.md")
    chosen = parser.parse_args()
    began = time.monotonic()
    tallies = run_all(chosen.inputs, chosen.seed, chosen.workers, chosen.only) if chosen.inputs else {}
    if chosen.guided and shutil.which("sh"):
        tallies |= guided(chosen.guided, chosen.seed)
    failures = [failure for tally in tallies.values() for failure in tally.failures.values()]
    for each in failures:
        print(f"{each.bar} of {each.target}: {each.place}\n    {each.words}\n    {each.given[:600]}")  # noqa: T201
    drawn = table(tallies)
    seconds = sum(tally.seconds for tally in tallies.values())
    clocked = f"{seconds:,.0f} s of processor time within inputs, {time.monotonic() - began:,.0f} s in all"
    print(f"{drawn}\nseed {chosen.seed}; {clocked}")  # noqa: T201
    if chosen.write:
        write_section("fuzz", f"Seed {chosen.seed}; {clocked}.\n\n{drawn}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
