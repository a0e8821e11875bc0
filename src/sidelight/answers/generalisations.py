"""What do measures and utilities say of every choice of levels of a table?  Nothing is published."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

import sidelight as sl
from sidelight.answers.protect import figure
from sidelight.answers.recipe import (
    Name,
    write_call,
    write_hierarchies,
    write_measures,
    write_policy,
    write_python,
    write_table,
)
from sidelight.answers.sources import Question, TableSource
from sidelight.documents.document import DocumentPart, Number, number
from sidelight.errors import BadPolicy
from sidelight.policy.policy import without_repeats
from sidelight.progress import Progress, quiet
from sidelight.report.answer import Answer, Live
from sidelight.report.page import Block, Blocks, Grid, PageSection, Paragraph, Points
from sidelight.rounding import ROUNDED
from sidelight.search.full_domain import Suppressed
from sidelight.search.generalisation_table import GeneralisationTable, generalisation_table
from sidelight.search.utility import UtilityName
from sidelight.text import counted

ROWS_DRAWN = 100  # the document has all


@dataclass(frozen=True, slots=True)
class GeneralisationsRequest:
    """Which table, along which hierarchies, and what is asked of which of its generalisations."""

    file: str
    question: Question
    hierarchies: Path | None
    utility: tuple[UtilityName, ...]
    rows: Literal["all", "within", "minimal"] | None
    suppress: float
    suppressed: Suppressed
    suppress_only: tuple[str, ...]

    def __post_init__(self) -> None:
        message = ""
        if self.question.policy is None and self.listed != "all":
            message = f"--rows {self.rows} needs limits to be within; add --limit 'group size >= 5', for example"
        elif self.question.policy is not None and self.listed == "all" and self.suppress:
            message = "--suppress is for rows within the limits; leave --rows all out, or --suppress"
        elif self.suppressed != "as *" and not self.suppress:
            message = (
                "--suppressed says what becomes of suppressed people; say with --suppress how many may be, or leave it "
                "out"
            )
        if message:
            raise BadPolicy(message)

    @property
    def listed(self) -> Literal["all", "within", "minimal"]:
        """Which rows are listed: the minimal ones within the limits, if there are some and nothing else is said."""
        return self.rows or ("all" if self.question.policy is None else "minimal")

    @property
    def policy(self) -> sl.Policy | None:
        """The limits that every listed row keeps."""
        return None if self.listed == "all" else self.question.policy

    @property
    def measures(self) -> tuple[sl.Measure, ...]:
        """What is measured: what limits and options name, or how small groups get, and how surely people are found."""
        limited = self.question.policy.measures if self.question.policy else ()
        return without_repeats((*limited, *self.question.measures)) or (sl.GroupSize(), *self.question.compared())

    @property
    def source(self) -> TableSource:
        """Where the table and its hierarchies are."""
        return TableSource(self.file, self.hierarchies, self.suppress_only)

    def files(self) -> tuple[Path, ...]:
        """Return the files that are read."""
        return (*self.source.files(), *self.question.files)

    def python(self) -> str:
        """Write the lines of Python that come to the same."""
        settings: dict[str, object] = {"suppress": self.suppress or None}
        lines = [f"table = {write_table(self.file, self.question.roles)}"]
        lines += write_hierarchies(self.hierarchies, self.suppress_only)
        lines.append(f"measures = {write_measures(self.measures)}")
        if self.policy is not None:
            lines.append(f"policy = {write_policy(self.question)}")
            # The default of Python is the minimal rows too, so that only `False` says something.
            settings |= {"policy": Name("policy"), "minimal": None if self.listed == "minimal" else Name("False")}
        if self.suppressed != "as *":
            settings["suppressed"] = self.suppressed
        names = map(Name, ("table", "hierarchies", "measures"))
        call = write_call("sl.generalisation_table", *names, list(self.utility), **settings)
        return write_python(*lines, f"print({call}.to_arrow())")


class RowFacts(DocumentPart):
    """One generalisation; a utility that is infinite is null."""

    levels: dict[str, int]
    groups: int
    suppressed: int
    measured: dict[str, Number]
    utility: dict[str, float | None]


class Generalisations(DocumentPart):
    """Which choices of levels are listed, and what is measured of each."""

    listed: Literal["all", "within", "minimal"]
    policy: str | None
    measures: tuple[str, ...]
    rows: tuple[RowFacts, ...]


class GeneralisationsAnswer(Answer[Generalisations]):
    """A row for each choice of levels: its groups, what measures find in it, and what it is still worth."""

    question: ClassVar[str] = "What do measures say of every choice of levels?"

    table: Live[GeneralisationTable]
    people: Live[int]

    def blocks(self) -> Blocks:
        """Yield how many there are, the rows, and how one of them is published."""
        listed, policy, rows = self.answer.listed, self.answer.policy, len(self.answer.rows)
        which = {"all": "all of them", "within": "all within policy", "minimal": "the minimal ones within policy"}
        counts = f"{counted(self.people, 'person')}; {counted(rows, 'generalisation')}"
        limits = "" if policy is None else f": {policy}"
        yield Paragraph(f"{counts}, {which[listed]}{limits}. Nothing was published.", lead=str(self.source))
        yield self._draw_rows()
        if rows > ROWS_DRAWN:
            yield Paragraph(f"… and {rows - ROWS_DRAWN:,} more; --json has all.")
        yield Paragraph(f"{ROUNDED} A level of 0 is a column as it is; of utilities, less is better.")
        yield Paragraph("To publish one: sidelight protect … --levels COLUMN=LEVEL,… --output FILE")
        if self.notes:
            yield PageSection("Notes", (Points(self.notes),))

    def _draw_rows(self) -> Block:
        """Draw the levels and sizes of each row, then a column per measure and utility."""
        table = self.table
        suppresses = any(row.suppressed for row in table)
        sizes = ("groups", "suppressed") if suppresses else ("groups",)
        rows = tuple(
            (
                *map(str, row.node),
                f"{row.groups:,}",
                *([f"{row.suppressed:,}"] if suppresses else []),
                *table.glances(row),
                *map(figure, row.worths),
            )
            for row in table.rows[:ROWS_DRAWN]
        )
        headings = (*table.columns, *sizes, *table.measures, *table.utilities)
        figures = frozenset(range(len(headings)))
        return Grid(headings, rows, figures=figures, repeated=len(table.columns) + len(sizes))


def ask(request: GeneralisationsRequest, progress: Progress = quiet) -> GeneralisationsAnswer:
    """Read the table and measure its generalisations; after Ctrl-C some rows are missing."""
    question, source = request.question, request.source
    table, by = source.open(question.roles)
    rows = generalisation_table(
        table,
        by,
        request.measures,
        request.utility,
        policy=request.policy,
        minimal=request.listed == "minimal",
        suppress=request.suppress,
        suppressed=request.suppressed,
        progress=progress,
    )
    return GeneralisationsAnswer(
        kind="generalisations",
        schema_version=1,
        source=request.file,
        answer=Generalisations(
            listed=request.listed,
            policy=None if request.policy is None else str(request.policy),
            measures=rows.measures,
            rows=tuple(_list_rows(rows)),
        ),
        notes=(
            *table.intake.notes(),
            *question.notes,
            *source.notes(table),
            *_note_bare_columns(table, by),
            *rows.notes,
        ),
        table=rows,
        people=table.people,
    )


def _list_rows(table: GeneralisationTable) -> Iterator[RowFacts]:
    for row in table:
        values = zip(row.measured.items(), table.large_is_bad, strict=True)
        yield RowFacts(
            levels=row.levels,
            groups=row.groups,
            suppressed=row.suppressed,
            measured={name: number(value, large_is_bad=large_is_bad) for (name, value), large_is_bad in values},
            utility={name: worth if math.isfinite(worth) else None for name, worth in row.utility.items()},
        )


def _note_bare_columns(table: sl.Table, by: Mapping[str, sl.Hierarchy]) -> Iterator[str]:
    bare = [column.name for column in table.quasi if column.name not in by]
    if bare:
        yield f"without a hierarchy, and so printed as they are in every row: {', '.join(bare)}"
