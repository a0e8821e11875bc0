"""The sidecar: a JSON document beside a published file about how to read it, its policy, and how it was made.

It is as public as the file: it holds plain data, witnesses reduced to what is printed, and numbers computed with the
table only to three digits.  The digests identify the files that were judged.  The keys are a public format.

With it comes a data dictionary: what each column is, for people who work with the release.  It is metadata as the W3C
recommends for tables on the web (CSVW: `<file>-metadata.json`, which many tools look for by themselves), and contains
nothing that the files and their sidecar do not.  Parquet files are described the same way.
"""

from __future__ import annotations

import datetime as dt
import json
import math
import platform
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import Field

from sidelight import __version__
from sidelight.documents.document import (
    NOT_JUDGED,
    AttackerFacts,
    DocumentPart,
    FileFacts,
    FindingFacts,
    Number,
    PeopleCounts,
    Plain,
    PolicyBound,
    ReleaseFacts,
    attacker_facts,
    finding_facts,
    joint_column_notes,
    number,
    people_counts,
    plain,
    release_facts,
)
from sidelight.engines.files import files_of
from sidelight.engines.formats.write import WRITERS, FormatName, Sheet, kind_of_cells
from sidelight.errors import BadRelease, SidelightError, in_python
from sidelight.files import digest, read_whole, settle, sidecar_path
from sidelight.policy.policy import Policy, Verdict, policy_text
from sidelight.policy.policy_file import read_policy_text
from sidelight.release.locate import covers_to_tell
from sidelight.release.population import Population
from sidelight.release.printed_labels import Nodes, Printing
from sidelight.release.read import Rows
from sidelight.release.release import Provenance, Release
from sidelight.search.utility import OF_VALUES
from sidelight.table.labels import Column, ColumnKind, Label, Semantics, listed
from sidelight.table.roles import Missing, Roles

if TYPE_CHECKING:
    from sidelight.measures.criterion import Criterion, Judgement
    from sidelight.search.method import SearchResult
    from sidelight.streams.streamed_table import AnyTable

# Raised whenever a program that reads the document would have to change; its schema is in docs/reference
SIDECAR_VERSION = 2

Says: TypeAlias = dict[str, Label]


class PublishedFile(FileFacts):
    """A file of a release."""

    rows: int


class Reading(DocumentPart):
    """How to read a published file, with the parameters of `read_release`."""

    file: str
    group: tuple[str, ...]
    sensitive: str | Annotated[tuple[str, ...], Field(min_length=1)] = Field(
        description="the sensitive column, or a list of several"
    )
    values: Semantics
    domain: tuple[Label, ...] | dict[str, tuple[Label, ...]] | None = Field(
        default=None,
        description="all sensitive values that there could be, in order, of several columns by name; null: missing",
    )
    rows: Rows = Field(description="whether a row is a person, or how often a group has a value")
    people: str | None = Field(default=None, description="the column with the people of a group, in counts")
    count: str | None = Field(default=None, description="the column with the count of a value, in counts")
    format: FormatName = Field(description="in csv, a text that a spreadsheet would run has a ' before it")
    kinds: dict[str, ColumnKind] = Field(
        default={}, description="what each column was taken for, before it was printed"
    )

    def to_roles(self) -> Roles:
        """Return it as roles; a missing value in the domain is a value."""
        listed = self.domain.values() if isinstance(self.domain, dict) else [self.domain or ()]
        missing: Missing | None = "a value" if any(None in values for values in listed) else None
        return Roles(
            self.group,
            self.sensitive,
            values=self.values,
            missing=missing,
            domain=self.domain,
            kinds=tuple(self.kinds.items()),
        )

    def update(self, roles: Roles) -> Roles:
        """Return the roles of the sidecar, with these roles in their place where they are set."""
        published = self.to_roles()
        if not set(roles.value_columns) <= set(published.value_columns):
            others = tuple(name for name in published.quasi if name not in roles.value_columns)
            published = replace(published, quasi=others, missing=None, domain=None)
        if roles.person_column is None and self.rows != "counts":
            published = replace(published, values=None)
        merged = published.update(roles)
        if merged.missing == "a value" or merged.domain is None:
            return merged
        if isinstance(merged.domain, Mapping):
            return replace(merged, domain={name: _drop_missing(values) for name, values in merged.domain.items()})
        return replace(merged, domain=_drop_missing(merged.domain))


def _drop_missing(values: tuple[Label, ...]) -> tuple[Label, ...]:
    return tuple(text for text in values if text is not None)


class PublishedFinding(FindingFacts):
    """The finding of one criterion of the policy on the published file."""

    limit: PolicyBound
    holds: bool
    group: Says | None = Field(description="what is printed about the group that is worst off")
    value: Label = None
    notes: tuple[str, ...] = ()


