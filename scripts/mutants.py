"""Would our tests notice if the code were wrong?  Mutants of the rooms that decide, and how many of them tests kill.

make verify WHAT=mutants        everything that has no verdict yet; stop it and go on whenever you like
    ONLY=measures/sums.py       one file, or one folder
    WITH=--beside               only with the tests beside each file: quick, and a lower bound
    WITH="--ask tests/unit/policy"      with those and some more; also a lower bound
    WITH="--share 30"           a sample: 30 of 100 mutants, drawn as if by chance, always the same
    ONLY=measures/sums.py WITH="--judge --because 'the same for every count' --numbers 17 20-22"

A survivor is a change that no test notices.  Those that stand in tests/mutants/survivors/ (a file for each source file)
are looked at, with the reason why no test can or should notice; any other makes this fail, and so does a file under
90 %.  The verdicts are kept in .cache/mutants/, which git ignores.  They are counted in docs/trust.md once every file
has some: a run over one file leaves the figures of all files there alone.  How it is done: scripts/mutants_of_file.py.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import tomli_w
from mutants_of_file import (
    BUDGET,
    KEPT,
    KILLED,
    ROOMS,
    ROOT,
    SOURCE,
    SURVIVED,
    TIMEOUT,
    UNTESTED,
    UNTRIED,
    Key,
    Verdicts,
    beside,
    watched,
)  # fmt: skip
from trust_page import write_section

SURVIVORS = ROOT / "tests" / "mutants" / "survivors"
ENOUGH = 90  # per cent
ALL = [*(f"tests/unit/{room}" for room in ROOMS), "tests/agree", "tests/claims", "tests/golden"]


@dataclass(frozen=True)
class Figures:
    """What became of the mutants of one file."""

    mutants: int
    tried: int
    killed: int
    timeouts: int  # of the killed: those that ran out of time
    listed: int  # survivors with a reason
    open: int  # survivors without

    @property
    def share(self) -> float:
        """Per cent killed, of those that were tried."""
        return 100 * self.killed / max(self.tried, 1)

    @property
    def share_of_possible(self) -> float:
        """Per cent killed, of those that were tried and that a test could or should kill."""
        return 100 * self.killed / max(self.tried - self.listed, 1)


def files(only: Sequence[str]) -> list[str]:
    """The source files to mutate, the smallest room first."""
    found = [path.relative_to(SOURCE).as_posix() for room in ROOMS for path in sorted((SOURCE / room).rglob("*.py"))]
    found = [file for file in found if not file.endswith("__init__.py")]
    chosen = [file for file in found if not only or any(f"{file}/".startswith(f"{each.rstrip('/')}/") for each in only)]
    if not chosen:
        sys.exit(f"no source file {' '.join(only)}; say one below src/sidelight, such as measures/sums.py")
    return chosen


def tests_in(places: Sequence[str]) -> list[str]:
    """The files of tests in folders; a source file is one too, for the examples in its docstrings."""
    paths = [
        path
        for place in map(ROOT.joinpath, places)
        for path in ([place] if place.is_file() else sorted(place.rglob("test_*.py")))
    ]
    return [path.relative_to(ROOT).as_posix() for path in paths]


def ask(what: str, *arguments: str) -> None:
    """Run the other script; what it says goes where ours goes."""
    command = [sys.executable, str(ROOT / "scripts" / "mutants_of_file.py"), what, *arguments]
    if subprocess.run(command, check=False).returncode not in (0, 5):  # 5: pytest itself ran no test
        sys.exit(f"mutants: {what} {arguments[0]} failed")


def tests_for(file: str, asked: Sequence[str]) -> list[str]:
    """The files of tests that execute some line of a source file, those beside it first."""
    known = {tests: watched(tests) for tests in asked if tests not in beside(file)}
    return beside(file) + [tests for tests, seen in known.items() if seen and f"src/sidelight/{file}" in seen.lines]


def survivors_of(file: str) -> Path:
    """Where the survivors of a source file stand that were looked at."""
    return SURVIVORS / f"{file}.toml"


def reasons(file: str) -> dict[str, list[list[str]]]:
    """Why no test can or should notice some changes: for each reason the function, the lines before and after."""
    path = survivors_of(file)
    entries = tomllib.loads(path.read_text(encoding="utf-8")).get("survivors", []) if path.exists() else []
    if any(not entry.get("reason", "").strip() for entry in entries):
        sys.exit(f"{path.relative_to(ROOT)}: a survivor has no reason")
    return {entry["reason"]: entry["changes"] for entry in entries}


def excuse(file: str, reason: str, numbers: Iterable[int]) -> None:
    """Write down why some survivors may live."""
    keys, known = Verdicts(file).keys(), reasons(file)
    changes = known.setdefault(reason, [])
    for number in numbers:
        change = [keys[number].function, keys[number].was, keys[number].becomes]
        if change not in changes:
            changes.append(change)
    path = survivors_of(file)
    path.parent.mkdir(parents=True, exist_ok=True)
    entries = [{"reason": reason, "changes": changes} for reason, changes in known.items()]
    path.write_text(tomli_w.dumps({"survivors": entries}), encoding="utf-8")


def numbers_in(texts: Iterable[str]) -> list[int]:
    """Read numbers and ranges of them.

    >>> numbers_in(["3", "7-9"])
    [3, 7, 8, 9]
    """
    ends = [text.partition("-") for text in texts]
    return [number for first, _, last in ends for number in range(int(first), int(last or first) + 1)]


def judge(file: str) -> tuple[Figures, list[tuple[int, Key]]]:
    """Count the verdicts on a file's mutants, and name the survivors that are not listed, by their numbers."""
    verdicts, counted = Verdicts(file), Counter[str]()
    keys = verdicts.keys()
    known = {tuple(change) for changes in reasons(file).values() for change in changes}
    unlisted = []
    for number, key in enumerate(keys):
        verdict, *_ = verdicts.of(key)
        reason = (key.function, key.was, key.becomes) in known
        if verdict in (SURVIVED, UNTESTED) and reason:
            verdict = "listed"
        elif verdict in (SURVIVED, UNTESTED):
            unlisted.append((number, key))
        elif verdict != UNTRIED and reason:
            print(f"{file}: killed, and yet listed as a survivor: {key.function}: {key.becomes}")
        counted[verdict] += 1
    for function, _, becomes in known - {(key.function, key.was, key.becomes) for key in keys}:
        print(f"{file}: listed as a survivor, and no mutant any more: {function}: {becomes}")
    mutants, killed = len(keys), counted[KILLED] + counted[TIMEOUT]
    tried = mutants - counted[UNTRIED]
    return Figures(mutants, tried, killed, counted[TIMEOUT], counted["listed"], len(unlisted)), unlisted


