"""`sidelight hierarchies`: draft a hierarchy file for each column of a table."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from sidelight.cli.options import DraftOptions, FolderOptions
from sidelight.cli.run import Output, Status, named_inputs
from sidelight.documents.document import Envelope
from sidelight.engines.distinct_rows import distinct_rows
from sidelight.engines.files import files_of
from sidelight.engines.read import columns_of, nearest_column
from sidelight.errors import BadHierarchy, UnknownColumn
from sidelight.files import refuse_targets
from sidelight.intake.hierarchy_drafts import NUMBERS, Draft, DraftRules, drafts, read_tree
from sidelight.report.terminal import sentences
from sidelight.table.cell_lists import parts_of
from sidelight.table.hierarchy_io import hierarchy_file, write_hierarchy
from sidelight.table.labels import Label, as_number, in_order, listed
from sidelight.table.roles import Roles
from sidelight.text import form

SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class HierarchiesRequest:
    """Which file, what its columns are, and what is wanted of some."""

    file: str
    roles: Roles
    options: DraftOptions


def hierarchies(request: HierarchiesRequest, target: FolderOptions) -> Status:
    """Draft a file for each column, and show what was drafted and why."""
    rules = replace(
        _rules(request.options), kinds={name: request.roles.kind_of(name) for name, _ in request.roles.kinds}
    )
    columns = _columns(request, rules)
    files = {name: target.output / hierarchy_file(name) for name in columns}
    inputs = (*files_of(request.file), *named_inputs())
    if target.output.is_dir():
        refuse_targets([*files.values()], inputs, force=target.force)
    labels = {name: _labels(request, name) for name in columns}
    rows = {name: {text: times for text, times in each.items() if text is not None} for name, each in labels.items()}
    drafted = drafts({name: tuple(each) for name, each in labels.items()}, replace(rules, people=rows))
    _make_folder(target.output)
    for name, draft in drafted.items():
        write_hierarchy(draft.hierarchy, files[name])
    answer = {name: _facts(draft, files[name]) for name, draft in drafted.items()}
    notes = number_notes(drafted, rules.kinds)
    document = Envelope(
        kind="hierarchies", schema_version=SCHEMA_VERSION, source=request.file, answer=answer, notes=(NOTE, *notes)
    )
    Output(target.json).write(document, _page(drafted, target.output, notes))
    return Status.WITHIN_POLICY


NOTE = "these are drafts: read and change them before you rely on them; they list the values of your table"


def number_notes(drafted: Mapping[str, Draft], kinds: Collection[str]) -> tuple[str, ...]:
    """Nothing tells the codes of states from years of age, so whoever knows is asked, unless some kind is declared."""
    names = [name for name, draft in drafted.items() if draft.rule.startswith(NUMBERS) and name not in kinds]
    if not names:
        return ()
    were = form("was", len(names))
    return (f"{listed(names)} {were} taken for numbers; where they are codes, say so: --kind '{names[-1]}=category'",)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        message = f"cannot make the folder '{folder}': {problem.strerror}; name another with --output"
        raise BadHierarchy(message) from None


def _columns(request: HierarchiesRequest, rules: DraftRules) -> tuple[str, ...]:
    """Name the columns that get a file: those that outsiders may know, or all but the others, and those with rules."""
    there = columns_of(request.file, request.roles)
    roles = request.roles
    others = (*roles.value_columns, roles.person, *roles.carried)
    columns = dict.fromkeys(roles.quasi or [name for name in there if name not in others])
    columns |= dict.fromkeys(rules.columns)
    for name in columns:
        if name not in there:
            message = f"no column '{name}' in {request.file}{nearest_column(name, request.file, request.roles)}"
            raise UnknownColumn(message)
    return tuple(columns)


def _labels(request: HierarchiesRequest, column: str) -> dict[Label, int]:
    """List the labels of a column, and how many rows have each; of parts of cells, that is not counted."""
    roles = request.roles
    (values,), times = distinct_rows(
        request.file, [column], missing_marks=roles.missing_marks, encoding=roles.encoding, sheet=roles.sheet
    )
    if roles.split is None or column not in roles.value_columns:
        rows = {values.cell(row): number for row, number in enumerate(times.tolist())}
        return {text: rows.get(text, 0) for text in values.labels}
    parts = (part for cell in values.labels for part in parts_of(cell, roles.split, "set", roles.missing_marks))
    return dict.fromkeys(in_order(parts), 0)


def _rules(options: DraftOptions) -> DraftRules:
    cuts: dict[str, list[Sequence[float]]] = {}
    for column, numbers in _pairs("--cuts", options.cuts):
        cuts.setdefault(column, []).append(_numbers("--cuts", numbers))
    return DraftRules(
        cuts=cuts,
        widths={column: _numbers("--widths", numbers) for column, numbers in _pairs("--widths", options.widths)},
        bottom={column: _numbers("--bottom", number)[0] for column, number in _pairs("--bottom", options.bottom)},
        top={column: _numbers("--top", number)[0] for column, number in _pairs("--top", options.top)},
        masks=options.masks,
        trees={column: read_tree(Path(file)) for column, file in _pairs("--tree", options.tree)},
        suppress_only=options.suppress_only,
    )


def _pairs(option: str, texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    for text in texts:
        column, equals, rest = text.partition("=")
        if not (column and equals and rest):
            message = f"cannot read {option} '{text}'; write the column, = and what is wanted, such as age=18,65"
            raise BadHierarchy(message)
        yield column, rest


def _numbers(option: str, text: str) -> list[float]:
    numbers = [as_number(part.strip()) for part in text.split(",")]
    if None in numbers:
        message = f"cannot read {option} '{text}'; give numbers with commas between them, such as 18,65"
        raise BadHierarchy(message)
    return [number for number in numbers if number is not None]


def _facts(draft: Draft, file: Path) -> dict[str, object]:
    labels = [list(draft.hierarchy.labels(level)) for level in range(1, draft.hierarchy.height)]
    return {"file": str(file), "rule": draft.rule, "values": len(draft.hierarchy.labels(0)), "levels": labels}


def _page(drafted: dict[str, Draft], folder: Path, notes: Sequence[str]) -> Iterator[RenderableType]:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for heading in ("column", "drafted as", "values", "then"):
        table.add_column(heading, justify="right" if heading == "values" else "left")
    for name, draft in drafted.items():
        hierarchy = draft.hierarchy
        coarser = [listed(hierarchy.labels(level), most=3) for level in range(1, hierarchy.height)]
        shown = "\n".join(coarser)
        table.add_row(Text(name), Text(draft.rule), f"{len(hierarchy.labels(0)):,}", Text(shown))
    yield table
    yield from sentences("Notes", list(notes))
    yield Text(f"Written to {folder}: {NOTE}.")