class HierarchyFacts(DocumentPart):
    """The hierarchy of a column; without a digest, which would let guesses at the column's values be tested."""

    column: str
    levels: int = Field(description="how many there are, the values themselves included")
    covers: dict[str, tuple[Label, ...]] = Field(
        default={},
        description="the values under each label that is printed, where the label itself does not say so, as the "
        "hierarchy has them and whoever has them: to find people by; null among them: missing",
    )


class PopulationFacts(DocumentPart):
    """The population that a release was compared with, without its folder."""

    name: str | None = Field(description="of its file; null: it was no file")
    sha256: str | None = Field(
        description="of its bytes, if it is one file: whoever has it can tell that it is the one"
    )
    people: int


class ResistanceFacts(DocumentPart):
    """The attacker that the release resists; without the price and the random choices, which would undo it."""

    reader: str = Field(description="the attacker, by the name of the measure that is about them")
    belief: Number | None = Field(
        description="how sure such a one gets of anybody at most; null: limits on sizes alone, which tell nothing"
    )


class SearchFacts(DocumentPart):
    """How the release was found, unless that is kept back."""

    method: str | None = Field(description="null: kept back, with its options, levels and what was looked at")
    levels: dict[str, int]
    complete: bool = Field(description="whether the search came to its end; else a more useful release may exist")
    options: Plain
    utility: str | None = Field(default=None, description="by which the release was chosen among others")
    averages: bool = Field(default=False, description="whether groups print averages of their people")
    resistance: ResistanceFacts | None = Field(default=None, description="null: made for readers of the release alone")


class Sidecar(DocumentPart):
    """The document about a published release."""

    kind: Literal["published release"] = "published release"
    schema_version: int = SIDECAR_VERSION
    files: tuple[PublishedFile, ...]
    reading: Reading = Field(description="how to read the groups and their values")
    who: Reading | None = Field(default=None, description="how to read which bucket each person is in (anatomy)")
    kept: tuple[str, ...] = Field(
        default=(), description="columns that are published as they are, and judged by nothing"
    )
    release: ReleaseFacts
    date: str = Field(description="the day on which it was judged and published, in UTC, like 2024-03-09")
    policy: str = Field(description="as a policy file, with the roles that the table was read with")
    not_covered: str = NOT_JUDGED
    hierarchies: tuple[HierarchyFacts, ...] = Field(default=(), description="of the columns that had one")
    populations: tuple[PopulationFacts, ...] = Field(
        default=(), description="with which measures compare the release; settings and policy name them by their files"
    )
    verdict: Literal["within policy"] = "within policy"
    findings: tuple[PublishedFinding, ...] = Field(description="measured on the file as it was read back")
    people: PeopleCounts
    utility: dict[str, float | None] = Field(
        description="smaller is better; null: infinite; to three digits where it was computed with the table"
    )
    search: SearchFacts
    readers: tuple[AttackerFacts, ...] = Field(
        default=(),
        description="which of two readers were asked when it was found, and what they would reach; people to three "
        "digits; how right they are is not told",
    )
    versions: dict[str, str]
    warnings: tuple[str, ...] = ()

    def printing(self) -> Printing:
        """Return how the labels were made, for locating people."""
        nodes = {each.column: Nodes.covering(each.covers) for each in self.hierarchies if each.covers}
        return Printing(nodes, self.search.averages)

    def provenance(self) -> Provenance | None:
        """Return how the release was made, for attackers who use it; None where this version cannot read the policy.

        A sidecar that keeps the method back still has the policy, which is the promise.
        """
        try:
            policy = read_policy_text(self.policy).policy
        except SidelightError:
            return None
        columns, search = tuple(each.column for each in self.hierarchies), self.search
        return Provenance(
            search.method,
            policy,
            search.levels,
            search.complete,
            hierarchies=columns,
            options=search.options,
            utility=search.utility,
        )


def read_sidecar(path: Path) -> Sidecar:
    """Read the document beside a published file."""
    sidecar = sidecar_path(path)
    settle(path)
    try:
        document = Sidecar.model_validate_json(read_whole(sidecar))
    except FileNotFoundError:
        raise BadRelease(
            f"no '{sidecar.name}' beside '{path}'; say which columns are which{in_python(' with read_release')}"
        ) from None
    except (OSError, ValueError):
        raise BadRelease(
            f"'{sidecar}' cannot be read; publish again, or remove it and say which columns are which"
        ) from None
    if document.schema_version != SIDECAR_VERSION:
        raise BadRelease(
            f"'{sidecar.name}' is of version {document.schema_version}, and this Sidelight reads {SIDECAR_VERSION}"
        )
    # only judged files are read: they are beside the sidecar, which has their digests
    names = [file.name for file in document.files]
    read = {each.file for each in (document.reading, document.who) if each is not None}
    # a name with a path in it could make a program open, and judge, files elsewhere
    plain = all(name not in ("", ".", "..") and not {*name} & {*"/\\\0"} for name in names)
    digests = all(re.fullmatch("[0-9a-f]{64}", file.sha256) for file in document.files)
    if not (plain and digests and read <= {*names} and len({*names}) == len(names)):
        raise BadRelease(
            f"'{sidecar}' does not tell of the files that are read by name and digest, each beside it; publish again, "
            "or remove it and say which columns are which"
        )
    return document


