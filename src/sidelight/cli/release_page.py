"""What `audit`, `protect` and `report` say of a release to whoever signs: a report, and how to do it again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import sidelight as sl
from sidelight.cli.inputs import Question
from sidelight.cli.run import command_line
from sidelight.publish.release_report import ReportDetails, circumstances, published_circumstances
from sidelight.publish.sidecar import Sidecar, read_sidecar, sidecar_path
from sidelight.report.release_report import ReleaseReport, RiskBefore, reported
from sidelight.report.report import AuditReport
from sidelight.table.files import files_of


def report_on_audit(
    file: str,
    release: sl.Release,
    audit: AuditReport,
    question: Question,
    *,
    details: ReportDetails | None = None,
    before: RiskBefore | None = None,
) -> ReleaseReport:
    """Tell what an audit found, and what a sidecar beside the file says of how it was made."""
    beside = sidecar_path(Path(file))
    document = read_sidecar(Path(file)) if beside.is_file() else None
    own = details or ReportDetails()
    completed = replace(
        own,
        commands=own.commands or (command_line(),),
        python=own.python or again_in_python(file, audit.answer.roles, document, judged=question.policy is not None),
    )
    if document is not None:
        known = published_circumstances(completed, document, policy=question.policy, before=before)
    else:
        known = circumstances(completed, policy=question.policy, before=before, files=_existing(file))
    return reported(audit.model_copy(update={"source": Path(file).name}), release, known)


def _existing(file: str) -> tuple[Path, ...]:
    """Name the file itself where it is one: standard input has no digest."""
    paths = tuple(files_of(file))
    return tuple(path for path in paths if path.is_file()) if len(paths) == 1 else ()


def again_in_python(file: str, roles: Mapping[str, object], document: Sidecar | None, *, judged: bool) -> str:
    """Write the lines of Python that come to the same document."""
    lines = ["import sidelight as sl", ""]
    if document is not None:
        lines.append(f"release = sl.read_published({file!r})")
    else:
        names = {"quasi": "group"}
        settings = "".join(f", {names.get(name, name)}={value!r}" for name, value in roles.items())
        lines.append(f"release = sl.read_release({file!r}{settings})")
    if judged:
        lines += ['policy = sl.read_policy("policy.toml")  # as it stands below', "verdict = policy.judge(release)"]
        lines.append("report = sl.release_report(release, policy)")
    else:
        lines.append("report = sl.release_report(release)")
    lines.append('open("report.html", "w", encoding="utf-8").write(sl.report_html(report))')
    return "\n".join(lines)


def search_in_python(file: str, result: sl.SearchResult, output: Path | None) -> str:
    """Write the lines of Python that come to the same release."""
    table = result.outcome.recoding.table
    quasi = [column.name for column in table.quasi]
    lines = [
        "import sidelight as sl",
        "",
        f"table = sl.read_table({file!r}, quasi={quasi!r}, sensitive={_one(table.sensitive_columns)!r})",
        'policy = sl.read_policy("policy.toml")  # as it stands below',
        'hierarchies = sl.read_hierarchies("hierarchies/")',
        f"found = sl.protect(table, policy, by=hierarchies, method={result.method.name!r})",
    ]
    if output is not None:
        lines.append(f"found.publish({str(output)!r})")
    return "\n".join([*lines, "report = sl.release_report(found)"])


def _one(names: tuple[str, ...]) -> str | list[str]:
    return names[0] if len(names) == 1 else list(names)
