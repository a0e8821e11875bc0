"""Fill the sidecar: what is told of a search, of its release as it was read back, and of the verdict on that.

Beside it stands a data dictionary: what each column is, for whoever is to work with the release.  It is metadata as the
W3C recommends for tables on the web (CSVW: `<file>-metadata.json`, which many tools look for by themselves), and it
says nothing that the files and their sidecar do not say.  Parquet files are described the same way.
"""

from __future__ import annotations

import datetime as dt
import json
import math
import platform
import re
from collections.abc import Sequence
from dataclasses import fields, replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sidelight import __version__
from sidelight.documents.document import (
    finding_facts,
    joint_column_notes,
    number,
    people_counts,
    plain,
    reader_facts,
    release_facts,
)
from sidelight.engines.files import files_of
from sidelight.engines.formats.file_format import Sheet, kind_of_cells
from sidelight.engines.formats.registry import WRITERS
from sidelight.files import digest
from sidelight.policy.policy import Policy, Verdict, policy_text
from sidelight.publish.sidecar import (
    HierarchyFacts,
    PopulationFacts,
    PublishedFile,
    PublishedFinding,
    Reading,
    ResistanceFacts,
    SearchFacts,
    Sidecar,
)
from sidelight.release.locate import covers_to_tell
from sidelight.release.population import Population
from sidelight.search.utility import OF_VALUES
from sidelight.table.labels import Column, Label, listed
from sidelight.table.roles import Roles

if TYPE_CHECKING:
    from sidelight.engines.streamed_table import AnyTable
    from sidelight.measures.criterion import Criterion, Judgement
    from sidelight.release.printed_labels import Printing
    from sidelight.release.release import Release
    from sidelight.search.method import SearchResult


def build_sidecar(
    result: SearchResult,
    release: Release,
    verdict: Verdict,
    *,
    files: tuple[PublishedFile, ...],
    reading: Reading,
    who: Reading | None,
    seeded: bool,
    private_hierarchies: bool = False,
    quiet_method: bool = False,
) -> Sidecar:
    """Build the sidecar of a search and of `release`, as it was read back, with the verdict on it."""
    table = result.recoding.table
    kinds = {name: kind for name, kind in result.kinds.items() if name in reading.group}
    seed_note = "the order of the rows was drawn with a seed, for a test"
    seed_note += ": whoever knows the seed learns the order before it"
    quiet_note = "how the release was made is kept back; its own shape tells most of it, so nobody is protected by that"
    quiet_note += " from somebody who guesses"
    # three digits unless it is public: an exact value would let a reader test guesses about the table against it
    public = ("discernibility", "average group size", "suppressed")
    worths = {
        name: None if not math.isfinite(worth) else worth if name in public else float(f"{worth:.3g}")
        for name, worth in result.utility.items()
    }
    covered = {} if private_hierarchies else _find_covers(release, result.release.printing)
    return Sidecar(
        files=files,
        reading=reading.model_copy(update={"kinds": kinds}),
        who=who,
        kept=() if table.carried is None else table.carried.names,
        release=release_facts(release),
        date=dt.datetime.now(dt.UTC).date().isoformat(),
        policy=_policy_text(result, table),
        hierarchies=tuple(
            HierarchyFacts(column=name, levels=hierarchy.height, covers=covered.get(name, {}))
            for name, hierarchy in sorted(result.hierarchies.items())
        ),
        populations=tuple(_population_facts(each, reading.group) for each in result.policy.registers),
        findings=tuple(published_finding(each) for each in verdict.judgements),
        people=people_counts(result, release),
        utility={name: worth for name, worth in worths.items() if name not in OF_VALUES},
        search=_search_facts(result, quiet=quiet_method),
        readers=tuple(
            reader_facts(each.for_readers())
            for each in result.readers
            if not quiet_method or not each.attacker.knows_method  # what such a one reaches tells how it was made
        ),
        versions={
            "sidelight": __version__,
            "python": platform.python_version(),
            **{name: version(name) for name in ("numpy", "duckdb", "pyarrow")},
        },
        warnings=(
            *([seed_note] if seeded else ()),
            *([quiet_note] if quiet_method else ()),
            *result.warnings,
            *joint_column_notes(release, verdict.judgements),
        ),
    )


def _find_covers(release: Release, printing: Printing | None) -> dict[str, dict[str, tuple[Label, ...]]]:
    """Return what printed labels cover, by column: what the hierarchy has, whether or not it occurs."""
    nodes = {} if printing is None else printing.nodes
    columns = (column for column in release.groups.columns if column.name in nodes)
    return {column.name: covers_to_tell(column.labels, nodes[column.name]) for column in columns}


def published_finding(judgement: Judgement) -> PublishedFinding:
    """Write what a criterion found, with nothing that the release does not print."""
    criterion, finding = strip_folder(judgement.criterion), judgement.finding
    measure, witness = criterion.measure, finding.witness
    return PublishedFinding(
        **finding_facts(measure, finding.value, criterion).shared(),
        holds=judgement.holds,
        group=None if witness is None else dict(witness.group.printed),
        value=None if witness is None else witness.value,
        notes=finding.notes,
    )


