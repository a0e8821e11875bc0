"""Limits and attackers as they are typed into a page: parsed, tuned and measured one at a time.

A limit on the command line may name a file: a population, a hierarchy of values.  One on a page may name only those
that the command named when the page was started: no path that a browser sends is opened.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args, get_origin

from sidelight.answers.recipe import write_typed
from sidelight.documents.document import DocumentPart
from sidelight.errors import BadPolicy, SidelightError
from sidelight.measures.about import About, ask_each_column
from sidelight.measures.criterion import Bound, Comparison, Criterion
from sidelight.policy.limits import (
    BOUNDS,
    Limit,
    Number,
    TrueOrFalse,
    Whole,
    Word,
    limit_model,
    read_limit_section,
    right_bounds,
    settings_of,
    validate_section,
)
from sidelight.policy.measure_names import measure_named
from sidelight.policy.policy import Policy
from sidelight.progress import Progress, quiet
from sidelight.report.report import AuditFinding, audit_report
from sidelight.report.report import conclude as conclude_findings
from sidelight.text import counted, form

if TYPE_CHECKING:
    from sidelight.measures.measure import Measure
    from sidelight.release.population import Population
    from sidelight.release.release import Release
    from sidelight.table.labels import Label

NAMES_FILES = ("hierarchy", "population")
"""The settings whose text is the name of a file."""


@dataclass(frozen=True, slots=True)
class Tunable:
    """A limit, or an attacker without one, with the form fields that tune it."""

    text: str
    attacker: Criterion | Measure
    comparison: str
    bound: str
    comparisons: tuple[str, ...]
    fields: tuple[dict[str, object], ...]

    @property
    def measure(self) -> Measure:
        """The measure."""
        return self.attacker.measure if isinstance(self.attacker, Criterion) else self.attacker

    @property
    def question(self) -> str:
        """The sentence that describes the measure."""
        measure = self.measure.question if isinstance(self.measure, About) else self.measure
        return (type(measure).__doc__ or "").partition("\n")[0].replace("`", "")


def read_typed(text: str, populations: Mapping[str, Population]) -> Criterion | Measure:
    """Parse a limit, or a measure without one, that was typed into a page."""
    return _build_limit(read_limit_section(text), populations)


def read_tunable(text: str, populations: Mapping[str, Population], domain: tuple[Label, ...] = ()) -> Tunable:
    """Parse a limit together with the fields that tune it; `domain` has the values that it may name."""
    section = read_limit_section(text)
    attacker, comparisons = _build_limit(section, populations), right_bounds(section.measure_kind)
    bound = attacker.bound if isinstance(attacker, Criterion) else None
    return Tunable(
        text=write_typed(attacker),
        attacker=attacker,
        comparison=section.comparisons[0].value if section.comparisons else comparisons[-1],
        bound="" if bound is None else str(bound),
        comparisons=comparisons,
        fields=tuple(_fields(section, domain)),
    )


def tune_limit(text: str, changes: Mapping[str, str], populations: Mapping[str, Population]) -> str:
    """Return a limit with changed settings; an empty text removes a setting, or the bound.

    >>> tune_limit("implications(k=2) < 2/3", {"k": "3", "bound": "0.5"}, {})
    'implications(k=3) < 0.5'
    >>> tune_limit("group size >= 5", {"bound": ""}, {})
    'group size'
    """
    section = read_limit_section(text)
    kind = section.measure_kind
    table: dict[str, object] = {name: getattr(section, name) for name in section.model_fields_set}
    known = {*settings_of(kind), "of"}
    for name, change in changes.items():
        if name in known:
            table[name] = Word(change.strip())
            if not change.strip():
                del table[name]
    if "bound" in changes:
        right = right_bounds(kind)
        before = next((name for name in BOUNDS if table.get(name) is not None), right[-1])
        chosen = changes.get("comparison", before)
        table = {name: value for name, value in table.items() if name not in BOUNDS}
        if changes["bound"].strip():
            table[chosen if chosen in right else before] = Word(changes["bound"].strip())
    changed = validate_section(limit_model(kind), table, f"'{kind.name}'")
    return write_typed(_build_limit(changed, populations))


def complete_limit(text: str, domain: tuple[Label, ...], populations: Mapping[str, Population]) -> str:
    """Return the limit to add: the one that was typed, or an example of a measure of which only the name was."""
    try:
        return write_typed(read_typed(text, populations))
    except BadPolicy:
        if "(" in text or any(sign in text for each in Comparison for sign in (each.sign, each.typed_sign)):
            raise
        kind = measure_named(text.strip().replace("_", " ").casefold())
        examples = kind.examples(domain)
        if not examples:
            raise
        return write_typed(examples[0])


def _build_limit(section: Limit, populations: Mapping[str, Population]) -> Criterion | Measure:
    """Build the criterion or measure, with populations read as the command specified; refuse names of other files."""
    for name in section.model_fields_set:
        setting = getattr(section, name)
        names_file = (name in NAMES_FILES and isinstance(setting, str)) or (
            isinstance(setting, Mapping) and any(isinstance(each, str) for each in setting.values())
        )
        if names_file and not (name == "population" and setting in populations):
            raise BadPolicy(
                f"'{name}' names a file, and a page opens none; name it in the policy that the page is started with "
                "(--policy)"
            )
    attacker: Criterion | Measure = section.to_criterion() if section.comparisons else section.to_measure()
    measure = attacker.measure if isinstance(attacker, Criterion) else attacker
    path = "" if measure.register is None else str(measure.register.place)
    if path not in populations:
        return attacker
    compared = measure.compare_with(populations[path])
    if isinstance(attacker, Criterion):
        return Criterion(compared, attacker.comparison, attacker.bound)
    return compared


def _fields(section: Limit, domain: tuple[Label, ...]) -> Iterator[dict[str, object]]:
    """Yield the settings that a form can edit, with the `choices` of a select; empty is none where `optional`."""
    for name, (hint, default) in settings_of(section.measure_kind).items():
        setting = getattr(section, name, None)
        hints = [each for each in (hint, *get_args(hint)) if each is not type(None)]
        literals = [str(one) for each in hints if get_origin(each) is Literal for one in get_args(each)]
        text = "" if setting is None or setting is ... else str(setting)
        is_text, optional = setting is None or isinstance(setting, str), default is None
        kind, choices = "", list[str]()
        if name in NAMES_FILES:
            continue
        if name == "value" and is_text:
            kind, choices, optional = "choice", [str(each) for each in domain if each is not None], True
        elif literals:
            kind, choices = "choice" if is_text else "", literals
        elif Whole in hints and (isinstance(setting, int) or setting is None):
            kind = "whole"
        elif TrueOrFalse in hints:
            kind, choices, text = "choice", ["true", "false"], text.lower()
        elif Number in hints and not isinstance(setting, Mapping | tuple):
            kind = "number"
        if kind:
            words = {"name": name, "label": name.replace("_", " "), "text": text}
            yield {**words, "kind": kind, "choices": choices, "optional": optional}


# What attackers learn.


class AttackerFindings(DocumentPart):
    """What one attacker could learn: a finding per sensitive column, or why it was not computed."""

    text: str
    findings: tuple[AuditFinding, ...] = ()
    problem: str | None = None
    holds: bool | None = None
    measuring: int | None = None  # the number of the job that goes on, or was cancelled


class AttackersAnswer(DocumentPart):
    """What all attackers could learn, and whether that is within the limits."""

    people: int
    groups: int
    sentence: str
    holds: bool | None
    readers: tuple[AttackerFindings, ...]


def measure_attacker(
    release: Release, text: str, populations: Mapping[str, Population], progress: Progress = quiet
) -> AttackerFindings:
    """Measure one limit or attacker; the answer of one that fails has the problem."""
    del progress
    try:
        attacker = read_typed(text, populations)
        if isinstance(attacker, Criterion):
            report = audit_report(release, verdict=Policy(attacker).judge(release))
        else:
            measures = ask_each_column(attacker, release.sensitive_columns, release.domain)
            report = audit_report(release, findings=[each.measure(release) for each in measures])
    except SidelightError as error:
        return AttackerFindings(text=text, problem=str(error))
    findings = report.answer.findings
    holds = None if findings[0].limit is None else all(each.holds for each in findings)
    return AttackerFindings(text=text, findings=findings, holds=holds)


def judge_attackers(release: Release, attackers: tuple[AttackerFindings, ...]) -> AttackersAnswer:
    """Combine the findings of all attackers into one verdict."""
    findings = [finding for each in attackers for finding in each.findings]
    unknown = sum(each.problem is not None for each in attackers)
    asking = sum(each.measuring is not None and each.problem is None for each in attackers)
    judged_limits = [each.holds for each in findings if each.limit is not None]
    holds = False if False in judged_limits else True if judged_limits and not (unknown or asking) else None
    return AttackersAnswer(
        people=release.size,
        groups=len(release),
        sentence=_conclude(release, findings, unknown, asking),
        holds=holds,
        readers=attackers,
    )


def _conclude(release: Release, findings: Sequence[AuditFinding], unknown: int, asking: int) -> str:
    """Return the verdict in one sentence, which never claims more than the limits do."""
    whom = f"{counted(release.size, 'person')} in {counted(len(release), 'group')}"
    conclusion = conclude_findings(findings, whom, numbers=True)
    if conclusion.verdict == "not within":
        pending = unknown + asking
        return (
            f"{conclusion.text} {counted(pending, 'reader')} could not be asked (yet)." if pending else conclusion.text
        )
    if unknown:
        return f"Could not tell, of {whom}: {counted(unknown, 'reader')} could not be asked; the reason stands there."
    if asking:
        return f"Could not tell yet, of {whom}: {counted(asking, 'reader')} {form('is', asking)} being asked."
    return conclusion.text if conclusion.verdict else f"No limit is set: nothing is judged, of {whom}."


def place_finding(finding: AuditFinding, span: tuple[Bound, Bound]) -> dict[str, float | str | None]:
    """Place a number (`at`) and its `limit` on a line from 0 to 100, whose ends are `low` and `high`.

    The line goes from 0 to 1 for a share, else somewhat beyond the larger of the two.
    """
    low, high = float(span[0]), float(span[1])
    bound = None if finding.limit is None else finding.limit.bound.number
    numbers = {"at": finding.result.number, "limit": bound}
    if high == float("inf"):
        high = 1.25 * max([low + 1, *(each for each in numbers.values() if each is not None)])
    width = (high - low) or 1
    positions = {
        name: 100.0 if each is None else round(min(max(100 * (each - low) / width, 0), 100), 2)
        for name, each in numbers.items()
    }
    return positions | {
        "limit": None if finding.limit is None else positions["limit"],
        "low": f"{low:g}",
        "high": f"{high:,.4g}",
    }
