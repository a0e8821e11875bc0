"""Read a published release back: as its sidecar says, and only if it is the file that was judged."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import numpy as np

from sidelight.errors import BadRelease
from sidelight.publish.formats import FORMATS, Format
from sidelight.publish.printed import as_printed
from sidelight.publish.sidecar import Reading, Sidecar, read_sidecar
from sidelight.release.members import Members
from sidelight.release.read import read_release
from sidelight.release.release import Release
from sidelight.table.columns import Column
from sidelight.table.labels import Label


def read_published(path: str | Path) -> Release:
    """What does a file that Sidelight published say?

    The sidecar beside it says how to read it; a file that is not the one that was judged is an error.

    >>> import sidelight as sl
    >>> from tempfile import TemporaryDirectory
    >>> adult = sl.datasets.adult(quasi=["age", "sex"])
    >>> found = sl.protect(adult.table, sl.Policy(sl.GroupSize() >= 50), by=adult.hierarchies)
    >>> with TemporaryDirectory() as folder:
    ...     _ = found.publish(f"{folder}/release.parquet")
    ...     read_published(f"{folder}/release.parquet")
    <Release of 45,222 people in 5 groups, occupation: 14 values (single)>
    """
    path = Path(path)
    document = read_checked(path)
    release = read_back(path.parent, document.reading)
    return release if document.who is None else with_members(release, read_back(path.parent, document.who))


def read_checked(path: Path) -> Sidecar:
    """Read the sidecar of a file, and make sure that it tells of this file, and of all that belong to it."""
    document = read_sidecar(path)
    for file in document.files:
        here = path.with_name(file.name)
        if not here.is_file():
            message = (
                f"'{here}' is missing, and the sidecar of '{path.name}' tells of it; put it back, or publish again"
            )
            raise BadRelease(message)
        if digest(here) != file.sha256:
            message = f"'{here}' is not the file that its sidecar tells of; publish again, or remove the sidecar"
            raise BadRelease(message)
    return document


def read_back(folder: Path, reading: Reading) -> Release:
    """Read a file as published: labels as they were, groups and values in their order."""
    written = FORMATS[reading.format]
    domain = reading.domain
    release = read_release(
        folder / reading.file,
        group=[written.written(name) for name in reading.group],
        sensitive=written.written(reading.sensitive),
        values=reading.values,
        missing="a value" if domain is not None and None in domain else "an error",
        domain=None if domain is None else [None if text is None else written.written(text) for text in domain],
        rows=reading.rows,
        people=reading.people or "people",
        count=reading.count or "count",
    )
    return as_printed(_meant(release, written, reading))


def with_members(release: Release, who: Release) -> Release:
    """Put the table of people beside that of buckets: who is in which bucket."""
    (bucket,) = release.groups.columns
    row = {bucket.cell(place): place for place in range(len(release))}
    line, value, people = who.groups.counts.entries()
    group = np.array([row[text] for text in who.domain], np.int64)[value]
    order = np.argsort(group, kind="stable")
    return replace(release, members=Members(who.groups.columns, group[order], line[order], people[order]))


def _meant(release: Release, written: Format, reading: Reading) -> Release:
    """Say the labels as they were before they were written."""
    groups = release.groups
    columns = tuple(
        Column(name, tuple(_label(text, written) for text in column.labels), column.codes)
        for name, column in zip(reading.group, groups.columns, strict=True)
    )
    domain = tuple(_label(text, written) for text in groups.domain)
    return replace(release, groups=replace(groups, columns=columns, domain=domain), sensitive=reading.sensitive)


def _label(text: Label, written: Format) -> Label:
    return None if text is None else written.meant(text)


def digest(path: Path) -> str:
    """Give the SHA-256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
