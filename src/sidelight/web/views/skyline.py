"""The view of the skyline: how much an attacker may know before a value is disclosed (`answers/explore`)."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import Field
from starlette.responses import Response

from sidelight.answers.attackers import read_typed
from sidelight.answers.explore import MOST_DIGITS, SkylineAnswer, SkylineRequest, ask_skyline
from sidelight.errors import SidelightError
from sidelight.measures.criterion import Criterion
from sidelight.measures.privacy_skyline.acquaintance import Acquaintance
from sidelight.measures.privacy_skyline.skyline import RiskMap
from sidelight.release.release import Release
from sidelight.report.charts.skyline import LiveSkyline
from sidelight.table.labels import Label, shown
from sidelight.web.pages import Complaint, PageView, page
from sidelight.web.workspace import State, StateFields, Workspace, read_state

VIEW = PageView("/skyline", "Skyline", "How much may somebody know before a value is given away?")

router = APIRouter()

AMOUNTS = {
    "others": "Other people whose values are known",
    "family": "Family who share it if they have it",
    "rules_out": "Values that are ruled out",
}
"""The knowledge of an attacker, in the order of the sliders."""


class SkylineFields(StateFields):
    """The fields of an address of this view."""

    of: str = Field(default="", description="the sensitive column, where there are several", max_length=200)
    value: str | None = Field(default=None, description="the sensitive value", max_length=200)
    below: str = Field(default="0.95", description="how sure nobody should get, such as 0.95 or 3/4", max_length=60)
    rules_out: int = Field(default=0, ge=0, lt=10**MOST_DIGITS, description="values that are ruled out")
    others: int = Field(default=0, ge=0, lt=10**MOST_DIGITS, description="other people whose values are known")
    family: int = Field(default=0, ge=0, lt=10**MOST_DIGITS, description="family who share it if they have it")


def begin_with(workspace: Workspace, state: State, release: Release) -> SkylineRequest:
    """Return the first request: from a limit on an acquaintance, if there is one, or about the value at most risk."""

    def find_worst() -> Label:
        witness = Acquaintance().measure(release).witness
        return None if witness is None else witness.value

    def worst() -> str:
        return shown(workspace.answers.of(("worst value", state.subject), find_worst))

    for text in state.limits:
        try:
            criterion = read_typed(text, workspace.source.populations)
        except SidelightError:
            continue
        first = SkylineRequest.from_criterion(criterion, worst) if isinstance(criterion, Criterion) else None
        if first is not None:
            return first
    return SkylineRequest(value=worst())


def live_skyline(workspace: Workspace, state: State, release: Release, request: SkylineRequest) -> LiveSkyline:
    """Return the map of a value and a limit, built once."""
    value, bound = request.find_value(release), request.bound
    risk_map = workspace.answers.of(
        ("risk map", state.subject, value), lambda: RiskMap.from_release(release, request.value)
    )
    question = ("skyline", state.subject, value, Fraction(str(bound)))
    return workspace.answers.of(question, lambda: LiveSkyline.build(risk_map, value, bound))


def answer(workspace: Workspace, state: State, release: Release, request: SkylineRequest) -> SkylineAnswer:
    """Return the answer at the chosen point, measured once."""
    live = live_skyline(workspace, state, release, request)
    return workspace.answers.of(("acquaintance", state.subject, request), lambda: ask_skyline(request, release, live))


@router.get("/skyline", include_in_schema=False)
def show(request: Request) -> Response:
    """Render the skyline."""
    workspace: Workspace = request.app.state.workspace
    fields = dict(request.query_params.multi_items())
    state = read_state(request.query_params.multi_items())
    one = state.about(fields.get("of", ""))
    release = workspace.release(one)
    first = begin_with(workspace, one, release)
    typed = {name: fields[name].strip() for name in SkylineRequest.__slots__ if name in fields}
    chosen = replace(first, **typed)
    problems = {name: workspace.wording(error) for name, error in chosen.problems(release)}
    context: dict[str, Any] = {"answer": None, "chart": None, "sample": None, "ends": {}}
    if not problems:
        answered = answer(workspace, one, release, chosen)
        own = {name: chosen.read_amount(name) for name in AMOUNTS}
        alone = {name: answered.alone[name] or 0 for name in AMOUNTS}
        context = {
            "answer": answered,
            "chart": live_skyline(workspace, one, release, chosen).draw(chosen.point),
            # each slider goes beyond the most that the release resists by itself
            "ends": {
                name: max(4 if name == "rules_out" else 12, alone[name] + alone[name] // 2, own[name])
                for name in AMOUNTS
            },
            "sample": chosen.recipe(workspace.recipe(one)),
        }
    also = {"of": fields.get("of", "").strip(), **{name: getattr(chosen, name) for name in chosen.__slots__}}
    return page(
        request,
        VIEW,
        state,
        also={name: text for name, text in also.items() if text},
        chosen=chosen,
        of=also["of"],
        amounts=AMOUNTS,
        values=[shown(each) for each in release.domain],
        problems=problems,
        **context,
    )


@router.get("/api/skyline", responses={422: {"model": Complaint}})
def data(request: Request, fields: Annotated[SkylineFields, Query()]) -> SkylineAnswer:
    """Return the confidence that an attacker with this knowledge reaches."""
    workspace: Workspace = request.app.state.workspace
    one = fields.state().about(fields.of)
    release = workspace.release(one)
    amounts = {name: str(getattr(fields, name)) for name in AMOUNTS}
    value = begin_with(workspace, one.but(limits=()), release).value if fields.value is None else fields.value
    return answer(workspace, one, release, SkylineRequest(value=value, below=fields.below, **amounts))
