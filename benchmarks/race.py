"""A race: contestants run in turns, each in a fresh process, timed from after the imports; the lowest figures count.

A script declares its contestants, functions of a file that say what they counted, the first of which is the baseline;
how its file is made, in a process of its own so that memory is measured of the contestants alone; and what they all
import before the clock starts.  Called by itself it races, and with its full number of rows it writes its part of
RESULTS.md.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from results import quick, write_part

DATA = Path(__file__).parent / ".data"


@dataclass(frozen=True)
class Race:
    """Contestants, and the file they run on."""

    script: str
    rows: int
    runs: int
    goal: str
    contestants: Mapping[str, Callable[[str], dict[str, int]]]
    make: Callable[[int, Path], None]
    prepare: Callable[[str], object]  # what the contestant of this name imports and holds before the clock starts

    @property
    def name(self) -> str:
        """Its part of RESULTS.md."""
        return Path(self.script).stem

    def main(self) -> None:
        """Do what the command line says."""
        command, *rest = [*sys.argv[1:], ""]
        if command == "--run":
            self._run(rest[0], rest[1])
        elif command == "--make":
            self.make(int(rest[0]), Path(rest[1]))
        else:
            rows = int(command) if command else self.rows
            table = self._table(rows)
            print(table)
            if rows == self.rows:
                how = f"`python benchmarks/{self.name}.py`, lowest of {self.runs} runs, each in a fresh process."
                write_part(self.name, f"{how}\n{self.goal}", table)

    def _run(self, name: str, path: str) -> None:
        """Run one contestant in this process and print its figures as JSON."""
        self.prepare(name)
        wall, cpu = time.perf_counter(), time.process_time()
        counts = self.contestants[name](path)
        figures = {
            "wall": time.perf_counter() - wall,
            "cpu": time.process_time() - cpu,
            "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        }
        print(json.dumps(figures | {"counts": counts}))

    def _fresh(self, *arguments: str) -> str:
        command = [sys.executable, self.script, *arguments]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout

    def _file(self, rows: int) -> Path:
        """Make the file, once."""
        path = DATA / f"{self.name}-{rows}.parquet"
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            self._fresh("--make", str(rows), str(path))
        return path

    def _table(self, rows: int) -> str:
        """Let all contestants run in turns; give the table of the lowest figures."""
        path = str(self._file(rows))
        runs = [
            {name: json.loads(self._fresh("--run", name, path)) for name in self.contestants}
            for _ in range(1 if quick() else self.runs)
        ]
        kinds = ("wall", "cpu", "mb")
        best = {name: {kind: min(each[name][kind] for each in runs) for kind in kinds} for name in self.contestants}
        base = next(iter(best.values()))
        lines = [
            f"| {rows:,} rows | wall s | ratio | CPU s | ratio | peak MB | ratio |",
            "| --- " + "| ---: " * 6 + "|",
        ]
        for name, figures in best.items():
            counts = ", ".join(f"{count:,} {what}" for what, count in runs[0][name]["counts"].items())
            cells = " | ".join(f"{figures[kind]:.2f} | {figures[kind] / base[kind]:.2f}" for kind in kinds)
            lines.append(f"| {name}{f' ({counts})' if counts else ''} | {cells} |")
        return "\n".join(lines)


def classics() -> list:
    """Name the measures of an audit that others have too, which also imports them."""
    import sidelight as sl  # noqa: PLC0415 - in the contestant's own time

    return [
        sl.GroupSize(),
        sl.DistinctValues(),
        sl.EntropyDiversity(),
        sl.RecursiveDiversity(l=3),
        sl.Closeness(distance="equal"),
        sl.BetaLikeness(),
        sl.DeltaDisclosure(),
    ]
