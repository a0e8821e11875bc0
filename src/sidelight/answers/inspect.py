"""Which columns identify people, and what is each?  Also drafts of a policy and of hierarchies.

With the HIPAA preset: does a column look like one of the 18 identifiers of its safe harbour?  The last section is what
a page shows of the columns.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeAlias

import numpy as np
from pydantic import BeforeValidator, ConfigDict, Field, JsonValue

import sidelight as sl
from sidelight.answers.questions import HierarchiesRequest, InspectRequest
from sidelight.answers.recipe import FileRecipe, Name, write_call, write_python, write_table
from sidelight.documents.document import DocumentPart, number, plain
from sidelight.engines.files import columns_of, nearest_column
from sidelight.engines.read import distinct_rows, table_from
from sidelight.errors import BadHierarchy, BadPolicy, BadTable, UnknownColumn, listed
from sidelight.intake.hierarchy_drafts import NUMBERS, Draft, DraftRules, drafts, people_by_label, read_tree
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
from sidelight.report.answer import Answer, FlatAnswer, Live, Recipe
from sidelight.report.page import Block, Blocks, Code, Grid, PageSection, Paragraph, Points
from sidelight.report.report import notes_section
from sidelight.rounding import short_decimal
from sidelight.table.cell_lists import split_cell
from sidelight.table.hierarchy_io import hierarchy_file, writable_text
from sidelight.table.labels import Column, ColumnKind, Label, as_number, in_order
from sidelight.table.labels import listed as listed_labels
from sidelight.table.roles import Roles, is_age
from sidelight.table.table import Counts
from sidelight.text import counted, form, fraction_in, shell

if TYPE_CHECKING:
    from sidelight.progress import Progress
    from sidelight.report.plots import Drawing


def checks_columns(request: InspectRequest) -> bool:
    """Return whether the preset only checks columns for identifiers; raise `BadPolicy` for options it lacks."""
    if request.preset is not None and is_check_of_columns(request.preset):
        if request.write is not None or request.drafts is not None:
            raise BadPolicy(f"the preset '{request.preset}' drafts nothing; leave --write and --hierarchies out")
        return True
    if request.population is not None or request.residents is not None:
        raise BadPolicy(
            "--population and --residents are for --preset 'HIPAA safe harbour' here; leave them out, or add that"
        )
    return False


def _read_alone(request: InspectRequest) -> Fraction:
    """Parse `--alone`: the share of people who are unique on the sets that are shown."""
    share = fraction_in(request.alone)
    if share is None or not 0 < share <= 1:
        raise BadTable(
            f"--alone is '{request.alone}'; give a share of the people, above 0 and at most 1, such as 0.05 or 1/20"
        )
    return share


def write_columns(request: InspectRequest) -> str:
    """Write the Python that comes to the same."""
    if checks_columns(request):
        return ""
    if not request.roles.quasi:
        return write_python(f"print({write_call('sl.suggest_roles', request.file)})")
    return write_python(
        f"table = {write_table(request.file, request.roles)}",
        f"which = {write_call('sl.identifying_columns', Name('table'), up_to=request.up_to)}",
        "print(which.table())",
    )


def _advise(request: InspectRequest) -> tuple[str, ...]:
    """Return the next commands: audit the file, protect it, and compare ways of publishing."""
    file, policy = shlex.quote(request.file), shlex.quote(str(request.write or "policy.toml"))
    folder = f" --hierarchies {shlex.quote(str(request.drafts))}" if request.drafts is not None else ""
    within = f"{file} --policy {policy}"
    return (
        f"sidelight audit {within}",
        f"sidelight protect {within}{folder} --method mondrian --private-hierarchies --output release.csv",
        f"sidelight compare {within}{folder}",
    )


def _write_share(share: Fraction | None) -> dict[str, str | float | None] | None:
    risk = None if share is None else number(share, large_is_bad=True)
    return None if risk is None else {"exact": risk.exact, "number": risk.number}


ExactShare: TypeAlias = Annotated[
    dict[Literal["exact", "number"], str | float | None] | None, BeforeValidator(_write_share)
]
"""A share of people: an exact fraction, and a float rounded up."""


class InspectedColumn(DocumentPart):
    """The suggested role of a column, and why."""

    column: str
    role: Role
    stated: bool
    reason: str
    kind: ColumnKind
    labels: int
    labels_in_one_row: int
    rows_without: int
    hierarchy: str | None = Field(description="how its drafted hierarchy makes labels coarser")


class InspectedSet(DocumentPart):
    """How well a set of columns identifies people, and predicts the sensitive one."""

    model_config = ConfigDict(from_attributes=True)  # `IdentifyingColumns.subsets`

    columns: tuple[str, ...]
    groups: int
    alone: int = Field(validation_alias="unique")
    smallest_group: int = Field(validation_alias="smallest")
    distinction: ExactShare
    separation: ExactShare
    inference: ExactShare


class InspectAnswer(FlatAnswer):
    """The suggested roles of columns, the written drafts, and the sets of quasi-identifiers that identify people."""

    question: ClassVar[str] = "Which columns identify people?"

    kind: str = "columns"
    schema_version: int = 1
    columns: tuple[InspectedColumn, ...]
    roles: dict[str, JsonValue]
    written: tuple[str, ...]
    people: int = 0
    alone: int = 0
    worst_columns: tuple[dict[str, str | int], ...] = Field(
        default=(), description="how many fewer people are unique where a column is left out"
    )
    up_to: int = 0
    share: str = ""
    smallest_sets: tuple[tuple[str, ...], ...] = ()
    secret: str | None = None
    guessed_without_columns: ExactShare = None
    sets: tuple[InspectedSet, ...] = ()
    request: Live[InspectRequest]
    suggested: Live[sl.SuggestedRoles]
    drafted: Live[Mapping[str, Draft]]
    identifying: Live[tuple[sl.Table, sl.IdentifyingColumns] | None]  # with quasi-identifiers
    drafts: Live[Mapping[Path, str]]  # the files to write, with their contents

    def charts(self) -> Iterator[Drawing]:
        if self.identifying is not None:
            yield self.identifying[1].plot()

    def blocks(self) -> Blocks:
        request = self.request
        # roles, explained to a beginner
        titles: dict[Role, str] = {
            "person": "Whose row it is (person)",
            "quasi": "Known to others, who can look people up by it (quasi)",
            "sensitive": "Told in confidence, and not to be found out (sensitive)",
            "keep": "Published as it is, and judged by nothing (keep, weight)",
            "leave out": "Left out, and not published",
        }
        for role, title in titles.items():
            columns = [each for each in self.suggested.columns if each.role == role]
            lines = [_describe_column(each, self.drafted.get(each.column)) for each in columns]
            if lines:
                yield PageSection(title, (Points(tuple(lines)),))
        if self.identifying is not None:
            yield PageSection("Who is found", (Points(tuple(_count_found(*self.identifying, _read_alone(request)))),))
            yield from _sets_grid(self.identifying[1])
        yield from notes_section(f"{note}." for note in self.notes)
        if self.drafts:
            yield Code(f"Written: {', '.join(map(str, self.drafts))}")
        if request.write is not None:
            yield Paragraph("Read and change it, then:")
            yield from (Code(f"  {command}") for command in _advise(request))
        elif self.identifying is not None:
            secret = () if self.suggested.roles.sensitive else ("--sensitive", "COLUMN")
            more = (*secret, "--write", "policy.toml", "--hierarchies", "hierarchies")
            yield Paragraph("To draft a policy and hierarchies to start from, add to the command:")
            yield Code(f"  {shlex.join(more)}")


def ask_columns(request: InspectRequest, progress: Progress) -> InspectAnswer:
    """Suggest roles of columns, measure sets of them, and draft the requested files."""
    preset = None if request.preset is None else read_preset(request.preset)
    _ = _read_alone(request)  # errors come before anything is read
    suggested = suggestions_for(request.file, request.roles, progress)
    roles, drafted, identifying = suggested.roles, dict[str, Draft](), None
    if roles.quasi:
        table = _read_table(request.file, roles)
        identifying = table, sl.identifying_columns(table, request.up_to, progress=progress)
        kinds = {name: roles.kind_of(name) for name, _ in roles.kinds}
        rules = DraftRules(kinds=kinds, people=people_by_label(table.quasi, table.sizes))
        drafted = drafts({column.name: column.labels for column in table.quasi}, rules)
    policy = {}
    if request.write is not None:
        policy[request.write] = _draft_policy(request, suggested, preset, identifying and identifying[0])
    contents: dict[Path, str] = {}
    if request.drafts is not None:
        if not drafted:
            raise BadHierarchy(
                "no hierarchy can be drafted: no column looks as if others knew it; name some with --quasi"
            )
        for name, (hierarchy, _) in drafted.items():
            contents[request.drafts / hierarchy_file(name)] = writable_text(hierarchy)
    ages = [each.column for each in suggested.columns if is_age(each.column)]
    return InspectAnswer(
        source=request.file,
        **_list_inspected(suggested, drafted),
        written=tuple(map(str, contents | policy)),
        **({} if identifying is None else _list_sets(*identifying, _read_alone(request))),
        notes=(
            "roles and drafts are rules of thumb: read and change them before you rely on them",
            *suggested.notes,
            *number_notes(drafted, {**dict(roles.kinds), **dict.fromkeys(ages)}),
            *(() if preset is None else preset.notes),
        ),
        request=request,
        suggested=suggested,
        drafted=drafted,
        identifying=identifying,
        drafts=contents | policy,
    )


def _read_table(file: str, roles: Roles) -> sl.Table:
    """Read the table; without a sensitive column, with an empty one."""
    if roles.sensitive is not None:
        return table_from(file, roles)
    person = roles.person_column
    reading: dict[str, Any] = {name: getattr(roles, name) for name in ("missing_marks", "encoding", "sheet")}
    quasi, sizes = distinct_rows(file, roles.quasi, person=person, several_rows=person is not None, **reading)
    nothing = Counts.from_entries(np.arange(len(sizes)), np.zeros(len(sizes), np.int64), sizes, (len(sizes), 1))
    return sl.Table(quasi, "", ("",), sizes, nothing, "set")


# Drafts


def _draft_policy(
    request: InspectRequest, suggested: sl.SuggestedRoles, preset: Preset | None, table: sl.Table | None
) -> str:
    """Draft the text of a policy file, and check that it is read back as the same."""
    roles = suggested.roles
    if table is None or roles.sensitive is None:
        raise BadPolicy(_why_no_draft(suggested))
    draft = draft_policy(table) if preset is None else draft_of_preset(preset, table)
    heading = (
        f"Drafted by sidelight columns {shlex.quote(request.file)}: rules of thumb, to be read and changed first.",
        "What no program can know is marked DECIDE. Then:",
        *(f"  {command}" for command in _advise(request)),
    )
    text = drafted_text(draft, suggested, heading=heading)
    policy_file = read_policy_text(text)
    assert str(policy_file.policy) == str(draft.policy)
    assert policy_file.roles.stated() == roles.stated()
    return text


def _why_no_draft(suggested: sl.SuggestedRoles) -> str:
    roles = suggested.roles
    if suggested.differing and not roles.quasi:
        columns = listed(suggested.differing)
        return (
            f"no policy can be drafted: rows with one {roles.person_column} differ in all that others know, {columns}; "
            "mend them, or keep one row per person; --person 'each row' protects rows, and not people"
        )
    lacking = {} if roles.quasi else {"--quasi": "that others know"}
    lacking |= {"--sensitive": "that nobody should find out"} if roles.sensitive is None else {}
    what = " and none ".join(lacking.values())
    names = listed([each.column for each in suggested.columns])
    return f"no policy can be drafted: could not tell a column {what}; name it with {' and '.join(lacking)}, of {names}"


# The answer as data


def _list_inspected(suggested: sl.SuggestedRoles, drafted: Mapping[str, Draft]) -> dict[str, Any]:
    return {
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
                hierarchy=drafted[each.column][1] if each.column in drafted else None,
            )
            for each in suggested.columns
        ),
        "roles": {name: plain(value) for name, value in suggested.roles.stated().items()},
    }


def _list_sets(table: sl.Table, which: sl.IdentifyingColumns, share: Fraction) -> dict[str, Any]:
    return {
        "people": which.people,
        "alone": people_alone(table.sizes),
        "worst_columns": tuple(
            {"column": column, "fewer_alone_without": fewer}
            for column, fewer in worst_columns(table.quasi, table.sizes).items()
        ),
        "up_to": which.up_to,
        "share": str(share),
        "smallest_sets": tuple(each.columns for each in which.smallest(share)),
        "secret": which.secret,
        "guessed_without_columns": which.prior,
        "sets": which.subsets,
    }


# The answer for people


def _describe_column(each: sl.SuggestedRole, draft: Draft | None) -> str:
    labels = (
        counted(each.profile.distinct, "label")
        if each.kind == "category"
        else f"{each.profile.distinct:,} {each.kind}s"
    )
    gaps = f", {counted(each.profile.missing, 'row')} without" if each.profile.missing else ""
    coarser = f" Coarser: {draft[1]}." if draft is not None else ""
    return f"{each.column or '(no name)'} ({labels}{gaps}): {each.reason}.{coarser}"


def _count_found(table: sl.Table, which: sl.IdentifyingColumns, share: Fraction) -> Iterator[str]:
    """Yield how many people are unique on all columns, without each of the worst ones, and on the fewest."""
    everything = f"Who knows {listed(which.columns)} of somebody"
    alone = people_alone(table.sizes)
    yield f"{everything} finds {alone:,} of {counted(which.people, 'person')} alone: nobody else looks like them."
    for column, fewer in worst_columns(table.quasi, table.sizes).items():
        yield f"Without {column}, {fewer:,} fewer would stand alone."
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
    """Draw, for each number of columns, the three sets on which most people are unique."""
    secret = [f"guesses\n{which.secret}"] if which.prior is not None else []
    rows: list[tuple[str, ...]] = []
    if which.prior is not None:
        rows.append(("nothing", "1", "", "", short_decimal(which.prior)))
    for size in range(1, which.up_to + 1):
        subsets = [each for each in which.subsets if len(each.columns) == size]
        for each in sorted(subsets, key=lambda each: (-each.unique, -each.groups))[:3]:
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


class SafeHarbourAnswer(FlatAnswer):
    """The identifiers of the safe harbour that a file seems to have; its verdict is never "within"."""

    question: ClassVar[str] = "Which of the identifiers of the safe harbour does this file have?"

    kind: str = "safe harbour"
    schema_version: int = 1
    found: bool
    columns: JsonValue
    look_like_none: tuple[str, ...]
    check: Live[SafeHarbour]

    def blocks(self) -> Blocks:
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
    """Find columns that look like an identifier."""
    check = check_columns(request.file, request.roles, population=request.population, residents=request.residents)
    return SafeHarbourAnswer(
        source=request.file,
        judged="not within" if check.answer == "found" else "could not tell",
        found=check.answer == "found",
        columns=plain(check.suspects),
        look_like_none=check.others,
        notes=HIPAA_NOTES,
        check=check,
    )


NOTE = "these are drafts: read and change them before you rely on them; they list the values of your table"


def _read_rules(request: HierarchiesRequest) -> DraftRules:
    cuts: dict[str, list[Sequence[float]]] = {}
    for column, numbers in _parse_pairs("--cuts", request.cuts):
        cuts.setdefault(column, []).append(_parse_numbers("--cuts", numbers))
    return DraftRules(
        cuts=cuts,
        widths={name: _parse_numbers("--widths", text) for name, text in _parse_pairs("--widths", request.widths)},
        bottom={name: _parse_numbers("--bottom", text)[0] for name, text in _parse_pairs("--bottom", request.bottom)},
        top={name: _parse_numbers("--top", text)[0] for name, text in _parse_pairs("--top", request.top)},
        masks=request.masks,
        trees={column: read_tree(Path(file)) for column, file in _parse_pairs("--tree", request.tree)},
        suppress_only=request.suppress_only,
        kinds={name: request.roles.kind_of(name) for name, _ in request.roles.kinds},
    )


def list_drafted_columns(request: HierarchiesRequest) -> tuple[str, ...]:
    """Return the columns to draft: quasi-identifiers, or all without another role; and those with rules."""
    names, roles = columns_of(request.file, request.roles), request.roles
    others = (*roles.value_columns, roles.person, *roles.carried)
    columns = dict.fromkeys(roles.quasi or [name for name in names if name not in others])
    columns |= dict.fromkeys(_read_rules(request).columns)
    for name in columns:
        if name not in names:
            raise UnknownColumn(f"no column '{name}' in {request.file}{nearest_column(name, request.file, roles)}")
    return tuple(columns)


class DraftFacts(DocumentPart):
    """A drafted hierarchy, and its file."""

    file: str
    rule: str
    values: int
    levels: list[list[str]]


class HierarchiesAnswer(Answer[dict[str, DraftFacts]]):
    """The drafted hierarchies, by column."""

    question: ClassVar[str] = "Which hierarchies were drafted?"

    folder: Live[Path]
    hierarchies: Live[Mapping[str, sl.Hierarchy]]

    def blocks(self) -> Blocks:
        rows = tuple(
            (name, each.rule, f"{each.values:,}", "\n".join(listed_labels(labels, most=3) for labels in each.levels))
            for name, each in self.answer.items()
        )
        yield Grid(("column", "drafted as", "values", "then"), rows, figures=frozenset({2}))
        yield from notes_section(self.notes[1:])
        yield Paragraph(f"Written to {self.folder}: {NOTE}.")


def ask_hierarchies(request: HierarchiesRequest) -> HierarchiesAnswer:
    """Draft a hierarchy for each column."""
    rules = _read_rules(request)
    labels: dict[str, dict[Label, int]] = {}
    roles = request.roles
    for column in list_drafted_columns(request):
        reading: dict[str, Any] = {name: getattr(roles, name) for name in ("missing_marks", "encoding", "sheet")}
        (values,), times = distinct_rows(request.file, [column], **reading)
        if roles.split is not None and column in roles.value_columns:  # rows are not counted by parts of a cell
            cells = (split_cell(cell, roles.split, "set", roles.missing_marks) for cell in values.labels)
            labels[column] = dict.fromkeys(in_order(chain.from_iterable(cells)), 0)
            continue
        counts = {values.cell(row): number for row, number in enumerate(times.tolist())}
        labels[column] = {text: counts.get(text, 0) for text in values.labels}
    rows = {name: {text: times for text, times in each.items() if text is not None} for name, each in labels.items()}
    drafted = drafts({name: tuple(each) for name, each in labels.items()}, replace(rules, people=rows))
    return HierarchiesAnswer(
        kind="hierarchies",
        schema_version=1,
        source=request.file,
        answer={
            name: DraftFacts(
                file=str(request.output / hierarchy_file(name)),
                rule=rule,
                values=len(hierarchy.labels(0)),
                levels=[list(hierarchy.labels(level)) for level in range(1, hierarchy.height)],
            )
            for name, (hierarchy, rule) in drafted.items()
        },
        notes=(NOTE, *number_notes(drafted, rules.kinds)),
        folder=request.output,
        hierarchies={name: hierarchy for name, (hierarchy, _) in drafted.items()},
    )


def number_notes(drafted: Mapping[str, Draft], kinds: Collection[str]) -> tuple[str, ...]:
    """Return a note on columns that were drafted as numbers: codes are only distinguished by a declared kind."""
    names = [name for name, (_, rule) in drafted.items() if rule.startswith(NUMBERS) and name not in kinds]
    if not names:
        return ()
    were = form("was", len(names))
    return (
        f"{listed_labels(names)} {were} taken for numbers; where they are codes, say so: --kind '{names[-1]}=category'",
    )


def _parse_pairs(option: str, texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    for text in texts:
        column, equals, rest = text.partition("=")
        if not (column and equals and rest):
            raise BadHierarchy(
                f"cannot read {option} '{text}'; write the column, = and what is wanted, such as age=18,65"
            )
        yield column, rest


def _parse_numbers(option: str, text: str) -> list[float]:
    numbers = [as_number(part.strip()) for part in text.split(",")]
    if None in numbers:
        raise BadHierarchy(f"cannot read {option} '{text}'; give numbers with commas between them, such as 18,65")
    return [number for number in numbers if number is not None]


# The data of a page


class ColumnLine(DocumentPart):
    """A column: its kind and role, and why they are suggested."""

    name: str
    kind: str
    role: str
    reason: str
    labels: int
    missing: int


class LevelPreview(DocumentPart):
    """A level of a hierarchy: the number of its labels, and some of them."""

    level: int
    labels: int
    some: tuple[str, ...]


class HierarchyPreview(DocumentPart):
    """The levels of a column's hierarchy, and the current one."""

    column: str
    drafted: bool
    level: int
    levels: tuple[LevelPreview, ...]


