"""`sidelight audit`: what does this file reveal, and is it within the policy?"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console, RenderableType

from sidelight.commands.reading import inputs_of, read
from sidelight.commands.running import Status
from sidelight.commands.writing import write_whole
from sidelight.measures.measure import Measure
from sidelight.measures.together import findings as together
from sidelight.policy.limit_text import read_limit, read_measure
from sidelight.policy.policy import Policy, different
from sidelight.policy.policy_file import Roles, read_policy_file
from sidelight.publishing.placing import refuse_existing, refuse_input
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
    files: tuple[Path, ...] = ()  # where it was read from


@dataclass(frozen=True, slots=True)
class Output:
    """Where the answer goes."""

    as_json: bool = False
    file: Path | None = None
    force: bool = False
    inputs: tuple[Path, ...] = ()  # what is read besides the published files, such as the policy

    def refuse(self, *published: str) -> None:
        """Refuse, before any work is done, a place that cannot be written or that something is read from."""
        if self.file is not None:
            refuse_input(self.file, (*self.inputs, *(each for file in published for each in inputs_of(file))))
            refuse_existing(self.file, force=self.force)

    def tell(self, text: str, parts: Iterable[RenderableType]) -> None:
        """Print an answer, as JSON (`text`) or for people (`parts`), and write the JSON to a file if asked."""
        if self.file is not None:
            write_whole(self.file, text, force=self.force)
        if self.as_json:
            sys.stdout.write(text)
            return
        console = Console(highlight=False)
        for part in parts:
            console.print(part)
        if self.file is not None:
            console.print(f"Written to {self.file}", markup=False)


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
