"""Read a published file as its sidecar says, and only if it is the file that was judged.

No file can say the order of groups, nor keep groups apart that print the same; so releases are compared as printed
(`as_printed`): such groups are one, in the order of their labels, and labels that nobody has are gone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from sidelight.documents.document import release_facts
from sidelight.engines.formats.registry import WRITERS
from sidelight.errors import BadRelease, BadTable
from sidelight.files import sidecar_path, undo_path
from sidelight.publish.sidecar import Reading, Sidecar, read_checked
from sidelight.release.generalise import roll_up
from sidelight.release.groups import Groups, suppressed_groups
from sidelight.release.read import release_from
from sidelight.release.release import Members, Release, whole_groups
from sidelight.streams.memory import Memory
from sidelight.table.labels import Column, JointDomain, Label

if TYPE_CHECKING:
    from sidelight.engines.formats.file_format import Writer
    from sidelight.table.roles import Domain
    from sidelight.table.table import Intake


def read_published(path: str | Path, *, memory: str | int | None = None) -> Release:
    """Read a file that Sidelight published.

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
    return read_by_sidecar(Path(path), None if memory is None else Memory.parse(memory))


Engine: TypeAlias = Callable[[Path], object]
"""Says what is read: the file itself, or the same as an engine has it."""


def generation(path: Path) -> tuple[int, int] | None:
    """Distinguish one document beside a file from its next: other numbers are another one; None: it is being replaced.

    The place on the disk alone would not do: what is replaced twice may stand where it stood before.
    """
    try:
        beside = sidecar_path(path).stat()
        # inode and time: one of them alone may stay the same when a sidecar is replaced quickly
        return None if undo_path(path).is_dir() else (beside.st_ino, beside.st_mtime_ns)
    except (OSError, ValueError):
        return 0, 0


def read_by_sidecar(path: Path, memory: Memory | None = None, engine: Engine = Path) -> Release:
    """Read a published file as its sidecar says, whichever engine counts its rows."""
    for look in range(5):  # again while others replace it, after longer and longer waits, 1.5 s in all
        before = generation(path)
        try:
            return _read_by_sidecar(path, memory, engine)
        except (BadRelease, BadTable):
            if generation(path) == before is not None:
                raise
        sleep(0.05 * 2**look)
    return _read_by_sidecar(path, memory, engine)


def _read_by_sidecar(path: Path, memory: Memory | None, engine: Engine) -> Release:
    before = generation(path)
    # digests first: a file that is not the one judged is refused before its rows are read
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
        release = replace(release, intake=_count_singled_out(release, path.parent, document, memory, engine))
    if document.who is not None:
        release = add_members(release, read_back(path.parent, document.who, memory, engine))
    if generation(path) != before:
        message = f"'{path}' was replaced while it was read; read it again"
        raise BadRelease(message)
    return release


def read_back(folder: Path, reading: Reading, memory: Memory | None = None, engine: Engine = Path) -> Release:
    """Read a file as published, in bounded memory if need be: labels as they were, groups and values in their order."""
    writer = WRITERS[reading.format]
    roles = reading.to_roles()
    encoded = replace(
        roles,
        quasi=tuple(map(writer.encode, roles.quasi)),
        sensitive=tuple(map(writer.encode, roles.value_columns)),
        domain=_encode_domain(reading.domain, writer),
    )
    release = release_from(
        engine(folder / reading.file),
        encoded,
        rows=reading.rows,
        people=reading.people or "people",
        count=reading.count or "count",
        memory=memory,
    )
    return as_printed(_decode_labels(release, writer, reading))


def _count_singled_out(
    release: Release, folder: Path, document: Sidecar, memory: Memory | None, engine: Engine
) -> Intake:
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
    # buckets are matched by their label, as the two tables need not list them in the same order
    row = {bucket.cell(number): number for number in range(len(release))}
    line, value, people = who.groups.counts.entries()
    group = np.array([row[text] for text in who.domain], np.int64)[value]
    order = np.argsort(group, kind="stable")
    return replace(release, members=Members(who.groups.columns, group[order], line[order], people[order]))


def _decode_labels(release: Release, writer: Writer, reading: Reading) -> Release:
    """Return a release with its labels as they were before they were written."""

    def decode(names: Iterable[str], columns: Iterable[Column]) -> tuple[Column, ...]:
        return tuple(
            Column(name, decode_labels(writer, column.labels), column.codes, column.kind)
            for name, column in zip(names, columns, strict=True)
        )

    groups, sensitive = release.groups, reading.to_roles().value_columns
    domain: tuple[Label, ...]
    if isinstance(groups.domain, JointDomain):
        domain = JointDomain(decode(sensitive, groups.domain.columns))
    else:
        domain = decode_labels(writer, groups.domain)
    groups = replace(groups, columns=decode(reading.group, groups.columns), domain=domain)
    return replace(release, groups=groups, sensitive=", ".join(sensitive))


def decode_labels(writer: Writer, texts: Iterable[Label]) -> tuple[Label, ...]:
    """Return what texts mean that stand in a file."""
    return tuple(None if text is None else writer.decode(text) for text in texts)


def encode_labels(writer: Writer, labels: Iterable[Label]) -> tuple[Label, ...]:
    """Return what stands in a file for labels."""
    return tuple(None if label is None else writer.encode(label) for label in labels)


def _encode_domain(domain: Domain | None, writer: Writer) -> Domain | None:
    if isinstance(domain, Mapping):
        return {writer.encode(name): encode_labels(writer, values) for name, values in domain.items()}
    return None if domain is None else encode_labels(writer, domain)


def as_printed(release: Release) -> Release:
    """Forget what no file can say: the order of groups, groups that print the same, labels that nobody has.

    >>> twice = Release.from_counts([{"Flu": 1}, {"Flu": 2}], labels=[{"age": "*"}, {"age": "*"}])
    >>> as_printed(twice)
    <Release of 3 people in 1 group, value: 1 value (single)>
    """
    groups = release.groups
    # Tidy labels first, so that groups which print the same have the same codes and are rolled up into one.
    merged = roll_up(groups, tuple(column.compact().sort_naturally() for column in groups.columns))
    domain, counts = merged.domain, merged.counts
    if isinstance(domain, JointDomain):  # a single column's values stay, as files say which there could be
        kept = np.flatnonzero(counts.totals())
        domain, counts = JointDomain(domain.printed(kept)), counts.only_values(kept)
    printed = whole_groups(
        domain=domain,
        sizes=merged.sizes,
        counts=counts,
        columns=tuple(column.compact().sort_naturally() for column in merged.columns),
        semantics=merged.semantics,
    )
    return replace(release, groups=printed, people=None, members=None)


def is_same_release(one: Release, other: Release) -> bool:
    """Return whether two releases, each as printed, have the same groups and counts."""

    def labels(groups: Groups) -> list[object]:
        return [groups.domain, groups.semantics, *((each.name, each.labels) for each in groups.columns)]

    def numbers(groups: Groups) -> list[npt.NDArray[np.integer]]:
        row, value, count = groups.counts.entries()
        index = row * groups.counts.width + value
        order = np.argsort(index)
        return [groups.sizes, *(column.codes for column in groups.columns), index[order], count[order]]

    same_labels = labels(one.groups) == labels(other.groups)
    return same_labels and all(map(np.array_equal, numbers(one.groups), numbers(other.groups)))
