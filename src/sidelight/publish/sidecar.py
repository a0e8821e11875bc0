"""The sidecar: how is a published file read, what was it judged by, how was it made?  A JSON document beside the file.

Whoever has the file may have the document: it holds plain data, witnesses reduced to what is printed, and what was
computed with the table only to three digits.  The digests of the files say that they are the ones that were judged.
The classes are the document, `build_sidecar` fills it; the keys are a public format, as in `report/report`.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import math
import platform
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from importlib.metadata import version
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import numpy as np
from pydantic import Field

from sidelight import __version__
from sidelight.arrays import Integers
from sidelight.documents.document import (
    DocumentPart,
    Number,
    Plain,
    PolicyBound,
    number,
    plain,
    schema_text,
)
from sidelight.documents.facts import (
    NOT_JUDGED,
    FileFacts,
    FindingFacts,
    MethodFacts,
    PeopleCounts,
    ReaderFacts,
    ReleaseFacts,
    finding_facts,
    people_counts,
    reader_facts,
    release_facts,
    together_notes,
)
from sidelight.engines.files import files_of
from sidelight.errors import BadRelease, BadTable, SidelightError, in_python
from sidelight.files import SIDECAR_ENDING, before_path, read_whole, settle
from sidelight.measures.criterion import Criterion, Judgement
from sidelight.policy.policy import Policy, Verdict, policy_text
from sidelight.policy.policy_file import read_policy_text
from sidelight.publish.formats import FORMATS, Format, FormatName
from sidelight.release.generalise import roll_up
from sidelight.release.groups import Groups, suppressed_groups
from sidelight.release.locate import covers_to_tell
from sidelight.release.population import Population
from sidelight.release.printing import Nodes, Printing
from sidelight.release.read import Rows, release_from
from sidelight.release.release import Members, Provenance, Release, whole_groups
from sidelight.search.method import Method, Resistance, SearchResult
from sidelight.search.utility import OF_VALUES
from sidelight.streams.memory import Memory
from sidelight.table.counts import Counts
from sidelight.table.labels import ColumnKind, Label, Semantics
from sidelight.table.roles import Domain, Missing, Roles
from sidelight.table.table import Column, Intake, JointDomain

if TYPE_CHECKING:
    from sidelight.engines.streamed_table import AnyTable

SCHEMA_VERSION = 2
"""Raised whenever a reader of the document would have to change."""

SCHEMA_HOME = "docs/reference/sidecar.schema.json"
"""Where the schema is kept for programs that read the document."""

NOISE_ENDING = ".noise.json"

SEEDED = "the order of the rows was drawn with a seed, for a test: whoever knows the seed learns the order before it"

KEPT_BACK = (
    "how the release was made is kept back; its own shape tells most of it, so nobody is protected by that from "
    "somebody who guesses"
)

KNOWN_FROM_THE_RELEASE = ("discernibility", "average group size", "suppressed")
"""Utilities that anybody can compute from what is published."""

Says: TypeAlias = dict[str, Label]


class PublishedFile(FileFacts):
    """One file that was written."""

    rows: int


class Reading(DocumentPart):
    """How to read a published file, in the words of `read_release`."""

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
        """Return it as the roles that all readers take; a missing value among those there could be is a value."""
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


class PublishedFinding(FindingFacts):
    """What one criterion of the policy found in the published file."""

    limit: PolicyBound
    holds: bool
    group: Says | None = Field(description="what is printed about the group that is worst off")
    value: Label = None
    notes: tuple[str, ...] = ()


class HierarchyFacts(DocumentPart):
    """Which hierarchy a column had; no digest of it, by which guesses at the column's values could be tried."""

    column: str
    levels: int = Field(description="how many there are, the values themselves included")
    covers: dict[str, tuple[Label, ...]] = Field(
        default={},
        description="the values under each label that is printed, where the label itself does not say so, as the "
        "hierarchy has them and whoever has them: to find people by; null among them: missing",
    )


class PopulationFacts(DocumentPart):
    """Which population a release was compared with: not where it is kept."""

    name: str | None = Field(description="of its file; null: it was no file")
    sha256: str | None = Field(
        description="of its bytes, if it is one file: whoever has it can tell that it is the one"
    )
    people: int


class ResistanceFacts(DocumentPart):
    """Against whom the release was made; neither its price nor what chance decided, which would undo it."""

    reader: Literal["insider"] = Field(description="who knows the method and the policy too")
    belief: Number | None = Field(
        description="how sure such a one gets of anybody at most; null: limits on sizes alone, which tell nothing"
    )


