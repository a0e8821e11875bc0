"""Run the benchmarks: all of them, or those that are named.

    python benchmarks/bench.py                 all; writes RESULTS.md, the charts and the page
    python benchmarks/bench.py audit peers     these
    python benchmarks/bench.py --quick         each small, in seconds, only to see that it runs; nothing is written
    python benchmarks/bench.py --list          what there is, and about how many minutes each takes

`make bench`, `make bench ONLY="audit peers"`, `make bench WITH=--quick`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from results import QUICK

HERE = Path(__file__).parent
SHARED = frozenset({"bench", "charts", "peer_tasks", "promises", "race", "results"})
"""What the benchmarks share: no benchmarks themselves."""


@dataclass(frozen=True)
class Script:
    """A benchmark: about how many minutes it takes on two cores, and the arguments that make it small."""

    name: str
    minutes: float
    small: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()


SCRIPTS = (
    Script("attack", 3, ("--people", "5000")),
    Script("audit", 4, ("50000",)),
    Script("audit_noise", 15, ("200", "2"), ("60000", "500")),
    Script("classic_measures", 1, ("2000",)),
    Script("columns", 4, ("20000",)),
    Script("engines", 3, ("5000",)),
    Script("facts", 2),
    Script("generalisation_table", 0.5),
    Script("incremental", 1, ("2000",)),
    Script("insider", 2, ("45222",)),
    Script("lattice", 0.5),
    Script("lattice_on_disk", 8, ("20000",)),
    Script("learner", 4, ("5000",)),
    Script("load", 2, ("--clients", "5", "--seconds", "2")),
    Script("locate", 1, ("--people", "5000")),
    Script("maxent", 5),
    Script("mondrian", 1, ("--people", "5000")),
    Script("noise_error", 4, ("2",)),
    Script("peers", 8, ("--quick", "pycanon")),
    Script("population", 2, ("60000",)),
    Script("prior_belief", 0.5),
    Script("scale", 60, ("20000",)),
    Script("search", 1),
    Script("tight_limits", 4, ("group size",)),
    Script("workers", 2),
    Script("worst_case", 3, ("--once", "implications", "500", "12")),
)


def run(script: Script, *, quick: bool) -> float:
    """Run one script in a process of its own; gives its minutes."""
    environment = {**os.environ, QUICK: "1"} if quick else os.environ
    start = time.perf_counter()
    command = [sys.executable, str(HERE / f"{script.name}.py"), *(script.small if quick else script.whole)]
    subprocess.run(command, check=True, env=environment)
    return (time.perf_counter() - start) / 60


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("only", nargs="*", help="names of benchmarks; all of them where none is named")
    parser.add_argument("--quick", action="store_true", help="small: to see that they run, not to measure")
    parser.add_argument("--list", action="store_true", help="say what there is")
    options = parser.parse_args()
    unknown = set(options.only) - {script.name for script in SCRIPTS}
    if unknown:
        parser.error(f"no benchmark is called {', '.join(sorted(unknown))}; see --list")
    chosen = [script for script in SCRIPTS if not options.only or script.name in options.only]
    for script in chosen:
        print(f"== {script.name} (about {script.minutes:g} minutes)", flush=True)
        if not options.list:
            print(f"== {script.name}: {run(script, quick=options.quick):.1f} minutes", flush=True)


if __name__ == "__main__":
    main()