def keep(file: str, tests: str) -> None:
    """Write the verdicts on a file's mutants to the cache; `tests`: whether all or some were asked."""
    path = KEPT / f"{file}.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(tomli_w.dumps(Verdicts(file).kept(tests)), encoding="utf-8")


def table(figures: Mapping[str, Figures]) -> str:
    """The part of the page: a line for all, for each room, and for each file."""
    lines = [f"| | {' | '.join(HEADS.values())} | killed of tried | of those that can be |"]
    lines += [f"| --- |{' --: |' * (len(HEADS) + 2)}", _line("**together**", figures.values())]
    for room in ROOMS:
        of_room = {file: one for file, one in figures.items() if file.startswith(f"{room}/")}
        lines += [_line(f"**`{room}/`**", of_room.values())] if of_room else []
        lines += [_line(f"`{file}`{_notes(file)}", [one]) for file, one in of_room.items()]
    return "\n".join(lines)


HEADS = {
    "mutants": "mutants",
    "tried": "tried",
    "killed": "killed",
    "timeouts": "of them by time",
    "listed": "survivors with a reason",
    "open": "without",
}


def _line(name: str, those: Iterable[Figures]) -> str:
    those = list(those)
    total = Figures(*(sum(getattr(one, count) for one in those) for count in HEADS))
    counts = " | ".join(f"{getattr(total, count):,}" for count in HEADS)
    shares = f"{total.share:.1f} % | {total.share_of_possible:.1f} %" if total.tried else "not run | "
    return f"| {name} | {counts} | {shares} |"


