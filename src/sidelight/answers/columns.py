"""What is each column, how coarse can it be made, and which sets of columns single people out?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sidelight.answers.recipe import FileRecipe, write_python, write_table
from sidelight.documents.document import DocumentPart
from sidelight.measures.classics import GroupSize
from sidelight.measures.column_subsets.identifying_columns import identifying_columns
from sidelight.report.answer import Recipe
from sidelight.rounding import short_decimal
from sidelight.table.table import Table
from sidelight.text import counted, shell

if TYPE_CHECKING:
    from sidelight.intake.roles import SuggestedRoles
    from sidelight.release.release import Release
    from sidelight.table.hierarchy import Hierarchy
    from sidelight.table.labels import Column


class ColumnLine(DocumentPart):
    """A column: its kind and role, and why they are suggested."""

    name: str
    kind: str
    role: str
    reason: str
    labels: int
    missing: int


class LevelPreview(DocumentPart):
    """A level of a hierarchy: the number of its labels, and some of them."""

    level: int
    labels: int
    some: tuple[str, ...]


class HierarchyPreview(DocumentPart):
    """The levels of a column's hierarchy, and the current one."""

    column: str
    drafted: bool
    level: int
    levels: tuple[LevelPreview, ...]


class ColumnSet(DocumentPart):
    """A set of columns, and how many people are unique on it."""

    columns: tuple[str, ...]
    groups: int
    alone: int
    distinction: str


class DataAnswer(DocumentPart):
    """The columns, their hierarchies, and the sets that single people out."""

    sentence: str
    people: int | None
    alone: int | None
    columns: tuple[ColumnLine, ...]
    hierarchies: tuple[HierarchyPreview, ...] = ()
    sets: tuple[ColumnSet, ...] = ()
    problem: str | None = None


def describe_suggestion(
    name: str, quasi: Sequence[str], sensitive: Sequence[str], suggested: SuggestedRoles | None
) -> ColumnLine:
    """Describe a column and its suggestion; a published column has none."""
    role = "quasi" if name in quasi else "sensitive" if name in sensitive else "leave out"
    if suggested is None:
        return ColumnLine(name=name, kind="as published", role=role, reason="as it was published", labels=0, missing=0)
    column = suggested[name]
    return ColumnLine(
        name=name,
        kind=column.kind,
        role=column.role if column.role in ("person", "keep") and role == "leave out" else role,
        reason=column.reason,
        labels=column.profile.distinct,
        missing=column.profile.missing,
    )


def preview_levels(hierarchy: Hierarchy, column: Column) -> tuple[LevelPreview, ...]:
    """Preview the levels of a hierarchy, with a few of the labels that occur."""
    labels = [text for text in column.sort_naturally().labels if text is not None]
    levels = []
    for level in range(hierarchy.height):
        coarser = tuple(dict.fromkeys(str(hierarchy.generalise(text, level)) for text in labels))
        levels.append(LevelPreview(level=level, labels=len(coarser), some=coarser[:6]))
    return tuple(levels)


def list_worst_sets(release: Release) -> tuple[ColumnSet, ...]:
    """Return the sets of columns on which most people are unique, as the release prints them."""
    groups = release.groups
    table = Table(groups.columns, release.sensitive, release.domain, groups.sizes, groups.counts, release.semantics)
    which = identifying_columns(table, min(3, len(groups.columns)))
    ranked = sorted(which.subsets, key=lambda each: (-each.unique, len(each.columns), each.columns))
    return tuple(
        ColumnSet(
            columns=each.columns, groups=each.groups, alone=each.unique, distinction=short_decimal(each.distinction)
        )
        for each in ranked[:8]
    )


def describe_uniques(
    alone: int, people: int, known: Sequence[str], levels: Mapping[str, int], beside: Sequence[str]
) -> str:
    """Describe how many people are unique; `beside` are unchanged columns of a bucketized release."""
    names, how = ", ".join(known), " as coarse as it is set below" if levels else ""
    sentence = f"Nobody of {counted(people, 'person')} stands alone to who knows {names}{how}."
    if alone:
        sentence = f"Who knows {names}{how} finds {alone:,} of {counted(people, 'person')} alone."
    if beside:
        sentence += f" But {', '.join(beside)} are printed as they are: who stands alone by those is not counted here."
    return sentence


def write_columns_recipe(file: FileRecipe) -> Recipe:
    """Write the command and the Python that count unique people."""
    if file.sidecar:
        return file.judging([GroupSize()])
    lines = [f"table = {write_table(file.file, file.roles)}"]
    lines += [f"print(sl.identifying_columns(table, {min(3, len(file.roles.quasi))}).explain())"]
    if file.levels:
        lines += ["", *file.reading()[1:]]
    return Recipe(commands=(*file.preparations(), shell(file.words("columns"))), python=write_python(*lines))
