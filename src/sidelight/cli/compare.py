"""`sidelight compare`: what would each way of publishing a table within a policy keep of it?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.table import Table as Grid
from rich.text import Text

import sidelight as sl
from sidelight.answers.sources import Question, TableSource
from sidelight.cli.interrupts import noticing_interrupts
from sidelight.cli.options import CompareOptions
from sidelight.cli.protect import figure, policy_of, report_nothing
from sidelight.cli.run import Output, Status, bar, in_options
from sidelight.documents.document import Envelope
from sidelight.errors import BadPolicy, NothingSafe, in_list
from sidelight.report.terminal import sentences
from sidelight.search.compare import COMPARED, ComparedRelease, ReleaseComparison
from sidelight.search.protect import MethodName
from sidelight.search.utility import MEANINGS
from sidelight.table.labels import SUPPRESSED
from sidelight.text import counted, shorten_label

SCHEMA_VERSION = 1
"""Raised whenever a reader of the document would have to change."""


@dataclass(frozen=True, slots=True)
class CompareRequest:
    """Which table, under which policy, along which hierarchies, and which ways of publishing are tried."""

    file: str
    question: Question
    hierarchies: Path | None
    ways: CompareOptions


def compare(request: CompareRequest, output: Output) -> Status:
    """Read, search by every way, print."""
    policy = policy_of(request.question)
    source = TableSource(request.file, request.hierarchies, request.ways.suppress_only)
    output.refuse((*source.files(), *request.question.files))
    table, by = source.open(request.question.roles)
    try:
        ways = _try_all(table, policy, by, request.ways)
    except NothingSafe as nothing:
        return report_nothing(nothing, "compare", request.file, output)
    notes = (
        *table.intake.notes(),
        *request.question.notes,
        *source.notes(table),
        *_left_out(request.ways),
    )
    output.write(envelope(request, ways, notes), draw(request, table, ways, notes), charts=lambda: [ways.plot()])
    return Status.WITHIN_POLICY


def _try_all(
    table: sl.Table, policy: sl.Policy, by: Mapping[str, sl.Hierarchy], ways: CompareOptions
) -> ReleaseComparison:
    """Try every way to its end: after Ctrl-C some would be compared with half of what they can do."""
    if ways.resists and ways.suppress_only:
        message = "mondrian cannot publish a column only as it is or as *; leave --resists or --suppress-only out"
        raise BadPolicy(message)
    with noticing_interrupts() as interrupts, bar("trying") as progress:
        compared = sl.compare(
            table,
            policy,
            by=by,
            methods=_tried(ways),
            suppress=ways.suppress,
            resists=ways.resists,
            progress=progress,
        )
    if interrupts.noticed:
        raise KeyboardInterrupt
    return compared


def _tried(ways: CompareOptions) -> tuple[MethodName, ...]:
    """Only a search over levels can publish a column as it is or as `*`, and nothing between."""
    return tuple(name for name in ways.method if name == sl.FullDomain.name) if ways.suppress_only else ways.method


def _left_out(ways: CompareOptions) -> Iterator[str]:
    others = [name for name in ways.method if name not in _tried(ways)]
    if others:
        yield f"not tried, as they cannot publish a column only as it is or as * (--suppress-only): {', '.join(others)}"


def envelope(request: CompareRequest, ways: ReleaseComparison, notes: tuple[str, ...]) -> Envelope[Any]:
    """Put the rows into a document; figures that are infinite are null."""
    answer = {
        "policy": str(ways.policy),
        "advised": ways.rows.index(ways.advised) + 1,
        "advice": list(ways.advice()),
        "utilities": MEANINGS,
        "rows": [_row(ways, row) for row in ways.rows],
    }
    return Envelope(kind="compare", schema_version=SCHEMA_VERSION, source=request.file, answer=answer, notes=notes)


def _row(ways: ReleaseComparison, row: ComparedRelease) -> dict[str, object]:
    utility = {} if row.result is None else {name: row.result.utility[name] for name in COMPARED}
    return {
        **ways.as_data(row),
        **{name: worth if math.isfinite(worth) else None for name, worth in utility.items()},
        "best_at": row.best_at,
        "levels": dict(row.levels),
        "labels": dict(row.labels),
        "example": dict(row.example),
        "reason": None if row.refusal is None else in_options(row.refusal),
    }


# What is printed: what each way prints, what that is worth, what the figures mean, which one a person would take.


def draw(
    request: CompareRequest, table: sl.Table, ways: ReleaseComparison, notes: tuple[str, ...]
) -> Iterator[RenderableType]:
    """Give the parts of the page, from top to bottom."""
    yield Text(request.file, style="bold").append(
        f": {counted(table.people, 'person')}; wanted: {ways.policy}. Nothing was published.", style="not bold"
    )
    yield _what_is_printed(ways)
    yield _what_it_is_worth(ways)
    yield from sentences("What it means (less is better)", [f"{name}: {MEANINGS[name]}" for name in COMPARED])
    yield from sentences("Which one", [*ways.advice(), *_command(ways)])
    yield from sentences("Notes", list(notes))


def _what_is_printed(ways: ReleaseComparison) -> Grid:
    grid = _grid()
    grid.add_column("", justify="right", no_wrap=True)
    grid.add_column("method", no_wrap=True)
    grid.add_column("groups", justify="right")
    grid.add_column("suppressed", justify="right", no_wrap=True)
    grid.add_column("what is printed, and of the largest group", overflow="fold", ratio=1)
    for number, row in enumerate(ways.rows, start=1):
        resisting = f"\nresisting an {row.resists}" if row.resists else ""
        grid.add_row(_mark(number, row, ways), row.method.name + resisting, *_sizes(row), Text(_printed(row)))
    return grid


def _grid() -> Grid:
    return Grid(box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True)


def _mark(number: int, row: ComparedRelease, ways: ReleaseComparison) -> str:
    """Number a row; that which a person would take has an arrow."""
    return f"→ {number}" if row is ways.advised else str(number)


def _sizes(row: ComparedRelease) -> tuple[str, str]:
    """Say how many groups there are, and how many people are suppressed of how many that may be."""
    if row.result is None:
        return "", ""
    most = f" (≤ {row.suppress * 100:.3g} %)" if row.suppress else ""
    return f"{len(row.result.release):,}", f"{row.result.suppressed:,}{most}"


def _printed(row: ComparedRelease) -> str:
    """Say which columns are printed how, and what that looks like.

    The columns that are printed as they are come first, those of which nothing is left at last.
    """
    if row.refusal is not None:
        return f"✗ {in_options(row.refusal)}"
    whole = [name for name, what in row.labels.items() if what == "as it is"]
    coarser = [f"{name} in {what}" for name, what in row.labels.items() if what not in ("as it is", SUPPRESSED)]
    gone = [name for name, what in row.labels.items() if what == SUPPRESSED]
    parts = [f"{', '.join(whole)} as {'it is' if len(whole) == 1 else 'they are'}"] if whole else []
    parts += coarser + ([f"nothing of {', '.join(gone)}"] if gone else [])
    example = ", ".join(in_list(shorten_label(what)) for what in row.example.values())
    best = f"\nbest at {', '.join(row.best_at)}" if row.best_at else ""
    return "; ".join(parts) + (f"\n{example}" if example else "") + best


def _what_it_is_worth(ways: ReleaseComparison) -> Grid:
    grid = Grid(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    grid.add_column("", justify="right", no_wrap=True)
    for name in COMPARED:
        figures = [figure(row.result.utility[name], 3) for row in ways.within if row.result]
        grid.add_column(name, justify="right", max_width=max(map(len, [*figures, *name.split()])))
    least = {name: min(row.result.utility[name] for row in ways.within if row.result) for name in COMPARED}
    for number, row in enumerate(ways.rows, start=1):
        if row.result is not None:
            worths = {name: row.result.utility[name] for name in COMPARED}
            cells = (Text(figure(worth, 3), style="bold" * (worth == least[name])) for name, worth in worths.items())
            grid.add_row(_mark(number, row, ways), *cells)
    return grid


def _command(ways: ReleaseComparison) -> Iterator[str]:
    """Say how the advised one is published."""
    row = ways.advised
    words = [f"--method {row.method.name}"] if row.method.name != "lattice" else []
    words += [f"--resists {row.resists}"] if row.resists else []
    if row.levels:
        words += [f"--suppress {row.suppress:g}"] if row.suppress else []
        words += [f"--levels '{','.join(f'{name}={level}' for name, level in row.levels.items())}'"]
    yield f"To publish it: sidelight protect … {' '.join(words)} --output FILE"
