"""The view of what an attacker with typed knowledge would conclude (`answers/what_if`), in a job beside the page.

Mistakes are marked where they are, in terms of the command line.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Query, Request
from pydantic import Field
from starlette.responses import Response

from sidelight.answers.what_if import (
    WHAT_IF_SECONDS,
    Offers,
    WhatIfAnswer,
    complete_line,
    list_examples,
    list_vocabulary,
    read_line,
    write_belief_recipe,
)
from sidelight.answers.what_if import ask as conclude
from sidelight.errors import BadKnowledge, Contradiction
from sidelight.release.locate import Lookup
from sidelight.web.pages import Complaint, PageView, page
from sidelight.web.views.jobs import answer_of
from sidelight.web.workspace import State, StateFields, Workspace, read_state

if TYPE_CHECKING:
    from sidelight.table.hierarchy import Hierarchy
    from sidelight.web.jobs import Job

VIEW = PageView("/what-if", "What if", "What would somebody conclude who knows this, and about whom?")

router = APIRouter()

MOST_KNOWN = 20


def hierarchies(workspace: Workspace, state: State) -> Mapping[str, Hierarchy]:
    """Return the hierarchies of printed labels: those of the command, with drafts where there are levels."""
    return workspace.hierarchies(state) if state.levels else workspace.source.hierarchies


def begin(workspace: Workspace, state: State, texts: tuple[str, ...], address: str, *, within: float = 0.9) -> Job:
    """Start concluding; it goes on beside the page where it takes longer than `within` seconds."""
    release, by = workspace.release(state), hierarchies(workspace, state)
    return workspace.jobs.soon(
        ("what if", state.subject, texts),
        lambda: partial(conclude, release, texts, by),
        title="Working out what follows",
        address=address,
        lane="what if",
        within=within,
    )


@router.get("/what-if", include_in_schema=False)
def show(request: Request) -> Response:
    """Render the conclusions."""
    workspace: Workspace = request.app.state.workspace
    fields = request.query_params.multi_items()
    state = read_state(fields)
    one = state.about(dict(fields).get("of", ""))
    release, by = workspace.release(one), hierarchies(workspace, one)
    texts = tuple(dict.fromkeys(text.strip() for name, text in fields if name == "know" and text.strip()))[:MOST_KNOWN]
    lookup = Lookup.build(by)
    lines = [read_line(release, text, lookup, workspace.wording) for text in texts]
    of = {"of": one.sensitive[0]} if len(state.sensitive) > 1 else {}
    also = {"know": list(texts), **of}
    readable = bool(texts) and not any(line["problem"] for line in lines)
    job = begin(workspace, one, texts, state.address(VIEW.path, also)) if readable else None
    progress = None if job is None else job.describe()  # as of one moment: it may end while the page is rendered
    return page(
        request,
        VIEW,
        state,
        also=also,
        of=of,
        lines=lines,
        most=MOST_KNOWN,
        job=progress,
        contradiction=job is not None and isinstance(job.error, Contradiction),
        answer=job.answer if job is not None and progress is not None and progress.stage == "done" else None,
        release=release,
        column=one.sensitive[0],
        examples=list(list_examples(release, by)),
        sample=write_belief_recipe(workspace.recipe(one), texts) if texts else None,
    )


class WhatIfFields(StateFields):
    """The fields of an address of this view."""

    know: list[str] = Field(default=[], description="facts, or statements P(…)", max_length=MOST_KNOWN)
    of: str = Field(default="", description="the sensitive column, where there are several", max_length=200)
    text: str = Field(default="", description="one that is being written", max_length=2_000)
    at: int = Field(default=0, ge=0, le=2_000, description="where the cursor stands in it")


@router.get("/api/what-if", responses={422: {"model": Complaint}})
async def data(request: Request, fields: Annotated[WhatIfFields, Query()]) -> WhatIfAnswer:
    """Return what an attacker with this knowledge would conclude."""
    workspace: Workspace = request.app.state.workspace
    state = fields.state()
    one = state.about(fields.of)
    texts = tuple(dict.fromkeys(text.strip() for text in fields.know if text.strip()))
    if not texts:
        raise BadKnowledge("nothing is known yet; write a fact, such as '#1 != Flu', or a statement P(…)")
    address = state.address(VIEW.path, {"know": list(texts), "of": fields.of or None})
    answered: WhatIfAnswer = await answer_of(
        request, partial(begin, workspace, one, texts, address, within=0), 2 * WHAT_IF_SECONDS
    )
    return answered


@router.get("/api/what-if/completions", responses={422: {"model": Complaint}})
def completions(request: Request, fields: Annotated[WhatIfFields, Query()]) -> Offers:
    """Return completions of a fact or a statement at the cursor."""
    workspace: Workspace = request.app.state.workspace
    one = fields.state().about(fields.of)
    words = workspace.answers.of(("vocabulary", one.subject), lambda: list_vocabulary(workspace.release(one)))
    return complete_line(fields.text, fields.at, words)