def strip_folder(criterion: Criterion) -> Criterion:
    """Return a criterion that names its population by its file alone: the publisher's folders are private."""
    register = criterion.measure.register
    if register is None or register.place is None:
        return criterion
    return replace(criterion, measure=criterion.measure.compare_with(Population(Path(register.place).name)))


def _population_facts(population: Population, columns: Sequence[str]) -> PopulationFacts:
    if population.place is None:
        return PopulationFacts(name=None, sha256=None, people=population.people(columns))
    files = files_of(population.place)
    sha256 = digest(files[0]) if len(files) == 1 else None
    return PopulationFacts(name=Path(population.place).name, sha256=sha256, people=population.people(columns))


def _policy_text(result: SearchResult, table: AnyTable) -> str:
    """Write the policy and how the table was read; not its domain, which may name values that are suppressed."""
    names = tuple(column.name for column in table.quasi)
    columns = Roles(quasi=names, sensitive=table.sensitive_columns, values=table.semantics)
    policy = Policy(*map(strip_folder, result.policy.criteria))
    return policy_text(policy, replace(columns, **table.intake.roles).stated())


def _search_facts(result: SearchResult, *, quiet: bool) -> SearchFacts:
    if quiet:
        return SearchFacts(method=None, options={}, levels={}, complete=True)
    method, resistance = result.method, result.resistance
    options = (each.name for each in fields(method) if each.repr)  # type: ignore[arg-type]
    belief = None if resistance is None else resistance.belief
    return SearchFacts(
        method=method.name,
        options={name: plain(getattr(method, name)) for name in options},
        levels=dict(result.levels),
        utility=result.chosen_by,
        averages=method.prints_averages,
        complete=result.complete,
        resistance=None
        if resistance is None
        else ResistanceFacts(
            reader=resistance.reader, belief=None if belief is None else number(belief, large_is_bad=True)
        ),
    )


def dictionary_path(path: Path) -> Path:
    """Return where the dictionary of a published file stands.

    >>> dictionary_path(Path("made/release.csv")).name
    'release.csv-metadata.json'
    """
    return path.parent / (path.name + "-metadata.json")


def build_dictionary(document: Sidecar, sheets: dict[str, Sheet]) -> str:
    """Write the dictionary of some files, with what their sidecar tells of them."""
    policy = "; ".join(f"{each.text} {each.limit.text}" for each in document.findings)
    about = {
        "@context": ["http://www.w3.org/ns/csvw", {"@language": "en"}],
        "dc:title": f"Release of {document.people.people_out:,} people",
        "dc:description": f"Within policy: {policy}. {document.not_covered}",
        "dc:date": document.date,
        "tables": [_table(name, sheet, document) for name, sheet in sheets.items()],
    }
    return json.dumps(about, indent=2, ensure_ascii=False) + "\n"


def _table(name: str, sheet: Sheet, document: Sidecar) -> dict[str, Any]:
    writer = WRITERS[document.reading.format]
    datatypes = {"text": "string", "whole number": "integer", "number": "number", "day": "date"}
    # name a column in the way that CSVW wants: letters, digits and underscores, the rest as percent and two digits
    columns = [
        {
            "name": re.sub(r"[^0-9A-Za-z_]", lambda sign: "".join(f"%{byte:02X}" for byte in sign[0].encode()), column),
            "titles": writer.encode(column),
            "datatype": "integer" if not isinstance(cells, Column) else datatypes[kind_of_cells(cells)],
            "dc:description": describe(column, cells if isinstance(cells, Column) else None, document),
            "null": "",
        }
        for column, cells in sheet.columns.items()
    ]
    dialect = {"dialect": dict(writer.dialect)} if writer.dialect else {}
    return {"url": name, **dialect, "tableSchema": {"columns": columns}}


def describe(column: str, cells: Column | None, document: Sidecar, most: int = 30) -> str:
    """Describe in words what a column is, and list its labels where they are few."""
    # who is in which bucket first: there a bucket is what is said of a person
    readings = [each for each in (document.who, document.reading) if each is not None]
    what = next((text for reading in readings if (text := _role(column, reading, document)) is not None), None)
    if what is None and column in document.kept:
        what = "carried along as it is"
    elif what is None:
        stem, _, side = column.rpartition("_")
        end = {"low": "the lower end", "high": "the upper end"}.get(side, "an end")
        what = f"{end} of what is printed in '{stem}'; empty where it is open" if stem else "more about the row"
    if cells is None or kind_of_cells(cells) != "text":
        return what
    labels = [text for text in cells.compact().labels if text is not None]
    return f"{what}; one of: {listed(labels, most=most)}" if 0 < len(labels) <= most else what


def _role(column: str, reading: Reading, document: Sidecar) -> str | None:
    if column in reading.group:
        level = document.search.levels.get(column)
        levels = {each.column: each.levels for each in document.hierarchies}
        where = f", at level {level} of 0 to {levels[column] - 1}" if level is not None and column in levels else ""
        return f"what outsiders may know about a person{where}"
    if column in reading.to_roles().value_columns:
        return "which bucket a person is in" if reading is document.who else "sensitive"
    if column == reading.people:
        return "how many people are in the group"
    return "how often the value occurs in the group" if column == reading.count else None
