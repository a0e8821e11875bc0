"""`sidelight audit`: what does this file reveal, and is it within the policy?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sidelight.cli.inputs import read
from sidelight.cli.output import Output
from sidelight.cli.run import Status
from sidelight.measures.measure import Measure
from sidelight.measures.measure import findings as together
from sidelight.policy.limit_text import read_limit, read_measure
from sidelight.policy.policy import Policy, different
from sidelight.policy.policy_file import read_policy_file
from sidelight.release.release import Release
from sidelight.report.report import AuditReport, audit_report
from sidelight.report.terminal import report_parts
from sidelight.table.roles import Roles

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
    files: tuple[Path, ...] = ()  # where it was read from


def audit(file: str, question: Question, output: Output) -> Status:
    """Read, measure, judge, tell."""
    output.refuse(file)
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
        files=(policy,) if policy else (),
    )


def judged(release: Release, question: Question, *, source: str) -> AuditReport:
    """Measure and judge; with neither limits nor measures, ask all classic measures that apply."""
    measures = question.measures
    if question.policy is None and not measures:
        classics = map(read_measure, CLASSICS)
        measures = tuple(measure for measure in classics if release.semantics in measure.semantics)
    return audit_report(
        release,
        verdict=None if question.policy is None else question.policy.judge(release),
        findings=list(together(measures, release)),
        source=source,
        roles=question.roles.stated(),
        notes=question.notes,
    )


def tell(report: AuditReport, output: Output) -> None:
    """Print the report, as JSON or for people, and write it to a file if asked."""
    output.tell(report.to_json(), report_parts(report))
