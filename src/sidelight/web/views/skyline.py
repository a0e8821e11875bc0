"""Skyline: how much may somebody know before a value is given away?

One point (values ruled out, other people, family) is measured exactly, with its witness; the picture around it is drawn
from a map of risks that is made once per value (`RiskMap`), so that a point can be dragged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import Field
from starlette.responses import Response

from sidelight.answers.recipe import Name, write_call, write_role_options
from sidelight.documents.document import DocumentPart
from sidelight.errors import BadMeasure, SidelightError, UnknownValue, did_you_mean
from sidelight.measures.criterion import Bound, Comparison, Criterion
from sidelight.measures.limit_grammar import Word
from sidelight.measures.measure import whole_amount
from sidelight.measures.privacy_skyline.acquaintance import Acquaintance
from sidelight.measures.privacy_skyline.skyline import RiskMap
from sidelight.policy.limits import read_number
from sidelight.policy.policy import Policy
from sidelight.release.release import Release
from sidelight.report.answer import Recipe
from sidelight.report.charts.skyline import LiveSkyline
from sidelight.report.report import AuditFinding, audit_report
from sidelight.table.labels import Label, shown, written_label
from sidelight.text import counted, form, shell
from sidelight.web.limits import read_typed
from sidelight.web.pages import Complaint, PageView, page
from sidelight.web.recipes import write_judging
from sidelight.web.state import State, StateFields, read_state
from sidelight.web.views.readers import decimal
from sidelight.web.workspace import Workspace

VIEW = PageView("/skyline", "Skyline", "How much may somebody know before a value is given away?")

router = APIRouter()

AMOUNTS = {
    "others": "Other people whose values are known",
    "family": "Family who share it if they have it",
    "rules_out": "Values that are ruled out",
}
"""What somebody may know, in the order of the sliders."""

SURE = "0.95"
MOST_DIGITS = 9


@dataclass(frozen=True, slots=True)
class Chosen:
    """The fields of the view as they were typed; what is left out begins with a limit of the address, or with nothing.

    >>> Chosen.of_fields({"others": "3"}, Chosen(value="Flu")).others
    '3'
    """

    of: str = ""
    value: str = ""
    below: str = SURE
    rules_out: str = "0"
    others: str = "0"
    family: str = "0"

    @classmethod
    def of_fields(cls, fields: Mapping[str, str], first: Chosen) -> Chosen:
        """Read what was typed."""
        return cls(**{name: fields.get(name, getattr(first, name)).strip() for name in cls.__slots__})

    def pairs(self) -> dict[str, str]:
        """Write them as fields of an address."""
        return {name: getattr(self, name) for name in self.__slots__ if getattr(self, name)}

    @property
    def criterion(self) -> Criterion:
        """The limit that is asked about."""
        rules_out, others, family = self.point
        measure = Acquaintance(rules_out, others, family, value=self.value)
        return Criterion(measure, Comparison.BELOW, limit_of(self.below))

    @property
    def point(self) -> tuple[int, int, int]:
        """Rules out, others, family."""
        return whole("rules_out", self.rules_out), whole("others", self.others), whole("family", self.family)


def whole(name: str, text: str) -> int:
    """Read an amount."""
    digits = text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS
    return whole_amount(Acquaintance.name, name, int(text) if digits else text[:40] or "nothing")


def limit_of(text: str) -> Bound:
    """Read how sure nobody should get."""
    try:
        bound = read_number(Word(text))
    except ValueError as error:
        message = f"cannot read '{text[:40]}'; {error}"
        raise BadMeasure(message) from None
    if not 0 < bound <= 1:
        message = f"nobody is ever {text[:40]} sure; give a number above 0 and up to 1, such as 0.95 or 3/4"
        raise BadMeasure(message)
    return bound


class SkylineAnswer(DocumentPart):
    """What somebody could find out who knows so much, and the most of each kind that may be known by itself."""

    sentence: str
    holds: bool | None
    people: int
    groups: int
    finding: AuditFinding
    alone: dict[str, int | None] = Field(description="the most of each by itself; none where there is no end")


def first_choice(workspace: Workspace, state: State, release: Release) -> Chosen:
    """Begin with a limit on an acquaintance, if the address has one; else with whoever is worst off."""
    for text in state.limits:
        try:
            criterion = read_typed(text, workspace.source.populations)
        except SidelightError:
            continue
        if isinstance(criterion, Criterion) and isinstance(criterion.measure, Acquaintance):
            amounts = {name: str(amount) for name, amount in criterion.measure.amounts().items()}
            value = criterion.measure.value
            return Chosen(
                value=value if isinstance(value, str) else _worst_value(workspace, state, release),
                below=str(criterion.bound),
                **amounts,
            )
    return Chosen(value=_worst_value(workspace, state, release))


def _worst_value(workspace: Workspace, state: State, release: Release) -> str:
    def worst() -> Label:
        witness = Acquaintance().measure(release).witness
        return None if witness is None else witness.value

    return shown(workspace.answers.of(("worst value", state.subject), worst))


def live_skyline(workspace: Workspace, state: State, release: Release, chosen: Chosen) -> LiveSkyline:
    """Return the map of a value and a limit; it is made once."""
    value = _known_value(release, chosen.value)
    risk_map = workspace.answers.of(
        ("risk map", state.subject, value), lambda: RiskMap.from_release(release, chosen.value)
    )
    bound = limit_of(chosen.below)
    question = ("skyline", state.subject, value, Fraction(str(bound)))
    return workspace.answers.of(question, lambda: LiveSkyline.build(risk_map, value, bound))


def _known_value(release: Release, text: str) -> Label:
    value = written_label(text)
    if value not in release.domain:
        names = [shown(each) for each in release.domain]
        message = f"no sensitive value '{text[:80]}' in the release{did_you_mean(text, names)}"
        raise UnknownValue(message)
    return value


def answer(workspace: Workspace, state: State, release: Release, chosen: Chosen) -> SkylineAnswer:
    """Measure the point that was chosen."""
    live = live_skyline(workspace, state, release, chosen)
    criterion = chosen.criterion

    def judge() -> AuditFinding:
        return audit_report(release, verdict=Policy(criterion).judge(release)).answer.findings[0]

    finding = workspace.answers.of(("acquaintance", state.subject, str(criterion)), judge)
    return SkylineAnswer(
        sentence=_sentence(release, chosen, finding),
        holds=finding.holds,
        people=release.size,
        groups=len(release),
        finding=finding,
        alone={
            name: None if amount == float("inf") else int(amount)
            for name, amount in zip(("rules_out", "others", "family"), live.alone, strict=True)
        },
    )


def _sentence(release: Release, chosen: Chosen, finding: AuditFinding) -> str:
    """Say the answer in one sentence."""
    rules_out, others, family = chosen.point
    knows = [
        f"the values of {others:,} other {form('person', others)}" if others else "",
        f"{counted(family, 'member')} of the family" if family else "",
        f"{counted(rules_out, 'value')} that they do not have" if rules_out else "",
    ]
    *others_known, last = list(filter(None, knows)) or ["nothing but the release"]
    known = f"{', '.join(others_known)} and {last}" if others_known else last
    whom = f"of {counted(release.size, 'person')} in {counted(len(release), 'group')}"
    verdict = "within" if finding.holds else "not within"
    limit = f"below {chosen.below}"
    return (
        f"Whoever knows {known} could become {finding.result.text} sure that somebody has {chosen.value}, {whom}: "
        f"{verdict} the limit, {limit}."
    )


@router.get("/skyline", include_in_schema=False)
def show(request: Request) -> Response:
    """Draw the skyline."""
    workspace: Workspace = request.app.state.workspace
    fields = dict(request.query_params.multi_items())
    state = read_state(request.query_params.multi_items())
    one = state.about(fields.get("of", ""))
    release = workspace.release(one)
    chosen = Chosen.of_fields(fields, first_choice(workspace, one, release))
    problems = dict(_problems(workspace, release, chosen))
    context: dict[str, object] = {"answer": None, "chart": None, "sample": None, "ends": {}}
    if not problems:
        answered = answer(workspace, one, release, chosen)
        chart = live_skyline(workspace, one, release, chosen).draw(chosen.point)
        context = {
            "answer": answered,
            "chart": chart,
            "decimal": decimal(answered.finding),
            "ends": _ends(answered, chosen),
            "sample": _sample(workspace, one, chosen),
        }
    return page(
        request,
        VIEW,
        state,
        also=chosen.pairs(),
        chosen=chosen,
        amounts=AMOUNTS,
        values=[shown(each) for each in release.domain],
        problems=problems,
        **context,
    )


def _problems(workspace: Workspace, release: Release, chosen: Chosen) -> Iterator[tuple[str, str]]:
    """Say of each field what is wrong with it."""
    checks: dict[str, Callable[[], object]] = {
        "value": lambda: _known_value(release, chosen.value),
        "below": lambda: limit_of(chosen.below),
        **{name: partial(whole, name, getattr(chosen, name)) for name in AMOUNTS},
    }
    for name, check in checks.items():
        try:
            check()
        except SidelightError as error:
            yield name, workspace.wording(error)


def _ends(answered: SkylineAnswer, chosen: Chosen) -> dict[str, int]:
    """Return how far each slider goes: beyond the most that is withstood by itself."""
    alone = {name: amount or 0 for name, amount in answered.alone.items()}
    own = dict(zip(("rules_out", "others", "family"), chosen.point, strict=True))
    return {name: max(4 if name == "rules_out" else 12, alone[name] + alone[name] // 2, own[name]) for name in AMOUNTS}


def _sample(workspace: Workspace, state: State, chosen: Chosen) -> Recipe:
    """Return how the point is and the skyline found."""
    roles, source = workspace.roles(state), workspace.source
    point = write_judging(source, roles, state, [chosen.criterion])
    command = point.command
    if not state.levels:
        words = ["sidelight", "explore", source.name, *write_role_options(roles, "explore"), "--value", chosen.value]
        command += "\n" + shell([*words, "--below", chosen.below])
    bound = chosen.criterion.bound
    skyline = write_call("sl.knowledge_skyline", Name("release"), value=chosen.value, below=bound)
    return Recipe(command, f"{point.python}\n\nskyline = {skyline}\nskyline.plot(own={chosen.point})")


class SkylineFields(StateFields):
    """The fields of an address of this view."""

    of: str = Field(default="", description="the sensitive column, where there are several", max_length=200)
    value: str | None = Field(default=None, description="the sensitive value", max_length=200)
    below: str = Field(default=SURE, description="how sure nobody should get, such as 0.95 or 3/4", max_length=60)
    rules_out: int = Field(default=0, ge=0, lt=10**MOST_DIGITS, description="values that are ruled out")
    others: int = Field(default=0, ge=0, lt=10**MOST_DIGITS, description="other people whose values are known")
    family: int = Field(default=0, ge=0, lt=10**MOST_DIGITS, description="family who share it if they have it")


@router.get("/api/skyline", responses={422: {"model": Complaint}})
def data(request: Request, fields: Annotated[SkylineFields, Query()]) -> SkylineAnswer:
    """How sure could somebody become of a value who knows so much?"""
    workspace: Workspace = request.app.state.workspace
    one = fields.state().about(fields.of)
    release = workspace.release(one)
    chosen = Chosen(
        of=fields.of,
        value=_worst_value(workspace, one, release) if fields.value is None else fields.value,
        below=fields.below,
        rules_out=str(fields.rules_out),
        others=str(fields.others),
        family=str(fields.family),
    )
    return answer(workspace, one, release, chosen)
