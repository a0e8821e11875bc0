"""The sidecar: a JSON document beside a published file; how to read it, what it was judged by, how it was made."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sidelight.errors import BadRelease
from sidelight.publish.formats import FormatName
from sidelight.release.read import Rows
from sidelight.report.report import NOT_JUDGED, Number, Plain, ReleaseFacts, Wanted
from sidelight.table.labels import Label
from sidelight.table.table import Semantics

SCHEMA_VERSION = 1
"""Raised whenever a reader of the document would have to change."""

SCHEMA_HOME = "docs/reference/sidecar.schema.json"
"""Where the schema is kept for programs that read the document."""

ENDING = ".sidelight.json"
NOISE_ENDING = ".noise.json"

Says: TypeAlias = dict[str, Label]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PublishedFile(_Part):
    """One file that was written."""

    name: str
    sha256: str = Field(description="of its bytes: a file that is not the one that was judged is noticed")
    rows: int


class Reading(_Part):
    """How to read a published file, in the words of `read_release`."""

    file: str
    group: tuple[str, ...]
    sensitive: str
    values: Semantics
    domain: tuple[Label, ...] | None = Field(
        default=None, description="all sensitive values that there could be, in order; null among them: missing"
    )
    rows: Rows = Field(description="whether a row is a person, or how often a group has a value")
    people: str | None = Field(default=None, description="the column with the people of a group, in counts")
    count: str | None = Field(default=None, description="the column with the count of a value, in counts")
    format: FormatName = Field(description="in csv, a text that a spreadsheet would run has a ' before it")


class PublishedFinding(_Part):
    """What one criterion of the policy found in the published file."""

    measure: str
    settings: Plain
    said: str
    wanted: Wanted
    found: Number
    holds: bool
    group: Says | None = Field(description="what is printed about the group that is worst off")
    value: Label = None
    notes: tuple[str, ...] = ()


class HierarchyFacts(_Part):
    """Which hierarchy a column had; no digest of it, by which guesses at the column's values could be tried."""

    column: str
    levels: int = Field(description="how many there are, the values themselves included")


class People(_Part):
    """How many rows and people went in and came out."""

    rows_in: int = Field(description="rows that were read; 0 when the table did not come from rows")
    people_in: int
    people_out: int
    suppressed: int = Field(description="people whose rows are suppressed, as * or left out")


class Search(_Part):
    """How the release was found."""

    method: str
    options: Plain
    levels: dict[str, int]
    minimal: tuple[dict[str, int], ...]
    checked: int
    complete: bool = Field(description="whether the search came to its end; else a more useful release may exist")


class Sidecar(_Part):
    """What is said about a published release."""

    kind: Literal["published release"] = "published release"
    schema_version: int = SCHEMA_VERSION
    files: tuple[PublishedFile, ...]
    reading: Reading = Field(description="how to read the groups and their values")
    who: Reading | None = Field(default=None, description="how to read which bucket each person is in (anatomy)")
    release: ReleaseFacts
    date: str = Field(description="the day on which it was judged and published, in UTC, like 2024-03-09")
    policy: str = Field(description="as a policy file, with the roles that the table was read with")
    not_covered: str = NOT_JUDGED
    hierarchies: tuple[HierarchyFacts, ...] = Field(default=(), description="of the columns that had one")
    verdict: Literal["within policy"] = "within policy"
    findings: tuple[PublishedFinding, ...] = Field(description="measured on the file as it was read back")
    people: People
    utility: dict[str, float | None] = Field(
        description="smaller is better; null: infinite; to three digits where it was computed with the table"
    )
    search: Search
    versions: dict[str, str]
    warnings: tuple[str, ...] = ()

    def to_json(self) -> str:
        """Write the document as JSON text."""
        return self.model_dump_json(indent=2) + "\n"


def sidecar_path(path: Path) -> Path:
    """Say where the document of a published file stands.

    >>> sidecar_path(Path("made/release.parquet")).name
    'release.parquet.sidelight.json'
    """
    return path.parent / (path.name + ENDING)  # also for a folder such as '.'


def noise_path(path: Path) -> Path:
    """Say where the document of a file of noisy counts stands.

    >>> noise_path(Path("made/counts.csv")).name
    'counts.csv.noise.json'
    """
    return path.parent / (path.name + NOISE_ENDING)


def read_sidecar(path: Path) -> Sidecar:
    """Read the document beside a published file."""
    beside = sidecar_path(path)
    try:
        document = Sidecar.model_validate_json(beside.read_bytes())
    except FileNotFoundError:
        message = f"no '{beside.name}' beside '{path}'; say which columns are which (in Python with read_release)"
        raise BadRelease(message) from None
    except (OSError, ValidationError):
        message = f"'{beside}' cannot be read; publish again, or remove it and say which columns are which"
        raise BadRelease(message) from None
    if document.schema_version != SCHEMA_VERSION:
        message = f"'{beside.name}' is of version {document.schema_version}, and this Sidelight reads {SCHEMA_VERSION}"
        raise BadRelease(message)
    return document


def sidecar_schema() -> str:
    """Write the JSON schema of the document."""
    made = Sidecar.model_json_schema(mode="serialization")
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **made}
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
