"""`sidelight audit`: what does this file reveal, and is it within the policy?"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from sidelight.commands.running import Status
from sidelight.commands.writing import write_whole
from sidelight.errors import BadPolicy
from sidelight.measures.measure import Measure
from sidelight.policy.limit_text import read_limit, read_measure
from sidelight.policy.policy import Policy, different
from sidelight.policy.policy_file import Roles, read_policy_file
from sidelight.publishing.placing import refuse_existing
from sidelight.publishing.reading import read_published
from sidelight.publishing.sidecar import read_sidecar, sidecar_path
from sidelight.release.reading import read_release
from sidelight.release.release import Release
from sidelight.report.document import AuditReport
from sidelight.report.making import audit_report
from sidelight.report.terminal import show

CLASSICS = (
    "group size",
    "distinct values",
    "entropy diversity",
    "recursive diversity",
    "closeness",
    "beta likeness",
    "delta disclosure",
)
"""What is shown when nothing in particular is asked for."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of a file: who is who in it, which limits, and which measures without a limit."""

    roles: Roles
    policy: Policy | None
    measures: tuple[Measure, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Output:
    """Where the answer goes."""

    as_json: bool = False
    file: Path | None = None
    force: bool = False


def audit(file: str, question: Question, output: Output) -> Status:
    """Read, measure, judge, tell."""
    if output.file is not None:
        refuse_existing(output.file, force=output.force)
    release = read(file, question.roles)
    report = judged(release, question, source=file)
    tell(report, output)
    return Status.NOT_WITHIN_POLICY if report.verdict == "not within policy" else Status.WITHIN_POLICY


def asked(
    policy: Path | None, *, limits: Sequence[str] = (), measures: Sequence[str] = (), roles: Roles | None = None
) -> Question:
    """Put the question together from a policy file and options; options have the last word."""
    file = read_policy_file(policy) if policy else None
    criteria = [*(file.policy.criteria if file else ()), *(read_limit(text) for text in limits)]
    return Question(
        roles=(file.roles if file else Roles()).updated(roles or Roles()),
        policy=Policy(*criteria) if criteria else None,
        measures=different(read_measure(text) for text in measures),
        notes=file.notes if file else (),
    )


def read(file: str, roles: Roles, *, keep_people: bool = False) -> Release:
    """Read a published file with these roles; one that has a sidecar, as that says."""
    if not keep_people and sidecar_path(Path(file)).is_file() and _told_by_sidecar(Path(file), roles):
        return read_published(file)
    if roles.quasi is None or roles.sensitive is None:
        message = "which columns? name them with --group and --sensitive, or in [roles] of the policy"
        raise BadPolicy(message)
    return read_release(
        file,
        group=roles.quasi,
        sensitive=roles.sensitive,
        person=roles.person,
        values=roles.values or "single",
        missing=roles.missing or "an error",
        suppressed=roles.suppressed or "a group",
        missing_marks=roles.missing_marks or (),
        domain=roles.domain,
        keep_people=keep_people,
    )


def _told_by_sidecar(file: Path, roles: Roles) -> bool:
    """Whether roles ask for nothing else than the sidecar tells of."""
    document = read_sidecar(file)
    reading = document.reading
    groups = [None, set(reading.group), *([set(document.who.group)] if document.who else [])]
    quasi = None if roles.quasi is None else set(roles.quasi)
    return quasi in groups and roles.sensitive in (None, reading.sensitive)


def judged(release: Release, question: Question, *, source: str) -> AuditReport:
    """Measure and judge; with neither limits nor measures, ask all classic measures that apply."""
    measures = question.measures
    if question.policy is None and not measures:
        classics = map(read_measure, CLASSICS)
        measures = tuple(measure for measure in classics if release.semantics in measure.semantics)
    return audit_report(
        release,
        verdict=None if question.policy is None else question.policy.judge(release),
        findings=[measure.measure(release) for measure in measures],
        source=source,
        roles=question.roles.said(),
        notes=question.notes,
    )


def tell(report: AuditReport, output: Output) -> None:
    """Print the report, as JSON or for people, and write it to a file if asked."""
    if output.file is not None:
        write_whole(output.file, report.to_json(), force=output.force)
    if output.as_json:
        sys.stdout.write(report.to_json())
        return

    console = Console(highlight=False)
    with console.capture() as drawn:
        show(report, console)
        if output.file is not None:
            console.print(f"Report written to {output.file}", markup=False, soft_wrap=True)
    sys.stdout.write(drawn.get())
