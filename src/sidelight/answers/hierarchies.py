"""Which hierarchies could the columns of a table have?  Drafts, to be read and changed before they are relied on."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import sidelight as sl
from sidelight.documents.document import DocumentPart
from sidelight.engines.files import columns_of, files_of, nearest_column
from sidelight.engines.read_stream import distinct_rows
from sidelight.errors import BadHierarchy, UnknownColumn
from sidelight.intake.hierarchy_drafts import NUMBERS, Draft, DraftRules, drafts, read_tree
from sidelight.progress import Progress, quiet
from sidelight.report.answer import Answer, Live
from sidelight.report.page import Blocks, Grid, Paragraph
from sidelight.report.report import notes_section
from sidelight.table.cell_lists import parts_of
from sidelight.table.hierarchy_io import hierarchy_file
from sidelight.table.labels import Label, as_number, in_order, listed
from sidelight.table.roles import Roles
from sidelight.text import form

NOTE = "these are drafts: read and change them before you rely on them; they list the values of your table"


@dataclass(frozen=True, slots=True)
class HierarchiesRequest:
    """Which file, what its columns are, what is wanted of some, and the folder of the drafts."""

    file: str
    roles: Roles
    folder: Path
    cuts: tuple[str, ...] = ()
    widths: tuple[str, ...] = ()
    bottom: tuple[str, ...] = ()
    top: tuple[str, ...] = ()
    masks: tuple[str, ...] = ()
    tree: tuple[str, ...] = ()
    suppress_only: tuple[str, ...] = ()

    def files(self) -> tuple[Path, ...]:
        """Return the files that are read."""
        return tuple(files_of(self.file))

    def python(self) -> str:
        """Hierarchies are drafted on the command line alone."""
        return ""

    def rules(self) -> DraftRules:
        """Return what is wanted of columns."""
        cuts: dict[str, list[Sequence[float]]] = {}
        for column, numbers in _parse_pairs("--cuts", self.cuts):
            cuts.setdefault(column, []).append(_parse_numbers("--cuts", numbers))
        return DraftRules(
            cuts=cuts,
            widths={
                name: _parse_numbers("--widths", numbers) for name, numbers in _parse_pairs("--widths", self.widths)
            },
            bottom={name: _parse_numbers("--bottom", text)[0] for name, text in _parse_pairs("--bottom", self.bottom)},
            top={name: _parse_numbers("--top", text)[0] for name, text in _parse_pairs("--top", self.top)},
            masks=self.masks,
            trees={column: read_tree(Path(file)) for column, file in _parse_pairs("--tree", self.tree)},
            suppress_only=self.suppress_only,
            kinds={name: self.roles.kind_of(name) for name, _ in self.roles.kinds},
        )

    def columns(self) -> tuple[str, ...]:
        """Return the columns that get a file: quasi-identifiers, or all but the others, and those with rules."""
        there, roles = columns_of(self.file, self.roles), self.roles
        others = (*roles.value_columns, roles.person, *roles.carried)
        columns = dict.fromkeys(roles.quasi or [name for name in there if name not in others])
        columns |= dict.fromkeys(self.rules().columns)
        for name in columns:
            if name not in there:
                message = f"no column '{name}' in {self.file}{nearest_column(name, self.file, self.roles)}"
                raise UnknownColumn(message)
        return tuple(columns)

    def targets(self) -> tuple[Path, ...]:
        """Return the files of the drafts."""
        return tuple(self.folder / hierarchy_file(name) for name in self.columns())


class HierarchyFacts(DocumentPart):
    """A draft, and its file."""

    file: str
    rule: str
    values: int
    levels: list[list[str]]


class HierarchiesAnswer(Answer[dict[str, HierarchyFacts]]):
    """Which hierarchies were drafted, by column."""

    question: ClassVar[str] = "Which hierarchies were drafted?"

    folder: Live[Path]
    hierarchies: Live[Mapping[str, sl.Hierarchy]]

    def blocks(self) -> Blocks:
        """Yield a row for each column, and what to look at."""
        rows = tuple(
            (name, each.rule, f"{each.values:,}", "\n".join(listed(labels, most=3) for labels in each.levels))
            for name, each in self.answer.items()
        )
        yield Grid(("column", "drafted as", "values", "then"), rows, figures=frozenset({2}))
        yield from notes_section(self.notes[1:])
        yield Paragraph(f"Written to {self.folder}: {NOTE}.")


def ask(request: HierarchiesRequest, progress: Progress = quiet) -> HierarchiesAnswer:
    """Draft a hierarchy for each column."""
    del progress
    rules = request.rules()
    labels = {name: _count_labels(request, name) for name in request.columns()}
    rows = {name: {text: times for text, times in each.items() if text is not None} for name, each in labels.items()}
    drafted = drafts({name: tuple(each) for name, each in labels.items()}, replace(rules, people=rows))
    return HierarchiesAnswer(
        kind="hierarchies",
        schema_version=1,
        source=request.file,
        answer={name: _describe(draft, request.folder / hierarchy_file(name)) for name, draft in drafted.items()},
        notes=(NOTE, *number_notes(drafted, rules.kinds)),
        folder=request.folder,
        hierarchies={name: draft.hierarchy for name, draft in drafted.items()},
    )


def number_notes(drafted: Mapping[str, Draft], kinds: Collection[str]) -> tuple[str, ...]:
    """Ask whoever knows: nothing tells the codes of states from years of age, unless some kind is declared."""
    names = [name for name, draft in drafted.items() if draft.rule.startswith(NUMBERS) and name not in kinds]
    if not names:
        return ()
    were = form("was", len(names))
    return (f"{listed(names)} {were} taken for numbers; where they are codes, say so: --kind '{names[-1]}=category'",)


def _count_labels(request: HierarchiesRequest, column: str) -> dict[Label, int]:
    """Return the labels of a column, and how many rows have each; of parts of cells, that is not counted."""
    roles = request.roles
    (values,), times = distinct_rows(
        request.file, [column], missing_marks=roles.missing_marks, encoding=roles.encoding, sheet=roles.sheet
    )
    if roles.split is None or column not in roles.value_columns:
        rows = {values.cell(row): number for row, number in enumerate(times.tolist())}
        return {text: rows.get(text, 0) for text in values.labels}
    parts = (part for cell in values.labels for part in parts_of(cell, roles.split, "set", roles.missing_marks))
    return dict.fromkeys(in_order(parts), 0)


def _parse_pairs(option: str, texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    for text in texts:
        column, equals, rest = text.partition("=")
        if not (column and equals and rest):
            message = f"cannot read {option} '{text}'; write the column, = and what is wanted, such as age=18,65"
            raise BadHierarchy(message)
        yield column, rest


def _parse_numbers(option: str, text: str) -> list[float]:
    numbers = [as_number(part.strip()) for part in text.split(",")]
    if None in numbers:
        message = f"cannot read {option} '{text}'; give numbers with commas between them, such as 18,65"
        raise BadHierarchy(message)
    return [number for number in numbers if number is not None]


def _describe(draft: Draft, file: Path) -> HierarchyFacts:
    hierarchy = draft.hierarchy
    levels = [list(hierarchy.labels(level)) for level in range(1, hierarchy.height)]
    return HierarchyFacts(file=str(file), rule=draft.rule, values=len(hierarchy.labels(0)), levels=levels)