class SearchFacts(MethodFacts):
    """How the release was found, unless that is kept back."""

    options: Plain
    utility: str | None = Field(default=None, description="by which the release was chosen among others")
    averages: bool = Field(default=False, description="whether groups print averages of their people")
    resistance: ResistanceFacts | None = Field(default=None, description="null: made for readers of the release alone")


class Sidecar(DocumentPart):
    """What is said about a published release."""

    kind: Literal["published release"] = "published release"
    schema_version: int = SCHEMA_VERSION
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
    readers: tuple[ReaderFacts, ...] = Field(
        default=(),
        description="which of two readers were asked when it was found, and what they would reach; people to three "
        "digits; how right they are is not told",
    )
    versions: dict[str, str]
    warnings: tuple[str, ...] = ()

    def to_json(self) -> str:
        """Write the document as JSON text."""
        return self.model_dump_json(indent=2) + "\n"

    def printing(self) -> Printing:
        """Return how the labels came about, for whoever looks people up."""
        nodes = {each.column: Nodes.covering(each.covers) for each in self.hierarchies if each.covers}
        return Printing(nodes, self.search.averages)

    def provenance(self) -> Provenance | None:
        """Return how the release was made, for whoever reasons with that; None where this Sidelight cannot read it.

        A sidecar that keeps the method back still tells the policy, which is the promise.
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


def sidecar_path(path: Path) -> Path:
    """Return where the document of a published file stands.

    >>> sidecar_path(Path("made/release.parquet")).name
    'release.parquet.sidelight.json'
    """
    return path.parent / (path.name + SIDECAR_ENDING)  # also for a folder such as '.'


def noise_path(path: Path) -> Path:
    """Return where the document of a file of noisy counts stands.

    >>> noise_path(Path("made/counts.csv")).name
    'counts.csv.noise.json'
    """
    return path.parent / (path.name + NOISE_ENDING)


def generation(path: Path) -> tuple[int, int] | None:
    """Tell one document beside a file from its next: other numbers are another one; None: it is being replaced.

    The place on the disk alone would not do: what is replaced twice may stand where it stood before.
    """
    try:
        beside = sidecar_path(path).stat()
        return None if before_path(path).is_dir() else (beside.st_ino, beside.st_mtime_ns)
    except (OSError, ValueError):
        return 0, 0


def read_sidecar(path: Path) -> Sidecar:
    """Read the document beside a published file."""
    beside = sidecar_path(path)
    settle(path)
    try:
        document = Sidecar.model_validate_json(read_whole(beside))
    except FileNotFoundError:
        message = f"no '{beside.name}' beside '{path}'; say which columns are which{in_python(' with read_release')}"
        raise BadRelease(message) from None
    except (OSError, ValueError):
        message = f"'{beside}' cannot be read; publish again, or remove it and say which columns are which"
        raise BadRelease(message) from None
    if document.schema_version != SCHEMA_VERSION:
        message = f"'{beside.name}' is of version {document.schema_version}, and this Sidelight reads {SCHEMA_VERSION}"
        raise BadRelease(message)
    _refuse_strange_files(document, beside)
    return document


def _refuse_strange_files(document: Sidecar, beside: Path) -> None:
    """Refuse a sidecar that names files elsewhere, or whose readings are of files that it has no digest of.

    Nobody is led to a file that was not judged: what is read is beside the sidecar, and its digest is in it.
    """
    names = [file.name for file in document.files]
    read = {each.file for each in (document.reading, document.who) if each is not None}
    plain = all(name not in ("", ".", "..") and not {*name} & {*"/\\\0"} for name in names)
    digests = all(re.fullmatch("[0-9a-f]{64}", file.sha256) for file in document.files)
    if not (plain and digests and read <= {*names} and len({*names}) == len(names)):
        message = (
            f"'{beside}' does not tell of the files that are read by name and digest, each beside it; publish again, "
            "or remove it and say which columns are which"
        )
        raise BadRelease(message)


def sidecar_schema() -> str:
    """Write the JSON schema of the document."""
    return schema_text(Sidecar)


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
    """Tell of a search and of what was read back, `release`, with the verdict on that."""
    table = result.outcome.recoding.table
    kinds = {name: kind for name, kind in result.kinds.items() if name in reading.group}
    covered = {} if private_hierarchies else _covered(release, result.release.printing)
    return Sidecar(
        files=files,
        reading=reading.model_copy(update={"kinds": kinds}),
        who=who,
        kept=() if table.carried is None else table.carried.names,
        release=release_facts(release),
        date=dt.datetime.now(dt.UTC).date().isoformat(),
        policy=_policy(result, table),
        hierarchies=tuple(
            HierarchyFacts(column=name, levels=hierarchy.height, covers=covered.get(name, {}))
            for name, hierarchy in sorted(result.hierarchies.items())
        ),
        populations=tuple(_population_facts(each, reading.group) for each in result.policy.registers),
        findings=tuple(published_finding(each) for each in verdict.judgements),
        people=people_counts(result, release),
        utility={name: _worth(name, result.utility[name]) for name in result.utility if name not in OF_VALUES},
        search=QUIET if quiet_method else _search_facts(result),
        readers=tuple(
            reader_facts(each.for_readers())
            for each in result.readers
            if not quiet_method or not each.attacker.knows_method  # what such a one reaches tells how it was made
        ),
        versions=_versions(),
        warnings=(
            *((SEEDED,) if seeded else ()),
            *((KEPT_BACK,) if quiet_method else ()),
            *result.warnings,
            *together_notes(release, verdict.judgements),
        ),
    )


def _covered(release: Release, printing: Printing | None) -> dict[str, dict[str, tuple[Label, ...]]]:
    """Say per column what printed labels cover; what the hierarchy has, whether or not somebody of the table has it."""
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
    """Name a population by its file alone: folders of whoever publishes are nobody's business."""
    register = criterion.measure.register
    if register is None or register.place is None:
        return criterion
    return replace(criterion, measure=criterion.measure.compare_with(Population(_file_name(register.place))))


