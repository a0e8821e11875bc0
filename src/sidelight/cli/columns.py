"""`sidelight columns`: which columns identify people, and what is each?  From a file to a policy to start from.

With `--preset 'HIPAA safe harbour'`: does a column look like one of the 18 identifiers?
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.table import Table as Page
from rich.text import Text

import sidelight as sl
from sidelight.cli.hierarchies import number_notes
from sidelight.cli.options import DraftedFiles, IdentifyingOptions, ZipOptions
from sidelight.cli.run import Output, Status, bar
from sidelight.documents.document import Envelope, number, plain
from sidelight.engines.distinct_rows import distinct_rows
from sidelight.engines.files import files_of
from sidelight.engines.read import refuse_unsure_names, table_from
from sidelight.errors import BadHierarchy, BadPolicy, BadTable, listed
from sidelight.files import refuse_input, write_together
from sidelight.intake.hierarchy_drafts import Draft, DraftRules, drafts, people_by_label
from sidelight.intake.policy_draft import draft_of_preset, draft_policy, drafted_text
from sidelight.intake.presets import HIPAA_NOTES, Preset, is_check_of_columns, read_preset
from sidelight.intake.roles import Role, suggestions_for
from sidelight.intake.safe_harbour import SafeHarbour, check_columns
from sidelight.measures.column_subsets.worst_columns import ColumnWithout, people_alone, worst_columns
from sidelight.policy.policy_file import read_policy_text
from sidelight.report.terminal import sentences
from sidelight.rounding import fraction_in, short_decimal
from sidelight.table.column_names import is_age
from sidelight.table.counts import Counts
from sidelight.table.hierarchy_io import hierarchy_file, writable_text
from sidelight.table.roles import Roles
from sidelight.text import counted, form

SCHEMA_VERSION = 1

NOTE = "roles and drafts are rules of thumb: read and change them before you rely on them"

TELLING = 3
"""So many sets of each number of columns are shown; the JSON has all."""

MOST_SHOWN = 8
"""So many of the smallest sets that identify are shown."""


@dataclass(frozen=True, slots=True)
class ColumnsRequest:
    """Which file, what somebody knows of its columns, and what is asked about sets of them."""

    file: str
    roles: Roles
    options: IdentifyingOptions
    preset: str | None  # whose limits the drafted policy sets, or a check of columns
    living: ZipOptions  # by what the check of columns counts people
    policy: Path | None = None  # the file that some of the roles were read from


@dataclass(frozen=True, slots=True)
class ColumnsAnswer:
    """What the columns seem to be, and which identify; the last three only where there is a column that others know."""

    suggested: sl.SuggestedRoles
    share: Fraction
    table: sl.Table | None = None
    identifying: sl.IdentifyingColumns | None = None
    drafted: Mapping[str, Draft] | None = None
    preset: Preset | None = None  # whose limits are drafted


def columns(request: ColumnsRequest, target: DraftedFiles) -> Status:
    """Suggest, go through the sets of columns, write what is asked for, and tell."""
    output = Output(target.json, target.output, target.force, (), target.html, target.markdown)
    refuse_unsure_names(request.file, request.roles)
    if request.preset is not None and is_check_of_columns(request.preset):
        if target.write is not None or target.hierarchies is not None:
            message = f"the preset '{request.preset}' drafts nothing; leave --write and --hierarchies out"
            raise BadPolicy(message)
        return safe_harbour(request.file, request.roles, request.living, output)
    if request.living != ZipOptions():
        message = "--population and --residents are for --preset 'HIPAA safe harbour' here; leave them out, or add that"
        raise BadPolicy(message)
    preset = None if request.preset is None else read_preset(request.preset)
    inputs = [*files_of(request.file), *([request.policy] if request.policy is not None else [])]
    output.refuse(inputs, beside=() if target.write is None else (target.write,))
    answer = replace(_answer(request), preset=preset)
    policy = _policy_text(request, target, answer) if target.write is not None else None
    written = _write(answer, target, (*inputs, *output.files), policy)
    document = Envelope(
        kind="columns",
        schema_version=SCHEMA_VERSION,
        source=request.file,
        answer=_facts(answer, written),
        notes=_notes(answer),
    )
    identifying = answer.identifying
    charts = None if identifying is None else (lambda: [identifying.plot()])
    output.write(document, _page(request, target, answer, written), charts=charts)
    return Status.WITHIN_POLICY


def _answer(request: ColumnsRequest) -> ColumnsAnswer:
    share = _share_of_people(request.options.alone)
    with bar("looking at") as progress:
        suggested = suggestions_for(request.file, request.roles, progress)
    if not suggested.roles.quasi:
        return ColumnsAnswer(suggested, share)
    table = _table(request.file, suggested.roles)
    with bar("counting") as progress:
        identifying = sl.identifying_columns(table, request.options.up_to, progress=progress)
    kinds = {name: suggested.roles.kind_of(name) for name, _ in suggested.roles.kinds}
    rules = DraftRules(kinds=kinds, people=people_by_label(table.quasi, table.sizes))
    drafted = drafts({column.name: column.labels for column in table.quasi}, rules)
    return ColumnsAnswer(suggested, share, table, identifying, drafted)


def _share_of_people(text: str) -> Fraction:
    share = fraction_in(text)
    if share is None or not 0 < share <= 1:
        message = f"--alone is '{text}'; give a share of the people, above 0 and at most 1, such as 0.05 or 1/20"
        raise BadTable(message)
    return share


def _table(file: str, roles: Roles) -> sl.Table:
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


# What is written.


def _policy_text(request: ColumnsRequest, target: DraftedFiles, answer: ColumnsAnswer) -> str:
    """Draft the policy, and read it back as whoever uses it will."""
    roles = answer.suggested.roles
    if answer.table is None or roles.sensitive is None:
        message = _why_no_draft(answer.suggested)
        raise BadPolicy(message)
    draft = draft_policy(answer.table) if answer.preset is None else draft_of_preset(answer.preset, answer.table)
    text = drafted_text(draft, answer.suggested, heading=_heading(request, target))
    again = read_policy_text(text)
    assert str(again.policy) == str(draft.policy)
    assert again.roles.stated() == roles.stated()
    return text


def _why_no_draft(suggested: sl.SuggestedRoles) -> str:
    """Say what nobody could tell, and what would help."""
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


def _heading(request: ColumnsRequest, target: DraftedFiles) -> Iterator[str]:
    file = shlex.quote(request.file)
    yield f"Drafted by sidelight columns {file}: rules of thumb, to be read and changed first."
    yield "What no program can know is marked DECIDE. Then:"
    yield from (f"  {command}" for command in _next_commands(request, target))


def _next_commands(request: ColumnsRequest, target: DraftedFiles) -> tuple[str, ...]:
    """Advise what works as it stands: how bad the file is, a release that keeps most, and what others would keep."""
    file, policy = shlex.quote(request.file), shlex.quote(str(target.write or "policy.toml"))
    folder = f" --hierarchies {shlex.quote(str(target.hierarchies))}" if target.hierarchies is not None else ""
    within = f"{file} --policy {policy}"
    return (
        f"sidelight audit {within}",
        f"sidelight protect {within}{folder} --method mondrian --private-hierarchies --output release.csv",
        f"sidelight compare {within}{folder}",
    )


def _write(answer: ColumnsAnswer, target: DraftedFiles, inputs: Sequence[Path], policy: str | None) -> tuple[Path, ...]:
    """Write all that was asked for, or nothing."""
    contents: dict[Path, str] = {}
    folder = target.hierarchies
    if folder is not None:
        if not answer.drafted:
            message = "no hierarchy can be drafted: no column looks as if others knew it; name some with --quasi"
            raise BadHierarchy(message)
        contents = {
            folder / hierarchy_file(name): writable_text(draft.hierarchy) for name, draft in answer.drafted.items()
        }
        written = [] if target.write is None else [target.write]
        for file in contents:
            refuse_input(file, (*inputs, *written))
    if target.write is not None and policy is not None:
        contents[target.write] = policy
    is_new = folder is not None and not folder.exists()
    if folder is not None:
        _make_folder(folder)
    try:
        write_together(contents, force=target.force)
    except BaseException:
        if is_new and folder is not None:
            folder.rmdir()
        raise
    return tuple(contents)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        message = f"cannot make the folder '{folder}': {problem.strerror}; name another with --hierarchies"
        raise BadHierarchy(message) from None


# What is told.


def _notes(answer: ColumnsAnswer) -> tuple[str, ...]:
    ages = [each.column for each in answer.suggested.columns if is_age(each.column)]
    kinds = {**dict(answer.suggested.roles.kinds), **dict.fromkeys(ages)}
    preset = () if answer.preset is None else answer.preset.notes
    return (NOTE, *answer.suggested.notes, *number_notes(answer.drafted or {}, kinds), *preset)


def _facts(answer: ColumnsAnswer, written: Sequence[Path]) -> dict[str, object]:
    drafted = answer.drafted or {}
    facts: dict[str, object] = {
        "columns": [_column_facts(each, drafted.get(each.column)) for each in answer.suggested.columns],
        "roles": {name: plain(value) for name, value in answer.suggested.roles.stated().items()},
        "written": [str(file) for file in written],
    }
    which = answer.identifying
    if which is None or answer.table is None:
        return facts
    worst = _worst(answer.table)
    return facts | {
        "people": which.people,
        "alone": people_alone(answer.table.sizes),
        "worst_columns": [{"column": each.column, "fewer_alone_without": each.fewer} for each in worst],
        "up_to": which.up_to,
        "share": str(answer.share),
        "smallest_sets": [list(each.columns) for each in which.smallest(answer.share)],
        "secret": which.secret,
        "guessed_without_columns": _share(which.prior),
        "sets": [_set_facts(each) for each in which.subsets],
    }


def _column_facts(each: sl.SuggestedRole, draft: Draft | None) -> dict[str, object]:
    profile = each.profile
    return {
        "column": each.column,
        "role": each.role,
        "stated": each.stated,
        "reason": each.reason,
        "kind": each.kind,
        "labels": profile.distinct,
        "labels_in_one_row": profile.once,
        "rows_without": profile.missing,
        "hierarchy": None if draft is None else draft.rule,
    }


def _set_facts(each: sl.ColumnSubset) -> dict[str, object]:
    return {
        "columns": list(each.columns),
        "groups": each.groups,
        "alone": each.unique,
        "smallest_group": each.smallest,
        "distinction": _share(each.distinction),
        "separation": _share(each.separation),
        "inference": _share(each.inference),
    }


def _share(share: Fraction | None) -> dict[str, object] | None:
    return None if share is None else number(share, large_is_bad=True).model_dump(include={"exact", "number"})


def _worst(table: sl.Table) -> tuple[ColumnWithout, ...]:
    return worst_columns(table.quasi, table.sizes)


def _page(
    request: ColumnsRequest, target: DraftedFiles, answer: ColumnsAnswer, written: Sequence[Path]
) -> Iterator[RenderableType]:
    yield from _roles_page(answer)
    if answer.identifying is not None and answer.table is not None:
        yield from sentences("Who is found", list(_sentences(answer.identifying, answer.table, answer.share)))
        yield from _sets_page(answer.identifying)
    yield from sentences("Notes", [f"{note}." for note in _notes(answer)])
    yield from _what_next(request, target, answer, written)


ROLES: Mapping[Role, str] = {
    "person": "Whose row it is (person)",
    "quasi": "Known to others, who can look people up by it (quasi)",
    "sensitive": "Told in confidence, and not to be found out (sensitive)",
    "keep": "Published as it is, and judged by nothing (keep, weight)",
    "leave out": "Left out, and not published",
}
"""What each role is to somebody who has never heard of it."""


def _roles_page(answer: ColumnsAnswer) -> Iterator[RenderableType]:
    drafted = answer.drafted or {}
    for role, title in ROLES.items():
        lines = [_line(each, drafted.get(each.column)) for each in answer.suggested.columns if each.role == role]
        yield from sentences(title, lines)


def _line(each: sl.SuggestedRole, draft: Draft | None) -> str:
    labels = (
        counted(each.profile.distinct, "label")
        if each.kind == "category"
        else f"{each.profile.distinct:,} {each.kind}s"
    )
    gaps = f", {counted(each.profile.missing, 'row')} without" if each.profile.missing else ""
    coarser = f" Coarser: {draft.rule}." if draft is not None else ""
    return f"{each.column or '(no name)'} ({labels}{gaps}): {each.reason}.{coarser}"


def _sentences(which: sl.IdentifyingColumns, table: sl.Table, share: Fraction) -> Iterator[str]:
    """Say what somebody finds who knows all columns, which of them are worst, and which few do it too."""
    alone = people_alone(table.sizes)
    everything = f"Who knows {listed(which.columns)} of somebody"
    yield f"{everything} finds {alone:,} of {counted(which.people, 'person')} alone: nobody else looks like them."
    for each in _worst(table):
        yield f"Without {each.column}, {each.fewer:,} fewer would stand alone."
    minimal = which.smallest(share)
    words = f"{short_decimal(share)} of the people, or more, stand alone"
    if not minimal:
        yield f"On no {counted(which.up_to, 'column')} or fewer: {words}."
        return
    sets = "; ".join(f"{listed(each.columns)} ({each.unique:,})" for each in minimal[:MOST_SHOWN])
    left = len(minimal) - MOST_SHOWN
    more = f"; and {left:,} more {form('set', left)}" if left > 0 else ""
    yield f"Fewest columns on which {words}: {sets}{more}."


def _sets_page(which: sl.IdentifyingColumns) -> Iterator[RenderableType]:
    """Show the sets on which most people stand alone, of each number of columns."""
    secret = [f"guesses\n{which.secret}"] if which.prior is not None else []
    page = Page(
        box=SIMPLE_HEAD,
        pad_edge=False,
        title=f"Sets of up to {which.up_to}: those that identify most",
        title_justify="left",
    )
    page.add_column("who knows")
    for heading in ("groups", "stand alone", "distinction", *secret):
        page.add_column(heading, justify="right", no_wrap=True)
    if which.prior is not None:
        page.add_row("nothing", "1", "", "", short_decimal(which.prior))
    for size in range(1, which.up_to + 1):
        those = [each for each in which.subsets if len(each.columns) == size]
        for each in sorted(those, key=lambda each: (-each.unique, -each.groups))[:TELLING]:
            shares = (each.distinction, *([each.inference] if each.inference is not None else []))
            page.add_row(
                Text(", ".join(each.columns)), f"{each.groups:,}", f"{each.unique:,}", *map(short_decimal, shares)
            )
    yield page
    yield Text(
        "A group is people who look alike to somebody who knows these columns. Distinction is the share of people "
        "whom such a person names rightly, guessing within each group. --json has every set."
    )


def _what_next(
    request: ColumnsRequest, target: DraftedFiles, answer: ColumnsAnswer, written: Sequence[Path]
) -> Iterator[RenderableType]:
    if written:
        yield Text(f"Written: {', '.join(map(str, written))}", no_wrap=True)
    if target.write is not None:
        yield Text("Read and change it, then:")
        yield from (Text(f"  {command}", no_wrap=True) for command in _next_commands(request, target))
    elif answer.table is not None:
        secret = () if answer.suggested.roles.sensitive else ("--sensitive", "COLUMN")
        more = (*secret, "--write", "policy.toml", "--hierarchies", "hierarchies")
        yield Text("To draft a policy and hierarchies to start from, add to the command:")
        yield Text(f"  {shlex.join(more)}", no_wrap=True)


# The identifiers of the safe harbour


def safe_harbour(file: str, roles: Roles, living: ZipOptions, output: Output) -> Status:
    """Look at the columns and tell; nothing is ever within policy by this."""
    output.refuse([*files_of(file), *(files_of(living.population) if living.population else ())])
    check = check_columns(file, roles, population=living.population, residents=living.residents)
    document = Envelope(
        kind="safe harbour",
        schema_version=SCHEMA_VERSION,
        source=file,
        answer={
            "found": check.answer == "found",
            "columns": plain(check.suspects),
            "look_like_none": list(check.others),
        },
        notes=HIPAA_NOTES,
    )
    output.write(document, _safe_harbour_page(check))
    return Status.NOT_WITHIN_POLICY if check.answer == "found" else Status.COULD_NOT_TELL


def _safe_harbour_page(check: SafeHarbour) -> Iterator[RenderableType]:
    for answer, title in (("found", "Look like an identifier"), ("could not tell", "May be one: could not tell")):
        lines = [f"{each.column or '(no name)'}: {each.reason}." for each in check.suspects if each.answer == answer]
        yield from sentences(title, lines)
    if check.others:
        yield Text(f"{counted(len(check.others), 'column')} look like none, which proves nothing.\n")
    yield from sentences("Notes", [f"{note}." for note in HIPAA_NOTES])
    yield Text(f"{str(check)[0].upper()}{str(check)[1:]}.")
