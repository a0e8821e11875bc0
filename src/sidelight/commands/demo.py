"""`sidelight demo`: the main job on real census data, with files to go on with."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import typer

import sidelight as sl
from sidelight.commands.audit import Output, asked, judged, read, tell
from sidelight.commands.running import Status
from sidelight.commands.writing import write_whole
from sidelight.errors import SidelightError
from sidelight.release.release import Release
from sidelight.report.document import AuditReport

QUASI = ("age", "education", "sex")
LEVELS = {"age": 3, "education": 2}
"""Ages in steps of twenty years, education as school or college: coarse enough for the classic limits."""

POLICY = """\
# What a release of the census table must keep.  Try other numbers, then run:
#   sidelight audit release.csv --policy policy.toml

[roles]
quasi = ["age", "education", "sex"]
sensitive = "occupation"

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
    """Make a release of the bundled census table, judge it, and leave the files for the next try."""
    release, policy, kept = (folder / name for name in ("release.csv", "policy.toml", "report.json"))
    _make(folder)
    adult = sl.datasets.adult(quasi=QUASI)
    write_whole(release, as_csv(sl.generalise(adult.table, by=adult.hierarchies, to=LEVELS)), force=True)
    write_whole(policy, POLICY, force=True)
    question = asked(policy)
    report = judged(read(str(release), question.roles), question, source=str(release))
    typer.echo("The US census of 1994, published with ages in steps of 20 years and school or college.\n")
    tell(report, Output())
    write_whole(kept, report.to_json(), force=True)
    typer.echo(f"\n{moral(report)}\n\nData: {adult.citation}, CC BY 4.0")
    typer.echo(f"Next: sidelight audit {release} --policy {policy}\nWritten: {release}, {policy}, {kept}")
    return Status.WITHIN_POLICY


def moral(report: AuditReport) -> str:
    """Say what the numbers of this release show, whatever they are."""
    kept = ", ".join(answer.measure for answer in report.answers if answer.holds)
    broken = ", ".join(f"{answer.measure} ({answer.found.said})" for answer in report.answers if not answer.holds)
    if not broken or not kept:
        return f"It keeps {kept or 'nothing'} of the policy; it does not keep {broken or 'nothing'}."
    return f"It keeps {kept}.\nIt still falls to someone who knows a little: {broken}."


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"cannot make the folder '{folder}': {error.strerror}; choose another with --folder"
        raise SidelightError(message) from None


def as_csv(release: Release) -> str:
    """Write a release as a table with a row per person, ordered by group and value so that the order says nothing."""
    groups = release.groups
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*(column.name for column in groups.columns), release.sensitive])
    for row, value, count in zip(*(part.tolist() for part in groups.counts.entries()), strict=True):
        line = [*(column.cell(row) for column in groups.columns), groups.domain[value]]
        writer.writerows([line] * count)
    return text.getvalue()
