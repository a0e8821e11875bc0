"""Where the benchmarks leave their figures: each has its own part of RESULTS.md, and a chart drawn from that part.

RESULTS.md opens with the machine and the versions of the run that was written last.  Whoever reads the figures again
(`charts`, `promises`) reads them from there, so that nothing is shown that no script measured.
"""

from __future__ import annotations

import os
import platform
import re
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

RESULTS = Path(__file__).parent / "RESULTS.md"
LIBRARIES = ("sidelight", "duckdb", "numpy", "scipy", "pyarrow")
QUICK = "SIDELIGHT_BENCH_QUICK"
NUMBER = re.compile(r"[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?")


@dataclass(frozen=True)
class Grid:
    """A table of Markdown."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Part:
    """What one benchmark left."""

    name: str
    how: str
    grids: tuple[Grid, ...]


def quick() -> bool:
    """Tell whether a script should only show that it runs: small, and nothing written."""
    return os.environ.get(QUICK) == "1"


def write_part(name: str, how: str, table: str) -> None:
    """Replace one part, leave the others as they are, and draw its chart."""
    if quick():
        print(table)
        return
    parts = RESULTS.read_text(encoding="utf-8").split("\n## ")[1:] if RESULTS.exists() else []
    ours = f"{name}\n\n{how}\n\n{table}\n"
    others = [part.rstrip("\n") + "\n" for part in parts if not part.startswith(f"{name}\n")]
    RESULTS.write_text("\n## ".join([opening(), *sorted([ours, *others])]), encoding="utf-8")
    from charts import draw  # noqa: PLC0415 - reads what was just written

    draw(name)


def read_parts(path: Path = RESULTS) -> dict[str, Part]:
    """Read all parts again."""
    parts = (part.partition("\n") for part in path.read_text(encoding="utf-8").split("\n## ")[1:])
    return {name: Part(name, text.split("\n|")[0].strip(), grids_of(text)) for name, _, text in parts}


def grids_of(text: str) -> tuple[Grid, ...]:
    """Read the tables of a text of Markdown; the line of dashes is left out."""
    blocks = re.findall(r"(?:^\|.*\|$\n?)+", text, flags=re.MULTILINE)
    tables = [[_cells(line) for line in block.splitlines()] for block in blocks]
    return tuple(Grid(rows[0], tuple(rows[2:])) for rows in tables)


def _cells(line: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in line.strip().strip("|").split("|"))


def number(cell: str) -> float | None:
    """Read the first number of a cell, or nothing where it has none."""
    found = NUMBER.search(cell)
    return float(found[0].replace(",", "")) if found else None


def opening() -> str:
    """The head of RESULTS.md: on what the last part was measured."""
    cores, gigabytes = os.cpu_count(), os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    libraries = ", ".join(f"{name} {import_module(name).__version__}" for name in LIBRARIES)
    return (
        "# Results\n\n"
        f"The part that was written last: {cores} cores of {processor()}, {gigabytes:.0f} GB of memory, "
        f"{platform.system()}, Python {platform.python_version()}; {libraries}.\n"
        "Ratios are of one run, in which contestants took turns.  `make bench` writes all of this, `make bench "
        "ONLY=audit` one part; charts and promises: docs/understand/how-fast.md.\n"
    )


def processor() -> str:
    """The model of the processor, as the system names it."""
    listed = Path("/proc/cpuinfo")
    names = re.findall(r"^model name\s*:\s*(.+)$", listed.read_text(), re.MULTILINE) if listed.exists() else []
    return names[0] if names else platform.machine()
