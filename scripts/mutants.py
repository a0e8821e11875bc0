"""Would our tests notice if the code were wrong?  Mutants of the rooms that decide, and how many of them tests kill.

make mutants                            everything that has no verdict yet; stop it and go on whenever you like
make mutants ONLY=measures/sums.py      one file, or one folder
make mutants WITH=--beside              only with the tests beside each file: quick, and a lower bound
make mutants ONLY=policy WITH="--ask tests/unit/policy"     with those and some more; also a lower bound

A survivor is a change that no test notices.  Those that stand in tests/mutants/survivors.toml are looked at, with the
reason why no test can or should notice; any other makes this fail, and so does a file under 90 %.  The figures are kept
in tests/mutants/figures.toml and shown in docs/trust.md.  How it is done: scripts/mutants_of_file.py.
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
    KILLED,
    ROOMS,
    ROOT,
    SOURCE,
    SURVIVED,
    TIMEOUT,
    UNTESTED,
    Key,
    Verdicts,
    beside,
    digest,
    watched,
)  # fmt: skip

SURVIVORS = ROOT / "tests" / "mutants" / "survivors.toml"
FIGURES = ROOT / "tests" / "mutants" / "figures.toml"
PAGE = ROOT / "docs" / "trust.md"
BEGIN, END = "<!-- mutants -->", "<!-- /mutants -->"
ENOUGH = 90  # per cent
ALL = [*(f"tests/unit/{room}" for room in ROOMS), "tests/agree", "tests/claims", "tests/golden"]


@dataclass(frozen=True)
class Figures:
    """What became of the mutants of one file."""

    mutants: int
    killed: int
    timeouts: int  # of the killed: those that ran out of time
    listed: int  # survivors with a reason
    open: int  # survivors without
    tests: str  # "all", or "some" of them were asked
    source: str  # digest of the file

    @property
    def share(self) -> float:
        """Per cent killed, of those that can be."""
        return 100 * self.killed / max(self.mutants - self.listed, 1)


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


def listed() -> dict[tuple[str, str, str, str], str]:
    """The survivors that were looked at: file, function, the lines before and after, and why no test notices."""
    entries = tomllib.loads(SURVIVORS.read_text(encoding="utf-8")).get("survivor", []) if SURVIVORS.exists() else []
    for entry in entries:
        if not entry.get("reason", "").strip():
            sys.exit(f"{SURVIVORS.name}: a survivor of {entry.get('function')} has no reason")
    return {tuple(entry[name] for name in ("file", "function", "was", "becomes")): entry["reason"] for entry in entries}  # type: ignore[misc]


def judge(file: str, known: Mapping[tuple[str, str, str, str], str], *, tests: str) -> tuple[Figures, list[Key]]:
    """Count the verdicts on a file's mutants, and name the survivors that are not listed."""
    verdicts, counted = Verdicts(file), Counter[str]()
    source, keys = verdicts.keys()
    unlisted = []
    for key in keys:
        verdict, *_ = verdicts.of(key)
        reason = known.get((file, key.function, key.was, key.becomes))
        if verdict in (SURVIVED, UNTESTED) and reason:
            verdict = "listed"
        elif verdict in (SURVIVED, UNTESTED):
            unlisted.append(key)
        elif reason:
            print(f"{file}: killed, and yet listed as a survivor: {key.function}: {key.becomes}")
        counted[verdict] += 1
    killed = counted[KILLED] + counted[TIMEOUT]
    figures = Figures(len(keys), killed, counted[TIMEOUT], counted["listed"], len(unlisted), tests, source)
    return figures, unlisted


def stored() -> dict[str, Figures]:
    """The figures of the last run of every file."""
    kept = tomllib.loads(FIGURES.read_text(encoding="utf-8")) if FIGURES.exists() else {}
    return {file: Figures(**figures) for file, figures in kept.items()}