def _notes(file: str) -> str:
    verdicts = Verdicts(file)
    return ", by some of the tests" if verdicts.kept_path.exists() and verdicts.tests == "some" else ""


PREFACE = f"""\
`make verify WHAT=mutants` makes one small change at a time (another sign, another constant, an argument left out, as
mutmut does) in a function of these rooms, and runs the tests that execute the changed statement, at most {BUDGET:.0f}
seconds of them. Killed: a test failed, or ran out of time. What stands outside of functions is not changed. A verdict
holds until its function is written otherwise. For what survived at first a test was written, or a reason in
`tests/mutants/survivors/` why no test can or should notice: reasons are arguments, and later tests refuted some that
stood there. Where not all mutants of a file were tried, those that were are drawn as if by chance, and of the others a
larger share may live; where only some of the tests were asked, the others may kill more."""


def main() -> int:
    """Try what has no verdict, judge, keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("only", nargs="*", help="files or folders below src/sidelight")
    parser.add_argument("--beside", action="store_true", help="use only the tests beside each file")
    parser.add_argument("--ask", action="append", default=[], help="and these files or folders of tests, but no others")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="files at a time")
    parser.add_argument("--share", type=int, default=100, help="try so many of 100 mutants, drawn as if by chance")
    parser.add_argument("--judge", action="store_true", help="try nothing, only judge and keep what was tried")
    parser.add_argument("--leave-page", action="store_true", help="write neither docs/trust.md nor condensed verdicts")
    parser.add_argument("--because", help="why the survivors with these numbers may live; of one file")
    parser.add_argument("--numbers", nargs="+", default=[], help="which survivors, as 3 or 7-9")
    chosen = parser.parse_args()
    todo, some, bad = files(chosen.only), chosen.beside or bool(chosen.ask), False
    if chosen.because:
        excuse(todo[0], chosen.because, numbers_in(chosen.numbers))
    if not chosen.judge:
        examples = [f"src/sidelight/{file}" for file in (todo if some else files(()))]
        asked = [] if chosen.beside else [*tests_in(chosen.ask or ALL), *examples]
        if unseen := [tests for tests in asked if not watched(tests)]:
            print(f"watching {len(unseen)} files of tests", flush=True)
            ask("watch", *unseen)
        with ThreadPoolExecutor(chosen.jobs) as threads:
            tries = [("try", file, str(chosen.share), *tests_for(file, asked)) for file in todo]
            for one in [threads.submit(ask, *each) for each in tries]:
                one.result()
    for file in todo:
        if not chosen.leave_page:
            keep(file, "some" if (some or chosen.judge) and Verdicts(file).tests == "some" else "all")
        figures, unlisted = judge(file)
        for number, key in unlisted:
            print(f"\n{number}: {file}: {key.function}\n  - {key.was}\n  + {key.becomes}")
        bad |= bool(unlisted) or figures.share_of_possible < ENOUGH
    print(f"\n{table({file: judge(file)[0] for file in todo})}")
    if not chosen.leave_page:
        every = {file: judge(file)[0] for file in files(())}
        if all(one.tried or not one.mutants for one in every.values()):
            write_section("mutants", f"{PREFACE}\n\n{table(every)}")
        else:
            print("\ndocs/trust.md stays as it is: some files have no verdicts in .cache/mutants yet")
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())
