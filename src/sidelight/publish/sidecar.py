"""The sidecar: how is a published file read, what was it judged by, how was it made?  A JSON document beside the file.

Whoever has the file may have the document: it holds plain data, witnesses reduced to what is printed, and what was
computed with the table only to three digits.  The digests of the files say that they are the ones that were judged.
The keys are a public format; `describe` fills them.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from sidelight.documents.document import (
    NOT_JUDGED,
    DocumentPart,
    FileFacts,
    FindingFacts,
    MethodFacts,
    Number,
    PeopleCounts,
    Plain,
    PolicyBound,
    ReaderFacts,
    ReleaseFacts,
    schema_text,
)
from sidelight.engines.formats.file_format import FormatName
from sidelight.errors import BadRelease, SidelightError, in_python
from sidelight.files import digest, read_whole, settle, sidecar_path
from sidelight.policy.policy_file import read_policy_text
from sidelight.release.printed_labels import Nodes, Printing
from sidelight.release.read import Rows
from sidelight.release.release import Provenance
from sidelight.table.labels import ColumnKind, Label, Semantics
from sidelight.table.roles import Missing, Roles

# Raised whenever a program that reads the document would have to change; its schema is in docs/reference
SCHEMA_VERSION = 2

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

    reader: str = Field(description="the attacker, by the name of the measure that is about them")
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
        """Return how the labels came about, for looking people up."""
        nodes = {each.column: Nodes.covering(each.covers) for each in self.hierarchies if each.covers}
        return Printing(nodes, self.search.averages)

    def provenance(self) -> Provenance | None:
        """Return how the release was made, for attackers who use it; None where this Sidelight cannot read it.

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
    # nobody is led to a file that was not judged: what is read is beside the sidecar, and its digest is in it
    names = [file.name for file in document.files]
    read = {each.file for each in (document.reading, document.who) if each is not None}
    # a name with a path in it could have a reader open, and judge, files elsewhere
    plain = all(name not in ("", ".", "..") and not {*name} & {*"/\\\0"} for name in names)
    digests = all(re.fullmatch("[0-9a-f]{64}", file.sha256) for file in document.files)
    if not (plain and digests and read <= {*names} and len({*names}) == len(names)):
        message = (
            f"'{beside}' does not tell of the files that are read by name and digest, each beside it; publish again, "
            "or remove it and say which columns are which"
        )
        raise BadRelease(message)
    return document


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


def sidecar_schema() -> str:
    """Write the JSON schema of the document."""
    return schema_text(Sidecar)