def _file_name(place: str) -> str:
    return Path(place).name


def _population_facts(population: Population, columns: Sequence[str]) -> PopulationFacts:
    if population.place is None:
        return PopulationFacts(name=None, sha256=None, people=population.people(columns))
    files = files_of(population.place)
    sha256 = digest(files[0]) if len(files) == 1 else None
    return PopulationFacts(name=_file_name(population.place), sha256=sha256, people=population.people(columns))


def _policy(result: SearchResult, table: AnyTable) -> str:
    """Write the policy and how the table was read; not its domain, which may name values that are suppressed."""
    names = tuple(column.name for column in table.quasi)
    columns = Roles(quasi=names, sensitive=table.sensitive_columns, values=table.semantics)
    policy = Policy(*map(strip_folder, result.policy.criteria))
    return policy_text(policy, replace(columns, **table.intake.roles).stated())


def _worth(name: str, worth: float) -> float | None:
    """Return what a release is worth; what was computed with the table roughly, so that guesses cannot be tried."""
    if not math.isfinite(worth):
        return None
    return worth if name in KNOWN_FROM_THE_RELEASE else float(f"{worth:.3g}")


def _search_facts(result: SearchResult) -> SearchFacts:
    return SearchFacts(
        method=result.method.name,
        options=_options(result.method),
        levels=dict(result.levels),
        utility=result.chosen_by,
        averages=result.method.prints_averages,
        complete=result.complete,
        resistance=_resistance(result.resistance),
    )


QUIET = SearchFacts(method=None, options={}, levels={}, complete=True)
"""What is told of a search whose method is kept back."""


def _resistance(resistance: Resistance | None) -> ResistanceFacts | None:
    if resistance is None:
        return None
    belief = None if resistance.belief is None else number(resistance.belief, large_is_bad=True)
    return ResistanceFacts(reader=resistance.reader, belief=belief)


def _options(method: Method) -> Plain:
    shown = (each.name for each in fields(method) if each.repr)  # type: ignore[arg-type]
    return {name: plain(getattr(method, name)) for name in shown}


def _versions() -> dict[str, str]:
    others = {name: version(name) for name in ("numpy", "duckdb", "pyarrow")}
    return {"sidelight": __version__, "python": platform.python_version(), **others}


# What does a file that was published say?  It is read as its sidecar says, and only if it is the file that was
# judged. No file can say the order of groups, nor keep groups apart that print the same; so releases are compared
# as printed (`as_printed`): such groups are one, in the order of their labels, and labels that nobody has are gone.


