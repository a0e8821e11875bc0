"""The view of the data: the columns, their levels, and the column sets that single people out (`answers/inspect`)."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from sidelight.answers.inspect import (
    DataAnswer,
    HierarchyPreview,
    describe_suggestion,
    describe_uniques,
    list_worst_sets,
    preview_levels,
    write_columns_recipe,
)
from sidelight.errors import SidelightError
from sidelight.measures.column_subsets.identifying_columns import people_alone
from sidelight.web.pages import Complaint, PageView, go_to, page
from sidelight.web.workspace import State, StateFields, Workspace, read_state

VIEW = PageView("/data", "Data", "What is each column, and which of them single people out?", step=1)

router = APIRouter()


def answer(workspace: Workspace, state: State) -> DataAnswer:
    """Describe the columns, and count the people who are unique."""
    source = workspace.source
    columns = tuple(
        describe_suggestion(name, state.quasi, state.sensitive, source.columns) for name in workspace.column_names
    )
    try:
        release = workspace.release(state)
        hierarchies = _preview(workspace, state) if source.read_table is not None else ()
        sets = workspace.answers.of(("sets", state.subject), lambda: list_worst_sets(release))
    except SidelightError as error:
        sentence = "The table could not be read as it is described here."
        return DataAnswer(sentence=sentence, people=None, alone=None, columns=columns, problem=str(error))
    alone = people_alone(release.groups.sizes)
    beside = None if source.sidecar is None else source.sidecar.who  # of a release in buckets
    printed = () if beside is None else beside.to_roles().quasi
    return DataAnswer(
        sentence=describe_uniques(alone, release.size, state.quasi, dict(state.levels), printed),
        people=release.size,
        alone=alone,
        columns=columns,
        hierarchies=hierarchies,
        sets=sets,
    )


def _preview(workspace: Workspace, state: State) -> tuple[HierarchyPreview, ...]:
    chosen, table = dict(state.levels), workspace.table(state)
    return tuple(
        HierarchyPreview(
            column=name,
            drafted=name not in workspace.source.hierarchies,
            level=min(chosen.get(name, 0), hierarchy.height - 1),
            levels=preview_levels(hierarchy, table.column(name)),
        )
        for name, hierarchy in workspace.hierarchies(state).items()
    )


def changed_state(workspace: Workspace, state: State, fields: list[tuple[str, str]]) -> State:
    """Return the state with the roles and levels of the form."""
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
    """Render the data."""
    workspace: Workspace = request.app.state.workspace
    fields = request.query_params.multi_items()
    state = read_state(fields)
    after = changed_state(workspace, state, fields)
    if after != state and "hx-request" not in request.headers:
        return go_to(request, after.address(VIEW.path))
    roles = {"quasi": "others know it", "sensitive": "nobody should find it out", "leave out": "not published"}
    sample = None
    with suppress(SidelightError):  # no roles are chosen yet
        sample = write_columns_recipe(workspace.recipe(after))
    return page(request, VIEW, after, answer=answer(workspace, after), roles=roles, sample=sample)


@router.get("/api/data", responses={422: {"model": Complaint}})
def data(request: Request, fields: Annotated[StateFields, Query()]) -> DataAnswer:
    """Return the columns, and the sets of them that single people out."""
    return answer(request.app.state.workspace, fields.state())
