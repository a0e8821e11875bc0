"""What was published, and how was it made?  Two topics of a report about a release (see `contents`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sidelight.report.page import Block, Blocks, Grid, Paragraph, Points
from sidelight.search.protect import METHODS
from sidelight.text import counted, form

if TYPE_CHECKING:
    from sidelight.report.release_report import ColumnFacts, HowMade, ReleaseReport, RiskBefore


def what_is_published(report: ReleaseReport) -> Blocks:
    """Yield what is in the file: of whom, how each column is printed, and what was left out."""
    answer = report.answer
    facts, making = answer.audit.release, answer.made
    name = report.source or "The release"
    about = f"what should not be found out is {facts.sensitive_in_words()}"
    yield Paragraph(f"{name} tells of {facts.size_in_words()}; {about}.")
    if making is None:
        yield Paragraph("How the file was made is not known: no sidecar of Sidelight stands beside it.", "quiet")
    else:
        yield _describe_making(making)
        yield from _rows_read(making, answer.before)
    rows = tuple(
        (
            each.column,
            each.role,
            each.technique,
            "" if each.labels is None else f"{each.labels:,}",
            ", ".join(_brief(text) for text in each.examples),
        )
        for each in answer.columns
        if each.role != "not published"
    )
    headings = ("column", "role", "what was done to it", "different labels", "for example (labels of many people)")
    yield Grid(headings, rows, figures=frozenset({3}))
    if any("level" in each.technique for each in answer.columns):
        yield Paragraph("Level 0 is the column as it is; the last level prints * for everybody.", "quiet")
    yield from _stands_for(answer.columns)
    yield from _not_published(report)
    notes = [*report.notes, *(making.warnings if making else ())]
    if notes:
        # a note may stand in the document and in the sidecar: once is enough
        yield Points(tuple(dict.fromkeys(notes)))


def _describe_making(making: HowMade) -> Paragraph:
    left = (
        f"{making.suppressed:,} of these people {form('is', making.suppressed)} suppressed"
        if making.suppressed
        else "none of these people is suppressed"
    )
    day = (
        f" It was judged as read back from the disk, and published, on {making.published}." if making.published else ""
    )
    people = counted(making.people_in, "person")
    return Paragraph(f"It was made from a table of {people} by the method “{making.method}”; {left}.{day}")


def _rows_read(making: HowMade, before: RiskBefore | None) -> Iterator[Block]:
    """Yield why more rows were read than there are people, where that is so: it looks like a mistake and is none."""
    if making.rows_in <= making.people_in:
        return
    if before is not None and before.left_out:
        yield Paragraph(f"About the rows of the table: {'; '.join(before.left_out)}.")
    else:
        yield Paragraph(
            f"{counted(making.rows_in, 'row')} of the table were read, more than there are people: rows without a "
            "sensitive value may have been dropped, or people have several rows. The table tells which (--table TABLE)."
        )


MOST_LABELS = 12
"""Of so many labels of a column it is told what they stand for."""


def _stands_for(columns: Sequence[ColumnFacts]) -> Iterator[Block]:
    lines = []
    for each in columns:
        labels = list(each.covers.items())
        lines += [
            f"{each.column} “{label}” stands for {', '.join(values)}."
            for label, values in labels[:MOST_LABELS]
            if values
        ]
        more = len(labels) - MOST_LABELS
        lines += [f"{each.column}: {counted(more, 'more label')}; the sidecar has all."] if more > 0 else []
    if lines:
        yield Points(tuple(lines))


def _not_published(report: ReleaseReport) -> Iterator[Block]:
    """Name the columns of the table that nobody gets, or say that they are not known."""
    if report.answer.before is None:
        if report.answer.made is not None:
            yield Paragraph("Which columns of the table were left out is not told: it was not at hand.", "quiet")
        return
    names = [each.column for each in report.answer.columns if each.role == "not published"]
    if names:
        yield Paragraph(f"Left out, {counted(len(names), 'column')} of the table: {', '.join(names)}.")


def _brief(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:39]}…"


def how_it_was_made(report: ReleaseReport) -> Blocks:
    """Yield the method, and how far its search went."""
    making = report.answer.made
    if making is None:
        yield Paragraph("Not known: no sidecar of Sidelight stands beside the file.")
        return
    if making.method in METHODS:
        yield Paragraph(f"Method “{making.method}”: {METHODS[making.method].description}.")
    if making.checked:
        end = "" if making.complete else " It was stopped before its end: a more useful release may exist."
        yield Paragraph(f"The search looked at {counted(making.checked, 'candidate')}.{end}", "quiet")
    if making.resists:
        yield Paragraph(f"It was made to resist an insider: {making.resists}.")