def table(figures: Mapping[str, Figures], every: Iterable[str]) -> str:
    """The part of the page: a line for each room, then for each file that was tried."""
    every = list(every)
    lines = [
        "| | mutants | killed | of them by time | survivors with a reason | without | killed of those that can be |"
    ]
    lines += ["| --- | --: | --: | --: | --: | --: | --: |"]
    for room in ROOMS:
        of_room = [one for file, one in figures.items() if file.startswith(f"{room}/")]
        tried = f"`{room}/` ({len(of_room)} of {sum(file.startswith(f'{room}/') for file in every)} files)"
        total = Figures(*(sum(getattr(one, name) for one in of_room) for name in _COUNTS), "", "")
        lines.append(_line(f"**{tried}**", total) if of_room else f"| **{tried}** | not run | | | | | |")
        lines += [
            _line(f"`{file}`{_notes(file, one)}", one) for file, one in figures.items() if file.startswith(f"{room}/")
        ]
    return "\n".join(lines)


_COUNTS = ("mutants", "killed", "timeouts", "listed", "open")


def _line(name: str, one: Figures) -> str:
    return f"| {name} | {' | '.join(str(getattr(one, count)) for count in _COUNTS)} | {one.share:.1f} % |"


def _notes(file: str, one: Figures) -> str:
    changed = ", changed since" if one.source != digest(SOURCE / file) else ""
    return (", by some of the tests" if one.tests == "some" else "") + changed


PREFACE = """\
`make mutants` makes one small change at a time (another sign, another constant, an argument left out, as mutmut does)
in a function of these rooms, and runs the tests that execute the changed statement, at most 20 seconds of them. Killed:
a test failed, or ran out of time. What stands outside of functions is not changed. Where only some of the tests
were asked, the others may kill more."""


def show(text: str, page: Path = PAGE) -> bool:
    """Put text between the marks of a page; False if there is no such page, or it has no marks."""
    written = page.read_text(encoding="utf-8") if page.exists() else ""
    before, begin, rest = written.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        return False
    page.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}", encoding="utf-8")
    return True


def main() -> int:
    """Try what has no verdict, judge, keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("only", nargs="*", help="files or folders below src/sidelight")
    parser.add_argument("--beside", action="store_true", help="use only the tests beside each file")
    parser.add_argument("--ask", action="append", default=[], help="and these files or folders of tests, but no others")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="files at a time")
    parser.add_argument("--judge", action="store_true", help="try nothing, only judge what was tried")
    chosen = parser.parse_args()
    todo, some = files(chosen.only), chosen.beside or bool(chosen.ask)
    if not chosen.judge:
        examples = [f"src/sidelight/{file}" for file in (todo if some else files(()))]
        asked = [] if chosen.beside else [*tests_in(chosen.ask or ALL), *examples]
        if unseen := [tests for tests in asked if not watched(tests)]:
            print(f"watching {len(unseen)} files of tests", flush=True)
            ask("watch", *unseen)
        with ThreadPoolExecutor(chosen.jobs) as threads:
            for one in [threads.submit(ask, "try", file, *tests_for(file, asked)) for file in todo]:
                one.result()
    known, figures, bad = listed(), stored(), False
    for file in todo:
        figures[file], unlisted = judge(file, known, tests="some" if some else "all")
        for key in unlisted:
            print(f"\n{file}: {key.function}\n  - {key.was}\n  + {key.becomes}")
        bad |= bool(unlisted) or figures[file].share < ENOUGH
    every = files(())
    figures = {file: figures[file] for file in every if file in figures}
    FIGURES.parent.mkdir(exist_ok=True)
    FIGURES.write_text(tomli_w.dumps({file: vars(one) for file, one in figures.items()}), encoding="utf-8")
    text = table(figures, every)
    print(f"\n{table({file: figures[file] for file in todo}, every)}")
    if not show(f"{PREFACE}\n\n{text}"):
        print(f"{PAGE.relative_to(ROOT)} has no place for the table: a line {BEGIN} and a line {END}")
    return int(bad)


if __name__ == "__main__":
    sys.exit(main())
