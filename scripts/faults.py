"""`make verify WHAT=faults`: kill, fill, lock, damage and change, hundreds of times; see what is left (docs/trust.md).

python scripts/faults.py           all of it, and its table goes to docs/trust.md
python scripts/faults.py --short   a sample, for tests; only says what broke
python scripts/faults.py --seed 7  other moments and other bytes
python scripts/faults.py kills     only some kinds: kills, disks, flips, passes, engines
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from xml.etree import ElementTree as ET

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "scripts")]

from support.faults import disks, flips, kills, passes  # noqa: E402 - by the path above
from support.faults.kills import Tally, Undisturbed  # noqa: E402
from support.faults.works import WORKS  # noqa: E402
from trust_page import write_section  # noqa: E402

MOMENTS = 500
SHORT_WORKS = ("publish over an earlier release", "noise from a ledger")


def main() -> int:
    wished = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    wished.add_argument("kinds", nargs="*", help="kills, disks, flips, passes, engines; all, if none is named")
    wished.add_argument("--short", action="store_true", help="a sample of each, within seconds")
    wished.add_argument("--seed", type=int, default=1, help="what chance begins with")
    given = wished.parse_args()
    kinds = given.kinds or ["kills", "disks", "passes", "flips", *([] if given.short else ["engines"])]
    tallies: list[Tally] = []
    with tempfile.TemporaryDirectory(prefix="faults-") as name:
        for kind in kinds:
            for tally in KINDS[kind](Path(name) / kind, given.seed, given.short):
                tallies.append(tally)
                print(f"{tally.kind}: {tally.runs}, broken: {len(tally.broken)}", flush=True)
                for each in tally.broken:
                    print(f"    {each}", flush=True)
    if not given.kinds and not given.short:
        write_section("faults", table_of(tallies, given.seed))
    return int(any(tally.broken for tally in tallies))


def table_of(tallies: list[Tally], seed: int) -> str:
    """Draw the table: kind of fault, how many were made, what broke."""
    rows = [f"| {tally.kind} | {tally.runs:,} | {len(tally.broken)} |" for tally in tallies]
    total = sum(tally.runs for tally in tallies), sum(len(tally.broken) for tally in tallies)
    return "\n".join(
        [
            f"| fault (seed {seed}) | made | broken |",
            "| --- | ---: | ---: |",
            *rows,
            f"| all | {total[0]:,} | {total[1]} |",
        ]
    )


def known_works(folder: Path, *, short: bool) -> list[Undisturbed]:
    return [
        known_work(folder.parent / "works" / str(at), at)
        for at, work in enumerate(WORKS)
        if not short or work.name in SHORT_WORKS
    ]


@cache
def known_work(folder: Path, at: int) -> Undisturbed:
    """Run a work undisturbed, once for all kinds of faults."""
    return kills.undisturbed(WORKS[at], folder)


def killed(folder: Path, seed: int, short: bool) -> Iterator[Tally]:  # noqa: FBT001 - one of a table of functions
    """Kill each work around its steps, and at moments."""
    chance, works = random.Random(seed), known_works(folder, short=short)
    moments = Tally("killed at a moment drawn by chance")
    for at, known in enumerate(works):
        around = Tally(f"killed before or after a rename, link, unlink, fsync, mkdir or rmdir: {known.work.name}")
        kills.kill_around_steps(known, folder / str(at), around, every=11 if short else 1)
        yield around
        kills.kill_at_moments(known, folder / str(at), moments, chance, 1 if short else -(-MOMENTS // len(works)))
    yield moments


def disks_tried(folder: Path, seed: int, short: bool) -> Iterator[Tally]:  # noqa: FBT001, ARG001
    """Fill the disk, let no file grow, and make it read-only."""
    works, mounting = known_works(folder, short=short), disks.may_mount(folder)
    small, full, locked = Tally("files that may not grow"), Tally("full disk"), Tally("read-only disk")
    for at, known in enumerate(works[:1] if short else works):
        for largest in disks.LARGEST[3:4] if short else disks.LARGEST:
            disks.files_small(known, folder / str(at), small, largest)
        if not mounting:
            continue
        with disks.small_disk(folder / f"disk-{at}") as disk:
            for free in disks.LEFT_FREE[3:4] if short else disks.LEFT_FREE:
                disks.disk_full(known, disk, full, free)
            elsewhere = folder / f"elsewhere-{at}"
            elsewhere.mkdir()
            for temporary in (elsewhere,) if short else (elsewhere, None):
                disks.read_only(known, disk, locked, temporary=temporary)
    if not mounting:
        print("full and read-only disks were left out: mounting is not allowed here")
    yield from (small, *((full, locked) if mounting else ()))


def flipped(folder: Path, seed: int, short: bool) -> Iterator[Tally]:  # noqa: FBT001
    """Change one byte of files of every format."""
    folder.mkdir(parents=True)
    for kind in flips.SHORT if short else flips.FORMATS:
        yield flips.flip(kind, folder, random.Random(seed), 2 if short else 150)


def changed(folder: Path, seed: int, short: bool) -> Iterator[Tally]:  # noqa: FBT001
    """Change a source while it is read."""
    folder.mkdir(parents=True)
    formats = passes.FILES[:1] if short else passes.FILES
    yield passes.change_between(folder, random.Random(seed), 1 if short else 25, formats)


ENGINES = {
    "Spark executor killed": ("tests/engines/test_spark.py", "killed"),
    "database gone or restarted": ("tests/unit/engines/postgres/test_source.py", "gone or restarted"),
}


def engines(folder: Path, seed: int, short: bool) -> Iterator[Tally]:  # noqa: FBT001, ARG001
    """Have the tests of engines lose a worker, and the database: they have the machinery."""
    folder.mkdir(parents=True)
    for kind, (tests, which) in ENGINES.items():
        tally, result = Tally(kind), folder / "result.xml"
        words = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            f"--junitxml={result}",
            tests,
            "-k",
            which,
        ]
        subprocess.run(words, cwd=ROOT, check=False, stdout=subprocess.DEVNULL)
        for case in ET.parse(result).iter("testcase"):
            if case.find("skipped") is None:
                wrong = case.find("failure") is not None or case.find("error") is not None
                tally.add(case.get("name", ""), ["the test fails"] if wrong else [])
        yield tally


KINDS: dict[str, Callable[[Path, int, bool], Iterator[Tally]]] = {
    "kills": killed,
    "disks": disks_tried,
    "passes": changed,
    "flips": flipped,
    "engines": engines,
}


if __name__ == "__main__":
    sys.exit(main())