class ColumnSet(DocumentPart):
    """A set of columns, and how many people are unique on it."""

    columns: tuple[str, ...]
    groups: int
    alone: int
    distinction: str


class DataAnswer(DocumentPart):
    """The columns, their hierarchies, and the sets that single people out."""

    sentence: str
    people: int | None
    alone: int | None
    columns: tuple[ColumnLine, ...]
    hierarchies: tuple[HierarchyPreview, ...] = ()
    sets: tuple[ColumnSet, ...] = ()
    problem: str | None = None


def describe_suggestion(
    name: str, quasi: Sequence[str], sensitive: Sequence[str], suggested: sl.SuggestedRoles | None
) -> ColumnLine:
    """Describe a column and its suggestion; a published column has none."""
    role = "quasi" if name in quasi else "sensitive" if name in sensitive else "leave out"
    if suggested is None:
        return ColumnLine(name=name, kind="as published", role=role, reason="as it was published", labels=0, missing=0)
    column = suggested[name]
    return ColumnLine(
        name=name,
        kind=column.kind,
        role=column.role if column.role in ("person", "keep") and role == "leave out" else role,
        reason=column.reason,
        labels=column.profile.distinct,
        missing=column.profile.missing,
    )


def preview_levels(hierarchy: sl.Hierarchy, column: Column) -> tuple[LevelPreview, ...]:
    """Preview the levels of a hierarchy, with a few of the labels that occur."""
    labels = [text for text in column.sort_naturally().labels if text is not None]
    levels = []
    for level in range(hierarchy.height):
        coarser = tuple(dict.fromkeys(str(hierarchy.generalise(text, level)) for text in labels))
        levels.append(LevelPreview(level=level, labels=len(coarser), some=coarser[:6]))
    return tuple(levels)


