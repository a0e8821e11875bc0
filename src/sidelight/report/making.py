"""From findings to the report's document: every object reduced to plain data, every number rounded once."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from fractions import Fraction

import numpy as np
from pydantic import JsonValue

from sidelight import __version__
from sidelight.measures.criterion import Criterion, Judgement, exact
from sidelight.measures.finding import Amount, Finding, Witness
from sidelight.policy.policy import Verdict
from sidelight.policy.writing import settings
from sidelight.release.groups import GroupName
from sidelight.release.release import Release
from sidelight.report.noticing import alone, broken_by, look_alikes
from sidelight.report.report import Answer, AuditReport, IntakeFacts, Number, ReleaseFacts, Wanted
from sidelight.table.labels import shown

READABLE = 12
"""The largest denominator of a fraction that people compare at a glance; others are shown as decimals."""


def audit_report(
    release: Release,
    *,
    verdict: Verdict | None = None,
    findings: Sequence[Finding] = (),
    source: str | None = None,
    roles: Mapping[str, object] | None = None,
    notes: Sequence[str] = (),
) -> AuditReport:
    """Put together what a policy says about a release, and findings without a limit.

    >>> from sidelight.measures.group_size import GroupSize
    >>> from sidelight.policy.policy import Policy
    >>> release = Release.from_counts([{"Flu": 2, "Cold": 1}])
    >>> report = audit_report(release, verdict=Policy(GroupSize() >= 5).judge(release))
    >>> report.verdict, report.answers[0].found.exact
    ('not within policy', '3')
    """
    judgements = () if verdict is None else verdict.judgements
    judged = [_answer(each.finding, release, each) for each in judgements]
    return AuditReport(
        sidelight=__version__,
        source=source,
        roles={name: plain(value) for name, value in (roles or {}).items()},
        release=release_facts(release),
        intake=IntakeFacts.model_validate(release.intake, from_attributes=True),
        answers=(*judged, *(_answer(finding, release) for finding in findings)),
        verdict="no policy" if verdict is None else "within policy" if verdict.safe else "not within policy",
        notes=(*release.intake.notes(), *look_alikes(release), *notes),
    )


def release_facts(release: Release) -> ReleaseFacts:
    """Say how large a release is and what it is about."""
    return ReleaseFacts(
        people=release.size,
        groups=len(release),
        columns=tuple(column.name for column in release.groups.columns),
        sensitive=release.sensitive,
        values=len(release.domain),
        semantics=release.semantics,
    )


def _answer(finding: Finding, release: Release, judgement: Judgement | None = None) -> Answer:
    measure = finding.measure
    return Answer(
        measure=measure.name,
        settings={name: plain(value) for name, value in settings(measure).items()},
        said=str(measure),
        wanted=None if judgement is None else bound_of(judgement.criterion),
        found=number(finding.value, large_is_bad=measure.large_is_bad),
        holds=None if judgement is None else judgement.holds,
        broken_by=None if judgement is None else broken_by(judgement, release),
        witness=_witness(finding.witness),
        worst_off=_worst_off(finding.witness),
        explanation=finding.explain(),
        notes=(*finding.notes, *alone(finding.witness, release)),
    )


def bound_of(criterion: Criterion) -> Wanted:
    """Say which bound a criterion sets."""
    bound = number(exact(criterion.bound), large_is_bad=not criterion.measure.large_is_bad)
    said = f"{criterion.comparison.sign} {'infinite' if criterion.bound == math.inf else criterion.bound}"
    return Wanted(comparison=criterion.comparison.value, bound=bound, said=said)


def number(value: Amount, *, large_is_bad: bool) -> Number:
    """Write a number exactly, as a float that errs on the side of caution, and for people.

    >>> number(Fraction(2, 3), large_is_bad=True)
    Number(exact='2/3', number=0.6666666666666667, rounded=False, said='2/3')
    >>> number(Fraction(12345, 99991), large_is_bad=False).said
    '0.1234'
    """
    if value == math.inf:
        return Number(exact="inf", number=None, said="infinite")
    irrational = not isinstance(value, Fraction | int)
    return Number(
        exact=repr(float(value)) if irrational else str(value),
        number=_cautious(Fraction(value), large_is_bad=large_is_bad),
        rounded=irrational,
        said=_said(Fraction(value), large_is_bad=large_is_bad),
    )


def _cautious(value: Fraction, *, large_is_bad: bool) -> float:
    near = float(value)
    wrong_side = Fraction(near) < value if large_is_bad else Fraction(near) > value
    return math.nextafter(near, math.inf if large_is_bad else -math.inf) if wrong_side else near


def _said(value: Fraction, *, large_is_bad: bool, places: int = 4) -> str:
    if value.denominator <= READABLE:
        return f"{value.numerator:,}" if value.denominator == 1 else str(value)
    scaled = value * 10**places
    return f"{(math.ceil(scaled) if large_is_bad else math.floor(scaled)) / 10**places:,.{places}f}"


def _witness(witness: Witness | None) -> dict[str, JsonValue] | None:
    if witness is None:
        return None
    reduced = plain(witness)
    assert isinstance(reduced, dict)
    return reduced


def _worst_off(witness: Witness | None) -> str:
    if witness is None:
        return ""
    return str(witness.group) + (f": {witness.value}" if witness.value is not None else "")


def plain(thing: object) -> JsonValue:  # noqa: PLR0911 - one line per kind of thing
    """Reduce anything a witness may hold to plain data; numbers that JSON cannot hold become text.

    >>> plain(Witness(GroupName(2, (("sex", None),)), "Flu"))
    {'group': {'number': 2, 'says': {'sex': None}}, 'value': 'Flu'}
    >>> plain((Fraction(2, 3), math.inf, frozenset({"b", "a"})))
    ['2/3', 'inf', ['a', 'b']]
    """
    if thing is None or isinstance(thing, bool | str):
        return thing
    if isinstance(thing, int | np.integer):
        return int(thing)
    if isinstance(thing, float | np.floating):
        return float(thing) if math.isfinite(thing) else str(float(thing))
    if isinstance(thing, GroupName):
        return {"number": thing.number, "says": dict(thing.says)}
    if isinstance(thing, Mapping):
        return {_key(name): plain(each) for name, each in thing.items()}
    if isinstance(thing, AbstractSet):
        return sorted((plain(each) for each in thing), key=str)
    if isinstance(thing, Sequence | np.ndarray):
        return [plain(each) for each in thing]
    if dataclasses.is_dataclass(thing) and type(thing).__str__ is object.__str__:
        return {each.name: plain(getattr(thing, each.name)) for each in dataclasses.fields(thing)}
    return str(thing)


def _key(name: object) -> str:
    return shown(name) if name is None or isinstance(name, str) else str(plain(name))