def read_checked(path: Path) -> Sidecar:
    """Read the sidecar of a file; raise unless this file and all others in it have the digests of the sidecar."""
    document = read_sidecar(path)
    for file in document.files:
        other = path.with_name(file.name)
        if not (other.is_file() or other.is_dir()):
            raise BadRelease(
                f"'{other}' is missing, and the sidecar of '{path.name}' tells of it; put it back, or publish again"
            )
        if digest(other) != file.sha256:
            raise BadRelease(
                f"'{other}' is not the file that its sidecar tells of; publish again, or remove the sidecar"
            )
    if path.name not in {file.name for file in document.files}:
        raise BadRelease(
            f"the sidecar of '{path}' tells of other files, not of this one; publish again, or remove the sidecar"
        )
    return document


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
    # three digits unless it is public: an exact value would let an attacker test guesses about the table against it
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
            attacker_facts(each.for_publication())
            for each in result.readers
            if not quiet_method or not each.attacker.knows_method  # what they reach discloses how it was made
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
    """Return the values under printed labels, by column, as the hierarchy has them whether they occur or not."""
    nodes = {} if printing is None else printing.nodes
    columns = (column for column in release.groups.columns if column.name in nodes)
    return {column.name: covers_to_tell(column.labels, nodes[column.name]) for column in columns}


def published_finding(judgement: Judgement) -> PublishedFinding:
    """Write the finding of a criterion, with nothing that the release does not print."""
    criterion, finding = strip_folder(judgement.criterion), judgement.finding
    measure, witness = criterion.measure, finding.witness
    return PublishedFinding(
        **dict(finding_facts(measure, finding.value, criterion)),
        holds=judgement.holds,
        group=None if witness is None else dict(witness.group.printed),
        value=None if witness is None else witness.value,
        notes=finding.notes,
    )


def strip_folder(criterion: Criterion) -> Criterion:
    """Return a criterion whose population has no folder: the publisher's folders are private."""
    register = criterion.measure.register
    if register is None or register.place is None:
        return criterion
    return replace(criterion, measure=criterion.measure.compare_with(Population(Path(register.place).name)))


def _population_facts(population: Population, columns: Sequence[str]) -> PopulationFacts:
    place = population.place
    files = () if place is None else files_of(place)
    return PopulationFacts(
        name=None if place is None else Path(place).name,
        sha256=digest(files[0]) if len(files) == 1 else None,
        people=population.people(columns),
    )


def _policy_text(result: SearchResult, table: AnyTable) -> str:
    """Write the policy and the roles of the table; not its domain, which may have values that are suppressed."""
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
            reader=resistance.attacker, belief=None if belief is None else number(belief, large_is_bad=True)
        ),
    )


def dictionary_path(path: Path) -> Path:
    """Return the path of the dictionary of a published file.

    >>> dictionary_path(Path("made/release.csv")).name
    'release.csv-metadata.json'
    """
    return path.parent / (path.name + "-metadata.json")


def build_dictionary(document: Sidecar, sheets: dict[str, Sheet]) -> str:
    """Write the data dictionary of files, from their cells and their sidecar."""
    policy = "; ".join(f"{each.text} {each.limit.text}" for each in document.findings)
    about = {
        "@context": ["http://www.w3.org/ns/csvw", {"@language": "en"}],
        "dc:title": f"Release of {document.people.people_out:,} people",
        "dc:description": f"Within policy: {policy}. {document.not_covered}",
        "dc:date": document.date,
        "tables": [_describe_file(name, sheet, document) for name, sheet in sheets.items()],
    }
    return json.dumps(about, indent=2, ensure_ascii=False) + "\n"


def _describe_file(name: str, sheet: Sheet, document: Sidecar) -> dict[str, Any]:
    writer = WRITERS[document.reading.format]
    datatypes = {"text": "string", "whole number": "integer", "number": "number", "day": "date"}
    # names as in CSVW: letters, digits and underscores, the rest as percent and two digits
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
    """Describe a column in words, with its labels where they are few."""
    # the table of people first: there the bucket is a column about a person
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