def read_published(path: str | Path, *, memory: str | int | None = None) -> Release:
    """What does a file that Sidelight published say?

    The sidecar beside it says how to read it; a file that is not the one that was judged is an error.  With `memory`
    (such as "2GB"), what the engine holds of the rows is bounded; the groups are held in any case.

    >>> import sidelight as sl
    >>> from tempfile import TemporaryDirectory
    >>> adult = sl.datasets.adult(quasi=["age", "sex"])
    >>> found = sl.protect(adult.table, sl.Policy(sl.GroupSize() >= 50), by=adult.hierarchies)
    >>> with TemporaryDirectory() as folder:
    ...     _ = found.publish(f"{folder}/release.parquet")
    ...     read_published(f"{folder}/release.parquet")
    <Release of 45,222 people in 5 groups, occupation: 14 values (single)>
    """
    return read_by_sidecar(Path(path), None if memory is None else Memory.of(memory))


Engine: TypeAlias = Callable[[Path], object]
"""Says what is read: the file itself, or the same as an engine has it."""


def itself(path: Path) -> Path:
    """Read the file itself."""
    return path


def read_by_sidecar(path: Path, memory: Memory | None = None, engine: Engine = itself) -> Release:
    """Read a published file as its sidecar says, whichever engine counts its rows."""
    for look in range(LOOKS):
        before = generation(path)
        try:
            return _read_by_sidecar(path, memory, engine)
        except (BadRelease, BadTable):
            if generation(path) == before is not None:
                raise
        sleep(0.05 * 2**look)  # whoever replaces it may be about to finish
    return _read_by_sidecar(path, memory, engine)


LOOKS = 5
"""How often a release is read again that others replace meanwhile, after longer and longer waits (1.5 s in all)."""


def _read_by_sidecar(path: Path, memory: Memory | None, engine: Engine) -> Release:
    before = generation(path)
    document = read_checked(path)
    read = read_back(path.parent, document.reading, memory, engine)
    if release_facts(read) != document.release:
        message = (
            f"the sidecar of '{path}' tells of other people, groups or columns than are read; publish again, or "
            "remove it and say which columns are which"
        )
        raise BadRelease(message)
    release = replace(read, printing=document.printing(), provenance=document.provenance())
    if document.kept:
        release = replace(release, intake=_with_carried(release, path.parent, document, memory, engine))
    if document.who is not None:
        release = add_members(release, read_back(path.parent, document.who, memory, engine))
    if generation(path) != before:
        message = f"'{path}' was replaced while it was read; read it again"
        raise BadRelease(message)
    return release


def read_checked(path: Path) -> Sidecar:
    """Read the sidecar of a file, and make sure that it tells of this file, and of all that belong to it."""
    document = read_sidecar(path)
    for file in document.files:
        here = path.with_name(file.name)
        if not (here.is_file() or here.is_dir()):
            message = (
                f"'{here}' is missing, and the sidecar of '{path.name}' tells of it; put it back, or publish again"
            )
            raise BadRelease(message)
        if digest(here) != file.sha256:
            message = f"'{here}' is not the file that its sidecar tells of; publish again, or remove the sidecar"
            raise BadRelease(message)
    if path.name not in {file.name for file in document.files}:
        message = f"the sidecar of '{path}' tells of other files, not of this one; publish again, or remove the sidecar"
        raise BadRelease(message)
    return document


def read_back(folder: Path, reading: Reading, memory: Memory | None = None, engine: Engine = itself) -> Release:
    """Read a file as published, in bounded memory if need be: labels as they were, groups and values in their order."""
    form = FORMATS[reading.format]
    roles = reading.to_roles()
    encoded = replace(
        roles,
        quasi=tuple(map(form.encode, roles.quasi)),
        sensitive=tuple(map(form.encode, roles.value_columns)),
        domain=_encoded_domain(reading.domain, form),
    )
    release = release_from(
        engine(folder / reading.file),
        encoded,
        rows=reading.rows,
        people=reading.people or "people",
        count=reading.count or "count",
        memory=memory,
    )
    return as_printed(_with_labels_decoded(release, form, reading))


def _with_carried(release: Release, folder: Path, document: Sidecar, memory: Memory | None, engine: Engine) -> Intake:
    """Count the people whom the columns that are carried along single out, as any reader of the file can."""
    reading, kept = document.reading, tuple(document.kept)
    finer = read_back(folder, reading.model_copy(update={"group": (*reading.group, *kept)}), memory, engine)
    judged = replace(finer.groups, columns=finer.groups.columns[: len(reading.group)])
    alone = (finer.groups.sizes == 1) & ~suppressed_groups(judged)  # who is suppressed says nothing in them
    others = tuple(name for name in release.intake.columns_dropped if name not in kept)
    return replace(release.intake, columns_dropped=others, carried=kept, singled_out=int(alone.sum()))


