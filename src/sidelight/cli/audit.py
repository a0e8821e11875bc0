"""`sidelight audit`: what does this file reveal, and is it within the policy?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sidelight.cli.inputs import open_release
from sidelight.cli.output import Output
from sidelight.cli.run import Status
from sidelight.measures.measure import Measure
from sidelight.measures.measure import findings as measure_all
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
"""What is shown when no measure in particular is named."""


@dataclass(frozen=True, slots=True)
class AuditRequest:
    """What is asked of a file: who is who in it, which limits, and which measures without a limit."""

    roles: Roles
    policy: Policy | None
    measures: tuple[Measure, ...]
    notes: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()  # where it was read from


def audit(file: str, question: AuditRequest, output: Output) -> Status:
    """Read, measure, judge, print."""
    output.refuse(file)
    release = open_release(file, question.roles)
    report = judge(release, question, source=file)
    print_report(report, output)
    return Status.NOT_WITHIN_POLICY if report.verdict == "not within policy" else Status.WITHIN_POLICY


def request(
    policy: Path | None, *, limits: Sequence[str] = (), measures: Sequence[str] = (), roles: Roles | None = None
) -> AuditRequest:
    """Put the question together from a policy file and options; options have the last word."""
    file = read_policy_file(policy) if policy else None
    criteria = [*(file.policy.criteria if file else ()), *(read_limit(text) for text in limits)]
    return AuditRequest(
        roles=(file.roles if file else Roles()).updated(roles or Roles()),
        policy=Policy(*criteria) if criteria else None,
        measures=different(read_measure(text) for text in measures),
        notes=file.notes if file else (),
        files=(policy,) if policy else (),
    )


def judge(release: Release, question: AuditRequest, *, source: str) -> AuditReport:
    """Measure and judge; with neither limits nor measures, ask all classic measures that apply."""
    measures = question.measures
    if question.policy is None and not measures:
        classics = map(read_measure, CLASSICS)
        measures = tuple(measure for measure in classics if release.semantics in measure.semantics)
    return audit_report(
        release,
        verdict=None if question.policy is None else question.policy.judge(release),
        findings=list(measure_all(measures, release)),
        source=source,
        roles=question.roles.stated(),
        notes=question.notes,
    )


def print_report(report: AuditReport, output: Output) -> None:
    """Print the report, as JSON or for people, and write it to a file if asked."""
    output.write(report.to_json(), report_parts(report))
