"""`sidelight demo`: the main job on real census data, with files to go on with."""

from __future__ import annotations

import io
import shlex
import sys
from pathlib import Path
from typing import Any

from rich.console import Console

import sidelight as sl
from sidelight.answers.audit import AuditRequest, ReportRequest, ask, ask_report
from sidelight.answers.protect import ProtectRequest, Publication
from sidelight.answers.sources import Question, open_table, read_question
from sidelight.cli.options import PublishOptions
from sidelight.cli.run import Output, Status
from sidelight.cli.verbs import protect
from sidelight.engines.formats.write import Csv, shuffler
from sidelight.errors import SidelightError
from sidelight.files import sidecar_path, write_whole
from sidelight.publish.publish import sheet_of_people
from sidelight.publish.sidecar import dictionary_path
from sidelight.release.release import Release
from sidelight.report.contents import report_html
from sidelight.report.report import AuditReport
from sidelight.report.terminal import draw_blocks

FOLDER = "sidelight-demo"
"""Where `sidelight demo` writes the files that the commands on the page of the census name."""

LEVELS = {"age": 3, "education": 2}
"""Ages in steps of twenty years, education as school or college: coarse enough for the classic limits."""

FILES = ("census.parquet", "rough.csv", "policy.toml", "release.csv", "report.json", "report.html")
HIERARCHIES = "hierarchies"

POLICY = """\
# What a release of the census table must keep.  Try other numbers, then run:
#   sidelight protect census.parquet --policy policy.toml --hierarchies hierarchies -o release.csv --force

[roles]
quasi = ["age", "education", "sex"]
sensitive = "occupation"
missing = "drop"                # people who have no occupation

# The classic limits: nobody stands alone, and no group says much about its people ...

[[limit]]
measure = "group size"          # k-anonymity
at_least = 10

[[limit]]
measure = "distinct values"     # l-diversity, in its simplest form
at_least = 5

[[limit]]
measure = "entropy diversity"   # l-diversity, in its entropy form
at_least = 3.5

# ... and what they say nothing about: attackers who know a little.

[[limit]]
measure = "implications"        # whoever knows two facts like "if she is in sales, so is her friend"
k = 2
below = "2/3"

[[limit]]
measure = "acquaintance"        # a neighbour: knows one thing it is not, one other person, one of the family
rules_out = 1
others = 1
family = 1
below = "2/3"
"""


def demo(folder: Path) -> Status:
    """Judge a coarse release, find and publish a better one, judge that as it is on the disk, name the files."""
    table, rough, policy, release, *_ = (folder / name for name in FILES)
    try:
        (folder / HIERARCHIES).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"cannot make the folder '{folder}': {error.strerror}; choose another with --folder"
        raise SidelightError(message) from None
    adult = sl.datasets.adult()
    write_whole(table, adult.path.read_bytes(), force=True)
    if not policy.exists():
        write_whole(policy, POLICY)
    elif policy.read_bytes() != POLICY.encode():  # somebody may have tried other numbers in it
        _print_line(f"{policy} was changed, and is used as it is; delete it to begin again.\n")
    question = read_question(policy)
    quasi = question.roles.quasi or ()
    for name in quasi:
        if name in adult.hierarchies:
            sl.write_hierarchy(adult.hierarchies[name], folder / HIERARCHIES / f"{name}.csv")

    _print_line("1. The US census of 1994, published with ages in steps of 20 years and school or college.\n")
    to = {name: LEVELS[name] for name in quasi if name in LEVELS}
    coarse = sl.generalise(
        open_table(str(table), question.roles),
        by=adult.hierarchies,
        to=to,
    )
    write_whole(rough, as_csv(coarse), force=True)
    request = AuditRequest(str(rough), question)
    report = ask(request)
    Output().deliver(report, request)
    _print_line(f"\n{moral(report)}\n")

    _print_line(f"2. {_protect_command(folder)}\n")
    status = protect(
        ProtectRequest(str(table), question, folder / HIERARCHIES, publication=Publication(path=release, force=True)),
        PublishOptions(output=release, force=True),
    )
    if status != Status.WITHIN_POLICY:
        return status

    _print_line(f"\n3. sidelight audit {release} --policy {policy}\n")
    _judge_published(folder, question)
    _print_line(f"\nData: {adult.citation}, CC BY 4.0")
    beside = (sidecar_path(release).name, dictionary_path(release).name, HIERARCHIES)
    _print_line(f"Written to {folder}: {', '.join((*FILES, *beside))}")
    _print_line(f"For whoever signs, open in a browser: {folder / FILES[-1]}")
    return Status.WITHIN_POLICY


def _judge_published(folder: Path, question: Question) -> None:
    """Judge the release as it is on the disk, and write the reports: one for programs, one for whoever signs."""
    table, _, policy, release, kept, page = (str(folder / name) for name in FILES)
    write_whole(Path(kept), ask(AuditRequest(release, question)).to_json(), force=True)
    command = shlex.join(("sidelight", "report", release, "--policy", policy, "--table", table, "--html", page))
    unsigned = {"outline": None, "date": None, "signed_by": "", "role": "", "decision": None, "reasons": ""}
    told: dict[str, Any] = {"table": table, "attack": (), "commands": (_protect_command(folder), command), **unsigned}
    signed = ask_report(ReportRequest(release, question, None, **told))
    write_whole(Path(page), report_html(signed), force=True)
    for part in draw_blocks(signed.blocks()):
        Console(highlight=False).print(part)


def _protect_command(folder: Path) -> str:
    table, _, policy, release, *_ = (str(folder / name) for name in FILES)
    return shlex.join(
        ("sidelight", "protect", table, "--policy", policy, "--hierarchies", str(folder / HIERARCHIES), "-o", release)
    )


def _print_line(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def moral(report: AuditReport) -> str:
    """Return what the numbers of this release show, whatever they are."""
    kept = ", ".join(answer.measure for answer in report.answer.findings if answer.holds)
    broken = ", ".join(
        f"{answer.measure} ({answer.result.text})" for answer in report.answer.findings if not answer.holds
    )
    if not broken or not kept:
        return f"It keeps {kept or 'nothing'} of the policy; it does not keep {broken or 'nothing'}."
    return f"It keeps {kept}.\nIt still falls to someone who knows a little: {broken}."


def as_csv(release: Release) -> bytes:
    """Write a release as a table with a row per person."""
    text = io.BytesIO()
    Csv().write(sheet_of_people(release, shuffler()), text)
    return text.getvalue()