def add_members(release: Release, who: Release) -> Release:
    """Put the table of people beside that of buckets: who is in which bucket."""
    (bucket,) = release.groups.columns
    row = {bucket.cell(place): place for place in range(len(release))}
    line, value, people = who.groups.counts.entries()
    group = np.array([row[text] for text in who.domain], np.int64)[value]
    order = np.argsort(group, kind="stable")
    return replace(release, members=Members(who.groups.columns, group[order], line[order], people[order]))


def _with_labels_decoded(release: Release, form: Format, reading: Reading) -> Release:
    """Say the labels as they were before they were written."""
    groups = release.groups
    columns = tuple(
        _decoded_column(name, column, form) for name, column in zip(reading.group, groups.columns, strict=True)
    )
    domain: tuple[Label, ...]
    if isinstance(groups.domain, JointDomain):
        named = zip(reading.to_roles().value_columns, groups.domain.columns, strict=True)
        domain = JointDomain(_decoded_column(name, column, form) for name, column in named)
    else:
        domain = tuple(_decoded(text, form) for text in groups.domain)
    sensitive = ", ".join(reading.to_roles().value_columns)
    return replace(release, groups=replace(groups, columns=columns, domain=domain), sensitive=sensitive)


def _decoded_column(name: str, column: Column, form: Format) -> Column:
    return Column(name, tuple(_decoded(text, form) for text in column.labels), column.codes, column.kind)


def _encoded_domain(domain: Domain | None, form: Format) -> Domain | None:
    if isinstance(domain, Mapping):
        return {form.encode(name): tuple(_encoded(text, form) for text in values) for name, values in domain.items()}
    return None if domain is None else tuple(_encoded(text, form) for text in domain)


def _encoded(text: Label, form: Format) -> Label:
    return None if text is None else form.encode(text)


def _decoded(text: Label, form: Format) -> Label:
    return None if text is None else form.decode(text)


def digest(path: Path) -> str:
    """Compute the SHA-256 of a file's bytes; that of a folder, of the names and digests of all that is in it."""
    if path.is_dir():
        lines = (f"{digest(each)} {each.name}\n" for each in sorted(path.iterdir()))
        return hashlib.sha256("".join(lines).encode()).hexdigest()
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def as_printed(release: Release) -> Release:
    """Forget what no file can say: the order of groups, groups that print the same, labels that nobody has.

    >>> twice = Release.from_counts([{"Flu": 1}, {"Flu": 2}], labels=[{"age": "*"}, {"age": "*"}])
    >>> as_printed(twice)
    <Release of 3 people in 1 group, value: 1 value (single)>
    """
    groups = release.groups
    # Tidy labels first, so that groups which print the same have the same codes and are rolled up into one.
    merged = roll_up(groups, tuple(column.compact().in_natural_order() for column in groups.columns))
    domain, counts = _combinations_that_occur(merged)
    printed = whole_groups(
        domain=domain,
        sizes=merged.sizes,
        counts=counts,
        columns=tuple(column.compact().in_natural_order() for column in merged.columns),
        semantics=merged.semantics,
    )
    return replace(release, groups=printed, people=None, members=None)


def _combinations_that_occur(groups: Groups) -> tuple[tuple[Label, ...], Counts]:
    """Forget combinations that nobody has; a single column's values stay, as files say which there could be."""
    if not isinstance(groups.domain, JointDomain):
        return groups.domain, groups.counts
    kept = np.flatnonzero(groups.counts.totals())
    return JointDomain(groups.domain.printed(kept)), groups.counts.only_values(kept)


def is_same_release(one: Release, other: Release) -> bool:
    """Whether two releases, each as printed, have the same groups and counts."""
    return (
        one.domain == other.domain
        and one.semantics == other.semantics
        and np.array_equal(one.groups.sizes, other.groups.sizes)
        and _columns(one) == _columns(other)
        and all(
            np.array_equal(mine, theirs)
            for mine, theirs in zip(_entries(one.groups), _entries(other.groups), strict=True)
        )
    )


def _columns(release: Release) -> list[tuple[str, tuple[Label, ...], bytes]]:
    return [(column.name, column.labels, column.codes.tobytes()) for column in release.groups.columns]


def _entries(groups: Groups) -> tuple[Integers, Integers]:
    row, value, count = groups.counts.entries()
    place = row * groups.counts.width + value
    order = np.argsort(place)
    return place[order], count[order]
