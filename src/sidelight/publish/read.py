"""What does a file that was published say?  It is read as its sidecar says, and only if it is the file that was judged.

No file can say the order of groups, nor keep groups apart that print the same; so releases are compared as printed
(`as_printed`): such groups are one, in the order of their labels, and labels that nobody has are gone.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import numpy as np

from sidelight._arrays import Integers
from sidelight.errors import BadRelease
from sidelight.publish.formats import FORMATS, Format
from sidelight.publish.sidecar import Reading, Sidecar, read_sidecar
from sidelight.release.generalise import roll_up
from sidelight.release.groups import Groups
from sidelight.release.read import release_from
from sidelight.release.release import Members, Release, whole_groups
from sidelight.table.labels import Label, in_order
from sidelight.table.table import Column


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
    form = FORMATS[reading.format]
    roles, domain = reading.to_roles(), reading.domain
    release = release_from(
        folder / reading.file,
        replace(
            roles,
            quasi=tuple(map(form.encode, roles.quasi)),
            sensitive=form.encode(reading.sensitive),
            domain=None if domain is None else tuple(_encoded(text, form) for text in domain),
        ),
        rows=reading.rows,
        people=reading.people or "people",
        count=reading.count or "count",
    )
    return as_printed(_with_labels_decoded(release, form, reading))


def with_members(release: Release, who: Release) -> Release:
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
        Column(name, tuple(_decoded(text, form) for text in column.labels), column.codes)
        for name, column in zip(reading.group, groups.columns, strict=True)
    )
    domain = tuple(_decoded(text, form) for text in groups.domain)
    return replace(release, groups=replace(groups, columns=columns, domain=domain), sensitive=reading.sensitive)


def _encoded(text: Label, form: Format) -> Label:
    return None if text is None else form.encode(text)


def _decoded(text: Label, form: Format) -> Label:
    return None if text is None else form.decode(text)


def digest(path: Path) -> str:
    """Give the SHA-256 of a file's bytes."""
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
    merged = roll_up(groups, tuple(_tidy(column) for column in groups.columns))
    printed = whole_groups(
        domain=merged.domain,
        sizes=merged.sizes,
        counts=merged.counts,
        columns=tuple(_tidy(column) for column in merged.columns),
        semantics=merged.semantics,
    )
    return replace(release, groups=printed, people=None, members=None)


def same_release(one: Release, other: Release) -> bool:
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


def _tidy(column: Column) -> Column:
    """Keep only labels that occur, in their natural order."""
    used = np.flatnonzero(np.bincount(column.codes, minlength=len(column.labels)))
    labels = in_order(column.labels[code] for code in used)
    place = {text: number for number, text in enumerate(labels)}
    recode = np.full(len(column.labels), -1, np.int32)
    recode[used] = [place[column.labels[code]] for code in used]
    return column.relabelled(labels, recode)
