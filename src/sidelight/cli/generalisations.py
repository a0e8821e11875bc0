"""`sidelight generalisations`: what do measures and utilities say of every choice of levels of a table?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, RenderableType
from rich.table import Table as Grid
from rich.text import Text

import sidelight as sl
from sidelight.answers.protect import figure
from sidelight.answers.sources import Question, TableSource
from sidelight.cli.options import GeneralisationOptions
from sidelight.cli.protect import report_nothing
from sidelight.cli.run import Output, Status, bar
from sidelight.documents.document import Envelope, number
from sidelight.errors import BadPolicy, NothingSafe
from sidelight.interrupts import noticing_interrupts
from sidelight.policy.policy import without_repeats
from sidelight.report.terminal import sentences
from sidelight.rounding import ROUNDED
from sidelight.search.generalisation_table import GeneralisationRow, GeneralisationTable, generalisation_table
from sidelight.text import counted

SCHEMA_VERSION = 1
"""Raised whenever a reader of the document would have to change."""

NAME_UNBROKEN = 12
"""Where a terminal is narrow, names of columns are broken into pieces of about this many letters."""

ROWS_PRINTED = 100
"""How many generalisations are printed; JSON has all."""


@dataclass(frozen=True, slots=True)
class GeneralisationsRequest:
    """Which table, along which hierarchies, and what is asked of which of its generalisations."""

    file: str
    question: Question
    hierarchies: Path | None
    options: GeneralisationOptions

    @property
    def rows(self) -> str:
        """Which rows are listed: the minimal ones within the limits, if there are some and nothing else is said."""
        return self.options.rows or ("all" if self.question.policy is None else "minimal")

    @property
    def measures(self) -> tuple[sl.Measure, ...]:
        """What is measured: what limits and options name, or how small groups get, and how surely people are found."""
        limited = self.question.policy.measures if self.question.policy else ()
        return without_repeats((*limited, *self.question.measures)) or (sl.GroupSize(), *self.question.compared())


def generalisations(request: GeneralisationsRequest, output: Output) -> Status:
    """Read, measure, print."""
    question, source = request.question, TableSource(request.file, request.hierarchies, request.options.suppress_only)
    if question.policy is None and request.rows != "all":
        message = f"--rows {request.rows} needs limits to be within; add --limit 'group size >= 5', for example"
        raise BadPolicy(message)
    if question.policy is not None and request.rows == "all" and request.options.suppress:
        message = "--suppress is for rows within the limits; leave --rows all out, or --suppress"
        raise BadPolicy(message)
    if request.options.suppressed != "as *" and not request.options.suppress:
        message = (
            "--suppressed says what becomes of suppressed people; say with --suppress how many may be, or leave it out"
        )
        raise BadPolicy(message)
    output.refuse((*source.files(), *question.files))
    table, by = source.open(question.roles)
    try:
        answer = _measure_all(table, by, request)
    except NothingSafe as nothing:
        return report_nothing(nothing, "generalisations", request.file, output)
    notes = (
        *table.intake.notes(),
        *question.notes,
        *source.notes(table),
        *_always_as_they_are(table, by),
        *answer.notes,
    )
    output.write(document(request, answer, notes), draw(request, table, answer, notes))
    return Status.WITHIN_POLICY


def _measure_all(
    table: sl.Table, by: Mapping[str, sl.Hierarchy], request: GeneralisationsRequest
) -> GeneralisationTable:
    """Measure to the end: after Ctrl-C some rows would be missing, and nobody would know which."""
    with noticing_interrupts() as interrupts, bar("measuring") as progress:
        answer = generalisation_table(
            table,
            by,
            request.measures,
            request.options.utility,
            policy=None if request.rows == "all" else request.question.policy,
            minimal=request.rows == "minimal",
            suppress=request.options.suppress,
            suppressed=request.options.suppressed,
            progress=progress,
        )
    if interrupts.noticed:
        raise KeyboardInterrupt
    return answer


def _always_as_they_are(table: sl.Table, by: Mapping[str, sl.Hierarchy]) -> Iterator[str]:
    bare = [column.name for column in table.quasi if column.name not in by]
    if bare:
        yield f"without a hierarchy, and so printed as they are in every row: {', '.join(bare)}"


def document(request: GeneralisationsRequest, answer: GeneralisationTable, notes: tuple[str, ...]) -> Envelope[Any]:
    """Put the rows into a document; utilities that are infinite are null."""
    rows = [
        {
            "levels": row.levels,
            "groups": row.groups,
            "suppressed": row.suppressed,
            "measured": {
                name: number(value, large_is_bad=large_is_bad)
                for (name, value), large_is_bad in zip(row.measured.items(), answer.large_is_bad, strict=True)
            },
            "utility": {name: worth if math.isfinite(worth) else None for name, worth in row.utility.items()},
        }
        for row in answer
    ]
    policy = None if request.rows == "all" or request.question.policy is None else str(request.question.policy)
    data = {"listed": request.rows, "policy": policy, "measures": answer.measures, "rows": rows}
    return Envelope(
        kind="generalisations", schema_version=SCHEMA_VERSION, source=request.file, answer=data, notes=notes
    )


def draw(
    request: GeneralisationsRequest, table: sl.Table, answer: GeneralisationTable, notes: tuple[str, ...]
) -> Iterator[RenderableType]:
    """Yield the parts of the page, from top to bottom."""
    which = {"all": "all of them", "within": "all within policy", "minimal": "the minimal ones within policy"}
    limits = "" if request.rows == "all" else f": {request.question.policy}"
    yield Text(request.file, style="bold").append(
        f": {counted(table.people, 'person')}; {counted(len(answer), 'generalisation')}, "
        f"{which[request.rows]}{limits}. Nothing was published.",
        style="not bold",
    )
    yield _Grid(answer)
    if len(answer) > ROWS_PRINTED:
        yield Text(f"… and {len(answer) - ROWS_PRINTED:,} more; --json has all.")
    yield Text(f"{ROUNDED} A level of 0 is a column as it is; of utilities, less is better.")
    yield Text("To publish one: sidelight protect … --levels COLUMN=LEVEL,… --output FILE")
    yield from sentences("Notes", list(notes))


class _Grid:
    """A row per generalisation: its levels and sizes, then a column per measure and utility.

    Where a terminal is too narrow for all of them, the rest follows below, beside the same levels: names may be broken,
    numbers only where not even one measure fits, and no column is left out.
    """

    def __init__(self, answer: GeneralisationTable) -> None:
        suppresses = any(row.suppressed for row in answer)
        sizes = ["groups", *(["suppressed"] if suppresses else [])]
        heads = [*answer.columns, *sizes, *answer.measures, *answer.utilities]
        rows = [[*_cells(answer, row, suppresses=suppresses)] for row in answer.rows[:ROWS_PRINTED]]
        self.columns = [(name, [row[at] for row in rows]) for at, name in enumerate(heads)]
        self.fixed = len(answer.columns) + len(sizes)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        del console
        levels, rest = self.columns[: self.fixed], self.columns[self.fixed :]
        while rest:
            widths = accumulate(_width(*column) for column in (*levels, *rest))
            fit = sum(width < options.max_width for width in widths) - len(levels)
            yield _drawn((*levels, *rest[: max(fit, 1)]), breaks_numbers=fit < 1)
            rest = rest[max(fit, 1) :]


def _width(name: str, cells: Sequence[str]) -> int:
    """How wide a column is at least, with what lies between it and the next."""
    return max(min(len(name), NAME_UNBROKEN), *map(len, cells)) + 2


def _drawn(columns: Sequence[tuple[str, Sequence[str]]], *, breaks_numbers: bool) -> Grid:
    grid = Grid(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for name, cells in columns:
        least = None if breaks_numbers else _width(name, cells) - 2
        grid.add_column(Text(name), justify="right", overflow="fold", min_width=least)
    for row in zip(*(cells for _, cells in columns), strict=True):
        grid.add_row(*row)
    return grid


def _cells(answer: GeneralisationTable, row: GeneralisationRow, *, suppresses: bool) -> Iterator[str]:
    yield from map(str, row.node)
    yield f"{row.groups:,}"
    if suppresses:
        yield f"{row.suppressed:,}"
    yield from answer.glances(row)
    yield from map(figure, row.worths)
