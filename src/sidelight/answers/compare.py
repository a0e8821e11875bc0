"""Which way of publishing a table within a policy keeps most of it?  Nothing is published."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

import sidelight as sl
from sidelight.answers.recipe import Name, write_call, write_hierarchies, write_policy, write_python, write_table
from sidelight.answers.sources import Question, TableSource
from sidelight.documents.document import DocumentPart
from sidelight.errors import BadPolicy, SidelightError, in_list
from sidelight.progress import Progress, quiet
from sidelight.report.answer import Answer, Live
from sidelight.report.page import Block, Blocks, Grid, PageSection, Paragraph, Points
from sidelight.report.plots import Drawing
from sidelight.search.compare import COMPARED, ComparedRelease, ReleaseComparison
from sidelight.search.protect import MethodName
from sidelight.search.utility import MEANINGS
from sidelight.table.labels import SUPPRESSED
from sidelight.text import counted, shorten_label


@dataclass(frozen=True, slots=True)
class CompareRequest:
    """Which table, under which policy, along which hierarchies, and which ways of publishing are tried."""

    file: str
    question: Question
    hierarchies: Path | None
    method: tuple[MethodName, ...]
    suppress: tuple[float, ...]
    resists: Literal["insider"] | None
    suppress_only: tuple[str, ...]

    def __post_init__(self) -> None:
        message = ""
        if self.question.policy is None:
            message = "a policy without any limit; give --policy, or limits such as --limit 'group size >= 5'"
        elif self.resists and self.suppress_only:
            message = "mondrian cannot publish a column only as it is or as *; leave --resists or --suppress-only out"
        if message:
            raise BadPolicy(message)

    @property
    def policy(self) -> sl.Policy:
        """The limits that each release keeps."""
        assert self.question.policy is not None
        return self.question.policy

    @property
    def source(self) -> TableSource:
        """Where the table and its hierarchies are."""
        return TableSource(self.file, self.hierarchies, self.suppress_only)

    @property
    def tried(self) -> tuple[MethodName, ...]:
        """The methods; only a search over levels can publish a column as it is or as `*`, and nothing between."""
        names = self.method
        return tuple(name for name in names if name == sl.FullDomain.name) if self.suppress_only else names

    def files(self) -> tuple[Path, ...]:
        """Return the files that are read."""
        return (*self.source.files(), *self.question.files)

    def python(self) -> str:
        """Write the lines of Python that come to the same."""
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
        """Yield what each release loses."""
        yield self.ways.plot()

    def blocks(self) -> Blocks:
        """Yield what each way prints, what that is worth, what the figures mean, and which one to take."""
        people = counted(self.people, "person")
        yield Paragraph(f"{self.source}: {people}; wanted: {self.answer.policy}. Nothing was published.")
        yield self._draw_printed()
        yield self._draw_worth()
        meanings = Points(tuple(f"{name}: {MEANINGS[name]}" for name in COMPARED))
        yield PageSection("What it means (less is better)", (meanings,))
        yield PageSection("Which one", (Points((*self.answer.advice, self._command())),))
        if self.notes:
            yield PageSection("Notes", (Points(self.notes),))

    def _number(self, index: int) -> str:
        """Number a row; that which a person would take has an arrow."""
        return f"→ {index + 1}" if index + 1 == self.answer.advised else str(index + 1)

    def _draw_printed(self) -> Block:
        rows = []
        for index, (row, fields) in enumerate(zip(self.ways.rows, self.answer.rows, strict=True)):
            name = row.method.name + (f"\nresisting an {row.resists}" if row.resists else "")
            groups, suppressed = "", ""
            if row.result is not None:
                most = f" (≤ {row.suppress * 100:.3g} %)" if row.suppress else ""
                groups, suppressed = f"{len(row.result.release):,}", f"{row.result.suppressed:,}{most}"
            printed = _describe_columns(row) if fields["reason"] is None else f"✗ {fields['reason']}"
            rows.append((self._number(index), name, groups, suppressed, printed))
        headings = ("", "method", "groups", "suppressed", "what is printed, and of the largest group")
        return Grid(headings, tuple(rows), figures=frozenset({0, 2, 3}), dense=True)

    def _draw_worth(self) -> Block:
        rows = tuple(
            (self._number(index), *(write_worth(row.result.utility[name]) for name in COMPARED))
            for index, row in enumerate(self.ways.rows)
            if row.result is not None
        )
        return Grid(("", *COMPARED), rows, figures=frozenset(range(len(COMPARED) + 1)), dense=True)

    def _command(self) -> str:
        """Write how the advised release is published."""
        row = self.ways.advised
        words = [f"--method {row.method.name}"] if row.method.name != "lattice" else []
        words += [f"--resists {row.resists}"] if row.resists else []
        if row.levels:
            words += [f"--suppress {row.suppress:g}"] if row.suppress else []
            words += [f"--levels '{','.join(f'{name}={level}' for name, level in row.levels.items())}'"]
        return f"To publish it: sidelight protect … {' '.join(words)} --output FILE"


def write_worth(worth: float) -> str:
    """Write what something is worth: three figures are enough to compare."""
    return "infinite" if math.isinf(worth) else f"{worth:,.3g}" if worth < 1000 else f"{worth:,.0f}"


def _describe_columns(row: ComparedRelease) -> str:
    """Describe which columns are printed how, and what that looks like: those that are nothing less come first."""
    whole = [name for name, what in row.labels.items() if what == "as it is"]
    coarser = [f"{name} in {what}" for name, what in row.labels.items() if what not in ("as it is", SUPPRESSED)]
    gone = [name for name, what in row.labels.items() if what == SUPPRESSED]
    parts = [f"{', '.join(whole)} as {'it is' if len(whole) == 1 else 'they are'}"] if whole else []
    parts += coarser + ([f"nothing of {', '.join(gone)}"] if gone else [])
    example = ", ".join(in_list(shorten_label(what)) for what in row.example.values())
    best = f"\nbest at {', '.join(row.best_at)}" if row.best_at else ""
    return "; ".join(parts) + (f"\n{example}" if example else "") + best


def ask(
    request: CompareRequest, progress: Progress = quiet, wording: Callable[[SidelightError], str] = str
) -> CompareAnswer:
    """Read the table and search by every way; `wording` says why one finds nothing."""
    source = request.source
    table, by = source.open(request.question.roles)
    ways = sl.compare(
        table,
        request.policy,
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
            *request.question.notes,
            *source.notes(table),
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
        **{name: worth if math.isfinite(worth) else None for name, worth in utility.items()},
        "best_at": row.best_at,
        "levels": dict(row.levels),
        "labels": dict(row.labels),
        "example": dict(row.example),
        "reason": None if row.refusal is None else wording(row.refusal),
    }
