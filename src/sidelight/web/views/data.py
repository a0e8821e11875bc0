"""Data: what is each column, how coarse can it be made, and which sets of columns single people out?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from sidelight.answers.recipe import write_python, write_table
from sidelight.documents.document import DocumentPart
from sidelight.errors import SidelightError
from sidelight.measures.classics import GroupSize
from sidelight.measures.column_subsets.identifying_columns import identifying_columns, people_alone
from sidelight.report.answer import Recipe
from sidelight.rounding import short_decimal
from sidelight.table.table import Table
from sidelight.text import counted, shell
from sidelight.web.pages import (
    Complaint,
    PageView,
    go_to,
    page,
)
from sidelight.web.workspace import State, StateFields, Workspace, read_state

VIEW = PageView("/data", "Data", "What is each column, and which of them single people out?", step=1)

router = APIRouter()


class ColumnLine(DocumentPart):
    """A column: what it is, and why that is suggested."""

    name: str
    kind: str
    role: str
    reason: str
    labels: int
    missing: int


class LevelPreview(DocumentPart):
    """A level of a hierarchy: how many labels it has, and some of them."""

    level: int
    labels: int
    some: tuple[str, ...]


class HierarchyPreview(DocumentPart):
    """How a column becomes coarser, level by level, and how coarse it is now."""

    column: str
    drafted: bool
    level: int
    levels: tuple[LevelPreview, ...]


class ColumnSet(DocumentPart):
    """A set of columns: how many people stand alone who are known by it."""

    columns: tuple[str, ...]
    groups: int
    alone: int
    distinction: str


class DataAnswer(DocumentPart):
    """What the columns are, how coarse, and which sets of them single people out."""

    sentence: str
    people: int | None
    alone: int | None
    columns: tuple[ColumnLine, ...]
    hierarchies: tuple[HierarchyPreview, ...] = ()
    sets: tuple[ColumnSet, ...] = ()
    problem: str | None = None


def answer(workspace: Workspace, state: State) -> DataAnswer:
    """Look at the columns, and count who stands alone."""
    columns = tuple(_columns(workspace, state))
    try:
        release = workspace.release(state)
        hierarchies = _preview(workspace, state) if workspace.source.read_table is not None else ()
        sets = workspace.answers.of(("sets", state.subject), lambda: tuple(_sets(workspace, state)))
    except SidelightError as error:
        sentence = "The table could not be read as it is described here."
        return DataAnswer(sentence=sentence, people=None, alone=None, columns=columns, problem=str(error))
    alone = people_alone(release.groups.sizes)
    known = ", ".join(state.quasi)
    how = " as coarse as it is set below" if state.levels else ""
    if alone:
        sentence = f"Who knows {known}{how} finds {alone:,} of {counted(release.size, 'person')} alone."
    else:
        sentence = f"Nobody of {counted(release.size, 'person')} stands alone to who knows {known}{how}."
    beside = None if workspace.source.sidecar is None else workspace.source.sidecar.who
    if beside is not None:  # values stand apart, by bucket
        printed = ", ".join(beside.to_roles().quasi)
        sentence += f" But {printed} are printed as they are: who stands alone by those is not counted here."
    return DataAnswer(
        sentence=sentence, people=release.size, alone=alone, columns=columns, hierarchies=hierarchies, sets=sets
    )


def _columns(workspace: Workspace, state: State) -> Iterator[ColumnLine]:
    suggested = workspace.source.columns
    for name in workspace.column_names:
        role = "quasi" if name in state.quasi else "sensitive" if name in state.sensitive else "leave out"
        if suggested is None:
            yield ColumnLine(
                name=name, kind="as published", role=role, reason="as it was published", labels=0, missing=0
            )
            continue
        each = suggested[name]
        profile = each.profile
        if each.role in ("person", "keep") and role == "leave out":
            role = each.role
        yield ColumnLine(
            name=name, kind=each.kind, role=role, reason=each.reason, labels=profile.distinct, missing=profile.missing
        )


def _preview(workspace: Workspace, state: State) -> tuple[HierarchyPreview, ...]:
    """Show how each column becomes coarser, with a few labels of each level, of those that occur."""
    chosen, table = dict(state.levels), workspace.table(state)
    previews = []
    for name, hierarchy in workspace.hierarchies(state).items():
        labels = [text for text in table.column(name).sort_naturally().labels if text is not None]
        levels = []
        for level in range(hierarchy.height):
            coarser = tuple(dict.fromkeys(str(hierarchy.generalise(text, level)) for text in labels))
            levels.append(LevelPreview(level=level, labels=len(coarser), some=coarser[:6]))
        drafted = name not in workspace.source.hierarchies
        own = min(chosen.get(name, 0), hierarchy.height - 1)
        previews.append(HierarchyPreview(column=name, drafted=drafted, level=own, levels=tuple(levels)))
    return tuple(previews)


def _sets(workspace: Workspace, state: State) -> Iterator[ColumnSet]:
    """List the sets on which most people stand alone, as coarse as columns are set."""
    release = workspace.release(state)
    groups = release.groups
    table = Table(groups.columns, release.sensitive, release.domain, groups.sizes, groups.counts, release.semantics)
    which = identifying_columns(table, min(3, len(groups.columns)))
    ranked = sorted(which.subsets, key=lambda each: (-each.unique, len(each.columns), each.columns))
    for each in ranked[:8]:
        yield ColumnSet(
            columns=each.columns, groups=each.groups, alone=each.unique, distinction=short_decimal(each.distinction)
        )


def changed_state(workspace: Workspace, state: State, fields: list[tuple[str, str]]) -> State:
    """Let the fields of the form say what columns are, and how coarse."""
    roles = {name.removeprefix("as-"): text for name, text in fields if name.startswith("as-")}
    if roles:
        known = [name for name in workspace.column_names if name in roles]
        state = state.but(
            quasi=tuple(name for name in known if roles[name] == "quasi"),
            sensitive=tuple(name for name in known if roles[name] == "sensitive"),
        )
    levels = {
        name.removeprefix("to-"): int(text)
        for name, text in fields
        if name.startswith("to-") and text.isascii() and text.isdigit() and len(text) <= 3
    }
    merged = {**dict(state.levels), **levels}
    return state.but(levels=tuple((name, level) for name, level in merged.items() if level and name in state.quasi))


@router.get("/data", include_in_schema=False)
def show(request: Request) -> Response:
    """Draw the data."""
    workspace: Workspace = request.app.state.workspace
    fields = request.query_params.multi_items()
    state = read_state(fields)
    after = changed_state(workspace, state, fields)
    if after != state and "hx-request" not in request.headers:
        return go_to(request, after.address(VIEW.path))
    roles = {"quasi": "others know it", "sensitive": "nobody should find it out", "leave out": "not published"}
    return page(request, VIEW, after, answer=answer(workspace, after), roles=roles, sample=_sample(workspace, after))


def _sample(workspace: Workspace, state: State) -> Recipe | None:
    try:
        recipe = workspace.recipe(state)
    except SidelightError:
        return None
    if recipe.sidecar:
        return recipe.judging([GroupSize()])
    lines = [f"table = {write_table(recipe.file, recipe.roles)}"]
    lines += [f"print(sl.identifying_columns(table, {min(3, len(state.quasi))}).explain())"]
    if state.levels:
        lines += ["", *recipe.reading()[1:]]
    commands = [*recipe.preparations(), shell(recipe.words("columns"))]
    return Recipe("\n".join(commands), write_python(*lines))


@router.get("/api/data", responses={422: {"model": Complaint}})
def data(request: Request, fields: Annotated[StateFields, Query()]) -> DataAnswer:
    """What are the columns, and which single people out?"""
    return answer(request.app.state.workspace, fields.state())
