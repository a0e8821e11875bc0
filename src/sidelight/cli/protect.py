"""`sidelight protect`: find the most useful release of a table within a policy, and publish it."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import typer
from rich.console import Console

from sidelight._files import refuse_existing, refuse_input, refuse_left_over
from sidelight.cli.audit import Question
from sidelight.cli.inputs import columns
from sidelight.cli.interrupts import heed_interrupts, noticing_interrupts
from sidelight.cli.option_words import as_options
from sidelight.cli.progress import bar
from sidelight.cli.protect_shown import shown
from sidelight.cli.run import Status, note
from sidelight.errors import BadHierarchy, BadPolicy, NothingSafe, SidelightError
from sidelight.policy.policy import Policy
from sidelight.policy.policy_file import Roles
from sidelight.publish.formats import FormatName, format_of
from sidelight.publish.layouts import Layout
from sidelight.publish.sidecar import sidecar_path
from sidelight.release.generalise import group
from sidelight.report.making import audit_report
from sidelight.search.found import Found
from sidelight.search.full_domain import FullDomain
from sidelight.search.protect import MethodName
from sidelight.search.protect import protect as search
from sidelight.search.utility import UtilityName
from sidelight.table.duckdb_source import found_files
from sidelight.table.hierarchy import Hierarchy
from sidelight.table.hierarchy_io import column_of, hierarchy_files, read_hierarchies
from sidelight.table.read import read_table
from sidelight.table.table import Table

NOTHING_YET = "nothing was published, and nothing within policy was found yet"


@dataclass(frozen=True, slots=True)
class Way:
    """How to search."""

    method: MethodName = "lattice"
    utility: UtilityName = "discernibility"
    hierarchies: Path | None = None
    suppress_only: tuple[str, ...] = ()
    suppress: float = 0
    suppressed: Literal["as *", "left out"] = "as *"
    nodes: int = 100_000


@dataclass(frozen=True, slots=True)
class Target:
    """Where the release goes, and how it is written."""

    path: Path
    force: bool = False
    layout: Layout | None = None
    written_as: FormatName | None = None
    as_json: bool = False


def protect(file: str, question: Question, way: Way, target: Target) -> Status:
    """Read, search, publish, tell."""
    policy = _policy(question)
    format_of(target.path, target.written_as)
    refuse_left_over(target.path, sidecar_path(target.path), force=target.force)
    for path in (target.path, sidecar_path(target.path)):
        refuse_input(path, (*found_files(file), *question.files, *_hierarchy_files(way)))
        refuse_existing(path, force=target.force)
    table = read(file, question.roles)
    by = hierarchies(table, way)
    notes = (*question.notes, *_unused(way))
    try:
        found = uninterrupted(table, policy, by, way)
    except NothingSafe as nothing:
        return _nothing(nothing, as_json=target.as_json)
    heed_interrupts()
    published = found.publish(target.path, force=target.force, layout=target.layout, written_as=target.written_as)
    if target.as_json:
        sys.stdout.write(published.document.to_json())  # byte for byte the sidecar
        note(*table.intake.notes(), *notes)
        return Status.WITHIN_POLICY
    raw = group(table, by=[column.name for column in table.quasi])
    before = audit_report(raw, verdict=policy.judge(raw), source=file, notes=notes)
    console = Console(highlight=False)
    with console.capture() as drawn:
        for part in shown(before, published, by):
            console.print(part)
    sys.stdout.write(drawn.get())
    return Status.WITHIN_POLICY


def _policy(question: Question) -> Policy:
    if question.policy is None:
        message = "a policy without any limit; give --policy, or limits such as --limit 'group size >= 5'"
        raise BadPolicy(message)
    return question.policy


def read(file: str, roles: Roles) -> Table:
    """Read the table with these roles."""
    quasi, sensitive = columns(file, roles)
    return read_table(file, quasi=quasi, sensitive=sensitive, **roles.settings())


def hierarchies(table: Table, way: Way) -> dict[str, Hierarchy]:
    """Read the hierarchies, and make those of columns that are published as they are or as `*`."""
    by = dict(read_hierarchies(way.hierarchies)) if way.hierarchies else {}
    for name in way.suppress_only:
        labels = [text for text in table.column(name).labels if text is not None]
        by[name] = Hierarchy.suppression(name, labels or ["*"])
    bare = [column.name for column in table.quasi if column.name not in by]
    if way.method == FullDomain.name and bare:
        message = (
            f"no hierarchy for '{bare[0]}'; put '{bare[0]}.csv' into the folder of --hierarchies, or say "
            f"--suppress-only '{bare[0]}' to publish it as it is or as *"
        )
        raise BadHierarchy(message)
    return by


def _unused(way: Way) -> list[str]:
    """Note the hierarchies that `--suppress-only` takes the place of."""
    unused = [file for file in _hierarchy_files(way) if column_of(file) in way.suppress_only]
    return [f"{file} is not used: --suppress-only {column_of(file)} takes its place" for file in unused]


def _hierarchy_files(way: Way) -> list[Path]:
    return hierarchy_files(way.hierarchies) if way.hierarchies else []


def uninterrupted(table: Table, policy: Policy, by: Mapping[str, Hierarchy], way: Way) -> Found:
    """Search to the end: what a search has when Ctrl-C is pressed depends on the moment, and is not published."""
    with noticing_interrupts() as interrupts:
        try:
            found = searched(table, policy, by, way)
        except SidelightError:
            if interrupts.noticed:
                raise KeyboardInterrupt(NOTHING_YET) from None
            raise
    if interrupts.noticed:
        said = ", ".join(f"{name} {level}" for name, level in found.levels.items())
        message = f"nothing was published; the best so far has levels {said}: --nodes {found.checked} publishes that"
        raise KeyboardInterrupt(message)
    return found


def searched(table: Table, policy: Policy, by: Mapping[str, Hierarchy], way: Way) -> Found:
    """Search, showing what is being tried."""
    method = FullDomain(suppress=way.suppress, suppressed=way.suppressed, nodes=way.nodes)
    suppresses = way.method == FullDomain.name
    with bar("trying") as progress:
        return search(
            table,
            policy,
            by=by,
            method=method if suppresses else way.method,
            utility=way.utility,
            suppress=0 if suppresses else way.suppress,
            progress=progress,
        )


def _nothing(nothing: NothingSafe, *, as_json: bool) -> Status:
    """Say that nothing can be published, and what would pass."""
    if as_json:
        said = {"kind": "nothing within policy", "blocked_by": nothing.blocked_by, "closest": nothing.closest}
        sys.stdout.write(json.dumps(said, indent=2, ensure_ascii=False) + "\n")
    else:
        typer.echo(f"sidelight: {as_options(str(nothing))}", err=True)
    return Status.NOT_WITHIN_POLICY
