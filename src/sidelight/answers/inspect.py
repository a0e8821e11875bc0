"""Which columns identify people, and what is each?  From a file to a policy to start from.

Below: does a column look like one of the 18 identifiers of the HIPAA safe harbour?
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from pydantic import Field, JsonValue

import sidelight as sl
from sidelight.answers.hierarchies import number_notes
from sidelight.answers.recipe import Name, write_call, write_python, write_table
from sidelight.documents.document import DocumentPart, number, plain
from sidelight.engines.files import files_of
from sidelight.engines.read import table_from
from sidelight.engines.read_stream import distinct_rows
from sidelight.errors import BadHierarchy, BadPolicy, BadTable, listed
from sidelight.intake.hierarchy_drafts import Draft, DraftRules, drafts, people_by_label
from sidelight.intake.presets import (
    HIPAA_NOTES,
    Preset,
    draft_of_preset,
    draft_policy,
    drafted_text,
    is_check_of_columns,
    read_preset,
)
from sidelight.intake.roles import Role, suggestions_for
from sidelight.intake.safe_harbour import SafeHarbour, check_columns
from sidelight.measures.column_subsets.identifying_columns import people_alone, worst_columns
from sidelight.policy.policy_file import read_policy_text
from sidelight.progress import Progress, quiet
from sidelight.report.answer import Answer, Live
from sidelight.report.page import Block, Blocks, Code, Grid, PageSection, Paragraph, Points
from sidelight.report.plots import Drawing
from sidelight.report.report import notes_section
from sidelight.rounding import fraction_in, short_decimal
from sidelight.table.hierarchy_io import hierarchy_file, writable_text
from sidelight.table.labels import ColumnKind
from sidelight.table.roles import Roles, is_age
from sidelight.table.table import Counts
from sidelight.text import counted, form

ROLES: Mapping[Role, str] = {
    "person": "Whose row it is (person)",
    "quasi": "Known to others, who can look people up by it (quasi)",
    "sensitive": "Told in confidence, and not to be found out (sensitive)",
    "keep": "Published as it is, and judged by nothing (keep, weight)",
    "leave out": "Left out, and not published",
}
"""What each role is to somebody who has never heard of it."""


@dataclass(frozen=True, slots=True)
class InspectRequest:
    """Which file, what is known of its columns, which sets of them are gone through, and where drafts go."""

    file: str
    roles: Roles
    up_to: int = 3
    alone: str = "0.05"  # which share of the people is unique on the sets that are told
    preset: str | None = None  # whose limits the drafted policy sets, or a check of columns
    population: str | None = None  # by which the check of columns counts people
    residents: str | None = None
    policy: Path | None = None  # the file that some of the roles were read from
    write: Path | None = None  # where a policy is drafted
    hierarchies: Path | None = None  # the folder in which hierarchies are drafted

    def __post_init__(self) -> None:
        if self.is_check:
            if self.write is not None or self.hierarchies is not None:
                message = f"the preset '{self.preset}' drafts nothing; leave --write and --hierarchies out"
                raise BadPolicy(message)
        elif self.population is not None or self.residents is not None:
            message = (
                "--population and --residents are for --preset 'HIPAA safe harbour' here; leave them out, or add that"
            )
            raise BadPolicy(message)

    @property
    def is_check(self) -> bool:
        """Whether columns are checked for the identifiers of a rule, and nothing else is asked."""
        return self.preset is not None and is_check_of_columns(self.preset)

    @property
    def share(self) -> Fraction:
        """The share of the people who are unique on the sets that are told."""
        share = fraction_in(self.alone)
        if share is None or not 0 < share <= 1:
            message = (
                f"--alone is '{self.alone}'; give a share of the people, above 0 and at most 1, such as 0.05 or 1/20"
            )
            raise BadTable(message)
        return share

    def files(self) -> tuple[Path, ...]:
        """Return the files that are read."""
        population = files_of(self.population) if self.population else ()
        return (*files_of(self.file), *population, *([] if self.policy is None else [self.policy]))

    def python(self) -> str:
        """Write the lines of Python that come to the same."""
        if self.is_check:
            return ""
        if not self.roles.quasi:
            return write_python(f"print({write_call('sl.suggest_roles', self.file)})")
        return write_python(
            f"table = {write_table(self.file, self.roles)}",
            f"which = {write_call('sl.identifying_columns', Name('table'), up_to=self.up_to)}",
            "print(which.table())",
        )

    def next_commands(self) -> tuple[str, ...]:
        """Advise what works as it stands: how bad the file is, a release that keeps most, what others would keep."""
        file, policy = shlex.quote(self.file), shlex.quote(str(self.write or "policy.toml"))
        folder = f" --hierarchies {shlex.quote(str(self.hierarchies))}" if self.hierarchies is not None else ""
        within = f"{file} --policy {policy}"
        return (
            f"sidelight audit {within}",
            f"sidelight protect {within}{folder} --method mondrian --private-hierarchies --output release.csv",
            f"sidelight compare {within}{folder}",
        )


@dataclass(frozen=True, slots=True)
class Inspected:
    """What the columns seem to be, and which identify; the last three only where some column is known to others."""

    suggested: sl.SuggestedRoles
    preset: Preset | None = None  # whose limits are drafted
    table: sl.Table | None = None
    identifying: sl.IdentifyingColumns | None = None
    drafted: Mapping[str, Draft] | None = None


class InspectedColumn(DocumentPart):
    """What a column seems to be, and why."""

    column: str
    role: Role
    stated: bool
    reason: str
    kind: ColumnKind
    labels: int
    labels_in_one_row: int
    rows_without: int
    hierarchy: str | None = Field(description="how its drafted hierarchy makes labels coarser")


class ExactShare(DocumentPart):
    """A share of people, exactly, and as a float rounded up."""

    exact: str
    number: float | None


class WorstColumn(DocumentPart):
    """How many fewer people are unique where a column is left out."""

    column: str
    fewer_alone_without: int


class InspectedSet(DocumentPart):
    """How well some columns together identify people, and what they tell of the sensitive one."""

    columns: tuple[str, ...]
    groups: int
    alone: int
    smallest_group: int
    distinction: ExactShare | None
    separation: ExactShare | None
    inference: ExactShare | None


class Inspection(DocumentPart):
    """What the columns seem to be, and which drafts were written."""

    columns: tuple[InspectedColumn, ...]
    roles: dict[str, JsonValue]
    written: tuple[str, ...]


class IdentifyingInspection(Inspection):
    """The same where some columns are known to others: which sets of them identify people."""

    people: int
    alone: int
    worst_columns: tuple[WorstColumn, ...]
    up_to: int
    share: str
    smallest_sets: tuple[tuple[str, ...], ...]
    secret: str | None
    guessed_without_columns: ExactShare | None
    sets: tuple[InspectedSet, ...]


class InspectAnswer(Answer[IdentifyingInspection | Inspection]):
    """What the columns seem to be, and which identify people."""

    question: ClassVar[str] = "Which columns identify people?"

    request: Live[InspectRequest]
    inspected: Live[Inspected]
    drafts: Live[Mapping[Path, str]]  # the files that were asked for

    def charts(self) -> Iterator[Drawing]:
        """Yield how many people sets of columns identify."""
        if self.inspected.identifying is not None:
            yield self.inspected.identifying.plot()

    def blocks(self) -> Blocks:
        """Yield what each column is, who is found by which, notes, and what to do next."""
        inspected, request = self.inspected, self.request
        drafted = inspected.drafted or {}
        for role, title in ROLES.items():
            lines = [
                _describe_column(each, drafted.get(each.column))
                for each in inspected.suggested.columns
                if each.role == role
            ]
            if lines:
                yield PageSection(title, (Points(tuple(lines)),))
        if inspected.identifying is not None and inspected.table is not None:
            sentences = _find_people(inspected.identifying, inspected.table, request.share)
            yield PageSection("Who is found", (Points(tuple(sentences)),))
            yield from _sets_grid(inspected.identifying)
        yield from notes_section(f"{note}." for note in self.notes)
        if self.drafts:
            yield Code(f"Written: {', '.join(map(str, self.drafts))}")
        if request.write is not None:
            yield Paragraph("Read and change it, then:")
            yield from (Code(f"  {command}") for command in request.next_commands())
        elif inspected.table is not None:
            secret = () if inspected.suggested.roles.sensitive else ("--sensitive", "COLUMN")
            more = (*secret, "--write", "policy.toml", "--hierarchies", "hierarchies")
            yield Paragraph("To draft a policy and hierarchies to start from, add to the command:")
            yield Code(f"  {shlex.join(more)}")


def ask(request: InspectRequest, progress: Progress = quiet) -> InspectAnswer:
    """Suggest what columns are, go through sets of them, and draft the files that were asked for."""
    preset = None if request.preset is None else read_preset(request.preset)
    inspected = _inspect(request, preset, progress)
    policy = {} if request.write is None else {request.write: _draft_policy(request, inspected)}
    contents = dict(_draft_hierarchies(request, inspected)) | policy
    return InspectAnswer(
        kind="columns",
        schema_version=1,
        source=request.file,
        answer=_describe(request, inspected, tuple(map(str, contents))),
        notes=tuple(_notes(inspected)),
        request=request,
        inspected=inspected,
        drafts=contents,
    )


def _inspect(request: InspectRequest, preset: Preset | None, progress: Progress) -> Inspected:
    _ = request.share  # refused before anything is read
    suggested = suggestions_for(request.file, request.roles, progress)
    roles = suggested.roles
    if not roles.quasi:
        return Inspected(suggested, preset)
    table = _read_table(request.file, roles)
    identifying = sl.identifying_columns(table, request.up_to, progress=progress)
    kinds = {name: roles.kind_of(name) for name, _ in roles.kinds}
    rules = DraftRules(kinds=kinds, people=people_by_label(table.quasi, table.sizes))
    drafted = drafts({column.name: column.labels for column in table.quasi}, rules)
    return Inspected(suggested, preset, table, identifying, drafted)


def _read_table(file: str, roles: Roles) -> sl.Table:
    """Read the table; where nothing is sensitive, with nothing that could be guessed."""
    if roles.sensitive is not None:
        return table_from(file, roles)
    person = roles.person_column
    quasi, sizes = distinct_rows(
        file,
        roles.quasi,
        person=person,
        several_rows=person is not None,
        missing_marks=roles.missing_marks,
        encoding=roles.encoding,
        sheet=roles.sheet,
    )
    nothing = Counts.from_entries(np.arange(len(sizes)), np.zeros(len(sizes), np.int64), sizes, (len(sizes), 1))
    return sl.Table(quasi, "", ("",), sizes, nothing, "set")


# Drafts


def _draft_policy(request: InspectRequest, inspected: Inspected) -> str:
    """Draft the policy, and read it back as whoever uses it will."""
    roles = inspected.suggested.roles
    if inspected.table is None or roles.sensitive is None:
        message = _why_no_draft(inspected.suggested)
        raise BadPolicy(message)
    preset = inspected.preset
    draft = draft_policy(inspected.table) if preset is None else draft_of_preset(preset, inspected.table)
    heading = (
        f"Drafted by sidelight columns {shlex.quote(request.file)}: rules of thumb, to be read and changed first.",
        "What no program can know is marked DECIDE. Then:",
        *(f"  {command}" for command in request.next_commands()),
    )
    text = drafted_text(draft, inspected.suggested, heading=heading)
    again = read_policy_text(text)
    assert str(again.policy) == str(draft.policy)
    assert again.roles.stated() == roles.stated()
    return text


def _why_no_draft(suggested: sl.SuggestedRoles) -> str:
    """Return what nobody could tell, and what would help."""
    roles = suggested.roles
    if suggested.differing and not roles.quasi:
        columns = listed(suggested.differing)
        return (
            f"no policy can be drafted: rows with one {roles.person_column} differ in all that others know, {columns}; "
            "mend them, or keep one row per person; --person 'each row' protects rows, and not people"
        )
    unnamed = {"--quasi": "that others know", "--sensitive": "that nobody should find out"}
    present = {"--quasi": bool(roles.quasi), "--sensitive": roles.sensitive is not None}
    lacking = [option for option, is_there in present.items() if not is_there]
    what = " and none ".join(unnamed[option] for option in lacking)
    names = listed([each.column for each in suggested.columns])
    return f"no policy can be drafted: could not tell a column {what}; name it with {' and '.join(lacking)}, of {names}"


def _draft_hierarchies(request: InspectRequest, inspected: Inspected) -> Iterator[tuple[Path, str]]:
    if request.hierarchies is None:
        return
    if not inspected.drafted:
        message = "no hierarchy can be drafted: no column looks as if others knew it; name some with --quasi"
        raise BadHierarchy(message)
    for name, draft in inspected.drafted.items():
        yield request.hierarchies / hierarchy_file(name), writable_text(draft.hierarchy)


# The answer as data


def _notes(inspected: Inspected) -> Iterator[str]:
    ages = [each.column for each in inspected.suggested.columns if is_age(each.column)]
    kinds = {**dict(inspected.suggested.roles.kinds), **dict.fromkeys(ages)}
    yield "roles and drafts are rules of thumb: read and change them before you rely on them"
    yield from inspected.suggested.notes
    yield from number_notes(inspected.drafted or {}, kinds)
    yield from () if inspected.preset is None else inspected.preset.notes


def _describe(request: InspectRequest, inspected: Inspected, written: tuple[str, ...]) -> Inspection:
    drafted = inspected.drafted or {}
    facts: dict[str, Any] = {
        "columns": tuple(
            InspectedColumn(
                column=each.column,
                role=each.role,
                stated=each.stated,
                reason=each.reason,
                kind=each.kind,
                labels=each.profile.distinct,
                labels_in_one_row=each.profile.once,
                rows_without=each.profile.missing,
                hierarchy=drafted[each.column].rule if each.column in drafted else None,
            )
            for each in inspected.suggested.columns
        ),
        "roles": {name: plain(value) for name, value in inspected.suggested.roles.stated().items()},
        "written": written,
    }
    which, table = inspected.identifying, inspected.table
    if which is None or table is None:
        return Inspection(**facts)
    return IdentifyingInspection(
        **facts,
        people=which.people,
        alone=people_alone(table.sizes),
        worst_columns=tuple(
            WorstColumn(column=each.column, fewer_alone_without=each.fewer)
            for each in worst_columns(table.quasi, table.sizes)
        ),
        up_to=which.up_to,
        share=str(request.share),
        smallest_sets=tuple(each.columns for each in which.smallest(request.share)),
        secret=which.secret,
        guessed_without_columns=_share(which.prior),
        sets=tuple(
            InspectedSet(
                columns=each.columns,
                groups=each.groups,
                alone=each.unique,
                smallest_group=each.smallest,
                distinction=_share(each.distinction),
                separation=_share(each.separation),
                inference=_share(each.inference),
            )
            for each in which.subsets
        ),
    )


def _share(share: Fraction | None) -> ExactShare | None:
    if share is None:
        return None
    risk = number(share, large_is_bad=True)
    return ExactShare(exact=risk.exact, number=risk.number)


# The answer for people


def _describe_column(each: sl.SuggestedRole, draft: Draft | None) -> str:
    labels = (
        counted(each.profile.distinct, "label")
        if each.kind == "category"
        else f"{each.profile.distinct:,} {each.kind}s"
    )
    gaps = f", {counted(each.profile.missing, 'row')} without" if each.profile.missing else ""
    coarser = f" Coarser: {draft.rule}." if draft is not None else ""
    return f"{each.column or '(no name)'} ({labels}{gaps}): {each.reason}.{coarser}"


def _find_people(which: sl.IdentifyingColumns, table: sl.Table, share: Fraction) -> Iterator[str]:
    """Yield whom an attacker finds who knows all columns, which of them are worst, and which few do it too."""
    everything = f"Who knows {listed(which.columns)} of somebody"
    alone = people_alone(table.sizes)
    yield f"{everything} finds {alone:,} of {counted(which.people, 'person')} alone: nobody else looks like them."
    for each in worst_columns(table.quasi, table.sizes):
        yield f"Without {each.column}, {each.fewer:,} fewer would stand alone."
    minimal = which.smallest(share)
    words = f"{short_decimal(share)} of the people, or more, stand alone"
    if not minimal:
        yield f"On no {counted(which.up_to, 'column')} or fewer: {words}."
        return
    sets = "; ".join(f"{listed(each.columns)} ({each.unique:,})" for each in minimal[:8])
    left = len(minimal) - 8
    more = f"; and {left:,} more {form('set', left)}" if left > 0 else ""
    yield f"Fewest columns on which {words}: {sets}{more}."


def _sets_grid(which: sl.IdentifyingColumns) -> Iterator[Block]:
    """Show the three sets on which most people are unique, of each number of columns."""
    secret = [f"guesses\n{which.secret}"] if which.prior is not None else []
    rows: list[tuple[str, ...]] = []
    if which.prior is not None:
        rows.append(("nothing", "1", "", "", short_decimal(which.prior)))
    for size in range(1, which.up_to + 1):
        those = [each for each in which.subsets if len(each.columns) == size]
        for each in sorted(those, key=lambda each: (-each.unique, -each.groups))[:3]:
            shares = (each.distinction, *([each.inference] if each.inference is not None else []))
            rows.append((", ".join(each.columns), f"{each.groups:,}", f"{each.unique:,}", *map(short_decimal, shares)))
    yield Grid(
        ("who knows", "groups", "stand alone", "distinction", *secret),
        tuple(rows),
        title=f"Sets of up to {which.up_to}: those that identify most",
        figures=frozenset(range(1, 5)),
    )
    yield Paragraph(
        "A group is people who look alike to somebody who knows these columns. Distinction is the share of people "
        "whom such a person names rightly, guessing within each group. --json has every set."
    )


# The identifiers of the safe harbour


class SafeHarbourFacts(DocumentPart):
    """Which columns look like an identifier."""

    found: bool
    columns: Any
    look_like_none: list[str]


class SafeHarbourAnswer(Answer[SafeHarbourFacts]):
    """Which of the identifiers of the safe harbour a file seems to have; nothing is ever within policy by this."""

    question: ClassVar[str] = "Which of the identifiers of the safe harbour does this file have?"

    check: Live[SafeHarbour]

    def blocks(self) -> Blocks:
        """Yield the columns, notes and the conclusion."""
        check = self.check
        for answer, title in (("found", "Look like an identifier"), ("could not tell", "May be one: could not tell")):
            lines = [
                f"{each.column or '(no name)'}: {each.reason}." for each in check.suspects if each.answer == answer
            ]
            if lines:
                yield PageSection(title, (Points(tuple(lines)),))
        if check.others:
            text = f"{counted(len(check.others), 'column')} look like none, which proves nothing."
            yield PageSection("", (Paragraph(text),))
        yield from notes_section(f"{note}." for note in HIPAA_NOTES)
        yield Paragraph(f"{str(check)[0].upper()}{str(check)[1:]}.")


def check_safe_harbour(request: InspectRequest) -> SafeHarbourAnswer:
    """Look for columns that look like an identifier."""
    check = check_columns(request.file, request.roles, population=request.population, residents=request.residents)
    facts = SafeHarbourFacts(
        found=check.answer == "found", columns=plain(check.suspects), look_like_none=list(check.others)
    )
    return SafeHarbourAnswer(
        kind="safe harbour",
        schema_version=1,
        source=request.file,
        answer=facts,
        notes=HIPAA_NOTES,
        check=check,
    )