def list_worst_sets(release: sl.Release) -> tuple[ColumnSet, ...]:
    """Return the sets of columns on which most people are unique, as the release prints them."""
    groups = release.groups
    table = sl.Table(groups.columns, release.sensitive, release.domain, groups.sizes, groups.counts, release.semantics)
    which = sl.identifying_columns(table, min(3, len(groups.columns)))
    ranked = sorted(which.subsets, key=lambda each: (-each.unique, len(each.columns), each.columns))
    return tuple(
        ColumnSet(
            columns=each.columns, groups=each.groups, alone=each.unique, distinction=short_decimal(each.distinction)
        )
        for each in ranked[:8]
    )


def describe_uniques(
    alone: int, people: int, known: Sequence[str], levels: Mapping[str, int], beside: Sequence[str]
) -> str:
    """Describe how many people are unique; `beside` are unchanged columns of a bucketized release."""
    names, how = ", ".join(known), " as coarse as it is set below" if levels else ""
    sentence = f"Nobody of {counted(people, 'person')} stands alone to who knows {names}{how}."
    if alone:
        sentence = f"Who knows {names}{how} finds {alone:,} of {counted(people, 'person')} alone."
    if beside:
        sentence += f" But {', '.join(beside)} are printed as they are: who stands alone by those is not counted here."
    return sentence


def write_columns_recipe(file: FileRecipe) -> Recipe:
    """Write the command and the Python that count unique people."""
    if file.sidecar:
        return file.judging([sl.GroupSize()])
    lines = [f"table = {write_table(file.file, file.roles)}"]
    lines += [f"print(sl.identifying_columns(table, {min(3, len(file.roles.quasi))}).explain())"]
    if file.levels:
        lines += ["", *file.reading()[1:]]
    return Recipe(commands=(*file.preparations(), shell(file.words("columns"))), python=write_python(*lines))
