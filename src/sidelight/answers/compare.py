"""Which way of publishing a table within a policy keeps most of it?  Nothing is published."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import sidelight as sl
from sidelight.answers.protect import figure
from sidelight.answers.recipe import (
    Name,
    levels_text,
    write_call,
    write_hierarchies,
    write_measures,
    write_policy,
    write_python,
    write_table,
)
from sidelight.answers.sources import TableRequest, require_policy
from sidelight.documents.document import DocumentPart, Number, finite_or_none, number
from sidelight.errors import BadPolicy, SidelightError, list_name
from sidelight.policy.policy import drop_repeats
from sidelight.progress import Progress, quiet
from sidelight.report.answer import Answer, Live
from sidelight.report.page import Block, Blocks, Grid, PageSection, Paragraph, Points
from sidelight.rounding import ROUNDED
from sidelight.search.generalisation_table import GeneralisationTable, generalisation_table
from sidelight.search.protect import COMPARED, ComparedRelease, ReleaseComparison
from sidelight.search.utility import MEANINGS, UtilityName
from sidelight.table.labels import SUPPRESSED
from sidelight.text import counted, shorten_label

if TYPE_CHECKING:
    from sidelight.report.plots import Drawing
    from sidelight.search.full_domain import Suppressed
    from sidelight.search.protect import MethodName


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareRequest(TableRequest):
    """Which table, under which policy, along which hierarchies, and which ways of publishing are tried."""

    kind: ClassVar[str] = "compare"

    method: tuple[MethodName, ...]
    suppress: tuple[float, ...]
    resists: Literal["insider"] | None

    def __post_init__(self) -> None:
        require_policy(self.question)
        if self.resists and self.suppress_only:
            message = "mondrian cannot publish a column only as it is or as *; leave --resists or --suppress-only out"
            raise BadPolicy(message)

    @property
    def tried(self) -> tuple[MethodName, ...]:
        """The methods; only a search over levels can publish a column as it is or as `*`, and nothing between."""
        names = self.method
        return tuple(name for name in names if name == sl.FullDomain.name) if self.suppress_only else names

    def python(self) -> str:
        settings: dict[str, object] = {"methods": self.tried, "suppress": self.suppress, "resists": self.resists}
        lines = [f"table = {write_table(self.file, self.question.roles)}"]
        if self.hierarchies is not None or self.suppress_only:
            lines += write_hierarchies(self.hierarchies, self.suppress_only)
            settings["by"] = Name("hierarchies")
        lines.append(f"policy = {write_policy(self.question)}")
        lines.append(f"print({write_call('sl.compare', Name('table'), Name('policy'), **settings)})")
        return write_python(*lines)


class Comparison(DocumentPart):
    """Ways of publishing, a row for each; figures that are infinite are null."""

    policy: str
    advised: int
    advice: tuple[str, ...]
    utilities: dict[str, str]
    rows: tuple[dict[str, Any], ...]


class CompareAnswer(Answer[Comparison]):
    """What each way of publishing would keep, and which one a person would take."""

    question: ClassVar[str] = "Which way of publishing keeps most of the table?"

    ways: Live[ReleaseComparison]
    people: Live[int]

    def charts(self) -> Iterator[Drawing]:
        yield self.ways.plot()

    def blocks(self) -> Blocks:
        people = counted(self.people, "person")
        yield Paragraph(f"{self.source}: {people}; wanted: {self.answer.policy}. Nothing was published.")
        printed = []
        for index, (row, fields) in enumerate(zip(self.ways.rows, self.answer.rows, strict=True)):
            name = row.method.name + (f"\nresisting an {row.resists}" if row.resists else "")
            groups, suppressed = "", ""
            if row.result is not None:
                most = f" (≤ {row.suppress * 100:.3g} %)" if row.suppress else ""
                groups, suppressed = f"{len(row.result.release):,}", f"{row.result.suppressed:,}{most}"
            what = _describe_columns(row) if fields["reason"] is None else f"✗ {fields['reason']}"
            printed.append((self._number(index), name, groups, suppressed, what))
        headings = ("", "method", "groups", "suppressed", "what is printed, and of the largest group")
        yield Grid(headings, tuple(printed), figures=frozenset({0, 2, 3}), dense=True)
        worths = tuple(
            (self._number(index), *(figure(row.result.utility[name], 3) for name in COMPARED))
            for index, row in enumerate(self.ways.rows)
            if row.result is not None
        )
        yield Grid(("", *COMPARED), worths, figures=frozenset(range(len(COMPARED) + 1)), dense=True)
        meanings = Points(tuple(f"{name}: {MEANINGS[name]}" for name in COMPARED))
        yield PageSection("What it means (less is better)", (meanings,))
        yield PageSection("Which one", (Points((*self.answer.advice, self._command())),))
        if self.notes:
            yield PageSection("Notes", (Points(self.notes),))

    def _number(self, index: int) -> str:
        """Number a row; that which a person would take has an arrow."""
        return f"→ {index + 1}" if index + 1 == self.answer.advised else str(index + 1)

    def _command(self) -> str:
        row = self.ways.advised
        words = [f"--method {row.method.name}"] if row.method.name != "lattice" else []
        words += [f"--resists {row.resists}"] if row.resists else []
        if row.levels:
            words += [f"--suppress {row.suppress:g}"] if row.suppress else []
            words += [f"--levels '{levels_text(row.levels)}'"]
        return f"To publish it: sidelight protect … {' '.join(words)} --output FILE"


def _describe_columns(row: ComparedRelease) -> str:
    """Describe which columns are printed how, and what that looks like: those that are nothing less come first."""
    whole = [name for name, what in row.labels.items() if what == "as it is"]
    coarser = [f"{name} in {what}" for name, what in row.labels.items() if what not in ("as it is", SUPPRESSED)]
    gone = [name for name, what in row.labels.items() if what == SUPPRESSED]
    parts = [f"{', '.join(whole)} as {'it is' if len(whole) == 1 else 'they are'}"] if whole else []
    parts += coarser + ([f"nothing of {', '.join(gone)}"] if gone else [])
    example = ", ".join(list_name(shorten_label(what)) for what in row.example.values())
    best = f"\nbest at {', '.join(row.best_at)}" if row.best_at else ""
    return "; ".join(parts) + (f"\n{example}" if example else "") + best


def ask(
    request: CompareRequest, progress: Progress = quiet, wording: Callable[[SidelightError], str] = str
) -> CompareAnswer:
    """Read the table and search by every way; `wording` says why one finds nothing."""
    table, by = request.read_table()
    ways = sl.compare(
        table,
        require_policy(request.question),
        by=by,
        methods=request.tried,
        suppress=request.suppress,
        resists=request.resists,
        progress=progress,
    )
    others = [name for name in request.method if name not in request.tried]
    left_out = (
        f"not tried, as they cannot publish a column only as it is or as * (--suppress-only): {', '.join(others)}"
    )
    return CompareAnswer(
        kind="compare",
        schema_version=1,
        source=request.file,
        answer=Comparison(
            policy=str(ways.policy),
            advised=ways.rows.index(ways.advised) + 1,
            advice=tuple(ways.advice()),
            utilities=dict(MEANINGS),
            rows=tuple(_row_fields(ways, row, wording) for row in ways.rows),
        ),
        notes=(
            *table.intake.notes(),
            *request.notes(table),
            *([left_out] if others else []),
        ),
        ways=ways,
        people=table.people,
    )


def _row_fields(
    ways: ReleaseComparison, row: ComparedRelease, wording: Callable[[SidelightError], str]
) -> dict[str, Any]:
    utility = {} if row.result is None else {name: row.result.utility[name] for name in COMPARED}
    return {
        **ways.as_data(row),
        **{name: finite_or_none(worth) for name, worth in utility.items()},
        "best_at": row.best_at,
        "levels": dict(row.levels),
        "labels": dict(row.labels),
        "example": dict(row.example),
        "reason": None if row.refusal is None else wording(row.refusal),
    }


ROWS_DRAWN = 100  # the document has all


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneralisationsRequest(TableRequest):
    """Which table, along which hierarchies, and what is asked of which of its generalisations."""

    kind: ClassVar[str] = "generalisations"

    utility: tuple[UtilityName, ...]
    rows: Literal["all", "within", "minimal"] | None
    suppress: float
    suppressed: Suppressed

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
        return None if self.listed == "all" else self.question.policy

    @property
    def measures(self) -> tuple[sl.Measure, ...]:
        """What is measured: what limits and options name, or how small groups get, and how surely people are found."""
        limited = self.question.policy.measures if self.question.policy else ()
        return drop_repeats((*limited, *self.question.measures)) or (sl.GroupSize(), *self.question.compared())

    def python(self) -> str:
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


def ask_generalisations(request: GeneralisationsRequest, progress: Progress = quiet) -> GeneralisationsAnswer:
    """Read the table and measure its generalisations; after Ctrl-C some rows are missing."""
    table, by = request.read_table()
    bare = [column.name for column in table.quasi if column.name not in by]
    bare_note = f"without a hierarchy, and so printed as they are in every row: {', '.join(bare)}"
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
            *request.notes(table),
            *([bare_note] if bare else []),
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
            utility={name: finite_or_none(worth) for name, worth in row.utility.items()},
        )
